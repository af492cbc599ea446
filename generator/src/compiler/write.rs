//! Files in memory -> files on disk. No other module of the crate writes files.
//!
//! Each file is written beside its target and renamed over it, so at any moment it is either old or new. Only files
//! that the manifest names or that begin with the generator's mark are replaced or removed; anything else in the way is
//! reported before the first file is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::emit;
use crate::compiler::model::Counts;

/// The file that names the emitted files, one per line.
const MANIFEST: &str = ".manifest";

/// The kind of folder that files are written to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The extensions of emitted files. The manifest cannot name others, because anyone can edit it.
    pub(crate) endings: &'static [&'static str],
    /// True if the folder may hold nothing else.
    pub(crate) is_alone: bool,
}

/// Rust files, in a folder that may hold others.
pub(crate) const RUST: Kind = Kind { endings: &["rs"], is_alone: false };

/// The remark about a file that no run wrote.
const NOT_OURS: &str = "the generator did not write it";

/// The prefix of temporary files; a run that is killed leaves the ones that it was writing.
const TEMPORARY: &str = ".tradeapi-gen-";

/// The result of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of operations, rules and other parts of the schema.
    pub read: Counts,
    /// Files that are new or changed.
    pub written: Vec<PathBuf>,
    /// Files that were up to date.
    pub unchanged: Vec<PathBuf>,
    /// Files that are no longer emitted.
    pub removed: Vec<PathBuf>,
    /// The duration of the run.
    pub took: Duration,
}

/// Writes exactly these files to the folder; files that no run wrote are left alone.
pub(crate) fn write(folder: &Path, files: &BTreeMap<String, String>, kind: &Kind) -> Result<Report, Diagnostics> {
    let writing =
        Writing::begin(folder, files.keys().cloned().collect(), kind, |name| files.get(name).map(String::as_str))?;
    for (name, text) in files {
        writing.put(name, text);
    }
    writing.finish()
}

/// A folder while its files are being written. Threads may hand them in concurrently, in any order.
#[derive(Debug)]
pub(crate) struct Writing {
    folder: PathBuf,
    names: BTreeSet<String>,
    surplus: BTreeSet<String>,
    /// True if the manifest names these files and no others.
    is_settled: bool,
    done: Mutex<Done>,
}

/// The results so far.
#[derive(Debug, Default)]
struct Done {
    written: BTreeSet<String>,
    unchanged: BTreeSet<String>,
    mistakes: Diagnostics,
}

impl Writing {
    /// Checks that the files can be written before any is; `text` returns the contents that are already known.
    pub(crate) fn begin<'a>(
        folder: &Path,
        names: BTreeSet<String>,
        kind: &Kind,
        text: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, Diagnostics> {
        let mut to = Diagnostics::default();
        let manifest = std::fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
        report_obstacles(folder, &names, &manifest.lines().collect(), kind, text, &mut to);
        to.into_result()?;
        let mut to = Diagnostics::default();
        let surplus = surplus(folder, |name| names.contains(name), kind);
        // Until the end, the manifest names both old and new files, so that none is forgotten if the run is killed.
        let is_settled = manifest == lines(&names) && folder.join(MANIFEST).is_file();
        if !is_settled {
            let both = names.union(&surplus).cloned().collect();
            attempt(&mut to, &folder.join(MANIFEST), |path| replace(path, &lines(&both)));
        }
        let writing = Self { folder: folder.to_owned(), names, surplus, is_settled, done: Mutex::default() };
        to.into_result().map(|()| writing)
    }

    /// Records that a file is up to date.
    pub(crate) fn keep(&self, name: &str) {
        self.done().unchanged.insert(name.to_owned());
    }

