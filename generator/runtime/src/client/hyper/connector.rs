use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use tower_service::Service;

type BoxError = Box<dyn Error + Send + Sync>;

/// Bounds the time in which a connection comes about, from the name's lookup to the end of the TLS handshake: what
/// fails in it was surely not sent. hyper's own bound is on TCP alone.
#[derive(Clone, Debug)]
pub(super) struct TimedConnector<C> {
    inner: C,
    limit: Duration,
}

impl<C> TimedConnector<C> {
    pub(super) fn new(inner: C, limit: Duration) -> Self {
        Self { inner, limit }
    }
}

impl<C> Service<Uri> for TimedConnector<C>
where
    C: Service<Uri, Error = BoxError>,
    C::Future: Send + 'static,
    C::Response: 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let connection = self.inner.call(to);
        let limit = self.limit;
        Box::pin(async move { tokio::time::timeout(limit, connection).await? })
    }
}
