//! Bounds and defaults in the notes of parameters, and the lengths of texts.

use super::super::findings::{FactKind, key};
use super::super::measures::{decimal, duration, number, range};
use super::super::text::Span;
use super::Reader;
use super::columns::type_of_word;
use super::note::NotedParameters;
use crate::compiler::model::Number;

/// Units of a text: a bound in one of these limits how a value is written rather than the value.
const OF_TEXT: [&str; 9] =
    ["characters", "character", "letters", "bytes", "decimals", "decimal", "places", "significant", "digits"];

impl<'a> Reader<'a> {
    /// Reads `at most 64 characters`, `1 to 64 characters`.
    pub(super) fn length(&mut self, noted: &NotedParameters<'a, '_>, clause: Span<'a>, texts: &[&str]) -> bool {
        let bounds = match texts {
            ["at", "most", n, "characters"] => number(n).map(|n| ("1".to_owned(), n.to_string())),
            _ => range(texts).filter(|(.., count)| texts[*count..] == ["characters"]).map(|(low, high, _)| (low, high)),
        };
        let Some((low, high)) = bounds else { return false };
        let family = noted.id.split('.').next().unwrap_or_default();
        for (name, _) in noted.names {
            let short = name.rsplit('.').next().unwrap_or(name);
            self.found.state(key(FactKind::Length, [family, short]), format!("{low} to {high}"), clause);
        }
        true
    }

