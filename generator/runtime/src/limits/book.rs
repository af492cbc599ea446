use std::collections::HashMap;
use std::hash::BuildHasher;
use std::time::Duration;

use super::call::Call;
use super::hash::BuildFold;
use super::lane::Lane;
use super::plan::Binding;
use super::settings::LimitSettings;
use super::slab::{Key, Slab};
use super::window::Window;
use crate::tables::{RateLimit, Scope};

/// Who has called, who waits, and who may go: all that a limiter knows, without threads, wakers or clocks.
#[derive(Clone, Debug)]
pub(super) struct Book {
    pub(super) settings: LimitSettings,
    pub(super) windows: Slab<Counter>,
    pub(super) window_of: HashMap<WindowKey, Key>,
    pub(super) lanes: Slab<Lane>,
    /// The lanes by a hash of what they are found by, so that finding one makes no key.
    pub(super) lanes_of: HashMap<u64, Vec<Key>, BuildFold>,
    /// Addresses from which nothing goes for a while, whatever it is.
    pub(super) shut: HashMap<String, Pause>,
    /// The lanes in which someone waits.
    pub(super) busy: Vec<Key>,
    pub(super) next_turn: u64,
    /// Whether nothing goes at all.
    pub(super) paused: bool,
    /// Before a window after this, nothing goes: others may have called.
    pub(super) quiet_since: Option<Duration>,
    /// At how many lanes to look for idle ones.
    pub(super) sweep_at: usize,
}

/// A window, and what it is of.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub(super) window: Window,
    pub(super) binding: Binding,
}

/// Until when nothing goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) until: Duration,
    /// The same for calls that cancel.
    pub(super) cancels_until: Duration,
}

/// What is counted together: an operation, a row of its table, and who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct WindowKey {
    /// `None` for the overall limits.
    pub(super) operation: Option<&'static str>,
    pub(super) class: &'static str,
    pub(super) calls: u32,
    pub(super) per_seconds: u32,
    pub(super) is_uid: bool,
    pub(super) counted: String,
}

impl WindowKey {
    pub(super) fn of(operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> Self {
        let RateLimit { calls, per_seconds, scope, class } = *row;
        let counted = call.counted(scope).to_owned();
        Self { operation, class, calls, per_seconds, is_uid: scope == Scope::Uid, counted }
    }
}

impl Book {
    pub(super) fn new(settings: LimitSettings) -> Self {
        Self {
            settings,
            windows: Slab::new(),
            window_of: HashMap::new(),
            lanes: Slab::new(),
            lanes_of: HashMap::default(),
            shut: HashMap::new(),
            busy: Vec::new(),
            next_turn: 0,
            paused: false,
            quiet_since: None,
            sweep_at: super::idle::FEW,
        }
    }

    /// The lane of a call, if it has one. There is one for each operation, class, account and address.
    #[inline]
    pub(super) fn find(&self, call: &Call<'_>) -> Option<Key> {
        let same = self.lanes_of.get(&self.hash(call))?;
        same.iter().copied().find(|lane| self.lanes.get(*lane).is_some_and(|lane| lane.takes(call)))
    }

    /// The lane of a call.
    #[inline]
    pub(super) fn lane(&mut self, call: &Call<'_>, now: Duration) -> Key {
        match self.find(call) {
            Some(lane) => lane,
            None => self.add_lane(call, now),
        }
    }

    #[inline]
    fn hash(&self, call: &Call<'_>) -> u64 {
        // Where the table is, not what is in it: two copies of one have two lanes, but the same windows.
        let table = std::ptr::from_ref(call.meta()).addr();
        self.lanes_of.hasher().hash_one((table, call.counted(Scope::Uid), call.counted(Scope::Ip)))
    }

    #[cold]
    fn add_lane(&mut self, call: &Call<'_>, now: Duration) -> Key {
        self.drop_idle(now);
        let operation = call.meta().id;
        let mut windows: Vec<_> = call.limits().map(|row| self.window(Some(operation), row, call)).collect();
        let own = windows.len();
        for row in &self.settings.overall.clone() {
            windows.push(self.window(None, row, call));
        }
        let has_no_share = |key: &Key| self.windows.get(*key).is_some_and(|counter| counter.window.is_none());
        let closed = windows.iter().any(has_no_share);
        let urgent = self.settings.is_urgent(call.meta());
        let quiet_until = self.quiet_since.map(|since| since.saturating_add(self.longest_span(&windows)));
        let mut lane = Lane::of(call, windows, own, urgent);
        lane.closed = closed;
        lane.shut_until = quiet_until.unwrap_or_default();
        if let Some(pause) = self.shut.get(&lane.address) {
            lane.shut(*pause);
        }
        let lane = self.lanes.insert(lane);
        self.lanes_of.entry(self.hash(call)).or_default().push(lane);
        lane
    }

