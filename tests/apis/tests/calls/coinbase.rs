//! Coinbase, Advanced Trade.

use apis::coinbase::orders::{
    CancelOrders, ClientOrderId, ClosePosition, CreateOrder, GetOrder, GetServerTime, LimitOrder, ListOrders,
    OrderConfiguration, OrderId, ProductId, Side, Status,
};
use apis::coinbase::{Client, Credentials, Error, Timestamp, dec};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use tradeapi_runtime::tables::{CodeProof, Outcome};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

const KEY: &str = "organizations/o/apiKeys/k";
const PUBLIC: &str = "BLoho7X2Y9lshiXpfT2YIDN7QPC/SWwOLbGg4+XOp9tGKdR1SOIYn2SxhBM1a1ixks90M1Z5xelFmnO9BWyVBoA=";

fn client(server: &ScriptedServer) -> Client {
    let credentials = Credentials::new(KEY, include_str!("key.pem"), "");
    Client::builder(server.url()).credentials(credentials).build().unwrap()
}

/// Checks the token of a request, and returns its nonce.
fn signed(server: &ScriptedServer, request: &Request) -> String {
    let token = request.header("Authorization").unwrap().strip_prefix("Bearer ").unwrap();
    let (text, signature) = token.rsplit_once('.').unwrap();
    let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, STANDARD.decode(PUBLIC).unwrap());
    public.verify(text.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
    let parts: Vec<serde_json::Value> =
        text.split('.').map(|part| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()).collect();
    let (header, claims) = (&parts[0], &parts[1]);
    assert_eq!((&header["alg"], &header["kid"]), (&"ES256".into(), &KEY.into()));
    assert_eq!((&claims["iss"], &claims["sub"]), (&"cdp".into(), &KEY.into()));
    assert_eq!(claims["uri"], format!("{} {}{}", request.method, server.address(), request.path));
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["nbf"].as_u64().unwrap(), 120);
    header["nonce"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_request_has_a_token_of_its_own() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"order": {"order_id": "1", "status": "OPEN"}}"#));
    let order = client.orders().get_order(&GetOrder::new("1")).await.unwrap();
    assert_eq!(order.data.status, Some(Status::Open));
    server.answer_next(Answer::json(r#"{"results": [{"success": true, "order_id": "1"}]}"#));
    let cancelled = client.orders().cancel_orders(&CancelOrders::new(vec![OrderId::from("1")])).await.unwrap();
    assert_eq!(cancelled.data[0].success, Some(true));
    server.answer_next(Answer::json(
        r#"{"success": true, "success_response": {"order_id": "2", "client_order_id": "a"}}"#,
    ));
    let closed = client
        .orders()
        .close_position(&ClosePosition::new(ClientOrderId::new("a").unwrap(), "BIT-28JUL23-CDE"))
        .await
        .unwrap();
    assert_eq!(closed.order_id.as_ref().unwrap().as_str(), "2");
    let nonces: Vec<_> = server.requests().iter().map(|request| signed(&server, request)).collect();
    assert!(nonces.len() == 3 && nonces[0] != nonces[1] && nonces[1] != nonces[2]);
}

#[tokio::test]
async fn an_order_states_its_execution_in_an_inner_object() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(
        r#"{"success": true, "success_response": {"order_id": "1", "product_id": "BTC-USD", "side": "BUY",
            "client_order_id": "a"}, "order_configuration": {"limit_limit_gtc": {"base_size": "0.001"}}}"#,
    ));
    let limit = OrderConfiguration::new().limit_limit_gtc(LimitOrder::new(dec!(0.001), dec!(10000)).post_only(true));
    let order = CreateOrder::new(ClientOrderId::new("a").unwrap(), "BTC-USD", Side::Buy, limit);
    assert_eq!(client.orders().create_order(&order).await.unwrap().order_id.as_ref().unwrap().as_str(), "1");
    server.answer_next(Answer::json(
        r#"{"orders": [{"order_id": "1", "created_time": "2021-05-31T09:59:59.000Z"}], "cursor": ""}"#,
    ));
    let products = vec![ProductId::from("BTC-USD"), ProductId::from("ETH-USD")];
    let list = client.orders().list_orders(&ListOrders::new().product_ids(products)).await.unwrap();
    assert_eq!(Timestamp::from(list.data.orders[0].created_time.unwrap()).as_millis(), 1_622_455_199_000);
    let requests = server.requests();
    requests.iter().for_each(|request| assert!(!signed(&server, request).is_empty()));
    let configuration = r#"{"limit_limit_gtc":{"base_size":"0.001","limit_price":"10000","post_only":true}}"#;
    assert!(
        requests[0].text().contains(&format!(r#""order_configuration":{configuration}"#)),
        "{}",
        requests[0].text()
    );
    assert_eq!(requests[1].query.as_deref(), Some("product_ids=BTC-USD&product_ids=ETH-USD"));
}

#[tokio::test]
async fn codes_are_in_two_places() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let close = ClosePosition::new(ClientOrderId::new("a").unwrap(), "BIT-28JUL23-CDE");
    server.answer_next(Answer::json(
        r#"{"success": false, "error_response": {"error": "INSUFFICIENT_FUND", "message": "Too little"}}"#,
    ));
    let error = client.orders().close_position(&close).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("INSUFFICIENT_FUND", "Too little"));
    assert_eq!(refused.outcome, Outcome::NotDone);
    server.answer_next(Answer::new(404, r#"{"error": "NOT_FOUND", "code": 5, "message": "order not found"}"#));
    let error = client.orders().get_order(&GetOrder::new("1")).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.proves, refused.message.as_str()), (Some(CodeProof::NoSuchOrder), "order not found"));
    server.answer_next(Answer::new(401, "Unauthorized"));
    let error = client.orders().get_order(&GetOrder::new("1")).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.proves), ("401", Some(CodeProof::Credentials)));
}

#[tokio::test]
async fn the_whole_body_is_the_data_where_no_member_has_it() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"iso": "2023-07-06T18:50:48Z", "epochSeconds": "1688669448"}"#));
    let time = client(&server).orders().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.iso.as_deref(), Some("2023-07-06T18:50:48Z"));
}
