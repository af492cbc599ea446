//! The tables of a journal in a folder: how they are begun, opened and found again. A journal is made in a draft,
//! because the store cannot open what a killed process left unfinished.
//!
//! A draft is a folder with a file that its maker holds a lock on; a draft whose lock is free was abandoned. The name
//! of a draft is its maker's alone, so that makers do not meet.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{self, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{io, panic, process, thread};

use fjall::{Database, Guard, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::continuity::{HELD, sync_folder};
use crate::data::error::JournalError;

/// The format of the tables. Another one is refused.
const FORMAT: &[u8] = b"1";

/// A file that the store has in each of its folders.
const MARKER: &str = "version";

/// The key of the highest number that was pruned.
const PRUNED: &str = "pruned";

/// The key of the lowest number of a change that ended and may not be pruned.
const FIRST: &str = "first";

/// The beginning of the keys of owners.
const OWNER: &str = "owner ";

/// The size of a table in memory, and that of the store's log. Both are read when the journal is opened.
const IN_MEMORY: u64 = 8 << 20;

const LOG: u64 = 64 << 20;

/// The threads of the store: one more than there are tables. Each waits for room in a queue when it empties a table, and
/// only another one makes room.
const THREADS: usize = 4;

/// The time that the end of a journal waits for the store.
const PATIENCE: Duration = Duration::from_secs(5);

/// The size of what is kept in memory of tables on the disk, of which little is read again.
const CACHE: u64 = 4 << 20;

#[derive(Clone)]
pub(super) struct Tables {
    pub(super) database: Database,
    about: Keyspace,
    pub(super) open: Keyspace,
    pub(super) ended: Keyspace,
    /// The file that shows whether it is in its place, and what distinguishes that file.
    held: (PathBuf, Identity),
}

/// Distinguishes the folder from one that later takes its place.
type Identity = (u64, u64);

/// The contents of a folder.
pub(super) enum Found {
    Nothing,
    Tables,
    SomethingElse,
}

impl Tables {
    /// Opens the tables in a folder, or begins them there. Returns the absolute path, too.
    pub(super) fn open(path: &Path) -> Result<(Self, PathBuf), JournalError> {
        let path = path::absolute(path).map_err(|error| not_opened(path, error))?;
        remove_abandoned(&path);
        match found_in(&path).map_err(|error| not_opened(&path, error))? {
            Found::Nothing => Self::begin(&path)?,
            Found::Tables => {}
            Found::SomethingElse => return Err(not_opened(&path, io::Error::other("something else is in the folder"))),
        }
        // The store checks much of what it reads by assertions.
        let read = panic::catch_unwind(|| Self::read(&path));
        let read = read.map_err(|_| damaged(&path, "the store panicked while it read it".to_owned()))?;
        let (tables, format) = read.map_err(|error| opening(&path, error))?;
        match format.as_deref() {
            Some(FORMAT) => Ok((tables, path)),
            Some(other) => {
                let found = String::from_utf8_lossy(other).into_owned();
                Err(JournalError::Format { place: place(&path), found })
            }
            // It is written before the tables are moved to their place.
            None => Err(damaged(&path, "its format is missing".to_owned())),
        }
    }

    /// Reads the tables in a folder, and their format.
    fn read(path: &Path) -> fjall::Result<(Self, Option<Vec<u8>>)> {
        let builder = Database::builder(path).worker_threads(THREADS).max_journaling_size(LOG).cache_size(CACHE);
        let database = builder.open()?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(IN_MEMORY);
        let table = |name| database.keyspace(name, options);
        let about = table("about")?;
        let format = about.get("format")?.map(|format| format.to_vec());
        let (open, ended, held) = (table("open")?, table("ended")?, path.join(HELD));
        let held = (held.clone(), identity(&held)?);
        Ok((Self { about, open, ended, held, database }, format))
    }

    /// Begins tables in a folder. They are made beside it and moved there as a whole, because the store cannot open
    /// tables whose process was killed while it made them.
    fn begin(path: &Path) -> Result<(), JournalError> {
        let begun = || -> fjall::Result<()> {
            let draft = Draft::of(path)?;
            let (tables, _) = Self::read(draft.path())?;
            tables.about.insert("format", FORMAT)?;
            tables.database.persist(PersistMode::SyncAll)?;
            drop(tables);
            draft.move_to(path)?;
            // Otherwise the folder itself could be missing after a loss of power.
            path.parent().map_or(Ok(()), sync_folder)?;
            Ok(())
        };
        match begun() {
            // Another process may have begun them meanwhile.
            Err(error) if matches!(found_in(path), Ok(Found::Nothing)) => Err(opening(path, error)),
            _ => Ok(()),
        }
    }

    /// Returns the numbers of the open changes.
    pub(super) fn open_numbers(&self) -> fjall::Result<BTreeSet<u64>> {
        let mut numbers = BTreeSet::new();
        for item in self.open.iter() {
            numbers.extend(number_of(&item.key()?));
        }
        Ok(numbers)
    }

    /// Returns the highest number of a change that ended, also of those that were pruned.
    pub(super) fn last_ended(&self) -> fjall::Result<u64> {
        let pruned = self.number(PRUNED)?;
        let last = self.ended.range((pruned + 1).to_be_bytes()..).next_back().map(Guard::key).transpose()?;
        Ok(last.and_then(|key| number_of(&key)).unwrap_or(pruned))
    }

    /// Returns the lowest number of a change that ended and may not be pruned.
    pub(super) fn first(&self) -> fjall::Result<u64> {
        self.number(FIRST)
    }

    /// Removes changes that ended, in one step. `first` is the new lowest number, if it changes.
    pub(super) fn prune(&self, numbers: &[u64], first: Option<u64>) -> fjall::Result<()> {
        let mut batch = self.database.batch();
        for number in numbers {
            batch.remove(&self.ended, number.to_be_bytes());
        }
        let last = numbers.iter().copied().max().unwrap_or_default().max(self.number(PRUNED)?);
        batch.insert(&self.about, PRUNED, last.to_be_bytes());
        if let Some(first) = first {
            batch.insert(&self.about, FIRST, first.to_be_bytes());
        }
        batch.commit()
    }

    fn number(&self, key: &str) -> fjall::Result<u64> {
        Ok(self.about.get(key)?.and_then(|bytes| number_of(&bytes)).unwrap_or_default())
    }

    /// Has the store move what is in memory, and in the log, to the disk.
    pub(super) fn flush(&self) {
        let tables = [&self.about, &self.open, &self.ended];
        if tables.into_iter().all(|table| table.rotate_memtable().is_ok()) {
            wait_while(|| tables.into_iter().any(|table| table.sealed_memtable_count() > 0));
        }
    }

    /// Returns whom the changes of an account belong to.
    pub(super) fn owner(&self, account: &str) -> fjall::Result<Option<String>> {
        let owner = self.about.get(OWNER.to_owned() + account)?;
        Ok(owner.map(|owner| String::from_utf8_lossy(&owner).into_owned()))
    }

    pub(super) fn set_owner(&self, account: &str, owner: &str) -> fjall::Result<()> {
        self.about.insert(OWNER.to_owned() + account, owner)
    }

    /// Returns whether the folder that they were read from is still at its path.
    pub(super) fn are_in_place(&self) -> bool {
        let (path, known) = &self.held;
        identity(path).is_ok_and(|identity| identity == *known)
    }
}

fn wait_while(is_behind: impl Fn() -> bool) {
    let begun = Instant::now();
    while is_behind() && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(1));
    }
}

