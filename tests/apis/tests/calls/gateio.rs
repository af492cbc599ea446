//! Gate.io, version 4.

use apis::gateio::spot::{
    BatchOrder, CancelASingleOrder, CreateABatchOfOrders, CreateAnOrder, CurrencyPair, GetServerCurrentTime,
    ListOrders, Listed, OrderType, Side, Text,
};
use apis::gateio::{Client, Credentials, Error, dec};
use sha2::{Digest, Sha512};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha512};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Returns the documented signature.
fn signature(method: &str, path: &str, query: &str, body: &[u8], at: &str) -> String {
    let digest = hex(&Sha512::digest(body));
    hex(&hmac_sha512(b"secret", format!("{method}\n{path}\n{query}\n{digest}\n{at}").as_bytes()))
}

fn assert_signed(request: &Request, query: &str) {
    let at = request.header("Timestamp").unwrap();
    assert_eq!(at.len(), 10, "{at}");
    let expected = signature(&request.method, &request.path, query, &request.body, at);
    assert_eq!((request.header("SIGN"), request.header("KEY")), (Some(expected.as_str()), Some("key")));
}

/// The documented example.
#[test]
fn the_signature_is_that_of_the_documentation() {
    let query = "contract=BTC_USD&status=finished&limit=50";
    let expected = "55f84ea195d6fe57ce62464daaa7c3c02fa9d1dde954e4c898289c9a2407a3d6\
                    fb3faf24deff16790d726b66ac9f74526668b13bd01029199cc4fcc522418b8a";
    assert_eq!(signature("GET", "/api/v4/futures/orders", query, b"", "1541993715"), expected);
}

#[tokio::test]
async fn orders_are_placed_listed_and_cancelled() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let placed = r#"{"id": "1", "text": "t-a", "currency_pair": "BTC_USDT", "create_time_ms": 1710488334073}"#;
    server.answer_next(Answer::json(placed).header("X-Gate-RateLimit-Requests-Remain", "9"));
    let order = CreateAnOrder::new("BTC_USDT", Side::Buy, dec!(0.001)).price(dec!(65000));
    let order = order.order_type(OrderType::Limit).text(Text::new("t-a").unwrap());
    let reply = client.spot().create_an_order(&order).await.unwrap();
    assert_eq!((reply.created_at.unwrap().as_millis(), reply.remaining), (1_710_488_334_073, Some(9)));
    server.answer_next(Answer::json(r#"[{"id": "1", "status": "open"}]"#));
    let list = ListOrders::new("BTC_USDT", Listed::Open).limit(1);
    assert_eq!(client.spot().list_orders(&list).await.unwrap().data.len(), 1);
    server
        .answer_next(Answer::json(r#"{"id": "1", "text": "t-a", "currency_pair": "BTC/USDT", "status": "cancelled"}"#));
    client.spot().cancel_a_single_order(&CancelASingleOrder::new("t-a", "BTC/USDT")).await.unwrap();
    let requests = server.requests();
    assert_signed(&requests[0], "");
    assert_signed(&requests[1], "currency_pair=BTC_USDT&status=open&limit=1");
    assert_signed(&requests[2], "currency_pair=BTC/USDT");
    assert_eq!(requests[2].query.as_deref(), Some("currency_pair=BTC/USDT"));
    assert_eq!(requests[2].path, "/api/v4/spot/orders/t-a");
}

#[tokio::test]
async fn public_calls_are_not_signed() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"server_time": 1597026383085}"#));
    let time = client(&server).spot().get_server_current_time(&GetServerCurrentTime::new()).await.unwrap();
    assert_eq!(time.server_time.unwrap().as_millis(), 1_597_026_383_085);
    assert!(server.requests()[0].header("SIGN").is_none());
}

#[tokio::test]
async fn a_failure_has_a_label() {
    let server = ScriptedServer::start().unwrap();
    let refusal = r#"{"label": "ORDER_NOT_FOUND", "message": "Order not found"}"#;
    server.answer_next(Answer::new(404, refusal).header("content-type", "application/json"));
    let cancel = CancelASingleOrder::new("1", "BTC_USDT");
    let error = client(&server).spot().cancel_a_single_order(&cancel).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.message.as_str(), refused.proves), ("Order not found", Some(CodeProof::NoSuchOrder)));
}

#[tokio::test]
async fn an_id_of_the_caller_has_its_prefix() {
    let server = ScriptedServer::start().unwrap();
    let order = CreateAnOrder::new("BTC_USDT", Side::Buy, dec!(1)).price(dec!(2)).text(Text::new("a-1").unwrap());
    let error = client(&server).spot().create_an_order(&order).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && server.requests().is_empty(), "{error}");
}

#[tokio::test]
async fn orders_of_a_batch_succeed_or_fail_independently() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(
        r#"[{"id": "1", "text": "t-a", "succeeded": true, "label": "", "message": ""},
            {"text": "t-b", "succeeded": false, "label": "BALANCE_NOT_ENOUGH", "message": "Not enough balance"}]"#,
    ));
    let order = |text: &str| {
        BatchOrder::new(Text::new(text).unwrap(), CurrencyPair::from("BTC_USDT"), Side::Buy, dec!(1)).price(dec!(2))
    };
    let batch = CreateABatchOfOrders::new(vec![order("t-a"), order("t-b")]);
    let report = client(&server).batch(batch).send().await.unwrap();
    let [ItemOutcome::Done(placed), ItemOutcome::Failed(error)] = [0, 1].map(|item| &report.items[item].outcome) else {
        panic!("{report}")
    };
    assert_eq!((placed.id.as_ref().unwrap().as_str(), error.code.as_str()), ("1", "BALANCE_NOT_ENOUGH"));
}

/// The flag of an order without a label decides, and a contradictory order is unknown.
#[tokio::test]
async fn the_flag_of_an_order_decides() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(
        r#"[{"text": "t-a", "succeeded": false, "label": "", "message": "no"},
            {"text": "t-b", "succeeded": true, "label": "BALANCE_NOT_ENOUGH", "message": ""},
            {"text": "t-c", "label": "", "message": ""}]"#,
    ));
    let order = |text: &str| {
        BatchOrder::new(Text::new(text).unwrap(), CurrencyPair::from("BTC_USDT"), Side::Buy, dec!(1)).price(dec!(2))
    };
    let batch = CreateABatchOfOrders::new(vec![order("t-a"), order("t-b"), order("t-c")]);
    let report = client(&server).batch(batch).send().await.unwrap();
    let [ItemOutcome::Failed(error), ItemOutcome::Unaccounted, ItemOutcome::Unaccounted] =
        [0, 1, 2].map(|item| &report.items[item].outcome)
    else {
        panic!("{report}")
    };
    assert_eq!(error.message.as_str(), "no");
}
