//! Records of which a value is one: a member of the object decides, or the form of the JSON.

use std::fmt;

use super::decode::Decode;
use super::path::ReadError;
use super::reader::{Kind, Reader};
use super::table::{CaseTable, Form, OneOfTable, RecordTable, Travels};
use super::values::Json;
use super::writer::{Encode, JsonWriter};

/// The reason why no record was found for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoCase {
    /// The deciding member has this text.
    Value(String),
    /// The deciding member is missing, or the value has none of the forms.
    Form,
}

impl OneOfTable {
    /// Returns the index of the record that the next value is. The value stays unread.
    pub(crate) fn case(&self, from: &mut Reader<'_>) -> Result<Result<usize, NoCase>, ReadError> {
        let start = from.mark();
        let found = match self.decider {
            Some(decider) => self.by_value(decider, from),
            None => self.by_form(from),
        };
        from.go_back(start);
        found
    }

    fn by_value(&self, decider: &str, from: &mut Reader<'_>) -> Result<Result<usize, NoCase>, ReadError> {
        if from.peek() != Kind::Object {
            return Ok(Err(NoCase::Form));
        }
        let mut members = from.object(&[])?;
        while let Some(name) = members.next_name(from)? {
            if name != decider || !matches!(from.peek(), Kind::String | Kind::Number | Kind::Boolean) {
                from.skip()?;
                continue;
            }
            let value = from.scalar()?;
            let mut in_any_case = None;
            for (place, case) in self.cases.iter().enumerate() {
                if case.told_by.contains(&&*value) {
                    return Ok(Ok(place));
                }
                if in_any_case.is_none() && case.told_by.iter().any(|known| known.eq_ignore_ascii_case(&value)) {
                    in_any_case = Some(place);
                }
            }
            return Ok(in_any_case.ok_or_else(|| NoCase::Value(value.into_owned())));
        }
        Ok(Err(NoCase::Form))
    }

    fn by_form(&self, from: &mut Reader<'_>) -> Result<Result<usize, NoCase>, ReadError> {
        let kind = from.peek();
        let first = |is_it: &dyn Fn(&CaseTable) -> bool| {
            self.cases.iter().position(|case| can_be(case.form, kind) && is_it(case))
        };
        if kind == Kind::Object {
            let mut members = from.object(&[])?;
            while let Some(name) = members.next_name(from)? {
                let told = first(&|case| case.told_by.contains(&&*name));
                if let Some(place) = told.filter(|_| from.peek() != Kind::Null) {
                    return Ok(Ok(place));
                }
                from.skip()?;
            }
        }
        Ok(first(&|case| case.told_by.is_empty()).ok_or(NoCase::Form))
    }
}

/// Returns whether a record can be a value of this kind of JSON.
fn can_be(form: Form, kind: Kind) -> bool {
    let Form::Record(table) = form else { return true };
    let RecordTable { travels, fields, .. } = table();
    match (travels, fields.first().map(|only| only.form)) {
        (Travels::AsObject, _) => kind == Kind::Object,
        (Travels::AsArray, _) | (Travels::AsValue, Some(Form::List(_))) => kind == Kind::Array,
        (Travels::AsValue, Some(Form::Map(_))) => kind == Kind::Object,
        (Travels::AsValue, Some(inner @ Form::Record(_))) => can_be(inner, kind),
        (Travels::AsValue, Some(Form::Anything | Form::OneOf(_))) => true,
        (Travels::AsValue, _) => matches!(kind, Kind::String | Kind::Number | Kind::Boolean),
    }
}

/// A value that is none of the documented records, as it came. Only responses contain one: it cannot be built by hand.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct UnknownRecord(Json);

impl UnknownRecord {
    /// Returns the JSON that the exchange sent.
    pub fn as_json(&self) -> &Json {
        &self.0
    }
}

impl fmt::Debug for UnknownRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for UnknownRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Encode for UnknownRecord {
    fn encode(&self, out: &mut JsonWriter) {
        self.0.encode(out);
    }
}

impl Reader<'_> {
    /// Returns the index of the record that the next value is; `None` if it is none of them. The value stays unread.
    ///
    /// # Errors
    ///
    /// Fails if the value is not JSON, or nests too deep.
    #[doc(hidden)]
    pub fn case_of(&mut self, table: &OneOfTable) -> Result<Option<usize>, ReadError> {
        table.case(self).map(Result::ok)
    }

    /// Reads the next value into memory of its own.
    ///
    /// # Errors
    ///
    /// Fails if it is not a `T`, or takes too much memory.
    #[doc(hidden)]
    pub fn boxed<T: Decode>(&mut self) -> Result<Box<T>, ReadError> {
        self.take_room(size_of::<T>())?;
        T::decode(self).map(Box::new)
    }

    /// Keeps the next value, which is none of the documented records.
    ///
    /// # Errors
    ///
    /// Fails if it is not JSON, or takes too much memory.
    #[doc(hidden)]
    pub fn unknown_record(&mut self) -> Result<UnknownRecord, ReadError> {
        let value = self.raw_value()?;
        self.take_room(value.len())?;
        Ok(UnknownRecord(Json::of_passed(value)))
    }
}

