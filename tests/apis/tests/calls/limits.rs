//! Weights of calls, and pool reports in answers.

use std::time::Duration;

use apis::assorted::market::{GetQuote, SetUnits};
use apis::assorted::{self, Error};
use apis::binance;
use apis::binance::spot::{CurrentOpenOrders, QueryOrder};
use apis::gateio;
use apis::gateio::spot::{ListOrders, Listed};
use tradeapi_runtime::Credentials;
use tradeapi_runtime::client::LimitMode;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

/// Returns a client that refuses a call above a limit.
fn quoting(server: &ScriptedServer) -> assorted::Client {
    assorted::Client::builder(server.url()).limits(LimitMode::Refuse).build().unwrap()
}

fn is_limited<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Limited(_)))
}

/// Returns how often something succeeds before it fails.
async fn used_up<F: Future<Output = bool>>(succeeds: impl Fn() -> F) -> usize {
    for times in 0..1000 {
        if !succeeds().await {
            return times;
        }
    }
    panic!("a thousand calls are admitted: nothing limits them");
}

/// Returns the number of these calls that a pool of ten admits.
async fn made(request: GetQuote) -> usize {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = quoting(&server);
    let made = used_up(|| async { !is_limited(&client.call(&request).await) }).await;
    assert_eq!(made, server.requests().len());
    assert!(is_limited(&client.call(&request).await));
    server.requests().len()
}

#[tokio::test]
async fn the_weight_of_a_call_depends_on_its_parameters() {
    assert_eq!(made(GetQuote::new()).await, 10);
    assert_eq!(made(GetQuote::new().venue("north")).await, 3);
    assert_eq!(made(GetQuote::new().depth(100)).await, 10);
    assert_eq!(made(GetQuote::new().depth(101)).await, 2);
    assert_eq!(made(GetQuote::new().venue("north").depth(101)).await, 2, "the heaviest counts");
}

#[tokio::test]
async fn a_body_reports_the_rest_of_a_pool_and_its_reset() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"best": 1, "usage": {"left": 2, "reset": 150}}"#));
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = quoting(&server);
    for expected in [false, false, false, true] {
        let result = client.call(&GetQuote::new()).await;
        assert_eq!(is_limited(&result), expected, "{result:?}");
    }
    // The use of others has expired; the three calls of this client have not.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(used_up(|| async { !is_limited(&client.call(&GetQuote::new()).await) }).await, 7);
}

#[tokio::test]
async fn a_header_reports_the_use_of_others() {
    let server = ScriptedServer::start().unwrap();
    let credentials = Credentials::new("key", "secret", "");
    let builder = binance::Client::builder(server.url()).credentials(credentials);
    let client = builder.limits(LimitMode::Refuse).build().unwrap();
    server.answer_next(Answer::json("[]").header("X-MBX-USED-WEIGHT-1M", "5950"));
    client.call(&CurrentOpenOrders::new()).await.unwrap();
    // The weight is 80, or 6 for one pair, or 4; 50 are left.
    let result = client.call(&CurrentOpenOrders::new()).await;
    assert!(matches!(result, Err(binance::Error::Limited(_))), "{result:?}");
    // A report below the known use is ignored.
    server.answer_otherwise(|_| Answer::json(r#"{"orderId": 1}"#).header("X-MBX-USED-WEIGHT-1M", "0"));
    let order = QueryOrder::new("LTCBTC").order_id(1);
    assert_eq!(used_up(|| async { client.call(&order).await.is_ok() }).await, 12);
}

/// The limit is two calls in 400 ms.
#[tokio::test]
async fn a_window_can_be_shorter_than_a_second() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json("{}"));
    let client = quoting(&server);
    let units = SetUnits::new(1);
    let made = || used_up(|| async { !is_limited(&client.call(&units).await) });
    assert_eq!(made().await, 2);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(made().await, 2);
}

/// The windows of Gate.io differ in length, and the header counts the window of each operation.
#[tokio::test]
async fn a_header_counts_the_window_of_the_operation() {
    let server = ScriptedServer::start().unwrap();
    let builder = gateio::Client::builder(server.url()).credentials(Credentials::new("key", "secret", ""));
    let client = builder.limits(LimitMode::Refuse).build().unwrap();
    server.answer_next(Answer::json("[]").header("X-Gate-RateLimit-Requests-Remain", "3"));
    server.answer_otherwise(|_| Answer::json("[]"));
    let list = ListOrders::new("BTC_USDT", Listed::Open);
    client.call(&list).await.unwrap();
    assert_eq!(used_up(|| async { client.call(&list).await.is_ok() }).await, 3);
}
