//! Kraken, spot.

use apis::kraken::spot::{
    AddOrder, CancelAllOrders, CancelOrder, ClOrdId, GetClosedOrders, GetOpenOrders, GetServerTime, GetWebsocketsToken,
    OrderType, Side,
};
use apis::kraken::{Client, Credentials, Error, Timestamp, dec};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use tradeapi_runtime::clock::FixedClock;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{base64, hmac_sha512};

/// The secret of the documented example.
const SECRET: &str = "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==";

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", SECRET, "")).build().unwrap()
}

/// Checks the signature, and returns the nonce.
fn signed(request: &Request) -> u64 {
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    let text = request.text();
    let nonce = text.strip_prefix("nonce=").unwrap().split('&').next().unwrap();
    let digest = Sha256::digest([nonce.as_bytes(), &request.body].concat());
    let text = [request.path.as_bytes(), &digest].concat();
    assert_eq!(request.header("API-Sign"), Some(&*base64(&hmac_sha512(&STANDARD.decode(SECRET).unwrap(), &text))));
    assert_eq!(request.header("API-Key"), Some("key"));
    nonce.parse().unwrap()
}

/// The client and the other tests' own implementation have the documented signature.
#[test]
fn the_documented_example_is_signed_as_documented() {
    let body = "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25";
    let digest = Sha256::digest(format!("1616492376594{body}"));
    let text = [b"/0/private/AddOrder".as_slice(), &digest].concat();
    let expected = "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==";
    assert_eq!(base64(&hmac_sha512(&STANDARD.decode(SECRET).unwrap(), &text)), expected);
    let credentials = Credentials::new("key", SECRET, "");
    let clock = FixedClock(Timestamp::from_millis(1_616_492_376_594));
    let client = Client::builder("https://api.kraken.com").credentials(credentials).clock(clock).build().unwrap();
    let order = AddOrder::new(OrderType::Limit, "XBTUSD", Side::Buy, dec!(1.25)).price(dec!(37500));
    let prepared = client.core().prepare(&order).unwrap();
    assert_eq!(prepared.body(), body);
    assert_eq!(prepared.headers().get("api-sign").unwrap(), expected);
}

#[tokio::test]
async fn each_call_has_a_larger_nonce() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"error": [], "result": {"descr": {"order": "buy"}, "txid": ["O-1"]}}"#));
    let order = AddOrder::new(OrderType::Limit, "XBTUSD", Side::Buy, dec!(1.25)).price(dec!(37500));
    let placed = client.spot().add_order(&order).await.unwrap();
    assert_eq!(placed.txid[0].as_str(), "O-1");
    server.answer_next(Answer::json(r#"{"error": [], "result": {"count": 1}}"#));
    assert_eq!(client.spot().cancel_order(&CancelOrder::new("O-1")).await.unwrap().count, Some(1));
    server.answer_next(Answer::json(r#"{"error": [], "result": {"count": 0}}"#));
    client.spot().cancel_all_orders(&CancelAllOrders::new()).await.unwrap();
    server.answer_next(Answer::json(r#"{"error": [], "result": {"token": "t"}}"#));
    client.spot().get_websockets_token(&GetWebsocketsToken::new()).await.unwrap();
    let nonces: Vec<_> = server.requests().iter().map(signed).collect();
    assert!(nonces.len() == 4 && nonces.is_sorted_by(|a, b| a < b), "{nonces:?}");
    assert!(server.requests()[0].text().ends_with("&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25"));
}

#[tokio::test]
async fn orders_are_listed_under_their_ids() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let order = r#"{"cl_ord_id": "desk-1", "status": "open", "opentm": 1616666559.8974, "vol": "1.25",
        "descr": {"pair": "XBTUSD", "type": "buy", "ordertype": "limit", "price": "30010.0"}}"#;
    server.answer_next(Answer::json(format!(r#"{{"error": [], "result": {{"open": {{"O-1": {order}}}}}}}"#)));
    let id = ClOrdId::new("desk-1").unwrap();
    let open = client.spot().get_open_orders(&GetOpenOrders::new().cl_ord_id(id)).await.unwrap();
    let [listed] = &open.data.open[..] else { panic!("{:?}", open.data) };
    assert_eq!(listed.txid.as_ref().map(|id| id.as_str()), Some("O-1"));
    assert_eq!(listed.opened.map(|at| Timestamp::from(at).as_millis()), Some(1_616_666_559_897));
    assert_eq!(listed.descr.as_ref().unwrap().price, Some(dec!(30010)));
    server.answer_next(Answer::json(r#"{"error": [], "result": {"closed": {}, "count": 0}}"#));
    let closed = client.spot().get_closed_orders(&GetClosedOrders::new()).await.unwrap();
    assert_eq!(closed.data.count, Some(0));
    let requests = server.requests();
    requests.iter().for_each(|request| assert!(signed(request) > 0));
    assert!(requests[0].text().ends_with("&cl_ord_id=desk-1"));
}

#[tokio::test]
async fn an_error_in_a_list_is_a_refusal() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"error": ["EOrder:Insufficient funds"]}"#));
    let order = AddOrder::new(OrderType::Market, "XBTUSD", Side::Buy, dec!(1.25));
    let error = client(&server).spot().add_order(&order).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(
        (refused.code.as_str(), refused.known.unwrap().text),
        ("EOrder:Insufficient funds", "Insufficient funds")
    );
}

#[tokio::test]
async fn an_order_whose_answer_is_lost_is_unknown_and_not_sent_again() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::close());
    let id = ClOrdId::new("desk-1").unwrap();
    let order = AddOrder::new(OrderType::Limit, "XBTUSD", Side::Buy, dec!(1.25)).price(dec!(37500)).cl_ord_id(id);
    let error = client(&server).spot().add_order(&order).await.unwrap_err();
    let Error::Unknown(unknown) = &error else { panic!("{error}") };
    assert_eq!(unknown.client_ids, ["desk-1"]);
    assert_eq!(server.requests().len(), 1);
}

/// An answer that is truncated, or neither a success nor an error, is not a success.
#[tokio::test]
async fn an_answer_that_breaks_off_leaves_the_outcome_unknown() {
    for body in [r#"{"error": []"#, r#"{"error": [], "result"#, r#"{"error": []}"#] {
        let server = ScriptedServer::start().unwrap();
        server.answer_next(Answer::json(body));
        let order = AddOrder::new(OrderType::Market, "XBTUSD", Side::Buy, dec!(1.25));
        let error = client(&server).spot().add_order(&order).await.unwrap_err();
        assert!(matches!(error, Error::Unknown(_)), "{body}: {error}");
    }
}

#[tokio::test]
async fn public_calls_carry_nothing_secret() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"error": [], "result": {"unixtime": 1688669448}}"#));
    let time = client(&server).spot().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.unixtime, Some(1_688_669_448));
    let request = &server.requests()[0];
    assert!(request.query.is_none() && request.header("API-Sign").is_none());
}
