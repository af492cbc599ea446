//! The subject of an announced change: its day, its operations, names on the wire, and numbers.

use crate::tools::audit::document::Document;
use crate::tools::audit::measures::{self, Rate};
use crate::tools::audit::text::Span;

/// The effect of an announced change on its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Adds,
    Removes,
    Changes,
}

/// Words by which a change says what it does, each with its stem. Removals come first: `no longer supports`.
const ACTIONS: [(Action, &[&str]); 2] = [
    (
        Action::Removes,
        &[
            "no longer",
            "removed",
            "removes",
            "remove",
            "offline",
            "discontinue",
            "ended",
            "retired",
            "delisted",
            "deprecated",
        ],
    ),
    (
        Action::Adds,
        &["added", "adds", "add", "new", "introduce", "launch", "support", "carries", "carry", "available", "can be"],
    ),
];

/// Words before a number that held until the change, and those of a change from one number to another.
const FORMERLY: [&str; 5] = ["was", "were", "previously", "formerly", "old"];
const MOVED: [&str; 8] = ["raised", "increased", "lowered", "reduced", "changed", "changes", "decreased", "extended"];

/// The subject of an announced change.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) action: Action,
    /// Paths of operations, or their ends, such as `/api/v3/market/instruments`.
    pub(super) paths: Vec<&'a str>,
    /// Names and values on the wire, and codes.
    pub(super) names: Vec<&'a str>,
    pub(super) rates: Vec<Rate>,
    /// The other numbers.
    pub(super) numbers: Vec<&'a str>,
    /// The words in lower case.
    pub(super) words: String,
    /// The headings above it in lower case.
    pub(super) headings: &'a str,
}

impl<'a> Subject<'a> {
    pub(super) fn of(document: &'a Document, headings: &'a str, text: Span<'a>) -> Self {
        let codes = document.codes_in(text);
        let in_code =
            |word: &Span<'_>| codes.iter().any(|code| code.at <= word.at && word.range().end <= code.range().end);
        let words = text.words();
        let (paths, rest): (Vec<_>, Vec<_>) = words.iter().copied().partition(|word| is_path(word.text));
        let has_codes = words.iter().any(|word| matches!(word.text, "code" | "codes" | "Code" | "Codes"));
        let is_code = |text: &str| has_codes && text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = |word: &&Span<'_>| in_code(word) || is_code(word.text) || is_written_like_a_name(word.text);
        let names = rest.iter().filter(is_name);
        let names: Vec<&str> = names.map(|word| word.text).filter(|name| !is_method(name)).collect();
        let texts: Vec<&str> = rest.iter().map(|word| word.text).collect();
        let is_moved = texts.iter().any(|word| MOVED.contains(&word.to_lowercase().as_str()));
        let mut rates = Vec::new();
        let mut numbers = Vec::new();
        let mut at = 0;
        while let Some(word) = texts.get(at) {
            // `500 (was 100)`, `raised from 10/s to 20/s`: what held before is not announced.
            let before = at.checked_sub(1).and_then(|before| texts.get(before)).map(|before| before.to_lowercase());
            let is_former =
                before.is_some_and(|before| FORMERLY.contains(&before.as_str()) || before == "from" && is_moved);
            if let Some((rate, count)) = measures::rate(&texts[at..]).filter(|_| !names.contains(word)) {
                rates.extend(Some(rate).filter(|_| !is_former));
                at += count;
                continue;
            }
            if is_former {
                at += 1;
                continue;
            }
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit()) && !names.contains(word);
            numbers.extend(is_number.then_some(*word));
            at += 1;
        }
        let lower = format!(" {} ", texts.join(" ").to_lowercase());
        let says = |phrase: &&str| lower.contains(&format!(" {phrase}"));
        let action = ACTIONS.iter().find(|(_, phrases)| phrases.iter().any(says));
        Self {
            action: action.map_or(Action::Changes, |(action, _)| *action),
            paths: paths.iter().map(|path| path.text).collect(),
            names,
            rates,
            numbers,
            words: lower,
            headings,
        }
    }
}

/// Returns whether a word is a path or the end of one: `/api/v3/trade/place-order`, `trade/place-order`.
fn is_path(word: &str) -> bool {
    let parts: Vec<&str> = word.trim_matches('/').split('/').collect();
    let is_part = |part: &&str| part.len() > 1 && part.starts_with(|c: char| c.is_ascii_lowercase());
    parts.len() > 1 && parts.iter().all(is_part)
}

fn is_method(word: &str) -> bool {
    matches!(word, "GET" | "POST" | "PUT" | "PATCH" | "DELETE")
}

/// Returns whether a word without markup is written like a name of the wire: `clientOid`, `COIN-FUTURES` or
/// `cancel_receiveWindow`.
fn is_written_like_a_name(word: &str) -> bool {
    let has = |kind: fn(char) -> bool| word.chars().any(kind);
    let is_camel = word.starts_with(|c: char| c.is_ascii_lowercase()) && has(|c| c.is_ascii_uppercase());
    let is_capital = word.contains('-') && !has(|c| c.is_ascii_lowercase()) && has(|c| c.is_ascii_uppercase());
    word.is_ascii() && (is_camel || is_capital || word.contains('_'))
}
