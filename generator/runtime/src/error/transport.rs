//! Why a request has no response.

use std::error::Error;
use std::fmt;

/// Why a request has no response.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    sent: Delivery,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kind of a transport error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// No connection was established.
    Connect,
    /// The response took too long.
    Timeout,
    /// The connection was closed.
    Closed,
    /// The response exceeds the maximum length.
    BodyTooLarge,
    /// Another error.
    Other,
}

/// Whether the exchange may have received a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It has not.
    NotSent,
    /// It may have.
    MaybeSent,
}

impl TransportError {
    /// An error of this kind. If it is not certain that the request was not sent, `sent` is [`Delivery::MaybeSent`].
    pub fn new(kind: TransportErrorKind, sent: Delivery) -> Self {
        Self { kind, sent, source: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether the exchange may have received the request.
    pub fn sent(&self) -> Delivery {
        self.sent
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TransportErrorKind::Connect => "no connection",
            TransportErrorKind::Timeout => "no response in time",
            TransportErrorKind::Closed => "the connection was closed",
            TransportErrorKind::BodyTooLarge => "the response is too long",
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
        // The text above contains the source itself, but not the source of that.
        self.source.as_ref().and_then(|source| source.source())
    }
}
