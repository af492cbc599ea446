//! New connections: the name is resolved, whichever of several addresses answers first is used, as RFC 8305 ("happy
//! eyeballs") describes, and TLS is begun where the origin requires it.
//!
//! hyper-util has a connector that does so between the two families, but not between the addresses of one. With
//! hyper-rustls, which is built on it, it brings eight crates that nothing else here needs and that every user would
//! compile, for this one function.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::uri::Scheme;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use super::connection::Stream;
use super::pool::Origin;
use super::socket::Socket;

/// The time that an attempt is alone before the next one begins beside it, as the RFC recommends.
const HEAD_START: Duration = Duration::from_millis(250);

/// Returns the addresses in the order in which they are tried. IPv6 and IPv4 alternate, because one of them may not
/// work at all. Otherwise the order is the resolver's, which is by preference.
pub(super) fn alternating(addresses: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let (mut ipv6, mut ipv4) = (0, 0);
    let mut ranked: Vec<(usize, SocketAddr)> = addresses
        .map(|address| {
            let rank = if address.is_ipv6() { &mut ipv6 } else { &mut ipv4 };
            *rank += 1;
            (*rank, address)
        })
        .collect();
    // Stable, so the family of the first address comes first.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, address)| address).collect()
}

/// Returns the first connection to one of `addresses` that `attempt` makes, by `deadline`. Attempts begin in order,
/// each [`HEAD_START`] after the one before, or as soon as one has failed. Whatever is still going on at the end is
/// dropped.
pub(super) async fn first<T, A>(
    addresses: Vec<SocketAddr>,
    deadline: Instant,
    attempt: impl Fn(SocketAddr) -> A,
) -> Result<T, Unreachable>
where
    A: Future<Output = io::Result<T>>,
{
    let mut waiting = addresses.into_iter();
    let (mut running, mut failed) = (Vec::new(), Vec::new());
    loop {
        running.extend(waiting.next().map(|address| (address, Box::pin(attempt(address)))));
        if running.is_empty() {
            return Err(Unreachable(failed));
        }
        let next_begins = (waiting.len() > 0).then(|| Instant::now() + HEAD_START);
        let until = next_begins.map_or(deadline, |begins| begins.min(deadline));
        match timeout_at(until, ended(&mut running)).await {
            Ok((_, Ok(connection))) => return Ok(connection),
            Ok((address, Err(why))) => failed.push((address, why)),
            Err(_) if until == deadline => {
                failed.extend(running.into_iter().map(|(address, _)| (address, ErrorKind::TimedOut.into())));
                return Err(Unreachable(failed));
            }
            Err(_) => {}
        }
    }
}

/// Waits until one of the attempts has ended, and takes it out. All are polled whenever one is woken, because they are
/// few.
async fn ended<A: Future>(running: &mut Vec<(SocketAddr, Pin<Box<A>>)>) -> (SocketAddr, A::Output) {
    poll_fn(|context| {
        for place in 0..running.len() {
            if let Poll::Ready(output) = running[place].1.as_mut().poll(context) {
                return Poll::Ready((running.remove(place).0, output));
            }
        }
        Poll::Pending
    })
    .await
}

/// None of the addresses that were tried was reached; each has its error.
#[derive(Debug)]
pub(super) struct Unreachable(Vec<(SocketAddr, io::Error)>);

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the host has no address");
        }
        for (number, (address, why)) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{address}: {why}")?;
        }
        Ok(())
    }
}

impl Error for Unreachable {}

/// Makes connections.
#[derive(Clone)]
pub(super) struct Connector(TlsConnector);

impl Connector {
    pub(super) fn new(tls: ClientConfig) -> Self {
        Self(TlsConnector::from(Arc::new(tls)))
    }

