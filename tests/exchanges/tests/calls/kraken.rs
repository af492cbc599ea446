//! Kraken, spot, with JSON bodies.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use exchanges::kraken::spot::{
    AddOrder, CancelAllOrders, CancelOrder, GetServerTime, GetWebsocketsToken, OrderType, Side,
};
use exchanges::kraken::{Client, Credentials, Error, dec};
use sha2::{Digest, Sha256};
use tradeapi_sandbox::{Answer, Request, Sandbox};

use crate::{base64, hmac_sha512};

/// The secret of the example of the documentation.
const SECRET: &str = "kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==";

fn client(sandbox: &Sandbox) -> Client {
    Client::builder(sandbox.url()).credentials(Credentials::new("key", SECRET, "")).build().unwrap()
}

/// Checks the signature, and returns the nonce.
fn signed(request: &Request) -> u64 {
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    let nonce = body["nonce"].as_str().unwrap();
    let digest = Sha256::digest([nonce.as_bytes(), &request.body].concat());
    let text = [request.path.as_bytes(), &digest].concat();
    assert_eq!(request.header("API-Sign"), Some(&*base64(&hmac_sha512(&STANDARD.decode(SECRET).unwrap(), &text))));
    assert_eq!(request.header("API-Key"), Some("key"));
    nonce.parse().unwrap()
}

/// What the other tests compare with gives the signature of the documentation.
#[test]
fn the_documented_example_is_signed_as_documented() {
    let body = "nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25";
    let digest = Sha256::digest(format!("1616492376594{body}"));
    let text = [b"/0/private/AddOrder".as_slice(), &digest].concat();
    let expected = "4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==";
    assert_eq!(base64(&hmac_sha512(&STANDARD.decode(SECRET).unwrap(), &text)), expected);
}

#[tokio::test]
async fn each_call_has_a_larger_nonce() {
    let sandbox = Sandbox::start().unwrap();
    let client = client(&sandbox);
    sandbox.answer_next(Answer::json(r#"{"error": [], "result": {"descr": {"order": "buy"}, "txid": ["O-1"]}}"#));
    let order = AddOrder::new(OrderType::Limit, Side::Buy, "XBTUSD", dec!(1.25)).price(dec!(37500));
    let placed = client.spot().add_order(&order).await.unwrap();
    assert_eq!(placed.txid[0].as_str(), "O-1");
    sandbox.answer_next(Answer::json(r#"{"error": [], "result": {"count": 1}}"#));
    assert_eq!(client.spot().cancel_order(&CancelOrder::new("O-1")).await.unwrap().count, Some(1));
    sandbox.answer_next(Answer::json(r#"{"error": [], "result": {"count": 0}}"#));
    client.spot().cancel_all_orders(&CancelAllOrders::new()).await.unwrap();
    sandbox.answer_next(Answer::json(r#"{"error": [], "result": {"token": "t"}}"#));
    client.spot().get_websockets_token(&GetWebsocketsToken::new()).await.unwrap();
    let nonces: Vec<_> = sandbox.requests().iter().map(signed).collect();
    assert!(nonces.len() == 4 && nonces.is_sorted_by(|a, b| a < b), "{nonces:?}");
    assert!(sandbox.requests()[0].text().starts_with(r#"{"nonce":""#));
}

#[tokio::test]
async fn an_error_in_a_list_is_a_refusal() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"error": ["EOrder:Insufficient funds"]}"#));
    let order = AddOrder::new(OrderType::Market, Side::Buy, "XBTUSD", dec!(1.25));
    let error = client(&sandbox).spot().add_order(&order).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(
        (refused.code.as_str(), refused.known.unwrap().text),
        ("EOrder:Insufficient funds", "Insufficient funds")
    );
}

/// An answer that breaks off, or that says neither, is no success.
#[tokio::test]
async fn an_answer_that_breaks_off_leaves_the_outcome_unknown() {
    for body in [r#"{"error": []"#, r#"{"error": [], "result"#, r#"{"error": []}"#] {
        let sandbox = Sandbox::start().unwrap();
        sandbox.answer_next(Answer::json(body));
        let order = AddOrder::new(OrderType::Market, Side::Buy, "XBTUSD", dec!(1.25));
        let error = client(&sandbox).spot().add_order(&order).await.unwrap_err();
        assert!(matches!(error, Error::Unknown(_)), "{body}: {error}");
    }
}

#[tokio::test]
async fn public_calls_carry_nothing_secret() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(Answer::json(r#"{"error": [], "result": {"unixtime": 1688669448}}"#));
    let time = client(&sandbox).spot().get_server_time(&GetServerTime::new()).await.unwrap();
    assert_eq!(time.unixtime, Some(1_688_669_448));
    let request = &sandbox.requests()[0];
    assert!(request.query.is_none() && request.header("API-Sign").is_none());
}
