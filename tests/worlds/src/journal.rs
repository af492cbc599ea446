//! A journal as a process has it open, which can be killed around each write.

use std::future::{pending, ready};
use std::sync::Arc;

use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Ending, ItemEnding, Journal, JournalFuture, Selection, StoredChange,
};

use crate::world::World;

/// A journal as a process has it open.
pub(crate) struct OpenJournal {
    pub(crate) world: Arc<World>,
    /// The number of the journal in its world.
    pub(crate) number: usize,
    pub(crate) process: usize,
}

impl OpenJournal {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<StoredChange>) -> T) -> T {
        self.world.journals[self.number].with(act)
    }
}

impl Journal for OpenJournal {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        let operation = change.operation.clone();
        let number = self.with(|changes| {
            let number = ChangeNumber(changes.len() as u64 + 1);
            changes.push(StoredChange::new(number, change, None));
            number
        });
        self.world.stored(self.process, (self.number, number));
        if self.world.is_killed_at(self.process, || format!("{operation}, stored")) {
            return Box::pin(pending());
        }
        Box::pin(ready(Ok(number)))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        if self.world.is_killed_at(self.process, || format!("end of change {number}")) {
            return Box::pin(pending());
        }
        self.world.tell(|| format!("journal {}: change {number} ends as {}", self.number, ending.outcome));
        let ended = self.with(|changes| {
            let stored = changes.iter_mut().find(|stored| stored.number == number);
            stored.map(|stored| stored.ending = Some(ending))
        });
        let missing =
            || JournalError::Damaged { place: format!("at change {number}"), why: "it is missing".to_owned() };
        Box::pin(ready(ended.ok_or_else(missing)))
    }

    fn end_items(&self, number: ChangeNumber, items: Vec<ItemEnding>) -> JournalFuture<'_, ()> {
        if self.world.is_killed_at(self.process, || format!("items of change {number}")) {
            return Box::pin(pending());
        }
        let outcomes = || items.iter().map(|item| format!("{} {}", item.place, item.outcome)).collect::<Vec<_>>();
        self.world.tell(|| format!("journal {}: items of change {number} end as {:?}", self.number, outcomes()));
        self.with(|changes| {
            if let Some(stored) = changes.iter_mut().find(|stored| stored.number == number) {
                stored.items.retain(|known| items.iter().all(|item| item.place != known.place));
                stored.items.extend(items);
            }
        });
        Box::pin(ready(Ok(())))
    }

    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        Box::pin(ready(Ok(self.world.journals[self.number].claim(account, owner))))
    }

    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        self.world.journals[self.number].claim_again(account, owner);
        Box::pin(ready(Ok(())))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let is_selected = |stored: &StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let selected = self.with(|changes| changes.iter().filter(|stored| is_selected(stored)).cloned().collect());
        Box::pin(ready(Ok(selected)))
    }
}
