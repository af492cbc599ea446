//! Reads JSON texts from front to back: values, members, elements, and what the decoders of this crate need.

use std::borrow::Cow;

use super::path::ReadError;
use super::room::Room;
use super::table::Layout;
use crate::data::json::string;
use crate::data::value::is_same;

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
    /// Creates a reader at the beginning of `text`.
    pub fn new(text: &'a str) -> Self {
        let room = Room::for_text(text.len());
        Self { text, at: 0, depth: 0, lists: 0, unknown_name: None, layouts: Vec::new(), room }
    }

    /// Returns another reader at the same place, to look ahead. It keeps no unknown members and knows no layouts, so
    /// that it costs less than a clone.
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

    /// Returns the kind of the next value, which stays unread.
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
            Some(b'n') => self.take_null(),
            Some(b'"') if self.bytes().get(self.at + 1) == Some(&b'"') => {
                self.at += 2;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    // Not inlined, so that the rest is inlined for each optional member.
    #[inline(never)]
    fn take_null(&mut self) -> Result<bool, ReadError> {
        self.literal("null").map(|_| true)
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

    /// Returns the whole text that is read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the byte where the next value begins.
    pub fn here(&mut self) -> usize {
        self.next_byte();
        self.at
    }

    /// Returns an error at the next value.
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

impl<'a> Reader<'a> {
    #[inline]
    pub(in crate::data::json) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Returns the first byte that is not white space; the reader is at it.
    #[inline]
    pub(in crate::data::json) fn next_byte(&mut self) -> Option<u8> {
        match self.bytes().get(self.at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => self.next_byte_after_space(),
            byte => byte.copied(),
        }
    }

    #[cold]
    fn next_byte_after_space(&mut self) -> Option<u8> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.bytes()[self.at..].iter().take_while(|byte| is_space(byte)).count();
        self.bytes().get(self.at).copied()
    }

    /// Skips `byte` if it is the next one.
    #[inline]
    pub(in crate::data::json) fn take(&mut self, byte: u8) -> bool {
        let found = self.next_byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips a name and its colon if they come next without white space, after a comma if `comma` is set. Most
    /// members look like this, so one comparison finds them.
    #[inline]
    pub(in crate::data::json) fn take_again(&mut self, written: &[u8], comma: bool) -> bool {
        let Some(rest) = self.bytes().get(self.at..) else { return false };
        let rest = match (comma, rest) {
            (false, rest) | (true, [b',', rest @ ..]) => rest,
            (true, _) => return false,
        };
        let found = rest.get(..written.len()).is_some_and(|next| is_same(next, written));
        if found {
            self.at += usize::from(comma) + written.len();
        }
        found
    }

    /// Reads a member's name and the colon after it.
    pub(in crate::data::json) fn name(&mut self) -> Result<Cow<'a, str>, ReadError> {
        if self.next_byte() != Some(b'"') {
            return Err(self.unexpected("a name"));
        }
        let name = self.string()?;
        if self.take(b':') { Ok(name) } else { Err(self.unexpected("a colon")) }
    }

    /// Makes records, from here on, keep their unknown members.
    pub(crate) fn keep_unknown(&mut self) {
        self.unknown_name = Some(String::new());
    }

    pub(in crate::data::json) fn keeps_unknown(&self) -> bool {
        self.unknown_name.is_some()
    }

    /// Notes the name of an unknown member, if it will be kept.
    pub(in crate::data::json) fn name_unknown(&mut self, name: &str) {
        if let Some(noted) = &mut self.unknown_name {
            name.clone_into(noted);
        }
    }

    /// Returns the name of the unknown member whose value comes next; `None` if it is not kept.
    pub(in crate::data::json) fn unknown_name(&self) -> Option<&str> {
        self.unknown_name.as_deref()
    }

    pub(in crate::data::json) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    #[inline]
    pub(in crate::data::json) fn enter_list(&mut self) {
        self.lists += 1;
    }

    pub(in crate::data::json) fn leave_list(&mut self) {
        self.lists = self.lists.saturating_sub(1);
    }

    pub(in crate::data::json) fn is_in_list(&self) -> bool {
        self.lists > 0
    }

    /// Returns the layout of earlier objects with these fields.
    #[inline]
    pub(in crate::data::json) fn recall(&mut self, fields: &'static [&'static str]) -> Layout<'a> {
        // The objects of a list are of one kind, so it is usually the one that was kept last.
        self.layouts.pop_if(|last| last.is_of(fields)).unwrap_or_else(|| self.recall_other(fields))
    }

    #[cold]
    fn recall_other(&mut self, fields: &'static [&'static str]) -> Layout<'a> {
        let known = self.layouts.iter().position(|layout| layout.is_of(fields));
        known.map_or_else(|| Layout::of(fields), |place| self.layouts.swap_remove(place))
    }

    /// Keeps the layout of an object for the next one of its kind.
    pub(in crate::data::json) fn remember(&mut self, layout: Layout<'a>) {
        if !layout.is_empty() {
            self.layouts.push(layout);
        }
    }

    /// Returns the byte at the reader's place, before white space is skipped.
    pub(in crate::data::json) fn at(&self) -> usize {
        self.at
    }

    /// Counts memory that something other than items takes. Fails if there is no room.
    pub(crate) fn take_room(&mut self, bytes: usize) -> Result<(), ReadError> {
        if self.room.take(bytes) { Ok(()) } else { Err(self.out_of_room()) }
    }

    /// Returns whether the items took more memory than they may. Then the whole text is unreadable, not one item of it.
    pub(crate) fn is_out_of_room(&self) -> bool {
        self.room.is_used_up()
    }

    /// Returns a place to come back to: the beginning of the next value.
    pub(crate) fn mark(&mut self) -> Mark {
        Mark { at: self.here(), depth: self.depth, lists: self.lists }
    }

    /// Goes back to `mark`.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        (self.at, self.depth, self.lists) = (mark.at, mark.depth, mark.lists);
    }

    #[inline]
    pub(in crate::data::json) fn begin(&mut self, opening: u8, wanted: &str) -> Result<(), ReadError> {
        if self.next_byte() != Some(opening) {
            return Err(self.unexpected(wanted));
        }
        if self.depth == MAX_DEPTH {
            return Err(ReadError::new(self.at, "nested too deep"));
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    /// Skips a string without escapes and returns its content, if the reader is at one. Nearly every value is
    /// such a string, and the result fits in two registers.
    #[inline(never)]
    pub(in crate::data::json) fn take_plain(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        if self.bytes().get(self.at) != Some(&b'"') {
            return None;
        }
        let stop = string::stop(self.bytes(), start);
        if self.bytes().get(stop) != Some(&b'"') {
            return None;
        }
        self.at = stop + 1;
        self.text.get(start..stop)
    }

    /// Reads a string; the reader is at its opening quote.
    fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
        if let Some(plain) = self.take_plain() {
            return Ok(Cow::Borrowed(plain));
        }
        let (content, end) = string::unescape(self.text, self.at + 1)?;
        self.at = end;
        Ok(Cow::Owned(content))
    }

    pub(in crate::data::json) fn skip_string(&mut self) -> Result<(), ReadError> {
        if self.take_plain().is_some() { Ok(()) } else { self.string().map(drop) }
    }

    pub(in crate::data::json) fn number(&mut self) -> Result<&'a str, ReadError> {
        let start = self.at;
        self.at = end_of_number(self.bytes(), start).ok_or_else(|| ReadError::new(start, "not a JSON number"))?;
        Ok(&self.text[start..self.at])
    }

    pub(in crate::data::json) fn literal(&mut self, word: &'static str) -> Result<&'static str, ReadError> {
        if !self.bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(ReadError::new(self.at, "expected true, false or null"));
        }
        self.at += word.len();
        Ok(word)
    }
}

