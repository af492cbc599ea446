//! Mistakes are gated by stage: content that could not be read is unknown, so references to it are not reported.
//!
//! A word or a number that could not be read hides nothing about names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::code::Dependence;
use super::{Code, Diagnostic, Diagnostics, Kind, Place, Scope};

/// The mistakes of the stage that reads files.
pub(crate) struct Reading {
    reported: BTreeSet<Diagnostic>,
    /// The files with these mistakes.
    files: BTreeMap<PathBuf, Unread>,
}

/// The part of a file that is unknown because the file was not read entirely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unread {
    /// Single words and numbers. All names are known.
    Words,
    Anything,
}

impl Diagnostics {
    /// Marks the end of reading: all mistakes so far were found by it. Those that were noted for later follow.
    pub(crate) fn end_of_reading(&mut self) -> Reading {
        let mut files = BTreeMap::new();
        for file in self.mistaken_files() {
            let mut own = self.items.iter().filter(|item| item.place.is_some_and(|place| place.file == file));
            let unread = if own.all(|item| item.kind == Kind::Scalar) { Unread::Words } else { Unread::Anything };
            files.extend(self.files.get(file as usize).map(|path| (path.clone(), unread)));
        }
        let reading = Reading { reported: self.items.clone(), files };
        self.items.extend(std::mem::take(&mut self.reading.later));
        for (mapping, key) in std::mem::take(&mut self.reading.lacking) {
            self.lacking(mapping, key);
        }
        reading
    }

    /// Removes mistakes of later stages that may only be consequences of content that could not be read.
    pub(crate) fn drop_follow_ups(&mut self, reading: &Reading) {
        let misplaced: Vec<(&Diagnostic, Place)> = self
            .items
            .iter()
            .filter_map(|item| Some((item, item.place?)))
            .filter(|(item, _)| item.is_misplaced())
            .collect();
        let explains = |(misplaced, at): &(&Diagnostic, Place), missing: &Place| {
            at.file == missing.file && (misplaced.is_unknown_key() || self.may_hold(*at, *missing))
        };
        let explained: BTreeSet<Diagnostic> = self
            .items
            .iter()
            .filter(|item| item.code == Code::MissingKey)
            .filter(|item| {
                item.place.is_some_and(|place| misplaced.iter().any(|misplaced| explains(misplaced, &place)))
            })
            .cloned()
            .collect();
        // A second document may have the keys that the first one lacks.
        let is_followed = |place: Place| {
            let mut others = self.items.iter().filter(|item| item.code == Code::SeveralDocuments);
            others.any(|item| item.place.is_some_and(|at| at.file == place.file))
        };
        let behind: BTreeSet<Diagnostic> = self
            .items
            .iter()
            .filter(|item| item.code == Code::MissingKey && item.place.is_some_and(is_followed))
            .cloned()
            .collect();
        let unused: BTreeSet<Diagnostic> =
            self.items.iter().filter(|item| self.may_be_used_after_all(item)).cloned().collect();
        let mut items = std::mem::take(&mut self.items);
        items.retain(|item| !unused.contains(item) && !behind.contains(item));
        items.retain(|item| reading.reported.contains(item) || !explained.contains(item));
        items.retain(|item| reading.reported.contains(item) || !self.follows(item, reading));
        self.items = items;
    }

    /// Returns whether a type or a header may be unused only because of another mistake: in a key or a name of what can
    /// use it, or on the line of its own definition. Mistakes of values hide no use.
    fn may_be_used_after_all(&self, item: &Diagnostic) -> bool {
        let folder = |item: &Diagnostic| self.files.get(item.place?.file as usize)?.parent();
        let can_use = |other: &Diagnostic| match item.kind {
            Kind::Type => folder(other) == folder(item),
            _ => true,
        };
        let hides = |other: &Diagnostic| {
            let is_of_names = other.code < Code::BadPath || matches!(other.code, Code::BadChoice | Code::BadResponse);
            let line = |item: &Diagnostic| item.place.map(|place| (place.file, place.line));
            other.code != Code::Unused && (is_of_names && can_use(other) || line(other) == line(item))
        };
        matches!(item.kind, Kind::Type | Kind::Header) && self.items.iter().any(hides)
    }

    /// Returns whether a key that is missing at one place may be at the other: both are under the same key of the file,
    /// or the file itself lacks the key.
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
        let depends = item.code.depends_on();
        reading.files.iter().any(|(unread, extent)| match depends {
            Dependence::Nothing => false,
            Dependence::Types => *extent == Unread::Anything && is_types_of(unread, path),
            Dependence::Names if item.scope() == Some(Scope::File) && unread != path => false,
            Dependence::Names if *extent == Unread::Words && (unread == path || is_shared(unread)) => false,
            // What families name is theirs, unless it is marked as a name of the API.
            Dependence::Names if is_root(unread) && !is_root(path) => item.scope() == Some(Scope::Api),
            Dependence::Names | Dependence::Everything => unread == path || builds_on(path, text, unread),
        })
    }
}

fn is_types_of(unread: &Path, path: &Path) -> bool {
    stem(unread) == "types" && unread.parent() == path.parent()
}

/// Returns whether a file depends on another: on those that its family shares, and on each operation that it names, of
/// another family as `family.operation`, with what that family shares. A shared file of a family also depends on its
/// operations, which use it, and a shared file of the API on all files.
fn builds_on(path: &Path, text: &str, unread: &Path) -> bool {
    if unread.parent() != path.parent() {
        let family = unread.parent().map(stem).unwrap_or_default();
        let operation = if is_shared(unread) { "" } else { stem(unread) };
        return is_root(unread) || is_root(path) || text.contains(&format!("{family}.{operation}"));
    }
    is_shared(unread) || is_shared(path) || text.contains(stem(unread))
}

/// Returns whether all files of a family or of the API depend on a file.
fn is_shared(path: &Path) -> bool {
    is_root(path) || matches!(stem(path), "family" | "types")
}

fn is_root(path: &Path) -> bool {
    matches!(stem(path), "api" | "codes")
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}
