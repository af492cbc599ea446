//! Errors with the path to the part of a JSON text that could not be read.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Write};

use super::reader::{Kind, Mark, Reader};

impl ReadError {
    /// Returns the same error, with the path found in the text it belongs to.
    pub(crate) fn located(self, text: &str) -> Self {
        let offset = self.offset();
        self.placed(offset, path_at(text, offset))
    }

    /// Returns the same error within `raw`, the part of the text that begins at `base`.
    #[must_use]
    fn within(self, raw: &str, base: usize) -> Self {
        let offset = self.offset().saturating_sub(base);
        self.placed(offset, path_at(raw, offset))
    }
}

impl Reader<'_> {
    /// Finishes reading. An error gets the path to its place.
    pub(crate) fn ended(&mut self, read: Result<(), ReadError>) -> Result<(), ReadError> {
        read.and_then(|()| self.finish()).map_err(|error| error.located(self.text()))
    }

    /// Returns the text of the value at `start`, which is skipped, and its error within it.
    ///
    /// Fails only if the value is not JSON, because nothing after it can be found then, or if there are too many such
    /// values, because leaving some out would hide them.
    pub(super) fn set_apart(&mut self, start: Mark, error: ReadError) -> Result<(String, ReadError), ReadError> {
        if self.is_out_of_room() {
            return Err(error);
        }
        self.go_back(start);
        let raw = self.raw_value()?;
        let error = error.within(raw, start.at);
        self.take_room(raw.len() + error.size())?;
        Ok((raw.to_owned(), error))
    }
}

enum Step<'a> {
    Member(Cow<'a, str>),
    Element(usize),
}

/// The byte is in the value that the steps lead to.
struct Found;

/// Returns the path to the value at the byte `offset`, such as `data.orderList[3].price`. It is found only when an
/// error needs it.
fn path_at(text: &str, offset: usize) -> String {
    let mut steps = Vec::new();
    let mut from = Reader::new(text);
    // Not found means that the offset is after the value: the path is the root's.
    let _ = walk(&mut from, offset, &mut steps);
    let mut path = String::new();
    for step in &steps {
        // Writing to a String cannot fail.
        let _ = match step {
            Step::Member(name) if path.is_empty() => write!(path, "{name}"),
            Step::Member(name) => write!(path, ".{name}"),
            Step::Element(index) => write!(path, "[{index}]"),
        };
    }
    path
}

fn walk<'a>(from: &mut Reader<'a>, offset: usize, steps: &mut Vec<Step<'a>>) -> Result<(), Found> {
    if from.here() >= offset {
        return Err(Found);
    }
    match from.peek() {
        Kind::Object => walk_object(from, offset, steps)?,
        Kind::Array => walk_array(from, offset, steps)?,
        _ => from.skip().map_err(|_| Found)?,
    }
    if from.here() > offset { Err(Found) } else { Ok(()) }
}

fn walk_object<'a>(from: &mut Reader<'a>, offset: usize, steps: &mut Vec<Step<'a>>) -> Result<(), Found> {
    let mut members = from.object(&[]).map_err(|_| Found)?;
    while let Some(name) = members.next_name(from).map_err(|_| Found)? {
        steps.push(Step::Member(name));
        walk(from, offset, steps)?;
        steps.pop();
    }
    Ok(())
}

fn walk_array<'a>(from: &mut Reader<'a>, offset: usize, steps: &mut Vec<Step<'a>>) -> Result<(), Found> {
    let mut elements = from.array().map_err(|_| Found)?;
    while let Some(index) = elements.next(from).map_err(|_| Found)? {
        steps.push(Step::Element(index));
        walk(from, offset, steps)?;
        steps.pop();
    }
    Ok(())
}

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

    /// Returns the byte where it is, counted from the beginning of the text.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns what is wrong there.
    pub fn what(&self) -> &str {
        &self.0.what
    }

    /// Returns the path to it, such as `orderList[3].price`. Empty if the text as a whole is wrong.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// Returns the same error, at a byte of another text, with the path there.
    pub(super) fn placed(mut self, offset: usize, path: String) -> Self {
        (self.0.offset, self.0.path) = (offset, path);
        self
    }

    /// Returns the memory that it takes, approximately.
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

#[cfg(test)]
mod tests {
    use super::path_at;

    #[test]
    fn leads_to_the_value_around_a_byte() {
        let text = r#"{"data": {"list": [{"a":1}, {"price" : "x", "b\"":{}}]}, "end":2}"#;
        let path = |part: &str| path_at(text, text.find(part).unwrap_or(text.len()));
        assert_eq!(path(r#""x""#), "data.list[1].price");
        assert_eq!(path(r#"1}"#), "data.list[0].a");
        assert_eq!(path(r#"{}"#), "data.list[1].b\"");
        assert_eq!(path("2}"), "end");
        assert_eq!(path_at(text, 0), "");
        assert_eq!(path_at(text, text.len()), "");
    }

    #[test]
    fn leads_to_where_the_text_breaks() {
        assert_eq!(path_at(r#"{"a":[1,{"b":tru}]}"#, 13), "a[1].b");
        assert_eq!(path_at(r#"{"a":[1,2"#, 9), "a");
    }
}
