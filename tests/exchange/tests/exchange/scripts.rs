//! Scripts of requests and expected answers that are written from the documents alone.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi_exchange::{Exchange, Mode, Profile, Settings, Time};

use crate::raw::{get, post};

mod bounds;
mod rates;
mod transitions;

const UNIFIED: &str = "/api/v3/trade";
const CLASSIC: &str = "/api/v2/mix/order";

fn exchange(profile: Profile) -> Exchange {
    let mut settings = Settings::default();
    settings.rate_limits = false;
    Exchange::with(settings, Time::by_hand(), profile)
}

/// Returns the data of a request that succeeds.
fn done(exchange: &Exchange, path: &str, body: Value) -> Value {
    let mut answer = post(path, &body).send(exchange);
    assert_eq!(answer["code"], "00000", "{path} {body}: {answer}");
    answer["data"].take()
}

/// Returns the code of a request that is refused.
fn refused(exchange: &Exchange, path: &str, body: Value) -> String {
    let answer = post(path, &body).send(exchange);
    assert_ne!(answer["code"], "00000", "{path} {body}: {answer}");
    answer["code"].as_str().unwrap().to_owned()
}

fn found(exchange: &Exchange, target: &str) -> Value {
    let mut answer = get(target).send(exchange);
    assert_eq!(answer["code"], "00000", "{target}: {answer}");
    answer["data"].take()
}

/// Returns `base` with the members of `other`.
fn with(base: &Value, other: Value) -> Value {
    let mut base = base.clone();
    base.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
    base
}

fn unified() -> Value {
    json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
           "price": "63000"})
}

fn classic() -> Value {
    json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT",
           "size": "0.01", "side": "buy", "orderType": "limit", "price": "63000", "force": "gtc"})
}

fn classic_market() -> Value {
    json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT",
           "size": "0.01", "side": "buy", "orderType": "market"})
}

fn info(exchange: &Exchange, client: &str) -> Value {
    found(exchange, &format!("{UNIFIED}/order-info?clientOid={client}"))
}

fn detail(exchange: &Exchange, client: &str) -> Value {
    found(exchange, &format!("{CLASSIC}/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid={client}"))
}

/// Returns the positions of the classic account: `long 0.017`.
fn positions(exchange: &Exchange, family: tradeapi_exchange::Family) -> Vec<String> {
    let positions = exchange.account(exchange.keys(), family).positions;
    positions.iter().map(|p| format!("{} {} {}", p.pos, p.side, p.qty.normalize())).collect()
}

#[test]
fn an_order_with_a_lost_answer_is_found_by_its_client_id() {
    let exchange = exchange(Profile::new().both().whitelisted());
    for (index, code) in ["40010", "40725", "45001"].into_iter().enumerate() {
        let client = format!("lost-{index}");
        exchange.hide_next(code);
        let order = json!({"symbol": "rAAPLUSDT", "side": "buy", "orderType": "limit", "qty": "1", "price": "225",
                           "clientOid": client});
        assert_eq!(refused(&exchange, &format!("{UNIFIED}/place-reality-order"), order), code);
        let record = info(&exchange, &client);
        assert_eq!([&record["category"], &record["symbol"], &record["qty"]], ["SPOT", "RAAPLUSDT", "1"]);
    }
}

#[test]
fn a_reality_order_is_cancelled_in_its_category() {
    let exchange = exchange(Profile::new().both().whitelisted());
    let order = json!({"symbol": "rTSLAUSDT", "side": "buy", "orderType": "limit", "qty": "1", "price": "400"});
    let place = |more: Value| done(&exchange, &format!("{UNIFIED}/place-reality-order"), with(&order, more));
    place(json!({"clientOid": "margin", "category": "MARGIN"}));
    place(json!({"clientOid": "spot"}));
    let cancel = |more: Value| with(&json!({"symbol": "rTSLAUSDT"}), more);
    let path = format!("{UNIFIED}/cancel-reality-order");
    refused(&exchange, &path, cancel(json!({"clientOid": "margin"})));
    refused(&exchange, &path, cancel(json!({"clientOid": "spot", "category": "MARGIN"})));
    assert_eq!(done(&exchange, &path, cancel(json!({"clientOid": "spot"})))["clientOid"], "spot");
    done(&exchange, &path, cancel(json!({"clientOid": "margin", "category": "MARGIN"})));
    refused(&exchange, &path, cancel(json!({"clientOid": "margin", "category": "MARGIN"})));
    assert_eq!(info(&exchange, "margin")["orderStatus"], "cancelled");
}

