//! Bybit, version 5.

use apis::bybit::order::{
    BatchOrder, BatchPlaceOrder, CancelOrder, Category, GetKline, GetOpenOrders, GetServerTime, OrderId, OrderLinkId,
    OrderRef, OrderType, PlaceOrder, Side,
};
use apis::bybit::{Client, Credentials, Error, dec};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::tables::CodeProof;
use tradeapi_runtime::value::Timestamp;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

fn client(server: &ScriptedServer, window: Option<&str>) -> Client {
    let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", ""));
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
        let server = ScriptedServer::start().unwrap();
        let client = client(&server, window);
        let ids =
            r#"{"retCode": 0, "retMsg": "OK", "result": {"orderId": "1"}, "retExtInfo": {}, "time": 1672211918471}"#;
        server.answer_next(Answer::json(ids));
        let order = PlaceOrder::new(Category::Spot, "BTCUSDT", Side::Buy, OrderType::Limit, dec!(0.1));
        let placed = client.order().place_order(&order.price(dec!(15600))).await.unwrap();
        assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "1");
        assert_eq!(placed.request_time.unwrap().as_millis(), 1_672_211_918_471);
        server.answer_next(Answer::json(ids));
        let cancel = CancelOrder::new(Category::Spot, "BTCUSDT", OrderRef::OrderId(OrderId::from("1")));
        client.order().cancel_order(&cancel).await.unwrap();
        server.answer_next(Answer::json(
            r#"{"retCode": 0, "result": {"list": [{"orderId": "1"}], "nextPageCursor": ""}, "time": 1672211918471}"#,
        ));
        client.order().get_open_orders(&GetOpenOrders::new(Category::Spot)).await.unwrap();
        server.requests().iter().for_each(|request| assert_signed(request, window.unwrap_or_default()));
        assert_eq!(server.requests().len(), 3);
    }
}

/// The window of a stored request counts, even if a later run sends another header.
#[test]
fn a_window_for_all_requests_is_at_most_that_of_the_exchange() {
    for (window, is_taken) in [("5000", true), ("1000", true), ("5001", false), ("soon", false), ("", false)] {
        let built = Client::builder("https://exchange.example").header("x-bapi-recv-window", window).build();
        assert_eq!(built.is_ok(), is_taken, "{window}: {:?}", built.err().map(|error| error.to_string()));
    }
}

#[tokio::test]
async fn a_code_can_be_a_number() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"retCode": 110001, "retMsg": "Order does not exist", "result": {}}"#));
    let cancel = CancelOrder::new(Category::Spot, "BTCUSDT", OrderRef::OrderId(OrderId::from("1")));
    let error = client(&server, None).order().cancel_order(&cancel).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.proves), ("110001", Some(CodeProof::NoSuchOrder)));
}

#[tokio::test]
async fn public_calls_are_not_signed() {
    let server = ScriptedServer::start().unwrap();
    server
        .answer_next(Answer::json(r#"{"retCode": 0, "result": {"timeSecond": "1688639403"}, "time": 1688639403423}"#));
    let time = client(&server, None).order().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.time_second.map(|at| Timestamp::from(at).as_millis()), Some(1_688_639_403_000));
    assert!(server.requests()[0].header("X-BAPI-SIGN").is_none());
}

#[tokio::test]
async fn times_and_candles_are_read_as_bybit_writes_them() {
    let server = ScriptedServer::start().unwrap();
    let answers = [
        r#"{"retCode": 0, "result": {"timeSecond": "1688639403", "timeNano": "1688639403423213947"}, "time": 1}"#,
        r#"{"retCode": 0, "result": {"symbol": "BTCUSD", "category": "inverse", "list":
            [["1670608800000", "17071", "17073", "17027", "17055.5", "268611", "15.74462667"]]}, "time": 1}"#,
    ];
    answers.iter().for_each(|answer| server.answer_next(Answer::json(*answer)));
    let client = Client::builder(server.url()).build().unwrap();
    let time = client.order().get_server_time(&GetServerTime::new()).await.unwrap().data;
    assert_eq!(time.time_nano.map(|time| time.as_nanos()), Some(1_688_639_403_423_213_947));
    let candles = client.order().get_kline(&GetKline::new("BTCUSD", "60")).await.unwrap().data;
    assert_eq!(candles.list[0].close_price, Some(dec!(17055.5)));
}

/// Returns the outcomes of two orders by their data and `retExtInfo`.
async fn outcomes(list: &str, beside: &str) -> Vec<String> {
    let server = ScriptedServer::start().unwrap();
    let answer = format!(r#"{{"retCode": 0, "result": {{"list": {list}}}, "retExtInfo": {beside}, "time": 1}}"#);
    server.answer_next(Answer::json(answer));
    let order = |id: &str| {
        let order = BatchOrder::new("BTCUSDT", Side::Buy, OrderType::Limit, dec!(1)).price(dec!(2));
        order.order_link_id(OrderLinkId::new(id).unwrap())
    };
    let batch = BatchPlaceOrder::new(Category::Spot, vec![order("a"), order("b")]);
    let report = client(&server, None).batch(batch).send().await.unwrap();
    let word = |outcome: &ItemOutcome<_>| match outcome {
        ItemOutcome::Done(_) => "done".to_owned(),
        ItemOutcome::Failed(error) => error.code.to_string(),
        other => format!("{other:?}"),
    };
    report.items.iter().map(|item| word(&item.outcome)).collect()
}

/// The codes are in an array beside the data, in the order of the orders.
#[tokio::test]
async fn each_order_of_a_batch_has_its_code() {
    let order = |id: &str| format!(r#"{{"orderId": "{id}1", "orderLinkId": "{id}"}}"#);
    let (a, b, refused) = (order("a"), order("b"), r#"{"orderId": "", "orderLinkId": ""}"#);
    let (ok, wrong) = (r#"{"code": 0, "msg": "OK"}"#, r#"{"code": 110007, "msg": "insufficient"}"#);
    let unknown = ["Unaccounted", "Unaccounted"].map(str::to_owned);
    let cases = [
        (format!("[{a}, {b}]"), format!(r#"{{"list": [{ok}, {ok}]}}"#), ["done", "done"].map(str::to_owned)),
        (format!("[{a}, {refused}]"), format!(r#"{{"list": [{ok}, {wrong}]}}"#), ["done", "110007"].map(str::to_owned)),
        (format!("[{refused}, {b}]"), format!(r#"{{"list": [{wrong}, {ok}]}}"#), ["110007", "done"].map(str::to_owned)),
        // The ids in the data identify the orders, not the order of the request.
        (format!("[{b}, {a}]"), format!(r#"{{"list": [{wrong}, {ok}]}}"#), ["done", "110007"].map(str::to_owned)),
        // Codes that cannot be distinguished belong to no order.
        (format!("[{a}, {b}]"), format!(r#"{{"list": [{ok}]}}"#), unknown.clone()),
        (format!("[{a}, {b}]"), format!(r#"{{"list": [{ok}, {ok}, {wrong}]}}"#), unknown.clone()),
        (format!("[{a}, {b}]"), r#"{"list": [{}, {}]}"#.to_owned(), unknown.clone()),
        (format!("[{a}, {b}]"), "{}".to_owned(), unknown),
    ];
    for (list, beside, expected) in cases {
        assert_eq!(outcomes(&list, &beside).await, expected, "{list} {beside}");
    }
}
