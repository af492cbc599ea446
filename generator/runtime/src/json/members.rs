use std::borrow::Cow;

use super::error::ReadError;
use super::reader::Reader;

/// The members of an object that is being read.
#[derive(Clone, Debug)]
pub struct Members {
    fields: &'static [&'static str],
    /// The field that probably comes next: exchanges write members in a fixed order.
    expected: usize,
    begun: bool,
}

impl Members {
    pub(super) fn new(fields: &'static [&'static str]) -> Self {
        Self { fields, expected: 0, begun: false }
    }

    /// Goes on to the next known member and gives its index among the fields; the reader then stands before its value,
    /// which must be read. Unknown members are passed over. `None` at the end of the object.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    #[inline]
    pub fn next(&mut self, from: &mut Reader<'_>) -> Result<Option<usize>, ReadError> {
        if let Some(name) = self.fields.get(self.expected)
            && from.take_member(self.begun, name)
        {
            self.begun = true;
            self.expected += 1;
            return Ok(Some(self.expected - 1));
        }
        self.search(from)
    }

    /// As [`next`](Self::next), where the member is not the expected one.
    fn search(&mut self, from: &mut Reader<'_>) -> Result<Option<usize>, ReadError> {
        while let Some(name) = self.next_name(from)? {
            if let Some(field) = self.find(&name) {
                self.expected = field + 1;
                return Ok(Some(field));
            }
            from.count_unknown();
            from.skip()?;
        }
        Ok(None)
    }

    /// Goes on to the next member and gives its name; the reader then stands before its value, which must be read.
    pub(crate) fn next_name<'a>(&mut self, from: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, ReadError> {
        if step(from, &mut self.begun, b'}')? { from.name().map(Some) } else { Ok(None) }
    }

    /// Looks from the expected field on, and round again from the first.
    fn find(&self, name: &str) -> Option<usize> {
        let (before, after) = self.fields.split_at_checked(self.expected).unwrap_or((self.fields, &[]));
        let behind = after.iter().position(|field| *field == name).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(|field| *field == name))
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

    /// Goes on to the next element and gives its index; the reader then stands before it, and it must be read. `None`
    /// at the end of the array.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    pub fn next(&mut self, from: &mut Reader<'_>) -> Result<Option<usize>, ReadError> {
        let mut begun = self.count > 0;
        if !step(from, &mut begun, b']')? {
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

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[&str] = &["a", "b", "c"];

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
