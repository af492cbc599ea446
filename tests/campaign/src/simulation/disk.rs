//! The files that are left of a killed process: the changes in its journal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tradeapi::runtime::clock::pause;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Ending, ItemEnding, Journal, JournalFuture, Selection, StoredChange,
};
use tradeapi_tests::dice::Dice;

use super::time::Time;
use crate::variant::ClientVariant;

/// The changes of a journal, and whose they are by the names of accounts. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Disk {
    changes: Arc<Mutex<Vec<StoredChange>>>,
    owners: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Disk {
    /// Stores a change.
    fn store(&self, change: Change) -> ChangeNumber {
        let mut changes = self.changes();
        let number = ChangeNumber(changes.len() as u64 + 1);
        changes.push(StoredChange::new(number, change, None));
        number
    }

    /// Gives a change a number, and stores something else under it, as a journal does that stores what was answered.
    fn keep_unstored(&self, change: Change) -> ChangeNumber {
        self.store(Change::new("none", "{}", change.signed_at))
    }

    /// Returns the changes, the oldest first.
    pub(super) fn changes(&self) -> MutexGuard<'_, Vec<StoredChange>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes a change.
    pub(super) fn close(&self, number: ChangeNumber, ending: Ending) {
        self.change(number, |stored| stored.ending = Some(ending));
    }

    fn change(&self, number: ChangeNumber, change: impl FnOnce(&mut StoredChange)) {
        let place = usize::try_from(number.0.saturating_sub(1)).unwrap_or(usize::MAX);
        if let Some(stored) = self.changes().get_mut(place) {
            change(stored);
        }
    }

    /// Opens the journal for a process, whose writes take a moment: it can be killed before, and after.
    pub(super) fn open(&self, time: &Time, dice: Dice, variant: ClientVariant) -> DiskJournal {
        DiskJournal { disk: self.clone(), time: time.clone(), dice: Mutex::new(dice), variant }
    }
}

/// A journal as one process has it open.
pub(super) struct DiskJournal {
    disk: Disk,
    time: Time,
    dice: Mutex<Dice>,
    variant: ClientVariant,
}

impl DiskJournal {
    /// Waits as long as a write may take.
    async fn takes_time(&self) {
        let micros = self.dice.lock().unwrap_or_else(PoisonError::into_inner).below(2_000);
        // Most writes are done at once.
        if micros < 500 {
            pause(&self.time, Duration::from_micros(micros)).await;
        }
    }
}

impl Journal for DiskJournal {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        Box::pin(async move {
            self.takes_time().await;
            let number = match self.variant {
                ClientVariant::StoresAnswered => self.disk.keep_unstored(change),
                _ => self.disk.store(change),
            };
            self.takes_time().await;
            Ok(number)
        })
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        Box::pin(async move {
            self.takes_time().await;
            self.disk.close(number, ending);
            Ok(())
        })
    }

    fn end_items(&self, number: ChangeNumber, items: Vec<ItemEnding>) -> JournalFuture<'_, ()> {
        Box::pin(async move {
            self.takes_time().await;
            let first = items.first().map(|item| Ending::new(item.outcome));
            self.disk.change(number, |stored| {
                stored.items.extend(items);
                if self.variant == ClientVariant::ClosesBatchesEarly {
                    stored.ending = first;
                }
            });
            Ok(())
        })
    }

    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        let known = match self.variant {
            ClientVariant::RecoversForAnotherAccount => owner.to_owned(),
            _ => self.disk.owners().entry(account.to_owned()).or_insert_with(|| owner.to_owned()).clone(),
        };
        Box::pin(std::future::ready(Ok(known)))
    }

    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        self.disk.owners().insert(account.to_owned(), owner.to_owned());
        Box::pin(std::future::ready(Ok(())))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let is_read = |stored: &&StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let read = self.disk.changes().iter().filter(is_read).cloned().collect();
        Box::pin(std::future::ready(Ok(read)))
    }
}
