//! Nodes -> the types of [`super::raw`], reporting every mistake of a file in one run: a faulty item of a list or entry
//! of a mapping is reported and left out, and the others are read.
//!
//! The types have a trait of their own rather than serde's, which a build script would have to compile: reading needs
//! places and few kinds of values.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use crate::compiler::diagnostics::{Code, Diagnostics, Help, Kind, Place, did_you_mean, nearest};
use crate::compiler::load::tree::{Content, Key, Node, is_null};
use crate::compiler::words::Word;

/// A type that can be read from a node.
pub(crate) trait Read: Sized {
    /// Reads the node; the error concerns the node as a whole.
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError>;
}

impl Read for String {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.text(Expected::Text).map(str::to_owned)
    }
}

impl Read for bool {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed(Expected::Flag)
    }
}

impl Read for u32 {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed(Expected::Whole { bits: 32 })
    }
}

impl Read for u64 {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed(Expected::Whole { bits: 64 })
    }
}

impl<W: Word> Read for W {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let text = from.word(W::WORDS)?;
        W::parse(text).ok_or_else(|| from.unknown_word::<W>(text))
    }
}

impl<T: Read> Read for Option<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        T::read(from).map(Some)
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        let mut items = Self::with_capacity(from.len());
        from.list(&mut |item| {
            items.push(T::read(item)?);
            Ok(())
        })?;
        Ok(items)
    }
}

/// Reads a document into its type. Faulty parts are reported and left out; `None` if nothing is left.
pub(super) fn read<T: Read>(root: &Node<'_>, to: &mut Diagnostics) -> Option<T> {
    let to = RefCell::new(to);
    let (from, mut read) = (NodeReader { node: root, to: &to, under: None, around: &[] }, None);
    from.attempt(&mut |root| {
        read = Some(T::read(root)?);
        Ok(())
    });
    read
}

/// The reason why a node cannot be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// A value that is not written like one of its type.
    Unreadable(Unreadable),
    /// A value of its type without a meaning; that is reported as a mistake of building.
    Meaningless,
}

#[derive(Debug)]
pub(crate) struct Unreadable {
    code: Code,
    kind: Kind,
    message: String,
    help: Box<Help>,
}

impl ReadError {
    /// Creates a value of the wrong type.
    fn new(kind: Kind, message: String, help: impl Into<Help>) -> Self {
        Self::of(Code::WrongType, kind, message, help)
    }

    fn of(code: Code, kind: Kind, message: String, help: impl Into<Help>) -> Self {
        Self::Unreadable(Unreadable { code, kind, message, help: Box::new(help.into()) })
    }

    /// Returns the error with other help.
    pub(crate) fn with_help(self, help: impl Into<Help>) -> Self {
        match self {
            Self::Unreadable(error) => Self::Unreadable(Unreadable { help: Box::new(help.into()), ..error }),
            Self::Meaningless => self,
        }
    }

    /// Returns whether the lines that follow the value were read as a part of it.
    fn has_absorbed_lines(&self) -> bool {
        matches!(self, Self::Unreadable(Unreadable { kind: Kind::AbsorbedLines, .. }))
    }
}

/// Returns a key as the schema spells it: an identifier of Rust, which is raw if it is a keyword.
pub(super) const fn key(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

/// A node that is being read.
#[derive(Clone, Copy)]
pub(crate) struct NodeReader<'a> {
    node: &'a Node<'a>,
    /// Where mistakes are reported.
    to: &'a RefCell<&'a mut Diagnostics>,
    /// The key of the node, or of the list that contains it.
    under: Option<&'a Key<'a>>,
    /// The keys of the mapping around it, where only some are valid.
    around: &'static [&'static str],
}

impl<'a> NodeReader<'a> {
    /// Reads the node into an existing value.
    pub(crate) fn read_into<T: Read>(self, value: &mut T) -> Result<(), ReadError> {
        *value = T::read(self)?;
        Ok(())
    }

    pub(crate) fn place(self) -> Place {
        self.node.place
    }

