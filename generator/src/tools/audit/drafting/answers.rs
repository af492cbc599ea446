//! A table of the fields of an answer, in a section of its own below that of the operation.

use std::ops::Range;

use super::Drafting;
use crate::tools::audit::document::{Block, Section};
use crate::tools::draft::{Answer, DraftField, JsonKind};

/// The columns that hold the names, the types and the meanings of fields.
const NAMES: [&str; 4] = ["field", "name", "parameter", "key"];
const TYPES: [&str; 2] = ["type", "data type"];

/// A section below an operation that describes its answer.
pub(super) struct Table<'a> {
    pub(super) section: &'a Section,
    head: &'a [Range<usize>],
    rows: &'a [Vec<Range<usize>>],
}

impl<'a> Drafting<'a> {
    /// The sections within this one.
    pub(super) fn within(&self) -> impl Iterator<Item = &'a Section> {
        let own = self.section;
        let after = self.document.sections.iter().filter(|section| section.at.start > own.at.start);
        after.take_while(|section| section.level > own.level)
    }

    /// The table of the answer: the first one under a heading that says so.
    pub(super) fn answer_table(&self) -> Option<Table<'a>> {
        let says_answer = |section: &&Section| {
            let heading = section.heading.to_lowercase();
            ["response", "answer", "returns"].iter().any(|word| heading.contains(word)) && !heading.contains("error")
        };
        self.within().filter(says_answer).find_map(|section| {
            section.blocks.iter().find_map(|block| match block {
                Block::Table { head, rows } => {
                    let table = Table { section, head, rows };
                    self.column(&table, &NAMES).map(|_| table)
                }
                Block::Text(_) | Block::Item { .. } => None,
            })
        })
    }

    fn column(&self, table: &Table<'_>, titles: &[&str]) -> Option<usize> {
        let is_title =
            |head: &Range<usize>| titles.contains(&self.document.span(head).trim().text.to_lowercase().as_str());
        table.head.iter().position(is_title)
    }

    /// The answer that a table describes. Names with dots are those of objects within, and with `[]` of lists.
    pub(super) fn answer_of(&self, table: &Table<'_>) -> Answer {
        let (Some(names), types) = (self.column(table, &NAMES), self.column(table, &TYPES)) else {
            return Answer::default();
        };
        let mut fields: Vec<DraftField> = Vec::new();
        for row in table.rows {
            let text = |column: usize| row.get(column).map(|cell| self.document.span(cell).trim().text);
            let Some(name) = text(names).filter(|name| !name.is_empty()) else { continue };
            let (kind, item) = kinds(types.and_then(text).unwrap_or_default());
            let remark = row.first().zip(row.last()).map(|(first, last)| self.quoted(first.start..last.end));
            let field = DraftField { kind, item, remarks: remark.into_iter().collect(), ..DraftField::default() };
            put(&mut fields, name, field);
        }
        let line = self.document.line(table.section.at.start);
        let remark = format!("line {line}: the section {}", table.section.heading);
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

/// The type that a cell states, and that of the items of a list.
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
