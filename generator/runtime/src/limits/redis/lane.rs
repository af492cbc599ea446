use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::settings::RedisSettings;
use crate::limits::book::WindowKey;
use crate::limits::call::Call;
use crate::limits::hash::name_of;
use crate::limits::plan::Binding;
use crate::tables::{Effect, RateLimit, Scope};

/// For how long a permit is kept for the next caller when whoever asked for it has left.
const KEPT: Duration = Duration::from_millis(500);

/// More reports are not kept. What is not reported takes its place until its lease ends.
const MOST_REPORTS: usize = 4096;

/// The calls of this process that are counted in the same windows.
#[derive(Default)]
pub(super) struct Lane {
    /// The keys of the script: the three that are common to many lanes, and the windows.
    pub(super) keys: Vec<String>,
    pub(super) windows: Vec<FleetWindow>,
    /// How many windows are the operation's own.
    pub(super) own: usize,
    pub(super) urgent: bool,
    /// Whether its calls cancel: no answer shuts it for longer than a window.
    pub(super) cancels: bool,
    /// Who has it is the first of those who wait; the others line up for it.
    pub(super) front: tokio::sync::Mutex<()>,
    /// One question at a time asks for those who wait.
    pub(super) asking: tokio::sync::Mutex<()>,
    /// Whether the lane will be tidied up soon.
    pub(super) tidying: AtomicBool,
    waiting: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The permits that nobody has taken yet.
    stock: VecDeque<Booked>,
    reports: Reports,
    /// Before, Redis has nothing to give.
    ask_again_at: Option<Instant>,
}

pub(super) struct FleetWindow {
    pub(super) most: u32,
    pub(super) span: Duration,
    pub(super) binding: Binding,
}

/// The permit of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booked {
    /// What tells it from all others of this process.
    pub(super) id: u64,
    /// The moment from which it may be used, by the fleet's time, in microseconds.
    pub(super) moment: i64,
    /// The same by this process's clock.
    pub(super) from: Instant,
    pub(super) left: u32,
}

/// What Redis is to be told of permits.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    /// Those that were not used.
    pub(super) unused: Vec<u64>,
    /// Those whose call has ended: by then the exchange has counted it.
    pub(super) ended: Vec<(u64, Instant)>,
}

/// Someone who waits in a lane.
pub(super) struct Waits<'a>(&'a Lane);

/// The keys that all lanes have in common, but for the address.
fn common_keys(prefix: &str, address: &str) -> Vec<String> {
    let gate = name_of(address);
    vec![format!("{prefix}:clock"), format!("{prefix}:shut:{gate}"), format!("{prefix}:members")]
}

impl Lane {
    pub(super) fn of(call: &Call<'_>, settings: &RedisSettings) -> Self {
        let own = call.limits().map(|row| (Some(call.meta().id), *row));
        let overall = settings.limits.overall.iter().map(|row| (None, *row));
        let rows: Vec<_> = own.chain(overall).collect();
        let prefix = settings.key_prefix();
        let mut keys = common_keys(&prefix, call.counted(Scope::Ip));
        keys.extend(rows.iter().map(|(operation, row)| key(&prefix, &WindowKey::of(*operation, row, call))));
        Self {
            keys,
            own: call.limits().count(),
            windows: rows.into_iter().map(|(operation, row)| FleetWindow::of(operation, row, settings)).collect(),
            urgent: settings.limits.is_urgent(call.meta()),
            cancels: call.meta().effect == Effect::Cancel,
            ..Self::default()
        }
    }

