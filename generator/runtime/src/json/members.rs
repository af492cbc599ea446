use std::borrow::Cow;

use super::error::ReadError;
use super::reader::Reader;

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
    /// Whether members before `place` are still to come, so that those after it may have come.
    is_scattered: bool,
}

impl<'a> Members<'a> {
    pub(super) fn new(layout: Layout<'a>) -> Self {
        Self { layout, place: 0, expected: 0, begun: false, came: [0; 2], run: 0, is_scattered: false }
    }

    /// Advances to the next known member and returns its index among the fields; the reader is then at its value,
    /// which must be read. Unknown members are skipped. `None` at the end of the object.
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
            from.count_unknown();
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
            _ => self.search(from),
        }
    }

    /// Like [`step`](Self::step), if the next member is not the one that came at this place before.
    fn search(&mut self, from: &mut Reader<'a>) -> Result<Option<Option<usize>>, ReadError> {
        if !step(from, &mut self.begun, b'}')? {
            from.remember(std::mem::take(&mut self.layout));
            return Ok(None);
        }
        let start = from.here();
        let field = self.layout.field(&from.name()?, self.expected);
        self.end_run();
        if field.is_some_and(|field| !self.is_first(field)) {
            return Err(came_before(from));
        }
        self.expected = field.map_or(self.expected, |field| field + 1);
        if from.is_in_list() {
            let seen = Seen { name: &from.bytes()[start..from.at()], field };
            let next = self.layout.learn(seen, self.place);
            self.is_scattered |= next < self.place;
            (self.place, self.run) = (next, next);
        } else {
            // The place is not followed, so later members may have come.
            self.is_scattered = true;
        }
        Ok(Some(field))
    }

    /// Whether a field did not come before. It has come then.
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

/// The error at the value of a member whose name came before.
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
    pub(super) fn new() -> Self {
        Self { count: 0 }
    }

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

/// The maximum number of unknown members to remember, which bounds the memory for hostile responses.
const MAX_UNKNOWN: usize = 64;

/// How many unknown members the objects of a list usually have at most.
const USUAL_UNKNOWN: usize = 8;

/// The members that objects with these fields had so far, in the order in which they came.
///
/// One program writes all objects of a list, so the member that was at a place the last time is probably there again.
/// Checking that takes less time than reading a name and searching for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout<'a> {
    fields: &'static [&'static str],
    members: Vec<Seen<'a>>,
}

/// A member that came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// Its name as it is in the text, from the opening quote to the colon.
    pub(super) name: &'a [u8],
    /// Which of the fields it is, if any.
    pub(super) field: Option<usize>,
}

impl<'a> Layout<'a> {
    /// A layout without members yet.
    pub(super) fn of(fields: &'static [&'static str]) -> Self {
        Self { fields, members: Vec::new() }
    }

    pub(super) fn is_of(&self, fields: &'static [&'static str]) -> bool {
        std::ptr::eq(self.fields, fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member that came at `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<Seen<'a>> {
        self.members.get(place).copied()
    }

    /// The field with this name. The search begins at `expected` and wraps around.
    pub(super) fn field(&self, name: &str, expected: usize) -> Option<usize> {
        let (before, after) = self.fields.split_at_checked(expected).unwrap_or((self.fields, &[]));
        let behind = after.iter().position(|field| *field == name).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(|field| *field == name))
    }

    /// Remembers a member that came at `place` of the current object. Returns the place of the next member.
    pub(super) fn learn(&mut self, seen: Seen<'a>, place: usize) -> usize {
        let is_same = |other: &Seen<'_>| other.name == seen.name || seen.field.is_some() && other.field == seen.field;
        if let Some(known) = self.members.iter().position(is_same) {
            // A field has one place, however its name is spelled.
            self.members[known] = seen;
            return known + 1;
        }
        if self.members.len() == self.fields.len() + MAX_UNKNOWN {
            return place;
        }
        if self.members.is_empty() {
            self.members.reserve(self.fields.len() + USUAL_UNKNOWN);
        }
        self.members.insert(place, seen);
        place + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Decode, read_json};

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

    fn fields(text: &str) -> Result<(Vec<usize>, usize), ReadError> {
        let mut from = Reader::new(text);
        let mut members = from.object(FIELDS)?;
        let mut found = Vec::new();
        while let Some(field) = members.next(&mut from)? {
            from.skip()?;
            found.push(field);
        }
        from.finish()?;
        Ok((found, from.unknown_members()))
    }

    #[test]
    fn finds_members_in_any_order() {
        assert_eq!(fields(r#"{"a":1,"b":2,"c":3}"#), Ok((vec![0, 1, 2], 0)));
        assert_eq!(fields(r#"{"c":3,"a":1,"b":2}"#), Ok((vec![2, 0, 1], 0)));
        assert_eq!(fields(r#" { "b" : 2 , "a" : 1 } "#), Ok((vec![1, 0], 0)));
        assert_eq!(fields("{}"), Ok((vec![], 0)));
    }

    #[test]
    fn a_field_comes_once() {
        assert!(fields(r#"{"a":1,"b":2,"a":1}"#).is_err());
        assert_eq!(fields(r#"{"x":1,"a":1,"x":2}"#), Ok((vec![0], 2)));
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
        assert_eq!(fields(r#"{"x":[{"a":1}],"a":1,"y":"}","":null,"c":3}"#), Ok((vec![0, 2], 3)));
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
        assert_eq!((found.concat().as_str(), from.unknown_members()), ("babaabcab", 5));
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
        assert_eq!(fields(r#"{"\u0061":1,"b":2}"#), Ok((vec![0, 1], 0)));
        assert_eq!(fields(r#"{"a\"":1,"b":2}"#), Ok((vec![1], 1)));
    }

    #[test]
    fn commas_and_colons_must_be_there() {
        for broken in [r#"{"a":1 "b":2}"#, r#"{"a" 1}"#, r#"{"a":1,}"#, r#"{,"a":1}"#, r#"{"a"}"#, r#"{"a":1"#, "{a:1}"]
        {
            assert!(fields(broken).is_err(), "{broken}");
        }
    }
}
