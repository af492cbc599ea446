//! The members of objects, the elements of arrays, and values that are skipped.

use std::borrow::Cow;

use super::path::ReadError;
use super::reader::Reader;
use super::table::{Layout, Seen};

impl<'a> Reader<'a> {
    /// Begins an object, whose known members are `fields`.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not an object, or is nested too deep.
    pub fn object(&mut self, fields: &'static [&'static str]) -> Result<Members<'a>, ReadError> {
        self.begin(b'{', "an object")?;
        Ok(Members::new(self.recall(fields)))
    }

    /// Begins an array.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not an array, or is nested too deep.
    pub fn array(&mut self) -> Result<Elements, ReadError> {
        self.begin(b'[', "an array")?;
        self.enter_list();
        Ok(Elements { count: 0 })
    }

    /// Skips the next value.
    ///
    /// # Errors
    ///
    /// Fails if it is not JSON, or nests too deep.
    pub fn skip(&mut self) -> Result<(), ReadError> {
        match self.next_byte() {
            Some(b'"') => self.skip_string(),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b'{') => self.skip_object(),
            Some(b'[') => self.skip_array(),
            Some(b't') => self.literal("true").map(drop),
            Some(b'f') => self.literal("false").map(drop),
            Some(b'n') => self.literal("null").map(drop),
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Skips the next value and returns its text.
    ///
    /// # Errors
    ///
    /// Fails if it is not JSON, or nests too deep.
    pub fn raw_value(&mut self) -> Result<&'a str, ReadError> {
        let start = self.here();
        self.skip()?;
        Ok(&self.text()[start..self.at()])
    }

    fn skip_object(&mut self) -> Result<(), ReadError> {
        let mut members = self.object(&[])?;
        while members.next_name(self)?.is_some() {
            self.skip()?;
        }
        Ok(())
    }

    fn skip_array(&mut self) -> Result<(), ReadError> {
        let mut elements = self.array()?;
        while elements.next(self)?.is_some() {
            self.skip()?;
        }
        Ok(())
    }
}

/// The index of a member that is not a field.
const UNKNOWN: usize = usize::MAX;

/// The members of an object that is being read.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    layout: Layout<'a>,
    /// The probable place of the next member in the layout.
    place: usize,
    /// The field that probably comes next, for members without a known layout.
    expected: usize,
    begun: bool,
    /// The fields that came, a bit each, without those of the run.
    came: [u64; 2],
    /// Where in the layout the members begin that came as before, up to `place`.
    run: usize,
    /// True if members before `place` are still to come, so that those after it may have come.
    is_scattered: bool,
}

impl<'a> Members<'a> {
    fn new(layout: Layout<'a>) -> Self {
        Self { layout, place: 0, expected: 0, begun: false, came: [0; 2], run: 0, is_scattered: false }
    }

    /// Advances to the next known member and returns its index among the fields; the reader is then at its value,
    /// which must be read. Unknown members are skipped, or have the index [`usize::MAX`] if the reader keeps them. `None` at
    /// the end of the object.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON, or if one of the first 128 fields comes a second time: nothing shows which of its
    /// values holds.
    #[inline]
    pub fn next(&mut self, from: &mut Reader<'a>) -> Result<Option<usize>, ReadError> {
        while let Some(field) = self.step(from)? {
            if field.is_some() {
                return Ok(field);
            }
            from.skip()?;
        }
        Ok(None)
    }

    /// Advances to the next member, known or not.
    #[inline]
    fn step(&mut self, from: &mut Reader<'a>) -> Result<Option<Option<usize>>, ReadError> {
        match self.layout.at(self.place) {
            Some(seen) if !self.is_scattered && from.take_again(seen.name, self.begun) => {
                self.begun = true;
                self.place += 1;
                Ok(Some(seen.field))
            }
            // All members came that objects had before, so this is probably the end.
            None if self.place > 0 && from.take(b'}') => {
                self.end(from);
                Ok(None)
            }
            _ => self.search(from),
        }
    }

