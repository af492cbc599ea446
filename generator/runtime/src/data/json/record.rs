//! Objects with named fields.

use std::fmt;

use super::decode::Decode;
use super::path::ReadError;
use super::reader::Reader;
use super::table::{FieldTable, Form, RecordTable, Travels};
use super::writer::{Encode, JsonWriter, write_json};
use crate::data::value::{Shown, part};

/// An object with named fields, as responses have them. Declared by [`record!`](crate::record).
///
/// Every record has its [`Decode`] and [`Encode`] from here.
pub trait Record {
    /// The names of the fields on the wire.
    const FIELDS: &'static [&'static str];

    /// The statements of the documents about the fields.
    const TABLE: &'static RecordTable = &RecordTable::UNKNOWN;

    /// The field that keeps the name of a record, where lists of it travel as objects. It is not in the table, because
    /// the table of a record that contains itself depends on it.
    const KEY: Option<&'static str> = None;

    /// Reads the value of the field at an index of [`FIELDS`](Self::FIELDS); any other index is an unknown member.
    ///
    /// # Errors
    ///
    /// Fails if the value is not of the field's type.
    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError>;

    /// Hands over all fields, in the order of [`FIELDS`](Self::FIELDS).
    fn visit(&self, to: &mut dyn FieldVisitor);
}

/// The value of a field, which may be absent.
pub trait RecordField: Encode {
    /// Returns the value as it is printed for people, unless it is absent.
    fn shown(&self) -> Option<&dyn fmt::Debug>;
}

impl<T: Encode + fmt::Debug> RecordField for Option<T> {
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        part(self)
    }
}

/// Takes the fields of a record. What is done with all of them is compiled once, and not for each record.
pub trait FieldVisitor {
    /// Takes the next field, with its name on the wire.
    fn field(&mut self, name: &'static str, value: &dyn RecordField);
}

impl<T: Record + Default> Decode for T {
    const FORM: Form = Form::Record(table_of::<T>);

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let mut record = T::default();
        read(&mut record, from)?;
        Ok(record)
    }

    fn append(items: &mut Vec<Self>, from: &mut Reader<'_>) -> Result<(), ReadError> {
        if items.len() == items.capacity() {
            // How much room the list needs is estimated by what was read of it, so the item comes first.
            let item = Self::decode(from)?;
            return from.keep(items, item);
        }
        items.push(T::default());
        let result = items.last_mut().map_or(Ok(()), |record| read(record, from));
        if result.is_err() {
            items.pop();
        }
        result
    }

    const HAS_KEY: bool = T::KEY.is_some();

    fn set_key(&mut self, name: &str) {
        if let Some(key) = T::KEY {
            set_field(self, T::FIELDS, key, name);
        }
    }

    fn absent() -> Option<Self> {
        Some(T::default())
    }
}

fn read<T: Record>(record: &mut T, from: &mut Reader<'_>) -> Result<(), ReadError> {
    match T::TABLE.travels {
        Travels::AsObject => {}
        Travels::AsArray => return read_by_position(record, T::FIELDS.len(), from),
        Travels::AsValue => return record.read(0, from),
    }
    let mut members = from.object(T::FIELDS)?;
    while let Some(field) = members.next(from)? {
        record.read(field, from)?;
    }
    Ok(())
}

/// The fields of any record, for what is compiled once and not for each type.
trait Fields {
    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError>;
}

impl<T: Record> Fields for T {
    fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
        Record::read(self, field, from)
    }
}

/// Reads the elements of an array as the fields, by their places. Those after the last field are unknown.
fn read_by_position(record: &mut dyn Fields, count: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
    let mut elements = from.array()?;
    while let Some(place) = elements.next(from)? {
        if place >= count {
            from.name_unknown(itoa::Buffer::new().format(place));
        }
        record.read(place, from)?;
    }
    Ok(())
}

/// Sets the field `name` to a text.
fn set_field(record: &mut dyn Fields, fields: &[&str], name: &str, text: &str) {
    if let Some(field) = fields.iter().position(|field| *field == name) {
        // Every key can be read from a text.
        let _ = record.read(field, &mut Reader::new(&write_json(&text.to_owned())));
    }
}

const fn table_of<T: Record>() -> &'static RecordTable {
    T::TABLE
}

impl<T: Record> Encode for T {
    fn encode(&self, out: &mut JsonWriter) {
        let RecordTable { travels, fields, .. } = *T::TABLE;
        match travels {
            Travels::AsObject => out.begin_object(),
            Travels::AsArray => out.begin_array(),
            Travels::AsValue => {}
        }
        self.visit(&mut RecordWriter { out, travels, fields: fields.iter() });
        match travels {
            Travels::AsObject => out.end_object(),
            Travels::AsArray => out.end_array(),
            Travels::AsValue => {}
        }
    }
}

