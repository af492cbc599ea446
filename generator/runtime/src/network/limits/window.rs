//! One limit, enforced exactly, and the calls that are counted in the same windows.
//!
//! A waiting call keeps its room in pools, as much as it weighs, once nothing but shared windows delays it. In order of
//! arrival alone, heavy calls would be passed forever; with the whole pool kept, an order that waits for the limit of a
//! day would stop every query.
//!
//! # The rule
//!
//! The exchange counts a call at some unknown moment between the writing of the request and the reading of its
//! response. So a call takes room
//!
//! 1. from its admission until it ends, because it may be counted at any time;
//! 2. if it was answered: until one span after the response, or, if the response states when the exchange counted the
//!    call, until one span after that, less the [way](Ways::bound) of the next request;
//! 3. if it was given up without a response: for one span from the moment at which it has arrived or never will.
//!
//! An admitted call that was certainly not sent takes no room any more. A call is admitted while fewer than N take
//! room.
//!
//! # Why no window contains more than N calls
//!
//! Take N + 1 calls, and of these the one that was admitted last, `j`. At its admission, at least one of the others,
//! `i`, took no room any more. Let `c` be when the exchange counts a call, `there(j)` the time from the admission of `j`
//! to `c(j)`, and `way` the bound:
//!
//! - If `i` counts from its response, `j` was admitted at `answered(i) + span` or later, and
//!   `c(i) <= answered(i)`, so `c(j) >= c(i) + span`.
//! - If `i` counts from its arrival, `j` was admitted at `c(i) + span - way` or later, so
//!   `c(j) >= c(i) + span + (there(j) - way)`. That is `c(i) + span` or later as long as `way <= there(j)`.
//! - If `i` was given up, `c(i)` is at most the moment from which it takes room for one span.
//!
//! A call with a weight counts as so many calls at the same moment: it is admitted if all of them take room together.
//!
//! So no N + 1 calls are counted within one span. If each call counted from its response, nothing would be assumed about
//! answered calls; but then each takes room for one trip longer than necessary, and of N calls a second 17 in 100 are
//! lost if a trip takes 200 ms.
//!
//! # What counting from the arrival assumes
//!
//! - `c(i)` is the time in the response. An exchange that writes it later than it counts makes the call take room for
//!   longer.
//! - `way <= there(j)`: the way of a request to the exchange is at least as long as the bound. It is the bound on the
//!   ways of this window's own calls ([`Ways`]), less a margin
//!   ([`LimitSettings::way_margin`](super::LimitSettings::way_margin)). A way that is shorter than all before it lowers
//!   the bound for all calls at once, including those that have ended. So the way must not become shorter, by more than
//!   the margin and from one call to the next, than the ways of the last thousand calls have shown to be possible.
//!
//! Round trips show neither: with trips of 200 ms, one request may take 200 ms to the exchange and the next one none.

use std::collections::VecDeque;
use std::time::Duration;

use super::call::Call;
use super::learning::Ways;
use crate::data::sorting::sort_by;
use crate::data::tables::{Effect, Meta};
use crate::data::value::Timestamp;

/// An exact sliding window over the latest calls.
#[derive(Clone, Debug)]
pub(super) struct Window {
    most: usize,
    span: Duration,
    /// At most `most` calls that have ended, in the order in which they expire: earlier ones cannot matter any more.
    ended: VecDeque<Ended>,
    /// Admitted calls that have not ended.
    held: usize,
    blocked_until: Duration,
    /// The time by which a way may turn out shorter than the bound.
    way_margin: Duration,
    /// The time between the admission of the next call and its count, on the scale of `ways`; zero if that is not
    /// known.
    lead: Duration,
    ways: Ways,
    /// About how long a trip takes, in microseconds, for plans.
    usual_trip: u32,
}

/// A call that takes room for one span.
#[derive(Clone, Copy, Debug)]
struct Ended {
    expires: Duration,
    /// A span after the exchange has counted it at the latest.
    until: Duration,
    /// A span after the exchange has counted it, on the scale of the ways; the end of time if that is not known.
    by_exchange: Duration,
}

/// The answer to a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered {
    pub(super) sent: Duration,
    pub(super) now: Duration,
    /// The round trip, if the connection had carried a response before.
    pub(super) trip: Option<Duration>,
    /// When the exchange counted the call, by its clock.
    pub(super) request_time: Option<Timestamp>,
}

impl Window {
    /// Creates a window of at most `most` calls in any `span`, where ways may turn out shorter than expected by
    /// `way_margin`.
    pub(super) fn new(most: u32, span: Duration, way_margin: Duration) -> Self {
        Self {
            most: usize::try_from(most).unwrap_or(usize::MAX),
            span,
            ended: VecDeque::new(),
            held: 0,
            blocked_until: Duration::ZERO,
            way_margin,
            lead: Duration::ZERO,
            ways: Ways::new(),
            usual_trip: 0,
        }
    }

    pub(super) fn span(&self) -> Duration {
        self.span
    }

