//! YAML events -> a tree of nodes with their places. Of a schema, only this file and `syntax.rs` use
//! the YAML parser.

mod keys;

use std::borrow::Cow;

use super::SecondReader;
use super::source::SchemaFile;
use super::syntax::{self, OtherSpace, Stop, Syntax, is_other_space};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, is_invisible};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, options};
use keys::SeenKeys;

/// The maximum depth of mappings and sequences; a schema needs nine levels.
const MAX_DEPTH: usize = 32;

/// The maximum number of values in a file; a hand-written file has some thousands.
const MAX_NODES: u32 = 100_000;

/// A node of a YAML document. Most texts borrow from the file.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) place: Place,
    pub(crate) content: Content<'a>,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub(crate) enum Content<'a> {
    /// Text as written; `plain` if it is not in quotes.
    Scalar {
        text: Cow<'a, str>,
        plain: bool,
    },
    Sequence(Vec<Node<'a>>),
    Mapping(Vec<(Key<'a>, Node<'a>)>),
    /// A node that was reported and is skipped from here on.
    Refused,
}

/// A key of a mapping.
#[derive(Clone, Debug)]
pub(crate) struct Key<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) place: Place,
}

impl Node<'_> {
    /// Returns whether there is no value: nothing is written, or null in one of the forms that YAML has for it.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, plain: true } if text.is_empty() || is_null(text))
    }
}

/// Returns whether every YAML reader takes this text, without quotes, as null.
pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

impl Key<'_> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.text == name
    }
}

/// Returns whether a text in double quotes has an escape `\ud800` to `\udfff`.
fn has_surrogate(written: &str) -> bool {
    let mut escapes = written.split('\\').skip(1);
    let mut is_escaped = false;
    escapes.any(|after| {
        // An empty part stands between two backslashes, which are one character.
        let is_escape = !std::mem::take(&mut is_escaped) && !after.is_empty();
        is_escaped = after.is_empty() && !is_escaped;
        let digits = after.strip_prefix('u').and_then(|digits| digits.get(..2)).unwrap_or_default();
        is_escape && digits.starts_with(['d', 'D']) && digits[1..].starts_with(|c: char| "89abcdefABCDEF".contains(c))
    })
}

/// A document, and whether all of it was read.
pub(crate) struct YamlDocument<'a> {
    pub(crate) root: Node<'a>,
    pub(crate) is_whole: bool,
}

/// Reads the single document of a file; `None` if it is broken, which is reported.
pub(crate) fn parse<'a>(
    source: &'a SchemaFile,
    second: Option<SecondReader>,
    to: &mut Diagnostics,
) -> Option<YamlDocument<'a>> {
    let options = options! {
        emit_unresolved_aliases: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    if let Some(directive) = directive(source) {
        to.at(directive, Code::Alias, "a directive is not allowed").help("remove the line");
        return None;
    }
    let mut builder = Builder {
        source,
        to,
        nodes: 0,
        open: Vec::new(),
        last_block: None,
        root: None,
        is_followed: false,
        sound: true,
    };
    for event in Parser::new_from_str_with_options(&source.text, options) {
        match event {
            Ok((event, span)) => {
                builder.event(event, span);
                if builder.nodes > MAX_NODES {
                    to.at(source.top(), Code::CannotRead, format!("the file has more than {MAX_NODES} values")).help(
                        "remove what is generated, or move operations and their types into a family of their own",
                    );
                    return None;
                }
            }
            Err(error) => {
                builder.syntax(&error);
                return None;
            }
        }
    }
    let Builder { root, sound, .. } = builder;
    if root.is_none() && sound {
        to.at(source.top(), Code::EmptyFile, "the file is empty").help("add its content, or delete the file");
    }
    let root = root.filter(|_| !sound || second.is_none_or(|second| agrees(second, source, to)))?;
    Some(YamlDocument { root, is_whole: sound })
}

/// Returns whether a second YAML reader accepts the file, too: a schema has to mean the same to all of them.
fn agrees(second: SecondReader, source: &SchemaFile, to: &mut Diagnostics) -> bool {
    let Err((why, at)) = second(&source.text) else { return true };
    let place = at.map_or_else(|| source.top(), |(line, column)| source.at(line, column));
    if let Some(space) = syntax::other_space(source, place.line as usize) {
        space.report(to);
        return false;
    }
    to.at(place, Code::BrokenYaml, format!("YAML that other readers reject: {why}"))
        .help("write it in another way, for example with quotes");
    false
}

