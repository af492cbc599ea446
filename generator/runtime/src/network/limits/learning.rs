//! Learns from responses about calls of others, and how long requests take until the exchange counts them.
//!
//! Reports in answers only take room away. Calls of others are logged as calls of now or, if the exchange states when
//! all is free, as calls that leave then. A fleet passes it on five times a second at most, because a later answer
//! repeats it.
//!
//! Round trips bound no single way: with constant trips whose ways vary, 12 of 10 calls arrived. The exchange's clock
//! bounds it without a difference of clocks, because arrivals and ways contain the same one. The bound is a lower one
//! on the ways of the next requests.

use std::time::Duration;

use super::limiter::{RateLimitFeedback, TooMany};
use super::state::{Counter, LimiterState};
use super::window::{Bucket, Key, Pause, Taken};
use crate::data::value::Timestamp;
use crate::network::wire::PoolReport;

impl LimiterState {
    /// Learns from the answer to a call of `bucket` that was sent at `sent`.
    pub(super) fn learn(&mut self, bucket: Key, sent: Duration, now: Duration, feedback: RateLimitFeedback) {
        if let Some(too_many) = feedback.too_many {
            self.back_off(bucket, now, too_many);
        }
        if feedback.remaining.is_some() {
            self.note_remaining(bucket, sent, now, &feedback);
        }
        for report in feedback.pools.iter().flatten() {
            self.note_pool(bucket, sent, now, report);
        }
    }

    /// Admits no call of the operation for one window, or for the requested time: the exchange has counted more calls
    /// than are known here. If it may have counted all operations together, no other call is admitted either.
    ///
    /// The response does not show which window is full, so a window that is longer than the longest pause is closed for
    /// that pause, or for the shortest window of the operation. The requested time is bounded, too, and does not count
    /// for cancellations: no response prevents orders from being cancelled.
    fn back_off(&mut self, bucket: Key, now: Duration, too_many: TooMany) {
        let own = self.own_windows(bucket).to_owned();
        let spans = own.iter().filter_map(|taken| self.windows.get(taken.window)).map(|counter| counter.window.span());
        let pauses = Pauses::of(spans, self.settings.longest_pause, too_many);
        let cancels = self.buckets.get(bucket).is_some_and(Bucket::cancels);
        for taken in own {
            if let Some(counter) = self.windows.get_mut(taken.window) {
                counter.window.block(now.saturating_add(pauses.of_window(counter.window.span(), cancels)));
            }
        }
        if too_many.of_everything {
            let [until, cancels_until] = [false, true].map(|cancels| now.saturating_add(pauses.of_address(cancels)));
            self.shut(bucket, Pause { until, cancels_until });
        }
    }

    /// Admits no call from the address of `bucket` until the end of `pause`.
    fn shut(&mut self, bucket: Key, pause: Pause) {
        let Some(address) = self.buckets.get(bucket).map(|bucket| bucket.address.clone()) else { return };
        self.buckets.values_mut().filter(|bucket| bucket.address == address).for_each(|bucket| bucket.shut(pause));
        match self.shut.iter_mut().find(|(known, _)| *known == address) {
            None => self.shut.push((address, pause)),
            Some((_, known)) => {
                known.until = known.until.max(pause.until);
                known.cancels_until = known.cancels_until.max(pause.cancels_until);
            }
        }
    }

    /// Learns from the remaining calls: if fewer calls remain than by the local count, others make calls too. The time
    /// of these calls is not known; at the latest it is now. If the count agrees, there is nothing to learn: the local
    /// log knows better when there is room.
    ///
    /// The exchange counted at `sent` or later, when at least as many local calls had expired, and it may have counted
    /// those that have not ended. So a caller that is alone never mistakes its own calls for another's.
    fn note_remaining(&mut self, bucket: Key, sent: Duration, now: Duration, feedback: &RateLimitFeedback) {
        let Some(remaining) = feedback.remaining else { return };
        let remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
        // The header counts the calls of windows with certain lengths. It does not name its limit, which must be the
        // tightest of these.
        let is_counted = |all: &&Counter| feedback.remaining_windows.contains(&all.binding.limit.per_millis);
        let counted = |key: Key| self.windows.get(key).filter(is_counted);
        let left = |taken: &Taken| Some((counted(taken.window)?.window.left(sent), taken.window));
        let Some((left, key)) = self.own_windows(bucket).iter().filter_map(left).min() else { return };
        let Some(counter) = self.windows.get_mut(key) else { return };
        if remaining == 0 && left > 0 {
            counter.window.block(now.saturating_add(counter.window.span()));
        } else {
            counter.window.count(left.saturating_sub(remaining), now);
        }
    }
    /// Learns the same for a pool. What others took of it is free again at the latest when the exchange frees all of
    /// it.
    fn note_pool(&mut self, bucket: Key, sent: Duration, now: Duration, report: &PoolReport) {
        let is_of = |taken: &&Taken| {
            self.windows.get(taken.window).is_some_and(|counter| counter.binding.limit.pool == Some(report.pool))
        };
        let Some(key) = self.own_windows(bucket).iter().find(is_of).map(|taken| taken.window) else { return };
        let Some(Counter { window, .. }) = self.windows.get_mut(key) else { return };
        let stays = report.reset.map_or(window.span(), |reset| reset.min(window.span()));
        let remaining = usize::try_from(report.remaining).unwrap_or(usize::MAX);
        window.count_until(window.left(sent).saturating_sub(remaining), now.saturating_add(stays));
    }
}

