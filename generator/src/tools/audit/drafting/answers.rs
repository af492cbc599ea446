//! Answers of drafted operations: from a sentence about their shape, or from a table of their fields below a label that
//! says so.

use super::Drafting;
use crate::tools::audit::document::{Block, Table as Cells, label_of};
use crate::tools::audit::findings::FactKind;
use crate::tools::audit::readers::{self, column_of_fields};
use crate::tools::audit::text::Span;
use crate::tools::audit::wording::{likeness, stems};
use crate::tools::draft::recording::Sample;
use crate::tools::draft::{Answer, Data, DraftField, JsonKind};

/// The minimum similarity of a phrase to a record.
const ALIKE: usize = 400;

/// The table of an answer, with its label.
pub(super) struct Table<'a> {
    label: Span<'a>,
    cells: Cells<'a>,
}

impl Table<'_> {
    /// Returns the places of its label and its rows.
    pub(super) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let rows = self.cells.rows.iter().filter_map(|row| Some(row.first()?.at..row.last()?.range().end));
        std::iter::once(self.label.range()).chain(rows)
    }
}

impl<'a> Drafting<'a> {
    /// Returns the answer that a sentence or a table of the section describes.
    pub(super) fn response(&self) -> Answer {
        let Some(shape) = self.value(FactKind::ResponseShape, &[]) else {
            let of_table = self.answer_table().map(|table| self.answer_of(&table));
            return of_table.or_else(|| self.answer_sample()).unwrap_or_default();
        };
        let mut remarks: Vec<String> = self.sentence_of(FactKind::ResponseShape).into_iter().collect();
        let phrases = self.found.answers.iter().filter(|(id, _)| id == self.id).map(|(_, phrase)| phrase);
        let mut records: Vec<String> = phrases.flat_map(|phrase| self.records(phrase)).collect();
        let names = self.names_below(FactKind::ResponseField, &[]);
        if let Some(cursor) = shape.strip_prefix("list+") {
            let next = readers::next_parameter(self.found, self.claims, self.id, cursor);
            if records.is_empty() {
                records = self.records(&self.section.heading);
                remarks.push("The record is a guess from the names of the sections.".to_owned());
            }
            let list = names.iter().find(|name| *name != cursor).cloned().unwrap_or_default();
            let data = Data { records, remarks, ..Data::default() };
            return Answer::Page { list, cursor: cursor.to_owned(), next, data };
        }
        let prefix = if shape == "array" { "[]." } else { "" };
        let field = |path: &String| DraftField {
            name: path.strip_prefix(prefix).unwrap_or(path).to_owned(),
            kind: match self.value(FactKind::ResponseField, &[path]) {
                Some("string") => JsonKind::Text,
                Some("boolean") => JsonKind::Boolean,
                Some("number") => JsonKind::Number,
                Some("array") => JsonKind::List,
                _ => JsonKind::Unknown,
            },
            ..DraftField::default()
        };
        let data = Data { fields: names.iter().map(field).collect(), records, remarks, ..Data::default() };
        if shape == "array" { Answer::Array(data) } else { Answer::Object(data) }
    }

    /// Returns the records that a phrase such as `order list items` may refer to, the most similar first. Among equally
    /// similar ones, those with a name similar to the operation's come first.
    fn records(&self, phrase: &str) -> Vec<String> {
        let filler = ["array", "list", "record", "object", "items", "item"];
        let words: Vec<String> = stems(phrase).into_iter().filter(|word| !filler.contains(&word.as_str())).collect();
        let title = stems(&self.section.heading);
        let own = self.claims.records.iter().filter(|known| known.family.name == self.family.name);
        let scored = own.map(|known| {
            let names = [stems(&known.record.name.wire), stems(known.section)];
            let alike = names.iter().map(|names| likeness(names, &words)).max().unwrap_or(0);
            (alike, likeness(&names[0], &title), known.record.name.wire.clone())
        });
        let mut scored: Vec<_> = scored.filter(|(alike, ..)| *alike >= ALIKE).collect();
        scored.sort_by_key(|(alike, titled, _)| std::cmp::Reverse((*alike, *titled)));
        scored.into_iter().map(|(.., name)| name).collect()
    }

