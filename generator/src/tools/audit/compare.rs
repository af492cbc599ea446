//! Compares the statements of a document with the claims of the schema.

mod merge;
mod nearest;
mod readings;

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{Claim, Claims, ObservedEndpoint};
use super::describe::{self, of_key, of_value};
use super::document::{Document, Section};
use super::findings::{Basis, FactKey, FactKind, Findings, Statement};
use super::measures::decimal;
use super::wording::{canonical, plain};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Duration, Number};

/// A kind of difference between a document and the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiscrepancyKind {
    Changed,
    Contradiction,
    DocumentOnly,
    SchemaOnly,
}

/// One difference.
#[derive(Clone, Debug)]
pub(super) struct Discrepancy {
    pub(super) kind: DiscrepancyKind,
    pub(super) at: usize,
    /// The statement of the document, if it has one.
    pub(super) says: Option<String>,
    pub(super) place: Option<Place>,
    /// The claim of the schema, if it has one.
    pub(super) has: Option<String>,
    /// Another place where the document states what the schema claims.
    pub(super) elsewhere: Option<(usize, String)>,
}

/// For each kind, the number of facts of the schema, and of those that a document states.
pub(super) type Facts = BTreeMap<&'static str, (usize, usize)>;

/// The result of a comparison.
pub(super) struct ComparedFacts {
    pub(super) differences: Vec<Discrepancy>,
    pub(super) statements: usize,
    pub(super) matched_statements: usize,
    pub(super) facts: Facts,
    /// Facts that the document was not found to state: the key, the value and the place.
    pub(super) unstated: Vec<(FactKey, String, Place)>,
    /// The ones that have a line in `facts`.
    pub(super) not_found: Vec<(FactKey, String, Place)>,
}

struct Comparison<'a> {
    document: &'a Document,
    claims: &'a Claims<'a>,
    found: &'a Findings,
    by_key: BTreeMap<&'a FactKey, Vec<&'a Statement>>,
    differences: Vec<(FactKey, Discrepancy)>,
    /// The owners and names that one difference covers.
    settled: BTreeSet<(String, String)>,
}

pub(super) fn compare<'a>(document: &'a Document, claims: &'a Claims<'a>, found: &'a Findings) -> ComparedFacts {
    let mut by_key: BTreeMap<&FactKey, Vec<&Statement>> = BTreeMap::new();
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
    let facts = comparison.facts();
    let not_found = comparison.unstated(|_, claim| claim.facts > 0);
    // Documents rarely state types.
    let unstated = comparison.unstated(|key, _| key.kind != FactKind::Type);
    let statements = found.statements.iter().filter(|statement| statement.force == Basis::Stated).count();
    ComparedFacts { differences: comparison.collapsed(), statements, matched_statements, facts, unstated, not_found }
}

/// Returns whether a statement agrees with a claim.
fn agree(key: &FactKey, said: &str, claimed: &str) -> bool {
    match key.kind {
        FactKind::Error | FactKind::Title => plain(said) == plain(&canonical(claimed)),
        // Words in any order.
        FactKind::RecordCase => {
            let words = |text: &str| text.split(',').map(str::to_owned).collect::<BTreeSet<_>>();
            words(said) == words(claimed)
        }
        FactKind::Permission | FactKind::Unit => said == canonical(claimed),
        FactKind::Window => match (Duration::parse(said), Duration::parse(claimed)) {
            (Some(said), Some(claimed)) => said.is_as_long_as(claimed),
            _ => said == claimed,
        },
        // `1.0` is as much as `1`.
        _ if said != claimed && key.kind.is_number() => {
            Number::parse(said).is_some_and(|said| Number::parse(claimed) == Some(said))
        }
        _ => said == claimed,
    }
}

impl Comparison<'_> {
    fn add(
        &mut self,
        key: &FactKey,
        kind: DiscrepancyKind,
        at: usize,
        says: Option<String>,
        place: Option<Place>,
        has: Option<String>,
    ) {
        self.differences.push((key.clone(), Discrepancy { kind, at, says, place, has, elsewhere: None }));
    }

    /// For each kind, the number of facts of the schema, and of those that are stated.
    fn facts(&self) -> Facts {
        let mut facts = Facts::new();
        for (key, claim) in self.claims.iter() {
            let entry = facts.entry(key.kind.as_str()).or_default();
            entry.0 += claim.facts;
            entry.1 += if self.is_stated(key, claim) { claim.facts } else { 0 };
        }
        facts.retain(|_, (all, _)| *all > 0);
        facts
    }

    fn is_stated(&self, key: &FactKey, claim: &Claim) -> bool {
        let mut statements = self.by_key.get(key).into_iter().flatten();
        statements.any(|statement| statement.force != Basis::Unread && agree(key, &statement.value, &claim.value))
    }

    /// The claims that the document does not state and `is_meant` selects.
    fn unstated(&self, is_meant: impl Fn(&FactKey, &Claim) -> bool) -> Vec<(FactKey, String, Place)> {
        let claims = self.claims.iter().filter(|(key, claim)| is_meant(key, claim) && !self.is_stated(key, claim));
        claims.map(|(key, claim)| (key.clone(), claim.value.clone(), claim.place)).collect()
    }
}

