//! BitMEX, version 1.

use apis::bitmex::trade::{
    CancelOrders, ClOrdId, CreateANewOrder, GetInstruments, GetYourOrders, OrdStatus, OrdType, OrderFilter, Side,
};
use apis::bitmex::{Client, Credentials, Error, Timestamp, dec};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap()
}

/// Returns the documented signature.
fn signature(secret: &str, method: &str, target: &str, expires: &str, body: &str) -> String {
    hex(&hmac_sha256(secret.as_bytes(), &format!("{method}{target}{expires}{body}")))
}

/// A signed request expires after some seconds.
fn assert_signed(request: &Request) {
    let expires = request.header("api-expires").unwrap();
    let lasts = expires.parse::<u64>().unwrap() - Timestamp::now().as_millis() / 1000;
    assert!((3..=5).contains(&lasts), "{lasts} s");
    let query = request.query.as_ref().map_or_else(String::new, |query| format!("?{query}"));
    let target = format!("{}{query}", request.path);
    let expected = signature("secret", &request.method, &target, expires, &request.text());
    assert_eq!((request.header("api-signature"), request.header("api-key")), (Some(&*expected), Some("key")));
}

/// The documented examples.
#[test]
fn the_signatures_are_those_of_the_documentation() {
    let secret = "chNOOS4KvNXR_Xq4k4c9qsfoKWvnDecLATCRlcBwyKDYnWgO";
    let listed = signature(secret, "GET", "/api/v1/instrument", "1518064236", "");
    assert_eq!(listed, "c7682d435d0cfe87c16098df34ef2eb5a549d4c5a3c2b1f0f77b8af73423bf00");
    let filtered = "/api/v1/instrument?filter=%7B%22symbol%22%3A+%22XBTM15%22%7D";
    let filtered = signature(secret, "GET", filtered, "1518064237", "");
    assert_eq!(filtered, "e2f422547eecb5b3cb29ade2127e21b858b235b386bfa45e1c1756eb3383919f");
    let order = r#"{"symbol":"XBTM15","price":219.0,"clOrdID":"mm_bitmex_1a/oemUeQ4CAJZgP3fjHsA","orderQty":98}"#;
    let placed = signature(secret, "POST", "/api/v1/order", "1518064238", order);
    assert_eq!(placed, "1749cd2ccae4aa49048ae09f0b95110cee706e0944e6a14ad0b3a8cb45bd336b");
}

#[tokio::test]
async fn orders_are_placed_listed_and_cancelled() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let id = |text: &str| ClOrdId::new(text).unwrap();
    server.answer_next(Answer::json(r#"{"orderID": "1", "clOrdID": "desk-1", "price": 219.0, "stopPx": null}"#));
    let order = CreateANewOrder::new("XBTUSD").side(Side::Buy).order_qty(98).price(dec!(219.0)).cl_ord_id(id("desk-1"));
    let placed = client.trade().create_a_new_order(&order.ord_type(OrdType::Limit)).await.unwrap();
    assert_eq!(placed.price, Some(dec!(219.0)));
    server.answer_next(Answer::json(r#"[{"orderID": "1", "ordStatus": "New"}]"#));
    let list = GetYourOrders::new().filter(OrderFilter::new().cl_ord_id(id("desk-1")).open(true)).reverse(true);
    assert_eq!(client.trade().get_your_orders(&list).await.unwrap().data[0].ord_status, Some(OrdStatus::New));
    server.answer_next(Answer::json(r#"[{"clOrdID": "desk-1", "ordStatus": "Canceled"}]"#));
    client.trade().cancel_orders(&CancelOrders::new(vec![id("desk-1")])).await.unwrap();
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    let sent = r#"{"symbol":"XBTUSD","side":"Buy","orderQty":98,"price":219.0,"clOrdID":"desk-1","ordType":"Limit"}"#;
    assert_eq!(requests[0].text(), sent);
    let query = "filter=%7B%22clOrdID%22:%22desk-1%22,%22open%22:true%7D&reverse=true";
    assert_eq!(requests[1].query.as_deref(), Some(query));
    assert_eq!((requests[2].method.as_str(), requests[2].text().as_str()), ("DELETE", r#"{"clOrdID":["desk-1"]}"#));
}

#[tokio::test]
async fn a_list_in_a_query_is_json() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"[{"symbol": "XBTUSD", "lastPrice": 219.5}]"#));
    let list = GetInstruments::new().symbol("XBTUSD").columns(vec!["lastPrice".to_owned()]);
    let all = client(&server).trade().get_instruments(&list).await.unwrap();
    assert_eq!(all.data[0].last_price, Some(dec!(219.5)));
    let request = &server.requests()[0];
    assert_eq!(request.query.as_deref(), Some("symbol=XBTUSD&columns=%5B%22lastPrice%22%5D"));
    assert!(request.header("api-signature").is_none());
}

#[tokio::test]
async fn a_failure_has_a_name() {
    let server = ScriptedServer::start().unwrap();
    let refusal = r#"{"error": {"message": "Account has insufficient Available Balance", "name": "ValidationError"}}"#;
    server.answer_next(Answer::new(400, refusal).header("content-type", "application/json"));
    let order = CreateANewOrder::new("XBTUSD").order_qty(98).price(dec!(219.0));
    let error = client(&server).trade().create_a_new_order(&order).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.message.contains("insufficient")), ("ValidationError", true));
}
