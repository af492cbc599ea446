//! OKX, version 5.

use apis::okx::trade::{
    BatchOrder, CancelOrder, GetOrderList, GetSystemTime, InstId, OrdId, OrdType, OrderRef, PlaceMultipleOrders,
    PlaceOrder, Side, TdMode,
};
use apis::okx::{Client, Credentials, Error, Timestamp, dec};
use tradeapi_runtime::clock::FixedClock;
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{base64, hmac_sha256};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", "secret", "phrase")).build().unwrap()
}

fn assert_signed(request: &Request) {
    let at = request.header("OK-ACCESS-TIMESTAMP").unwrap();
    assert!(at.len() == 24 && at.ends_with('Z') && &at[10..11] == "T", "{at}");
    let query = request.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    let text = format!("{at}{}{}{query}{}", request.method, request.path, request.text());
    assert_eq!(request.header("OK-ACCESS-SIGN"), Some(&*base64(&hmac_sha256(b"secret", &text))));
    assert_eq!(request.header("OK-ACCESS-KEY"), Some("key"));
    assert_eq!(request.header("OK-ACCESS-PASSPHRASE"), Some("phrase"));
}

#[tokio::test]
async fn public_calls_work_without_credentials() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code": "0", "msg": "", "data": [{"ts": "1790000000000"}]}"#));
    let client = Client::builder(server.url()).build().unwrap();
    let reply = client.trade().get_system_time(&GetSystemTime::new()).await.unwrap();
    assert_eq!(reply.data[0].at.unwrap().as_millis(), 1_790_000_000_000);
    assert_eq!(server.requests()[0].path, "/api/v5/public/time");
}

#[tokio::test]
async fn orders_are_placed_listed_and_cancelled() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let placed = r#"{"code": "0", "data": [{"ordId": "1", "sCode": "0"}], "inTime": "1", "outTime": "2"}"#;
    server.answer_next(Answer::json(placed));
    let order = PlaceOrder::new(InstId::from("BTC-USDT"), TdMode::Cash, Side::Buy, OrdType::Limit, dec!(2));
    let order = order.price(dec!(2.15)).expires(Timestamp::from_millis(4_102_444_800_000));
    let reply = client.trade().place_order(&order).await.unwrap();
    assert_eq!(reply.data[0].ord_id.as_ref().unwrap().as_str(), "1");
    server.answer_next(Answer::json(r#"{"code": "0", "data": [{"ordId": "1", "state": "live"}]}"#));
    let list = GetOrderList::new().inst_id("BTC-USDT");
    assert_eq!(client.trade().get_order_list(&list).await.unwrap().data.len(), 1);
    server.answer_next(Answer::json(placed));
    let cancel = CancelOrder::new("BTC-USDT", OrderRef::OrdId(OrdId::from("1")));
    client.trade().cancel_order(&cancel).await.unwrap().done().unwrap();
    server.answer_next(Answer::json(placed));
    let item = BatchOrder::new("BTC-USDT", TdMode::Cash, Side::Sell, OrdType::Market, dec!(1));
    client.trade().place_multiple_orders(&PlaceMultipleOrders::new(vec![item])).await.unwrap().done().unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    requests.iter().for_each(assert_signed);
    assert_eq!((requests[0].header("expTime"), requests[2].header("expTime")), (Some("4102444800000"), None));
    assert!(!requests[0].text().contains("expTime"), "{}", requests[0].text());
    assert_eq!(requests[1].query.as_deref(), Some("instId=BTC-USDT"));
}

#[tokio::test]
async fn a_missing_order_is_recognized() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code": "51603", "msg": "Order does not exist", "data": []}"#));
    let cancel = CancelOrder::new("BTC-USDT", OrderRef::OrdId(OrdId::from("1")));
    let error = client(&server).trade().cancel_order(&cancel).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(refused.proves, Some(CodeProof::NoSuchOrder));
}

/// The guide shows the text to sign: `2020-12-08T09:08:57.715ZGET/api/v5/account/balance?ccy=BTC`.
#[test]
fn the_time_is_written_as_in_the_guide() {
    let clock = FixedClock(Timestamp::from_millis(1_607_418_537_715));
    let credentials = Credentials::new("key", "22582BD0CFF14C41EDBF1AB98506286D", "phrase");
    let client = Client::builder("https://www.okx.com").credentials(credentials).clock(clock).build().unwrap();
    let list = GetOrderList::new().inst_id("BTC-USDT");
    let prepared = client.core().prepare(&list).unwrap();
    let header = |name: &str| prepared.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(header("ok-access-timestamp"), "2020-12-08T09:08:57.715Z");
    let text = "2020-12-08T09:08:57.715ZGET/api/v5/trade/orders-pending?instId=BTC-USDT";
    assert_eq!(header("ok-access-sign"), base64(&hmac_sha256(b"22582BD0CFF14C41EDBF1AB98506286D", text)));
}
