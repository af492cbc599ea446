//! Compares sections with their records in the schema's files, to find changes of words that no reader reports, and
//! writes new digests: only their values change, every other byte of the files stays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use similar::{ChangeTag, TextDiff};

use super::claims::Claims;
use super::compare::{ComparedFacts, Discrepancy, DiscrepancyKind};
use super::describe::statement;
use super::document::{Block, Document, Section};
use super::findings::{Basis, Findings};
use super::marks::{self, TextChange};
use super::named::NameFinder;
use super::numbered_rules;
use super::report::{Group, Line, shown_place};
use super::text::Span;
use super::wording::{likeness, stems};
use crate::compiler::diagnostics::{Code, Diagnostics, Place};
use crate::compiler::model::{Api, Reviewed, Rule};
use crate::compiler::write;

/// A recorded section, and its changes.
struct Recorded<'a> {
    reviewed: &'a Reviewed,
    /// The start of the section; `None` if the document has none of that name.
    section: Option<usize>,
    changes: Vec<TextChange>,
}

/// The records of a document.
pub(super) struct Review<'a> {
    recorded: Vec<Recorded<'a>>,
    /// The starts of sections that no file records.
    unclaimed: Vec<usize>,
    /// Sections that are already reported as new.
    new: Vec<Range<usize>>,
}

/// The context from which lines about changed words are made.
pub(super) struct Context<'a> {
    pub(super) files: &'a [PathBuf],
    pub(super) document: &'a Document,
    /// The document before the change.
    pub(super) was: Option<&'a Document>,
    pub(super) claims: &'a Claims<'a>,
    pub(super) found: &'a Findings,
    pub(super) compared: &'a ComparedFacts,
    /// The places of rules, each with the start of its section.
    pub(super) rules: &'a [(usize, &'a Rule, &'a str)],
    /// The bytes at which differences of fact are reported.
    pub(super) reported: &'a [usize],
    /// Files of operations that the document no longer describes.
    pub(super) removed: &'a [u32],
}

pub(super) fn review<'a>(api: &'a Api, document: &Document, found: &Findings) -> Review<'a> {
    let mut recorded = Vec::new();
    for reviewed in api.reviewed.iter().filter(|reviewed| reviewed.document == document.id) {
        let section = document.section(&reviewed.section.0);
        let is_checked = marks::is_digest(&reviewed.digest.0);
        let changes =
            section.filter(|_| is_checked).map(|section| marks::changes(document, section, &reviewed.digest.0));
        let section = section.map(|section| section.at.start);
        recorded.push(Recorded { reviewed, section, changes: changes.unwrap_or_default() });
    }
    let is_new = |at: usize| found.new_sections.iter().any(|range| range.contains(&at));
    let claimed = |at: usize| recorded.iter().any(|recorded| recorded.section == Some(at));
    let starts = document.sections.iter().map(|section| section.at.start);
    let unclaimed =
        if recorded.is_empty() { Vec::new() } else { starts.filter(|at| !claimed(*at) && !is_new(*at)).collect() };
    Review { recorded, unclaimed, new: found.new_sections.clone() }
}

