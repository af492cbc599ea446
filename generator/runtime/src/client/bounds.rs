//! What the transports that come with the runtime have in common: how long they wait, and how much they take.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http_body_util::BodyExt;

use super::transport::{TransportError, TransportErrorKind, WasSent};

/// Probes begin after a connection was quiet for this long, so that a peer that is gone without a word is noticed, and
/// whatever translates addresses on the way does not forget the connection.
pub(super) const QUIET: Duration = Duration::from_secs(10);

/// Longer than any program runs, and not too long for any clock.
pub(super) const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Gateways turn away who has no name.
pub(super) const NAME: HeaderValue = HeaderValue::from_static(concat!("tradeapi-runtime/", env!("CARGO_PKG_VERSION")));

/// How long a transport waits, how much it takes, and for how long it keeps connections.
///
/// Every time may be as long as [`Duration::MAX`], which stands for no bound.
#[derive(Clone, Copy, Debug)]
pub struct TransportLimits {
    /// The time in which a connection must come about, TLS included. By default 5 seconds.
    pub connect: Duration,
    /// The time in which the whole answer must have come. By default 15 seconds.
    pub call: Duration,
    /// The greatest length of an answer's body in bytes. By default 16 MiB.
    pub max_body: usize,
    /// How long a connection is kept after its last response. By default 30 seconds: servers close idle connections after
    /// a minute or so, and a request that meets one that is just being closed has an unknown outcome.
    pub idle: Duration,
    /// How many connections to one place are kept while no request is under way. By default 64.
    pub max_idle: usize,
    /// How long a connection is kept altogether. By default 5 minutes: a new one follows what the name of the host leads
    /// to by then.
    pub age: Duration,
}

impl Default for TransportLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(15),
            max_body: 16 << 20,
            idle: Duration::from_secs(30),
            max_idle: 64,
            age: Duration::from_secs(5 * 60),
        }
    }
}

impl TransportLimits {
    /// The whole of `body`, of which no more is ever held than the limit.
    pub(super) async fn whole<B>(&self, mut body: B) -> Result<Bytes, TransportError>
    where
        B: BodyExt<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        // What announces itself as too long is not waited for.
        self.takes(body.size_hint().lower())?;
        let mut first = Bytes::new();
        let mut joined = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(part) = frame.map_err(no_body)?.into_data() else { continue };
            self.takes((first.len().max(joined.len()) + part.len()) as u64)?;
            if first.is_empty() {
                // Most bodies come in one part, which needs no copy.
                first = part;
            } else {
                if joined.is_empty() {
                    joined.extend_from_slice(&first);
                }
                joined.extend_from_slice(&part);
            }
        }
        Ok(if joined.is_empty() { first } else { joined.into() })
    }

    fn takes(&self, bytes: u64) -> Result<(), TransportError> {
        if bytes <= self.max_body as u64 {
            return Ok(());
        }
        Err(TransportError::new(TransportErrorKind::BodyTooLarge, WasSent::Maybe))
    }
}

/// The whole answer had not come within the time for a call, however slowly its bytes came.
pub(super) fn too_late<T, E>(_: E) -> Result<T, TransportError> {
    Err(TransportError::new(TransportErrorKind::Timeout, WasSent::Maybe))
}

fn no_body(error: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, WasSent::Maybe).caused_by(error)
}
