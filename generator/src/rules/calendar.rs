//! Calendar months in UTC.

use crate::model::{Duration, DurationUnit};

const DAY_MS: i64 = 86_400_000;

/// The time after a duration, in Unix milliseconds; before it if `sign` is -1.
///
/// A month leads to the same day of another month, or to its last day if that month is shorter.
pub(super) fn shifted(time: i64, by: Duration, sign: i64) -> i64 {
    let n = i64::from(by.n) * sign;
    let milliseconds = match by.unit {
        DurationUnit::Millisecond => 1,
        DurationUnit::Second => 1000,
        DurationUnit::Minute => 60_000,
        DurationUnit::Hour => 3_600_000,
        DurationUnit::Day => DAY_MS,
        DurationUnit::Week => 7 * DAY_MS,
        DurationUnit::Month => return months(time, n),
    };
    time + n * milliseconds
}

fn months(time: i64, n: i64) -> i64 {
    let (day, rest) = (time.div_euclid(DAY_MS), time.rem_euclid(DAY_MS));
    let (year, month, day_of_month) = date(day);
    let all = year * 12 + month + n;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12));
    (first_day(year, month) + day_of_month.min(length(year, month) - 1)) * DAY_MS + rest
}

/// Year, month and day of a day counted from 1970; month and day start from 0.
fn date(day: i64) -> (i64, i64, i64) {
    let mut year = 1970 + day.div_euclid(366);
    while first_day(year + 1, 0) <= day {
        year += 1;
    }
    let mut month = 0;
    while month < 11 && first_day(year, month + 1) <= day {
        month += 1;
    }
    (year, month, day - first_day(year, month))
}

/// The first day of a month, counted from 1970.
fn first_day(year: i64, month: i64) -> i64 {
    let before = year - 1;
    let leap_days = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) - 477;
    (year - 1970) * 365 + leap_days + (0..month).map(|month| length(year, month)).sum::<i64>()
}

fn length(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 if is_leap => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_their_lengths() {
        let time = |year: i64, month: i64, day: i64| (first_day(year, month - 1) + day - 1) * DAY_MS + 5;
        assert_eq!(time(1970, 1, 1), 5);
        assert_eq!(time(2000, 3, 1), 951_868_800_005);
        assert_eq!(time(2026, 9, 21), 1_789_948_800_005);
        let three = Duration { n: 3, unit: DurationUnit::Month };
        assert_eq!(shifted(time(2026, 11, 30), three, 1), time(2027, 2, 28));
        assert_eq!(shifted(time(2028, 5, 31), three, -1), time(2028, 2, 29));
        assert_eq!(shifted(time(2026, 12, 31), three, 1), time(2027, 3, 31));
        assert_eq!(date(first_day(2024, 1) + 28), (2024, 1, 28));
    }
}
