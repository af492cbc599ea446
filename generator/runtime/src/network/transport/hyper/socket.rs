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

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::network::transport::bounds::QUIET;

/// A TCP connection that can be read without tokio's readiness.
///
/// tokio reads from a socket only once its driver has reported the socket as readable. The driver does not run while
/// the threads of the runtime are busy, so a read that is pending there says nothing about the socket.
pub(super) struct Socket {
    tcp: TcpStream,
    state: SocketState,
}

/// The state that a connection shares with the socket below it.
#[derive(Clone, Debug, Default)]
pub(super) struct SocketState(Arc<Switches>);

#[derive(Debug, Default)]
struct Switches {
    /// True if reads go to the operating system rather than through tokio.
    reads_system: AtomicBool,
    /// True if a request has no complete response yet.
    awaits_response: AtomicBool,
}

impl SocketState {
    /// Reads within `act` go to the operating system. A pending one then means that nothing has arrived.
    pub(super) fn system_within<T>(&self, act: impl FnOnce() -> T) -> T {
        // Only read while the connection is polled, which this thread does until `act` returns.
        self.0.reads_system.store(true, Ordering::Relaxed);
        let done = act();
        self.0.reads_system.store(false, Ordering::Relaxed);
        done
    }

    /// Notes whether a request has no complete response yet.
    pub(super) fn awaits_response(&self, awaits: bool) {
        self.0.awaits_response.store(awaits, Ordering::Relaxed);
    }
}

impl Socket {
    /// Returns the socket of a new connection. Small writes are sent at once, and the system probes a quiet peer.
    pub(super) fn over(tcp: TcpStream) -> Self {
        // Without these options a connection works as well.
        let _ = tcp.set_nodelay(true);
        let _ = SockRef::from(&tcp).set_tcp_keepalive(&probes());
        Self { tcp, state: SocketState::default() }
    }

    pub(super) fn state(&self) -> SocketState {
        self.state.clone()
    }

    /// Reads what has arrived. tokio is not informed, which is harmless: it may consider the socket readable when it
    /// is not, but not the reverse, because later data triggers its driver.
    fn read_now(&self, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            return match (&*SockRef::from(&self.tcp)).read(into.initialize_unfilled()) {
                Ok(bytes) => {
                    into.advance(bytes);
                    Poll::Ready(Ok(()))
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Poll::Ready(Err(error)),
            };
        }
    }
}

/// Probes of a quiet peer. Some systems let nobody change their interval and number.
fn probes() -> TcpKeepalive {
    let probes = TcpKeepalive::new().with_time(QUIET);
    #[cfg(any(
        target_os = "android",
        target_os = "freebsd",
        target_os = "linux",
        target_os = "netbsd",
        target_vendor = "apple",
        windows
    ))]
    let probes = probes.with_interval(QUIET / 2).with_retries(3);
    probes
}

/// Resets the connection of a request that was given up, so that the operating system does not go on to deliver it: over
/// a network that fails for a while, it would arrive long after its caller has given up.
impl Drop for Socket {
    fn drop(&mut self) {
        if self.state.0.awaits_response.load(Ordering::Relaxed) {
            // If this fails, the connection is closed as usual.
            let _ = SockRef::from(&self.tcp).set_linger(Some(Duration::ZERO));
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.state.0.reads_system.load(Ordering::Relaxed) {
            return self.read_now(into);
        }
        Pin::new(&mut self.tcp).poll_read(context, into)
    }
}

impl AsyncWrite for Socket {
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
