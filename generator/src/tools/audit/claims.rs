//! The claims of the schema about one document, by key, each with its place.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{FactKey, FactKind, key};
use super::{measures, wording};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{
    AnswerPath, Api, Carried, Contradiction, Fact, Family, Identifier, OpenQuestion, Operation, Pool, Record, Rule,
    Shape, SignedPart, Statements, Type, Unit, formats,
};
use crate::compiler::words::Times;

/// One claim of the schema.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) value: String,
    pub(super) place: Place,
    /// The number of lines of `tradeapi-gen facts` that it stands for.
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

/// An operation that the document does not describe as far as the schema knows.
pub(super) struct OtherEndpoint<'a> {
    /// The method and the path, as statements have them.
    pub(super) endpoint: String,
    operation: &'a Operation,
    family: &'a Family,
    pub(super) place: Place,
}

impl OtherEndpoint<'_> {
    /// Returns what to do once the document describes the operation.
    pub(super) fn advice(&self) -> String {
        let (operation, family) = (&self.operation.name, &self.family.name);
        let source = self.operation.source.as_ref().or(self.family.source.as_ref());
        if let Some(source) = source.filter(|_| self.operation.sources.is_empty()) {
            return format!("the `source` of `{operation}` is `{}`: write this document there", source.document());
        }
        match self.family.sources.is_empty() {
            true => format!("`{operation}` has `sources`: write its `source` instead"),
            false => {
                format!("`{operation}` was only observed: move it from the family `{family}`, and write its `source`")
            }
        }
    }
}

/// All claims of the schema about one document.
pub(super) struct Claims<'a> {
    pub(super) families: Vec<&'a Family>,
    pub(super) operations: Vec<KnownOperation<'a>>,
    pub(super) records: Vec<KnownRecord<'a>>,
    /// The open questions, each with the name of its family.
    pub(super) not_shown: Vec<(&'a str, &'a OpenQuestion)>,
    pub(super) rules: Vec<&'a Rule>,
    /// The contradictions, each with its operation or family.
    pub(super) contradictions: Vec<(&'a str, &'a Contradiction)>,
    /// The operations of all families that other documents describe, or none.
    pub(super) others: Vec<OtherEndpoint<'a>>,
    /// The pools that calls of several operations count in.
    pub(super) pools: &'a [Pool],
    /// Members of answers that another document may state.
    pub(super) members_of_others: Vec<&'a str>,
    /// The texts of units, the longest first.
    pub(super) units: Vec<String>,
    /// The definitions of ids, and the parameters without one, by family and name.
    pub(super) spelled: BTreeMap<(String, String), Place>,
    by_key: BTreeMap<FactKey, Vec<Claim>>,
    pub(super) own: OwnFacts,
}

/// The number of facts that no document states in their form.
#[derive(Default)]
pub(super) struct OwnFacts {
    pub(super) not_shown: usize,
    pub(super) contradictions: usize,
    pub(super) observed: usize,
}

impl<'a> Claims<'a> {
    pub(super) fn of(api: &'a Api, document: &str) -> Self {
        let mut claims = Claims {
            families: Vec::new(),
            operations: Vec::new(),
            records: Vec::new(),
            not_shown: Vec::new(),
            rules: Vec::new(),
            contradictions: Vec::new(),
            others: Vec::new(),
            pools: &api.pools,
            members_of_others: Vec::new(),
            units: Vec::new(),
            spelled: BTreeMap::new(),
            by_key: BTreeMap::new(),
            own: OwnFacts::default(),
        };
        for family in &api.families {
            claims.family(family, document);
        }
        let beside = api.envelope.iter().flat_map(|envelope| &envelope.beside).filter(|_| api.documents.len() > 1);
        claims.members_of_others = beside.map(String::as_str).collect();
        claims.facts(api, document);
        claims.titles_and_headers(api, document);
        claims.units.sort_by_key(|unit| std::cmp::Reverse(unit.len()));
        claims.units.dedup();
        claims.units.retain(|unit| !unit.is_empty());
        claims
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&FactKey, &Claim)> {
        self.by_key.iter().flat_map(|(key, claims)| claims.iter().map(move |claim| (key, claim)))
    }

    pub(super) fn get(&self, key: &FactKey) -> &[Claim] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn has(&self, key: &FactKey) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the keys with this kind and these first names.
    pub(super) fn below<const N: usize>(&self, kind: FactKind, start: [&str; N]) -> impl Iterator<Item = &FactKey> {
        let start = key(kind, start);
        self.by_key.range(start.clone()..).map(|(key, _)| key).take_while(move |key| key.starts_with(&start))
    }

