//! The hand-written half of a generated client for a trading API.
//!
//! Emitted code says which operations there are and what they carry; this crate does what is the same for all of them,
//! and knows no fact about any API. A call goes through it from top to bottom:
//!
//! 1. A request type ([`Operation`]) is checked ([`Checks`]) against what the documents forbid: all violations at once.
//! 2. Its [`Parameters`] are written once, as a query or as JSON ([`ParameterWriter`]).

mod checks;
mod client;
mod error;
mod exchange;
mod json;
mod operation;
mod parameters;
mod serde_support;
mod tables;
mod value;

pub use checks::{Checks, Violation, Violations};
pub use client::{
    BuildError, ClientBuilder, ClientCore, Clock, Credentials, FixedClock, HmacSha256, ResponseFuture, Signer,
    SystemClock, Transport, TransportError, TransportErrorKind, WasSent,
};
#[cfg(feature = "hyper")]
pub use client::{HyperTransport, TransportLimits};
pub use error::{Code, Error, ExchangeError, Refusal, TransportFailure, UnreadableAnswer, Unsigned};
pub use exchange::{BaseUrl, HeaderValues, Reply, build_request, read_response};
pub use json::{
    Decode, Elements, Encode, JsonWriter, Kind, Members, ReadError, Reader, Record, RecordWriter, read_json, write_json,
};
pub use operation::Operation;
pub use parameters::{ParameterReader, ParameterWriter, Parameters, PathWriter, Scalar, Scratch};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde_support::private as __private;
pub use tables::{
    Access, Api, Ceiling, CredentialHeaders, Effect, Encoding, Envelope, Header, KnownError, Length, Meta, Method,
    Outcome, RateLimit, Rule, RuleKind, Scope, Sent, SignedPart, Window,
};
pub use value::{
    BadItem, Decimal, Edit, Identifier, InvalidDecimal, InvalidIdentifier, List, OpenEnum, Shape, Text, Timestamp,
    UnknownValue, UnknownValueError, decode_enum, enum_from_str, enum_from_wire,
};
