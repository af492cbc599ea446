//! One limit, enforced exactly.
//!
//! # The rule
//!
//! The exchange counts a call at some unknown moment between the writing of the request and the reading of its
//! response. So a call takes room
//!
//! 1. from its admission until it ends, because it may be counted at any time;
//! 2. if it was answered: from the response, less the [discount](Trips::bound), for one span;
//! 3. if it was given up without a response: from then, plus the time in which it may still arrive, for one span.
//!
//! An admitted call that was certainly not sent takes no room any more. A call is admitted while fewer than N take
//! room.
//!
//! # Why no window contains more than N calls
//!
//! Take N + 1 calls, and of these the one that was admitted last, `j`. At its admission, at least one of the others,
//! `i`, took no room any more. Let `c` be when the exchange counts a call, `there` the time of a request from its
//! admission to being counted, `back` the time of a response from then on, and `d` the discount of `i`:
//!
//! - If `i` was answered, `j` was admitted at `answered(i) - d + span` or later, so
//!   `c(j) >= answered(i) - d + span + there(j) = c(i) + span + (back(i) + there(j) - d)`.
//!   That is `c(i) + span` or later as long as `d <= back(i) + there(j)`.
//! - If `i` was given up, `c(i)` is at most the moment from which it takes room, and `c(j)` is a span after that or
//!   later.
//!
//! A call with a weight counts as so many calls at the same moment: it is admitted if all of them take room together.
//!
//! So no N + 1 calls are counted within one span. Without a discount nothing is assumed about answered calls; but then
//! each call takes room for one trip longer than necessary, and of N calls a second 17 in 100 are lost if a trip takes
//! 200 ms.
//!
//! # What the discount assumes
//!
//! `back(i) + there(j) >= d`: the return path of one call and the outbound path of a later one take at least as long
//! together as the discount. It is a bound from the trips of this window's own calls ([`Trips`]), less a margin
//! ([`LimitSettings::trip_margin`](super::LimitSettings::trip_margin)), so trips shorter than the margin give none. It
//! applies only to a call over a connection that had carried a response before, whose own trip is known and among those
//! that bound it. A trip that is shorter than all before it lowers the discount of all calls at once, including those
//! that have ended.
//!
//! The remaining assumption is that the path of a request does not become shorter, by more than the margin and from one
//! call to the next, than the trips of the last thousand calls have shown to be possible.

use std::collections::VecDeque;
use std::time::Duration;

use super::trips::Trips;

/// An exact sliding window over the latest calls.
#[derive(Clone, Debug)]
pub(super) struct Window {
    most: usize,
    span: Duration,
    /// At most the latest `most` calls that have ended, in order: earlier ones cannot matter any more.
    ended: VecDeque<Ended>,
    /// Admitted calls that have not ended.
    held: usize,
    blocked_until: Duration,
    /// How much shorter than the bound a trip may turn out.
    trip_margin: Duration,
    /// How long before its response a call is assumed to be counted.
    discount: Duration,
    trips: Trips,
}

/// A call that takes room for one span.
#[derive(Clone, Copy, Debug)]
struct Ended {
    /// A span after the exchange has counted it at the latest.
    until: Duration,
    /// The same, less the discount of that time.
    discounted: Duration,
}

impl Window {
    /// At most `most` calls in any `span`, where trips may turn out shorter than expected by `trip_margin`.
    pub(super) fn new(most: u32, span: Duration, trip_margin: Duration) -> Self {
        Self {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            span,
            ended: VecDeque::new(),
            held: 0,
            blocked_until: Duration::ZERO,
            trip_margin,
            discount: Duration::ZERO,
            trips: Trips::new(),
        }
    }

    pub(super) fn span(&self) -> Duration {
        self.span
    }

    #[cfg(feature = "redis")]
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// How many calls may still arrive.
    #[cfg(feature = "redis")]
    pub(super) fn under_way(&self, now: Duration) -> usize {
        self.held + self.ended.iter().filter(|ended| ended.until > now.saturating_add(self.span)).count()
    }

    /// Whether there ever is room for `count` calls.
    pub(super) fn can_take(&self, count: usize) -> bool {
        count <= self.most
    }

