//! The meaning of a change of the schema for those who depend on the emitted crate.
//!
//! Two resolved schemas are compared rather than their texts: the elements of both are paired by name, and the keys of
//! each pair are compared. The key itself states the effect of a difference, next to its value.
//!
//! The tests verify each verdict with the compiler: both crates are emitted, and code that uses every public item of
//! the older one is compiled against the newer.
//!
//! `cargo-semver-checks` ignores the types of fields and arguments, so it is a second opinion only. A change of
//! behaviour needs a minor version.

mod compare;
mod findings;
mod render;
mod version;

use std::path::PathBuf;

pub use crate::compiler::model::elements::Class;
pub use findings::{Change, Difference};
pub use render::Format;
pub use version::Bump;

use crate::compiler::model::Api;
use findings::{Finding, Findings, VersionedPlace};

/// The differences between two versions of a schema, most serious first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// The differences without duplicates.
    pub differences: Vec<Difference>,
}

/// A schema with the names of its files, which places refer to by index.
pub(crate) struct SchemaVersion<'a> {
    pub(crate) api: &'a Api,
    pub(crate) files: &'a [PathBuf],
}

/// Compares an older schema with a newer one.
pub(crate) fn diff(old: &SchemaVersion<'_>, new: &SchemaVersion<'_>) -> Diff {
    let mut findings = Findings::default();
    compare::elements(&mut findings, &old.api.element(), &new.api.element());
    Diff { differences: findings.sorted().into_iter().map(|finding| name_file(finding, old, new)).collect() }
}

fn name_file(finding: Finding, old: &SchemaVersion<'_>, new: &SchemaVersion<'_>) -> Difference {
    let (files, place) = match finding.spot {
        VersionedPlace::New(place) => (new.files, place),
        VersionedPlace::Old(place) => (old.files, place),
    };
    Difference {
        class: finding.verdict.class,
        kind: finding.kind,
        subjects: finding.subjects,
        change: finding.change,
        means: finding.verdict.means.into_owned(),
        file: files.get(place.file as usize).cloned().unwrap_or_default(),
        line: place.line,
        column: place.column,
    }
}

impl Diff {
    /// The part of the version number that has to increase.
    pub fn bump(&self) -> Bump {
        self.differences.iter().map(|difference| difference.class.bump()).max().unwrap_or(Bump::None)
    }

    /// The number of differences of a class.
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
