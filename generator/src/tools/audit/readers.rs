//! Readers, one for each kind of statement. They know the grammar of such documents but no fact about an API; names
//! come from the document, or from the schema that it is compared with.

mod access;
mod bounds;
mod columns;
mod conventions;
pub(super) mod endpoint;
mod examples;
mod limits;
mod needs;
mod note;
mod parameters;
mod records;
mod response;
mod states;
mod value_lists;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use super::claims::Claims;
use super::document::{Document, Section};
use super::findings::{FactKind, Findings, Listed, key};
use super::operations::{Drafted, Names};
use super::text::Span;
pub(super) use columns::{Columns, is_about_requests, need_of_cell, type_of_word};
pub(super) use response::{column_of_fields, is_about_answers, next_parameter};
pub(super) use value_lists::Elsewhere;
use value_lists::ValueSection;

/// The state that all readers share.
pub(super) struct Reader<'a> {
    document: &'a Document,
    claims: &'a Claims<'a>,
    names: Names,
    found: Findings,
    /// The names in the list of parameters that is being read, which are not values.
    siblings: Vec<String>,
    /// Lists that the document names, such as `category values`.
    named_lists: BTreeMap<String, Listed>,
    /// Lists in sections of their own, and in other documents.
    value_lists: Vec<ValueSection>,
    elsewhere: &'a Elsewhere,
    had_name: &'a HadName<'a>,
}

/// Returns whether the words around a name were the same at the review, with this name in its place.
pub(super) type HadName<'a> = dyn Fn(Span<'_>, &str) -> bool + 'a;

/// Reads a document.
pub(super) fn read<'a>(
    document: &'a Document,
    claims: &'a Claims<'a>,
    drafted: &[Drafted<'_>],
    elsewhere: &'a Elsewhere,
    had_name: &'a HadName<'a>,
) -> Findings {
    let mut ids: BTreeMap<usize, &str> = BTreeMap::new();
    for known in &claims.operations {
        if let Some(section) = document.section(known.heading) {
            ids.entry(section.at.start).or_insert(&known.operation.id);
        }
    }
    ids.extend(drafted.iter().map(|drafted| (drafted.section.at.start, drafted.id.as_str())));
    let meaning = |section: &Section| match ids.get(&section.at.start) {
        Some(id) => Some(Meaning::Known((*id).to_owned())),
        None => is_new(document, claims, section).then_some(Meaning::New),
    };
    let sections: Vec<(&Section, Option<Meaning>)> =
        document.sections.iter().map(|section| (section, meaning(section))).collect();
    let new_headings = sections.iter().filter(|(_, meaning)| matches!(meaning, Some(Meaning::New)));
    let new_headings: Vec<&str> = new_headings.map(|(section, _)| section.heading.as_str()).collect();
    let names = Names::of(claims, document, &new_headings, drafted);
    let found = Findings::default();
    let (siblings, named_lists, value_lists) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut reader = Reader { document, claims, names, found, siblings, named_lists, value_lists, elsewhere, had_name };
    reader.title();
    reader.value_sections();
    for (section, meaning) in &sections {
        match meaning {
            Some(Meaning::Known(id)) => reader.operation(section, id),
            Some(Meaning::New) => reader.new_operation(section),
            None => reader.general(section),
        }
    }
    let described: BTreeSet<&String> = sections
        .iter()
        .filter_map(|(_, meaning)| match meaning {
            Some(Meaning::Known(id)) => Some(id),
            _ => None,
        })
        .collect();
    reader.missing_operations(&described);
    reader.complete_errors();
    reader.found
}

/// The subject of a section with an endpoint.
enum Meaning {
    /// The operation with this id.
    Known(String),
    /// An operation that the schema does not have.
    New,
}

/// Returns whether a section describes an operation that the schema does not have.
fn is_new(document: &Document, claims: &Claims<'_>, section: &Section) -> bool {
    // A guide may show a call of what another section describes, and a section may stand there twice.
    let is_described = |address: &str| {
        let mut known = claims.operations.iter().map(|known| known.operation);
        known.any(|known| format!("{} {}", known.method.as_str(), known.path.text) == address)
    };
    let address =
        endpoint::find(document, section).map(|(method, path)| format!("{} {}", method.text, endpoint::template(path)));
    address.is_some_and(|address| !is_described(&address))
}

