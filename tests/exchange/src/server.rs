//! The exchange over HTTP.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::control;
use crate::delivery::Delivered;
use crate::docs::{self, Docs};
use crate::exchange::Exchange;
use crate::log::Log;

/// The longest body that is read.
const MAX_BODY: usize = 1 << 20;

/// The most concurrent connections; further ones wait.
const MAX_CONNECTIONS: usize = 4_096;

/// How long a connection may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(60);

/// Serves an exchange until the future is dropped: its operations, and its page at `/`.
pub async fn serve(listener: TcpListener, exchange: Exchange) {
    serve_with(listener, exchange, Docs::default()).await;
}

/// The same, with the reference at `/docs/`.
pub async fn serve_with(listener: TcpListener, exchange: Exchange, docs: Docs) {
    let docs = Arc::new(docs);
    exchange.core().log.get_or_insert_with(Log::default);
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let (exchange, docs) = (exchange.clone(), Arc::clone(&docs));
                tokio::spawn(async move {
                    // A connection that violates HTTP is closed; others are not affected.
                    let _ = connection(stream, peer, exchange, docs).await;
                    drop(place);
                });
            }
            // The system cannot take another connection until some end.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Listens on a local address.
///
/// # Errors
///
/// The port is taken. The error says what to do.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    TcpListener::bind(address).await.map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!("port {port} is in use: end the program that has it, or choose another with --port")
            }
            _ => format!("cannot listen at {address}: {error}"),
        };
        io::Error::new(error.kind(), what)
    })
}

async fn connection(stream: TcpStream, peer: SocketAddr, exchange: Exchange, docs: Arc<Docs>) -> hyper::Result<()> {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let (exchange, docs) = (exchange.clone(), Arc::clone(&docs));
        async move { answer(request, peer.ip(), &exchange, &docs).await }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// Answers a request. An error closes the connection.
async fn answer(
    request: Request<Incoming>,
    peer: IpAddr,
    exchange: &Exchange,
    docs: &Docs,
) -> io::Result<Response<Answer>> {
    let (head, body) = request.into_parts();
    let body = match Limited::new(body, MAX_BODY).collect().await {
        Ok(_) if control::serves(head.uri.path()) => return Ok(control::answer(&head, exchange).map(Answer::whole)),
        Ok(_) if docs::serves(head.uri.path()) => return Ok(docs.answer(&head, exchange).map(Answer::whole)),
        Ok(body) => body.to_bytes(),
        Err(_) => {
            let mut response = Response::new(Answer::whole(Bytes::new()));
            *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
            return Ok(response);
        }
    };
    let delivery = exchange.deliver(&Request::from_parts(head, body), peer);
    if !delivery.latency.is_zero() {
        exchange.time().sleep(delivery.latency).await;
    }
    match delivery.delivered {
        Delivered::Whole(answer) => Ok(answer.map(Answer::whole)),
        Delivered::Half(answer) => Ok(answer.map(Answer::half)),
        Delivered::Last(mut answer) => {
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            Ok(answer.map(Answer::whole))
        }
        Delivered::Slow(answer, pause) => {
            exchange.time().sleep(pause).await;
            Ok(answer.map(Answer::whole))
        }
        Delivered::Misstated(answer, length) if length <= answer.body().len() => {
            Ok(answer.map(|body| Answer::whole(body.slice(..length))))
        }
        Delivered::Misstated(..) | Delivered::Hang => std::future::pending().await,
        // This server writes HTTP only and keeps listening, so other faults close the connection.
        Delivered::Raw(_) | Delivered::Nothing | Delivered::Reset | Delivered::Outage(_) => Err(closed()),
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the connection is closed on purpose")
}

/// The body of an answer, which may end before its announced length.
struct Answer {
    length: u64,
    /// The rest of the body.
    data: Option<Bytes>,
    is_cut: bool,
}

impl Answer {
    fn whole(data: Bytes) -> Self {
        Self { length: u64::try_from(data.len()).unwrap_or(u64::MAX), data: Some(data), is_cut: false }
    }

    fn half(data: Bytes) -> Self {
        let beginning = data.slice(..data.len() / 2);
        Self { data: Some(beginning), is_cut: true, ..Self::whole(data) }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.data.take().filter(|data| !data.is_empty()) {
            Some(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
            None if self.is_cut => Poll::Ready(Some(Err(closed()))),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        !self.is_cut && self.data.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        if self.data.is_some() { SizeHint::with_exact(self.length) } else { SizeHint::default() }
    }
}
