use std::error::Error;
use std::fmt;
use std::pin::Pin;

use bytes::Bytes;

/// The answer to a request, or why there is none.
pub type ResponseFuture<'a> = Pin<Box<dyn Future<Output = Result<http::Response<Bytes>, TransportError>> + Send + 'a>>;

/// Sends requests. Implement it to use another HTTP library, or none.
///
/// An implementation sends each request at most once, and follows no redirect: a repeat could double an order.
pub trait Transport: Send + Sync {
    /// Sends `request` and waits for the whole answer.
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a>;
}

/// Why a request has no answer.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    sent: WasSent,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What went wrong on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection came about.
    Connect,
    /// The answer took too long.
    Timeout,
    /// The connection was closed.
    Closed,
    /// The answer is longer than is taken.
    BodyTooLarge,
    /// Something else.
    Other,
}

/// Whether the exchange may have got a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasSent {
    /// Surely not.
    No,
    /// It may have.
    Maybe,
}

impl TransportError {
    /// Tells what went wrong, and whether the request may have been sent. When in doubt, it may.
    pub fn new(kind: TransportErrorKind, sent: WasSent) -> Self {
        Self { kind, sent, source: None }
    }

    /// The same, with what caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether the exchange may have got the request.
    pub fn sent(&self) -> WasSent {
        self.sent
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TransportErrorKind::Connect => "no connection",
            TransportErrorKind::Timeout => "no answer in time",
            TransportErrorKind::Closed => "the connection was closed",
            TransportErrorKind::BodyTooLarge => "the answer is too long",
            TransportErrorKind::Other => "the transport failed",
        })?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The source itself is part of the text above; what lies behind it is not.
        self.source.as_ref().and_then(|source| source.source())
    }
}
