//! Which connection a request uses: one that no other call uses, and an idle one where possible.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::tables::CallResult;
use tradeapi::runtime::transport::{HyperTransport, RoundTrip, Transport, TransportLimits};
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Client, Credentials, Error};
use tradeapi_tests::loopback::{Answer, Sandbox};
use tradeapi_tests::peer::{Peer, read_request, write_response};
use tradeapi_tests::transports::Over;

tradeapi_tests::over_each_transport!(
    connections_are_kept,
    a_connection_that_was_closed_in_between_is_replaced,
    a_connection_that_will_be_closed_is_not_kept,
    a_late_answer_is_discarded,
    each_call_over_a_connection_has_its_own_time,
    an_unsolicited_answer_is_discarded,
    a_dropped_call_takes_its_connection_along,
    calls_at_the_same_time_share_no_connection,
);

/// Long enough for what was closed on one side of a loopback to be known on the other.
const A_WHILE: Duration = Duration::from_millis(50);

fn cancel(id: &str) -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from(id)))
}

fn done(id: &str) -> Answer {
    Answer::json(body(id))
}

fn body(id: &str) -> String {
    format!(r#"{{"code":"00000","data":{{"orderId":"{id}"}}}}"#)
}

fn client(over: Over, sandbox: &Sandbox, call: Duration) -> Client {
    client_at(over, sandbox.url(), TransportLimits { call, ..TransportLimits::default() })
}

fn client_at(over: Over, url: String, limits: TransportLimits) -> Client {
    let client = over.client(url, limits).credentials(Credentials::new("key", "secret", "passphrase"));
    client.limits(LimitMode::Off).build().unwrap()
}

/// The order that the answer reports as cancelled.
async fn cancelled(client: &Client, id: &str) -> Result<String, Error> {
    let answer = client.call(&cancel(id)).await?;
    Ok(answer.order_id.clone().unwrap().to_string())
}

fn connections(sandbox: &Sandbox) -> Vec<usize> {
    sandbox.requests().iter().map(|request| request.connection).collect()
}

async fn connections_are_kept(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_otherwise(|_| done("1"));
    let client = client(over, &sandbox, Duration::from_secs(15));
    for _ in 0..5 {
        cancelled(&client, "1").await.unwrap();
    }
    match over {
        Over::Hyper => assert_eq!(connections(&sandbox), [0; 5]),
        // Which connection is free again in time is up to the scheduler.
        Over::Reqwest => assert!(connections(&sandbox).iter().max() < Some(&4), "{:?}", connections(&sandbox)),
    }
}

async fn a_connection_that_was_closed_in_between_is_replaced(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    let client = client(over, &sandbox, Duration::from_secs(15));
    for pause in [Duration::ZERO, A_WHILE, Duration::ZERO, A_WHILE] {
        sandbox.answer_next(done("1").then_close_after(pause));
        cancelled(&client, "1").await.unwrap();
        tokio::time::sleep(pause + A_WHILE).await;
    }
    assert_eq!(connections(&sandbox), [0, 1, 2, 3]);
}

async fn a_connection_that_will_be_closed_is_not_kept(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_otherwise(|_| done("1").header("connection", "close"));
    let client = client(over, &sandbox, Duration::from_secs(15));
    for _ in 0..5 {
        cancelled(&client, "1").await.unwrap();
    }
    assert_eq!(connections(&sandbox), [0, 1, 2, 3, 4]);
}

async fn a_late_answer_is_discarded(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    let long = body("1").replace('{', &format!("{{{}", " ".repeat(500)));
    sandbox.answer_next(Answer::json(long).in_pieces(A_WHILE));
    sandbox.answer_otherwise(|_| done("2"));
    let client = client(over, &sandbox, A_WHILE * 4);
    let error = cancelled(&client, "1").await.expect_err("most of the answer is still to come");
    assert_eq!(error.call_result(), CallResult::TimedOut);
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    tokio::time::sleep(A_WHILE * 20).await;
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    assert_eq!(connections(&sandbox)[..2], [0, 1]);
}

/// The time of the first call ends while its connection rests.
async fn each_call_over_a_connection_has_its_own_time(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    let call = A_WHILE * 80;
    sandbox.answer_next(done("1"));
    sandbox.answer_next(done("2"));
    sandbox.answer_next(Answer::hang());
    let client = client(over, &sandbox, call);
    assert_eq!(cancelled(&client, "1").await.unwrap(), "1");
    tokio::time::sleep(call + A_WHILE).await;
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    let error = cancelled(&client, "3").await.expect_err("there is no answer");
    assert_eq!(error.call_result(), CallResult::TimedOut);
    assert_eq!(connections(&sandbox)[..2], [0, 0]);
}

async fn an_unsolicited_answer_is_discarded(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    let answer = |id| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", body(id).len(), body(id));
    let two = Answer::endless(answer("1") + &answer("of somebody else"), "", Duration::from_secs(60));
    for pause in [Duration::ZERO, A_WHILE] {
        sandbox.answer_next(two.clone());
        sandbox.answer_next(done("2"));
        let client = client(over, &sandbox, Duration::from_secs(15));
        assert_eq!(cancelled(&client, "1").await.unwrap(), "1");
        tokio::time::sleep(pause).await;
        assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    }
    assert_eq!(connections(&sandbox), [0, 1, 2, 3]);
}

async fn a_dropped_call_takes_its_connection_along(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(done("1"));
    sandbox.answer_next(Answer::hang());
    sandbox.answer_otherwise(|_| done("3"));
    let client = client(over, &sandbox, Duration::from_secs(15));
    cancelled(&client, "1").await.unwrap();
    tokio::select! {
        _ = cancelled(&client, "2") => panic!("there is no answer"),
        () = sandbox.reached(2) => {}
    }
    assert_eq!(cancelled(&client, "3").await.unwrap(), "3");
    let [first, dropped, next] = connections(&sandbox)[..] else { panic!("{:?}", sandbox.requests()) };
    assert!(next != dropped && first <= dropped, "{first} {dropped} {next}");
}

async fn calls_at_the_same_time_share_no_connection(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    // Each gets its own answer, after a delay.
    sandbox.answer_otherwise(|request| {
        let text = request.text();
        let id = text.split('"').find(|part| part.parse::<u32>().is_ok()).unwrap();
        done(id).in_pieces(Duration::from_millis(2))
    });
    let client = client(over, &sandbox, Duration::from_secs(15));
    for _ in 0..3 {
        let calls: Vec<_> = (0..20)
            .map(|id| {
                let (client, id) = (client.clone(), id.to_string());
                tokio::spawn(async move { assert_eq!(cancelled(&client, &id).await.unwrap(), id) })
            })
            .collect();
        for call in calls {
            call.await.unwrap();
        }
    }
    let connections = connections(&sandbox);
    assert!(connections.iter().max() < Some(&40), "{connections:?}");
}

/// Those that are not needed can grow old, and the one that is used is the least likely to be closed by the server.
#[tokio::test]
async fn the_connection_that_was_used_last_is_used() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_otherwise(|_| done("1").in_pieces(Duration::from_millis(2)));
    let client = client(Over::Hyper, &sandbox, Duration::from_secs(15));
    let (one, other) = tokio::join!(cancelled(&client, "1"), cancelled(&client, "1"));
    assert_eq!((one.unwrap(), other.unwrap()), ("1".to_owned(), "1".to_owned()));
    for _ in 0..4 {
        cancelled(&client, "1").await.unwrap();
    }
    let [.., first, second, third, fourth] = connections(&sandbox)[..] else { panic!("{:?}", sandbox.requests()) };
    assert_eq!([first; 3], [second, third, fourth], "{:?}", connections(&sandbox));
}

