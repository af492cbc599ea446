//! The state of a limiter, without threads, wakers or clocks.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasher;
use std::time::Duration;

use rustc_hash::FxBuildHasher;
use slotmap::{Key as _, KeyData, SecondaryMap, SlotMap};

use super::call::{Call, Reservation};
use super::settings::LimitSettings;
use super::window::{Answered, Bucket, Key, Pause, Taken, Window};
use crate::data::error::BindingLimit;
use crate::data::tables::{RateLimit, Scope};

/// Returns a reservation of `bucket`.
pub(super) fn reserve_in(bucket: Key, waited: Duration) -> Reservation {
    Reservation::new(bucket.data().as_ffi(), waited)
}

/// Returns the bucket of `reservation`.
#[inline]
pub(super) fn bucket_of(reservation: &Reservation) -> Key {
    KeyData::from_ffi(reservation.key).into()
}

/// The state of a limiter, without threads, wakers or clocks: past calls, waiting calls and admissions.
#[derive(Clone, Debug)]
pub(super) struct LimiterState {
    pub(super) settings: LimitSettings,
    pub(super) windows: SlotMap<Key, Counter>,
    pub(super) window_of: HashMap<WindowKey, Key>,
    pub(super) buckets: SlotMap<Key, Bucket>,
    /// The buckets by a hash of their key, so that a lookup builds no key.
    pub(super) buckets_of: HashMap<u64, Vec<Key>, FxBuildHasher>,
    /// Calls without a response that may still arrive.
    pub(super) given_up: Vec<GivenUp>,
    /// Addresses from which no call is admitted for a while. They are few.
    pub(super) shut: Vec<(String, Pause)>,
    /// The buckets with waiting calls.
    pub(super) busy: Vec<Key>,
    pub(super) next_turn: u64,
    /// True if no call is admitted at all.
    pub(super) paused: bool,
    /// No call is admitted until one window after this, because others may have made calls.
    pub(super) quiet_since: Option<Duration>,
    /// The number of buckets at which idle ones are dropped.
    pub(super) sweep_at: usize,
}

/// The number of calls of each window that are left to calls that have waited longer.
type KeptRoom = SecondaryMap<Key, usize>;

impl Taken {
    /// Returns what has to be free, with the room in `kept` left to others.
    fn beside(self, kept: &KeptRoom) -> usize {
        self.count.saturating_add(kept.get(self.window).copied().unwrap_or_default())
    }
}

/// A call that was sent and given up without a response.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenUp {
    bucket: Key,
    /// When it was given up.
    at: Duration,
    /// When it has arrived at the latest.
    arrived: Duration,
}

/// A window and its limit.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub(super) window: Window,
    pub(super) binding: BindingLimit,
}

/// The key of calls that are counted together: an operation or a pool, a row of its table, and an account or address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WindowKey {
    /// `None` for pools and the overall limits.
    pub(super) operation: Option<&'static str>,
    pub(super) pool: Option<&'static str>,
    pub(super) class: &'static str,
    pub(super) calls: u32,
    pub(super) per_millis: u32,
    pub(super) scope: Scope,
    pub(super) counted: String,
}

impl WindowKey {
    pub(super) fn of(operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> Self {
        let RateLimit { calls, per_millis, scope, class, pool, weight: _, when: _ } = *row;
        let operation = operation.filter(|_| pool.is_none());
        let counted = call.counted(scope).to_owned();
        Self { operation, pool, class, calls, per_millis, scope, counted }
    }
}

impl LimiterState {
    pub(super) fn new(settings: LimitSettings) -> Self {
        Self {
            settings,
            windows: SlotMap::new(),
            window_of: HashMap::new(),
            buckets: SlotMap::new(),
            buckets_of: HashMap::default(),
            given_up: Vec::new(),
            shut: Vec::new(),
            busy: Vec::new(),
            next_turn: 0,
            paused: false,
            quiet_since: None,
            sweep_at: FEW,
        }
    }

