//! Markdown events -> blocks and their text.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Block, Link, Run, Section};
use crate::tools::audit::wording;

/// Returns whether a piece of HTML is a comment or one of the tags of HTML, which the page does not show. Other text in
/// angle brackets is the name of something.
fn is_markup(html: &str) -> bool {
    const TAGS: [&str; 36] = [
        "a",
        "aside",
        "b",
        "br",
        "code",
        "del",
        "details",
        "div",
        "em",
        "expandable",
        "font",
        "hr",
        "i",
        "img",
        "li",
        "nobr",
        "ol",
        "p",
        "paramfield",
        "pre",
        "responsefield",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "tt",
        "u",
        "ul",
    ];
    let html = html.trim();
    let is_tag = html.starts_with('<') && html.ends_with('>') && html.matches('<').count() == 1;
    html.starts_with("<!--") && html.ends_with("-->") || is_tag && TAGS.contains(&tag_name(html).as_str())
}

/// Returns the name of a tag in lower case.
fn tag_name(html: &str) -> String {
    let name = html.trim().trim_start_matches(['<', '/']).split(|c: char| !c.is_ascii_alphanumeric()).next();
    name.unwrap_or_default().to_ascii_lowercase()
}

/// Returns the number in an attribute of a tag, such as `rowspan="2"`; 1 without it.
fn attribute(tag: &str, name: &str) -> usize {
    let value =
        tag.split_once(name).and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).find(|n| !n.is_empty()));
    value.and_then(|value| value.parse().ok()).unwrap_or(1)
}

/// Returns the text of an attribute of a tag with its place in the tag, as in `type="string"` and `type={string}`.
fn value<'a>(tag: &'a str, name: &str) -> Option<(&'a str, usize)> {
    let start = tag.match_indices(name).find_map(|(at, _)| {
        let rest = tag.get(at + name.len()..)?.strip_prefix('=')?;
        let is_whole = tag[..at].ends_with(char::is_whitespace);
        let marks = rest.len() - rest.trim_start_matches(['{', '"', '\'']).len();
        is_whole.then_some(at + name.len() + 1 + marks)
    })?;
    let text = tag[start..].split(['"', '\'', '}', '>']).next()?.trim();
    Some((text, start)).filter(|(text, _)| !text.is_empty())
}

/// The fence of a note, which a word for the kind of note may follow.
const FENCE: &str = ":::";

/// Returns the name that a tag gives to its place.
fn anchor(tag: &str) -> Option<&str> {
    let (_, rest) = tag.split_once(" id=").or_else(|| tag.split_once(" name="))?;
    rest.trim_start_matches(['"', '\'']).split(['"', '\'', '>', '/', ' ']).next()
}

/// The most rows or columns that a cell of HTML is repeated in.
const MAX_SPAN: usize = 50;

/// Returns whether a text stands for a table of contents that a program inserts.
fn is_contents(text: &str) -> bool {
    ["[toc]", "[[toc]]", "[[_toc_]]"].contains(&text.trim().to_ascii_lowercase().as_str())
}

/// The block that words are being added to.
#[derive(Clone, Copy)]
enum Open {
    Heading(u8),
    Text,
    Item { list: usize, number: Option<u64> },
    Cell,
}

/// Characters, each with its byte in the source.
type Words = Vec<(char, usize)>;

#[derive(Default)]
pub(super) struct Builder {
    pub(super) text: String,
    pub(super) runs: Vec<Run>,
    pub(super) literals: Vec<Range<usize>>,
    pub(super) codes: Vec<Range<usize>>,
    pub(super) links: Vec<Link>,
    /// Names that tags give to places, each with the byte of the text that follows.
    pub(super) anchors: Vec<(usize, String)>,
    pub(super) sections: Vec<Section>,
    /// The open lists, each with its own number and that of its next item.
    lists: Vec<(usize, Option<u64>)>,
    /// The number of lists so far.
    count: usize,
    /// The target of the open link.
    link: Option<String>,
    /// True if a link to a place in the document is open, and what the open block has: such links, and other words.
    is_in_link: bool,
    has_links: bool,
    has_words: bool,
    /// The cells of the open row, and of the complete row before it, which the open row may continue.
    row: Vec<Words>,
    held: Option<Vec<Words>>,
    open: Option<Open>,
    /// True if the open block is a block of code.
    is_code: bool,
    /// True if a tag for code is open.
    is_code_tag: bool,
    /// True if the tag of a parameter or of a field of an answer is open, and the label of the latest one.
    is_field: bool,
    field_label: &'static str,
    /// True if a table of HTML is open.
    is_html_table: bool,
    /// The cells of HTML that continue in rows below: the column, the number of these rows, and the words.
    spans: Vec<(usize, usize, Words)>,
    /// The rows and columns of the open cell of HTML.
    span: (usize, usize),
    /// True if a metadata block is open, and if the last heading is the title that one stated.
    is_metadata: bool,
    is_title_of_metadata: bool,
    /// The end of the latest cell in the parsed text.
    cell_end: usize,
    /// The characters of the open block.
    words: Words,
    /// The byte of a line break at the end of what the open cell has so far.
    line_break: Option<usize>,
}

