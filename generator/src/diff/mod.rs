//! What a change of the schema means for those who depend on the emitted crate.
//!
//! Two resolved schemas are compared, not their texts: things are paired by their names, and of each pair the
//! statements that differ are told, each once, in the words of the schema. What a difference does to a downstream crate
//! is decided where it is found, by what `emit` makes of the statement: a parameter that becomes required
//! changes `new`, a new value of an enum is one more variant of an open one, a maximum is only another check.
//!
//! The tests hold each verdict against the compiler: both crates are emitted, and code that uses every public item of
//! the older one is compiled against the newer.

mod account;
mod api;
mod aspect;
mod batches;
mod choices;
mod class;
mod codes;
mod confirm;
mod enums;
mod family;
mod found;
mod identifiers;
mod intents;
mod lifecycle;
mod limits;
mod operations;
mod pairs;
mod parameters;
mod records;
mod render;
mod response;
mod rules;
mod scope;
mod statements;

use std::path::PathBuf;

pub use class::{Bump, Class};
pub use found::{Change, Difference};
pub use render::Format;

use crate::model::Api;
use aspect::Spot;
use found::{Finding, Found};

/// The differences between two versions of a schema, the weightiest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// The differences, each once.
    pub differences: Vec<Difference>,
}

/// A schema and the names of its files, by which places refer to them.
pub(crate) struct Side<'a> {
    pub(crate) api: &'a Api,
    pub(crate) files: &'a [PathBuf],
}

/// Compares an older schema with a newer one.
pub(crate) fn diff(old: &Side<'_>, new: &Side<'_>) -> Diff {
    let mut found = Found::default();
    api::compare(&mut found, old.api, new.api);
    account::compare(&mut found, old.api, new.api);
    family::compare(&mut found, old.api, new.api);
    Diff { differences: found.sorted().into_iter().map(|finding| name_file(finding, old, new)).collect() }
}

fn name_file(finding: Finding, old: &Side<'_>, new: &Side<'_>) -> Difference {
    let (files, place) = match finding.spot {
        Spot::New(place) => (new.files, place),
        Spot::Old(place) => (old.files, place),
    };
    Difference {
        class: finding.verdict.class,
        kind: finding.kind,
        subjects: finding.subjects,
        change: finding.change,
        means: finding.verdict.means,
        file: files.get(place.file as usize).cloned().unwrap_or_default(),
        line: place.line,
        column: place.column,
    }
}

impl Diff {
    /// The part of the version that has to rise.
    pub fn bump(&self) -> Bump {
        self.differences.iter().map(|difference| difference.class.bump()).max().unwrap_or(Bump::None)
    }

    /// How many differences there are of a class.
    pub fn count(&self, class: Class) -> usize {
        self.of(class).count()
    }

    /// The differences of a class.
    pub fn of(&self, class: Class) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(move |difference| difference.class == class)
    }

    /// The differences as text.
    pub fn render(&self, format: Format) -> String {
        render::render(self, format)
    }
}
