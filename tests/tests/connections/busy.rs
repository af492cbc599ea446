//! A connection with unsolicited data is not used, even if the runtime is too busy to notice the data.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use tokio::runtime::Builder;
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::{Client, Error};
use tradeapi_tests::peer::{Peer, read_request, write_response};
use tradeapi_tests::transports::Over;

use super::{body, cancel, cancelled, client_at, current_thread};

/// The event that happens to an idle connection.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    /// An unsolicited response.
    Response,
    /// The beginning of an unsolicited response.
    Byte,
    End,
    Reset,
}

impl Disturbance {
    const ALL: [Self; 4] = [Self::Response, Self::Byte, Self::End, Self::Reset];

    /// Serves one request. The first connection is disturbed between two waits at `barrier`.
    fn serve(self, number: usize, mut stream: TcpStream, barrier: &Barrier) -> io::Result<()> {
        if number > 0 {
            while read_request(&mut stream)?.is_some() {
                write_response(&mut stream, "", &body("222"))?;
            }
            return Ok(());
        }
        match self {
            // Closing a connection with unread data resets it.
            Self::Reset => stream.read_exact(&mut [0; 10])?,
            _ => drop(read_request(&mut stream)?),
        }
        write_response(&mut stream, "", &body("111"))?;
        barrier.wait();
        match self {
            Self::Response => write_response(&mut stream, "", &body("999"))?,
            Self::Byte => stream.write_all(b"H")?,
            Self::End | Self::Reset => {
                drop(stream);
                barrier.wait();
                return Ok(());
            }
        }
        barrier.wait();
        // A next request over this connection would only get the wrong response.
        while stream.read(&mut [0; 1024])? > 0 {}
        Ok(())
    }
}

/// Makes two calls, with the disturbance after the answer to the first.
async fn around(
    disturbance: Disturbance,
    over: Over,
    calls: impl AsyncFn(Client, Arc<Barrier>) -> Result<String, Error>,
) {
    let barrier = Arc::new(Barrier::new(2));
    let of_peer = Arc::clone(&barrier);
    let peer = Peer::start(move |number, stream| disturbance.serve(number, stream, &of_peer));
    let limits = TransportLimits { call: Duration::from_secs(60), ..TransportLimits::default() };
    let second = calls(client_at(over, peer.url(), limits), barrier).await;
    let second = second.unwrap_or_else(|error| panic!("{over:?} {disturbance:?}: {error}"));
    assert_eq!((second.as_str(), peer.accepted()), ("222", 2), "{over:?} {disturbance:?}");
}

/// The thread is busy until after the disturbance, then makes the second call. The runtime notices received data only
/// when it is idle.
async fn while_busy(client: Client, barrier: Arc<Barrier>) -> Result<String, Error> {
    assert_eq!(cancelled(&client, "111").await?, "111");
    barrier.wait();
    barrier.wait();
    cancelled(&client, "222").await
}

fn cases() -> impl Iterator<Item = (Disturbance, Over)> {
    Disturbance::ALL.into_iter().flat_map(|disturbance| Over::ALL.map(|over| (disturbance, over)))
}

#[test]
fn a_busy_current_thread_uses_silent_connections_only() {
    let runtime = current_thread();
    for (disturbance, over) in cases() {
        runtime.block_on(around(disturbance, over, while_busy));
        let spawned = async |client, barrier| tokio::spawn(while_busy(client, barrier)).await.unwrap();
        runtime.block_on(around(disturbance, over, spawned));
    }
}

#[test]
fn a_busy_worker_uses_silent_connections_only() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for (disturbance, over) in cases() {
        let spawned = async |client, barrier| tokio::spawn(while_busy(client, barrier)).await.unwrap();
        runtime.block_on(around(disturbance, over, spawned));
    }
}

/// Between two `block_on`, the runtime does not run.
#[test]
fn a_suspended_runtime_uses_silent_connections_only() {
    for (disturbance, over) in cases() {
        let calls = async |client: Client, barrier: Arc<Barrier>| {
            let blocked = move || {
                let runtime = current_thread();
                assert_eq!(runtime.block_on(cancelled(&client, "111")).unwrap(), "111");
                barrier.wait();
                barrier.wait();
                runtime.block_on(cancelled(&client, "222"))
            };
            std::thread::spawn(blocked).join().unwrap()
        };
        current_thread().block_on(around(disturbance, over, calls));
    }
}

#[test]
fn a_blocking_client_uses_silent_connections_only() {
    for disturbance in Disturbance::ALL {
        let calls = async |client: Client, barrier: Arc<Barrier>| {
            let blocking = tradeapi::blocking::Client::try_from(client.core().clone()).unwrap();
            let order =
                |id: &str| blocking.call(&cancel(id)).map(|answer| answer.order_id.clone().unwrap().to_string());
            assert_eq!(order("111")?, "111");
            barrier.wait();
            barrier.wait();
            order("222")
        };
        // The background thread of reqwest's connections notices at some time; ours does not need to.
        current_thread().block_on(around(disturbance, Over::Hyper, calls));
    }
}
