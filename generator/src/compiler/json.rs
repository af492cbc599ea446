//! JSON with the place of each value, with numbers as they were written and members in their order.

mod read;

use std::fmt;

pub(crate) use read::{parse, word};

/// A value and the byte offset at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) offset: usize,
    pub(crate) value: Value,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) offset: usize,
    pub(crate) name: String,
    pub(crate) value: Node,
}

impl Node {
    /// Returns the kind, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Number(_) => "a JSON number",
            Value::Text(_) => "a JSON string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

impl Value {
    /// Creates an object that was not read, so that nothing in it has a place.
    pub(crate) fn object(members: impl IntoIterator<Item = (impl Into<String>, Value)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), placeless(value)));
        Self::Object(members.map(|(name, value)| Member { offset: 0, name, value }).collect())
    }

    /// Creates a list that was not read.
    pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(items.into_iter().map(placeless).collect())
    }

    /// Returns the items, if it is a list.
    pub(crate) fn items(&self) -> Option<&[Node]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// Returns the members, if it is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

fn placeless(value: Value) -> Node {
    Node { offset: 0, value }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.to_string())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Writes it as JSON in one line, without spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => quote(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    item.value.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, member) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    quote(f, &member.name)?;
                    f.write_str(":")?;
                    member.value.value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
