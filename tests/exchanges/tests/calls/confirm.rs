//! Bybit, version 5: what becomes of an order whose answer or request is lost.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use exchanges::bybit::order::{Category, GetKline, GetServerTime, OrderLinkId, OrderType, PlaceOrder, Side};
use exchanges::bybit::{Client, Credentials, dec};
use serde_json::{Value, json};
use tradeapi_runtime::confirm::{ConfirmPolicy, Confirmation};
use tradeapi_sandbox::{Answer, Request, Sandbox};

/// What goes wrong with a placement.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    RequestLost,
    AnswerLost,
}

/// Where an order is listed that was accepted.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Open,
    History,
}

/// A small exchange: the orders that it accepted, and what goes wrong.
struct Exchange {
    orders: Mutex<Vec<Value>>,
    fault: Fault,
    place: Place,
}

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn success(result: &Value) -> Answer {
    Answer::json(json!({"retCode": 0, "retMsg": "OK", "result": result, "time": now()}).to_string())
}

impl Exchange {
    fn answer(&self, request: &Request) -> Answer {
        match request.path.as_str() {
            "/v5/order/create" => self.create(&serde_json::from_slice(&request.body).unwrap()),
            "/v5/order/realtime" => self.list(request, Place::Open),
            "/v5/order/history" => self.list(request, Place::History),
            other => panic!("nothing is at {other}"),
        }
    }

    fn create(&self, order: &Value) -> Answer {
        if self.fault == Fault::AnswerLost {
            let mut order = order.clone();
            order["orderId"] = json!("1321003749386327552");
            order["createdTime"] = json!(now().to_string());
            self.orders.lock().unwrap().push(order);
        }
        Answer::close()
    }

    fn list(&self, request: &Request, place: Place) -> Answer {
        let query = request.query.clone().unwrap_or_default();
        let is_meant =
            |order: &&Value| query.contains(&format!("orderLinkId={}", order["orderLinkId"].as_str().unwrap()));
        let orders = self.orders.lock().unwrap();
        let own: Vec<_> = orders.iter().filter(|_| self.place == place).filter(is_meant).collect();
        success(&json!({"nextPageCursor": "", "category": "spot", "list": own}))
    }
}

/// The outcome of a placement, and the paths that were asked.
async fn outcome(fault: Fault, place: Place) -> (Confirmation<impl Sized, impl Sized>, Vec<String>) {
    let sandbox = Sandbox::start().unwrap();
    let exchange = Arc::new(Exchange { orders: Mutex::default(), fault, place });
    sandbox.answer_otherwise(move |request| exchange.answer(request));
    let client = Client::builder(sandbox.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap();
    let order = PlaceOrder::new(Category::Spot, "BTCUSDT", Side::Buy, OrderType::Limit, dec!(0.1))
        .price(dec!(15600))
        .order_link_id(OrderLinkId::new("desk-1").unwrap());
    let policy = ConfirmPolicy::new().settling(Duration::from_millis(100));
    let confirmation = client.place_and_confirm(&order, &policy).await;
    (confirmation, sandbox.requests().into_iter().map(|request| request.path).collect())
}

#[tokio::test]
async fn an_order_whose_answer_was_lost_is_found_among_open_orders() {
    let (confirmation, asked) = outcome(Fault::AnswerLost, Place::Open).await;
    assert!(matches!(confirmation, Confirmation::Done(_)));
    assert_eq!(asked, ["/v5/order/create", "/v5/order/realtime"]);
}

#[tokio::test]
async fn a_closed_order_is_found_in_the_history() {
    let (confirmation, asked) = outcome(Fault::AnswerLost, Place::History).await;
    assert!(matches!(confirmation, Confirmation::Done(_)));
    assert_eq!(asked.last().map(String::as_str), Some("/v5/order/history"));
}

#[tokio::test]
async fn an_order_whose_request_was_lost_is_in_neither_place() {
    let (confirmation, asked) = outcome(Fault::RequestLost, Place::Open).await;
    let Confirmation::NotDone(not_done) = confirmation else { panic!("the order was never placed") };
    assert!(not_done.by_absence);
    assert_eq!(asked.iter().filter(|path| *path == "/v5/order/create").count(), 1, "a create is never sent again");
    assert!(asked.iter().filter(|path| *path == "/v5/order/history").count() >= 2, "one absence is not enough");
}

#[tokio::test]
async fn times_and_candles_are_read_as_bybit_writes_them() {
    let sandbox = Sandbox::start().unwrap();
    sandbox.answer_next(success(&json!({"timeSecond": "1688639403", "timeNano": "1688639403423213947"})));
    let candle = json!(["1670608800000", "17071", "17073", "17027", "17055.5", "268611", "15.74462667"]);
    sandbox.answer_next(success(&json!({"symbol": "BTCUSD", "category": "inverse", "list": [candle]})));
    let client = Client::builder(sandbox.url()).build().unwrap();
    let time = client.order().get_server_time(&GetServerTime::new()).await.unwrap().data;
    assert_eq!(time.time_nano.map(|time| time.as_nanos()), Some(1_688_639_403_423_213_947));
    let candles = client.order().get_kline(&GetKline::new("BTCUSD", "60")).await.unwrap().data;
    assert_eq!(candles.list[0].close_price, Some("17055.5".parse().unwrap()));
}
