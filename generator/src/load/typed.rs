//! Nodes -> the types of [`super::raw`], reporting every mistake of a file in one run.
//!
//! Reading stops at the first error, so a faulty node is reported and skipped, and the file is read again until no
//! error is left. Files are small, and a valid one is read only once.
//!
//! The types have a trait of their own rather than serde's, which a build script would have to compile: reading needs
//! places and few kinds of values.

use std::cell::RefCell;
use std::collections::HashSet;

pub(crate) use self::reader::NodeReader;
use super::tree::{Content, Node};
use crate::diagnostics::{Code, Diagnostics, Help, Place};
use crate::words::Word;

mod reader;

/// A type that can be read from a node.
pub(crate) trait Read: Sized {
    /// Reads the node; the error is at the node, unless it is at another one within it.
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError>;
}

impl Read for String {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.text("a text").map(str::to_owned)
    }
}

impl Read for bool {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed("true or false")
    }
}

impl Read for u32 {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed("a whole number of at most 32 bits")
    }
}

impl Read for u64 {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        from.parsed("a whole number of at most 64 bits")
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

/// The maximum number of readings: a file with more mistakes than this is given up.
const MAX_READINGS: usize = 100;

/// Reads a document into its type. Faulty parts are reported and left out; `None` if nothing is left.
pub(super) fn read<T: Read>(root: &Node<'_>, to: &mut Diagnostics) -> Option<T> {
    let shared = Shared { skipped: RefCell::default(), diagnostics: RefCell::new(to) };
    for _ in 0..MAX_READINGS {
        if shared.skips(root) {
            return None;
        }
        let error = match T::read(NodeReader { node: root, shared: &shared, under: None }) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let (node, place) = error.node.unwrap_or((root.id, root.place));
        shared.report(place, error);
        shared.skipped.borrow_mut().insert(node);
    }
    None
}

struct Shared<'a> {
    /// Nodes that were reported and are skipped.
    skipped: RefCell<HashSet<u32>>,
    diagnostics: RefCell<&'a mut Diagnostics>,
}

impl Shared<'_> {
    fn report(&self, place: Place, error: ReadError) {
        self.diagnostics.borrow_mut().at(place, error.code, error.message).help_if(error.help.map(|help| *help));
    }

    fn skips(&self, node: &Node<'_>) -> bool {
        matches!(node.content, Content::Refused) || self.skipped.borrow().contains(&node.id)
    }
}

/// Why a node cannot be read.
#[derive(Debug)]
pub(crate) struct ReadError {
    node: Option<(u32, Place)>,
    code: Code,
    message: String,
    help: Option<Box<Help>>,
    /// Whether the lines that follow the value were read as a part of it.
    has_absorbed_lines: bool,
}

impl ReadError {
    fn new(code: Code, message: String) -> Self {
        Self { node: None, code, message, help: None, has_absorbed_lines: false }
    }

    /// Sets the node of the error, unless a node within it is already set.
    fn within(mut self, node: &Node<'_>) -> Self {
        self.node.get_or_insert((node.id, node.place));
        self
    }
}
