//! A connection with unsolicited data is not used, although the runtime is too busy to learn of the data.

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

/// What befalls a connection while it rests.
#[derive(Clone, Copy, Debug)]
enum Befalls {
    /// An unsolicited response.
    Response,
    /// The beginning of one.
    Byte,
    End,
    Reset,
}

impl Befalls {
    const ALL: [Self; 4] = [Self::Response, Self::Byte, Self::End, Self::Reset];

    /// Serves one request, and does this to the first connection between two meetings at `barrier`.
    fn serve(self, number: usize, mut stream: TcpStream, barrier: &Barrier) -> io::Result<()> {
        if number > 0 {
            while read_request(&mut stream)?.is_some() {
                write_response(&mut stream, "", &body("222"))?;
            }
            return Ok(());
        }
        match self {
            // Whoever closes a connection of which not all is read resets it.
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
        // If the next request comes over this connection too, it is answered by the wrong response alone.
        while stream.read(&mut [0; 1024])? > 0 {}
        Ok(())
    }
}

/// Two calls, the first of which is answered before `befalls`.
async fn around(befalls: Befalls, over: Over, calls: impl AsyncFn(Client, Arc<Barrier>) -> Result<String, Error>) {
    let barrier = Arc::new(Barrier::new(2));
    let of_peer = Arc::clone(&barrier);
    let peer = Peer::start(move |number, stream| befalls.serve(number, stream, &of_peer));
    let limits = TransportLimits { call: Duration::from_secs(60), ..TransportLimits::default() };
    let second = calls(client_at(over, peer.url(), limits), barrier).await;
    let second = second.unwrap_or_else(|error| panic!("{over:?} {befalls:?}: {error}"));
    assert_eq!((second.as_str(), peer.accepted()), ("222", 2), "{over:?} {befalls:?}");
}

/// The thread is busy until it has befallen, and then makes the second call. The runtime learns of what arrives only
/// when it has nothing else to do.
async fn while_busy(client: Client, barrier: Arc<Barrier>) -> Result<String, Error> {
    assert_eq!(cancelled(&client, "111").await?, "111");
    barrier.wait();
    barrier.wait();
    cancelled(&client, "222").await
}

fn each_case() -> impl Iterator<Item = (Befalls, Over)> {
    Befalls::ALL.into_iter().flat_map(|befalls| Over::ALL.map(|over| (befalls, over)))
}

#[test]
fn a_busy_current_thread_uses_no_connection_that_is_not_silent() {
    let runtime = current_thread();
    for (befalls, over) in each_case() {
        runtime.block_on(around(befalls, over, while_busy));
        let spawned = async |client, barrier| tokio::spawn(while_busy(client, barrier)).await.unwrap();
        runtime.block_on(around(befalls, over, spawned));
    }
}

#[test]
fn a_busy_worker_uses_no_connection_that_is_not_silent() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for (befalls, over) in each_case() {
        let spawned = async |client, barrier| tokio::spawn(while_busy(client, barrier)).await.unwrap();
        runtime.block_on(around(befalls, over, spawned));
    }
}

/// Between two `block_on`, the runtime does not run.
#[test]
fn a_runtime_that_stood_still_uses_no_connection_that_is_not_silent() {
    for (befalls, over) in each_case() {
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
        current_thread().block_on(around(befalls, over, calls));
    }
}

#[test]
fn a_blocking_client_uses_no_connection_that_is_not_silent() {
    for befalls in Befalls::ALL {
        let calls = async |client: Client, barrier: Arc<Barrier>| {
            let blocking = tradeapi::blocking::Client::try_from(client.core().clone()).unwrap();
            let order =
                |id: &str| blocking.call(&cancel(id)).map(|answer| answer.order_id.clone().unwrap().to_string());
            assert_eq!(order("111")?, "111");
            barrier.wait();
            barrier.wait();
            order("222")
        };
        // The background thread of reqwest's connections hears of it at some time; that of ours need not.
        current_thread().block_on(around(befalls, Over::Hyper, calls));
    }
}
