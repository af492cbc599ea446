//! Connections that carry one request after the other, with TLS or without, and the body of a request.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use std::{fmt, io, mem};

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName};
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::client::conn::http1::{self, Builder, SendRequest};
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime;
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_rustls::client::TlsStream;

use super::socket::{Socket, SocketState};
use super::{Caller, later};
use crate::data::error::{Delivery, TransportError, TransportErrorKind};
use crate::network::transport::RoundTrip;
use crate::network::transport::bounds::{TransportLimits, too_late};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// A connection that carries one request after the other.
///
/// It is polled only while a call waits for it: no task of its own has to be woken for every request, which on another
/// thread takes longer than everything else. Data that arrived in between is processed before the next write.
pub(super) struct Connection {
    requests: SendRequest<OnePart>,
    /// `None` once it has ended. Dropping it returns a request that was not written.
    inner: Option<Pin<Box<Inner>>>,
    socket: SocketState,
    /// The runtime that is notified when data arrives.
    runtime: runtime::Id,
    made: Instant,
    /// When it is too old for another request; `None` before its first response.
    expires: Option<Instant>,
    /// Ends a request that takes too long. Resetting one timer is cheaper than registering one for each request.
    timer: Pin<Box<Sleep>>,
    caller: Arc<Caller>,
    /// Wakes the caller.
    waker: Waker,
}

type Inner = http1::Connection<Stream, OnePart>;

impl Connection {
    /// Returns a connection over `stream`, which belongs to `runtime`.
    pub(super) async fn over(stream: Stream, runtime: runtime::Id) -> hyper::Result<Box<Self>> {
        let socket = stream.state();
        // Requests are short: copying one into a single buffer is faster than writing it in parts.
        let (requests, inner) = Builder::new().writev(false).handshake(stream).await?;
        let (inner, made) = (Some(Box::pin(inner)), Instant::now());
        let timer = Box::pin(sleep_until(made));
        let caller = Arc::new(Caller::default());
        let waker = Waker::from(Arc::clone(&caller));
        Ok(Box::new(Self { requests, inner, socket, runtime, made, expires: None, timer, caller, waker }))
    }

    /// Returns whether it was made in this runtime. Another runtime may not be notified when the answer arrives.
    pub(super) fn is_of(&self, runtime: runtime::Id) -> bool {
        self.runtime == runtime
    }

    pub(super) fn runtime(&self) -> runtime::Id {
        self.runtime
    }

    /// Returns whether the last request has ended, and the connection can take the next one as far as is known.
    pub(super) fn is_free(&self) -> bool {
        self.inner.is_some() && self.requests.is_ready()
    }

    /// Returns whether it has carried a response.
    pub(super) fn is_kept(&self) -> bool {
        self.expires.is_some()
    }

    /// Returns when it is closed unless it is used before.
    pub(super) fn expires(&self) -> Instant {
        self.expires.unwrap_or(self.made)
    }

    /// Returns whether it is open and silent at this moment, so that all later data was written after the request that
    /// it is used for was decided on.
    ///
    /// Everything that has arrived is processed: session tickets and the like are consumed, and bytes of HTTP, like the
    /// end of the connection, end it. Data on its way cannot be seen; whether the response belongs to the request is
    /// decided by the ids that it repeats.
    fn is_silent(&mut self) -> bool {
        let Self { inner, socket, .. } = self;
        // The write that follows polls it again, so no task has to be woken for that.
        socket.system_within(|| go_on(inner, Waker::noop()));
        self.is_free()
    }

    /// Sends `request` and reads the whole answer, which must be complete by `deadline`. A request that was certainly
    /// not sent is put back.
    pub(super) async fn exchange(
        &mut self,
        request: &mut Request<OnePart>,
        limits: &TransportLimits,
        deadline: Instant,
        trip: Option<&RoundTrip>,
    ) -> Result<Response<Bytes>, TransportError> {
        if !self.is_silent() {
            return Err(TransportError::new(TransportErrorKind::Closed, Delivery::NotSent));
        }
        self.socket.awaits_response(true);
        let answer = self.answer(request, limits, deadline, trip).await;
        self.socket.awaits_response(answer.is_err());
        self.caller.leaves();
        if !self.is_free() {
            // The end of the answer may not be processed yet.
            go_on(&mut self.inner, &self.waker);
        }
        answer
    }

