//! Statements of a document against claims of the schema.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{Claim, Claims};
use super::describe::{self, of_key, of_value};
use super::document::{Document, Section};
use super::findings::{FactKind, Findings, Force, Key, Statement, key};
use super::measures::decimal;
use super::wording::{canonical, plain};
use crate::diagnostics::Place;
use crate::model::Duration;

/// How a document and the schema differ.
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
    /// What the document says, or that it says nothing.
    pub(super) says: String,
    pub(super) place: Option<Place>,
    /// What the schema says.
    pub(super) has: String,
    /// Where else the document says what the schema has.
    pub(super) elsewhere: Option<(usize, String)>,
}

/// By kind: facts of the schema, and how many of them a document states.
pub(super) type Facts = BTreeMap<&'static str, (usize, usize)>;

/// What a comparison gave.
pub(super) struct Compared {
    pub(super) differences: Vec<Discrepancy>,
    pub(super) statements: usize,
    pub(super) matched_statements: usize,
    pub(super) facts: Facts,
    /// Facts that the document was not found to state: what they are about, what they say, where.
    pub(super) unstated: Vec<(Key, String, Place)>,
    /// Those of them that `facts` has a line for.
    pub(super) not_found: Vec<(Key, String, Place)>,
}

struct Comparison<'a> {
    document: &'a Document,
    claims: &'a Claims<'a>,
    found: &'a Findings,
    by_key: BTreeMap<&'a Key, Vec<&'a Statement>>,
    differences: Vec<(Key, Discrepancy)>,
    /// Owners and names that one difference covers.
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
    let facts = comparison.facts();
    let not_found = comparison.unstated(|_, claim| claim.facts > 0);
    // Documents seldom state a type.
    let unstated = comparison.unstated(|key, _| key.kind != FactKind::Type);
    let statements = found.statements.iter().filter(|statement| statement.force == Force::Stated).count();
    Compared { differences: comparison.collapsed(), statements, matched_statements, facts, unstated, not_found }
}

/// Whether a statement says what a claim says.
fn agree(key: &Key, said: &str, claimed: &str) -> bool {
    match key.kind {
        FactKind::Error | FactKind::Title => plain(said) == plain(&canonical(claimed)),
        FactKind::Permission | FactKind::Unit => said == canonical(claimed),
        FactKind::Window => match (Duration::parse(said), Duration::parse(claimed)) {
            (Some(said), Some(claimed)) => said.is_as_long_as(claimed),
            _ => said == claimed,
        },
        _ => said == claimed,
    }
}

