//! How a node is read as a text, a number, a list or a mapping.

use std::fmt;

use super::{Read, ReadError, Shared};
use crate::diagnostics::{Code, Place, did_you_mean, nearest};
use crate::load::tree::{Content, Key, Node};
use crate::words::Word;

/// A node that is being read.
#[derive(Clone, Copy)]
pub(crate) struct NodeReader<'a> {
    pub(super) node: &'a Node<'a>,
    pub(super) shared: &'a Shared<'a>,
    /// The key of the node, or of the list that contains it.
    pub(super) under: Option<&'a Key<'a>>,
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

    pub(crate) fn is_text(self) -> bool {
        matches!(self.node.content, Content::Scalar { .. })
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self.node.content, Content::Sequence(_))
    }

    /// The number of items or entries, so that collections do not allocate more than they need.
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
            Content::Scalar { .. } => "a text",
            Content::Sequence(_) => "a list",
            Content::Mapping(_) => "a mapping",
            Content::Refused => "nothing",
        }
    }

    pub(crate) fn expected(self, what: impl fmt::Display) -> ReadError {
        let what = what.to_string();
        let message = format!("expected {what}, found {}", self.describe());
        let mut error = ReadError::new(Code::WrongType, message).within(self.node);
        error.help = Some(Box::new(how_to_write(&what).into()));
        error
    }

    pub(crate) fn text(self, what: impl fmt::Display) -> Result<&'a str, ReadError> {
        match &self.node.content {
            Content::Scalar { text, plain: true } if text.is_empty() => Err(self.expected(what)),
            Content::Scalar { text, .. } => Ok(text),
            _ => Err(self.expected(what)),
        }
    }

    /// The first line of a plain text of several lines, in place of a single word.
    fn first_line(self) -> Option<&'a str> {
        let Content::Scalar { text, plain: true } = &self.node.content else { return None };
        let file = self.node.place.file;
        let to = self.shared.diagnostics.borrow();
        let written = to.text(file).and_then(|all| all.get(self.node.place.range_in(all)))?;
        let first = written.lines().next()?.trim_end();
        (first.len() < written.trim_end().len()).then(|| text.get(..first.len()))?
    }

    /// The error for lines that continue a value that has only one.
    fn continued_value(self, first: &str) -> ReadError {
        let mut error = ReadError::new(
            Code::WrongType,
            format!("expected a single value, but `{first}` continues on the next line"),
        )
        .within(self.node);
        error.help = Some(Box::new("begin the next line with its key, such as `doc:`".into()));
        error.has_absorbed_lines = true;
        error
    }

    pub(super) fn parsed<T: std::str::FromStr>(self, what: &str) -> Result<T, ReadError> {
        let text = self.text(what)?;
        if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("expected a whole number without a leading zero, found `{text}`");
            let mut error = ReadError::new(Code::WrongType, message).within(self.node);
            error.help = Some(Box::new("write it without the zero: some YAML readers take it as octal".into()));
            return Err(error);
        }
        text.parse().map_err(|_| {
            if let Some(first) = self.first_line().filter(|first| first.parse::<T>().is_ok()) {
                return self.continued_value(first);
            }
            let is_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let message = if is_large {
                format!("the number `{text}` is too large: expected {what}")
            } else {
                format!("expected {what}, found `{text}`")
            };
            let mut error = ReadError::new(Code::WrongType, message).within(self.node);
            error.help = Some(Box::new(how_to_write(what).into()));
            error
        })
    }

    /// The text of a word, which may be none of these words.
    pub(crate) fn word(self, words: &[&str]) -> Result<&'a str, ReadError> {
        let text = self.text(format_args!("one of {}", words.join(", ")))?;
        let first = self.first_line().filter(|first| !words.contains(&text) && words.contains(first));
        first.map_or(Ok(text), |first| Err(self.continued_value(first)))
    }

    pub(crate) fn unknown_word<W: Word>(self, text: &str) -> ReadError {
        let message = format!("unknown value `{text}`, expected one of: {}", W::WORDS.join(", "));
        let mut error = ReadError::new(Code::UnknownWord, message).within(self.node);
        let help = did_you_mean(text, W::WORDS.iter().copied()).filter(|_| W::ARE_SUGGESTED);
        error.help = Some(Box::new(help.unwrap_or_else(|| "write one of these words".into())));
        error
    }

    /// Reads each item of a list.
    pub(crate) fn list(self, each: &mut dyn FnMut(Self) -> Result<(), ReadError>) -> Result<(), ReadError> {
        let Content::Sequence(items) = &self.node.content else {
            return Err(self.expected("a list"));
        };
        items
            .iter()
            .filter(|item| !self.shared.skips(item))
            .try_for_each(|item| each(Self { node: item, ..self }).map_err(|error| error.within(item)))
    }

    /// Reads each entry of a mapping whose type has these keys; with `None`, any key is valid.
    pub(crate) fn mapping(
        self,
        keys: Option<&'static [&'static str]>,
        each: &mut dyn FnMut(&Key<'a>, Self) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let Content::Mapping(entries) = &self.node.content else {
            return Err(self.expected("a mapping"));
        };
        let mapping = Mapping { reader: self, entries, keys };
        for (key, node) in entries {
            if self.shared.skips(node) {
                self.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
            } else if mapping.is_known(key, node) {
                each(key, Self { node, under: Some(key), ..self })
                    .map_err(|error| mapping.note_faulty(key, node, error.within(node)))?;
            }
        }
        Ok(())
    }
}

