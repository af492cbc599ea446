//! What others may see of calls while the client runs: a span for each, and events for what takes time or a decision.
//!
//! With the feature `tracing` it goes to whoever subscribes; without, these are the same functions and do nothing. What is
//! told of a call is what the schema says of its operation, and how the call went: never what was asked for or answered,
//! whose ids it carries, or by whom it was signed.

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use self::off::{CallSpan, asked, pauses, waits_for_room};
#[cfg(feature = "tracing")]
pub(crate) use self::on::{CallSpan, asked, pauses, waits_for_room};
