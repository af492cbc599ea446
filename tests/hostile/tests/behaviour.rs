//! The exchange keeps its book and its word, and the same seed goes wrong in the same way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;

use tradeapi_hostile::{
    Book, Counts, Duplicates, Effect, Exchange, FastClock, Fault, Line, ONE, Reached, Settings, label, signature,
};

const SECRET: &str = "secret";
const PLACE: &str = "/api/v3/trade/place-order";

fn start(seed: u64, faults: u64) -> Exchange {
    let (clock, nodes, line, duplicates) = (FastClock::new(1), ONE, Line::default(), Duplicates::default());
    let (quirks, secret) = (0, SECRET.to_owned());
    Exchange::start(Settings { seed, faults, quirks, clock, nodes, line, duplicates, secret, only: None }).unwrap()
}

/// Sends a request and waits until it has come, whatever is answered.
fn post(exchange: &Exchange, path: &str, body: &str, secret: &str) {
    let before = exchange.calls();
    let timestamp = FastClock::new(1).now().to_string();
    let sign = signature::expected(secret, &timestamp, "POST", path, body.as_bytes());
    let head = format!("POST {path} HTTP/1.1\r\nACCESS-KEY: k\r\nACCESS-PASSPHRASE: p\r\nACCESS-SIGN: {sign}");
    let length = body.len();
    let request = format!("{head}\r\nACCESS-TIMESTAMP: {timestamp}\r\ncontent-length: {length}\r\n\r\n{body}");
    // It may be away for a moment, or go away before it has read.
    while exchange.calls() == before {
        let _ = send(exchange, &request, before);
    }
}

/// Sends a request once, until it has come or the connection is closed.
fn send(exchange: &Exchange, request: &str, before: usize) -> std::io::Result<()> {
    let mut connection = TcpStream::connect(exchange.url().replace("http://", ""))?;
    connection.write_all(request.as_bytes())?;
    connection.set_nonblocking(true)?;
    while exchange.calls() == before {
        match connection.peek(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(())
}

fn place(exchange: &Exchange, id: &str) {
    post(exchange, PLACE, &format!(r#"{{"clientOid":"{id}","symbol":"BTCUSDT","qty":"1"}}"#), SECRET);
}

fn after(seed: u64, ids: impl Iterator<Item = u64>) -> (Book, Counts) {
    let exchange = start(seed, 50);
    ids.for_each(|id| place(&exchange, &format!("order-{id}")));
    exchange.close()
}

#[test]
fn the_same_requests_go_wrong_in_the_same_way_whoever_comes_first() {
    let (book, counts) = after(1, 0..200);
    let (other_book, other_tally) = after(1, (0..200).rev());
    assert_eq!(
        (book.effects(), &counts.faults, &counts.landings),
        (other_book.effects(), &other_tally.faults, &other_tally.landings)
    );
    assert!(counts.faults.len() > 15 && book.orders().len() > 100, "{:?}", counts.faults);
    let (another_book, another_tally) = after(2, 0..200);
    assert_ne!((book.effects(), counts.faults), (another_book.effects(), another_tally.faults));
}

#[test]
fn an_order_that_comes_twice_is_there_twice() {
    let exchange = start(1, 0);
    ["a", "b", "a"].into_iter().for_each(|id| place(&exchange, id));
    post(&exchange, "/api/v3/trade/cancel-order", r#"{"clientOid":"b"}"#, SECRET);
    let modified = r#"{"clientOid":"a","price":"7","requestId":3}"#;
    post(&exchange, "/api/v3/trade/modify-order", modified, SECRET);
    let (book, counts) = exchange.close();
    let effects = [
        (Effect::Placed(label("a", "1", "")), 2),
        (Effect::Placed(label("b", "1", "")), 1),
        (Effect::Amended(label("a", "1", ""), "3".to_owned()), 1),
        (Effect::Cancelled(label("b", "1", "")), 1),
    ];
    assert_eq!(*book.effects(), BTreeMap::from(effects));
    assert_eq!(counts.faults, BTreeMap::from([(Fault::None, 5)]));
    assert_eq!((counts.beyond(), counts.times(Reached::Twin)), (0, 1));
}

#[test]
fn what_no_client_should_send_is_noticed() {
    let exchange = start(1, 0);
    post(&exchange, PLACE, r#"{"clientOid":"a"}"#, "another secret");
    post(&exchange, PLACE, "no JSON", SECRET);
    (0..40).for_each(|id| place(&exchange, &id.to_string()));
    let (book, counts) = exchange.close();
    assert_eq!((counts.refused.len(), book.orders().len()), (2, 40));
    assert!(counts.beyond() > 0, "dozens came at once, ten are allowed in a second");
}
