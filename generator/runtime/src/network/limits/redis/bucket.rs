//! The calls of this process that are counted in the same windows of a fleet. Limits are handed over between this
//! limiter and others that keep them before and after.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::settings::RedisSettings;
use crate::data::tables::{Effect, Scope};
use crate::network::limits::call::Call;
use crate::network::limits::in_process::InProcessLimits;
use crate::network::limits::shared_windows::{SharedWindow, SharedWindows, name_of};
use crate::network::limits::state::{FEW, LimiterState, WindowKey};
use crate::network::limits::window::Window;

/// The time for which a permit is kept for the next caller if the call that requested it was dropped.
const KEPT: Duration = Duration::from_millis(500);

/// The shortest time between two reports of pools. Later answers repeat what is left out.
const REPORTED_EVERY: Duration = Duration::from_millis(200);

/// The maximum number of reports to keep. A permit that is not reported takes its place until its lease ends.
const MAX_REPORTS: usize = 4096;

/// The calls of this process that are counted in the same windows.
#[derive(Default)]
pub(super) struct Bucket {
    /// The keys of the script: the three that are common to many buckets, and the windows.
    pub(super) keys: Vec<String>,
    pub(super) windows: Vec<SharedWindow>,
    /// The name that distinguishes the bucket from others of this process.
    pub(super) name: String,
    /// The number of windows at the front in which no other operation counts.
    pub(super) alone: usize,
    /// The number of windows at the front that are in the operation's table.
    pub(super) own: usize,
    pub(super) urgent: bool,
    /// True if its calls cancel: no answer shuts it for longer than a window.
    pub(super) cancels: bool,
    /// The holder is the first of the waiting calls; the others queue for it.
    pub(super) front: tokio::sync::Mutex<()>,
    /// One question at a time requests permits for waiting calls.
    pub(super) requesting: tokio::sync::Mutex<()>,
    /// True if the bucket will be tidied up soon.
    pub(super) cleanup: AtomicBool,
    waiting: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Unclaimed permits.
    stock: VecDeque<Booked>,
    reports: Reports,
    /// Redis has no permits before this time.
    ask_again_at: Option<Instant>,
    /// When pools were last reported to the fleet.
    reported_at: Option<Instant>,
}

/// The permit of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booked {
    /// The id, unique in this process.
    pub(super) id: u64,
    /// The moment from which it may be used, by the fleet's time, in microseconds.
    pub(super) moment: i64,
    /// The same by this process's clock.
    pub(super) from: Instant,
    pub(super) left: u32,
}

/// Reports about permits for Redis.
#[derive(Clone, Debug, Default)]
pub(super) struct Reports {
    /// Unused permits.
    pub(super) unused: Vec<u64>,
    /// Permits of ended calls, and when the exchange has counted them at the latest.
    pub(super) ended: Vec<(u64, Instant)>,
}

/// A waiting call in a bucket.
pub(super) struct WaitGuard<'a>(&'a Bucket);

/// Returns the keys that all buckets of an address have in common.
fn common_keys(prefix: &str, address: &str) -> Vec<String> {
    let gate = name_of(address);
    vec![format!("{prefix}:clock"), format!("{prefix}:shut:{gate}"), format!("{prefix}:members")]
}

impl Bucket {
    pub(super) fn of(call: &Call<'_>, settings: &RedisSettings) -> Self {
        let shared = SharedWindows::of(call, &settings.limits, None);
        let prefix = settings.key_prefix();
        let mut keys = common_keys(&prefix, call.counted(Scope::Ip));
        keys.extend(shared.names.iter().map(|name| format!("{prefix}:{name}")));
        let [uid, ip] = [Scope::Uid, Scope::Ip].map(|scope| name_of(call.counted(scope)));
        let [or_uid, or_ip] = call.or_classes.unwrap_or_default();
        let classes = [call.uid_class, call.ip_class, or_uid, or_ip].join(":");
        let name = format!("{}:{classes}:{:x}:{uid}:{ip}", call.meta().id, call.rows);
        Self {
            keys,
            name,
            alone: shared.alone,
            own: shared.own,
            windows: shared.windows,
            urgent: settings.limits.is_urgent(call.meta()),
            cancels: call.meta().effect == Effect::Cancel,
            ..Self::default()
        }
    }

