//! A transport over reqwest.
//!
//! It takes a closure, not a finished client, so that redirects and retries are switched off after the caller's
//! settings. Its URL type rewrites some addresses; such a request is refused, because its signature would be wrong.

use bytes::Bytes;
use http::header::{HeaderMap, USER_AGENT};
use reqwest::{Client, ClientBuilder, Error, Request, redirect, retry};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::bounds::{FOR_EVER, NAME, QUIET, TransportLimits, too_late};
use super::tls::TlsSettings;
use super::{ResponseFuture, Transport};
use crate::data::error::{BuildError, Delivery, TransportError, TransportErrorKind};

/// A transport over reqwest, for programs that need its settings, such as a proxy or a local address. It runs on tokio.
///
/// By default it uses HTTP/1.1 over kept connections, and TLS by rustls with ring and Mozilla's list of roots. It uses
/// no proxy, even if the environment or the system sets one: requests contain orders, so only the program decides where
/// they go. Bodies are not decompressed and cookies are not kept, even if another crate of the program enables these
/// features of reqwest.
///
/// Each request is sent at most once, and no redirect is followed. The only thing that is retried is taking a
/// connection, if a kept one turns out to be closed before a byte of the request was written.
///
/// Tasks of reqwest drive the connections. Before each request, the runtime gets the chance to process what has
/// arrived; but if its other threads are too busy to run these tasks, a request can go over a connection that was
/// closed or has the response to another request. The age of connections and `Keep-Alive` headers of servers are
/// ignored. [`HyperTransport`](crate::network::transport::HyperTransport) has none of these limitations.
#[derive(Clone, Debug)]
pub struct ReqwestTransport {
    client: Client,
    limits: TransportLimits,
}

impl ReqwestTransport {
    /// Creates a transport without connections. Creating it needs no tokio runtime.
    ///
    /// # Errors
    ///
    /// Fails if TLS cannot be set up.
    pub fn new(limits: TransportLimits) -> Result<Self, BuildError> {
        Self::with_settings(limits, |settings| settings)
    }

    /// Returns the same with settings that `change` adds to those described above.
    ///
    /// Regardless of its settings, no redirect is followed, nothing is sent again, and `limits` apply. TLS settings in
    /// it, also a preconfigured one, have no effect: use [`with_tls`](Self::with_tls), whose
    /// [`TlsSettings`] take a configuration of rustls, too. It offers HTTP/1.1 alone, because reqwest is built without
    /// HTTP/2 here, and would panic once a server had chosen it.
    ///
    /// ```
    /// use tradeapi_runtime::reqwest;
    /// use tradeapi_runtime::transport::{ReqwestTransport, TransportLimits};
    ///
    /// let proxy = reqwest::Proxy::all("http://proxy.example.com:8080")?;
    /// let transport = ReqwestTransport::with_settings(TransportLimits::default(), |settings| settings.proxy(proxy))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if reqwest cannot be set up.
    pub fn with_settings(
        limits: TransportLimits,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, BuildError> {
        Self::with_tls(limits, &TlsSettings::new(), change)
    }

    /// Returns the same with the trusted servers and the client certificate of `tls`.
    ///
    /// # Errors
    ///
    /// Fails if reqwest cannot be set up.
    pub fn with_tls(
        limits: TransportLimits,
        tls: &TlsSettings,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, BuildError> {
        let client = change(settings(&limits))
            .tls_backend_preconfigured(tls.config()?)
            .http1_only()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            // If reqwest times out first, the request was not sent; so its time-out is shorter than that of the call.
            .connect_timeout(limits.connect.min(limits.call - limits.call / 8))
            .build()
            .map_err(|error| BuildError::Transport { why: error.to_string() })?;
        Ok(Self { client, limits })
    }

    async fn exchange(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, TransportError> {
        let request = unchanged(request)?;
        let response = self.client.execute(request).await.map_err(no_response)?;
        let (head, mut body) = http::Response::from(response).into_parts();
        Ok(http::Response::from_parts(head, self.limits.whole(&mut body).await?))
    }
}

impl Transport for ReqwestTransport {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            if self.limits.call.is_zero() {
                return Err(unsent().caused_by("there is no time for the call"));
            }
            let address = request.uri().authority().cloned();
            drive_connections().await;
            let response = timeout(self.limits.call, self.exchange(request)).await.unwrap_or_else(too_late);
            response.map_err(|error| address.into_iter().fold(error, |error, address| error.at(address.as_str())))
        })
    }
}

fn settings(limits: &TransportLimits) -> ClientBuilder {
    Client::builder()
        .default_headers(HeaderMap::from_iter([(USER_AGENT, NAME)]))
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .pool_idle_timeout(limits.idle.min(FOR_EVER))
        .pool_max_idle_per_host(limits.max_idle)
        .tcp_keepalive(QUIET)
}

/// Lets the runtime process what has arrived, and then run the tasks of reqwest that drive its connections.
async fn drive_connections() {
    for _ in 0..3 {
        yield_now().await;
    }
}

/// Returns the request for reqwest. Its URL type rewrites some addresses, and such a request would differ from the
/// signed one.
fn unchanged(request: http::Request<Bytes>) -> Result<Request, TransportError> {
    let written = request.uri().path_and_query().map(|target| target.as_str().to_owned());
    let request = Request::try_from(request).map_err(|error| unsent().caused_by(error.without_url()))?;
    let url = request.url();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    if written != Some(format!("{}{query}", url.path())) {
        return Err(unsent().caused_by("reqwest would not send the path and the query as they were signed"));
    }
    Ok(request)
}

fn unsent() -> TransportError {
    TransportError::new(TransportErrorKind::Other, Delivery::NotSent)
}

fn no_response(error: Error) -> TransportError {
    let (kind, sent) = match error.is_connect() {
        true => (TransportErrorKind::Connect, Delivery::NotSent),
        false => (TransportErrorKind::Closed, Delivery::MaybeSent),
    };
    // Without the address, whose query may contain data of the account.
    TransportError::new(kind, sent).caused_by(error.without_url())
}
