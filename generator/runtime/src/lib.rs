//! The hand-written half of a generated client for a trading API.
//!
//! Emitted code says which operations there are, what they carry and what the documents forbid; this crate does what is
//! the same for all of them, and knows no fact about any API: such facts come in as tables ([`Api`], [`Meta`]).
//!
//! A call goes through it in this order:
//!
//! 1. A request is a value that knows its operation ([`Operation`]). [`Checks`] finds everything in it that the
//!    documents forbid, at once.
//! 2. Its [`Parameters`] are written once by a [`ParameterWriter`], as a query or as JSON. [`build_request`] makes the
//!    HTTP request of them and signs exactly the bytes that will be sent.
//! 3. A [`Limiter`] says when there is room for it within the rate limits, for all clients of an account together.
//! 4. A [`Transport`] sends the request, once. Nothing here ever sends a request again by itself.
//! 5. [`read_response`] opens the envelope, in which the code decides, and reads the data by [`Decode`]: leniently, for
//!    an exchange writes numbers as text and leaves out what it likes, but without making anything up.
//! 6. What comes out is a [`Reply`], or an [`Error`] that tells whether the request may have had an effect.
//!
//! A [`Drift`] that a client is given looks at each answer once more, for what the documents do not know.
//!
//! Steps 1, 2 and 5 do no I/O; [`ClientCore`] puts them together around a limiter and a transport.
//!
//! Over calls stand [`Pages`], which follows a listing to its end, and [`BatchCall`], which sends a batch of any length and
//! gives every item its result.
//!
//! Values are kept as exchanges mean them: [`Decimal`] is exact and keeps its text, an [`OpenEnum`] keeps values that no
//! document lists, a [`List`] keeps bad items apart from the good ones.
//!
//! # Features
//!
//! - `hyper` (default): `HyperTransport`, which needs tokio.
//! - `reqwest`: `ReqwestTransport`, over reqwest with settings of one's own; needs tokio. It is what a client has by
//!   default where `hyper` is off. Without both, a client is given a transport.
//! - `blocking`: `blocking::ClientCore`, for programs without async; it brings a tokio of its own.
//! - `redis`: `RedisLimits`, which keeps rate limits for a fleet of processes; needs tokio.
//! - `stream`: `Pages::into_stream`, for whoever wants a `futures_core::Stream`.
//! - `serde`: `Serialize` and `Deserialize` for values, requests and records.
//! - `tracing`: a span `call` for each call and events for pauses, waits, unknown outcomes and questions after them, all
//!   with the target `tradeapi_runtime`. Nothing in them tells what was asked for or answered, an id, or a secret.

mod account;
mod batches;
#[cfg(feature = "blocking")]
pub mod blocking;
mod checks;
mod client;
mod drift;
mod error;
mod exchange;
mod fate;
mod json;
mod lifecycle;
mod limits;
mod observe;
mod operation;
mod pages;
mod parameters;
mod retry;
mod serde_support;
mod tables;
mod value;
mod with_blocking;

pub use account::{Account, Instrument, Told};
pub use batches::{Batch, BatchAnswer, BatchCall, BatchReport, BatchShape, ItemOutcome, ItemReport, Matched, Stray};
pub use checks::{CheckContext, CheckPolicy, Checks, Violation, Violations};
#[cfg(feature = "hyper")]
pub use client::HyperTransport;
#[cfg(feature = "reqwest")]
pub use client::ReqwestTransport;
pub use client::{
    BuildError, ClientBuilder, ClientCore, Clock, Credentials, FixedClock, HmacSha256, ResponseFuture, RoundTrip,
    Signer, SigningClock, Skew, SystemClock, Transport, TransportError, TransportErrorKind, WasSent,
};
#[cfg(any(feature = "hyper", feature = "reqwest"))]
pub use client::{TlsSettings, TransportLimits};
pub use drift::{Drift, DriftEntry, DriftKind, DriftReport, OperationDrift};
pub use error::{
    Code, Error, ExchangeError, Limited, LimiterFailure, Refusal, SentRequest, TransportFailure, UnknownOutcome,
    UnreadableAnswer, Unsigned,
};
pub use exchange::{Authenticator, BaseUrl, CodePolicy, HeaderValues, Reply, build_request, read_response};
pub use fate::{
    Asked, ConfirmPolicy, Confirmable, ConfirmableItems, DidNotHappen, Fate, Happened, ItemFate, ItemFates, Prepared,
    Repeatable, StillUnknown,
};
pub use json::{
    Decode, Elements, Encode, JsonWriter, Kind, Members, ReadError, Reader, Record, RecordWriter, read_json, write_json,
};
pub use lifecycle::{
    AmendGate, Amendment, Busy, HasState, ImpossibleChange, Lifecycle, Monitor, Next, Observed, Pass, Possible, State,
    StateRow, Transition, order_reference,
};
pub use limits::{
    Admission, AdmissionFuture, Binding, Call, Classes, Counted, Denied, Full, InProcessLimits, LimitMode,
    LimitSettings, Limiter, ManualTimer, OpenOrders, Permit, Plan, Share, Signs, Slot, SystemTimer, Timer, TooMany,
    Trouble, Unavailable,
};
#[cfg(feature = "redis")]
pub use limits::{BadRedisUrl, Fallback, FleetChange, RedisLimits, RedisSettings};
pub use operation::Operation;
#[cfg(feature = "stream")]
pub use pages::PageStream;
pub use pages::{
    Clipped, Items, Page, PageError, Paged, Pages, Position, PositionError, RangeOrder, TimeRange, from_text, text_of,
};
pub use parameters::{ParameterReader, ParameterWriter, Parameters, PathWriter, Scalar, Scratch};
#[cfg(feature = "reqwest")]
pub use reqwest;
pub use retry::{RetryBudget, RetryPolicy, Retrying};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde_support::private as __private;
pub use tables::{
    Access, Api, Ceiling, Certainty, ClientId, Compound, Confirm, CredentialCause, CredentialHeaders, Echo, Echoes,
    Effect, Encoding, Ending, Envelope, FieldTable, Form, Header, KnownError, Length, Meta, Method, Outcome,
    OutcomeRow, Proves, RateLimit, RecordTable, Rule, RuleKind, Scope, Sent, Severity, SignedPart, Stage, Window,
};
pub use value::{
    BadItem, Decimal, Edit, Identifier, InvalidDecimal, InvalidIdentifier, List, MINTED_LENGTH, OpenEnum, Shape, Text,
    Timestamp, UnknownValue, UnknownValueError, decode_enum, enum_from_str, enum_from_wire, has_form, mint, mint_with,
};