impl Review<'_> {
    /// Gives removed statements their former places, as far as the marks show them, and new ones without a place in the
    /// schema that of the record of their section.
    pub(super) fn place(&self, document: &Document, claims: &Claims<'_>, differences: &mut [Discrepancy]) {
        for difference in differences.iter_mut().filter(|difference| difference.place.is_none()) {
            difference.place = self.record_before(difference.at).map(|reviewed| reviewed.section.1);
        }
        for difference in differences.iter_mut().filter(|difference| difference.says.is_none()) {
            let is_operation = difference.kind == DiscrepancyKind::SchemaOnly
                && difference.has.as_ref().is_some_and(|has| has.starts_with("endpoint "));
            let removed = is_operation.then(|| self.place_of_operation(document, claims, difference.place)).flatten();
            let nearest = removed.or_else(|| self.nearest_change(document, difference.at));
            let named = || self.change_that_names(document, difference.has.as_deref().filter(|_| difference.at == 0)?);
            if let Some(at) = nearest.or_else(named) {
                difference.at = at;
            }
        }
    }

    /// Returns the record of the section at a byte, or of the last section before it that has one.
    fn record_before(&self, at: usize) -> Option<&Reviewed> {
        let recorded = self.recorded.iter().filter(|recorded| recorded.section.is_some_and(|start| start <= at));
        recorded.max_by_key(|recorded| recorded.section).map(|recorded| recorded.reviewed)
    }

    /// Separates the differences that a record accepts as they are from the others.
    pub(super) fn standing(
        &self,
        document: &Document,
        differences: Vec<Discrepancy>,
    ) -> (Vec<Discrepancy>, Vec<Discrepancy>) {
        let stands = |difference: &Discrepancy| {
            let section = document.section_of(difference.at).map(|section| section.at.start);
            let mut own = self.recorded.iter().filter(|recorded| recorded.section == section && section.is_some());
            let hash = marks::standing(&difference.statement());
            own.any(|recorded| marks::standing_of(&recorded.reviewed.digest.0).any(|known| known == hash))
        };
        differences.into_iter().partition(stands)
    }

    /// Returns the former place of the heading of a removed operation.
    fn place_of_operation(&self, document: &Document, claims: &Claims<'_>, place: Option<Place>) -> Option<usize> {
        let known = claims.operations.iter().find(|known| Some(known.operation.path.place) == place)?;
        self.recorded.iter().filter(|recorded| !recorded.changes.is_empty()).find_map(|recorded| {
            let section = document.section(&recorded.reviewed.section.0)?;
            marks::place_of_heading(document, section, &recorded.reviewed.digest.0, known.heading)
        })
    }

    /// Returns the change in a section that is nearest to a byte.
    fn nearest_change(&self, document: &Document, at: usize) -> Option<usize> {
        let section = document.section_of(at)?.at.start;
        let of_section = self.recorded.iter().filter(|recorded| recorded.section == Some(section));
        let places = of_section.flat_map(|recorded| &recorded.changes).map(|change| change.at);
        places.min_by_key(|changed| (changed.abs_diff(at), *changed))
    }

    /// Returns the change with the most words of a claim that belongs to no section.
    fn change_that_names(&self, document: &Document, claim: &str) -> Option<usize> {
        let is_long = |word: &&str| word.len() > 3;
        let claimed: Vec<&str> = claim.split_whitespace().filter(is_long).collect();
        let common = |change: &TextChange| {
            let words = change.now.as_ref().map(|now| document.span(now).texts()).unwrap_or_default();
            claimed.iter().filter(|word| words.contains(word)).count()
        };
        let changes = self.recorded.iter().flat_map(|recorded| &recorded.changes).filter(|change| common(change) > 0);
        changes.max_by_key(|change| common(change)).map(|change| change.at)
    }

    /// Returns the changes that the marks show in addition to differences of fact.
    pub(super) fn lines(&self, context: &Context<'_>) -> Vec<Line> {
        let Context { files, document, .. } = *context;
        let line = |group: Group, at: Option<usize>, text: String| Line {
            group,
            file: document.file.clone(),
            line: at.map_or(0, |at| document.line(at)),
            text,
        };
        let mut lines = Vec::new();
        // Several files may refer to one section.
        let mut changes: BTreeMap<(usize, bool), (&TextChange, Vec<String>)> = BTreeMap::new();
        for recorded in
            self.recorded.iter().filter(|recorded| !context.removed.contains(&recorded.reviewed.digest.1.file))
        {
            let section = &recorded.reviewed.section.0;
            let place = |place: Place| format!("{}: reviewed section `{section}`", shown_place(files, Some(place)));
            if recorded.section.is_none() {
                let text =
                    format!("{}: no section has this name · {}", document.file, place(recorded.reviewed.section.1));
                lines.push(line(Group::Unclaimed, None, text));
            } else if !marks::is_digest(&recorded.reviewed.digest.0) {
                let text = format!("{}: not checked yet · {}", document.file, place(recorded.reviewed.digest.1));
                lines.push(line(Group::Unchecked, None, text));
            }
            for change in recorded.changes.iter().filter(|change| !self.is_reported(change, context)) {
                let of_change = changes.entry((change.at, change.now.is_none())).or_insert((change, Vec::new()));
                let place = place(recorded.reviewed.digest.1);
                if !of_change.1.contains(&place) {
                    of_change.1.push(place);
                }
            }
        }
        let changed: BTreeSet<usize> = changes.keys().map(|(at, _)| *at).collect();
        let mut rows: BTreeMap<usize, String> = BTreeMap::new();
        changes.retain(|_, (change, _)| {
            let Some(head) = new_head_above(document, change, &changed) else { return true };
            rows.entry(head).or_default().push_str(&row(change, context));
            false
        });
        for (change, places) in changes.into_values() {
            let rows = rows.remove(&change.at).unwrap_or_default();
            lines.push(line(Group::Words, Some(change.at), words(change, &places, context) + &rows));
        }
        for at in &self.unclaimed {
            let heading = document.section_of(*at).map_or("", |section| &section.heading);
            let first = document.section(heading).map_or(*at, |first| first.at.start);
            let says = match heading {
                _ if first != *at => format!(
                    "the heading `{heading}` is also that of line {}, and `reviewed` cannot name both: give one of them \
                     another heading in your copy",
                    document.line(first)
                ),
                "" => "words before the first heading are in no schema file; name them in the `reviewed` of one, as \
                       `\"\": new`"
                    .to_owned(),
                _ => {
                    let near =
                        self.record_before(*at).map(|reviewed| shown_place(context.files, Some(reviewed.section.1)));
                    let file = near.map_or_else(|| "of one".to_owned(), |place| format!("at {place}"));
                    format!(
                        "the section `{heading}` is in no schema file; name it in `reviewed` {file}, as `{heading}: new`"
                    )
                }
            };
            let text = format!("{}:{}: {says}", document.file, document.line(*at));
            lines.push(line(Group::Unclaimed, Some(*at), text));
        }
        if self.recorded.is_empty() {
            let text = format!(
                "{}: no schema file lists a section of it in `reviewed`, so changes of its wording cannot be detected",
                document.file
            );
            lines.push(line(Group::Unchecked, None, text));
        }
        lines
    }

    /// Returns whether a difference of fact or a new section already covers the change.
    fn is_reported(&self, change: &TextChange, context: &Context<'_>) -> bool {
        let at = change.now.clone().unwrap_or(change.at..change.at + 1);
        let is_new = |range: &Range<usize>| range.contains(&change.at);
        context.reported.iter().any(|reported| at.contains(reported))
            || self.new.iter().any(is_new)
            || self.unclaimed.contains(&change.at)
    }

    /// Returns new digests for the sections. The differences are those that stand as accepted, and the others.
    pub(super) fn accepted(
        &self,
        document: &Document,
        files: &[PathBuf],
        found: &Findings,
        differences: &[&[Discrepancy]; 2],
    ) -> Vec<Replacement> {
        let mut replacements = Vec::new();
        for recorded in &self.recorded {
            let Some(section) = document.section(&recorded.reviewed.section.0) else { continue };
            let bytes = section.at.start..section.body.end;
            let [standing, new] = differences.map(|differences| hashes(differences, &bytes));
            let is_as_recorded = recorded.changes.is_empty() && marks::is_digest(&recorded.reviewed.digest.0);
            if is_as_recorded && new.is_empty() {
                continue;
            }
            let place = recorded.reviewed.digest.1;
            let Some(file) = files.get(place.file as usize) else { continue };
            replacements.push(Replacement {
                file: Path::to_path_buf(file),
                bytes: place.start as usize..place.end as usize,
                text: std::iter::once(marks::digest(document, section, found))
                    .chain(standing)
                    .collect::<Vec<_>>()
                    .join(" "),
                differences: new,
            });
        }
        replacements
    }
}

