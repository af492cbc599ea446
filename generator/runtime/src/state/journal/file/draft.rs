//! The folder beside a journal in which it is made, because the store cannot open what a killed process left unfinished.
//!
//! A draft is a folder with a file that its maker holds a lock on; a draft whose lock is free was abandoned. The name of
//! a draft is its maker's alone, so that makers do not meet.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The file that the maker of a draft holds a lock on.
const MAKER: &str = "maker";

/// The number of attempts with another name, after the draft was taken for an abandoned one before it was locked.
const ATTEMPTS: usize = 100;

pub(super) struct Draft {
    path: PathBuf,
    lock: Option<File>,
}

impl Draft {
    /// A new draft for the journal in a folder.
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

/// Also if that cannot be found out.
fn has_maker(draft: &Path) -> bool {
    fs::exists(draft.join(MAKER)).unwrap_or(true)
}

fn prefix(journal: &Path) -> String {
    format!(".{}.", journal.file_name().unwrap_or_default().to_string_lossy())
}