    /// Whether a new one would be equivalent.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let expired = self.ended.back().is_none_or(|latest| self.expires(latest) <= now);
        self.held == 0 && expired && self.blocked_until <= now
    }

    /// When there is room for `count` more calls, if nothing changes. `None` if that depends on calls that have not
    /// ended.
    #[inline]
    pub(super) fn free_at(&self, count: usize) -> Option<Duration> {
        let stay = self.most.checked_sub(self.held)?.checked_sub(count)?;
        // All ended calls but the latest `stay` have to expire.
        let expires = match self.ended.len().checked_sub(stay + 1) {
            Some(index) => self.expires(&self.ended[index]),
            None => Duration::ZERO,
        };
        Some(expires.max(self.blocked_until))
    }

    /// Whether there is room for `count` more calls: [`free_at`](Self::free_at) without the arithmetic.
    #[inline]
    pub(super) fn is_free(&self, now: Duration, count: usize) -> bool {
        let taken = self.ended.len() + self.held + count;
        let has_room = taken <= self.most
            || self.held + count <= self.most
                && self.ended.get(taken - self.most - 1).is_none_or(|ended| self.expires(ended) <= now);
        has_room && self.blocked_until <= now
    }

    /// Until when a call takes room. The discount at its end is reduced if the current one is smaller.
    #[inline]
    fn expires(&self, call: &Ended) -> Duration {
        call.discounted.max(call.until.saturating_sub(self.discount))
    }

    /// Admits a call that counts as `count`.
    #[inline]
    pub(super) fn hold(&mut self, count: usize) {
        self.held += count;
    }

    /// An admitted call that counts as `count` is not sent.
    pub(super) fn release(&mut self, count: usize) {
        self.held = self.held.saturating_sub(count);
    }

    /// An admitted call that counts as `count` was answered `now`, `took` after it was sent. The `trip` is known if the
    /// connection had carried a response before.
    #[inline]
    pub(super) fn answered(&mut self, count: usize, now: Duration, took: Duration, trip: Option<Duration>) {
        self.release(count);
        let tells_more = match trip {
            Some(trip) => self.trips.add(trip.min(took)),
            None => self.trips.cap(took),
        };
        if tells_more {
            self.discount = self.trips.bound().saturating_sub(self.trip_margin);
        }
        let own = trip.map_or(Duration::ZERO, |_| self.discount);
        self.log(count, now, own);
    }

    /// An admitted call that counts as `count` takes room from `at` on, when it has arrived or never will.
    pub(super) fn lost(&mut self, count: usize, at: Duration) {
        self.release(count);
        self.log(count, at, Duration::ZERO);
    }

    /// An admitted call that counts as `count` is sent `now`, and takes as long as usual.
    pub(super) fn expect(&mut self, count: usize, now: Duration) {
        self.release(count);
        self.log(count, now.saturating_add(self.trips.usual()), self.discount);
    }

    /// The same for all admitted calls.
    pub(super) fn expect_all(&mut self, now: Duration) {
        self.expect(self.held, now);
    }

    /// Logs `count` calls of others, which take room for one span.
    pub(super) fn count(&mut self, count: usize, now: Duration) {
        self.log(count, now, Duration::ZERO);
    }

    /// Logs `count` calls of others, which take room until then.
    pub(super) fn count_until(&mut self, count: usize, until: Duration) {
        (0..count.min(self.most)).for_each(|_| self.log_one(until, Duration::ZERO));
    }

    #[inline]
    fn log(&mut self, count: usize, at: Duration, discount: Duration) {
        let until = at.saturating_add(self.span);
        (0..count.min(self.most)).for_each(|_| self.log_one(until, discount));
    }

    #[inline]
    fn log_one(&mut self, until: Duration, discount: Duration) {
        let (latest, before) = self.ended.back().map_or_else(Default::default, |last| (last.until, last.discounted));
        if latest > until {
            return self.log_before(until, discount);
        }
        if self.ended.len() >= self.most {
            self.ended.pop_front();
        }
        self.ended.push_back(Ended { until, discounted: until.saturating_sub(discount).max(before) });
    }

    /// Logs a call before others: calls that were given up count from later than now, and those of others may leave
    /// sooner.
    #[cold]
    fn log_before(&mut self, until: Duration, discount: Duration) {
        let place = self.ended.partition_point(|ended| ended.until <= until);
        let before = place.checked_sub(1).map_or(Duration::ZERO, |before| self.ended[before].discounted);
        self.ended.insert(place, Ended { until, discounted: until.saturating_sub(discount).max(before) });
        if self.ended.len() > self.most {
            self.ended.pop_front();
        }
    }

    /// Admits no call before `until`.
    pub(super) fn block(&mut self, until: Duration) {
        self.blocked_until = self.blocked_until.max(until);
    }

    /// The remaining calls by a count of the calls within one span, taken at `moment` or later.
    pub(super) fn left(&self, moment: Duration) -> usize {
        let expired = self.ended.partition_point(|ended| self.expires(ended) <= moment);
        self.most.saturating_sub(self.ended.len() - expired + self.held)
    }
}
