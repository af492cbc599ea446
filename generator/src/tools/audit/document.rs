//! Markdown -> sections with tables, list items and paragraphs, each with its place.
//!
//! The text of a document is what the rendered page shows: without markup, with one line for each block, in plain
//! typography and in words that the readers know. Every byte of it can be traced to the source.
//!
//! A reader that understands a part of a sentence cannot interpret the rest, so only meaningless differences are
//! removed: markup, typography, the order of rows, synonyms. Code is compared literally.

mod markdown;

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Options, Parser};

use self::markdown::Builder;
use super::text::Span;
use super::wording;
use crate::compiler::model::Reading;

/// A document and its sections.
pub(super) struct Document {
    /// The key under `documents` in `api.yaml`.
    pub(super) id: String,
    /// The name in messages.
    pub(super) file: String,
    /// The words of its blocks, with one line for each block; cells are separated by `|`.
    pub(super) text: String,
    pub(super) sections: Vec<Section>,
    /// The first section of each heading, as it stands there and in its canonical form.
    headings: BTreeMap<String, usize>,
    alike: BTreeMap<String, usize>,
    /// The content of the file.
    source: String,
    runs: Vec<Run>,
    /// The byte ranges of the source that are code, in order; their text is taken literally.
    literals: Vec<Range<usize>>,
    /// The byte ranges of the source that are code within a sentence or a cell.
    codes: Vec<Range<usize>>,
    /// Links to places in this document and in others.
    pub(super) links: Vec<Link>,
    /// Names that tags give to places, each with the byte of the text that follows.
    anchors: Vec<(usize, String)>,
    /// The start of each line of the source.
    lines: Vec<usize>,
    /// The words that the schema declares for the document.
    pub(super) reading: Option<Reading>,
    /// Former names of sections, each with the byte at which the section now starts.
    pub(super) renamed: Vec<(String, usize)>,
    /// The hashes of what sections said at the review, by the byte at which each section starts.
    pub(super) reviewed: BTreeMap<usize, Vec<String>>,
    /// Columns that tables did not have at the review: the cell of the head, and the others.
    pub(super) new_columns: Vec<(Range<usize>, Vec<Range<usize>>)>,
}

/// Bytes of the text that are also contiguous in the source.
struct Run {
    text: usize,
    source: usize,
    length: usize,
}

/// A link to a place in a document.
pub(super) struct Link {
    /// The bytes of the source.
    at: Range<usize>,
    /// The name of the document's file without its folder and its ending; empty for this document.
    pub(super) page: String,
    pub(super) anchor: String,
}

impl Link {
    fn of(at: Range<usize>, address: &str) -> Option<Self> {
        let (path, anchor) = address.split_once('#')?;
        let file = path.rsplit('/').next().unwrap_or(path);
        let page = file.split('.').next().unwrap_or(file).to_owned();
        Some(Self { at, page, anchor: anchor.to_lowercase() })
    }
}

/// The text between two headings.
pub(super) struct Section {
    pub(super) heading: String,
    /// 1 for the title, 2 for chapters and so on, whichever marks the file has for them.
    pub(super) level: u8,
    /// True if it had links within the document, which are not part of its text.
    is_navigation: bool,
    /// The bytes of the heading.
    pub(super) at: Range<usize>,
    /// The bytes from the heading's end to the next heading.
    pub(super) body: Range<usize>,
    pub(super) blocks: Vec<Block>,
}

/// A block of a section.
pub(super) enum Block {
    Text(Range<usize>),
    /// An item of a list, possibly numbered.
    Item {
        list: usize,
        number: Option<u64>,
        text: Range<usize>,
    },
    Table {
        head: Vec<Range<usize>>,
        rows: Vec<Vec<Range<usize>>>,
    },
}