/// Declares a [`Record`]: a struct whose fields have their names on the wire as an attribute.
///
/// The type of a field is one that can be absent: an `Option`, a [`List`](crate::data::json::List) or a
/// [`Map`](crate::data::json::Map). Further properties of the field follow its name, each the name of a method of
/// [`FieldTable`](crate::facade::emitted::FieldTable): `bare`, `quoted`, `or_null`, `conditional`, `code`, or `only = [...]`.
/// The attribute `record` gives the name of the record in the schema, `observed` where no document has it,
/// `by_position` where it travels as an array, `as_value` where it travels as the value of its only field, and
/// `; key = "field"` where lists of it travel as objects, under the values of that field.
///
/// The macro derives `Clone`, `Default` and `PartialEq`, and implements `Debug` and `Display`, which print the fields
/// that are there, and serde's traits if the feature `serde` is on.
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
        $(#[record($record:literal $(, $state:ident)* $(; key = $key:literal)?)])?
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
        #[derive(Clone, Default, PartialEq)]
        #[non_exhaustive]
        $vis struct $name {
            $($(#[doc = $about])* $(#[deprecated(note = $note)])? $field_vis $field: $ty,)*
            __unknown: $crate::json::UnknownMembers,
        }

        #[allow(dead_code, reason = "a private record need not hand them out")]
        impl $name {
            /// Returns the members that came and that the schema does not declare, with their JSON texts; none unless
            /// the client [keeps](tradeapi_runtime::ClientBuilder::keep_unknown) them.
            $vis fn unknown_members(&self) -> &$crate::json::UnknownMembers {
                &self.__unknown
            }
        }

        // A deprecated field is read and written like the others.
        #[allow(deprecated)]
        impl $crate::emitted::Record for $name {
            const FIELDS: &'static [&'static str] = &[$($wire),*];
            const TABLE: &'static $crate::emitted::RecordTable = {
                // Statics, because the compiler proves more of each value behind a reference in a constant.
                static FIELDS: [$crate::emitted::FieldTable; <$name as $crate::emitted::Record>::FIELDS.len()] =
                    [$($crate::emitted::FieldTable::of::<$ty>($wire)$(.$how($(&[$($value),*])?))*),*];
                static TABLE: $crate::emitted::RecordTable =
                    $crate::emitted::RecordTable::of(&FIELDS)$(.named($record)$(.$state())*)?;
                &TABLE
            };
            $($(const KEY: ::core::option::Option<&'static str> = ::core::option::Option::Some($key);)?)?

            // Compiled to a jump: each index is a constant.
            #[inline]
            #[allow(unused_assignments, unused_mut, reason = "the last index is not read, and a record may have no fields")]
            fn read(
                &mut self,
                field: usize,
                from: &mut $crate::json::Reader<'_>,
            ) -> ::core::result::Result<(), $crate::json::ReadError> {
                let mut index = 0;
                $(
                    if field == index {
                        return from.read_into(&mut self.$field);
                    }
                    index += 1;
                )*
                from.pass_unknown(&mut self.__unknown)
            }

            #[inline]
            fn visit(&self, to: &mut dyn $crate::emitted::FieldVisitor) {
                $(to.field($wire, &self.$field);)*
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::emitted::show_record(self, ::core::stringify!($name), &[$(::core::stringify!($field)),*], f)
            }
        }

        $crate::__displayed!($name);
        $crate::serde_value!($name);
    };
}

/// Writes the fields of a [`Record`].
struct RecordWriter<'a> {
    out: &'a mut JsonWriter,
    travels: Travels,
    /// The fields that have not been written.
    fields: std::slice::Iter<'static, FieldTable>,
}

impl FieldVisitor for RecordWriter<'_> {
    /// Writes the next field the way the exchange writes it, or leaves it out if it is missing, unless the writer
    /// [writes](JsonWriter::with_missing_fields) all fields. In an array, a missing field is `null`, so that others keep
    /// their places.
    fn field(&mut self, name: &'static str, value: &dyn RecordField) {
        let table = self.fields.next();
        let out = match self.travels {
            Travels::AsObject if value.is_absent() => return self.missing(name, table),
            Travels::AsObject => self.out.member(name),
            Travels::AsArray => self.out.element(),
            Travels::AsValue => &mut *self.out,
        };
        let start = out.length();
        value.encode(out);
        match table.and_then(FieldTable::is_string) {
            Some(true) => out.quote(start),
            Some(false) => out.unquote(start),
            // As an exchange writes that there are no items.
            None if out.writes_missing() && table.is_some_and(|table| table.may_be_null) => out.nullify(start),
            None => {}
        }
    }
}

