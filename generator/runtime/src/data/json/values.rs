//! Reads and writes values, also JSON without a documented form and members that nobody declared.

use std::borrow::Cow;
use std::fmt;

use super::decode::{Decode, read_json};
use super::path::ReadError;
use super::reader::Reader;
use super::table::Form;
use super::writer::{Encode, JsonWriter};
use crate::data::value::{
    Date, Decimal, OpenEnum, Scalar, Scaled, Scratch, Text, TimeFormat, TimeIn, Timestamp, enum_from_wire,
};

impl Decode for Decimal {
    const FORM: Form = Form::Decimal;

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a decimal number", |text| text.parse().ok())
    }

    fn decode_some(place: &mut Option<Self>, from: &mut Reader<'_>) -> Result<(), ReadError> {
        let number = place.insert(Self::UNSET);
        from.parsed("a decimal number", |text| number.set(text).then_some(()))
    }
}

impl Encode for Decimal {
    fn encode(&self, out: &mut JsonWriter) {
        out.string(self.as_str());
    }
}

impl<const SCALE: u8> Decode for Scaled<SCALE> {
    const FORM: Form = Form::Scaled;

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("an integer that stands for a decimal number", Self::from_wire)
    }
}

impl<const SCALE: u8> Encode for Scaled<SCALE> {
    fn encode(&self, out: &mut JsonWriter) {
        out.scalar(self);
    }
}

impl Decode for Timestamp {
    const FORM: Form = Form::Whole;

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a time in milliseconds", |text| text.parse().ok().map(Self::from_millis))
    }
}

impl Encode for Timestamp {
    fn encode(&self, out: &mut JsonWriter) {
        out.scalar(self);
    }
}

impl<F: TimeFormat> Decode for TimeIn<F> {
    const FORM: Form = Form::Time(|text| F::read(text).map(|nanos| Self::from_nanos(nanos).timestamp()));

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed(F::WANTED, |text| F::read(text).map(Self::from_nanos))
    }
}

impl<F: TimeFormat> Encode for TimeIn<F> {
    fn encode(&self, out: &mut JsonWriter) {
        out.scalar(self);
    }
}

/// Declares types whose values are texts in a format of their own, and what is wanted where one cannot be read.
macro_rules! formatted {
    ($($type:ty: $wanted:literal;)*) => {$(
        impl Decode for $type {
            const FORM: Form = Form::Formatted(|text| text.parse::<Self>().is_ok());

            fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
                from.parsed($wanted, |text| text.parse().ok())
            }
        }

        impl Encode for $type {
            fn encode(&self, out: &mut JsonWriter) {
                out.scalar(self);
            }
        }
    )*};
}

formatted! {
    Date: "a date such as 2026-09-21";
}

impl Text {
    /// Accepts any text except an empty one.
    ///
    /// # Errors
    ///
    /// Fails if the value is empty, or neither text nor number.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut text = Self::EMPTY;
        text.read(from).map(|()| text)
    }

    /// Replaces the value by what [`decode`](Self::decode) returns.
    ///
    /// # Errors
    ///
    /// Fails if the value is empty, or neither text nor number.
    pub fn read(&mut self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        from.parsed("an identifier", |text| (!text.is_empty()).then(|| self.set(text)))
    }
}

/// Reads an enum value leniently: see [`enum_from_wire`].
///
/// # Errors
///
/// Fails if the value is empty, or neither text nor number.
pub fn decode_enum<E: OpenEnum>(from: &mut Reader<'_>) -> Result<E, ReadError> {
    let word = word(from)?;
    Ok(enum_from_wire(&word))
}

// Not generic, so that the many enums share one copy of it.
fn word<'a>(from: &mut Reader<'a>) -> Result<Cow<'a, str>, ReadError> {
    let start = from.here();
    let text = from.take_plain().map_or_else(|| from.scalar(), |plain| Ok(Cow::Borrowed(plain)))?;
    if text.is_empty() { Err(ReadError::new(start, "expected a word, found \"\"")) } else { Ok(text) }
}

/// JSON without a documented form, as it was written.
///
/// ```
/// use tradeapi_runtime::json::Json;
///
/// let details = Json::new(r#"{"tags": ["a", "b"]}"#)?;
/// assert_eq!(details.as_str(), r#"{"tags": ["a", "b"]}"#);
/// assert_eq!(Json::new("[1").is_err(), true);
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(String);

impl Json {
    /// Keeps a JSON text.
    ///
    /// # Errors
    ///
    /// Fails if it is not JSON.
    pub fn new(text: &str) -> Result<Self, ReadError> {
        read_json(text)
    }

    /// Keeps a text that a reader has passed over.
    pub(super) fn of_passed(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads it as a `T`.
    ///
    /// # Errors
    ///
    /// Fails if it is not a `T`.
    pub fn read<T: Decode>(&self) -> Result<T, ReadError> {
        read_json(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for Json {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.raw_value().map(|json| Self(json.to_owned()))
    }
}

impl Encode for Json {
    fn encode(&self, out: &mut JsonWriter) {
        out.raw(&self.0);
    }
}

impl Scalar for Json {
    fn text<'a>(&'a self, _: &'a mut Scratch) -> &'a str {
        &self.0
    }
}

/// The memory of a member besides its texts: its place in a list that may be half empty, and two allocations.
const SHARE: usize = 2 * (size_of::<(String, Json)>() + 16);

/// The members of a record that the schema does not declare, as they came. Empty unless the client
/// [keeps](crate::ClientBuilder::keep_unknown) them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UnknownMembers(
    /// A single word while there are none: every record has one.
    Option<Box<Kept>>,
);

#[derive(Clone, Default, PartialEq, Eq)]
struct Kept {
    members: Vec<(String, Json)>,
}

impl UnknownMembers {
    /// Returns the names and values, in the order in which they came. A field of a record that travels as an array has
    /// its place as its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().flat_map(|kept| &kept.members).map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the value of the first member with this name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn push(&mut self, name: String, value: Json) {
        self.0.get_or_insert_default().members.push((name, value));
    }
}

impl Reader<'_> {
    /// Passes over the value of an unknown member, which is kept in `members` if the reader keeps any.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON, or if what is kept takes too much memory.
    #[doc(hidden)]
    pub fn pass_unknown(&mut self, members: &mut UnknownMembers) -> Result<(), ReadError> {
        let Some(name) = self.unknown_name().map(str::to_owned) else { return self.skip() };
        let value = self.raw_value()?;
        self.take_room(SHARE + name.len() + value.len())?;
        members.push(name, Json::of_passed(value));
        Ok(())
    }
}

impl fmt::Debug for UnknownMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
