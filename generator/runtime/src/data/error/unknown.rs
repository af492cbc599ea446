//! Requests whose outcome is unknown.
//!
//! A table of the API maps each call result to an outcome. A result that neither a document nor several independent
//! sources describe is unknown. A request that does several things had no effect only if it was rejected before the
//! trading stage.

use std::fmt;

use bytes::Bytes;
use http::{Method, StatusCode, Uri};

use super::Error;
use crate::data::clock::Moment;
use crate::data::tables::{Effect, Meta};
use crate::data::value::Timestamp;

/// A request whose outcome is unknown. Do not repeat it before the outcome is settled.
///
/// ```
/// # use tradeapi_runtime::Error;
/// # use tradeapi_runtime::error::UnknownOutcome;
/// fn note(error: &Error) {
///     if let Error::Unknown(unknown) = error {
///         println!("query {:?}: {unknown}", unknown.client_ids);
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct UnknownOutcome {
    /// The id of the operation.
    pub operation: &'static str,
    /// The effect of the operation.
    pub effect: Effect,
    /// The client ids in the request.
    pub client_ids: Vec<String>,
    /// The request that was sent.
    pub sent: SentRequest,
    /// The reason why the outcome is unknown: a missing, broken or inconclusive response.
    pub why: Box<Error>,
    /// True if the exchange refused it, and a record from outside shows its effect nevertheless; see
    /// [`confirm::evidence`](crate::outcomes::confirm::evidence).
    pub is_contradicted: bool,
    /// The way in which the outcome becomes known.
    pub(crate) remedy: &'static str,
    /// The number in the journal, if it has one.
    pub(crate) change: Option<u64>,
}

/// Returns how the outcome of an operation becomes known.
fn remedy_of(meta: &Meta) -> &'static str {
    match &meta.confirm {
        Some(confirm) if confirm.list.is_some() => {
            "query each item with `settle_each`, or let `send_and_confirm` do so; do not send it again before that"
        }
        Some(confirm) if confirm.cancels() => {
            "query it with `settle`, or repeat it with `retrying(..)`, which is harmless"
        }
        Some(_) => "query it with `locate`, or let `place_and_confirm` do so; do not send it again before that",
        None if meta.repeat.is_some() => "repeat it with `retrying(..).call(..)`, which is harmless",
        None if meta.effect == Effect::Cancel => {
            "read what is left, or repeat it with `retrying(..).cancel(..)`, which also cancels what was placed since"
        }
        None => "read the orders and positions that it was to change; do not send it again before that",
    }
}

/// A request that was sent, without its credentials.
#[derive(Clone)]
#[non_exhaustive]
pub struct SentRequest {
    /// The HTTP method.
    pub method: Method,
    /// The address with its query, without credentials in it.
    pub uri: Uri,
    /// The body, without credentials in it.
    pub body: Bytes,
    /// The time in its signature; it was sent right after.
    pub signed_at: Timestamp,
    pub(crate) left: Moment,
}

impl SentRequest {
    pub(crate) fn new(method: Method, (uri, body): (Uri, Bytes), signed_at: Timestamp, left: Moment) -> Self {
        Self { method, uri, body, signed_at, left }
    }
}

impl UnknownOutcome {
    pub(crate) fn new(meta: &'static Meta, client_ids: Vec<String>, sent: SentRequest, why: Error) -> Self {
        let (operation, effect, remedy) = (meta.id, meta.effect, remedy_of(meta));
        Self { operation, effect, client_ids, sent, why: Box::new(why), is_contradicted: false, remedy, change: None }
    }

    /// Returns the HTTP status of the response, if there is one.
    pub fn status(&self) -> Option<StatusCode> {
        self.why.status()
    }

    /// Returns the code of the response, if it is a refusal.
    pub fn code(&self) -> Option<&str> {
        self.why.code()
    }

    /// Returns the whole response, if there is one.
    pub fn raw(&self) -> Option<&Bytes> {
        self.why.raw()
    }

    /// Returns the first of [`client_ids`](Self::client_ids), for a request that has one.
    pub fn client_id(&self) -> Option<&str> {
        self.client_ids.first().map(String::as_str)
    }
}

impl fmt::Display for UnknownOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)?;
        if self.is_contradicted {
            f.write_str("; but a record from outside shows its effect")?;
        }
        write!(f, "; it was signed at {}", self.sent.signed_at)?;
        match self.client_ids.as_slice() {
            [] => f.write_str(" and carries no client id"),
            [id] => write!(f, " for {id}"),
            [first, others @ ..] => write!(f, " for {first} and {} more", others.len()),
        }
    }
}

impl fmt::Debug for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 2000;
        let beginning = &self.body[..self.body.len().min(SHOWN)];
        f.debug_struct("SentRequest")
            .field("method", &self.method)
            .field("uri", &self.uri)
            .field("body", &String::from_utf8_lossy(beginning))
            .field("signed_at", &self.signed_at)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tables::Confirm;

    #[test]
    fn the_remedy_is_one_that_the_operation_has() {
        let of = |effect, repeat, confirm| remedy_of(&Meta { effect, repeat, confirm, ..Meta::DEFAULT });
        let of_items = Confirm { list: Some("orders"), ..Confirm::DEFAULT };
        for (remedy, function) in [
            (of(Effect::Create, None, Some(Confirm::DEFAULT)), "`place_and_confirm`"),
            (of(Effect::Create, None, Some(of_items)), "`send_and_confirm`"),
            (of(Effect::Cancel, Some("it is named"), None), "`retrying(..).call(..)`"),
            (of(Effect::Cancel, None, None), "`retrying(..).cancel(..)`"),
            (of(Effect::Close, None, None), "positions"),
        ] {
            assert!(remedy.contains(function), "{remedy}");
        }
    }
}