/// How a value of this kind is written.
fn how_to_write(what: &str) -> String {
    let such_as = match what {
        "a mapping" => "`name: value`, each name on a line of its own",
        "a list" => "`[one, two]`, or each after `- ` on a line of its own",
        "true or false" => "`true` or `false`",
        number if number.starts_with("a whole number") => "digits only, such as 100",
        "a text" => "a word or a sentence, in quotes where it has `: ` in it",
        other => return format!("write {other}"),
    };
    format!("write {such_as}")
}

/// A mapping that is being read.
struct Mapping<'a> {
    reader: NodeReader<'a>,
    entries: &'a [(Key<'a>, Node<'a>)],
    /// The keys of the type; `None` if any key is valid.
    keys: Option<&'static [&'static str]>,
}

impl Mapping<'_> {
    /// Notes what cannot be read because a value is faulty.
    fn note_faulty(&self, key: &Key<'_>, node: &Node<'_>, error: ReadError) -> ReadError {
        if error.has_absorbed_lines {
            self.note_missing_as_unread();
        }
        // A faulty value takes its key with it; if only something within the value is faulty, the key stays.
        if error.node.is_some_and(|(id, _)| id == node.id) {
            self.reader.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
        }
        error
    }

    /// Notes the missing keys as unread, because a value has swallowed lines that should have had keys of their own.
    fn note_missing_as_unread(&self) {
        let is_there = |name: &&str| self.entries.iter().any(|(key, _)| key.text == *name);
        let mut to = self.reader.shared.diagnostics.borrow_mut();
        for name in self.keys.into_iter().flatten().filter(|name| !is_there(name)) {
            to.note_unread(self.reader.node.place.file, name);
        }
    }

    /// Whether an unknown key follows a known one without a value, to which it should belong. The missing value is
    /// already reported.
    fn belongs_to_empty_key(&self, key: &Key<'_>, keys: &[&str]) -> bool {
        let before = self.entries.iter().take_while(|(other, _)| other.place != key.place);
        let known = before.filter(|(other, _)| keys.contains(&&*other.text));
        known.last().is_some_and(|(_, value)| is_empty(value))
    }

    fn is_known(&self, key: &Key<'_>, node: &Node<'_>) -> bool {
        if self.keys.is_some_and(|keys| keys.contains(&&*key.text)) {
            return true;
        }
        let shared = self.reader.shared;
        let mut to = shared.diagnostics.borrow_mut();
        if is_rest_of_a_text(key, node, to.text(key.place.file).unwrap_or_default()) {
            shared.skipped.borrow_mut().insert(node.id);
            let says = format!("expected a text in quotes: a comma ends it before `{}`", key.text);
            to.at(key.place, Code::WrongType, says).help("within `{ }`, put a text with commas in quotes");
            return false;
        }
        let Some(keys) = self.keys else { return true };
        shared.skipped.borrow_mut().insert(node.id);
        let similar = nearest(&key.text, keys.iter().copied());
        if similar.is_none() && self.belongs_to_empty_key(key, keys) {
            return false;
        }
        if let Some(similar) = similar {
            to.note_unread(key.place.file, similar);
        }
        let report = to.at(key.place, Code::UnknownKey, format!("unknown key `{}`", key.text));
        match (did_you_mean(&key.text, keys.iter().copied()), self.reader.under) {
            (Some(similar), _) => drop(report.help(similar)),
            (None, under) => {
                let report = report.help(format!("expected one of: {}", keys.join(", ")));
                if let Some(under) = under {
                    report.related(under.place, format!("of `{}`, which is here", under.text));
                }
            }
        }
        false
    }
}

/// Whether a key without a value is the rest of an unquoted text after a comma: `{ doc: Buys, or sells. }`.
fn is_rest_of_a_text(key: &Key<'_>, value: &Node<'_>, file: &str) -> bool {
    let before = file.get(..key.place.start as usize).unwrap_or_default();
    is_empty(value) && before.trim_end().ends_with(',') && key.text.contains(|c: char| c == ' ' || ".!?".contains(c))
}

/// Whether a key has no value.
fn is_empty(value: &Node<'_>) -> bool {
    matches!(&value.content, Content::Scalar { text, plain: true } if text.is_empty())
}
