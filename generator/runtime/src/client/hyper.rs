use std::error::Error;

use bytes::Bytes;
use http::header::USER_AGENT;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use self::connector::TimedConnector;
use super::bounds::{IDLE, NAME, TransportLimits};
use super::builder::BuildError;
use super::tls::tls;
use super::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};

mod connector;

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
        request.headers_mut().entry(USER_AGENT).or_insert(NAME);
        let response = self.client.request(request.map(Full::new)).await.map_err(no_response)?;
        let (head, body) = response.into_parts();
        Ok(http::Response::from_parts(head, self.limits.whole(body).await?))
    }
}

impl Transport for HyperTransport {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(self.limits.in_time(self.exchange(request)))
    }
}

fn tls_over_tcp() -> Result<HttpsConnector<HttpConnector>, BuildError> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls()?).https_or_http();
    Ok(connector.enable_http1().wrap_connector(tcp))
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
