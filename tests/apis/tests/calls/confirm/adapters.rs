//! The protocols of the exchanges, as far as placing and finding an order requires; those of exchanges that list an order
//! in one of two places are in `two_places`.

use std::time::Duration;

use apis::binance::spot::NewOrder;
use apis::coinbase::orders::CreateOrder;
use serde_json::{Value, json};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::dec;
use tradeapi_runtime::value::{Decimal, IsoTime, Timestamp};
use tradeapi_tests::loopback::Answer;

use super::Settled;
use super::exchange::{Adapter, Place, Shown};
use super::virtual_time::VirtualTime;

pub(super) const SECRET: &str = "secret";

/// Returns a policy that queries for longer than any request is valid; those of HTX are valid for five minutes.
pub(super) fn patient() -> ConfirmPolicy {
    ConfirmPolicy::new().deadline(Duration::from_secs(900))
}

pub(super) fn number(millis: u64) -> Value {
    millis.into()
}

pub(super) fn text(millis: u64) -> Value {
    millis.to_string().into()
}

fn iso8601(millis: u64) -> Value {
    IsoTime::from(Timestamp::from_millis(millis)).to_string().into()
}

/// Returns the order of Binance.
pub(super) fn binance_order() -> NewOrder {
    use apis::binance::spot::{ClientOrderId, OrderType, Side, TimeInForce};
    NewOrder::new("LTCBTC", Side::Buy, OrderType::Limit)
        .time_in_force(TimeInForce::Gtc)
        .quantity(dec!(1))
        .price(dec!(0.1))
        .new_client_order_id(ClientOrderId::new("desk-1").unwrap())
}

/// Returns a client of Binance.
pub(super) fn binance(url: String, virtual_time: VirtualTime) -> apis::binance::Client {
    virtual_time.client(apis::binance::Client::builder(url), SECRET)
}