    /// Returns the bucket of a call, if it exists. There is one for each operation, class, account and address.
    #[inline]
    pub(super) fn find(&self, call: &Call<'_>) -> Option<Key> {
        let same = self.buckets_of.get(&self.hash(call))?;
        same.iter().copied().find(|bucket| self.buckets.get(*bucket).is_some_and(|bucket| bucket.takes(call)))
    }

    /// Returns the bucket of a call.
    #[inline]
    pub(super) fn bucket(&mut self, call: &Call<'_>, now: Duration) -> Key {
        match self.find(call) {
            Some(bucket) => bucket,
            None => self.add_bucket(call, now),
        }
    }

    #[inline]
    fn hash(&self, call: &Call<'_>) -> u64 {
        // By the address of the table, not its content: two copies have two buckets, but the same windows.
        let table = std::ptr::from_ref(call.meta()).addr();
        self.buckets_of.hasher().hash_one((table, call.counted(Scope::Uid), call.counted(Scope::Ip)))
    }

    #[cold]
    fn add_bucket(&mut self, call: &Call<'_>, now: Duration) -> Key {
        self.drop_idle(now);
        let operation = call.meta().id;
        let mut windows = Vec::new();
        let mut parts = [0; 2];
        for (part, is_pooled) in parts.iter_mut().zip([false, true]) {
            for row in call.limits().filter(|row| row.pool.is_some() == is_pooled) {
                windows.push(self.take_of(Some(operation), row, call));
            }
            *part = windows.len();
        }
        for row in &self.settings.overall.clone() {
            windows.push(self.take_of(None, row, call));
        }
        let has_no_share =
            |taken: &Taken| self.windows.get(taken.window).is_some_and(|all| !all.window.can_take(taken.count));
        let closed = windows.iter().any(has_no_share);
        let urgent = self.settings.is_urgent(call.meta());
        let quiet_until = self.quiet_since.map(|since| since.saturating_add(self.longest_span(&windows)));
        let mut bucket = Bucket::of(call, windows, parts, urgent);
        bucket.closed = closed;
        bucket.shut_until = quiet_until.unwrap_or_default();
        if let Some((_, pause)) = self.shut.iter().find(|(address, _)| *address == bucket.address) {
            bucket.shut(*pause);
        }
        let bucket = self.buckets.insert(bucket);
        self.buckets_of.entry(self.hash(call)).or_default().push(bucket);
        bucket
    }

