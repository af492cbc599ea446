use std::error::Error;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{Request, Response};
use http_body_util::Full;
use tokio::runtime::{self, Handle};
use tokio::time::{Instant, timeout_at};
use tower_service::Service;

use self::connection::{Connection, Connector};
use self::origins::{Origin, Origins};
use self::socket::Tcp;
use super::bounds::{FOR_EVER, NAME, TransportLimits, too_late};
use super::builder::BuildError;
use super::tls::TlsSettings;
use super::transport::{ResponseFuture, RoundTrip, Transport, TransportError, TransportErrorKind, WasSent};

mod connection;
mod origins;
mod pool;
mod socket;

/// The default transport: HTTP/1.1 over kept connections, TLS by rustls. It needs a runtime of tokio with I/O and time.
///
/// It sends each request at most once, whatever happens, and follows no redirect. The one thing that is done again is to
/// take another connection, when a kept one turns out to be closed before a single byte of the request went out.
///
/// A connection has one request at a time and is used in the runtime that it was made in, the one that was used last
/// before all others. Before it is written to, the operating system is asked whether anything has arrived: one that was
/// closed, or brings what nobody asked for, is not used, also where a busy runtime has not heard of it. What rests for too
/// long is closed by a task that exists only while connections rest; how long that is, how old a connection may be and how
/// many are kept is said by [`TransportLimits`], and a server that announces a shorter time by `Keep-Alive: timeout=N` is
/// believed.
#[derive(Clone, Debug)]
pub struct HyperTransport {
    connector: Connector,
    origins: Arc<Origins>,
    limits: TransportLimits,
}

impl HyperTransport {
    /// A transport without connections yet; it needs no running tokio to be made.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub fn new(limits: TransportLimits) -> Result<Self, BuildError> {
        Self::with_tls(limits, &TlsSettings::new())
    }

    /// The same, which trusts the servers that `tls` says, and shows the certificate in it.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub fn with_tls(limits: TransportLimits, tls: &TlsSettings) -> Result<Self, BuildError> {
        let connector = Connector::from((Tcp::new(), tls.config()?));
        Ok(Self { connector, origins: Arc::default(), limits })
    }

    fn exchanging<'a>(&'a self, mut request: Request<Bytes>, trip: Option<&'a RoundTrip>) -> ResponseFuture<'a> {
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let origin = self.origins.of(request.uri());
        let mut request = request.map(Full::new);
        Box::pin(async move {
            let origin = origin.ok_or_else(|| unsent("the request names no host"))?;
            origin.address(&mut request);
            self.exchange(&mut request, &origin, trip).await
        })
    }

    /// Sends `request` over a kept connection, or else over a new one, and reads the whole answer.
    async fn exchange(
        &self,
        request: &mut Request<Full<Bytes>>,
        origin: &Origin,
        trip: Option<&RoundTrip>,
    ) -> Result<Response<Bytes>, TransportError> {
        let runtime = Handle::try_current().map_err(unsent)?.id();
        let deadline = later(Instant::now(), self.limits.call);
        loop {
            let mut connection = match origin.pool().take(runtime, Instant::now()) {
                Some(kept) => kept,
                // Seldom, and larger than all the rest together.
                None => Box::pin(self.connect(origin, runtime, deadline)).await?,
            };
            if deadline <= Instant::now() {
                return Err(unsent("the time for the call ended before the request could be sent"));
            }
            let was_kept = connection.is_kept();
            match timeout_at(deadline, connection.exchange(request, &self.limits, trip)).await.unwrap_or_else(too_late)
            {
                Ok(answer) => {
                    origin.pool().keep(connection, self.limits.max_idle);
                    return Ok(answer);
                }
                Err(error) if was_kept && error.sent() == WasSent::No => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A new connection. The time for it goes from the name's lookup to the end of the TLS handshake: what fails in it was
    /// surely not sent, also where the time for the whole call ends first.
    async fn connect(
        &self,
        origin: &Origin,
        runtime: runtime::Id,
        deadline: Instant,
    ) -> Result<Connection, TransportError> {
        let mut connector = self.connector.clone();
        let connecting = async {
            poll_fn(|context| connector.poll_ready(context)).await?;
            Ok(Connection::over(connector.call(origin.uri()).await?, runtime).await?)
        };
        let connection = timeout_at(deadline.min(later(Instant::now(), self.limits.connect)), connecting).await;
        connection.unwrap_or_else(|late| Err(late.into())).map_err(not_connected)
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        self.exchanging(request, None)
    }

    fn send_timed<'a>(&'a self, request: Request<Bytes>, trip: &'a RoundTrip) -> ResponseFuture<'a> {
        self.exchanging(request, Some(trip))
    }
}

fn not_connected(why: Box<dyn Error + Send + Sync>) -> TransportError {
    TransportError::new(TransportErrorKind::Connect, WasSent::No).caused_by(why)
}

fn unsent(why: impl Into<Box<dyn Error + Send + Sync>>) -> TransportError {
    TransportError::new(TransportErrorKind::Other, WasSent::No).caused_by(why)
}

/// When `wait` has passed after `instant`, or in thirty years: no clock is sure to reach further.
fn later(instant: Instant, wait: Duration) -> Instant {
    instant + wait.min(FOR_EVER)
}
