//! A journal in a folder of the file system, over fjall.
//!
//! Two tables: `open` has the changes whose end is not stored, `ended` the others; the end of a change moves it. Their
//! keys are numbers, and their values JSON with short names, to which later releases may add members. The numbers of the
//! open changes are in memory, too, because most of their table are marks of what was moved away.
//!
//! The log has 64 MiB, the least that fjall takes, and the tables 8 MiB in memory: both are read when it is opened. The
//! journal is made in a temporary folder and moved to its place, because the store cannot open a folder whose creation
//! was killed.

mod continuity;
mod tables;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::{fmt, mem};

use fjall::{Guard, PersistMode, Readable, Snapshot};
use tokio::sync::oneshot;

use self::continuity::Continuity;
use self::tables::{Found, Tables, found_in, not_opened, number_of, place};
use super::entry::{read, with_ending, with_items, written};
use super::owner::OwnProcess;
use super::{
    CHUNK, Change, ChangeNumber, Ending, Gap, GapReason, ItemEnding, Journal, JournalFuture, LostSpan, Selection,
    StoredChange,
};
use crate::data::error::JournalError;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

/// After how many changes of a run the log is not left for the next run to read.
const MANY: u64 = 1 << 12;

/// The event that a stored change outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The process, however it ends: the operating system has the change before it is sent. It costs microseconds.
    #[default]
    Process,
    /// The machine: the disk has the change before it is sent. It costs what the disk takes for an `fsync`, often
    /// milliseconds; changes that are made at the same time share it.
    Machine,
}

/// A journal in a folder. One process has it open at a time; clients share it as an `Arc`. A process that is forked from
/// it cannot use the journal.
///
/// It stores requests, ids, times and outcomes, and no credentials. What a torn write left of a change at the moment of
/// a crash is dropped when the folder is opened again: the change was not sent yet. If changes that were sent may be
/// missing, because the machine stopped, the folder is a copy, or its files are truncated, the journal opens
/// nevertheless, and [`gap`](Journal::gap) reports it.
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::journal::{Durability, FileJournal};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("journal");
/// let journal = Arc::new(FileJournal::open(&path, Durability::Process)?);
/// // Client::builder(url).journal(journal)
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileJournal {
    tables: Tables,
    process: OwnProcess,
    /// The number of the first change of this run, and of the next one.
    begins: u64,
    next: AtomicU64,
    /// The numbers of the open changes. Ends are stored under its lock.
    open: Mutex<BTreeSet<u64>>,
    has_failed: AtomicBool,
    path: PathBuf,
    continuity: Mutex<Continuity>,
    /// `None` if changes need not outlive the machine.
    disk: Option<SyncThread>,
}

impl FileJournal {
    /// Opens the journal in the folder `path`, or begins one there.
    ///
    /// # Errors
    ///
    /// Fails if another process has it open, if a release with another format wrote it, if it is damaged, if something
    /// else is in the folder, or if that cannot be read and written.
    pub fn open(path: impl AsRef<Path>, durability: Durability) -> Result<Self, JournalError> {
        let (tables, path) = Tables::open(path.as_ref())?;
        let open = tables.open_numbers().map_err(stored)?;
        let ended = tables.last_ended().map_err(stored)?;
        let kept = ended.max(open.last().copied().unwrap_or_default());
        let continuity = Continuity::begin(&path, durability, kept, || last_signed(&tables, kept));
        let continuity = continuity.map_err(|error| not_opened(&path, error))?;
        // The number of a missing change is not reused.
        let begins = continuity.last() + 1;
        let next = AtomicU64::new(begins);
        let disk = match durability {
            Durability::Process => None,
            Durability::Machine => {
                let database = tables.database.clone();
                Some(SyncThread::start(move || database.persist(PersistMode::SyncData))?)
            }
        };
        let (process, open, continuity) = (OwnProcess::new(), Mutex::new(open), Mutex::new(continuity));
        Ok(Self { tables, process, begins, next, open, has_failed: AtomicBool::new(false), path, continuity, disk })
    }

    /// Returns whether a folder has something that [`open`](Self::open) would read, rather than begin a journal there.
    pub fn exists(path: impl AsRef<Path>) -> bool {
        !matches!(found_in(path.as_ref()), Ok(Found::Nothing))
    }

