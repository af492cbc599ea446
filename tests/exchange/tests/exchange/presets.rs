//! Take-profits and stop-losses: which are refused, and what becomes of those that are triggered.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::classic;
use tradeapi::unified::{
    Category, Execution, ModifyOrder, OrderRef, OrderStatus, OrderType, PlaceOrder, PosSide, Side,
};
use tradeapi_exchange::{Exchange, Profile, Seed};

use crate::fixture::{Fixture, code, limit, market, number};
use crate::raw::{get, post};

const UNIFIED: &str = "/api/v3/trade/place-order";
const CLASSIC: &str = "/api/v2/mix/order/place-order";

fn with(order: &Value, name: &str, value: &str) -> Value {
    let mut order = order.clone();
    order[name] = json!(value);
    order
}

#[test]
fn prices_that_no_order_can_have_are_refused_with_their_order() {
    let exchange = Exchange::for_user(Seed(7), Profile::new().both());
    let classic = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed",
        "marginCoin": "USDT", "size": "0.01", "side": "buy", "orderType": "market", "presetStopSurplusPrice": "70000"});
    let unified = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
        "orderType": "market", "takeProfit": "70000", "tpOrderType": "limit",
        "tpLimitPrice": "69000"});
    let refused = |path, order: Value| {
        let answer = post(path, &order).send(&exchange);
        answer["code"].as_str().unwrap().to_owned()
    };
    for name in ["presetStopSurplusPrice", "presetStopLossPrice", "presetStopSurplusExecutePrice"] {
        assert_eq!(refused(CLASSIC, with(&classic, name, "70000.05")), "45115", "{name}");
        assert_eq!(refused(CLASSIC, with(&classic, name, "0")), "40017", "{name}: only a modification deletes by 0");
    }
    for name in ["takeProfit", "stopLoss", "tpLimitPrice"] {
        assert_eq!(refused(UNIFIED, with(&unified, name, "70000.05")), "25244", "{name}");
        assert_eq!(refused(UNIFIED, with(&unified, name, "0")), "25200", "{name}");
    }
    for [name, kind] in [["takeProfit", "tpOrderType"], ["stopLoss", "slOrderType"]] {
        let order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
            "orderType": "limit", "price": "60000", name: "61000", kind: "limit"});
        assert_eq!(refused(UNIFIED, order), "40019", "{kind}: a limit order has a price");
    }
    let spot = json!({"category": "SPOT", "symbol": "BTCUSDT", "qty": "500", "side": "buy", "orderType": "market"});
    assert_eq!(refused(UNIFIED, with(&spot, "stopLoss", "60000.005")), "25244");
    let item = json!({"size": "0.01", "side": "buy", "orderType": "market", "presetStopLossPrice": "60000.05"});
    let batch = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed",
        "marginCoin": "USDT", "orderList": [item]});
    let answer = post("/api/v2/mix/order/batch-place-order", &batch).send(&exchange);
    assert_eq!(answer["data"]["failureList"][0]["errorCode"], "45115", "{answer}");
    for family in [tradeapi_exchange::Family::Classic, tradeapi_exchange::Family::Unified] {
        assert!(exchange.account(exchange.keys(), family).positions.is_empty(), "{family}");
    }
}

#[tokio::test]
async fn prices_that_no_order_can_have_are_refused_with_their_modification() {
    let fixture = Fixture::one_way();
    let client = fixture.client.unified();
    client.place_order(&limit("a", Side::Buy, "0.01", "60000").stop_loss(number("50000"))).await.unwrap();
    let change = || ModifyOrder::new(OrderRef::ClientOid("a".parse().unwrap())).price(number("61000"));
    assert_eq!(code(client.modify_order(&change().stop_loss(number("50000.05"))).await).as_deref(), Some("25244"));
    let limited = change().sl_order_type(OrderType::Limit).sl_limit_price(number("49999.95"));
    assert_eq!(code(client.modify_order(&limited).await).as_deref(), Some("25244"));
    let record = fixture.details("a").await.unwrap();
    assert_eq!((record.price, record.stop_loss), (Some(number("60000")), Some(number("50000"))));

    let line = classic::ProductType::UsdtFutures;
    let order = crate::fixture::classic_limit("a", classic::Side::Buy, "0.01", "60000");
    fixture.client.classic().place_order(&order).await.unwrap();
    let by = classic::OrderRef::ClientOid("a".into());
    let change = classic::ModifyOrder::new("BTCUSDT", line, "b", by).new_preset_stop_loss_price(number("50000.05"));
    assert_eq!(code(fixture.client.classic().modify_order(&change).await).as_deref(), Some("45115"));
    assert_eq!(fixture.detail("a").await.unwrap().preset_stop_loss_price, None);
}

