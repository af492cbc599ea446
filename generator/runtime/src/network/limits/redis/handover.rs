//! Hands limits over between this limiter and others that keep them before and after.

use std::fmt;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::data::tables::{RateLimit, Scope, WeightCondition};
use crate::network::limits::in_process::InProcessLimits;
use crate::network::limits::state::{LimiterState, WindowKey};
use crate::network::limits::window::Window;

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

    /// The longest span of the windows that are in use.
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

/// A hash of `name`, which hides it from readers; it can be found by trying all names.
pub(super) fn name_of(name: &str) -> String {
    Sha256::digest(name).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl WindowKey {
    pub(super) fn limit(&self) -> RateLimit {
        let Self { pool, calls, per_millis, class, scope, .. } = *self;
        RateLimit { calls, per_millis, scope, class, pool, weight: 1, when: WeightCondition::Always }
    }
}

/// The name under which it is shared. It does not reveal the account.
impl fmt::Display for WindowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, pool, class, calls, per_millis, scope, counted } = self;
        let of = match (operation, pool) {
            (_, Some(pool)) => format!("pool:{pool}"),
            (Some(operation), None) => (*operation).to_owned(),
            (None, None) => "*".to_owned(),
        };
        let scope = match scope {
            Scope::Uid => "uid",
            Scope::Ip => "ip",
        };
        let window = match per_millis % 1000 {
            0 => format!("{}s", per_millis / 1000),
            _ => format!("{per_millis}ms"),
        };
        write!(f, "{of}:{class}:{calls}in{window}:{scope}:{}", name_of(counted))
    }
}