struct Builder<'a, 'd> {
    source: &'a SchemaFile,
    to: &'d mut Diagnostics,
    /// The number of values so far.
    nodes: u32,
    open: Vec<Open<'a>>,
    /// The last collection in block notation that ended.
    last_block: Option<Place>,
    root: Option<Node<'a>>,
    /// True if the document is followed by another one.
    is_followed: bool,
    sound: bool,
}

/// A collection that has begun and not ended.
struct Open<'a> {
    place: Place,
    style: StructureStyle,
    kind: OpenKind<'a>,
}

/// A key that occurs twice in a mapping.
struct DuplicateKey<'a> {
    text: Cow<'a, str>,
    first: Place,
    second: Place,
}

enum OpenKind<'a> {
    Sequence(Vec<Node<'a>>),
    Mapping {
        entries: Vec<(Key<'a>, Node<'a>)>,
        key: Option<Option<Key<'a>>>,
        seen: SeenKeys<'a>,
        twice: Vec<DuplicateKey<'a>>,
    },
}

impl<'a> Builder<'a, '_> {
    fn event(&mut self, event: Event<'a>, span: Span) {
        let place = self.place(&span);
        if event.tag().is_some() {
            self.refuse(self.mark_before(place, '!'), "a tag", '!');
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                self.refuse_anchor(place, anchor);
                if matches!(style, ScalarStyle::DoubleQuoted) {
                    self.refuse_surrogates(place);
                }
                let plain = matches!(style, ScalarStyle::Plain);
                // The parser reports a missing value as `~`, which is not in the file.
                let text = if plain && place.start == place.end { Cow::Borrowed("") } else { text };
                let text = self.without_invisible(place, text);
                self.add(place, Content::Scalar { text, plain });
            }
            Event::SequenceStart(style, anchor, _) => {
                self.refuse_anchor(place, anchor);
                self.open.push(Open { place, style, kind: OpenKind::Sequence(Vec::new()) });
            }
            Event::MappingStart(style, anchor, _) => {
                self.refuse_anchor(place, anchor);
                let kind =
                    OpenKind::Mapping { entries: Vec::new(), key: None, seen: SeenKeys::default(), twice: Vec::new() };
                self.open.push(Open { place, style, kind });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.refuse_bracket_on_the_left(place);
                self.close();
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse(place, "an alias", '*');
                self.add(place, Content::Refused);
            }
            Event::DocumentStart(..) if self.root.is_some() && !self.is_followed => {
                self.sound = false;
                self.is_followed = true;
                self.to
                    .at(place, Code::SeveralDocuments, "unexpected second YAML document")
                    .help("move it into a file of its own");
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if open.style == StructureStyle::Block {
            self.last_block = Some(open.place);
        }
        let content = match open.kind {
            OpenKind::Sequence(mut nodes) => {
                self.refuse_beginnings(&mut nodes);
                Content::Sequence(nodes)
            }
            OpenKind::Mapping { entries, twice, .. } => {
                report_twice(&twice, self.to);
                Content::Mapping(entries)
            }
        };
        self.add(open.place, content);
    }

    fn add(&mut self, place: Place, content: Content<'a>) {
        let node = Node { place, content };
        self.nodes += 1;
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = self.root.take().or(Some(node)),
            Some(OpenKind::Sequence(nodes)) => nodes.push(node),
            Some(OpenKind::Mapping { entries, key, seen, twice }) => match key.take() {
                Some(Some(name)) => entries.push((name, node)),
                Some(None) => keep_second(entries, twice, node),
                None => {
                    let name = read_key(node, seen, twice, self.to);
                    self.sound &= name.is_some();
                    *key = Some(name);
                }
            },
        }
    }

    /// Removes items that only repeat the first line of the next item.
    fn refuse_beginnings(&mut self, nodes: &mut Vec<Node<'_>>) {
        for index in (1..nodes.len()).rev() {
            let (Some(one), Some(next)) = (nodes.get(index - 1), nodes.get(index)) else { continue };
            if begins_with(next, one) {
                self.sound = false;
                self.to
                    .at(one.place, Code::DuplicateKey, "duplicate line: the next item starts with the same one")
                    .related(next.place, "the next item is here")
                    .help("remove one of them");
                nodes.remove(index - 1);
            }
        }
    }

    fn refuse_anchor(&mut self, place: Place, anchor: usize) {
        if anchor != 0 {
            self.refuse(self.mark_before(place, '&'), "an anchor", '&');
        }
    }

    /// Returns the place of the tag or anchor of a node, which begins with `mark`.
    fn mark_before(&self, node: Place, mark: char) -> Place {
        let text = &self.source.text;
        let start = node.range_in(text).start;
        if text[start..].starts_with(mark) {
            return node;
        }
        let Some(at) = text[..start].rfind(mark) else { return node };
        let length = text[at..].find(char::is_whitespace).unwrap_or(text.len() - at);
        Place { end: small(at + length), ..self.source.at_byte(at) }
    }

    /// Reports a closing bracket that begins its line and is not indented further than the block around it, which other
    /// YAML readers reject.
    fn refuse_bracket_on_the_left(&mut self, bracket: Place) {
        let Some((open, around)) = self.open.split_last() else { return };
        let Some(block) = around.iter().rev().find(|open| open.style == StructureStyle::Block) else { return };
        let is_left = open.style == StructureStyle::Flow
            && bracket.line > open.place.line
            && bracket.column <= block.place.column
            && self.source.text[bracket.range_in(&self.source.text)].starts_with([']', '}']);
        if is_left {
            self.sound = false;
            self.to
                .at(
                    bracket,
                    Code::BrokenYaml,
                    "YAML that other readers reject: a bracket as far to the left as its key",
                )
                .related(open.place, "it closes this one")
                .help("indent it further than the key, or write it behind the last value");
        }
    }

    /// Reports invisible characters, because texts end up in code, documentation and terminals. The text goes on
    /// without them, so that a word with one of them is a single mistake.
    fn without_invisible(&mut self, place: Place, text: Cow<'a, str>) -> Cow<'a, str> {
        // Most texts are plain ASCII, which can be checked without decoding.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
            return text;
        }
        let is_refused = |c: char| c != '\n' && is_invisible(c);
        let Some(character) = text.chars().find(|c| is_refused(*c)) else { return text };
        self.refuse_invisible(place, character);
        text.replace(is_refused, "").into()
    }

    fn refuse_invisible(&mut self, place: Place, character: char) {
        self.sound = false;
        self.to
            .at(place, Code::InvisibleCharacter, format!("invisible character U+{:04X}", u32::from(character)))
            .help("remove it");
    }

    /// Reports the escapes of a pair of surrogates, in which JSON writes some characters and other YAML readers see none.
    fn refuse_surrogates(&mut self, place: Place) {
        let written = &self.source.text[place.range_in(&self.source.text)];
        if written.contains('\\') && has_surrogate(written) {
            self.sound = false;
            self.to
                .at(place, Code::BrokenYaml, "YAML that other readers reject: the escape of half a character")
                .help("write the character itself, or its number as in `\\U0001f980`");
        }
    }

    fn refuse(&mut self, place: Place, what: &str, mark: char) {
        self.sound = false;
        self.to.at(place, Code::Alias, format!("{what} is not allowed")).help(format!(
            "write the value out, or refer to it with `as` or `includes`; put a text that begins with `{mark}` in quotes"
        ));
    }

    fn syntax(&mut self, error: &ScanError) {
        let marker = error.marker();
        let start = marker.byte_offset().unwrap_or(self.source.text.len());
        let place = Place {
            file: self.source.file,
            line: small(marker.line()),
            column: small(marker.col() + 1),
            start: small(start),
            end: small(start + 1),
        };
        if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            self.to
                .at(place, Code::TooDeep, format!("the YAML is nested deeper than {MAX_DEPTH} levels"))
                .help("flatten it; the schema language needs fewer levels");
        } else {
            // A text that begins with `*` is read as an alias, and the rest of it as something else.
            let is_alias = |at: Place| (at.file, at.line) == (place.file, place.line);
            if self.to.iter().any(|one| one.code == Code::Alias && one.place.is_some_and(is_alias)) {
                return;
            }
            if let Some(space) = syntax::other_space(self.source, place.line as usize) {
                space.report(self.to);
                return;
            }
            if let Some(character) =
                self.source.text[start..].chars().next().filter(|c| !c.is_ascii() && is_invisible(*c))
            {
                self.refuse_invisible(place, character);
                return;
            }
            let stop = Stop { place, last_block: self.last_block };
            let Syntax { message, help, begins } = syntax::explain(error.kind(), self.source, &stop);
            let message = format!("invalid YAML: {message}");
            let report = self.to.at(begins.unwrap_or(place), Code::BrokenYaml, message).help(help);
            if begins.is_some() {
                report.related(place, "YAML cannot be read from here on");
            }
        }
    }

    fn place(&self, span: &Span) -> Place {
        let start = span.start.byte_offset().unwrap_or_default();
        let end = span.end.byte_offset().unwrap_or(start);
        Place {
            file: self.source.file,
            line: small(span.start.line()),
            column: small(span.start.col() + 1),
            start: small(start),
            end: small(end),
        }
    }
}

