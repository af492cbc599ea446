use std::error::Error;
use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{Request, Response};
use http_body_util::Full;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::time::{Instant, timeout, timeout_at};
use tower_service::Service;

use self::connection::{Connection, Connector};
use self::origins::{Origin, Origins};
use super::bounds::{NAME, TransportLimits, too_late};
use super::builder::BuildError;
use super::tls::tls;
use super::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};

mod connection;
mod origins;

/// The default transport: HTTP/1.1 over kept connections, TLS by rustls. It runs on tokio.
///
/// It sends each request at most once, whatever happens, and follows no redirect. The one thing that is done again is to
/// take another connection, when a kept one turns out to be closed before a single byte of the request went out. A
/// connection has one request at a time, is used in the runtime that it was made in, and is kept for half a minute after it
/// was last used. Nothing runs in the background: what became too old is closed by the next call.
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
        Ok(Self { connector: tls_over_tcp()?, origins: Arc::default(), limits })
    }

    /// Sends `request` over a kept connection, or else over a new one, and reads the whole answer.
    async fn exchange(
        &self,
        request: &mut Request<Full<Bytes>>,
        origin: &Origin,
        now: Instant,
    ) -> Result<Response<Bytes>, TransportError> {
        loop {
            let (mut connection, was_kept) = match origin.kept(now) {
                Some(kept) => (kept, true),
                // Seldom, and larger than all the rest together.
                None => (Box::pin(self.connect(origin)).await?, false),
            };
            match connection.exchange(request, &self.limits).await {
                Ok(answer) => {
                    origin.keep(connection, now);
                    return Ok(answer);
                }
                Err(error) if was_kept && error.sent() == WasSent::No => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A new connection. The time for it goes from the name's lookup to the end of the TLS handshake: what fails in it was
    /// surely not sent.
    async fn connect(&self, origin: &Origin) -> Result<Connection, TransportError> {
        let mut connector = self.connector.clone();
        let connecting = async {
            poll_fn(|context| connector.poll_ready(context)).await?;
            Ok(Connection::over(connector.call(origin.uri()).await?).await?)
        };
        let connection = timeout(self.limits.connect, connecting).await;
        connection.unwrap_or_else(|late| Err(late.into())).map_err(not_connected)
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, mut request: Request<Bytes>) -> ResponseFuture<'a> {
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let origin = self.origins.of(request.uri());
        let mut request = request.map(Full::new);
        Box::pin(async move {
            let origin = origin.ok_or_else(no_origin)?;
            origin.address(&mut request);
            let now = Instant::now();
            timeout_at(now + self.limits.call, self.exchange(&mut request, &origin, now)).await.unwrap_or_else(too_late)
        })
    }
}

fn tls_over_tcp() -> Result<Connector, BuildError> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls()?).https_or_http();
    Ok(connector.enable_http1().wrap_connector(tcp))
}

fn not_connected(why: Box<dyn Error + Send + Sync>) -> TransportError {
    TransportError::new(TransportErrorKind::Connect, WasSent::No).caused_by(why)
}

fn no_origin() -> TransportError {
    TransportError::new(TransportErrorKind::Other, WasSent::No).caused_by("the request names no host")
}
