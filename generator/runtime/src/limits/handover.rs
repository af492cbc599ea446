//! When limits are kept here only for a while, and by others before and after.

use std::fmt;
use std::time::Duration;

use super::book::{Book, WindowKey};
use super::hash::name_of;
use super::in_process::InProcessLimits;
use super::window::Window;
use crate::tables::{RateLimit, Scope};

impl InProcessLimits {
    /// Lets nothing go from now on, and tells how many calls were made in the last window, or are about to be.
    pub(super) fn pause(&self) -> Vec<(WindowKey, usize)> {
        self.shared().change(|state, now| state.book.pause(now))
    }

    /// Goes on, after others may have let calls go until now.
    pub(super) fn take_over(&self) {
        self.shared().change(|state, now| state.book.take_over(now));
    }

    /// Goes on as if there had been no pause.
    pub(super) fn resume(&self) {
        self.shared().change(|state, _| state.book.paused = false);
    }
}

impl Book {
    fn pause(&mut self, now: Duration) -> Vec<(WindowKey, usize)> {
        self.paused = true;
        let counts = self.window_of.iter().filter_map(|(name, key)| {
            let count = self.windows.get(*key)?.window.counted(now);
            (count > 0).then(|| (name.clone(), count))
        });
        counts.collect()
    }

    fn take_over(&mut self, now: Duration) {
        self.paused = false;
        self.quiet_since = Some(now);
        let windows = &self.windows;
        for lane in self.lanes.iter_mut() {
            let spans = lane.windows.iter().filter_map(|key| windows.get(*key)).map(|counter| counter.window.span());
            lane.shut_until = lane.shut_until.max(now.saturating_add(spans.max().unwrap_or_default()));
        }
    }
}

impl Window {
    /// How many calls of the span before `now` there are, and are about to be.
    fn counted(&self, now: Duration) -> usize {
        self.most() - self.left(now)
    }
}

impl WindowKey {
    pub(super) fn limit(&self) -> RateLimit {
        let Self { calls, per_seconds, class, is_uid, .. } = *self;
        RateLimit { calls, per_seconds, scope: if is_uid { Scope::Uid } else { Scope::Ip }, class }
    }
}

/// The name under which it is shared. Who is counted is not told.
impl fmt::Display for WindowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, class, calls, per_seconds, is_uid, counted } = self;
        let operation = operation.unwrap_or("*");
        let scope = if *is_uid { "uid" } else { "ip" };
        write!(f, "{operation}:{class}:{calls}in{per_seconds}s:{scope}:{}", name_of(counted))
    }
}
