//! A list of announced changes -> for each of its entries, whether the schema has it.
//!
//! Such a list is prose with dates. An entry is an item, a row or a paragraph with a date, or below one. [`subject`] finds
//! the operations and the names that it speaks of, and [`standing`] compares them, and its numbers, with the facts of the
//! schema and with its observations, which are prose as well. What an entry says beyond that is not understood, so each is
//! shown with the lines of the schema that it was compared with.

mod standing;
mod subject;

use std::fmt;
use std::path::PathBuf;

use serde_json::json;

use super::document::{Block, Document};
use super::findings::UnreadLine;
use super::measures::date_in;
use super::report::{ranges, shown_place};
use super::text::Span;
use crate::compiler::diagnostics::Place;
use crate::compiler::model::{Api, Day};
use standing::Known;
pub use standing::Standing;

/// The entries of a list of changes, compared with the schema; the text of it is the report.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    file: String,
    entries: Vec<Entry>,
    /// The lines of texts before the first date, which are not compared.
    undated: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    line: usize,
    day: Day,
    text: String,
    standing: Standing,
    /// The names that the schema lacks, or what it states instead.
    says: String,
    /// The places in the schema that it was compared with.
    places: Vec<String>,
}

/// The most places that the report shows of an entry.
const MAX_PLACES: usize = 3;

/// Compares a list of changes with the schema.
pub(super) fn compare(api: &Api, files: &[PathBuf], name: &str, text: String) -> Announced {
    let document = Document::parse("", name, text, None);
    let known = Known::of(api);
    let entry = |(day, headings, text): Dated<'_>| {
        let judged = known.judge(&document, &headings, text);
        let mut places: Vec<Place> = judged.places;
        places.sort_unstable_by_key(|place| (place.file, place.line));
        places.dedup_by_key(|place| (place.file, place.line));
        Entry {
            line: document.line(text.at),
            day,
            text: document.quote(&text.range()),
            standing: judged.standing,
            says: judged.says,
            places: places.into_iter().map(|place| shown_place(files, Some(place))).collect(),
        }
    };
    let (dated, undated) = dated(&document);
    let undated = undated.into_iter().map(|text| document.line(text.at)).collect();
    Announced { file: name.to_owned(), entries: dated.into_iter().map(entry).collect(), undated }
}

/// A text with the day that it is of and the headings above it, in lower case.
type Dated<'a> = (Day, String, Span<'a>);

/// Returns the texts with the day that they are of, their own, or else that of the text or the heading before; and those
/// without any.
fn dated(document: &Document) -> (Vec<Dated<'_>>, Vec<Span<'_>>) {
    let (mut found, mut undated) = (Vec::new(), Vec::new());
    let mut above: Vec<(u8, String, Option<Day>)> = Vec::new();
    for section in &document.sections {
        above.retain(|(level, ..)| *level < section.level);
        let own = date_in(Span::new(&section.heading, 0)).map(|(day, _)| day);
        above.push((section.level, section.heading.to_lowercase(), own));
        let mut day = above.iter().rev().find_map(|(_, _, day)| *day);
        let headings = above.iter().map(|(_, heading, _)| heading.as_str()).collect::<Vec<_>>().join(" ");
        for text in section.blocks.iter().flat_map(|block| texts(document, block)) {
            let own = date_in(text).filter(|(_, date)| is_start(text.before(date.at)));
            let behind = own.map_or(text, |(_, date)| text.after(date.range().end));
            let rest = behind.words().first().map_or(behind, |first| behind.after(first.at));
            day = own.map(|(day, _)| day).or(day);
            match day.filter(|_| rest.words().len() > 1) {
                Some(day) => found.push((day, headings.clone(), rest)),
                None if day.is_none() && !text.is_empty() => undated.push(text),
                None => {}
            }
        }
    }
    (found, undated)
}

/// Returns whether only marks and a day of the week stand before a date.
fn is_start(before: Span<'_>) -> bool {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let is_mark = |word: &str| !word.contains(char::is_alphanumeric);
    let is_day = |word: &str| DAYS.iter().any(|day| word.to_lowercase().starts_with(day));
    before.texts().into_iter().all(|word| is_mark(word) || is_day(word))
}

/// Returns the texts of a block: a row of a table is one text.
fn texts<'a>(document: &'a Document, block: &'a Block) -> Vec<Span<'a>> {
    match block {
        Block::Text(range) | Block::Item { text: range, .. } => vec![document.span(range).trim()],
        Block::Table { rows, .. } => {
            let row = |cells: &Vec<std::ops::Range<usize>>| {
                let (first, last) = (cells.first()?, cells.last()?);
                Some(document.span(&(first.start..last.end)).trim())
            };
            rows.iter().filter_map(row).collect()
        }
    }
}

impl Announced {
    /// Returns the lines of the entries with their standings, in the order of the list.
    pub fn standings(&self) -> impl Iterator<Item = (usize, Standing)> {
        self.entries.iter().map(|entry| (entry.line, entry.standing))
    }

    /// Returns whether no entry has a date.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of entries with a standing.
    pub fn count(&self, standing: Standing) -> usize {
        self.entries.iter().filter(|entry| entry.standing == standing).count()
    }

    /// Returns the report as JSON, an object on each line: the entries in the order of the list, then the totals.
    pub fn as_json(&self) -> String {
        let entry = |entry: &Entry| {
            json!({
                "file": self.file,
                "line": entry.line,
                "day": entry.day.to_string(),
                "standing": entry.standing.as_str(),
                "text": entry.text,
                "message": entry.says,
                "schema": entry.places,
            })
        };
        let totals = Standing::ALL.iter().map(|standing| (standing.as_str().to_owned(), json!(self.count(*standing))));
        let totals = json!({"entries": self.entries.len(), "without_date": self.undated, "standings": serde_json::Map::from_iter(totals)});
        self.entries.iter().map(entry).chain([totals]).map(|object| format!("{object}\n")).collect()
    }
}

impl fmt::Display for Announced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for standing in Standing::ALL.iter().filter(|standing| self.count(**standing) > 0) {
            writeln!(f, "{}:", standing.as_str())?;
            for entry in self.entries.iter().filter(|entry| entry.standing == *standing) {
                writeln!(f, "  {}:{}: {} {}", self.file, entry.line, entry.day, entry.text)?;
                let shown = entry.places.iter().take(MAX_PLACES).map(String::as_str);
                let more = entry.places.len().saturating_sub(MAX_PLACES);
                let more = (more > 0).then(|| format!("{more} more"));
                let places = shown.map(str::to_owned).chain(more).collect::<Vec<_>>().join(", ");
                let says = [entry.says.as_str(), &places].into_iter().filter(|text| !text.is_empty());
                let says = says.collect::<Vec<_>>().join(" · ");
                if !says.is_empty() {
                    writeln!(f, "    {says}")?;
                }
            }
        }
        let counts = Standing::ALL.iter().map(|standing| format!("{} {}", self.count(*standing), standing.as_str()));
        let counts = counts.collect::<Vec<_>>().join(", ");
        if !self.undated.is_empty() {
            let lines: Vec<UnreadLine> = self.undated.iter().map(|line| (*line, false)).collect();
            writeln!(f, "without a date, and not compared: lines {}", ranges(&lines, false))?;
        }
        write!(f, "{} announced changes: {counts}", self.entries.len())
    }
}