/// Returns the newest orders of a unified account that have ended: their origin, state, price and filled quantity.
fn ended(exchange: &Exchange, category: &str) -> Vec<[String; 4]> {
    let answer = get(&format!("/api/v3/trade/history-orders?category={category}")).send(exchange);
    let text = |order: &Value, name: &str| order[name].as_str().unwrap().to_owned();
    let told = |order| ["delegateType", "orderStatus", "price", "cumExecQty"].map(|name| text(order, name));
    answer["data"]["list"].as_array().unwrap().iter().map(told).collect()
}

#[tokio::test]
async fn a_limit_beyond_the_range_is_moved_into_it_when_it_is_triggered() {
    let fixture = Fixture::one_way();
    let order = market("a", Side::Buy, "0.1").stop_loss(number("63000"));
    let order = order.sl_order_type(OrderType::Limit).sl_limit_price(number("40000"));
    fixture.client.unified().place_order(&order).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 62_900).unwrap();
    let expected = ["position_stop_loss_limit", "filled", "56610", "0.1"].map(str::to_owned);
    assert_eq!(ended(&fixture.exchange, "USDT-FUTURES")[0], expected, "a tenth below the market");
}

#[tokio::test]
async fn a_stop_loss_closes_the_whole_position_although_a_part_of_it_is_for_sale() {
    let fixture = Fixture::hedged();
    let client = fixture.client.unified();
    let long = market("a", Side::Buy, "0.1").pos_side(PosSide::Long).stop_loss(number("63000"));
    client.place_order(&long).await.unwrap();
    client.place_order(&limit("b", Side::Sell, "0.04", "68000").pos_side(PosSide::Long)).await.unwrap();
    fixture.exchange.set_price("BTCUSDT", 62_900).unwrap();
    assert!(fixture.unified().positions.is_empty(), "{:?}", fixture.unified().positions);
    assert!(fixture.unified().open_orders.is_empty(), "{:?}", fixture.unified().open_orders);
    assert_eq!(fixture.details("b").await.unwrap().order_status, Some(OrderStatus::Cancelled));
}

#[tokio::test]
async fn what_is_triggered_and_cannot_be_placed_is_kept_as_cancelled() {
    let fixture = Fixture::one_way();
    let client = fixture.client.unified();
    let spot = |side, qty, name: &str| {
        PlaceOrder::new(Category::Spot, "BTCUSDT", number(qty), side, Execution::Market)
            .client_oid(name.parse().unwrap())
    };
    client.place_order(&spot(Side::Buy, "500", "a").take_profit(number("65000"))).await.unwrap();
    let all =
        fixture.unified().balances["BTC"].available.round_dp_with_strategy(4, rust_decimal::RoundingStrategy::ToZero);
    client.place_order(&spot(Side::Sell, &all.to_string(), "b")).await.unwrap();
    assert_eq!(ended(&fixture.exchange, "SPOT").len(), 2);
    fixture.exchange.set_price("BTCUSDT", 65_000).unwrap();
    let kept = ["position_stop_profit_market", "cancelled", "0", "0"].map(str::to_owned);
    let history = ended(&fixture.exchange, "SPOT");
    assert_eq!((history.len(), &history[0]), (3, &kept), "what it would sell was sold meanwhile");
    // It is triggered once.
    fixture.exchange.set_price("BTCUSDT", 65_100).unwrap();
    fixture.exchange.time().advance(Duration::from_secs(60));
    assert_eq!(ended(&fixture.exchange, "SPOT").len(), 3);
}

