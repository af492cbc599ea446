//! Binance, spot.

use std::sync::Arc;
use std::time::Duration;

use apis::binance::spot::{
    CancelOpenOrders, CancelOrder, CheckServerTime, ClientOrderId, CurrentOpenOrders, NewOrder, OrderType, QueryOrder,
    Side, Status, TimeInForce,
};
use apis::binance::{Client, Credentials, Error, Timestamp, dec};
use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::clock::{FixedClock, ManualTimer};
use tradeapi_runtime::limits::{InProcessLimits, LimitSettings, QuotaShare};
use tradeapi_runtime::tables::CodeProof;
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};

use crate::{hex, hmac_sha256};

/// The secret of the documented example.
const SECRET: &str = "NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).credentials(Credentials::new("key", SECRET, "")).build().unwrap()
}

fn limit_order() -> NewOrder {
    NewOrder::new("LTCBTC", Side::Buy, OrderType::Limit)
        .time_in_force(TimeInForce::Gtc)
        .quantity(dec!(1))
        .price(dec!(0.1))
}

fn assert_signed(request: &Request) {
    let (text, signature) = request.query.as_ref().unwrap().rsplit_once("&signature=").unwrap();
    let (_, at) = text.rsplit_once("timestamp=").unwrap();
    assert!(at.len() == 13 && at.bytes().all(|byte| byte.is_ascii_digit()), "{at}");
    assert_eq!(signature, hex(&hmac_sha256(SECRET.as_bytes(), text)));
    assert_eq!(request.header("X-MBX-APIKEY"), Some("key"));
}

/// The client and the other tests' own implementation have the documented signature.
#[test]
fn the_documented_example_is_signed_as_documented() {
    let text = "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559";
    let expected = "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71";
    assert_eq!(hex(&hmac_sha256(SECRET.as_bytes(), text)), expected);
    let clock = FixedClock(Timestamp::from_millis(1_499_827_319_559));
    let credentials = Credentials::new("key", SECRET, "");
    let client = Client::builder("https://api.binance.com").credentials(credentials).clock(clock).build().unwrap();
    let order = limit_order().recv_window(5000);
    let prepared = client.core().prepare(&order).unwrap();
    assert_eq!(prepared.uri().query(), Some(&*format!("{text}&signature={expected}")));
    assert!(prepared.body().is_empty());
}

#[tokio::test]
async fn an_order_travels_in_the_query() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"symbol": "LTCBTC", "orderId": 28, "clientOrderId": "a"}"#));
    let order = limit_order().new_client_order_id(ClientOrderId::new("a").unwrap());
    assert_eq!(client.spot().new_order(&order).await.unwrap().order_id, Some(28));
    server.answer_next(Answer::json(r#"[{"symbol": "LTCBTC", "orderId": 28, "status": "CANCELED"}]"#));
    let cancelled = client.spot().cancel_open_orders(&CancelOpenOrders::new("LTCBTC")).await.unwrap();
    assert_eq!(cancelled.data[0].status, Some(Status::Canceled));
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    assert_eq!((requests[0].method.as_str(), requests[0].text().as_str()), ("POST", ""));
    assert_eq!((requests[1].method.as_str(), requests[1].path.as_str()), ("DELETE", "/api/v3/openOrders"));
}

#[tokio::test]
async fn public_calls_work_without_credentials() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"serverTime": 1790000000000}"#));
    let client = Client::builder(server.url()).build().unwrap();
    let reply = client.spot().check_server_time(&CheckServerTime::new()).await.unwrap();
    assert_eq!(reply.server_time.unwrap().as_millis(), 1_790_000_000_000);
    assert_eq!(server.requests()[0].path, "/api/v3/time");
}

