//! Spans and events for the subscriber of a program.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use tracing::field::Empty;
use tracing::{Span, debug, info, info_span, warn};

use crate::data::error::{Error, JournalError};
use crate::data::tables::{Api, CallResult, Meta, Outcome};
use crate::network::wire::Reply;

/// The span of one call.
pub(crate) struct CallSpan {
    span: Span,
    /// When it began; `None` without a subscriber. Then nothing is recorded, because even looking up a field takes
    /// time.
    begun: Option<Instant>,
}

impl CallSpan {
    pub(crate) fn new(api: &Api, meta: &'static Meta, attempt: u32) -> Self {
        let span = info_span!(
            target: "tradeapi_runtime",
            "call",
            api = api.name,
            operation = meta.id,
            family = meta.family,
            method = meta.method.as_str(),
            path = meta.path,
            attempt,
            waited_us = Empty,
            status = Empty,
            code = Empty,
            call_result = Empty,
            outcome = Empty,
            bytes_sent = Empty,
            bytes_received = Empty,
            duration_us = Empty,
        );
        let begun = (!span.is_disabled()).then(Instant::now);
        Self { span, begun }
    }

    /// Runs `call` within the span. The call is pinned, because it is too large to be moved.
    pub(crate) fn around<T>(&self, mut call: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = T> {
        poll_fn(move |context| self.span.in_scope(|| call.as_mut().poll(context)))
    }

    /// Reports that the request leaves, with this body.
    pub(crate) fn sent(&self, body: &Bytes) {
        if self.begun.is_some() {
            self.span.record("bytes_sent", body.len());
        }
    }

    pub(crate) fn answered(&self, response: &Response<Bytes>) {
        if self.begun.is_some() {
            self.span.record("status", response.status().as_u16());
            self.span.record("bytes_received", response.body().len());
        }
    }

    /// Records the end of the call. A dropped call has none.
    pub(crate) fn ended<T>(&self, result: &Result<Reply<T>, Error>) {
        let Some(begun) = self.begun else { return };
        let (waited, call_result, outcome) = match result {
            Ok(reply) => (reply.waited, CallResult::Success, Outcome::Done),
            Err(error) => (error.waited(), error.call_result(), error.outcome()),
        };
        self.span.record("waited_us", micros(waited));
        self.span.record("call_result", call_result.as_str());
        self.span.record("outcome", word(outcome));
        self.span.record("duration_us", micros(begun.elapsed()));
        let Err(error) = result else { return };
        let code = error.short_code();
        self.span.record("code", code);
        if let Error::Unknown(unknown) = error {
            let (operation, call_result) = (unknown.operation, call_result.as_str());
            let _here = self.span.enter();
            warn!(target: "tradeapi_runtime", operation, call_result, code, "the outcome of the call is unknown");
        }
    }
}

/// Reports that a call waits for its rate limits.
pub(crate) fn waits_for_room(meta: &Meta) {
    debug!(target: "tradeapi_runtime", operation = meta.id, "waiting for a rate limit");
}

/// Reports that a call waits because the exchange refuses its address.
pub(crate) fn waits_for_address(meta: &Meta, left: Duration) {
    let (operation, left_us) = (meta.id, micros(left));
    warn!(target: "tradeapi_runtime", operation, left_us, "the exchange refuses the address; waiting for the end");
}

/// Reports that a call pauses before a retry after the `attempt`-th failure.
pub(crate) fn pauses(meta: &Meta, attempt: u32, pause: Duration, error: &Error) {
    let (operation, call_result, code, pause_us) =
        (meta.id, error.call_result().as_str(), error.short_code(), micros(pause));
    info!(target: "tradeapi_runtime", operation, attempt, call_result, code, pause_us, "pausing before a retry");
}

/// Records that the outcome of a call was queried, and how often so far.
pub(crate) fn queried(meta: &Meta, queries: u32, outcome: Outcome, because: Option<&'static str>) {
    let (operation, outcome) = (meta.id, word(outcome));
    info!(target: "tradeapi_runtime", operation, queries, outcome, because, "queried the outcome of a call");
}

/// Reports that the journal failed to store the end of a call, so that the change stays open in it.
pub(crate) fn end_not_stored(meta: &Meta, _: &JournalError) {
    warn!(target: "tradeapi_runtime", operation = meta.id, "the journal did not store the end of the call");
}

/// Reports that the journal may lack changes that were sent.
pub(crate) fn journal_has_gap(gap: &impl std::fmt::Display) {
    warn!(target: "tradeapi_runtime", "{gap}");
}

/// Reports that an answer of an operation, or a record from outside, contradicts the stated value of a property of the
/// account.
pub(crate) fn account_mismatch(meta: Option<&Meta>, property: &'static str) {
    let operation = meta.map(|meta| meta.id);
    warn!(target: "tradeapi_runtime", operation, property, "the account differs from its stated properties");
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::NotDone => "not_done",
        Outcome::Unknown => "unknown",
    }
}

fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}
