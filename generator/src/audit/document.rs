//! Markdown -> sections of tables, list items and paragraphs, each with its place.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::text::Span;

/// A document and its sections.
pub(super) struct Document {
    /// Its key under `documents` in `api.yaml`.
    pub(super) id: String,
    /// What it is called in messages.
    pub(super) file: String,
    pub(super) text: String,
    pub(super) sections: Vec<Section>,
    lines: Vec<usize>,
    /// Names that sections had when the schema was written, and the bytes they start at now.
    pub(super) renamed: Vec<(String, usize)>,
}

/// What stands between two headings.
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) level: u8,
    /// The bytes of the heading.
    pub(super) at: Range<usize>,
    /// The bytes from the heading's end to the next heading.
    pub(super) body: Range<usize>,
    pub(super) blocks: Vec<Block>,
}

/// A part of a section.
pub(super) enum Block {
    Text(Range<usize>),
    Item { number: Option<u64>, text: Range<usize> },
    Table { head: Vec<Range<usize>>, rows: Vec<Vec<Range<usize>>> },
}

impl Document {
    pub(super) fn parse(id: &str, file: &str, text: String) -> Self {
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let sections = sections(&text);
        Self { id: id.to_owned(), file: file.to_owned(), text, sections, lines, renamed: Vec::new() }
    }

    pub(super) fn span(&self, range: &Range<usize>) -> Span<'_> {
        Span::new(self.text.get(range.clone()).unwrap_or_default(), range.start)
    }

    /// The line of a byte, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// The bytes of a line, counted from 1.
    pub(super) fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        start..end
    }

    /// The section of a heading, or the one that had it when the schema was written.
    pub(super) fn section(&self, heading: &str) -> Option<&Section> {
        let heading = one_line(heading);
        let start = self.renamed.iter().find(|(old, _)| one_line(old) == heading).map(|(_, start)| *start);
        self.sections.iter().find(|section| section.heading == heading || Some(section.at.start) == start)
    }

    /// Whether a heading of the schema means this section.
    pub(super) fn is_section(&self, heading: &str, section: &Section) -> bool {
        self.section(heading).is_some_and(|named| named.at == section.at)
    }

    pub(super) fn section_of(&self, at: usize) -> Option<&Section> {
        self.sections.iter().rfind(|section| section.at.start <= at)
    }
}

impl Section {
    /// Everything that is said in the section outside tables: a list item or a paragraph each.
    pub(super) fn texts<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Span<'a>> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Text(range) | Block::Item { text: range, .. } => Some(document.span(range).trim()),
            Block::Table { .. } => None,
        })
    }

    /// The tables of the section: the cells of the head, and those of each row.
    pub(super) fn tables<'a>(&'a self, document: &'a Document) -> impl Iterator<Item = Table<'a>> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table { head, rows } => {
                let cells = |row: &Vec<Range<usize>>| row.iter().map(|cell| cell_of(document, cell)).collect();
                Some(Table { head: cells(head), rows: rows.iter().map(cells).collect() })
            }
            _ => None,
        })
    }
}

/// A table's cells.
pub(super) struct Table<'a> {
    pub(super) head: Vec<Span<'a>>,
    pub(super) rows: Vec<Vec<Span<'a>>>,
}

impl<'a> Table<'a> {
    /// The index of the column whose title has this word.
    pub(super) fn column(&self, word: &str) -> Option<usize> {
        self.head.iter().position(|cell| cell.texts().iter().any(|text| super::wording::akin(text, word)))
    }

    /// Where the table starts.
    pub(super) fn at(&self) -> usize {
        self.head.first().map_or(0, |cell| cell.at)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell_of<'a>(document: &'a Document, range: &Range<usize>) -> Span<'a> {
    let cell = document.span(range).trim();
    let text = cell.text.trim_start_matches('|').trim_end_matches('|');
    Span::new(text, cell.at + cell.text.len() - cell.text.trim_start_matches('|').len()).trim()
}

fn sections(text: &str) -> Vec<Section> {
    let mut builder = Builder { sections: Vec::new(), numbers: Vec::new(), text_start: None };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        builder.event(text, event, range);
    }
    let starts: Vec<usize> = builder.sections.iter().skip(1).map(|section| section.at.start).collect();
    for (section, end) in builder.sections.iter_mut().zip(starts.into_iter().chain([text.len()])) {
        section.body = section.at.end..end.max(section.at.end);
    }
    builder.sections
}

struct Builder {
    sections: Vec<Section>,
    /// The number of the next item of each open list.
    numbers: Vec<Option<u64>>,
    /// An item whose text has not been taken yet, and its number.
    text_start: Option<Option<u64>>,
}

impl Builder {
    fn event(&mut self, text: &str, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let heading = one_line(text[range.clone()].trim().trim_matches('#'));
                let at = range.start..range.end;
                self.sections.push(Section { heading, level: level as u8, body: at.clone(), at, blocks: Vec::new() });
            }
            Event::Start(Tag::List(first)) => self.numbers.push(first),
            Event::End(TagEnd::List(_)) => {
                self.numbers.pop();
            }
            Event::Start(Tag::Item) => {
                let number = self.numbers.last_mut().and_then(|number| {
                    let this = *number;
                    *number = number.map(|n| n.saturating_add(1));
                    this
                });
                // The number as it is written, which readers go by.
                let digits: String = text[range.clone()].chars().take_while(char::is_ascii_digit).collect();
                let number = number.map(|counted| digits.parse().unwrap_or(counted));
                let skip = text[range.clone()].find(char::is_whitespace).unwrap_or(0);
                self.text_start = None;
                self.block(Block::Item { number, text: range.start + skip..range.end });
                self.text_start = Some(number);
            }
            Event::End(TagEnd::Item) => self.text_start = None,
            Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::HtmlBlock) => self.block(Block::Text(range)),
            Event::Start(Tag::Table(_)) => self.block(Block::Table { head: Vec::new(), rows: Vec::new() }),
            Event::Start(Tag::TableRow) => {
                if let Some(Block::Table { rows, .. }) = self.last() {
                    rows.push(Vec::new());
                }
            }
            Event::Start(Tag::TableCell) => {
                if let Some(Block::Table { head, rows }) = self.last() {
                    rows.last_mut().unwrap_or(head).push(range);
                }
            }
            _ => {}
        }
    }

    fn last(&mut self) -> Option<&mut Block> {
        self.sections.last_mut()?.blocks.last_mut()
    }

    /// The paragraphs of a list item are part of its text.
    fn block(&mut self, block: Block) {
        if self.text_start.is_some() && matches!(block, Block::Text(_)) {
            return;
        }
        if self.sections.is_empty() {
            let start = Section { heading: String::new(), level: 1, at: 0..0, body: 0..0, blocks: Vec::new() };
            self.sections.push(start);
        }
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push(block);
        }
    }
}