#[tokio::test]
async fn the_signature_ends_the_query() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    server.answer_next(Answer::json(r#"{"symbol": "LTCBTC", "orderId": 1, "price": "0.1", "status": "NEW"}"#));
    let order = client.spot().query_order(&QueryOrder::new("LTCBTC").order_id(1)).await.unwrap();
    assert_eq!(order.data.status, Some(Status::New));
    server.answer_next(Answer::json(r#"[{"symbol": "LTCBTC", "orderId": 1}]"#));
    assert_eq!(client.spot().current_open_orders(&CurrentOpenOrders::new()).await.unwrap().data.len(), 1);
    server.answer_next(Answer::json(r#"{"symbol": "LTCBTC", "orderId": 1, "status": "CANCELED"}"#));
    client.spot().cancel_order(&CancelOrder::new("LTCBTC").order_id(1)).await.unwrap();
    let requests = server.requests();
    requests.iter().for_each(assert_signed);
    assert!(requests[0].query.as_ref().unwrap().starts_with("symbol=LTCBTC&orderId=1&timestamp="));
    assert_eq!(requests[2].method, "DELETE");
}

#[tokio::test]
async fn only_failures_have_a_code() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let query = QueryOrder::new("LTCBTC").order_id(1);
    server.answer_next(Answer::new(400, r#"{"code": -2013, "msg": "Order does not exist."}"#));
    let error = client.spot().query_order(&query).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.message.as_str()), ("-2013", "Order does not exist."));
    assert_eq!(refused.proves, Some(CodeProof::NoSuchOrder));
    // The code of a success is ignored.
    server.answer_next(Answer::json(r#"{"symbol": "LTCBTC", "code": -2013}"#));
    assert_eq!(client.spot().query_order(&query).await.unwrap().symbol.as_ref().unwrap().as_str(), "LTCBTC");
    server.answer_next(Answer::new(502, "<html>"));
    let error = client.spot().query_order(&query).await.unwrap_err();
    let Error::Exchange(refused) = &error else { panic!("{error}") };
    assert_eq!(refused.code.as_str(), "502");
}

/// Returns the pool that refused a call.
fn used_up<T>(called: Result<T, Error>) -> Option<&'static str> {
    match called {
        Err(Error::Limited(limited)) => limited.binding.and_then(|binding| binding.limit.pool),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// A hundredth of the documented limits: a weight of 60 in a minute, and an order in 10 seconds.
#[tokio::test]
async fn weights_of_requests_and_orders_are_counted_separately() {
    let server = ScriptedServer::start().unwrap();
    let timer = ManualTimer::new();
    let share = LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 100));
    let client = Client::builder(server.url())
        .credentials(Credentials::new("key", SECRET, ""))
        .limiter(Arc::new(InProcessLimits::with_timer(share, timer.clone())))
        .limits(LimitMode::Refuse)
        .build()
        .unwrap();
    let order = NewOrder::new("LTCBTC", Side::Buy, OrderType::Market).quantity(dec!(1));
    let answer = || server.answer_next(Answer::json(r#"{"symbol": "LTCBTC", "orderId": 1}"#));
    answer();
    assert_eq!(used_up(client.spot().new_order(&order).await), None);
    assert_eq!(used_up(client.spot().new_order(&order).await), Some("orders"));
    let open_orders = CurrentOpenOrders::new().symbol("LTCBTC");
    for _ in 0..9 {
        server.answer_next(Answer::json("[]"));
        assert_eq!(used_up(client.spot().current_open_orders(&open_orders).await), None);
    }
    // 55 are used, so 4 more are admitted, but not 6.
    assert_eq!(used_up(client.spot().current_open_orders(&open_orders).await), Some("request-weight"));
    answer();
    assert_eq!(used_up(client.spot().query_order(&QueryOrder::new("LTCBTC").order_id(1)).await), None);
    timer.advance(Duration::from_secs(10));
    answer();
    assert_eq!(used_up(client.spot().new_order(&order).await), None);
    timer.advance(Duration::from_secs(10));
    assert_eq!(used_up(client.spot().new_order(&order).await), Some("request-weight"));
    timer.advance(Duration::from_secs(40));
    answer();
    assert_eq!(used_up(client.spot().new_order(&order).await), None);
    assert_eq!(server.requests().len(), 13);
}

/// Half of the documented limit, a weight of 3000 per minute, admits 37 calls of weight 80 and 6 more of weight 6.
#[tokio::test]
async fn a_call_weighs_more_without_a_symbol() {
    let server = ScriptedServer::start().unwrap();
    let share = LimitSettings::new().margin(Duration::ZERO).share(QuotaShare::new(1, 2));
    let client = Client::builder(server.url())
        .credentials(Credentials::new("key", SECRET, ""))
        .limiter(Arc::new(InProcessLimits::with_timer(share, ManualTimer::new())))
        .limits(LimitMode::Refuse)
        .build()
        .unwrap();
    let (all, some) = (CurrentOpenOrders::new(), CurrentOpenOrders::new().symbol("LTCBTC"));
    server.answer_otherwise(|_| Answer::json("[]"));
    for (request, calls) in [(&all, 37), (&some, 6)] {
        for _ in 0..calls {
            assert_eq!(used_up(client.spot().current_open_orders(request).await), None);
        }
        assert_eq!(used_up(client.spot().current_open_orders(request).await), Some("request-weight"));
    }
    assert_eq!(server.requests().len(), 43);
}
