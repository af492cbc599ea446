//! The part of a JSON text that could not be read, and its place.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The part of a JSON text that could not be read, and its place.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError(Box<Details>);

#[derive(Clone, PartialEq, Eq)]
struct Details {
    offset: usize,
    what: Cow<'static, str>,
    path: String,
}

impl ReadError {
    /// Reports a mistake at the byte `offset`.
    #[cold]
    pub fn new(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Details { offset, what: what.into(), path: String::new() }))
    }

    /// The byte where it is, counted from the beginning of the text.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns what is wrong there.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// The path to it, such as `orderList[3].price`. Empty if the text as a whole is wrong.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The same error, at a byte of another text, with the path there.
    pub(super) fn placed(mut self, offset: usize, path: String) -> Self {
        (self.0.offset, self.0.path) = (offset, path);
        self
    }

    /// The memory that it takes, approximately.
    pub(crate) fn size(&self) -> usize {
        size_of::<Details>() + self.0.what.len() + self.0.path.len()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path().is_empty() {
            write!(f, "{}: ", self.path())?;
        }
        write!(f, "{} (at byte {})", self.what(), self.offset())
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadError({self})")
    }
}

impl Error for ReadError {}