    /// Returns the table of the answer: the first one under a label that says so.
    pub(super) fn answer_table(&self) -> Option<Table<'a>> {
        let tables = self.section.labelled_tables(self.document).into_iter();
        tables
            .filter_map(|(label, cells)| {
                Some(Table { label: label.filter(|label| self.document.is_about_answers(*label))?, cells })
            })
            .find(|table| column_of_fields(self.document, &table.cells, true).is_some())
    }

    /// Returns the answer that a sample in JSON shows below a label that says so. Its comments stand at the fields.
    fn answer_sample(&self) -> Option<Answer> {
        let mut label = None;
        for block in &self.section.blocks {
            let Block::Text(range) = block else { continue };
            let sample = Sample::parse(self.document.source_of(range));
            match (sample, label) {
                (None, _) => label = label_of(self.document.span(range).trim()).or(label),
                (Some(sample), Some(above)) if self.document.is_about_answers(above) => {
                    let line = self.document.line(range.start);
                    return Some(
                        sample.answer(self.envelope, &format!("From the sample in line {line}; there may be more.")),
                    );
                }
                (Some(_), _) => {}
            }
        }
        None
    }

    /// Returns the answer that a table describes. Names with dots are those of objects within, and with `[]` of lists.
    fn answer_of(&self, table: &Table<'_>) -> Answer {
        let cells = &table.cells;
        let Some(names) = column_of_fields(self.document, cells, true) else { return Answer::default() };
        let types = self.document.declared_column(|reading| &reading.types, cells).or_else(|| cells.column("type"));
        let mut fields: Vec<DraftField> = Vec::new();
        for row in &cells.rows {
            let text = |column: usize| row.get(column).map(|cell| cell.trim().text);
            let Some(name) = text(names).filter(|name| !name.is_empty()) else { continue };
            let (kind, item) = self.kinds(types.and_then(text).unwrap_or_default());
            let remark = row.first().zip(row.last()).map(|(first, last)| self.quoted(first.at..last.range().end));
            let field = DraftField { kind, item, remarks: remark.into_iter().collect(), ..DraftField::default() };
            put(&mut fields, name, field);
        }
        let remark = format!("line {}: {}", self.document.line(table.label.at), table.label.text);
        match fields.as_mut_slice() {
            [list] if list.name.is_empty() => {
                let mut data = std::mem::take(list).into_data();
                data.remarks.push(remark);
                Answer::Array(data)
            }
            _ => {
                let mut data = DraftField { fields, ..DraftField::default() }.into_data();
                data.remarks.push(remark);
                Answer::Object(data)
            }
        }
    }
}

impl Drafting<'_> {
    /// Returns the type that a cell states, and that of the items of a list.
    fn kinds(&self, cell: &str) -> (JsonKind, JsonKind) {
        match (kinds(cell), self.document.type_of(cell)) {
            ((JsonKind::Unknown, _), Some("number")) => (JsonKind::Number, JsonKind::Unknown),
            ((JsonKind::Unknown, _), Some("string")) if !self.document.is_enum(cell) => {
                (JsonKind::Text, JsonKind::Unknown)
            }
            (known, _) => known,
        }
    }
}

/// Adds a field under its name, within the objects and lists that the name begins with.
fn put(fields: &mut Vec<DraftField>, name: &str, field: DraftField) {
    let (first, rest) = match name.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (name, None),
    };
    let (bare, is_list) = first.strip_suffix("[]").map_or((first, false), |bare| (bare, true));
    let at = fields.iter().position(|known| known.name == bare).unwrap_or_else(|| {
        fields.push(DraftField { name: bare.to_owned(), ..DraftField::default() });
        fields.len() - 1
    });
    let Some(known) = fields.get_mut(at) else { return };
    match rest {
        Some(rest) => {
            let is_list = is_list || known.kind == JsonKind::List;
            (known.kind, known.item) =
                if is_list { (JsonKind::List, JsonKind::Object) } else { (JsonKind::Object, JsonKind::Unknown) };
            put(&mut known.fields, rest, field);
        }
        None if is_list => {
            *known = DraftField { name: bare.to_owned(), kind: JsonKind::List, item: field.kind, ..field }
        }
        None => *known = DraftField { name: bare.to_owned(), ..field },
    }
}

/// Returns the type that a cell states, and that of the items of a list.
fn kinds(cell: &str) -> (JsonKind, JsonKind) {
    let cell = cell.to_lowercase();
    let single = |word: &str| match word {
        "string" | "strings" | "text" => JsonKind::Text,
        "number" | "numbers" | "decimal" | "float" | "double" => JsonKind::Number,
        "integer" | "integers" | "int" | "long" | "int64" => JsonKind::Signed,
        "boolean" | "booleans" | "bool" => JsonKind::Boolean,
        _ => JsonKind::Unknown,
    };
    let words: Vec<&str> = cell.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["array" | "list", rest @ ..] => (JsonKind::List, rest.last().map_or(JsonKind::Unknown, |word| single(word))),
        [word] => (single(word), JsonKind::Unknown),
        _ => (JsonKind::Unknown, JsonKind::Unknown),
    }
}
