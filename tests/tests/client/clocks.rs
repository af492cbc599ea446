//! An exchange whose clock is ten minutes off, over real sockets: reads recover by themselves, while changes are
//! certainly refused, and only the caller sends them again.

use std::time::{Duration, SystemTime};

use tradeapi::runtime::client::{LimitMode, SigningClock};
use tradeapi::runtime::clock::Skew;
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::unified::{GetOrderDetails, OrderId, OrderRef, PlaceOrder};
use tradeapi::{Client, Credentials, Error};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};
use tradeapi_tests::signature;

const WINDOW: u64 = 30_000;
const TEN_MINUTES: i64 = 600_000;

/// Returns an exchange that is `ahead` by milliseconds, and accepts a request only with a valid signature.
fn exchange(ahead: i64) -> ScriptedServer {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(move |request| {
        let here = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
        let now = u64::try_from(here).unwrap().saturating_add_signed(ahead);
        let answer = |code: &str, data: &str| {
            Answer::json(format!(r#"{{"code":"{code}","msg":"success","requestTime":{now},"data":{data}}}"#))
        };
        match now.abs_diff(timestamp(request)) <= WINDOW {
            false => answer("40008", "null").status(400),
            true if !is_signed_well(request) => answer("40009", "null").status(400),
            true => answer("00000", r#"{"orderId":"7"}"#),
        }
    });
    server
}

fn timestamp(request: &Request) -> u64 {
    request.header("ACCESS-TIMESTAMP").unwrap().parse().unwrap()
}

fn is_signed_well(request: &Request) -> bool {
    let query = request.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("{}{query}", request.path);
    let timestamp = request.header("ACCESS-TIMESTAMP").unwrap();
    let expected = signature::expected("secret", timestamp, &request.method, &target, &request.body);
    request.header("ACCESS-SIGN") == Some(&expected)
}

fn client(exchange: &ScriptedServer, signing: SigningClock) -> Client {
    Client::builder(exchange.url())
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .signing_clock(signing)
        .limits(LimitMode::Off)
        .build()
        .unwrap()
}

fn details() -> GetOrderDetails {
    GetOrderDetails::new(OrderRef::OrderId(OrderId::from("7")))
}

fn order() -> PlaceOrder {
    PlaceOrder::spot_market_buy("BTCUSDT", 10)
}

fn quickly() -> RetryPolicy {
    RetryPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(1)).deadline(Duration::from_secs(600))
}

/// The duration of a request is unknown, but is part of the uncertainty.
fn is_right(skew: Skew, ahead: i64) -> bool {
    Duration::from_millis(skew.ahead_ms.abs_diff(ahead)) <= skew.uncertainty + Duration::from_millis(2)
}

#[tokio::test]
async fn a_read_recovers() {
    for ahead in [TEN_MINUTES, -TEN_MINUTES] {
        let exchange = exchange(ahead);
        let client = client(&exchange, SigningClock::Corrected);
        // Nothing is repeated by default.
        assert!(matches!(client.call(&details()).await, Err(Error::Exchange(_))));
        assert_eq!(exchange.take_requests().len(), 1);
        client.call(&details()).await.unwrap();
        assert_eq!(exchange.take_requests().len(), 1);

        let client = self::client(&exchange, SigningClock::Corrected);
        client.retrying(&quickly()).call(&details()).await.unwrap();
        assert_eq!(exchange.take_requests().len(), 2);
        let skew = client.skew().unwrap();
        assert!(skew.is_sure() && is_right(skew, ahead), "{skew:?}");
    }
}

#[tokio::test]
async fn a_create_is_not_repeated_and_the_next_one_is_accepted() {
    for ahead in [TEN_MINUTES, -TEN_MINUTES] {
        let exchange = exchange(ahead);
        let client = client(&exchange, SigningClock::Corrected);
        let error = client.call(&order()).await.unwrap_err();
        assert_eq!((error.call_result(), error.outcome()), (CallResult::TimestampRefused, Outcome::NotDone));
        let text = error.to_string();
        let side = if ahead > 0 { "ahead of" } else { "behind" };
        assert!(text.contains("code 40008") && text.contains("; it had no effect"), "{text}");
        assert!(text.contains("likely cause: the clock of this machine: the exchange's clock is "), "{text}");
        assert!(text.contains(&format!(" s {side} the client's")), "{text}");
        let Error::Exchange(refused) = error else { panic!("{text}") };
        assert!(is_right(refused.skew.unwrap(), ahead), "{text}");
        assert_eq!(exchange.requests().len(), 1);
        let reply = client.call(&order()).await.unwrap();
        let requests = exchange.take_requests();
        assert_eq!((requests.len(), timestamp(&requests[1])), (2, reply.signed_at.unwrap().as_millis()));
    }
}

#[tokio::test]
async fn a_create_that_was_prepared_by_the_wrong_time_is_not_sent_once_that_is_known() {
    let exchange = exchange(TEN_MINUTES);
    let client = client(&exchange, SigningClock::Corrected);
    let order = order();
    let prepared = client.prepare(&order).unwrap();
    client.call(&details()).await.unwrap_err();
    let error = client.send(prepared).await.unwrap_err();
    assert_eq!((error.call_result(), error.outcome()), (CallResult::Unsigned, Outcome::NotDone));
    assert!(error.to_string().contains("the exchange's clock is "), "{error}");
    assert_eq!(exchange.requests().len(), 1);
    client.send(client.prepare(&order).unwrap()).await.unwrap();
}

#[tokio::test]
async fn an_uncorrected_clock_gets_the_reason_for_refusals() {
    let exchange = exchange(TEN_MINUTES);
    let client = client(&exchange, SigningClock::Own);
    let error = client.retrying(&quickly()).call(&details()).await.unwrap_err();
    assert_eq!((error.call_result(), exchange.requests().len()), (CallResult::TimestampRefused, 1));
    // A single refusal does not block calls; two that agree do.
    let error = client.call(&order()).await.unwrap_err();
    assert_eq!((error.call_result(), exchange.requests().len()), (CallResult::TimestampRefused, 2));
    let error = client.call(&order()).await.unwrap_err();
    assert_eq!((error.call_result(), exchange.requests().len()), (CallResult::Unsigned, 2));
}

#[tokio::test]
async fn a_right_clock_is_not_corrected() {
    let exchange = exchange(0);
    let client = client(&exchange, SigningClock::Corrected);
    for _ in 0..20 {
        client.call(&order()).await.unwrap();
    }
    assert!(!client.skew().unwrap().is_sure(), "{:?}", client.skew());
}
