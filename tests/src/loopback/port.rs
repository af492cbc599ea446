//! Ports on which nothing listens.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// The length of the queue of connections to accept.
const BACKLOG: u32 = 1024;

/// A port that stays bound while no server listens on it, so that connections are refused and no other process takes
/// it.
pub(super) struct Port {
    address: SocketAddr,
    /// Bound, but not listening.
    next: TcpSocket,
}

impl Port {
    /// Binds a free port.
    pub(super) fn take() -> io::Result<Self> {
        let next = bound((Ipv4Addr::LOCALHOST, 0).into())?;
        Ok(Self { address: next.local_addr()?, next })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts connections until the listener is dropped.
    pub(super) fn listen(&mut self) -> io::Result<TcpListener> {
        let next = bound(self.address)?;
        std::mem::replace(&mut self.next, next).listen(BACKLOG)
    }
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    Ok(socket)
}