    fn take_of(&mut self, operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> Taken {
        let count = usize::try_from(row.weight.max(1)).unwrap_or(usize::MAX);
        Taken { window: self.window(operation, row, call), count }
    }

    fn window(&mut self, operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> Key {
        *self.window_of.entry(WindowKey::of(operation, row, call)).or_insert_with(|| {
            let span = self.settings.span_of(row);
            // With a limit of zero, calls would never be admitted; it is read as one.
            let most = self.settings.share.of(row.calls.max(1));
            let window = Window::new(most, span, self.settings.way_margin);
            let operation = operation.filter(|_| row.pool.is_none());
            // Others of the pool may have another weight.
            let limit = RateLimit { weight: 1, ..*row };
            self.windows.insert(Counter { window, binding: BindingLimit { operation, limit } })
        })
    }

    pub(super) fn longest_span(&self, windows: &[Taken]) -> Duration {
        let mut longest = Duration::ZERO;
        for taken in windows {
            if let Some(counter) = self.windows.get(taken.window) {
                longest = longest.max(counter.window.span());
            }
        }
        longest
    }

    /// Returns when a call of `bucket` can be admitted, if nothing changes, and the window that delays it. The time is
    /// `None` if it depends on calls that have not ended.
    #[inline]
    pub(super) fn free_at(&self, bucket: Key) -> (Option<Duration>, Option<&Counter>) {
        self.free_beside(bucket, &KeptRoom::new())
    }

    /// Returns the same, with the room in `kept` left to others.
    fn free_beside(&self, bucket: Key, kept: &KeptRoom) -> (Option<Duration>, Option<&Counter>) {
        let Some(bucket) = self.buckets.get(bucket).filter(|_| !self.paused) else { return (None, None) };
        let mut latest = (bucket.shut_until, None);
        for taken in &bucket.windows {
            let Some(counter) = self.windows.get(taken.window) else { continue };
            match counter.window.free_at(taken.beside(kept)) {
                None => return (None, Some(counter)),
                Some(free) if free > latest.0 => latest = (free, Some(counter)),
                _ => {}
            }
        }
        (Some(latest.0), latest.1)
    }

    #[inline]
    pub(super) fn is_free(&self, bucket: Key, now: Duration) -> bool {
        let Some(bucket) = self.buckets.get(bucket).filter(|_| !self.paused) else { return false };
        bucket.shut_until <= now && bucket.windows.iter().all(|taken| self.has_room(taken.window, now, taken.count))
    }

    /// Returns the same, with the room in `kept` left to others.
    fn is_free_beside(&self, bucket: Key, now: Duration, kept: &KeptRoom) -> bool {
        let Some(bucket) = self.buckets.get(bucket).filter(|_| !self.paused) else { return false };
        let has_room = |taken: &Taken| self.has_room(taken.window, now, taken.beside(kept));
        bucket.shut_until <= now && bucket.windows.iter().all(has_room)
    }

    #[inline]
    fn has_room(&self, window: Key, now: Duration, count: usize) -> bool {
        self.windows.get(window).is_some_and(|counter| counter.window.is_free(now, count))
    }

    /// Returns whether no call of `bucket` is ever admitted, because the share of a limit is less than one call.
    pub(super) fn is_closed(&self, bucket: Key) -> bool {
        self.buckets.get(bucket).is_some_and(|bucket| bucket.closed)
    }

    /// Returns how long it takes until a call of `bucket` can be admitted, and the limit that delays it. If the time is
    /// not known yet, it is a whole window.
    pub(super) fn free_in(&self, bucket: Key, now: Duration) -> (Duration, Option<BindingLimit>) {
        let (free, counter) = self.free_at(bucket);
        let span = counter.map(|counter| counter.window.span()).unwrap_or_default();
        (free.map_or(span, |free| free.saturating_sub(now)), counter.map(|counter| counter.binding))
    }

    pub(super) fn binding(&self, bucket: Key) -> Option<BindingLimit> {
        self.free_at(bucket).1.map(|counter| counter.binding)
    }

    /// Admits a call, for which there must be room.
    #[inline]
    pub(super) fn hold(&mut self, bucket: Key) {
        self.each_window(bucket, Window::hold);
    }

    /// Notes that an admitted call is not sent.
    pub(super) fn release(&mut self, bucket: Key) {
        self.each_window(bucket, Window::release);
    }

    /// Notes that an admitted call is answered.
    #[inline]
    pub(super) fn answered(&mut self, bucket: Key, answered: Answered) {
        self.each_window(bucket, |window, count| window.answered(count, answered));
        if !self.given_up.is_empty() && answered.request_time.is_some() {
            self.settle_given_up(bucket, answered);
        }
    }

    /// Notes that an admitted call, sent at `sent`, was given up without a response. It takes room until it can no
    /// longer arrive.
    pub(super) fn lost(&mut self, bucket: Key, sent: Duration, now: Duration) {
        let arrived = self.settings.arrived_at(sent, now);
        self.each_window(bucket, |window, count| window.lost(count, arrived));
        self.given_up.retain(|given_up| given_up.arrived > now);
        if !self.windows_of(bucket).is_empty() {
            self.given_up.push(GivenUp { bucket, at: now, arrived });
        }
    }

    /// Settles what was given up: a response to a later request over the same network shows that it holds nothing back:
    /// what was given up before that request was sent has arrived, or arrives within the time by which one request can
    /// overtake another.
    #[cold]
    fn settle_given_up(&mut self, answered: Key, Answered { sent, now, .. }: Answered) {
        let address = self.buckets.get(answered).map(|bucket| bucket.address.clone());
        let arrived = now.saturating_add(self.settings.late_arrival);
        let mut given_up = std::mem::take(&mut self.given_up);
        given_up.retain(|one| {
            let is_of_same = self.buckets.get(one.bucket).map(|bucket| &bucket.address) == address.as_ref();
            let is_settled = is_of_same && one.at <= sent;
            if is_settled && arrived < one.arrived {
                self.each_window(one.bucket, |window, count| window.settled(count, one.arrived, arrived));
            }
            !is_settled
        });
        self.given_up = given_up;
    }

    /// Notes that an admitted call is sent `now`, and takes as long as usual.
    pub(super) fn expect(&mut self, bucket: Key, now: Duration) {
        self.each_window(bucket, |window, count| window.expect(count, now));
    }

    /// Notes the same for all admitted calls.
    pub(super) fn expect_all(&mut self, now: Duration) {
        self.windows.values_mut().for_each(|counter| counter.window.expect_all(now));
    }

    #[inline]
    fn each_window(&mut self, bucket: Key, mut act: impl FnMut(&mut Window, usize)) {
        let Some(bucket) = self.buckets.get(bucket) else { return };
        for taken in &bucket.windows {
            if let Some(counter) = self.windows.get_mut(taken.window) {
                act(&mut counter.window, taken.count);
            }
        }
    }

    fn windows_of(&self, bucket: Key) -> &[Taken] {
        self.buckets.get(bucket).map_or(&[], |bucket| &bucket.windows)
    }

    /// Returns the windows of the operation and its pools, without the overall ones.
    pub(super) fn own_windows(&self, bucket: Key) -> &[Taken] {
        self.buckets.get(bucket).map_or(&[], |bucket| &bucket.windows[..bucket.own])
    }
}

/// The number of buckets that may be idle before they are dropped.
pub(super) const FEW: usize = 64;

// Idle buckets and windows are dropped, so that memory is bounded by the calls within the windows.
impl LimiterState {
    /// Drops idle buckets and windows, if there may be many.
    pub(super) fn drop_idle(&mut self, now: Duration) {
        if self.buckets.len() < self.sweep_at {
            return;
        }
        let Self { windows, window_of, buckets, buckets_of, .. } = self;
        buckets.retain(|_, bucket| !is_idle(bucket, windows, now));
        buckets_of.retain(|_, same| {
            same.retain(|bucket| buckets.get(*bucket).is_some());
            !same.is_empty()
        });
        let mut used = SecondaryMap::new();
        for bucket in buckets.values() {
            for taken in &bucket.windows {
                used.insert(taken.window, ());
            }
        }
        windows.retain(|key, counter| used.contains_key(key) || !counter.window.is_idle(now));
        window_of.retain(|_, key| windows.get(*key).is_some());
        self.shut.retain(|(_, pause)| pause.until > now);
        // At least twice as many, so that the amortized cost per bucket is constant.
        self.sweep_at = FEW.max(self.buckets.len() * 2);
    }
}

/// Returns whether a new bucket would be equivalent. Shared windows outlive a bucket, because they have keys of their
/// own.
fn is_idle(bucket: &Bucket, windows: &SlotMap<Key, Counter>, now: Duration) -> bool {
    let watched = if bucket.alone > 0 { &bucket.windows[..bucket.alone] } else { &bucket.windows };
    let mut counters = watched.iter().filter_map(|taken| windows.get(taken.window));
    bucket.queue.is_empty() && bucket.shut_until <= now && counters.all(|counter| counter.window.is_idle(now))
}

/// A waiting call that is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) turn: u64,
    pub(super) bucket: Key,
}

// Callers that wait.
impl LimiterState {
    /// Returns whether no call waits.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.busy.is_empty()
    }

