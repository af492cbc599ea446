//! Coinbase, Advanced Trade.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use exchanges::coinbase::orders::{
    CancelOrders, ClientOrderId, ClosePosition, GetOrder, GetServerTime, OrderId, Status,
};
use exchanges::coinbase::{Client, Credentials, Error};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use tradeapi_runtime::tables::{CodeProof, Outcome};
use tradeapi_sandbox::{Answer, Request, Sandbox};

const KEY: &str = "organizations/o/apiKeys/k";
const PUBLIC: &str = "BLoho7X2Y9lshiXpfT2YIDN7QPC/SWwOLbGg4+XOp9tGKdR1SOIYn2SxhBM1a1ixks90M1Z5xelFmnO9BWyVBoA=";

fn client(sandbox: &Sandbox) -> Client {
    let credentials = Credentials::new(KEY, include_str!("key.pem"), "");
    Client::builder(sandbox.url()).credentials(credentials).build().unwrap()
}

/// Checks the token of a request, and returns its nonce.
fn signed(sandbox: &Sandbox, request: &Request) -> String {
    let token = request.header("Authorization").unwrap().strip_prefix("Bearer ").unwrap();
    let (text, signature) = token.rsplit_once('.').unwrap();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, STANDARD.decode(PUBLIC).unwrap());
    public.verify(text.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    let parts: Vec<serde_json::Value> =
        text.split('.').map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()).collect();
    let (header, claims) = (&parts[0], &parts[1]);
    assert_eq!((&header["alg"], &header["kid"]), (&"ES256".into(), &KEY.into()));
    assert_eq!((&claims["iss"], &claims["sub"]), (&"cdp".into(), &KEY.into()));
    assert_eq!(claims["uri"], format!("{} {}{}", request.method, sandbox.address(), request.path));
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["nbf"].as_u64().unwrap(), 120);
    header["nonce"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_request_has_a_token_of_its_own() {
    let sandbox = Sandbox::start().unwrap();
    let client = client(&sandbox);
    sandbox.answer_next(Answer::json(r#"{"order": {"order_id": "1", "status": "OPEN"}}"#));
    let order = client.orders().get_order(&GetOrder::new("1")).await.unwrap();
    assert_eq!(order.data.status, Some(Status::Open));
    sandbox.answer_next(Answer::json(r#"{"results": [{"success": true, "order_id": "1"}]}"#));
    let cancelled = client.orders().cancel_orders(&CancelOrders::new(vec![OrderId::from("1")])).await.unwrap();
    assert_eq!(cancelled.data[0].success, Some(true));
    sandbox.answer_next(Answer::json(r#"{"success": true, "success_response": {"order_id": "2"}}"#));
    let closed = client
        .orders()
        .close_position(&ClosePosition::new(ClientOrderId::new("a").unwrap(), "BIT-28JUL23-CDE"))
        .await
        .unwrap();
    assert_eq!(closed.order_id.as_ref().unwrap().as_str(), "2");
    let nonces: Vec<_> = sandbox.requests().iter().map(|request| signed(&sandbox, request)).collect();
    assert!(nonces.len() == 3 && nonces[0] != nonces[1] && nonces[1] != nonces[2]);
}

#[tokio::test]
async fn codes_stand_in_two_places() {
    let sandbox = Sandbox::start().unwrap();
    let client = client(&sandbox);
    let close = ClosePosition::new(ClientOrderId::new("a").unwrap(), "BIT-28JUL23-CDE");
    sandbox.answer_next(Answer::json(
        r#"{"success": false, "error_response": {"error": "INSUFFICIENT_FUND", "message": "Too little"}}"#,
    ));
    let error = client.orders().close_position(&close).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("INSUFFICIENT_FUND", "Too little"));
    assert_eq!(refused.outcome, Outcome::NotDone);
    sandbox.answer_next(Answer::new(404, r#"{"error": "NOT_FOUND", "code": 5, "message": "order not found"}"#));
    let error = client.orders().get_order(&GetOrder::new("1")).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.proves, refused.message.as_str()), (Some(CodeProof::NoSuchOrder), "order not found"));
    sandbox.answer_next(Answer::new(401, "Unauthorized"));
    let error = client.orders().get_order(&GetOrder::new("1")).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.proves), ("401", Some(CodeProof::Credentials)));
}

#[tokio::test]
async fn the_whole_body_is_the_data_where_no_member_has_it() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"iso": "2023-07-06T18:50:48Z", "epochSeconds": "1688669448"}"#));
    let time = client(&sandbox).orders().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.iso.as_deref(), Some("2023-07-06T18:50:48Z"));
}
