//! What arrives of an answer.

use std::time::Duration;

use bytes::Bytes;
use http::Response;

use crate::journal::Answered;

/// What arrives of an answer, how late, and what follows it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// What arrives.
    pub delivered: Delivered,
    /// How late.
    pub latency: Duration,
    /// What follows a whole answer that no request belongs to. Only a server that writes bytes can send it.
    pub behind: Option<Behind>,
    /// What the journal has of it, if there is one.
    pub(crate) answered: Option<Answered>,
}

/// Bytes behind an answer, on a connection that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The bytes.
    pub bytes: Bytes,
    /// With the answer where it is zero; otherwise only if no request comes in between.
    pub pause: Duration,
}

/// What arrives at the client.
#[derive(Debug)]
#[non_exhaustive]
pub enum Delivered {
    /// The whole answer.
    Whole(Response<Bytes>),
    /// The whole answer, and then the end of the connection, which the answer does not announce.
    Last(Response<Bytes>),
    /// The whole answer in small pieces, with a pause behind each.
    Slow(Response<Bytes>, Duration),
    /// The beginning, and then the end of the connection.
    Half(Response<Bytes>),
    /// The whole answer, with another length announced, on a connection that is kept.
    Misstated(Response<Bytes>, usize),
    /// Bytes that are not HTTP, and the end of the connection.
    Raw(Bytes),
    /// The end of the connection.
    Nothing,
    /// A reset of the connection.
    Reset,
    /// The end of all connections. For this long, none can be made.
    Outage(Duration),
    /// Nothing, on a connection that stays open.
    Hang,
}