impl Comparison<'_> {
    fn add(&mut self, key: &Key, kind: DiscrepancyKind, at: usize, says: String, place: Option<Place>, has: String) {
        self.differences.push((key.clone(), Discrepancy { kind, at, says, place, has, elsewhere: None }));
    }

    /// By kind: facts of the schema, and how many of them are stated.
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

    fn is_stated(&self, key: &Key, claim: &Claim) -> bool {
        let mut statements = self.by_key.get(key).into_iter().flatten();
        statements.any(|statement| agree(key, &statement.value, &claim.value))
    }

    /// What the schema states and the document does not, by what `is_meant` says of it.
    fn unstated(&self, is_meant: impl Fn(&Key, &Claim) -> bool) -> Vec<(Key, String, Place)> {
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
            self.add(key, DiscrepancyKind::Changed, *at, of_key(&new), place, of_key(key));
        }
    }

    /// A parameter, field or operation that is new or gone is one difference, whatever is said of it.
    fn settle(&mut self) {
        let new = self
            .found
            .statements
            .iter()
            .filter(|statement| statement.force == Force::Stated)
            .map(|statement| &statement.key);
        let new = new.filter(|key| !self.claims.has(key));
        let gone = self.found.missing.iter().map(|(key, _)| key);
        for key in new.chain(gone) {
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

    /// Whether a larger difference covers it already.
    fn is_settled(&self, key: &Key) -> bool {
        let (kind, [id, rest @ ..]) = (key.kind, key.names.as_slice()) else { return false };
        let of_gone = kind != FactKind::Endpoint && self.settled.contains(&(id.clone(), String::new()));
        let of_gone_header =
            kind == FactKind::Transition && rest.get(1).is_some_and(|trigger| self.is_gone_operation(id, trigger));
        let of_name = !matches!(kind, FactKind::Parameter | FactKind::RecordField)
            && rest
                .iter()
                .any(|name| name.split(',').any(|name| self.settled.contains(&(id.clone(), name.to_owned()))));
        of_gone || of_gone_header || of_name
    }

    fn is_gone_operation(&self, family: &str, name: &str) -> bool {
        self.settled.contains(&(format!("{family}.{name}"), String::new()))
    }
}

impl Comparison<'_> {
    fn statements(&mut self) -> usize {
        let mut matched = 0;
        let mut reported: BTreeSet<&Key> = BTreeSet::new();
        for statement in &self.found.statements {
            let claims = self.claims.get(&statement.key);
            let disagreeing: Vec<&Claim> =
                claims.iter().filter(|claim| !agree(&statement.key, &statement.value, &claim.value)).collect();
            if !claims.is_empty() && disagreeing.is_empty() {
                matched += usize::from(statement.force == Force::Stated);
                continue;
            }
            match &statement.force {
                Force::Namesake => continue,
                Force::By(origin) if reported.contains(origin) => continue,
                Force::By(_) | Force::Stated => {}
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
        let place = self.nearest_place(&statement.key);
        let says = describe::statement(&statement.key, &statement.value);
        self.add(
            &statement.key,
            DiscrepancyKind::DocumentOnly,
            statement.at,
            says.trim().to_owned(),
            place,
            "not there".to_owned(),
        );
    }

    fn changed(&mut self, statement: &Statement, claim: &Claim) {
        let key = &statement.key;
        let others = self.by_key.get(key).into_iter().flatten();
        let line = self.document.line(statement.at);
        let agreeing = others.filter(|other| {
            matches!(other.force, Force::Stated)
                && agree(key, &other.value, &claim.value)
                && self.document.line(other.at) != line
        });
        let elsewhere = agreeing.map(|other| (other.at, of_value(key, &other.value))).next();
        let kind = if elsewhere.is_some() { DiscrepancyKind::Contradiction } else { DiscrepancyKind::Changed };
        let says = format!("{} {}", of_key(key), of_value(key, &statement.value));
        let has = of_value(key, &claim.value);
        let difference = Discrepancy {
            kind,
            at: statement.at,
            says: says.trim().to_owned(),
            place: Some(claim.place),
            has,
            elsewhere,
        };
        self.differences.push((key.clone(), difference));
    }
}

impl Comparison<'_> {
    /// What a complete list lacks.
    fn missing(&mut self) {
        for (key, at) in &self.found.missing {
            let is_renamed = self.found.renamed.iter().any(|(renamed, ..)| renamed == key);
            if is_renamed || self.is_settled(key) {
                continue;
            }
            let stated = self.by_key.get(key).into_iter().flatten().find(|statement| statement.force == Force::Stated);
            for claim in self.claims.get(key) {
                let elsewhere = stated.map(|statement| (statement.at, of_key(key)));
                let kind =
                    if elsewhere.is_some() { DiscrepancyKind::Contradiction } else { DiscrepancyKind::SchemaOnly };
                let has = format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned();
                let says = "not there".to_owned();
                self.differences
                    .push((key.clone(), Discrepancy { kind, at: *at, says, place: Some(claim.place), has, elsewhere }));
            }
        }
    }

    /// What a document always states, and this one does not. What one operation takes over from another is reported
    /// for the one that says it.
    fn expected(&mut self) {
        let claims = self.claims;
        let is_own = |key: &Key, claim: &Claim| {
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
            if key.kind.is_bound() && self.stands_unread(key, &claim.value) {
                continue;
            }
            let at = self.section_of(key);
            let has = format!("{} {}", of_key(key), of_value(key, &claim.value)).trim().to_owned();
            self.add(key, DiscrepancyKind::SchemaOnly, at, "not there".to_owned(), Some(claim.place), has);
        }
    }
}

impl Comparison<'_> {
    /// One value new and one gone from the same list is one that changed. A transition may change in where it leads, or
    /// else in what causes it.
    fn merge_sets(&mut self) {
        self.merge(FactKind::is_one_of_a_set, 1);
        self.merge(|kind| kind == FactKind::Transition, 2);
    }

    /// Merges what is new with what is gone where their keys differ in the last parts only, and each is the only one.
    fn merge(&mut self, is_meant: fn(FactKind) -> bool, own: usize) {
        let prefix = |key: &Key| {
            is_meant(key.kind).then(|| (key.kind, key.names[..key.names.len().saturating_sub(own)].to_vec()))
        };
        let mut merged = Vec::new();
        for (index, (key, new)) in self.differences.iter().enumerate() {
            let Some(start) = prefix(key).filter(|_| new.kind == DiscrepancyKind::DocumentOnly) else { continue };
            let same = |kind: DiscrepancyKind| {
                let start = start.clone();
                let fits = move |key: &Key, difference: &Discrepancy| {
                    difference.kind == kind && prefix(key) == Some(start.clone())
                };
                self.differences.iter().enumerate().filter(move |(_, (key, difference))| fits(key, difference))
            };
            let gone: Vec<usize> = same(DiscrepancyKind::SchemaOnly).map(|(index, _)| index).collect();
            // The same name in other letters is that name, however many there are.
            let alike = gone.iter().find(|gone| is_spelled_alike(key, &self.differences[**gone].0));
            if let Some(gone) = alike.filter(|_| own == 1) {
                merged.push((index, *gone));
            } else if let ([gone], 1) = (gone.as_slice(), same(DiscrepancyKind::DocumentOnly).count()) {
                merged.push((index, *gone));
            }
        }
        for (new, gone) in &merged {
            let (_, gone) = self.differences[*gone].clone();
            let (_, new) = &mut self.differences[*new];
            new.kind = DiscrepancyKind::Changed;
            new.place = gone.place;
            new.has = gone.has;
        }
        let gone: BTreeSet<usize> = merged.iter().map(|(_, gone)| *gone).collect();
        let mut index = 0;
        self.differences.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
    }

    /// One line for what is one change: the same lines on both sides.
    fn collapsed(self) -> Vec<Discrepancy> {
        let mut found: Vec<Discrepancy> = Vec::new();
        for (_, difference) in self.differences {
            let line = self.document.line(difference.at);
            let same = found.iter_mut().find(|other| {
                other.kind == difference.kind && self.document.line(other.at) == line && other.place == difference.place
            });
            match same {
                Some(other) if other.says == difference.says && other.has == difference.has => {}
                Some(other) => {
                    for (all, one) in [(&mut other.says, &difference.says), (&mut other.has, &difference.has)] {
                        if !all.split(" / ").any(|part| part == one) {
                            all.push_str(" / ");
                            all.push_str(one);
                        }
                    }
                }
                None => found.push(difference),
            }
        }
        found
    }
}

