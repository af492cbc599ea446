//! Days of the calendar, without a time, and facts that hold from or until a day.

use std::fmt;
use std::str::FromStr;

use tradeapi_words::calendar;

use super::scalar::{Scalar, Scratch, pad_args};
use super::timestamp::Timestamp;

const MILLIS_PER_DAY: u64 = 86_400_000;

/// A day of the calendar from the year 0 to 9999, as `2026-09-21` in ISO 8601. It has no time zone.
///
/// ```
/// use tradeapi_runtime::{Date, Timestamp};
///
/// let day: Date = "2026-09-21".parse()?;
/// assert_eq!((day.year(), day.month(), day.day()), (2026, 9, 21));
/// assert_eq!(Date::new(2026, 9, 21), Some(day));
/// assert_eq!(Date::of(Timestamp::from_millis(1_790_000_000_000)), day);
/// assert!("2026-02-29".parse::<Date>().is_err());
/// # Ok::<(), tradeapi_runtime::value::InvalidDate>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Returns the date of a year from 0 to 9999, a month from 1 to 12 and a day from 1; `None` if there is no such
    /// day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let date = calendar::Date { year: year.into(), month: month.into(), day: day.into() };
        date.day().filter(|_| year < 10_000).map(|_| Self { year, month, day })
    }

    /// Returns the day in UTC of a time up to the year 9999; of a later one, the last day of that year.
    pub fn of(time: Timestamp) -> Self {
        let days = i64::try_from(time.as_millis() / MILLIS_PER_DAY).unwrap_or(i64::MAX / 2);
        let calendar::Date { year, month, day } = calendar::Date::of(days.min(LAST_DAY));
        let part = |part: i64| u8::try_from(part).unwrap_or(1);
        Self { year: u16::try_from(year).unwrap_or(9999), month: part(month), day: part(day) }
    }

    /// Returns the year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// Returns the month, from 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Returns the day of the month, from 1 to 31.
    pub const fn day(self) -> u8 {
        self.day
    }

    /// Returns the midnight in UTC; `None` before 1970.
    pub fn midnight(self) -> Option<Timestamp> {
        let date = calendar::Date { year: self.year.into(), month: self.month.into(), day: self.day.into() };
        let days = u64::try_from(date.day()?).ok()?;
        Some(Timestamp::from_millis(days * MILLIS_PER_DAY))
    }
}

/// The last day of the year 9999.
const LAST_DAY: i64 = 2_932_896;

/// The reason why a text is not a date.
#[derive(Clone, PartialEq, Eq)]
pub struct InvalidDate(String);

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a date such as 2026-09-21", self.0)
    }
}

debug_as_sentence!(InvalidDate);

impl std::error::Error for InvalidDate {}

impl FromStr for Date {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let part = |part: Option<&str>, length: usize| {
            part.filter(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))?
                .parse::<u16>()
                .ok()
        };
        let mut parts = text.split('-');
        let (year, month, day) = (part(parts.next(), 4), part(parts.next(), 2), part(parts.next(), 2));
        let small = |part: Option<u16>| part.and_then(|part| u8::try_from(part).ok());
        let date = year.zip(small(month)).zip(small(day)).filter(|_| parts.next().is_none());
        let date = date.and_then(|((year, month), day)| Self::new(year, month, day));
        date.ok_or_else(|| InvalidDate(text.to_owned()))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad_args(f, format_args!("{:04}-{:02}-{:02}", self.year, self.month, self.day))
    }
}

impl Scalar for Date {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.keep(self.to_string())
    }

    fn is_plain(&self) -> bool {
        true
    }
}

/// The days on which the exchange begins and ends to know something, such as a value or a class of rates.
///
/// An announcement names a day, in a time zone that it may not state, and the change comes at some hour of that day. So
/// both states are possible from a day before it to a day after it.
///
/// ```
/// use tradeapi_runtime::Timestamp;
/// use tradeapi_runtime::value::{Dates, ExchangeTime};
///
/// let dates = Dates::OPEN.from("2026-08-18");
/// let hold = |millis| dates.hold(ExchangeTime::exactly(Timestamp::from_millis(millis)));
/// assert_eq!(hold(1_786_000_000_000), Some(false)); // 2026-08-06
/// assert_eq!(hold(1_787_000_000_000), None); // 2026-08-17
/// assert_eq!(hold(1_790_000_000_000), Some(true)); // 2026-09-21
/// assert_eq!(dates.hold(ExchangeTime::UNKNOWN), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dates {
    from: &'static str,
    until: &'static str,
}

impl Dates {
    /// Without a beginning and an end.
    pub const OPEN: Self = Self { from: "", until: "" };

    /// Returns the same, from a day such as `2026-08-18` on. An empty text is no day.
    #[must_use]
    pub const fn from(self, day: &'static str) -> Self {
        Self { from: day, ..self }
    }