/// The pauses after a call that exceeded a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// The longest pause of a window.
    most: Duration,
    /// The longest window, and at most that.
    longest: Duration,
    requested: Duration,
}

impl Pauses {
    /// Returns the pauses of an operation whose windows have these spans.
    pub(super) fn of(spans: impl Iterator<Item = Duration>, longest_pause: Duration, too_many: TooMany) -> Self {
        let (mut shortest, mut longest) = (Duration::MAX, Duration::ZERO);
        for span in spans {
            (shortest, longest) = (shortest.min(span), longest.max(span));
        }
        // The shortest is longer than the longest only if there is none.
        let most = longest_pause.max(shortest.min(longest));
        let requested = too_many.retry_after.unwrap_or_default().min(longest_pause);
        Self { most, longest: longest.min(most), requested }
    }

    /// Returns for how long a window with this span admits no call.
    pub(super) fn of_window(self, span: Duration, cancels: bool) -> Duration {
        span.min(self.most).max(if cancels { Duration::ZERO } else { self.requested })
    }

    /// Returns for how long no call from the address is admitted, or no cancellation.
    pub(super) fn of_address(self, cancels: bool) -> Duration {
        if cancels { self.longest } else { self.longest.max(self.requested) }
    }
}

/// The number of recent ways that are evaluated, which is also the number required for a bound.
const LATEST: usize = 64;

/// The shortest way is remembered over this many blocks of ways.
const BLOCKS: usize = 16;

/// The bound is recomputed after this many ways. A way shorter than all before it counts at once.
const EVERY: usize = 16;

/// The value of the first way, in microseconds, so that others may be shorter or longer by half an hour.
const FIRST: u32 = 1 << 31;

/// Recent ways to the exchange over connections that were open already, and a lower bound on the next ones.
///
/// A way ends at the time that the response states, by the exchange's clock, so it contains the unknown difference of
/// the clocks. The difference cancels out: an arrival by the exchange's clock less a way is a moment by this one.
///
/// Nothing is allocated, and a way costs a few instructions.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// The microseconds that are subtracted from the exchange's time; `None` before the first one.
    zero: Option<i64>,
    count: usize,
    /// Microseconds, rounded down.
    shortest: u32,
    usual: u32,
    bound: u32,
    latest: [u32; LATEST],
    /// The shortest of each block of [`LATEST`] ways.
    floors: [u32; BLOCKS],
}

impl Ways {
    pub(super) fn new() -> Self {
        Self {
            zero: None,
            count: 0,
            shortest: u32::MAX,
            usual: 0,
            bound: 0,
            latest: [0; LATEST],
            floors: [u32::MAX; BLOCKS],
        }
    }

    /// Records the way of a request that was sent at `sent`, and counted at `request_time` by the exchange's clock.
    /// Over a new connection, `is_warm` is false: such a way is at most as long as it seems. Returns when the request
    /// was counted, on the scale of [`bound`](Self::bound); `None` if the clocks have moved apart, which forgets all.
    #[inline]
    pub(super) fn add(&mut self, sent: Duration, request_time: Timestamp, is_warm: bool) -> Option<Duration> {
        let sent = i64::try_from(sent.as_micros()).ok()?;
        let counted = i64::try_from(request_time.as_millis()).ok()?.checked_mul(1_000)?;
        let zero = *self.zero.get_or_insert(counted.saturating_sub(sent).saturating_sub(FIRST.into()));
        let counted = counted.saturating_sub(zero);
        let (Ok(way), Ok(counted)) = (u32::try_from(counted.saturating_sub(sent)), u64::try_from(counted)) else {
            *self = Self::new();
            return None;
        };
        if is_warm {
            self.note(way);
        } else {
            self.cap(way);
        }
        Some(Duration::from_micros(counted))
    }