impl<'a> Reader<'a> {
    fn title(&mut self) {
        let Some(section) = self.document.title() else { return };
        self.found.state(
            key(FactKind::Title, [&self.document.id]),
            section.heading.clone(),
            self.document.span(&section.at),
        );
    }

    /// Reads a section that describes an operation.
    fn operation(&mut self, section: &'a Section, id: &str) {
        self.endpoint(section, id);
        for text in section.texts(self.document) {
            self.rates(text, id);
            self.weight(text, id);
            self.whitelisted(text, id);
            self.deprecated(text, id);
            self.windows_outside_parameters(text, id);
            self.headers_of_operation(text, id);
        }
        self.parameters(section, id);
        let mut above: Option<Span<'a>> = None;
        for text in section.texts(self.document) {
            self.batch_maximum(text, id);
            self.unsupported(text, id);
            self.response(text, id);
            let label = above.and_then(|above| Some(above.sentences().last()?.label()?.0));
            self.example(text, id, label.is_some_and(|label| self.document.is_about_answers(label)));
            above = Some(text);
        }
        self.response_table(section, id);
        self.response_as_sample(section, id);
        // Forms of names are no part of a draft.
        if self.claims.operation_by_id(id).is_some() {
            self.forms(self.document.span(&section.body));
        }
    }

    fn new_operation(&mut self, section: &'a Section) {
        if let Some((method, path)) = endpoint::find(self.document, section) {
            let value = format!("{} {}", method.text, endpoint::template(path));
            self.found.state(key(FactKind::Endpoint, [&section.heading]), value, path);
        }
        self.found.new_sections.push(section.at.start..section.body.end);
        self.found.read.push(section.body.clone());
    }

    /// Reads a section that is not about a single operation.
    fn general(&mut self, section: &'a Section) {
        let before = self.found.missing.len();
        for text in section.texts(self.document) {
            self.permission_in_prose(text);
        }
        for table in section.tables(self.document) {
            let has = |word: &str| table.column(word).is_some();
            if self.parameters_of_several(&table) {
                continue;
            }
            if table.column("field") == Some(0) {
                self.record_table(section, &table);
            } else if has("state") && has("trigger") {
                self.transitions(&table);
            } else if let Some(listed) = conventions::errors_in(&table) {
                self.errors(&table, listed);
            } else if has("permission") {
                self.permissions(&table);
            } else if has("header") {
                self.header_table(&table);
            } else if has("limit") || has("rate") {
                self.limits(&table);
            } else if has("rule") {
                self.conventions(&table);
            }
        }
        self.complete(section, before);
        self.record_texts(section);
        self.cases(section);
        for text in section.texts(self.document) {
            self.states(text);
            self.headers_elsewhere(text);
        }
        self.forms(self.document.span(&section.body));
    }

    /// Drops what one table of a section lacks and another one has: a list may be parted into several tables.
    fn complete(&mut self, section: &Section, before: usize) {
        let of_section = section.body.clone();
        let missing = self.found.missing.split_off(before);
        for (key, at) in missing {
            let is_value = matches!(key.kind, FactKind::RecordValue | FactKind::ParameterValue);
            let is_listed = self.found.about(&key).any(|stated| of_section.contains(&stated.at));
            let is_known = self.found.missing[before..].iter().any(|(known, _)| *known == key);
            if is_value || !is_listed && !is_known {
                self.found.missing.push((key, at));
            }
        }
    }

    /// Finds operations that no section describes any more.
    fn missing_operations(&mut self, described: &BTreeSet<&String>) {
        let end = self.document.sections.last().map_or(0, |section| section.at.start);
        for known in &self.claims.operations {
            let id = &known.operation.id;
            if !described.contains(id) {
                self.found.missing.push((key(FactKind::Endpoint, [id]), end));
            }
        }
    }
}

/// Returns two cells of each row of a table.
fn pairs<'a>(rows: &[Vec<Span<'a>>]) -> Vec<(Span<'a>, Span<'a>)> {
    rows.iter().filter_map(|row| Some((*row.first()?, *row.get(1)?))).collect()
}