    /// Returns the same, until a day such as `2026-09-17`. An empty text is no day.
    #[must_use]
    pub const fn until(self, day: &'static str) -> Self {
        Self { until: day, ..self }
    }

    /// Returns whether the fact holds. `None` if the time is unknown or near a change.
    pub fn hold(self, time: ExchangeTime<'_>) -> Option<bool> {
        if self == Self::OPEN {
            return Some(true);
        }
        let (earliest, latest) = time.between()?;
        let is_past = |day: &str| {
            let change = day.parse::<Date>().ok()?.midnight()?.as_millis();
            let is_before = latest.as_millis() < change.saturating_sub(MILLIS_PER_DAY);
            let is_after = earliest.as_millis() >= change.saturating_add(2 * MILLIS_PER_DAY);
            (is_before || is_after).then_some(is_after)
        };
        let has_begun = if self.from.is_empty() { Some(true) } else { is_past(self.from) };
        let has_ended = if self.until.is_empty() { Some(false) } else { is_past(self.until) };
        match (has_begun, has_ended) {
            (Some(false), _) | (_, Some(true)) => Some(false),
            (Some(true), Some(false)) => Some(true),
            (None, _) | (_, None) => None,
        }
    }
}

impl fmt::Display for Dates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = [("from", self.from), ("until", self.until)].into_iter().filter(|(_, day)| !day.is_empty());
        let ends: Vec<_> = ends.map(|(word, day)| format!("{word} {day}")).collect();
        f.write_str(&ends.join(" "))
    }
}

/// The time by the exchange's clock, which is only computed for facts with [`Dates`].
#[derive(Clone, Copy)]
pub struct ExchangeTime<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Unknown,
    Exactly(Timestamp),
    Between(&'a (dyn Fn() -> Option<(Timestamp, Timestamp)> + Sync)),
}

impl<'a> ExchangeTime<'a> {
    /// An unknown time.
    pub const UNKNOWN: Self = Self(Source::Unknown);

    /// Creates a known time.
    pub const fn exactly(time: Timestamp) -> Self {
        Self(Source::Exactly(time))
    }

    /// Creates a time between two others that are computed when they are needed; `None` is an unknown time.
    pub fn by(between: &'a (dyn Fn() -> Option<(Timestamp, Timestamp)> + Sync)) -> Self {
        Self(Source::Between(between))
    }

    /// Returns the earliest and the latest time that it can be; `None` if it is unknown.
    fn between(self) -> Option<(Timestamp, Timestamp)> {
        match self.0 {
            Source::Unknown => None,
            Source::Exactly(time) => Some((time, time)),
            Source::Between(between) => between(),
        }
    }
}

impl fmt::Debug for ExchangeTime<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExchangeTime").field(&self.between()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_with_dates_are_in_doubt_for_a_day_on_each_side_of_the_day_of_a_change() {
        let at = |text: &str, hour: u64| {
            let day = text.parse::<Date>().ok().and_then(Date::midnight).map_or(0, Timestamp::as_millis);
            Timestamp::from_millis(day + hour * 3_600_000)
        };
        let dates = Dates::OPEN.from("2026-08-18").until("2026-09-17");
        let times = [
            (at("2026-08-16", 23), Some(false)),
            (at("2026-08-17", 0), None),
            (at("2026-08-19", 23), None),
            (at("2026-08-20", 0), Some(true)),
            (at("2026-09-15", 23), Some(true)),
            (at("2026-09-16", 0), None),
            (at("2026-09-18", 23), None),
            (at("2026-09-19", 0), Some(false)),
        ];
        for (time, hold) in times {
            assert_eq!(dates.hold(ExchangeTime::exactly(time)), hold, "{time}");
        }
        let unsure = || Some((at("2026-08-16", 0), at("2026-08-20", 0)));
        assert_eq!(dates.hold(ExchangeTime::by(&unsure)), None, "a clock that is not known well enough");
        assert_eq!(dates.hold(ExchangeTime::UNKNOWN), None);
        assert_eq!(Dates::OPEN.hold(ExchangeTime::UNKNOWN), Some(true));
        assert_eq!(dates.to_string(), "from 2026-08-18 until 2026-09-17");
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        for text in ["0000-01-01", "1969-12-31", "2024-02-29", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().map(|date| date.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "2026-2-01", "2026-02-29", "2026-13-01", "26-01-01", "2026-01-01T00:00:00Z", "+026-01-01"] {
            assert_eq!(wrong.parse::<Date>(), Err(InvalidDate(wrong.to_owned())));
        }
        let last = Date::of(Timestamp::from_millis(u64::MAX));
        assert_eq!(last.to_string(), "9999-12-31");
        assert_eq!(last.midnight().map(Date::of), Some(last));
        assert_eq!(Date::new(1969, 12, 31).and_then(Date::midnight), None);
    }
}