#[test]
fn a_modified_price_outside_the_range_is_refused_or_adjusted() {
    let exchange = exchange(Profile::new().both());
    done(
        &exchange,
        &format!("{UNIFIED}/place-order"),
        with(&unified(), json!({"clientOid": "a", "side": "sell", "price": "65000"})),
    );
    let path = format!("{UNIFIED}/modify-order");
    for modification in
        [json!({"clientOid": "a", "price": "40000"}), json!({"clientOid": "a", "price": "40000", "pxAmendType": "no"})]
    {
        refused(&exchange, &path, modification);
        assert_eq!([&info(&exchange, "a")["price"], &info(&exchange, "a")["orderStatus"]], ["65000", "live"]);
    }
    done(&exchange, &path, json!({"clientOid": "a", "price": "40000", "pxAmendType": "yes"}));
    assert_eq!([&info(&exchange, "a")["price"], &info(&exchange, "a")["orderStatus"]], ["57600", "filled"]);
}

#[test]
fn a_rejected_modification_with_auto_cancel_ends_the_order_and_names_the_request() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{UNIFIED}/modify-order");
    let far = json!({"clientOid": "a", "price": "80000", "autoCancel": "yes", "requestId": 123456789012345678_u64});
    done(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), json!({"clientOid": "a"})));
    let answer = post(&path, &far).send(&exchange);
    assert!(answer["code"] != "00000" && answer["msg"].as_str().unwrap().contains("123456789012345678"), "{answer}");
    assert_eq!(info(&exchange, "a")["orderStatus"], "cancelled");
    refused(&exchange, &path, json!({"clientOid": "a", "price": "63001"}));
    refused(&exchange, &format!("{UNIFIED}/cancel-order"), json!({"clientOid": "a"}));
    // Only the order of the item is cancelled.
    for client in ["b", "c"] {
        done(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), json!({"clientOid": client})));
    }
    let batch =
        json!([{"clientOid": "b", "price": "80000", "autoCancel": "yes"}, {"clientOid": "c", "price": "63001"}]);
    done(&exchange, &format!("{UNIFIED}/batch-modify-order"), batch);
    assert_eq!([&info(&exchange, "b")["orderStatus"], &info(&exchange, "c")["price"]], ["cancelled", "63001"]);
}

#[test]
fn a_partly_filled_order_keeps_its_fills() {
    let exchange = exchange(Profile::new().both());
    exchange.set_price("BTCUSDT", 64_000).unwrap();
    done(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), json!({"clientOid": "a"})));
    exchange.fill("a", "0.004".parse::<tradeapi::Decimal>().unwrap()).unwrap();
    let path = format!("{UNIFIED}/modify-order");
    refused(&exchange, &path, json!({"clientOid": "a", "qty": "0.003"}));
    assert_eq!([&info(&exchange, "a")["qty"], &info(&exchange, "a")["orderStatus"]], ["0.01", "partially_filled"]);
    done(&exchange, &path, json!({"clientOid": "a", "qty": "0.005"}));
    assert_eq!([&info(&exchange, "a")["qty"], &info(&exchange, "a")["cumExecQty"]], ["0.005", "0.004"]);
}

#[test]
fn a_reduce_only_order_needs_a_position_on_the_other_side() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{UNIFIED}/place-order");
    let market = |side: &str, more: Value| {
        let order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": side, "orderType": "market"});
        with(&order, more)
    };
    refused(&exchange, &path, market("sell", json!({"reduceOnly": "yes"})));
    done(&exchange, &path, market("sell", json!({})));
    refused(&exchange, &path, market("sell", json!({"reduceOnly": "yes"})));
    done(&exchange, &path, market("buy", json!({"reduceOnly": "yes"})));
    assert!(positions(&exchange, tradeapi_exchange::Family::Unified).is_empty());
    // Without it, the same order opens.
    done(&exchange, &path, market("buy", json!({"reduceOnly": "no"})));
    assert_eq!(positions(&exchange, tradeapi_exchange::Family::Unified), ["net buy 0.01"]);
}

