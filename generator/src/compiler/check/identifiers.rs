//! Identifiers: their lengths and characters.

use super::fault::Fault;
use super::properties::instrument_property;
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Decided, Family, Form, Identifier, Pattern, alphabet};
use tradeapi_words::{MINTED_LETTERS, MINTED_PARTS};

/// An alphabet is the text between the brackets of a bracket expression, without escapes.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let of_forms = family.identifiers.iter().flat_map(|all| &all.forms).flat_map(Form::patterns);
    let of_forms = of_forms.filter_map(|pattern| Some((pattern.alphabet.as_ref()?, pattern.place)));
    let of_texts =
        family.identifiers.iter().filter_map(|all| all.alphabet.as_ref()).map(|(text, place)| (text, *place));
    for (alphabet, place) in of_texts.chain(of_forms) {
        let has_escape =
            alphabet.chars().zip(alphabet.chars().skip(1)).any(|(a, b)| a == '\\' && b.is_ascii_alphanumeric());
        let wrong = match alphabet::ranges(alphabet) {
            Err(why) => why,
            Ok(pieces) if pieces.is_empty() => "it is empty".to_owned(),
            Ok(_) if alphabet.starts_with('[') && alphabet.ends_with(']') => {
                "the brackets would be part of it".to_owned()
            }
            Ok(_) if alphabet.starts_with('^') => "`^` does not negate it and would be part of it".to_owned(),
            Ok(_) if has_escape => "escapes such as `\\d` are not supported".to_owned(),
            Ok(_) => continue,
        };
        to.at(place, Code::BadAlphabet, format!("invalid alphabet `{alphabet}`: {wrong}"))
            .help("list characters and ranges, such as `A-Za-z0-9_-`, with `-` itself at the end");
    }
}

/// Forms become functions, so their Rust names are distinct, and texts of the identifier can have them.
pub(super) fn forms(api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.identifiers {
        for (index, form) in all.forms.iter().enumerate() {
            if let Some(decided) = &form.decided {
                an_instrument_decides(api, form, decided, to);
            }
            for (pattern, why) in form.patterns().filter_map(|pattern| Some((pattern, why_no_text_has(all, pattern)?)))
            {
                to.at(
                    form.name.place,
                    Code::BadAlphabet,
                    format!("no `{}` has the form `{}`: {why}", all.name.wire, pattern.text),
                )
                .related(all.name.place, "the identifier is here")
                .help("correct the form, or the `length` or `alphabet` of the identifier");
            }
            let earlier = all.forms[..index].iter().find(|other| other.name.rust == form.name.rust);
            let twin = all.forms[..index].iter().find(|other| other.pattern.text == form.pattern.text);
            if let Some(twin) = twin.filter(|_| !form.pattern.text.is_empty()) {
                to.at(
                    form.name.place,
                    Code::DefinedTwice,
                    format!("the forms `{}` and `{}` are both `{}`", twin.name.wire, form.name.wire, form.pattern.text),
                )
                .related(twin.name.place, "the other form is here")
                .help("correct one of them, or remove it");
            }
            if let Some(earlier) = earlier.filter(|_| !form.name.rust.is_empty()) {
                to.at(
                    form.name.place,
                    Code::NameCollision,
                    format!("the forms `{}` and `{}` have the same Rust name", earlier.name.wire, form.name.wire),
                )
                .related(earlier.name.place, "the other form is here")
                .help("rename one of them");
            }
        }
    }
}

/// The other spelling of a form differs from its pattern, and a flag of instruments decides.
fn an_instrument_decides(api: &Api, form: &Form, Decided { also, by }: &Decided, to: &mut Diagnostics) {
    if also.text == form.pattern.text {
        to.at(also.place, Code::BadRule, format!("`also` is the pattern of the form `{}`", form.name.wire))
            .help("write how texts begin and end that may have another form, or remove `also` and `decided_by`");
    }
    instrument_property(api, by, true, to);
}

/// Why no text of the identifier has a form; `None` if one can.
fn why_no_text_has(all: &Identifier, form: &Pattern) -> Option<String> {
    let fixed = form.prefix.chars().chain(form.suffix.chars());
    // At least one character is between prefix and suffix.
    let least = fixed.clone().count() + 1;
    if let Some((_, most)) = all.length.filter(|(_, most)| least > *most as usize) {
        return Some(format!("it has {least} characters or more, and `length` allows {most}"));
    }
    let (alphabet, _) = all.alphabet.as_ref()?;
    let pieces = alphabet::ranges(alphabet).ok().filter(|pieces| !pieces.is_empty())?;
    let mut fixed = fixed;
    let unexpected = fixed.find(|c| !pieces.iter().any(|(first, last)| (first..=last).contains(&c)))?;
    Some(format!("`alphabet` has no {unexpected:?}"))
}

/// Why a text is not a value of the identifier; `None` if it is one.
pub(super) fn find_fault(all: &Identifier, text: &str) -> Option<Fault> {
    let count = text.chars().count();
    let name = &all.name.wire;
    if count == 0 {
        return Some(Fault::new(format!("`{name}` cannot be empty"), "write at least one character"));
    }
    if let Some((min, max)) = all.length.filter(|(min, max)| count < *min as usize || count > *max as usize) {
        return Some(Fault::new(
            format!("`{text}` has {count} characters"),
            format!("`{name}` has {min} to {max} characters"),
        ));
    }
    let (alphabet, _) = all.alphabet.as_ref()?;
    let pieces = alphabet::ranges(alphabet).ok()?;
    let unexpected = text.chars().find(|c| !pieces.iter().any(|(first, last)| (first..=last).contains(&c)))?;
    let why = format!("invalid character {unexpected:?} in `{text}`");
    Some(Fault::new(why, format!("`{name}` consists of the characters [{alphabet}]")))
}

/// Minted texts are valid: lower-case letters and digits, of a fixed length.
pub(super) fn mint(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let length = MINTED_PARTS.iter().sum::<usize>() as u32;
    for all in &family.identifiers {
        let Some(place) = all.mint else { continue };
        if all.length.is_some_and(|(min, max)| !(min..=max).contains(&length)) {
            to.at(
                place,
                Code::BadAlphabet,
                format!("a minted `{}` has {length} characters, which `length` excludes", all.name.wire),
            )
            .help("extend `length`, or remove `mint`");
        }
        let pieces = all.alphabet.as_ref().and_then(|(alphabet, _)| alphabet::ranges(alphabet).ok());
        // An alphabet without characters is reported.
        let pieces = pieces.filter(|pieces| !pieces.is_empty());
        let has = |letter: char| {
            pieces.as_ref().is_none_or(|pieces| pieces.iter().any(|(from, to)| (*from..=*to).contains(&letter)))
        };
        if !MINTED_LETTERS.iter().all(|letter| has(char::from(*letter))) {
            to.at(
                place,
                Code::BadAlphabet,
                format!("a minted `{}` has lower-case letters and digits, which `alphabet` excludes", all.name.wire),
            )
            .help("extend `alphabet`, or remove `mint`");
        }
    }
}
