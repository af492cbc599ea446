use std::borrow::Cow;

use super::error::ReadError;
use super::reader::Reader;

/// The members of an object that is being read.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    layout: Layout<'a>,
    /// The probable place of the next member in the layout.
    place: usize,
    /// The field that probably comes next where the layout knows nothing.
    expected: usize,
    begun: bool,
}

impl<'a> Members<'a> {
    pub(super) fn new(layout: Layout<'a>) -> Self {
        Self { layout, place: 0, expected: 0, begun: false }
    }

    /// Goes on to the next known member and returns its index among the fields; the reader then stands before its
    /// value, which must be read. Unknown members are passed over. `None` at the end of the object.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON.
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

    /// Goes on to the next member, known or not.
    #[inline]
    fn step(&mut self, from: &mut Reader<'a>) -> Result<Option<Option<usize>>, ReadError> {
        match self.layout.at(self.place) {
            Some(seen) if from.take_again(seen.name, self.begun) => {
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
        self.expected = field.map_or(self.expected, |field| field + 1);
        if from.is_in_list() {
            let seen = Seen { name: &from.bytes()[start..from.at()], field };
            self.place = self.layout.learn(seen, self.place);
        }
        Ok(Some(field))
    }

    /// Goes on to the next member and returns its name; the reader then stands before its value, which must be read.
    pub fn next_name(&mut self, from: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, ReadError> {
        if step(from, &mut self.begun, b'}')? { from.name().map(Some) } else { Ok(None) }
    }
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

    /// Goes on to the next element and returns its index; the reader then stands before it, and it must be read. `None`
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

/// Passes over what separates members or elements; false behind the closing bracket.
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
const MOST_UNKNOWN: usize = 64;

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
    /// Its name as it stands in the text, from the opening quote to the colon.
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
        if let Some(known) = self.members.iter().position(|other| other.name == seen.name) {
            return known + 1;
        }
        if self.members.len() == self.fields.len() + MOST_UNKNOWN {
            return place;
        }
        self.members.reserve(self.fields.len().saturating_sub(self.members.len()));
        self.members.insert(place, seen);
        place + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Decode;

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
        assert_eq!(fields(r#" { "b" : 2 , "a" : 1 , "a" : 2 } "#), Ok((vec![1, 0, 0], 0)));
        assert_eq!(fields("{}"), Ok((vec![], 0)));
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
