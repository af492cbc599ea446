use super::decode::Decode;
use super::encode::Encode;
use super::error::ReadError;
use super::reader::Reader;
use super::writer::JsonWriter;
use crate::tables::{Form, RecordTable};

/// An object with named fields, as responses have them. Emitted for each record.
///
/// Its [`Decode`] and [`Encode`] come from here: emitted code only says which field is which.
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
    use crate::json::{read_json, write_json};
    use crate::value::{Decimal, List};

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Fee {
        coin: Option<String>,
        amount: Option<Decimal>,
    }

    impl Record for Fee {
        const FIELDS: &'static [&'static str] = &["feeCoin", "fee"];

        fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
            match field {
                0 => from.read_into(&mut self.coin),
                1 => from.read_into(&mut self.amount),
                _ => from.skip(),
            }
        }

        fn write(&self, out: &mut RecordWriter<'_>) {
            out.field("feeCoin", &self.coin);
            out.field("fee", &self.amount);
        }
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Fill {
        id: Option<String>,
        fees: List<Fee>,
        last: Option<Fee>,
    }

    impl Record for Fill {
        const FIELDS: &'static [&'static str] = &["id", "fees", "last"];

        fn read(&mut self, field: usize, from: &mut Reader<'_>) -> Result<(), ReadError> {
            match field {
                0 => from.read_into(&mut self.id),
                1 => from.read_into(&mut self.fees),
                2 => from.read_into(&mut self.last),
                _ => from.skip(),
            }
        }

        fn write(&self, out: &mut RecordWriter<'_>) {
            out.field("id", &self.id);
            out.field("fees", &self.fees);
            out.field("last", &self.last);
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
    fn an_error_tells_the_way() {
        let error = read_json::<Fill>(r#"{"id":"1","last":{"feeCoin":"USDT","fee":"one"}}"#).map_err(|e| e.to_string());
        assert_eq!(error, Err("last.fee: expected a decimal number, found \"one\" (at byte 41)".to_owned()));
    }
}
