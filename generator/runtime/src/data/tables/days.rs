//! The days of zones with a fixed difference from UTC.

use crate::data::value::Timestamp;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

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
    /// The days of a zone whose clocks are `minutes` ahead of UTC, or behind it if that is negative.
    pub const fn of_utc_offset(minutes: i32) -> Self {
        Self { offset: minutes }
    }

    /// The number of the day in which `time` is; the day that begins with 1970 has the number 0. Earlier days have no
    /// numbers, and count as that one.
    pub fn number(self, time: Timestamp) -> u64 {
        let millis = time.as_millis();
        let local =
            if self.offset < 0 { millis.saturating_sub(self.ahead()) } else { millis.saturating_add(self.ahead()) };
        local / DAY_MS
    }

    /// The first day that begins at `time` or later.
    pub fn first_from(self, time: Timestamp) -> u64 {
        let day = self.number(time);
        if self.begin(day) < time { day.saturating_add(1) } else { day }
    }

    /// When a day begins; 1970 in UTC for a day that begins before.
    pub fn begin(self, number: u64) -> Timestamp {
        let local = number.saturating_mul(DAY_MS);
        let millis =
            if self.offset < 0 { local.saturating_add(self.ahead()) } else { local.saturating_sub(self.ahead()) };
        Timestamp::from_millis(millis)
    }

    /// The difference to UTC in milliseconds.
    fn ahead(self) -> u64 {
        u64::from(self.offset.unsigned_abs()) * 60_000
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

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
