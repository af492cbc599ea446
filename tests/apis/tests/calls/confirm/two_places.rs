//! The protocols of exchanges that list an order in one of two places: among the open orders, or in the history.

use serde_json::{Map, Value, json};
use tradeapi_runtime::dec;
use tradeapi_runtime::value::Timestamp;
use tradeapi_tests::loopback::Answer;

use super::Settled;
use super::adapters::{SECRET, number, patient, text};
use super::exchange::{Adapter, Place, Shown};

pub(super) const BYBIT: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::bybit::Client;
        use apis::bybit::order::{Category, OrderLinkId, OrderType, PlaceOrder, Side};
        Box::pin(async move {
            let order = PlaceOrder::new(Category::Spot, "BTCUSDT", Side::Buy, OrderType::Limit, dec!(0.1))
                .price(dec!(15600))
                .order_link_id(OrderLinkId::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /v5/order/create",
    open: "GET /v5/order/realtime",
    history: Some("GET /v5/order/history"),
    renamed: &[],
    created: ("createdTime", text),
    selects: &[("symbol", "symbol"), ("orderLinkId", "orderLinkId")],
    id: "orderLinkId",
    shows: |Shown { orders, now, .. }| {
        let result = json!({"category": "spot", "nextPageCursor": "", "list": orders});
        Answer::json(json!({"retCode": 0, "retMsg": "OK", "result": result, "time": now}).to_string())
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const DERIBIT: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::deribit::Client;
        use apis::deribit::trading::{Buy, Label, OrderType};
        Box::pin(async move {
            let order = Buy::new("ETH-PERPETUAL", dec!(40))
                .order_type(OrderType::Limit)
                .price(dec!(1500.5))
                .label(Label::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "private/buy",
    open: "private/get_open_orders_by_instrument",
    history: Some("private/get_order_history_by_instrument"),
    renamed: &[("order_type", "type")],
    created: ("creation_timestamp", number),
    selects: &[("instrument_name", "instrument_name")],
    id: "label",
    shows: |shown| {
        let (offset, count) = (shown.number("offset"), shown.number("count"));
        let page = shown.page(offset.unwrap_or(0), count.unwrap_or(usize::MAX));
        Answer::json(json!({"jsonrpc": "2.0", "result": page}).to_string())
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const KRAKEN: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::kraken::Client;
        use apis::kraken::spot::{AddOrder, ClOrdId, OrderType, Side};
        Box::pin(async move {
            let order = AddOrder::new(OrderType::Limit, "XBTUSD", Side::Buy, dec!(1.25))
                .price(dec!(37500))
                .cl_ord_id(ClOrdId::new("desk-1").unwrap())
                .deadline(Timestamp::from_millis(virtual_time.millis() + 10_000));
            let client = virtual_time.client(Client::builder(url), "c2VjcmV0");
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /0/private/AddOrder",
    open: "POST /0/private/OpenOrders",
    history: Some("POST /0/private/ClosedOrders"),
    renamed: &[("vol", "volume")],
    created: ("opentm", |millis| serde_json::from_str(&format!("{}.{:03}", millis / 1000, millis % 1000)).unwrap()),
    selects: &[("cl_ord_id", "cl_ord_id")],
    id: "cl_ord_id",
    // Each listing has its own list.
    shows: |Shown { orders, .. }| {
        let own = |order: &Value, name: &str| (name.to_owned(), order[name].clone());
        let entry = |(number, order): (usize, &Value)| {
            let described: Map<_, _> =
                ["type", "ordertype", "price"].map(|name| own(order, name)).into_iter().collect();
            let mut record: Map<_, _> =
                ["cl_ord_id", "vol", "opentm"].map(|name| own(order, name)).into_iter().collect();
            record.insert("descr".to_owned(), described.into());
            (format!("O-{number}"), Value::Object(record))
        };
        let listed: Map<_, _> = orders.iter().enumerate().map(entry).collect();
        let result = json!({"open": listed, "closed": listed, "count": listed.len()});
        Answer::json(json!({"error": [], "result": result}).to_string())
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const BITFINEX: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::bitfinex::Client;
        use apis::bitfinex::orders::{OrderType, SubmitOrder};
        Box::pin(async move {
            let order = SubmitOrder::new(OrderType::Limit, "tBTCUSD", dec!(-0.1)).price(dec!(1000)).cid(1573476747887);
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /v2/auth/w/order/submit",
    open: "POST /v2/auth/r/orders",
    history: Some("POST /v2/auth/r/orders/hist"),
    renamed: &[],
    created: ("mts_create", number),
    selects: &[],
    id: "cid",
    // Orders are arrays, and amounts are numbers there.
    shows: |shown| {
        let bare = |value: &Value| serde_json::from_str::<Value>(value.as_str().unwrap()).unwrap();
        let listed = |order: &Value| {
            let (at, amount) = (&order["mts_create"], bare(&order["amount"]));
            json!([
                7,
                null,
                order["cid"],
                order["symbol"],
                at,
                at,
                amount,
                amount,
                order["type"],
                null,
                null,
                null,
                0,
                "ACTIVE",
                null,
                null,
                bare(&order["price"]),
                0
            ])
        };
        Answer::json(Value::from_iter(shown.orders.iter().map(listed)).to_string())
    },
    hides_older: &[],
    recognizes: false,
};

pub(super) const KUCOIN: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::kucoin::Client;
        use apis::kucoin::spot::{AddOrder, ClientOid, OrderType, Side};
        Box::pin(async move {
            let order = AddOrder::new("BTC-USDT", OrderType::Limit, Side::Buy)
                .price(dec!(50000))
                .size(dec!(0.00001))
                .client_oid(ClientOid::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /api/v1/hf/orders",
    open: "GET /api/v1/hf/orders/active",
    history: Some("GET /api/v1/hf/orders/done"),
    renamed: &[],
    created: ("createdAt", number),
    selects: &[("symbol", "symbol")],
    id: "clientOid",
    // Only the orders that ended are listed since a time and in pages.
    shows: |mut shown| {
        let Some(since) = shown.number("startAt") else {
            return Answer::json(json!({"code": "200000", "data": shown.orders}).to_string());
        };
        shown.orders.retain(|order| order["createdAt"].as_u64() >= Some(since as u64));
        let offset = shown.number("lastId").unwrap_or(0);
        let page = shown.page(offset, shown.number("limit").unwrap_or(20));
        let data = json!({"lastId": offset + page.len(), "items": page});
        Answer::json(json!({"code": "200000", "data": data}).to_string())
    },
    hides_older: &[Place::History],
    recognizes: false,
};

pub(super) const PHEMEX: Adapter = Adapter {
    place: |url, virtual_time| {
        use apis::phemex::Client;
        use apis::phemex::contract::{ClOrdId, OrdType, PlaceOrder, Side};
        Box::pin(async move {
            let order = PlaceOrder::new("BTCUSD", Side::Sell, 7)
                .order_type(OrdType::Limit)
                .price(dec!(9410.5))
                .cl_ord_id(ClOrdId::new("desk-1").unwrap());
            let client = virtual_time.client(Client::builder(url), SECRET);
            Settled::of(&client.place_and_confirm(&order, &patient()).await)
        })
    },
    create: "POST /orders",
    open: "GET /orders/activeList",
    history: Some("GET /exchange/order"),
    renamed: &[("orderType", "ordType")],
    created: ("actionTimeNs", |millis| (millis * 1_000_000).into()),
    selects: &[("symbol", "symbol")],
    id: "clOrdID",
    // Only queries of the second place name an id.
    shows: |mut shown| {
        let Some(id) = shown.query.get("clOrdID").cloned() else {
            return Answer::json(json!({"code": 0, "msg": "", "data": {"rows": shown.orders}}).to_string());
        };
        shown.orders.retain(|order| order["clOrdID"] == id);
        Answer::json(json!({"code": 0, "msg": "OK", "data": shown.orders}).to_string())
    },
    hides_older: &[],
    recognizes: false,
};
