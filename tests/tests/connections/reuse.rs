//! Consecutive calls use one connection, and concurrent calls do not share one.

use std::time::Duration;

use tokio::runtime::Builder;
use tradeapi::runtime::tables::CallResult;
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::transports::Over;

use super::{PROPAGATION, body, cancelled, client, connections, done};

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

async fn connections_are_kept(over: Over) {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| done("1"));
    let client = client(over, &server, Duration::from_secs(15));
    for _ in 0..5 {
        cancelled(&client, "1").await.unwrap();
    }
    match over {
        Over::Hyper => assert_eq!(connections(&server), [0; 5]),
        // The scheduler decides which connection is free in time.
        Over::Reqwest => assert!(connections(&server).iter().max() < Some(&4), "{:?}", connections(&server)),
    }
}

async fn a_connection_that_was_closed_in_between_is_replaced(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = client(over, &server, Duration::from_secs(15));
    for pause in [Duration::ZERO, PROPAGATION, Duration::ZERO, PROPAGATION] {
        server.answer_next(done("1").then_close_after(pause));
        cancelled(&client, "1").await.unwrap();
        tokio::time::sleep(pause + PROPAGATION).await;
    }
    assert_eq!(connections(&server), [0, 1, 2, 3]);
}

async fn a_connection_that_will_be_closed_is_not_kept(over: Over) {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| done("1").header("connection", "close"));
    let client = client(over, &server, Duration::from_secs(15));
    for _ in 0..5 {
        cancelled(&client, "1").await.unwrap();
    }
    assert_eq!(connections(&server), [0, 1, 2, 3, 4]);
}

async fn a_late_answer_is_discarded(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let long = body("1").replace('{', &format!("{{{}", " ".repeat(500)));
    server.answer_next(Answer::json(long).in_pieces(PROPAGATION));
    server.answer_otherwise(|_| done("2"));
    let client = client(over, &server, PROPAGATION * 4);
    let error = cancelled(&client, "1").await.expect_err("most of the answer is still to come");
    assert_eq!(error.call_result(), CallResult::TimedOut);
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    tokio::time::sleep(PROPAGATION * 20).await;
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    assert_eq!(connections(&server)[..2], [0, 1]);
}

/// The time-out of the first call ends while its connection is idle.
async fn each_call_over_a_connection_has_its_own_time(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let call = PROPAGATION * 80;
    server.answer_next(done("1"));
    server.answer_next(done("2"));
    server.answer_next(Answer::hang());
    let client = client(over, &server, call);
    assert_eq!(cancelled(&client, "1").await.unwrap(), "1");
    tokio::time::sleep(call + PROPAGATION).await;
    assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    let error = cancelled(&client, "3").await.expect_err("there is no answer");
    assert_eq!(error.call_result(), CallResult::TimedOut);
    assert_eq!(connections(&server)[..2], [0, 0]);
}

async fn an_unsolicited_answer_is_discarded(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let answer = |id| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", body(id).len(), body(id));
    let two = Answer::endless(answer("1") + &answer("of somebody else"), "", Duration::from_secs(60));
    for pause in [Duration::ZERO, PROPAGATION] {
        server.answer_next(two.clone());
        server.answer_next(done("2"));
        let client = client(over, &server, Duration::from_secs(15));
        assert_eq!(cancelled(&client, "1").await.unwrap(), "1");
        tokio::time::sleep(pause).await;
        assert_eq!(cancelled(&client, "2").await.unwrap(), "2");
    }
    assert_eq!(connections(&server), [0, 1, 2, 3]);
}

async fn a_dropped_call_takes_its_connection_along(over: Over) {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(done("1"));
    server.answer_next(Answer::hang());
    server.answer_otherwise(|_| done("3"));
    let client = client(over, &server, Duration::from_secs(15));
    cancelled(&client, "1").await.unwrap();
    tokio::select! {
        _ = cancelled(&client, "2") => panic!("there is no answer"),
        () = server.reached(2) => {}
    }
    assert_eq!(cancelled(&client, "3").await.unwrap(), "3");
    let [first, dropped, next] = connections(&server)[..] else { panic!("{:?}", server.requests()) };
    assert!(next != dropped && first <= dropped, "{first} {dropped} {next}");
}

async fn calls_at_the_same_time_share_no_connection(over: Over) {
    let server = ScriptedServer::start().unwrap();
    // Each call gets its own answer, after a delay.
    server.answer_otherwise(|request| {
        let text = request.text();
        let id = text.split('"').find(|part| part.parse::<u32>().is_ok()).unwrap();
        done(id).in_pieces(Duration::from_millis(2))
    });
    let client = client(over, &server, Duration::from_secs(15));
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
    let connections = connections(&server);
    assert!(connections.iter().max() < Some(&40), "{connections:?}");
}

/// Unneeded connections can expire, and the server is least likely to close the latest one.
#[tokio::test]
async fn the_connection_that_was_used_last_is_used() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| done("1").in_pieces(Duration::from_millis(2)));
    let client = client(Over::Hyper, &server, Duration::from_secs(15));
    let (one, other) = tokio::join!(cancelled(&client, "1"), cancelled(&client, "1"));
    assert_eq!((one.unwrap(), other.unwrap()), ("1".to_owned(), "1".to_owned()));
    for _ in 0..4 {
        cancelled(&client, "1").await.unwrap();
    }
    let [.., first, second, third, fourth] = connections(&server)[..] else { panic!("{:?}", server.requests()) };
    assert_eq!([first; 3], [second, third, fourth], "{:?}", connections(&server));
}

/// The other runtime does not run while a call waits, so its connections would receive no answer.
#[test]
fn runtimes_do_not_share_connections() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| done("1"));
    let client = client(Over::Hyper, &server, Duration::from_secs(15));
    let runtimes: Vec<_> = (0..3).map(|_| Builder::new_current_thread().enable_all().build().unwrap()).collect();
    for _ in 0..2 {
        for runtime in &runtimes {
            runtime.block_on(cancelled(&client, "1")).unwrap();
        }
    }
    assert_eq!(connections(&server), [0, 1, 2, 0, 1, 2]);
}

/// Connections end with their runtime, but the client stays usable.
#[test]
fn a_client_outlives_its_runtime() {
    for over in Over::ALL {
        let server = ScriptedServer::start().unwrap();
        server.answer_otherwise(|_| done("1"));
        let client = client(over, &server, Duration::from_secs(15));
        for _ in 0..3 {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            for _ in 0..2 {
                assert_eq!(runtime.block_on(cancelled(&client, "1")).unwrap(), "1", "{over:?}");
            }
        }
        assert_eq!(server.requests().len(), 6, "{over:?}");
    }
}
