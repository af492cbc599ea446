//! `Response data: orderId (string), clientOid (string)`.

use super::super::claims::Claims;
use super::super::document::{Document, Section, Table};
use super::super::findings::{Basis, FactKey, FactKind, Findings, key};
use super::super::text::Span;
use super::super::wording::{have_same_stem, is_name, likeness, stems};
use super::Reader;
use super::columns::Columns;
use super::parameters::paired;
use crate::compiler::model::Response;

impl<'a> Reader<'a> {
    pub(super) fn response(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            // The sentence before it may lack a full stop.
            let Some(start) = sentence.text.find("Response data:") else { continue };
            let sentence = sentence.after(sentence.at + start);
            if let Some((label, data)) = sentence.label() {
                self.found.read(label);
                // If a table follows, the data is read there.
                if !data.is_empty() {
                    self.data(data, id);
                }
            }
        }
    }

    /// Reads the fields of an answer in a table of their own: the first with a label that says so, or one of fields.
    pub(super) fn response_table(&mut self, section: &'a Section, id: &str) {
        let tables = section.labelled_tables(self.document);
        let is_labelled = |(label, _): &&(Option<Span<'_>>, Table<'_>)| {
            label.is_some_and(|label| self.document.is_about_answers(label))
        };
        let labelled = tables.iter().find(is_labelled).map(|(_, table)| table);
        let is_of_fields =
            |(label, table): &&(Option<Span<'a>>, Table<'a>)| Columns::labelled(self.document, table, *label).is_none();
        let of_fields = || tables.iter().find(is_of_fields).map(|(_, table)| table);
        let Some(table) = labelled.or_else(of_fields) else { return };
        let Some(column) = column_of_fields(self.document, table, labelled.is_some()) else { return };
        let (shape, prefix) = match self.claims.operation_by_id(id).map(|operation| &operation.response) {
            Some(Response::Object { .. }) => ("object", ""),
            Some(Response::Array { .. }) => ("array", "[]."),
            Some(Response::Page { .. } | Response::Undefined) | None => return,
        };
        let Some(head) = table.head.get(column) else { return };
        let cells = table.rows.iter().filter_map(|row| row.get(column));
        let fields: Vec<Span<'a>> = cells.flat_map(|names| names.split(&[","])).collect();
        // The members of an object or of the items of a list belong to records of their own.
        let (within, fields): (Vec<_>, Vec<_>) = fields.into_iter().partition(|name| name.text.contains(['.', '[']));
        within.into_iter().for_each(|name| self.found.read(name));
        self.found.state(key(FactKind::ResponseShape, [id]), shape, *head);
        self.response_fields(id, prefix, &fields, *head);
    }

    /// Notes an answer that the section shows as a sample only, in JSON: which shape it has, no reader knows.
    pub(super) fn response_as_sample(&mut self, section: &'a Section, id: &str) {
        let of = key(FactKind::ResponseShape, [id]);
        let is_sample = |text: &Span<'a>| {
            text.text.starts_with(['{', '[']) && text.text.ends_with(['}', ']']) && text.text.contains('"')
        };
        if self.found.about(&of).next().is_none()
            && self.claims.has(&of)
            && let Some(sample) = section.texts(self.document).find(is_sample)
        {
            self.found.state_with(of, "", sample.at, Basis::Unread);
        }
    }

    fn data(&mut self, data: Span<'a>, id: &str) {
        // What may be absent has the same shape; the words wait for review.
        let end = [", or null", " or null", ", null"].iter().find_map(|end| data.text.strip_suffix(end));
        let data = data.before(data.at + end.unwrap_or(data.text).len());
        let words = data.texts();
        let is_items = matches!(words.as_slice(), ["array" | "list", "of", ..]);
        let response = self.claims.operation_by_id(id).map(|operation| &operation.response);
        if is_items && data.split(&[","]).len() == 1
            || matches!(words.as_slice(), ["array" | "list", "of", "items", ..])
        {
            self.found.state(key(FactKind::ResponseShape, [id]), "array", data);
            match data.words().iter().find(|word| word.text == "items") {
                Some(items) if words.get(2) == Some(&"items") => {
                    let names = data.after(items.at + items.text.len());
                    let names = names.split(&[","]).into_iter().map(|name| after_filler(name)).collect::<Vec<_>>();
                    self.response_fields(id, "[].", &names, data);
                }
                _ => self.response_record(id, "[].", data),
            }
            return;
        }
        let parts = data.split(&[","]);
        let first = if is_items { words.first().copied().unwrap_or_default() } else { "" };
        let names: Vec<Span<'a>> = parts.iter().map(|part| part.head_and_note().0).collect();
        let is_list = names.iter().all(|name| name.single().is_some_and(|name| is_name(name.text)));
        let is_new = response.is_none() && self.is_read(id);
        let is_page = parts.len() == 2
            && (matches!(response, Some(Response::Page { .. }))
                || is_new && next_parameter(&self.found, self.claims, id, names[1].text).is_some());
        if is_page && (is_list || !first.is_empty()) {
            let list = data.words().first().copied().unwrap_or(data);
            let cursor = names[1];
            self.found.state(key(FactKind::ResponseShape, [id]), format!("list+{}", cursor.text), cursor);
            if is_new {
                self.new_page(id, list, parts[0]);
            }
            self.page_fields(id, list, cursor);
            self.found.read(data);
        } else if is_list {
            self.found.state(key(FactKind::ResponseShape, [id]), "object", data);
            self.response_fields(id, "", &parts, data);
        } else {
            self.found.state(key(FactKind::ResponseShape, [id]), "object", data);
            self.response_record(id, "", data);
        }
    }

    /// Returns whether an operation uses GET.
    pub(super) fn is_read(&self, id: &str) -> bool {
        self.found.about(&key(FactKind::Endpoint, [id])).any(|statement| statement.value.starts_with("GET "))
    }

    /// Reads the page of an operation that the schema does not have.
    fn new_page(&mut self, id: &str, list: Span<'a>, part: Span<'a>) {
        self.found.state(key(FactKind::ResponseField, [id, list.text]), "array", list);
        let words = part.head_and_note().1.unwrap_or(part);
        self.found.answers.push((id.to_owned(), words.text.to_owned()));
    }

    /// Reads the list of a page and its fields. A renamed cursor is already reported with the shape.
    fn page_fields(&mut self, id: &str, list: Span<'a>, cursor: Span<'a>) {
        let Some(Response::Page { list: known_list, cursor: known_cursor, .. }) =
            self.claims.operation_by_id(id).map(|operation| &operation.response)
        else {
            return;
        };
        let list_key = key(FactKind::ResponseField, [id, &known_list.wire]);
        if list.text != known_list.wire {
            self.found.renamed.push((list_key.clone(), list.text.to_owned(), list.at));
        }
        self.found.state(list_key, "array", list);
        self.found.state(key(FactKind::ResponseField, [id, &known_cursor.wire]), "string", cursor);
    }

    fn response_fields(&mut self, id: &str, prefix: &str, fields: &[Span<'a>], list: Span<'a>) {
        let mut listed = Vec::new();
        let heads: Vec<Span<'a>> = fields.iter().map(|field| field.head_and_note().0).collect();
        let known = self.claims.last_parts(FactKind::ResponseField, [id]);
        let (names, renamed) = paired(self.had_name, &known, &heads, prefix);
        for (old, at) in renamed {
            self.found.renamed.push((key(FactKind::ResponseField, [id, &old]), at.text.to_owned(), at.at));
        }
        for (field, (full_name, name)) in fields.iter().zip(names) {
            let (_, note) = field.head_and_note();
            let field_key = key(FactKind::ResponseField, [id, &full_name]);
            let stated = note.and_then(stated_type);
            let own = self.claims.get(&field_key).first().map(|claim| claim.value.clone());
            self.found.state(field_key.clone(), stated.map(str::to_owned).or(own).unwrap_or_default(), name);
            self.field_of_record(id, full_name.trim_start_matches("[]."), &field_key, name);
            listed.push(field_key);
        }
        self.missing_response_fields(id, &listed, list.at);
    }

    /// States the field also the field for a record that only the answer of this operation describes.
    fn field_of_record(&mut self, id: &str, field: &str, of: &FactKey, at: Span<'a>) {
        let Some(operation) = self.claims.operation_by_id(id) else { return };
        let (Response::Object { record } | Response::Array { record, .. }) = &operation.response else { return };
        let family = self.claims.operations.iter().find(|known| known.operation.id == id).map(|known| known.family);
        let Some((family, record)) = family.and_then(|family| Some((family, family.records.get(*record)?))) else {
            return;
        };
        let record_key = key(FactKind::RecordField, [&format!("{}.{}", family.name, record.name.wire), field]);
        if let Some(value) = self.claims.get(&record_key).first().map(|claim| claim.value.clone()) {
            self.found.state_with(record_key, value, at.at, Basis::By(of.clone()));
        }
    }

    fn missing_response_fields(&mut self, id: &str, listed: &[FactKey], at: usize) {
        // A field that a contradiction in the schema accounts for is not expected in the list.
        let settled = self.claims.operation_by_id(id).is_some_and(|operation| {
            operation.statements.contradictions.iter().any(|contradiction| {
                contradiction.readings.iter().any(|reading| {
                    let names = listed.iter().filter_map(|key| key.last()?.rsplit('.').next());
                    names.count() > 1
                        && listed
                            .iter()
                            .filter_map(|key| key.last()?.rsplit('.').next())
                            .all(|name| reading.contains(name))
                })
            })
        });
        for field in self.claims.below(FactKind::ResponseField, [id]).cloned().collect::<Vec<_>>() {
            if !listed.contains(&field) && !settled {
                self.found.missing.push((field, at));
            }
        }
    }

    /// Reads `the order record` and `array of fill items`, whose fields are in another section.
    fn response_record(&mut self, id: &str, prefix: &str, data: Span<'a>) {
        let words: Vec<String> = stems(data.text)
            .into_iter()
            .filter(|word| !["array", "list", "record", "object", "items"].contains(&word.as_str()))
            .collect();
        let record = match self.claims.operation_by_id(id).map(|operation| &operation.response) {
            Some(Response::Object { record } | Response::Array { record, .. }) => *record,
            Some(Response::Page { .. } | Response::Undefined) => return,
            None => {
                self.found.answers.push((id.to_owned(), data.text.to_owned()));
                self.found.read(data);
                return;
            }
        };
        let known = self.claims.records.iter().find(|known| {
            id.starts_with(&format!("{}.", known.family.name))
                && known.family.records.get(record).is_some_and(|record| record.name == known.record.name)
        });
        let Some(known) = known else { return };
        let names = [stems(&known.record.name.wire), stems(known.section)];
        if names.iter().all(|names| likeness(names, &words) < 400) {
            self.found.state(key(FactKind::ResponseShape, [id]), data.text, data);
            return;
        }
        for field in &known.record.fields {
            let of = key(FactKind::RecordField, [&known.id, &field.name.wire]);
            let field_key = key(FactKind::ResponseField, [id, &format!("{prefix}{}", field.name.wire)]);
            let value = self.claims.get(&field_key).first().map(|claim| claim.value.clone()).unwrap_or_default();
            self.found.state_with(field_key, value, data.at, Basis::By(of));
        }
    }
}

