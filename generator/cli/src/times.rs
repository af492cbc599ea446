//! Times of requests as people state them, and the ranges of which they are the ends.
//!
//! A date is a whole day in UTC: its first millisecond where a range begins, and its last where one ends.

use std::time::Duration;

use tradeapi_runtime::json::Json;
use tradeapi_runtime::parameters::described::MILLIS;
use tradeapi_runtime::tables::Window;
use tradeapi_runtime::value::days;
use tradeapi_runtime::{Date, IsoTime, Timestamp};

use crate::command::Command;
use crate::parameter::{Kind, Parameter};

/// No exchange has records that are older: the beginning of 2000.
const EARLIEST: Timestamp = Timestamp::from_millis(946_684_800_000);
/// A range may end this much after now, as one that ends with the year.
const LATEST: Duration = days(366);
/// A range may begin this much after now, in case a clock is wrong.
const LATEST_START: Duration = days(1);

const MILLISECOND: Duration = Duration::from_millis(1);

/// The forms that the ends of ranges may have, for help and errors.
const FORMS: &str = "milliseconds since 1970, a date such as 2026-09-21, or a time in ISO 8601";

/// The place of a time in the range of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RangeEnd {
    From,
    To,
}

impl RangeEnd {
    /// Returns the end of a range that a parameter is.
    fn of(name: &str, window: Option<Window>) -> Option<Self> {
        let window = window?;
        match name {
            _ if name == window.from => Some(Self::From),
            _ if name == window.to => Some(Self::To),
            _ => None,
        }
    }
}

/// Describes the forms in which a parameter takes times; empty if it takes none.
pub(crate) fn help(parameter: &Parameter, window: Option<Window>) -> String {
    let Kind::Text(MILLIS) = parameter.kind else { return String::new() };
    let date = match RangeEnd::of(parameter.name, window) {
        Some(RangeEnd::To) => "A date is that whole day in UTC.",
        _ => "A date is the beginning of that day in UTC.",
    };
    format!("M{}. {date}", &FORMS[1..])
}

/// Replaces dates and times in ISO 8601 by milliseconds.
///
/// # Errors
///
/// Fails, with all mistakes, if a text is no time, or if the end of a range cannot be what is meant: a time in seconds or
/// microseconds, or one that is years away.
pub(crate) fn in_millis(command: &Command, members: &mut [(String, Json)], now: Timestamp) -> Result<(), String> {
    let parameters = (command.parameters)();
    let mut mistakes = Vec::new();
    for (name, value) in members {
        let is_time = |one: &&Parameter| one.name == name && matches!(one.kind, Kind::Text(MILLIS));
        if !parameters.iter().any(|one| is_time(&one)) {
            continue;
        }
        let end = RangeEnd::of(name, command.meta.window);
        let text = value.read::<String>().unwrap_or_else(|_| value.as_str().to_owned());
        if let Some(time) = time_of(&text, end)
            && let Ok(millis) = Json::new(&time.as_millis().to_string())
        {
            *value = millis;
        }
        let time = value.read::<String>().unwrap_or_else(|_| value.as_str().to_owned()).parse();
        let why = match (end, time) {
            (Some(end), Ok(millis)) => mistake(end, Timestamp::from_millis(millis), now),
            (None, Ok(_)) => None,
            // What is no text is for the reader of the request, and so is an empty one.
            (_, Err(_)) if text.trim().is_empty() || !value.as_str().starts_with('"') => None,
            (_, Err(_)) => Some(format!("this is no time. Expected {FORMS}.")),
        };
        mistakes.extend(why.map(|why| format!("{name} {text}: {why}")));
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes.join("\n")) }
}

/// Returns the time that a date or a time in ISO 8601 stands for.
fn time_of(text: &str, end: Option<RangeEnd>) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<IsoTime>() {
        return Some(time.timestamp());
    }
    let midnight = text.parse::<Date>().ok()?.midnight()?;
    match end {
        Some(RangeEnd::To) => Some(midnight + days(1) - MILLISECOND),
        Some(RangeEnd::From) | None => Some(midnight),
    }
}

/// Returns why a time cannot be the end of a range, if so.
fn mistake(end: RangeEnd, time: Timestamp, now: Timestamp) -> Option<String> {
    let latest = now + LATEST;
    let is_plausible = |time: &Timestamp| (EARLIEST..=latest).contains(time);
    if !is_plausible(&time) {
        let millis = time.as_millis();
        let units = [
            (millis.checked_mul(1000), "seconds"),
            (Some(millis / 1000), "microseconds"),
            (Some(millis / 1_000_000), "nanoseconds"),
        ];
        let meant = units.into_iter().find_map(|(millis, unit)| {
            let time = Timestamp::from_millis(millis?);
            is_plausible(&time).then(|| format!(" In {unit}, it would be {time}."))
        });
        let meant = meant.unwrap_or_default();
        return Some(format!(
            "as milliseconds since 1970, this is {}, years away.{meant} Expected {FORMS}.",
            shown(time)
        ));
    }
    let is_future = end == RangeEnd::From && time > now + LATEST_START;
    is_future.then(|| format!("a range cannot begin in the future, at {time}"))
}

/// Returns a time, or the year of one that is too far away to be written as a date.
fn shown(time: Timestamp) -> String {
    const YEAR: u64 = 31_556_952_000;
    match time.as_millis() / YEAR {
        years @ 8000.. => format!("in the year {}", 1970 + years),
        _ => time.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::RangeEnd::{From, To};
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_824_000_000); // 2026-11-28

    #[test]
    fn a_date_is_a_whole_day_in_utc() {
        let time = |text, end| time_of(text, end).map(|time| time.to_string());
        assert_eq!(time("2026-11-28", Some(From)).as_deref(), Some("2026-11-28T00:00:00.000Z"));
        assert_eq!(time("2026-11-28", Some(To)).as_deref(), Some("2026-11-28T23:59:59.999Z"));
        assert_eq!(time("2024-02-29", Some(To)).as_deref(), Some("2024-02-29T23:59:59.999Z"));
        assert_eq!(time("2026-11-28", None).as_deref(), Some("2026-11-28T00:00:00.000Z"));
        assert_eq!(time("2026-11-28T10:30:00+02:00", Some(To)).as_deref(), Some("2026-11-28T08:30:00.000Z"));
        assert_eq!(time("2026-02-29", Some(To)), None);
    }

    #[test]
    fn other_units_and_distant_times_are_refused() {
        for (millis, said) in [
            (1_795_824_000, Some("In seconds, it would be 2026-11-28T00:00:00.000Z")),
            (1_795_824_000_000_000, Some("In microseconds, it would be 2026-11-28T00:00:00.000Z")),
            (1_795_824_000_000_000_000, Some("In nanoseconds, it would be 2026-11-28T00:00:00.000Z")),
            (0, Some("this is 1970-01-01T00:00:00.000Z, years away. Expected milliseconds since 1970")),
            (4_102_444_800_000, Some("this is 2100-01-01T00:00:00.000Z, years away")),
            (u64::MAX, Some("in the year 58")),
            (1_577_836_800_000, None),
            (1_795_824_000_000, None),
        ] {
            for end in [From, To] {
                let why = mistake(end, Timestamp::from_millis(millis), NOW);
                assert_eq!(why.is_some(), said.is_some(), "{millis}: {why:?}");
                assert!(why.unwrap_or_default().contains(said.unwrap_or_default()), "{millis}");
            }
        }
        let later = NOW + days(30);
        assert_eq!(mistake(To, later, NOW), None, "a range may end later this month");
        assert!(mistake(From, later, NOW).is_some_and(|why| why.contains("future")));
    }
}