impl Document {
    pub(super) fn parse(id: &str, file: &str, source: String, reading: Option<Reading>) -> Self {
        let mut lines = vec![0];
        lines.extend(source.match_indices('\n').map(|(at, _)| at + 1));
        let mut builder = Builder::default();
        // A byte-order mark would hide the first heading.
        let start = source.len() - source.trim_start_matches('\u{feff}').len();
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        for part in closed_parts(&source, start) {
            let (at, text) = (part.start, &source[part]);
            for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
                builder.event(text, event, range, at);
            }
        }
        let Builder { text, runs, literals, codes, links, anchors, mut sections, .. } = builder;
        sections.retain(|section| !section.is_navigation || !section.blocks.is_empty());
        rank(&mut sections);
        let starts: Vec<usize> = sections.iter().skip(1).map(|section| section.at.start).collect();
        for (section, end) in sections.iter_mut().zip(starts.into_iter().chain([text.len()])) {
            section.body = section.at.end..end.max(section.at.end);
        }
        let (id, file) = (id.to_owned(), file.to_owned());
        let (renamed, reviewed, new_columns) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut document = Self {
            id,
            file,
            text,
            sections,
            headings: BTreeMap::new(),
            alike: BTreeMap::new(),
            source,
            runs,
            literals,
            codes,
            links,
            anchors,
            lines,
            reading,
            renamed,
            reviewed,
            new_columns,
        };
        document.index();
        document
    }

    /// Indexes the headings again, after sections have changed.
    pub(super) fn index(&mut self) {
        self.headings.clear();
        self.alike.clear();
        for (nth, section) in self.sections.iter().enumerate() {
            self.headings.entry(section.heading.clone()).or_insert(nth);
            self.alike.entry(wording::canonical(&section.heading)).or_insert(nth);
        }
    }

    pub(super) fn span(&self, range: &Range<usize>) -> Span<'_> {
        Span::new(self.text.get(range.clone()).unwrap_or_default(), range.start)
    }

    /// Returns the meaning of a part of the text: two parts are equal exactly if no reader can find different facts in
    /// them.
    pub(super) fn meaning(&self, part: Span<'_>) -> String {
        let literals = self.runs_of(part.range()).filter(|run| {
            let after = self.literals.partition_point(|literal| literal.end <= run.source);
            self.literals.get(after).is_some_and(|literal| literal.contains(&run.source))
        });
        let within = |run: &Run| run.text.saturating_sub(part.at)..(run.text + run.length).saturating_sub(part.at);
        wording::meaning(part.text, &literals.map(within).collect::<Vec<_>>())
    }

    /// Returns whether the document marks names and values as code.
    pub(super) fn has_codes(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Returns the codes within a part of the text, in order.
    pub(super) fn codes_in(&self, part: Span<'_>) -> Vec<Span<'_>> {
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        for run in self.runs_of(part.range()) {
            let code = self.codes.partition_point(|code| code.end <= run.source);
            if self.codes.get(code).is_none_or(|of| !of.contains(&run.source)) {
                continue;
            }
            let end = run.text + run.length.min(self.codes[code].end.saturating_sub(run.source));
            match found.last_mut().filter(|(known, _)| *known == code) {
                Some((_, range)) => range.end = end,
                None => found.push((code, run.text..end)),
            }
        }
        found.into_iter().map(|(_, range)| self.span(&range)).collect()
    }

    /// Returns the first link in a part of the text.
    pub(super) fn link(&self, part: Span<'_>) -> Option<&Link> {
        let has = |link: &&Link| self.runs_of(part.range()).any(|run| link.at.contains(&run.source));
        self.links.iter().find(has)
    }

    /// Returns the section that the first link in a part of the text leads to.
    pub(super) fn target(&self, part: Span<'_>) -> Option<&Section> {
        let link = self.link(part).filter(|link| link.page.is_empty() || link.page == self.id)?;
        self.sections.iter().find(|section| self.has_anchor(section, &link.anchor))
    }

    /// Returns whether links lead to a section by this anchor: that of its heading, or one of a tag before it.
    pub(super) fn has_anchor(&self, section: &Section, anchor: &str) -> bool {
        let mut named = self.anchors.iter().filter(|(_, name)| name == anchor);
        let follows = |(at, _): &(usize, String)| {
            self.sections.iter().find(|next| next.at.start >= *at).is_some_and(|next| next.at == section.at)
        };
        anchor_of(&section.heading) == anchor || named.any(follows)
    }

    /// Returns the runs in a part of the text.
    fn runs_of(&self, part: Range<usize>) -> impl Iterator<Item = &Run> {
        let first = self.runs.partition_point(|run| run.text + run.length <= part.start);
        let end = part.end;
        self.runs[first..].iter().take_while(move |run| run.text < end)
    }

    /// Returns the byte of the source that a byte of the text comes from.
    fn origin(&self, at: usize) -> usize {
        let next = self.runs.partition_point(|run| run.text <= at);
        let run = next.checked_sub(1).and_then(|run| self.runs.get(run));
        // A separator between blocks comes from no byte; the last byte before it stands for it.
        run.map_or(0, |run| run.source + (at - run.text).min(run.length.saturating_sub(1)))
    }

    /// Returns the line of the file that a byte of the text comes from, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= self.origin(at)).max(1)
    }

    /// Returns a block as written in the file.
    pub(super) fn source_of(&self, range: &Range<usize>) -> &str {
        let (start, last) = (self.origin(range.start), self.origin(range.end.saturating_sub(1).max(range.start)));
        self.source.get(start..=last).unwrap_or_default()
    }

    /// Returns a part of the text as written in the file, on one line.
    pub(super) fn quote(&self, range: &Range<usize>) -> String {
        let (start, last) = (self.origin(range.start), self.origin(range.end.saturating_sub(1).max(range.start)));
        let end = (last + 1..=self.source.len()).find(|end| self.source.is_char_boundary(*end)).unwrap_or(last);
        // The marks of code and emphasis at either end belong to it.
        let is_mark = |byte: &&u8| [b'`', b'*'].contains(*byte);
        let before = self.source.as_bytes()[..start].iter().rev().take_while(is_mark).count();
        let after = self.source.as_bytes()[end..].iter().take_while(is_mark).count();
        one_line(self.source.get(start - before..end + after).unwrap_or_default())
    }

    /// Returns the section with the title: the first one with a heading, if chapters are below it.
    pub(super) fn title(&self) -> Option<&Section> {
        self.sections.iter().find(|section| !section.heading.is_empty()).filter(|first| first.level == 1)
    }

    /// Returns the section with a heading, or the one that had it when the schema was written.
    pub(super) fn section(&self, heading: &str) -> Option<&Section> {
        let alike = || self.alike.get(&wording::canonical(heading)).copied();
        let known = self.headings.get(heading).copied().or_else(alike).and_then(|nth| self.sections.get(nth));
        let renamed = || self.renamed.iter().find(|(old, _)| wording::is_alike(old, heading)).map(|(_, start)| *start);
        known.or_else(|| renamed().and_then(|start| self.sections.iter().find(|section| section.at.start == start)))
    }

    /// Returns whether a heading in the schema refers to this section.
    pub(super) fn is_section(&self, heading: &str, section: &Section) -> bool {
        self.section(heading).is_some_and(|named| named.at == section.at)
    }

    pub(super) fn section_of(&self, at: usize) -> Option<&Section> {
        let next = self.sections.partition_point(|section| section.at.start <= at);
        next.checked_sub(1).and_then(|nth| self.sections.get(nth))
    }
}