/// Nobody runs the other one while a call waits, so its connections would bring no answer.
#[test]
fn runtimes_do_not_share_connections() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_otherwise(|_| done("1"));
    let client = client(Over::Hyper, &sandbox, Duration::from_secs(15));
    let runtimes: Vec<_> = (0..3).map(|_| Builder::new_current_thread().enable_all().build().unwrap()).collect();
    for _ in 0..2 {
        for runtime in &runtimes {
            runtime.block_on(cancelled(&client, "1")).unwrap();
        }
    }
    assert_eq!(connections(&sandbox), [0, 1, 2, 0, 1, 2]);
}

/// What a runtime knew of connections is gone with it; the client is not.
#[test]
fn a_client_outlives_its_runtime() {
    for over in Over::ALL {
        let sandbox = Sandbox::start().unwrap();
        sandbox.answer_otherwise(|_| done("1"));
        let client = client(over, &sandbox, Duration::from_secs(15));
        for _ in 0..3 {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            for _ in 0..2 {
                assert_eq!(runtime.block_on(cancelled(&client, "1")).unwrap(), "1", "{over:?}");
            }
        }
        assert_eq!(sandbox.requests().len(), 6, "{over:?}");
    }
}

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

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
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

/// A server that answers everything, and counts the connections that the client has closed.
struct Counting {
    peer: Peer,
    closed: Arc<AtomicUsize>,
}

impl Counting {
    /// Each response has the next of these header lines, and the last of them from then on.
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

    /// Waits until the client has closed so many connections.
    async fn has_closed(&self, count: usize) {
        let all = async {
            while self.closed() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, all).await.unwrap_or_else(|_| panic!("{} of {count} closed", self.closed()));
    }
}

/// For what happens in any case, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connections never expire unless set otherwise.
const FOR_EVER: TransportLimits = TransportLimits {
    connect: Duration::MAX,
    call: Duration::MAX,
    max_body: usize::MAX,
    idle: Duration::MAX,
    max_idle: usize::MAX,
    age: Duration::MAX,
};

/// So many calls at the same time, each of which has a connection of its own.
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
async fn what_rests_too_long_is_closed_without_a_call() {
    for over in Over::ALL {
        let server = Counting::start(&[""]);
        let client = server.client(over, TransportLimits { idle: A_WHILE, ..FOR_EVER });
        at_once::<3>(&client).await;
        server.has_closed(server.peer.accepted()).await;
    }
}

