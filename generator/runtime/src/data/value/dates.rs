//! Conversions of times to and from the types of date libraries.

use std::error::Error;
use std::fmt;

use super::timestamp::Timestamp;

/// A time that the type of another library cannot hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TimeOutOfRange {
    millis: u64,
}

impl fmt::Display for TimeOutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms since 1970 is out of range", self.millis)
    }
}

debug_as_sentence!(TimeOutOfRange);

impl Error for TimeOutOfRange {}

/// Returns milliseconds as another type counts them.
fn signed(time: Timestamp) -> Result<i64, TimeOutOfRange> {
    i64::try_from(time.as_millis()).map_err(|_| TimeOutOfRange { millis: time.as_millis() })
}

/// Returns a time before 1970 becomes 0.
fn unsigned(millis: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(millis).unwrap_or_default())
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    /// Cuts off what is finer than a millisecond; a time before 1970 becomes 0.
    fn from(time: jiff::Timestamp) -> Self {
        unsigned(time.as_millisecond())
    }
}

#[cfg(feature = "jiff")]
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = TimeOutOfRange;

    fn try_from(time: Timestamp) -> Result<Self, TimeOutOfRange> {
        Self::from_millisecond(signed(time)?).map_err(|_| TimeOutOfRange { millis: time.as_millis() })
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> From<chrono::DateTime<Z>> for Timestamp {
    /// Cuts off what is finer than a millisecond; a time before 1970 becomes 0.
    fn from(time: chrono::DateTime<Z>) -> Self {
        unsigned(time.timestamp_millis())
    }
}

#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::Utc> {
    type Error = TimeOutOfRange;

    fn try_from(time: Timestamp) -> Result<Self, TimeOutOfRange> {
        Self::from_timestamp_millis(signed(time)?).ok_or(TimeOutOfRange { millis: time.as_millis() })
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    const TIME: Timestamp = Timestamp::from_millis(1_730_271_234_567);

    #[cfg(feature = "jiff")]
    #[test]
    fn goes_to_jiff_and_back() {
        let there = jiff::Timestamp::try_from(TIME);
        assert_eq!(there.map(|time| (time.to_string(), Timestamp::from(time))), Ok((TIME.to_string(), TIME)));
        assert_eq!(Timestamp::from(jiff::Timestamp::MIN), Timestamp::from_millis(0));
        assert!(jiff::Timestamp::try_from(Timestamp::from_millis(1 << 60)).is_err());
        assert!(jiff::Timestamp::try_from(Timestamp::from_millis(u64::MAX)).is_err());
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn goes_to_chrono_and_back() {
        use chrono::{DateTime, FixedOffset, Utc};
        let there = DateTime::<Utc>::try_from(TIME);
        assert_eq!(there.map(|time| (time.timestamp_millis(), Timestamp::from(time))), Ok((1_730_271_234_567, TIME)));
        let elsewhere = DateTime::parse_from_rfc3339("2024-10-30T08:53:54.567+02:00");
        assert_eq!(elsewhere.map(|time: DateTime<FixedOffset>| Timestamp::from(time)), Ok(TIME));
        assert_eq!(Timestamp::from(DateTime::<Utc>::MIN_UTC), Timestamp::from_millis(0));
        assert!(DateTime::<Utc>::try_from(Timestamp::from_millis(1 << 60)).is_err());
    }
}