impl Builder {
    /// Takes an event of the parser; `start` is the byte at which the parsed text starts in the source.
    pub(super) fn event(&mut self, parsed: &str, event: Event<'_>, range: Range<usize>, start: usize) {
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
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) if self.is_field => self.push(" ", at),
            Event::End(TagEnd::Paragraph | TagEnd::HtmlBlock) if self.is_field => {}
            // The paragraphs of a list item belong to its text.
            Event::Start(Tag::Paragraph) if matches!(self.open, Some(Open::Item { .. })) => self.push(" ", at),
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) if self.is_html_table => self.push(" ", at),
            Event::End(TagEnd::Paragraph | TagEnd::HtmlBlock) if self.is_html_table => {}
            Event::Start(Tag::Paragraph | Tag::HtmlBlock) => self.begin(Open::Text),
            Event::Start(Tag::CodeBlock(_)) => {
                self.begin(Open::Text);
                self.is_code = true;
            }
            Event::Start(Tag::Table(_)) => {
                self.end();
                self.block(Block::Table { head: Vec::new(), rows: Vec::new() });
            }
            Event::Start(Tag::TableCell) => {
                self.begin(Open::Cell);
                self.cell_end = range.end;
            }
            Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                self.surplus_cells(parsed, range, start);
                self.end_row();
            }
            Event::End(TagEnd::Table) => self.write_row(),
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
            // Metadata before the document is for the program that renders it, except for the title that the page shows.
            Event::Start(Tag::MetadataBlock(_)) => self.is_metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => self.is_metadata = false,
            Event::Text(words) if self.is_metadata => self.title(&words, at),
            Event::Text(words) if self.is_code => self.push_literal(&words, at),
            Event::Html(words) | Event::InlineHtml(words) if is_markup(&words) => self.markup(&words, at),
            Event::Html(words) => self.push_html(&words, at),
            Event::Text(words) if self.is_code_tag => self.push_code(&words, at),
            Event::Text(words) if words.starts_with(FENCE) => {
                let title = words[FENCE.len()..].trim_start_matches(char::is_alphanumeric);
                self.push(title, at + words.len() - title.len());
            }
            Event::Text(words) | Event::InlineHtml(words) => self.push(&words, at),
            Event::Code(words) => {
                let ticks = parsed[range].chars().take_while(|c| *c == '`').count();
                self.push_code(&words, at + ticks);
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", at),
            // A block of links to places in the document is for moving around in it.
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => {
                self.links.extend(Link::of(at..start + range.end, &dest_url));
                (self.is_in_link, self.has_links) = (true, true);
            }
            Event::End(TagEnd::Link) if self.is_in_link => self.is_in_link = false,
            // A link within the documents is markup; an external address is part of the text.
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.contains("://") => {
                self.link = Some(dest_url.into_string());
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                self.links.extend(Link::of(at..start + range.end, &dest_url));
            }
            Event::End(TagEnd::Link) => {
                if let Some(address) = self.link.take().filter(|_| !parsed[range.clone()].starts_with('<')) {
                    self.push(&format!(" {address}"), at);
                }
            }
            _ => {}
        }
    }

    /// Adds the title that metadata state as the first heading, and the address of an operation below it.
    fn title(&mut self, metadata: &str, at: usize) {
        let keys = [("title:", Open::Heading(1)), ("api:", Open::Text), ("openapi:", Open::Text)];
        for (key, open) in keys {
            let mut start = 0;
            for line in metadata.split_inclusive('\n') {
                if let Some(value) = line.strip_prefix(key) {
                    let bare = value.trim().trim_matches(['"', '\'']);
                    let offset = start + key.len() + value.find(bare).unwrap_or_default();
                    self.begin(open);
                    self.push(bare, at + offset);
                    self.end();
                    self.is_title_of_metadata |= matches!(open, Open::Heading(_));
                }
                start += line.len();
            }
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

    /// Adds a line of HTML without its tags, except for those that are names of something.
    fn push_html(&mut self, html: &str, at: usize) {
        let mut start = 0;
        while let Some(piece) = html.get(start..).filter(|rest| !rest.is_empty()) {
            let end = match piece.strip_prefix('<') {
                Some(rest) => rest.find('>').map_or(piece.len(), |end| end + 2),
                None => piece.find('<').unwrap_or(piece.len()),
            };
            match &piece[..end] {
                tag if is_markup(tag) => self.markup(tag, at + start),
                words if self.is_code_tag => self.push_code(words, at + start),
                words => self.push(words, at + start),
            }
            start += end;
        }
    }

    /// Reads a tag: those of tables as Markdown writes tables, a line break in a cell, and the marks of code.
    fn markup(&mut self, tag: &str, at: usize) {
        let name = tag_name(tag);
        match (name.as_str(), tag.trim_start().starts_with("</")) {
            ("table", false) => {
                self.end();
                self.block(Block::Table { head: Vec::new(), rows: Vec::new() });
                self.is_html_table = true;
            }
            ("td" | "th", false) if self.is_html_table => {
                self.end_cell();
                self.span = (attribute(tag, "rowspan").min(MAX_SPAN), attribute(tag, "colspan").min(MAX_SPAN));
                self.begin(Open::Cell);
            }
            ("td" | "th", true) if self.is_html_table => self.end_cell(),
            ("tr", true) if self.is_html_table => {
                self.end_cell();
                self.continue_cells();
                self.end_row();
            }
            ("table", true) if self.is_html_table => {
                self.end_cell();
                self.write_row();
                self.spans.clear();
                self.is_html_table = false;
            }
            ("paramfield" | "responsefield", true) => self.end(),
            ("paramfield", false) => self.field("Parameters:", tag, at),
            ("responsefield", false) => self.field("Response fields:", tag, at),
            ("br" | "li" | "p", _) if matches!(self.open, Some(Open::Cell)) => {
                self.push(" ", at);
                self.line_break.get_or_insert(at);
            }
            (name, is_end) => {
                let id = Some(tag).filter(|_| name == "a").and_then(anchor);
                self.anchors.extend(id.map(|id| (self.text.len(), id.to_lowercase())));
                self.is_code_tag = if ["code", "tt"].contains(&name) { !is_end } else { self.is_code_tag };
                self.push(" ", at);
            }
        }
    }

    /// Begins an item for the tag of a parameter or a field, as `<ParamField query="size" type="integer" required>`, below
    /// a label for all of them.
    fn field(&mut self, label: &'static str, tag: &str, at: usize) {
        self.end();
        let places = ["query", "body", "path", "name"];
        let Some((name, name_at)) = places.iter().find_map(|place| value(tag, place)) else { return };
        let is_same = self.field_label == label;
        let list = match self.last() {
            Some(Block::Item { list, number: None, .. }) if is_same => *list,
            _ => {
                self.begin(Open::Text);
                self.words.extend(label.chars().map(|c| (c, at)));
                self.end();
                self.count += 1;
                self.count
            }
        };
        self.field_label = label;
        self.begin(Open::Item { list, number: None });
        self.push(name, at + name_at);
        self.words.push((' ', at + name_at + name.len()));
        let mut mark = '(';
        let json = value(tag, "type").map(|(json, start)| ("", json, start));
        let is_required = tag.split(|c: char| !c.is_alphanumeric()).any(|word| word == "required");
        let is_denied = value(tag, "required").is_some_and(|(text, _)| text == "false");
        let need = tag.find("required").filter(|_| is_required && !is_denied).map(|start| ("", "required", start));
        let default = value(tag, "default").map(|(default, start)| ("default ", default, start));
        for (before, text, start) in [json, need, default].into_iter().flatten() {
            self.words.push((mark, at + start));
            self.words.extend(before.chars().map(|c| (c, at + start)));
            self.push(text, at + start);
            mark = ',';
        }
        let end = at + tag.len() - 1;
        self.words.extend((mark == ',').then_some((')', end)));
        self.words.extend([(':', end), (' ', end)]);
        self.is_field = !tag.ends_with("/>");
        if !self.is_field {
            self.end();
        }
    }

    /// Ends the open cell of HTML, which may take several columns and continue in rows below.
    fn end_cell(&mut self) {
        if !matches!(self.open, Some(Open::Cell)) {
            return;
        }
        self.continue_cells();
        let (rows, columns) = std::mem::replace(&mut self.span, (1, 1));
        let column = self.row.len();
        self.end();
        self.row.resize_with(column + columns.max(1), Words::new);
        if rows > 1 {
            self.spans.push((column, rows - 1, self.row[column].clone()));
        }
    }

    /// Adds the cells of rows above that continue here.
    fn continue_cells(&mut self) {
        while let Some(span) = self.spans.iter_mut().find(|(column, left, _)| *column == self.row.len() && *left > 0) {
            span.1 -= 1;
            self.row.push(span.2.clone());
        }
    }

    fn push_code(&mut self, words: &str, at: usize) {
        self.codes.push(at..at + words.len());
        self.push_literal(words, at);
    }

    fn push_literal(&mut self, words: &str, at: usize) {
        self.literals.push(at..at + words.len());
        self.push(words, at);
    }

    fn push(&mut self, words: &str, at: usize) {
        if self.open.is_none() {
            self.open = Some(Open::Text);
        }
        self.has_words |= !self.is_in_link && words.contains(char::is_alphanumeric);
        if !words.trim().is_empty()
            && let Some(at) = self.line_break.take()
        {
            self.separate_lines(words, at);
        }
        self.words.extend(words.char_indices().map(|(offset, c)| (c, at + offset)));
    }

    /// Writes the mark that a line break in a cell stands for: a comma before another item of a list, a semicolon before
    /// other words, and none where the line already ends with one.
    fn separate_lines(&mut self, next: &str, at: usize) {
        let Some((last, _)) = self.words.iter().rfind(|(c, _)| !c.is_whitespace()) else { return };
        if matches!(last, ',' | ';' | ':' | '.' | '(' | '/' | '-') {
            return;
        }
        let next = next.trim_start();
        let word = next.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).next().unwrap_or_default();
        let rest = next[word.len()..].trim_start();
        let is_item = !word.is_empty() && (rest.is_empty() || rest.starts_with(['(', ',', ';']));
        while self.words.last().is_some_and(|(c, _)| c.is_whitespace()) {
            self.words.pop();
        }
        let mark = if is_item { ',' } else { ';' };
        self.words.extend([(mark, at), (' ', at)]);
    }

    /// Returns the list that a new list without numbers continues: for Markdown, another bullet starts a new list; for
    /// readers, it does not.
    fn continued(&mut self, first: Option<u64>) -> Option<usize> {
        match (first, self.lists.is_empty(), self.last()) {
            (None, true, Some(Block::Item { list, number: None, .. })) => Some(*list),
            _ => None,
        }
    }

    fn begin(&mut self, open: Open) {
        self.end();
        self.line_break = None;
        self.open = Some(open);
    }

    /// Ends the open block. Empty blocks are dropped, except cells and headings.
    fn end(&mut self) {
        (self.is_code, self.is_field) = (false, false);
        let words = wording::canonical_characters(&std::mem::take(&mut self.words), &self.literals);
        let is_navigation = std::mem::take(&mut self.has_links) & !std::mem::take(&mut self.has_words);
        let Some(open) = self.open.take() else { return };
        let is_block = matches!(open, Open::Text | Open::Item { .. });
        if is_block && (is_navigation || is_contents(&words.iter().map(|(c, _)| *c).collect::<String>())) {
            if let Some(section) = self.sections.last_mut() {
                section.is_navigation = true;
            }
            return;
        }
        match open {
            Open::Heading(level) => {
                let heading = words.iter().map(|(c, _)| *c).collect();
                // A page with a title of its own does not show that of its metadata.
                let is_title = |last: &mut Section| last.blocks.is_empty() && level == 1;
                if std::mem::take(&mut self.is_title_of_metadata) {
                    self.sections.pop_if(is_title);
                }
                let at = self.write("", &words, "\n");
                self.sections.push(Section::new(heading, level, at));
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
            Open::Cell => self.row.push(words),
        }
    }

    /// Ends a row. One with a single cell, which is not the first, continues that cell of the row before.
    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let mut filled = row.iter().enumerate().filter(|(_, words)| !words.is_empty());
        if let (Some((column @ 1.., words)), None) = (filled.next(), filled.next())
            && let Some(cell) = self.held.as_mut().and_then(|held| held.get_mut(column))
            && let Some((_, at)) = cell.last()
        {
            cell.push((' ', *at));
            cell.extend(words);
            return;
        }
        self.write_row();
        self.held = Some(row);
    }

    /// Writes the first row, which is the head of a table without one.
    fn write_row(&mut self) {
        let Some(row) = self.held.take() else { return };
        let cells: Vec<_> = row.iter().map(|words| self.write("| ", words, " ")).collect();
        self.text.push_str("|\n");
        // Words between the rows of a table of HTML are blocks after it.
        let mut blocks = self.sections.last_mut().map(|section| section.blocks.iter_mut().rev()).into_iter().flatten();
        match blocks.find(|block| matches!(block, Block::Table { .. })) {
            Some(Block::Table { head, .. }) if head.is_empty() => *head = cells,
            Some(Block::Table { rows, .. }) => rows.push(cells),
            Some(Block::Text(_) | Block::Item { .. }) | None => {}
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
            self.sections.push(Section::new(String::new(), 1, 0..0));
        }
        if let Some(section) = self.sections.last_mut() {
            section.blocks.push(block);
        }
    }
}