    /// Returns the last names of the keys with this kind and these first names.
    pub(super) fn last_parts<const N: usize>(&self, kind: FactKind, start: [&str; N]) -> Vec<String> {
        self.below(kind, start).filter(|key| key.names.len() == N + 1).filter_map(|key| key.last().cloned()).collect()
    }

    fn add(&mut self, key: FactKey, value: impl Into<String>, place: Place, facts: usize) {
        let claim = Claim { value: value.into(), place, facts };
        self.by_key.entry(key).or_default().push(claim);
    }

    fn family(&mut self, family: &'a Family, document: &str) {
        let own = family.source.as_ref().is_some_and(|source| source.document() == document);
        if own {
            self.families.push(family);
            self.statements(family, &family.name, &family.statements);
            for limit in &family.limits {
                self.add(key(FactKind::Ceiling, [&family.name, &limit.id]), limit.n.to_string(), limit.place, 0);
            }
            // Documents describe forms in words rather than as patterns.
            let forms = family.identifiers.iter().flat_map(|identifier| &identifier.forms);
            for form in forms.filter(|form| !form.pattern.text.contains('[')) {
                self.add(key(FactKind::Form, [document, &form.pattern.text]), "", form.name.place, 0);
            }
        }
        for record in &family.records {
            let Some(source) = &record.source else { continue };
            let Some(section) = source.section().filter(|_| source.document() == document) else { continue };
            if !record.is_abstract && !record.is_observed {
                let id = format!("{}.{}", family.name, record.name.wire);
                self.record_units(&id, record);
                self.records.push(KnownRecord { id, section, family, record });
            }
        }
        for operation in &family.operations {
            let source = operation.source.as_ref().or(family.source.as_ref());
            if operation.sources.is_empty() && source.is_some_and(|source| source.document() == document) {
                self.operation(family, operation);
                continue;
            }
            self.others.push(OtherEndpoint {
                endpoint: format!("{} {}", operation.method.as_str(), operation.path.text),
                operation,
                family,
                place: operation.path.place,
            });
        }
    }

    fn statements(&mut self, family: &'a Family, owner: &'a str, statements: &'a Statements) {
        self.contradictions.extend(statements.contradictions.iter().map(|entry| (owner, entry)));
        self.not_shown.extend(statements.not_shown.iter().map(|entry| (family.name.as_str(), entry)));
        self.rules.extend(&statements.rules);
    }

    fn operation(&mut self, family: &'a Family, operation: &'a Operation) {
        let section = operation.source.as_ref().and_then(|source| source.section());
        self.operations.push(KnownOperation { operation, family, heading: section.unwrap_or(&operation.title) });
        self.statements(family, &operation.id, &operation.statements);
        let id = &operation.id;
        if operation.whitelisted {
            self.add(key(FactKind::Whitelisted, [id]), "yes", operation.key_places.whitelisted, 0);
        }
        for rate in &operation.rates {
            if let Some(of) = rate.of_pool.as_ref().filter(|of| of.when.is_none()) {
                self.add(key(FactKind::Weight, [id, &of.pool]), of.weight.to_string(), rate.place, 0);
            }
        }
        if let Some(place) = operation.window.as_ref().and_then(|window| window.both_or_neither.place()) {
            self.add(key(FactKind::Both, [id]), "", place, 0);
        }
        self.parameters(family, operation);
    }

    /// Adds the claims about parameters that are not facts of their own: digits, units, edits, and the spelling of ids.
    fn parameters(&mut self, family: &'a Family, operation: &'a Operation) {
        let id = &operation.id;
        for wire in operation.wire_parameters(family) {
            let Some(parameter) = wire.parameter() else { continue };
            let name = wire.path();
            let identifier = parameter.shape.single_identifier().and_then(|index| family.identifiers.get(index));
            if let Some(identifier) = identifier {
                self.spelling(family, identifier, &parameter.name.wire);
            }
            let definition = identifier.map_or(parameter.name.place, |identifier| identifier.name.place);
            self.spelled.entry((family.name.clone(), parameter.name.wire.clone())).or_insert(definition);
            if let Some((digits, place)) = parameter.digits {
                self.add(key(FactKind::Digits, [id, &name]), digits.to_string(), place, 0);
            }
            if let Some((min, place)) = &parameter.min {
                self.add(key(FactKind::ParameterMin, [id, &name]), min, *place, 0);
            }
            if let Some(edit) = &parameter.edit {
                let value = edit.deletes_with().map_or("keeps".to_owned(), |delete| format!("keeps, {delete} deletes"));
                self.add(key(FactKind::Edit, [id, &name]), value, edit.place, 0);
            }
            self.unit(key(FactKind::Unit, [id, &name]), &parameter.units, parameter.name.place);
            self.time_unit(key(FactKind::TimeUnit, [id, &name]), &parameter.shape, parameter.name.place);
        }
    }

