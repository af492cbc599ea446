//! Deserializers for nodes, keys, items and entries.

use std::fmt;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{ReadError, Shared};
use crate::diagnostics::{Code, Place, did_you_mean, nearest};
use crate::load::shapes::{SHORT, SPANNED};
use crate::load::tree::{Content, Key, Node};

#[derive(Clone, Copy)]
pub(super) struct NodeReader<'a> {
    pub(super) node: &'a Node<'a>,
    pub(super) shared: &'a Shared<'a>,
    /// The key of the node, or of the list that contains it.
    pub(super) under: Option<&'a Key<'a>>,
}

impl<'a> NodeReader<'a> {
    pub(super) fn of(self, node: &'a Node<'a>) -> Self {
        Self { node, ..self }
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

    pub(super) fn expected(self, what: impl fmt::Display) -> ReadError {
        let what = what.to_string();
        let message = format!("expected {what}, found {}", self.describe());
        let mut error = ReadError::new(Code::WrongType, message).within(self.node);
        error.help = Some(Box::new(how_to_write(&what).into()));
        error
    }

    fn text(self, what: impl fmt::Display) -> Result<&'a str, ReadError> {
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
        let mut error =
            ReadError::new(Code::WrongType, format!("expected a single value, but `{first}` goes on in the next line"))
                .within(self.node);
        error.help = Some(Box::new("begin the next line with its key, such as `doc:`".into()));
        error.has_absorbed_lines = true;
        error
    }

    fn parsed<T: std::str::FromStr>(self, what: &str) -> Result<T, ReadError> {
        let text = self.text(what)?;
        if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("expected a whole number without a leading zero, found `{text}`");
            let mut error = ReadError::new(Code::WrongType, message).within(self.node);
            error.help = Some(Box::new("write it without the zero, with which some readers take it for octal".into()));
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

    fn map<V: Visitor<'a>>(self, fields: Option<&'static [&'static str]>, visitor: V) -> Result<V::Value, ReadError> {
        let Content::Mapping(entries) = &self.node.content else {
            return Err(self.expected("a mapping"));
        };
        visitor
            .visit_map(Entries { reader: self, rest: entries.iter(), value: None, fields })
            .map_err(|error| error.within(self.node))
    }

    fn list<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let Content::Sequence(items) = &self.node.content else {
            return Err(self.expected("a list"));
        };
        visitor.visit_seq(Items { reader: self, rest: items.iter() }).map_err(|error| error.within(self.node))
    }
}

/// Deserializes a node as the requested kind of value, or fails with an error at the node.
impl<'a> Deserializer<'a> for NodeReader<'a> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.node.content {
            Content::Scalar { .. } => self.deserialize_str(visitor),
            Content::Sequence(_) => self.list(visitor),
            Content::Mapping(_) => self.map(None, visitor),
            Content::Refused => Err(self.expected("a value")),
        }
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_bool(self.parsed("true or false")?)
    }

    fn deserialize_u32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u32(self.parsed("a whole number of at most 32 bits")?)
    }

    fn deserialize_u64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_u64(self.parsed("a whole number of at most 64 bits")?)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let text = self.text("a text")?;
        visitor.visit_borrowed_str(text).map_err(|error: ReadError| error.within(self.node))
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _len: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.map(None, visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.map(Some(fields), visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let text = self.text(format_args!("one of {}", Words(variants)))?;
        if !variants.contains(&text)
            && let Some(first) = self.first_line().filter(|first| variants.contains(first))
        {
            return Err(self.continued_value(first));
        }
        let word: StrDeserializer<'a, ReadError> = de::IntoDeserializer::into_deserializer(text);
        visitor.visit_enum(word).map_err(|error| error.within(self.node))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, name: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_map(PlaceThen { place: self.node.place, reader: self });
        }
        if name == SHORT && matches!(self.node.content, Content::Scalar { .. }) {
            return self.deserialize_str(visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        <W: Visitor<'a>>
        i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple_struct identifier
    }
}

/// Words, separated by commas.
struct Words(&'static [&'static str]);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// How a value of this kind is written.
pub(super) fn how_to_write(what: &str) -> String {
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

pub(super) struct Items<'a> {
    pub(super) reader: NodeReader<'a>,
    pub(super) rest: std::slice::Iter<'a, Node<'a>>,
}