/// Returns the hashes of the differences in a section, each once.
fn hashes(differences: &[Discrepancy], bytes: &Range<usize>) -> Vec<String> {
    let is_here = |difference: &&Discrepancy| {
        let elsewhere = difference.elsewhere.as_ref().map(|(at, _)| *at);
        [Some(difference.at), elsewhere].into_iter().flatten().any(|at| bytes.contains(&at))
    };
    let own = differences.iter().filter(is_here);
    let hashes: BTreeSet<String> = own.map(|difference| marks::standing(&difference.statement())).collect();
    hashes.into_iter().collect()
}

/// Returns the start of the head of a table that changed or is new, if a change is a new row below it.
fn new_head_above(document: &Document, change: &TextChange, changed: &BTreeSet<usize>) -> Option<usize> {
    let now = change.now.as_ref().filter(|_| change.was.is_none())?;
    let start = |cells: &[Range<usize>]| cells.iter().map(|cell| cell.start).min();
    let blocks = document.section_of(now.start)?.blocks.iter();
    let head = blocks.filter_map(|block| match block {
        Block::Table { head, rows } if rows.iter().any(|row| start(row) == Some(now.start)) => start(head),
        _ => None,
    });
    head.into_iter().next().filter(|head| changed.contains(head))
}

/// Returns a new row of a new table, with the facts that are read there.
fn row(change: &TextChange, context: &Context<'_>) -> String {
    let Context { document, .. } = *context;
    let now = change.now.as_ref().map(|now| document.quote(now)).unwrap_or_default();
    let facts: Vec<String> =
        beside(change, context).into_iter().filter(|(what, _)| *what == "facts").flat_map(|(_, facts)| facts).collect();
    let facts = if facts.is_empty() { "no fact is read there".to_owned() } else { facts.join("; ") };
    format!("\n      row at line {}: {now} · {facts}", document.line(change.at))
}

