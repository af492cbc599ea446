//! The hand-written half of a generated client for a trading API.
//!
//! Emitted code describes the operations of an API: their parameters, responses and rules. This crate contains what all
//! operations share, and no facts about any API: these are passed as [`tables`].
//!
//! A call takes these steps:
//!
//! 1. A request is a value of one operation ([`Operation`]). [`checks`] finds all rules that it breaks.
//! 2. Its [`parameters`](mod@parameters) are written once, as a query or as JSON. [`wire::build_request`] builds
//!    the HTTP request and signs exactly the bytes that are sent.
//! 3. A limiter ([`limits`]) admits the call when its rate limits have room, for all clients of an account together.
//! 4. A [`transport`] sends the request once. It is never sent again without a [`retry`] policy.
//! 5. [`wire::read_response`] reads the envelope, whose code decides, and then the data: leniently, because
//!    exchanges write numbers as text and leave out fields, but without inventing anything.
//! 6. The result is a [`Reply`], or an [`Error`] that shows whether the request may have had an effect.
//!
//! Steps 1, 2 and 5 do no I/O; [`ClientCore`] combines them with a limiter and a transport. Several calls are combined
//! by [`pages`], [`batches`] and [`confirm`], which queries unknown outcomes. [`drift`] compares responses with the
//! documents.
//!
//! Values keep what the exchange sent: a [`Decimal`] is exact and keeps its text, a [`value::OpenEnum`] keeps
//! undocumented values, and a [`List`] keeps unreadable items apart.
//!
//! # Layers
//!
//! The modules stand in six folders, each of which imports only from those above it in this list, and so does each module
//! within its folder; `tests/layers.rs` checks it. All of them are re-exported here.
//!
//! - `data`: values and tables, without I/O
//!   - `value`, `sorting`: numbers, times, identifiers and open enums, independent of their form on the wire; sorting
//!   - `tables`, `account`, `clock`: facts about an API, properties of an account, and time
//!   - `json`: the reader, the writer, and how values are read and written
//!   - `account_file`: accounts as JSON
//!   - `checks`: the rules that a request may break, and how a client treats them
//!   - `parameters`: sets of parameters that can be written, read back and checked
//!   - `serde_support`: serialization through serde
//!   - `lifecycle`: the states of orders, and what records and responses show of them
//!   - `operation`, `error`: requests of one operation, and why a call fails
//!   - `counterpart`: requests as those of another operation that does the same
//! - `network`: what speaks HTTP
//!   - `signing`, `transport`: credentials and transports
//!   - `wire`: from an operation to an HTTP request, and from a response to a reply
//!   - `limits`, `drift`, `observe`: rate limits, differences from the documents, and spans
//! - `state`: what is remembered of changes
//!   - `budget`: the most that orders may be worth
//!   - `ledger`, `journal`: positions, and stored changes
//!   - `evidence`: what a record proves of a request
//!   - `orders`: the orders that a client knows, and amendments under way
//! - `calls`: one call, and what makes several
//!   - `client`: calls, from the check to the reply
//!   - `retry`: retries
//!   - `pages`, `batches`, `instruments`, `countdown`: listings, requests that take several calls, the instruments of the
//!     exchange, and a countdown that cancels when the program is dead
//! - `outcomes`: what became of a change
//!   - `confirm`: queries of unknown outcomes
//!   - `reconcile`: the comparison of an account with a journal
//!   - `flatten`: the cancellation and closing of everything
//! - `facade`: what other programs see in place of the modules above
//!   - `blocking`: the client for programs without async
//!   - `emitted`: what only emitted code needs
//!
//! # Features
//!
//! - `hyper` (default): `transport::HyperTransport`, which needs tokio.
//! - `reqwest`: `transport::ReqwestTransport`, for settings of reqwest such as a proxy; needs tokio. It is the default
//!   transport if `hyper` is off. Without both, a client needs a custom transport.
//! - `blocking`: `blocking::ClientCore`, for programs without async; it starts a tokio runtime of its own.
//! - `redis`: `limits::RedisLimits` and `journal::RedisJournal`, which share rate limits and a journal between
//!   processes; needs tokio.
//! - `stream`: `pages::Pages::into_stream`, which returns a `futures_core::Stream`.
//! - `journal`: `journal::FileJournal`, a journal of changes in a folder.
//! - `described`: `parameters::described`, the parameters of requests as data, for command lines.
//! - `pattern`: the patterns of texts that a schema states.
//! - `jiff`, `chrono`: conversions of times to and from the types of these crates.
//! - `serde`: `Serialize` and `Deserialize` for values, requests and records.
//! - `asymmetric`: signatures by RSA, ECDSA and Ed25519 keys.
//! - `md5`: signatures and digests with MD5, for schemas that state some.
//! - `system-roots`: `transport::TlsSettings::add_system_roots`, the roots that the operating system trusts.
//! - `tracing`: a span `call` for each call, and events for pauses, waits, a refused address, unknown outcomes,
//!   queries, changes whose end the journal did not store or may lack, and contradicted properties of the account,
//!   all with the target `tradeapi_runtime`. They contain nothing of requests and responses, no ids and no secrets.

// Each item that needs a feature says so on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// `{:?}` prints the sentence of an error, for programs that return it from `main`.
macro_rules! debug_as_sentence {
    ($error:ty) => {
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

mod calls;
mod data;
mod facade;
mod network;
mod outcomes;
mod state;

pub use calls::{batches, client, countdown, instruments, pages, retry};
pub use data::{
    account, account_file, checks, clock, counterpart, error, json, lifecycle, operation, parameters, tables, value,
};
#[cfg(feature = "blocking")]
pub use facade::blocking;
#[doc(hidden)]
pub use facade::emitted;
pub use network::{drift, limits, signing, transport, wire};
pub use outcomes::{confirm, flatten, reconcile};
pub use state::{budget, journal, ledger, orders};

pub use bytes;
pub use calls::client::{ClientBuilder, ClientCore};
pub use data::account::Account;
pub use data::checks::{CheckPolicy, Violations};
pub use data::error::Error;
pub use data::json::{Json, List, Map};
pub use data::operation::Operation;
pub use data::value::{Date, Decimal, Edit, IsoTime, Scaled, Timestamp, UnixMicros, UnixNanos, UnixSeconds};
pub use http;
pub use network::signing::Credentials;
pub use network::wire::Reply;
#[cfg(feature = "reqwest")]
pub use reqwest;
pub use rust_decimal;
