//! Whether an answer belongs to its request. A connection on which something went wrong can bring the answer to another
//! one, and to take that for a success would claim what never happened.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;

use super::envelope::Opened;
use super::reply::Reply;
use crate::error::{Error, UnreadableAnswer};
use crate::fate::client_ids;
use crate::json::{Kind, ReadError, Reader};
use crate::operation::Operation;
use crate::tables::{Api, Effect, Ending};

/// The same reply, unless it tells of something with another id than the one the caller gave in the body that was sent.
pub(crate) fn of_request<O: Operation>(
    api: &Api,
    operation: &O,
    sent: &Bytes,
    reply: Reply<O::Response>,
) -> Result<Reply<O::Response>, Error> {
    let id = O::META.client_id.filter(|id| id.list.is_none() && O::META.effect != Effect::Read);
    let told = id.and_then(|id| text_in_data(api, &reply.raw, id.parameter)).filter(|told| !told.is_empty());
    let Some(told) = told else { return Ok(reply) };
    // Almost always it stands in the body just so.
    if is_quoted_in(sent, told.as_bytes()) {
        return Ok(reply);
    }
    let own = client_ids(operation);
    if own.is_empty() || own.iter().any(|own| *own == told) {
        return Ok(reply);
    }
    let error = ReadError::new(0, format!("it tells of {told:?} instead of {:?}", own.join(" ")));
    Err(Error::Unreadable(Box::new(UnreadableAnswer {
        operation: O::META.id,
        effect: O::META.effect,
        outcome: api.outcome_of(O::META.effect, Ending::Unreadable, None),
        status: reply.status,
        raw: reply.raw.clone(),
        error,
        waited: Duration::ZERO,
    })))
}

/// The text of a member of the answer's data.
fn text_in_data<'a>(api: &'a Api, answer: &'a [u8], member: &str) -> Option<Cow<'a, str>> {
    let text = std::str::from_utf8(answer).ok()?;
    let mut data = match &api.envelope {
        Some(envelope) => Opened::open(envelope, text).ok()?.into_data()?,
        None => Reader::new(text),
    };
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
