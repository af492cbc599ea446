//! The report of an audit.

use std::fmt;
use std::path::PathBuf;

use serde_json::json;

use super::compare::{Discrepancy, DiscrepancyKind, Facts};
use super::document::Document;
use super::findings::UnreadLine;
use super::review::{Replacement, write_digests};
use crate::compiler::diagnostics::{Diagnostics, Place};

/// The groups of lines in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Changed,
    Contradiction,
    DocumentOnly,
    SchemaOnly,
    /// Sections that no schema file names, and names that no section has.
    Unclaimed,
    /// Changed words, whatever they state.
    Words,
    /// Sections that have not been checked yet.
    Unchecked,
}

/// An action that a line of the report asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Correct the schema, or the document.
    Write,
    /// Review the words, and accept them.
    Review,
}

impl Task {
    fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Review => "review",
        }
    }
}

impl Group {
    fn title(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Contradiction => "the document contradicts itself",
            Self::DocumentOnly => "in the document only",
            Self::SchemaOnly => "in the schema only",
            Self::Unclaimed => "sections without a schema file",
            Self::Words => "words to review",
            Self::Unchecked => "not checked yet",
        }
    }

    fn task(self) -> Task {
        match self {
            Self::Changed | Self::Contradiction | Self::DocumentOnly | Self::SchemaOnly | Self::Unclaimed => {
                Task::Write
            }
            Self::Words | Self::Unchecked => Task::Review,
        }
    }
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) group: Group,
    pub(super) file: String,
    /// The line of the document, which lines are sorted by.
    pub(super) line: usize,
    pub(super) text: String,
}

impl Line {
    pub(super) fn of(document: &Document, files: &[PathBuf], difference: &Discrepancy) -> Self {
        let line = document.line(difference.at);
        let place = match difference.place {
            Some(_) => shown_place(files, difference.place),
            None => "schema".to_owned(),
        };
        let says = difference.says.as_deref().unwrap_or("absent from the document");
        let has = difference.has.as_deref().unwrap_or("absent from the schema");
        let mut text = format!("{}:{line}: {says} · {place}: {has}", document.file);
        if let Some((at, says)) = &difference.elsewhere {
            let other = document.line(*at);
            text.push_str(&format!(" · {}:{other}: {says}", document.file));
        }
        let group = match difference.kind {
            DiscrepancyKind::Changed => Group::Changed,
            DiscrepancyKind::Contradiction => Group::Contradiction,
            DiscrepancyKind::DocumentOnly => Group::DocumentOnly,
            DiscrepancyKind::SchemaOnly => Group::SchemaOnly,
        };
        Self { group, file: document.file.clone(), line, text }
    }
}

/// Returns a place as `file:line`.
pub(super) fn shown_place(files: &[PathBuf], place: Option<Place>) -> String {
    let shown = place.and_then(|place| {
        let file = files.get(place.file as usize)?.display().to_string().replace('\\', "/");
        Some(format!("{file}:{}", place.line.max(1)))
    });
    shown.unwrap_or_default()
}

/// The maximum number of facts that are listed one by one as not found.
const MAX_SHOWN: usize = 20;

/// The share of one document that was understood.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub(super) file: String,
    pub(super) statements: usize,
    pub(super) matched_statements: usize,
    pub(super) facts: Facts,
    /// Facts that the document was not found to state, each with its place.
    pub(super) not_found: Vec<String>,
    /// Open questions of the schema about which the document says nothing.
    pub(super) silent: usize,
    pub(super) contradictions: usize,
    pub(super) observed: usize,
    pub(super) unread: Vec<UnreadLine>,
}

/// The result of comparing documents with the schema; its text is the report.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    pub(super) lines: Vec<Line>,
    pub(super) shares: Vec<Share>,
    pub(super) accept: Vec<Replacement>,
    /// The number of differences that were accepted as they are.
    pub(super) standing: usize,
    /// Further Markdown files of the folder.
    pub(super) not_compared: Vec<String>,
    /// The files of the schema with empty keys or other mistakes, which were compared as far as they can be read.
    unfinished: Vec<PathBuf>,
}

impl Audit {
    /// Returns the same with the files that were read in part only.
    pub(crate) fn with_unfinished(self, files: &[PathBuf]) -> Self {
        Self { unfinished: files.to_vec(), ..self }
    }

    /// Returns the number of differences of fact.
    pub fn differences(&self) -> usize {
        self.count(Task::Write)
    }

    /// Returns the number of differences in which a document contradicts itself.
    pub fn contradictions(&self) -> usize {
        self.lines.iter().filter(|line| line.group == Group::Contradiction).count()
    }

    /// Returns the number of changed sentences to review, because they may state something that no reader understands.
    pub fn reviews(&self) -> usize {
        self.count(Task::Review)
    }