    /// Writes the text to a file unless it already holds it.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return self.keep(name);
        }
        let mut to = Diagnostics::default();
        attempt(&mut to, &path, |path| replace(path, text));
        let mut done = self.done();
        match to.into_result() {
            Ok(()) => drop(done.written.insert(name.to_owned())),
            Err(mistakes) => done.mistakes.append(mistakes),
        }
    }

    /// Removes files that are no longer emitted, after all others were handed in.
    pub(crate) fn finish(self) -> Result<Report, Diagnostics> {
        let Self { folder, names, surplus, is_settled, done } = self;
        let Done { written, unchanged, mistakes: mut to } = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let paths = |names: BTreeSet<String>| names.into_iter().map(|name| folder.join(name)).collect();
        let mut report = Report { written: paths(written), unchanged: paths(unchanged), ..Report::default() };
        for name in surplus {
            let path = folder.join(&name);
            if attempt(&mut to, &path, |path| std::fs::remove_file(path)) {
                remove_empty_parents(&folder, &path);
                report.removed.push(path);
            }
        }
        if !is_settled || !report.written.is_empty() {
            remove_leftovers(&folder, &names);
        }
        if !is_settled && to.is_empty() {
            attempt(&mut to, &folder.join(MANIFEST), |path| replace(path, &lines(&names)));
        }
        to.into_result().map(|()| report)
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports everything that would be overwritten or that prevents a file from being written.
fn report_obstacles<'a>(
    folder: &Path,
    names: &BTreeSet<String>,
    manifest: &BTreeSet<&str>,
    kind: &Kind,
    text: impl Fn(&str) -> Option<&'a str>,
    to: &mut Diagnostics,
) {
    let mut found = BTreeSet::new();
    let files = || names.iter().map(String::as_str).chain([MANIFEST]);
    let parents: BTreeMap<_, _> = files().map(|name| (Path::new(name).parent(), name)).collect();
    let broken: BTreeMap<_, _> =
        parents.into_iter().filter_map(|(parent, name)| Some((parent, broken_folder(folder, name)?))).collect();
    for name in files().filter(|name| !broken.contains_key(&Path::new(name).parent())) {
        let is_emitted = |old: &[u8]| {
            old.starts_with(emit::HEADER.as_bytes()) || text(name).is_some_and(|text| old == text.as_bytes())
        };
        let is_manifest =
            |old: &[u8]| std::str::from_utf8(old).is_ok_and(|old| old.lines().all(|line| is_emitted_name(line, kind)));
        let is_ours = |path: &Path| match name {
            MANIFEST => std::fs::read(path).is_ok_and(|old| is_manifest(&old)),
            _ => manifest.contains(name) || std::fs::read(path).is_ok_and(|old| is_emitted(&old)),
        };
        found.extend(foreign_file(&folder.join(name), is_ours));
    }
    found.extend(broken.into_values());
    if kind.is_alone {
        let is_known = |name: &str| names.contains(name) || name == MANIFEST || manifest.contains(name);
        let unexpected = files_below(folder).into_iter().filter(|name| !is_known(name) && !is_temporary(name));
        found.extend(unexpected.map(|name| (folder.join(name), NOT_OURS)));
        report_occupied(folder, &mut found, to);
    }
    for (path, what) in found {
        to.whole(Code::CannotWrite, format!("{} is in the way: {what}", path.display()))
            .help("move it, or choose another output folder; nothing was written");
    }
}

/// Reports the files of others in a folder that holds nothing else as one mistake, unless it is a single file.
fn report_occupied(folder: &Path, found: &mut BTreeSet<(PathBuf, &str)>, to: &mut Diagnostics) {
    let others: Vec<_> = found.iter().filter(|(_, what)| *what == NOT_OURS).cloned().collect();
    let [(first, _), _, ..] = others.as_slice() else { return };
    let (count, first) = (others.len(), first.strip_prefix(folder).unwrap_or(first).display());
    let message = format!("{} has {count} files that the generator did not write, such as {first}", folder.display());
    to.whole(Code::CannotWrite, message)
        .help("choose an empty folder, because this one would hold nothing else; nothing was written");
    found.retain(|(_, what)| *what != NOT_OURS);
}

/// Returns the names of all files below a folder, relative to it.
fn files_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&below)).into_iter().flatten().flatten() {
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(format!("{name}/"));
            } else {
                names.push(name);
            }
        }
    }
    names
}

/// Returns whether it is a temporary file of a run that was killed.
fn is_temporary(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with(TEMPORARY))
}

/// Returns the outermost folder of a file's path that is not a folder, or that leads out of the output folder.
fn broken_folder(folder: &Path, name: &str) -> Option<(PathBuf, &'static str)> {
    let path = folder.join(name);
    let mut parents: Vec<&Path> = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()).collect();
    parents.reverse();
    let not_a_folder = parents.iter().find(|parent| parent.exists() && !parent.is_dir());
    if let Some(parent) = not_a_folder {
        return Some(((*parent).to_owned(), "it is not a folder"));
    }
    let (root, parent) = (folder.canonicalize().ok()?, path.parent()?);
    let leads_out = parent.canonicalize().is_ok_and(|parent| !parent.starts_with(root));
    leads_out.then(|| (parent.to_owned(), "it is a link to another folder"))
}

/// Returns what is found in place of a file, unless it is one of ours.
fn foreign_file(path: &Path, is_ours: impl Fn(&Path) -> bool) -> Option<(PathBuf, &'static str)> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    let what = if metadata.is_dir() {
        "it is a folder"
    } else if metadata.is_file() && is_ours(path) {
        return None;
    } else if metadata.is_file() {
        NOT_OURS
    } else {
        "it is not a regular file"
    };
    Some((path.to_owned(), what))
}