    /// Returns a connection to `origin`, which must be complete by `deadline`, TLS included. Nothing but a handshake
    /// was sent.
    pub(super) async fn connect(
        &self,
        origin: &Origin,
        deadline: Instant,
    ) -> Result<Stream, Box<dyn Error + Send + Sync>> {
        let server = match origin.scheme() {
            scheme if *scheme == Scheme::HTTP => None,
            scheme if *scheme == Scheme::HTTPS => Some(ServerName::try_from(origin.name().to_owned())?),
            scheme => return Err(format!("the scheme `{scheme}` is not supported").into()),
        };
        let addresses = timeout_at(deadline, lookup_host((origin.name(), origin.port())))
            .await
            .map_err(|_| "the name of the host was not resolved in time")??;
        let tcp = first(alternating(addresses), deadline, TcpStream::connect).await?;
        let socket = Socket::over(tcp);
        let Some(server) = server else { return Ok(Stream::plain(socket)) };
        let tls = timeout_at(deadline, self.0.connect(server, socket))
            .await
            .map_err(|_| "the TLS handshake did not end in time")??;
        Ok(Stream::tls(tls))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::{Arc, Mutex};

    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpSocket, TcpStream};
    use tokio::sync::Notify;
    use tokio::time::sleep;

    use super::*;

    type Tested = Result<(), Box<dyn Error>>;

    const MS: Duration = Duration::from_millis(1);

    fn addresses(text: &str) -> Vec<SocketAddr> {
        text.split_whitespace().filter_map(|address| address.parse().ok()).collect()
    }

    /// The use that an attempt makes of an address: it takes some milliseconds, and then connects or fails.
    #[derive(Clone, Copy)]
    enum Peer {
        Answers(u32),
        Refuses(u32),
        Silent,
    }

    /// Peers, the first of which has the port 1.
    struct Peers {
        peers: Vec<Peer>,
        begun: Instant,
        /// The port of each attempt, and after how many milliseconds it began.
        attempts: Mutex<Vec<(u16, u128)>>,
        /// As many others refer to it as attempts are running.
        running: Arc<()>,
    }

    impl Peers {
        fn new(peers: &[Peer]) -> Self {
            Self { peers: peers.to_vec(), begun: Instant::now(), attempts: Mutex::default(), running: Arc::default() }
        }

        fn addresses(&self) -> Vec<SocketAddr> {
            (1..).zip(&self.peers).map(|(port, _)| SocketAddr::from(([127, 0, 0, 1], port))).collect()
        }

        fn elapsed(&self) -> u128 {
            self.begun.elapsed().as_millis()
        }

        fn begun(&self) -> Vec<(u16, u128)> {
            self.attempts.lock().map(|attempts| attempts.clone()).unwrap_or_default()
        }

        /// Connects to the first that answers within `time`.
        async fn first(&self, time: Duration) -> Result<u16, Unreachable> {
            let attempt = async |address: SocketAddr| {
                let _running = Arc::clone(&self.running);
                if let Ok(mut attempts) = self.attempts.lock() {
                    attempts.push((address.port(), self.elapsed()));
                }
                match self.peers[usize::from(address.port()) - 1] {
                    Peer::Answers(after) => sleep(MS * after).await,
                    Peer::Refuses(after) => {
                        sleep(MS * after).await;
                        return Err(ErrorKind::ConnectionRefused.into());
                    }
                    Peer::Silent => pending().await,
                }
                Ok(address.port())
            };
            let connected = first(self.addresses(), self.begun + time, attempt).await;
            assert_eq!(Arc::strong_count(&self.running), 1, "nothing goes on afterwards");
            connected
        }
    }

