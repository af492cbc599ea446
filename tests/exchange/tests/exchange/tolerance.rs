//! What a tolerant exchange takes beyond the documents, and a strict one refuses.

use serde_json::{Value, json};
use tradeapi_exchange::{Exchange, Family, Profile, Settings, Time};

use crate::raw::{get, post};

fn exchange(tolerant: bool) -> Exchange {
    let mut settings = Settings::default();
    (settings.tolerant, settings.rate_limits) = (tolerant, false);
    Exchange::with(settings, Time::by_hand(), Profile::new())
}

#[test]
fn requests_of_other_clients_are_taken_as_they_come() {
    // Each has something that no document lists: another parameter, or a value in other letters.
    let classic = json!({
        "symbol": "BTCUSDT", "productType": "usdt-futures", "marginMode": "crossed", "marginCoin": "USDT",
        "size": "0.01", "side": "buy", "orderType": "market", "force": "GTC", "clientOid": "a",
    });
    let unified = json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
        "price": "60000", "timeInForce": "GTC", "clientOid": "b", "channel": "x",
    });
    let cancel = json!({ "clientOid": "b", "symbol": "BTCUSDT" });
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        let codes: Vec<Value> = [
            post("/api/v2/mix/order/place-order", &classic),
            post("/api/v3/trade/place-order", &unified),
            post("/api/v3/trade/cancel-order", &cancel),
            get("/api/v3/trade/unfilled-orders?category=usdt-futures&colour=red"),
        ]
        .into_iter()
        .map(|request| request.send(&exchange)["code"].clone())
        .collect();
        let taken = codes.iter().filter(|code| **code == "00000").count();
        assert_eq!(taken, if tolerant { 4 } else { 0 }, "{codes:?}");
        let positions = exchange.account(exchange.keys(), Family::Classic).positions;
        assert_eq!(positions.len(), usize::from(tolerant));
    }
}

#[test]
fn all_orders_are_cancelled_with_the_answer_that_was_observed() {
    for tolerant in [true, false] {
        let answer =
            post("/api/v3/trade/cancel-symbol-order", &json!({ "category": "SPOT" })).send(&exchange(tolerant));
        let expected = if tolerant { json!({ "list": [] }) } else { json!([]) };
        assert_eq!(answer["data"], expected);
    }
}

#[test]
fn what_a_document_says_is_not_supported_is_refused_by_its_rule() {
    let order =
        json!({ "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "market" });
    let unsupported = [
        ("reduceOnly", "yes", "no-reduce-only"),
        ("marginMode", "isolated", "no-isolated-spot-margin"),
        ("takeProfit", "70000", "no-take-profit-stop-loss"),
        ("slLimitPrice", "60000", "no-take-profit-stop-loss"),
    ];
    for tolerant in [true, false] {
        for (name, value, rule) in unsupported {
            let exchange = exchange(tolerant);
            let mut with = order.clone();
            with[name] = json!(value);
            let answer = post("/api/v3/trade/place-batch", &json!([order, with])).send(&exchange);
            assert_eq!(answer["code"], "25200", "{name}: {answer}");
            let why = answer["msg"].as_str().unwrap();
            assert!(why.contains(&format!("[1].{name}: ")) && why.contains(rule), "{why}");
            assert!(exchange.account(exchange.keys(), Family::Unified).positions.is_empty(), "neither order is placed");
            let answer = post("/api/v3/trade/place-batch", &json!([order])).send(&exchange);
            assert_eq!(answer["code"], "00000", "{answer}");
        }
    }
}