fn parameter_key(operation: &str, name: &str) -> Key {
    key(FactKind::Parameter, [operation, name])
}

fn is_spelled_alike(one: &Key, other: &Key) -> bool {
    let spelled = |key: &Key| key.last().map(|name| plain(&name.replace('_', " ")));
    spelled(one) == spelled(other)
}

impl Comparison<'_> {
    /// Whether the numbers of a bound stand beside the name of what it bounds, in words that no reader knows. Changed words
    /// are reported in any case.
    fn stands_unread(&self, key: &Key, value: &str) -> bool {
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

    /// The start of the section of the operation that a key is about.
    fn section_of(&self, key: &Key) -> usize {
        let id = key.owner().map_or("", String::as_str);
        let known = self.claims.operations.iter().find(|known| known.operation.id == id);
        let of_operation = known.and_then(|known| self.document.section(known.heading));
        of_operation.map_or(0, |section| section.at.start)
    }

    /// The schema's place that is nearest to what it does not have.
    fn nearest_place(&self, key: &Key) -> Option<Place> {
        let owner = key.owner()?;
        if key.kind == FactKind::Endpoint {
            return self.family_of_path(key);
        }
        if key.kind == FactKind::Error {
            return self.likeliest_file(key);
        }
        let of_parameter = key.name().filter(|_| key.names.len() == 2 && key.kind.is_of_parameter());
        let of_parameter = of_parameter.and_then(|name| self.claims.get(&parameter_key(owner, name)).first());
        if let Some(parameter) = of_parameter {
            return Some(parameter.place);
        }
        let alike = (1..key.names.len()).rev().find_map(|length| {
            let start = Key { kind: key.kind, names: key.names[..length].to_vec() };
            self.claims.iter().find(|(known, _)| known.starts_with(&start)).map(|(_, claim)| claim.place)
        });
        let of_name = || {
            let own =
                |known: &Key| known.owner() == Some(owner) && known.name().is_some() && known.name() == key.name();
            self.claims.iter().find(|(known, _)| own(known)).map(|(_, claim)| claim.place)
        };
        let of_owner =
            || self.claims.iter().find(|(known, _)| known.owner() == Some(owner)).map(|(_, claim)| claim.place);
        let of_operation = || self.claims.operation_by_id(owner).map(|operation| operation.place);
        let of_kind = || self.claims.iter().find(|(known, _)| known.kind == key.kind).map(|(_, claim)| claim.place);
        if key.names.len() > 2 { alike.or_else(of_name).or_else(of_operation) } else { of_operation().or(alike) }
            .or_else(of_owner)
            .or_else(of_kind)
    }

    /// The last fact of a kind in the file that has most of them: what is new in a document of several families is most
    /// likely of the one that it is about.
    fn likeliest_file(&self, key: &Key) -> Option<Place> {
        let of_kind = self.claims.iter().filter(|(known, _)| known.kind == key.kind);
        let mut by_file: BTreeMap<u32, (usize, Place)> = BTreeMap::new();
        for (_, claim) in of_kind {
            let of_file = by_file.entry(claim.place.file).or_insert((0, claim.place));
            *of_file = (of_file.0 + 1, claim.place);
        }
        by_file.into_values().max_by_key(|(count, _)| *count).map(|(_, place)| place)
    }

    /// The family whose paths are likest to a new one.
    fn family_of_path(&self, key: &Key) -> Option<Place> {
        let path = self.by_key.get(key)?.first()?.value.split(' ').nth(1)?.to_owned();
        let shared = |other: &str| path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let likest = self.claims.operations.iter().max_by_key(|known| shared(&known.operation.path.text))?;
        Some(likest.family.place)
    }
}
