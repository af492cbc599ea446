//! Gemini.

use apis::gemini::orders::{CancelOrder, ClientOrderId, Condition, ListTrades, NewOrder, OrderType, ReadOrder, Side};
use apis::gemini::{Client, Credentials, Error, dec};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha384};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Checks the payload and its signature, and returns the parameters after path and nonce.
fn payload(request: &Request) -> Value {
    assert_eq!((request.text().as_str(), request.header("content-type")), ("", None), "the body is not sent");
    let payload = request.header("X-GEMINI-PAYLOAD").unwrap();
    let signature = hex(&hmac_sha384(b"secret", payload));
    assert_eq!(
        (request.header("X-GEMINI-SIGNATURE"), request.header("X-GEMINI-APIKEY")),
        (Some(&*signature), Some("key"))
    );
    let mut says: Value = serde_json::from_slice(&STANDARD.decode(payload).unwrap()).unwrap();
    let members = says.as_object_mut().unwrap();
    assert_eq!(members.remove("request").unwrap(), request.path.as_str());
    let nonce = members.remove("nonce").unwrap();
    assert_eq!(nonce.as_str().unwrap().len(), 10, "{nonce} is in seconds");
    says
}

/// The documented example.
#[test]
fn the_signature_is_that_of_the_documentation() {
    let payload = "ewogICAgInJlcXVlc3QiOiAiL3YxL29yZGVyL3N0YXR1cyIsCiAgICAibm9uY2UiOiAxMjM0NTYsCgogICAgIm9yZGVyX2lkIjogMTg4MzQKfQo=";
    let expected = "337cc8b4ea692cfe65b4a85fcc9f042b2e3f702ac956fd098d600ab15705775017beae402be773ceee10719ff70d710f";
    assert_eq!(hex(&hmac_sha384(b"1234abcd", payload)), expected);
}

#[tokio::test]
async fn a_payload_is_sent_in_a_header() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"order_id": "1", "client_order_id": "desk-1", "is_live": true}"#));
    let order = NewOrder::new("btcusd", dec!(5), dec!(3633.00), Side::Buy, OrderType::ExchangeLimit)
        .client_order_id(ClientOrderId::new("desk-1").unwrap())
        .options(vec![Condition::MakerOrCancel]);
    let placed = client.orders().new_order(&order).await.unwrap();
    assert_eq!((placed.order_id.as_ref().unwrap().as_str(), placed.is_live), ("1", Some(true)));
    server.answer_next(Answer::json(r#"{"order_id": "1", "is_cancelled": true}"#));
    client.orders().cancel_order(&CancelOrder::new("1")).await.unwrap();
    let requests = server.requests();
    let expected = json!({"client_order_id": "desk-1", "symbol": "btcusd", "amount": "5", "price": "3633.00", "side": "buy",
                          "type": "exchange limit", "options": ["maker-or-cancel"]});
    assert_eq!(payload(&requests[0]), expected);
    assert_eq!(payload(&requests[1]), json!({"order_id": "1"}));
}

#[tokio::test]
async fn a_public_call_has_no_credentials() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"[{"tid": 5335307668, "price": "3610.85", "type": "buy"}]"#));
    let trades = client(&server).orders().list_trades(&ListTrades::new("btcusd").limit_trades(1)).await.unwrap();
    assert_eq!(trades.data[0].trade_id, Some(5_335_307_668));
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), request.query.as_deref()), ("/v1/trades/btcusd", Some("limit_trades=1")));
    assert!(request.header("X-GEMINI-PAYLOAD").is_none() && request.header("X-GEMINI-APIKEY").is_none());
}

#[tokio::test]
async fn a_failure_has_a_reason() {
    let server = ScriptedServer::start().unwrap();
    let refusal = r#"{"result": "error", "reason": "OrderNotFound", "message": "Order not found"}"#;
    server.answer_next(Answer::new(404, refusal).header("content-type", "application/json"));
    let read = ReadOrder::new(ClientOrderId::new("desk-1").unwrap());
    let error = client(&server).orders().read_order(&read).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.message.as_str(), refused.proves), ("Order not found", Some(CodeProof::NoSuchOrder)));
}