/// Returns whether an item is a mapping of one entry with which the next item begins, followed by other entries.
fn begins_with(next: &Node<'_>, one: &Node<'_>) -> bool {
    let (Content::Mapping(all), Content::Mapping(only)) = (&next.content, &one.content) else { return false };
    let ([(key, value)], [(first_key, first), _, ..]) = (only.as_slice(), all.as_slice()) else { return false };
    let same = |a: &Node<'_>, b: &Node<'_>| match (&a.content, &b.content) {
        (Content::Scalar { text, .. }, Content::Scalar { text: other, .. }) => text == other,
        _ => false,
    };
    key.text == first_key.text && same(value, first)
}

/// Keeps, for a key that occurs twice, the value that is not empty.
fn keep_second<'a>(entries: &mut [(Key<'a>, Node<'a>)], twice: &[DuplicateKey<'_>], second: Node<'a>) {
    let Some(twice) = twice.last() else { return };
    let first = entries.iter_mut().find(|(key, _)| key.text == twice.text);
    if let Some((_, first)) = first
        && first.is_missing()
    {
        *first = second;
    }
}

/// Returns the place of a directive, if the file begins with one.
fn directive(source: &SchemaFile) -> Option<Place> {
    let is_other = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let (index, line) = source.text.lines().enumerate().find(|(_, line)| is_other(line))?;
    line.starts_with('%').then(|| source.at(index + 1, 1))
}

