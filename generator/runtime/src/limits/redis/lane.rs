use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::settings::RedisSettings;
use crate::limits::book::WindowKey;
use crate::limits::call::Call;
use crate::limits::hash::name_of;
use crate::limits::plan::Binding;
use crate::tables::{RateLimit, Scope};

/// The calls of this process that are counted in the same windows.
#[derive(Default)]
pub(super) struct Lane {
    /// What the process calls itself where it waits.
    pub(super) name: String,
    /// The keys of the script: the two that are common to many lanes, and the windows.
    pub(super) keys: Vec<String>,
    pub(super) windows: Vec<FleetWindow>,
    /// How many windows are the operation's own.
    pub(super) own: usize,
    pub(super) urgent: bool,
    /// Who is first asks for all; the others find what was booked for them here.
    pub(super) front: tokio::sync::Mutex<VecDeque<Booked>>,
    waiting: AtomicUsize,
    returned: Mutex<Vec<i64>>,
}

pub(super) struct FleetWindow {
    pub(super) most: u32,
    pub(super) span: Duration,
    pub(super) binding: Binding,
}

/// A call that may be made within a time of this process's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booked {
    /// The moment by the server's clock, in microseconds.
    pub(super) moment: i64,
    pub(super) from: Instant,
    pub(super) until: Instant,
    pub(super) left: u32,
}

/// Someone who waits in a lane.
pub(super) struct Waits<'a>(&'a Lane);

impl Lane {
    pub(super) fn of(call: &Call<'_>, name: &str, settings: &RedisSettings) -> Self {
        let own = call.limits().map(|row| (Some(call.meta().id), *row));
        let overall = settings.limits.overall.iter().map(|row| (None, *row));
        let rows: Vec<_> = own.chain(overall).collect();
        // The braces keep all keys of a fleet on one server of a cluster.
        let prefix = format!("{{{}}}", settings.prefix);
        let gate = name_of(call.counted(Scope::Ip));
        let mut keys = vec![format!("{prefix}:since"), format!("{prefix}:shut:{gate}")];
        keys.extend(rows.iter().map(|(operation, row)| key(&prefix, &WindowKey::of(*operation, row, call))));
        Self {
            name: name.to_owned(),
            keys,
            own: call.limits().count(),
            windows: rows.into_iter().map(|(operation, row)| FleetWindow::of(operation, row, settings)).collect(),
            urgent: settings.limits.is_urgent(call.meta()),
            ..Self::default()
        }
    }

    /// Just some windows, to report calls.
    pub(super) fn over<'a>(windows: impl Iterator<Item = &'a WindowKey>, settings: &RedisSettings) -> Self {
        let prefix = format!("{{{}}}", settings.prefix);
        let mut lane = Self { keys: vec![format!("{prefix}:since"), format!("{prefix}:shut")], ..Self::default() };
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

    /// How many calls to ask for: more than the tightest window has in it could not be booked.
    pub(super) fn wanted(&self) -> usize {
        let most = self.windows.iter().map(|window| window.most).min().unwrap_or(1);
        self.waiting.load(Ordering::Relaxed).clamp(1, usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// A call that was booked is not made.
    pub(super) fn give_back(&self, moment: i64) {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner).push(moment);
    }

    /// What was given back since the last time.
    pub(super) fn take_returned(&self) -> Vec<i64> {
        std::mem::take(&mut self.returned.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn longest_span(&self) -> Duration {
        self.windows.iter().map(|window| window.span).max().unwrap_or_default()
    }
}

impl FleetWindow {
    fn of(operation: Option<&'static str>, limit: RateLimit, settings: &RedisSettings) -> Self {
        Self {
            most: limit.calls.max(1),
            span: Duration::from_secs(limit.per_seconds.into()) + settings.limits.margin + settings.trip,
            binding: Binding { operation, limit },
        }
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
