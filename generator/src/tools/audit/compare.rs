//! Compares the statements of a document with the claims of the schema: merges differences that stem from one change,
//! finds the place in the schema that is nearest to something it lacks, and leaves out contradictions of the document
//! that the schema knows.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{Claim, Claims, OtherEndpoint};
use super::describe::{self, of_key, of_value};
use super::document::{Document, Section};
use super::findings::{Basis, FactKey, FactKind, Findings, Statement, parameter_key};
use super::measures::decimal;
use super::named::short;
use super::wording::{canonical, plain};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Duration, Family, Number};

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

impl Discrepancy {
    /// Returns what both sides state, without lines.
    pub(super) fn statement(&self) -> String {
        let [says, has] = [&self.says, &self.has].map(|text| text.as_deref().unwrap_or_default());
        let elsewhere = self.elsewhere.as_ref().map_or("", |(_, says)| says);
        format!("{says} | {has} | {elsewhere}")
    }
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
    let unstated: Vec<(&FactKey, &Claim)> =
        claims.iter().filter(|(key, claim)| !comparison.is_stated(key, claim)).collect();
    let facts = facts(claims, &unstated);
    let owned = |(key, claim): &(&FactKey, &Claim)| ((*key).clone(), claim.value.clone(), claim.place);
    let not_found = unstated.iter().filter(|(_, claim)| claim.facts > 0).map(owned).collect();
    // Documents rarely state types.
    let unstated = unstated.iter().filter(|(key, _)| key.kind != FactKind::Type).map(owned).collect();
    let statements = found.statements.iter().filter(|statement| statement.force == Basis::Stated).count();
    ComparedFacts { differences: comparison.collapsed(), statements, matched_statements, facts, unstated, not_found }
}

