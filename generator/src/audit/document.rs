//! Markdown -> sections with tables, list items and paragraphs, each with its place.
//!
//! The text of a document is what the rendered page shows: without markup, with one line for each block, in plain
//! typography and in words that the readers know. Every byte of it can be traced to the source.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::text::Span;
use super::wording;

/// A document and its sections.
pub(super) struct Document {
    /// Its key under `documents` in `api.yaml`.
    pub(super) id: String,
    /// Its name in messages.
    pub(super) file: String,
    /// The words of its blocks, with one line for each block; cells are separated by `|`.
    pub(super) text: String,
    pub(super) sections: Vec<Section>,
    /// The content of the file.
    source: String,
    runs: Vec<Run>,
    /// The byte ranges of the source that are code, in order; their text is taken literally.
    literals: Vec<Range<usize>>,
    /// The start of each line of the source.
    lines: Vec<usize>,
    /// Former names of sections, each with the byte at which the section now starts.
    pub(super) renamed: Vec<(String, usize)>,
}

/// Bytes of the text that are also contiguous in the source.
struct Run {
    text: usize,
    source: usize,
    length: usize,
}

/// The text between two headings.
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) level: u8,
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
    pub(super) fn parse(id: &str, file: &str, source: String) -> Self {
        let mut lines = vec![0];
        lines.extend(source.match_indices('\n').map(|(at, _)| at + 1));
        let mut builder = Builder::default();
        // A byte-order mark would hide the first heading.
        let start = source.len() - source.trim_start_matches('\u{feff}').len();
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        for (event, range) in Parser::new_ext(&source[start..], options).into_offset_iter() {
            builder.event(&source[start..], event, range, start);
        }
        let Builder { text, runs, literals, mut sections, .. } = builder;
        let starts: Vec<usize> = sections.iter().skip(1).map(|section| section.at.start).collect();
        for (section, end) in sections.iter_mut().zip(starts.into_iter().chain([text.len()])) {
            section.body = section.at.end..end.max(section.at.end);
        }
        let (id, file) = (id.to_owned(), file.to_owned());
        Self { id, file, text, sections, source, runs, literals, lines, renamed: Vec::new() }
    }

    pub(super) fn span(&self, range: &Range<usize>) -> Span<'_> {
        Span::new(self.text.get(range.clone()).unwrap_or_default(), range.start)
    }

    /// The meaning of a part of the text: two parts are equal exactly if no reader can find different facts in them.
    pub(super) fn meaning(&self, part: Span<'_>) -> String {
        let literals = self.runs_of(part.range()).filter(|run| {
            let after = self.literals.partition_point(|literal| literal.end <= run.source);
            self.literals.get(after).is_some_and(|literal| literal.contains(&run.source))
        });
        let within = |run: &Run| run.text.saturating_sub(part.at)..(run.text + run.length).saturating_sub(part.at);
        wording::meaning(part.text, &literals.map(within).collect::<Vec<_>>())
    }

    /// The runs in a part of the text.
    fn runs_of(&self, part: Range<usize>) -> impl Iterator<Item = &Run> {
        let first = self.runs.partition_point(|run| run.text + run.length <= part.start);
        let end = part.end;
        self.runs[first..].iter().take_while(move |run| run.text < end)
    }

    /// The byte of the source that a byte of the text comes from.
    fn origin(&self, at: usize) -> usize {
        let next = self.runs.partition_point(|run| run.text <= at);
        let run = next.checked_sub(1).and_then(|run| self.runs.get(run));
        // A separator between blocks comes from no byte; the last byte before it stands for it.
        run.map_or(0, |run| run.source + (at - run.text).min(run.length.saturating_sub(1)))
    }

    /// The line of the file that a byte of the text comes from, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= self.origin(at)).max(1)
    }

    /// A part of the text as written in the file, on one line.
    pub(super) fn quote(&self, range: &Range<usize>) -> String {
        let (start, last) = (self.origin(range.start), self.origin(range.end.saturating_sub(1).max(range.start)));
        let end = (last + 1..=self.source.len()).find(|end| self.source.is_char_boundary(*end));
        one_line(self.source.get(start..end.unwrap_or(last)).unwrap_or_default())
    }

    /// The section with a heading, or the one that had it when the schema was written.
    pub(super) fn section(&self, heading: &str) -> Option<&Section> {
        let named = |heading: &str| self.sections.iter().find(|section| section.heading == heading);
        let renamed = || self.renamed.iter().find(|(old, _)| wording::is_alike(old, heading)).map(|(_, start)| *start);
        named(heading)
            .or_else(|| self.sections.iter().find(|section| wording::is_alike(heading, &section.heading)))
            .or_else(|| renamed().and_then(|start| self.sections.iter().find(|section| section.at.start == start)))
    }

    /// Whether a heading in the schema refers to this section.
    pub(super) fn is_section(&self, heading: &str, section: &Section) -> bool {
        self.section(heading).is_some_and(|named| named.at == section.at)
    }

    pub(super) fn section_of(&self, at: usize) -> Option<&Section> {
        self.sections.iter().rfind(|section| section.at.start <= at)
    }
}

