//! The values that answers have beside their data: the body of a refusal, and data in headers.

use super::response::Reply;
use crate::data::error::Error;
use crate::data::json::{Decode, JsonWriter, ReadError, Record, read_json};
use crate::data::operation::Operation;

/// An operation whose refusals have a body with fields of their own; see [`Error::refusal`].
pub trait RefusesWith: Operation {
    /// The whole body of a refusal.
    type Refusal: Decode;
}

/// An operation whose answers have data in their headers; see [`Reply::headers_of`].
pub trait AnswersWithHeaders: Operation {
    /// A record whose fields are headers of a success.
    type Headers: Record + Decode;
}

impl Error {
    /// The body of the refusal, if the exchange refused a request of the operation `O`. `None` for any other error, and
    /// for a refusal with another body, such as that of a gateway; [`raw`](Self::raw) has it.
    pub fn refusal<O: RefusesWith>(&self) -> Option<O::Refusal> {
        let error = self.exchange().filter(|error| error.operation == O::META.id)?;
        read_json(std::str::from_utf8(&error.raw).ok()?).ok()
    }
}

impl<T> Reply<T> {
    /// The headers with data, for an operation that describes some. A header that is missing, or is not UTF-8, is a
    /// field that is missing.
    ///
    /// # Errors
    ///
    /// Fails if a header is not of the type of its field.
    pub fn headers_of<O: AnswersWithHeaders>(&self) -> Result<O::Headers, ReadError> {
        let mut json = JsonWriter::new();
        json.begin_object();
        for name in <O::Headers as Record>::FIELDS {
            if let Some(value) = self.headers.get(*name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()) {
                json.member(name).string(value.trim());
            }
        }
        json.end_object();
        read_json(&json.finish())
    }
}
