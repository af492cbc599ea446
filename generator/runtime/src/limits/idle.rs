//! What no longer matters is dropped, so that memory is bounded by what happens within the windows.

use std::collections::HashSet;
use std::time::Duration;

use super::book::{Book, Counter};
use super::lane::Lane;
use super::slab::Slab;

/// So many lanes may be idle before it is worth a look.
pub(super) const FEW: usize = 64;

impl Book {
    /// Drops idle lanes and windows, when there may be many.
    pub(super) fn drop_idle(&mut self, now: Duration) {
        if self.lanes.len() < self.sweep_at {
            return;
        }
        let Self { windows, window_of, lanes, lanes_of, .. } = self;
        lanes.retain(|_, lane| !is_idle(lane, windows, now));
        lanes_of.retain(|_, same| {
            same.retain(|lane| lanes.get(*lane).is_some());
            !same.is_empty()
        });
        let used: HashSet<_> = lanes.iter().flat_map(|lane| &lane.windows).copied().collect();
        windows.retain(|key, counter| used.contains(&key) || !counter.window.is_idle(now));
        window_of.retain(|_, key| windows.get(*key).is_some());
        self.shut.retain(|_, pause| pause.until > now);
        // Twice as many at least, so that a look costs little for each lane that was added.
        self.sweep_at = FEW.max(self.lanes.len() * 2);
    }
}

/// Whether a new lane would know as much. Overall windows outlast a lane, for they are found by their own names.
fn is_idle(lane: &Lane, windows: &Slab<Counter>, now: Duration) -> bool {
    let watched = if lane.own > 0 { &lane.windows[..lane.own] } else { &lane.windows };
    let mut counters = watched.iter().filter_map(|key| windows.get(*key));
    lane.queue.is_empty() && lane.shut_until <= now && counters.all(|counter| counter.window.is_idle(now))
}