    #[cfg(feature = "redis")]
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Returns how many calls may still arrive.
    #[cfg(feature = "redis")]
    pub(super) fn under_way(&self, now: Duration) -> usize {
        self.held + self.ended.iter().filter(|ended| ended.until > now.saturating_add(self.span)).count()
    }

    /// Returns whether there ever is room for `count` calls.
    pub(super) fn can_take(&self, count: usize) -> bool {
        count <= self.most
    }

    /// Returns whether a new one would be equivalent.
    pub(super) fn is_idle(&self, now: Duration) -> bool {
        let expired = self.ended.back().is_none_or(|latest| latest.expires <= now);
        self.held == 0 && expired && self.blocked_until <= now
    }

    /// Returns when there is room for `count` more calls, if nothing changes. `None` if that depends on calls that have
    /// not ended.
    #[inline]
    pub(super) fn free_at(&self, count: usize) -> Option<Duration> {
        let stay = self.most.checked_sub(self.held)?.checked_sub(count)?;
        // All ended calls but the latest `stay` have to expire.
        let expires = match self.ended.len().checked_sub(stay + 1) {
            Some(index) => self.ended[index].expires,
            None => Duration::ZERO,
        };
        Some(expires.max(self.blocked_until))
    }

    /// Returns whether there is room for `count` more calls: [`free_at`](Self::free_at) without the arithmetic.
    #[inline]
    pub(super) fn is_free(&self, now: Duration, count: usize) -> bool {
        let taken = self.ended.len() + self.held + count;
        let has_room = taken <= self.most
            || self.held + count <= self.most
                && self.ended.get(taken - self.most - 1).is_none_or(|ended| ended.expires <= now);
        has_room && self.blocked_until <= now
    }

    /// Admits a call that counts as `count`.
    #[inline]
    pub(super) fn hold(&mut self, count: usize) {
        self.held += count;
    }

    /// Notes that an admitted call that counts as `count` is not sent.
    pub(super) fn release(&mut self, count: usize) {
        self.held = self.held.saturating_sub(count);
    }

    /// Notes that an admitted call that counts as `count` was answered.
    #[inline]
    pub(super) fn answered(&mut self, count: usize, answered: Answered) {
        let Answered { sent, now, trip, request_time } = answered;
        self.release(count);
        let took = now.saturating_sub(sent);
        if let Some(trip) = trip {
            self.note_trip(trip.min(took));
        }
        let counted = request_time.and_then(|counted| self.ways.add(sent, counted, trip.is_some()));
        let lead = self.ways.bound().saturating_sub(self.way_margin);
        if lead < self.lead {
            self.shorten_lead(lead);
        }
        self.lead = lead;
        let by_exchange = counted.map_or(Duration::MAX, |counted| counted.saturating_add(self.span));
        let until = now.saturating_add(self.span);
        // It was not counted before it was written.
        let earliest = until.saturating_sub(trip.map_or(took, |trip| trip.min(took)));
        let expires = until.min(by_exchange.saturating_sub(lead)).max(earliest);
        self.log(count, Ended { expires, until, by_exchange });
    }

    #[inline]
    fn note_trip(&mut self, trip: Duration) {
        let trip = u32::try_from(trip.as_micros()).unwrap_or(u32::MAX);
        let usual = if self.usual_trip == 0 { trip } else { self.usual_trip };
        self.usual_trip = if trip > usual { usual + (trip - usual) / 8 } else { usual - (usual - trip) / 8 };
    }

    /// Makes the calls that have ended take room for longer.
    #[cold]
    fn shorten_lead(&mut self, lead: Duration) {
        for ended in &mut self.ended {
            ended.expires = ended.expires.max(ended.until.min(ended.by_exchange.saturating_sub(lead)));
        }
        sort_by(self.ended.make_contiguous(), &|one, other| one.expires.cmp(&other.expires));
    }

    /// Notes that an admitted call that counts as `count` takes room from `at` on, when it has arrived or never will.
    pub(super) fn lost(&mut self, count: usize, at: Duration) {
        self.release(count);
        self.count(count, at);
    }

    /// Notes that a call that counts as `count` and was to take room from `at` on takes it from the earlier moment
    /// `settled` on.
    pub(super) fn settled(&mut self, count: usize, at: Duration, settled: Duration) {
        let (before, after) = (at.saturating_add(self.span), settled.saturating_add(self.span));
        for _ in 0..count {
            let Some(place) = self.ended.iter().rposition(|ended| ended.until == before) else { return };
            self.ended.remove(place);
            self.log_one(Ended::known(after));
        }
    }

    /// Notes that an admitted call that counts as `count` is sent `now`, and takes as long as usual.
    pub(super) fn expect(&mut self, count: usize, now: Duration) {
        self.release(count);
        let trip = Duration::from_micros(self.usual_trip.into());
        let later = if self.lead.is_zero() { trip } else { self.ways.usual().saturating_sub(self.lead).min(trip) };
        self.count(count, now.saturating_add(later));
    }

    /// Notes the same for all admitted calls.
    pub(super) fn expect_all(&mut self, now: Duration) {
        self.expect(self.held, now);
    }

