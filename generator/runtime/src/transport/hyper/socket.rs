//! TCP connections that can be read without tokio's readiness.
//!
//! On a busy runtime tokio's readiness is stale, so hyper would write before it reads what has arrived. Before each
//! request the connection is polled once with a socket that reads past tokio, below TLS, so that tickets are consumed
//! and anything else closes the connection.

use std::io::{self, ErrorKind, Read as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::net::TcpStream;
use tower_service::Service;

use crate::transport::bounds::QUIET;

/// Makes TCP connections.
#[derive(Clone, Debug)]
pub(in crate::transport) struct Tcp(HttpConnector);

impl Tcp {
    pub(super) fn new() -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        tcp.set_keepalive(Some(QUIET));
        tcp.set_keepalive_interval(Some(QUIET / 2));
        tcp.set_keepalive_retries(Some(3));
        Self(tcp)
    }
}

impl Service<Uri> for Tcp {
    type Response = Socket;
    type Error = <HttpConnector as Service<Uri>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Socket, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.0.call(uri);
        Box::pin(async move { Ok(Socket { tcp: connecting.await?, state: SocketState::default() }) })
    }
}

/// A TCP connection that can be read without tokio's readiness.
///
/// tokio reads from a socket only once its driver has reported the socket as readable. The driver does not run while
/// the threads of the runtime are busy, so a read that is pending there says nothing about the socket.
pub(in crate::transport) struct Socket {
    tcp: TokioIo<TcpStream>,
    state: SocketState,
}

/// What a connection says to the socket below it.
#[derive(Clone, Debug, Default)]
pub(super) struct SocketState(Arc<Switches>);

#[derive(Debug, Default)]
struct Switches {
    /// Whether reads go to the operating system rather than through tokio.
    reads_system: AtomicBool,
    /// Whether a request has no complete response yet.
    awaits_response: AtomicBool,
}

impl SocketState {
    /// The state of the socket below `stream`.
    pub(super) fn of(stream: &MaybeHttpsStream<Socket>) -> Self {
        let socket = match stream {
            MaybeHttpsStream::Http(socket) => socket,
            MaybeHttpsStream::Https(tls) => tls.inner().get_ref().0.inner(),
        };
        socket.state.clone()
    }

    /// Reads within `act` go to the operating system. A pending one then means that nothing has arrived.
    pub(super) fn system_within<T>(&self, act: impl FnOnce() -> T) -> T {
        // Only read while the connection is polled, which this thread does until `act` returns.
        self.0.reads_system.store(true, Ordering::Relaxed);
        let done = act();
        self.0.reads_system.store(false, Ordering::Relaxed);
        done
    }

    /// Whether a request has no complete response yet.
    pub(super) fn awaits_response(&self, awaits: bool) {
        self.0.awaits_response.store(awaits, Ordering::Relaxed);
    }
}

impl Socket {
    /// Reads what has arrived. tokio is not informed, which is harmless: it may consider the socket readable when it
    /// is not, but not the reverse, because later data triggers its driver.
    fn read_now(&self, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let mut arrived = [0; 512];
        let fitting = arrived.len().min(into.remaining());
        loop {
            return match (&*SockRef::from(self.tcp.inner())).read(&mut arrived[..fitting]) {
                Ok(bytes) => {
                    into.put_slice(&arrived[..bytes]);
                    Poll::Ready(Ok(()))
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Poll::Ready(Err(error)),
            };
        }
    }
}

/// Resets the connection of a request that was given up, so that the operating system does not go on to deliver it: over
/// a network that fails for a while, it would arrive long after its caller has given up.
impl Drop for Socket {
    fn drop(&mut self) {
        if self.state.0.awaits_response.load(Ordering::Relaxed) {
            // If this fails, the connection is closed as usual.
            let _ = SockRef::from(self.tcp.inner()).set_linger(Some(Duration::ZERO));
        }
    }
}

impl Read for Socket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        if self.state.0.reads_system.load(Ordering::Relaxed) {
            return self.read_now(into);
        }
        Pin::new(&mut self.tcp).poll_read(context, into)
    }
}

impl Write for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.state.0.awaits_response.load(Ordering::Relaxed) {
            // It is reset when it is dropped.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write_vectored(context, parts)
    }
}

impl Connection for Socket {
    fn connected(&self) -> Connected {
        self.tcp.connected()
    }
}
