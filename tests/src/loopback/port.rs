use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// How many connections wait to be accepted.
const BACKLOG: u32 = 1024;

/// A port that stays taken while no server listens there, so that connections to it are refused and no other server
/// gets them.
pub(super) struct Port {
    address: SocketAddr,
    /// Bound, but not listening.
    next: TcpSocket,
}

impl Port {
    /// Takes a free one.
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