impl Section {
    fn new(heading: String, level: u8, at: Range<usize>) -> Self {
        Self { heading, level, is_navigation: false, body: at.end..at.end, at, blocks: Vec::new() }
    }

    /// Returns the text of the section outside tables, as list items and paragraphs.
    pub(super) fn texts<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Span<'a>> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Text(range) | Block::Item { text: range, .. } => Some(document.span(range).trim()),
            Block::Table { .. } => None,
        })
    }

    /// Returns the tables of the section, each with its label: the heading of a part, or a short paragraph, such as
    /// `Response:`.
    pub(super) fn labelled_tables<'a>(&'a self, document: &'a Document) -> Vec<(Option<Span<'a>>, Table<'a>)> {
        let (mut label, mut tables) = (None, Vec::new());
        for block in &self.blocks {
            match block {
                Block::Text(range) => label = label_of(document.span(range).trim()).or(label),
                Block::Item { .. } => {}
                Block::Table { .. } => tables.extend(block.table(document).map(|table| (label, table))),
            }
        }
        tables
    }

    /// Returns the tables of the section: the cells of the head, and those of each row.
    pub(super) fn tables<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Table<'a>> {
        self.blocks.iter().filter_map(|block| block.table(document))
    }
}

impl Block {
    /// Returns the cells of a table.
    pub(super) fn table<'a>(&'a self, document: &'a Document) -> Option<Table<'a>> {
        let Self::Table { head, rows } = self else { return None };
        let cells = |row: &Vec<Range<usize>>| row.iter().map(|cell| document.span(cell)).collect();
        Some(Table { head: cells(head), rows: rows.iter().map(cells).collect() })
    }
}

