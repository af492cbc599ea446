//! Reads and writes values.

use std::borrow::Cow;

use super::decode::Decode;
use super::error::ReadError;
use super::reader::Reader;
use super::table::Form;
use super::writer::{Encode, JsonWriter};
use crate::data::value::{Date, Decimal, OpenEnum, Scaled, Text, TimeFormat, TimeIn, Timestamp, enum_from_wire};

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
