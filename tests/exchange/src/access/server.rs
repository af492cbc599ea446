//! The exchange over HTTP. When it has as many open connections as it serves, one that is idle makes room for a new
//! one.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::access::control;
use crate::access::docs::{self, Docs};
use crate::access::exchange::Exchange;
use crate::state::journal_entry::Delivered;
use crate::state::log::Log;

/// The longest body that is read.
const MAX_BODY: usize = 1 << 20;

/// The longest time of a connection for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(60);

/// The most concurrent connections, unless the site has another number.
const MAX_CONNECTIONS: usize = 4_096;

/// The pages beside the operations, and the names under which they are served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Site {
    /// The reference at `/docs/`.
    pub docs: Docs,
    /// Names of this machine besides `127.0.0.1`, `localhost` and `[::1]`, such as that of a container.
    pub hosts: Vec<String>,
    /// The most connections, 4,096 by default. A new one takes the place of the one that has been idle the longest.
    pub connections: usize,
    /// The longest time for the body of a request, 30 seconds by default.
    pub body_time: Duration,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            docs: Docs::default(),
            hosts: Vec::new(),
            connections: MAX_CONNECTIONS,
            body_time: Duration::from_secs(30),
        }
    }
}

impl From<Docs> for Site {
    fn from(docs: Docs) -> Self {
        Self { docs, ..Self::default() }
    }
}

/// Serves an exchange until the future is dropped: its operations, and its page at `/`.
pub async fn serve(listener: TcpListener, exchange: Exchange) {
    serve_with(listener, exchange, Docs::default()).await;
}

