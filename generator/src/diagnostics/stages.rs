//! What cannot be read says nothing, so what speaks of it is not wrong: mistakes are gated by stage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Code, Diagnostic, Diagnostics};

/// What was reported while files were read.
pub(crate) struct Reading {
    reported: BTreeSet<Diagnostic>,
    /// The files it was reported in.
    files: BTreeSet<PathBuf>,
}

impl Diagnostics {
    /// Remembers that so far files were read, and nothing else was done.
    pub(crate) fn end_of_reading(&self) -> Reading {
        let files = self.mistaken_files().into_iter().filter_map(|file| self.files.get(file as usize).cloned());
        Reading { reported: self.items.clone(), files: files.collect() }
    }

    /// Takes back what was reported since, where it may come of something that could not be read.
    pub(crate) fn drop_follow_ups(&mut self, reading: &Reading) {
        let mut items = std::mem::take(&mut self.items);
        items.retain(|item| reading.reported.contains(item) || !self.follows(item, reading));
        self.items = items;
    }

    fn follows(&self, item: &Diagnostic, reading: &Reading) -> bool {
        let Some(path) = item.place.and_then(|place| self.files.get(place.file as usize)) else { return false };
        (reading.files.contains(path) && may_follow_in_its_file(item.code))
            || (may_follow_in_others(item.code) && shared_with(path).any(|shared| reading.files.contains(&shared)))
    }
}

/// Kinds that compare one part of a file with another.
fn may_follow_in_its_file(code: Code) -> bool {
    may_follow_in_others(code) && !matches!(code, Code::WrongType | Code::UndefinedType | Code::BadValue)
        || matches!(code, Code::BadResponse | Code::BadWindow | Code::BadOutcome)
}

/// Kinds that compare what a file says with what a shared one does.
fn may_follow_in_others(code: Code) -> bool {
    matches!(
        code,
        Code::WrongType
            | Code::UndefinedType
            | Code::UndefinedName
            | Code::BadValue
            | Code::BadChoice
            | Code::BadRule
            | Code::BadLifecycle
            | Code::BadIntent
            | Code::BadExample
    )
}

/// The files that a file of a family builds on.
fn shared_with(path: &Path) -> impl Iterator<Item = PathBuf> {
    let family = path.parent().unwrap_or(Path::new(""));
    let schema = family.parent().unwrap_or(Path::new(""));
    [family.join("family.yaml"), family.join("types.yaml"), schema.join("api.yaml")].into_iter()
}
