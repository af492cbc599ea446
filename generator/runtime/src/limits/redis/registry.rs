use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lane::Lane;
use super::settings::RedisSettings;
use crate::limits::call::Call;
use crate::limits::idle::FEW;
use crate::limits::slab::{Key, Slab};
use crate::tables::Scope;

/// The lanes of this process. Idle ones are dropped.
pub(super) struct Registry {
    /// What tells this process's calls from those of others.
    name: String,
    lanes: Slab<Known>,
    key_of: HashMap<Who, Key>,
    sweep_at: usize,
}

struct Known {
    lane: Arc<Lane>,
    used: Instant,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Who {
    operation: &'static str,
    classes: [&'static str; 2],
    account: String,
    address: String,
}

impl Registry {
    pub(super) fn new() -> Self {
        let name = format!("{:016x}:", RandomState::new().hash_one(std::process::id()));
        Self { name, lanes: Slab::new(), key_of: HashMap::new(), sweep_at: FEW }
    }

    /// The lane of a call.
    pub(super) fn lane(&mut self, call: &Call<'_>, settings: &RedisSettings) -> (Key, Arc<Lane>) {
        let who = Who {
            operation: call.meta().id,
            classes: [call.uid_class, call.ip_class],
            account: call.counted(Scope::Uid).to_owned(),
            address: call.counted(Scope::Ip).to_owned(),
        };
        if let Some(key) = self.key_of.get(&who)
            && let Some(known) = self.lanes.get_mut(*key)
        {
            known.used = Instant::now();
            return (*key, Arc::clone(&known.lane));
        }
        self.drop_idle();
        let lane = Arc::new(Lane::of(call, &self.name, settings));
        let key = self.lanes.insert(Known { lane: Arc::clone(&lane), used: Instant::now() });
        self.key_of.insert(who, key);
        (key, lane)
    }

    /// The lane of a slot.
    pub(super) fn get(&self, key: Key) -> Option<Arc<Lane>> {
        self.lanes.get(key).map(|known| Arc::clone(&known.lane))
    }

    fn drop_idle(&mut self) {
        if self.lanes.len() < self.sweep_at {
            return;
        }
        // Twice as long as they matter, for answers that come late.
        let matters = |known: &Known| known.used.elapsed() < known.lane.longest_span() * 2 + Duration::from_secs(1);
        self.lanes.retain(|_, known| Arc::strong_count(&known.lane) > 1 || matters(known));
        self.key_of.retain(|_, key| self.lanes.get(*key).is_some());
        self.sweep_at = FEW.max(self.lanes.len() * 2);
    }
}
