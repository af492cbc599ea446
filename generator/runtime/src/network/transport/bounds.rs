//! The limits that the transports of the runtime share.

use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http_body::Body;

use crate::data::error::{Delivery, TransportError, TransportErrorKind};

/// Keep-alive probes start after a connection was idle for this time, so that a vanished peer is noticed and address
/// translation does not drop the connection.
pub(super) const QUIET: Duration = Duration::from_secs(10);

/// Longer than any program runs, and representable by every clock.
pub(super) const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Gateways refuse requests without a user agent.
pub(super) const NAME: HeaderValue = HeaderValue::from_static(concat!("tradeapi-runtime/", env!("CARGO_PKG_VERSION")));

/// Time-outs of a transport, the maximum length of a response, and how long connections are kept.
///
/// [`Duration::MAX`] disables a time-out.
#[derive(Clone, Copy, Debug)]
pub struct TransportLimits {
    /// The time-out for establishing a connection, including TLS. By default 5 seconds.
    pub connect: Duration,
    /// The time-out for the whole response. By default 15 seconds.
    pub call: Duration,
    /// The maximum length of a response body in bytes. By default 16 MiB.
    pub max_body: usize,
    /// The time for which a connection is kept after its last response. By default 30 seconds: servers close idle
    /// connections after about a minute, and a request over a connection that is just being closed has an unknown
    /// outcome.
    pub idle: Duration,
    /// The maximum number of idle connections to one origin. By default 64.
    pub max_idle: usize,
    /// The maximum age of a connection. By default 5 minutes: a new connection resolves the name of the host again.
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
    /// Reads the whole of `body`, up to the maximum length.
    pub(super) async fn whole<B>(&self, body: &mut B) -> Result<Bytes, TransportError>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        // A body that announces a greater length is not read.
        self.takes(body.size_hint().lower())?;
        let mut first = Bytes::new();
        let mut joined = Vec::new();
        while !body.is_end_stream()
            && let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await
        {
            let Ok(part) = frame.map_err(no_body)?.into_data() else { continue };
            self.takes((first.len().max(joined.len()) + part.len()) as u64)?;
            if first.is_empty() {
                // Most bodies arrive in one part, which needs no copy.
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
        Err(TransportError::new(TransportErrorKind::BodyTooLarge, Delivery::MaybeSent))
    }
}

/// Returns the error that the response was not complete within the time-out.
pub(super) fn too_late<T, E>(_: E) -> Result<T, TransportError> {
    Err(TransportError::new(TransportErrorKind::Timeout, Delivery::MaybeSent))
}

fn no_body(error: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent).caused_by(error)
}
