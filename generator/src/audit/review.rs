//! Sections against what the schema's files were last checked against.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::accept::Replacement;
use super::claims::Claims;
use super::compare::{Difference, Kind};
use super::document::Document;
use super::findings::Findings;
use super::marks::{self, Change};
use super::report::{Group, Line, shown_place};
use crate::diagnostics::Place;
use crate::model::{Api, Reviewed};

/// A section that is recorded, and what changed in it.
struct Recorded<'a> {
    reviewed: &'a Reviewed,
    /// The start of the section; nothing when the document has none of that name.
    section: Option<usize>,
    /// Nothing when the section is as it was.
    changes: Option<Vec<Change>>,
}

/// What is recorded for a document.
pub(super) struct Review<'a> {
    recorded: Vec<Recorded<'a>>,
    /// Sections that no file records: the byte they start at.
    unclaimed: Vec<usize>,
    /// Sections that are told as new.
    new: Vec<std::ops::Range<usize>>,
}

pub(super) fn review<'a>(api: &'a Api, document: &Document, found: &Findings) -> Review<'a> {
    let mut recorded = Vec::new();
    for reviewed in api.reviewed.iter().filter(|reviewed| reviewed.document == document.id) {
        let section = document.section(&reviewed.section.0);
        let changes = section.and_then(|section| marks::changes(document, section, &reviewed.digest.0));
        recorded.push(Recorded { reviewed, section: section.map(|section| section.at.start), changes });
    }
    let is_new = |at: usize| found.new_sections.iter().any(|range| range.contains(&at));
    let claimed = |at: usize| recorded.iter().any(|recorded| recorded.section == Some(at));
    let starts = document.sections.iter().map(|section| section.at.start);
    let unclaimed =
        if recorded.is_empty() { Vec::new() } else { starts.filter(|at| !claimed(*at) && !is_new(*at)).collect() };
    Review { recorded, unclaimed, new: found.new_sections.clone() }
}