/// Replaces the files whose bytes differ, and returns their paths; other files of the folder are left alone.
pub(crate) fn replace_stale(folder: &Path, files: &BTreeMap<String, String>) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut to = Diagnostics::default();
    let mut written = Vec::new();
    for (name, text) in files {
        let path = folder.join(name);
        let is_stale = std::fs::read(&path).map_or(true, |old| old != text.as_bytes());
        if is_stale && attempt(&mut to, &path, |path| replace(path, text)) {
            written.push(path);
        }
    }
    to.into_result().map(|()| written)
}

/// Creates a file; fails if it exists.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), Diagnostics> {
    let mut to = Diagnostics::default();
    let create = || File::create_new(path)?.write_all(text.as_bytes());
    if let Err(error) = create() {
        to.whole(Code::CannotWrite, format!("cannot write {}: {error}", path.display()))
            .help("existing files are not changed; use another name");
    }
    to.into_result()
}

/// Creates a file as [`create`] does, and missing folders.
pub(crate) fn create_with_folders(path: &Path, text: &str) -> Result<(), Diagnostics> {
    let mut to = Diagnostics::default();
    let folder = path.parent().unwrap_or(Path::new(""));
    attempt(&mut to, folder, |folder| std::fs::create_dir_all(folder));
    to.into_result().and_then(|()| create(path, text))
}

fn lines(names: &BTreeSet<String>) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

/// Returns files that an earlier run wrote and this one does not.
pub(crate) fn surplus(folder: &Path, is_emitted: impl Fn(&str) -> bool, kind: &Kind) -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(folder.join(MANIFEST)).unwrap_or_default();
    let ours = |name: &&str| {
        is_emitted_name(name, kind)
            && !is_emitted(name)
            && folder.join(name).is_file()
            && broken_folder(folder, name).is_none()
    };
    manifest.lines().filter(ours).map(str::to_owned).collect()
}

/// Returns whether the manifest may name the file. Anyone can edit the manifest, so its names must not lead out of the
/// folder.
fn is_emitted_name(name: &str, kind: &Kind) -> bool {
    let part = |part: &str| !part.is_empty() && part != ".." && part != "." && !part.contains(['\\', ':']);
    let has_ending = name.rsplit_once('.').is_some_and(|(_, ending)| kind.endings.contains(&ending));
    has_ending && name.split('/').all(part)
}

fn attempt(to: &mut Diagnostics, path: &Path, act: impl FnOnce(&Path) -> std::io::Result<()>) -> bool {
    match act(path) {
        Ok(()) => true,
        Err(error) => {
            to.whole(Code::CannotWrite, format!("cannot write {}: {error}", path.display()))
                .help("every file is complete, old or new; correct the cause and run again");
            false
        }
    }
}

/// Replaces the content of an emitted file: a reader, and a run after a killed one, finds it old or new. It need not
/// reach the disk at once, because each run compares it and can make it again.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    replace_with(path, |file| file.write_all(text.as_bytes()))
}

/// Replaces the content of a file that was written by hand, so that a loss of power loses neither old nor new.
pub(crate) fn replace_durably(path: &Path, text: &str) -> std::io::Result<()> {
    replace_with(path, |file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
}

fn replace_with(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let (temporary, mut file) = create_temporary(folder).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => std::fs::create_dir_all(folder).and_then(|()| create_temporary(folder)),
        _ => Err(error),
    })?;
    let replaced = write(&mut file).and_then(|()| std::fs::rename(&temporary, path));
    if replaced.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    replaced
}

/// Creates a temporary file under a new name, because a run that was killed may have left one.
fn create_temporary(folder: &Path) -> std::io::Result<(PathBuf, File)> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    loop {
        let name = format!("{TEMPORARY}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name);
        match File::create_new(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (path, file)),
        }
    }
}

/// Removes temporary files of a run that was killed.
fn remove_leftovers(folder: &Path, names: &BTreeSet<String>) {
    let folders: BTreeSet<PathBuf> =
        names.iter().filter_map(|name| folder.join(name).parent().map(Path::to_path_buf)).collect();
    for entry in folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn remove_empty_parents(folder: &Path, path: &Path) {
    for parent in path.ancestors().skip(1).take_while(|parent| *parent != folder) {
        if std::fs::remove_dir(parent).is_err() {
            return;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { families, operations, parameters, fields, values, limits, rules } = self.read;
        writeln!(
            f,
            "read    {families} families, {operations} operations, {parameters} parameters, {fields} record fields, \
             {values} enum values, {limits} limits, {rules} rules"
        )?;
        for (what, paths) in [("wrote", &self.written), ("removed", &self.removed)] {
            for path in paths {
                writeln!(f, "{what:7} {}", path.display())?;
            }
        }
        write!(
            f,
            "{} written, {} left alone, {} removed, in {:.1} ms",
            self.written.len(),
            self.unchanged.len(),
            self.removed.len(),
            self.took.as_secs_f64() * 1000.0
        )
    }
}
