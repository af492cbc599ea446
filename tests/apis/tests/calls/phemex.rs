//! Phemex.

use apis::phemex::contract::{CancelSingleOrder, ClOrdId, OpenOrders, OrdType, PlaceOrder, QueryServerTime, Side};
use apis::phemex::{Client, Credentials, Error, dec};
use tradeapi_runtime::Decimal;
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

fn order(price: Decimal) -> PlaceOrder {
    PlaceOrder::new("BTCUSD", Side::Sell, 7).order_type(OrdType::Limit).price(price)
}

/// The path, the query without its question mark, the expiry in seconds, and the body are signed.
fn assert_signed(request: &Request) {
    let expiry = request.header("x-phemex-request-expiry").unwrap();
    assert_eq!(expiry.len(), 10, "{expiry}");
    let query = request.query.clone().unwrap_or_default();
    let text = format!("{}{query}{expiry}{}", request.path, request.text());
    let expected = hex(&hmac_sha256(b"secret", &text));
    assert_eq!(request.header("x-phemex-request-signature"), Some(expected.as_str()));
    assert_eq!(request.header("x-phemex-access-token"), Some("key"));
}

#[tokio::test]
async fn prices_travel_as_integers() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    for (price, wire) in [(dec!(9410), "94100000"), (dec!(9410.5), "94105000"), (dec!(0.0001), "1")] {
        let answer = format!(r#"{{"code": 0, "msg": "", "data": {{"symbol": "BTCUSD", "priceEp": {wire}}}}}"#);
        server.answer_next(Answer::json(answer));
        let placed = client.contract().place_order(&order(price.clone())).await.unwrap();
        assert_eq!(placed.price.as_ref().unwrap().value(), &price);
        let request = server.requests().pop().unwrap();
        assert!(request.text().contains(&format!(r#""priceEp":{wire}"#)), "{}", request.text());
        assert_signed(&request);
    }
}

/// Bounds hold for the price, not for its integer, and no digit is lost on the way.
#[tokio::test]
async fn a_price_that_cannot_travel_is_refused() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    for (refused, rule) in [
        (order(dec!(9410.00005)), ["priceEp.scale"].as_slice()),
        (order(dec!(0.00001)), &["priceEp.scale", "priceEp.min"]),
        (order(dec!(1000000.5)), &["priceEp.max"]),
        (order(dec!(0)), &["priceEp.min"]),
        (PlaceOrder::new("BTCUSD", Side::Buy, 7).price(dec!(9410)).stop_price(dec!(9410.0001)), &["stop"]),
    ] {
        let error = client.contract().place_order(&refused).await.unwrap_err();
        let Error::Refused(refusal) = &error else { panic!("{error}") };
        let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, rule, "{error}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn orders_are_listed_and_cancelled() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(
        r#"{"code": 0, "msg": "", "data": {"rows": [{"orderID": "1", "clOrdID": "a", "symbol": "BTCUSD", "side": "Buy",
            "actionTimeNs": 1580533179846642700, "priceEp": 84000000, "closedPnlEv": -1200, "ordStatus": "New"}]}}"#,
    ));
    let listed = client.contract().open_orders(&OpenOrders::new("BTCUSD")).await.unwrap();
    let [first] = listed.rows.items.as_slice() else { panic!("{listed:?}") };
    assert_eq!(first.price.as_ref().unwrap().value(), &dec!(8400));
    assert_eq!(first.closed_profit.as_ref().unwrap().value(), &dec!(-0.000012));
    assert_eq!(first.acted_at.unwrap().as_nanos(), 1_580_533_179_846_642_700);
    let gone = r#"{"code": 10002, "msg": "OM_ORDER_NOT_FOUND", "data": null}"#;
    server.answer_next(Answer::json(gone));
    let cancel = CancelSingleOrder::new("BTCUSD").cl_ord_id(ClOrdId::new("a").unwrap());
    let error = client.contract().cancel_single_order(&cancel).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(refused.proves, Some(CodeProof::NoSuchOrder));
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    assert_eq!(requests[1].query.as_deref(), Some("symbol=BTCUSD&clOrdID=a"));
}

#[tokio::test]
async fn public_calls_are_not_signed() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code": 0, "msg": "", "data": {"serverTime": 1580547265848}}"#));
    let time = client(&server).contract().query_server_time(&QueryServerTime::new()).await.unwrap();
    assert_eq!(time.server_time.unwrap().as_millis(), 1_580_547_265_848);
    assert!(server.requests()[0].header("x-phemex-request-signature").is_none());
}
