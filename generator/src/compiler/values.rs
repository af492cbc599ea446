//! Values of keys that the schema writes as texts of a form of their own: lengths of time as the documents state them,
//! offsets from UTC, and days.

use std::fmt;

use tradeapi_words::calendar;

use crate::compiler::diagnostics::Place;

/// A number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    pub(crate) n: u32,
    pub(crate) unit: DurationUnit,
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The shortest month, in milliseconds.
const SHORTEST_MONTH: u64 = 28 * 24 * 60 * 60 * 1000;

impl Duration {
    /// The window of most rates.
    pub(crate) const SECOND: Self = Self { n: 1, unit: DurationUnit::Second };

    /// Returns the length in milliseconds; `None` for months, which have no fixed length.
    pub(crate) fn milliseconds(self) -> Option<u64> {
        Some(u64::from(self.n) * self.unit.milliseconds()?)
    }

    /// Returns the time this long after a time, in Unix milliseconds; before it if `sign` is -1. A month leads to the
    /// same day of another month, or to its last day if that month is shorter.
    pub(crate) fn shift(self, time: i64, sign: i64) -> i64 {
        let n = i64::from(self.n) * sign;
        match self.unit.milliseconds() {
            Some(length) => time + n * length.cast_signed(),
            None => calendar::shift_months(time.div_euclid(DAY_MS), n) * DAY_MS + time.rem_euclid(DAY_MS),
        }
    }

    /// Returns whether both have the same length, like a week and 7 days.
    pub(crate) fn is_as_long_as(self, other: Self) -> bool {
        match (self.milliseconds(), other.milliseconds()) {
            (Some(one), Some(other)) => one == other,
            _ => self == other,
        }
    }

    /// Returns the length as a text that is the same for `1 week` and `7 days`.
    pub(crate) fn length(self) -> String {
        self.milliseconds().map_or_else(|| format!("{} months", self.n), |length| format!("{length} ms"))
    }

    /// Returns the shortest possible length in milliseconds: a month has at least 28 days.
    pub(crate) fn at_least_milliseconds(self) -> u64 {
        u64::from(self.n) * self.unit.milliseconds().unwrap_or(SHORTEST_MONTH)
    }
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DurationUnit {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
}

impl DurationUnit {
    const ALL: [(Self, &str); 7] = [
        (Self::Millisecond, "millisecond"),
        (Self::Second, "second"),
        (Self::Minute, "minute"),
        (Self::Hour, "hour"),
        (Self::Day, "day"),
        (Self::Week, "week"),
        (Self::Month, "month"),
    ];

    /// Returns the length in milliseconds; `None` for a month, which has no fixed length.
    fn milliseconds(self) -> Option<u64> {
        match self {
            Self::Millisecond => Some(1),
            Self::Second => Some(1000),
            Self::Minute => Some(60 * 1000),
            Self::Hour => Some(60 * 60 * 1000),
            Self::Day => Some(24 * 60 * 60 * 1000),
            Self::Week => Some(7 * 24 * 60 * 60 * 1000),
            Self::Month => None,
        }
    }

    fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(unit, _)| *unit == self).map_or("", |(_, name)| name)
    }
}

impl Duration {
    /// The form of its text, for editors.
    pub(crate) const PATTERN: &'static str = "^[1-9][0-9]* (millisecond|second|minute|hour|day|week|month)s?$";

    /// Reads `30 days`, `1 week`, `3 months`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (n, unit) = text.split_once(' ')?;
        let n: u32 = n.parse().ok().filter(|value| (1..=100_000).contains(value) && !n.starts_with(['0', '+']))?;
        let name = unit.strip_suffix('s').unwrap_or(unit);
        let (unit, _) = DurationUnit::ALL.into_iter().find(|(_, known)| *known == name)?;
        Some(Self { n, unit })
    }
}

/// The units of windows in descending order, with their lengths in milliseconds.
const SHORT: [(&str, u32); 5] = [("d", A_DAY), ("h", 60 * 60 * 1000), ("m", 60 * 1000), ("s", 1000), ("ms", 1)];

/// The longest window, in milliseconds.
const A_DAY: u32 = 24 * 60 * 60 * 1000;

/// Windows of rates, as the schema writes them after the slash: `s` for a second, otherwise `500ms`, `10s`, `1m`, `2h`,
/// `1d`.
impl Duration {
    /// Reads a window of at most a day.
    pub(crate) fn parse_window(text: &str) -> Option<Self> {
        if text == "s" {
            return Some(Self::SECOND);
        }
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let n: u32 = digits.parse().ok().filter(|n| *n > 0 && !digits.starts_with('0'))?;
        let (_, length) = SHORT.into_iter().find(|(unit, _)| *unit == &text[digits.len()..])?;
        let n = n.checked_mul(length).filter(|n| (1..=A_DAY).contains(n))?;
        Some(match n % 1000 {
            0 => Self { n: n / 1000, unit: DurationUnit::Second },
            _ => Self { n, unit: DurationUnit::Millisecond },
        })
    }

    /// Writes a window in the longest unit that fits. A length in months is not a window and stays as it is.
    pub(crate) fn window(self) -> String {
        let Some(millis) = self.milliseconds() else { return self.to_string() };
        let fits = |(_, unit): &&(&str, u32)| millis % u64::from(*unit) == 0;
        match SHORT.iter().find(fits) {
            Some((unit, 1000)) if millis == 1000 => (*unit).to_owned(),
            Some((unit, length)) => format!("{}{unit}", millis / u64::from(*length)),
            None => self.to_string(),
        }
    }

