//! Nodes -> the types of [`super::raw`], reporting every mistake of a file in one run: a faulty item of a list or entry
//! of a mapping is reported and left out, and the others are read.
//!
//! The types have a trait of their own rather than serde's, which a build script would have to compile: reading needs
//! places and few kinds of values.

use std::cell::RefCell;

pub(crate) use self::reader::{Expected, NodeReader};
use super::tree::Node;
use crate::compiler::diagnostics::{Code, Diagnostics, Help, Kind};
use crate::compiler::words::Word;

mod reader;

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
    let (from, mut read) = (NodeReader { node: root, to: &to, under: None }, None);
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
