use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderValue;
use http::header::USER_AGENT;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use self::connector::TimedConnector;
use super::builder::BuildError;
use super::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};

mod connector;

/// Servers close idle connections after a minute or so; one that was left alone for longer than this is not used again,
/// so that a request seldom meets a connection that is just being closed.
const IDLE: Duration = Duration::from_secs(30);

const NAME: HeaderValue = HeaderValue::from_static(concat!("tradeapi-runtime/", env!("CARGO_PKG_VERSION")));

/// How long the [`HyperTransport`] waits, and how much it takes.
#[derive(Clone, Copy, Debug)]
pub struct TransportLimits {
    /// The time in which a connection must come about, TLS included. By default 5 seconds.
    pub connect: Duration,
    /// The time in which the whole answer must have come. By default 15 seconds.
    pub call: Duration,
    /// The greatest length of an answer's body in bytes. By default 16 MiB.
    pub max_body: usize,
}

impl Default for TransportLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), call: Duration::from_secs(15), max_body: 16 << 20 }
    }
}

/// The default transport: HTTP/1.1 over kept connections, TLS by rustls. It runs on tokio.
///
/// It sends each request at most once, whatever happens, and follows no redirect.
#[derive(Clone, Debug)]
pub struct HyperTransport {
    client: Client<TimedConnector<HttpsConnector<HttpConnector>>, Full<Bytes>>,
    limits: TransportLimits,
}

impl HyperTransport {
    /// A transport without connections yet; it needs no running tokio to be made.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub fn new(limits: TransportLimits) -> Result<Self, BuildError> {
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .retry_canceled_requests(false)
            .build(TimedConnector::new(tls_over_tcp()?, limits.connect));
        Ok(Self { client, limits })
    }

    async fn exchange(&self, mut request: http::Request<Bytes>) -> Result<http::Response<Bytes>, TransportError> {
        // Gateways turn away who has no name.
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let response = self.client.request(request.map(Full::new)).await.map_err(no_response)?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, self.limits.max_body).collect().await.map_err(no_body)?;
        Ok(http::Response::from_parts(head, body.to_bytes()))
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async {
            let answer = tokio::time::timeout(self.limits.call, self.exchange(request)).await;
            answer.unwrap_or_else(|_| Err(TransportError::new(TransportErrorKind::Timeout, WasSent::Maybe)))
        })
    }
}

fn tls_over_tcp() -> Result<HttpsConnector<HttpConnector>, BuildError> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    // Named, because a program that has a second provider in it has no default one.
    let provider = rustls::crypto::ring::default_provider();
    let tls = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(provider)
        .map_err(|error| BuildError::Transport { why: error.to_string() })?;
    Ok(tls.https_or_http().enable_http1().wrap_connector(tcp))
}

fn no_response(error: ClientError) -> TransportError {
    let (kind, sent) = if error.is_connect() {
        (TransportErrorKind::Connect, WasSent::No)
    } else if is_cancelled(&error) {
        (TransportErrorKind::Closed, WasSent::No)
    } else {
        (TransportErrorKind::Closed, WasSent::Maybe)
    };
    TransportError::new(kind, sent).caused_by(error)
}

/// hyper cancels a request only when it closes a connection on which the request was not begun.
fn is_cancelled(error: &ClientError) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<hyper::Error>());
    cause.is_some_and(hyper::Error::is_canceled)
}

fn no_body(error: Box<dyn Error + Send + Sync>) -> TransportError {
    let kind =
        if error.is::<LengthLimitError>() { TransportErrorKind::BodyTooLarge } else { TransportErrorKind::Closed };
    TransportError::new(kind, WasSent::Maybe).caused_by(error)
}
