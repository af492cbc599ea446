//! What a journal has stored. It outlives the processes that have it open.

use std::collections::HashMap;
use std::sync::Mutex;

use tradeapi::runtime::journal::StoredChange;

use crate::lock;

/// The changes of a journal, and whom those of each account belong to.
#[derive(Default)]
pub(crate) struct MemoryJournal {
    changes: Mutex<Vec<StoredChange>>,
    owners: Mutex<HashMap<String, String>>,
}

impl MemoryJournal {
    /// All changes.
    pub(crate) fn changes(&self) -> Vec<StoredChange> {
        self.with(|changes| changes.clone())
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Vec<StoredChange>) -> T) -> T {
        act(&mut lock(&self.changes))
    }

    /// The owner of the changes of an account; `owner`, if it has none yet.
    pub(crate) fn claim(&self, account: &str, owner: &str) -> String {
        lock(&self.owners).entry(account.to_owned()).or_insert_with(|| owner.to_owned()).clone()
    }

    pub(crate) fn claim_again(&self, account: &str, owner: &str) {
        lock(&self.owners).insert(account.to_owned(), owner.to_owned());
    }
}
