//! Writes compact JSON texts.

use super::string;
use crate::data::value::{Scalar, Scratch};

/// Writes one compact JSON text, in the order of the calls.
///
/// Commas are added automatically; the caller has to match brackets.
#[derive(Clone, Debug, Default)]
pub struct JsonWriter {
    text: String,
    /// True if records have their missing fields, too.
    writes_missing: bool,
}

impl JsonWriter {
    /// Begins an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins an empty text that has room for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), writes_missing: false }
    }

    /// Returns the same, which writes all fields of records, as exchanges do. A field that is missing is an empty text,
    /// or `null` where the documents allow it or its value is no text. One that occurs only under a condition is left
    /// out.
    #[must_use]
    pub fn with_missing_fields(self) -> Self {
        Self { writes_missing: true, ..self }
    }

    /// Returns whether records have their missing fields, too.
    pub(crate) fn writes_missing(&self) -> bool {
        self.writes_missing
    }

    /// Returns whether nothing has been written yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the number of bytes that have been written.
    pub(crate) fn length(&self) -> usize {
        self.text.len()
    }

    /// Puts the value from `start` on in quotes, if it is a number or a boolean.
    pub(crate) fn quote(&mut self, start: usize) {
        let value = self.text.as_bytes().get(start..).unwrap_or_default();
        if matches!(value.first(), Some(b'0'..=b'9' | b'-' | b't' | b'f')) {
            self.text.insert(start, '"');
            self.text.push('"');
        }
    }

    /// Takes the value from `start` on out of its quotes, if it is a number in quotes.
    pub(crate) fn unquote(&mut self, start: usize) {
        let value = self.text.as_bytes().get(start..).unwrap_or_default();
        if let [b'"', number @ .., b'"'] = value
            && number.first().is_some_and(|first| first.is_ascii_digit() || *first == b'-')
        {
            self.text.pop();
            self.text.remove(start);
        }
    }

    /// Makes the value from `start` on null, if it is an empty list.
    pub(crate) fn nullify(&mut self, start: usize) {
        if self.text.get(start..) == Some("[]") {
            self.text.truncate(start);
            self.raw("null");
        }
    }

    /// Returns the text written.
    pub fn finish(self) -> String {
        self.text
    }

    /// Writes a string, escaped where it must be.
    #[inline]
    pub fn string(&mut self, content: &str) {
        self.text.push('"');
        self.end_string(content, false);
    }

    /// Writes the digits of a number unchanged.
    pub fn number(&mut self, number: &impl Scalar) {
        self.raw(number.text(&mut Scratch::new()));
    }

    /// Writes a single value as a string.
    pub fn scalar(&mut self, value: &impl Scalar) {
        self.string(value.text(&mut Scratch::new()));
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes a text that is JSON already.
    pub fn raw(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// Begins an object.
    pub fn begin_object(&mut self) {
        self.text.push('{');
    }

    /// Writes the name of a member; its value must follow.
    #[inline]
    pub fn member(&mut self, name: &str) -> &mut Self {
        self.separate();
        self.text.push('"');
        self.escaped(name);
        self.text.push_str("\":");
        self
    }

    /// Writes the content and the end of a string that has begun with its quote. Plain content is known to need no
    /// escapes.
    #[inline]
    pub(crate) fn end_string(&mut self, content: &str, is_plain: bool) {
        if is_plain {
            self.raw(content);
        } else {
            self.escaped(content);
        }
        self.text.push('"');
    }

    /// Ends an object.
    pub fn end_object(&mut self) {
        self.text.push('}');
    }

    /// Begins an array.
    pub fn begin_array(&mut self) {
        self.text.push('[');
    }

    /// Goes on to an element; its value must follow.
    pub fn element(&mut self) -> &mut Self {
        self.separate();
        self
    }

    /// Ends an array.
    pub fn end_array(&mut self) {
        self.text.push(']');
    }

    #[inline]
    fn separate(&mut self) {
        if !self.is_open() {
            self.text.push(',');
        }
    }

    /// Returns whether a bracket was just opened, after which no comma is written. Nothing else that is written ends
    /// like one.
    #[inline]
    fn is_open(&self) -> bool {
        matches!(self.text.as_bytes().last(), Some(b'{' | b'['))
    }

    #[inline]
    fn escaped(&mut self, content: &str) {
        if string::is_plain(content.as_bytes()) {
            self.text.push_str(content);
        } else {
            self.escape(content);
        }
    }

    #[cold]
    fn escape(&mut self, content: &str) {
        for letter in content.chars() {
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                '\0'..' ' => self.control(u32::from(letter)),
                _ => self.text.push(letter),
            }
        }
    }

    fn control(&mut self, code: u32) {
        self.text.push_str("\\u00");
        for digit in [code >> 4, code & 0xf] {
            self.text.extend(char::from_digit(digit, 16));
        }
    }
}

/// A value that can be written as JSON the way an exchange writes it.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, out: &mut JsonWriter);

    /// Returns whether there is nothing to write, so that a member is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// Writes `value` as a JSON text.
pub fn write_json(value: &(impl Encode + ?Sized)) -> String {
    // Most values are short; a list grows.
    let mut out = JsonWriter::with_capacity(128);
    value.encode(&mut out);
    out.finish()
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut JsonWriter) {
        match self {
            Some(value) => value.encode(out),
            None => out.raw("null"),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_array();
        for item in self {
            item.encode(out.element());
        }
        out.end_array();
    }
}

impl Encode for () {
    fn encode(&self, out: &mut JsonWriter) {
        out.raw("null");
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut JsonWriter) {
        out.boolean(*self);
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut JsonWriter) {
        out.number(self);
    }
}

impl Encode for i64 {
    fn encode(&self, out: &mut JsonWriter) {
        out.number(self);
    }
}

impl Encode for String {
    fn encode(&self, out: &mut JsonWriter) {
        out.string(self);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn commas_are_added() {
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("list").begin_array();
        out.element().string("[");
        out.element().number(&5_u64);
        out.element().begin_object();
        out.end_object();
        out.end_array();
        out.member("yes").boolean(true);
        out.member("none").raw("null");
        out.member("text").string("it");
        out.member("lines").string("\r\n\t\0");
        out.end_object();
        let written = r#"{"list":["[",5,{}],"yes":true,"none":null,"text":"it","lines":"\r\n\t\u0000"}"#;
        assert_eq!(out.finish(), written);
    }

    proptest! {
        #[test]
        fn strings_are_read_as_they_were_written(content in r#"([\x00-\x7f]|.){0,40}"#) {
            let mut out = JsonWriter::new();
            out.string(&content);
            prop_assert_eq!(serde_json::from_str::<Value>(&out.finish())?, Value::from(content));
        }
    }
}
