use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::client::conn::http1::{self, Builder, SendRequest};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::runtime::{self, Handle};
use tower_service::Service;

use crate::client::bounds::TransportLimits;
use crate::client::{TransportError, TransportErrorKind, WasSent};

/// Makes connections, with TLS where the address wants it.
pub(super) type Connector = HttpsConnector<HttpConnector>;

/// A connection that carries one request after the other.
///
/// It moves only while a call waits for it: no task of its own has to be woken for every request, which on another thread
/// takes longer than all the rest. What befell it in between, it notices before it writes.
pub(super) struct Connection {
    requests: SendRequest<Full<Bytes>>,
    /// `None` once it has ended: a request that waits in it comes back only when it is gone.
    inner: Option<Pin<Box<Inner>>>,
    /// Who tells when there is something to read.
    runtime: runtime::Id,
}

type Inner = http1::Connection<<Connector as Service<Uri>>::Response, Full<Bytes>>;

impl Connection {
    pub(super) async fn over(stream: <Connector as Service<Uri>>::Response) -> hyper::Result<Self> {
        // Requests are short: to copy one into a single buffer is faster than to write it in parts.
        let (requests, inner) = Builder::new().writev(false).handshake(stream).await?;
        Ok(Self { requests, inner: Some(Box::pin(inner)), runtime: Handle::current().id() })
    }

    /// Whether it was made in this runtime. In another one, nobody may be there to tell that the answer has come.
    pub(super) fn is_of(&self, runtime: runtime::Id) -> bool {
        self.runtime == runtime
    }

    /// Whether nothing is left of the last request, and the next one can go over it as far as is known.
    pub(super) fn is_free(&self) -> bool {
        self.inner.is_some() && self.requests.is_ready()
    }

    /// Sends `request` and reads the whole answer. A request that was surely not sent is put back.
    pub(super) async fn exchange(
        &mut self,
        request: &mut Request<Full<Bytes>>,
        limits: &TransportLimits,
    ) -> Result<Response<Bytes>, TransportError> {
        let Self { requests, inner, .. } = self;
        let mut exchange = pin!(async {
            requests.ready().await.map_err(|error| closed(error, WasSent::No))?;
            let response = requests.try_send_request(std::mem::take(request)).await.map_err(|mut error| {
                // hyper gives it back when not a byte of it was written.
                let unsent = error.take_message();
                let sent = if unsent.is_some() { WasSent::No } else { WasSent::Maybe };
                *request = unsent.unwrap_or_default();
                closed(error.into_error(), sent)
            })?;
            let (head, body) = response.into_parts();
            Ok(Response::from_parts(head, limits.whole(body).await?))
        });
        let mut go_on = |context: &mut Context<'_>| {
            inner.take_if(|inner| inner.as_mut().poll(context).is_ready());
        };
        let answer = poll_fn(|context| {
            if let Poll::Ready(answer) = exchange.as_mut().poll(context) {
                return Poll::Ready(answer);
            }
            go_on(context);
            exchange.as_mut().poll(context)
        })
        .await;
        // From here on it wakes nobody, least of all whoever sends the next request over it.
        go_on(&mut Context::from_waker(Waker::noop()));
        answer
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_free", &self.is_free()).finish_non_exhaustive()
    }
}

fn closed(error: hyper::Error, sent: WasSent) -> TransportError {
    TransportError::new(TransportErrorKind::Closed, sent).caused_by(error)
}