/// A table's cells.
pub(super) struct Table<'a> {
    pub(super) head: Vec<Span<'a>>,
    pub(super) rows: Vec<Vec<Span<'a>>>,
}

impl<'a> Table<'a> {
    /// Returns the index of the column whose title contains this word.
    pub(super) fn column(&self, word: &str) -> Option<usize> {
        self.head.iter().position(|cell| cell.texts().iter().any(|text| wording::have_same_stem(text, word)))
    }

    /// Returns where the table starts.
    pub(super) fn at(&self) -> usize {
        self.head.first().map_or(0, |cell| cell.at)
    }
}

/// The longest label, in words.
const LABEL: usize = 5;

/// Returns the words of a paragraph that say what follows: the whole, if it is short, or a last sentence with a colon.
pub(super) fn label_of(text: Span<'_>) -> Option<Span<'_>> {
    let last = *text.sentences().last()?;
    let is_short = text.words().len() <= LABEL && !text.text.ends_with('.');
    (is_short || last.text.ends_with(':')).then_some(last)
}

/// Returns the parts of a text that are read one after the other: a block of code that is never closed ends before the
/// next heading, because all that follows would be code.
fn closed_parts(source: &str, start: usize) -> Vec<Range<usize>> {
    let (mut parts, mut begin) = (Vec::new(), start);
    loop {
        let (mut at, mut fence, mut heading) = (begin, None, None);
        for line in source[begin..].split_inclusive('\n') {
            let bare = line.trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark && bare.trim_start_matches(&mark[..1]).is_empty() => {
                    (fence, heading) = (None, None);
                }
                (Some(_), _) if heading.is_none() && is_heading(line) => heading = Some(at),
                _ => {}
            }
            at += line.len();
        }
        let Some(end) = fence.and(heading) else { break };
        parts.push(begin..end);
        begin = end;
    }
    parts.push(begin..source.len());
    parts
}

/// Returns whether a line is a heading below the title; a comment of a shell has one mark.
fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    (2..=6).contains(&marks) && line[marks..].starts_with(' ')
}

/// Counts the levels of headings from 1, without gaps. Where the first heading is the title and others are on its
/// level, these are the chapters.
fn rank(sections: &mut [Section]) {
    // What stands before the first heading belongs to none.
    let named = sections.iter().position(|section| !section.heading.is_empty()).unwrap_or_default();
    let sections = &mut sections[named..];
    let title = sections.first().map(|first| first.level);
    let has_equals = sections.iter().skip(1).any(|section| Some(section.level) == title);
    let mut levels: Vec<u8> = sections.iter().skip(1).map(|section| section.level).collect();
    levels.sort_unstable();
    levels.dedup();
    let is_title = title == Some(1);
    let first = if is_title && (has_equals || !levels.contains(&1)) { 2 } else { 1 };
    for (nth, section) in sections.iter_mut().enumerate() {
        let rank = levels.iter().position(|level| *level == section.level);
        section.level = match (nth, rank) {
            (0, _) if first == 2 => 1,
            (_, rank) => rank.and_then(|rank| u8::try_from(rank).ok()).unwrap_or_default().saturating_add(first),
        };
    }
}

/// Returns the anchor of a heading.
fn anchor_of(heading: &str) -> String {
    let letter = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
        _ => None,
    };
    heading.to_lowercase().chars().filter_map(letter).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
