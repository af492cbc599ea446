use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

use super::from_text::Json;
use super::to_text::json_text;
use crate::json::{Decode, Encode, read_json, write_json};
use crate::parameters::{ParameterReader, ParameterWriter, Parameters};
use crate::value::{Decimal, List, Timestamp};

/// Serializes a value as its JSON text says.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_value<S: Serializer>(value: &impl Encode, serializer: S) -> Result<S::Ok, S::Error> {
    Json(&write_json(value)).serialize(serializer)
}

/// Deserializes a value as forgivingly as a response.
///
/// # Errors
///
/// When it cannot be read.
pub fn deserialize_value<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    read_json(&json_text(deserializer)?).map_err(D::Error::custom)
}

/// Serializes request parameters as the JSON object, or array, that is sent.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_parameters<S: Serializer>(parameters: &impl Parameters, serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = ParameterWriter::json();
    parameters.write(&mut out);
    Json(&out.finish()).serialize(serializer)
}

/// Deserializes request parameters, with all checks; the error lists everything that is wrong.
///
/// # Errors
///
/// When anything is missing, unreadable, unknown or forbidden.
pub fn deserialize_parameters<'de, P: Parameters, D: Deserializer<'de>>(deserializer: D) -> Result<P, D::Error> {
    ParameterReader::read(&json_text(deserializer)?).map_err(D::Error::custom)
}

crate::__serde_impls!(Decimal, serialize_value, deserialize_value);
crate::__serde_impls!(Timestamp, serialize_value, deserialize_value);

impl<T: Encode> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_value(self, serializer)
    }
}

impl<'de, T: Decode> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_value(deserializer)
    }
}
