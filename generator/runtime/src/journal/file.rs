//! A journal in a folder of the file system, over fjall.
//!
//! Two tables: `open` has the changes whose end is not stored, `ended` the others; the end of a change moves it. Their
//! keys are numbers, and their values JSON with short names, to which later releases may add members.

mod continuity;
mod tables;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use fjall::{Keyspace, PersistMode, Readable, Snapshot};
use tokio::sync::oneshot;

use self::continuity::Continuity;
use self::tables::{Tables, not_opened, place};

use super::entry::{read, with_ending, written};
use super::{Change, ChangeNumber, Ending, Gap, Journal, JournalFuture, Selection, StoredChange};
use crate::error::JournalError;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// What a stored change outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The process, however it ends: the operating system has the change before it is sent. It costs microseconds.
    #[default]
    Process,
    /// The machine: the disk has the change before it is sent. It costs what the disk takes for an `fsync`, often
    /// milliseconds; changes that are made at the same time share it.
    Machine,
}

/// A journal in a folder. One process has it open at a time; clients share it as an `Arc`.
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
    next: AtomicU64,
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
        let kept = tables.last().map_err(stored)?;
        let continuity = Continuity::begin(&path, durability, kept, || last_signed(&tables));
        let continuity = continuity.map_err(|error| not_opened(&path, error))?;
        // The number of a missing change is not reused.
        let next = AtomicU64::new(continuity.last() + 1);
        let disk = match durability {
            Durability::Process => None,
            Durability::Machine => {
                let database = tables.database.clone();
                Some(SyncThread::start(move || database.persist(PersistMode::SyncData))?)
            }
        };
        Ok(Self { tables, next, has_failed: AtomicBool::new(false), path, continuity: Mutex::new(continuity), disk })
    }

    /// Drops changes that ended and were signed before `time`, and returns their number. Open ones stay.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn prune(&self, time: Timestamp) -> Result<usize, JournalError> {
        let ended = self.table(&self.tables.database.snapshot(), &self.tables.ended, 0)?;
        let old: Vec<_> =
            ended.iter().filter(|stored| stored.change.signed_at < time).map(|old| old.number.0).collect();
        let Some(highest) = old.iter().max() else { return Ok(0) };
        self.checked(self.tables.note_pruned(*highest))?;
        for number in &old {
            self.checked(self.tables.ended.remove(number.to_be_bytes()))?;
        }
        Ok(old.len())
    }

    /// The folder, as an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Nothing is written after a failure, because it is then unknown what the store contains.
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

    /// Refuses to write to files that the next run would not find.
    fn refuse_elsewhere(&self) -> Result<(), JournalError> {
        if self.tables.are_in_place() {
            return Ok(());
        }
        self.has_failed.store(true, Ordering::Release);
        Err(self.damaged("its folder was deleted, moved or replaced while it was open"))
    }

    fn insert(&self, change: Change) -> Result<ChangeNumber, JournalError> {
        self.refuse_after_failure()?;
        self.refuse_elsewhere()?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.checked(self.tables.open.insert(number.to_be_bytes(), written(change)))?;
        Ok(ChangeNumber(number))
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
        self.refuse_after_failure()?;
        let (Tables { database, open, ended, .. }, key) = (&self.tables, number.0.to_be_bytes());
        let text = match self.checked(open.get(key))? {
            Some(value) => with_ending(self.text(&value)?, ending),
            None => match self.checked(ended.get(key))? {
                Some(value) => {
                    let StoredChange { change, ending: before, .. } = self.read_back(number, &value)?;
                    if before.is_some_and(|before| before.outcome != Outcome::Unknown) {
                        return Ok(());
                    }
                    with_ending(&written(change), ending)
                }
                None => return Ok(()),
            },
        };
        let text = text.ok_or_else(|| self.damaged(&format!("change {number} is not an object")))?;
        let mut batch = database.batch();
        batch.insert(ended, key, text);
        batch.remove(open, key);
        self.checked(batch.commit())
    }

    fn select(&self, which: Selection) -> Result<Vec<StoredChange>, JournalError> {
        // The end of a change moves it, so both tables are read at the same moment.
        let now = self.tables.database.snapshot();
        match which {
            Selection::Open => self.table(&now, &self.tables.open, 0),
            Selection::After(ChangeNumber(after)) => {
                let mut all = self.table(&now, &self.tables.ended, after.saturating_add(1))?;
                all.extend(self.table(&now, &self.tables.open, after.saturating_add(1))?);
                all.sort_by_key(|stored| stored.number);
                Ok(all)
            }
        }
    }

    /// The changes of a table from a number on.
    fn table(&self, now: &Snapshot, table: &Keyspace, from: u64) -> Result<Vec<StoredChange>, JournalError> {
        let mut all = Vec::new();
        for item in now.range(table, from.to_be_bytes()..) {
            let (key, value) = self.checked(item.into_inner())?;
            let number = <[u8; 8]>::try_from(&*key).map_err(|_| self.damaged("a key is not a number"))?;
            all.push(self.read_back(ChangeNumber(u64::from_be_bytes(number)), &value)?);
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

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        Box::pin(async move { self.select(which) })
    }

    fn gap(&self, account: &str) -> Option<Gap> {
        self.continuity().gap(account)
    }

    fn close_gap<'a>(&'a self, account: &'a str) -> JournalFuture<'a, ()> {
        Box::pin(async move {
            self.refuse_elsewhere()?;
            let closed = self.continuity().close_gap(account);
            self.checked(closed.map_err(fjall::Error::Io))
        })
    }
}

impl Drop for FileJournal {
    /// Closes the journal, so that its changes survive the machine as well.
    fn drop(&mut self) {
        self.disk = None;
        let is_here = !self.has_failed.load(Ordering::Acquire) && self.tables.are_in_place();
        if is_here && self.tables.database.persist(PersistMode::SyncAll).is_ok() {
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
    /// Another journal can open the folder only after the thread has ended.
    fn drop(&mut self) {
        self.waiting = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// When the last change was signed, if it can be read.
fn last_signed(tables: &Tables) -> Option<Timestamp> {
    let last = [&tables.open, &tables.ended].into_iter().filter_map(|table| table.last_key_value()?.into_inner().ok());
    let (key, value) = last.max_by(|(one, _), (other, _)| one.cmp(other))?;
    let number = <[u8; 8]>::try_from(&*key).map(u64::from_be_bytes).ok()?;
    read(ChangeNumber(number), std::str::from_utf8(&value).ok()?).ok().map(|stored| stored.change.signed_at)
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

#[cfg(test)]
mod tests;
