//! Results for people and for programs.

use std::io::{self, IsTerminal, Write};

use tradeapi_runtime::Violations;
use tradeapi_runtime::json::{Json, JsonWriter, read_json};

use crate::ending::{Ended, Ending};
use crate::rows::{Layout, Row, printable, row};

/// The form of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Tables.
    Table,
    /// A line of JSON for each result.
    Json,
}

/// Erases the line of a terminal on which the cursor is.
const ERASE: &str = "\r\u{1b}[K";

/// Takes the results of a command while it runs.
pub(crate) trait Report: Send {
    /// Takes a result as JSON, with its id if it has one. Returns whether more are wanted.
    fn item(&mut self, json: &str, id: Option<&str>) -> bool;

    /// Notes that a page came to its end.
    fn progress(&mut self) {}

    /// Tells what happens while the command runs, which its result does not repeat.
    fn step(&mut self, _text: &str) {}

    /// Shows something to know besides the results.
    fn note(&mut self, text: &str);

    /// Shows the rules that a request breaks although it was sent.
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
    /// The number of results that are wanted.
    first: Option<usize>,
    layout: Layout,
    /// True if the results are those of a change.
    is_change: bool,
    taken: usize,
    rows: Vec<Row>,
    shows_progress: bool,
    /// The reason why nothing can be written any more, and what of a change was not.
    failed: Option<io::Error>,
    unwritten: String,
}

impl Printer {
    pub(crate) fn new(format: Format, first: Option<usize>, layout: Layout, is_change: bool) -> Self {
        Self {
            format,
            first,
            layout,
            is_change,
            taken: 0,
            rows: Vec::new(),
            shows_progress: false,
            failed: None,
            unwritten: String::new(),
        }
    }

    /// Returns whether columns are chosen, and results have none.
    pub(crate) fn ignores_columns(&self) -> bool {
        self.format == Format::Json && !self.layout.columns.is_empty()
    }

    /// Prints a text to standard output.
    pub(crate) fn print(&mut self, text: &str) {
        self.erase_progress();
        if self.failed.is_none() {
            let written = write!(io::stdout().lock(), "{text}").and_then(|()| io::stdout().flush());
            self.failed = written.err();
        }
        if self.failed.is_some() && self.is_change {
            self.unwritten += text;
        }
    }

    /// Returns the form of results.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Prints what is left to print, and how the command ended. Returns how it ended if the output is taken into
    /// account.
    pub(crate) fn end(&mut self, ended: &Ended) -> Ending {
        self.flush();
        self.erase_progress();
        if let Some(failure) = &ended.failure {
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
        }
        match self.failed.take() {
            None => ended.ending,
            // That nobody reads a listing to its end is no failure.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe && !self.is_change => ended.ending,
            Some(error) => self.end_unwritten(ended, &error),
        }
    }

    /// Says that the results could not be written, and what is known of a change nevertheless.
    fn end_unwritten(&self, ended: &Ended, error: &io::Error) -> Ending {
        say(&format!("error: the output cannot be written: {error}"));
        if self.is_change {
            say(&format!("outcome: {}\n{}", ended.ending.as_str(), self.unwritten.trim_end()));
        } else if let Some(failure) = &ended.failure {
            say(&format!("error: {}", failure.message));
        }
        match ended.ending {
            Ending::Done if self.is_change => Ending::Unwritten,
            Ending::Done => Ending::NotDone,
            other => other,
        }
    }

    /// Prints the table of what was taken so far.
    pub(crate) fn flush(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        self.print(&self.layout.table(&rows));
        let (missing, known) = self.layout.missing(&rows);
        for column in missing {
            say(&format!("note: no result has the column {column}; there are {}", known.join(", ")));
        }
    }

    fn erase_progress(&mut self) {
        if std::mem::take(&mut self.shows_progress) {
            let _ = write!(io::stderr(), "{ERASE}");
        }
    }
}

impl Report for Printer {
    fn item(&mut self, json: &str, _id: Option<&str>) -> bool {
        let is_wanted = |taken| self.first.is_none_or(|first| taken < first);
        if !is_wanted(self.taken) || (self.failed.is_some() && !self.is_change) {
            return false;
        }
        self.taken += 1;
        match self.format {
            Format::Json => self.print(&format!("{json}\n")),
            Format::Table => self.rows.push(row(json)),
        }
        self.failed.is_none() && self.first.is_none_or(|first| self.taken < first)
    }

    fn progress(&mut self) {
        if self.format == Format::Table && io::stderr().is_terminal() {
            self.shows_progress = true;
            let _ = write!(io::stderr(), "{ERASE}{} read", self.taken);
        }
    }

    fn step(&mut self, text: &str) {
        self.erase_progress();
        say(text);
    }

    fn note(&mut self, text: &str) {
        self.erase_progress();
        say(&format!("note: {text}"));
    }
}

/// Prints lines to standard error. Nothing is left to do if that fails.
pub(crate) fn say(lines: &str) {
    let lines: Vec<String> = lines.lines().map(printable).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}