    /// Drops changes that ended and were signed before `time`, and returns their number. Open ones stay. That they were
    /// dropped is stored as a change, so that a comparison calls none of their orders foreign.
    ///
    /// It works in steps of a thousand changes, between which others are stored, up to the first step in which no change
    /// is as old. A million changes take seconds, so a program with many of them prunes on a thread for blocking work.
    ///
    /// # Errors
    ///
    /// Fails if the store does, or in a forked process.
    pub fn prune(&self, time: Timestamp) -> Result<usize, JournalError> {
        self.refuse_in_child()?;
        let (mut from, mut count) = (self.tables.first().map_err(stored)?, 0);
        // Whether all changes before `from` are pruned or open.
        let mut is_whole = true;
        loop {
            let ended = self.ended(from..u64::MAX, CHUNK)?;
            let old: Vec<_> = ended.iter().filter(|stored| stored.change.signed_at < time).collect();
            let Some(last) = ended.last().filter(|_| !old.is_empty()) else { return Ok(count) };
            if count == 0 {
                self.note_pruned(time)?;
            }
            from = last.number.0 + 1;
            is_whole &= old.len() == ended.len();
            let old: Vec<_> = old.iter().map(|stored| stored.number.0).collect();
            self.checked(self.tables.prune(&old, is_whole.then_some(from)))?;
            count += old.len();
        }
    }

    /// Notes that orders of changes that were signed before `time` may be missing from now on.
    fn note_pruned(&self, time: Timestamp) -> Result<(), JournalError> {
        let number = self.insert(LostSpan::after(None).until(time).change(time))?;
        self.confirm(number)?;
        self.close(number, &Ending::new(Outcome::Done))
    }

    /// Returns the folder, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a failure, after which nothing is written, because it is then unknown what the store contains.
    fn checked<T>(&self, result: fjall::Result<T>) -> Result<T, JournalError> {
        result.map_err(|error| {
            self.has_failed.store(true, Ordering::Release);
            stored(error)
        })
    }