    /// Logs `count` calls, which take room for one span from `at` on.
    pub(super) fn count(&mut self, count: usize, at: Duration) {
        self.count_until(count, at.saturating_add(self.span));
    }

    /// Logs `count` calls, which take room until then.
    pub(super) fn count_until(&mut self, count: usize, until: Duration) {
        self.log(count, Ended::known(until));
    }

    #[inline]
    fn log(&mut self, count: usize, ended: Ended) {
        (0..count.min(self.most)).for_each(|_| self.log_one(ended));
    }

    #[inline]
    fn log_one(&mut self, ended: Ended) {
        if self.ended.back().is_some_and(|last| last.expires > ended.expires) {
            return self.log_before(ended);
        }
        if self.ended.len() >= self.most {
            self.ended.pop_front();
        }
        self.ended.push_back(ended);
    }

    /// Logs a call before others: calls that were given up expire late, and those of others may leave sooner.
    #[cold]
    fn log_before(&mut self, ended: Ended) {
        let place = self.ended.partition_point(|other| other.expires <= ended.expires);
        self.ended.insert(place, ended);
        if self.ended.len() > self.most {
            self.ended.pop_front();
        }
    }

    /// Admits no call before `until`.
    pub(super) fn block(&mut self, until: Duration) {
        self.blocked_until = self.blocked_until.max(until);
    }

    /// Returns the remaining calls by a count of the calls within one span, taken at `moment` or later.
    pub(super) fn left(&self, moment: Duration) -> usize {
        let expired = self.ended.partition_point(|ended| ended.expires <= moment);
        self.most.saturating_sub(self.ended.len() - expired + self.held)
    }
}

impl Ended {
    /// Creates a call that takes room until then, whatever is learned about ways.
    fn known(until: Duration) -> Self {
        Self { expires: until, until, by_exchange: Duration::MAX }
    }
}

/// The key of a bucket or a window. Keys are never reused.
pub(super) type Key = slotmap::DefaultKey;

/// The calls that are counted in the same windows: those of one operation, class, account and address.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    operation: &'static Meta,
    classes: [&'static str; 2],
    or_classes: Option<[&'static str; 2]>,
    /// The rows of the operation's table that apply to its calls.
    rows: u64,
    account: String,
    pub(super) address: String,
    /// True if its calls are admitted before those of other buckets.
    urgent: bool,
    /// True if no call is ever admitted.
    pub(super) closed: bool,
    /// Until when no call is admitted, even if the windows have room.
    pub(super) shut_until: Duration,
    /// The windows that must all have room: those of the operation alone, of its pools, and the overall ones.
    pub(super) windows: Vec<Taken>,
    /// The number of windows at the front in which no other operation counts.
    pub(super) alone: usize,
    /// The number of windows at the front that are in the operation's table.
    pub(super) own: usize,
    /// The turns of the waiting calls, in order.
    pub(super) queue: VecDeque<u64>,
}

/// The part of a window that a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) window: Key,
    /// The number of calls that one call counts as.
    pub(super) count: usize,
}

/// The end of a pause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) until: Duration,
    /// The end for cancellations.
    pub(super) cancels_until: Duration,
}

impl Bucket {
    pub(super) fn of(call: &Call<'_>, windows: Vec<Taken>, [alone, own]: [usize; 2], urgent: bool) -> Self {
        let (account, address) = names(call);
        Self {
            operation: call.meta(),
            classes: [call.uid_class, call.ip_class],
            or_classes: call.or_classes,
            rows: call.rows,
            account: account.to_owned(),
            address: address.to_owned(),
            urgent,
            closed: false,
            shut_until: Duration::ZERO,
            windows,
            alone,
            own,
            queue: VecDeque::new(),
        }
    }

    #[inline]
    pub(super) fn takes(&self, call: &Call<'_>) -> bool {
        let (account, address) = names(call);
        std::ptr::eq(self.operation, call.meta())
            && self.rows == call.rows
            && self.or_classes == call.or_classes
            && is_same(self.classes[0], call.uid_class)
            && is_same(self.classes[1], call.ip_class)
            && is_same(&self.account, account)
            && is_same(&self.address, address)
    }

    /// Admits no call until the end of `pause`.
    pub(super) fn shut(&mut self, pause: Pause) {
        let until = if self.cancels() { pause.cancels_until } else { pause.until };
        self.shut_until = self.shut_until.max(until);
    }

    pub(super) fn cancels(&self) -> bool {
        self.operation.effect == Effect::Cancel
    }

    /// Returns the rank of the first waiting call among those of all buckets: the least is admitted first.
    pub(super) fn turn(&self) -> Option<(bool, u64)> {
        self.queue.front().map(|turn| (!self.urgent, *turn))
    }
}

fn names<'a>(call: &Call<'a>) -> (&'a str, &'a str) {
    use crate::data::tables::Scope::{Ip, Uid};
    (call.counted(Uid), call.counted(Ip))
}

/// Returns whether two names are the same, without comparing their bytes if possible. Empty texts may have a dangling
/// address, and processors with AVX-512 take a hundred nanoseconds to compare zero bytes there.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && (one.is_empty() || std::ptr::eq(one, other) || one == other)
}
