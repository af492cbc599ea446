//! The columns of tables of parameters, and the words for needs, types and the parts of a section: those that the schema
//! declares for a document, and those that all documents share.

use super::super::document::{Document, Table};
use super::super::findings::{FactKind, key};
use super::super::measures::decimal;
use super::super::text::Span;
use super::super::wording::{canonical, have_same_stem, stems};
use super::parameters::is_none;
use super::{Reader, needs};
use crate::compiler::model::Reading;
use crate::compiler::model::declared::{Names, Placed};

/// The roles of the columns in a table of parameters.
pub(in super::super) struct Columns {
    name: usize,
    need: Option<usize>,
    note: Option<usize>,
    json: Option<usize>,
    /// Columns with one bound or the default, and those that are read like notes.
    bounds: Vec<(FactKind, usize)>,
    more: Vec<usize>,
    /// True if the title asks whether a parameter is optional, rather than required.
    is_inverted: bool,
}

/// Titles of columns with a bound or the default of each parameter.
const BOUNDS: [(&str, FactKind); 5] = [
    ("default", FactKind::ParameterDefault),
    ("min", FactKind::ParameterMin),
    ("minimum", FactKind::ParameterMin),
    ("max", FactKind::ParameterMax),
    ("maximum", FactKind::ParameterMax),
];

/// Titles of columns that are read like notes.
const LIMITS: [&str; 7] = ["range", "limit", "bounds", "constraint", "enum", "allowed", "options"];

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
pub(in super::super) fn is_about_requests(label: Span<'_>) -> bool {
    let texts = label.texts();
    let says =
        |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| have_same_stem(&text.to_lowercase(), word)));
    says(&["request", "query", "parameter", "body", "input"])
        && !says(&["response", "example", "sample", "header", "error"])
}

impl Columns {
    /// Returns the columns of a table if it lists parameters: its head or its label says so, or it has a column of
    /// names and one of needs.
    pub(in super::super) fn labelled(document: &Document, table: &Table<'_>, label: Option<Span<'_>>) -> Option<Self> {
        let column = |words: &[&str]| words.iter().find_map(|word| table.column(word));
        // A column of needs is recognized by its cells, whatever its title.
        let says_need = |at: &usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(*at));
            cells.clone().next().is_some() && cells.into_iter().all(|cell| document.need_of(cell.text).is_some())
        };
        let declared = document.declared_column(|reading| &reading.needs, table);
        let titled = declared.or_else(|| column(&["required", "need", "mandatory", "criticality", "optional"]));
        let is_titled = |at: &usize| {
            table.rows.iter().filter_map(|row| row.get(*at)).any(|cell| document.need_of(cell.text).is_some())
        };
        let parameter = table.head.iter().position(|title| is_of_names(*title));
        let by_cells = || parameter.and_then(|_| (0..table.head.len()).find(says_need));
        let need = titled.filter(is_titled).or_else(by_cells).or(titled);
        let is_list = need.is_some() || label.is_some_and(|label| document.is_about_requests(label));
        let of_names = || {
            let declared = document.declared_column(|reading| &reading.names, table);
            declared.or_else(|| column(&["name", "field", "argument", "key"])).filter(|_| is_list)
        };
        let name = parameter.or_else(of_names)?;
        let json = document.declared_column(|reading| &reading.types, table).or_else(|| column(&["type"]));
        let taken = [Some(name), need, json];
        let is_free = |at: &usize| !taken.contains(&Some(*at));
        let rest = || (0..table.head.len()).find(is_free);
        let declared = document.declared_column(|reading| &reading.notes, table);
        let titled = || column(&["rule", "description", "note", "meaning", "comment", "remark"]).filter(is_free);
        let note = declared.or_else(titled).or_else(rest);
        let others = |at: &usize| is_free(at) && note != Some(*at);
        let bounds = BOUNDS.into_iter().filter_map(|(word, kind)| Some((kind, table.column(word).filter(others)?)));
        let more = LIMITS.into_iter().filter_map(|word| table.column(word).filter(others));
        let (bounds, mut more): (Vec<_>, Vec<_>) = (bounds.collect(), more.collect());
        more.dedup();
        let is_inverted = need
            .and_then(|need| table.head.get(need))
            .is_some_and(|title| title.texts().iter().any(|word| word.eq_ignore_ascii_case("optional")));
        Some(Self { name, need, note, json, bounds, more, is_inverted })
    }

    /// Returns the column of needs.
    pub(in super::super) fn need(&self) -> Option<usize> {
        self.need
    }

    /// Returns the cells for each parameter.
    pub(super) fn cells<'a>(&self, document: &Document, rows: &[Vec<Span<'a>>]) -> impl Iterator<Item = Cells<'a>> {
        let cells = |(at, row): (usize, &Vec<Span<'a>>)| {
            let cell = |column: Option<usize>| column.and_then(|column| row.get(column)).copied();
            let names = cell(Some(self.name)).map(|names| names_in(document, names)).unwrap_or_default();
            let need = cell(self.need).and_then(|cell| {
                let is_inverted = self.is_inverted && YES_OR_NO.contains(&cell.text.to_lowercase().as_str());
                match document.need_of(cell.text).or_else(|| need_in_words(document, cell)) {
                    Some("yes") if is_inverted => Some("no"),
                    Some("no") if is_inverted => Some("yes"),
                    need => need,
                }
            });
            let (note, need_at) = (cell(self.note), cell(self.need).filter(|_| need.is_some()));
            let of_name = |(name, mark): (Span<'a>, Option<&'static str>)| Cells {
                name,
                need: need.or(mark),
                need_at,
                note,
                json: cell(self.json),
                bounds: self.bounds.iter().filter_map(|(kind, at)| Some((*kind, cell(Some(*at))?))).collect(),
                more: self.more.iter().filter_map(|at| cell(Some(*at))).collect(),
                row: at,
            };
            names.into_iter().map(of_name).collect::<Vec<_>>()
        };
        rows.iter().enumerate().flat_map(cells).collect::<Vec<_>>().into_iter()
    }
}