#[tokio::test]
async fn a_changed_take_profit_keeps_its_execution_price_and_its_order_the_client_id() {
    let fixture = Fixture::one_way();
    let order = crate::fixture::classic_limit("a", classic::Side::Buy, "0.01", "60000");
    let order = order.preset_stop_surplus_price(number("70000")).preset_stop_surplus_execute_price(number("69900"));
    fixture.client.classic().place_order(&order).await.unwrap();
    let (line, by) = (classic::ProductType::UsdtFutures, classic::OrderRef::ClientOid("a".into()));
    let change = classic::ModifyOrder::new("BTCUSDT", line, "b", by).new_preset_stop_surplus_price(number("71000"));
    let ids = fixture.client.classic().modify_order(&change).await.unwrap().data;
    assert_eq!(ids.client_oid.as_ref().map(|id| id.as_str()), Some("a"), "the order is the same");
    let record = fixture.detail("a").await.unwrap();
    assert_eq!(record.order_id, ids.order_id);
    let prices = (record.preset_stop_surplus_price, record.preset_stop_surplus_execute_price);
    assert_eq!(prices, (Some(number("71000")), Some(number("69900"))));
    assert!(fixture.detail("b").await.is_err());
}

/// One that the price has reached would close at once what the order opens. Of an order that waits, no source says which
/// price counts, so it is refused for what is wrong by the latest price and by its own.
#[test]
fn presets_that_the_price_has_reached_are_refused_with_their_order() {
    let exchange = Exchange::for_user(Seed(7), Profile::new().both());
    exchange.set_price("BTCUSDT", 64_000).unwrap();
    exchange.set_mark_price("BTCUSDT", Some(66_000.into())).unwrap();
    let unified = |side: &str, price: &str, more: Value| {
        let mut order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.001", "side": side,
            "orderType": "market"});
        if !price.is_empty() {
            (order["orderType"], order["price"]) = (json!("limit"), json!(price));
        }
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(UNIFIED, &order).send(&exchange)["code"].as_str().unwrap().to_owned()
    };
    let mark = |price: &str| json!({"stopLoss": price, "slTriggerBy": "mark"});
    for (side, price, more, expected) in [
        ("buy", "", json!({"takeProfit": "64000"}), "25585"),
        ("buy", "", json!({"stopLoss": "64001"}), "25586"),
        ("sell", "", json!({"takeProfit": "64500"}), "25587"),
        ("sell", "", json!({"stopLoss": "63000"}), "25588"),
        ("buy", "", json!({"takeProfit": "65000", "tpTriggerBy": "mark"}), "25589"),
        ("buy", "", mark("66500"), "25590"),
        ("sell", "", json!({"takeProfit": "67000", "tpTriggerBy": "mark"}), "25591"),
        ("sell", "", mark("65000"), "25592"),
        ("buy", "60000", json!({"takeProfit": "59000"}), "25585"),
        ("buy", "60000", json!({"takeProfit": "62000"}), "00000"),
        ("buy", "60000", json!({"stopLoss": "61000"}), "00000"),
        ("sell", "", mark("67000"), "00000"),
        ("sell", "", json!({"takeProfit": "60000", "stopLoss": "69000", "reduceOnly": "no"}), "00000"),
    ] {
        assert_eq!(unified(side, price, more.clone()), expected, "{side} {price} {more}");
    }
    let classic = |side: &str, name: &str, price: &str| {
        let order = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed",
            "marginCoin": "USDT", "size": "0.001", "side": side, "orderType": "market", name: price});
        post(CLASSIC, &order).send(&exchange)["code"].as_str().unwrap().to_owned()
    };
    let [profit, loss] = ["presetStopSurplusPrice", "presetStopLossPrice"];
    assert_eq!([classic("buy", profit, "63000"), classic("buy", loss, "65000")], ["40830", "40834"]);
    assert_eq!([classic("sell", profit, "65000"), classic("sell", loss, "63000")], ["40832", "40836"]);
}