    /// Appends a call to the queue of `bucket` and returns its turn.
    pub(super) fn line_up(&mut self, bucket: Key) -> u64 {
        let turn = self.next_turn;
        self.next_turn += 1;
        if let Some(of_call) = self.buckets.get_mut(bucket) {
            if of_call.queue.is_empty() {
                self.busy.push(bucket);
            }
            of_call.queue.push_back(turn);
        }
        turn
    }

    /// Removes a call from the queue of `bucket`.
    pub(super) fn leave(&mut self, bucket: Key, turn: u64) {
        if let Some(bucket) = self.buckets.get_mut(bucket)
            && let Ok(at) = bucket.queue.binary_search(&turn)
        {
            bucket.queue.remove(at);
        }
        self.forget_empty_lines();
    }

    /// Admits waiting calls in order, skipping buckets without room.
    ///
    /// A call that only waits for windows that it shares with other operations keeps its room in them: later calls are
    /// admitted only if they leave as much as it takes. Without that, calls that take less, or from fewer pools, could
    /// pass it forever.
    pub(super) fn settle(&mut self, now: Duration) -> Vec<Granted> {
        let mut granted = Vec::new();
        let mut kept = KeptRoom::new();
        let mut order = self.fronts();
        while let Some(Reverse((_, bucket))) = order.pop() {
            // Other admissions only take room away, so a bucket without room stays without.
            if self.is_free_beside(bucket, now, &kept) {
                self.hold(bucket);
                let turn = self.buckets.get_mut(bucket).and_then(|bucket| bucket.queue.pop_front());
                granted.extend(turn.map(|turn| Granted { turn, bucket }));
                order.extend(self.front(bucket));
            } else {
                self.keep_room(bucket, now, &mut kept);
            }
        }
        self.forget_empty_lines();
        granted
    }