    /// Ends an object, whose closing brace was read.
    fn end(&mut self, from: &mut Reader<'a>) {
        from.leave();
        from.remember(std::mem::take(&mut self.layout));
    }

    /// Finds the next member as [`step`](Self::step) does, if the next member is not the one that came at this place
    /// before.
    fn search(&mut self, from: &mut Reader<'a>) -> Result<Option<Option<usize>>, ReadError> {
        if !step(from, &mut self.begun, b'}')? {
            from.remember(std::mem::take(&mut self.layout));
            return Ok(None);
        }
        let start = from.here();
        let name = from.name()?;
        let field = self.layout.field(&name, self.expected);
        let is_kept = field.is_none() && from.keeps_unknown();
        if is_kept {
            from.name_unknown(&name);
        }
        self.end_run();
        if field.is_some_and(|field| !self.is_first(field)) {
            return Err(came_before(from));
        }
        self.expected = field.map_or(self.expected, |field| field + 1);
        // A layout does not have the names of unknown members as texts.
        if from.is_in_list() && !from.keeps_unknown() {
            let seen = Seen { name: &from.bytes()[start..from.at()], field };
            let next = self.layout.learn(seen, self.place);
            self.is_scattered |= next < self.place;
            (self.place, self.run) = (next, next);
        } else {
            // The place is not followed, so later members may have come.
            self.is_scattered = true;
        }
        Ok(Some(if is_kept { Some(UNKNOWN) } else { field }))
    }

    /// Returns whether a field did not come before. It has come then.
    fn is_first(&mut self, field: usize) -> bool {
        let Some(came) = self.came.get_mut(field / 64) else { return true };
        let bit = 1 << (field % 64);
        let is_first = *came & bit == 0;
        *came |= bit;
        is_first
    }

    /// Ends the run. Only then its fields are marked, so that objects that are as before need not be.
    fn end_run(&mut self) {
        for place in self.run..self.place {
            if let Some(field) = self.layout.at(place).and_then(|seen| seen.field) {
                self.is_first(field);
            }
        }
    }

    /// Advances to the next member and returns its name; the reader is then at its value, which must be read.
    pub fn next_name(&mut self, from: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, ReadError> {
        if step(from, &mut self.begun, b'}')? { from.name().map(Some) } else { Ok(None) }
    }
}

/// Returns the error at the value of a member whose name came before.
#[cold]
pub(crate) fn came_before(from: &mut Reader<'_>) -> ReadError {
    ReadError::new(from.here(), "a second value of this member")
}

/// The elements of an array that is being read.
#[derive(Clone, Debug)]
pub struct Elements {
    count: usize,
}

impl Elements {
    /// Advances to the next element and returns its index; the reader is then at the element, which must be read. `None`
    /// at the end of the array.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON.
    pub fn next(&mut self, from: &mut Reader<'_>) -> Result<Option<usize>, ReadError> {
        let mut begun = self.count > 0;
        if !step(from, &mut begun, b']')? {
            from.leave_list();
            return Ok(None);
        }
        self.count += 1;
        Ok(Some(self.count - 1))
    }
}

/// Skips the separator of members or elements; false after the closing bracket.
#[inline]
fn step(from: &mut Reader<'_>, begun: &mut bool, closing: u8) -> Result<bool, ReadError> {
    if from.take(closing) {
        from.leave();
        return Ok(false);
    }
    if std::mem::replace(begun, true) && !from.take(b',') {
        return Err(from.unexpected("a comma or the end of the list"));
    }
    from.next_byte();
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::{Decode, read_json};

    const FIELDS: &[&str] = &["a", "b", "c"];

    struct Found;

    impl Decode for Found {
        fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
            let mut members = from.object(FIELDS)?;
            while members.next(from)?.is_some() {
                from.skip()?;
            }
            Ok(Self)
        }
    }

    fn fields(text: &str) -> Result<Vec<usize>, ReadError> {
        let mut from = Reader::new(text);
        let mut members = from.object(FIELDS)?;
        let mut found = Vec::new();
        while let Some(field) = members.next(&mut from)? {
            from.skip()?;
            found.push(field);
        }
        from.finish()?;
        Ok(found)
    }

