use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::scalar::{Scalar, Scratch};

/// A point in time, in milliseconds since 1970-01-01 00:00:00 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The time `millis` milliseconds after the beginning of 1970 (UTC).
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the beginning of 1970 (UTC).
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The time `later` by this much, in whole milliseconds; `None` beyond the range.
    pub fn checked_add(self, later: Duration) -> Option<Self> {
        let millis = u64::try_from(later.as_millis()).ok()?;
        self.0.checked_add(millis).map(Self)
    }

    /// The time `earlier` by this much, in whole milliseconds; `None` before 1970.
    pub fn checked_sub(self, earlier: Duration) -> Option<Self> {
        let millis = u64::try_from(earlier.as_millis()).ok()?;
        self.0.checked_sub(millis).map(Self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
    /// A time beyond what the platform can hold becomes the beginning of 1970.
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
    use crate::json::read_json;

    #[test]
    fn counts_milliseconds() {
        let time = Timestamp::from_millis(1_500);
        assert_eq!(time.checked_add(Duration::from_secs(1)), Some(Timestamp::from_millis(2_500)));
        assert_eq!(time.checked_sub(Duration::from_secs(1)), Some(Timestamp::from_millis(500)));
        assert_eq!(time.checked_sub(Duration::from_secs(2)), None);
        assert_eq!(Timestamp::from_millis(u64::MAX).checked_add(Duration::from_millis(1)), None);
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