impl Review<'_> {
    /// Gives what the document no longer says the line where it said it, as far as the marks tell.
    pub(super) fn place(&self, document: &Document, claims: &Claims<'_>, differences: &mut [Difference]) {
        for difference in differences.iter_mut().filter(|difference| difference.says == "not there") {
            let is_operation = difference.kind == Kind::SchemaOnly && difference.has.starts_with("endpoint ");
            let gone = is_operation.then(|| self.place_of_operation(document, claims, difference.place)).flatten();
            let line = gone.or_else(|| self.nearest_change(document, difference.at));
            if let Some(line) = line {
                difference.at = document.line_range(line).start;
            }
        }
    }

    /// Where the heading of an operation that is gone stood.
    fn place_of_operation(&self, document: &Document, claims: &Claims<'_>, place: Option<Place>) -> Option<usize> {
        let known = claims.operations.iter().find(|known| Some(known.operation.path.place) == place)?;
        self.recorded.iter().filter(|recorded| recorded.changes.is_some()).find_map(|recorded| {
            let section = document.section(&recorded.reviewed.section.0)?;
            let heading = format!("{} {}", "#".repeat(usize::from(section.level) + 1), known.heading);
            let place = marks::place_of_gone(document, section, &recorded.reviewed.digest.0, &heading);
            let had = marks::has_line(&recorded.reviewed.digest.0, &heading);
            place.filter(|_| had)
        })
    }

    /// The changed line of a section that is nearest to a byte of it.
    fn nearest_change(&self, document: &Document, at: usize) -> Option<usize> {
        let section = document.section_of(at)?.at.start;
        let line = document.line(at);
        let changes = self
            .recorded
            .iter()
            .filter(|recorded| recorded.section == Some(section))
            .filter_map(|recorded| recorded.changes.as_ref());
        let lines = changes.flatten().map(|change| change.line);
        lines.min_by_key(|changed| (changed.abs_diff(line), *changed))
    }

    /// What the marks tell beside the differences of fact, which stand on `told` lines.
    pub(super) fn lines(
        &self,
        document: &Document,
        files: &[PathBuf],
        found: &Findings,
        told: &[usize],
        gone: &[u32],
    ) -> Vec<Line> {
        let stated: BTreeSet<usize> = found.statements.iter().map(|statement| document.line(statement.at)).collect();
        let is_new = |line: usize| {
            let start = document.line_range(line).start;
            self.new.iter().any(|range| range.contains(&start)) || self.unclaimed.contains(&start)
        };
        let mut by_line: BTreeMap<(usize, bool), (Group, String)> = BTreeMap::new();
        let mut lines = Vec::new();
        for recorded in self.recorded.iter().filter(|recorded| !gone.contains(&recorded.reviewed.digest.1.file)) {
            let place = shown_place(files, Some(recorded.reviewed.digest.1));
            let section = &recorded.reviewed.section.0;
            if recorded.section.is_none() {
                let place = shown_place(files, Some(recorded.reviewed.section.1));
                let text =
                    format!("{}: no section is called so · {place}: reviewed section `{section}`", document.file);
                lines.push(Line { group: Group::Unclaimed, file: document.file.clone(), lines: Vec::new(), text });
            }
            if recorded.section.is_some() && !marks::is_digest(&recorded.reviewed.digest.0) {
                let text = format!("{}: not checked yet · {place}: reviewed section `{section}`", document.file);
                lines.push(Line { group: Group::Unchecked, file: document.file.clone(), lines: Vec::new(), text });
                continue;
            }
            for change in
                recorded.changes.iter().flatten().filter(|change| !told.contains(&change.line) && !is_new(change.line))
            {
                let what = if change.is_gone { "a line is gone" } else { "the line changed" };
                let (group, how) = match (change.is_telling, !change.is_gone && stated.contains(&change.line)) {
                    (true, true) => (Group::Agreeing, ", with numbers, names or words of obligation"),
                    (true, false) => {
                        (Group::Unread, ", with numbers, names or words of obligation that no reader knows")
                    }
                    (false, _) => (Group::Wording, " in wording only"),
                };
                let text =
                    format!("{}:{}: {what}{how} · {place}: reviewed section `{section}`", document.file, change.line);
                by_line.entry((change.line, change.is_gone)).or_insert((group, text));
            }
        }
        for ((line, _), (group, text)) in by_line {
            lines.push(Line { group, file: document.file.clone(), lines: vec![line], text });
        }
        for at in &self.unclaimed {
            let heading =
                document.sections.iter().find(|section| section.at.start == *at).map_or("", |section| &section.heading);
            let line = document.line(*at);
            let text = format!(
                "{}:{line}: the section `{heading}` is in no schema file; name it in the `reviewed` of one, as \
                 `{heading}: new`",
                document.file
            );
            lines.push(Line { group: Group::Unclaimed, file: document.file.clone(), lines: vec![line], text });
        }
        lines
    }

    /// New digests for the sections in which no fact differs.
    pub(super) fn accepted(&self, document: &Document, files: &[PathBuf], told: &[usize]) -> Vec<Replacement> {
        let mut replacements = Vec::new();
        for recorded in &self.recorded {
            let Some(section) = document.section(&recorded.reviewed.section.0) else { continue };
            if marks::digest(document, section) == recorded.reviewed.digest.0 {
                continue;
            }
            let (first, last) = (document.line(section.at.start), document.line(section.body.end.saturating_sub(1)));
            let place = recorded.reviewed.digest.1;
            let Some(file) = files.get(place.file as usize) else { continue };
            replacements.push(Replacement {
                file: Path::to_path_buf(file),
                bytes: place.start as usize..place.end as usize,
                text: marks::digest(document, section),
                differs: told.iter().any(|line| (first..=last).contains(line)),
            });
        }
        replacements
    }
}
