//! Numbers, rates and lengths of time in the notations of documents.

use super::text::Span;
use crate::compiler::model::{Day, Duration, Times};
use crate::compiler::words::TimestampForm;

const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// Words for larger round numbers, with their values.
const ROUND_NUMBERS: [(&str, u64); 9] = [
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1000),
];

/// Returns the number that a word denotes, in digits or as a word.
pub(super) fn number(word: &str) -> Option<u64> {
    word.parse().ok().or_else(|| {
        let word = word.to_ascii_lowercase();
        let small = NUMBERS.iter().position(|known| *known == word).and_then(|n| u64::try_from(n).ok());
        small.or_else(|| ROUND_NUMBERS.iter().find(|(known, _)| *known == word).map(|(_, n)| *n))
    })
}

/// Returns a number with or without decimals, in digits or as a word.
pub(super) fn decimal(word: &str) -> Option<String> {
    let is_decimal = word.starts_with(|c: char| c.is_ascii_digit())
        && word.ends_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || c == '.')
        && word.matches('.').count() <= 1;
    if is_decimal { Some(word.to_owned()) } else { number(word).map(|number| number.to_string()) }
}

/// Returns a range at the start of words, such as `0.1 to 10`, `0.1-10` or `between 0.1 and 10`: both bounds, and the
/// number of words.
pub(super) fn range(words: &[&str]) -> Option<(String, String, usize)> {
    let (low, high, count) = match words {
        ["between", low, "and", high, ..] => (*low, *high, 4),
        ["from", low, "to", high, ..] => (*low, *high, 4),
        [low, "to", high, ..] => (*low, *high, 3),
        [both, ..] => {
            let (low, high) = ["..", "-", "~"].iter().find_map(|mark| both.split_once(mark))?;
            // `one-ten` is a word, and `2-hour` is a length of time.
            return Some((figures(low)?, figures(high)?, 1));
        }
        [] => return None,
    };
    Some((decimal(low)?, decimal(high)?, count))
}

fn figures(text: &str) -> Option<String> {
    decimal(text).filter(|_| text.starts_with(|c: char| c.is_ascii_digit()))
}

/// A number of calls in a length of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) calls: u64,
    pub(super) every: Duration,
    /// `UID`, `IP`, or another unit that calls are counted by; `None` if the text does not state it.
    pub(super) scope: Option<String>,
}

/// Units that calls are counted by.
const SCOPES: [&str; 4] = ["UID", "IP", "user", "key"];

/// Returns a rate at the start of words, and their number: `10/s/UID`, `20/2s`, `10 times/1s (UID)`, `10 per second per
/// user`, `600 requests per minute`.
pub(super) fn rate(words: &[&str]) -> Option<(Rate, usize)> {
    let first = *words.first()?;
    let parts: Vec<&str> = first.split('/').collect();
    let (calls, every, scope, mut count) = match (parts.as_slice(), words) {
        ([calls, unit], _) => (*calls, period(unit)?, None, 1),
        ([calls, unit, scope], _) => (*calls, period(unit)?, Some(*scope), 1),
        (_, [calls, of, ..]) if of.split_once('/').is_some_and(|(of, _)| is_call(of)) => {
            (*calls, period(of.split_once('/')?.1)?, None, 2)
        }
        (_, [calls, of, "per" | "a" | "each" | "every" | "in", rest @ ..]) if is_call(of) => {
            let (every, count) = periods(rest)?;
            (*calls, every, None, 3 + count)
        }
        (_, [calls, "per" | "every", rest @ ..]) => {
            let (every, count) = periods(rest)?;
            (*calls, every, None, 2 + count)
        }
        _ => return None,
    };
    let calls = number(calls)?;
    let scope = match (scope, words.get(count..)) {
        (Some(scope), _) => Some(scope),
        (None, Some(["per", "user", "ID", ..])) => {
            count += 3;
            Some("user")
        }
        (None, Some(["per", scope, ..])) => {
            count += 2;
            Some(*scope)
        }
        (None, Some(["(", scope, ")", ..])) if SCOPES.contains(scope) => {
            count += 3;
            Some(*scope)
        }
        (None, Some([scope, ..])) if SCOPES.contains(scope) => {
            count += 1;
            Some(*scope)
        }
        _ => None,
    };
    let scope = scope.map(|scope| if scope == "user" { "UID" } else { scope }.to_owned());
    Some((Rate { calls, every, scope }, count))
}

