//! Time ranges: their order, their span, and how far back they reach.

use super::Findings;
use super::request::Request;

pub(super) const DAY: i128 = 86_400_000;

/// The tolerated difference between the caller's and the server's clock.
const TOLERANCE: i128 = 60_000;

/// The Gregorian calendar repeats after this many years, which have this many days.
const CYCLE: (i128, i128) = (400, 146_097);

/// `startTime` and `endTime` of a request, Unix ms.
pub(super) struct Window {
    pub(super) start: Option<i128>,
    pub(super) end: Option<i128>,
}

impl Window {
    /// Reads the times. A start after the end is refused wherever both can be sent.
    pub(super) fn of(request: Request, out: &mut Findings) -> Self {
        let window = Self { start: request.integer("startTime"), end: request.integer("endTime") };
        out.refuse_if(window.both().is_some_and(|(start, end)| start > end), "startTime is after endTime");
        window
    }

    pub(super) fn spans_days(&self, most: i128, out: &mut Findings) {
        let too_long = self.both().is_some_and(|(start, end)| end - start > most * DAY);
        out.refuse_if(too_long, format!("more than {most} days between startTime and endTime"));
    }

    pub(super) fn spans_months(&self, most: i128, out: &mut Findings) {
        let too_long = self.both().is_some_and(|(start, end)| end > months_later(start, most));
        out.refuse_if(too_long, format!("more than {most} months between startTime and endTime"));
    }

    fn both(&self) -> Option<(i128, i128)> {
        self.start.zip(self.end)
    }
}

/// Refuses a time more than `days` ago.
pub(super) fn within_days(time: Option<i128>, days: i128, now: i128, out: &mut Findings) {
    out.refuse_if(time.is_some_and(|time| time + days * DAY + TOLERANCE < now), format!("older than {days} days"));
}

/// Returns the same day and time some months later in UTC, or the last day of a shorter month.
fn months_later(time: i128, months: i128) -> i128 {
    let (day, time_of_day) = (time.div_euclid(DAY), time.rem_euclid(DAY));
    let (cycles, mut day) = (day.div_euclid(CYCLE.1), day.rem_euclid(CYCLE.1));
    // Months count from January 1970, or from a January some whole cycles away.
    let mut month = 0;
    while day >= length(month) {
        day -= length(month);
        month += 1;
    }
    let target = month + months;
    let days_before: i128 = (0..target).map(length).sum();
    let day = days_before + day.min(length(target) - 1);
    (cycles * CYCLE.1 + day) * DAY + time_of_day
}

/// Returns the number of days of a month, counted from January 1970.
fn length(month: i128) -> i128 {
    let year = 1970 + month / 12;
    match month % 12 {
        1 if year % 4 == 0 && (year % 100 != 0 || year % CYCLE.0 == 0) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::months_later;

    #[test]
    fn three_calendar_months() {
        for (from, to) in [
            // 2023-11-30 to 2024-02-29, at 12:34:56.
            (1_701_347_696, 1_709_210_096),
            // 2024-01-31 to 2024-04-30.
            (1_706_659_200, 1_714_435_200),
            // 2024-12-15 to 2025-03-15.
            (1_734_220_800, 1_741_996_800),
            // 2099-11-30 to 2100-02-28, which is not a leap year.
            (4_099_680_000, 4_107_456_000),
            // 2399-11-29 to 2400-02-29, which is one.
            (13_566_614_400, 13_574_563_200),
        ] {
            assert_eq!(months_later(from * 1000, 3), to * 1000);
        }
    }
}
