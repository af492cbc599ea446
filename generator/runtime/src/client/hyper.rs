use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{Request, Response};
use http_body_util::Full;
use hyper::client::conn::http1::handshake;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::time::timeout;
use tower_service::Service;

use self::origins::{Connection, Origin, Origins};
use super::bounds::{NAME, TransportLimits, too_late};
use super::builder::BuildError;
use super::tls::tls;
use super::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};

mod origins;

/// The default transport: HTTP/1.1 over kept connections, TLS by rustls. It runs on tokio.
///
/// It sends each request at most once, whatever happens, and follows no redirect. The one thing that is done again is to
/// take another connection, when a kept one turns out to be closed before a single byte of the request went out. A
/// connection has one request at a time, and is kept for half a minute after it was last used.
#[derive(Clone, Debug)]
pub struct HyperTransport {
    connector: HttpsConnector<HttpConnector>,
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
    fn exchange(&self, mut request: Request<Bytes>) -> impl Future<Output = Result<Response<Bytes>, TransportError>> {
        let origin = self.origins.of(request.uri());
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let mut request = request.map(Full::new);
        async move {
            let origin = origin.ok_or_else(no_origin)?;
            origin.address(&mut request);
            let (connection, response) = loop {
                let kept = origin.kept().await;
                let was_kept = kept.is_some();
                let mut connection = match kept {
                    Some(kept) => kept,
                    // Seldom, and larger than all the rest together.
                    None => Box::pin(self.connect(&origin)).await?,
                };
                let mut error = match connection.try_send_request(request).await {
                    Ok(response) => break (connection, response),
                    Err(error) => error,
                };
                // It comes back when not a byte of it was written.
                match error.take_message() {
                    Some(unsent) if was_kept => request = unsent,
                    unsent => return Err(no_response(error.into_error(), unsent.is_some())),
                }
            };
            let (head, body) = response.into_parts();
            let body = self.limits.whole(body).await?;
            origin.keep(connection);
            Ok(Response::from_parts(head, body))
        }
    }

    /// A new connection. The time for it goes from the name's lookup to the end of the TLS handshake: what fails in it was
    /// surely not sent.
    async fn connect(&self, origin: &Origin) -> Result<Connection, TransportError> {
        let mut connector = self.connector.clone();
        let connecting = async {
            poll_fn(|context| connector.poll_ready(context)).await?;
            connector.call(origin.uri()).await
        };
        let not_connected = |why| TransportError::new(TransportErrorKind::Connect, WasSent::No).caused_by(why);
        let stream = timeout(self.limits.connect, connecting).await;
        let stream = stream.unwrap_or_else(|late| Err(late.into())).map_err(not_connected)?;
        let (connection, exchanges) = handshake(stream).await.map_err(|error| not_connected(error.into()))?;
        // It ends when the connection does, whose errors reach the request that is under way.
        tokio::spawn(exchanges);
        Ok(connection)
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move { timeout(self.limits.call, self.exchange(request)).await.unwrap_or_else(too_late) })
    }
}

fn tls_over_tcp() -> Result<HttpsConnector<HttpConnector>, BuildError> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls()?).https_or_http();
    Ok(connector.enable_http1().wrap_connector(tcp))
}

fn no_response(error: hyper::Error, is_unsent: bool) -> TransportError {
    let sent = if is_unsent { WasSent::No } else { WasSent::Maybe };
    TransportError::new(TransportErrorKind::Closed, sent).caused_by(error)
}

fn no_origin() -> TransportError {
    TransportError::new(TransportErrorKind::Other, WasSent::No).caused_by("the request names no host")
}
