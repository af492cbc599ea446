//! Other words for *required*, *optional*, *one of* and *wins*.

use super::super::text::Span;

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
