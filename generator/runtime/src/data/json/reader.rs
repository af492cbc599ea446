//! Reads JSON texts from front to back.

mod cursor;

use std::borrow::Cow;

use super::error::ReadError;
use super::layout::Layout;
use super::room::Room;

/// The maximum nesting of objects and arrays, so that no text exhausts the stack.
const MAX_DEPTH: u8 = 128;

/// Reads one JSON text from front to back, value by value.
///
/// ```
/// use tradeapi_runtime::Decimal;
/// use tradeapi_runtime::json::Reader;
///
/// let mut from = Reader::new(r#"["0E-8", 1.50]"#);
/// let prices: Vec<Decimal> = from.value()?;
/// from.finish()?;
/// assert_eq!(prices[1].as_str(), "1.50");
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u8,
    /// The number of arrays that have begun and not ended.
    lists: u8,
    /// The name of the unknown member whose value comes next; `None` if unknown members are not kept.
    unknown_name: Option<String>,
    /// The layouts of the objects that were read in lists.
    layouts: Vec<Layout<'a>>,
    /// The memory that the items of lists may still take.
    room: Room,
}

/// The kind of JSON value that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// The end of the text, or invalid JSON.
    Nothing,
}

/// A place a [`Reader`] can go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) at: usize,
    depth: u8,
    lists: u8,
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        let room = Room::for_text(text.len());
        Self { text, at: 0, depth: 0, lists: 0, unknown_name: None, layouts: Vec::new(), room }
    }

    /// Another reader at the same place, to look ahead. It keeps no unknown members and knows no layouts, so that it
    /// costs less than a clone.
    #[inline]
    pub(crate) fn ahead(&self) -> Self {
        let Self { text, at, depth, lists, unknown_name: _, layouts: _, room } = self;
        Self {
            text,
            at: *at,
            depth: *depth,
            lists: *lists,
            unknown_name: None,
            layouts: Vec::new(),
            room: room.clone(),
        }
    }

    /// The kind of the next value, which stays unread.
    pub fn peek(&mut self) -> Kind {
        match self.next_byte() {
            Some(b'"') => Kind::String,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Nothing,
        }
    }

    /// Reads a single value as text: the content of a string, the digits of a number as they are, `true` or `false`.
    ///
    /// # Errors
    ///
    /// Fails if the next value is `null`, an array or an object, or not JSON.
    #[inline]
    pub fn scalar(&mut self) -> Result<Cow<'a, str>, ReadError> {
        match self.next_byte() {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number().map(Cow::Borrowed),
            Some(b't') => self.literal("true").map(Cow::Borrowed),
            Some(b'f') => self.literal("false").map(Cow::Borrowed),
            _ => Err(self.unexpected("text or a number")),
        }
    }

    /// Reads a single value and converts its text; errors name it `wanted`.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not a single one, or if `make` returns `None`.
    #[inline]
    pub fn parsed<T>(&mut self, wanted: &'static str, make: impl FnOnce(&str) -> Option<T>) -> Result<T, ReadError> {
        let start = self.at;
        let other;
        let text = match self.take_plain() {
            Some(plain) => plain,
            None => {
                other = self.scalar()?;
                &other
            }
        };
        match make(text) {
            Some(value) => Ok(value),
            None => Err(self.not_what_was_wanted(start, wanted)),
        }
    }

    /// Appends an item of a list to those that were read before.
    ///
    /// # Errors
    ///
    /// Fails if the items of the whole text take more memory than a text of its length may. The rest of the text must
    /// not be read then.
    #[inline]
    pub fn keep<T>(&mut self, items: &mut Vec<T>, item: T) -> Result<(), ReadError> {
        if items.len() == items.capacity() {
            self.make_room(items)?;
        }
        items.push(item);
        Ok(())
    }

    #[cold]
    fn make_room<T>(&mut self, items: &mut Vec<T>) -> Result<(), ReadError> {
        // There are many lists within items, and each would get capacity for the rest of the text.
        let ahead = (self.lists == 1).then(|| (self.text.len() - self.at, self.at));
        if self.room.grow(items, ahead) { Ok(()) } else { Err(self.out_of_room()) }
    }

    /// Skips `null` or `""`, the two forms of a missing value, and returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails on a value that begins like `null` but is not.
    #[inline]
    pub fn take_nothing(&mut self) -> Result<bool, ReadError> {
        match self.next_byte() {
            Some(b'n') => self.literal("null").map(|_| true),
            Some(b'"') if self.bytes().get(self.at + 1) == Some(&b'"') => {
                self.at += 2;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// Fails if anything but white space is left.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        match self.next_byte() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end")),
        }
    }

    /// The whole text that is read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The byte where the next value begins.
    pub fn here(&mut self) -> usize {
        self.next_byte();
        self.at
    }

    /// An error at the next value.
    #[cold]
    pub fn unexpected(&mut self, wanted: &str) -> ReadError {
        let found = match self.peek() {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
            Kind::Nothing if self.at == self.text.len() => "the end",
            Kind::Nothing => "invalid JSON",
        };
        ReadError::new(self.at, format!("expected {wanted}, found {found}"))
    }

    #[cold]
    pub(crate) fn out_of_room(&self) -> ReadError {
        ReadError::new(self.at, "the items up to here take more memory than an answer of this length may")
    }

    #[cold]
    fn not_what_was_wanted(&self, start: usize, wanted: &str) -> ReadError {
        const SHOWN: usize = 40;
        let found: String = self.text[start..self.at].chars().take(SHOWN).collect();
        ReadError::new(start, format!("expected {wanted}, found {found}"))
    }
}

#[cfg(test)]
mod tests;
