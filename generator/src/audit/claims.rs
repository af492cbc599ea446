//! What the schema claims about one document, by key, each with its place.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Key, key};
use crate::diagnostics::Place;
use crate::model::{
    Api, Family, Identifier, NotShown, Operation, Parameter, Record, Rule, Shape, Type, Unit, placed_facts,
};

/// One thing that the schema states.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) value: String,
    pub(super) place: Place,
    /// How many lines of `tradeapi-gen facts` it stands for.
    pub(super) facts: usize,
}

/// An operation of the document.
pub(super) struct KnownOperation<'a> {
    pub(super) operation: &'a Operation,
    pub(super) family: &'a Family,
    pub(super) heading: &'a str,
}

/// A record of the document.
pub(super) struct KnownRecord<'a> {
    pub(super) id: String,
    pub(super) section: &'a str,
    pub(super) family: &'a Family,
    pub(super) record: &'a Record,
}

/// Everything that the schema says of one document.
pub(super) struct Claims<'a> {
    pub(super) families: Vec<&'a Family>,
    pub(super) operations: Vec<KnownOperation<'a>>,
    pub(super) records: Vec<KnownRecord<'a>>,
    /// Each with the name of its family.
    pub(super) not_shown: Vec<(&'a str, &'a NotShown)>,
    pub(super) rules: Vec<&'a Rule>,
    /// Texts of units, the longest first.
    pub(super) units: Vec<String>,
    by_key: BTreeMap<Key, Vec<Claim>>,
    /// Facts of the schema that are no statement of a document: how many of each kind.
    pub(super) own: BTreeMap<&'static str, usize>,
}

impl<'a> Claims<'a> {
    pub(super) fn of(api: &'a Api, document: &str) -> Self {
        let mut claims = Claims {
            families: Vec::new(),
            operations: Vec::new(),
            records: Vec::new(),
            not_shown: Vec::new(),
            rules: Vec::new(),
            units: Vec::new(),
            by_key: BTreeMap::new(),
            own: BTreeMap::new(),
        };
        for family in &api.families {
            claims.family(family, document);
        }
        claims.facts(api, document);
        claims.titles_and_headers(api, document);
        claims.units.sort_by_key(|unit| std::cmp::Reverse(unit.len()));
        claims.units.dedup();
        claims.units.retain(|unit| !unit.is_empty());
        claims
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Claim)> {
        self.by_key.iter().flat_map(|(key, claims)| claims.iter().map(move |claim| (key, claim)))
    }

