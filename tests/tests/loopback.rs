//! The scripted server records requests unchanged, and misbehaves as scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use tradeapi_tests::loopback::{Answer, ScriptedServer};

const ASK: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

/// Sends `bytes` and reads until the server closes the connection.
fn ask(server: &ScriptedServer, bytes: &[u8]) -> String {
    let mut connection = TcpStream::connect(server.address()).unwrap();
    connection.write_all(bytes).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_request_is_recorded_as_it_came() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::close());
    ask(
        &server,
        b"POST /a%20b?x=%2f&y=?+ HTTP/1.1\r\nX-One:  two words \r\nx-ONE: 3\r\nContent-Length: 4\r\n\r\n\x00\xff{}",
    );
    let request = server.take_requests().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a%20b"));
    assert_eq!(request.query.as_deref(), Some("x=%2f&y=?+"));
    assert_eq!(request.headers[0], ("X-One".to_owned(), "two words".to_owned()));
    assert_eq!(request.headers[1], ("x-ONE".to_owned(), "3".to_owned()));
    assert_eq!((request.header("x-one"), request.header("x-two")), (Some("two words"), None));
    assert_eq!(request.body, b"\x00\xff{}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_connection_takes_many_requests_however_they_are_cut() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| Answer::new(200, request.path.clone()));
    let mut connection = TcpStream::connect(server.address()).unwrap();
    // Two and a half requests at once, then the rest.
    connection.write_all(b"GET /1 HTTP/1.1\r\n\r\nPUT /2 HTTP/1.1\r\ncontent-length: 2\r\n\r\nokGET /3 HT").unwrap();
    let answer = |name: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{name}");
    let mut two = vec![0; 2 * answer("/1").len()];
    connection.read_exact(&mut two).unwrap();
    assert_eq!(String::from_utf8(two).unwrap(), answer("/1") + &answer("/2"));
    connection.write_all(b"TP/1.1\r\nconnection: close\r\n\r\n").unwrap();
    let mut third = String::new();
    connection.read_to_string(&mut third).unwrap();
    assert_eq!(third, answer("/3"));
    assert_eq!(server.requests().iter().map(|request| request.connection).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(server.requests()[1].text(), "ok");
}

#[test]
fn the_server_misbehaves_as_scripted() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json("{}").status(418).header("x-more", "1").cut_off_after(1));
    assert_eq!(
        ask(&server, ASK),
        "HTTP/1.1 418 Refused\r\ncontent-type: application/json\r\nx-more: 1\r\ncontent-length: 2\r\n\r\n{"
    );
    server.answer_next(Answer::raw("anything"));
    assert_eq!(ask(&server, ASK), "anything");
    server.answer_next(Answer::close());
    assert_eq!(ask(&server, ASK), "");
}

#[test]
fn unscripted_and_malformed_requests() {
    let server = ScriptedServer::start().unwrap();
    assert!(ask(&server, b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").starts_with("HTTP/1.1 501"));
    assert_eq!(server.take_requests().len(), 1);
    for nonsense in
        ["GET /\r\n\r\n", "GET / HTTP/1.1\r\nno header\r\n\r\n", "GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n"]
    {
        assert_eq!(ask(&server, nonsense.as_bytes()), "");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_dropped_server_closes_all_connections() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::hang());
    let address = server.address();
    let mut connection = TcpStream::connect(address).unwrap();
    connection.write_all(ASK).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(server.reached(1));
    drop(server);
    // The connection is closed, however the system reports it.
    assert_eq!(connection.read(&mut [0; 8]).unwrap_or(0), 0);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn an_answer_comes_in_pieces_with_a_false_length_or_as_the_last() {
    let server = ScriptedServer::start().unwrap();
    let long = "x".repeat(200);
    server.answer_next(Answer::new(200, long.clone()).in_pieces(Duration::from_millis(1)));
    server.answer_next(Answer::new(200, "12345").announcing(3).then_close());
    let answers = ask(&server, &[ASK, ASK].concat());
    assert_eq!(
        answers,
        format!(
            "HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n{long}HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n12345"
        )
    );
}

#[test]
fn a_connection_is_reset() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::reset());
    let mut connection = TcpStream::connect(server.address()).unwrap();
    connection.write_all(ASK).unwrap();
    let error = connection.read(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn an_outage_ends_all_connections_and_refuses_others_until_it_is_over() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::outage(Duration::from_millis(200)));
    server.answer_next(Answer::new(200, "back"));
    let mut beside = TcpStream::connect(server.address()).unwrap();
    ask_in_vain(&server);
    assert_eq!(beside.read(&mut [0; 8]).unwrap_or(0), 0);
    let mut refused = 0;
    while let Err(error) = TcpStream::connect(server.address()) {
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        refused += 1;
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(refused > 0);
    assert!(ask(&server, b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").ends_with("back"));
}

fn ask_in_vain(server: &ScriptedServer) {
    let mut connection = TcpStream::connect(server.address()).unwrap();
    connection.write_all(ASK).unwrap();
    assert_eq!(connection.read(&mut [0; 8]).unwrap_or(0), 0);
}

#[test]
fn idle_connections_are_closed_and_requests_are_delayed() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::new(200, "ok"));
    server.close_idle_after(Duration::from_millis(20));
    let wait = Duration::from_millis(30);
    server.delay_requests(move |connection, nth| if (connection, nth) == (1, 0) { wait } else { Duration::ZERO });
    assert!(ask(&server, ASK).ends_with("ok"));
    let begun = std::time::Instant::now();
    assert!(ask(&server, ASK).ends_with("ok"));
    assert!(begun.elapsed() >= wait);
    assert_eq!(server.idle_closes(), 2);
}

#[test]
fn unsolicited_bytes_follow_an_answer() {
    let server = ScriptedServer::start().unwrap();
    server.close_idle_after(Duration::from_millis(20));
    server.answer_next(Answer::new(200, "ok").with_behind("at once", Duration::ZERO));
    server.answer_next(Answer::new(200, "ok").with_behind("later", Duration::from_millis(1)));
    assert!(ask(&server, ASK).ends_with("okat once"));
    assert!(ask(&server, ASK).ends_with("oklater"));
    assert_eq!(server.unsolicited(), 2);
    let answer = Answer::new(200, "ok");
    assert_eq!(answer.to_bytes(), b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
}