impl RecordWriter<'_> {
    /// Leaves out a missing field, unless all fields are written.
    fn missing(&mut self, name: &str, table: Option<&FieldTable>) {
        let table = table.filter(|_| self.out.writes_missing());
        if let Some(value) = table.and_then(FieldTable::missing) {
            self.out.member(name).raw(value);
        }
    }
}

/// Prints the fields that are there, by their names in Rust.
///
/// # Errors
///
/// Fails if the formatter fails.
pub fn show_record<T: Record>(
    record: &T,
    name: &'static str,
    fields: &'static [&'static str],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let mut printed = Printed { shown: Shown::new(f, name), names: fields.iter() };
    record.visit(&mut printed);
    printed.shown.finish()
}

/// Prints the fields of a [`Record`].
struct Printed<'f, 'w> {
    shown: Shown<'f, 'w>,
    /// The names of the fields that have not been printed.
    names: std::slice::Iter<'static, &'static str>,
}

impl FieldVisitor for Printed<'_, '_> {
    fn field(&mut self, _: &'static str, value: &dyn RecordField) {
        if let Some(name) = self.names.next() {
            self.shown.field(name, value.shown());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::{Json, List, read_json, write_json};
    use crate::data::value::Decimal;

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
    fn empty_and_null_fields_are_missing() -> Result<(), ReadError> {
        assert_eq!(read_json::<Fill>(r#"{"id":"","fees":null,"last":""}"#)?, Fill::default());
        assert_eq!(Fill::absent(), Some(Fill::default()));
        assert_eq!(write_json(&Fill::default()), r#"{"fees":[]}"#);
        Ok(())
    }

    crate::record! {
        struct Position {
            #[wire("symbol")]
            symbol: Option<String>,
            #[wire("size")]
            size: Option<Decimal>,
            #[wire("leverage", bare)]
            leverage: Option<u64>,
            #[wire("cursor", or_null)]
            cursor: Option<String>,
            #[wire("code", conditional)]
            code: Option<String>,
            #[wire("isolated")]
            is_isolated: Option<bool>,
            #[wire("fee")]
            fee: Option<Fee>,
            #[wire("fees")]
            fees: List<Fee>,
            #[wire("refunds", or_null)]
            refunds: List<Fee>,
        }
    }

    #[test]
    fn missing_fields_are_written_where_all_are() -> Result<(), ReadError> {
        let mut out = JsonWriter::new().with_missing_fields();
        let position = Position { fees: vec![Fee::default()].into(), ..Position::default() };
        position.encode(&mut out);
        let written = out.finish();
        let expected = concat!(
            r#"{"symbol":"","size":"","leverage":null,"cursor":null,"isolated":null,"fee":null,"#,
            r#""fees":[{"feeCoin":"","fee":""}],"refunds":null}"#
        );
        assert_eq!(written, expected);
        assert_eq!(read_json::<Position>(&written)?, position);
        Ok(())
    }

    /// Reads a text with unknown members kept.
    fn keeping<T: Decode>(text: &str) -> Result<T, ReadError> {
        let mut from = Reader::new(text);
        from.keep_unknown();
        let value = T::decode(&mut from)?;
        from.finish()?;
        Ok(value)
    }

    fn unknown(members: &crate::data::json::UnknownMembers) -> Vec<(&str, &str)> {
        members.iter().map(|(name, value)| (name, value.as_str())).collect()
    }

    #[test]
    fn unknown_members_are_kept_by_the_record_that_they_are_of() -> Result<(), ReadError> {
        let text = r#"[{"new":{"a":[1, 2]},"id":"1","fees":[{"fee":"1","tax": null},{"feeCoin":"A"},{"tax":"2"}]},
            {"id":"2","n\u0065w":"x","other":1.50,"last":{"more":true}},{"id":"3"}]"#;
        let fills: List<Fill> = keeping(text)?;
        assert!(fills.is_complete());
        assert_eq!(unknown(fills[0].unknown_members()), [("new", r#"{"a":[1, 2]}"#)]);
        let of_fees: Vec<_> = fills[0].fees.iter().map(|fee| unknown(fee.unknown_members())).collect();
        assert_eq!(of_fees, [vec![("tax", "null")], vec![], vec![("tax", r#""2""#)]]);
        assert_eq!(unknown(fills[1].unknown_members()), [("new", r#""x""#), ("other", "1.50")]);
        assert_eq!(fills[1].unknown_members().get("other").map(Json::as_str), Some("1.50"));
        assert_eq!(fills[1].last.as_ref().map(|fee| unknown(fee.unknown_members())), Some(vec![("more", "true")]));
        assert!(fills[2].unknown_members().is_empty());

        let candles: Vec<Candle> = keeping(r#"[[17,null,[],"new",[1]],[18]]"#)?;
        assert_eq!(unknown(candles[0].unknown_members()), [("3", r#""new""#), ("4", "[1]")]);
        assert!(candles[1].unknown_members().is_empty());

        let passed_over: List<Fill> = read_json(text)?;
        assert!(passed_over.iter().all(|fill| fill.unknown_members().is_empty()));
        Ok(())
    }

    #[test]
    fn what_is_kept_takes_a_small_multiple_of_the_text() {
        let text = format!(r#"{{"id":"1"{}}}"#, r#","x":1"#.repeat(200_000));
        assert!(read_json::<Fill>(&text).is_ok());
        assert!(keeping::<Fill>(&text).is_err());
    }

    #[test]
    fn a_field_that_comes_twice_is_refused() -> Result<(), ReadError> {
        let error = read_json::<Fill>(r#"{"id":"1","fees":[],"\u0069d":"2"}"#).map_err(|error| error.to_string());
        assert_eq!(error, Err("id: a second value of this member (at byte 30)".to_owned()));
        assert!(read_json::<Fill>(r#"{"id":"1","id":null}"#).is_err());
        assert!(read_json::<Fill>(r#"{"new":1,"new":2,"id":"1"}"#).is_ok());
        let outside = r#"{"fees":[{"feeCoin":"A","fee":1}],"last":{"fee":2,"feeCoin":"B","fee":3}}"#;
        assert!(read_json::<Fill>(outside).is_err());
        // Items whose members come in other orders than in the items before.
        let items = r#"[{"feeCoin":"A","fee":1},{"fee":2,"feeCoin":"B","fee":3},{"fee":4,"feeCoin":"C"}]"#;
        let fees: List<Fee> = read_json(items)?;
        assert_eq!(fees.iter().map(|fee| fee.coin.as_deref()).collect::<Vec<_>>(), [Some("A"), Some("C")]);
        assert_eq!(fees.bad.iter().map(|item| (item.index, item.error.path())).collect::<Vec<_>>(), [(1, "fee")]);
        Ok(())
    }

    crate::record! {
        #[record("Candle", by_position)]
        struct Candle {
            #[wire("time")]
            time: Option<u64>,
            #[wire("close", bare)]
            close: Option<Decimal>,
            #[wire("fees")]
            fees: List<Fee>,
        }
    }

    crate::record! {
        #[record("Placed", as_value)]
        struct Placed {
            #[wire("id")]
            id: Option<String>,
        }
    }

    #[test]
    fn a_value_is_read_as_the_only_field() -> Result<(), ReadError> {
        let all: List<Placed> = read_json(r#"["7", 8, null]"#)?;
        let ids: Vec<_> = all.iter().map(|placed| placed.id.as_deref()).collect();
        assert_eq!(ids, [Some("7"), Some("8"), None]);
        assert_eq!(write_json(&all[0]), r#""7""#);
        assert_eq!(read_json::<Placed>("null")?.id, None);
        assert!(read_json::<Placed>(r#"{"id": "7"}"#).is_err());
        Ok(())
    }

    #[test]
    fn a_tuple_is_read_by_position() -> Result<(), ReadError> {
        let candle: Candle = read_json(r#"[17,null,[{"feeCoin":"USDT"}],"new",[1]]"#)?;
        assert_eq!((candle.time, &candle.close, candle.fees.len()), (Some(17), &None, 1));
        assert_eq!(write_json(&candle), r#"["17",null,[{"feeCoin":"USDT"}]]"#);
        let closed = Candle { close: "0.50".parse().ok(), ..candle };
        assert_eq!(write_json(&closed), r#"["17",0.50,[{"feeCoin":"USDT"}]]"#);
        assert_eq!(read_json::<Candle>("[18]")?.time, Some(18));
        let error = read_json::<Candle>(r#"[1,"x"]"#).map_err(|error| error.to_string());
        assert_eq!(error, Err("[1]: expected a decimal number, found \"x\" (at byte 3)".to_owned()));
        assert!(read_json::<Candle>(r#"{"time":1}"#).is_err());
        Ok(())
    }

    #[test]
    fn an_error_has_the_path() {
        let error = read_json::<Fill>(r#"{"id":"1","last":{"feeCoin":"USDT","fee":"one"}}"#).map_err(|e| e.to_string());
        assert_eq!(error, Err("last.fee: expected a decimal number, found \"one\" (at byte 41)".to_owned()));
    }
}