    pub(super) fn get(&self, key: &Key) -> &[Claim] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.by_key.contains_key(key)
    }

    /// The keys that start like this.
    pub(super) fn below<const N: usize>(&self, start: [&str; N]) -> impl Iterator<Item = &Key> {
        let start = key(start);
        self.by_key.range(start.clone()..).map(|(key, _)| key).take_while(move |key| key.starts_with(&start))
    }

    /// The last parts of the keys that start like this.
    pub(super) fn last_parts<const N: usize>(&self, start: [&str; N]) -> Vec<String> {
        self.below(start).filter(|key| key.len() == N + 1).filter_map(|key| key.last().cloned()).collect()
    }

    fn add(&mut self, key: Key, value: impl Into<String>, place: Place, facts: usize) {
        let claim = Claim { value: value.into(), place, facts };
        self.by_key.entry(key).or_default().push(claim);
    }

    fn family(&mut self, family: &'a Family, document: &str) {
        let own = family.source.as_ref().is_some_and(|source| source.document == document);
        if own {
            self.families.push(family);
            self.statements(family, &family.statements);
            for limit in &family.limits {
                self.add(key(["ceiling", &family.name, &limit.id]), limit.n.to_string(), limit.place, 0);
            }
            // A form of characters is told in words, not as a pattern.
            let forms = family.identifiers.iter().flat_map(|identifier| &identifier.forms);
            for form in forms.filter(|form| !form.pattern.contains('[')) {
                self.add(key(["form", document, &form.pattern]), "", form.name.place, 0);
            }
        }
        for record in &family.records {
            let Some(source) = &record.source else { continue };
            let Some(section) = source.section.as_deref().filter(|_| source.document == document) else { continue };
            if !record.is_abstract && !record.is_observed {
                let id = format!("{}.{}", family.name, record.name.wire);
                self.record_units(&id, record);
                self.records.push(KnownRecord { id, section, family, record });
            }
        }
        for operation in &family.operations {
            let source = operation.source.as_ref().or(family.source.as_ref());
            if source.is_some_and(|source| source.document == document) {
                self.operation(family, operation);
            }
        }
    }

    fn statements(&mut self, family: &'a Family, statements: &'a crate::model::Statements) {
        self.not_shown.extend(statements.not_shown.iter().map(|entry| (family.name.as_str(), entry)));
        self.rules.extend(&statements.rules);
    }

    fn operation(&mut self, family: &'a Family, operation: &'a Operation) {
        let section = operation.source.as_ref().and_then(|source| source.section.as_deref());
        self.operations.push(KnownOperation { operation, family, heading: section.unwrap_or(&operation.title) });
        self.statements(family, &operation.statements);
        let id = &operation.id;
        if operation.whitelisted {
            self.add(key(["whitelisted", id]), "yes", operation.said_at.whitelisted, 0);
        }
        if operation.window.as_ref().is_some_and(|window| window.both_or_neither) {
            self.add(key(["both", id]), "", operation.said_at.both_or_neither, 0);
        }
        self.parameters(family, id, "", operation.body.parameters());
    }

    /// What the flat facts leave out of parameters: digits, units, what leaving out does, how ids are spelled.
    fn parameters(&mut self, family: &'a Family, id: &str, prefix: &str, parameters: &'a [Parameter]) {
        for parameter in parameters {
            let name = format!("{prefix}{}", parameter.name.wire);
            match &parameter.shape {
                Shape::One(Type::Choice(index)) => {
                    for member in family.choices[*index].members() {
                        self.parameters(family, id, prefix, std::slice::from_ref(member));
                    }
                    continue;
                }
                Shape::One(Type::Identifier(index)) => {
                    self.spelling(family, &family.identifiers[*index], &parameter.name.wire)
                }
                Shape::Items(item) => {
                    let below = if name.ends_with("[]") { format!("{name}.") } else { format!("{name}[].") };
                    self.parameters(family, id, &below, &item.parameters);
                }
                _ => {}
            }
            if let Some((digits, place)) = parameter.digits {
                self.add(key(["digits", id, &name]), digits.to_string(), place, 0);
            }
            if let Some(edit) = &parameter.edit {
                let value =
                    edit.delete.as_ref().map_or("keeps".to_owned(), |delete| format!("keeps, {delete} deletes"));
                self.add(key(["edit", id, &name]), value, edit.place, 0);
            }
            self.unit(key(["unit", id, &name]), &parameter.units, parameter.name.place);
        }
    }

    fn spelling(&mut self, family: &Family, identifier: &Identifier, name: &str) {
        let (length, alphabet) = (key(["length", &family.name, name]), key(["alphabet", &family.name, name]));
        if let Some((min, max)) = identifier.length.filter(|_| !self.has(&length)) {
            self.add(length, format!("{min} to {max}"), identifier.name.place, 0);
        }
        if let Some((text, place)) = identifier.alphabet.as_ref().filter(|_| !self.has(&alphabet)) {
            self.add(alphabet, characters(text), *place, 0);
        }
    }

    fn record_units(&mut self, id: &str, record: &Record) {
        for field in &record.fields {
            self.unit(key(["unit", id, &field.name.wire]), &field.units, field.name.place);
        }
    }

    fn unit(&mut self, key: Key, units: &[Unit], place: Place) {
        let set: BTreeSet<&str> = units.iter().map(|unit| unit.is.as_str()).collect();
        self.units.extend(set.iter().map(|unit| (*unit).to_owned()));
        if !set.is_empty() {
            self.add(key, set.into_iter().collect::<Vec<_>>().join(" or "), place, 0);
        }
    }

    fn facts(&mut self, api: &Api, document: &str) {
        for fact in placed_facts(api) {
            let columns: Vec<&str> = fact.columns.iter().map(String::as_str).collect();
            let (found, value) = match columns.as_slice() {
                ["endpoint", id, method, path] => (key(["endpoint", id]), format!("{method} {path}")),
                ["rate", id, n, _, scope, class] => (key(["rate", id, class]), format!("{n}/s per {scope}")),
                ["param", id, name, need, kind] => {
                    if self.is_ours(id) {
                        self.add(key(["type", id, name]), *kind, fact.place, 0);
                    }
                    (key(["param", id, name]), (*need).to_owned())
                }
                ["record", id, name, kind] => (key(["record", id, name]), (*kind).to_owned()),
                ["respfield", id, name, kind] => (key(["respfield", id, name]), (*kind).to_owned()),
                ["headeron", header, id] => (key(["headeron", id, header]), String::new()),
                ["error", family, code, text] => {
                    if self.is_ours(family) {
                        self.add(key(["error", document, code]), *text, fact.place, 1);
                    }
                    continue;
                }
                [kind @ ("rule" | "observed" | "contradiction" | "notshown"), id, ..] => {
                    if self.is_ours(id) {
                        let kind =
                            ["rule", "observed", "contradiction", "notshown"].into_iter().find(|known| known == kind);
                        *self.own.entry(kind.unwrap_or_default()).or_default() += 1;
                    }
                    continue;
                }
                [kind @ ("paramenum" | "recordenum" | "oneof" | "state" | "transition"), rest @ ..] => {
                    (std::iter::once(kind).chain(rest).map(|part| (*part).to_owned()).collect(), String::new())
                }
                [start @ .., value] => (start.iter().map(|part| (*part).to_owned()).collect(), (*value).to_owned()),
                [] => continue,
            };
            if found.get(1).is_some_and(|id| self.is_ours(id)) {
                self.add(found, value, fact.place, 1);
            }
        }
    }

    /// Whether an operation, a record or a family belongs to the document.
    fn is_ours(&self, id: &str) -> bool {
        self.operations.iter().any(|known| known.operation.id == id)
            || self.records.iter().any(|known| known.id == id)
            || self.families.iter().any(|family| family.name == id)
    }

    fn titles_and_headers(&mut self, api: &Api, document: &str) {
        for known in api.documents.iter().filter(|known| known.id == document) {
            self.add(key(["title", document]), &known.title, known.place, 0);
        }
        for header in &api.headers {
            self.add(key(["header", document, &header.name]), "", header.place, 0);
        }
        if let Some(credentials) = &api.credentials {
            let names = [Some(&credentials.key), Some(&credentials.signature), Some(&credentials.timestamp)];
            for name in names.into_iter().chain([credentials.passphrase.as_ref()]).flatten() {
                self.add(key(["credential", document, name]), "", credentials.place, 0);
            }
        }
        if let Some(envelope) = &api.envelope {
            let names = [Some(&envelope.code), envelope.message.as_ref(), envelope.time.as_ref(), Some(&envelope.data)];
            for name in names.into_iter().flatten() {
                self.add(key(["envelope", document, name]), "", envelope.place, 0);
            }
        }
    }

    /// Which values a parameter or field may have, by its kind (`paramenum`, `recordenum`), owner and name.
    pub(super) fn values(&self, kind: &str, id: &str, name: &str) -> Vec<String> {
        self.last_parts([kind, id, name])
    }

    /// The known operation with this id.
    pub(super) fn operation_by_id(&self, id: &str) -> Option<&'a Operation> {
        self.operations.iter().find(|known| known.operation.id == id).map(|known| known.operation)
    }
}

/// The characters of a bracket expression, sorted.
pub(super) fn characters(alphabet: &str) -> String {
    let given: Vec<char> = alphabet.chars().collect();
    let mut set = BTreeSet::new();
    let mut at = 0;
    while let Some(&c) = given.get(at) {
        match (given.get(at + 1), given.get(at + 2)) {
            (Some('-'), Some(&last)) if last > c => {
                set.extend(c..=last);
                at += 3;
            }
            _ => {
                set.insert(c);
                at += 1;
            }
        }
    }
    set.into_iter().collect()
}