    /// Returns when to settle next after `now`, if nothing changes.
    pub(super) fn next_at(&self, now: Duration) -> Option<Duration> {
        let mut next: Option<Duration> = None;
        let mut kept = KeptRoom::new();
        let mut order = self.fronts();
        while let Some(Reverse((_, bucket))) = order.pop() {
            if let Some(free) = self.free_beside(bucket, &kept).0 {
                next = Some(next.map_or(free, |next| next.min(free)));
            }
            self.keep_room(bucket, now, &mut kept);
        }
        next
    }

    /// Keeps room for the first waiting call of `bucket` in the windows that it shares, unless something else delays
    /// it.
    fn keep_room(&self, bucket: Key, now: Duration, kept: &mut KeptRoom) {
        let Some(bucket) = self.buckets.get(bucket).filter(|bucket| bucket.shut_until <= now) else { return };
        let (alone, shared) = bucket.windows.split_at(bucket.alone);
        if alone.iter().all(|taken| self.has_room(taken.window, now, taken.count)) {
            for taken in shared {
                kept.insert(taken.window, taken.beside(kept));
            }
        }
    }

    /// Returns the buckets with waiting calls.
    pub(super) fn busy(&self) -> &[Key] {
        &self.busy
    }

    /// Returns the buckets with waiting calls, the one whose first call is admitted first at the top.
    fn fronts(&self) -> BinaryHeap<Reverse<((bool, u64), Key)>> {
        self.busy.iter().filter_map(|bucket| self.front(*bucket)).collect()
    }

    fn front(&self, bucket: Key) -> Option<Reverse<((bool, u64), Key)>> {
        self.buckets.get(bucket)?.turn().map(|turn| Reverse((turn, bucket)))
    }

    fn forget_empty_lines(&mut self) {
        let buckets = &self.buckets;
        self.busy.retain(|bucket| buckets.get(*bucket).is_some_and(|bucket| !bucket.queue.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Redis limits mark reservations that are not theirs with the highest bit.
    #[test]
    fn a_reservation_identifies_its_bucket_and_leaves_the_highest_bit_free() {
        let mut buckets = SlotMap::new();
        let mut before = Vec::new();
        for round in 0..1_000 {
            let bucket = buckets.insert(round);
            let reservation = reserve_in(bucket, Duration::ZERO);
            assert_eq!((bucket_of(&reservation), reservation.key >> 63), (bucket, 0));
            assert!(before.iter().all(|reservation| buckets.get(bucket_of(reservation)).is_none()));
            before.push(reservation);
            buckets.clear();
        }
    }
}
