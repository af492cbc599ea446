//! Differences while they are collected, and in their public form.

use std::path::PathBuf;

use serde::Serialize;

use super::Class;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::elements::Verdict;

/// A place in one of the two schemas. Places of removed elements sort last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VersionedPlace {
    New(Place),
    Old(Place),
}

/// One difference between two versions of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The effect on a crate that depends on the emitted one.
    pub class: Class,
    /// The kind of element that differs: an operation, a parameter, a field, a rule.
    pub kind: &'static str,
    /// The elements that differ, such as `unified.place-order.price`; several if one change shows in several elements.
    pub subjects: Vec<String>,
    /// The kind of difference.
    pub change: Change,
    /// The effect in Rust or on the wire.
    pub means: String,
    /// The file: of the newer schema, or of the older one if the element was removed.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

/// The kind of difference between two versions of an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Change {
    /// Added.
    Added,
    /// Removed.
    Removed,
    /// One of its keys changed.
    Changed {
        /// The key.
        what: &'static str,
        /// The older value; empty if there is none.
        old: String,
        /// The newer value; empty if there is none.
        new: String,
        /// True if the value is prose, which is too long for a table.
        prose: bool,
    },
}

/// A difference before the names of its files are resolved.
pub(super) struct Finding {
    pub(super) spot: VersionedPlace,
    pub(super) kind: &'static str,
    pub(super) subjects: Vec<String>,
    pub(super) change: Change,
    pub(super) verdict: Verdict,
}

/// All findings, without duplicates.
#[derive(Default)]
pub(super) struct Findings {
    all: Vec<Finding>,
}

impl Findings {
    /// Adds a difference. A change that is written once and shows in several elements, such as a field that records
    /// include, is one difference with several subjects.
    pub(super) fn add(
        &mut self,
        kind: &'static str,
        path: &str,
        spot: VersionedPlace,
        change: Change,
        verdict: Verdict,
    ) {
        let is_same = |other: &&mut Finding| {
            other.spot == spot && other.kind == kind && other.change == change && other.verdict == verdict
        };
        match self.all.iter_mut().find(is_same) {
            Some(same) => same.subjects.push(path.to_owned()),
            None => self.all.push(Finding { spot, kind, subjects: vec![path.to_owned()], change, verdict }),
        }
    }

    /// The findings, most serious first, and ordered by place within a class.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.all.sort_by(|a, b| {
            let key = |finding: &Finding| (finding.verdict.class, finding.spot);
            key(a).cmp(&key(b)).then_with(|| a.subjects.cmp(&b.subjects))
        });
        self.all
    }
}