#[test]
fn a_reversal_in_hedge_mode_turns_a_part_or_all() {
    let exchange = exchange(Profile::new().both().mode(Mode::Hedge));
    let positions = || positions(&exchange, tradeapi_exchange::Family::Classic);
    let path = format!("{CLASSIC}/click-backhand");
    let reversal = json!({"symbol": "BTCUSDT", "marginCoin": "USDT", "productType": "USDT-FUTURES", "side": "sell",
                          "tradeSide": "open"});
    refused(&exchange, &path, reversal.clone());
    let open = json!({"size": "0.02", "side": "sell", "tradeSide": "open"});
    done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic_market(), open));
    done(&exchange, &path, with(&reversal, json!({"size": "0.003", "clientOid": "r"})));
    assert_eq!(positions(), ["long buy 0.003", "short sell 0.017"]);
    assert_eq!([&detail(&exchange, "r")["posSide"], &detail(&exchange, "r")["orderSource"]], ["long", "reverse"]);
    // The size of the position or more reverses all of it.
    done(&exchange, &path, with(&reversal, json!({"size": "5"})));
    assert_eq!(positions(), ["long buy 0.02"]);
}

#[test]
fn a_reversal_in_one_way_mode_turns_the_whole_position() {
    let exchange = exchange(Profile::new().both());
    done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic_market(), json!({"side": "sell"})));
    let close = json!({"clientOid": "close", "price": "60000", "reduceOnly": "YES"});
    done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic(), close));
    let reversal = json!({"symbol": "BTCUSDT", "marginCoin": "USDT", "productType": "USDT-FUTURES", "side": "buy"});
    done(&exchange, &format!("{CLASSIC}/click-backhand"), reversal.clone());
    assert_eq!(positions(&exchange, tradeapi_exchange::Family::Classic), ["net buy 0.01"]);
    assert_eq!(detail(&exchange, "close")["state"], "canceled", "there is nothing left to close");
    refused(&exchange, &format!("{CLASSIC}/click-backhand"), with(&reversal, json!({"tradeSide": "open"})));
}

#[test]
fn the_presets_of_a_batch_change_those_of_a_position() {
    let exchange = exchange(Profile::new().both());
    exchange.set_price("BTCUSDT", 64_000).unwrap();
    let batch = |item: Value| {
        let item =
            with(&json!({"size": "0.01", "side": "buy", "orderType": "limit", "price": "60000", "force": "gtc"}), item);
        json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT", "marginMode": "crossed",
               "orderList": [item]})
    };
    let path = format!("{CLASSIC}/batch-place-order");
    // Without a position, the presets belong to the open order.
    done(&exchange, &path, batch(json!({"presetStopLossPrice": "63500", "clientOid": "waits"})));
    done(&exchange, &format!("{CLASSIC}/place-order"), classic_market());
    exchange.set_price("BTCUSDT", 63_400).unwrap();
    assert_eq!(positions(&exchange, tradeapi_exchange::Family::Classic).len(), 1, "the position has no stop-loss");
    // With a position, they belong to it, although the order is open.
    done(&exchange, &path, batch(json!({"presetStopLossPrice": "63000"})));
    exchange.set_price("BTCUSDT", 62_900).unwrap();
    assert!(positions(&exchange, tradeapi_exchange::Family::Classic).is_empty());
}

