//! One limit, kept exactly.
//!
//! # The law
//!
//! The exchange counts a call at some moment between when the request was written and when its response was read. It is
//! not known when, so a call takes room
//!
//! 1. from when it is let go until it ends, for it may be counted at any time;
//! 2. when it was answered: from the answer, less the [discount](Trips::bound), for one span;
//! 3. when it was given up without an answer: from then, plus the time in which it may still arrive, for one span.
//!
//! A call that was let go but surely never sent takes no room any more. Another call is let go while fewer than N take
//! room.
//!
//! # Why no window has more than N calls in it
//!
//! Take N + 1 calls, and of these the one that was let go last, `j`. When it was, at least one of the others, `i`, took
//! no room any more. Let `c` be when the exchange counts a call, `there` the way of a request from being let go to being
//! counted, `back` the way of a response from then on, and `d` the discount of `i`:
//!
//! - If `i` was answered, `j` was let go at `answered(i) - d + span` or later, so
//!   `c(j) >= answered(i) - d + span + there(j) = c(i) + span + (back(i) + there(j) - d)`.
//!   That is `c(i) + span` or later as long as `d <= back(i) + there(j)`.
//! - If `i` was given up, `c(i)` is at most the moment from which it takes room, and `c(j)` is a span after that or later.
//!
//! So no N + 1 calls are counted within one span. Without a discount nothing is assumed about answered calls at all; but
//! each call then takes room for one trip longer than need be, and of N calls a second 17 in 100 are lost where a trip
//! takes 200 ms.
//!
//! # What the discount assumes
//!
//! `back(i) + there(j) >= d`: the way back of one call and the way there of a later one take as long together as the
//! discount says. It is a bound from the trips of this window's own calls ([`Trips`]), less a margin
//! ([`LimitSettings::trip_margin`](super::LimitSettings::trip_margin)), so trips shorter than the margin give none.
//! It is taken only for a call over a connection that had carried an answer before, whose own trip is known and among
//! those that bound it. A trip that is shorter than all before it lowers the discount of all calls at once, those
//! that ended before it included.
//!
//! What remains assumed: the way of a request does not become shorter, by more than the margin and from one call to the
//! next, than the trips of the last thousand calls have shown to be possible.

use std::collections::VecDeque;
use std::time::Duration;

use super::trips::Trips;

/// An exact sliding window over the latest calls.
#[derive(Clone, Debug)]
pub(super) struct Window {
    most: usize,
    span: Duration,
    /// The latest `most` calls that have ended at most, in order: earlier ones cannot matter any more.
    ended: VecDeque<Ended>,
    /// Calls that were let go and have not ended.
    held: usize,
    blocked_until: Duration,
    /// How much shorter than the bound a trip may turn out.
    trip_margin: Duration,
    /// How long before its answer a call is taken to be counted.
    discount: Duration,
    trips: Trips,
}

/// A call that takes room for one span.
#[derive(Clone, Copy, Debug)]
struct Ended {
    /// By then the exchange has counted it.
    at: Duration,
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

    /// How many calls may yet arrive.
    #[cfg(feature = "redis")]
    pub(super) fn under_way(&self, now: Duration) -> usize {
        self.held + self.ended.iter().filter(|ended| ended.at > now).count()
    }

    /// Whether there never is room.
    pub(super) fn is_none(&self) -> bool {
        self.most == 0
    }