    fn is_refused(self) -> bool {
        matches!(self.node.content, Content::Refused)
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self.node.content, Content::Scalar { .. })
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self.node.content, Content::Sequence(_))
    }

    /// Returns the items of a list; none if it is something else.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> {
        let items = if let Content::Sequence(items) = &self.node.content { items.as_slice() } else { &[] };
        items.iter().map(move |node| Self { node, ..self })
    }

    /// Returns the text, if it is one.
    pub(crate) fn as_text(self) -> Option<&'a str> {
        if let Content::Scalar { text, .. } = &self.node.content { Some(text) } else { None }
    }

    /// Returns the number of items or entries, so that collections do not allocate more than they need.
    pub(crate) fn len(self) -> usize {
        match &self.node.content {
            Content::Sequence(items) => items.len(),
            Content::Mapping(entries) => entries.len(),
            Content::Scalar { .. } | Content::Refused => 0,
        }
    }

    fn describe(self) -> &'static str {
        match &self.node.content {
            Content::Scalar { text, plain: true } if text.is_empty() => "nothing",
            Content::Scalar { .. } if self.node.is_missing() => "null",
            Content::Scalar { .. } => "a text",
            Content::Sequence(_) => "a list",
            Content::Mapping(_) => "a mapping",
            Content::Refused => "nothing",
        }
    }

    /// Notes that the mapping lacks a key.
    pub(crate) fn lacks(self, key: &'static str) {
        self.to.borrow_mut().lacks_key(self.node.place, key);
    }

    /// Returns the error for a value that is written like one of its type and has no meaning.
    pub(crate) fn refuse(self, code: Code, message: String, help: impl Into<Help>) -> ReadError {
        self.to.borrow_mut().later(self.node.place, code, message).help(help);
        ReadError::Meaningless
    }

    /// Returns the key of the node, or of the list that contains it.
    pub(crate) fn key(self) -> Option<&'a str> {
        self.under.map(|key| &*key.text)
    }

    /// Reads the node with `read`, unless it was refused, and reports the error. Returns whether it is unreadable.
    fn attempt(self, read: &mut dyn FnMut(Self) -> Result<(), ReadError>) -> bool {
        if self.is_refused() {
            return true;
        }
        match read(self) {
            Ok(()) | Err(ReadError::Meaningless) => false,
            Err(ReadError::Unreadable(Unreadable { code, kind, message, help })) => {
                self.to.borrow_mut().at(self.node.place, code, message).kind(kind).help(*help);
                true
            }
        }
    }

    /// Returns whether a comment stands in place of the value.
    fn is_comment(self) -> bool {
        let to = self.to.borrow();
        let file = to.text(self.node.place.file).unwrap_or_default();
        let rest = file.get(self.node.place.range_in(file).end..).unwrap_or_default();
        self.node.is_missing()
            && rest.lines().next().is_some_and(|line| line.trim_start_matches([':', ' ']).starts_with('#'))
    }

    pub(crate) fn expected(self, what: Expected) -> ReadError {
        let kind = match what {
            Expected::Flag | Expected::Whole { .. } => Kind::Scalar,
            Expected::Mapping if self.is_text() && !self.node.is_missing() => Kind::TextForMapping,
            Expected::Text | Expected::List | Expected::Mapping | Expected::OneOf(_) | Expected::Form(_) => Kind::Plain,
        };
        let mut help = what.how_to_write();
        if let Content::Scalar { text, plain: true } = &self.node.content
            && is_null(text)
        {
            help = format!("{help}; without quotes, `{text}` means no value");
        }
        if matches!(what, Expected::Text) && self.is_list() && self.key() == Some("type") {
            "write `list` in place of `type`, with the type of an item: `list: decimal`".clone_into(&mut help);
        }
        if matches!(what, Expected::Text) && matches!(&self.node.content, Content::Sequence(items) if items.is_empty())
        {
            "write `\"[]\"`, in quotes".clone_into(&mut help);
        }
        if self.is_comment() {
            help = format!("{help}; what follows ` #` is a comment, so put a text with it in quotes");
        }
        ReadError::new(kind, format!("expected {what}, found {}", self.describe()), help)
    }

    pub(crate) fn text(self, what: Expected) -> Result<&'a str, ReadError> {
        match &self.node.content {
            Content::Scalar { text, .. } if !self.node.is_missing() => Ok(text),
            Content::Scalar { .. } | Content::Sequence(_) | Content::Mapping(_) | Content::Refused => {
                Err(self.expected(what))
            }
        }
    }

    /// Returns the first line of a plain text of several lines, in place of a single word.
    fn first_line(self) -> Option<&'a str> {
        let Content::Scalar { text, plain: true } = &self.node.content else { return None };
        let file = self.node.place.file;
        let to = self.to.borrow();
        let written = to.text(file).and_then(|all| all.get(self.node.place.range_in(all)))?;
        let first = written.lines().next()?.trim_end();
        (first.len() < written.trim_end().len()).then(|| text.get(..first.len()))?
    }

    /// Returns the error for lines that continue a value that has only one.
    fn continued_value(self, first: &str) -> ReadError {
        ReadError::new(
            Kind::AbsorbedLines,
            format!("expected a single value, but `{first}` continues on the next line"),
            "begin the next line with its key, such as `doc:`",
        )
    }

    fn parsed<T: std::str::FromStr>(self, what: Expected) -> Result<T, ReadError> {
        let text = self.text(what)?;
        if matches!(&self.node.content, Content::Scalar { plain: false, .. }) && text.parse::<T>().is_ok() {
            let message = format!("expected {what}, found a text in quotes");
            return Err(ReadError::new(Kind::Scalar, message, format!("write `{text}` without quotes")));
        }
        if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("expected a whole number without a leading zero, found `{text}`");
            let help = "write it without the zero: some YAML readers take it as octal";
            return Err(ReadError::new(Kind::Scalar, message, help));
        }
        text.parse().map_err(|_| {
            if let Some(first) = self.first_line().filter(|first| first.parse::<T>().is_ok()) {
                return self.continued_value(first);
            }
            let is_large = matches!(what, Expected::Whole { .. })
                && !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_digit());
            let message = if is_large {
                format!("the number `{text}` is too large: expected {what}")
            } else {
                format!("expected {what}, found `{text}`")
            };
            ReadError::new(Kind::Scalar, message, what.how_to_write())
        })
    }

    /// Returns the text of a word, which may be none of these words.
    pub(crate) fn word(self, words: &'static [&'static str]) -> Result<&'a str, ReadError> {
        // A word may be that for null.
        let text = match &self.node.content {
            Content::Scalar { text, .. } if words.contains(&&**text) => &**text,
            _ => self.text(Expected::OneOf(words))?,
        };
        let first = self.first_line().filter(|first| !words.contains(&text) && words.contains(first));
        first.map_or(Ok(text), |first| Err(self.continued_value(first)))
    }

    pub(crate) fn unknown_word<W: Word>(self, text: &str) -> ReadError {
        let message = format!("unknown value `{text}`, expected one of: {}", W::WORDS.join(", "));
        let help = did_you_mean(text, W::WORDS.iter().copied()).filter(|_| W::ARE_SUGGESTED);
        let help = help.unwrap_or_else(|| "write one of these words".into());
        ReadError::of(Code::UnknownWord, Kind::Scalar, message, help)
    }

    /// Reads each item of a list.
    pub(crate) fn list(self, each: &mut dyn FnMut(Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        let Content::Sequence(items) = &self.node.content else {
            return Err(self.expected(Expected::List));
        };
        let mut is_rest = false;
        for (index, node) in items.iter().enumerate() {
            let item = Self { node, ..self };
            let rest = items.get(index + 1).and_then(|next| item.rest_of_a_rate(next));
            if !std::mem::replace(&mut is_rest, rest.is_some()) {
                item.attempt(&mut |item| {
                    rest.as_ref().map_or_else(|| each(item), |rate| Err(number_with_commas(rate)))
                });
            }
        }
        Ok(())
    }

    /// Reads one text, or a list of texts. A text that the list repeats is reported and left out.
    pub(crate) fn texts(self) -> Result<Vec<(String, Place)>, ReadError> {
        if self.is_text() {
            return Ok(vec![(self.text(Expected::Text)?.to_owned(), self.place())]);
        }
        if !self.is_list() {
            return Err(self.expected(Expected::Form("a text or a list of texts")));
        }
        let (mut texts, mut seen) = (Vec::with_capacity(self.len()), HashMap::new());
        self.list(&mut |item| {
            let (text, place) = (item.text(Expected::Text)?, item.place());
            match seen.entry(text) {
                Entry::Vacant(new) => {
                    new.insert(place);
                    texts.push((text.to_owned(), place));
                }
                Entry::Occupied(first) => {
                    let mut to = item.to.borrow_mut();
                    to.later(place, Code::DefinedTwice, format!("duplicate value `{text}`"))
                        .related(*first.get(), "first listed here")
                        .help("remove one of them");
                }
            }
            Ok(())
        })?;
        Ok(texts)
    }

    /// Returns the whole of a rate that a comma has split into two items, `[6,000/1m per IP]`.
    fn rest_of_a_rate(self, next: &Node<'_>) -> Option<String> {
        let (Content::Scalar { text, plain: true }, Content::Scalar { text: next, plain: true }) =
            (&self.node.content, &next.content)
        else {
            return None;
        };
        let thousands = next.split_once('/').map(|(calls, _)| calls);
        (are_digits(text) && thousands.is_some_and(|calls| calls.len() == 3 && are_digits(calls)))
            .then(|| format!("{text},{next}"))
    }

    /// Returns the whole of a number that a comma has split into a value and the next key, `{ max: 1,000 }`.
    fn rest_of_a_number(self, (next, value): &(Key<'_>, Node<'_>)) -> Option<String> {
        let Content::Scalar { text, plain: true } = &self.node.content else { return None };
        let is_split = value.is_missing() && are_digits(text) && next.text.len() == 3 && are_digits(&next.text);
        is_split.then(|| format!("{text},{}", next.text))
    }

    /// Reads each entry of a mapping whose type has these keys; with `None`, any key is valid.
    pub(crate) fn mapping(
        self,
        keys: Option<&'static [&'static str]>,
        each: &mut dyn FnMut(&Key<'a>, Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let Content::Mapping(entries) = &self.node.content else {
            let error = self.expected(Expected::Mapping);
            return Err(match keys {
                Some([first, others @ ..]) if others.len() < FEW => error.with_help(entry_of(first, others)),
                _ => error,
            });
        };
        let mapping = Mapping { reader: self, entries, keys };
        let mut is_rest = false;
        for (index, (key, node)) in entries.iter().enumerate() {
            let value = Self { node, under: Some(key), around: keys.unwrap_or(self.around), ..self };
            let rest = entries.get(index + 1).and_then(|next| value.rest_of_a_number(next));
            if std::mem::replace(&mut is_rest, rest.is_some()) {
                continue;
            }
            if !value.is_refused() && !mapping.is_known(key, node) {
                continue;
            }
            let mut has_absorbed_lines = false;
            let is_unreadable = value.attempt(&mut |value| {
                let read = rest.as_ref().map_or_else(|| each(key, value), |number| Err(number_with_commas(number)));
                read.inspect_err(|error| has_absorbed_lines = error.has_absorbed_lines())
            });
            // A faulty value takes its key with it; if only something within the value is faulty, the key stays.
            if is_unreadable {
                self.to.borrow_mut().note_unread(key.place.file, &key.text);
            }
            if has_absorbed_lines {
                mapping.note_missing_as_unread();
            }
        }
        Ok(())
    }
}

