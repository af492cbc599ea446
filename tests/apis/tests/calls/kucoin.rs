//! KuCoin.

use apis::kucoin::spot::{
    AddOrder, BatchAddOrders, BatchOrder, CancelOrderByClientOid, ClientOid, GetOpenOrders, GetTicker, OrderType, Side,
};
use apis::kucoin::{Client, Credentials, Error, dec};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{base64, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "phrase"));
    builder.limits(LimitMode::Refuse).build().unwrap()
}

fn order(id: &str) -> AddOrder {
    AddOrder::new("BTC-USDT", OrderType::Limit, Side::Buy)
        .price(dec!(50000))
        .size(dec!(0.00001))
        .client_oid(ClientOid::new(id).unwrap())
}

/// The time, the method, the path with its query, and the body are signed; so is the passphrase.
fn assert_signed(request: &Request) {
    let at = request.header("KC-API-TIMESTAMP").unwrap();
    assert_eq!(at.len(), 13, "{at}");
    let query = request.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let text = format!("{at}{}{}{query}{}", request.method, request.path, request.text());
    let signed = |text: &str| base64(&hmac_sha256(b"secret", text));
    assert_eq!(request.header("KC-API-SIGN"), Some(signed(&text).as_str()));
    assert_eq!(request.header("KC-API-PASSPHRASE"), Some(signed("phrase").as_str()));
    assert_eq!((request.header("KC-API-KEY"), request.header("KC-API-KEY-VERSION")), (Some("key"), Some("2")));
}

#[tokio::test]
async fn orders_are_placed_listed_and_cancelled() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"code": "200000", "data": {"orderId": "1", "clientOid": "a"}}"#));
    let placed = client.spot().add_order(&order("a")).await.unwrap();
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "1");
    server.answer_next(Answer::json(
        r#"{"code": "200000", "data": [{"id": "1", "clientOid": "a", "active": true, "createdAt": 1729235902748}]}"#,
    ));
    let listed = client.spot().get_open_orders(&GetOpenOrders::new("BTC-USDT")).await.unwrap();
    assert_eq!(listed.data[0].created_at.unwrap().as_millis(), 1_729_235_902_748);
    server.answer_next(Answer::json(r#"{"code": "200000", "data": {"clientOid": "a"}}"#));
    let cancel = CancelOrderByClientOid::new(ClientOid::new("a").unwrap(), "BTC-USDT");
    client.spot().cancel_order_by_client_oid(&cancel).await.unwrap();
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    assert_eq!(requests[2].path, "/api/v1/hf/orders/client-order/a");
}

#[tokio::test]
async fn a_failure_has_a_code_and_a_message() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code": "400002", "msg": "Invalid KC-API-TIMESTAMP"}"#));
    let error = client(&server).spot().add_order(&order("a")).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.message.as_str(), refused.proves), ("Invalid KC-API-TIMESTAMP", Some(CodeProof::Timestamp)));
}

#[tokio::test]
async fn each_order_of_a_batch_succeeds_or_fails_by_itself() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(
        r#"{"code": "200000", "data": [{"orderId": "1", "clientOid": "a", "success": true},
            {"success": false, "failMsg": "The order funds are too low."}]}"#,
    ));
    let order = |id: &str| {
        let id = ClientOid::new(id).unwrap();
        BatchOrder::new(id, "BTC-USDT", OrderType::Limit, Side::Buy).price(dec!(2)).size(dec!(1))
    };
    let report = client(&server).batch(BatchAddOrders::new(vec![order("a"), order("b")])).send().await.unwrap();
    let [ItemOutcome::Done(placed), ItemOutcome::Failed(error)] = [0, 1].map(|item| &report.items[item].outcome) else {
        panic!("{report}")
    };
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "1");
    assert_eq!(error.message.as_str(), "The order funds are too low.");
}

/// One header reports both pools; an answer reports the pool of its own call.
#[tokio::test]
async fn a_header_reports_the_pool_of_the_call() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let ticker = || Answer::json(r#"{"code": "200000", "data": {"time": 1729172965609, "price": "67232.9"}}"#);
    server.answer_next(ticker().header("gw-ratelimit-remaining", "0").header("gw-ratelimit-reset", "30000"));
    client.spot().get_ticker(&GetTicker::new("BTC-USDT")).await.unwrap();
    let refused = client.spot().get_ticker(&GetTicker::new("BTC-USDT")).await;
    assert!(matches!(refused, Err(Error::Limited(_))), "{refused:?}");
    server.answer_next(Answer::json(r#"{"code": "200000", "data": {"orderId": "1", "clientOid": "a"}}"#));
    client.spot().add_order(&order("a")).await.unwrap();
    assert!(server.requests()[0].header("KC-API-SIGN").is_none());
}
