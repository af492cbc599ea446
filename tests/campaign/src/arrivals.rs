//! The arrival times of calls, by the real clock.

use std::time::Duration;

/// The window of the documented limits.
const SECOND: Duration = Duration::from_secs(1);

/// The arrival times of one operation's calls.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    moments: Vec<Duration>,
}

impl Arrivals {
    /// Records a call.
    pub(crate) fn note(&mut self, now: Duration) {
        self.moments.push(now);
    }

    pub(crate) fn count(&self) -> usize {
        self.moments.len()
    }

    /// Returns the most calls within any second, wherever it begins.
    pub(crate) fn most(&self) -> usize {
        let mut first = 0;
        let within = |(last, moment): (usize, &Duration)| {
            while *moment - self.moments[first] >= SECOND {
                first += 1;
            }
            last + 1 - first
        };
        self.moments.iter().enumerate().map(within).max().unwrap_or_default()
    }

    /// Returns the number of calls in excess of `allowed` within the second before them.
    pub(crate) fn beyond(&self, allowed: usize) -> usize {
        let pairs = self.moments.iter().zip(self.moments.iter().skip(allowed));
        pairs.filter(|(first, last)| **last - **first < SECOND).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_counts() {
        let of = |moments: &[u64]| {
            let moments = moments.iter().map(|millis| Duration::from_millis(*millis));
            let mut arrivals = Arrivals::default();
            moments.for_each(|moment| arrivals.note(moment));
            arrivals
        };
        let arrivals = of(&[0, 900, 990, 1000, 1899, 1900]);
        assert_eq!((arrivals.count(), arrivals.most()), (6, 4));
        assert_eq!([arrivals.beyond(4), arrivals.beyond(3), arrivals.beyond(2)], [0, 2, 4]);
        assert_eq!((of(&[]).most(), of(&[]).beyond(1)), (0, 0));
    }
}