pub(super) const BINANCE: Adapter = Adapter {
    place: |url, virtual_time| {
        Box::pin(async move {
            Settled::of(&binance(url, virtual_time).place_and_confirm(&binance_order(), &patient()).await)
        })
    },
    create: "POST /api/v3/order",
    open: "GET /api/v3/order",
    history: None,
    renamed: &[("clientOrderId", "newClientOrderId"), ("origQty", "quantity")],
    created: ("time", number),
    selects: &[("symbol", "symbol"), ("origClientOrderId", "clientOrderId")],
    id: "newClientOrderId",
    shows: |shown| match shown.orders.last() {
        Some(order) => Answer::json(order.to_string()),
        None => Answer::new(400, r#"{"code": -2013, "msg": "Order does not exist."}"#),
    },
    hides_older: &[],
    recognizes: false,
};

/// The order sets a window of a minute.
pub(super) const BINANCE_FOR_A_MINUTE: Adapter = Adapter {
    place: |url, virtual_time| {
        Box::pin(async move {
            let order = binance_order().recv_window(60_000);
            Settled::of(&binance(url, virtual_time).place_and_confirm(&order, &patient()).await)
        })
    },
    ..BINANCE
};

/// Returns the order of Coinbase with this size.
pub(super) fn coinbase_order(size: Decimal) -> CreateOrder {
    use apis::coinbase::orders::{ClientOrderId, LimitOrder, OrderConfiguration, Side};
    let limit = OrderConfiguration::new().limit_limit_gtc(LimitOrder::new(size, dec!(10000)));
    CreateOrder::new(ClientOrderId::new("desk-1").unwrap(), "BTC-USD", Side::Buy, limit)
}

/// Returns a client of Coinbase.
pub(super) fn coinbase(url: String, virtual_time: VirtualTime) -> apis::coinbase::Client {
    virtual_time.client(apis::coinbase::Client::builder(url), include_str!("../key.pem"))
}

pub(super) const COINBASE: Adapter = Adapter {
    place: |url, virtual_time| {
        Box::pin(async move {
            let order = coinbase_order(dec!(0.001));
            Settled::of(&coinbase(url, virtual_time).place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /api/v3/brokerage/orders",
    open: "GET /api/v3/brokerage/orders/historical/batch",
    history: None,
    renamed: &[],
    created: ("created_time", iso8601),
    selects: &[],
    id: "client_order_id",
    // Two orders a page.
    shows: |mut shown| {
        let since = shown.query.get("start_date").map(|since| since.as_str().unwrap().to_owned());
        shown.orders.retain(|order| order["created_time"].as_str() >= since.as_deref());
        let offset = shown.number("cursor").unwrap_or(0);
        let (page, next) = (shown.page(offset, 2), offset + 2);
        let cursor = if next < shown.orders.len() { next.to_string() } else { String::new() };
        Answer::json(json!({"orders": page, "cursor": cursor}).to_string())
    },
    hides_older: &[Place::Open, Place::History],
    recognizes: true,
};

pub(super) const OKX: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::okx::Client;
        use apis::okx::trade::{ClOrdId, OrdType, PlaceOrder, Side, TdMode};
        Box::pin(async move {
            let order = PlaceOrder::new("BTC-USDT", TdMode::Cash, Side::Buy, OrdType::Limit, dec!(2))
                .price(dec!(2.15))
                .cl_ord_id(ClOrdId::new("desk1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /api/v5/trade/order",
    open: "GET /api/v5/trade/order",
    history: None,
    renamed: &[],
    created: ("cTime", text),
    selects: &[("instId", "instId"), ("clOrdId", "clOrdId")],
    id: "clOrdId",
    shows: |Shown { orders, .. }| match orders.len() {
        0 => Answer::json(r#"{"code": "51603", "msg": "Order does not exist", "data": []}"#),
        _ => Answer::json(json!({"code": "0", "msg": "", "data": orders}).to_string()),
    },
    hides_older: &[],
    recognizes: false,
};

/// Two orders in one request.
pub(super) const OKX_BATCH: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::okx::Client;
        use apis::okx::trade::{BatchOrder, ClOrdId, OrdType, PlaceMultipleOrders, Side, TdMode};
        Box::pin(async move {
            let order = |id: &str| {
                BatchOrder::new("BTC-USDT", TdMode::Cash, Side::Buy, OrdType::Limit, dec!(2))
                    .price(dec!(2.15))
                    .cl_ord_id(ClOrdId::new(id).unwrap())
            };
            let client = virtual_time.client(Client::builder(url), SECRET);
            let batch = client.batch(PlaceMultipleOrders::new(vec![order("desk1"), order("desk2")]));
            Settled::of_items(&batch.send_and_confirm(&patient()).await.unwrap())
        })
    },
    create: "POST /api/v5/trade/batch-orders",
    ..OKX
};

pub(super) const GATEIO: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::gateio::Client;
        use apis::gateio::spot::{CreateAnOrder, OrderType, Side, Text};
        Box::pin(async move {
            let order = CreateAnOrder::new("BTC_USDT", Side::Buy, dec!(0.001))
                .order_type(OrderType::Limit)
                .price(dec!(65000))
                .text(Text::new("t-desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /api/v4/spot/orders",
    open: "GET /api/v4/spot/orders/t-desk-1",
    history: None,
    renamed: &[],
    created: ("create_time_ms", number),
    selects: &[("currency_pair", "currency_pair")],
    id: "text",
    shows: |shown| match shown.orders.last() {
        Some(order) => Answer::json(order.to_string()),
        None => Answer::new(404, r#"{"label": "ORDER_NOT_FOUND", "message": "Order not found"}"#),
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const GEMINI: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::gemini::Client;
        use apis::gemini::orders::{ClientOrderId, NewOrder, OrderType, Side};
        Box::pin(async move {
            let order = NewOrder::new("btcusd", dec!(5), dec!(3633.00), Side::Buy, OrderType::ExchangeLimit)
                .client_order_id(ClientOrderId::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /v1/order/new",
    open: "POST /v1/order/status",
    history: None,
    renamed: &[("original_amount", "amount")],
    created: ("timestampms", number),
    selects: &[("client_order_id", "client_order_id")],
    id: "client_order_id",
    shows: |shown| match shown.orders.as_slice() {
        [] => Answer::new(404, r#"{"result": "error", "reason": "OrderNotFound", "message": "Order not found"}"#),
        orders => Answer::json(json!(orders).to_string()),
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const BITMEX: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::bitmex::Client;
        use apis::bitmex::trade::{ClOrdId, CreateANewOrder, OrdType, Side};
        Box::pin(async move {
            let order = CreateANewOrder::new("XBTUSD")
                .side(Side::Buy)
                .order_qty(98)
                .price(dec!(219.0))
                .cl_ord_id(ClOrdId::new("desk-1").unwrap())
                .ord_type(OrdType::Limit);
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /api/v1/order",
    open: "GET /api/v1/order",
    history: None,
    renamed: &[],
    created: ("transactTime", iso8601),
    selects: &[("symbol", "symbol"), ("clOrdID", "clOrdID")],
    id: "clOrdID",
    shows: |shown| Answer::json(json!(shown.orders).to_string()),
    hides_older: &[],
    recognizes: false,
};

pub(super) const CRYPTOCOM: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::cryptocom::Client;
        use apis::cryptocom::trading::{ClientOid, CreateOrder, OrderType, Side};
        Box::pin(async move {
            let order = CreateOrder::new("BTCUSD-PERP", Side::Buy, OrderType::Limit)
                .price(dec!(50000.5))
                .quantity(dec!(1))
                .client_oid(ClientOid::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "private/create-order",
    open: "private/get-order-detail",
    history: None,
    renamed: &[("order_type", "type"), ("limit_price", "price")],
    created: ("create_time", number),
    selects: &[("client_oid", "client_oid")],
    id: "client_oid",
    shows: |shown| match shown.orders.last() {
        Some(order) => Answer::json(json!({"code": 0, "result": order}).to_string()),
        None => Answer::new(400, r#"{"code": 212, "message": "INVALID_ORDERID"}"#),
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const HTX: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::htx::Client;
        use apis::htx::spot::{ClientOrderId, OrderType, PlaceANewOrder};
        Box::pin(async move {
            let order = PlaceANewOrder::new("100009", "ethusdt", OrderType::BuyLimit, dec!(10.1))
                .price(dec!(100.1))
                .client_order_id(ClientOrderId::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /v1/order/orders/place",
    open: "GET /v1/order/orders/getClientOrder",
    history: None,
    renamed: &[],
    created: ("created-at", number),
    selects: &[("clientOrderId", "client-order-id")],
    id: "client-order-id",
    shows: |shown| match shown.orders.last() {
        Some(order) => Answer::json(json!({"status": "ok", "data": order}).to_string()),
        None => Answer::json(r#"{"status": "error", "err-code": "base-record-invalid", "err-msg": "record invalid"}"#),
    },
    hides_older: &[],
    recognizes: false,
};
