//! Other words for *required*, *optional*, *one of* and *wins*, and features that an operation does not support:
//! `Reduce-only and stop-loss orders are not supported here`.

use std::collections::BTreeSet;

use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::Reader;

/// Adjectives for what is always sent.
const REQUIRED: [&str; 9] = [
    "required",
    "mandatory",
    "obligatory",
    "compulsory",
    "necessary",
    "essential",
    "needed",
    "indispensable",
    "non-optional",
];

/// Words for a parameter that a request has.
const SENT: [&str; 11] =
    ["sent", "given", "present", "provided", "supplied", "set", "specified", "passed", "included", "stated", "filled"];

/// Words for a parameter that a request does not have.
const LEFT_OUT: [&str; 4] = ["omitted", "skipped", "absent", "left"];

/// Verbs that ask for one of several: `supply one`.
const SEND: [&str; 9] = ["provide", "supply", "give", "send", "specify", "pass", "choose", "use", "include"];

/// Beginnings of words that speak of what must be sent, or of what counts.
const HINTS: [&str; 24] = [
    "must",
    "shall",
    "need",
    "require",
    "necess",
    "oblig",
    "mandat",
    "compuls",
    "essential",
    "indispens",
    "omit",
    "left",
    "option",
    "skip",
    "suppl",
    "provid",
    "specif",
    "choose",
    "either",
    "exactly",
    "always",
    "prevail",
    "preced",
    "priorit",
];

/// Returns the words with those that mean *required*, *optional*, *one of* or *wins* replaced by these. Each keeps the
/// place of the first word that it stands for.
pub(super) fn plain<'a>(words: &[Span<'a>]) -> Vec<Span<'a>> {
    let lower: Vec<String> = words.iter().map(|word| word.text.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let mut plain = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let (says, count) = phrase(&lower[at..]).unwrap_or((&[], 1));
        if says.is_empty() {
            plain.push(*word);
        } else {
            plain.extend(says.iter().map(|says| Span::new(says, word.at)));
        }
        at += count;
    }
    plain
}

/// Returns the plain words for the phrase at the start of words in lower case, and its length.
fn phrase(words: &[&str]) -> Option<(&'static [&'static str], usize)> {
    let is_required = |word: &str| REQUIRED.contains(&word);
    let is_sent = |word: &str| SENT.contains(&word);
    let left_out = |words: &[&str]| match words {
        ["left", "out", ..] => Some(2),
        [word, ..] if LEFT_OUT.contains(word) && *word != "left" => Some(1),
        _ => None,
    };
    Some(match words {
        ["is" | "are", rest @ ..] => {
            let (says, count) = phrase(rest).filter(|(says, _)| says != &["one", "of"])?;
            (says, count + 1)
        }
        ["not", "optional", ..] => (&["required"], 2),
        ["not", word, ..] if is_required(word) => (&["optional"], 2),
        [word, ..] if is_required(word) => (&["required"], 1),
        ["always", word, ..] if is_sent(word) || is_required(word) => (&["required"], 2),
        ["must" | "shall", "always", "be", word, ..] if is_sent(word) => (&["required"], 4),
        ["must" | "shall", "be", word, ..] if is_sent(word) => (&["required"], 3),
        ["has" | "have" | "needs" | "need", "to", "be", word, ..] if is_sent(word) => (&["required"], 4),
        ["cannot", "be", rest @ ..] => (&["required"], 2 + left_out(rest)?),
        ["must" | "may" | "can", "not", "be", rest @ ..] => (&["required"], 3 + left_out(rest)?),
        ["may" | "can", "be", rest @ ..] => (&["optional"], 2 + left_out(rest)?),
        [verb, "either"] if SEND.contains(verb) => (&["required", "one"], 2),
        ["either", "of", ..] => (&["one"], 1),
        ["either", "required", ..] | ["either", "is", "required", ..] => (&["one"], 1),
        ["either", _, "or" | "and", _, ..] => (&["one", "of"], 1),
        ["either", rest @ ..] if phrase(rest).is_some() => (&["one"], 1),
        [verb, "one" | "either" | "exactly", ..] if SEND.contains(verb) => (&["required"], 1),
        ["prevails", ..] => (&["wins"], 1),
        ["takes" | "has", "precedence" | "priority", ..] => (&["wins"], 2),
        _ => return None,
    })
}

/// Returns whether a text speaks of what must be sent, or of which parameter counts, in whatever words.
pub(super) fn are_hinted_at(texts: &[&str]) -> bool {
    let begins = |text: &&str| HINTS.iter().any(|hint| text.to_ascii_lowercase().starts_with(hint));
    texts.iter().any(begins)
}

impl<'a> Reader<'a> {
    /// Reads sentences that end by saying that something is not supported. An entry that spells a parameter of the family
    /// in any way names it.
    pub(super) fn unsupported(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let denied = sentence.text.find(" not supported").filter(|at| {
                let rest = &sentence.text[at + " not supported".len()..];
                matches!(rest.trim_end_matches('.').trim(), "" | "here" | "for now")
            });
            let verb = denied.and_then(|denied| {
                [" is ", " are "].iter().filter_map(|verb| sentence.text[..denied].rfind(verb)).max()
            });
            if let Some(verb) = verb {
                self.found.read(sentence);
                self.names_unsupported(sentence.before(sentence.at + verb), id);
            }
        }
    }

    fn names_unsupported(&mut self, list: Span<'a>, id: &str) {
        let Some(known) = self.claims.operations.iter().find(|known| known.operation.id == id) else { return };
        let prefix = known.operation.items().next().map(|(_, item)| item.list.item_prefix()).unwrap_or_default();
        for entry in list.split(&[", ", " and ", " or ", "/"]) {
            let names = known.family.all_parameters().map(|parameter| parameter.name.wire.as_str());
            for name in names.filter(|name| is_named(name, entry.text)).collect::<BTreeSet<_>>() {
                self.found.state(key(FactKind::Unsupported, [id, &format!("{prefix}{name}")]), "", entry);
            }
        }
    }
}

/// Returns whether a text names a parameter: it spells the name in any way (`Reduce-only`), or is the abbreviation `TP`
/// of `takeProfit` and of what begins with it, such as `tpTriggerBy`.
fn is_named(name: &str, text: &str) -> bool {
    let spelled = letters(text);
    let first = name.chars().next().filter(char::is_ascii_lowercase);
    let initials: String = first.into_iter().chain(name.chars().filter(char::is_ascii_uppercase)).collect();
    let is_short = text.len() > 1 && text.chars().all(|letter| letter.is_ascii_uppercase());
    let begins = || name.strip_prefix(&spelled).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    letters(name) == spelled || is_short && (letters(&initials) == spelled || begins())
}

/// Returns the letters and digits of a name, however it is written: `Reduce-only` is `reduceOnly`.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}
