//! What was found, and a difference as others see it.

use std::path::PathBuf;

use serde::Serialize;

use super::Class;
use crate::diagnostics::Place;
use crate::model::elements::Verdict;

/// A place in one of the two schemas; those that are gone come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    New(Place),
    Old(Place),
}

/// One difference between two versions of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// What it does to a crate that depends on the emitted one.
    pub class: Class,
    /// What kind of thing differs: an operation, a parameter, a field, a rule.
    pub kind: &'static str,
    /// What differs, such as `unified.place-order.price`; several where one change shows at several places.
    pub subjects: Vec<String>,
    /// How it differs.
    pub change: Change,
    /// What that means in Rust or on the wire.
    pub means: String,
    /// Where it stands: in the newer schema, or in the older one when it is gone.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
}

/// How something differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Change {
    /// It was not there before.
    Added,
    /// It is gone.
    Removed,
    /// It says something else.
    Changed {
        /// What of it.
        what: &'static str,
        /// What the older schema says; empty where it says nothing.
        old: String,
        /// What the newer schema says; empty where it says nothing.
        new: String,
        /// It is a text for people, too long for a table.
        prose: bool,
    },
}

/// A difference whose files have no names yet.
pub(super) struct Finding {
    pub(super) spot: Spot,
    pub(super) kind: &'static str,
    pub(super) subjects: Vec<String>,
    pub(super) change: Change,
    pub(super) verdict: Verdict,
}

/// All that was found, each difference once.
#[derive(Default)]
pub(super) struct Findings {
    all: Vec<Finding>,
}

impl Findings {
    /// Adds a difference. What is written once and shows at several places, such as a field that records include, is one
    /// difference of several subjects.
    pub(super) fn add(&mut self, kind: &'static str, path: &str, spot: Spot, change: Change, verdict: Verdict) {
        let is_same = |other: &&mut Finding| {
            other.spot == spot && other.kind == kind && other.change == change && other.verdict == verdict
        };
        match self.all.iter_mut().find(is_same) {
            Some(same) => same.subjects.push(path.to_owned()),
            None => self.all.push(Finding { spot, kind, subjects: vec![path.to_owned()], change, verdict }),
        }
    }

    /// The weightiest first, those of one class in the order of their places.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.all.sort_by(|a, b| {
            let key = |finding: &Finding| (finding.verdict.class, finding.spot);
            key(a).cmp(&key(b)).then_with(|| a.subjects.cmp(&b.subjects))
        });
        self.all
    }
}
