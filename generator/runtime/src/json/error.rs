use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::fmt::Write;

use super::reader::{Kind, Reader};

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
    /// Reports a mistake at the byte `offset`.
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

    /// The path to it, such as `orderList[3].price`. Empty if the text as a whole is wrong.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The memory that it takes, approximately.
    pub(crate) fn size(&self) -> usize {
        size_of::<Details>() + self.0.what.len() + self.0.path.len()
    }

    /// The same error, with the path found in the text it belongs to.
    pub(crate) fn located(mut self, text: &str) -> Self {
        self.0.path = path_at(text, self.0.offset);
        self
    }

    /// The same error within `raw`, the part of the text that begins at `base`.
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

enum Step<'a> {
    Member(Cow<'a, str>),
    Element(usize),
}

/// The byte is in the value that the steps lead to.
struct Found;

/// The path to the value at the byte `offset`, such as `data.orderList[3].price`. It is found only when an error needs
/// it.
pub(super) fn path_at(text: &str, offset: usize) -> String {
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
