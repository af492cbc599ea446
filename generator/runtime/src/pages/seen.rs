use std::collections::HashSet;

use super::hash::ItemHash;
use super::recent::Recent;

/// The items that came already, as far back as they can come again: those of a part and of its neighbour, and those that
/// came right before a restart.
#[derive(Debug, Default)]
pub(super) struct Seen {
    now: HashSet<ItemHash>,
    before: HashSet<ItemHash>,
    restart: HashSet<u64>,
}

impl Seen {
    /// What is known after a restart.
    pub(super) fn restarted(recent: &Recent) -> Self {
        Self { restart: recent.iter().collect(), ..Self::default() }
    }

    /// Whether the item is new.
    pub(super) fn is_new(&mut self, item: ItemHash) -> bool {
        self.now.insert(item) && !self.before.contains(&item) && !self.restart.contains(&item.short())
    }

    /// The item came with the part before.
    pub(super) fn came_before(&mut self, item: ItemHash) {
        self.before.insert(item);
    }

    /// The next part begins.
    pub(super) fn next_part(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}