/// Serves the exchange, with the reference at `/docs/`, or under other names.
pub async fn serve_with(listener: TcpListener, exchange: Exchange, site: impl Into<Site>) {
    let site = Arc::new(site.into());
    exchange.core().log.get_or_insert_with(Log::default);
    let connections = Connections::new(site.connections);
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let Some(connection) = connections.open().await else { return };
                let (exchange, site) = (exchange.clone(), Arc::clone(&site));
                tokio::spawn(async move {
                    // A connection that violates HTTP is closed; others are not affected.
                    let _ = serve_connection(stream, peer, exchange, site, connection).await;
                });
            }
            // The system cannot take another connection until some end.
            Err(_) => {
                connections.close_one();
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Listens on a local address.
///
/// # Errors
///
/// The port is taken. The error says what to do.
pub async fn listen(port: u16) -> io::Result<TcpListener> {
    listen_at(SocketAddr::from(([127, 0, 0, 1], port))).await
}

/// Listens on an address, which others may reach.
///
/// # Errors
///
/// The port is taken. The error says what to do.
pub async fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let port = address.port();
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

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    exchange: Exchange,
    site: Arc<Site>,
    connection: Connection,
) -> hyper::Result<()> {
    let _ = stream.set_nodelay(true);
    let connection = Arc::new(connection);
    let of_requests = Arc::clone(&connection);
    let service = service_fn(move |request| {
        let (exchange, site, connection) = (exchange.clone(), Arc::clone(&site), Arc::clone(&of_requests));
        async move {
            connection.work();
            let answered = answer(request, peer.ip(), &exchange, &site).await;
            connection.rest();
            answered
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        done = served => done,
        () = connection.is_to_be_closed() => Ok(()),
    }
}

/// Answers a request. An error closes the connection.
async fn answer(
    request: Request<Incoming>,
    peer: IpAddr,
    exchange: &Exchange,
    site: &Site,
) -> io::Result<Response<Answer>> {
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout(site.body_time, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(body)) if control::serves(head.uri.path()) => {
            let has_body = !body.to_bytes().is_empty();
            return Ok(control::answer(&head, has_body, exchange, &site.hosts).map(Answer::whole));
        }
        Ok(Ok(_)) if docs::serves(head.uri.path()) => {
            return Ok(site.docs.answer(&head, exchange, &site.hosts).map(Answer::whole));
        }
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => return Ok(unread(StatusCode::PAYLOAD_TOO_LARGE)),
        Ok(Err(_)) => return Ok(unread(StatusCode::BAD_REQUEST)),
        Err(_) => return Ok(unread(StatusCode::REQUEST_TIMEOUT)),
    };
    let delivery = exchange.deliver(&Request::from_parts(head, body), peer);
    let arrival = Arrival { exchange: exchange.clone(), call: delivery.call, is_whole: false };
    if !delivery.latency.is_zero() {
        exchange.time().sleep(delivery.latency).await;
    }
    let mut answer = arriving(delivery.delivered, exchange).await?;
    answer.body_mut().arrival = Some(arrival);
    Ok(answer)
}

/// Returns the answer as it arrives. An error closes the connection.
async fn arriving(delivered: Delivered, exchange: &Exchange) -> io::Result<Response<Answer>> {
    match delivered {
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

/// Returns the answer to a request whose body was not read. Its connection ends, because the rest of the body may
/// follow.
fn unread(status: StatusCode) -> Response<Answer> {
    let mut response = Response::new(Answer::whole(Bytes::new()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the connection is closed on purpose")
}

/// Notes in the trace, if there is one, whether an answer was sent to its end when its connection had no more use for it.
struct Arrival {
    exchange: Exchange,
    call: Option<usize>,
    is_whole: bool,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let Some(call) = self.call else { return };
        let mut core = self.exchange.core();
        let now = self.exchange.time().now().as_millis();
        if let Some(trace) = &mut core.trace {
            trace.note_arrival(call, now, self.is_whole);
        }
    }
}

/// The body of an answer, which may end before its announced length.
struct Answer {
    length: u64,
    /// The rest of the body.
    data: Option<Bytes>,
    is_cut: bool,
    /// For a body that is cut: whether its beginning was sent.
    is_sent: bool,
    arrival: Option<Arrival>,
}

impl Answer {
    fn whole(data: Bytes) -> Self {
        let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
        Self { length, data: Some(data), is_cut: false, is_sent: false, arrival: None }
    }

    fn half(data: Bytes) -> Self {
        let beginning = data.slice(..data.len() / 2);
        Self { data: Some(beginning), is_cut: true, ..Self::whole(data) }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.data.take().filter(|data| !data.is_empty()) {
            Some(data) => {
                if let Some(arrival) = &mut self.arrival {
                    arrival.is_whole = true;
                }
                Poll::Ready(Some(Ok(Frame::data(data))))
            }
            None if self.is_cut && !self.is_sent => {
                // What there is so far is sent while the body waits, and dropped when it fails.
                self.is_sent = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
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

/// The idle connections in the order in which they became idle, each with what closes it.
#[derive(Debug, Default)]
struct Idle {
    next: u64,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// The connections of a server. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    room: Arc<Semaphore>,
    idle: Arc<Mutex<Idle>>,
}

impl Connections {
    /// Creates room for this many.
    pub(crate) fn new(most: usize) -> Self {
        Self { room: Arc::new(Semaphore::new(most)), idle: Arc::default() }
    }

    /// Returns a new connection, idle at first. If there is no room, the one that has been idle the longest is closed.
    pub(crate) async fn open(&self) -> Option<Connection> {
        let place = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                self.close_one();
                Arc::clone(&self.room).acquire_owned().await.ok()?
            }
        };
        let connection =
            Connection { all: self.clone(), close: Arc::default(), number: Mutex::default(), _place: place };
        connection.rest();
        Some(connection)
    }

    /// Closes the connection that has been idle the longest.
    pub(crate) fn close_one(&self) {
        if let Some((_, close)) = self.idle().waiting.pop_first() {
            close.notify_one();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open connection.
#[derive(Debug)]
pub(crate) struct Connection {
    all: Connections,
    close: Arc<Notify>,
    /// The number among the idle ones.
    number: Mutex<Option<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    /// Waits until it has to be closed for another one.
    pub(crate) async fn is_to_be_closed(&self) {
        self.close.notified().await;
    }

    /// Begins a request.
    pub(crate) fn work(&self) {
        let number = self.number.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(number) = number {
            self.all.idle().waiting.remove(&number);
        }
    }

    /// Becomes idle.
    pub(crate) fn rest(&self) {
        let mut idle = self.all.idle();
        idle.next += 1;
        let number = idle.next;
        idle.waiting.insert(number, Arc::clone(&self.close));
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.work();
    }
}
