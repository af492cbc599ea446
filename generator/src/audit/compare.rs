//! Statements of a document against claims of the schema.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Claims;
use super::document::Document;
use super::findings::{Findings, Force, Key, Statement};
use super::wording::plain;
use crate::diagnostics::Place;

mod lacking;
mod merging;
mod places;
mod settled;
mod stated;

/// How a document and the schema differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Changed,
    Contradiction,
    DocumentOnly,
    SchemaOnly,
}

/// One difference.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) kind: Kind,
    pub(super) at: usize,
    /// What the document says, or that it says nothing.
    pub(super) says: String,
    pub(super) place: Option<Place>,
    /// What the schema says.
    pub(super) has: String,
    /// Where else the document says what the schema has.
    pub(super) elsewhere: Option<(usize, String)>,
}

/// By kind: facts of the schema, and how many of them a document states.
pub(super) type Facts = BTreeMap<String, (usize, usize)>;

/// What a comparison gave.
pub(super) struct Compared {
    pub(super) differences: Vec<Difference>,
    pub(super) statements: usize,
    pub(super) matched_statements: usize,
    pub(super) facts: Facts,
    /// Facts that the document was not found to state.
    pub(super) not_found: Vec<(Key, Place)>,
}

struct Comparison<'a> {
    document: &'a Document,
    claims: &'a Claims<'a>,
    found: &'a Findings,
    by_key: BTreeMap<&'a Key, Vec<&'a Statement>>,
    differences: Vec<(Key, Difference)>,
    /// Owners and names of which everything is told by one difference.
    settled: BTreeSet<(String, String)>,
}

pub(super) fn compare<'a>(document: &'a Document, claims: &'a Claims<'a>, found: &'a Findings) -> Compared {
    let mut by_key: BTreeMap<&Key, Vec<&Statement>> = BTreeMap::new();
    for statement in &found.statements {
        by_key.entry(&statement.key).or_default().push(statement);
    }
    let mut comparison =
        Comparison { document, claims, found, by_key, differences: Vec::new(), settled: BTreeSet::new() };
    comparison.renamed();
    comparison.settle();
    let matched_statements = comparison.statements();
    comparison.missing();
    comparison.expected();
    comparison.merge_sets();
    let (facts, not_found) = comparison.facts();
    let statements = found.statements.iter().filter(|statement| statement.force == Force::Stated).count();
    Compared { differences: comparison.collapsed(), statements, matched_statements, facts, not_found }
}

/// Whether a statement says what a claim says.
fn agree(key: &Key, said: &str, claimed: &str) -> bool {
    match key.first().map(String::as_str) {
        Some("error" | "title") => plain(said) == plain(claimed),
        _ => said == claimed,
    }
}

impl Comparison<'_> {
    fn add(&mut self, key: &Key, kind: Kind, at: usize, says: String, place: Option<Place>, has: String) {
        self.differences.push((key.clone(), Difference { kind, at, says, place, has, elsewhere: None }));
    }

    /// By kind: facts of the schema, and how many of them are stated; and those that are not.
    fn facts(&self) -> (Facts, Vec<(Key, Place)>) {
        let mut not_found = Vec::new();
        let mut facts = Facts::new();
        for (key, claim) in self.claims.iter() {
            let statements = self.by_key.get(key).into_iter().flatten();
            let is_stated = statements.clone().any(|statement| agree(key, &statement.value, &claim.value));
            let entry = facts.entry(key.first().cloned().unwrap_or_default()).or_default();
            entry.0 += claim.facts;
            entry.1 += if is_stated { claim.facts } else { 0 };
            if !is_stated && claim.facts > 0 {
                not_found.push((key.clone(), claim.place));
            }
        }
        facts.retain(|_, (all, _)| *all > 0);
        (facts, not_found)
    }
}
