//! Moves the reader for members, elements and the decoders of this crate.

use std::borrow::Cow;

use super::{MAX_DEPTH, Mark, Reader};
use crate::data::json::error::ReadError;
use crate::data::json::layout::Layout;
use crate::data::json::string;
use crate::data::value::is_same;

impl<'a> Reader<'a> {
    #[inline]
    pub(in crate::data::json) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The first byte that is not white space; the reader is at it.
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

    /// From here on, records keep their unknown members.
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

    /// The name of the unknown member whose value comes next; `None` if it is not kept.
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

    /// The layout of earlier objects with these fields.
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

    /// The byte at the reader's place, before white space is skipped.
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

    /// A place to come back to: the beginning of the next value.
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
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
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

/// The end of the number that begins at `start`; `None` if none does.
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

/// The end of the digits that begin at `start`; there must be at least one.
fn digits(bytes: &[u8], start: usize) -> Option<usize> {
    let count = bytes.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(start + count)
}
