//! Which connection a request goes over: one that is surely its own, and a kept one where there is one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tradeapi::runtime::{Ending, LimitMode, TransportLimits};
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Client, Credentials, Error};
use tradeapi_sandbox::{Answer, Sandbox};
use tradeapi_tests::peer::{Peer, read_request, write_response};
use tradeapi_tests::transports::Over;

tradeapi_tests::over_each_transport!(
    connections_are_kept,
    a_connection_that_was_closed_in_between_is_replaced,
    a_connection_that_will_be_closed_is_not_kept,
    an_answer_that_comes_too_late_is_nobodys,
    an_answer_that_nobody_asked_for_is_nobodys,
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

/// The order of which the answer tells that it is cancelled.
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

async fn an_answer_that_comes_too_late_is_nobodys(over: Over) {
    let sandbox = Sandbox::start().unwrap();
    let long = body("1").replace('{', &format!("{{{}", " ".repeat(500)));
    sandbox.answer_next(Answer::json(long).in_pieces(A_WHILE));
    sandbox.answer_otherwise(|_| done("2"));
    let client = client(over, &sandbox, A_WHILE * 4);
    let error = cancelled(&client, "1").await.expect_err("most of the answer is still to come");
    assert_eq!(error.ending(), Ending::TimedOut);
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    tokio::time::sleep(A_WHILE * 20).await;
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    assert_eq!(connections(&sandbox)[..2], [0, 1]);
}

async fn an_answer_that_nobody_asked_for_is_nobodys(over: Over) {
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
    // Each gets back what it asked for, and not at once.
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
    /// A response that nobody asked for.
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

/// The runtime learns of what arrives only when it has nothing else to do.
fn a_busy_runtime_uses_no_connection_that_is_not_silent(over: Over, runtime: &Runtime) {
    for befalls in Befalls::ALL {
        let barrier = Arc::new(Barrier::new(2));
        let of_peer = Arc::clone(&barrier);
        let peer = Peer::start(move |number, stream| befalls.serve(number, stream, &of_peer));
        let limits = TransportLimits { call: Duration::from_secs(5), ..TransportLimits::default() };
        let client = client_at(over, peer.url(), limits);
        // On a worker of the runtime, which is busy in between.
        let calls = runtime.spawn(async move {
            assert_eq!(cancelled(&client, "111").await.unwrap(), "111");
            barrier.wait();
            barrier.wait();
            cancelled(&client, "222").await
        });
        let second = runtime.block_on(calls).unwrap();
        assert_eq!(
            second.unwrap_or_else(|error| panic!("{over:?} {befalls:?}: {error}")),
            "222",
            "{over:?} {befalls:?}"
        );
        assert_eq!(peer.accepted(), 2, "{over:?} {befalls:?}");
    }
}

#[test]
fn a_busy_current_thread_uses_no_connection_that_is_not_silent() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    for over in Over::ALL {
        a_busy_runtime_uses_no_connection_that_is_not_silent(over, &runtime);
    }
}

#[test]
fn a_busy_worker_uses_no_connection_that_is_not_silent() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for over in Over::ALL {
        a_busy_runtime_uses_no_connection_that_is_not_silent(over, &runtime);
    }
}
