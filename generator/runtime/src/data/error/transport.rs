//! The reasons why a request has no response.

use std::error::Error;
use std::fmt;
use std::iter::successors;

/// The reason why a request has no response.
pub struct TransportError {
    kind: TransportErrorKind,
    sent: Delivery,
    address: Option<Box<str>>,
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

/// The knowledge about a request's arrival at the exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The exchange has not received the request.
    NotSent,
    /// The exchange may have received the request.
    MaybeSent,
}

impl TransportError {
    /// Creates an error of this kind. If it is not certain that the request was not sent, `sent` is
    /// [`Delivery::MaybeSent`].
    pub fn new(kind: TransportErrorKind, sent: Delivery) -> Self {
        Self { kind, sent, address: None, source: None }
    }

    /// Adds the host that the request was for, with its port.
    #[must_use]
    pub fn at(mut self, address: impl Into<Box<str>>) -> Self {
        self.address = Some(address.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Returns whether the exchange may have received the request.
    pub fn sent(&self) -> Delivery {
        self.sent
    }

    /// Returns whether the certificate of the server was not accepted, as far as the causes show it.
    pub(crate) fn is_about_certificate(&self) -> bool {
        #[cfg(any(feature = "hyper", feature = "reqwest"))]
        return self.causes().any(refuses_certificate);
        #[cfg(not(any(feature = "hyper", feature = "reqwest")))]
        return false;
    }

    /// Returns the errors that led to this one, the latest first. Its text contains theirs.
    pub fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let first = self.source.as_deref().map(|source| source as &(dyn Error + 'static));
        successors(first, cause_of)
    }
}

#[cfg(any(feature = "hyper", feature = "reqwest"))]
fn refuses_certificate(cause: &(dyn Error + 'static)) -> bool {
    match (cause.downcast_ref(), cause.downcast_ref::<std::io::Error>()) {
        (Some(error), _) => matches!(error, rustls::Error::InvalidCertificate(_)),
        // The causes of an error of input and output leave out the error that it was made from.
        (None, Some(error)) => error.get_ref().is_some_and(|made_from| refuses_certificate(made_from)),
        (None, None) => false,
    }
}

fn cause_of<'a>(error: &&'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    (*error).source()
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
        let mut causes = self.causes().map(ToString::to_string).peekable();
        let address = self.address.as_deref().unwrap_or_default();
        // The list of what became of each address of a host begins with the address, if it is the host.
        if !address.is_empty() && !causes.peek().is_some_and(|cause| cause.starts_with(address)) {
            write!(f, " ({address})")?;
        }
        let mut last = String::new();
        for text in causes {
            // Many errors contain the text of their own cause.
            if !last.contains(&text) {
                write!(f, ": {text}")?;
                last = text;
            }
        }
        Ok(())
    }
}

debug_as_sentence!(TransportError);

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The text above contains all causes, so a text of the whole chain would repeat them.
        None
    }
}
