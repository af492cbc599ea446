//! Nodes -> the types of [`super::raw`] through serde, reporting every mistake of a file in one run.
//!
//! Serde stops at the first error, so a faulty node is reported and skipped, and the file is read again until no error
//! is left. Files are small, and a valid one is read only once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeOwned, Unexpected};

use self::reader::{NodeReader, how_to_write};
use super::tree::{Content, Node};
use crate::diagnostics::{Code, Diagnostics, Help, Place, did_you_mean};

mod reader;

/// The maximum number of readings: a file with more mistakes than this is given up.
const MOST_READINGS: usize = 100;

/// Reads a document into its type. Faulty parts are reported and left out; `None` if nothing is left.
pub(super) fn read<T: DeserializeOwned>(root: &Node<'_>, to: &mut Diagnostics) -> Option<T> {
    let shared = Shared { skipped: RefCell::default(), diagnostics: RefCell::new(to) };
    for _ in 0..MOST_READINGS {
        if shared.skips(root) {
            return None;
        }
        let error = match T::deserialize(NodeReader { node: root, shared: &shared, under: None }) {
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
struct ReadError {
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

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Code::WrongType, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let found = match found {
            Unexpected::Map => "a mapping".to_owned(),
            Unexpected::Seq => "a list".to_owned(),
            Unexpected::Str(_) => "a text".to_owned(),
            other => other.to_string(),
        };
        let what = expected.to_string();
        let mut error = Self::new(Code::WrongType, format!("expected {what}, found {found}"));
        error.help = Some(Box::new(how_to_write(&what).into()));
        error
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let mut error = Self::new(
            Code::UnknownWord,
            format!("unknown value `{variant}`, expected one of: {}", expected.join(", ")),
        );
        let help = did_you_mean(variant, expected.iter().copied());
        error.help = Some(Box::new(help.unwrap_or_else(|| "write one of these words".into())));
        error
    }
}