/// Returns the names in a cell, each with the need that stands behind it: `size, depth`, `size (required)`, or `size*`
/// where the document declares the mark.
fn names_in<'a>(document: &Document, cell: Span<'a>) -> Vec<(Span<'a>, Option<&'static str>)> {
    let mut names: Vec<(Span<'a>, Option<&'static str>)> = Vec::new();
    for part in cell.split(&[",", ";"]) {
        let word = part.text.to_lowercase();
        if let Some((_, need)) = names.last_mut().filter(|_| NEEDS.contains(&word.as_str())) {
            *need = document.need_of(&word);
            continue;
        }
        let first = part.before(part.at + part.text.find([' ', '(']).unwrap_or(part.text.len()));
        let name = first.without_footnote();
        let mark = part.after(name.at + name.text.len()).trim().text.trim_matches(['(', ')', '[', ']']);
        let need = document.need_of(mark);
        if is_path(name.text) && (need.is_some() || first.text.len() == part.text.len()) {
            names.push((name, need));
        }
    }
    names
}

/// The needs that a line of their own in the cell of a name may state.
const NEEDS: [&str; 3] = ["required", "optional", "conditional"];

/// Returns the need that words above a table state for all of its rows: `Required parameters:`.
pub(super) fn need_above(label: Option<Span<'_>>) -> Option<&'static str> {
    let words: Vec<String> = label?.words().iter().map(|word| word.text.to_lowercase()).collect();
    let mut needs = words.iter().filter(|word| NEEDS.contains(&word.as_str())).map(|word| need_of_cell(word));
    needs.next().flatten().filter(|_| needs.next().is_none())
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
    pub(super) json: Option<Span<'a>>,
    bounds: Vec<(FactKind, Span<'a>)>,
    pub(super) more: Vec<Span<'a>>,
    /// The index of the row, which several parameters may share.
    pub(super) row: usize,
}

/// Returns the need that a cell states.
pub(in super::super) fn need_of_cell(text: &str) -> Option<&'static str> {
    let words = needs::plain(&Span::new(text, 0).words());
    let word = if let [word] = words.as_slice() { word.text } else { text };
    Some(match word.to_ascii_lowercase().as_str() {
        "yes" | "y" | "m" | "true" | "required" | "✓" | "✔" | "√" | "✅" => "yes",
        "no" | "n" | "o" | "false" | "optional" | "✗" | "✘" | "×" | "❌" => "no",
        "conditional" | "conditionally" => "conditional",
        _ => return None,
    })
}

/// Returns the need that the words of a cell state: `required for limit`, `only when size is absent`, `no
/// (deprecated)`; `open` if they are unknown.
fn need_in_words(document: &Document, cell: Span<'_>) -> Option<&'static str> {
    let words = needs::plain(&cell.words());
    let texts: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let head = cell.head_and_note().0;
    match texts.as_slice() {
        [] => None,
        ["required" | "yes" | "only", "when" | "if" | "for" | "in" | "unless" | "with" | "only", ..] => {
            Some("conditional")
        }
        _ if head.text.len() < cell.text.len() && !needs::are_hinted_at(&texts) => document.need_of(head.text),
        _ => None,
    }
    .or_else(|| texts.iter().any(|text| text.chars().any(char::is_alphanumeric)).then_some("open"))
}

/// Returns the type that a word names, in the form of facts.
pub(in super::super) fn type_of_word(text: &str) -> Option<&'static str> {
    Some(match text.to_ascii_lowercase().as_str() {
        "string" | "strings" => "string",
        "number" | "numbers" | "integer" | "integers" | "int" | "long" => "number",
        "boolean" | "booleans" | "bool" => "boolean",
        "array" | "list" => "array",
        list if list.ends_with("[]") || ["array<", "list<"].iter().any(|start| list.starts_with(start)) => "array",
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    /// Reads the column of types for parameters that the schema has.
    pub(super) fn types_of(&mut self, id: &str, columns: &Columns, rows: &[Vec<Span<'a>>]) {
        for cells in columns.cells(self.document, rows) {
            self.found.read.extend(cells.need_at.map(Span::range));
            for (kind, cell) in &cells.bounds {
                // A dash or *none* may mean that there is no default.
                let value =
                    cell.single().filter(|word| word.text.chars().any(char::is_alphanumeric) && !is_none(*word));
                let number = value.and_then(|value| decimal(value.text));
                let is_default = *kind == FactKind::ParameterDefault;
                if let Some(value) = number.or_else(|| value.filter(|_| is_default).map(|value| value.text.to_owned()))
                {
                    self.found.state(key(*kind, [id, cells.name.text]), value, *cell);
                }
            }
            let Some((cell, json)) = cells.json.and_then(|cell| Some((cell, self.document.type_of(cell.text)?))) else {
                continue;
            };
            let of = key(FactKind::Type, [id, cells.name.text]);
            if self.claims.has(&of) || self.claims.operation_by_id(id).is_none() {
                if self.document.is_enum(cell.text) {
                    self.found.enums.insert(of.clone());
                }
                self.found.state(of, json, cell);
            }
        }
    }
}

/// The words of one kind.
type Words = fn(&Reading) -> &Names;

impl Document {
    /// Returns whether the schema declares a text as a word of one kind.
    fn declares(&self, words: Words, text: &str) -> bool {
        let said = text.trim().to_lowercase();
        let is_said = |(own, _): &Placed| canonical(own).trim().to_lowercase() == said;
        self.reading.as_ref().is_some_and(|reading| words(reading).iter().any(is_said))
    }

    /// Returns the column with a declared title.
    pub(in super::super) fn declared_column(&self, words: Words, table: &Table<'_>) -> Option<usize> {
        table.head.iter().position(|title| self.declares(words, title.text))
    }

    /// Returns the need that a mark states, in a cell or behind a name.
    pub(in super::super) fn need_of(&self, mark: &str) -> Option<&'static str> {
        match mark {
            _ if self.declares(|reading| &reading.required, mark) => Some("yes"),
            _ if self.declares(|reading| &reading.optional, mark) => Some("no"),
            _ => super::need_of_cell(mark),
        }
    }

    /// Returns the type that a cell states, in the form of facts.
    pub(in super::super) fn type_of(&self, cell: &str) -> Option<&'static str> {
        match cell {
            _ if self.declares(|reading| &reading.numbers, cell) => Some("number"),
            _ if self.declares(|reading| &reading.texts, cell) || self.is_enum(cell) => Some("string"),
            _ => super::type_of_word(cell),
        }
    }

    /// Returns whether a cell names the type of texts with a list of values.
    pub(in super::super) fn is_enum(&self, cell: &str) -> bool {
        self.declares(|reading| &reading.enums, cell) || cell.eq_ignore_ascii_case("enum")
    }

    /// Returns whether a label announces the parameters of a request.
    pub(in super::super) fn is_about_requests(&self, label: Span<'_>) -> bool {
        let is_declared = |words: Words| self.declares(words, label.text.trim_end_matches(':'));
        is_declared(|reading| &reading.requests)
            || super::is_about_requests(label) && !is_declared(|reading| &reading.answers)
    }

    /// Returns whether a label announces an answer rather than a request: `Response parameters`, `What is returned:`.
    pub(in super::super) fn is_about_answers(&self, label: Span<'_>) -> bool {
        let is_declared = |words: Words| self.declares(words, label.text.trim_end_matches(':'));
        is_declared(|reading| &reading.answers)
            || super::is_about_answers(label) && !is_declared(|reading| &reading.requests)
    }

    /// Returns whether a section has lists of values.
    pub(in super::super) fn has_values(&self, heading: &str) -> bool {
        let is_usual = |word: &str| ["enum", "enums", "enumerations"].contains(&word);
        self.declares(|reading| &reading.values, heading) || stems(heading).iter().any(|word| is_usual(word))
    }
}
