use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A way to a server that can be made longer, cut, or blocked. It ends with what it was started for.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    way: watch::Sender<Way>,
}

/// What a way is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As it should be.
    Open,
    /// What comes back takes up to this much longer, and at least a quarter of it.
    Late(Duration),
    /// Connections end, and none come about.
    Cut,
    /// Nothing passes.
    Mute,
}

impl Proxy {
    /// Starts one on a free port of this machine.
    pub(super) async fn start(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (way, ways) = watch::channel(Way::Open);
        tokio::spawn(serve(listener, server, ways));
        Ok(Self { address, way })
    }

    pub(super) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    pub(super) fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

async fn serve(listener: TcpListener, server: SocketAddr, ways: watch::Receiver<Way>) {
    while let Ok((client, _)) = listener.accept().await {
        if *ways.borrow() == Way::Cut {
            continue;
        }
        let ways = ways.clone();
        // A connection that fails is the client's affair.
        tokio::spawn(async move { connect(client, server, ways).await });
    }
}

async fn connect(client: TcpStream, server: SocketAddr, mut ways: watch::Receiver<Way>) -> io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (there, back) =
        (pump(from_client, to_server, ways.clone(), false), pump(from_server, to_client, ways.clone(), true));
    tokio::select! {
        _ = there => {}
        _ = back => {}
        _ = ways.wait_for(|way| *way == Way::Cut) => {}
    }
    Ok(())
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut ways: watch::Receiver<Way>,
    is_back: bool,
) -> io::Result<()> {
    let mut bytes = vec![0; 16 * 1024];
    let mut late = 0_u32;
    loop {
        let length = from.read(&mut bytes).await?;
        if length == 0 {
            return Ok(());
        }
        // Whoever ends the way ends this too.
        let _ = ways.wait_for(|way| *way != Way::Mute).await;
        let way = *ways.borrow();
        if let (Way::Late(most), true) = (way, is_back) {
            late = (late + 1) % 4;
            tokio::time::sleep(most * (late + 1) / 4).await;
        }
        to.write_all(&bytes[..length]).await?;
    }
}