/// Returns the current words, the former words, and the statements of the schema that depend on them.
fn words(change: &TextChange, places: &[String], context: &Context<'_>) -> String {
    let Context { document, was, .. } = *context;
    let line = document.line(change.at);
    let now = change.now.as_ref().map(|now| document.quote(now));
    let before = was.zip(change.was.as_ref()).map(|(was, mark)| marks::words_of(was, mark).map(|at| was.quote(&at)));
    let is_heading = |at: &Range<usize>| document.section_of(at.start).is_some_and(|section| section.at == *at);
    let column = document.new_columns.iter().find(|(title, _)| change.now.as_ref() == Some(title));
    let column = column.map(|(title, cells)| {
        let mut cells: Vec<String> =
            cells.iter().filter(|cell| !cell.is_empty()).map(|cell| document.quote(cell)).collect();
        cells.dedup();
        format!("{} | {}", document.quote(title), cells.join(" | "))
    });
    let says = match (&now, &before) {
        _ if change.was.is_none() && change.now.as_ref().is_some_and(is_heading) => {
            "the same sentences, items and rows in another order".to_owned()
        }
        (Some(now), Some(Some(before))) if now == before => match is_numbered(change, document) {
            true => format!("has another number: {now}"),
            false => format!("the same words in another place: {now}"),
        },
        (Some(now), Some(Some(before))) => difference_of_words(before, now),
        (None, Some(Some(before))) => format!("[-{before}-]"),
        _ if column.is_some() => format!("new column: {}", column.unwrap_or_default()),
        (Some(now), _) if change.was.is_none() => format!("new: {now}"),
        (Some(now), _) => format!("now: {now}"),
        (None, _) => "a sentence, an item or a row was removed".to_owned(),
    };
    let mut text = format!("{}:{line}: {says} · {}", document.file, places.join(", "));
    if let Some(None) = before {
        text.push_str("\n      the documents of `--was` do not have the words that were reviewed");
    }
    for (what, all) in beside(change, context) {
        for one in all {
            text.push_str(&format!("\n      {what}: {one}"));
        }
    }
    text
}

