//! Decides whether a journal in a folder has every change that was sent.
//!
//! Two files beside the tables keep what the tables cannot show of themselves. `run` describes the last time the
//! journal was open: the boot of the machine, the folder, and whether the journal was closed. It is replaced as a
//! whole, with an `fsync`, when the journal is opened and closed. `last` holds the highest number, which each change
//! overwrites after it is stored; if the tables end at a lower number, they have lost changes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Durability;
use crate::data::json::{read_json, write_json};
use crate::data::value::Timestamp;
use crate::state::journal::gap::{Gap, GapReason};

/// A file that the store keeps open, so that no other file can get its inode.
pub(super) const HELD: &str = "lock";

const RUN: &str = "run";
const DRAFT: &str = "run.new";
const LAST: &str = "last";

/// Identifies the boot of the machine on Linux.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

crate::record! {
    /// The last time the journal was open, and a gap that is not yet closed for every account.
    struct Run {
        #[wire("boot")]
        boot: Option<String>,
        #[wire("folder")]
        folder: Option<String>,
        #[wire("state")]
        state: Option<String>,
        #[wire("gap")]
        gap: Option<String>,
        #[wire("after")]
        after: Option<Timestamp>,
        #[wire("closed_for")]
        closed_for: Option<Vec<String>>,
    }
}

/// The states of a run: what its changes survive while the journal is open, or that it was closed.
const PROCESS: &str = "process";
const MACHINE: &str = "machine";
const CLOSED: &str = "closed";

pub(super) struct Continuity {
    folder: PathBuf,
    run: Run,
    file: File,
    last: u64,
}

impl Continuity {
    /// Compares the tables with the notes of the last run, and begins another run. `kept` is the highest number in the
    /// tables, and `after` reads when that change was signed.
    pub(super) fn begin(
        folder: &Path,
        durability: Durability,
        kept: u64,
        after: impl FnOnce() -> Option<Timestamp>,
    ) -> io::Result<Self> {
        let before = fs::read_to_string(folder.join(RUN));
        let before = match before {
            Ok(text) => Some(read_json::<Run>(&text).ok()),
            // An earlier release, which had no such file, wrote the journal.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(LAST))?;
        let confirmed = read_number(&mut file)?.unwrap_or_default();
        let now = Run { boot: boot(), folder: Some(name_of(folder)?), ..Run::default() };
        let reason = match &before {
            None => None,
            Some(None) => Some(GapReason::Damaged),
            Some(Some(before)) => before.lost_by(&now).or((kept < confirmed).then_some(GapReason::Damaged)),
        };
        let mut run = Run { boot: now.boot, folder: now.folder, ..before.flatten().unwrap_or_default() };
        if let Some(reason) = reason {
            run.widen(Gap::new(reason, after()));
        }
        run.state = Some(match durability {
            Durability::Process => PROCESS.to_owned(),
            Durability::Machine => MACHINE.to_owned(),
        });
        let mut continuity = Self { folder: folder.to_owned(), run, file, last: 0 };
        continuity.note(kept.max(confirmed))?;
        continuity.file.sync_all()?;
        continuity.write()?;
        Ok(continuity)
    }

    /// Returns the highest number so far, including those of missing changes.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Notes that the change with this number is stored.
    pub(super) fn note(&mut self, number: u64) -> io::Result<()> {
        if number > self.last {
            overwrite(&self.file, &written(number))?;
            self.last = number;
        }
        Ok(())
    }

    pub(super) fn gap(&self, account: &str) -> Option<Gap> {
        let is_closed = self.run.closed_for.iter().flatten().any(|closed| closed == account);
        self.run.gap().filter(|_| !is_closed)
    }

    pub(super) fn close_gap(&mut self, account: &str) -> io::Result<()> {
        if self.gap(account).is_none() {
            return Ok(());
        }
        self.run.closed_for.get_or_insert_default().push(account.to_owned());
        self.write()
    }

    /// Notes that the disk has every change.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        self.run.state = Some(CLOSED.to_owned());
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let draft = self.folder.join(DRAFT);
        let mut file = File::create(&draft)?;
        file.write_all(write_json(&self.run).as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, self.folder.join(RUN))?;
        sync_folder(&self.folder)
    }
}

impl Run {
    /// Returns why changes of this run may be missing in the run `now`.
    fn lost_by(&self, now: &Self) -> Option<GapReason> {
        let is_same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        match self.state.as_deref() {
            _ if !is_same(&self.folder, &now.folder) => Some(GapReason::Copied),
            Some(CLOSED | MACHINE) => None,
            _ => (!is_same(&self.boot, &now.boot)).then_some(GapReason::MachineStopped),
        }
    }

    fn gap(&self) -> Option<Gap> {
        let reason = self.gap.as_deref().map(reason_of)?;
        Some(Gap::new(reason, self.after))
    }

    /// Adds a gap to the one that is still open, if any.
    fn widen(&mut self, gap: Gap) {
        // `None` is the earliest: without any change left, all may be missing.
        let after = self.gap().map_or(gap.after, |earlier| earlier.after.min(gap.after));
        (self.gap, self.after, self.closed_for) = (Some(word(gap.reason).to_owned()), after, None);
    }
}

const fn word(reason: GapReason) -> &'static str {
    match reason {
        GapReason::MachineStopped => "machine-stopped",
        GapReason::Copied => "copied",
        GapReason::Damaged => "damaged",
        // A folder does not report these.
        GapReason::New => "new",
        GapReason::Forked => "forked",
    }
}

fn reason_of(text: &str) -> GapReason {
    let others = [GapReason::MachineStopped, GapReason::Copied];
    others.into_iter().find(|reason| word(*reason) == text).unwrap_or(GapReason::Damaged)
}

/// Returns the id of this boot, if the system has one. Without it, each run counts as another boot.
fn boot() -> Option<String> {
    fs::read_to_string(BOOT).ok().map(|name| name.trim().to_owned())
}

/// Identifies a folder, so that a copy differs. Moving it within its file system changes nothing.
fn name_of(folder: &Path) -> io::Result<String> {
    let held = fs::metadata(folder.join(HELD))?;
    let created = held.created().ok().and_then(|created| created.duration_since(SystemTime::UNIX_EPOCH).ok());
    Ok(format!("{} {}", file_number(&held), created.unwrap_or_default().as_nanos()))
}

#[cfg(unix)]
fn file_number(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(file)
}

#[cfg(not(unix))]
fn file_number(_: &fs::Metadata) -> u64 {
    0
}

/// Makes the disk keep the entries of a folder.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing: elsewhere, a folder cannot be opened as a file.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes to the start of a file, by one call of the system where there is one.
#[cfg(unix)]
fn overwrite(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn overwrite(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    io::Seek::seek(&mut file, io::SeekFrom::Start(0))?;
    file.write_all(bytes)
}

/// Returns a number and its complement, by which a torn write is recognized.
fn written(number: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    bytes[8..].copy_from_slice(&(!number).to_be_bytes());
    bytes
}

fn read_number(file: &mut File) -> io::Result<Option<u64>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let Some((first, _)) = bytes.split_first_chunk::<8>() else { return Ok(None) };
    let number = u64::from_be_bytes(*first);
    Ok((bytes == written(number)).then_some(number))
}
