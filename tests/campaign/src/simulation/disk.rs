//! What is left of a killed process: the changes in its journal.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tradeapi::runtime::clock::pause;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi_tests::dice::Dice;

use super::time::Time;
use crate::variant::ClientVariant;

/// The changes of a journal. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Disk(Arc<Mutex<Vec<StoredChange>>>);

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

    /// The changes, the oldest first.
    pub(super) fn changes(&self) -> MutexGuard<'_, Vec<StoredChange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes a change.
    pub(super) fn close(&self, number: ChangeNumber, ending: Ending) {
        let place = usize::try_from(number.0.saturating_sub(1)).unwrap_or(usize::MAX);
        if let Some(stored) = self.changes().get_mut(place) {
            stored.ending = Some(ending);
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

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let is_read = |stored: &&StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let read = self.disk.changes().iter().filter(is_read).cloned().collect();
        Box::pin(std::future::ready(Ok(read)))
    }
}
