//! Tests of the reference with cases worked out by hand.

use serde_json::{Value, json};

use super::Verdict::{Accepted, Refused, Warned};
use super::window::DAY;
use super::{Verdict, verdict};

const NOW: u64 = 1_734_220_800_000;

/// Returns the named members of `base`, with those of `more` added, or removed if they are null.
fn with(mut base: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().expect("members") {
        base[name.as_str()] = value.clone();
    }
    base
}

fn check(operation: &str, base: &Value, cases: &[(Value, Value, Verdict)]) {
    for (members, account, expected) in cases {
        let request = with(base.clone(), members);
        assert_eq!(verdict(operation, &request, account, NOW), *expected, "{operation} {request} {account}");
    }
}

#[test]
fn classic_orders() {
    let base = json!({
        "symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT",
        "size": "0.125", "side": "buy", "orderType": "limit", "price": "60000", "force": "gtc",
    });
    let hedge = json!({"positionMode": "hedge_mode"});
    let one_way = json!({"positionMode": "one_way_mode"});
    let precise = |digits: u8| json!({"instruments": [{"line": "USDT-FUTURES", "symbol": "BTCUSDT", "sizePrecision": digits.to_string()}]});
    let copy = |pair: &str| json!({"copyTrading": true, "copyTradingPairs": [pair]});
    check(
        "classic.place-order",
        &base,
        &[
            (json!({}), json!({}), Accepted),
            (json!({"force": "post only"}), json!({}), Refused),
            (json!({"reduceOnly": "yes"}), json!({}), Refused),
            (json!({"marginCoin": "usdt"}), json!({}), Warned),
            (json!({"marginCoin": "usdt", "side": "long"}), json!({}), Refused),
            (json!({}), hedge.clone(), Refused),
            (json!({"tradeSide": "open"}), hedge.clone(), Accepted),
            (json!({"tradeSide": "open", "reduceOnly": "NO"}), hedge, Refused),
            (json!({"tradeSide": "open"}), one_way.clone(), Warned),
            (json!({"tradeSide": ""}), one_way, Accepted),
            (json!({}), precise(3), Accepted),
            (json!({}), precise(2), Refused),
            (json!({}), copy("BTCUSDT"), Accepted),
            (json!({}), copy("ETHUSDT"), Refused),
            (json!({}), with(copy("ETHUSDT"), &json!({"copyTrading": "false"})), Accepted),
        ],
    );
}

#[test]
fn classic_changes_and_lists() {
    let minimum = json!({"instruments": [{"line": "COIN-FUTURES", "symbol": "BTCUSD", "minOrderAmount": "0.10"}]});
    check(
        "classic.modify-order",
        &json!({"symbol": "BTCUSD", "productType": "COIN-FUTURES", "newClientOid": "n", "orderId": "1"}),
        &[
            (json!({"newSize": "0.1", "newPrice": "5"}), minimum.clone(), Accepted),
            (json!({"newSize": "0.099", "newPrice": "5"}), minimum, Refused),
            (json!({"newSize": "1"}), json!({}), Refused),
            (json!({"newSize": "1", "newPrice": "5", "newPresetStopLossPrice": "4"}), json!({}), Warned),
            (json!({"newPresetStopLossPrice": "0"}), json!({}), Warned),
            (json!({"newPresetStopLossPrice": "0", "newPresetStopSurplusPrice": "5"}), json!({}), Accepted),
            (json!({"newPresetStopLossPrice": "0.0"}), json!({}), Refused),
        ],
    );
    let ids = |count: usize| json!({"orderIdList": vec![json!({"orderId": "1"}); count], "symbol": "BTCUSDT"});
    check(
        "classic.batch-cancel-orders",
        &json!({"productType": "USDT-FUTURES"}),
        &[
            (json!({}), json!({}), Accepted),
            (ids(50), json!({}), Accepted),
            (ids(51), json!({}), Refused),
            (ids(0), json!({}), Refused),
            (with(ids(1), &json!({"symbol": null})), json!({}), Refused),
            (json!({"orderIdList": [{"orderId": "1"}, {}], "symbol": "BTCUSDT"}), json!({}), Refused),
            (json!({"orderIdList": [{"clientOid": "a"}], "symbol": "BTCUSDT"}), json!({}), Accepted),
        ],
    );
    check(
        "classic.batch-place-order",
        &json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT", "marginMode": "crossed"}),
        &[
            (json!({"orderList": []}), json!({}), Refused),
            (json!({"orderList": [{"side": "buy"}, {"side": "up"}]}), json!({}), Refused),
            (json!({"orderList": [{"tradeSide": "open"}]}), json!({"positionMode": "one_way_mode"}), Warned),
            (json!({"orderList": [{"side": "buy"}]}), json!({"positionMode": "hedge_mode"}), Accepted),
        ],
    );
}

