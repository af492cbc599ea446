//! Results for people and for programs.

use std::io::{self, IsTerminal, Write};

use tradeapi_runtime::Violations;
use tradeapi_runtime::json::{Json, JsonWriter, Map, read_json};

use crate::ending::{Ended, Ending};

/// The form of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Tables.
    Table,
    /// A line of JSON for each result.
    Json,
}

/// The width of a table on a terminal of unknown width.
const WIDTH: usize = 120;
/// A column is not wider than this.
const WIDEST: usize = 44;
/// The space between columns.
const GAP: &str = "  ";

/// Takes the results of a command while it runs.
pub(crate) trait Report: Send {
    /// Takes a result as JSON, with its id if it has one. Returns whether more are wanted.
    fn item(&mut self, json: &str, id: Option<&str>) -> bool;

    /// A page came to its end.
    fn progress(&mut self) {}

    /// Something to know besides the results.
    fn note(&mut self, text: &str);

    /// The rules that a request breaks although it was sent.
    fn warn(&mut self, warnings: &Violations) {
        if !warnings.is_empty() {
            self.note(&warnings.to_string());
        }
    }

    /// Takes the data of an answer, a list item by item.
    fn data(&mut self, json: &str) {
        match read_json::<Vec<Json>>(json).ok().filter(|_| json.starts_with('[')) {
            Some(items) => {
                for item in items {
                    if !self.item(item.as_str(), None) {
                        return;
                    }
                }
            }
            None => _ = self.item(json, None),
        }
    }
}

/// Prints results to standard output, and everything else to standard error.
pub(crate) struct Printer {
    format: Format,
    /// How many results are wanted.
    first: Option<usize>,
    columns: Vec<String>,
    taken: usize,
    rows: Vec<Row>,
    /// The reader of the output has closed it.
    is_closed: bool,
}

/// The members of a result as texts.
type Row = Vec<(String, String)>;

impl Printer {
    pub(crate) fn new(format: Format, first: Option<usize>, columns: Vec<String>) -> Self {
        Self { format, first, columns, taken: 0, rows: Vec::new(), is_closed: false }
    }

    /// Whether columns are chosen, and results have none.
    pub(crate) fn ignores_columns(&self) -> bool {
        self.format == Format::Json && !self.columns.is_empty()
    }

    /// Prints a text to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        let written = write!(io::stdout().lock(), "{text}").and_then(|()| io::stdout().flush());
        self.is_closed |= written.is_err();
    }

    /// The form of results.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Prints what is left to print, and how the command ended.
    pub(crate) fn end(&mut self, ended: &Ended) -> Ending {
        self.flush();
        let Some(failure) = &ended.failure else { return ended.ending };
        match self.format {
            Format::Json => {
                let mut out = JsonWriter::new();
                out.begin_object();
                out.member("outcome").string(ended.ending.as_str());
                failure.write(&mut out);
                out.end_object();
                self.print(&(out.finish() + "\n"));
            }
            Format::Table => {
                let what = if ended.ending == Ending::Unknown { "unknown" } else { "error" };
                say(&format!("{what}: {}", failure.message));
                if let Some(request) = &failure.request {
                    say(&format!("request: {request}"));
                }
                if let Some(remedy) = failure.remedy {
                    say(&format!("help: {remedy}"));
                }
            }
        }
        ended.ending
    }

    /// Prints the table of what was taken so far.
    pub(crate) fn flush(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if !rows.is_empty() {
            let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(WIDTH);
            let width = if io::stdout().is_terminal() { width } else { usize::MAX };
            self.print(&table(&rows, &self.columns, width));
            let unknown = |column: &&String| rows.iter().flatten().all(|(name, _)| name != *column);
            for column in self.columns.iter().filter(unknown) {
                let mut known: Vec<&str> = rows.iter().flatten().map(|(name, _)| name.as_str()).collect();
                known.sort_unstable();
                known.dedup();
                say(&format!("note: no result has the column {column}; there are {}", known.join(", ")));
            }
        }
    }
}

