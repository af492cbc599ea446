//! The rules of the time range of an operation.

use std::fmt;
use std::time::Duration;

use super::Days;
use crate::value::Timestamp;

/// The rules of the time range of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The parameter with the beginning.
    pub from: &'static str,
    /// The parameter with the end.
    pub to: &'static str,
    /// How far apart the two may be.
    pub span: Option<Length>,
    /// How long ago the range may begin.
    pub access: Option<Length>,
    /// Whether `access` limits the data only: then an older start is allowed and finds nothing older.
    pub access_is_of_data: bool,
    /// The length of the range that the exchange uses by default, for information only.
    pub default: Option<Length>,
    /// Whether one end needs the other.
    pub both_or_neither: bool,
    /// The days of the data, where it is of whole days.
    pub days: Option<Days>,
}

impl Window {
    /// A range without rules; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self {
        from: "",
        to: "",
        span: None,
        access: None,
        access_is_of_data: false,
        default: None,
        both_or_neither: false,
        days: None,
    };
}

/// A length of time, as documents count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Milliseconds.
    Millis(u32),
    /// Seconds.
    Seconds(u32),
    /// Days of 24 hours.
    Days(u32),
    /// Months of the calendar (UTC): from the 31st, one month leads to the last day of a shorter month.
    Months(u32),
}

impl Length {
    /// The time this much after `time`; `None` beyond the range of times.
    pub fn after(self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Months(months) => shift_months(time, i64::from(months)),
            Self::Millis(_) | Self::Seconds(_) | Self::Days(_) => time.checked_add(self.duration()),
        }
    }

    /// The time this much before `time`; `None` before 1970.
    pub fn before(self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Months(months) => shift_months(time, -i64::from(months)),
            Self::Millis(_) | Self::Seconds(_) | Self::Days(_) => time.checked_sub(self.duration()),
        }
    }

    fn duration(self) -> Duration {
        const DAY: u64 = 24 * 60 * 60;
        match self {
            Self::Millis(millis) => Duration::from_millis(u64::from(millis)),
            Self::Seconds(seconds) => Duration::from_secs(u64::from(seconds)),
            Self::Days(days) => Duration::from_secs(u64::from(days) * DAY),
            Self::Months(_) => Duration::ZERO,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = match *self {
            Self::Millis(count) => (count, "millisecond"),
            Self::Seconds(count) => (count, "second"),
            Self::Days(count) => (count, "day"),
            Self::Months(count) => (count, "month"),
        };
        write!(f, "{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Days from the first of March of the year 0 to the first of January 1970.
const DAYS_TO_1970: i64 = 719_468;

/// A day of the calendar. Months count from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

/// The same time of day `months` later, on the last day of the month where the day does not exist.
fn shift_months(time: Timestamp, months: i64) -> Option<Timestamp> {
    let days = i64::try_from(time.as_millis() / DAY_MS).ok()?;
    let date = date_of(days);
    let count = date.year * 12 + date.month + months;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12));
    let length = days_to_first_of(year, month + 1) - days_to_first_of(year, month);
    let days = days_to_first_of(year, month) + date.day.min(length) - 1;
    let days = u64::try_from(days).ok()?;
    days.checked_mul(DAY_MS)?.checked_add(time.as_millis() % DAY_MS).map(Timestamp::from_millis)
}

/// Days from 1970-01-01 to the first of a month; month 12 is the first of the next year.
fn days_to_first_of(year: i64, month: i64) -> i64 {
    // Years taken to begin in March have their leap day at the end, and months whose lengths repeat every five:
    // 31, 30, 31, 30, 31.
    let from_march = year * 12 + month - 2;
    let (year, month) = (from_march.div_euclid(12), from_march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 - DAYS_TO_1970
}

fn date_of(days: i64) -> Date {
    // 400 years have 146,097 days; the guess may be a year too late.
    let guess = 1971 + days * 400 / 146_097;
    let year = (guess - 2..=guess).rev().find(|&year| days_to_first_of(year, 0) <= days).unwrap_or(guess);
    let month = (0..12).rev().find(|&month| days_to_first_of(year, month) <= days).unwrap_or(0);
    Date { year, month, day: days - days_to_first_of(year, month) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_lead_there_and_back() {
        let time = Timestamp::from_millis(1_730_271_234_567);
        for (length, text) in
            [(Length::Seconds(30), "30 seconds"), (Length::Days(1), "1 day"), (Length::Months(3), "3 months")]
        {
            assert_eq!(length.after(time).and_then(|later| length.before(later)), Some(time), "{length}");
            assert_eq!(length.to_string(), text);
        }
        assert_eq!(Length::Days(1).after(time), time.checked_add(Duration::from_secs(86_400)));
    }

    /// The next day of the calendar.
    fn next(Date { year, month, day }: Date) -> Date {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            1 if leap => 29,
            1 => 28,
            3 | 5 | 8 | 10 => 30,
            _ => 31,
        };
        match (day == length, month == 11) {
            (false, _) => Date { year, month, day: day + 1 },
            (true, false) => Date { year, month: month + 1, day: 1 },
            (true, true) => Date { year: year + 1, month: 0, day: 1 },
        }
    }

    #[test]
    fn every_day_has_its_date() {
        let mut expected = Date { year: 1970, month: 0, day: 1 };
        for days in 0..400_000 {
            assert_eq!(date_of(days), expected, "{days}");
            expected = next(expected);
        }
    }

    #[test]
    fn months_have_ends() {
        // Noon, in 2024, of January 31st, February 29th, March 29th and March 31st.
        let [january, february, march_29, march_31] =
            [1_706_702_400_000, 1_709_208_000_000, 1_711_713_600_000, 1_711_886_400_000].map(Timestamp::from_millis);
        assert_eq!(shift_months(january, 1), Some(february));
        assert_eq!(shift_months(january, 2), Some(march_31));
        assert_eq!(shift_months(february, 1), Some(march_29));
        assert_eq!(shift_months(march_31, -1), Some(february));
        assert_eq!(shift_months(march_31, -2), Some(january));
    }

    #[test]
    fn time_has_ends() {
        assert_eq!(shift_months(Timestamp::from_millis(DAY_MS), -1), None);
        assert_eq!(shift_months(Timestamp::from_millis(u64::MAX), 1), None);
        assert!(shift_months(Timestamp::from_millis(u64::MAX), -1).is_some());
    }
}