    fn count(&self, task: Task) -> usize {
        self.lines.iter().filter(|line| line.group.task() == task).count()
    }

    /// Returns the number of facts of the schema that come from the documents, and of those that were found there.
    pub fn facts(&self) -> (usize, usize) {
        let all = self.shares.iter().flat_map(|share| share.facts.values());
        all.fold((0, 0), |sum, (all, matched)| (sum.0 + all, sum.1 + matched))
    }

    /// Returns the report as JSON, an object on each line: the lines in the order of the text, then the totals.
    pub fn as_json(&self) -> String {
        let line = |line: &Line| {
            json!({
                "group": line.group.title(),
                "task": line.group.task().as_str(),
                "file": line.file,
                "line": Some(line.line).filter(|line| *line > 0),
                "message": line.text,
            })
        };
        let (facts, found) = self.facts();
        let totals = json!({
            "differences": self.differences(),
            "reviews": self.reviews(),
            "facts": facts,
            "facts_found": found,
            "standing": self.standing,
            "not_compared": self.not_compared,
        });
        self.sorted().map(line).chain([totals]).map(|object| format!("{object}\n")).collect()
    }

    /// Returns the lines by their group and place.
    fn sorted(&self) -> impl Iterator<Item = &Line> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        lines.sort_by(|a, b| (a.group, &a.file, a.line).cmp(&(b.group, &b.file, b.line)));
        lines.into_iter()
    }

    /// Writes the current digests of sections to the schema's files; sections in which a fact differs keep theirs.
    /// Returns the number of digests that were written, and of those that were kept.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn accept(&self) -> Result<(usize, usize), Diagnostics> {
        write_digests(&self.accept, false)
    }

    /// Accepts as [`Audit::accept`] does, also sections in which facts differ: these differences stand as accepted, and
    /// are reported again once the document or the schema states something else.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn accept_as_is(&self) -> Result<(usize, usize), Diagnostics> {
        write_digests(&self.accept, true)
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last = None;
        for line in self.sorted() {
            if last.replace(line.group) != Some(line.group) {
                writeln!(f, "{}:", line.group.title())?;
            }
            writeln!(f, "  {}", line.text)?;
        }
        if !self.lines.is_empty() {
            writeln!(f)?;
        }
        self.shares.iter().try_for_each(|share| write!(f, "{share}"))?;
        if self.standing > 0 {
            writeln!(f, "differences that stand as accepted: {}", self.standing)?;
        }
        if !self.not_compared.is_empty() {
            let files = self.not_compared.join(", ");
            writeln!(f, "not compared, because api.yaml names no such document under `documents`: {files}")?;
        }
        if let Some(first) = self.unfinished.first() {
            let others = match self.unfinished.len() {
                1 => String::new(),
                all => format!(" and {} others", all - 1),
            };
            writeln!(
                f,
                "not filled in, and compared as far as it can be read: {}{others}; `check` lists what is missing",
                first.display()
            )?;
        }
        let (all, matched) = self.facts();
        write!(f, "{} difference(s) of fact, {} change(s) of words to review; ", self.differences(), self.reviews())?;
        write!(f, "{matched} of {all} facts of the schema found in the documents ({})", percent(matched, all))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, matched) = self.facts.values().fold((0, 0), |sum, (all, matched)| (sum.0 + all, sum.1 + matched));
        writeln!(f, "{}", self.file)?;
        writeln!(f, "  {} of {} statements match the schema", self.matched_statements, self.statements)?;
        writeln!(
            f,
            "  {matched} of {all} facts of the schema are stated ({}); rules are found by their places",
            percent(matched, all)
        )?;
        for fact in self.not_found.iter().take(MAX_SHOWN) {
            writeln!(f, "    not found: {fact}")?;
        }
        if self.not_found.len() > MAX_SHOWN {
            writeln!(f, "    and {} more", self.not_found.len() - MAX_SHOWN)?;
        }
        writeln!(
            f,
            "  not compared: {} contradictions and {} open questions that only the schema lists, {} observations",
            self.contradictions, self.silent, self.observed
        )?;
        if !self.unread.is_empty() {
            writeln!(f, "  could not read: {}", ranges(&self.unread, false))?;
            writeln!(f, "  could read only in part: {}", ranges(&self.unread, true))?;
        }
        Ok(())
    }
}

fn percent(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(1000);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Returns the lines that were not read, or only in part: `3-5, 9`.
pub(super) fn ranges(lines: &[UnreadLine], in_part: bool) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (line, _) in lines.iter().filter(|(_, partly)| *partly == in_part) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => runs.push((*line, *line)),
        }
    }
    let shown =
        |(first, last): &(usize, usize)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let shown: Vec<String> = runs.iter().map(shown).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}
