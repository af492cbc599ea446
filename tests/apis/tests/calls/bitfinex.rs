//! Bitfinex.

use apis::bitfinex::orders::{CancelOrder, OrderType, ReadTicker, RetrieveOrders, SubmitOrder};
use apis::bitfinex::{Client, Credentials, Error, dec};
use serde_json::{Value, json};
use tradeapi_runtime::tables::{CredentialCause, Outcome};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha384};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Checks the signature of a request, and returns the body.
fn body(request: &Request) -> Value {
    let nonce = request.header("bfx-nonce").unwrap();
    let signed = format!("/api{}{nonce}{}", request.path, request.text());
    assert_eq!(request.header("bfx-signature"), Some(&*hex(&hmac_sha384(b"secret", &signed))));
    assert_eq!(request.header("bfx-apikey"), Some("key"));
    serde_json::from_slice(&request.body).unwrap()
}

#[tokio::test]
async fn answers_are_arrays() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(
        r#"[1573482478, "on-req", null, null,
            [[37271830598, null, 1573476747887, "tBTCUSD", 1573482478000, 1573482478000, -0.1, -0.1, "EXCHANGE LIMIT",
              null, null, null, 0, "ACTIVE", null, null, 1000, 0, 0, 0, null]], null, "SUCCESS", "Submitting 1 orders."]"#,
    ));
    let order = SubmitOrder::new(OrderType::Limit, "tBTCUSD", dec!(-0.1)).price(dec!(1000)).cid(1_573_476_747_887);
    let placed = client.orders().submit_order(&order).await.unwrap();
    let [placed] = &placed.data[..] else { panic!("{placed:?}") };
    assert_eq!(placed.id.as_ref().unwrap().as_str(), "37271830598");
    assert_eq!((placed.cid, placed.amount.clone()), (Some(1_573_476_747_887), Some(dec!(-0.1))));
    assert_eq!((placed.status.as_deref(), placed.price.clone()), (Some("ACTIVE"), Some(dec!(1000))));
    server.answer_next(Answer::json("[]"));
    assert!(client.orders().retrieve_orders(&RetrieveOrders::new().id(vec![1, 2])).await.unwrap().data.is_empty());
    let requests = server.requests();
    let expected = json!({"type": "EXCHANGE LIMIT", "symbol": "tBTCUSD", "amount": "-0.1", "price": "1000",
                          "cid": 1573476747887_u64});
    assert_eq!(body(&requests[0]), expected);
    assert_eq!(body(&requests[1]), json!({"id": [1, 2]}));
}

/// The answer to a cancellation has the order as an array, whose id is compared.
#[tokio::test]
async fn an_answer_about_another_order_is_not_a_success() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let answer = |id: u64| Answer::json(format!(r#"[1, "oc-req", null, null, [{id}, null, 7], null, "SUCCESS", ""]"#));
    server.answer_next(answer(5));
    client.orders().cancel_order(&CancelOrder::new(5)).await.unwrap();
    server.answer_next(answer(6));
    let error = client.orders().cancel_order(&CancelOrder::new(5)).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
}

#[tokio::test]
async fn a_failure_is_an_array_with_a_status_of_its_own() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let order = SubmitOrder::new(OrderType::Market, "tBTCUSD", dec!(1));
    server.answer_next(Answer::new(500, r#"["error", 10001, "Invalid order: not enough exchange balance"]"#));
    let error = client.orders().submit_order(&order).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.outcome), ("10001", Outcome::NotDone));
    assert_eq!(refused.message, "Invalid order: not enough exchange balance");
    server.answer_next(Answer::new(500, r#"["error", 10100, "apikey: invalid"]"#));
    let error = client.orders().submit_order(&order).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(refused.known.and_then(|known| known.cause), Some(CredentialCause::Key));
    // An array without a code, from a gateway, is not a refusal, nor is a truncated one.
    for other in ["[]", r#"["error", 10001"#] {
        server.answer_next(Answer::new(500, other));
        let error = client.orders().submit_order(&order).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{other}");
    }
}

#[tokio::test]
async fn an_answer_without_the_data_is_no_success() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let order = SubmitOrder::new(OrderType::Market, "tBTCUSD", dec!(1));
    for answer in [r#"[1, "on-req", null]"#, r#"{"a": 1}"#, r#"[1, "on-req", null, null, [[1]]"#] {
        server.answer_next(Answer::json(answer));
        let error = client.orders().submit_order(&order).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{answer}");
    }
}

#[tokio::test]
async fn a_public_call_has_no_credentials() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json("[10645, 73.9, 10647, 75.2, 731.6, 0.07, 10644, 14480.8, 10766, 9889.1]"));
    let ticker = client(&server).orders().read_ticker(&ReadTicker::new("tBTCUSD")).await.unwrap();
    assert_eq!((ticker.bid.clone(), ticker.low.clone()), (Some(dec!(10645)), Some(dec!(9889.1))));
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), request.header("bfx-apikey")), ("/v2/ticker/tBTCUSD", None));
}