/// Returns whether a change is one of a numbered item.
fn is_numbered(change: &TextChange, document: &Document) -> bool {
    let section = document.section_of(change.at);
    section
        .is_some_and(|own| numbered_rules::numbered(document, own).any(|(_, text)| text.range().contains(&change.at)))
}

/// Returns the parts of the schema that are named there, the facts that are read there, those that are no longer read,
/// and the rules that depend on the place.
fn beside(change: &TextChange, context: &Context<'_>) -> [(&'static str, Vec<String>); 5] {
    let Context { files, document, claims, found, compared, .. } = *context;
    let range = change.now.clone().unwrap_or(change.at..change.at);
    let parts = change.now.as_ref().map(|now| changed_parts(change, now, context)).unwrap_or_default();
    let is_there = |at: usize| range.contains(&at) && parts.iter().any(|part| part.range().contains(&at));
    let mut facts: Vec<String> = Vec::new();
    for stated in found.statements.iter().filter(|stated| stated.force == Basis::Stated && is_there(stated.at)) {
        let fact = statement(&stated.key, &stated.value);
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let (now, before) = (marks::facts_in(found, &range), change.facts_before());
    let beside: usize = change.beside.iter().map(|unit| marks::facts_in(found, unit)).sum();
    let lost: Vec<String> = (now + beside < before)
        .then(|| format!("{now} facts are read here, {before} were when it was reviewed"))
        .into_iter()
        .collect();
    let section = document.section_of(change.at);
    let named = NameFinder { document, claims, found, files };
    let concerns =
        section.zip(change.now.as_ref()).map(|(section, now)| named.in_parts(section, document.span(now), &parts));
    let concerns = concerns.unwrap_or_default();
    let silent = section.filter(|_| !lost.is_empty()).map(|section| named.silent(section, &range, &compared.unstated));
    let silent = silent.unwrap_or_default();
    let concerns = if concerns.is_empty() { Vec::new() } else { vec![concerns.join("; ")] };
    let rules = section.map(|section| rules(section, change, context)).unwrap_or_default();
    let facts = if facts.is_empty() { Vec::new() } else { vec![facts.join("; ")] };
    [
        ("names", concerns),
        ("facts", facts),
        ("lost", lost),
        ("in the schema, but not read there", silent),
        ("rule", rules),
    ]
}

/// Returns the changed parts of a sentence, or the whole if the earlier documents do not show them; a row is one part.
fn changed_parts<'a>(change: &TextChange, now: &Range<usize>, context: &Context<'a>) -> Vec<Span<'a>> {
    let whole = context.document.span(now);
    let before = context.was.zip(change.was.as_ref());
    let before = before.and_then(|(was, mark)| Some(was.span(&marks::words_of(was, mark)?).text));
    let Some(before) = before.filter(|_| !whole.text.contains('|')) else { return vec![whole] };
    let list = whole.label().map_or(whole, |(_, list)| list);
    let is_new = |part: &Span<'_>| !before.contains(part.text);
    let parts: Vec<Span<'a>> = list.split(&[",", ";"]).into_iter().filter(is_new).collect();
    if parts.is_empty() { vec![whole] } else { parts }
}

/// The most rules that are shown beside a change.
const MAX_RULES: usize = 5;

