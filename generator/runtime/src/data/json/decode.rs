//! Values that are read from JSON.

use super::path::ReadError;
use super::reader::Reader;
use super::table::{FieldTable, Form};

/// A value that can be read from JSON, leniently about its type.
pub trait Decode: Sized {
    /// The form of such a value, for the comparison of responses with the documents.
    const FORM: Form = Form::Anything;

    /// Reads the next value.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one of this type.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError>;

    /// Reads the next value into `place`, whose content is unspecified after an error.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one of this type.
    #[inline]
    fn decode_into(place: &mut Self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        *place = Self::decode(from)?;
        Ok(())
    }

    /// Reads the next value, which is not missing, into `place`. Types larger than two registers should implement it:
    /// building the value in place is faster than moving it.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one of this type.
    #[inline]
    fn decode_some(place: &mut Option<Self>, from: &mut Reader<'_>) -> Result<(), ReadError> {
        *place = Some(Self::decode(from)?);
        Ok(())
    }

    /// Appends the next value to the items of a list. Types of many words should implement it: building the value in
    /// its place is faster than moving it there.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one of this type, or if the items take too much memory. The items are then those
    /// that were there before.
    fn append(items: &mut Vec<Self>, from: &mut Reader<'_>) -> Result<(), ReadError> {
        let item = Self::decode(from)?;
        from.keep(items, item)
    }

    /// True if lists of such values travel as objects, in which each value has its key as its name.
    const HAS_KEY: bool = false;

    /// Sets the key to the name that the value has in such an object.
    fn set_key(&mut self, name: &str) {
        let _ = name;
    }

    /// Returns the value that a missing one stands for, if any.
    fn absent() -> Option<Self> {
        None
    }
}

impl Reader<'_> {
    /// Reads the next value as a `T`.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one.
    #[inline]
    pub fn value<T: Decode>(&mut self) -> Result<T, ReadError> {
        T::decode(self)
    }

    /// Reads the next value into `place` and replaces its content, which is unspecified after an error.
    ///
    /// # Errors
    ///
    /// Fails if the next value is not one.
    #[inline(never)]
    pub fn read_into<T: Decode>(&mut self, place: &mut T) -> Result<(), ReadError> {
        T::decode_into(place, self)
    }
}

impl FieldTable {
    /// Creates a field of the type `T` without further properties.
    pub const fn of<T: Decode>(name: &'static str) -> Self {
        Self::in_form(name, T::FORM)
    }
}

/// Reads a whole JSON text as a `T`.
///
/// # Errors
///
/// Fails if the text is not JSON or not a `T`, or if something follows; the error contains the place.
pub fn read_json<T: Decode>(text: &str) -> Result<T, ReadError> {
    let mut from = Reader::new(text);
    match T::decode(&mut from) {
        Ok(value) => {
            from.ended(Ok(()))?;
            Ok(value)
        }
        Err(error) => Err(error.located(text)),
    }
}

impl<T: Decode> Decode for Option<T> {
    const FORM: Form = T::FORM;

    /// Reads `null` and `""` as missing.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        if from.take_nothing()? { Ok(None) } else { T::decode(from).map(Some) }
    }

    #[inline]
    fn decode_into(place: &mut Self, from: &mut Reader<'_>) -> Result<(), ReadError> {
        if !from.take_nothing()? {
            return T::decode_some(place, from);
        }
        *place = None;
        Ok(())
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Decode> Decode for Vec<T> {
    const FORM: Form = Form::List(&T::FORM);

    /// Reads `null` and `""` as empty. To keep the other items if one is unreadable, use [`List`](crate::List).
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut items = Self::new();
        if from.take_nothing()? {
            return Ok(items);
        }
        let mut elements = from.array()?;
        while elements.next(from)?.is_some() {
            T::append(&mut items, from)?;
        }
        Ok(items)
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

impl Decode for () {
    /// Skips any value: for data without a documented form.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.skip()
    }

    fn absent() -> Option<Self> {
        Some(())
    }
}

impl Decode for bool {
    const FORM: Form = Form::Boolean;

    /// Reads `true`, `false`, 1 and 0, as text too.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a boolean", |text| match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        })
    }
}

impl Decode for u64 {
    const FORM: Form = Form::Whole;

    /// Reads a whole number, as text too.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a whole number", |text| text.parse().ok())
    }
}

impl Decode for i64 {
    const FORM: Form = Form::Signed;

    /// Reads a whole number, as text too.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.parsed("a whole number", |text| text.parse().ok())
    }
}

impl Decode for String {
    const FORM: Form = Form::Text;

    /// Reads text; a number or a boolean as written.
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        from.scalar().map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_numbers_stand_for_one_another() {
        assert_eq!(read_json("\"12\""), Ok(12_u64));
        assert_eq!(read_json("12"), Ok("12".to_owned()));
        assert_eq!(read_json("[true,\"true\",1,\"1\"]"), Ok(vec![true; 4]));
        assert_eq!(read_json("[false,\"false\",0,\"0\"]"), Ok(vec![false; 4]));
        assert!(read_json::<bool>("\"yes\"").is_err());
        assert!(read_json::<u64>("-1").is_err());
        assert!(read_json::<u64>("1.0").is_err());
        assert!(read_json::<u64>("18446744073709551616").is_err());
    }

    #[test]
    fn null_and_empty_texts_are_missing_values() {
        assert_eq!(read_json("[null,\"\",\"5\"]"), Ok(vec![None, None, Some(5_u64)]));
        assert_eq!(read_json("null"), Ok(Vec::<u64>::new()));
        assert!(read_json::<Option<u64>>("nul").is_err());
        assert!(read_json::<Option<u64>>("\" \"").is_err());
        assert_eq!(Option::<u64>::absent(), Some(None));
        assert_eq!(u64::absent(), None);
    }

    #[test]
    fn unspecified_data_is_skipped() {
        assert_eq!(read_json("{\"a\":[1,{}]}"), Ok(()));
        assert!(read_json::<()>("{\"a\":}").is_err());
    }
}
