use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lane::Lane;
use super::settings::RedisSettings;
use crate::limits::call::Call;
use crate::limits::idle::FEW;
use crate::tables::Scope;

/// The lanes of this process. Idle ones are dropped.
pub(super) struct Registry {
    lanes: HashMap<Who, Known>,
    sweep_at: usize,
}

struct Known {
    lane: Arc<Lane>,
    used: Instant,
}

#[derive(PartialEq, Eq, Hash)]
struct Who {
    operation: &'static str,
    classes: [&'static str; 2],
    account: String,
    address: String,
}

impl Registry {
    pub(super) fn new() -> Self {
        Self { lanes: HashMap::new(), sweep_at: FEW }
    }

    /// The lane of a call.
    pub(super) fn lane(&mut self, call: &Call<'_>, settings: &RedisSettings) -> Arc<Lane> {
        let who = Who {
            operation: call.meta().id,
            classes: [call.uid_class, call.ip_class],
            account: call.counted(Scope::Uid).to_owned(),
            address: call.counted(Scope::Ip).to_owned(),
        };
        self.drop_idle();
        let make = || Known { lane: Arc::new(Lane::of(call, settings)), used: Instant::now() };
        let known = self.lanes.entry(who).or_insert_with(make);
        known.used = Instant::now();
        Arc::clone(&known.lane)
    }

    pub(super) fn all(&self) -> Vec<Arc<Lane>> {
        self.lanes.values().map(|known| Arc::clone(&known.lane)).collect()
    }

    fn drop_idle(&mut self) {
        if self.lanes.len() < self.sweep_at {
            return;
        }
        let matters = |known: &Known| known.used.elapsed() < known.lane.longest_span() + Duration::from_secs(1);
        self.lanes.retain(|_, known| Arc::strong_count(&known.lane) > 1 || matters(known));
        self.sweep_at = FEW.max(self.lanes.len() * 2);
    }
}