/// Reports keys that occur twice; several of them are one mistake, because the line that begins another item is
/// missing.
fn report_twice(twice: &[DuplicateKey<'_>], to: &mut Diagnostics) {
    let Some((one, others)) = twice.split_first() else { return };
    let help =
        if others.is_empty() { "remove one of them" } else { "remove one of each, or start a new item with `- `" };
    let mut report = to
        .at(one.second, Code::DuplicateKey, format!("duplicate key `{}`", one.text))
        .related(one.first, "first defined here")
        .help(help);
    for other in others {
        report = report.related(other.second, format!("`{}` is a duplicate, too", other.text));
    }
}

/// Returns the key of an entry; `None` if it was reported, in which case the entry is skipped.
fn read_key<'a>(
    node: Node<'a>,
    seen: &mut SeenKeys<'a>,
    twice: &mut Vec<DuplicateKey<'a>>,
    to: &mut Diagnostics,
) -> Option<Key<'a>> {
    let place = node.place;
    let (text, plain) = match node.content {
        Content::Scalar { text, plain } => (text, plain),
        Content::Refused => return None,
        Content::Sequence(_) | Content::Mapping(_) => {
            to.at(place, Code::WrongType, "expected a text as key").help("write a name before the `:`");
            return None;
        }
    };
    if plain && text == "<<" {
        to.at(place, Code::Alias, "a merge key is not allowed")
            .help("write the values out, or refer to them with `as` or `includes`");
        to.note_unread(place.file, &text);
        return None;
    }
    if plain && is_null(&text) {
        to.at(place, Code::WrongType, format!("expected a text as key, found `{text}`, which is null in YAML"))
            .help(format!("put it in quotes, as in `\"{text}\":`, where this text is the name"));
        return None;
    }
    if let Some(space) = text.chars().find(|c| plain && is_other_space(*c)) {
        OtherSpace { place, space }.report(to);
        to.note_unread(place.file, text.trim());
        return None;
    }
    if let Some(first) = seen.insert(text.clone(), place) {
        twice.push(DuplicateKey { text, first, second: place });
        return None;
    }
    if plain && let Some((other, first)) = seen.insert_other(&text, place) {
        let message =
            format!("duplicate key: without quotes, `{text}` and `{other}` are one value to some YAML readers");
        to.at(place, Code::DuplicateKey, message)
            .related(first, "the other key is here")
            .help(format!("put both in quotes, as in `\"{text}\":`"));
        to.note_unread(place.file, &text);
        return None;
    }
    Some(Key { text, place })
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