impl Comparison<'_> {
    fn renamed(&mut self) {
        for (key, name, at) in &self.found.renamed {
            let mut new = key.clone();
            if let Some(last) = new.names.last_mut() {
                last.clone_from(name);
            }
            let place = self.claims.get(key).first().map(|claim| claim.place);
            self.add(key, DiscrepancyKind::Changed, *at, Some(of_key(&new)), place, Some(of_key(key)));
        }
    }

    /// Notes added and removed parameters, fields and operations: each is one difference, whatever is stated about it.
    fn settle(&mut self) {
        let new = self
            .found
            .statements
            .iter()
            .filter(|statement| statement.force == Basis::Stated)
            .map(|statement| &statement.key);
        let new = new.filter(|key| !self.claims.has(key));
        let missing = self.found.missing.iter().map(|(key, _)| key);
        for key in new.chain(missing) {
            match (key.kind, key.names.as_slice()) {
                (FactKind::Parameter | FactKind::RecordField, [id, name]) => {
                    self.settled.insert((id.clone(), name.clone()));
                }
                (FactKind::Endpoint, [id]) => {
                    self.settled.insert((id.clone(), String::new()));
                }
                _ => {}
            }
        }
    }

    /// Returns whether a larger difference covers the key.
    fn is_settled(&self, key: &FactKey) -> bool {
        let (kind, [id, rest @ ..]) = (key.kind, key.names.as_slice()) else { return false };
        let of_removed = kind != FactKind::Endpoint && self.settled.contains(&(id.clone(), String::new()));
        let of_removed_header =
            kind == FactKind::Transition && rest.get(1).is_some_and(|trigger| self.is_removed_operation(id, trigger));
        let of_name = !matches!(kind, FactKind::Parameter | FactKind::RecordField)
            && rest
                .iter()
                .any(|name| name.split(',').any(|name| self.settled.contains(&(id.clone(), name.to_owned()))));
        of_removed || of_removed_header || of_name
    }

    fn is_removed_operation(&self, family: &str, name: &str) -> bool {
        self.settled.contains(&(format!("{family}.{name}"), String::new()))
    }
}

impl Comparison<'_> {
    fn statements(&mut self) -> usize {
        let mut matched = 0;
        let mut reported: BTreeSet<&FactKey> = BTreeSet::new();
        for statement in self.found.statements.iter().filter(|statement| statement.force != Basis::Unread) {
            let claims = self.claims.get(&statement.key);
            let disagreeing: Vec<&Claim> =
                claims.iter().filter(|claim| !agree(&statement.key, &statement.value, &claim.value)).collect();
            if !claims.is_empty() && disagreeing.is_empty() {
                matched += usize::from(statement.force == Basis::Stated);
                continue;
            }
            match &statement.force {
                Basis::Namesake => continue,
                Basis::By(origin) if reported.contains(origin) => continue,
                Basis::By(_) | Basis::Stated | Basis::Unread => {}
            }
            reported.insert(&statement.key);
            if self.is_settled(&statement.key) {
                continue;
            }
            if claims.is_empty() {
                self.document_only(statement);
            }
            for claim in disagreeing {
                self.changed(statement, claim);
            }
        }
        matched
    }

    fn document_only(&mut self, statement: &Statement) {
        let says = describe::statement(&statement.key, &statement.value);
        let says = Some(says.trim().to_owned());
        let observed = self.claims.observed.iter().filter(|_| statement.key.kind == FactKind::Endpoint);
        let observed = observed.into_iter().find(|one| one.endpoint == statement.value);
        let place = observed.map_or_else(|| self.nearest_place(&statement.key), |one| Some(one.place));
        let has = observed.map(ObservedEndpoint::advice);
        self.add(&statement.key, DiscrepancyKind::DocumentOnly, statement.at, says, place, has);
    }

    fn changed(&mut self, statement: &Statement, claim: &Claim) {
        let key = &statement.key;
        let others = self.by_key.get(key).into_iter().flatten();
        let line = self.document.line(statement.at);
        let agreeing = others.filter(|other| {
            matches!(other.force, Basis::Stated)
                && agree(key, &other.value, &claim.value)
                && self.document.line(other.at) != line
        });
        let elsewhere = agreeing.map(|other| (other.at, of_value(key, &other.value))).next();
        if elsewhere.as_ref().is_some_and(|(_, elsewhere)| self.is_known_change(statement, elsewhere)) {
            return;
        }
        let kind = if elsewhere.is_some() { DiscrepancyKind::Contradiction } else { DiscrepancyKind::Changed };
        let says = format!("{} {}", of_key(key), of_value(key, &statement.value));
        let has = of_value(key, &claim.value);
        let difference = Discrepancy {
            kind,
            at: statement.at,
            says: Some(says.trim().to_owned()),
            place: Some(claim.place),
            has: Some(has),
            elsewhere,
        };
        self.differences.push((key.clone(), difference));
    }
}

