use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasher;
use std::time::Duration;

use super::call::Call;
use super::hash::BuildFold;
use super::lane::Lane;
use super::plan::Binding;
use super::settings::LimitSettings;
use super::window::Window;
use crate::tables::{RateLimit, Scope};

/// Who has called, who waits, and who may go: all that a limiter knows, without threads, wakers or clocks.
#[derive(Clone, Debug)]
pub(super) struct Book {
    settings: LimitSettings,
    windows: Vec<(Window, Binding)>,
    window_of: HashMap<WindowKey, usize>,
    lanes: Vec<Lane>,
    /// The lanes by a hash of what they are found by, so that finding one makes no key.
    lanes_of: HashMap<u64, Vec<usize>, BuildFold>,
    /// The lanes in which someone waits.
    busy: Vec<usize>,
    next_turn: u64,
}

/// What is counted together: an operation, a row of its table, and who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WindowKey {
    /// `None` for the overall limits.
    operation: Option<&'static str>,
    class: &'static str,
    calls: u32,
    per_seconds: u32,
    is_uid: bool,
    counted: String,
}

/// Someone who waited and may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) turn: u64,
    pub(super) lane: usize,
}

impl Book {
    pub(super) fn new(settings: LimitSettings) -> Self {
        Self {
            settings,
            windows: Vec::new(),
            window_of: HashMap::new(),
            lanes: Vec::new(),
            lanes_of: HashMap::default(),
            busy: Vec::new(),
            next_turn: 0,
        }
    }

    /// The lane of a call. There is one for each operation, class, account and address that ever called.
    #[inline]
    pub(super) fn lane(&mut self, call: &Call<'_>) -> usize {
        let names = (call.meta().id, call.counted(Scope::Uid), call.counted(Scope::Ip));
        let hash = self.lanes_of.hasher().hash_one(names);
        let mut same = self.lanes_of.get(&hash).into_iter().flatten().copied();
        match same.find(|lane| self.lanes[*lane].takes(call)) {
            Some(lane) => lane,
            None => self.add_lane(call, hash),
        }
    }

    #[cold]
    fn add_lane(&mut self, call: &Call<'_>, hash: u64) -> usize {
        let operation = call.meta().id;
        let mut windows: Vec<_> = call.limits().map(|row| self.window(Some(operation), row, call)).collect();
        let own = windows.len();
        for row in &self.settings.overall.clone() {
            windows.push(self.window(None, row, call));
        }
        let lane = self.lanes.len();
        self.lanes.push(Lane::of(call, windows, own, self.settings.cancels_first));
        self.lanes_of.entry(hash).or_default().push(lane);
        lane
    }

    fn window(&mut self, operation: Option<&'static str>, row: &RateLimit, call: &Call<'_>) -> usize {
        let RateLimit { calls, per_seconds, scope, class } = *row;
        let counted = call.counted(scope).to_owned();
        let key = WindowKey { operation, class, calls, per_seconds, is_uid: scope == Scope::Uid, counted };
        *self.window_of.entry(key).or_insert_with(|| {
            let span = Duration::from_secs(per_seconds.into()) + self.settings.margin;
            self.windows.push((Window::new(calls, span), Binding { operation, limit: *row }));
            self.windows.len() - 1
        })
    }

    /// From when on a call of `lane` may go, if nothing happens until then, and the window that is in the way until
    /// then. `None` for when calls that are about to be made are in the way.
    #[inline]
    pub(super) fn free_at(&self, lane: usize) -> (Option<Duration>, Option<usize>) {
        let mut latest = (Some(Duration::ZERO), None);
        for &index in &self.lanes[lane].windows {
            match (self.windows[index].0.free_at(), latest.0) {
                (None, _) => return (None, Some(index)),
                (Some(free), Some(until)) if free > until => latest = (Some(free), Some(index)),
                _ => {}
            }
        }
        latest
    }

    #[inline]
    pub(super) fn is_free(&self, lane: usize, now: Duration) -> bool {
        self.free_at(lane).0.is_some_and(|free| free <= now)
    }