    /// Writes a window in words, to follow a number of calls: `a second`, `in 1 minute`.
    pub(crate) fn window_in_words(self) -> String {
        let Some(millis) = self.milliseconds().filter(|millis| *millis != 1000) else {
            return "a second".to_owned();
        };
        let units = [
            DurationUnit::Day,
            DurationUnit::Hour,
            DurationUnit::Minute,
            DurationUnit::Second,
            DurationUnit::Millisecond,
        ];
        let fitting = units.into_iter().find_map(|unit| {
            let length = unit.milliseconds().filter(|length| millis % length == 0)?;
            Some(Self { n: u32::try_from(millis / length).ok()?, unit })
        });
        format!("in {}", fitting.unwrap_or(self))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.n, self.unit.as_str(), if self.n == 1 { "" } else { "s" })
    }
}

/// The greatest offset on Earth.
const MAX_MINUTES: i32 = 14 * 60;

/// A fixed offset, as in `UTC+8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UtcOffset {
    pub(crate) minutes: i32,
}

impl UtcOffset {
    /// The form of its text, for editors.
    pub(crate) const PATTERN: &'static str = "^UTC([+-][0-9]{1,2}(:[0-5][0-9])?)?$";

    /// Reads `UTC`, `UTC+8` or `UTC-3:30`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("UTC")?;
        if text.is_empty() {
            return Some(Self { minutes: 0 });
        }
        let (sign, length) = match text.split_at_checked(1)? {
            ("+", length) => (1, length),
            ("-", length) => (-1, length),
            _ => return None,
        };
        let (hours, minutes) = length.split_once(':').unwrap_or((length, "00"));
        let number = |digits: &str, most: usize| {
            let is_number = (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<i32>().ok()).flatten()
        };
        let minutes = number(minutes, 2).filter(|value| minutes.len() == 2 && *value < 60)?;
        let minutes = number(hours, 2)? * 60 + minutes;
        (1..=MAX_MINUTES).contains(&minutes).then_some(Self { minutes: sign * minutes })
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes) = (self.minutes.abs() / 60, self.minutes.abs() % 60);
        match (self.minutes.signum(), minutes) {
            (0, _) => f.write_str("UTC"),
            (sign, 0) => write!(f, "UTC{}{hours}", if sign > 0 { '+' } else { '-' }),
            (sign, _) => write!(f, "UTC{}{hours}:{minutes:02}", if sign > 0 { '+' } else { '-' }),
        }
    }
}

/// A day of the calendar, as in `2026-09-17`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(i64);

impl Day {
    /// The form of its text, for editors.
    pub(crate) const PATTERN: &'static str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";

    /// Reads a day that is in the calendar.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let has_form = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
        let parts: Vec<i64> = text.split('-').filter_map(|part| part.parse::<u16>().ok()).map(i64::from).collect();
        let [year, month, day] = *parts.as_slice() else { return None };
        calendar::Date { year, month, day }.day().filter(|_| has_form).map(Self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calendar::Date { year, month, day } = calendar::Date::of(self.0);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// The days of a change after which the exchange knows something, and after which it no longer does; each with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dates {
    pub(crate) from: Option<(Day, Place)>,
    pub(crate) until: Option<(Day, Place)>,
    /// Who states the days, where those who have seen the fact do not.
    pub(crate) by: Vec<(String, Place)>,
}

impl Dates {
    /// Returns whether nothing dates the fact.
    pub(crate) fn are_open(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }

    /// Returns whether the fact ends on the day on which another begins.
    pub(crate) fn are_followed_by(&self, other: &Self) -> bool {
        self.until.is_some_and(|(until, _)| other.from.is_some_and(|(from, _)| until == from))
    }
}

/// `from 2026-08-18`, `until 2026-09-17` or both; empty for a fact without dates.
impl fmt::Display for Dates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = [("from", self.from), ("until", self.until)];
        let ends = ends.into_iter().filter_map(|(word, end)| end.map(|(day, _)| format!("{word} {day}")));
        f.write_str(&ends.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_rates_are_read_and_written_in_one_way() {
        let ways = [
            ("500ms", "500ms"),
            ("2000ms", "2s"),
            ("1000ms", "s"),
            ("s", "s"),
            ("10s", "10s"),
            ("1m", "1m"),
            ("60s", "1m"),
            ("90s", "90s"),
            ("24h", "1d"),
            ("1d", "1d"),
        ];
        for (read, written) in ways {
            assert_eq!(Duration::parse_window(read).map(Duration::window).as_deref(), Some(written), "{read}");
        }
        for wrong in ["", "0s", "0m", "01m", "m", "-1m", "1 m", "1min", "1w", "25h", "99999999999d"] {
            assert_eq!(Duration::parse_window(wrong), None, "{wrong}");
        }
        assert_eq!(Duration::SECOND.window_in_words(), "a second");
        assert_eq!(
            Duration::parse_window("500ms").map(Duration::window_in_words).as_deref(),
            Some("in 500 milliseconds")
        );
        assert_eq!(Duration::parse("60 seconds").map(Duration::window_in_words).as_deref(), Some("in 1 minute"));
    }

    #[test]
    fn offsets_are_read_and_written() {
        for (text, minutes) in [("UTC", 0), ("UTC+8", 480), ("UTC-3:30", -210), ("UTC+14", 840)] {
            assert_eq!(UtcOffset::parse(text), Some(UtcOffset { minutes }), "{text}");
            assert_eq!(UtcOffset { minutes }.to_string(), text);
        }
        for text in ["", "utc", "+8", "UTC8", "UTC+", "UTC+15", "UTC+8:", "UTC+8:60", "UTC+8:5", "UTC+-8", "UTC+0"] {
            assert_eq!(UtcOffset::parse(text), None, "{text}");
        }
    }
}
