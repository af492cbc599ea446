//! JSON texts as values of serde's data model.

use std::fmt::{self, Display};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};

use crate::data::account::Account;
use crate::data::account_file::AccountFileError;
use crate::data::json::Json as AnyJson;
use crate::data::json::{Decode, Encode, JsonWriter, Kind, List, Map, Reader, read_json, write_json};
use crate::data::parameters::{ParameterReader, Parameters, json_of};
use crate::data::tables::AccountTable;
use crate::data::value::{Decimal, Scaled, TimeFormat, TimeIn, Timestamp};

/// A JSON text that is serialized as the value that it stands for.
pub(super) struct Json<'a>(pub(super) &'a str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut from = Reader::new(self.0);
        match from.peek() {
            Kind::Object => object(&mut from, serializer),
            Kind::Array => array(&mut from, serializer),
            Kind::Number => number(self.0, serializer),
            Kind::String => serializer.serialize_str(&from.scalar().map_err(custom)?),
            Kind::Boolean => serializer.serialize_bool(from.value().map_err(custom)?),
            Kind::Null | Kind::Nothing => serializer.serialize_none(),
        }
    }
}

fn object<S: Serializer>(from: &mut Reader<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    let mut members = from.object(&[]).map_err(custom)?;
    while let Some(name) = members.next_name(from).map_err(custom)? {
        map.serialize_entry(&*name, &Json(from.raw_value().map_err(custom)?))?;
    }
    map.end()
}

fn array<S: Serializer>(from: &mut Reader<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(None)?;
    let mut elements = from.array().map_err(custom)?;
    while elements.next(from).map_err(custom)?.is_some() {
        list.serialize_element(&Json(from.raw_value().map_err(custom)?))?;
    }
    list.end()
}

/// Returns a number that serde cannot carry exactly is serialized as text, which everything here reads as well.
fn number<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(number) = read_json(text) {
        return serializer.serialize_u64(number);
    }
    match read_json(text) {
        Ok(number) => serializer.serialize_i64(number),
        Err(_) => serializer.serialize_str(text),
    }
}

fn custom<E: serde::ser::Error>(error: impl Display) -> E {
    E::custom(error)
}

/// Returns what `deserializer` holds, as a JSON text.
pub(super) fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let mut out = JsonWriter::new();
    Value(&mut out).deserialize(deserializer)?;
    Ok(out.finish())
}

/// The next value.
struct Value<'w>(&'w mut JsonWriter);

/// The only member of the map as which `serde_json` hands over a number where a crate of the program has its feature
/// `arbitrary_precision`. The value is the text of the number, with all digits.
const EXACT_NUMBER: &str = "$serde_json::private::Number";

impl Value<'_> {
    fn exact_number<E: serde::de::Error>(self, digits: &str) -> Result<(), E> {
        let mut from = Reader::new(digits);
        if from.peek() != Kind::Number || from.raw_value() != Ok(digits) {
            return Err(E::custom(format_args!("expected a number, found `{digits}`")));
        }
        self.0.raw(digits);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text, a whole number, a boolean, a list or a map")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.0.raw("null");
        Ok(())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.0.boolean(value);
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.0.number(&value);
        Ok(())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.0.raw(&value.to_string());
        Ok(())
    }

    /// Refuses a fraction, because serde hands it over a fraction as `f64` only, in which digits may be lost already.
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        Err(E::custom(format_args!("write {value} as text, in quotes: as a number it may not be exact")))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.0.string(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.0.begin_array();
        while list.next_element_seed(Element(self.0))?.is_some() {}
        self.0.end_array();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut next = map.next_key::<String>()?;
        if next.as_deref() == Some(EXACT_NUMBER) {
            return self.exact_number(&map.next_value::<String>()?);
        }
        self.0.begin_object();
        while let Some(name) = next {
            map.next_value_seed(Value(self.0.member(&name)))?;
            next = map.next_key()?;
        }
        self.0.end_object();
        Ok(())
    }
}

/// The next element of a list, if there is one: only then a comma may be written.
struct Element<'w>(&'w mut JsonWriter);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        Value(self.0.element()).deserialize(deserializer)
    }
}

/// Serializes a value as its JSON text.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_value<S: Serializer>(value: &impl Encode, serializer: S) -> Result<S::Ok, S::Error> {
    Json(&write_json(value)).serialize(serializer)
}

/// Deserializes a value as leniently as a response.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn deserialize_value<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    read_json(&json_text(deserializer)?).map_err(D::Error::custom)
}

/// Serializes request parameters as the JSON object, or array, that is sent.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_parameters<S: Serializer>(parameters: &impl Parameters, serializer: S) -> Result<S::Ok, S::Error> {
    Json(&json_of(parameters)).serialize(serializer)
}

/// Deserializes request parameters, with all checks; the error lists everything that is wrong.
///
/// # Errors
///
/// Fails if anything is missing, unreadable, unknown or forbidden.
pub fn deserialize_parameters<'de, P: Parameters, D: Deserializer<'de>>(deserializer: D) -> Result<P, D::Error> {
    ParameterReader::read(&json_text(deserializer)?).map_err(D::Error::custom)
}

/// Serializes an account as its JSON.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_account<S: Serializer>(account: &Account, serializer: S) -> Result<S::Ok, S::Error> {
    Json(&account.to_json()).serialize(serializer)
}

/// Deserializes an account; the error lists everything that is wrong.
///
/// # Errors
///
/// Fails if anything is unreadable or unknown.
pub fn deserialize_account<'de, D: Deserializer<'de>>(
    deserializer: D,
    table: &AccountTable,
) -> Result<Account, D::Error> {
    let text = json_text(deserializer)?;
    Account::from_json(table, &text).map_err(|error| match error {
        // Without the lines, which are those of a text that the caller never sees.
        AccountFileError::Mistakes { mistakes, .. } => {
            D::Error::custom(mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        }
        error @ AccountFileError::Io { .. } => D::Error::custom(error),
    })
}

crate::__serde_impls!(Decimal, serialize_value, deserialize_value);
crate::__serde_impls!(Timestamp, serialize_value, deserialize_value);

crate::__serde_impls!(AnyJson, serialize_value, deserialize_value);

/// The same for types with a parameter of their own.
macro_rules! generic_impls {
    ($($name:ident<$parameter:ident: $serialize:path, $deserialize:path>),+) => {$(
        impl<$parameter: $serialize> Serialize for $name<$parameter> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize_value(self, serializer)
            }
        }

        impl<'de, $parameter: $deserialize> Deserialize<'de> for $name<$parameter> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize_value(deserializer)
            }
        }
    )+};
}

generic_impls!(List<T: Encode, Decode>, Map<T: Encode, Decode>, TimeIn<F: TimeFormat, TimeFormat>);

impl<const SCALE: u8> Serialize for Scaled<SCALE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_value(self, serializer)
    }
}

impl<'de, const SCALE: u8> Deserialize<'de> for Scaled<SCALE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_value(deserializer)
    }
}