    fn refuse_after_failure(&self) -> Result<(), JournalError> {
        match self.has_failed.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(stored(fjall::Error::Poisoned)),
        }
    }

    fn refuse_in_child(&self) -> Result<(), JournalError> {
        match self.process.is_forked() {
            false => Ok(()),
            true => self.process.refuse_in_child(&place(&self.path)),
        }
    }

    /// Refuses to write to files that the next run would not find.
    fn refuse_elsewhere(&self) -> Result<(), JournalError> {
        if self.tables.are_in_place() {
            return Ok(());
        }
        self.has_failed.store(true, Ordering::Release);
        Err(self.damaged("its folder was deleted, moved or replaced while it was open"))
    }

    fn insert(&self, change: Change) -> Result<ChangeNumber, JournalError> {
        self.refuse_in_child()?;
        self.refuse_after_failure()?;
        self.refuse_elsewhere()?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.checked(self.tables.open.insert(number.to_be_bytes(), written(change)))?;
        self.numbers().insert(number);
        Ok(ChangeNumber(number))
    }

    fn numbers(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn continuity(&self) -> MutexGuard<'_, Continuity> {
        self.continuity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a change is stored as durably as required.
    fn confirm(&self, ChangeNumber(number): ChangeNumber) -> Result<(), JournalError> {
        let noted = self.continuity().note(number);
        self.checked(noted.map_err(fjall::Error::Io))
    }

    /// Moves a change in one step. A change that has ended keeps its first ending, unless that was unknown.
    fn close(&self, number: ChangeNumber, ending: &Ending) -> Result<(), JournalError> {
        self.refuse_in_child()?;
        self.refuse_after_failure()?;
        let (Tables { database, open, ended, .. }, key) = (&self.tables, number.0.to_be_bytes());
        let mut numbers = self.numbers();
        let is_open = numbers.contains(&number.0);
        let text = match if is_open { self.checked(open.get(key))? } else { None } {
            Some(value) => with_ending(self.text(&value)?, ending),
            None => match self.checked(ended.get(key))? {
                Some(value) => {
                    let StoredChange { change, ending: before, items, .. } = self.read_back(number, &value)?;
                    if before.is_some_and(|before| before.outcome != Outcome::Unknown) {
                        return Ok(());
                    }
                    let text = with_items(&written(change), &items).map_err(|why| self.damaged(&why))?;
                    with_ending(&text, ending)
                }
                None => return Ok(()),
            },
        };
        let text = text.ok_or_else(|| self.damaged(&format!("change {number} is not an object")))?;
        let mut batch = database.batch();
        batch.insert(ended, key, text);
        if is_open {
            batch.remove(open, key);
        }
        self.checked(batch.commit())?;
        numbers.remove(&number.0);
        Ok(())
    }

    /// Adds the endings of items to a change, wherever it is.
    fn close_items(&self, number: ChangeNumber, items: &[ItemEnding]) -> Result<(), JournalError> {
        self.refuse_in_child()?;
        self.refuse_after_failure()?;
        let (key, numbers) = (number.0.to_be_bytes(), self.numbers());
        let table = if numbers.contains(&number.0) { &self.tables.open } else { &self.tables.ended };
        let Some(value) = self.checked(table.get(key))? else { return Ok(()) };
        let text = with_items(self.text(&value)?, items).map_err(|why| self.damaged(&why))?;
        self.checked(table.insert(key, text))
    }

    fn select(&self, which: Selection) -> Result<Vec<StoredChange>, JournalError> {
        match which {
            Selection::Open => {
                self.refuse_in_child()?;
                let open: Vec<_> = self.numbers().iter().copied().collect();
                self.of_numbers(&self.tables.database.snapshot(), open)
            }
            Selection::After(after) => self.after(after, usize::MAX),
        }
    }

    /// Returns the first changes after a number, at most `most`.
    fn after(&self, ChangeNumber(after): ChangeNumber, most: usize) -> Result<Vec<StoredChange>, JournalError> {
        self.refuse_in_child()?;
        let from = after.saturating_add(1);
        // The end of a change moves it, so the numbers are read first, and then both tables at the same moment.
        let open = self.numbers().range(from..).take(most).copied().collect();
        let now = self.tables.database.snapshot();
        let mut all = self.ended_at(&now, from..u64::MAX, most, false)?;
        all.extend(self.of_numbers(&now, open)?);
        all.sort_unstable_by_key(|stored| stored.number);
        all.truncate(most);
        Ok(all)
    }

    /// Returns the last changes before a number, at most `most`.
    fn before(&self, ChangeNumber(before): ChangeNumber, most: usize) -> Result<Vec<StoredChange>, JournalError> {
        self.refuse_in_child()?;
        let open = self.numbers().range(..before).rev().take(most).copied().collect();
        let now = self.tables.database.snapshot();
        let mut all = self.ended_at(&now, 0..before, most, true)?;
        all.extend(self.of_numbers(&now, open)?);
        all.sort_unstable_by_key(|stored| stored.number);
        Ok(all.split_off(all.len().saturating_sub(most)))
    }

    /// Returns the changes among these that are open.
    fn of_numbers(&self, now: &Snapshot, numbers: Vec<u64>) -> Result<Vec<StoredChange>, JournalError> {
        let mut all = Vec::with_capacity(numbers.len());
        for number in numbers {
            if let Some(value) = self.checked(now.get(&self.tables.open, number.to_be_bytes()))? {
                all.push(self.read_back(ChangeNumber(number), &value)?);
            }
        }
        Ok(all)
    }

    fn ended(&self, numbers: Range<u64>, most: usize) -> Result<Vec<StoredChange>, JournalError> {
        self.ended_at(&self.tables.database.snapshot(), numbers, most, false)
    }

    /// Returns the changes that ended with these numbers, at most `most`, from the last one down if `is_reversed`.
    fn ended_at(
        &self,
        now: &Snapshot,
        numbers: Range<u64>,
        most: usize,
        is_reversed: bool,
    ) -> Result<Vec<StoredChange>, JournalError> {
        // What was pruned leaves marks behind.
        let from = numbers.start.max(self.checked(self.tables.first())?);
        if from >= numbers.end {
            return Ok(Vec::new());
        }
        let found = now.range(&self.tables.ended, from.to_be_bytes()..numbers.end.to_be_bytes());
        match is_reversed {
            false => self.all(found.take(most)),
            true => self.all(found.rev().take(most)),
        }
    }

    fn all(&self, found: impl Iterator<Item = Guard>) -> Result<Vec<StoredChange>, JournalError> {
        let mut all = Vec::new();
        for item in found {
            let (key, value) = self.checked(item.into_inner())?;
            let number = number_of(&key).ok_or_else(|| self.damaged("a key is not a number"))?;
            all.push(self.read_back(ChangeNumber(number), &value)?);
        }
        Ok(all)
    }

    fn read_back(&self, number: ChangeNumber, value: &[u8]) -> Result<StoredChange, JournalError> {
        read(number, self.text(value)?).map_err(|why| self.damaged(&why))
    }

    fn text<'a>(&self, value: &'a [u8]) -> Result<&'a str, JournalError> {
        std::str::from_utf8(value).map_err(|_| self.damaged("a change is not text"))
    }

    fn damaged(&self, why: &str) -> JournalError {
        JournalError::Damaged { place: place(&self.path), why: why.to_owned() }
    }
}

