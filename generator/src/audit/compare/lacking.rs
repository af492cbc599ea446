//! What the schema has, and a document does not state though it should.

use super::{Comparison, Difference, Kind};
use crate::audit::claims::Claim;
use crate::audit::describe::{of_key, of_value};
use crate::audit::findings::{Force, Key};

/// Kinds that a document states somewhere whenever the schema has them.
const EXPECTED: [&str; 17] = [
    "endpoint",
    "rate",
    "param",
    "paramdefault",
    "parammax",
    "oneof",
    "wins",
    "window",
    "respshape",
    "whitelisted",
    "both",
    "digits",
    "ceiling",
    "length",
    "alphabet",
    "title",
    "form",
];

impl Comparison<'_> {
    /// What a complete list lacks.
    pub(super) fn missing(&mut self) {
        for (key, at) in &self.found.missing {
            let is_renamed = self.found.renamed.iter().any(|(renamed, ..)| renamed == key);
            if is_renamed || self.is_settled(key) {
                continue;
            }
            let stated = self.by_key.get(key).into_iter().flatten().find(|statement| statement.force == Force::Stated);
            for claim in self.claims.get(key) {
                let elsewhere = stated.map(|statement| (statement.at, of_key(key)));
                let kind = if elsewhere.is_some() { Kind::Contradiction } else { Kind::SchemaOnly };
                let has = format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned();
                let says = "not there".to_owned();
                self.differences
                    .push((key.clone(), Difference { kind, at: *at, says, place: Some(claim.place), has, elsewhere }));
            }
        }
    }

    /// What a document always states, and this one does not. What one operation takes over from another is told of the
    /// one that says it.
    pub(super) fn expected(&mut self) {
        let claims = self.claims;
        let is_own = |key: &Key, claim: &Claim| {
            let operation = key.get(1).and_then(|id| claims.operation_by_id(id));
            operation.is_none_or(|operation| operation.place.file == claim.place.file)
        };
        let (own, taken): (Vec<_>, Vec<_>) = claims.iter().partition(|(key, claim)| is_own(key, claim));
        for (key, claim) in own.into_iter().chain(taken) {
            let is_expected = key.first().is_some_and(|kind| EXPECTED.contains(&kind.as_str()));
            let is_missing = self.found.missing.iter().any(|(missing, _)| missing == key);
            let is_told = || {
                let same = |difference: &Difference| {
                    difference.kind == Kind::SchemaOnly && difference.place == Some(claim.place)
                };
                self.differences.iter().any(|(other, difference)| {
                    other.first() == key.first() && other.get(1) != key.get(1) && same(difference)
                })
            };
            if !is_expected || is_missing || self.by_key.contains_key(key) || self.is_settled(key) || is_told() {
                continue;
            }
            let at = self.section_of(key);
            let has = format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned();
            self.add(key, Kind::SchemaOnly, at, "not there".to_owned(), Some(claim.place), has);
        }
    }
}
