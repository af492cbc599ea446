//! The meaning of words in documents: typography, synonyms, and words with the same stem.

use std::ops::Range;

use super::measures::{Rate, decimal, length_of_time, number, range, rate};
use super::text::Span;
use crate::compiler::model::Duration;

/// Returns the statement in `Deprecated since v3; use Batch Order instead.`, in the form of the schema.
pub(super) fn deprecated(text: &str) -> Option<String> {
    let at = text.to_ascii_lowercase().find("deprecated")?;
    let words: Vec<&str> = tokens(text.get(at..)?, |_| false).into_iter().map(|(_, word)| word).collect();
    let phrase = |from: usize| -> String {
        let ends = |word: &&&str| !matches!(**word, "instead" | "since" | "." | ";" | "," | "(" | ")" | "|");
        words[from..].iter().take_while(ends).copied().collect::<Vec<_>>().join(" ")
    };
    let behind = |marks: &[&str]| {
        let place =
            |mark: &[&str]| words.windows(mark.len()).position(|window| window == mark).map(|at| at + mark.len());
        marks.iter().find_map(|mark| place(&mark.split(' ').collect::<Vec<_>>())).map(phrase)
    };
    let since = behind(&["since", "as of"]).map(|since| format!("since {since}"));
    let instead =
        behind(&["use", "Use", "in favour of", "in favor of", "replaced by"]).map(|other| format!("use {other}"));
    Some([since, instead].into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// Returns whether the text deprecates one of these values: `gtc, rpi (deprecated)`.
pub(super) fn deprecates_value(text: &str, values: &[String]) -> bool {
    let lower = text.to_ascii_lowercase();
    let before = lower.find("(deprecated").and_then(|at| text.get(..at)).unwrap_or_default();
    before.split_whitespace().next_back().is_some_and(|word| values.iter().any(|value| value == word.trim_matches('`')))
}

/// Returns whether a label introduces a list of parameters.
pub(super) fn is_parameter_list(label: Span<'_>) -> bool {
    parameter_prefix(label).is_some()
}

/// Returns the prefix of the names in a list of parameters, from its label; `None` if it is of another list.
pub(super) fn parameter_prefix(label: Span<'_>) -> Option<String> {
    match label.texts().as_slice() {
        ["Parameters" | "Parameter", ..] => Some(String::new()),
        ["Each", _] => Some("[].".to_owned()),
        ["Item", "fields", "of", list] => Some(format!("{list}[].")),
        _ => None,
    }
}

/// Phrases of such documents, and the equivalent words that the readers know.
const SYNONYMS: [(&str, &str); 36] = [
    ("if", "when"),
    ("not mandatory", "optional"),
    ("not required", "optional"),
    ("mandatory", "required"),
    ("compulsory", "required"),
    ("no more than", "at most"),
    ("no greater than", "at most"),
    ("not greater than", "at most"),
    ("must not exceed", "at most"),
    ("may not exceed", "at most"),
    ("cannot exceed", "at most"),
    ("not exceeding", "at most"),
    ("not to exceed", "at most"),
    ("less than or equal to", "at most"),
    ("<=", "at most"),
    (">=", "at least"),
    ("the maximum is", "at most"),
    ("the minimum is", "at least"),
    ("not more than", "at most"),
    ("a maximum of", "at most"),
    ("maximum of", "at most"),
    ("up to", "at most"),
    ("no less than", "at least"),
    ("not less than", "at least"),
    ("no fewer than", "at least"),
    ("a minimum of", "at least"),
    ("minimum of", "at least"),
    ("max.", "at most"),
    ("min.", "at least"),
    ("capitalized", "capitalised"),
    ("milliseconds", "ms"),
    ("per cent", "percent"),
    ("one hundred", "hundred"),
    ("a hundred", "hundred"),
    ("one thousand", "thousand"),
    ("a thousand", "thousand"),
];

/// The characters that the full-width forms from U+FF01 on stand for.
const HALF_WIDTH: &str =
    concat!("!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ", "[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

/// Returns a character in plain typography; empty for an invisible one.
fn plain_character(c: char) -> Option<&'static str> {
    Some(match c {
        // Wide punctuation marks include their space.
        '\u{ff0c}' | '\u{3001}' => ", ",
        '\u{3002}' => ". ",
        '\u{ff1a}' => ": ",
        '\u{ff1b}' => "; ",
        '\u{ff08}' => " (",
        '\u{ff01}'..='\u{ff5e}' => {
            let at = usize::try_from(u32::from(c) - 0xff01).ok()?;
            HALF_WIDTH.get(at..=at)?
        }
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\u{2264}' => " at most ",
        '\u{2265}' => " at least ",
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    })
}

/// Returns a text in plain typography, with single spaces, and in the words that the readers know.
pub(super) fn canonical(text: &str) -> String {
    let characters: Vec<(char, usize)> = text.char_indices().map(|(at, c)| (c, at)).collect();
    canonical_characters(&characters, &[]).into_iter().map(|(c, _)| c).collect()
}

/// Returns whether two texts have the same canonical form.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    one == other || canonical(one) == canonical(other)
}

/// Returns the canonical form of characters, each with its position; those at positions in `literals` are kept.
pub(super) fn canonical_characters(text: &[(char, usize)], literals: &[Range<usize>]) -> Vec<(char, usize)> {
    let is_literal = |at: usize| literals.iter().any(|literal| literal.contains(&at));
    let mut plain: Vec<(char, usize)> = Vec::with_capacity(text.len());
    let mut push = |c: char, at: usize| match plain.last() {
        None | Some((' ', _)) if c.is_whitespace() => {}
        _ => plain.push((if c.is_whitespace() { ' ' } else { c }, at)),
    };
    for (c, at) in text {
        match plain_character(*c).filter(|_| !is_literal(*at)) {
            Some(plain) => plain.chars().for_each(|plain| push(plain, *at)),
            None => push(*c, *at),
        }
    }
    while plain.last().is_some_and(|(c, _)| *c == ' ') {
        plain.pop();
    }
    let plain = without_separators_of_thousands(&plain);
    let plain = without_spaces_in_rates(&plain, is_literal);
    without_synonyms(&plain, is_literal)
}

/// Removes separators of thousands, so that `1,000` is `1000`. The comma of `[1,500]` is between two numbers.
fn without_separators_of_thousands(text: &[(char, usize)]) -> Vec<(char, usize)> {
    let is_digit = |at: usize| text.get(at).is_some_and(|(c, _)| c.is_ascii_digit());
    let digits_before = |at: usize| (0..at).rev().take_while(|before| is_digit(*before)).count();
    let digits_behind = |at: usize| (at + 1..text.len()).take_while(|behind| is_digit(*behind)).count();
    let parts = |at: usize| {
        let before = digits_before(at);
        let is_zero = text.get(at - before).is_some_and(|(c, _)| *c == '0');
        let is_first_group = !at.checked_sub(before + 1).is_some_and(|mark| matches!(text[mark].0, ',' | '.'));
        let is_in_brackets = at.checked_sub(before + 1).is_some_and(|mark| text[mark].0 == '[');
        !is_in_brackets && digits_behind(at) == 3 && (1..=3).contains(&before) && !(is_zero && is_first_group)
    };
    let is_kept = |(at, (c, _)): &(usize, &(char, usize))| *c != ',' || !parts(*at);
    text.iter().enumerate().filter(is_kept).map(|(_, own)| *own).collect()
}

/// Removes spaces around the slashes of a rate, so that `10 / s / UID` is `10/s/UID`.
fn without_spaces_in_rates(text: &[(char, usize)], is_literal: impl Fn(usize) -> bool) -> Vec<(char, usize)> {
    let is = |at: Option<usize>, kind: fn(char) -> bool| at.and_then(|at| text.get(at)).is_some_and(|(c, _)| kind(*c));
    let is_space = |at: Option<usize>| is(at, |c| c == ' ');
    let mut dropped = Vec::new();
    let mut end_of_rate = None;
    for (at, _) in text.iter().enumerate().filter(|(_, (c, from))| *c == '/' && !is_literal(*from)) {
        let left = at.checked_sub(1 + usize::from(is_space(at.checked_sub(1))));
        let right = at + 1 + usize::from(is_space(Some(at + 1)));
        let unit = text.iter().skip(right).take_while(|(c, _)| c.is_alphanumeric()).count();
        let is_of_rate = is(left, |c| c.is_ascii_digit()) || left.is_some() && left == end_of_rate;
        if is_of_rate && is(Some(right + unit).and_then(|end| end.checked_sub(1)), char::is_alphabetic) && unit > 0 {
            end_of_rate = Some(right + unit - 1);
            dropped.extend([at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter(|at| is_space(Some(*at))));
        }
    }
    text.iter().enumerate().filter(|(at, _)| !dropped.contains(at)).map(|(_, own)| *own).collect()
}

fn without_synonyms(text: &[(char, usize)], is_literal: impl Fn(usize) -> bool) -> Vec<(char, usize)> {
    let joins = |c: Option<&(char, usize)>| c.is_some_and(|(c, _)| c.is_alphanumeric() || *c == '_' || *c == '-');
    let is_digit = |c: Option<&(char, usize)>| c.is_some_and(|(c, _)| c.is_ascii_digit());
    let is_here = |at: usize, phrase: &str| {
        let end = at + phrase.len();
        let fits = |(c, (own, from)): (char, &(char, usize))| own.eq_ignore_ascii_case(&c) && !is_literal(*from);
        // `10/min.` ends a sentence; in `min. 5`, the full stop marks an abbreviation.
        let is_short = || text.get(end).is_some_and(|(c, _)| *c == ' ') && is_digit(text.get(end + 1));
        text.get(at..end).is_some_and(|own| phrase.chars().zip(own).all(fits))
            && (phrase.ends_with('=') || !joins(text.get(end)))
            && (!phrase.ends_with('.') || is_short())
    };
    let mut found = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = text.get(at) {
        let is_first = || !joins(at.checked_sub(1).and_then(|before| text.get(before)));
        let starts = matches!(first.0, '<' | '>') || first.0.is_alphabetic() && is_first();
        let is_first_of = |phrase: &str| phrase.starts_with(first.0.to_ascii_lowercase());
        let synonym =
            if starts { SYNONYMS.iter().find(|(phrase, _)| is_first_of(phrase) && is_here(at, phrase)) } else { None };
        let Some((phrase, plain)) = synonym else {
            found.push(*first);
            at += 1;
            continue;
        };
        let last = text.get(at + phrase.len() - 1).map_or(first.1, |(_, source)| *source);
        for (n, c) in plain.chars().enumerate() {
            let c = if n == 0 && first.0.is_uppercase() { c.to_ascii_uppercase() } else { c };
            found.push((c, if n + 1 == plain.len() { last } else { first.1 }));
        }
        at += phrase.len();
    }
    found
}

/// Returns the meaning of a sentence: two sentences are equal exactly if no reader can find different facts in them.
/// Rates, lengths of time, bounds and numbers are replaced by their values, and everything else by its words. Words in
/// `literals`, which are ranges of the text, are kept as they are.
pub(super) fn meaning(text: &str, literals: &[Range<usize>]) -> String {
    let is_literal = |at: usize| literals.iter().any(|literal| literal.contains(&at));
    let tokens: Vec<(&str, bool)> =
        tokens(text, is_literal).into_iter().map(|(at, token)| (token, is_literal(at))).collect();
    // A literal word is not a part of a measure, except for figures, which are the same in any typography.
    let measured: Vec<&str> = tokens
        .iter()
        .map(
            |(token, is_literal)| {
                if *is_literal && !token.starts_with(|c: char| c.is_ascii_digit()) { "" } else { token }
            },
        )
        .collect();
    let mut at = 0;
    let mut said: Vec<String> = Vec::new();
    while let Some((token, _)) = tokens.get(at) {
        let (says, count) = bounded_behind(&measured[at..])
            .or_else(|| measure(&measured[at..]))
            .unwrap_or_else(|| ((*token).to_owned(), 1));
        said.push(says);
        at += count;
    }
    said.join(" ")
}

/// Returns a bound after its value at the start of words: `a week at most`, which means `at most a week`.
fn bounded_behind(words: &[&str]) -> Option<(String, usize)> {
    let (length, count) = length_of_time(words)?;
    let bound = match words.get(count..)? {
        // In `a week at most 20 times`, the bound applies to the times.
        ["at", _, n, ..] if decimal(n).is_some() => return None,
        ["at", "most", ..] => "<most>",
        ["at", "least", ..] => "<least>",
        _ => return None,
    };
    Some((format!("{bound} {}", value(&length)), count + 2))
}

fn value(length: &Duration) -> String {
    let value = length.milliseconds().map_or(length.to_string(), |ms| format!("{ms} ms"));
    format!("<length {value}>")
}

/// Returns the value of a rate, a length of time, a bound or a number at the start of words.
fn measure(words: &[&str]) -> Option<(String, usize)> {
    if let Some((Rate { calls, every, scope }, count)) = rate(words) {
        return Some((format!("<rate {calls} {every} {scope:?}>"), count));
    }
    if let Some((length, count)) = length_of_time(words) {
        return Some((value(&length), count));
    }
    if let Some((low, high, count)) = range(words) {
        return Some((format!("<range {low} {high}>"), count));
    }
    let is_bound =
        |words: &[&str]| words.first().is_some_and(|first| decimal(first).is_some()) || length_of_time(words).is_some();
    match words {
        // The bounded value is a measure of its own, as in `at most three months`.
        ["at", "most", bound @ ..] if is_bound(bound) => Some(("<most>".to_owned(), 2)),
        ["maximum" | "max", bound @ ..] if is_bound(bound) => Some(("<most>".to_owned(), 1)),
        ["at", "least", bound @ ..] if is_bound(bound) => Some(("<least>".to_owned(), 2)),
        ["minimum" | "min", bound @ ..] if is_bound(bound) => Some(("<least>".to_owned(), 1)),
        // `maximum: 100` and `range: 30 days` mean the same without the colon.
        ["maximum" | "max" | "minimum" | "min", ":", bound @ ..] if is_bound(bound) => {
            measure(&[&words[..1], bound].concat()).map(|(says, count)| (says, count + 1))
        }
        ["default" | "maximum" | "max" | "minimum" | "min", ":", _, ..] => Some((words[0].to_owned(), 2)),
        ["range" | "span" | "window", ":", length @ ..] if length_of_time(length).is_some() => {
            Some((words[0].to_owned(), 2))
        }
        ["limit", ":", calls @ ..] if rate(calls).is_some() => Some((words[0].to_owned(), 2)),
        [n, "by", "default", ..] if decimal(n).is_some() => Some((format!("default {n}"), 3)),
        ["percent", ..] => Some(("%".to_owned(), 1)),
        // `buy / sell` lists what `buy, sell` does.
        ["/" | "|", ..] => Some((",".to_owned(), 1)),
        [word, ..] if word.starts_with(char::is_alphabetic) => number(word).map(|number| (number.to_string(), 1)),
        _ => None,
    }
}

/// Returns words, and punctuation that separates or joins them, each with its first byte. Quotation marks around a name
/// are dropped unless they are literal.
fn tokens(text: &str, is_literal: impl Fn(usize) -> bool) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let after = text.get(at + 1..).and_then(|rest| rest.chars().next());
        let parts = match c {
            '(' | ')' | ';' | '|' => true,
            // The layout of a sample has no meaning.
            '[' | ']' | '{' | '}' if is_literal(at) => true,
            ':' if is_literal(at) && after.is_some_and(|after| "[{\"".contains(after)) => true,
            // `1,000` and `12:30` are single words.
            ',' => !after.is_some_and(|after| after.is_ascii_digit()),
            ':' | '.' => after.is_none_or(|after| after.is_whitespace() || "()|;,".contains(after)),
            c => c.is_whitespace() || c == '%',
        };
        if !parts {
            continue;
        }
        let word = &text[start..at];
        let word = if is_literal(start) { word } else { unquoted(word) };
        let comment = word.strip_prefix("//").filter(|words| is_literal(start) && !words.is_empty());
        tokens.extend(comment.map(|_| (start, &text[start..start + 2])));
        let word = comment.unwrap_or(word);
        tokens.extend(Some((start, word)).filter(|(_, word)| !word.is_empty()));
        start = text.len().min(at + c.len_utf8());
        tokens.extend(Some((at, &text[at..start])).filter(|(_, mark)| !mark.trim().is_empty()));
    }
    while tokens.last().is_some_and(|(at, last)| *last == "." && !is_literal(*at)) {
        tokens.pop();
    }
    tokens
}

