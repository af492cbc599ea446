//! Round trips, and a lower bound on the next ones.

use std::time::Duration;

/// The number of recent trips that are evaluated, which is also the number required for a bound.
const LATEST: usize = 64;

/// The shortest trip is remembered over this many blocks of trips.
const BLOCKS: usize = 16;

/// The bound is recomputed after this many trips. A trip shorter than all before it counts at once.
const EVERY: usize = 16;

/// Recent round trips over connections that were open already, and a lower bound on the next ones.
///
/// Nothing is allocated, and a trip costs a few instructions.
#[derive(Clone, Debug)]
pub(super) struct Trips {
    count: usize,
    /// Microseconds, rounded down.
    shortest: u32,
    usual: u32,
    bound: u32,
    latest: [u32; LATEST],
    /// The shortest of each block of [`LATEST`] trips.
    floors: [u32; BLOCKS],
}

impl Trips {
    pub(super) fn new() -> Self {
        Self { count: 0, shortest: u32::MAX, usual: 0, bound: 0, latest: [0; LATEST], floors: [u32::MAX; BLOCKS] }
    }

    /// Records a trip. Returns whether the bound may have changed.
    #[inline]
    pub(super) fn add(&mut self, trip: Duration) -> bool {
        let trip = micros(trip);
        self.latest[self.count % LATEST] = trip;
        let block = self.count / LATEST % BLOCKS;
        let begins = self.count.is_multiple_of(LATEST) && self.count > 0;
        let so_far = if begins { u32::MAX } else { self.floors[block] };
        self.floors[block] = so_far.min(trip);
        self.count = self.count.wrapping_add(1);
        let tells_more = self.count.is_multiple_of(EVERY) || trip < self.shortest;
        if tells_more {
            self.work_out();
        }
        tells_more
    }

    /// Records that a trip took at most `most`, the duration of a whole call. Returns whether the bound may have
    /// changed.
    #[inline]
    pub(super) fn cap(&mut self, most: Duration) -> bool {
        let most = micros(most);
        let tells_more = most < self.shortest;
        if tells_more {
            let block = self.count.saturating_sub(1) / LATEST % BLOCKS;
            self.floors[block] = self.floors[block].min(most);
            self.work_out();
        }
        tells_more
    }

    /// A lower bound on the return path of one call plus the outbound path of a later one; zero while too few trips are
    /// known.
    ///
    /// It is the shortest trip less twice its distance from the median: if trips vary, the two paths of different calls
    /// can be shorter together than those of any single call.
    pub(super) fn bound(&self) -> Duration {
        Duration::from_micros(self.bound.into())
    }

    /// The median trip; zero while too few are known.
    pub(super) fn usual(&self) -> Duration {
        Duration::from_micros(self.usual.into())
    }

    #[cold]
    fn work_out(&mut self) {
        self.shortest = self.floors.iter().copied().min().unwrap_or_default();
        if self.count < LATEST {
            return;
        }
        let mut latest = self.latest;
        self.usual = *latest.select_nth_unstable(LATEST / 2).1;
        let spread = self.usual.saturating_sub(self.shortest);
        self.bound = self.shortest.saturating_sub(spread.saturating_mul(2));
    }
}

fn micros(trip: Duration) -> u32 {
    u32::try_from(trip.as_micros()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn over(trips: impl IntoIterator<Item = u64>) -> Duration {
        let mut known = Trips::new();
        trips.into_iter().for_each(|trip| _ = known.add(ms(trip)));
        known.bound()
    }

    #[test]
    fn nothing_is_reported_before_enough_is_known() {
        assert_eq!(over([200; LATEST - 1]), Duration::ZERO);
        assert_eq!(over([200; LATEST]), ms(200));
    }

    #[test]
    fn trips_that_vary_give_a_lower_bound() {
        assert_eq!(over((0..1_000).map(|number| 200 + number % 11)), ms(190));
        assert_eq!(over((0..1_000).map(|number| number % 251)), Duration::ZERO);
        // Two kinds of connections, the slower of which is usual.
        assert_eq!(over((0..1_000).map(|number| if number % 50 == 0 { 20 } else { 200 })), Duration::ZERO);
    }

    #[test]
    fn one_short_trip_counts_at_once_and_for_a_while() {
        let mut known = Trips::new();
        (0..100).for_each(|_| _ = known.add(ms(200)));
        known.add(ms(150));
        assert_eq!(known.bound(), ms(50));
        (0..900).for_each(|_| _ = known.add(ms(200)));
        assert_eq!(known.bound(), ms(50));
        (0..200).for_each(|_| _ = known.add(ms(200)));
        assert_eq!(known.bound(), ms(200));
    }

    #[test]
    fn a_whole_call_bounds_a_trip_without_being_one() {
        let mut known = Trips::new();
        (0..1_000).for_each(|_| _ = known.cap(ms(200)));
        assert_eq!(known.bound(), Duration::ZERO);
        (0..100).for_each(|_| _ = known.add(ms(200)));
        known.cap(ms(1_000));
        assert_eq!(known.bound(), ms(200));
        known.cap(ms(180));
        assert_eq!(known.bound(), ms(140));
    }

    #[test]
    fn any_length_can_be_noted() {
        assert_eq!(over([0; 1_000]), Duration::ZERO);
        let mut known = Trips::new();
        known.cap(Duration::MAX);
        (0..1_000).for_each(|_| _ = known.add(Duration::MAX));
        assert_eq!(known.bound(), Duration::from_micros(u32::MAX.into()));
    }
}