/// A mapping of so few keys is shown as an example of what is expected.
const FEW: usize = 3;

/// Returns how a mapping of a few keys is written.
fn entry_of(first: &str, others: &[&str]) -> String {
    let others: String = others.iter().map(|key| format!(", {key}: ..")).collect();
    format!("write `{{ {first}: ..{others} }}`, without what does not apply")
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number_with_commas(number: &str) -> ReadError {
    ReadError::new(Kind::Scalar, format!("expected a number without commas, found `{number}`"), "write the digits only")
}

/// The kind of value that is expected.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    Text,
    /// `true` or `false`.
    Flag,
    Whole {
        bits: u8,
    },
    List,
    Mapping,
    OneOf(&'static [&'static str]),
    /// Another form, in words.
    Form(&'static str),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("a text"),
            Self::Flag => f.write_str("true or false"),
            Self::Whole { bits } => write!(f, "a whole number of at most {bits} bits"),
            Self::List => f.write_str("a list"),
            Self::Mapping => f.write_str("a mapping"),
            Self::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Self::Form(form) => f.write_str(form),
        }
    }
}

impl Expected {
    /// Returns how such a value is written.
    fn how_to_write(self) -> String {
        let such_as = match self {
            Self::Text => "a word or a sentence, in quotes where it has `: ` in it",
            Self::Flag => "`true` or `false`",
            Self::Whole { .. } => "digits only, such as 100",
            Self::List => "`[one, two]`, or each after `- ` on a line of its own",
            Self::Mapping => "`name: value`, each name on a line of its own",
            Self::OneOf(_) | Self::Form(_) => return format!("write {self}"),
        };
        format!("write {such_as}")
    }
}

