//! Weights of calls, and what answers report of the pools that they take from.

use std::time::Duration;

use exchanges::assorted::market::GetQuote;
use exchanges::assorted::{self, Error};
use exchanges::binance;
use exchanges::binance::spot::{CurrentOpenOrders, QueryOrder};
use tradeapi_runtime::Credentials;
use tradeapi_runtime::client::LimitMode;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

/// A client that refuses a call for which there is no room.
fn quoting(server: &ScriptedServer) -> assorted::Client {
    assorted::Client::builder(server.url()).limits(LimitMode::Refuse).build().unwrap()
}

fn is_limited<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Limited(_)))
}

/// How many of these calls are made before the pool of ten is used up.
async fn made(request: GetQuote) -> usize {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = quoting(&server);
    while client.call(&request).await.is_ok() {}
    assert!(is_limited(&client.call(&request).await));
    server.requests().len()
}

#[tokio::test]
async fn a_call_weighs_what_its_parameters_say() {
    assert_eq!(made(GetQuote::new()).await, 10);
    assert_eq!(made(GetQuote::new().venue("north")).await, 3);
    assert_eq!(made(GetQuote::new().depth(100)).await, 10);
    assert_eq!(made(GetQuote::new().depth(101)).await, 2);
    assert_eq!(made(GetQuote::new().venue("north").depth(101)).await, 2, "the heaviest counts");
}

#[tokio::test]
async fn a_body_tells_what_remains_and_until_when() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"best": 1, "usage": {"left": 2, "reset": 150}}"#));
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = quoting(&server);
    for expected in [false, false, false, true] {
        let result = client.call(&GetQuote::new()).await;
        assert_eq!(is_limited(&result), expected, "{result:?}");
    }
    // What others took is free again; the three calls of this client are not.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut more = 0;
    while client.call(&GetQuote::new()).await.is_ok() {
        more += 1;
    }
    assert_eq!(more, 7);
}

#[tokio::test]
async fn a_header_tells_what_others_used() {
    let server = ScriptedServer::start().unwrap();
    let credentials = Credentials::new("key", "secret", "");
    let builder = binance::Client::builder(server.url()).credentials(credentials);
    let client = builder.limits(LimitMode::Refuse).build().unwrap();
    server.answer_next(Answer::json("[]").header("X-MBX-USED-WEIGHT-1M", "5950"));
    client.call(&CurrentOpenOrders::new()).await.unwrap();
    // It weighs 80, or 6 for one pair, or 4: and 50 are left.
    let result = client.call(&CurrentOpenOrders::new()).await;
    assert!(matches!(result, Err(binance::Error::Limited(_))), "{result:?}");
    // Less than is known to be used means nothing.
    server.answer_otherwise(|_| Answer::json("{}").header("X-MBX-USED-WEIGHT-1M", "0"));
    let order = QueryOrder::new("LTCBTC").order_id(1);
    let mut more = 0;
    while client.call(&order).await.is_ok() {
        more += 1;
    }
    assert_eq!(more, 12);
}