    /// Just some windows, without calls.
    pub(super) fn over<'a>(windows: impl Iterator<Item = &'a WindowKey>, settings: &RedisSettings) -> Self {
        let prefix = settings.key_prefix();
        let mut lane = Self { keys: common_keys(&prefix, ""), ..Self::default() };
        for window in windows {
            lane.keys.push(key(&prefix, window));
            lane.windows.push(FleetWindow::of(window.operation, window.limit(), settings));
        }
        Self { own: lane.windows.len(), ..lane }
    }

    /// One more waits, until what this gives is dropped.
    pub(super) fn wait(&self) -> Waits<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        Waits(self)
    }

    /// How many permits are missing for those who wait: more than the tightest window has cannot be had.
    pub(super) fn wanted(&self) -> usize {
        let most = self.windows.iter().map(|window| window.most).min().unwrap_or(1);
        let missing = self.waiting.load(Ordering::Relaxed).saturating_sub(self.state().stock.len());
        missing.min(usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// The next permit that nobody has taken.
    pub(super) fn take(&self) -> Option<Booked> {
        let mut state = self.state();
        state.drop_old(Instant::now());
        state.stock.pop_front()
    }

    /// The same, for who does not wait, and so does not go before those who do.
    pub(super) fn take_spare(&self) -> Option<Booked> {
        let now = Instant::now();
        let mut state = self.state();
        state.drop_old(now);
        let is_spare = state.stock.len() > self.waiting.load(Ordering::Relaxed);
        let is_due = state.stock.front().is_some_and(|booked| booked.from <= now);
        if is_spare && is_due { state.stock.pop_front() } else { None }
    }

    /// Permits come in.
    pub(super) fn put(&self, booked: impl Iterator<Item = Booked>) {
        self.state().stock.extend(booked);
    }

    /// Redis has nothing to give before.
    pub(super) fn ask_again_at(&self, at: Option<Instant>) {
        self.state().ask_again_at = at;
    }

    /// Whoever took a permit leaves it to the next.
    pub(super) fn put_back(&self, booked: Booked) {
        self.state().stock.push_front(booked);
    }

    /// How long Redis has nothing to give.
    pub(super) fn ask_again_in(&self) -> Duration {
        self.state().ask_again_at.map(|at| at.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// These permits are not used.
    pub(super) fn unused(&self, ids: impl Iterator<Item = u64>) {
        self.state().reports.unused.extend(ids);
    }

    /// The call of a permit has ended; the exchange has counted it by `at`.
    pub(super) fn ended(&self, id: u64, at: Instant) {
        self.state().reports.ended.push((id, at));
    }

    /// What there is to report.
    pub(super) fn take_reports(&self) -> Reports {
        std::mem::take(&mut self.state().reports)
    }

    /// What could not be reported.
    pub(super) fn keep_reports(&self, reports: Reports) {
        let mut state = self.state();
        let known = &mut state.reports;
        known.unused.extend(reports.unused);
        known.ended.extend(reports.ended);
        let excess = |length: usize| length.saturating_sub(MOST_REPORTS);
        known.unused.drain(..excess(known.unused.len()));
        known.ended.drain(..excess(known.ended.len()));
    }

    /// Drops permits that nobody came for. Whether there is something to report then.
    pub(super) fn tidy(&self) -> bool {
        let mut state = self.state();
        state.drop_old(Instant::now());
        !state.reports.is_empty()
    }

    /// Whether there is nothing to look after.
    pub(super) fn is_tidy(&self) -> bool {
        let state = self.state();
        state.stock.is_empty() && state.reports.is_empty()
    }

    pub(super) fn longest_span(&self) -> Duration {
        self.windows.iter().map(|window| window.span).max().unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_old(&mut self, now: Instant) {
        let Self { stock, reports, .. } = self;
        stock.retain(|booked| {
            let is_kept = now <= booked.from + KEPT;
            if !is_kept {
                reports.unused.push(booked.id);
            }
            is_kept
        });
    }
}

impl Reports {
    pub(super) fn is_empty(&self) -> bool {
        self.unused.is_empty() && self.ended.is_empty()
    }
}

impl FleetWindow {
    fn of(operation: Option<&'static str>, limit: RateLimit, settings: &RedisSettings) -> Self {
        Self { most: limit.calls.max(1), span: settings.limits.span_of(&limit), binding: Binding { operation, limit } }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

fn key(prefix: &str, window: &WindowKey) -> String {
    format!("{prefix}:{window}")
}