    fn spelling(&mut self, family: &Family, identifier: &Identifier, name: &str) {
        let (length, alphabet) =
            (key(FactKind::Length, [&family.name, name]), key(FactKind::Alphabet, [&family.name, name]));
        if let Some((min, max)) = identifier.length.filter(|_| !self.has(&length)) {
            self.add(length, format!("{min} to {max}"), identifier.name.place, 0);
        }
        if let Some((text, place)) = identifier.alphabet.as_ref().filter(|_| !self.has(&alphabet)) {
            self.add(alphabet, formats::characters(text).into_iter().collect::<String>(), *place, 0);
        }
    }

    fn record_units(&mut self, id: &str, record: &Record) {
        for field in &record.fields {
            let (name, place) = (&field.name.wire, field.name.place);
            self.unit(key(FactKind::Unit, [id, name]), &field.units, place);
            self.time_unit(key(FactKind::TimeUnit, [id, name]), &field.shape, place);
        }
    }

    fn time_unit(&mut self, key: FactKey, shape: &Shape, place: Place) {
        if let Some(Type::Time(times)) = shape.element() {
            self.add(key, measures::unit_of_times(times), place, 0);
        }
    }

    fn unit(&mut self, key: FactKey, units: &[Unit], place: Place) {
        let set: BTreeSet<&str> = units.iter().map(|unit| unit.is.as_str()).collect();
        self.units.extend(set.iter().map(|unit| wording::canonical(unit)));
        if !set.is_empty() {
            self.add(key, set.into_iter().collect::<Vec<_>>().join(" or "), place, 0);
        }
    }

    /// Returns the key of another rate. The first rate of a class has a key without its window, so that another window
    /// in the document counts as a change of that rate; each further window has a key of its own.
    fn new_rate_key(&self, operation: &str, class: &str, window: &str) -> FactKey {
        let first = key(FactKind::Rate, [operation, class]);
        let is_of_window = |claim: &Claim| claim.value.split([' ', '/']).nth(1) == Some(window);
        let is_further = self.has(&first) && !self.get(&first).iter().any(is_of_window);
        if is_further { key(FactKind::Rate, [operation, class, window]) } else { first }
    }

    /// Returns the key of a rate that a document states.
    pub(super) fn rate_key(&self, operation: &str, class: &str, window: &str) -> FactKey {
        let further = key(FactKind::Rate, [operation, class, window]);
        if self.has(&further) { further } else { key(FactKind::Rate, [operation, class]) }
    }