/// Returns whether a label announces an answer rather than a request: `Response parameters`, `What is returned:`.
pub(in super::super) fn is_about_answers(label: Span<'_>) -> bool {
    let texts = label.texts();
    let says =
        |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| have_same_stem(&text.to_lowercase(), word)));
    says(&["response", "answer", "returns", "returned", "result"]) && !says(&["error", "request"])
}

/// Returns the column of names in a table of an answer. Below a label that announces an answer, it may have other
/// titles.
pub(in super::super) fn column_of_fields(document: &Document, table: &Table<'_>, is_labelled: bool) -> Option<usize> {
    let titles: &[&str] = if is_labelled { &["field", "name", "parameter", "key"] } else { &["field"] };
    let declared = document.declared_column(|reading| &reading.names, table).filter(|_| is_labelled);
    declared.or_else(|| titles.iter().find_map(|title| table.column(title)))
}

/// Returns the parameter that takes the cursor of an answer: it has the name of the cursor, or the name that it has for
/// other pages with such a cursor, or a note says so.
pub(in super::super) fn next_parameter(
    found: &Findings,
    claims: &Claims<'_>,
    id: &str,
    cursor: &str,
) -> Option<String> {
    let of = key(FactKind::Parameter, [id]);
    let own = found.statements.iter().filter(|statement| statement.key.starts_with(&of));
    let own: Vec<&String> = own.filter_map(|statement| statement.key.name()).collect();
    let of_pages = claims.operations.iter().find_map(|known| match &known.operation.response {
        Response::Page { cursor: known, next, .. } if known.wire == cursor => Some(next.text.as_str()),
        _ => None,
    });
    let noted = found.nexts.iter().find(|(owner, _)| owner == id).map(|(_, name)| name.as_str());
    let is_own = |name: &&str| own.iter().any(|own| own == name);
    [Some(cursor), of_pages, noted].into_iter().flatten().find(is_own).map(str::to_owned)
}

fn stated_type(note: Span<'_>) -> Option<&'static str> {
    note.texts().first().and_then(|word| match *word {
        "string" => Some("string"),
        "boolean" => Some("boolean"),
        "number" | "integer" => Some("number"),
        "array" | "items" | "item" => Some("array"),
        _ => None,
    })
}

/// Returns a name without a leading `each` or `with`.
fn after_filler<'a>(name: Span<'a>) -> Span<'a> {
    match name.words().as_slice() {
        [first, second, ..] if ["each", "with"].contains(&first.text) => name.after(second.at),
        _ => name,
    }
}
