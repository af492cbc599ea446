//! The contents of a journal. It outlives the processes that have it open.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use tempfile::TempDir;
use tradeapi::Timestamp;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Gap, GapReason, LOST, StoredChange};
use tradeapi::runtime::tables::Outcome;

use crate::lock;

/// The changes of a journal, and whom those of each account belong to.
#[derive(Default)]
pub(crate) struct MemoryJournal {
    changes: Mutex<Vec<StoredChange>>,
    /// The highest number. None is given twice, also if its change is lost.
    last: Mutex<u64>,
    /// The gap of the journal.
    gap: Mutex<Option<Gap>>,
    owners: Mutex<HashMap<String, String>>,
    /// The folder in which a second journal has to have the same.
    folder: Option<TempDir>,
    /// The difference between the two, if there is one.
    difference: Mutex<Option<String>>,
}

impl MemoryJournal {
    /// Creates an empty journal; beside one in a folder if `is_on_disk`.
    pub(crate) fn new(is_on_disk: bool) -> Self {
        Self { folder: is_on_disk.then(TempDir::new).and_then(Result::ok), ..Self::default() }
    }

    /// Returns where the journal in the folder is.
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

    /// Returns how the two journals differ.
    pub(crate) fn difference(&self) -> Option<String> {
        lock(&self.difference).clone()
    }

    /// Returns all changes.
    pub(crate) fn changes(&self) -> Vec<StoredChange> {
        self.with(|changes| changes.clone())
    }

    /// Stores a change, to which it gives a number.
    pub(crate) fn add(&self, change: Change) -> ChangeNumber {
        let mut last = lock(&self.last);
        *last += 1;
        let number = ChangeNumber(*last);
        lock(&self.changes).push(StoredChange::new(number, change, None));
        number
    }

    /// Loses changes by their places. If it notices, it has a gap after those before them.
    pub(crate) fn lose(&self, places: Range<usize>, is_noticed: bool) {
        let mut changes = lock(&self.changes);
        let after = places.start.checked_sub(1).map(|place| changes[place].change.signed_at);
        changes.drain(places);
        if is_noticed {
            *lock(&self.gap) = Some(Gap::new(GapReason::Damaged, after));
        }
    }

    /// Drops the changes that ended, as journals in folders do: a change notes it.
    pub(crate) fn prune(&self, time: Timestamp) {
        lock(&self.changes).retain(|stored| stored.ending.is_none());
        let until = time.as_millis() + 600_000;
        let number = self.add(Change::new(LOST, format!("{{\"until\":\"{until}\"}}"), time));
        self.with(|changes| {
            let note = changes.iter_mut().find(|stored| stored.number == number);
            note.into_iter().for_each(|stored| stored.ending = Some(Ending::new(Outcome::Done)));
        });
    }

    /// Returns what it may lack.
    pub(crate) fn gap(&self) -> Option<Gap> {
        lock(&self.gap).clone()
    }

    pub(crate) fn close_gap(&self) {
        *lock(&self.gap) = None;
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Vec<StoredChange>) -> T) -> T {
        act(&mut lock(&self.changes))
    }

    /// Returns the owner of the changes of an account; `owner`, if it has none yet.
    pub(crate) fn claim(&self, account: &str, owner: &str) -> String {
        lock(&self.owners).entry(account.to_owned()).or_insert_with(|| owner.to_owned()).clone()
    }

    pub(crate) fn claim_again(&self, account: &str, owner: &str) {
        lock(&self.owners).insert(account.to_owned(), owner.to_owned());
    }
}