impl Comparison<'_> {
    /// Reports what a complete list lacks.
    fn missing(&mut self) {
        for (key, at) in &self.found.missing {
            let is_renamed = self.found.renamed.iter().any(|(renamed, ..)| renamed == key);
            if is_renamed || self.is_settled(key) {
                continue;
            }
            let stated = self.by_key.get(key).into_iter().flatten().find(|statement| statement.force == Basis::Stated);
            if stated.is_some() && self.is_known_gap(key) {
                continue;
            }
            for claim in self.claims.get(key) {
                let elsewhere = stated.map(|statement| (statement.at, of_key(key)));
                let kind =
                    if elsewhere.is_some() { DiscrepancyKind::Contradiction } else { DiscrepancyKind::SchemaOnly };
                let has = Some(format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned());
                let place = Some(claim.place);
                let difference = Discrepancy { kind, at: *at, says: None, place, has, elsewhere };
                self.differences.push((key.clone(), difference));
            }
        }
    }

    /// Reports what documents always state and this one does not. A claim that one operation takes over from another is
    /// reported for the original.
    fn expected(&mut self) {
        let claims = self.claims;
        let is_own = |key: &FactKey, claim: &Claim| {
            let operation = key.owner().and_then(|id| claims.operation_by_id(id));
            operation.is_none_or(|operation| operation.place.file == claim.place.file)
        };
        let (own, taken): (Vec<_>, Vec<_>) = claims.iter().partition(|(key, claim)| is_own(key, claim));
        for (key, claim) in own.into_iter().chain(taken) {
            let is_expected = key.kind.is_always_stated();
            let is_missing = self.found.missing.iter().any(|(missing, _)| missing == key);
            let is_stated = || {
                let same = |difference: &Discrepancy| {
                    difference.kind == DiscrepancyKind::SchemaOnly && difference.place == Some(claim.place)
                };
                self.differences.iter().any(|(other, difference)| {
                    other.kind == key.kind && other.owner() != key.owner() && same(difference)
                })
            };
            if !is_expected || is_missing || self.by_key.contains_key(key) || self.is_settled(key) || is_stated() {
                continue;
            }
            if key.kind.is_bound() && self.occurs_unread(key, &claim.value) {
                continue;
            }
            let at = self.section_of(key);
            let has = format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned();
            self.add(key, DiscrepancyKind::SchemaOnly, at, None, Some(claim.place), Some(has));
        }
    }
}

impl Comparison<'_> {
    /// Returns whether the numbers of a bound occur next to the name of the parameter, in words that no reader
    /// understands. If these words change, they are reported in any case.
    fn occurs_unread(&self, key: &FactKey, value: &str) -> bool {
        let name = key.name().and_then(|name| name.rsplit('.').next()).unwrap_or_default();
        let numbers: Vec<&str> = value.split(' ').filter(|word| decimal(word).is_some()).collect();
        let own = key.owner().and_then(|id| self.claims.operations.iter().find(|known| known.operation.id == *id));
        let section = own.and_then(|known| self.document.section(known.heading));
        let sections: Vec<&Section> = section.map_or_else(|| self.document.sections.iter().collect(), |own| vec![own]);
        let says = |text: &str| {
            let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || "(),;:".contains(c)).collect();
            let has = |number: &&str| words.iter().any(|word| decimal(word).as_deref() == Some(*number));
            words.contains(&name) && !numbers.is_empty() && numbers.iter().all(has)
        };
        sections.into_iter().any(|section| {
            let mut rows = section.tables(self.document).flat_map(|table| table.rows);
            rows.any(|row| says(&row.iter().map(|cell| cell.text).collect::<Vec<_>>().join(" ")))
                || section.texts(self.document).any(|text| text.sentences().iter().any(|sentence| says(sentence.text)))
        })
    }

    /// The start of the section of the operation that a key belongs to.
    fn section_of(&self, key: &FactKey) -> usize {
        let id = key.owner().map_or("", String::as_str);
        let known = self.claims.operations.iter().find(|known| known.operation.id == id);
        let of_operation = known.and_then(|known| self.document.section(known.heading));
        of_operation.map_or(0, |section| section.at.start)
    }
}
