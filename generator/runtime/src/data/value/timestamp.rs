//! Times in milliseconds.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tradeapi_words::calendar::Date;

use super::scalar::{Scalar, Scratch, pad_args};

/// A point in time, in milliseconds since 1970-01-01 00:00:00 UTC.
///
/// It is displayed as in ISO 8601, and calculates with [`Duration`]s; a result outside of its range is its end. With
/// the features `jiff` and `chrono`, `jiff::Timestamp` and `chrono::DateTime` become one by `From`, and it becomes one
/// of them by `TryFrom`.
///
/// ```
/// # use tradeapi_runtime::Timestamp;
/// use tradeapi_runtime::value::days;
///
/// let time = Timestamp::from_millis(1_730_271_234_567);
/// assert_eq!(time.to_string(), "2024-10-30T06:53:54.567Z");
/// assert_eq!((time - days(30)).to_string(), "2024-09-30T06:53:54.567Z");
/// assert_eq!(time - (time - days(30)), days(30));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// Returns the current time by the system's clock.
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// Returns the time `millis` milliseconds after the beginning of 1970 (UTC).
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Returns milliseconds since the beginning of 1970 (UTC).
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns the time `later` by this much, in whole milliseconds; `None` beyond the range.
    pub fn checked_add(self, later: Duration) -> Option<Self> {
        let millis = u64::try_from(later.as_millis()).ok()?;
        self.0.checked_add(millis).map(Self)
    }

    /// Returns the time `earlier` by this much, in whole milliseconds; `None` before 1970.
    pub fn checked_sub(self, earlier: Duration) -> Option<Self> {
        let millis = u64::try_from(earlier.as_millis()).ok()?;
        self.0.checked_sub(millis).map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY_MS: u64 = 24 * 60 * 60 * 1000;
        let Date { year, month, day } = Date::of((self.0 / DAY_MS).cast_signed());
        let rest = self.0 % DAY_MS;
        let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
        pad_args(f, format_args!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns a number of days of 24 hours, for ranges of times: `Timestamp::now() - days(30)`.
pub const fn days(days: u32) -> Duration {
    Duration::from_secs(days as u64 * 24 * 60 * 60)
}

impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, later: Duration) -> Self {
        self.checked_add(later).unwrap_or(Self(u64::MAX))
    }
}

impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, earlier: Duration) -> Self {
        self.checked_sub(earlier).unwrap_or_default()
    }
}

impl Sub for Timestamp {
    type Output = Duration;

    /// Returns the time since `earlier`; zero if that is later.
    fn sub(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl From<SystemTime> for Timestamp {
    /// Cuts off what is finer than a millisecond; a time before 1970 becomes 0.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Timestamp> for SystemTime {
    /// Converts the time; one beyond what the platform can hold becomes the beginning of 1970.
    fn from(time: Timestamp) -> Self {
        UNIX_EPOCH.checked_add(Duration::from_millis(time.0)).unwrap_or(UNIX_EPOCH)
    }
}

impl Scalar for Timestamp {
    fn text<'a>(&'a self, scratch: &'a mut Scratch) -> &'a str {
        scratch.digits(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::read_json;

    #[test]
    fn counts_milliseconds() {
        let time = Timestamp::from_millis(1_500);
        assert_eq!(time.checked_add(Duration::from_secs(1)), Some(Timestamp::from_millis(2_500)));
        assert_eq!(time.checked_sub(Duration::from_secs(1)), Some(Timestamp::from_millis(500)));
        assert_eq!(time.checked_sub(Duration::from_secs(2)), None);
        assert_eq!(Timestamp::from_millis(u64::MAX).checked_add(Duration::from_millis(1)), None);
    }

    #[test]
    fn is_displayed_as_a_date_by_the_gregorian_calendar() {
        let shown = |days: u64| Timestamp::from_millis(days * 86_400_000).to_string();
        assert_eq!(shown(0), "1970-01-01T00:00:00.000Z");
        assert_eq!([shown(789), shown(790)], ["1972-02-29T00:00:00.000Z", "1972-03-01T00:00:00.000Z"]);
        assert_eq!([shown(11_016), shown(11_017)], ["2000-02-29T00:00:00.000Z", "2000-03-01T00:00:00.000Z"]);
        assert_eq!([shown(47_540), shown(47_541)], ["2100-02-28T00:00:00.000Z", "2100-03-01T00:00:00.000Z"]);
        assert!(Timestamp::from_millis(u64::MAX).to_string().starts_with("584556019"));
        let epoch = Timestamp::from_millis(0);
        assert_eq!(format!("{epoch:>26}|{epoch:.10}"), "  1970-01-01T00:00:00.000Z|1970-01-01");
    }

    #[test]
    fn calculates_up_to_its_ends() {
        let time = Timestamp::from_millis(1_500);
        assert_eq!(time + Duration::from_secs(1), Timestamp::from_millis(2_500));
        assert_eq!(time - days(1), Timestamp::from_millis(0));
        assert_eq!(Timestamp::from_millis(u64::MAX) + days(1), Timestamp::from_millis(u64::MAX));
        assert_eq!(
            (time - Timestamp::from_millis(500), time - (time + days(1))),
            (Duration::from_secs(1), Duration::ZERO)
        );
        assert!(Timestamp::now() > Timestamp::from_millis(1_730_271_234_567));
    }

    #[test]
    fn goes_to_the_system_and_back() {
        let time = Timestamp::from_millis(1_730_271_234_567);
        assert_eq!(Timestamp::from(SystemTime::from(time)), time);
        assert_eq!(Timestamp::from(UNIX_EPOCH - Duration::from_secs(1)), Timestamp::from_millis(0));
    }

    #[test]
    fn is_read_from_text_and_number() {
        let time = Timestamp::from_millis(1_730_271_234_567);
        assert_eq!(read_json("1730271234567"), Ok(time));
        assert_eq!(read_json("\"1730271234567\""), Ok(time));
        assert!(read_json::<Timestamp>("\"2024-10-30\"").is_err());
    }
}
