//! A journal as a process has it open, which can be killed around each write. In some scenarios it is kept in a folder,
//! too, and what that has is what the client reads.

use std::future::{pending, ready};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tradeapi::runtime::error::JournalError;
use tradeapi::runtime::journal::{
    Change, ChangeNumber, Durability, Ending, FileJournal, Gap, ItemEnding, Journal, JournalFuture, Selection,
    StoredChange,
};

use crate::exchange::has_orders;
use crate::memory::MemoryJournal;
use crate::world::World;

/// A journal as a process has it open.
pub(crate) struct OpenJournal {
    pub(crate) world: Arc<World>,
    /// The number of the journal in its world.
    pub(crate) number: usize,
    pub(crate) process: usize,
    /// The journal in a folder, which has to have the same.
    disk: Option<FileJournal>,
}

impl OpenJournal {
    /// Opens the journal with a number, for a process.
    pub(crate) fn open(world: &Arc<World>, number: usize, process: usize) -> Self {
        let stored = &world.journals[number];
        let disk = stored.path().and_then(|path| {
            FileJournal::open(path, Durability::Process).map_err(|error| stored.fail(error.to_string())).ok()
        });
        Self { world: Arc::clone(world), number, process, disk }
    }

    /// Returns what the journal in the folder answers, which it does at once.
    fn on_disk<'a, T>(&'a self, ask: impl FnOnce(&'a FileJournal) -> JournalFuture<'a, T>) -> Option<T> {
        let answer = self.disk.as_ref().map(ask)?.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        match answer {
            Poll::Ready(Ok(answer)) => Some(answer),
            Poll::Ready(Err(error)) => {
                self.stored().fail(error.to_string());
                None
            }
            Poll::Pending => {
                self.stored().fail("the journal on the disk is not ready".to_owned());
                None
            }
        }
    }

    fn stored(&self) -> &MemoryJournal {
        &self.world.journals[self.number]
    }

    fn with<T>(&self, act: impl FnOnce(&mut Vec<StoredChange>) -> T) -> T {
        self.world.journals[self.number].with(act)
    }
}

/// Returns whether something can go otherwise with a change.
fn is_choice(change: &Change) -> bool {
    serde_json::from_str(&change.request).is_ok_and(|parameters| has_orders(&parameters))
}

impl Journal for OpenJournal {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        let (operation, is_choice) = (change.operation.clone(), is_choice(&change));
        let number = self.stored().add(change.clone());
        if let Some(on_disk) = self.on_disk(|disk| disk.begin(change)) {
            self.stored().compare(&number, &on_disk);
        }
        self.world.stored(self.process, (self.number, number));
        if !is_choice {
            return Box::pin(ready(Ok(number)));
        }
        if self.world.is_killed_at(self.process, || format!("{operation}, stored")) {
            return Box::pin(pending());
        }
        // It is signed, and not sent yet.
        self.world.step_clocks(|| format!("process {}, {operation} {number}, signed", self.process));
        Box::pin(ready(Ok(number)))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        let is_choice = self.with(|changes| {
            changes.iter().find(|stored| stored.number == number).is_none_or(|stored| is_choice(&stored.change))
        });
        if is_choice && self.world.is_killed_at(self.process, || format!("end of change {number}")) {
            return Box::pin(pending());
        }
        self.world.tell(|| format!("journal {}: change {number} ends as {}", self.number, ending.outcome));
        self.on_disk(|disk| disk.end(number, ending.clone()));
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
        self.on_disk(|disk| disk.end_items(number, items.clone()));
        self.with(|changes| {
            if let Some(stored) = changes.iter_mut().find(|stored| stored.number == number) {
                stored.items.retain(|known| items.iter().all(|item| item.place != known.place));
                stored.items.extend(items);
                stored.items.sort_unstable_by_key(|item| item.place);
            }
        });
        Box::pin(ready(Ok(())))
    }

    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        let known = self.stored().claim(account, owner);
        if let Some(on_disk) = self.on_disk(|disk| disk.claim(account, owner)) {
            self.stored().compare(&known, &on_disk);
        }
        Box::pin(ready(Ok(known)))
    }

    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        self.stored().claim_again(account, owner);
        self.on_disk(|disk| disk.claim_again(account, owner));
        Box::pin(ready(Ok(())))
    }

    fn gap(&self, _: &str) -> Option<Gap> {
        self.stored().gap()
    }

    fn close_gap<'a>(&'a self, _: &'a str) -> JournalFuture<'a, ()> {
        self.stored().close_gap();
        Box::pin(ready(Ok(())))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let is_selected = |stored: &StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let selected: Vec<_> =
            self.with(|changes| changes.iter().filter(|stored| is_selected(stored)).cloned().collect());
        match self.on_disk(|disk| disk.read(which)) {
            Some(on_disk) => {
                self.stored().compare(&selected, &on_disk);
                Box::pin(ready(Ok(on_disk)))
            }
            None => Box::pin(ready(Ok(selected))),
        }
    }
}