fn is_call(word: &str) -> bool {
    matches!(word, "request" | "requests" | "req" | "reqs" | "call" | "calls" | "time" | "times")
}

/// Returns the window of a rate: `s`, `2s`, `minute`.
fn period(text: &str) -> Option<Duration> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let n = &text[..text.len() - unit.len()];
    // No rate counts calls by the month, so `m` is a minute.
    length(if n.is_empty() { "1" } else { n }, if unit == "m" { "min" } else { unit })
}

/// Returns a length of time such as `second` or `2 seconds` at the start of words, and their number.
fn periods(words: &[&str]) -> Option<(Duration, usize)> {
    let one = period(words.first()?).map(|period| (period, 1));
    one.or_else(|| length_of_time(words))
}

/// Returns the name that documents use for the unit of times.
pub(super) fn unit_of_times(times: Times) -> &'static str {
    match times {
        Times::Milliseconds => "ms",
        Times::Seconds => "seconds",
        Times::Microseconds => "microseconds",
        Times::Nanoseconds => "nanoseconds",
        Times::Iso8601 => "ISO 8601",
    }
}

/// Returns the unit of the timestamps of requests, in the same notation.
pub(super) fn unit_of_timestamps(form: TimestampForm) -> &'static str {
    unit_of_times(match form {
        TimestampForm::Seconds => Times::Seconds,
        TimestampForm::Milliseconds => Times::Milliseconds,
        TimestampForm::Microseconds => Times::Microseconds,
        TimestampForm::Nanoseconds => Times::Nanoseconds,
        TimestampForm::Iso8601 | TimestampForm::Iso8601Seconds => Times::Iso8601,
    })
}

/// Returns the unit of times that a word names, in the notation of [`unit_of_times`].
pub(super) fn unit_of_word(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "ms" | "millisecond" | "milliseconds" | "millis" => unit_of_times(Times::Milliseconds),
        "s" | "sec" | "second" | "seconds" => unit_of_times(Times::Seconds),
        "us" | "microsecond" | "microseconds" => unit_of_times(Times::Microseconds),
        "ns" | "nanosecond" | "nanoseconds" => unit_of_times(Times::Nanoseconds),
        _ => return None,
    })
}

/// Returns the unit of a time in a text, such as `Unix ms` or `Unix timestamp in seconds`, in the notation of
/// [`unit_of_times`].
pub(super) fn time_unit<'a>(text: Span<'a>) -> Option<(&'static str, Span<'a>)> {
    let words = text.words();
    let is_a_time = |word: &Span<'_>| matches!(word.text.to_ascii_lowercase().as_str(), "unix" | "timestamp" | "epoch");
    let behind = |at: usize| {
        let mut near = words[at + 1..].iter().take(3);
        let word = near.find(|word| !matches!(word.text, "time" | "timestamp" | "in"))?;
        Some((unit_of_word(word.text)?, *word))
    };
    let times = words.iter().enumerate().filter(|(_, word)| is_a_time(word));
    if let Some(found) = times.map(|(at, _)| at).find_map(behind) {
        return Some(found);
    }
    let is_iso = |pair: &&[Span<'_>]| pair[0].text == "ISO" && pair[1].text.starts_with("8601");
    words.windows(2).find(is_iso).map(|pair| (unit_of_times(Times::Iso8601), pair[0]))
}

/// Returns the base word of a unit of time, given as a plural or an abbreviation.
fn unit_of_time(word: &str) -> Option<&str> {
    Some(match word {
        "s" | "sec" | "secs" => "second",
        "min" | "mins" => "minute",
        "h" | "hr" | "hrs" => "hour",
        word => word.strip_suffix('s').unwrap_or(word),
    })
}

/// Returns the first length of time in a text, such as `three months`, `90-day` or `the previous day`.
pub(super) fn duration<'a>(text: Span<'a>) -> Option<(Duration, Span<'a>)> {
    let words = text.words();
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    (0..words.len()).find_map(|at| {
        let found = product(text, &words, at).or_else(|| length_of_time(&texts[at..]).map(|(duration, _)| duration));
        let one = || match texts[at..] {
            ["previous" | "last", unit, ..] => length("1", unit),
            _ => None,
        };
        found.or_else(one).map(|duration| (duration, words[at]))
    })
}

