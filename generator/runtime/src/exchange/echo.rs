//! Whether an answer belongs to its request. A connection on which something went wrong can bring the answer to another
//! one, and to take that for a success would claim what never happened.

use std::borrow::Cow;

use crate::fate::client_ids;
use crate::json::{Kind, ReadError, Reader};
use crate::operation::Operation;
use crate::tables::Effect;

/// Refuses data that tells of something with another id than the one the caller gave in the body that was sent.
pub(super) fn is_of<O: Operation>(operation: &O, sent: &[u8], mut data: Reader<'_>) -> Result<(), ReadError> {
    let here = data.here();
    let id = O::META.client_id.filter(|id| id.list.is_none() && O::META.effect != Effect::Read);
    let told = id.and_then(|id| text_of(data, id.parameter)).filter(|told| !told.is_empty());
    let Some(told) = told else { return Ok(()) };
    // Almost always it stands in the body just so.
    if is_quoted_in(sent, told.as_bytes()) {
        return Ok(());
    }
    let own = client_ids(operation);
    if own.is_empty() || own.iter().any(|own| *own == told) {
        return Ok(());
    }
    Err(ReadError::new(here, format!("it tells of {told:?} instead of {:?}", own.join(" "))))
}

/// The text of a member of an object. What cannot be read is reported by who reads all of it.
fn text_of<'a>(mut data: Reader<'a>, member: &str) -> Option<Cow<'a, str>> {
    if data.peek() != Kind::Object {
        return None;
    }
    let mut members = data.object(&[]).ok()?;
    while let Some(name) = members.next_name(&mut data).ok()? {
        if name == member {
            return if data.take_nothing().ok()? { None } else { data.scalar().ok() };
        }
        data.skip().ok()?;
    }
    None
}

fn is_quoted_in(body: &[u8], text: &[u8]) -> bool {
    let is_quoted = |inner: &[u8]| inner.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) == Some(text);
    body.windows(text.len() + 2).any(is_quoted)
}
