//! A proxy before Redis, with faults.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A TCP proxy that can delay, cut or stall its connections. It ends with the tokio runtime.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    state: watch::Sender<LinkState>,
}

/// The treatment of connections by a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkState {
    /// Forwards everything at once.
    Open,
    /// Delays answers by up to this time, and by at least a quarter of it.
    Delayed(Duration),
    /// Closes all connections, and accepts none.
    Cut,
    /// Keeps connections open, and forwards nothing.
    Stalled,
}

impl Proxy {
    /// Starts a proxy on a free port.
    pub(super) async fn start(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (state, states) = watch::channel(LinkState::Open);
        tokio::spawn(serve(listener, server, states));
        Ok(Self { address, state })
    }

    pub(super) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub(super) fn set(&self, state: LinkState) {
        self.state.send_replace(state);
    }
}

async fn serve(listener: TcpListener, server: SocketAddr, states: watch::Receiver<LinkState>) {
    while let Ok((client, _)) = listener.accept().await {
        if *states.borrow() == LinkState::Cut {
            continue;
        }
        let states = states.clone();
        // The client notices a connection that fails.
        tokio::spawn(async move { connect(client, server, states).await });
    }
}

async fn connect(client: TcpStream, server: SocketAddr, mut states: watch::Receiver<LinkState>) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (there, back) =
        (pump(from_client, to_server, states.clone(), false), pump(from_server, to_client, states.clone(), true));
    tokio::select! {
        _ = there => {}
        _ = back => {}
        _ = states.wait_for(|state| *state == LinkState::Cut) => {}
    }
    Ok(())
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut states: watch::Receiver<LinkState>,
    is_answer: bool,
) -> io::Result<()> {
    let mut bytes = vec![0; 16 * 1024];
    let mut turn = 0_u32;
    loop {
        let length = from.read(&mut bytes).await?;
        if length == 0 {
            return Ok(());
        }
        // An error means that the proxy was dropped, which ends this task, too.
        let _ = states.wait_for(|state| *state != LinkState::Stalled).await;
        let state = *states.borrow();
        if let (LinkState::Delayed(most), true) = (state, is_answer) {
            turn = (turn + 1) % 4;
            tokio::time::sleep(most * (turn + 1) / 4).await;
        }
        to.write_all(&bytes[..length]).await?;
    }
}