/// Returns, for each kind, the number of facts of the schema, and of those that are stated.
fn facts(claims: &Claims<'_>, unstated: &[(&FactKey, &Claim)]) -> Facts {
    let mut facts = Facts::new();
    for (key, claim) in claims.iter() {
        let entry = facts.entry(key.kind.as_str()).or_default();
        *entry = (entry.0 + claim.facts, entry.1 + claim.facts);
    }
    for (key, claim) in unstated {
        facts.entry(key.kind.as_str()).or_default().1 -= claim.facts;
    }
    facts.retain(|_, (all, _)| *all > 0);
    facts
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

/// Returns whether a place lists a parameter without its need, which no other place contradicts.
fn is_open(statement: &Statement) -> bool {
    statement.key.kind == FactKind::Parameter && statement.value == "unstated"
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

    fn is_stated(&self, key: &FactKey, claim: &Claim) -> bool {
        let mut statements = self.by_key.get(key).into_iter().flatten();
        statements.any(|statement| statement.force != Basis::Unread && agree(key, &statement.value, &claim.value))
    }
}

impl Comparison<'_> {
    /// Returns whether a place states the need of a parameter.
    fn is_closed(&self, key: &FactKey) -> bool {
        let mut all = self.by_key.get(key).into_iter().flatten();
        all.any(|statement| statement.force == Basis::Stated && !is_open(statement))
    }

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
        // The spelling of an id belongs to its family, and that of a new one to the parameter that has it.
        let has_it = |(owner, name): &(String, String)| {
            rest.iter().any(|own| own == short(name)) && owner.split('.').next() == Some(id)
        };
        of_removed || of_removed_header || of_name || kind.is_spelling() && self.settled.iter().any(has_it)
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
                _ if is_open(statement) && self.is_closed(&statement.key) => continue,
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
        let others = self.claims.others.iter().filter(|_| statement.key.kind == FactKind::Endpoint);
        let other = others.into_iter().find(|one| one.endpoint == statement.value);
        let place = other.map_or_else(|| self.nearest_place(statement), |one| Some(one.place));
        let has = other.map(OtherEndpoint::advice).or_else(|| self.advice(&statement.key));
        self.add(&statement.key, DiscrepancyKind::DocumentOnly, statement.at, says, place, has);
    }

    fn changed(&mut self, statement: &Statement, claim: &Claim) {
        let key = &statement.key;
        let others = self.by_key.get(key).into_iter().flatten();
        let line = self.document.line(statement.at);
        let agreeing = others.filter(|other| {
            matches!(other.force, Basis::Stated)
                && !is_open(other)
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

impl<'a> Comparison<'a> {
    fn stated(&self, key: &FactKey) -> Option<&'a Statement> {
        self.by_key.get(key).into_iter().flatten().copied().find(|statement| statement.force == Basis::Stated)
    }

    /// Returns whether the document has the name in another spelling.
    fn is_respelled(&self, key: &FactKey) -> bool {
        let of = FactKey { kind: key.kind, names: key.names[..key.names.len().saturating_sub(1)].to_vec() };
        let is_new = |other: &&&FactKey| other.starts_with(&of) && !self.claims.has(other);
        self.by_key.keys().filter(is_new).any(|other| is_spelled_alike(other, key))
    }

    /// Returns a statement of the same value of a type, by another list of its values.
    fn stated_of_type(&self, key: &FactKey) -> Option<&'a Statement> {
        let is_value = |key: &FactKey| matches!(key.kind, FactKind::ParameterValue | FactKind::RecordValue);
        let of_type = |claim: &Claim| self.claims.get(key).iter().any(|own| own.place == claim.place);
        let others = self.claims.iter().filter(|(other, claim)| is_value(other) && of_type(claim));
        others.filter(|_| is_value(key)).find_map(|(other, _)| self.stated(other))
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
            let stated = self.stated(key).or_else(|| self.stated_of_type(key));
            if stated.is_some() && self.is_known_gap(key) && !self.is_respelled(key) {
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
            let at = self.row_of(key).unwrap_or_else(|| self.section_of(key));
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

    /// Returns the place of the parameter that a key is about, if the document has it.
    fn row_of(&self, key: &FactKey) -> Option<usize> {
        let (owner, name) = (key.owner()?, key.name().filter(|_| key.kind.is_of_parameter())?);
        Some(self.by_key.get(&parameter_key(owner, name))?.first()?.at)
    }

    /// Returns the start of the section of the operation that a key belongs to.
    fn section_of(&self, key: &FactKey) -> usize {
        let id = key.owner().map_or("", String::as_str);
        let known = self.claims.operations.iter().find(|known| known.operation.id == id);
        let of_operation = known.and_then(|known| self.document.section(known.heading));
        of_operation.map_or(0, |section| section.at.start)
    }
}

impl Comparison<'_> {
    /// Merges an added and a removed value of the same list into a changed one. A transition may have changed either
    /// its target or its trigger.
    fn merge_sets(&mut self) {
        self.merge(FactKind::is_one_of_a_set, 1);
        self.merge(|kind| kind == FactKind::Transition, 2);
    }

    /// Merges an added with a removed key if only their last names differ, and if each is the only one.
    fn merge(&mut self, is_meant: fn(FactKind) -> bool, own: usize) {
        let prefix = |key: &FactKey| {
            is_meant(key.kind).then(|| (key.kind, key.names[..key.names.len().saturating_sub(own)].to_vec()))
        };
        let mut merged = Vec::new();
        for (index, (key, new)) in self.differences.iter().enumerate() {
            let Some(start) = prefix(key).filter(|_| new.kind == DiscrepancyKind::DocumentOnly) else { continue };
            let same = |is_new: bool| {
                let start = start.clone();
                let fits = move |key: &FactKey, difference: &Discrepancy| {
                    let is_one_sided = difference.says.is_none() || difference.kind == DiscrepancyKind::DocumentOnly;
                    is_one_sided && difference.says.is_some() == is_new && prefix(key) == Some(start.clone())
                };
                self.differences.iter().enumerate().filter(move |(_, (key, difference))| fits(key, difference))
            };
            let missing: Vec<usize> = same(false).map(|(index, _)| index).collect();
            // A name that differs only in case, spaces or underscores is the same name, even among several.
            let alike = missing.iter().find(|missing| is_spelled_alike(key, &self.differences[**missing].0));
            if let Some(missing) = alike.filter(|_| own == 1) {
                merged.push((index, *missing));
            } else if let ([missing], 1) = (missing.as_slice(), same(true).count()) {
                merged.push((index, *missing));
            }
        }
        for (new, missing) in &merged {
            let (_, missing) = self.differences[*missing].clone();
            let (_, new) = &mut self.differences[*new];
            new.kind = DiscrepancyKind::Changed;
            new.place = missing.place;
            new.has = missing.has;
            new.elsewhere = missing.elsewhere;
        }
        let missing: BTreeSet<usize> = merged.iter().map(|(_, missing)| *missing).collect();
        let mut index = 0..;
        self.differences.retain(|_| index.next().is_none_or(|index| !missing.contains(&index)));
    }

    /// Merges differences of one change, which have the same lines on both sides.
    fn collapsed(self) -> Vec<Discrepancy> {
        let mut found: Vec<(usize, Discrepancy)> = Vec::new();
        for (_, difference) in self.differences {
            let line = self.document.line(difference.at);
            let same = found
                .iter_mut()
                .find(|(at, other)| *at == line && other.kind == difference.kind && other.place == difference.place);
            match same {
                Some((_, other)) if other.says == difference.says && other.has == difference.has => {}
                Some((_, other)) => {
                    join(&mut other.says, difference.says);
                    join(&mut other.has, difference.has);
                }
                None => found.push((line, difference)),
            }
        }
        found.into_iter().map(|(_, difference)| difference).collect()
    }
}

/// Adds a statement to those of the same place, once.
fn join(all: &mut Option<String>, one: Option<String>) {
    match (all.as_mut(), one) {
        (Some(all), Some(one)) if !all.split(" / ").any(|part| part == one) => {
            all.push_str(" / ");
            all.push_str(&one);
        }
        (None, one) => *all = one,
        _ => {}
    }
}

fn is_spelled_alike(one: &FactKey, other: &FactKey) -> bool {
    let spelled = |key: &FactKey| key.last().map(|name| plain(&name.replace('_', " ")));
    spelled(one) == spelled(other)
}

impl Comparison<'_> {
    /// Returns the place in the schema that is nearest to something it lacks.
    fn nearest_place(&self, statement: &Statement) -> Option<Place> {
        let key = &statement.key;
        let owner = key.owner()?;
        if key.kind == FactKind::Endpoint {
            return self.family_of_path(key).map(|family| family.place);
        }
        if key.kind == FactKind::Error {
            return self.likeliest_file(key);
        }
        let of_parameter = key.name().filter(|_| key.names.len() == 2 && key.kind.is_of_parameter());
        let of_parameter = of_parameter.and_then(|name| self.claims.get(&parameter_key(owner, name)).first());
        let spelling = key.name().filter(|_| key.kind.is_spelling()).map(|name| (owner.clone(), name.clone()));
        let spelled = spelling.and_then(|spelling| self.claims.spelled.get(&spelling).copied());
        if let Some(place) = of_parameter.map(|parameter| parameter.place).or(spelled) {
            return Some(place);
        }
        let kind = if key.kind == FactKind::Wins { FactKind::OneOf } else { key.kind };
        let alike = (1..key.names.len().max(2))
            .rev()
            .find_map(|length| self.sibling(&FactKey { kind, names: key.names[..length].to_vec() }, statement.at));
        let of_name = || {
            let own =
                |known: &FactKey| known.owner() == Some(owner) && known.name().is_some() && known.name() == key.name();
            self.claims.iter().find(|(known, _)| own(known)).map(|(_, claim)| claim.place)
        };
        let of_owner =
            || self.claims.iter().find(|(known, _)| known.owner() == Some(owner)).map(|(_, claim)| claim.place);
        let of_operation = || self.claims.operation_by_id(owner).map(|operation| operation.place);
        let of_kind = || self.claims.iter().find(|(known, _)| known.kind == key.kind).map(|(_, claim)| claim.place);
        alike.or_else(of_name).or_else(of_operation).or_else(of_owner).or_else(of_kind)
    }

    /// Returns the place of the claim with these first names that the document states last before a byte, or of the
    /// first one. What an operation takes from another file counts only if it has no such claim of its own.
    fn sibling(&self, start: &FactKey, at: usize) -> Option<Place> {
        let file = start.owner().and_then(|id| self.claims.operation_by_id(id)).map(|operation| operation.place.file);
        let is_own = |claim: &Claim| file.is_none_or(|file| claim.place.file == file);
        let mut all: Vec<(&FactKey, &Claim)> = self.claims.iter().filter(|(key, _)| key.starts_with(start)).collect();
        if all.iter().any(|(_, claim)| is_own(claim)) {
            all.retain(|(_, claim)| is_own(claim));
        }
        let stated = |key: &FactKey| {
            let statements = self.by_key.get(key).into_iter().flatten();
            statements.map(|statement| statement.at).filter(|before| *before < at).max()
        };
        let last = all.iter().filter_map(|(key, claim)| Some((stated(key)?, claim.place))).max_by_key(|(at, _)| *at);
        last.map(|(_, place)| place).or_else(|| all.iter().map(|(_, claim)| claim.place).min_by_key(|place| place.line))
    }

    /// Returns the command that drafts an operation which only the document has.
    fn advice(&self, key: &FactKey) -> Option<String> {
        let heading = key.owner().filter(|_| key.kind == FactKind::Endpoint)?;
        let family = &self.family_of_path(key)?.name;
        Some(format!("absent from the schema; `new {family} --from FOLDER \"{heading}\"` drafts it"))
    }

    /// Returns the last fact of the kind in the file that has most of them. In a document that covers several families,
    /// a new statement most likely belongs to the family that it covers most.
    fn likeliest_file(&self, key: &FactKey) -> Option<Place> {
        let of_kind = self.claims.iter().filter(|(known, _)| known.kind == key.kind);
        let mut by_file: BTreeMap<u32, (usize, Place)> = BTreeMap::new();
        for (_, claim) in of_kind {
            let of_file = by_file.entry(claim.place.file).or_insert((0, claim.place));
            *of_file = (of_file.0 + 1, claim.place);
        }
        by_file.into_values().max_by_key(|(count, _)| *count).map(|(_, place)| place)
    }

    /// Returns the family whose paths are most similar to a new path.
    fn family_of_path(&self, key: &FactKey) -> Option<&Family> {
        let path = self.by_key.get(key)?.first()?.value.split(' ').nth(1)?.to_owned();
        let shared = |other: &str| path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = self.claims.operations.iter().max_by_key(|known| shared(&known.operation.path.text))?;
        Some(nearest.family)
    }
}

impl Comparison<'_> {
    /// Returns whether an entry names what the statement says and what the document states elsewhere.
    fn is_known_change(&self, statement: &Statement, elsewhere: &str) -> bool {
        let (here, elsewhere) = (words(&of_value(&statement.key, &statement.value)), words(elsewhere));
        let only = |one: &BTreeSet<String>, other| one.difference(other).cloned().collect::<BTreeSet<_>>();
        self.is_known(&statement.key, &only(&here, &elsewhere), &only(&elsewhere, &here))
    }

    /// Returns whether an entry names what one place states and another leaves out.
    fn is_known_gap(&self, key: &FactKey) -> bool {
        self.is_known(key, &BTreeSet::new(), &words(key.last().map_or("", String::as_str)))
    }

    /// Returns whether two readings of an entry for the owner, or for a family, have the words of one place each.
    fn is_known(&self, key: &FactKey, here: &BTreeSet<String>, elsewhere: &BTreeSet<String>) -> bool {
        let is_of = |owner: &str| {
            key.owner().is_some_and(|own| own == owner) || self.claims.families.iter().any(|one| one.name == owner)
        };
        let entries = self.claims.contradictions.iter().filter(|(owner, _)| is_of(owner));
        entries.into_iter().any(|(_, entry)| {
            let readings: Vec<BTreeSet<String>> = entry.readings.iter().map(|reading| words(reading)).collect();
            let reads = |wanted: &BTreeSet<String>, but: Option<usize>| {
                let mut fitting = readings.iter().enumerate().filter(|(index, _)| Some(*index) != but);
                fitting.find(|(_, reading)| wanted.is_subset(reading)).map(|(index, _)| index)
            };
            names_subject(key, &entry.id, &entry.readings)
                && reads(elsewhere, None).is_some_and(|index| reads(here, Some(index)).is_some())
        })
    }
}

/// Returns whether the id or a reading has the name that the fact is about, if it is about a name.
fn names_subject(key: &FactKey, id: &str, readings: &[String]) -> bool {
    let name = key.name().map(|name| name.rsplit('.').next().unwrap_or(name));
    let is_said = |name: &str| id.contains(name) || readings.iter().any(|reading| reading.contains(name));
    name.filter(|name| of_key(key).contains(name) && name.contains(char::is_alphanumeric)).is_none_or(is_said)
}

/// Returns the words of a text, in lower case; a number with its point is one.
fn words(text: &str) -> BTreeSet<String> {
    let text = canonical(text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-' && c != '_');
    words.map(|word| word.trim_matches(['.', '-'])).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