/// Returns a length of time whose number is a product, at its second factor: `7*24 hours`.
fn product(text: Span<'_>, words: &[Span<'_>], at: usize) -> Option<Duration> {
    let (one, other, unit) = (words.get(at.checked_sub(1)?)?, words.get(at)?, words.get(at + 1)?);
    let is_product = ["*", "×", "x"].contains(&text.after(one.at + one.text.len()).before(other.at).trim().text);
    let product = number(one.text)?.checked_mul(number(other.text)?).filter(|_| is_product)?;
    length(&product.to_string(), unit.text)
}

/// Returns a length of time at the start of words, and their number: `three months`, `a week`, `90-day`.
pub(super) fn length_of_time(words: &[&str]) -> Option<(Duration, usize)> {
    match words {
        // `a second order` is not a length of time.
        ["a", "second", ..] => None,
        ["a" | "an", unit, ..] if !unit.ends_with('s') => length("1", unit).map(|length| (length, 2)),
        [word, ..] if word.contains('-') => {
            let (n, unit) = word.split_once('-')?;
            length(n, unit).map(|length| (length, 1))
        }
        [n, unit, ..] => length(n, unit).map(|length| (length, 2)),
        _ => None,
    }
}

fn length(n: &str, unit: &str) -> Option<Duration> {
    let n = number(n)?;
    match unit_of_time(unit)? {
        "year" => Duration::parse(&format!("{} months", n.checked_mul(12)?)),
        unit => Duration::parse(&format!("{n} {unit}")),
    }
}

/// The names of months, which may be cut off after the third letter.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns the first day in a text, as `2026-08-18`, `2026/8/18`, `20260818`, `August 18, 2026`, `18 Aug 2026` or
/// `2026年8月18日`, with its place.
pub(super) fn date_in(text: Span<'_>) -> Option<(Day, Span<'_>)> {
    let ends = |c: char| !c.is_alphanumeric() || "年月日년월일".contains(c);
    let mut parts: Vec<(usize, &str)> = Vec::new();
    let mut start = None;
    for (at, c) in text.text.char_indices().chain([(text.text.len(), ' ')]) {
        match (start, ends(c)) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                parts.push((from, text.text.get(from..at).unwrap_or_default()));
                start = None;
            }
            _ => {}
        }
    }
    // `9th of November 2026`
    parts.retain(|(_, part)| *part != "of");
    let at = |first: usize, end: usize| text.after(text.at + first).before(text.at + end);
    (0..parts.len()).find_map(|nth| {
        let (first, one) = parts[nth];
        if let Some(day) = digits_of_day(one) {
            return Some((day, at(first, first + one.len())));
        }
        let [(_, two), (last, three)] = *parts.get(nth + 1..nth + 3)? else { return None };
        let (year, month, day) = match (month_of(one), month_of(two)) {
            (Some(month), _) => (three, month, two),
            (None, Some(month)) if one.len() == 4 => (one, month, three),
            (None, Some(month)) => (three, month, one),
            (None, None) if three.len() == 4 => in_order(one, two).map(|(month, day)| (three, month, day))?,
            (None, None) => (one, two.parse().ok()?, three),
        };
        // A time may follow it.
        let day = day.split('T').next().unwrap_or(day);
        let day: u32 = day.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse().ok()?;
        let found = Day::parse(&format!("{year}-{month:02}-{day:02}"))?;
        // The sign for the day belongs to it.
        let end = last + three.len();
        let sign = text.text[end..].chars().next().filter(|c| "日일".contains(*c)).map_or(0, char::len_utf8);
        Some((found, at(first, end + sign)))
    })
}

/// Returns the day that eight digits of this century stand for: `20260818`.
fn digits_of_day(word: &str) -> Option<Day> {
    let is_day = word.len() == 8 && word.starts_with("20") && word.bytes().all(|byte| byte.is_ascii_digit());
    is_day.then(|| Day::parse(&format!("{}-{}-{}", &word[..4], &word[4..6], &word[6..])))?
}

/// Returns the month and the day of `13/11` or `11/13`, of which one can only be a day.
fn in_order<'a>(one: &'a str, other: &'a str) -> Option<(usize, &'a str)> {
    let is_day = |part: &str| part.parse::<usize>().is_ok_and(|n| n > MONTHS.len());
    match (is_day(one), is_day(other)) {
        (true, false) => Some((other.parse().ok()?, one)),
        (false, true) => Some((one.parse().ok()?, other)),
        _ => None,
    }
}

fn month_of(word: &str) -> Option<usize> {
    let word = word.to_ascii_lowercase();
    let found = MONTHS.iter().position(|month| word.len() >= 3 && month.starts_with(&word))?;
    Some(found + 1)
}
