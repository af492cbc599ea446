use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use super::path::path_at;

/// What could not be read in a JSON text, and where.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError(Box<Details>);

#[derive(Clone, PartialEq, Eq)]
struct Details {
    offset: usize,
    what: Cow<'static, str>,
    path: String,
}

impl ReadError {
    /// Tells what is wrong at the byte `offset`.
    #[cold]
    pub fn new(offset: usize, what: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Details { offset, what: what.into(), path: String::new() }))
    }

    /// The byte where it is, counted from the beginning of the text.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What is wrong there.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// The way to it: `orderList[3].price`. Empty when the text as a whole is wrong.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// About how much memory it takes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Details>() + self.0.what.len() + self.0.path.len()
    }

    /// The same error, with the path found in the text it belongs to.
    pub(crate) fn located(mut self, text: &str) -> Self {
        self.0.path = path_at(text, self.0.offset);
        self
    }

    /// The same error, counted from `base` on, where the part `raw` of the text begins.
    #[must_use]
    pub(crate) fn within(mut self, raw: &str, base: usize) -> Self {
        self.0.offset = self.0.offset.saturating_sub(base);
        self.located(raw)
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
