//! The columns of tables of parameters.

use super::super::document::Table;
use super::super::findings::{FactKind, key};
use super::super::text::Span;
use super::super::wording::have_same_stem;
use super::{Reader, needs};

/// The roles of the columns in a table of parameters.
pub(in super::super) struct Columns {
    name: usize,
    need: Option<usize>,
    note: Option<usize>,
    json: Option<usize>,
    /// True if the title asks whether a parameter is optional, rather than required.
    is_inverted: bool,
}

/// Words that stand beside *parameter* in the title of a column of names.
const OF_NAMES: [&str; 8] = ["name", "names", "request", "query", "body", "path", "url", "input"];

/// Returns whether the title of a column announces the names of parameters, rather than something about them.
fn is_of_names(title: Span<'_>) -> bool {
    let texts = title.texts();
    let is_parameter = |word: &&&str| have_same_stem(&word.to_lowercase(), "parameter");
    let others = texts.iter().filter(|word| !is_parameter(word));
    texts.iter().any(|word| is_parameter(&word))
        && others.into_iter().all(|word| OF_NAMES.contains(&word.to_lowercase().as_str()))
}

/// Returns whether a label announces the parameters of a request.
pub(super) fn is_about_requests(label: Span<'_>) -> bool {
    let texts = label.texts();
    let says =
        |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| have_same_stem(&text.to_lowercase(), word)));
    says(&["request", "query", "parameter", "body", "input"])
        && !says(&["response", "example", "sample", "header", "error"])
}

impl Columns {
    /// The columns of a table if it lists parameters: its head says so, or it has a column of names and one of needs.
    pub(in super::super) fn of(table: &Table<'_>) -> Option<Self> {
        Self::labelled(table, None)
    }

    /// The same of a table whose label may announce parameters: `Request fields`.
    pub(super) fn labelled(table: &Table<'_>, label: Option<Span<'_>>) -> Option<Self> {
        let column = |words: &[&str]| words.iter().find_map(|word| table.column(word));
        // A column of needs is recognized by its cells, whatever its title.
        let says_need = |at: &usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(*at));
            cells.clone().next().is_some() && cells.into_iter().all(|cell| need_of_cell(cell.text).is_some())
        };
        let titled = column(&["required", "need", "mandatory", "criticality", "optional"]);
        let is_titled =
            |at: &usize| table.rows.iter().filter_map(|row| row.get(*at)).any(|cell| need_of_cell(cell.text).is_some());
        let parameter = table.head.iter().position(|title| is_of_names(*title));
        let by_cells = || parameter.and_then(|_| (0..table.head.len()).find(says_need));
        let need = titled.filter(is_titled).or_else(by_cells).or(titled);
        let name = parameter.or_else(|| {
            let is_list = need.is_some() || label.is_some_and(is_about_requests);
            column(&["name", "field", "argument", "key"]).filter(|_| is_list)
        })?;
        let json = column(&["type"]);
        let taken = [Some(name), need, json];
        let rest = || (0..table.head.len()).find(|at| !taken.contains(&Some(*at)));
        let titled = column(&["rule", "description", "note", "meaning", "comment", "remark"]);
        let note = titled.filter(|note| !taken.contains(&Some(*note))).or_else(rest);
        let is_inverted = need
            .and_then(|need| table.head.get(need))
            .is_some_and(|title| title.texts().iter().any(|word| word.eq_ignore_ascii_case("optional")));
        Some(Self { name, need, note, json, is_inverted })
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
            let need = cell(self.need).and_then(|cell| {
                let is_inverted = self.is_inverted && YES_OR_NO.contains(&cell.text.to_lowercase().as_str());
                match need_of_cell(cell.text) {
                    Some("yes") if is_inverted => Some("no"),
                    Some("no") if is_inverted => Some("yes"),
                    need => need,
                }
            });
            let (note, need_at) = (cell(self.note), cell(self.need).filter(|_| need.is_some()));
            names
                .into_iter()
                .filter(|name| is_path(name.without_footnote().text))
                .map(|name| Cells {
                    name: name.without_footnote(),
                    need,
                    need_at,
                    note,
                    json: cell(self.json),
                    row: at,
                })
                .collect::<Vec<_>>()
        };
        rows.iter().enumerate().flat_map(cells).collect::<Vec<_>>().into_iter()
    }
}

/// The words that answer the question in the title.
const YES_OR_NO: [&str; 6] = ["yes", "no", "y", "n", "true", "false"];

/// Returns whether a cell names a parameter, possibly one of the items of a list.
fn is_path(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric() || "_[".contains(c));
    begins && !name.contains(|c: char| c.is_whitespace() || "+=<>(){}".contains(c))
}

/// The cells of a row for one parameter.
pub(super) struct Cells<'a> {
    pub(super) name: Span<'a>,
    pub(super) need: Option<&'static str>,
    need_at: Option<Span<'a>>,
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
        "yes" | "y" | "m" | "true" | "required" | "✓" | "✔" | "√" => "yes",
        "no" | "n" | "o" | "false" | "optional" | "✗" | "✘" | "×" => "no",
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
            self.found.read.extend(cells.need_at.map(Span::range));
            let Some((cell, json)) = cells.json.and_then(|cell| Some((cell, type_of_word(cell.text)?))) else {
                continue;
            };
            let of = key(FactKind::Type, [id, cells.name.text]);
            if self.claims.has(&of) || self.claims.operation_by_id(id).is_none() {
                self.found.state(of, json, cell);
            }
        }
    }
}