impl Section {
    /// The text of the section outside tables, as list items and paragraphs.
    pub(super) fn texts<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Span<'a>> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Text(range) | Block::Item { text: range, .. } => Some(document.span(range).trim()),
            Block::Table { .. } => None,
        })
    }

    /// The tables of the section: the cells of the head, and those of each row.
    pub(super) fn tables<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Table<'a>> {
        self.blocks.iter().filter_map(|block| block.table(document))
    }
}

impl Block {
    /// The cells of a table.
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
    /// The index of the column whose title contains this word.
    pub(super) fn column(&self, word: &str) -> Option<usize> {
        self.head.iter().position(|cell| cell.texts().iter().any(|text| wording::akin(text, word)))
    }

    /// Where the table starts.
    pub(super) fn at(&self) -> usize {
        self.head.first().map_or(0, |cell| cell.at)
    }
}

/// Whether a piece of HTML is a comment or one of the tags of HTML, which the page does not show. Other text in angle
/// brackets is the name of something.
fn is_markup(html: &str) -> bool {
    const TAGS: [&str; 20] = [
        "a", "b", "br", "code", "del", "details", "div", "em", "font", "i", "img", "li", "p", "small", "span",
        "strong", "sub", "summary", "sup", "u",
    ];
    let html = html.trim();
    let name =
        html.trim_start_matches(['<', '/']).split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_tag = html.starts_with('<') && html.ends_with('>') && html.matches('<').count() == 1;
    html.starts_with("<!--") && html.ends_with("-->") || is_tag && TAGS.contains(&name.to_ascii_lowercase().as_str())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The block that words are being added to.
#[derive(Clone, Copy)]
enum Open {
    Heading(u8),
    Text,
    Item { list: usize, number: Option<u64> },
    Cell,
}

#[derive(Default)]
struct Builder {
    text: String,
    runs: Vec<Run>,
    literals: Vec<Range<usize>>,
    sections: Vec<Section>,
    /// The open lists, each with its own number and that of its next item.
    lists: Vec<(usize, Option<u64>)>,
    /// The number of lists so far.
    count: usize,
    /// The target of the open link.
    link: Option<String>,
    open: Option<Open>,
    /// Whether the open block is a block of code.
    is_code: bool,
    /// Whether a metadata block is open.
    is_metadata: bool,
    /// The end of the latest cell in the parsed text.
    cell_end: usize,
    /// The characters of the open block, each with its byte in the source.
    words: Vec<(char, usize)>,
}

impl Builder {
    /// `start` is the byte at which the parsed text starts in the source.
    fn event(&mut self, parsed: &str, event: Event<'_>, range: Range<usize>, start: usize) {
        let at = start + range.start;
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.begin(Open::Heading(level as u8)),
            Event::Start(Tag::List(first)) => {
                self.end();
                let list = self.continued(first).unwrap_or_else(|| {
                    self.count += 1;
                    self.count
                });
                self.lists.push((list, first));
            }
            Event::Start(Tag::Item) => {
                let Some((list, next)) = self.lists.last_mut() else { return };
                let (list, counted) = (*list, *next);
                *next = next.map(|n| n.saturating_add(1));
                // The number as written, which readers refer to.
                let digits: String = parsed[range].chars().take_while(char::is_ascii_digit).collect();
                let number = counted.map(|counted| digits.parse().unwrap_or(counted));
                self.begin(Open::Item { list, number });
            }
            // The paragraphs of a list item belong to its text.
            Event::Start(Tag::Paragraph) if matches!(self.open, Some(Open::Item { .. })) => self.push(" ", at),
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) => self.begin(Open::Text),
            Event::Start(Tag::CodeBlock(_)) => {
                self.begin(Open::Text);
                self.is_code = true;
            }
            Event::Start(Tag::Table(_)) => {
                self.end();
                self.block(Block::Table { head: Vec::new(), rows: Vec::new() });
            }
            Event::Start(Tag::TableRow) => {
                if let Some(Block::Table { rows, .. }) = self.last() {
                    rows.push(Vec::new());
                }
            }
            Event::Start(Tag::TableCell) => {
                self.begin(Open::Cell);
                self.cell_end = range.end;
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                self.surplus_cells(parsed, range, start);
                self.text.push_str("|\n");
            }
            Event::End(TagEnd::List(_)) => {
                self.end();
                self.lists.pop();
            }
            Event::End(TagEnd::Paragraph) if matches!(self.open, Some(Open::Item { .. })) => {}
            Event::End(
                TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::Paragraph
                | TagEnd::CodeBlock
                | TagEnd::HtmlBlock
                | TagEnd::TableCell,
            ) => self.end(),
            // Metadata before the document is for the program that renders it.
            Event::Start(Tag::MetadataBlock(_)) => self.is_metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => self.is_metadata = false,
            Event::Text(_) if self.is_metadata => {}
            Event::Text(words) if self.is_code => self.push_literal(&words, at),
            Event::Html(words) | Event::InlineHtml(words) if is_markup(&words) => self.push(" ", at),
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => self.push(&words, at),
            Event::Code(words) => {
                let ticks = parsed[range].chars().take_while(|c| *c == '`').count();
                self.push_literal(&words, at + ticks);
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", at),
            // A link within the documents is markup; an external address is part of the text.
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.contains("://") => {
                self.link = Some(dest_url.into_string());
            }
            Event::End(TagEnd::Link) => {
                if let Some(address) = self.link.take().filter(|_| !parsed[range.clone()].starts_with('<')) {
                    self.push(&format!(" {address}"), at);
                }
            }
            _ => {}
        }
    }

    /// Adds cells that exceed those of the head. Markdown drops them, but they are part of the document.
    fn surplus_cells(&mut self, parsed: &str, row: Range<usize>, start: usize) {
        let rest = parsed.get(self.cell_end..row.end).unwrap_or_default();
        if rest.contains(char::is_alphanumeric) {
            let words = rest.trim_start_matches(['|', ' ']);
            self.begin(Open::Cell);
            self.push(words.trim_end_matches(['|', ' ', '\n']), start + row.end - words.len());
            self.end();
        }
    }

    fn push_literal(&mut self, words: &str, at: usize) {
        self.literals.push(at..at + words.len());
        self.push(words, at);
    }

    fn push(&mut self, words: &str, at: usize) {
        if self.open.is_none() {
            self.open = Some(Open::Text);
        }
        self.words.extend(words.char_indices().map(|(offset, c)| (c, at + offset)));
    }

    /// The list that a new list without numbers continues: for Markdown, another bullet starts a new list; for readers,
    /// it does not.
    fn continued(&mut self, first: Option<u64>) -> Option<usize> {
        match (first, self.lists.is_empty(), self.last()) {
            (None, true, Some(Block::Item { list, number: None, .. })) => Some(*list),
            _ => None,
        }
    }

    fn begin(&mut self, open: Open) {
        self.end();
        self.open = Some(open);
    }

    /// Ends the open block. Empty blocks are dropped, except cells and headings.
    fn end(&mut self) {
        self.is_code = false;
        let words = wording::canonical_characters(&std::mem::take(&mut self.words), &self.literals);
        let Some(open) = self.open.take() else { return };
        match open {
            Open::Heading(level) => {
                let heading = words.iter().map(|(c, _)| *c).collect();
                let at = self.write("", &words, "\n");
                self.sections.push(Section { heading, level, body: at.end..at.end, at, blocks: Vec::new() });
            }
            Open::Text if words.is_empty() => {}
            Open::Text => {
                let text = self.write("", &words, "\n");
                self.block(Block::Text(text));
            }
            Open::Item { number: None, .. } if words.is_empty() => {}
            Open::Item { list, number } => {
                let text = self.write("", &words, "\n");
                self.block(Block::Item { list, number, text });
            }
            Open::Cell => {
                let cell = self.write("| ", &words, " ");
                if let Some(Block::Table { head, rows }) = self.last() {
                    rows.last_mut().unwrap_or(head).push(cell);
                }
            }
        }
    }

    /// Appends words, and returns their position.
    fn write(&mut self, before: &str, words: &[(char, usize)], after: &str) -> Range<usize> {
        self.text.push_str(before);
        let start = self.text.len();
        for (c, source) in words {
            let at = self.text.len();
            self.text.push(*c);
            match self.runs.last_mut() {
                Some(run) if run.text + run.length == at && run.source + run.length == *source => {
                    run.length += c.len_utf8();
                }
                _ => self.runs.push(Run { text: at, source: *source, length: c.len_utf8() }),
            }
        }
        let end = self.text.len();
        self.text.push_str(after);
        start..end
    }

    fn last(&mut self) -> Option<&mut Block> {
        self.sections.last_mut()?.blocks.last_mut()
    }

    fn block(&mut self, block: Block) {
        if self.sections.is_empty() {
            let start = Section { heading: String::new(), level: 1, at: 0..0, body: 0..0, blocks: Vec::new() };
            self.sections.push(start);
        }
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push(block);
        }
    }
}