    /// Writes `request` at once, and reads the whole answer.
    async fn answer(
        &mut self,
        request: &mut Request<OnePart>,
        limits: &TransportLimits,
        deadline: Instant,
        trip: Option<&RoundTrip>,
    ) -> Result<Response<Bytes>, TransportError> {
        let Self { requests, inner, made, expires, timer, caller, waker, .. } = self;
        timer.as_mut().reset(deadline);
        let mut exchange = pin!(async {
            let sent = Instant::now();
            let response = requests.try_send_request(std::mem::take(request)).await.map_err(|mut error| {
                // hyper gives it back when not a byte of it was written.
                let unsent = error.take_message();
                let sent = if unsent.is_some() { Delivery::NotSent } else { Delivery::MaybeSent };
                *request = unsent.unwrap_or_default();
                TransportError::new(TransportErrorKind::Closed, sent).caused_by(error.into_error())
            })?;
            let (head, mut body) = response.into_parts();
            let now = Instant::now();
            // Not measured over a new connection: the server may take longer over its first request.
            if let Some(trip) = trip.filter(|_| expires.is_some()) {
                trip.set(now.duration_since(sent));
            }
            let rests = announced(&head.headers).map_or(limits.idle, |announced| limits.idle.min(announced));
            *expires = Some(later(now, rests).min(later(*made, limits.age)));
            Ok(Response::from_parts(head, limits.whole(&mut body).await?))
        });
        let mut begun = false;
        poll_fn(|context| {
            caller.waits(context.waker());
            let context = &mut Context::from_waker(waker);
            let exchanged = match std::mem::replace(&mut begun, true) {
                // The budget of tokio must not let other tasks run between the check above and the write.
                false => {
                    let write = poll_fn(|context| {
                        let exchanged = exchange.as_mut().poll(context);
                        go_on(inner, waker);
                        exchanged
                    });
                    pin!(unconstrained(write)).poll(context)
                }
                true => {
                    go_on(inner, waker);
                    exchange.as_mut().poll(context)
                }
            };
            match exchanged {
                Poll::Pending => timer.as_mut().poll(context).map(too_late),
                answer => answer,
            }
        })
        .await
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("is_free", &self.is_free()).finish_non_exhaustive()
    }
}

fn go_on(inner: &mut Option<Pin<Box<Inner>>>, waker: &Waker) {
    inner.take_if(|inner| inner.as_mut().poll(&mut Context::from_waker(waker)).is_ready());
}

/// Returns how long a connection may be idle by the header `Keep-Alive: timeout=N`, less a quarter: a request needs
/// time to arrive.
fn announced(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(KEEP_ALIVE).iter().filter_map(|value| value.to_str().ok());
    let shortest = values.filter_map(|value| value.split(',').filter_map(timeout).min()).min();
    shortest.map(|seconds| Duration::from_secs(seconds) - Duration::from_secs(seconds) / 4)
}

fn timeout(parameter: &str) -> Option<u64> {
    let (name, value) = parameter.split_once('=')?;
    let value = value.trim().trim_matches('"');
    if name.trim().eq_ignore_ascii_case("timeout") { value.parse().ok() } else { None }
}

/// The number of bytes that are read at once without TLS; a record of TLS is at most as long.
const PART: usize = 16 << 10;

/// A connection to a server.
pub(super) enum Stream {
    /// Without TLS. What is read goes through the buffer, because only unsafe code can hand hyper's own to tokio.
    Plain(Socket, Box<[u8]>),
    Tls(Box<TlsStream<Socket>>),
}

impl Stream {
    pub(super) fn plain(socket: Socket) -> Self {
        Self::Plain(socket, vec![0; PART].into())
    }

    pub(super) fn tls(tls: TlsStream<Socket>) -> Self {
        Self::Tls(Box::new(tls))
    }

    /// Returns the state of the socket below.
    pub(super) fn state(&self) -> SocketState {
        match self {
            Self::Plain(socket, _) => socket.state(),
            Self::Tls(tls) => tls.get_ref().0.state(),
        }
    }

    fn writer(&mut self) -> Pin<&mut (dyn AsyncWrite + Send + Unpin)> {
        match self {
            Self::Plain(socket, _) => Pin::new(socket),
            Self::Tls(tls) => Pin::new(tls.as_mut()),
        }
    }
}

impl Read for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket, buffer) => {
                let fitting = buffer.len().min(into.remaining());
                let mut read = ReadBuf::new(&mut buffer[..fitting]);
                ready!(Pin::new(socket).poll_read(context, &mut read))?;
                into.put_slice(read.filled());
            }
            Self::Tls(tls) => {
                let mut tls = Pin::new(tls.as_mut());
                let read = ready!(tls.as_mut().poll_fill_buf(context))?;
                let fitting = read.len().min(into.remaining());
                into.put_slice(&read[..fitting]);
                tls.consume(fitting);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.writer().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer().poll_shutdown(context)
    }
}

/// A body of one part, or of none if it is empty.
#[derive(Debug, Default)]
pub(super) struct OnePart(Bytes);

impl From<Bytes> for OnePart {
    fn from(part: Bytes) -> Self {
        Self(part)
    }
}

impl Body for OnePart {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let part = mem::take(&mut self.0);
        Poll::Ready((!part.is_empty()).then(|| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_announced_time_is_read_with_a_margin() {
        let ms = Duration::from_millis;
        for (values, expected) in [
            (&["timeout=4"][..], Some(ms(3_000))),
            (&["timeout=5, max=100"], Some(ms(3_750))),
            (&["max=100,  Timeout = \"20\" "], Some(ms(15_000))),
            (&["timeout=60", "timeout=8"], Some(ms(6_000))),
            (&["timeout=0"], Some(ms(0))),
            (&["timeout=18446744073709551615"], Some(Duration::from_secs(13_835_058_055_282_163_711) + ms(250))),
            (&["timeout=18446744073709551616"], None),
            (&["timeout=-1"], None),
            (&["timeout=1.5"], None),
            (&["timeout"], None),
            (&["timeouts=3", "max=2", ""], None),
            (&[], None),
        ] {
            let headers = values.iter().map(|value| (KEEP_ALIVE, HeaderValue::from_static(value)));
            assert_eq!(announced(&headers.collect()), expected, "{values:?}");
        }
    }
}