#[test]
fn unified_orders() {
    let base = json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.3", "side": "buy", "orderType": "limit",
        "price": "60000.5", "clientOid": "a.b:c/d_e-1",
    });
    let spot = |members: Value| with(json!({"category": "SPOT"}), &members);
    let hedge = json!({"positionMode": "hedge_mode"});
    let marked = |so: bool| {
        let pair = |symbol: &str| json!({"line": "SPOT", "symbol": symbol, "isReality": so});
        json!({"instruments": [pair("RAAPLUSDT"), pair("RUNEUSDT")]})
    };
    let rules = |members: Value| {
        let rules = with(json!({"line": "USDT-FUTURES", "symbol": "BTCUSDT"}), &members);
        json!({"instruments": [rules]})
    };
    let on_spot = json!({"instruments": [{"line": "SPOT", "symbol": "BTCUSDT", "minOrderAmount": "0.4"}]});
    check(
        "unified.place-order",
        &base,
        &[
            (json!({}), json!({}), Accepted),
            (json!({"clientOid": null}), json!({}), Warned),
            (json!({"clientOid": "a".repeat(33)}), json!({}), Refused),
            (json!({"clientOid": "a b"}), json!({}), Refused),
            (json!({}), hedge.clone(), Refused),
            (json!({"posSide": "long"}), hedge.clone(), Accepted),
            (spot(json!({})), hedge, Accepted),
            (spot(json!({"posSide": "long"})), json!({}), Refused),
            (spot(json!({"marginMode": "crossed"})), json!({}), Refused),
            (spot(json!({"autoBorrow": "no"})), json!({}), Accepted),
            (json!({"autoBorrow": "no"}), json!({}), Refused),
            (json!({"tpLimitPrice": "1"}), json!({}), Refused),
            (json!({"tpLimitPrice": "1", "tpOrderType": "limit"}), json!({}), Accepted),
            (spot(json!({"symbol": "rAAPLUSDT", "slOrderType": "limit"})), json!({}), Refused),
            (spot(json!({"symbol": "rAAPLUSDT", "slOrderType": "market"})), json!({}), Accepted),
            (spot(json!({"symbol": "RAAPLUSDT", "slOrderType": "limit"})), marked(true), Refused),
            (spot(json!({"symbol": "RUNEUSDT", "slOrderType": "limit"})), marked(false), Accepted),
            (spot(json!({"symbol": "RUNEUSDT", "slOrderType": "limit"})), json!({}), Accepted),
            (json!({"symbol": "BTCUSD_CM", "takeProfit": "1"}), json!({}), Refused),
            (json!({"timeInForce": "rpi"}), json!({}), Accepted),
            (json!({"timeInForce": "rpi"}), json!({"rpiMarketMaker": false}), Refused),
            (
                json!({}),
                rules(json!({"priceMultiplier": "0.5", "pricePrecision": 1, "sizeMultiplier": "0.1"})),
                Accepted,
            ),
            (json!({}), rules(json!({"priceMultiplier": "0.2"})), Refused),
            (json!({}), rules(json!({"pricePrecision": "0"})), Refused),
            (json!({}), rules(json!({"sizeMultiplier": "0.2"})), Refused),
            (json!({}), rules(json!({"minOrderAmount": "0.4"})), Refused),
            (json!({"symbol": "ETHUSDT"}), rules(json!({"minOrderAmount": "0.4"})), Accepted),
            (spot(json!({})), on_spot.clone(), Refused),
            (spot(json!({"orderType": "market", "price": null, "side": "sell"})), on_spot.clone(), Refused),
            (spot(json!({"orderType": "market", "price": null})), on_spot, Warned),
        ],
    );
}