impl Journal for FileJournal {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        Box::pin(async move {
            let number = self.insert(change)?;
            if let Some(disk) = &self.disk {
                let synced = disk.sync().await;
                self.checked(synced)?;
            }
            self.confirm(number)?;
            Ok(number)
        })
    }

    /// Does not wait for the disk: a change whose end is lost is open, and is queried again.
    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        Box::pin(async move { self.close(number, &ending) })
    }

    fn end_items(&self, number: ChangeNumber, items: Vec<ItemEnding>) -> JournalFuture<'_, ()> {
        Box::pin(async move { self.close_items(number, &items) })
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move { self.select(which) })
    }

    fn read_after(&self, after: ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move { self.after(after, most) })
    }

    fn read_before(&self, before: ChangeNumber, most: usize) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move { self.before(before, most) })
    }

    fn claim<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, String> {
        Box::pin(async move {
            self.refuse_in_child()?;
            match self.checked(self.tables.owner(account))? {
                Some(known) => Ok(known),
                None => self.claim_again(account, owner).await.map(|()| owner.to_owned()),
            }
        })
    }

    fn claim_again<'a>(&'a self, account: &'a str, owner: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.refuse_in_child()?;
            self.refuse_after_failure()?;
            self.refuse_elsewhere()?;
            self.checked(self.tables.set_owner(account, owner))?;
            match &self.disk {
                Some(disk) => self.checked(disk.sync().await),
                None => Ok(()),
            }
        })
    }

    fn gap(&self, account: &str) -> Option<Gap> {
        match self.process.is_forked() {
            false => self.continuity().gap(account),
            true => Some(Gap::new(GapReason::Forked, None)),
        }
    }

    fn close_gap<'a>(&'a self, account: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.refuse_in_child()?;
            self.refuse_elsewhere()?;
            let closed = self.continuity().close_gap(account);
            self.checked(closed.map_err(fjall::Error::Io))
        })
    }
}

impl Drop for FileJournal {
    /// Closes the journal, so that its changes survive the machine as well.
    fn drop(&mut self) {
        if self.process.is_forked() {
            // The threads of the store are those of the other process, and would be waited for.
            mem::forget((self.disk.take(), self.tables.clone()));
            return;
        }
        self.disk = None;
        let is_here = !self.has_failed.load(Ordering::Acquire) && self.tables.are_in_place();
        if is_here && self.tables.database.persist(PersistMode::SyncAll).is_ok() {
            if *self.next.get_mut() - self.begins >= MANY {
                self.tables.flush();
            }
            // If it fails, the next run reports what may be missing.
            let _ = self.continuity().close();
        }
    }
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns when the change with this number, the last one, was signed by the clock that shows the earlier time, if it
/// can be read.
fn last_signed(tables: &Tables, number: u64) -> Option<Timestamp> {
    let key = number.to_be_bytes();
    let value = [&tables.open, &tables.ended].into_iter().find_map(|table| table.get(key).ok().flatten())?;
    read(ChangeNumber(number), std::str::from_utf8(&value).ok()?).ok().map(|stored| stored.change.signed().earliest())
}

fn stored(error: fjall::Error) -> JournalError {
    match error {
        fjall::Error::Io(error) => JournalError::Store { source: Arc::new(error) },
        fjall::Error::Poisoned => {
            let source: Box<dyn std::error::Error + Send + Sync> = "an earlier write failed".into();
            JournalError::Store { source: source.into() }
        }
        other => JournalError::Store { source: Arc::new(other) },
    }
}

/// A thread that writes the store to disk. Changes that are made meanwhile wait for the next write, which they share.
struct SyncThread {
    waiting: Option<mpsc::Sender<Waiter>>,
    thread: Option<JoinHandle<()>>,
}

type Waiter = oneshot::Sender<fjall::Result<()>>;

impl SyncThread {
    fn start(mut sync: impl FnMut() -> fjall::Result<()> + Send + 'static) -> Result<Self, JournalError> {
        let (waiting, arrivals) = mpsc::channel::<Waiter>();
        let run = move || {
            while let Ok(first) = arrivals.recv() {
                let waiters: Vec<_> = std::iter::once(first).chain(arrivals.try_iter()).collect();
                let result = sync();
                for waiter in waiters {
                    // The store's errors cannot be copied; after one, it refuses everything.
                    let result = if result.is_ok() { Ok(()) } else { Err(fjall::Error::Poisoned) };
                    let _ = waiter.send(result);
                }
            }
        };
        let thread = thread::Builder::new().name("journal".to_owned()).spawn(run).map_err(|error| {
            let source: Arc<dyn std::error::Error + Send + Sync> = Arc::new(error);
            JournalError::Store { source }
        })?;
        Ok(Self { waiting: Some(waiting), thread: Some(thread) })
    }

    async fn sync(&self) -> fjall::Result<()> {
        let (waiter, done) = oneshot::channel();
        let is_sent = self.waiting.as_ref().is_some_and(|waiting| waiting.send(waiter).is_ok());
        match is_sent {
            true => done.await.unwrap_or(Err(fjall::Error::Poisoned)),
            false => Err(fjall::Error::Poisoned),
        }
    }
}

impl Drop for SyncThread {
    /// Waits for the thread: another journal can open the folder only after the thread has ended.
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
