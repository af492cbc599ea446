//! JSON without a documented form.

use std::fmt;

use super::decode::{Decode, read_json};
use super::error::ReadError;
use super::reader::Reader;
use super::writer::{Encode, JsonWriter};
use crate::data::value::{Scalar, Scratch};

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

    /// The JSON text.
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