    fn facts(&mut self, api: &Api, document: &str) {
        for (fact, place) in api.facts() {
            let (about, key, value) = match &fact {
                Fact::Endpoint { operation, method, path } => {
                    (operation, key(FactKind::Endpoint, [operation]), format!("{} {path}", method.as_str()))
                }
                Fact::Rate { operation, calls, every, scope, class } => {
                    let value = format!("{calls}/{} per {}", every.window(), scope.as_str());
                    (operation, self.new_rate_key(operation, class, &every.window()), value)
                }
                Fact::Permission { operation, text } => {
                    (operation, key(FactKind::Permission, [operation]), one_line(text))
                }
                Fact::Header { operation, header } => {
                    (operation, key(FactKind::HeaderOn, [operation, header]), String::new())
                }
                Fact::Window { operation, bound, length } => {
                    (operation, key(FactKind::Window, [operation, bound.as_str()]), length.to_string())
                }
                Fact::Parameter { operation, path, need, json } => {
                    if self.is_ours(operation) {
                        self.add(key(FactKind::Type, [operation, path]), json.as_str(), place, 0);
                    }
                    (operation, key(FactKind::Parameter, [operation, path]), need.as_fact().to_owned())
                }
                Fact::ParameterValue { operation, path, value } => {
                    (operation, key(FactKind::ParameterValue, [operation, path, value]), String::new())
                }
                Fact::ParameterDefault { operation, path, default } => {
                    (operation, key(FactKind::ParameterDefault, [operation, path]), one_line(default))
                }
                Fact::ParameterMax { operation, path, max } => {
                    (operation, key(FactKind::ParameterMax, [operation, path]), max.clone())
                }
                Fact::Deprecated { about, path, says } => {
                    let names: Vec<&str> =
                        [about.as_str(), path.as_str()].into_iter().filter(|name| !name.is_empty()).collect();
                    let names = names.into_iter().map(str::to_owned).collect();
                    (about, FactKey { kind: FactKind::Deprecated, names }, wording::canonical(says))
                }
                Fact::Unsupported { operation, path } => {
                    (operation, key(FactKind::Unsupported, [operation, path]), String::new())
                }
                Fact::OneOf { operation, paths } => {
                    (operation, key(FactKind::OneOf, [operation, &paths.join(",")]), String::new())
                }
                Fact::Wins { operation, path } => (operation, key(FactKind::Wins, [operation]), path.clone()),
                Fact::ResponseShape { operation, shape } => {
                    (operation, key(FactKind::ResponseShape, [operation]), shape.to_string())
                }
                Fact::ResponseField { operation, path, json } => {
                    (operation, key(FactKind::ResponseField, [operation, path]), json.as_str().to_owned())
                }
                Fact::RecordField { record, field, json } => {
                    (record, key(FactKind::RecordField, [record, field]), json.as_str().to_owned())
                }
                Fact::RecordValue { record, field, value } => {
                    (record, key(FactKind::RecordValue, [record, field, value]), String::new())
                }
                Fact::Error { family, code, text } => (family, key(FactKind::Error, [document, code]), one_line(text)),
                Fact::State { family, state } => (family, key(FactKind::State, [family, state]), String::new()),
                Fact::Transition { family, from, trigger, to } => {
                    (family, key(FactKind::Transition, [family, from, trigger, to]), String::new())
                }
                Fact::OpenQuestion { about, .. } => {
                    self.own.not_shown += usize::from(self.is_ours(about));
                    continue;
                }
                Fact::Contradiction { about, .. } => {
                    self.own.contradictions += usize::from(self.is_ours(about));
                    continue;
                }
                Fact::Observed { about, .. } => {
                    self.own.observed += usize::from(self.is_ours(about));
                    continue;
                }
                Fact::RecordCase { record, case, told_by } => {
                    (record, key(FactKind::RecordCase, [record, case]), told_by.join(","))
                }
                // Rules are compared by their places.
                Fact::Rule { .. } => continue,
            };
            if self.is_ours(about) {
                self.add(key, value, place, 1);
            }
        }
    }

    /// Returns whether an operation, a record or a family belongs to the document.
    fn is_ours(&self, id: &str) -> bool {
        self.operations.iter().any(|known| known.operation.id == id)
            || self.records.iter().any(|known| known.id == id)
            || self.families.iter().any(|family| family.name == id)
    }

    fn titles_and_headers(&mut self, api: &Api, document: &str) {
        for known in api.documents.iter().filter(|known| known.id == document) {
            self.add(key(FactKind::Title, [document]), &known.title, known.place, 0);
        }
        for header in &api.headers {
            self.add(key(FactKind::Header, [document, &header.name]), "", header.place, 0);
        }
        if let Some(credentials) = &api.credentials {
            for Carried { name, place, .. } in credentials.headers() {
                self.add(key(FactKind::Credential, [document, name]), "", *place, 0);
            }
            if let Some(timestamp) = credentials.of(SignedPart::Timestamp) {
                let unit = measures::unit_of_timestamps(credentials.timestamp);
                self.add(key(FactKind::TimeUnit, [document, &timestamp.name]), unit, timestamp.place, 0);
            }
        }
        if let Some(envelope) = &api.envelope {
            if let Some(time) = &envelope.time {
                let unit = measures::unit_of_times(Times::Milliseconds);
                self.add(key(FactKind::TimeUnit, [document, time]), unit, envelope.place, 0);
            }
            for name in envelope.members().into_iter().chain(envelope.data.as_ref().and_then(AnswerPath::first)) {
                self.add(key(FactKind::Envelope, [document, name]), "", envelope.place, 0);
            }
        }
    }

    /// Returns the values that a parameter or field may have, by kind of fact, owner and name.
    pub(super) fn values(&self, kind: FactKind, id: &str, name: &str) -> Vec<String> {
        self.last_parts(kind, [id, name])
    }

    /// Returns the known operation with this id.
    pub(super) fn operation_by_id(&self, id: &str) -> Option<&'a Operation> {
        self.operations.iter().find(|known| known.operation.id == id).map(|known| known.operation)
    }
}

/// Returns a text in the form of facts, on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