    #[inline]
    fn note(&mut self, way: u32) {
        self.latest[self.count % LATEST] = way;
        let block = self.count / LATEST % BLOCKS;
        let begins = self.count.is_multiple_of(LATEST) && self.count > 0;
        let so_far = if begins { u32::MAX } else { self.floors[block] };
        self.floors[block] = so_far.min(way);
        self.count = self.count.wrapping_add(1);
        if self.count.is_multiple_of(EVERY) || way < self.shortest {
            self.work_out();
        }
    }

    #[inline]
    fn cap(&mut self, most: u32) {
        if most < self.shortest {
            let block = self.count.saturating_sub(1) / LATEST % BLOCKS;
            self.floors[block] = self.floors[block].min(most);
            self.work_out();
        }
    }

    /// Returns a lower bound on the next ways; zero while too few are known.
    ///
    /// It is the shortest way less twice its distance from the median, because one that varies may become shorter.
    #[inline]
    pub(super) fn bound(&self) -> Duration {
        Duration::from_micros(self.bound.into())
    }

    /// Returns the median way; zero while too few are known.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// When the exchange's clock was set to zero.
    const BEGUN: u64 = 1_700_000_000_000;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Returns the way of a request that is sent `number` seconds after the beginning.
    fn add(ways: &mut Ways, number: usize, way: u64, is_warm: bool) -> Option<Duration> {
        let sent = ms(number as u64 * 1_000);
        ways.add(sent, Timestamp::from_millis(BEGUN + number as u64 * 1_000 + way), is_warm)
    }

    /// Returns by how much the bound exceeds the way of 1000 ms that is the first.
    fn over(lengths: impl IntoIterator<Item = u64>) -> Option<i64> {
        let mut known = Ways::new();
        add(&mut known, 0, 1_000, false);
        lengths.into_iter().enumerate().for_each(|(number, way)| _ = add(&mut known, number, 1_000 + way, true));
        (known.bound > 0).then(|| (i64::from(known.bound) - i64::from(FIRST)) / 1_000)
    }

    #[test]
    fn nothing_is_reported_before_enough_is_known() {
        assert_eq!(over([200; LATEST - 1]), None);
        assert_eq!(over([0; LATEST]), Some(0));
    }

    #[test]
    fn ways_that_vary_give_a_lower_bound() {
        assert_eq!(over((0..1_000).map(|number| number % 11)), Some(-10));
        // The last 64 vary from 183 to 246.
        assert_eq!(over((0..1_000).map(|number| number % 251)), Some(-414));
        // Two kinds of connections, the slower of which is usual.
        assert_eq!(over((0..1_000).map(|number| if number % 50 == 0 { 0 } else { 180 })), Some(-360));
    }

    #[test]
    fn one_short_way_counts_at_once_and_for_a_while() {
        let mut known = Ways::new();
        let shorter_by = |known: &Ways| (i64::from(FIRST) - i64::from(known.bound)) / 1_000;
        (0..100).for_each(|number| _ = add(&mut known, number, 200, true));
        assert_eq!(shorter_by(&known), 0);
        add(&mut known, 100, 150, true);
        assert_eq!(shorter_by(&known), 150);
        (101..1_001).for_each(|number| _ = add(&mut known, number, 200, true));
        assert_eq!(shorter_by(&known), 150);
        (1_001..1_201).for_each(|number| _ = add(&mut known, number, 200, true));
        assert_eq!(shorter_by(&known), 0);
    }

    #[test]
    fn a_way_over_a_new_connection_bounds_others_without_being_one() {
        let mut known = Ways::new();
        (0..1_000).for_each(|number| _ = add(&mut known, number, 200, false));
        assert_eq!(known.bound(), Duration::ZERO);
        (0..100).for_each(|number| _ = add(&mut known, number, 200, true));
        add(&mut known, 100, 1_000, false);
        assert_eq!(known.bound, FIRST);
        add(&mut known, 101, 180, false);
        assert_eq!(known.bound, FIRST - 60_000);
    }

    /// An arrival less the bound is a moment by this clock, whatever the exchange's shows.
    #[test]
    fn an_arrival_is_on_the_scale_of_the_bound() {
        let mut known = Ways::new();
        for number in 0..200 {
            let counted = add(&mut known, number, 70, true);
            let sent = ms(number as u64 * 1_000);
            assert!(number < LATEST || counted.map(|counted| counted - known.bound()) == Some(sent));
        }
    }

    #[test]
    fn clocks_that_move_apart_forget_all() {
        let mut known = Ways::new();
        (0..100).for_each(|number| _ = add(&mut known, number, 200, true));
        assert_eq!(known.add(ms(100_000), Timestamp::from_millis(BEGUN - 4_000_000), true), None);
        assert_eq!(known.bound(), Duration::ZERO);
        assert_eq!(known.add(Duration::MAX, Timestamp::from_millis(u64::MAX), true), None);
        assert!(add(&mut known, 101, 200, true).is_some());
    }
}
