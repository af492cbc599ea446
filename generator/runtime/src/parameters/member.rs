//! Parameters as they stand in a text, before anyone asks for them.

use std::borrow::Cow;

use crate::json::{Decode, JsonWriter, ReadError, Reader};

/// A parameter that is given, and whether someone has asked for it.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) json: Cow<'a, str>,
    pub(super) taken: bool,
}

impl Member<'_> {
    /// Whether it is an empty text.
    pub(super) fn is_blank(&self) -> bool {
        self.json == r#""""#
    }
}

/// The members of an object.
pub(super) fn members<'a>(from: &mut Reader<'a>) -> Result<Vec<Member<'a>>, ReadError> {
    let mut found = Vec::new();
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        found.push(Member { name, json: Cow::Borrowed(from.raw_value()?), taken: false });
    }
    Ok(found)
}

/// The JSON text of a string.
pub(super) fn json_string<'a>(content: &str) -> Cow<'a, str> {
    let mut json = JsonWriter::new();
    json.string(content);
    Cow::Owned(json.finish())
}

/// The JSON text of any value.
pub(super) struct Raw(pub(super) String);

impl Decode for Raw {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.raw_value().map(|json| Self(json.to_owned()))
    }
}