    /// Whether a new one would do as well.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let expired = self.ended.back().is_none_or(|latest| self.expires(latest) <= now);
        self.held == 0 && expired && self.blocked_until <= now
    }

    /// From when on there is room for one more call, if nothing happens until then. `None` when only calls that have
    /// not ended stand in the way.
    #[inline]
    pub(super) fn free_at(&self) -> Option<Duration> {
        let free = self.most.checked_sub(self.held).filter(|free| *free > 0)?;
        // With the held ones, the call that is in the way is the `free`-th latest.
        let expires = match self.ended.len().checked_sub(free) {
            Some(index) => self.expires(&self.ended[index]),
            None => Duration::ZERO,
        };
        Some(expires.max(self.blocked_until))
    }

    /// Whether there is room for one more call: [`free_at`](Self::free_at) without the arithmetic.
    #[inline]
    pub(super) fn is_free(&self, now: Duration) -> bool {
        let taken = self.ended.len() + self.held;
        let has_room = taken < self.most
            || self.held < self.most
                && self.ended.get(taken - self.most).is_none_or(|ended| self.expires(ended) <= now);
        has_room && self.blocked_until <= now
    }

    /// Until when a call takes room. What was discounted when it ended is taken back where it seems too much by now.
    #[inline]
    fn expires(&self, call: &Ended) -> Duration {
        call.discounted.max(call.at.saturating_sub(self.discount)).saturating_add(self.span)
    }

    /// Lets a call go.
    #[inline]
    pub(super) fn hold(&mut self) {
        self.held += 1;
    }

    /// A call that was let go is not sent.
    pub(super) fn release(&mut self) {
        self.held = self.held.saturating_sub(1);
    }

    /// A call that was let go was answered `now`, `took` after it was sent; the `trip` is known where the connection had
    /// carried an answer before.
    #[inline]
    pub(super) fn answered(&mut self, now: Duration, took: Duration, trip: Option<Duration>) {
        self.release();
        let tells_more = match trip {
            Some(trip) => self.trips.add(trip.min(took)),
            None => self.trips.cap(took),
        };
        if tells_more {
            self.discount = self.trips.bound().saturating_sub(self.trip_margin);
        }
        let own = trip.map_or(Duration::ZERO, |_| self.discount);
        self.log(now, own);
    }

    /// A call that was let go takes room from `at` on, when it has arrived or never will.
    pub(super) fn lost(&mut self, at: Duration) {
        self.release();
        self.log(at, Duration::ZERO);
    }

    /// A call that was let go goes out `now`, and takes as long as usual.
    pub(super) fn expect(&mut self, now: Duration) {
        self.release();
        self.log(now.saturating_add(self.trips.usual()), self.discount);
    }

    /// The same, for all calls that were let go.
    pub(super) fn expect_all(&mut self, now: Duration) {
        while self.held > 0 {
            self.expect(now);
        }
    }

    /// Logs a call that someone else has made.
    pub(super) fn count(&mut self, now: Duration) {
        self.log(now, Duration::ZERO);
    }

    #[inline]
    fn log(&mut self, at: Duration, discount: Duration) {
        let (latest, before) = self.ended.back().map_or_else(Default::default, |last| (last.at, last.discounted));
        if latest > at {
            return self.log_behind(at, discount);
        }
        if self.ended.len() >= self.most {
            self.ended.pop_front();
        }
        self.ended.push_back(Ended { at, discounted: at.saturating_sub(discount).max(before) });
    }

    /// Logs a call before others: calls that were given up count from later than now, and keep their places.
    #[cold]
    fn log_behind(&mut self, at: Duration, discount: Duration) {
        let place = self.ended.partition_point(|ended| ended.at <= at);
        let before = place.checked_sub(1).map_or(Duration::ZERO, |before| self.ended[before].discounted);
        self.ended.insert(place, Ended { at, discounted: at.saturating_sub(discount).max(before) });
        if self.ended.len() > self.most {
            self.ended.pop_front();
        }
    }

    /// Lets nothing go before `until`.
    pub(super) fn block(&mut self, until: Duration) {
        self.blocked_until = self.blocked_until.max(until);
    }

    /// How many more calls someone knows of who counts, at `moment` or later, the calls of one span before it.
    pub(super) fn left(&self, moment: Duration) -> usize {
        let expired = self.ended.partition_point(|ended| self.expires(ended) <= moment);
        self.most.saturating_sub(self.ended.len() - expired + self.held)
    }
}