impl<'a> SeqAccess<'a> for Items<'a> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let shared = self.reader.shared;
        let Some(node) = self.rest.find(|node| !shared.skips(node)) else {
            return Ok(None);
        };
        seed.deserialize(self.reader.of(node)).map(Some).map_err(|error| error.within(node))
    }

    /// The exact length, so that collections do not allocate more than they need.
    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

pub(super) struct Entries<'a> {
    pub(super) reader: NodeReader<'a>,
    pub(super) rest: std::slice::Iter<'a, (Key<'a>, Node<'a>)>,
    pub(super) value: Option<(&'a Key<'a>, &'a Node<'a>)>,
    /// The keys of the type; `None` if any key is valid.
    pub(super) fields: Option<&'static [&'static str]>,
}

impl Entries<'_> {
    /// Notes the missing keys as unread, because a value has swallowed lines that should have had keys of their own.
    fn note_missing_as_unread(&self) {
        let Content::Mapping(entries) = &self.reader.node.content else { return };
        let is_there = |field: &&str| entries.iter().any(|(key, _)| key.text == *field);
        let mut to = self.reader.shared.diagnostics.borrow_mut();
        for field in self.fields.into_iter().flatten().filter(|field| !is_there(field)) {
            to.note_unread(self.reader.node.place.file, field);
        }
    }

    /// Whether an unknown key follows a known one without a value, to which it should belong. The missing value is
    /// already reported.
    fn belongs_to_empty_key(&self, key: &Key<'_>, fields: &[&str]) -> bool {
        let Content::Mapping(entries) = &self.reader.node.content else { return false };
        let before = entries.iter().take_while(|(other, _)| other.place != key.place);
        let known = before.filter(|(other, _)| fields.contains(&&*other.text));
        known.last().is_some_and(|(_, value)| is_empty(value))
    }

    fn is_known(&self, key: &Key<'_>, node: &Node<'_>) -> bool {
        if self.fields.is_some_and(|fields| fields.contains(&&*key.text)) {
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
        let Some(fields) = self.fields else { return true };
        shared.skipped.borrow_mut().insert(node.id);
        let similar = nearest(&key.text, fields.iter().copied());
        if similar.is_none() && self.belongs_to_empty_key(key, fields) {
            return false;
        }
        if let Some(similar) = similar {
            to.note_unread(key.place.file, similar);
        }
        let report = to.at(key.place, Code::UnknownKey, format!("unknown key `{}`", key.text));
        match (did_you_mean(&key.text, fields.iter().copied()), self.reader.under) {
            (Some(similar), _) => drop(report.help(similar)),
            (None, under) => {
                let report = report.help(format!("expected one of: {}", fields.join(", ")));
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

impl<'a> MapAccess<'a> for Entries<'a> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        loop {
            let Some((key, node)) = self.rest.next() else { return Ok(None) };
            if self.reader.shared.skips(node) {
                self.reader.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
                continue;
            }
            if !self.is_known(key, node) {
                continue;
            }
            self.value = Some((key, node));
            return seed.deserialize(KeyReader { key }).map(Some).map_err(|error: ReadError| error.within(node));
        }
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some((key, node)) = self.value.take() else { return Err(self.reader.expected("a value")) };
        seed.deserialize(NodeReader { under: Some(key), ..self.reader.of(node) }).map_err(|error| {
            let error = error.within(node);
            if error.has_absorbed_lines {
                self.note_missing_as_unread();
            }
            // A faulty value takes its key with it; if only something within the value is faulty, the key stays.
            if error.node.is_some_and(|(id, _)| id == node.id) {
                self.reader.shared.diagnostics.borrow_mut().note_unread(key.place.file, &key.text);
            }
            error
        })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A key, which is a text and may need its place.
#[derive(Clone, Copy)]
pub(super) struct KeyReader<'a> {
    pub(super) key: &'a Key<'a>,
}

impl<'a> Deserializer<'a> for KeyReader<'a> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_borrowed_str(&self.key.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, name: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_map(PlaceThen { place: self.key.place, reader: self });
        }
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        <W: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The map that a `Spanned` is read from: the place is its key, and the value is its value. A sequence would make the
/// compiler generate the code for values twice, because each of its items could be either.
struct PlaceThen<R> {
    place: Place,
    reader: R,
}

impl<'a, R> MapAccess<'a> for PlaceThen<R>
where
    R: Deserializer<'a, Error = ReadError> + Copy,
{
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Place { file, line, column, start, end } = self.place;
        seed.deserialize(SeqDeserializer::new([file, line, column, start, end].into_iter())).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        seed.deserialize(self.reader)
    }
}