    #[test]
    fn families_alternate() {
        for (given, expected) in [
            ("[::1]:1 [::2]:1 [::3]:1 1.1.1.1:1 1.1.1.2:1", "[::1]:1 1.1.1.1:1 [::2]:1 1.1.1.2:1 [::3]:1"),
            ("1.1.1.1:1 1.1.1.2:1 [::1]:1", "1.1.1.1:1 [::1]:1 1.1.1.2:1"),
            ("1.1.1.3:1 1.1.1.2:1", "1.1.1.3:1 1.1.1.2:1"),
            ("", ""),
        ] {
            assert_eq!(alternating(addresses(given).into_iter()), addresses(expected), "{given}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_begins_as_soon_as_one_fails() -> Tested {
        let peers = Peers::new(&[Peer::Refuses(0), Peer::Refuses(20), Peer::Answers(7), Peer::Answers(0)]);
        assert_eq!(peers.first(1_000 * MS).await?, 3);
        assert_eq!((peers.begun(), peers.elapsed()), (vec![(1, 0), (2, 0), (3, 20)], 27));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_begins_beside_a_silent_one() -> Tested {
        let peers = Peers::new(&[Peer::Silent, Peer::Silent, Peer::Answers(10), Peer::Answers(0)]);
        assert_eq!(peers.first(1_000 * MS).await?, 3);
        assert_eq!(peers.begun(), [(1, 0), (2, 250), (3, 500)]);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_address_is_taken_if_it_answers_first() -> Tested {
        let peers = Peers::new(&[Peer::Answers(400), Peer::Answers(600)]);
        assert_eq!(peers.first(1_000 * MS).await?, 1);
        assert_eq!(peers.begun(), [(1, 0), (2, 250)]);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn every_failure_is_named() {
        let peers = Peers::new(&[Peer::Refuses(300), Peer::Refuses(5)]);
        let error = peers.first(1_000 * MS).await.err().map(|error| error.to_string());
        let expected = "127.0.0.1:2: connection refused; 127.0.0.1:1: connection refused";
        assert_eq!(error.as_deref(), Some(expected));
        let nowhere = Peers::new(&[]).first(MS).await.err().map(|error| error.to_string());
        assert_eq!(nowhere.as_deref(), Some("the host has no address"));
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_ends_all_attempts() {
        let peers = Peers::new(&[Peer::Silent, Peer::Refuses(1), Peer::Silent, Peer::Silent, Peer::Answers(0)]);
        let error = peers.first(600 * MS).await.err().map(|error| error.to_string());
        let expected = "127.0.0.1:2: connection refused; 127.0.0.1:1: timed out; 127.0.0.1:3: timed out; \
                        127.0.0.1:4: timed out";
        assert_eq!(error.as_deref(), Some(expected));
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn another_address_is_connected_to_if_one_refuses() -> Tested {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let place = listener.local_addr()?;
        // Bound, so that nobody else can listen there.
        let refusing = TcpSocket::new_v4()?;
        refusing.bind("127.0.0.1:0".parse()?)?;
        let nobody = refusing.local_addr()?;
        let connected = first(vec![nobody, place], soon(), TcpStream::connect).await?;
        assert_eq!(connected.peer_addr()?, place);
        let error = first(vec![nobody, nobody], soon(), TcpStream::connect).await.err().ok_or("connected")?;
        assert_eq!(error.to_string().matches(&nobody.to_string()).count(), 2, "{error}");
        Ok(())
    }

    #[tokio::test]
    async fn no_other_connection_stays_open() -> Tested {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (late, quick) = (listener.local_addr()?, SocketAddr::from(([127, 0, 0, 1], 1)));
        let open = Notify::new();
        let attempt = async |address| {
            if address == quick {
                open.notified().await;
                return Ok(());
            }
            let _connection = TcpStream::connect(address).await?;
            open.notify_one();
            pending().await
        };
        // Another attempt wins.
        first(vec![late, quick], soon(), attempt).await?;
        assert_eq!(listener.accept().await?.0.read(&mut [0]).await?, 0);
        // Nobody waits any more.
        tokio::select! {
            _ = first(vec![late], soon(), attempt) => return Err("nothing has connected".into()),
            () = open.notified() => {}
        }
        assert_eq!(listener.accept().await?.0.read(&mut [0]).await?, 0);
        Ok(())
    }
}
