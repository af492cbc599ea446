//! Mistakes are gated by stage: content that could not be read is unknown, so references to it are not reported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Code, Diagnostic, Diagnostics, Place};

/// The mistakes of the stage that reads files.
pub(crate) struct Reading {
    reported: BTreeSet<Diagnostic>,
    /// The files with these mistakes.
    files: BTreeSet<PathBuf>,
}

impl Diagnostics {
    /// Marks the end of reading: all mistakes so far were found by it.
    pub(crate) fn end_of_reading(&self) -> Reading {
        let files = self.mistaken_files().into_iter().filter_map(|file| self.files.get(file as usize).cloned());
        Reading { reported: self.items.clone(), files: files.collect() }
    }

    /// Removes mistakes of later stages that may only be consequences of content that could not be read.
    pub(crate) fn drop_follow_ups(&mut self, reading: &Reading) {
        let fallen: Vec<(&Diagnostic, Place)> = self
            .items
            .iter()
            .filter_map(|item| Some((item, item.place?)))
            .filter(|(item, _)| item.is_fallen())
            .collect();
        let explains = |(fallen, at): &(&Diagnostic, Place), missing: &Place| {
            at.file == missing.file && (fallen.is_strange_key() || self.may_hold(*at, *missing))
        };
        let explained: BTreeSet<Diagnostic> = self
            .items
            .iter()
            .filter(|item| item.code == Code::MissingKey)
            .filter(|item| item.place.is_some_and(|place| fallen.iter().any(|fallen| explains(fallen, &place))))
            .cloned()
            .collect();
        let folder = |item: &Diagnostic| {
            let file = item.place.and_then(|place| self.files.get(place.file as usize))?;
            file.parent().map(Path::to_path_buf)
        };
        // A type may be unused only because another mistake keeps it from being used.
        let is_unused = |item: &Diagnostic| item.code == Code::Unused && item.message.starts_with("unused type");
        let mistaken: BTreeSet<_> = self.items.iter().filter(|item| !is_unused(item)).filter_map(folder).collect();
        let follows_any = |item: &Diagnostic| is_unused(item) && folder(item).is_some_and(|at| mistaken.contains(&at));
        let unused: BTreeSet<Diagnostic> = self.items.iter().filter(|item| follows_any(item)).cloned().collect();
        let mut items = std::mem::take(&mut self.items);
        items.retain(|item| !unused.contains(item));
        items.retain(|item| reading.reported.contains(item) || !explained.contains(item));
        items.retain(|item| reading.reported.contains(item) || !self.follows(item, reading));
        self.items = items;
    }

    /// Whether a key that is missing at one place may be at the other: both are under the same key of the file, or the
    /// file itself lacks the key.
    fn may_hold(&self, at: Place, missing: Place) -> bool {
        let is_key = |line: &str| !line.starts_with([' ', '#', '-']) && !line.is_empty();
        let text = self.text(at.file).unwrap_or_default();
        let keys = |place: Place| text.lines().take(place.line as usize).filter(|line| is_key(line)).count();
        keys(missing) <= 1 || keys(missing) == keys(at)
    }

    fn follows(&self, item: &Diagnostic, reading: &Reading) -> bool {
        let Some((file, path)) = item.place.and_then(|place| Some((place.file, self.files.get(place.file as usize)?)))
        else {
            return false;
        };
        let text = self.text(file).unwrap_or_default();
        match depends_on(item.code) {
            Dependence::Nothing => false,
            Dependence::Types => reading.files.iter().any(|unread| is_types_of(unread, path)),
            Dependence::Everything => {
                reading.files.iter().any(|unread| unread == path || builds_on(path, text, unread))
            }
        }
    }
}

/// What must have been read before a mistake of some kind can be reported.
enum Dependence {
    /// Only its own text.
    Nothing,
    /// The types of its family.
    Types,
    /// Its whole file, and all files that this one depends on.
    Everything,
}

fn depends_on(code: Code) -> Dependence {
    match code {
        Code::BadPath
        | Code::BadRate
        | Code::BadDuration
        | Code::BadNumber
        | Code::BadAlphabet
        | Code::BadHeader
        | Code::NotAnIdentifier
        | Code::WrongName
        | Code::Circular
        | Code::MissingKey
        | Code::Unfinished => Dependence::Nothing,
        Code::WrongType | Code::UndefinedType | Code::BadDefault => Dependence::Types,
        _ => Dependence::Everything,
    }
}

fn is_types_of(unread: &Path, path: &Path) -> bool {
    stem(unread) == "types" && unread.parent() == path.parent()
}

/// Whether a file depends on another: on those that its family shares, and on each operation that it names. A shared
/// file of a family also depends on its operations, which use it, and a shared file of the API on all files.
fn builds_on(path: &Path, text: &str, unread: &Path) -> bool {
    let is_shared = |path: &Path| matches!(stem(path), "family" | "types");
    let is_root = |path: &Path| matches!(stem(path), "api" | "codes");
    if unread.parent() != path.parent() {
        return is_root(unread) || is_root(path);
    }
    is_shared(unread) || is_shared(path) || is_root(path) || text.contains(stem(unread))
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}
