//! The ids of records that queries showed.

use std::collections::{HashSet, VecDeque};
use std::hash::Hasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxBuildHasher, FxHasher};

/// The maximum number of ids that are remembered.
const MAX_IDS: usize = 1 << 16;

/// The ids of the latest records that answers showed. If the exchange later answers that one of them does not exist, it
/// is wrong or has deleted the record: either way, the record existed.
#[derive(Debug, Default)]
pub(super) struct ShownIds(Mutex<Ids>);

/// Ids by their hashes. If two ids have the same hash, an outcome may stay unknown that could be known.
#[derive(Debug, Default)]
struct Ids {
    known: HashSet<u64, FxBuildHasher>,
    in_order: VecDeque<u64>,
}

impl ShownIds {
    /// Notes that an answer showed a record with this id.
    pub(super) fn note(&self, family: &str, id: &str) {
        let (mut ids, hash) = (self.lock(), hash(family, id));
        if !ids.known.insert(hash) {
            return;
        }
        ids.in_order.push_back(hash);
        if ids.in_order.len() > MAX_IDS
            && let Some(oldest) = ids.in_order.pop_front()
        {
            ids.known.remove(&oldest);
        }
    }

    /// Returns whether an answer showed a record with this id.
    pub(super) fn contains(&self, family: &str, id: &str) -> bool {
        self.lock().known.contains(&hash(family, id))
    }

    fn lock(&self) -> MutexGuard<'_, Ids> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(family: &str, id: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(family.as_bytes());
    hasher.write_u8(0xff);
    hasher.write(id.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_ids_of_each_family_are_known() {
        let shown = ShownIds::default();
        shown.note("spot", "a");
        shown.note("spot", "a");
        assert!(shown.contains("spot", "a") && !shown.contains("spot", "b") && !shown.contains("margin", "a"));
        (1..MAX_IDS).for_each(|number| shown.note("spot", &number.to_string()));
        assert!(shown.contains("spot", "a"));
        shown.note("spot", "b");
        assert!(!shown.contains("spot", "a") && shown.contains("spot", "b") && shown.contains("spot", "1"));
    }
}
