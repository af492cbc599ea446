use super::decode::Decode;
use super::error::ReadError;
use super::reader::Reader;
use super::table::{Form, RecordTable};
use super::writer::{Encode, JsonWriter};

/// An object with named fields, as responses have them. Declared by [`record!`](crate::record).
///
/// Every record has its [`Decode`] and [`Encode`] from here.
pub trait Record {
    /// The names of the fields on the wire.
    const FIELDS: &'static [&'static str];

    /// What the documents say of the fields.
    const TABLE: &'static RecordTable = &RecordTable::UNTOLD;

    /// Reads the value of the field at an index of [`FIELDS`](Self::FIELDS).
    ///
    /// # Errors
    ///
    /// When the value is not of the field's type.
    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError>;

    /// Writes the fields that are there.
    fn write(&self, out: &mut RecordWriter<'_>);
}

impl<T: Record + Default> Decode for T {
    const FORM: Form = Form::Record(table_of::<T>);

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut record = T::default();
        let mut members = from.object(T::FIELDS)?;
        while let Some(field) = members.next(from)? {
            record.read(field, from)?;
        }
        Ok(record)
    }

    fn absent() -> Option<Self> {
        Some(T::default())
    }
}

const fn table_of<T: Record>() -> &'static RecordTable {
    T::TABLE
}

impl<T: Record> Encode for T {
    fn encode(&self, out: &mut JsonWriter) {
        out.begin_object();
        self.write(&mut RecordWriter { out });
        out.end_object();
    }
}

/// Declares a [`Record`](crate::emitted::Record): a struct whose fields have their names on the wire as an attribute.
///
/// The name is followed by what else the documents say of the field, which is the name of a method of
/// [`FieldTable`](crate::emitted::FieldTable): `bare`, `or_null`, `conditional`, `code`, or `only = [...]`. The
/// attribute `record` gives the name of the record in the schema, and `observed` where no document has it.
///
/// The macro derives `Clone`, `Debug`, `Default` and `PartialEq`, and implements serde's traits if the feature `serde`
/// is on.
///
/// ```
/// use tradeapi_runtime::Decimal;
/// use tradeapi_runtime::json::read_json;
///
/// tradeapi_runtime::record! {
///     /// A fee in one coin.
///     #[record("Fee")]
///     pub struct Fee {
///         /// `feeCoin`: Coin of the fee.
///         #[wire("feeCoin")]
///         pub coin: Option<String>,
///         /// `fee`: Amount of the fee.
///         #[wire("fee", or_null)]
///         pub amount: Option<Decimal>,
///     }
/// }
/// let fee: Fee = read_json(r#"{"feeCoin": "USDT", "fee": null}"#)?;
/// assert_eq!((fee.coin.as_deref(), fee.amount), (Some("USDT"), None));
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $(#[record($record:literal $(, $state:ident)?)])?
        $vis:vis struct $name:ident {
            $(
                $(#[doc = $about:literal])*
                $(#[deprecated(note = $note:literal)])?
                #[wire($wire:literal $(, $how:ident $(= [$($value:literal),* $(,)?])?)*)]
                $field_vis:vis $field:ident: $ty:ty
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[non_exhaustive]
        $vis struct $name {
            $($(#[doc = $about])* $(#[deprecated(note = $note)])? $field_vis $field: $ty,)*
        }

        // A deprecated field is read and written like the others.
        #[allow(deprecated)]
        impl $crate::emitted::Record for $name {
            const FIELDS: &'static [&'static str] = &[$($wire),*];
            const TABLE: &'static $crate::emitted::RecordTable = &$crate::emitted::RecordTable::of(&[
                $($crate::emitted::FieldTable::of::<$ty>($wire)$(.$how($(&[$($value),*])?))*),*
            ])$(.named($record)$(.$state())?)?;

            #[inline]
            fn read(
                &mut self,
                field: usize,
                from: &mut $crate::json::Reader<'_>,
            ) -> ::core::result::Result<(), $crate::json::ReadError> {
                #[allow(non_camel_case_types)]
                enum Field { $($field),* }
                struct At;
                #[allow(non_upper_case_globals)]
                impl At { $(const $field: usize = Field::$field as usize;)* }
                match field {
                    $(At::$field => from.read_into(&mut self.$field),)*
                    _ => from.skip(),
                }
            }

            #[inline]
            fn write(&self, out: &mut $crate::emitted::RecordWriter<'_>) {
                $(out.field($wire, &self.$field);)*
            }
        }

        $crate::serde_value!($name);
    };
}

/// Writes the fields of a [`Record`].
#[derive(Debug)]
pub struct RecordWriter<'a> {
    out: &'a mut JsonWriter,
}

impl RecordWriter<'_> {
    /// Writes a field, or leaves it out when it is not there.
    pub fn field(&mut self, name: &str, value: &impl Encode) {
        if !value.is_absent() {
            value.encode(self.out.member(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::List;
    use crate::json::{read_json, write_json};
    use crate::value::Decimal;

    crate::record! {
        struct Fee {
            #[wire("feeCoin")]
            coin: Option<String>,
            #[wire("fee")]
            amount: Option<Decimal>,
        }
    }

    crate::record! {
        struct Fill {
            #[wire("id")]
            id: Option<String>,
            #[wire("fees")]
            fees: List<Fee>,
            #[wire("last")]
            last: Option<Fee>,
        }
    }

    #[test]
    fn is_read_and_written_by_its_fields() -> Result<(), ReadError> {
        let text = r#"{"last":{"fee":"-0.10"},"new":[1],"fees":[{"feeCoin":"USDT","fee":0.5},7],"id":42}"#;
        let fill: Fill = read_json(text)?;
        assert_eq!(fill.id.as_deref(), Some("42"));
        assert_eq!((fill.fees.len(), fill.fees.bad.len()), (1, 1));
        let written = r#"{"id":"42","fees":[{"feeCoin":"USDT","fee":"0.5"},7],"last":{"fee":"-0.10"}}"#;
        assert_eq!(write_json(&fill), written);
        assert_eq!(read_json::<Fill>(written)?, fill);
        Ok(())
    }

    #[test]
    fn what_is_not_there_is_not_there() -> Result<(), ReadError> {
        assert_eq!(read_json::<Fill>(r#"{"id":"","fees":null,"last":""}"#)?, Fill::default());
        assert_eq!(Fill::absent(), Some(Fill::default()));
        assert_eq!(write_json(&Fill::default()), r#"{"fees":[]}"#);
        Ok(())
    }

    #[test]
    fn an_error_has_the_path() {
        let error = read_json::<Fill>(r#"{"id":"1","last":{"feeCoin":"USDT","fee":"one"}}"#).map_err(|e| e.to_string());
        assert_eq!(error, Err("last.fee: expected a decimal number, found \"one\" (at byte 41)".to_owned()));
    }
}
