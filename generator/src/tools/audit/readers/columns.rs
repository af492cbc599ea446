//! The columns of tables of parameters.

use super::super::document::Table;
use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::{Reader, needs};

/// The roles of the columns in a table of parameters.
pub(in super::super) struct Columns {
    name: usize,
    need: Option<usize>,
    note: Option<usize>,
    json: Option<usize>,
}

impl Columns {
    /// The columns of a table if it lists parameters: its head says so, or it has a column of names and one of needs.
    pub(in super::super) fn of(table: &Table<'_>) -> Option<Self> {
        let column = |words: &[&str]| words.iter().find_map(|word| table.column(word));
        // A column of needs is recognized by its cells, whatever its title.
        let says_need = |at: &usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(*at));
            cells.clone().next().is_some() && cells.into_iter().all(|cell| need_of_cell(cell.text).is_some())
        };
        let titled = column(&["required", "need"]);
        let is_titled =
            |at: &usize| table.rows.iter().filter_map(|row| row.get(*at)).any(|cell| need_of_cell(cell.text).is_some());
        let parameter = column(&["parameter"]);
        let by_cells = || parameter.and_then(|_| (0..table.head.len()).find(says_need));
        let need = titled.filter(is_titled).or_else(by_cells).or(titled);
        let name = parameter.or_else(|| need.and_then(|_| column(&["name", "field", "argument", "key"])))?;
        let json = column(&["type"]);
        let taken = [Some(name), need, json];
        let rest = || (0..table.head.len()).find(|at| !taken.contains(&Some(*at)));
        let titled = column(&["rule", "description", "note", "meaning", "comment", "remark"]);
        let note = titled.filter(|note| !taken.contains(&Some(*note))).or_else(rest);
        Some(Self { name, need, note, json })
    }

    /// The column of needs.
    pub(in super::super) fn need(&self) -> Option<usize> {
        self.need
    }

    /// The cells for each parameter.
    pub(super) fn cells<'a>(&self, rows: &[Vec<Span<'a>>]) -> impl Iterator<Item = Cells<'a>> {
        let cells = |(at, row): (usize, &Vec<Span<'a>>)| {
            let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).copied();
            let names = cell(Some(self.name)).map(|names| names.split(&[","])).unwrap_or_default();
            let (need, note) = (cell(self.need).and_then(|need| need_of_cell(need.text)), cell(self.note));
            names
                .into_iter()
                .map(|name| Cells { name: name.without_footnote(), need, note, json: cell(self.json), row: at })
                .collect::<Vec<_>>()
        };
        rows.iter().enumerate().flat_map(cells).collect::<Vec<_>>().into_iter()
    }
}

/// The cells of a row for one parameter.
pub(super) struct Cells<'a> {
    pub(super) name: Span<'a>,
    pub(super) need: Option<&'static str>,
    pub(super) note: Option<Span<'a>>,
    json: Option<Span<'a>>,
    /// The index of the row, which several parameters may share.
    pub(super) row: usize,
}

/// The need that a cell states.
pub(in super::super) fn need_of_cell(text: &str) -> Option<&'static str> {
    let words = needs::plain(&Span::new(text, 0).words());
    let word = if let [word] = words.as_slice() { word.text } else { text };
    Some(match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "true" | "required" | "✓" | "✔" | "√" => "yes",
        "no" | "n" | "false" | "optional" | "✗" | "✘" | "×" => "no",
        "conditional" | "conditionally" => "conditional",
        _ => return None,
    })
}

/// The type that a word names, in the form of facts.
pub(super) fn type_of_word(text: &str) -> Option<&'static str> {
    Some(match text.to_ascii_lowercase().as_str() {
        "string" | "strings" => "string",
        "number" | "numbers" | "integer" | "integers" | "int" | "long" => "number",
        "boolean" | "booleans" | "bool" => "boolean",
        "array" | "list" => "array",
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    /// Reads the column of types for parameters that the schema has.
    pub(super) fn types_of(&mut self, id: &str, columns: &Columns, rows: &[Vec<Span<'a>>]) {
        for cells in columns.cells(rows) {
            let Some((cell, json)) = cells.json.and_then(|cell| Some((cell, type_of_word(cell.text)?))) else {
                continue;
            };
            let of = key(FactKind::Type, [id, cells.name.text]);
            if self.claims.has(&of) {
                self.found.state(of, json, cell);
            }
        }
    }
}