impl Report for Printer {
    fn item(&mut self, json: &str, _id: Option<&str>) -> bool {
        if self.first.is_some_and(|first| self.taken >= first) || self.is_closed {
            return false;
        }
        self.taken += 1;
        match self.format {
            Format::Json => self.print(&format!("{json}\n")),
            Format::Table => self.rows.push(row(json)),
        }
        !self.is_closed && self.first.is_none_or(|first| self.taken < first)
    }

    fn progress(&mut self) {
        if self.format == Format::Table && io::stderr().is_terminal() {
            // The line is overwritten by the next one, and in the end by the table.
            let _ = write!(io::stderr(), "\r{} read\r", self.taken);
        }
    }

    fn note(&mut self, text: &str) {
        say(&format!("note: {text}"));
    }
}

/// Prints a line to standard error. Nothing is left to do if that fails.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The members of an object, and those of objects within it; of anything else, a single one.
fn row(json: &str) -> Row {
    let mut row = Row::new();
    add_members(String::new(), json, &mut row);
    row
}

fn add_members(name: String, json: &str, to: &mut Row) {
    match read_json::<Map<Json>>(json) {
        Ok(map) if json.starts_with('{') => {
            for (member, value) in map.entries {
                let name = if name.is_empty() { member } else { format!("{name}.{member}") };
                add_members(name, value.as_str(), to);
            }
        }
        _ => to.push((if name.is_empty() { "value".to_owned() } else { name }, cell(json))),
    }
}

/// A value without quotes; a list as JSON. Control characters, with which an answer could rewrite the
/// terminal, are escaped.
fn cell(json: &str) -> String {
    let text =
        if json.starts_with('"') { read_json(json).unwrap_or_else(|_| json.to_owned()) } else { json.to_owned() };
    if text.chars().any(char::is_control) { text.escape_default().to_string() } else { text }
}

/// A row for each result, or a line for each member if there is a single one.
pub(crate) fn table(rows: &[Row], wanted: &[String], width: usize) -> String {
    let mut columns: Vec<&str> = wanted.iter().map(String::as_str).collect();
    if columns.is_empty() {
        for (name, _) in rows.iter().flatten() {
            if !columns.contains(&name.as_str()) {
                columns.push(name);
            }
        }
    }
    if let [row] = rows {
        return members(row, &columns);
    }
    let value = |row: &Row, column: &str| {
        let found = row.iter().find(|(name, _)| name == column);
        shortened(found.map_or("", |(_, value)| value))
    };
    let mut total = 0;
    let mut shown = Vec::new();
    for column in &columns {
        let widest = rows.iter().map(|row| value(row, column).chars().count()).max().unwrap_or_default();
        let widest = widest.max(column.chars().count());
        total += widest + GAP.len();
        if total - GAP.len() > width && !shown.is_empty() {
            break;
        }
        shown.push((*column, widest));
    }
    let line = |cell: &dyn Fn(&str) -> String| {
        let cells = shown.iter().map(|(column, width)| format!("{:<width$}", cell(column)));
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
    };
    let mut text = line(&|column| column.to_owned());
    for row in rows {
        text += &line(&|column| value(row, column));
    }
    let left_out = &columns[shown.len()..];
    if !left_out.is_empty() {
        text += &format!("(left out: {}; --columns or --format json shows them)\n", left_out.join(", "));
    }
    text
}

fn members(row: &Row, columns: &[&str]) -> String {
    let shown = || columns.iter().filter_map(|column| row.iter().find(|(name, _)| name == column));
    let width = shown().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    shown().map(|(name, value)| format!("{name:<width$}{GAP}{value}\n")).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_results_are_a_table_and_one_is_a_list() {
        let rows: Vec<Row> = [r#"{"a":"1","b":{"c":[2]}}"#, r#"{"b":{"c":"x\u001b[2J"}}"#].map(row).into();
        assert_eq!(table(&rows, &[], usize::MAX), "a  b.c\n1  [2]\n   x\\u{1b}[2J\n");
        assert_eq!(table(&rows[..1], &[], 80), "a    1\nb.c  [2]\n");
        assert_eq!(table(&rows, &["b.c".to_owned()], 80), "b.c\n[2]\nx\\u{1b}[2J\n");
        assert_eq!(table(&rows, &[], 3), "a\n1\n\n(left out: b.c; --columns or --format json shows them)\n");
    }
}
