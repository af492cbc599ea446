//! Bybit, version 5.

use exchanges::bybit::order::{
    CancelOrder, Category, GetKline, GetOpenOrders, GetServerTime, OrderId, OrderRef, OrderType, PlaceOrder, Side,
};
use exchanges::bybit::{Client, Credentials, Error, dec};
use tradeapi_runtime::tables::CodeProof;
use tradeapi_runtime::value::Timestamp;
use tradeapi_tests::loopback::{Answer, Request, Sandbox};

use crate::{hex, hmac_sha256};

fn client(sandbox: &Sandbox, window: Option<&str>) -> Client {
    let builder = Client::builder(sandbox.url()).credentials(Credentials::new("key", "secret", ""));
    match window {
        Some(window) => builder.header("X-BAPI-RECV-WINDOW", window).build().unwrap(),
        None => builder.build().unwrap(),
    }
}

fn assert_signed(request: &Request, window: &str) {
    let at = request.header("X-BAPI-TIMESTAMP").unwrap();
    let query = request.query.as_deref().unwrap_or_default();
    let text = format!("{at}key{window}{query}{}", request.text());
    assert_eq!(request.header("X-BAPI-SIGN"), Some(&*hex(&hmac_sha256(b"secret", &text))));
}

#[tokio::test]
async fn the_window_is_signed_as_it_is_sent() {
    for window in [Some("5000"), None] {
        let sandbox = Sandbox::start().unwrap();
        let client = client(&sandbox, window);
        let ids =
            r#"{"retCode": 0, "retMsg": "OK", "result": {"orderId": "1"}, "retExtInfo": {}, "time": 1672211918471}"#;
        sandbox.answer_next(Answer::json(ids));
        let order = PlaceOrder::new(Category::Spot, "BTCUSDT", Side::Buy, OrderType::Limit, dec!(0.1));
        let placed = client.order().place_order(&order.price(dec!(15600))).await.unwrap();
        assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "1");
        assert_eq!(placed.request_time.unwrap().as_millis(), 1_672_211_918_471);
        sandbox.answer_next(Answer::json(ids));
        let cancel = CancelOrder::new(Category::Spot, "BTCUSDT", OrderRef::OrderId(OrderId::from("1")));
        client.order().cancel_order(&cancel).await.unwrap();
        sandbox.answer_next(Answer::json(
            r#"{"retCode": 0, "result": {"list": [{"orderId": "1"}], "nextPageCursor": ""}, "time": 1672211918471}"#,
        ));
        client.order().get_open_orders(&GetOpenOrders::new(Category::Spot)).await.unwrap();
        sandbox.requests().iter().for_each(|request| assert_signed(request, window.unwrap_or_default()));
        assert_eq!(sandbox.requests().len(), 3);
    }
}

/// A later run, which may send another header, judges the outcome of a stored request.
#[test]
fn a_window_for_all_requests_is_at_most_that_of_the_exchange() {
    for (window, is_taken) in [("5000", true), ("1000", true), ("5001", false), ("soon", false), ("", false)] {
        let built = Client::builder("https://exchange.example").header("x-bapi-recv-window", window).build();
        assert_eq!(built.is_ok(), is_taken, "{window}: {:?}", built.err().map(|error| error.to_string()));
    }
}

#[tokio::test]
async fn a_code_can_be_a_number() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"retCode": 110001, "retMsg": "Order does not exist", "result": {}}"#));
    let cancel = CancelOrder::new(Category::Spot, "BTCUSDT", OrderRef::OrderId(OrderId::from("1")));
    let error = client(&sandbox, None).order().cancel_order(&cancel).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.proves), ("110001", Some(CodeProof::NoSuchOrder)));
}

#[tokio::test]
async fn public_calls_are_not_signed() {
    let sandbox = Sandbox::start().unwrap();
    sandbox
        .answer_next(Answer::json(r#"{"retCode": 0, "result": {"timeSecond": "1688639403"}, "time": 1688639403423}"#));
    let time = client(&sandbox, None).order().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.time_second.map(|at| Timestamp::from(at).as_millis()), Some(1_688_639_403_000));
    assert!(sandbox.requests()[0].header("X-BAPI-SIGN").is_none());
}

#[tokio::test]
async fn times_and_candles_are_read_as_bybit_writes_them() {
    let sandbox = Sandbox::start().unwrap();
    let answers = [
        r#"{"retCode": 0, "result": {"timeSecond": "1688639403", "timeNano": "1688639403423213947"}, "time": 1}"#,
        r#"{"retCode": 0, "result": {"symbol": "BTCUSD", "category": "inverse", "list":
            [["1670608800000", "17071", "17073", "17027", "17055.5", "268611", "15.74462667"]]}, "time": 1}"#,
    ];
    answers.iter().for_each(|answer| sandbox.answer_next(Answer::json(*answer)));
    let client = Client::builder(sandbox.url()).build().unwrap();
    let time = client.order().get_server_time(&GetServerTime::new()).await.unwrap().data;
    assert_eq!(time.time_nano.map(|time| time.as_nanos()), Some(1_688_639_403_423_213_947));
    let candles = client.order().get_kline(&GetKline::new("BTCUSD", "60")).await.unwrap().data;
    assert_eq!(candles.list[0].close_price, Some(dec!(17055.5)));
}
