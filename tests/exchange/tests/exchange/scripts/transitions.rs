//! The documented transitions between states of orders.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::Decimal;
use tradeapi_exchange::{Exchange, Profile, Settings, Time};

use super::{CLASSIC, UNIFIED, classic, detail, done, exchange, found, info, refused, unified, with};
use crate::raw::post;

fn fill(exchange: &Exchange, order: &str, qty: &str) {
    exchange.fill(order, qty.parse::<Decimal>().unwrap()).unwrap();
}

fn place(exchange: &Exchange, more: Value) -> Value {
    done(exchange, &format!("{UNIFIED}/place-order"), with(&unified(), more))
}

fn place_classic(exchange: &Exchange, more: Value) -> Value {
    done(exchange, &format!("{CLASSIC}/place-order"), with(&classic(), more))
}

/// Returns the client ids of a list of orders.
fn clients(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|order| order["clientOid"].as_str().unwrap()).collect()
}

#[test]
fn a_filled_order_is_final() {
    let exchange = exchange(Profile::new().both());
    place(&exchange, json!({"clientOid": "a"}));
    fill(&exchange, "a", "0.01");
    refused(&exchange, &format!("{UNIFIED}/modify-order"), json!({"clientOid": "a", "qty": "0.02"}));
    refused(&exchange, &format!("{UNIFIED}/cancel-order"), json!({"clientOid": "a", "category": "USDT-FUTURES"}));
    // In a batch its item fails, with its own code and message.
    let modified = done(
        &exchange,
        &format!("{UNIFIED}/batch-modify-order"),
        json!([{"clientOid": "a", "price": "63001", "autoCancel": "yes"}]),
    );
    let cancel = json!([{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "clientOid": "a"}]);
    let cancelled = done(&exchange, &format!("{UNIFIED}/cancel-batch"), cancel);
    for result in [&modified[0], &cancelled[0]] {
        assert!(result["code"].as_str().is_some_and(|code| code != "00000"), "{result}");
        assert!(result["msg"].as_str().is_some_and(|msg| !msg.is_empty()), "{result}");
    }
    let all = done(&exchange, &format!("{UNIFIED}/cancel-symbol-order"), json!({"category": "USDT-FUTURES"}));
    assert_eq!(all.as_array().or_else(|| all["list"].as_array()).map(Vec::len), Some(0), "{all}");
    let record = info(&exchange, "a");
    assert_eq!([&record["orderStatus"], &record["qty"], &record["cumExecQty"]], ["filled", "0.01", "0.01"]);
}

#[test]
fn a_partly_filled_order_is_cancelled_and_keeps_its_fills() {
    let exchange = exchange(Profile::new().both());
    place(&exchange, json!({"clientOid": "a"}));
    fill(&exchange, "a", "0.004");
    let cancelled = done(&exchange, &format!("{UNIFIED}/cancel-order"), json!({"clientOid": "a"}));
    assert_eq!(cancelled["clientOid"], "a");
    let record = info(&exchange, "a");
    assert_eq!([&record["orderStatus"], &record["cancelReason"]], ["cancelled", "normal_cancel"]);
    assert_eq!([&record["cumExecQty"], &record["cumExecValue"], &record["avgPrice"]], ["0.004", "252", "63000"]);
    let open = found(&exchange, &format!("{UNIFIED}/unfilled-orders?category=USDT-FUTURES"));
    assert_eq!(open["list"], json!([]));
    let history = found(&exchange, &format!("{UNIFIED}/history-orders?category=USDT-FUTURES"));
    assert_eq!(clients(&history["list"]), ["a"]);
    let fills = found(&exchange, &format!("{UNIFIED}/fills?orderId={}", record["orderId"].as_str().unwrap()));
    assert_eq!(fills["list"].as_array().unwrap().len(), 1);
    assert_eq!([&fills["list"][0]["execQty"], &fills["list"][0]["execPrice"]], ["0.004", "63000"]);
}

#[test]
fn all_of_a_category_are_cancelled_and_no_others() {
    let exchange = exchange(Profile::new().both());
    let of = |category: &str, symbol: &str, price: &str, client: &str| {
        place(
            &exchange,
            json!({"category": category, "symbol": symbol, "price": price, "clientOid": client, "qty": "0.1"}),
        );
    };
    of("SPOT", "BTCUSDT", "60000", "spot");
    of("SPOT", "ETHUSDT", "3000", "spot-other");
    of("MARGIN", "BTCUSDT", "60000", "margin");
    of("USDT-FUTURES", "BTCUSDT", "60000", "futures");
    fill(&exchange, "spot", "0.05");
    let path = format!("{UNIFIED}/cancel-symbol-order");
    let of_symbol = done(&exchange, &path, json!({"category": "SPOT", "symbol": "BTCUSDT"}));
    let list = |answer: &Value| answer.as_array().or_else(|| answer["list"].as_array()).cloned().unwrap();
    assert_eq!(clients(&Value::from(list(&of_symbol))), ["spot"]);
    assert_eq!(info(&exchange, "spot")["cumExecQty"], "0.05");
    assert_eq!(clients(&Value::from(list(&done(&exchange, &path, json!({"category": "SPOT"}))))), ["spot-other"]);
    let left = found(&exchange, &format!("{UNIFIED}/unfilled-orders"));
    assert_eq!(clients(&left["list"]), ["futures", "margin"]);
    refused(&exchange, &path, json!({"symbol": "BTCUSDT"}));
}