/// Removes quotation marks around a word. Two marks with nothing between them are the empty text, and are kept.
fn unquoted(word: &str) -> &str {
    let bare = ['"', '\''].iter().find_map(|mark| word.strip_prefix(*mark)?.strip_suffix(*mark));
    bare.filter(|bare| !bare.is_empty()).unwrap_or(word)
}

/// Words that join others and have no meaning of their own.
const JOINING: [&str; 31] = [
    "a", "an", "and", "as", "at", "be", "by", "for", "from", "get", "in", "is", "it", "its", "of", "on", "or", "than",
    "that", "the", "their", "these", "this", "those", "to", "what", "which", "with", "are", "not", "shown",
];

/// Returns the stems of words with a meaning, in lower case and with composite words split.
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

/// Returns whether two words have the same stem: `orders` and `order`, `history` and `historical`, `modifiable` and
/// `modify`.
pub(super) fn have_same_stem(a: &str, b: &str) -> bool {
    let bare = |word: &'_ str| word.len() - usize::from(word.len() > 2 && word.ends_with('s') && !word.ends_with("ss"));
    let (a, b) = (&a[..bare(a)], &b[..bare(b)]);
    let first = |word: &str| word.bytes().next().filter(u8::is_ascii).map(|first| first.to_ascii_lowercase());
    if first(a).zip(first(b)).is_some_and(|(a, b)| a != b) {
        return false;
    }
    let is_same = |(a, b): &(char, char)| a == b || a.to_lowercase().eq(b.to_lowercase());
    let shared = a.chars().zip(b.chars()).take_while(is_same).count();
    if shared == 0 {
        return a.is_empty() && b.is_empty();
    }
    let (a, b) = (a.chars().count(), b.chars().count());
    shared == a.max(b) || shared >= a.min(b).saturating_sub(2).max(5)
}

/// Returns the similarity of two sets of words, from 0 to 1000.
pub(super) fn likeness(a: &[String], b: &[String]) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    let shared = a.iter().filter(|a| b.iter().any(|b| have_same_stem(a, b))).count();
    let shared_back = b.iter().filter(|b| a.iter().any(|a| have_same_stem(a, b))).count();
    1000 * (shared + shared_back) / (a.len() + b.len())
}

/// Returns whether a word can be a name on the wire.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Returns the text in lower case, with single spaces.
pub(super) fn plain(text: &str) -> String {
    text.replace('-', " ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the characters that a word in a list stands for, such as `period` or `letters`.
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
