//! HTX.

use apis::htx::spot::{
    BatchOrder, ClientOrderId, GetClientOrder, GetCurrentTimestamp, OrderType, PlaceABatchOfOrders, PlaceANewOrder,
    SubmitCancelForAnOrder,
};
use apis::htx::{Client, Credentials, Error, dec};
use serde_json::{Value, json};
use tradeapi_runtime::batches::ItemOutcome;
use tradeapi_runtime::tables::{CodeProof, Outcome};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{base64, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

fn order() -> PlaceANewOrder {
    PlaceANewOrder::new("100009", "ethusdt", OrderType::BuyLimit, dec!(10.1))
        .price(dec!(100.1))
        .client_order_id(ClientOrderId::new("a0001").unwrap())
}

/// Checks the signature of a query, and returns its own parameters.
fn query(server: &ScriptedServer, request: &Request) -> Vec<String> {
    let query = request.query.as_deref().unwrap();
    let (unsigned, signature) = query.split_once("&Signature=").unwrap();
    let time = unsigned.split('&').find_map(|pair| pair.strip_prefix("Timestamp=")).unwrap();
    assert_eq!(time.matches("%3A").count(), 2, "escaped, as the documentation has it: {time}");
    let mut pairs: Vec<_> = unsigned.split('&').collect();
    pairs.sort_unstable();
    let host = server.url().trim_start_matches("http://").to_owned();
    let signed = format!("{}\n{host}\n{}\n{}", request.method, request.path, pairs.join("&"));
    let expected = base64(&hmac_sha256(b"secret", &signed)).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    assert_eq!(signature, expected, "{signed}");
    let own = |pair: &&str| {
        ["AccessKeyId", "Timestamp", "SignatureM", "SignatureV"].iter().all(|name| !pair.starts_with(name))
    };
    unsigned.split('&').filter(own).map(str::to_owned).collect()
}

#[tokio::test]
async fn an_order_is_answered_by_its_id_alone() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"status": "ok", "data": "59378"}"#));
    let placed = client.spot().place_a_new_order(&order()).await.unwrap();
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "59378");
    let found = r#"{"status": "ok", "data": {"id": 59378, "client-order-id": "a0001", "account-id": 100009}}"#;
    server.answer_next(Answer::json(found));
    let read = GetClientOrder::new(ClientOrderId::new("a0001").unwrap());
    let found = client.spot().get_client_order(&read).await.unwrap();
    assert_eq!((found.id.as_ref().unwrap().as_str(), found.account_id.as_deref()), ("59378", Some("100009")));
    let requests = server.requests();
    let sent: Value = serde_json::from_slice(&requests[0].body).unwrap();
    let expected = json!({"account-id": "100009", "symbol": "ethusdt", "type": "buy-limit", "amount": "10.1",
                          "price": "100.1", "client-order-id": "a0001"});
    assert_eq!((sent, query(&server, &requests[0])), (expected, vec![]));
    assert_eq!(query(&server, &requests[1]), ["clientOrderId=a0001"]);
}

#[tokio::test]
async fn an_id_that_is_the_whole_answer_is_compared() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    for (id, is_done) in [("59378", true), ("59379", false)] {
        server.answer_next(Answer::json(json!({"status": "ok", "data": id}).to_string()));
        let cancelled = client.spot().submit_cancel_for_an_order(&SubmitCancelForAnOrder::new("59378")).await;
        assert_eq!(cancelled.is_ok(), is_done, "{id}");
        assert!(cancelled.is_ok() || cancelled.unwrap_err().outcome() == Outcome::Unknown);
    }
}

#[tokio::test]
async fn an_answer_of_another_form_is_no_success() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    for answer in [r#"{"status": "ok", "data": {"id": 1}}"#, r#"{"status": "ok", "data": [1]}"#] {
        server.answer_next(Answer::json(answer));
        let error = client.spot().place_a_new_order(&order()).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{answer}");
    }
}

#[tokio::test]
async fn items_of_a_batch_fail_independently() {
    let server = ScriptedServer::start().unwrap();
    let orders = ["a", "b"].map(|id| {
        BatchOrder::new("1", "btcusdt", OrderType::BuyLimit, dec!(1)).client_order_id(ClientOrderId::new(id).unwrap())
    });
    let results = r#"{"status": "ok", "data": [{"order-id": "7", "client-order-id": "a"},
        {"client-order-id": "b", "err-code": "invalid-parameter", "err-msg": "too small"}]}"#;
    server.answer_next(Answer::json(results));
    let client = client(&server);
    let report = client.batch(PlaceABatchOfOrders::new(orders.to_vec())).send().await.unwrap();
    let [first, second] = report.items.as_slice() else { panic!("{report:?}") };
    assert!(matches!((&first.outcome, &second.outcome), (ItemOutcome::Done(_), ItemOutcome::Failed(_))), "{report:?}");
}

#[tokio::test]
async fn a_failure_has_a_code_and_a_time_is_a_number() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let refusal =
        r#"{"status": "error", "err-code": "base-record-invalid", "err-msg": "record invalid", "data": null}"#;
    server.answer_next(Answer::json(refusal));
    let read = GetClientOrder::new(ClientOrderId::new("a0002").unwrap());
    let error = client.spot().get_client_order(&read).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.message.as_str(), refused.proves), ("record invalid", Some(CodeProof::NoSuchOrder)));
    server.answer_next(Answer::json(r#"{"status": "ok", "data": 1494900087029}"#));
    let clock = client.spot().get_current_timestamp(&GetCurrentTimestamp::new()).await.unwrap();
    assert_eq!(clock.now.unwrap().as_millis(), 1_494_900_087_029);
    assert_eq!(server.requests()[1].query, None, "a public call carries nothing");
}