    #[test]
    fn finds_members_in_any_order() {
        assert_eq!(fields(r#"{"a":1,"b":2,"c":3}"#), Ok(vec![0, 1, 2]));
        assert_eq!(fields(r#"{"c":3,"a":1,"b":2}"#), Ok(vec![2, 0, 1]));
        assert_eq!(fields(r#" { "b" : 2 , "a" : 1 } "#), Ok(vec![1, 0]));
        assert_eq!(fields("{}"), Ok(vec![]));
    }

    #[test]
    fn a_field_comes_once() {
        assert!(fields(r#"{"a":1,"b":2,"a":1}"#).is_err());
        assert_eq!(fields(r#"{"x":1,"a":1,"x":2}"#), Ok(vec![0]));
        // In a list, members are recognized by the places that they had before.
        let last = |last: &str| read_json::<Vec<Found>>(&format!(r#"[{{"a":1,"b":2,"c":3}},{{{last}}}]"#));
        assert!(last(r#""c":3,"a":1,"b":2"#).is_ok());
        assert!(last(r#""c":3,"a":1,"b":2,"c":3"#).is_err());
        assert!(last(r#""a":1,"b":2,"b":2"#).is_err());
        assert!(last(r#""b":2,"a":1,"b":2"#).is_err());
        assert!(last(r#""a":1,"c":3,"x":1,"b":2,"c":3"#).is_err());
        assert!(last(r#""a":1,"c":3,"x":1,"b":2"#).is_ok());
        assert!(last(r#""x":1,"a":1,"b":2,"c":3,"a":1"#).is_err());
        assert!(last(r#""a" :1,"a":1,"b":2"#).is_err());
        assert!(last(r#""b":2,"c":3},{"\u0061":1,"b":2,"a":1"#).is_err());
        assert!(last(r#""b":2,"c":3},{"\u0061":1,"b":2},{"a":1,"b" : 2"#).is_ok());
    }

    #[test]
    fn passes_over_unknown_members() {
        assert_eq!(fields(r#"{"x":[{"a":1}],"a":1,"y":"}","":null,"c":3}"#), Ok(vec![0, 2]));
    }

    #[test]
    fn objects_of_a_list_may_differ() -> Result<(), ReadError> {
        let text =
            r#"[{"b":1,"x":1,"a":1},{"b":1,"x":1,"a":1},{"a":1,"b":1,"x":1},{"x":1,"c":1 , "y":1,"a":1},{},{"b":1}]"#;
        let mut from = Reader::new(text);
        let mut elements = from.array()?;
        let mut found = Vec::new();
        while elements.next(&mut from)?.is_some() {
            let mut members = from.object(FIELDS)?;
            while let Some(field) = members.next(&mut from)? {
                assert_eq!(from.raw_value()?, "1");
                found.push(FIELDS[field]);
            }
        }
        from.finish()?;
        assert_eq!(found.concat(), "babaabcab");
        Ok(())
    }

    #[test]
    fn commas_must_be_there_in_lists_too() {
        for broken in [r#"[{"a":1},{,"a":1}]"#, r#"[{"a":1,"b":1},{"a":1"b":1}]"#, r#"[{"a":1,"b":1},{"b":1"a":1}]"#] {
            let mut from = Reader::new(broken);
            let found = Vec::<Found>::decode(&mut from);
            assert!(found.is_err(), "{broken}");
        }
    }

    #[test]
    fn understands_escapes_in_names() {
        assert_eq!(fields(r#"{"\u0061":1,"b":2}"#), Ok(vec![0, 1]));
        assert_eq!(fields(r#"{"a\"":1,"b":2}"#), Ok(vec![1]));
    }

    #[test]
    fn commas_and_colons_must_be_there() {
        for broken in [r#"{"a":1 "b":2}"#, r#"{"a" 1}"#, r#"{"a":1,}"#, r#"{,"a":1}"#, r#"{"a"}"#, r#"{"a":1"#, "{a:1}"]
        {
            assert!(fields(broken).is_err(), "{broken}");
        }
    }
}
