//! Days of the calendar, without a time.

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
    /// The date of a year from 0 to 9999, a month from 1 to 12 and a day from 1; `None` if there is no such day.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let date = calendar::Date { year: year.into(), month: month.into(), day: day.into() };
        date.day().filter(|_| year < 10_000).map(|_| Self { year, month, day })
    }

    /// The day in UTC of a time up to the year 9999; of a later one, the last day of that year.
    pub fn of(time: Timestamp) -> Self {
        let days = i64::try_from(time.as_millis() / MILLIS_PER_DAY).unwrap_or(i64::MAX / 2);
        let calendar::Date { year, month, day } = calendar::Date::of(days.min(LAST_DAY));
        let part = |part: i64| u8::try_from(part).unwrap_or(1);
        Self { year: u16::try_from(year).unwrap_or(9999), month: part(month), day: part(day) }
    }

    /// The year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// The month, from 1 to 12.
    pub const fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1 to 31.
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

/// Why a text is not a date.
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

#[cfg(test)]
mod tests {
    use super::*;

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