pub(super) fn number_of(bytes: &[u8]) -> Option<u64> {
    <[u8; 8]>::try_from(bytes).map(u64::from_be_bytes).ok()
}

pub(super) fn found_in(path: &Path) -> io::Result<Found> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(match entries.next() {
            None => Found::Nothing,
            Some(_) if path.join(MARKER).exists() => Found::Tables,
            Some(_) => Found::SomethingElse,
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn identity(held: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let held = fs::metadata(held)?;
    Ok((held.dev(), held.ino()))
}

/// Returns the same for all folders: elsewhere, a folder with an open file cannot be moved or deleted.
#[cfg(not(unix))]
fn identity(held: &Path) -> io::Result<Identity> {
    fs::metadata(held).map(|_| (0, 0))
}

pub(super) fn place(path: &Path) -> String {
    path.display().to_string()
}

fn damaged(path: &Path, why: String) -> JournalError {
    JournalError::Damaged { place: place(path), why }
}

pub(super) fn not_opened(path: &Path, error: io::Error) -> JournalError {
    JournalError::NotOpened { place: place(path), source: Arc::new(error) }
}

/// Returns why the folder cannot be opened.
fn opening(path: &Path, error: fjall::Error) -> JournalError {
    match error {
        fjall::Error::Locked => JournalError::InUse { place: place(path) },
        fjall::Error::InvalidVersion(found) => JournalError::Format {
            place: place(path),
            found: found.map_or_else(|| "of something else".to_owned(), |found| format!("{found:?} of fjall")),
        },
        fjall::Error::Io(error) => not_opened(path, error),
        other => damaged(path, other.to_string()),
    }
}

/// The file that the maker of a draft holds a lock on.
const MAKER: &str = "maker";

/// The number of attempts with another name, after the draft was taken for an abandoned one before it was locked.
const ATTEMPTS: usize = 100;

pub(super) struct Draft {
    path: PathBuf,
    lock: Option<File>,
}

impl Draft {
    /// Returns a new draft for the journal in a folder.
    pub(super) fn of(journal: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if let Some(folder) = journal.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut result = Err(io::Error::from(io::ErrorKind::NotFound));
        for _ in 0..ATTEMPTS {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = journal.with_file_name(format!("{}{}.{count}", prefix(journal), process::id()));
            result = Self::locked(path);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn locked(path: PathBuf) -> io::Result<Self> {
        // It fails where a process with the same number, of another container, has a draft.
        fs::create_dir(&path)?;
        let lock = File::create_new(path.join(MAKER))?;
        lock.try_lock()?;
        // It may have been removed before it was locked.
        fs::metadata(path.join(MAKER))?;
        Ok(Self { path, lock: Some(lock) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the draft the journal in a folder, which is empty or missing.
    pub(super) fn move_to(mut self, journal: &Path) -> io::Result<()> {
        if !cfg!(unix) {
            // Elsewhere, a folder with an open file cannot be moved.
            self.lock = None;
        }
        fs::rename(&self.path, journal)?;
        let _ = fs::remove_file(journal.join(MAKER));
        Ok(())
    }
}

impl Drop for Draft {
    /// Removes what was not moved, before the lock is free.
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        self.lock = None;
    }
}

/// Removes the drafts of a journal whose makers were killed.
pub(super) fn remove_abandoned(journal: &Path) {
    let Some(entries) = journal.parent().and_then(|folder| fs::read_dir(folder).ok()) else { return };
    let prefix = prefix(journal);
    let is_draft = |name: &OsStr| {
        let number = name.to_string_lossy().strip_prefix(&prefix).map(str::to_owned);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    };
    for entry in entries.flatten().filter(|entry| is_draft(&entry.file_name())) {
        remove_if_abandoned(&entry.path());
    }
}

fn remove_if_abandoned(draft: &Path) {
    match File::open(draft.join(MAKER)) {
        Ok(lock) if lock.try_lock().is_ok() => drop(fs::remove_dir_all(draft)),
        Ok(_) => {}
        // An empty one may be about to be locked; its maker then takes another name.
        Err(_) if fs::remove_dir(draft).is_ok() => {}
        // Its maker may have begun it meanwhile. Otherwise, its removal was killed.
        Err(_) if !has_maker(draft) => drop(fs::remove_dir_all(draft)),
        Err(_) => {}
    }
}

/// Returns whether a draft has a maker, also if that cannot be found out.
fn has_maker(draft: &Path) -> bool {
    fs::exists(draft.join(MAKER)).unwrap_or(true)
}

fn prefix(journal: &Path) -> String {
    format!(".{}.", journal.file_name().unwrap_or_default().to_string_lossy())
}