/// A server that announces when it closes is not met while it does.
#[tokio::test]
async fn an_announced_idle_time_is_kept() {
    let server = Counting::start(&["", "", "Keep-Alive: max=7, timeout=1\r\n", "keep-alive: timeout=0\r\n"]);
    let client = server.client(Over::Hyper, FOR_EVER);
    at_once::<2>(&client).await;
    // Their reaper sleeps without an end by now, and has to be woken.
    tokio::time::sleep(A_WHILE).await;
    cancelled(&client, "1").await.unwrap();
    server.has_closed(1).await;
    for closed in 2..5 {
        assert_eq!(server.peer.accepted(), closed.max(3) - 1);
        cancelled(&client, "1").await.unwrap();
        server.has_closed(closed).await;
    }
}

#[tokio::test]
async fn no_more_connections_are_kept_than_may_be() {
    for over in Over::ALL {
        let server = Counting::start(&[""]);
        let client = server.client(over, TransportLimits { max_idle: 2, ..FOR_EVER });
        at_once::<5>(&client).await;
        let made = server.peer.accepted();
        server.has_closed(made.saturating_sub(2)).await;
        let none = server.client(over, TransportLimits { max_idle: 0, ..FOR_EVER });
        for already in 0..3 {
            assert_eq!(server.peer.accepted(), made + already);
            cancelled(&none, "1").await.unwrap();
        }
    }
}

/// A name may lead elsewhere by now.
#[tokio::test]
async fn a_connection_is_replaced_when_it_is_old() {
    let server = Counting::start(&[""]);
    let client = server.client(Over::Hyper, TransportLimits { age: A_WHILE, ..FOR_EVER });
    let begun = std::time::Instant::now();
    // Used again and again, it never rests.
    while server.peer.accepted() < 3 {
        cancelled(&client, "1").await.unwrap();
        assert!(begun.elapsed() < PATIENCE, "{}", server.peer.accepted());
    }
    assert!(begun.elapsed() > A_WHILE, "{:?}", begun.elapsed());
    // And the last one goes by itself.
    server.has_closed(server.peer.accepted()).await;
}

/// What a burst needed does not stay for ever: the calls after it keep one connection warm, and the others grow old.
#[tokio::test]
async fn connections_that_are_not_needed_go() {
    let server = Counting::start(&[""]);
    let client = server.client(Over::Hyper, TransportLimits { idle: A_WHILE * 10, ..FOR_EVER });
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
    let server = Counting::start(&[""]);
    let client = server.client(Over::Hyper, FOR_EVER);
    let (ends, goes_on) = (current_thread(), current_thread());
    ends.block_on(at_once::<2>(&client));
    goes_on.block_on(cancelled(&client, "1")).unwrap();
    let made = server.peer.accepted();
    drop(ends);
    goes_on.block_on(server.has_closed(made - 1));
    // That of the other one is still there.
    goes_on.block_on(cancelled(&client, "1")).unwrap();
    assert_eq!((server.peer.accepted(), server.closed()), (made, made - 1));
}

/// One task looks after all connections that rest, and leaves with them or with the client.
#[test]
fn nothing_is_left_running() {
    let server = Counting::start(&[""]);
    let runtime = current_thread();
    let running = || runtime.metrics().num_alive_tasks();
    let none_left = async {
        let begun = std::time::Instant::now();
        while running() > 0 {
            assert!(begun.elapsed() < PATIENCE);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let client = server.client(Over::Hyper, FOR_EVER);
    for _ in 0..10 {
        runtime.block_on(at_once::<3>(&client));
        assert_eq!(running(), 1);
    }
    drop(client);
    runtime.block_on(none_left);
    let client = server.client(Over::Hyper, TransportLimits { idle: Duration::from_millis(1), ..FOR_EVER });
    for _ in 0..3 {
        runtime.block_on(at_once::<3>(&client));
        runtime.block_on(async {
            while running() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}

/// Where it is known, the limiter can tell how early a call may have been counted. The first request over a connection
/// tells nothing, for the server may take longer over it.
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
    let transport = HyperTransport::new(FOR_EVER).unwrap();
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

/// The kernel shows which timer a connection has: 2 is that of its probes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_system_probes_quiet_connections() {
    for over in Over::ALL {
        let server = Counting::start(&[""]);
        let client = server.client(over, FOR_EVER);
        cancelled(&client, "1").await.unwrap();
        let there = format!(" 0100007F:{:04X} 01 ", server.peer.address().port());
        let timer = || {
            let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let ours = table.lines().find_map(|line| line.split_once(&there)).map(|(_, behind)| behind.to_owned());
            ours.unwrap_or_default().split(' ').nth(1).unwrap_or_default()[..2].to_owned()
        };
        // Until the request is acknowledged, another timer runs.
        let begun = std::time::Instant::now();
        while timer() != "02" {
            assert!(begun.elapsed() < PATIENCE, "{over:?}: {}", timer());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
