//! Types over text, and choices: lengths, characters and spellings, why a text is no value of an enum, and the
//! alternatives and cases of choices.

use tradeapi_words::{MINTED_LETTERS, MINTED_PARTS};

use super::account::{are_right, instrument_property};
use super::repeated;
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place, name_list, one_of, unknown};
use crate::compiler::model::{
    Api, Case, Choice, ChoiceKind, Decided, Enum, Family, Form, Identifier, Name, Need, Parameter, Pattern, Placed,
    Shape, Type, formats,
};

/// Checks that an alphabet is the text between the brackets of a bracket expression, without escapes.
pub(super) fn check(_api: &Api, family: &Family, to: &mut Diagnostics) {
    let of_forms = family.identifiers.iter().flat_map(|all| &all.forms).flat_map(Form::patterns);
    let of_forms = of_forms.filter_map(|pattern| Some((pattern.alphabet.as_ref()?, pattern.place)));
    let of_texts =
        family.identifiers.iter().filter_map(|all| all.alphabet.as_ref()).map(|(text, place)| (text, *place));
    for (alphabet, place) in of_texts.chain(of_forms) {
        let has_escape =
            alphabet.chars().zip(alphabet.chars().skip(1)).any(|(a, b)| a == '\\' && b.is_ascii_alphanumeric());
        let wrong = match formats::ranges(alphabet) {
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
        for form in &all.forms {
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
        }
        for (twin, form) in repeated(&all.forms, |one, other| one.pattern.text == other.pattern.text) {
            to.at(
                form.name.place,
                Code::DefinedTwice,
                format!("the forms `{}` and `{}` are both `{}`", twin.name.wire, form.name.wire, form.pattern.text),
            )
            .related(twin.name.place, "the other form is here")
            .help("correct one of them, or remove it");
        }
        let has_name = |(_, form): &(&Form, &Form)| !form.name.rust.is_empty();
        for (earlier, form) in repeated(&all.forms, |one, other| one.name.rust == other.name.rust).filter(has_name) {
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

/// Checks that the other spelling of a form differs from its pattern, and a flag of instruments decides.
fn an_instrument_decides(api: &Api, form: &Form, Decided { also, by }: &Decided, to: &mut Diagnostics) {
    if also.text == form.pattern.text {
        to.at(also.place, Code::BadRule, format!("`also` is the pattern of the form `{}`", form.name.wire))
            .help("write how texts begin and end that may have another form, or remove `also` and `decided_by`");
    }
    instrument_property(api, by, true, to);
}

/// Returns why no text of the identifier has a form; `None` if one can.
fn why_no_text_has(all: &Identifier, form: &Pattern) -> Option<String> {
    let fixed = form.prefix.chars().chain(form.suffix.chars());
    // At least one character is between prefix and suffix.
    let least = fixed.clone().count() + 1;
    if let Some((_, most)) = all.length.filter(|(_, most)| least > *most as usize) {
        return Some(format!("it has {least} characters or more, and `length` allows {most}"));
    }
    let (alphabet, _) = all.alphabet.as_ref()?;
    let pieces = formats::ranges(alphabet).ok().filter(|pieces| !pieces.is_empty())?;
    let mut fixed = fixed;
    let unexpected = fixed.find(|c| !pieces.iter().any(|(first, last)| (first..=last).contains(&c)))?;
    Some(format!("`alphabet` has no {unexpected:?}"))
}

/// Returns why a text is not a value of the identifier; `None` if it is one.
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
    let pieces = formats::ranges(alphabet).ok()?;
    let unexpected = text.chars().find(|c| !pieces.iter().any(|(first, last)| (first..=last).contains(&c)))?;
    let why = format!("invalid character {unexpected:?} in `{text}`");
    Some(Fault::new(why, format!("`{name}` consists of the characters [{alphabet}]")))
}

/// Checks that minted texts are valid: lower-case letters and digits, of a fixed length.
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
        let pieces = all.alphabet.as_ref().and_then(|(alphabet, _)| formats::ranges(alphabet).ok());
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

/// The reason why a value is invalid, and help.
pub(super) struct Fault {
    pub(super) why: String,
    pub(super) help: Help,
    /// The place of the bound that it violates.
    pub(super) bound: Option<Place>,
}

impl Fault {
    /// Creates a fault that does not violate a bound.
    pub(super) fn new(why: String, help: impl Into<Help>) -> Self {
        Self { why, help: help.into(), bound: None }
    }

    /// Reports it; `of` describes the purpose of the value.
    pub(super) fn report(self, to: &mut Diagnostics, place: Place, code: Code, of: &str) {
        let message = if of.is_empty() { self.why } else { format!("{of}: {}", self.why) };
        let report = to.at(place, code, message).help(self.help);
        if let Some(bound) = self.bound {
            report.related(bound, "the bound is here");
        }
    }
}

/// Checks the spellings and truth values of enums.
pub(super) fn enums(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for all in &family.enums {
        spellings(all, to);
        truth(all, to);
        all.values.iter().for_each(|value| are_right(&value.dates, &value.sources, to));
    }
}

/// Checks that each spelling belongs to one value.
fn spellings(all: &Enum, to: &mut Diagnostics) {
    let mut known: Vec<(&str, Place)> =
        all.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect();
    for (also, place) in all.values.iter().flat_map(|value| &value.also) {
        match known.iter().find(|(known, _)| known == also) {
            Some((_, first)) => {
                to.at(
                    *place,
                    Code::DefinedTwice,
                    format!("`{also}` is already a spelling of a value of `{}`", all.name.wire),
                )
                .related(*first, "the other value is here")
                .help("remove one of them");
            }
            None => known.push((also, *place)),
        }
    }
}

/// Checks that `truth` names one true and one false value.
fn truth(all: &Enum, to: &mut Diagnostics) {
    let unknown = |name: &str| !all.wires().any(|wire| wire == name);
    for (name, place) in all.truth_places.iter().filter(|(name, _)| unknown(name)) {
        to.at(*place, Code::BadValue, format!("`{}` has no value `{name}`", all.name.wire)).help(nearest(all, name));
    }
    let Some((_, place)) = all.truth_places.first() else { return };
    let all_known = !all.truth_places.iter().any(|(name, _)| unknown(name));
    if all_known && (all.truth.is_none() || all.truth_places.len() != 2) {
        to.at(
            *place,
            Code::BadValue,
            format!("the `truth` of `{}` must have one true value and one false value", all.name.wire),
        )
        .help("write both, such as `truth: { yes: true, no: false }`, or remove `truth`");
    }
}

/// Returns why a text is not a value of an enum in the spelling of requests; `None` if it is one.
pub(super) fn find_enum_fault(all: &Enum, text: &str) -> Option<Fault> {
    if all.values.is_empty() || all.wires().any(|wire| wire == text) {
        return None;
    }
    let same = all.index_of(text).and_then(|index| all.values.get(index));
    let help = match same {
        Some(value) => format!("write `{}`; this is another spelling of it", value.name.wire).into(),
        None => nearest(all, text),
    };
    Some(Fault::new(format!("`{}` has no value `{text}`", all.name.wire), help))
}

/// Returns why a text is not, in any spelling, one of the allowed values of an enum; `None` if it is one.
pub(super) fn why_not_listed(all: &Enum, only: &[Placed], text: &str) -> Option<Fault> {
    let Some(index) = all.index_of(text) else { return find_enum_fault(all, text) };
    let (_, place) = only.first()?;
    // An unknown value is reported, and may stand for any.
    let is_listed = only.iter().any(|(only, _)| all.index_of(only).is_none_or(|only| only == index));
    (!is_listed).then(|| Fault {
        bound: Some(*place),
        ..Fault::new(format!("`{text}` is not among `only`"), "correct one of them")
    })
}

fn places(all: &Enum) -> impl Iterator<Item = (&str, Option<Place>)> {
    all.placed_wires().into_iter().map(|(wire, place)| (wire, Some(place)))
}

/// Returns help with the most similar value, or with all values.
pub(super) fn nearest(all: &Enum, text: &str) -> Help {
    unknown(text, places(all), || format!("the values of `{}` are: {}", all.name.wire, name_list(all.wires())))
}

/// Checks the choices of a family.
pub(super) fn choices(_api: &Api, family: &Family, to: &mut Diagnostics) {
    for choice in &family.choices {
        members_are_no_choices(choice, to);
        match &choice.kind {
            ChoiceKind::Presence { alternatives, wins } => {
                are_several(choice, alternatives, to);
                are_alternatives(alternatives, to);
                winner_is_one(alternatives, wins.as_ref(), to);
            }
            ChoiceKind::Value { decider, cases, .. } => decider_stands_alone(decider, cases, to),
        }
    }
}

/// Checks that neither the members of a choice nor those of their objects are choices, so that no type holds itself.
fn members_are_no_choices(choice: &Choice, to: &mut Diagnostics) {
    let within = choice.objects().into_iter().flat_map(|object| &object.parameters);
    for member in choice.members().into_iter().chain(within) {
        if matches!(member.shape, Shape::One(Type::Choice(_))) {
            let what = format!("a choice cannot be a member of the choice `{}`", choice.name.wire);
            to.at(member.name.place, Code::BadChoice, what).help("make it a parameter of the request");
        }
    }
    for member in choice.members() {
        if let Some(place) = member.may_be_null {
            to.at(place, Code::BadChoice, format!("`{}` cannot be null: it is a member of a choice", member.name.wire))
                .help("make it a parameter of the request, or remove `may_be`");
        }
    }
}

fn are_several(choice: &Choice, alternatives: &[Parameter], to: &mut Diagnostics) {
    if alternatives.len() == 1 {
        to.at(
            choice.name.place,
            Code::BadChoice,
            format!("the choice `{}` has only one alternative", choice.name.wire),
        )
        .help("add another alternative to `one_of`, or make it a plain parameter");
    }
}

/// Checks that an alternative is not required and has neither a default nor an `edit`, because the choice decides
/// whether it is sent.
fn are_alternatives(alternatives: &[Parameter], to: &mut Diagnostics) {
    for alternative in alternatives {
        let name = &alternative.name;
        let edit = alternative.edit.as_ref().map(|edit| edit.place);
        let default = alternative.default.as_ref().map(|(_, place)| *place);
        let fixed = alternative.fixed.as_ref().map(|(_, place)| *place);
        let required = (alternative.need != Need::No && fixed.is_none()).then_some(name.place);
        for (key, place) in [("required", required), ("fixed", fixed), ("default", default), ("edit", edit)] {
            if let Some(place) = place {
                to.at(place, Code::BadChoice, format!("the alternative `{}` cannot have `{key}`", name.wire))
                    .help(format!("move `{key}` to the parameter whose type is the choice, or remove it"));
            }
        }
        if alternative.shape.is_list() {
            to.at(name.place, Code::BadChoice, format!("the alternative `{}` cannot be a list", name.wire))
                .help("make it a parameter of the request, and add a rule for what it excludes");
        }
    }
}

fn winner_is_one(alternatives: &[Parameter], wins: Option<&Placed>, to: &mut Diagnostics) {
    let Some((wins, place)) = wins else { return };
    let known = || alternatives.iter().map(|one| (one.name.wire.as_str(), Some(one.name.place)));
    if !alternatives.is_empty() && !known().any(|(name, _)| name == wins) {
        to.at(*place, Code::BadChoice, format!("unknown alternative `{wins}`")).help(one_of(wins, known()));
    }
}

fn decider_stands_alone(decider: &Name, cases: &[Case], to: &mut Diagnostics) {
    let members = cases.iter().flat_map(|case| &case.parameters);
    for member in members.filter(|member| member.name.wire == decider.wire) {
        to.at(
            member.name.place,
            Code::BadChoice,
            format!("`{}` decides the choice and cannot be a member of a case", decider.wire),
        )
        .related(decider.place, "the choice is decided here")
        .help("remove it");
    }
}
