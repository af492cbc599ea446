//! Tracing: a span for each call, and events for waits, pauses and queries.
//!
//! Without the feature `tracing`, the same functions do nothing. Spans and events contain what the schema says about
//! the operation and how the call went, but nothing of the request or the response, no ids and no credentials.

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::{
    CallSpan, account_mismatch, end_not_stored, journal_has_gap, pauses, queried, waits_for_address, waits_for_room,
};
#[cfg(feature = "tracing")]
pub(crate) use self::on::{
    CallSpan, account_mismatch, end_not_stored, journal_has_gap, pauses, queried, waits_for_address, waits_for_room,
};
