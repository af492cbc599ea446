use std::fmt;
use std::time::Duration;

use super::calendar;
use crate::value::Timestamp;

/// The rules of a time range that an operation takes.
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
    /// Whether `access` speaks of the data: then an older start is allowed and finds nothing older.
    pub access_is_of_data: bool,
    /// How long the range is that the exchange takes when none is given; for information only.
    pub default: Option<Length>,
    /// Whether one end needs the other.
    pub both_or_neither: bool,
}

/// A length of time, as documents count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
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
            Self::Months(months) => calendar::shift_months(time, i64::from(months)),
            Self::Seconds(_) | Self::Days(_) => time.checked_add(self.duration()),
        }
    }

    /// The time this much before `time`; `None` before 1970.
    pub fn before(self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Months(months) => calendar::shift_months(time, -i64::from(months)),
            Self::Seconds(_) | Self::Days(_) => time.checked_sub(self.duration()),
        }
    }

    fn duration(self) -> Duration {
        const DAY: u64 = 24 * 60 * 60;
        match self {
            Self::Seconds(seconds) => Duration::from_secs(u64::from(seconds)),
            Self::Days(days) => Duration::from_secs(u64::from(days) * DAY),
            Self::Months(_) => Duration::ZERO,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = match *self {
            Self::Seconds(count) => (count, "second"),
            Self::Days(count) => (count, "day"),
            Self::Months(count) => (count, "month"),
        };
        write!(f, "{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
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
}