#[test]
fn unified_changes() {
    check(
        "unified.modify-order",
        &json!({"orderId": "1", "qty": "1"}),
        &[
            (json!({}), json!({}), Accepted),
            (json!({"qty": null, "takeProfit": "5"}), json!({}), Refused),
            (json!({"requestId": 999_999_999_999_999_999_u64}), json!({}), Accepted),
            (json!({"requestId": 1_000_000_000_000_000_000_u64}), json!({}), Refused),
            (json!({"requestId": -1}), json!({}), Refused),
            (json!({"tpTriggerBy": "mark"}), json!({}), Accepted),
            (json!({"tpTriggerBy": "mark", "category": "MARGIN"}), json!({}), Refused),
            (json!({"slLimitPrice": "5"}), json!({}), Accepted),
            (json!({"slLimitPrice": "5", "slOrderType": "market"}), json!({}), Refused),
            (json!({"symbol": "BTCUSD_CM"}), json!({}), Refused),
            (json!({"stopLoss": "0"}), json!({}), Accepted),
            (json!({"stopLoss": "-0.00"}), json!({}), Refused),
        ],
    );
}

#[test]
fn unified_batches() {
    let order = |category: &str| json!({"category": category, "symbol": "BTCUSDT", "qty": "1", "side": "buy", "orderType": "market", "clientOid": "a"});
    let nobody = json!({});
    let place = |items: Value, account: &Value| verdict("unified.place-batch", &items, account, NOW);
    assert_eq!(place(json!([order("SPOT"), order("SPOT")]), &nobody), Accepted);
    assert_eq!(place(json!({"orders": [order("SPOT")]}), &nobody), Accepted);
    assert_eq!(place(json!([order("SPOT"), order("MARGIN")]), &nobody), Refused);
    assert_eq!(place(json!([with(order("SPOT"), &json!({"clientOid": null}))]), &nobody), Warned);
    assert_eq!(place(json!([order("SPOT")]), &json!({"copyTrading": "true"})), Refused);
    assert_eq!(place(json!([order("USDC-FUTURES")]), &json!({"positionMode": "hedge_mode"})), Refused);
    assert_eq!(place(json!([]), &nobody), Refused);

    let modify = |items: Value| verdict("unified.batch-modify-order", &items, &nobody, NOW);
    assert_eq!(modify(json!([{"orderId": "1", "qty": "1"}, {"clientOid": "1", "price": "1"}])), Accepted);
    assert_eq!(modify(json!([{"orderId": "1", "qty": "1"}, {"orderId": "1", "price": "1"}])), Refused);
    let both = json!({"orderId": "1", "clientOid": "a", "qty": "1"});
    assert_eq!(modify(json!([both, {"clientOid": "a", "qty": "1"}])), Refused);
    assert_eq!(modify(json!([{"orderId": "1"}])), Refused);
    let category = |word: &str| json!({"orderId": word, "qty": "1", "category": word});
    assert_eq!(modify(json!([category("SPOT"), {"orderId": "1", "qty": "1"}])), Accepted);
    assert_eq!(modify(json!([category("SPOT"), category("MARGIN")])), Refused);

    let cancel = |count: usize| vec![json!({"category": "SPOT", "symbol": "BTCUSDT", "orderId": "1"}); count];
    assert_eq!(verdict("unified.cancel-batch", &json!(cancel(20)), &nobody, NOW), Accepted);
    assert_eq!(verdict("unified.cancel-batch", &json!(cancel(21)), &nobody, NOW), Refused);
}

