//! Delivery of answers, whole or damaged.

use std::time::Duration;

use bytes::Bytes;
use http::Response;

use crate::state::journal_entry::RecordedAnswer;

/// The arrival of an answer, with its delay and unsolicited bytes after it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// The delivered part.
    pub delivered: Delivered,
    /// The delay.
    pub latency: Duration,
    /// Unsolicited bytes after a whole answer. Only a server that writes bytes can send them.
    pub behind: Option<Behind>,
    /// The answer in the journal, if there is one.
    pub(crate) answered: Option<RecordedAnswer>,
}

/// Unsolicited bytes after an answer, on a connection that stays open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The bytes.
    pub bytes: Bytes,
    /// The pause before the bytes. Zero sends them with the answer; otherwise a request that comes first prevents them.
    pub pause: Duration,
}

/// The bytes that the client receives.
#[derive(Debug)]
#[non_exhaustive]
pub enum Delivered {
    /// The whole answer.
    Whole(Response<Bytes>),
    /// The whole answer, then the end of the connection, unannounced.
    Last(Response<Bytes>),
    /// The whole answer in small pieces, with a pause after each.
    Slow(Response<Bytes>, Duration),
    /// The first half of the answer, then the end of the connection.
    Half(Response<Bytes>),
    /// The whole answer with a wrong length, on a connection that stays open.
    Misstated(Response<Bytes>, usize),
    /// Bytes that are not HTTP, then the end of the connection.
    Raw(Bytes),
    /// The end of the connection.
    Nothing,
    /// A reset of the connection.
    Reset,
    /// The end of all connections. None can be made for this time.
    Outage(Duration),
    /// Nothing, on a connection that stays open.
    Hang,
}