    fn window(&mut self, operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> Key {
        *self.window_of.entry(WindowKey::of(operation, row, call)).or_insert_with(|| {
            let span = self.settings.span_of(row);
            // A limit of none would make callers wait for ever; it is taken for one.
            let most = self.settings.share.of(row.calls.max(1));
            let window = Window::new(most, span, self.settings.trip_margin);
            self.windows.insert(Counter { window, binding: Binding { operation, limit: *row } })
        })
    }

    pub(super) fn longest_span(&self, windows: &[Key]) -> Duration {
        let spans = windows.iter().filter_map(|key| self.windows.get(*key)).map(|counter| counter.window.span());
        spans.max().unwrap_or_default()
    }

    /// From when on a call of `lane` may go, if nothing happens until then, and the window that is in the way until
    /// then. `None` for when calls that have not ended are in the way.
    #[inline]
    pub(super) fn free_at(&self, lane: Key) -> (Option<Duration>, Option<&Counter>) {
        let Some(lane) = self.lanes.get(lane).filter(|_| !self.paused) else { return (None, None) };
        let mut latest = (lane.shut_until, None);
        for counter in lane.windows.iter().filter_map(|key| self.windows.get(*key)) {
            match counter.window.free_at() {
                None => return (None, Some(counter)),
                Some(free) if free > latest.0 => latest = (free, Some(counter)),
                _ => {}
            }
        }
        (Some(latest.0), latest.1)
    }

    #[inline]
    pub(super) fn is_free(&self, lane: Key, now: Duration) -> bool {
        let Some(lane) = self.lanes.get(lane).filter(|_| !self.paused) else { return false };
        let is_free = |key: &Key| self.windows.get(*key).is_some_and(|counter| counter.window.is_free(now));
        lane.shut_until <= now && lane.windows.iter().all(is_free)
    }

    /// Whether no call of `lane` will ever be let go, because its share of a rate is less than one call.
    pub(super) fn is_closed(&self, lane: Key) -> bool {
        self.lanes.get(lane).is_some_and(|lane| lane.closed)
    }

    /// How long it takes until a call of `lane` may go, and because of which limit. When that is not known yet, it is
    /// a whole window.
    pub(super) fn free_in(&self, lane: Key, now: Duration) -> (Duration, Option<Binding>) {
        let (free, counter) = self.free_at(lane);
        let span = counter.map(|counter| counter.window.span()).unwrap_or_default();
        (free.map_or(span, |free| free.saturating_sub(now)), counter.map(|counter| counter.binding))
    }

    pub(super) fn binding(&self, lane: Key) -> Option<Binding> {
        self.free_at(lane).1.map(|counter| counter.binding)
    }

    /// Lets a call go, which there must be room for.
    #[inline]
    pub(super) fn hold(&mut self, lane: Key) {
        self.each_window(lane, Window::hold);
    }

    /// A call that was let go is not sent.
    pub(super) fn release(&mut self, lane: Key) {
        self.each_window(lane, Window::release);
    }

    /// A call that was let go, and sent at `sent`, is answered.
    #[inline]
    pub(super) fn answered(&mut self, lane: Key, sent: Duration, now: Duration, trip: Option<Duration>) {
        let took = now.saturating_sub(sent);
        self.each_window(lane, |window| window.answered(now, took, trip));
    }

    /// A call that was let go and sent has been given up without an answer.
    pub(super) fn lost(&mut self, lane: Key, now: Duration) {
        let arrived = now.saturating_add(self.settings.late_arrival);
        self.each_window(lane, |window| window.lost(arrived));
    }

    /// A call that was let go goes out `now`, and takes as long as usual.
    pub(super) fn expect(&mut self, lane: Key, now: Duration) {
        self.each_window(lane, |window| window.expect(now));
    }

    /// The same, for all calls that were let go.
    pub(super) fn expect_all(&mut self, now: Duration) {
        self.windows.iter_mut().for_each(|counter| counter.window.expect_all(now));
    }

    #[inline]
    fn each_window(&mut self, lane: Key, mut act: impl FnMut(&mut Window)) {
        let Some(lane) = self.lanes.get(lane) else { return };
        for key in &lane.windows {
            if let Some(counter) = self.windows.get_mut(*key) {
                act(&mut counter.window);
            }
        }
    }

    /// The windows of the operation itself, without the overall ones.
    pub(super) fn own_windows(&self, lane: Key) -> &[Key] {
        self.lanes.get(lane).map_or(&[], |lane| &lane.windows[..lane.own])
    }
}