#[test]
fn a_batch_cancels_the_orders_that_exist() {
    let exchange = exchange(Profile::new().both());
    let placed = place(&exchange, json!({"clientOid": "a"}));
    place(&exchange, json!({"clientOid": "b"}));
    let path = format!("{UNIFIED}/cancel-batch");
    let item = |more: Value| with(&json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT"}), more);
    // The orderId takes precedence, so b is not cancelled.
    let both = item(json!({"orderId": placed["orderId"], "clientOid": "b"}));
    let results = done(&exchange, &path, json!([both, item(json!({"clientOid": "missing"}))]));
    assert_eq!(results[0]["orderId"], placed["orderId"]);
    assert!(results[0].get("code").is_none_or(|code| code == "00000" || code == "" || code.is_null()), "{results}");
    assert_eq!([&results[1]["code"], &results[1]["clientOid"]], ["24056", "missing"]);
    assert_eq!([&info(&exchange, "a")["orderStatus"], &info(&exchange, "b")["orderStatus"]], ["cancelled", "live"]);
    // One batch is of one category, and of twenty orders at most.
    let spot = with(&item(json!({"clientOid": "b"})), json!({"category": "SPOT"}));
    refused(&exchange, &path, json!([item(json!({"clientOid": "b"})), spot]));
    let many: Vec<Value> = (0..21).map(|index| item(json!({"clientOid": format!("c{index}")}))).collect();
    refused(&exchange, &path, many.into());
    refused(&exchange, &path, json!([item(json!({}))]));
    assert_eq!(info(&exchange, "b")["orderStatus"], "live");
}

#[test]
fn a_partly_filled_classic_order_is_not_modified_and_is_cancelled_once() {
    let exchange = exchange(Profile::new().both());
    place_classic(&exchange, json!({"clientOid": "a"}));
    fill(&exchange, "a", "0.004");
    assert_eq!(detail(&exchange, "a")["state"], "partially_filled");
    let named = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "clientOid": "a"});
    let modify = |more: Value| with(&with(&named, json!({"newClientOid": "b"})), more);
    let path = format!("{CLASSIC}/modify-order");
    refused(&exchange, &path, modify(json!({"newSize": "0.02", "newPrice": "63000"})));
    refused(&exchange, &path, modify(json!({"newPresetStopLossPrice": "60000"})));
    done(&exchange, &format!("{CLASSIC}/cancel-order"), named.clone());
    refused(&exchange, &format!("{CLASSIC}/cancel-order"), named);
    let record = detail(&exchange, "a");
    assert_eq!([&record["state"], &record["cancelReason"], &record["size"]], ["canceled", "normal_cancel", "0.01"]);
    assert_eq!([&record["baseVolume"], &record["quoteVolume"], &record["priceAvg"]], ["0.004", "252", "63000"]);
}

#[test]
fn a_modified_classic_order_is_cancelled_and_another_one_follows() {
    let exchange = exchange(Profile::new().both());
    let old = place_classic(&exchange, json!({"clientOid": "a", "presetStopLossPrice": "60000"}));
    let path = format!("{CLASSIC}/modify-order");
    let modify = |more: Value| {
        with(
            &json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "orderId": old["orderId"], "newClientOid": "b"}),
            more,
        )
    };
    // One of the two alone, a quantity below the minimum, and a missing new id do not change the order.
    refused(&exchange, &path, modify(json!({"newSize": "0.02"})));
    refused(&exchange, &path, modify(json!({"newPrice": "62000"})));
    refused(&exchange, &path, modify(json!({"newSize": "0", "newPrice": "62000"})));
    refused(&exchange, &path, modify(json!({"newClientOid": "", "newSize": "0.02", "newPrice": "62000"})));
    assert_eq!([&detail(&exchange, "a")["state"], &detail(&exchange, "a")["size"]], ["live", "0.01"]);
    // The orderId takes precedence over a clientOid without an order.
    done(&exchange, &path, modify(json!({"clientOid": "nothing", "newSize": "0.02", "newPrice": "62000"})));
    exchange.time().advance(Duration::from_secs(1));
    let (before, after) = (detail(&exchange, "a"), detail(&exchange, "b"));
    assert_eq!([&before["state"], &after["state"]], ["canceled", "live"]);
    assert_eq!([&after["size"], &after["price"], &after["orderSource"]], ["0.02", "62000", "modify_order_limit"]);
    assert_ne!(before["orderId"], after["orderId"]);
    // The new one can be modified in turn, the old one cannot.
    refused(&exchange, &path, modify(json!({"newClientOid": "c", "newSize": "0.03", "newPrice": "62000"})));
    let next = json!({"orderId": after["orderId"], "newClientOid": "c", "newSize": "0.03", "newPrice": "62000"});
    done(&exchange, &path, modify(next));
    exchange.time().advance(Duration::from_secs(1));
    assert_eq!([&detail(&exchange, "b")["state"], &detail(&exchange, "c")["size"]], ["canceled", "0.03"]);
}

