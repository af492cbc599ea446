use bytes::Bytes;
use http::header::{HeaderMap, USER_AGENT};
use reqwest::{Client, ClientBuilder, Error, Request, redirect, retry};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::bounds::{FOR_EVER, NAME, QUIET, TransportLimits, too_late};
use super::builder::BuildError;
use super::tls::TlsSettings;
use super::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};

/// A transport over reqwest, for programs that need its settings: a proxy, the address to send from. It runs on tokio.
///
/// What a program gets without asking: HTTP/1.1 over kept connections, TLS by rustls with ring and Mozilla's list of
/// roots. No proxy is used, whatever the environment or the system says: requests carry orders, and where they go is
/// said in the program. Bodies are not unpacked and cookies are not kept, even where another crate of the program turns
/// those features of reqwest on.
///
/// Each request is sent at most once, whatever happens, and no redirect is followed. The one thing that is done again is
/// to take another connection, when a kept one turns out to be closed before a single byte of the request went out.
///
/// The connections are kept by tasks of reqwest. Before each request the runtime is made to hear of what has arrived on
/// them, but where its other threads are too busy to run these tasks, a request can go over a connection that was closed
/// or brings the response of another one. How old a connection may be, and what a server announces by `Keep-Alive`, is
/// not heeded. [`HyperTransport`](crate::HyperTransport) leaves none of this open.
#[derive(Clone, Debug)]
pub struct ReqwestTransport {
    client: Client,
    limits: TransportLimits,
}

impl ReqwestTransport {
    /// A transport without connections yet; it needs no running tokio to be made.
    ///
    /// # Errors
    ///
    /// When TLS cannot be set up.
    pub fn new(limits: TransportLimits) -> Result<Self, BuildError> {
        Self::with_settings(limits, |settings| settings)
    }

    /// The same, with settings that `change` makes of the ones described above.
    ///
    /// Whatever it does, no redirect is followed, nothing is sent again, and `limits` hold. For certificates there is
    /// [`with_tls`](Self::with_tls): the single settings of reqwest do not reach the TLS that is set up already.
    ///
    /// ```
    /// use tradeapi_runtime::{ReqwestTransport, TransportLimits, reqwest};
    ///
    /// let proxy = reqwest::Proxy::all("http://proxy.example.com:8080")?;
    /// let transport = ReqwestTransport::with_settings(TransportLimits::default(), |settings| settings.proxy(proxy))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When reqwest cannot be set up so.
    pub fn with_settings(
        limits: TransportLimits,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, BuildError> {
        Self::with_tls(limits, &TlsSettings::new(), change)
    }

    /// The same, which trusts the servers that `tls` says, and shows the certificate in it.
    ///
    /// # Errors
    ///
    /// When reqwest cannot be set up so.
    pub fn with_tls(
        limits: TransportLimits,
        tls: &TlsSettings,
        change: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self, BuildError> {
        let settings = change(settings(&limits).tls_backend_preconfigured(tls.config()?));
        let client = settings
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            // What reqwest itself gives up was not sent; so it gives up before the time for the whole call ends.
            .connect_timeout(limits.connect.min(limits.call - limits.call / 8))
            .build()
            .map_err(|error| BuildError::Transport { why: error.to_string() })?;
        Ok(Self { client, limits })
    }

    async fn exchange(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, TransportError> {
        let request = unchanged(request)?;
        let response = self.client.execute(request).await.map_err(no_response)?;
        let (head, body) = http::Response::from(response).into_parts();
        Ok(http::Response::from_parts(head, self.limits.whole(body).await?))
    }
}

impl Transport for ReqwestTransport {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            if self.limits.call.is_zero() {
                return Err(unsent().caused_by("there is no time for the call"));
            }
            hear_of_connections().await;
            timeout(self.limits.call, self.exchange(request)).await.unwrap_or_else(too_late)
        })
    }
}

fn settings(limits: &TransportLimits) -> ClientBuilder {
    Client::builder()
        .default_headers(HeaderMap::from_iter([(USER_AGENT, NAME)]))
        .http1_only()
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .pool_idle_timeout(limits.idle.min(FOR_EVER))
        .pool_max_idle_per_host(limits.max_idle)
        .tcp_keepalive(QUIET)
}

/// Lets the runtime hear of what has arrived, and then the tasks of reqwest that look after its connections. What they do
/// about it is beyond reach, and so is a runtime whose other threads have taken these tasks and are busy.
async fn hear_of_connections() {
    for _ in 0..3 {
        yield_now().await;
    }
}

/// The request as reqwest has it. Its kind of URL writes some addresses in another way, and then what is sent would not
/// be what was signed.
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
    TransportError::new(TransportErrorKind::Other, WasSent::No)
}

fn no_response(error: Error) -> TransportError {
    let (kind, sent) = match error.is_connect() {
        true => (TransportErrorKind::Connect, WasSent::No),
        false => (TransportErrorKind::Closed, WasSent::Maybe),
    };
    // The address is the caller's own, and its query may tell of the account.
    TransportError::new(kind, sent).caused_by(error.without_url())
}