#[test]
fn presets_change_without_another_order() {
    let exchange = exchange(Profile::new().both());
    let presets = json!({"clientOid": "a", "presetStopSurplusPrice": "66000", "presetStopLossPrice": "61000"});
    let placed = done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic(), presets));
    let modify = |more: Value| {
        let named = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "clientOid": "a", "newClientOid": "b"});
        with(&named, more)
    };
    let path = format!("{CLASSIC}/modify-order");
    done(&exchange, &path, modify(json!({"newPresetStopSurplusPrice": "67000", "newPresetStopLossPrice": "60000"})));
    exchange.time().advance(Duration::from_secs(1));
    let record = detail(&exchange, "a");
    assert_eq!((&record["orderId"], &record["state"]), (&placed["orderId"], &json!("live")));
    assert_eq!([&record["presetStopSurplusPrice"], &record["presetStopLossPrice"]], ["67000", "60000"]);
    // Only one of them cancels the other, and 0 deletes.
    done(&exchange, &path, modify(json!({"newPresetStopLossPrice": "59000"})));
    let record = detail(&exchange, "a");
    assert_eq!((&record["presetStopSurplusPrice"], &record["presetStopLossPrice"]), (&json!(""), &json!("59000")));
    done(&exchange, &path, modify(json!({"newPresetStopSurplusPrice": "", "newPresetStopLossPrice": "0"})));
    assert_eq!(detail(&exchange, "a")["presetStopLossPrice"], "");
}

#[test]
fn omitted_parameters_of_a_classic_order_have_defaults() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{CLASSIC}/place-order");
    done(&exchange, &path, with(&classic(), json!({"clientOid": "a", "presetStopLossPrice": ""})));
    let record = detail(&exchange, "a");
    assert_eq!([&record["force"], &record["reduceOnly"], &record["tradeSide"]], ["gtc", "NO", "buy_single"]);
    // A trade side is ignored in one-way mode.
    done(&exchange, &path, with(&classic_market(), json!({"tradeSide": "close"})));
    assert_eq!(positions(&exchange, tradeapi_exchange::Family::Classic), ["net buy 0.01"]);
}

#[test]
fn commissions_are_those_of_yesterday_page_by_page() {
    let exchange = exchange(Profile::new().both());
    let path = "/api/v2/broker/customer-commissions";
    let whole = found(&exchange, path);
    let all = whole["commissionList"].as_array().unwrap();
    let now = exchange.time().now().as_millis();
    let (day, offset) = (24 * 3_600_000, 8 * 3_600_000);
    let midnight = (now + offset) / day * day - offset;
    let dates = all.iter().map(|item| item["date"].as_str().unwrap().parse::<u64>().unwrap());
    assert!(all.len() > 1 && dates.clone().all(|date| (midnight - day..midnight).contains(&date)), "{all:?}");
    let (mut listed, mut before) = (Vec::new(), String::new());
    while listed.len() < all.len() {
        let page = found(&exchange, &format!("{path}?limit=1{before}"));
        listed.extend(page["commissionList"].as_array().unwrap().clone());
        before = format!("&idLessThan={}", page["endId"].as_str().unwrap());
    }
    assert_eq!(&listed, all);
    let uid = all[0]["uid"].as_str().unwrap();
    let of_user = found(&exchange, &format!("{path}?uid={uid}"));
    assert_eq!(of_user["commissionList"].as_array().unwrap().len(), 1);
    let symbol = all[0]["symbol"].as_str().unwrap();
    let of_symbol = found(&exchange, &format!("{path}?symbol={symbol}"));
    let wanted = all.iter().filter(|item| item["symbol"] == symbol).count();
    assert_eq!(
        of_symbol["commissionList"].as_array().unwrap().len(),
        wanted,
        "a symbol with the suffix of its product"
    );
    let one_of_two = get(&format!("{path}?startTime={}", now - day)).send(&exchange);
    assert_ne!(one_of_two["code"], "00000", "both times or neither must be set");
}

#[test]
fn only_orders_that_request_it_borrow() {
    let exchange = exchange(Profile::new().both().balance("USDT", 100));
    let order = json!({"category": "SPOT", "symbol": "SOLUSDT", "side": "buy", "orderType": "limit", "qty": "5",
                       "price": "140"});
    let path = format!("{UNIFIED}/place-order");
    refused(&exchange, &path, order.clone());
    refused(&exchange, &path, with(&order, json!({"autoBorrow": "no"})));
    done(&exchange, &path, with(&order, json!({"autoBorrow": "yes"})));
    let assets = found(&exchange, "/api/v3/account/assets");
    let usdt = assets["assets"].as_array().unwrap().iter().find(|asset| asset["coin"] == "USDT").unwrap();
    assert_eq!([&usdt["debt"], &usdt["locked"], &usdt["available"]], ["600", "700", "0"], "{usdt}");
}