    /// Reads `default 100, maximum 100`, `at most 50`, `0.1 to 10 percent`, `number, at most 18 digits`, `array`.
    pub(super) fn bounds(&mut self, noted: &NotedParameters<'a, '_>, clause: Span<'a>, texts: &[&str]) -> bool {
        let is_array = |(name, _): &(String, Span<'_>)| self.json_of(noted.id, name) == Some("array");
        let says_so = || noted.note.texts().iter().any(|word| ["array", "list"].contains(word));
        // A text with a list in it has no items, and its number is none.
        let is_text = |(name, _): &(String, Span<'_>)| self.json_of(noted.id, name) == Some("string");
        let has_items = || says_so() && !noted.names.iter().any(is_text) || noted.names.iter().any(is_array);
        if excludes_bounds(noted.note) || says_so() && !has_items() {
            return false;
        }
        let of_items = number_of_items(texts).filter(|_| has_items());
        let Some(stated) = of_items.or_else(|| stated_bounds(clause, texts)) else { return false };
        // `at most 20 herbs` bounds the items of a list.
        let is_maximum = stated.iter().any(|(kind, _)| *kind == FactKind::ParameterMax);
        let counts = is_maximum && matches!(texts, ["at", "most", _, of, ..] if !["percent", "%"].contains(of));
        let claimed = |(name, _): &(String, Span<'_>)| self.claims.has(&key(FactKind::ParameterMax, [noted.id, name]));
        if counts && !has_items() && !noted.names.iter().any(claimed) {
            return false;
        }
        for (kind, value) in stated {
            for (name, _) in noted.names {
                self.found.state(key(kind, [noted.id, name]), value.clone(), clause);
            }
        }
        true
    }

    /// Returns the type of a parameter, as far as it was read.
    fn json_of(&self, id: &str, name: &str) -> Option<&str> {
        self.found.about(&key(FactKind::Type, [id, name])).map(|statement| statement.value.as_str()).next()
    }

    /// Reads `[1, 500]` as the only interval of a note, of a number or after words such as `value range:`.
    pub(super) fn interval(&mut self, noted: &NotedParameters<'a, '_>) {
        let is_limit = noted.is_limit;
        let parts = noted.note.sentences().into_iter().flat_map(|sentence| sentence.split(&[";"]));
        let mut found = parts.filter_map(|part| Some((interval_in(part)?, part)));
        let (Some((stated, part)), 1) = (found.next(), noted.note.text.matches('[').count()) else { return };
        for (name, _) in noted.names {
            let json = self.json_of(noted.id, name);
            let is_bounded = self.claims.has(&key(FactKind::ParameterMax, [noted.id, name]));
            if json == Some("number") || (stated.is_named || is_limit || is_bounded) && json != Some("array") {
                self.found.state(key(FactKind::ParameterMin, [noted.id, name]), stated.low.clone(), part);
                self.found.state(key(FactKind::ParameterMax, [noted.id, name]), stated.high.clone(), part);
            }
        }
    }
}

/// Returns whether numbers of a note are no bounds that hold: `1 to 100 (exclusive)`, or characters: `a-z, 0-9`.
fn excludes_bounds(note: Span<'_>) -> bool {
    note.texts().iter().any(|word| {
        let is_letters = matches!(word.as_bytes(), [a, b'-', z] if a.is_ascii_alphabetic() && z.is_ascii_alphabetic());
        is_letters || ["exclusive", "exclusively", "excluded", "excluding"].contains(word)
    })
}

/// Both bounds of a value in brackets.
struct Interval {
    low: String,
    high: String,
    /// True if words before the brackets say that they hold a range.
    is_named: bool,
}

/// Words before an interval that bounds the value itself.
const OF_INTERVAL: [&str; 12] =
    ["allowed", "be", "between", "in", "is", "limit", "must", "range", "the", "valid", "value", "within"];

/// Returns the interval that a part of a note is, possibly with a default after it. `None` if other words belong to it,
/// as in `[1, 500] of a herb`.
fn interval_in(part: Span<'_>) -> Option<Interval> {
    let bare = part.text.replace('`', "").to_lowercase();
    let (before, rest) = bare.split_once('[')?;
    let (inside, after) = rest.split_once(']')?;
    let (low, high) = inside.split_once(',')?;
    let (low, high) = (decimal(low.trim())?, decimal(high.trim())?);
    let words = Span::new(before, 0).texts();
    let words = match words.as_slice() {
        ["default", n, rest @ ..] if decimal(n).is_some() => rest,
        all => all,
    };
    let is_ended = after.trim().is_empty() || after.trim_start_matches([',', ' ']).starts_with("default");
    let is_order = Number::parse(&low)? < Number::parse(&high)?;
    let is_alone = is_ended && is_order && words.iter().all(|word| OF_INTERVAL.contains(word));
    let is_named = words.iter().any(|word| ["between", "range", "within"].contains(word));
    is_alone.then_some(Interval { low, high, is_named })
}

/// Returns the words of a bound without those that name the value: `the value must be between 1 and 9`. The bounds of
/// `must be greater than 0` are not among the values, so such words stay.
fn bound_of_value<'a, 'b>(texts: &'b [&'a str]) -> &'b [&'a str] {
    let rest = match texts {
        ["the" | "its", "value", rest @ ..] | ["value", rest @ ..] => rest,
        rest => rest,
    };
    match rest {
        ["must" | "should", "be", rest @ ..] | ["has", "to", "be", rest @ ..] => match rest {
            ["between" | "from", ..] | ["at", "most" | "least", _] => rest,
            _ => texts,
        },
        ["range", rest @ ..] | ["is" | "ranges", rest @ ..] if range(rest).is_some() => rest,
        ["cannot", ..] | ["can" | "must" | "may" | "should", "not", ..] => rest,
        _ => texts,
    }
}

/// Returns what a denial allows: `cannot be less than 1 or greater than 500`, `must not exceed 20`.
fn denied(texts: &[&str]) -> Option<Vec<(FactKind, String)>> {
    let rest = match texts {
        ["cannot", rest @ ..] | ["can" | "must" | "may" | "should", "not", rest @ ..] => rest,
        _ => return None,
    };
    let side = |word: &str| match word {
        "less" | "lower" | "smaller" | "fewer" => Some(FactKind::ParameterMin),
        "greater" | "larger" | "more" | "higher" | "bigger" => Some(FactKind::ParameterMax),
        _ => None,
    };
    match rest {
        ["exceed", n] => Some(vec![(FactKind::ParameterMax, decimal(n)?)]),
        ["be", word, "than", n] => Some(vec![(side(word)?, decimal(n)?)]),
        ["be", one, "than", n, "or", other, "than", m] if side(one)? != side(other)? => {
            Some(vec![(side(one)?, decimal(n)?), (side(other)?, decimal(m)?)])
        }
        _ => None,
    }
}

/// Returns what a clause states of the number of items of a list: `fewer than 51`, `array of 1 to 50 items`. A least
/// number other than one is not understood.
fn number_of_items(texts: &[&str]) -> Option<Vec<(FactKind, String)>> {
    let (rest, is_typed) = match texts {
        ["array" | "list", "of", rest @ ..] => (rest, true),
        rest => (rest, false),
    };
    let most = match rest {
        ["fewer" | "less", "than", n] | ["fewer" | "less", "than", n, _] => number(n)?.checked_sub(1)?,
        ["at", "most", n] | ["at", "most", n, _] if is_typed => number(n)?,
        _ => {
            let (low, high, count) = range(rest)?;
            number(&high).filter(|_| low == "1" && rest.len() == count + 1)?
        }
    };
    let of_type = is_typed.then(|| (FactKind::Type, "array".to_owned()));
    Some(of_type.into_iter().chain([(FactKind::ParameterMax, most.to_string())]).collect())
}

/// Returns what each of two clauses with `and` between them states.
fn joined_bounds(clause: Span<'_>, texts: &[&str]) -> Option<Vec<(FactKind, String)>> {
    let and = texts.iter().position(|word| *word == "and").filter(|_| texts.first() != Some(&"between"))?;
    let (first, second) = (stated_bounds(clause, &texts[..and])?, stated_bounds(clause, &texts[and + 1..])?);
    Some(first.into_iter().chain(second).collect())
}

/// Returns what a clause states of the values of a parameter; `None` if it is about something else.
fn stated_bounds(clause: Span<'_>, texts: &[&str]) -> Option<Vec<(FactKind, String)>> {
    let texts = match texts {
        ["the", rest @ ..] if ["default", "maximum", "minimum"].contains(rest.first()?) => rest,
        texts => bound_of_value(texts),
    };
    if let Some(bounds) = denied(texts).or_else(|| joined_bounds(clause, texts)) {
        return Some(bounds);
    }
    if let Some((low, high, count)) = range(texts) {
        // `1 to 32 characters` does not limit the value.
        let limits_value = matches!(texts.get(count..), Some([] | ["percent" | "%", ..]));
        let high = high.trim_end_matches('%').to_owned();
        return limits_value.then(|| vec![(FactKind::ParameterMin, low), (FactKind::ParameterMax, high)]);
    }
    let number_of = |kind: FactKind, word: &str| decimal(word).map(|n| (kind, n));
    let one = match texts {
        ["default", "and", "maximum", both] => {
            let kinds = [FactKind::ParameterDefault, FactKind::ParameterMax];
            return Some(kinds.into_iter().filter_map(|kind| number_of(kind, both)).collect());
        }
        ["default" | "defaults", n] | ["default", "is" | "value", n] | ["defaults", "to", n] | [n, "by", "default"] => {
            number_of(FactKind::ParameterDefault, n)
        }
        ["maximum" | "max", n] | ["maximum" | "max", "is" | "value", n] => number_of(FactKind::ParameterMax, n),
        ["minimum" | "min", n] | ["minimum" | "min", "is" | "value", n] | ["at", "least", n] => {
            number_of(FactKind::ParameterMin, n)
        }
        ["at", "most", n, "digits"] => number(n).map(|n| (FactKind::Digits, n.to_string())),
        ["at", "most", _, of, ..] if OF_TEXT.contains(of) => None,
        ["at", "most", n, ..] if duration(clause).is_none() => number_of(FactKind::ParameterMax, n),
        ["array", ..] => Some((FactKind::Type, "array".to_owned())),
        // `long` is also a position.
        [word] if !["long", "list"].contains(word) => type_of_word(word).map(|json| (FactKind::Type, json.to_owned())),
        _ => None,
    };
    one.map(|one| vec![one])
}
