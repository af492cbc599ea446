//! Crypto.com.

use apis::cryptocom::trading::{
    CancelOrder, ClientOid, Contingency, CreateOrder, CreateOrderList, ExecInst, GetOpenOrders, GetOrderDetail,
    GetTickers, ListedOrder, OrderId, OrderRef, OrderType, Side, TimeInForce,
};
use apis::cryptocom::{Client, Credentials, Error, dec};
use serde_json::{Value, json};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::tables::{CodeProof, Outcome};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Checks the names and the signature of a call, and returns its parameters.
fn parameters(request: &Request, method: &str, pairs: &str) -> Value {
    assert_eq!(request.path, format!("/exchange/v1/{method}"));
    let mut body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!((&body["method"], &body["api_key"]), (&json!(method), &json!("key")));
    let (id, nonce) = (body["id"].as_u64().unwrap(), body["nonce"].as_u64().unwrap());
    let signed = format!("{method}{id}key{pairs}{nonce}");
    assert_eq!(body["sig"], hex(&hmac_sha256(b"secret", &signed)), "{signed}");
    assert_eq!(body.as_object().unwrap().len(), 6);
    body["params"].take()
}

#[tokio::test]
async fn parameters_are_signed_in_the_order_of_their_names() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"code": 0, "result": {"client_oid": "desk-1", "order_id": "1"}}"#));
    let order = CreateOrder::new("BTCUSD-PERP", Side::Buy, OrderType::Limit)
        .price(dec!(50000.5))
        .quantity(dec!(1))
        .client_oid(ClientOid::new("desk-1").unwrap())
        .exec_inst(vec![ExecInst::PostOnly])
        .time_in_force(TimeInForce::GoodTillCancel);
    let placed = client.trading().create_order(&order).await.unwrap();
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "1");
    server.answer_next(Answer::json(r#"{"code": 0, "result": {"order_id": "1"}}"#));
    client.trading().cancel_order(&CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))).await.unwrap();
    server.answer_next(Answer::json(r#"{"code": 0, "result": {"data": [{"order_id": "1", "status": "ACTIVE"}]}}"#));
    let open = client.trading().get_open_orders(&GetOpenOrders::new()).await.unwrap();
    assert_eq!(open.data[0].order_id.as_ref().unwrap().as_str(), "1");
    let requests = server.requests();
    let sent = "client_oiddesk-1exec_instPOST_ONLYinstrument_nameBTCUSD-PERPprice50000.5quantity1sideBUY\
                time_in_forceGOOD_TILL_CANCELtypeLIMIT";
    let expected = json!({"instrument_name": "BTCUSD-PERP", "side": "BUY", "type": "LIMIT", "price": "50000.5",
                          "quantity": "1", "client_oid": "desk-1", "exec_inst": ["POST_ONLY"],
                          "time_in_force": "GOOD_TILL_CANCEL"});
    assert_eq!(parameters(&requests[0], "private/create-order", sent), expected);
    assert_eq!(parameters(&requests[1], "private/cancel-order", "order_id1"), json!({"order_id": "1"}));
    assert_eq!(parameters(&requests[2], "private/get-open-orders", ""), json!({}));
}

#[tokio::test]
async fn a_list_is_signed_with_its_items() {
    let server = ScriptedServer::start().unwrap();
    let orders = ["a", "b"].map(|id| {
        ListedOrder::new("ONE_USDT", Side::Buy, OrderType::Limit)
            .price(dec!(0.24))
            .quantity(dec!(10))
            .client_oid(ClientOid::new(id).unwrap())
    });
    let results = r#"{"code": 0, "result": [{"code": 0, "index": 0, "client_oid": "a", "order_id": "2"},
        {"code": 306, "index": 1, "message": "INSUFFICIENT_AVAILABLE_BALANCE", "client_oid": "b"}]}"#;
    server.answer_next(Answer::json(results));
    let client = client(&server);
    let batch = client.batch(CreateOrderList::new(Contingency::List, orders.to_vec()));
    let report = batch.send().await.unwrap();
    let [first, second] = report.items.as_slice() else { panic!("{report:?}") };
    assert!(matches!((&first.outcome, &second.outcome), (ItemOutcome::Done(_), ItemOutcome::Failed(_))), "{report:?}");
    let own = |id: &str| format!("client_oid{id}instrument_nameONE_USDTprice0.24quantity10sideBUYtypeLIMIT");
    let sent = format!("contingency_typeLISTorder_list{}{}", own("a"), own("b"));
    parameters(&server.requests()[0], "private/create-order-list", &sent);
}

/// The id of a call distinguishes its answer from that to another one.
#[tokio::test]
async fn an_answer_to_another_call_is_no_success() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"id": 0, "code": 0, "result": {"order_id": "1"}}"#));
    let order = CreateOrder::new("BTCUSD-PERP", Side::Buy, OrderType::Market).quantity(dec!(1));
    let error = client(&server).trading().create_order(&order).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
}

#[tokio::test]
async fn a_public_call_is_a_query_and_a_failure_has_a_number() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(
        r#"{"id": -1, "code": 0, "result": {"data": [{"i": "BTCUSD-PERP", "a": "51790.00", "t": 1613580710768}]}}"#,
    ));
    let tickers = client.trading().get_tickers(&GetTickers::new().instrument_name("BTCUSD-PERP")).await.unwrap();
    assert_eq!(tickers.data[0].last, Some(dec!(51790.00)));
    let request = &server.requests()[0];
    let target = (request.path.as_str(), request.query.as_deref(), request.text());
    assert_eq!(target, ("/exchange/v1/public/get-tickers", Some("instrument_name=BTCUSD-PERP"), String::new()));
    let refusal = r#"{"method": "private/get-order-detail", "code": 212, "message": "INVALID_ORDERID"}"#;
    server.answer_next(Answer::new(400, refusal).header("content-type", "application/json"));
    let read = GetOrderDetail::new(OrderRef::ClientOid(ClientOid::new("none").unwrap()));
    let error = client.trading().get_order_detail(&read).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.message.as_str(), refused.proves), ("INVALID_ORDERID", Some(CodeProof::NoSuchOrder)));
}
