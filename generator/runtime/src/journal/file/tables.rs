//! The tables of a journal in a folder: how they are begun, opened and found again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io, panic, path, process};

use fjall::{Database, Guard, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::continuity::{HELD, sync_folder};
use crate::error::JournalError;

/// The format of the tables. Another one is refused.
const FORMAT: &[u8] = b"1";

/// A file that the store has in each of its folders.
const MARKER: &str = "version";

/// The key of the highest number that was pruned.
const PRUNED: &str = "pruned";

#[derive(Clone)]
pub(super) struct Tables {
    pub(super) database: Database,
    about: Keyspace,
    pub(super) open: Keyspace,
    pub(super) ended: Keyspace,
    /// Its file that shows whether it is in its place, and what distinguishes that file.
    held: (PathBuf, Identity),
}

/// Distinguishes the folder from one that later takes its place.
type Identity = (u64, u64);

/// What is in a folder.
enum Found {
    Nothing,
    Tables,
    SomethingElse,
}

impl Tables {
    /// Opens the tables in a folder, or begins them there. Returns the absolute path, too.
    pub(super) fn open(path: &Path) -> Result<(Self, PathBuf), JournalError> {
        let path = path::absolute(path).map_err(|error| not_opened(path, error))?;
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
        let database = Database::builder(path).worker_threads(1).open()?;
        let table = |name| database.keyspace(name, KeyspaceCreateOptions::default);
        let about = table("about")?;
        let format = about.get("format")?.map(|format| format.to_vec());
        let (open, ended, held) = (table("open")?, table("ended")?, path.join(HELD));
        let held = (held.clone(), identity(&held)?);
        Ok((Self { about, open, ended, held, database }, format))
    }

    /// Begins tables in a folder. They are made beside it and moved there as a whole, because the store cannot open
    /// tables whose process was killed while it made them.
    fn begin(path: &Path) -> Result<(), JournalError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}", process::id()));
        let begun = || -> fjall::Result<()> {
            let _ = fs::remove_dir_all(&draft);
            let (tables, _) = Self::read(&draft)?;
            tables.about.insert("format", FORMAT)?;
            tables.database.persist(PersistMode::SyncAll)?;
            drop(tables);
            fs::rename(&draft, path)?;
            // Otherwise the folder itself could be missing after a loss of power.
            path.parent().map_or(Ok(()), sync_folder)?;
            Ok(())
        };
        let result = begun();
        let _ = fs::remove_dir_all(&draft);
        match result {
            // Another process may have begun them meanwhile.
            Err(error) if matches!(found_in(path), Ok(Found::Nothing)) => Err(opening(path, error)),
            _ => Ok(()),
        }
    }

    /// The highest number so far, also of changes that were pruned.
    pub(super) fn last(&self) -> fjall::Result<u64> {
        let mut last = self.last_pruned()?;
        for table in [&self.open, &self.ended] {
            if let Some(key) = table.last_key_value().map(Guard::key).transpose()? {
                last = last.max(number_of(&key));
            }
        }
        Ok(last)
    }

    /// Changes up to a number are about to be pruned.
    pub(super) fn note_pruned(&self, number: u64) -> fjall::Result<()> {
        match self.last_pruned()? < number {
            true => self.about.insert(PRUNED, number.to_be_bytes()),
            false => Ok(()),
        }
    }

    fn last_pruned(&self) -> fjall::Result<u64> {
        Ok(self.about.get(PRUNED)?.map_or(0, |number| number_of(&number)))
    }

    /// Whether the folder that they were read from is still at its path.
    pub(super) fn are_in_place(&self) -> bool {
        let (path, known) = &self.held;
        identity(path).is_ok_and(|identity| identity == *known)
    }
}

fn number_of(bytes: &[u8]) -> u64 {
    <[u8; 8]>::try_from(bytes).map_or(0, u64::from_be_bytes)
}

fn found_in(path: &Path) -> io::Result<Found> {
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

/// Elsewhere, a folder with an open file cannot be moved or deleted.
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

/// Why the folder cannot be opened.
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
