//! Lists of values in sections of their own, which the links and types of parameters name.

use std::collections::BTreeMap;

use super::super::document::{Block, Document, Link, Section};
use super::super::findings::{Basis, FactKey, FactKind, Listed, key};
use super::super::text::Span;
use super::super::wording::{is_name, stems};
use super::{Reader, values};

/// A list of values with the heading of its section and the words above it.
pub(super) struct ValueSection {
    /// Where its section starts.
    section: usize,
    name: String,
    list: Listed,
}

impl ValueSection {
    /// Returns whether the list has a name: that of a type, or of a parameter, as in `Time in force (timeInForce)`.
    fn is_called(&self, name: &str) -> bool {
        let (head, inner) = Span::new(&self.name, 0).head_and_note();
        let is_it = |text: &str| text == name || stems(text) == stems(name);
        is_it(head.text.trim_end_matches(':')) || inner.is_some_and(|inner| inner.text == name)
    }
}

/// The only lists of sections that links from other documents lead to, by document and anchor.
pub(in super::super) struct Elsewhere(BTreeMap<(String, String), Vec<String>>);

impl Elsewhere {
    pub(in super::super) fn of(documents: &[Document]) -> Self {
        let links = documents.iter().flat_map(|document| &document.links);
        let linked = links.filter_map(|link| {
            let document = documents.iter().find(|document| document.id == link.page)?;
            let section = document.sections.iter().find(|section| document.has_anchor(section, &link.anchor))?;
            let [only] = <[ValueSection; 1]>::try_from(lists(document, section)).ok()?;
            let values = only.list.values.into_iter().map(|(value, _)| value).collect();
            Some(((link.page.clone(), link.anchor.clone()), values))
        });
        Self(linked.collect())
    }

    /// Returns the only list of the section that a link leads to.
    fn list(&self, link: &Link) -> Option<&[String]> {
        self.0.get(&(link.page.clone(), link.anchor.clone())).map(Vec::as_slice)
    }
}

impl<'a> Reader<'a> {
    /// Copies the values of the list in another document that a link in a row leads to, unless the row has codes of its
    /// own. They stand in the row as far as this document is concerned.
    fn values_elsewhere(&mut self, of: &FactKey, name: Span<'a>, note: Option<Span<'a>>, json: Option<Span<'a>>) {
        if note.is_some_and(|note| !self.document.codes_in(note).is_empty()) {
            return;
        }
        let cells = [note, json, Some(name)].into_iter().flatten();
        let linked = cells.filter_map(|cell| Some((cell, self.elsewhere.list(self.document.link(cell)?)?)));
        let Some((cell, values)) = linked.into_iter().next() else { return };
        let list = Listed { values: values.iter().map(|value| (value.clone(), cell.at)).collect(), of: of.clone() };
        let (id, parameter) = (of.owner().cloned().unwrap_or_default(), of.name().cloned().unwrap_or_default());
        for (value, at) in &list.values {
            self.found.state_with(of.with(value), "", *at, Basis::Stated);
        }
        self.missing_values(of, &self.claims.values(FactKind::ParameterValue, &id, &parameter), &list);
    }

    /// Reads the lists of the sections that the schema declares to have some, and of those below them.
    pub(super) fn value_sections(&mut self) {
        let document = self.document;
        let mut level = None;
        for section in &document.sections {
            level = level.filter(|level| section.level > *level);
            if document.has_values(&section.heading) {
                level = level.or(Some(section.level));
            }
            if level.is_some() {
                self.value_lists.extend(lists(document, section));
            }
        }
    }

    /// Copies the values of the only list that a row names: by a link, by its type, or by the name of a parameter whose
    /// type says that it has a list.
    pub(super) fn values_by_name(
        &mut self,
        id: &str,
        (name, at): (&str, Span<'a>),
        note: Option<Span<'a>>,
        json: Option<Span<'a>>,
    ) {
        let of = key(FactKind::ParameterValue, [id, name]);
        if self.found.statements.iter().any(|statement| statement.key.starts_with(&of)) {
            return;
        }
        let short = name.rsplit('.').next().unwrap_or(name);
        let target = [note, json].into_iter().flatten().find_map(|cell| self.document.target(cell));
        let is_enum = json.is_some_and(|json| self.document.is_enum(json.text));
        let is_named = |list: &&ValueSection| {
            let is_target = target.is_some_and(|target| target.at.start == list.section);
            is_target || json.is_some_and(|json| list.is_called(json.text)) || is_enum && list.is_called(short)
        };
        let mut named: Vec<&ValueSection> = self.value_lists.iter().filter(is_named).collect();
        if named.len() > 1 {
            named.retain(|list| list.is_called(short));
        }
        let [only] = named.as_slice() else { return self.values_elsewhere(&of, at, note, json) };
        let by_type = json.filter(|json| only.is_called(json.text));
        let list = only.list.clone();
        self.values_from(of.clone(), &list, true);
        self.missing_values(&of, &self.claims.values(FactKind::ParameterValue, id, name), &list);
        self.found.read.extend(by_type.map(Span::range));
    }
}

/// Returns the lists of a section: tables whose first column has a value in each row, lists whose items begin with one,
/// and sentences that are lists.
fn lists(document: &Document, section: &Section) -> Vec<ValueSection> {
    let mut found = Vec::new();
    let mut label = document.span(&section.at);
    let mut items: Vec<Span<'_>> = Vec::new();
    let mut add = |label: Span<'_>, values: Option<Vec<Span<'_>>>| {
        let Some(values) = values.filter(|values| values.len() > 1) else { return };
        let of = key(FactKind::NamedValues, [&document.id, label.text]);
        let values = values.into_iter().map(|value| (value.text.to_owned(), value.at)).collect();
        found.push(ValueSection {
            section: section.at.start,
            name: label.text.to_owned(),
            list: Listed { values, of },
        });
    };
    for block in &section.blocks {
        match block {
            Block::Item { text, .. } => items.push(document.span(text).trim()),
            Block::Text(range) => {
                add(label, entries(&std::mem::take(&mut items)));
                let text = document.span(range).trim();
                match values::list(text, &[]) {
                    Some(list) => add(label, Some(list.values.into_iter().map(|(_, at)| at).collect())),
                    None => label = text,
                }
            }
            Block::Table { rows, .. } => {
                let firsts: Vec<Span<'_>> =
                    rows.iter().filter_map(|row| row.first()).map(|cell| document.span(cell)).collect();
                add(label, firsts.iter().all(|cell| is_name(cell.text)).then_some(firsts));
            }
        }
    }
    add(label, entries(&items));
    found
}

/// Returns the values that the items of a list begin with, each alone or before a mark; `None` if an item has none.
fn entries<'a>(items: &[Span<'a>]) -> Option<Vec<Span<'a>>> {
    let value = |item: &Span<'a>| {
        let first = item.words().first().copied().filter(|word| is_name(word.text))?;
        let rest = item.after(first.at + first.text.len()).text.trim_start();
        (rest.is_empty() || rest.starts_with([':', '-', '(', '=', ','])).then_some(first)
    };
    items.iter().map(value).collect()
}