    /// Returns whether all of the operation's own windows have one of these lengths, whose calls the header counts.
    pub(super) fn is_counted_in(&self, windows: &[u32]) -> bool {
        self.windows.iter().take(self.own).all(|window| windows.contains(&window.binding.limit.per_millis))
    }

    /// Returns whether the calls of both go over the same network.
    pub(super) fn is_of_same_address(&self, other: &Self) -> bool {
        // The key of the pauses of an address.
        self.keys.get(1) == other.keys.get(1)
    }

    /// Returns whether it is time to pass on what an answer reports about pools.
    pub(super) fn may_tell(&self) -> bool {
        let (mut state, now) = (self.state(), Instant::now());
        let is_time = state.reported_at.is_none_or(|last| now.saturating_duration_since(last) >= REPORTED_EVERY);
        if is_time {
            state.reported_at = Some(now);
        }
        is_time
    }

    /// Returns the index of the window of a pool.
    pub(super) fn pool(&self, pool: &str) -> Option<usize> {
        self.windows.iter().take(self.own).position(|window| window.binding.limit.pool == Some(pool))
    }

    /// Creates a bucket over these windows, for no calls.
    pub(super) fn over<'a>(windows: impl Iterator<Item = &'a WindowKey>, settings: &RedisSettings) -> Self {
        let prefix = settings.key_prefix();
        let mut bucket = Self { keys: common_keys(&prefix, ""), ..Self::default() };
        for window in windows {
            bucket.keys.push(key(&prefix, window));
            bucket.windows.push(SharedWindow::of(window.operation, window.limit(), &settings.limits));
        }
        Self { alone: bucket.windows.len(), own: bucket.windows.len(), ..bucket }
    }

    /// Counts one more waiting call, until the returned value is dropped.
    pub(super) fn wait(&self) -> WaitGuard<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        WaitGuard(self)
    }

    /// Returns how many permits the waiting calls lack, at most as many as the tightest window has.
    pub(super) fn wanted(&self) -> usize {
        let most = self.windows.iter().map(|window| window.most / window.count).min().unwrap_or(1).max(1);
        let missing = self.waiting.load(Ordering::Relaxed).saturating_sub(self.state().stock.len());
        missing.min(usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// Returns the next unclaimed permit.
    pub(super) fn take(&self) -> Option<Booked> {
        let mut state = self.state();
        state.drop_old(Instant::now());
        state.stock.pop_front()
    }

    /// Returns the same for a call that does not wait, and so does not overtake waiting ones.
    pub(super) fn take_spare(&self) -> Option<Booked> {
        let now = Instant::now();
        let mut state = self.state();
        state.drop_old(now);
        let is_spare = state.stock.len() > self.waiting.load(Ordering::Relaxed);
        let is_due = state.stock.front().is_some_and(|booked| booked.from <= now);
        if is_spare && is_due { state.stock.pop_front() } else { None }
    }

    /// Adds permits.
    pub(super) fn put(&self, booked: impl Iterator<Item = Booked>) {
        self.state().stock.extend(booked);
    }

    /// Notes that Redis has no permits before this time.
    pub(super) fn ask_again_at(&self, at: Option<Instant>) {
        self.state().ask_again_at = at;
    }

    /// Gives a permit back, for the next caller.
    pub(super) fn put_back(&self, booked: Booked) {
        self.state().stock.push_front(booked);
    }

    /// Returns how long Redis has no permits.
    pub(super) fn ask_again_in(&self) -> Duration {
        self.state().ask_again_at.map(|at| at.saturating_duration_since(Instant::now())).unwrap_or_default()
    }

    /// Reports permits that are not used.
    pub(super) fn unused(&self, ids: impl Iterator<Item = u64>) {
        self.state().reports.unused.extend(ids);
    }

    /// Reports that the call of a permit has ended; the exchange has counted it by `at`.
    pub(super) fn ended(&self, id: u64, at: Instant) {
        self.state().reports.ended.push((id, at));
    }

    /// Takes the reports.
    pub(super) fn take_reports(&self) -> Reports {
        std::mem::take(&mut self.state().reports)
    }

    /// Keeps reports that could not be sent.
    pub(super) fn keep_reports(&self, reports: Reports) {
        let mut state = self.state();
        let known = &mut state.reports;
        known.unused.extend(reports.unused);
        known.ended.extend(reports.ended);
        let excess = |length: usize| length.saturating_sub(MAX_REPORTS);
        known.unused.drain(..excess(known.unused.len()));
        known.ended.drain(..excess(known.ended.len()));
    }

    /// Drops unclaimed permits. Returns whether there is something to report.
    pub(super) fn drop_unclaimed(&self) -> bool {
        let mut state = self.state();
        state.drop_old(Instant::now());
        !state.reports.is_empty()
    }

    /// Returns whether there is nothing to tidy up.
    pub(super) fn is_clean(&self) -> bool {
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

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

fn key(prefix: &str, window: &WindowKey) -> String {
    format!("{prefix}:{window}")
}

/// The buckets of this process. Idle ones are dropped.
pub(super) struct Registry {
    buckets: HashMap<BucketKey, KnownBucket>,
    sweep_at: usize,
}

struct KnownBucket {
    bucket: Arc<Bucket>,
    used: Instant,
}

#[derive(PartialEq, Eq, Hash)]
struct BucketKey {
    operation: &'static str,
    classes: [&'static str; 2],
    or_classes: Option<[&'static str; 2]>,
    rows: u64,
    account: String,
    address: String,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self { buckets: HashMap::new(), sweep_at: FEW }
    }

    /// Returns the bucket of a call.
    pub(super) fn bucket(&mut self, call: &Call<'_>, settings: &RedisSettings) -> Arc<Bucket> {
        let who = BucketKey {
            operation: call.meta().id,
            classes: [call.uid_class, call.ip_class],
            or_classes: call.or_classes,
            rows: call.rows,
            account: call.counted(Scope::Uid).to_owned(),
            address: call.counted(Scope::Ip).to_owned(),
        };
        self.drop_idle();
        let make = || KnownBucket { bucket: Arc::new(Bucket::of(call, settings)), used: Instant::now() };
        let known = self.buckets.entry(who).or_insert_with(make);
        known.used = Instant::now();
        Arc::clone(&known.bucket)
    }

    pub(super) fn all(&self) -> Vec<Arc<Bucket>> {
        self.buckets.values().map(|known| Arc::clone(&known.bucket)).collect()
    }

    fn drop_idle(&mut self) {
        if self.buckets.len() < self.sweep_at {
            return;
        }
        let matters = |known: &KnownBucket| known.used.elapsed() < known.bucket.longest_span() + Duration::from_secs(1);
        self.buckets.retain(|_, known| Arc::strong_count(&known.bucket) > 1 || matters(known));
        self.sweep_at = FEW.max(self.buckets.len() * 2);
    }
}

impl InProcessLimits {
    /// Admits no call from now on. Returns for each window how many calls have arrived in the last span, and how many
    /// may still arrive.
    pub(super) fn pause(&self) -> Vec<(WindowKey, [usize; 2])> {
        self.shared().change(|state, now| state.limits.pause(now))
    }

    /// Admits calls again. Calls that others admitted may arrive until `settled` from now.
    pub(super) fn take_over(&self, settled: Duration) {
        self.shared().change(|state, now| state.limits.take_over(now.saturating_add(settled)));
    }

    /// Returns the longest span of the windows that are in use.
    pub(super) fn longest_span(&self) -> Duration {
        let state = self.shared().lock();
        state.limits.windows.values().map(|counter| counter.window.span()).max().unwrap_or_default()
    }
}

impl LimiterState {
    fn pause(&mut self, now: Duration) -> Vec<(WindowKey, [usize; 2])> {
        self.paused = true;
        let counts = self.window_of.iter().filter_map(|(name, key)| {
            let counts = self.windows.get(*key)?.window.counts(now);
            (counts != [0, 0]).then(|| (name.clone(), counts))
        });
        counts.collect()
    }

    fn take_over(&mut self, settled: Duration) {
        self.paused = false;
        self.quiet_since = Some(settled);
        let windows = &self.windows;
        for bucket in self.buckets.values_mut() {
            let spans = bucket
                .windows
                .iter()
                .filter_map(|taken| windows.get(taken.window))
                .map(|counter| counter.window.span());
            bucket.shut_until = bucket.shut_until.max(settled.saturating_add(spans.max().unwrap_or_default()));
        }
    }
}

impl Window {
    /// Returns how many calls have arrived in the span before `now`, and how many may still arrive.
    fn counts(&self, now: Duration) -> [usize; 2] {
        let all = self.most().saturating_sub(self.left(now));
        let under_way = self.under_way(now).min(all);
        [all - under_way, under_way]
    }
}