/// Returns the end of the number that begins at `start`; `None` if none does.
fn end_of_number(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        _ => digits(bytes, at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = digits(bytes, at + 1 + usize::from(signed))?;
    }
    Some(at)
}

/// Returns the end of the digits that begin at `start`; there must be at least one.
fn digits(bytes: &[u8], start: usize) -> Option<usize> {
    let count = bytes.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(start + count)
}

/// The reader against another JSON reader.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::data::json::{Decode, read_json};

    /// Any JSON value, as this reader sees it.
    #[derive(Debug)]
    struct Seen(Value);

    impl Decode for Seen {
        fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
            let value = match from.peek() {
                Kind::Null => from.take_nothing().map(|_| Value::Null)?,
                Kind::Boolean => Value::Bool(from.value()?),
                Kind::String => Value::String(from.value()?),
                Kind::Number => from.parsed("a number", number)?,
                Kind::Array => from.value::<Vec<Seen>>()?.into_iter().map(|Seen(value)| value).collect(),
                Kind::Object => object(from)?,
                Kind::Nothing => return Err(from.unexpected("a value")),
            };
            Ok(Self(value))
        }
    }

    /// Reads a number, because serde_json itself does not read every fraction back as it wrote it.
    fn number(text: &str) -> Option<Value> {
        text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from)).ok()
    }

    fn object(from: &mut Reader<'_>) -> Result<Value, ReadError> {
        let mut object = serde_json::Map::new();
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(from)? {
            object.insert(name.into_owned(), from.value::<Seen>()?.0);
        }
        Ok(Value::Object(object))
    }

    fn read_whole(text: &str) -> Result<(), ReadError> {
        let mut from = Reader::new(text);
        from.skip()?;
        from.finish()
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f32>().prop_map(|number| Value::from(f64::from(number))),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..8).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    #[test]
    fn a_scalar_is_its_text() {
        for (json, text) in [("\"a\"", "a"), (" -1.50e+3 ", "-1.50e+3"), ("true", "true"), (r#""\u0041\n""#, "A\n")] {
            assert_eq!(read_json::<String>(json).as_deref(), Ok(text));
        }
        for json in ["null", "{}", "[]", "", "nul", "+1", "01", "1.", ".5", "1e", "-", "\"", "'a'", "tru"] {
            assert!(read_json::<String>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read_whole(&nested(128)).is_ok());
        assert!(read_whole(&nested(129)).is_err());
        assert!(read_whole(&"[".repeat(1_000_000)).is_err());
    }

    #[test]
    fn nothing_may_follow() {
        assert!(read_whole("{} ").is_ok());
        assert!(read_whole("{} {}").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = read_json::<Seen>(&text);
            let _ = read_whole(&text);
        }

        #[test]
        fn refuses_the_texts_that_serde_json_refuses(text in r#"([\[\]{}:," 0-1.eE+\-u\\nt]|true|null|"a":|"",){0,24}"#) {
            match serde_json::from_str::<Value>(&text) {
                Ok(_) => prop_assert_eq!(read_whole(&text), Ok(())),
                // A number that is too large for serde_json is still valid JSON.
                Err(error) if error.to_string().contains("out of range") => {}
                Err(_) => prop_assert!(read_whole(&text).is_err(), "{}", text),
            }
        }

        #[test]
        fn reads_the_output_of_serde_json(value in values()) {
            for text in [serde_json::to_string(&value)?, serde_json::to_string_pretty(&value)?] {
                prop_assert_eq!(&read_json::<Seen>(&text)?.0, &value);
                prop_assert_eq!(Reader::new(&text).raw_value()?, &*text);
            }
        }

        #[test]
        fn a_text_cut_off_is_an_error_with_a_place(value in values(), cut: prop::sample::Index) {
            let text = serde_json::to_string(&Value::from(vec![value]))?;
            let cut = (0..=cut.index(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let error = read_json::<Seen>(&text[..cut]).err();
            prop_assert!(error.is_some_and(|error| error.offset() <= cut));
        }
    }
}