/// Declares an enum over records, of which a value is one.
///
/// With the attribute `decided_by`, the named member of the object decides, and each record has the values that it has
/// then. Without it, each has members that only it has, or none if it is the one for all values that no other fits: an
/// object, or what a record `by_position` or `as_value` is.
///
/// The macro adds the variant `Unknown`, derives `Clone`, `Debug` and `PartialEq`, and implements `Display`,
/// [`Decode`](crate::data::json::Decode), [`Encode`](crate::data::json::Encode), the conversion from each record, and serde's traits
/// if the feature `serde` is on.
///
/// ```
/// use tradeapi_runtime::json::{read_json, write_json};
///
/// tradeapi_runtime::record! {
///     /// A payment with a card.
///     #[record("Card")]
///     pub struct Card {
///         /// `kind`: How it is paid.
///         #[wire("kind")]
///         pub kind: Option<String>,
///         /// `last`: The last digits.
///         #[wire("last")]
///         pub last: Option<String>,
///     }
/// }
/// tradeapi_runtime::one_of_records! {
///     /// A payment.
///     #[decided_by("kind")]
///     pub enum Payment {
///         /// `Card`
///         #[told_by("credit", "debit")]
///         Card(Box<Card>),
///     }
/// }
/// let text = r#"[{"last":"42","kind":"debit"},{"kind":"cash","coins":3}]"#;
/// let payments: Vec<Payment> = read_json(text)?;
/// let Payment::Card(card) = &payments[0] else { unreachable!() };
/// assert_eq!(card.last.as_deref(), Some("42"));
/// assert_eq!(write_json(&payments[1]), r#"{"kind":"cash","coins":3}"#);
/// # Ok::<(), tradeapi_runtime::json::ReadError>(())
/// ```
#[macro_export]
macro_rules! one_of_records {
    (
        $(#[doc = $doc:literal])*
        $(#[decided_by($decider:literal)])?
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $about:literal])*
                #[told_by($($told_by:literal),* $(,)?)]
                $variant:ident(Box<$record:ty> $(,)?)
            ),* $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                $(#[doc = $about])*
                $variant(::std::boxed::Box<$record>),
            )*
            /// A value that is none of the documented records. Only responses contain one.
            Unknown($crate::json::UnknownRecord),
        }

        impl $name {
            #[allow(unused_assignments, unused_mut, reason = "the decider may be missing")]
            const TABLE: &'static $crate::emitted::OneOfTable = &$crate::emitted::OneOfTable {
                decider: {
                    let mut decider = ::core::option::Option::None;
                    $(decider = ::core::option::Option::Some($decider);)?
                    decider
                },
                cases: &[$($crate::emitted::CaseTable {
                    told_by: &[$($told_by),*],
                    form: <$record as $crate::json::Decode>::FORM,
                }),*],
            };
        }

        $(
            impl ::core::convert::From<$record> for $name {
                fn from(record: $record) -> Self {
                    Self::$variant(::std::boxed::Box::new(record))
                }
            }
        )*

        impl $crate::json::Decode for $name {
            const FORM: $crate::json::Form = $crate::json::Form::OneOf(Self::TABLE);

            #[allow(unused_assignments, reason = "the last index is not read")]
            fn decode(from: &mut $crate::json::Reader<'_>) -> ::core::result::Result<Self, $crate::json::ReadError> {
                let case = from.case_of(Self::TABLE)?;
                let mut index = 0;
                $(
                    if case == ::core::option::Option::Some(index) {
                        return from.boxed().map(Self::$variant);
                    }
                    index += 1;
                )*
                from.unknown_record().map(Self::Unknown)
            }
        }

        impl $crate::json::Encode for $name {
            fn encode(&self, out: &mut $crate::json::JsonWriter) {
                match self {
                    $(Self::$variant(record) => $crate::json::Encode::encode(&**record, out),)*
                    Self::Unknown(value) => $crate::json::Encode::encode(value, out),
                }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $(Self::$variant(record) => ::core::fmt::Display::fmt(record, f),)*
                    Self::Unknown(value) => ::core::fmt::Display::fmt(value, f),
                }
            }
        }

        $crate::serde_value!($name);
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::{List, read_json, write_json};
    use crate::data::value::Decimal;

    crate::record! {
        #[record("Card")]
        struct Card {
            #[wire("kind")]
            kind: Option<String>,
            #[wire("last")]
            last: Option<String>,
        }
    }

    crate::record! {
        #[record("Transfer")]
        struct Transfer {
            #[wire("kind")]
            kind: Option<String>,
            #[wire("amount", bare)]
            amount: Option<Decimal>,
            #[wire("fees")]
            fees: List<Payment>,
        }
    }

    crate::one_of_records! {
        #[decided_by("kind")]
        enum Payment {
            #[told_by("credit", "debit")]
            Card(Box<Card>),
            // As rustfmt writes a long name.
            #[told_by("transfer")]
            Transfer(
                Box<Transfer>,
            ),
        }
    }

    crate::record! {
        #[record("Note", as_value)]
        struct Note {
            #[wire("text")]
            text: Option<String>,
        }
    }

    crate::record! {
        #[record("Pair", by_position)]
        struct Pair {
            #[wire("one")]
            one: Option<u64>,
            #[wire("two")]
            two: Option<u64>,
        }
    }

    crate::one_of_records! {
        enum Answer {
            #[told_by("last")]
            Card(Box<Card>),
            #[told_by("amount", "fees")]
            Transfer(Box<Transfer>),
            #[told_by()]
            Note(Box<Note>),
            #[told_by()]
            Pair(Box<Pair>),
        }
    }

    #[test]
    fn a_member_decides_wherever_it_stands() -> Result<(), ReadError> {
        let text = r#"[{"last":"42","kind":"debit"},{"kind":"TRANSFER","amount":1.50,"fees":[{"kind":"credit"}]}]"#;
        let payments: List<Payment> = read_json(text)?;
        let [Payment::Card(card), Payment::Transfer(transfer)] = &payments[..] else {
            return Err(ReadError::new(0, format!("{payments:?}")));
        };
        assert_eq!((card.last.as_deref(), transfer.kind.as_deref()), (Some("42"), Some("TRANSFER")));
        assert!(matches!(&transfer.fees[..], [Payment::Card(_)]));
        let written = r#"[{"kind":"debit","last":"42"},{"kind":"TRANSFER","amount":1.50,"fees":[{"kind":"credit"}]}]"#;
        assert_eq!(write_json(&payments), written);
        Ok(())
    }

    #[test]
    fn what_is_unknown_is_kept_as_it_came() -> Result<(), ReadError> {
        for text in [r#"{"kind": "cash", "coins": [1,  2]}"#, r#"{"last": "42"}"#, "7", r#"{"kind": null}"#] {
            let payment: Payment = read_json(text)?;
            let Payment::Unknown(unknown) = &payment else { return Err(ReadError::new(0, payment.to_string())) };
            assert_eq!((unknown.as_json().as_str(), write_json(&payment)), (text, text.to_owned()));
        }
        assert!(read_json::<Payment>(r#"{"kind":"cash","coins":}"#).is_err());
        Ok(())
    }

    #[test]
    fn a_second_deciding_member_is_refused() {
        assert!(read_json::<Payment>(r#"{"kind":"debit","kind":"transfer"}"#).is_err());
    }

    #[test]
    fn a_bad_item_is_kept_apart() -> Result<(), ReadError> {
        let payments: List<Payment> = read_json(r#"[{"kind":"debit","last":[]},{"kind":"debit"}]"#)?;
        assert_eq!((payments.len(), payments.bad.len()), (1, 1));
        Ok(())
    }

    #[test]
    fn the_form_decides() -> Result<(), ReadError> {
        let answers: Vec<Answer> =
            read_json(r#"[{"last":null,"fees":[]},{"kind":"x","last":"1"},"sold out",[3,4],{"kind":"x"},{}]"#)?;
        let [
            Answer::Transfer(_),
            Answer::Card(_),
            Answer::Note(note),
            Answer::Pair(pair),
            Answer::Unknown(_),
            Answer::Unknown(_),
        ] = answers.as_slice()
        else {
            return Err(ReadError::new(0, format!("{answers:?}")));
        };
        assert_eq!((note.text.as_deref(), pair.two), (Some("sold out"), Some(4)));
        assert_eq!(write_json(&answers[2]), r#""sold out""#);
        Ok(())
    }

    #[test]
    fn records_of_their_own_take_room() {
        let empty = format!("[{}]", vec![r#"{"kind":"debit"}"#; 2_000_000].join(","));
        assert!(read_json::<Vec<Payment>>(&empty).is_ok());
        let unknown = format!("[{}]", vec!["0"; 3_000_000].join(","));
        assert!(read_json::<Vec<Payment>>(&unknown).is_err());
    }
}
