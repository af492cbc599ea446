//! What was found so far, and the difference as others see it.

use std::path::PathBuf;

use serde::Serialize;

use super::aspect::{Aspect, Spot};
use super::class::{Class, Verdict};
use crate::diagnostics::Place;

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

/// Something that both versions have.
pub(super) struct Thing {
    pub(super) kind: &'static str,
    pub(super) path: String,
    /// Where the newer version has it.
    pub(super) place: Place,
    /// Where it is written, when it is only referred to from `place`.
    pub(super) written: Place,
}

impl Thing {
    pub(super) fn new(kind: &'static str, path: impl Into<String>, place: Place) -> Self {
        Self { kind, path: path.into(), place, written: place }
    }
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
pub(super) struct Found {
    findings: Vec<Finding>,
}

impl Found {
    pub(super) fn added(&mut self, thing: &Thing, verdict: Verdict) {
        self.push(thing, Spot::New(thing.place), Change::Added, verdict);
    }

    pub(super) fn removed(&mut self, thing: &Thing, verdict: Verdict) {
        self.push(thing, Spot::Old(thing.place), Change::Removed, verdict);
    }

    /// Those aspects of a thing that differ.
    pub(super) fn compare(&mut self, thing: &Thing, aspects: impl IntoIterator<Item = Aspect>) {
        for aspect in aspects.into_iter().filter(Aspect::differs) {
            let spot = aspect.spot.unwrap_or(Spot::New(thing.written));
            let Aspect { what, old, new, prose, verdict, .. } = aspect;
            self.push(thing, spot, Change::Changed { what, old, new, prose }, verdict);
        }
    }

    /// What is written once and shows at several places, such as a field that records include, is told once.
    fn push(&mut self, thing: &Thing, spot: Spot, change: Change, verdict: Verdict) {
        let is_same = |other: &&mut Finding| {
            other.spot == spot && other.kind == thing.kind && other.change == change && other.verdict == verdict
        };
        match self.findings.iter_mut().find(is_same) {
            Some(same) => same.subjects.push(thing.path.clone()),
            None => self.findings.push(Finding {
                spot,
                kind: thing.kind,
                subjects: vec![thing.path.clone()],
                change,
                verdict,
            }),
        }
    }

    /// The weightiest first, those of one class in the order of their places.
    pub(super) fn sorted(mut self) -> Vec<Finding> {
        self.findings.sort_by(|a, b| {
            let key = |finding: &Finding| (finding.verdict.class, finding.spot);
            key(a).cmp(&key(b)).then_with(|| a.subjects.cmp(&b.subjects))
        });
        self.findings
    }
}
