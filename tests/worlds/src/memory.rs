//! What a journal has stored. It outlives the processes that have it open.

use std::sync::Mutex;

use tradeapi::runtime::journal::StoredChange;

use crate::lock;

/// The changes of a journal.
#[derive(Default)]
pub(crate) struct MemoryJournal(Mutex<Vec<StoredChange>>);

impl MemoryJournal {
    /// All changes.
    pub(crate) fn changes(&self) -> Vec<StoredChange> {
        self.with(|changes| changes.clone())
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Vec<StoredChange>) -> T) -> T {
        act(&mut lock(&self.0))
    }
}
