//! The Gregorian calendar in UTC. A day is its number since 1970-01-01, which is day 0.

/// The days from the first of March of the year 0 to the first of January 1970.
const DAYS_TO_1970: i64 = 719_468;

/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_ERA: i64 = 146_097;

/// A day by its date. Months and days count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// The month, from 1 to 12.
    pub month: i64,
    /// The day of the month, from 1 to 31.
    pub day: i64,
}

impl Date {
    /// Returns the date of a day.
    ///
    /// Years are taken to begin in March here, so that the leap day is the last one of its year, and the lengths of
    /// months repeat every five months.
    pub const fn of(day: i64) -> Self {
        let days = day + DAYS_TO_1970;
        let (era, of_era) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (year, month) = (era * 400 + year, month + 3);
        if month > 12 { Self { year: year + 1, month: month - 12, day } } else { Self { year, month, day } }
    }

    /// Returns the day of the date; `None` if there is no such date.
    pub fn day(self) -> Option<i64> {
        let day = first_of(self.year, self.month).checked_add(self.day - 1)?;
        (Self::of(day) == self).then_some(day)
    }
}

/// Returns the first day of a month; month 13 is the first of the next year.
const fn first_of(year: i64, month: i64) -> i64 {
    let from_march = year * 12 + month - 3;
    let (year, month) = (from_march.div_euclid(12), from_march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 - DAYS_TO_1970
}

/// Returns the same day of the month so many months later, or earlier if negative: the last day of the month where it
/// is shorter.
pub const fn shift_months(day: i64, months: i64) -> i64 {
    let date = Date::of(day);
    let count = date.year * 12 + date.month - 1 + months;
    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
    let (first, length) = (first_of(year, month), first_of(year, month + 1) - first_of(year, month));
    let of_month = if date.day < length { date.day } else { length };
    first + of_month - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i64, month: i64, day: i64) -> Date {
        Date { year, month, day }
    }

    /// Returns the next day of the calendar.
    fn next(Date { year, month, day }: Date) -> Date {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        match (day == length, month == 12) {
            (false, _) => date(year, month, day + 1),
            (true, false) => date(year, month + 1, 1),
            (true, true) => date(year + 1, 1, 1),
        }
    }

    #[test]
    fn every_day_has_its_date() {
        let mut expected = date(1600, 1, 1);
        for day in -135_140..400_000 {
            assert_eq!(Date::of(day), expected, "{day}");
            assert_eq!(expected.day(), Some(day));
            expected = next(expected);
        }
        assert_eq!(Date::of(0), date(1970, 1, 1));
        for none in [date(2026, 2, 29), date(2026, 0, 1), date(2026, 13, 1), date(2026, 1, 0), date(2026, 4, 31)] {
            assert_eq!(none.day(), None, "{none:?}");
        }
    }

    #[test]
    fn months_have_ends() {
        let at = |year, month, day| date(year, month, day).day().unwrap_or_default();
        assert_eq!([at(2000, 3, 1), at(2026, 9, 21)], [11_017, 20_717]);
        assert_eq!(shift_months(at(2026, 11, 30), 3), at(2027, 2, 28));
        assert_eq!(shift_months(at(2028, 5, 31), -3), at(2028, 2, 29));
        assert_eq!(shift_months(at(2026, 12, 31), 3), at(2027, 3, 31));
        assert_eq!(shift_months(at(2026, 12, 31), 0), at(2026, 12, 31));
        assert_eq!(shift_months(at(1970, 1, 31), -2), at(1969, 11, 30));
    }
}
