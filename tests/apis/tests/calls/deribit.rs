//! Deribit, by JSON-RPC over HTTP.

use apis::deribit::trading::{Buy, Cancel, GetOrderState, OrderType, Test};
use apis::deribit::{Client, Credentials, Error, dec};
use tradeapi_runtime::tables::{CodeProof, Outcome};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

fn assert_signed(request: &Request) {
    let header = request.header("Authorization").unwrap().strip_prefix("deri-hmac-sha256 ").unwrap();
    let parts: Vec<_> = header.split(',').map(|part| part.split_once('=').unwrap()).collect();
    let [("id", "key"), ("ts", at), ("nonce", nonce), ("sig", signature)] = parts[..] else { panic!("{header}") };
    let text = format!("{at}\n{nonce}\n{}\n{}\n{}\n", request.method, request.path, request.text());
    assert_eq!(signature, hex(&hmac_sha256(b"secret", &text)));
}

fn call(request: &Request) -> (String, serde_json::Value, u64) {
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body["jsonrpc"], "2.0");
    (body["method"].as_str().unwrap().to_owned(), body["params"].clone(), body["id"].as_u64().unwrap())
}

/// Returns an answer to a call, with its id.
fn answered(request: &Request, members: &str) -> String {
    format!(r#"{{"jsonrpc": "2.0", "id": {}, {members}}}"#, call(request).2)
}

#[tokio::test]
async fn parameters_are_those_of_a_call() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_otherwise(|request| {
        let result = match call(request) {
            (method, ..) if method == "private/buy" => r#"{"order": {"order_id": "ETH-1", "order_state": "open"}}"#,
            _ => r#"{"order_id": "ETH-1", "order_state": "cancelled"}"#,
        };
        Answer::json(answered(request, &format!(r#""result": {result}, "usIn": 1"#)))
    });
    let buy = Buy::new("ETH-PERPETUAL", dec!(40)).order_type(OrderType::Limit).price(dec!(1500.5));
    let bought = client.trading().buy(&buy).await.unwrap();
    assert_eq!(bought.order.as_ref().unwrap().order_id.as_ref().unwrap().as_str(), "ETH-1");
    client.trading().cancel(&Cancel::new("ETH-1")).await.unwrap();
    client.trading().get_order_state(&GetOrderState::new("ETH-1")).await.unwrap();
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    let calls: Vec<_> = requests.iter().map(call).collect();
    assert_eq!(calls[0].0, "private/buy");
    assert_eq!(
        calls[0].1,
        serde_json::json!({"instrument_name": "ETH-PERPETUAL", "amount": 40, "type": "limit", "price": 1500.5})
    );
    assert_eq!((calls[1].0.as_str(), calls[2].0.as_str()), ("private/cancel", "private/get_order_state"));
    assert!(calls[0].2 < calls[1].2 && calls[1].2 < calls[2].2);
}

#[tokio::test]
async fn an_error_has_its_code_within() {
    let server = ScriptedServer::start().unwrap();
    let body = r#""error": {"message": "not_enough_funds", "code": 10009}, "testnet": true"#;
    for status in [200, 400] {
        server.answer_otherwise(move |request| Answer::new(status, answered(request, body)));
        let error = client(&server).trading().buy(&Buy::new("ETH-PERPETUAL", dec!(40))).await.unwrap_err();
        let Error::Exchange(refused) = &error else { panic!("{error}") };
        assert_eq!((refused.code.as_str(), refused.message.as_str()), ("10009", "not_enough_funds"));
        assert_eq!((refused.proves, refused.outcome), (Some(CodeProof::NotDone), Outcome::NotDone));
    }
}

#[tokio::test]
async fn a_public_call_is_not_signed() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| Answer::json(answered(request, r#""result": {"version": "1.2.26"}"#)));
    let client = Client::builder(server.url()).build().unwrap();
    assert_eq!(client.trading().test(&Test::new()).await.unwrap().version.as_deref(), Some("1.2.26"));
    let request = &server.requests()[0];
    assert!(request.header("Authorization").is_none());
    assert_eq!(call(request).1, serde_json::json!({}));
}

/// An answer to another call, success or refusal, proves nothing about this one. A refusal that belongs to no call has
/// no id.
#[tokio::test]
async fn an_answer_to_another_call_proves_nothing() {
    let result = r#""result": {"order": {"order_id": "ETH-1", "order_state": "open"}}"#;
    let refusal = r#""error": {"message": "not_enough_funds", "code": 10009}"#;
    let server = ScriptedServer::start().unwrap();
    for members in [result, refusal] {
        server.answer_otherwise(move |_| Answer::json(format!(r#"{{"jsonrpc": "2.0", "id": 0, {members}}}"#)));
        let error = client(&server).trading().buy(&Buy::new("ETH-PERPETUAL", dec!(40))).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Unknown, "{members}: {error}");
        assert!(error.to_string().contains("another call"), "{error}");
    }
    for id in [r#""id": null, "#, ""] {
        server.answer_otherwise(move |_| Answer::json(format!(r#"{{"jsonrpc": "2.0", {id}{refusal}}}"#)));
        let error = client(&server).trading().buy(&Buy::new("ETH-PERPETUAL", dec!(40))).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::NotDone, "{id}: {error}");
    }
}
