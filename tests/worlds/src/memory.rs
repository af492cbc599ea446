//! What a journal has stored. It outlives the processes that have it open.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;
use tradeapi::runtime::journal::StoredChange;

use crate::lock;

/// The changes of a journal, and whom those of each account belong to.
#[derive(Default)]
pub(crate) struct MemoryJournal {
    changes: Mutex<Vec<StoredChange>>,
    owners: Mutex<HashMap<String, String>>,
    /// The folder in which a second journal has to have the same.
    folder: Option<TempDir>,
    /// How the two differ, if they do.
    difference: Mutex<Option<String>>,
}

impl MemoryJournal {
    /// An empty journal; beside one in a folder if `is_on_disk`.
    pub(crate) fn new(is_on_disk: bool) -> Self {
        Self { folder: is_on_disk.then(TempDir::new).and_then(Result::ok), ..Self::default() }
    }

    /// Where the journal in the folder is.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.path().join("journal"))
    }

    /// Compares what both have stored or read.
    pub(crate) fn compare<T: PartialEq + std::fmt::Debug>(&self, here: &T, on_disk: &T) {
        if here != on_disk {
            lock(&self.difference).get_or_insert_with(|| format!("{here:?}, and on the disk {on_disk:?}"));
        }
    }

    /// Notes that the journal in the folder failed.
    pub(crate) fn fail(&self, why: String) {
        lock(&self.difference).get_or_insert(why);
    }

    /// How the two journals differ.
    pub(crate) fn difference(&self) -> Option<String> {
        lock(&self.difference).clone()
    }

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