#[test]
fn reality_and_commissions() {
    let account = |whitelisted: bool| json!({"whitelisted": whitelisted});
    check(
        "unified.reality-fills",
        &json!({"symbol": "rTSLAUSDT"}),
        &[
            (json!({}), json!({}), Accepted),
            (json!({}), account(true), Accepted),
            (json!({}), account(false), Refused),
            (json!({"symbol": "TSLAUSDT"}), json!({}), Refused),
            (json!({"symbol": "rBRK.BUSDT"}), json!({}), Accepted),
            (json!({"symbol": "rUSDT"}), json!({}), Refused),
            (json!({"limit": "101"}), json!({}), Refused),
        ],
    );
    let cancel = json!({"symbol": "rTSLAUSDT", "orderId": "1"});
    check(
        "unified.cancel-reality-order",
        &cancel,
        &[
            (json!({"category": "MARGIN"}), json!({}), Accepted),
            (json!({"symbol": "TSLAUSDT"}), json!({}), Refused),
            (json!({"category": "USDT-FUTURES"}), json!({}), Refused),
        ],
    );
    check(
        "broker.customer-commissions",
        &json!({}),
        &[
            (json!({"symbol": "BTCUSDT_SPBL-MABL", "limit": "1000"}), json!({}), Accepted),
            (json!({"symbol": "BTCUSDT"}), json!({}), Refused),
            (json!({"startTime": NOW.to_string()}), json!({}), Refused),
            (json!({"showSub": "YES"}), json!({}), Refused),
        ],
    );
}

#[test]
fn windows() {
    let range = |operation: &str, start: Option<i128>, end: Option<i128>| {
        let time = |back: i128| (i128::from(NOW) - back).to_string();
        let request = json!({"category": "SPOT", "startTime": start.map(time), "endTime": end.map(time)});
        verdict(operation, &request, &json!({"bindingTime": (NOW - 1000).to_string()}), NOW)
    };
    // From now, or from the given milliseconds before it.
    let limit = 90 * DAY + 60_000;
    for (operation, start, end, expected) in [
        ("classic.fills", Some(1000), Some(0), Accepted),
        ("classic.fills", Some(1001), Some(0), Refused),
        ("classic.orders-pending", Some(1001), Some(0), Accepted),
        ("classic.fill-history", Some(7 * DAY), Some(0), Accepted),
        ("classic.fill-history", Some(7 * DAY + 1), Some(0), Refused),
        ("classic.orders-history", Some(400 * DAY), Some(limit), Accepted),
        ("classic.orders-history", Some(400 * DAY), Some(limit + 1), Refused),
        ("unified.history-orders", Some(limit), Some(limit - 30 * DAY), Accepted),
        ("unified.history-orders", Some(limit), Some(limit - 30 * DAY - 1), Refused),
        ("unified.history-orders", Some(limit + 1), Some(limit), Refused),
        ("unified.fills", None, Some(limit), Accepted),
        ("unified.fills", None, Some(limit + 1), Refused),
        ("unified.unfilled-orders", Some(400 * DAY), Some(0), Accepted),
        ("unified.unfilled-orders", Some(0), Some(1), Refused),
        ("unified.unfilled-orders", Some(0), Some(0), Accepted),
        ("broker.customer-commissions", Some(limit + DAY), Some(limit), Accepted),
        ("broker.customer-commissions", Some(limit + 1), Some(limit + 1), Refused),
        ("broker.customer-commissions", Some(30 * DAY + 1), Some(0), Refused),
    ] {
        assert_eq!(range(operation, start, end), expected, "{operation} {start:?} {end:?}");
    }
}

#[test]
#[should_panic(expected = "no operation teleport")]
fn an_unknown_operation_has_no_verdict() {
    verdict("classic.teleport", &json!({}), &json!({}), NOW);
}
