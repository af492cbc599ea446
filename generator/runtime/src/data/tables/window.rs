//! The rules of the time range of an operation, and the days of zones with a fixed difference from UTC.

use std::fmt;
use std::time::Duration;

use tradeapi_words::calendar;

use crate::data::value::Timestamp;

/// The rules of the time range of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The parameter with the beginning.
    pub from: &'static str,
    /// The parameter with the end.
    pub to: &'static str,
    /// The greatest distance between the two.
    pub span: Option<Length>,
    /// The greatest age of the start of the range.
    pub access: Option<Length>,
    /// True if `access` limits the data only: then an older start is allowed and finds nothing older.
    pub access_is_of_data: bool,
    /// The length of the range that the exchange uses by default, for information only.
    pub default: Option<Length>,
    /// True if one end needs the other.
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
    /// Returns the time this much after `time`; `None` beyond the range of times.
    pub fn after(self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Months(months) => shift_months(time, i64::from(months)),
            Self::Millis(_) | Self::Seconds(_) | Self::Days(_) => time.checked_add(self.duration()),
        }
    }

    /// Returns the time this much before `time`; `None` before 1970.
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

/// Returns the same time of day `months` later, on the last day of the month where the day does not exist.
fn shift_months(time: Timestamp, months: i64) -> Option<Timestamp> {
    let day = i64::try_from(time.as_millis() / DAY_MS).ok()?;
    let day = u64::try_from(calendar::shift_months(day, months)).ok()?;
    day.checked_mul(DAY_MS)?.checked_add(time.as_millis() % DAY_MS).map(Timestamp::from_millis)
}

/// The days of a zone whose clocks differ from UTC by a fixed time.
///
/// ```
/// # use tradeapi_runtime as runtime;
/// use runtime::tables::Days;
/// use runtime::value::Timestamp;
///
/// let days = Days::of_utc_offset(8 * 60);
/// let time = Timestamp::from_millis(1_788_652_800_001);
/// assert_eq!(days.begin(days.number(time)), Timestamp::from_millis(1_788_624_000_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// The minutes by which the clocks are ahead of UTC.
    offset: i32,
}

impl Days {
    /// Returns the days of a zone whose clocks are `minutes` ahead of UTC, or behind it if that is negative.
    pub const fn of_utc_offset(minutes: i32) -> Self {
        Self { offset: minutes }
    }

    /// Returns the number of the day in which `time` is; the day that begins with 1970 has the number 0. Earlier days
    /// have no numbers, and count as that one.
    pub fn number(self, time: Timestamp) -> u64 {
        let millis = time.as_millis();
        let local =
            if self.offset < 0 { millis.saturating_sub(self.ahead()) } else { millis.saturating_add(self.ahead()) };
        local / DAY_MS
    }

    /// Returns the first day that begins at `time` or later.
    pub fn first_from(self, time: Timestamp) -> u64 {
        let day = self.number(time);
        if self.begin(day) < time { day.saturating_add(1) } else { day }
    }

    /// Returns when a day begins; 1970 in UTC for a day that begins before.
    pub fn begin(self, number: u64) -> Timestamp {
        let local = number.saturating_mul(DAY_MS);
        let millis =
            if self.offset < 0 { local.saturating_add(self.ahead()) } else { local.saturating_sub(self.ahead()) };
        Timestamp::from_millis(millis)
    }

    /// Returns the difference to UTC in milliseconds.
    fn ahead(self) -> u64 {
        u64::from(self.offset.unsigned_abs()) * 60_000
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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

    #[test]
    fn days_begin_at_midnight_in_their_zone() {
        let hour = |hours: u64| Timestamp::from_millis(hours * 3_600_000);
        for (minutes, midnight) in [(0, 48), (480, 40), (-180, 51)] {
            let days = Days::of_utc_offset(minutes);
            assert_eq!(days.begin(2), hour(midnight), "{minutes}");
            assert_eq!(days.number(hour(midnight)), 2, "{minutes}");
            assert_eq!((days.first_from(hour(midnight)), days.first_from(hour(midnight + 1))), (2, 3), "{minutes}");
            let before = hour(midnight).checked_sub(Duration::from_millis(1));
            assert_eq!(before.map(|time| days.number(time)), Some(1), "{minutes}");
        }
    }

    #[test]
    fn days_have_ends() {
        for minutes in [-840, 0, 840] {
            let days = Days::of_utc_offset(minutes);
            let last = days.number(Timestamp::from_millis(u64::MAX));
            assert!(
                days.begin(last) <= Timestamp::from_millis(u64::MAX) && days.number(days.begin(0)) == 0,
                "{minutes}"
            );
            assert!(days.begin(u64::MAX) >= days.begin(last), "{minutes}");
        }
    }
}