#[test]
fn self_trade_prevention_ends_the_taker_the_maker_or_both() {
    for (mode, maker_ends, taker_ends) in
        [("cancel_taker", false, true), ("cancel_maker", true, false), ("cancel_both", true, true)]
    {
        let exchange = exchange(Profile::new().both());
        // Between the best prices of other participants, so that only the two orders match.
        place_classic(&exchange, json!({"clientOid": "maker", "side": "sell", "price": "64000"}));
        place_classic(&exchange, json!({"clientOid": "taker", "price": "64000", "stpMode": mode}));
        let [maker, taker] = ["maker", "taker"].map(|client| detail(&exchange, client));
        for (record, ends) in [(&maker, maker_ends), (&taker, taker_ends)] {
            assert_eq!(record["baseVolume"], "0", "{mode}: {record}");
            match ends {
                true => assert_eq!([&record["state"], &record["cancelReason"]], ["canceled", "stp_cancel"], "{mode}"),
                false => assert_eq!(record["state"], "live", "{mode}"),
            }
        }
    }
    // Without a mode, the account trades with itself.
    let exchange = exchange(Profile::new().both());
    place_classic(&exchange, json!({"clientOid": "maker", "side": "sell", "price": "64000"}));
    place_classic(&exchange, json!({"clientOid": "taker", "price": "64000"}));
    assert_eq!([&detail(&exchange, "maker")["state"], &detail(&exchange, "taker")["state"]], ["filled", "filled"]);
}

#[test]
fn cancelled_orders_are_deleted_after_two_hours_and_filled_ones_are_not() {
    let exchange = exchange(Profile::new().both());
    for client in ["filled", "cancelled", "open"] {
        place(&exchange, json!({"clientOid": client}));
    }
    fill(&exchange, "filled", "0.01");
    done(&exchange, &format!("{UNIFIED}/cancel-order"), json!({"clientOid": "cancelled"}));
    let listed = || {
        let history = found(&exchange, &format!("{UNIFIED}/history-orders?category=USDT-FUTURES"));
        let mut all: Vec<String> = clients(&history["list"]).into_iter().map(str::to_owned).collect();
        all.sort_unstable();
        all
    };
    exchange.time().advance(Duration::from_secs(2 * 3600 - 1));
    assert!(listed().contains(&"cancelled".to_owned()));
    exchange.time().advance(Duration::from_secs(2));
    assert!(!listed().contains(&"cancelled".to_owned()) && listed().contains(&"filled".to_owned()));
    let gone = crate::raw::get(&format!("{UNIFIED}/order-info?clientOid=cancelled")).send(&exchange);
    assert_ne!(gone["code"], "00000", "{gone}");
    assert_eq!(info(&exchange, "open")["orderStatus"], "live");
    // A deleted order cannot be cancelled, and its id can be used again.
    refused(&exchange, &format!("{UNIFIED}/cancel-order"), json!({"clientOid": "cancelled"}));
    place(&exchange, json!({"clientOid": "cancelled"}));
}

#[test]
fn a_modification_waits_for_the_one_before() {
    let mut settings = Settings::default();
    (settings.rate_limits, settings.modification_delay) = (false, Duration::from_secs(2));
    let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().both());
    place(&exchange, json!({"clientOid": "a"}));
    let path = format!("{UNIFIED}/modify-order");
    done(&exchange, &path, json!({"clientOid": "a", "price": "63001", "requestId": 1}));
    refused(&exchange, &path, json!({"clientOid": "a", "price": "63002", "requestId": 2}));
    // Another order is not affected, and five modifications of one order can be in progress, each in its own request.
    place(&exchange, json!({"clientOid": "b"}));
    done(&exchange, &path, json!({"clientOid": "b", "price": "63002"}));
    place(&exchange, json!({"clientOid": "c"}));
    let batch = format!("{UNIFIED}/batch-modify-order");
    let item = |price: u32| json!([{"clientOid": "c", "price": price.to_string()}]);
    for price in 63_001..=63_005 {
        assert_eq!(done(&exchange, &batch, item(price))[0].get("code"), None);
    }
    assert!(done(&exchange, &batch, item(63_006))[0]["code"].is_string());
    // An order occurs once in a request.
    let twice = json!([{"clientOid": "b", "price": "63001"}, {"clientOid": "b", "price": "63002"}]);
    let answer = post(&batch, &twice).send(&exchange);
    assert_ne!(answer["code"], "00000", "{answer}");
    exchange.time().advance(Duration::from_secs(3));
    let prices = ["a", "b", "c"].map(|client| info(&exchange, client)["price"].as_str().unwrap().to_owned());
    assert_eq!(prices, ["63001", "63002", "63005"]);
}
