//! What words mean in documents of any API: numbers, lengths of time, words of one stem.

use super::text::Span;
use crate::model::Duration;

const NUMBERS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The number that a word is, in digits or as a word.
pub(super) fn number(word: &str) -> Option<u64> {
    word.parse().ok().or_else(|| {
        let word = word.to_ascii_lowercase();
        NUMBERS.iter().position(|known| *known == word).and_then(|n| u64::try_from(n).ok())
    })
}

/// The first length of time in a text, such as `three months`, `90-day` or `the previous day`.
pub(super) fn duration<'a>(text: Span<'a>) -> Option<(Duration, Span<'a>)> {
    let words = text.words();
    words.iter().enumerate().find_map(|(index, word)| {
        if let Some((n, unit)) = word.text.split_once('-') {
            let found = length(n, unit);
            return found.map(|duration| (duration, *word));
        }
        let unit = words.get(index + 1)?;
        let n = if word.text == "previous" || word.text == "last" && number(unit.text).is_none() {
            "one"
        } else {
            word.text
        };
        length(n, unit.text).map(|duration| (duration, *word))
    })
}

fn length(n: &str, unit: &str) -> Option<Duration> {
    let n = number(n)?;
    let unit = unit.trim_end_matches('s');
    Duration::parse(&format!("{n} {unit}"))
}

/// Words that join others and carry nothing.
const JOINING: [&str; 31] = [
    "a", "an", "and", "as", "at", "be", "by", "for", "from", "get", "in", "is", "it", "its", "of", "on", "or", "than",
    "that", "the", "their", "these", "this", "those", "to", "what", "which", "with", "are", "not", "shown",
];

/// The words that carry a meaning, in lower case, composite ones in their parts.
pub(super) fn stems(text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let mut part = String::new();
        let mut was_lower = false;
        for c in word.chars() {
            if c.is_uppercase() && was_lower {
                stems.push(std::mem::take(&mut part));
            }
            was_lower = c.is_lowercase();
            part.extend(c.to_lowercase());
        }
        stems.push(part);
    }
    stems.retain(|stem| !stem.is_empty() && !JOINING.contains(&stem.as_str()));
    stems
}

/// Whether two words have one stem: `orders` and `order`, `history` and `historical`, `modifiable` and `modify`.
pub(super) fn akin(a: &str, b: &str) -> bool {
    let bare = |word: &str| -> Vec<char> {
        let word = word.strip_suffix('s').filter(|word| word.len() > 2 && !word.ends_with('s')).unwrap_or(word);
        word.chars().flat_map(char::to_lowercase).collect()
    };
    let (a, b) = (bare(a), bare(b));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    a == b || shared >= a.len().min(b.len()).saturating_sub(2).max(5)
}

/// How much two sets of words have in common, from 0 to 1000.
pub(super) fn likeness(a: &[String], b: &[String]) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let shared = a.iter().filter(|a| b.iter().any(|b| akin(a, b))).count();
    let shared_back = b.iter().filter(|b| a.iter().any(|a| akin(a, b))).count();
    1000 * (shared + shared_back) / (a.len() + b.len())
}

/// Whether a word can be a name on the wire.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// White space and case aside.
pub(super) fn plain(text: &str) -> String {
    text.replace('-', " ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The characters that a word of a list stands for, such as `period` or `letters`.
pub(super) fn characters(word: &str) -> Vec<char> {
    const NAMED: [(&str, char); 13] = [
        ("period", '.'),
        ("dot", '.'),
        ("colon", ':'),
        ("slash", '/'),
        ("underscore", '_'),
        ("hyphen", '-'),
        ("dash", '-'),
        ("comma", ','),
        ("plus", '+'),
        ("equals", '='),
        ("hash", '#'),
        ("at", '@'),
        ("space", ' '),
    ];
    match word.trim() {
        "letters" => ('A'..='Z').chain('a'..='z').collect(),
        "lowercase letters" | "lower-case letters" => ('a'..='z').collect(),
        "uppercase letters" | "upper-case letters" | "capitals" => ('A'..='Z').collect(),
        "digits" | "numbers" => ('0'..='9').collect(),
        word => {
            let singular = word.strip_suffix('s').unwrap_or(word);
            NAMED.iter().filter(|(name, _)| *name == word || *name == singular).map(|(_, c)| *c).take(1).collect()
        }
    }
}
