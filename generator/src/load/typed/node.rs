//! A node, as serde asks for it.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, Deserializer, Visitor};

use super::members::{Entries, Items};
use super::place::PlaceThen;
use super::{ReadError, Shared};
use crate::diagnostics::Code;
use crate::load::shapes::SHORT;
use crate::load::spanned::SPANNED;
use crate::load::tree::{Content, Node};

#[derive(Clone, Copy)]
pub(super) struct NodeReader<'a> {
    pub(super) node: &'a Node,
    pub(super) shared: &'a Shared<'a>,
}

impl<'a> NodeReader<'a> {
    pub(super) fn of(self, node: &'a Node) -> Self {
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

    fn text(self, what: &str) -> Result<&'a str, ReadError> {
        match &self.node.content {
            Content::Scalar { text, plain: true } if text.is_empty() => Err(self.expected(what)),
            Content::Scalar { text, .. } => Ok(text),
            _ => Err(self.expected(what)),
        }
    }

    fn parsed<T: std::str::FromStr>(self, what: &str) -> Result<T, ReadError> {
        let text = self.text(what)?;
        text.parse().map_err(|_| {
            let mut error =
                ReadError::new(Code::WrongType, format!("expected {what}, found `{text}`")).within(self.node);
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

/// Serde asks for a kind of value and gets it, or an error at this node.
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
        let text = self.text(&format!("one of {}", variants.join(", ")))?;
        let word: StrDeserializer<'a, ReadError> = de::IntoDeserializer::into_deserializer(text);
        visitor.visit_enum(word).map_err(|error| error.within(self.node))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, name: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        if name == SPANNED {
            return visitor.visit_seq(PlaceThen::new(self.node.place, self));
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

/// What something of this kind looks like.
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