/// A mapping that is being read.
struct Mapping<'a> {
    reader: NodeReader<'a>,
    entries: &'a [(Key<'a>, Node<'a>)],
    /// The keys of the type; `None` if any key is valid.
    keys: Option<&'static [&'static str]>,
}

impl Mapping<'_> {
    /// Notes the missing keys as unread, because a value has swallowed lines that should have had keys of their own.
    fn note_missing_as_unread(&self) {
        let is_there = |name: &&str| self.entries.iter().any(|(key, _)| key.text == *name);
        let mut to = self.reader.to.borrow_mut();
        for name in self.keys.into_iter().flatten().filter(|name| !is_there(name)) {
            to.note_unread(self.reader.node.place.file, name);
        }
    }

    /// Returns whether an unknown key follows a known one without a value, to which it should belong. The missing value
    /// is already reported.
    fn belongs_to_empty_key(&self, key: &Key<'_>, keys: &[&str]) -> bool {
        let before = self.entries.iter().take_while(|(other, _)| other.place != key.place);
        let known = before.filter(|(other, _)| keys.contains(&&*other.text));
        known.last().is_some_and(|(_, value)| value.is_missing())
    }

    fn is_known(&self, key: &Key<'_>, node: &Node<'_>) -> bool {
        if self.keys.is_some_and(|keys| keys.contains(&&*key.text)) {
            return true;
        }
        let mut to = self.reader.to.borrow_mut();
        if is_rest_of_a_text(key, node, to.text(key.place.file).unwrap_or_default()) {
            let says = format!("expected a text in quotes: a comma ends it before `{}`", key.text);
            to.at(key.place, Code::WrongType, says).help("within `{ }`, put a text with commas in quotes");
            return false;
        }
        let Some(keys) = self.keys else { return true };
        let meant = called_otherwise(&key.text).filter(|meant| keys.contains(meant));
        let similar = nearest(&key.text, keys.iter().copied()).or(meant);
        if similar.is_none() && self.belongs_to_empty_key(key, keys) {
            return false;
        }
        if let Some(similar) = similar {
            to.note_unread(key.place.file, similar);
        }
        let report = to.at(key.place, Code::UnknownKey, format!("unknown key `{}`", key.text));
        let meant = meant.map(|meant| Help::renamed(&key.text, meant));
        match (did_you_mean(&key.text, keys.iter().copied()).or(meant), self.reader.under) {
            (Some(similar), _) => drop(report.help(similar)),
            (None, under) => {
                let around = if self.reader.around.contains(&&*key.text) {
                    format!(
                        "indent it less, if it belongs to the mapping around `{}`; ",
                        under.map_or("", |under| &under.text)
                    )
                } else {
                    String::new()
                };
                let report = report.help(format!("{around}expected one of: {}", keys.join(", ")));
                if let Some(under) = under {
                    report.related(under.place, format!("of `{}`, which is here", under.text));
                }
            }
        }
        false
    }
}

/// The names in other descriptions of keys whose values are written alike.
const CALLED_OTHERWISE: [(&str, &[&str]); 8] = [
    ("doc", &["description", "desc", "comment"]),
    ("title", &["summary", "heading"]),
    ("request", &["parameters", "params", "body"]),
    ("response", &["returns", "answer"]),
    ("min", &["minimum"]),
    ("max", &["maximum"]),
    ("pattern", &["regex", "regexp"]),
    ("only", &["enum", "values"]),
];

/// Returns the key that another description calls so.
fn called_otherwise(name: &str) -> Option<&'static str> {
    CALLED_OTHERWISE.iter().find(|(_, others)| others.contains(&name)).map(|(own, _)| *own)
}

/// Returns whether a key without a value is the rest of an unquoted text after a comma: `{ doc: Buys, or sells. }`.
fn is_rest_of_a_text(key: &Key<'_>, value: &Node<'_>, file: &str) -> bool {
    let before = file.get(..key.place.start as usize).unwrap_or_default();
    value.is_missing() && before.trim_end().ends_with(',') && key.text.contains(|c: char| c == ' ' || ".!?".contains(c))
}
