//! Idle connections are closed, and their number and age are bounded.

use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tradeapi::Client;
use tradeapi::runtime::transport::{HyperTransport, RoundTrip, Transport, TransportLimits};
use tradeapi_tests::peer::{Peer, read_request, write_response};
use tradeapi_tests::transports::Over;

use super::{PROPAGATION, body, cancelled, client_at, current_thread};

/// A server that answers everything, and counts the connections that the client has closed.
struct CountingServer {
    peer: Peer,
    closed: Arc<AtomicUsize>,
}

impl CountingServer {
    /// Starts a server, each response of which has the next of these header lines, or the last one.
    fn start(headers: &'static [&'static str]) -> Self {
        let closed = Arc::new(AtomicUsize::new(0));
        let (count, answered) = (Arc::clone(&closed), AtomicUsize::new(0));
        let peer = Peer::start(move |_, mut stream| {
            while read_request(&mut stream)?.is_some() {
                let number = answered.fetch_add(1, Ordering::SeqCst);
                write_response(&mut stream, headers[number.min(headers.len() - 1)], &body("1"))?;
            }
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        Self { peer, closed }
    }

    fn client(&self, over: Over, limits: TransportLimits) -> Client {
        client_at(over, self.peer.url(), limits)
    }

    fn closed(&self) -> usize {
        self.closed.load(Ordering::SeqCst)
    }

    /// Waits until the client has closed this number of connections.
    async fn has_closed(&self, count: usize) {
        let all = async {
            while self.closed() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, all).await.unwrap_or_else(|_| panic!("{} of {count} closed", self.closed()));
    }
}

/// A time-out for expected events, which is long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connections never expire unless set otherwise.
const NO_EXPIRY: TransportLimits = TransportLimits {
    connect: Duration::MAX,
    call: Duration::MAX,
    max_body: usize::MAX,
    idle: Duration::MAX,
    max_idle: usize::MAX,
    age: Duration::MAX,
};

/// Makes concurrent calls, each on its own connection.
async fn at_once<const N: usize>(client: &Client) {
    let calls: [_; N] = std::array::from_fn(|_| {
        let client = client.clone();
        tokio::spawn(async move { cancelled(&client, "1").await.unwrap() })
    });
    for call in calls {
        call.await.unwrap();
    }
}

#[tokio::test]
async fn an_expired_connection_is_closed_without_a_call() {
    for over in Over::ALL {
        let server = CountingServer::start(&[""]);
        let client = server.client(over, TransportLimits { idle: PROPAGATION, ..NO_EXPIRY });
        at_once::<3>(&client).await;
        server.has_closed(server.peer.accepted()).await;
    }
}

/// A connection is not used while the server closes it as announced.
#[tokio::test]
async fn an_announced_idle_time_is_kept() {
    let server = CountingServer::start(&["", "", "Keep-Alive: max=7, timeout=1\r\n", "keep-alive: timeout=0\r\n"]);
    let client = server.client(Over::Hyper, NO_EXPIRY);
    at_once::<2>(&client).await;
    // The reaper sleeps indefinitely by now, and has to be woken.
    tokio::time::sleep(PROPAGATION).await;
    cancelled(&client, "1").await.unwrap();
    server.has_closed(1).await;
    for closed in 2..5 {
        assert_eq!(server.peer.accepted(), closed.max(3) - 1);
        cancelled(&client, "1").await.unwrap();
        server.has_closed(closed).await;
    }
}

#[tokio::test]
async fn the_number_of_idle_connections_is_bounded() {
    for over in Over::ALL {
        let server = CountingServer::start(&[""]);
        let client = server.client(over, TransportLimits { max_idle: 2, ..NO_EXPIRY });
        at_once::<5>(&client).await;
        let made = server.peer.accepted();
        server.has_closed(made.saturating_sub(2)).await;
        let none = server.client(over, TransportLimits { max_idle: 0, ..NO_EXPIRY });
        for already in 0..3 {
            assert_eq!(server.peer.accepted(), made + already);
            cancelled(&none, "1").await.unwrap();
        }
    }
}

/// The name may resolve to another address by now.
#[tokio::test]
async fn a_connection_is_replaced_when_it_is_old() {
    let server = CountingServer::start(&[""]);
    let client = server.client(Over::Hyper, TransportLimits { age: PROPAGATION, ..NO_EXPIRY });
    let begun = std::time::Instant::now();
    // A connection in constant use is never idle.
    while server.peer.accepted() < 3 {
        cancelled(&client, "1").await.unwrap();
        assert!(begun.elapsed() < PATIENCE, "{}", server.peer.accepted());
    }
    assert!(begun.elapsed() > PROPAGATION, "{:?}", begun.elapsed());
    // The last one expires by itself.
    server.has_closed(server.peer.accepted()).await;
}

/// After a burst, further calls keep one connection warm, and the others expire.
#[tokio::test]
async fn unneeded_connections_expire() {
    let server = CountingServer::start(&[""]);
    let client = server.client(Over::Hyper, TransportLimits { idle: PROPAGATION * 10, ..NO_EXPIRY });
    at_once::<5>(&client).await;
    assert_eq!(server.peer.accepted(), 5);
    let begun = std::time::Instant::now();
    while server.closed() < server.peer.accepted() - 1 {
        cancelled(&client, "1").await.unwrap();
        assert!(begun.elapsed() < PATIENCE, "{} of {}", server.closed(), server.peer.accepted());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn connections_end_with_their_runtime() {
    let server = CountingServer::start(&[""]);
    let client = server.client(Over::Hyper, NO_EXPIRY);
    let (ends, goes_on) = (current_thread(), current_thread());
    ends.block_on(at_once::<2>(&client));
    goes_on.block_on(cancelled(&client, "1")).unwrap();
    let made = server.peer.accepted();
    drop(ends);
    goes_on.block_on(server.has_closed(made - 1));
    // The connection of the other runtime stays.
    goes_on.block_on(cancelled(&client, "1")).unwrap();
    assert_eq!((server.peer.accepted(), server.closed()), (made, made - 1));
}

/// One task watches all idle connections, and ends with them or with the client.
#[test]
fn no_task_is_left_running() {
    let server = CountingServer::start(&[""]);
    let runtime = current_thread();
    let running = || runtime.metrics().num_alive_tasks();
    let none_left = async {
        let begun = std::time::Instant::now();
        while running() > 0 {
            assert!(begun.elapsed() < PATIENCE);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let client = server.client(Over::Hyper, NO_EXPIRY);
    for _ in 0..10 {
        runtime.block_on(at_once::<3>(&client));
        assert_eq!(running(), 1);
    }
    drop(client);
    runtime.block_on(none_left);
    let client = server.client(Over::Hyper, TransportLimits { idle: Duration::from_millis(1), ..NO_EXPIRY });
    for _ in 0..3 {
        runtime.block_on(at_once::<3>(&client));
        runtime.block_on(async {
            while running() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}

/// A request that was given up is not delivered by the operating system later: the connection is reset, not closed.
#[tokio::test]
async fn the_connection_of_a_request_that_was_given_up_is_reset() {
    let (ended, ends) = std::sync::mpsc::channel();
    let peer = Peer::start(move |number, mut stream| {
        read_request(&mut stream)?;
        if number > 0 {
            // Only a part of the response.
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")?;
        }
        ended.send(stream.read(&mut [0]).map_err(|error| error.kind())).map_err(std::io::Error::other)
    });
    let impatient = client_at(Over::Hyper, peer.url(), TransportLimits { call: PROPAGATION, ..NO_EXPIRY });
    let patient = client_at(Over::Hyper, peer.url(), NO_EXPIRY);
    for _ in 0..2 {
        cancelled(&impatient, "1").await.unwrap_err();
        assert_eq!(ends.recv_timeout(PATIENCE).unwrap(), Err(ErrorKind::ConnectionReset));
        // The caller drops the call.
        tokio::time::timeout(PROPAGATION, cancelled(&patient, "1")).await.unwrap_err();
        assert_eq!(ends.recv_timeout(PATIENCE).unwrap(), Err(ErrorKind::ConnectionReset));
    }
}

/// Round trips bound the time at which a call may have been counted. The first request over a connection is not
/// measured, because the server may take longer for it.
#[tokio::test]
async fn round_trips_are_measured_on_warm_connections() {
    let takes = Duration::from_millis(20);
    let peer = Peer::start(move |_, mut stream| {
        while read_request(&mut stream)?.is_some() {
            std::thread::sleep(takes);
            write_response(&mut stream, "", &body("1"))?;
        }
        Ok(())
    });
    let transport = HyperTransport::new(NO_EXPIRY).unwrap();
    let request = || http::Request::get(peer.url()).body(bytes::Bytes::new()).unwrap();
    for is_first in [true, false, false] {
        let begun = std::time::Instant::now();
        let trip = RoundTrip::default();
        transport.send_timed(request(), &trip).await.unwrap();
        assert_eq!(trip.get().is_none(), is_first);
        assert!(trip.get().is_none_or(|trip| (takes..begun.elapsed()).contains(&trip)), "{trip:?}");
    }
    assert_eq!(peer.accepted(), 1);
}

/// The kernel reports the timer of a connection: 2 is the keep-alive timer.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_system_probes_quiet_connections() {
    for over in Over::ALL {
        let server = CountingServer::start(&[""]);
        let client = server.client(over, NO_EXPIRY);
        cancelled(&client, "1").await.unwrap();
        let there = format!(" 0100007F:{:04X} 01 ", server.peer.address().port());
        let timer = || {
            let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let ours = table.lines().find_map(|line| line.split_once(&there)).map(|(_, behind)| behind.to_owned());
            ours.unwrap_or_default().split(' ').nth(1).unwrap_or_default()[..2].to_owned()
        };
        // Another timer runs until the request is acknowledged.
        let begun = std::time::Instant::now();
        while timer() != "02" {
            assert!(begun.elapsed() < PATIENCE, "{over:?}: {}", timer());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