    /// How long it takes until a call of `lane` may go, and because of which limit. When that is not known yet, it is
    /// a whole window.
    pub(super) fn free_in(&self, lane: usize, now: Duration) -> (Duration, Option<Binding>) {
        let (free, window) = self.free_at(lane);
        let window = window.map(|index| &self.windows[index]);
        let span = window.map(|(window, _)| window.span()).unwrap_or_default();
        (free.map_or(span, |free| free.saturating_sub(now)), window.map(|(_, binding)| *binding))
    }

    pub(super) fn binding(&self, lane: usize) -> Option<Binding> {
        self.free_at(lane).1.map(|index| self.windows[index].1)
    }

    /// Lets a call go, which there must be room for.
    #[inline]
    pub(super) fn hold(&mut self, lane: usize) {
        self.each_window(lane, Window::hold);
    }

    /// A call that was let go is not made.
    pub(super) fn release(&mut self, lane: usize) {
        self.each_window(lane, Window::release);
    }

    /// A call that was let go is made.
    #[inline]
    pub(super) fn make(&mut self, lane: usize, now: Duration) {
        self.each_window(lane, |window| window.make(now));
    }

    /// All calls that were let go are made.
    pub(super) fn make_all(&mut self, now: Duration) {
        self.windows.iter_mut().for_each(|(window, _)| window.make_all(now));
    }

    #[inline]
    fn each_window(&mut self, lane: usize, mut act: impl FnMut(&mut Window)) {
        if let Some(lane) = self.lanes.get(lane) {
            lane.windows.iter().for_each(|index| act(&mut self.windows[*index].0));
        }
    }

    /// The windows of the operation itself, without the overall ones.
    pub(super) fn own_windows(&self, lane: usize) -> &[usize] {
        self.lanes.get(lane).map_or(&[], |lane| &lane.windows[..lane.own])
    }

    pub(super) fn window_at(&self, index: usize) -> &Window {
        &self.windows[index].0
    }

    pub(super) fn window_at_mut(&mut self, index: usize) -> &mut Window {
        &mut self.windows[index].0
    }
}

/// Those who wait.
impl Book {
    /// Whether no one waits.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        self.busy.is_empty()
    }

    /// Lines up in `lane`.
    pub(super) fn line_up(&mut self, lane: usize) -> u64 {
        let turn = self.next_turn;
        self.next_turn += 1;
        if self.lanes[lane].queue.is_empty() {
            self.busy.push(lane);
        }
        self.lanes[lane].queue.push_back(turn);
        turn
    }

    /// Waits no longer.
    pub(super) fn leave(&mut self, lane: usize, turn: u64) {
        let queue = &mut self.lanes[lane].queue;
        if let Ok(at) = queue.binary_search(&turn) {
            queue.remove(at);
        }
        self.forget_idle_lanes();
    }

    /// Lets everyone go there is room for: in order, but past those there is none for, whose limits are others.
    pub(super) fn settle(&mut self, now: Duration) -> Vec<Granted> {
        let mut granted = Vec::new();
        let mut order: BinaryHeap<_> = self.busy.iter().filter_map(|lane| self.front(*lane)).collect();
        while let Some(Reverse((_, lane))) = order.pop() {
            // Others only take room away, so who finds none now need not be asked again.
            if self.is_free(lane, now) {
                self.hold(lane);
                granted.extend(self.lanes[lane].queue.pop_front().map(|turn| Granted { turn, lane }));
                order.extend(self.front(lane));
            }
        }
        self.forget_idle_lanes();
        granted
    }

    /// When to settle next, if nothing happens until then.
    pub(super) fn next_at(&self) -> Option<Duration> {
        self.busy.iter().filter_map(|lane| self.free_at(*lane).0).min()
    }

    /// The lanes in which someone waits.
    pub(super) fn busy(&self) -> &[usize] {
        &self.busy
    }

    fn front(&self, lane: usize) -> Option<Reverse<((bool, u64), usize)>> {
        self.lanes[lane].turn().map(|turn| Reverse((turn, lane)))
    }

    fn forget_idle_lanes(&mut self) {
        let lanes = &self.lanes;
        self.busy.retain(|lane| !lanes[*lane].queue.is_empty());
    }
}