/// Returns the rules whose place may be that of a change; for removed text, those of its section. Of many, the ones with
/// the most similar words are shown.
fn rules(section: &Section, change: &TextChange, context: &Context<'_>) -> Vec<String> {
    let Context { files, document, was, .. } = *context;
    let now = change.now.as_ref().map(|now| document.span(now));
    let before = was.zip(change.was.as_ref()).and_then(|(was, mark)| Some(was.span(&marks::words_of(was, mark)?).text));
    let changed = stems(&[now.map(|now| now.text), before].into_iter().flatten().collect::<Vec<_>>().join(" "));
    let number = now.and_then(|now| numbered_rules::number_of(document, section, now));
    let can_be = |at: &str| now.is_none_or(|now| numbered_rules::is_place(at, now, number));
    let places = context.rules.iter().filter(|(start, ..)| *start == section.at.start);
    let mut rules: Vec<(usize, String)> = Vec::new();
    for (_, rule, _) in places.filter(|(_, _, at)| can_be(at)) {
        let says = rule.says.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = format!("{}: {} · {}", rule.id, says, shown_place(files, Some(rule.place)));
        if rules.iter().all(|(_, other)| *other != shown) {
            rules.push((likeness(&stems(&says), &changed), shown));
        }
    }
    let mut likest: Vec<usize> = rules.iter().map(|(likeness, _)| *likeness).collect();
    likest.sort_unstable_by_key(|likeness| std::cmp::Reverse(*likeness));
    let least = likest.get(MAX_RULES - 1).copied().unwrap_or_default();
    let all = rules.len();
    let shown = rules.into_iter().filter(|(likeness, _)| *likeness >= least).map(|(_, shown)| shown);
    let mut shown: Vec<String> = shown.take(MAX_RULES).collect();
    if all > shown.len() {
        shown.push(format!("and {} others of the section", all - shown.len()));
    }
    shown
}

/// Returns the difference in the form `the [-old-]{+new+} words`.
fn difference_of_words(before: &str, now: &str) -> String {
    let mut text = String::new();
    let mut last = ChangeTag::Equal;
    let close = |tag: ChangeTag| match tag {
        ChangeTag::Equal => "",
        ChangeTag::Delete => "-]",
        ChangeTag::Insert => "+}",
    };
    for change in TextDiff::from_words(before, now).iter_all_changes() {
        if change.tag() != last {
            text.push_str(close(last));
            text.push_str(match change.tag() {
                ChangeTag::Equal => "",
                ChangeTag::Delete => "[-",
                ChangeTag::Insert => "{+",
            });
            last = change.tag();
        }
        text.push_str(change.value());
    }
    text + close(last)
}

/// A digest to be written.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub(super) file: PathBuf,
    pub(super) bytes: Range<usize>,
    pub(super) text: String,
    /// The hashes of facts of the section that differ, so that the digest changes only together with these.
    differences: Vec<String>,
}

impl Replacement {
    fn whole(&self) -> String {
        std::iter::once(&self.text).chain(&self.differences).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// Writes the digests, those of sections in which a fact differs only `as_is`. Returns how many were written, and how
/// many were left unchanged.
pub(super) fn write_digests(replacements: &[Replacement], as_is: bool) -> Result<(usize, usize), Diagnostics> {
    let is_written = |replacement: &&Replacement| as_is || replacement.differences.is_empty();
    let mut to = Diagnostics::default();
    let mut by_file: BTreeMap<&PathBuf, Vec<&Replacement>> = BTreeMap::new();
    for replacement in replacements.iter().filter(is_written) {
        by_file.entry(&replacement.file).or_default().push(replacement);
    }
    let mut written = 0;
    for (file, mut replacements) in by_file {
        // From the end of the file, so that places before a replacement stay valid.
        replacements.sort_by_key(|replacement| std::cmp::Reverse(replacement.bytes.start));
        let result = std::fs::read_to_string(file).and_then(|mut text| {
            for replacement in &replacements {
                if text.get(replacement.bytes.clone()).is_none() {
                    return Err(std::io::Error::other("it changed during the run"));
                }
                text.replace_range(replacement.bytes.clone(), &replacement.whole());
            }
            write::replace_durably(file, &text)
        });
        match result {
            Ok(()) => written += replacements.len(),
            Err(error) => {
                to.whole(Code::CannotWrite, format!("cannot write {}: {error}", file.display()))
                    .help("make the file writable, and run again");
            }
        }
    }
    let waiting = replacements.len() - replacements.iter().filter(is_written).count();
    to.into_result().map(|()| (written, waiting))
}
