//! Every answer has every member that the schema lists without a condition.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::Operation;
use tradeapi::runtime::json::{Decode, Form};
use tradeapi::runtime::tables::Meta;
use tradeapi_exchange::{Exchange, Mode, Profile, Seed, Settings, Time};

use crate::raw::{get, post};

macro_rules! forms {
    ($($operation:ty),* $(,)?) => {
        [$((<$operation as Operation>::META, <<$operation as Operation>::Response as Decode>::FORM)),*]
    };
}

/// Returns the operations that the exchange serves, with the forms of their data.
fn operations() -> impl Iterator<Item = (&'static Meta, Form)> {
    let documented = tradeapi::for_each_operation!(forms);
    documented.into_iter().chain(tradeapi::for_each_observed_operation!(forms))
}

/// Adds the paths of what is missing in a value of this form, and of what is `null` and must not be.
fn compare(form: Form, value: &Value, path: &str, missing: &mut Vec<String>) {
    match (form, value) {
        (Form::Record(table), Value::Object(members)) => {
            for field in table().fields {
                let path = format!("{path}.{}", field.name);
                match members.get(field.name) {
                    Some(Value::Null) if !field.may_be_null => missing.push(format!("{path} is null")),
                    Some(value) => compare(field.form, value, &path, missing),
                    None if !field.is_conditional => missing.push(path),
                    None => {}
                }
            }
        }
        (Form::List(item), Value::Array(values)) => {
            values.iter().for_each(|value| compare(*item, value, &format!("{path}[]"), missing));
        }
        _ => {}
    }
}

/// Requests that reach every operation, and orders of every kind.
fn requests(hedged: bool) -> Vec<(&'static str, Value)> {
    let classic = |more: Value| {
        let order = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed",
                           "marginCoin": "USDT", "side": "buy"});
        let hedge = if hedged { json!({"tradeSide": "open"}) } else { json!({}) };
        with(&with(&order, hedge), more)
    };
    let unified = |category: &str, more: Value| {
        let order = json!({"category": category, "symbol": "BTCUSDT", "side": "buy"});
        let hedge = if hedged && category != "SPOT" { json!({"posSide": "long"}) } else { json!({}) };
        with(&with(&order, hedge), more)
    };
    let limit = |price: &str| json!({"orderType": "limit", "price": price, "size": "0.01", "force": "gtc"});
    let unified_limit = |price: &str| json!({"orderType": "limit", "price": price, "qty": "0.01"});
    let market = json!({"orderType": "market", "size": "0.01"});
    let unified_market = json!({"orderType": "market", "qty": "0.01"});
    let contract = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES"});
    let named = |id: &str| with(&contract, json!({"clientOid": id}));
    let presets = json!({"presetStopSurplusPrice": "70000", "presetStopLossPrice": "50000",
                         "presetStopSurplusExecutePrice": "69000"});
    let line = json!({"productType": "USDT-FUTURES"});
    let coin = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT"});
    let reversal = with(&coin, json!({"side": "buy"}));
    let reversal = if hedged { with(&reversal, json!({"tradeSide": "open"})) } else { reversal };
    vec![
        ("POST /api/v2/mix/account/set-leverage", with(&coin, json!({"leverage": "5"}))),
        ("POST /api/v2/mix/account/set-margin-mode", with(&coin, json!({"marginMode": "crossed"}))),
        ("POST /api/v2/mix/account/set-position-mode", with(&line, json!({"posMode": mode(hedged).as_str()}))),
        ("POST /api/v3/account/set-hold-mode", json!({"holdMode": mode(hedged).as_str()})),
        (
            "POST /api/v3/account/set-leverage",
            json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "leverage": "5"}),
        ),
        // Of the classic account: orders with and without everything that can be left out, in each state.
        ("POST /api/v2/mix/order/place-order", classic(limit("60000"))),
        (
            "POST /api/v2/mix/order/place-order",
            with(&classic(limit("60000")), with(&presets, json!({"clientOid": "a"}))),
        ),
        ("POST /api/v2/mix/order/place-order", classic(market.clone())),
        ("POST /api/v2/mix/order/place-order", with(&classic(limit("60000")), json!({"clientOid": "partly"}))),
        ("POST /-/fill?order=partly&qty=0.004", json!({})),
        ("GET /api/v2/mix/order/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=a", json!({})),
        (
            "POST /api/v2/mix/order/batch-place-order",
            with(
                &coin,
                json!({"marginMode": "crossed", "orderList": [
                    order_of_batch(hedged, json!({"clientOid": "batched"})),
                    order_of_batch(hedged, json!({"price": "60000.05"})),
                ]}),
            ),
        ),
        (
            "POST /api/v2/mix/order/modify-order",
            with(&named("a"), json!({"newClientOid": "b", "newPresetStopLossPrice": "51000"})),
        ),
        (
            "POST /api/v2/mix/order/modify-order",
            with(&named("a"), json!({"newClientOid": "c", "newSize": "0.02", "newPrice": "61000"})),
        ),
        ("GET /api/v2/mix/order/orders-pending?productType=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/order/orders-pending?productType=USDC-FUTURES", json!({})),
        ("GET /api/v2/mix/order/orders-pending?productType=USDT-FUTURES&status=partially_filled", json!({})),
        ("GET /api/v2/mix/account/accounts?productType=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/account/account?symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDT", json!({})),
        ("GET /api/v2/mix/position/all-position?productType=USDT-FUTURES&marginCoin=USDT", json!({})),
        ("GET /api/v2/mix/position/single-position?productType=USDT-FUTURES&symbol=BTCUSDT&marginCoin=USDT", json!({})),
        ("GET /api/v2/spot/account/assets?coin=USDT", json!({})),
        ("GET /api/v2/common/trade-rate?symbol=BTCUSDT&businessType=mix", json!({})),
        (
            "POST /api/v2/mix/order/place-plan-order",
            classic(json!({"planType": "normal_plan", "size": "0.01",
            "orderType": "limit", "price": "50000", "triggerPrice": "51000", "clientOid": "plan"})),
        ),
        // The price is there already.
        (
            "POST /api/v2/mix/order/place-plan-order",
            classic(json!({"planType": "normal_plan", "size": "0.001", "orderType": "limit", "price": "50000",
            "triggerPrice": "64000"})),
        ),
        (
            "GET /api/v2/mix/order/plan-sub-order?productType=USDT-FUTURES&planType=normal_plan&planOrderId={placed}",
            json!({}),
        ),
        (
            "POST /api/v2/mix/order/place-tpsl-order",
            with(
                &coin,
                json!({"planType": "pos_loss", "triggerPrice": "50000",
            "holdSide": if hedged { "long" } else { "buy" }, "clientOid": "stop"}),
            ),
        ),
        (
            "POST /api/v2/mix/order/place-pos-tpsl",
            with(
                &coin,
                json!({"stopSurplusTriggerPrice": "90000", "stopLossTriggerPrice": "40000",
            "holdSide": if hedged { "long" } else { "buy" }}),
            ),
        ),
        (
            "POST /api/v2/mix/order/modify-plan-order",
            with(&line, json!({"clientOid": "plan", "newTriggerPrice": "52000"})),
        ),
        (
            "POST /api/v2/mix/order/modify-tpsl-order",
            with(&coin, json!({"clientOid": "stop", "triggerPrice": "51000"})),
        ),
        ("GET /api/v2/mix/order/orders-plan-pending?productType=USDT-FUTURES&planType=normal_plan", json!({})),
        ("GET /api/v2/mix/order/orders-plan-pending?productType=USDT-FUTURES&planType=profit_loss", json!({})),
        (
            "POST /api/v2/mix/order/cancel-plan-order",
            with(&contract, json!({"orderIdList": [{"clientOid": "stop"}, {"orderId": "17"}]})),
        ),
        ("GET /api/v2/mix/order/orders-plan-history?productType=USDT-FUTURES&planType=profit_loss", json!({})),
        ("POST /api/v2/mix/order/cancel-order", named("batched")),
        ("GET /api/v2/mix/order/detail?symbol=BTCUSDT&productType=USDT-FUTURES&clientOid=batched", json!({})),
        (
            "POST /api/v2/mix/order/batch-cancel-orders",
            with(&contract, json!({"orderIdList": [{"clientOid": "c"}, {"orderId": "17"}, {"clientOid": "none"}]})),
        ),
        ("POST /api/v2/mix/order/cancel-all-orders", line.clone()),
        ("GET /api/v2/mix/order/orders-history?productType=USDT-FUTURES", json!({})),
        ("POST /api/v2/mix/order/click-backhand", reversal),
        ("GET /api/v2/mix/order/orders-history?productType=USDT-FUTURES&limit=1", json!({})),
        ("POST /api/v2/mix/order/close-positions", line.clone()),
        ("GET /api/v2/mix/order/fills?productType=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/order/fill-history?productType=USDT-FUTURES", json!({})),
        // The unified account likewise.
        ("POST /api/v3/trade/place-order", unified("USDT-FUTURES", unified_limit("60000"))),
        (
            "POST /api/v3/trade/place-order",
            with(
                &unified("USDT-FUTURES", unified_market.clone()),
                json!({"takeProfit": "70000", "clientOid": "market"}),
            ),
        ),
        (
            "POST /api/v3/trade/place-order",
            with(&unified("SPOT", unified_limit("60000")), json!({"clientOid": "spot"})),
        ),
        ("POST /api/v3/trade/place-order", with(&unified("SPOT", unified_market.clone()), json!({"qty": "500"}))),
        ("POST /api/v3/trade/place-order", with(&unified("SPOT", unified_market.clone()), json!({"side": "sell"}))),
        (
            "POST /api/v3/trade/place-order",
            with(
                &unified("USDT-FUTURES", unified_limit("60000")),
                json!({"clientOid": "d", "takeProfit": "70000",
                "tpOrderType": "limit", "tpLimitPrice": "69000", "stopLoss": "50000", "slTriggerBy": "mark"}),
            ),
        ),
        (
            "POST /api/v3/trade/place-batch",
            json!([
                with(&unified("USDT-FUTURES", unified_limit("60000")), json!({"clientOid": "e"})),
                unified("USDT-FUTURES", unified_limit("60000.05"))
            ]),
        ),
        ("POST /api/v3/trade/modify-order", json!({"clientOid": "d", "price": "61000"})),
        (
            "POST /api/v3/trade/batch-modify-order",
            json!([{"clientOid": "e", "price": "61000"}, {"orderId": "17", "qty": "1"}]),
        ),
        (
            "POST /api/v3/trade/place-reality-order",
            json!({"symbol": "rAAPLUSDT", "side": "buy", "orderType": "limit", "qty": "1", "price": "180"}),
        ),
        (
            "POST /api/v3/trade/place-reality-order",
            json!({"symbol": "rAAPLUSDT", "side": "buy", "orderType": "limit", "qty": "1", "price": "180", "clientOid": "waiting"}),
        ),
        (
            "POST /api/v3/trade/place-reality-order",
            json!({"symbol": "rAAPLUSDT", "side": "buy", "orderType": "market", "qty": "300"}),
        ),
        ("GET /api/v3/account/reality-fills?symbol=rAAPLUSDT", json!({})),
        ("GET /api/v3/trade/order-info?clientOid=market", json!({})),
        ("GET /api/v3/trade/order-info?clientOid=spot", json!({})),
        ("GET /api/v3/trade/unfilled-orders", json!({})),
        ("GET /api/v3/trade/unfilled-orders?limit=1", json!({})),
        ("GET /api/v3/trade/unfilled-orders?category=USDC-FUTURES", json!({})),
        ("GET /api/v3/account/assets", json!({})),
        ("GET /api/v3/account/settings", json!({})),
        ("GET /api/v3/account/fee-rate?category=SPOT&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/position/current-position?category=USDT-FUTURES", json!({})),
        (
            "POST /api/v3/trade/place-strategy-order",
            with(
                &unified("USDT-FUTURES", json!({})),
                json!({"side": "sell",
            "stopLoss": "50000", "clientOid": "strategy"}),
            ),
        ),
        ("POST /api/v3/trade/modify-strategy-order", json!({"clientOid": "strategy", "stopLoss": "51000"})),
        ("GET /api/v3/trade/unfilled-strategy-orders?category=USDT-FUTURES", json!({})),
        ("POST /api/v3/trade/cancel-strategy-order", json!({"clientOid": "strategy"})),
        ("GET /api/v3/trade/history-strategy-orders?category=USDT-FUTURES", json!({})),
        ("POST /api/v3/trade/cancel-order", json!({"clientOid": "d"})),
        ("POST /api/v3/trade/cancel-reality-order", json!({"symbol": "rAAPLUSDT", "clientOid": "waiting"})),
        (
            "POST /api/v3/trade/cancel-batch",
            json!([{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "clientOid": "e"},
                   {"category": "USDT-FUTURES", "symbol": "BTCUSDT", "orderId": "17"}]),
        ),
        ("POST /api/v3/trade/cancel-symbol-order", json!({"category": "SPOT"})),
        (
            "POST /api/v3/account/max-open-available",
            json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "orderType": "market", "side": "buy"}),
        ),
        ("POST /api/v3/trade/countdown-cancel-all", json!({"countdown": "30"})),
        ("POST /api/v3/trade/close-positions", json!({"category": "USDT-FUTURES"})),
        ("GET /api/v3/trade/history-orders?category=USDT-FUTURES", json!({})),
        ("GET /api/v3/trade/history-orders?category=SPOT", json!({})),
        ("GET /api/v3/trade/fills", json!({})),
        // What is public, and reports.
        ("GET /api/v3/reality/market/inner-trades?code=AAPL", json!({})),
        ("GET /api/v2/broker/customer-commissions", json!({})),
        ("GET /api/v2/public/time", json!({})),
        ("GET /api/v3/public/time", json!({})),
        ("GET /api/v2/spot/public/coins", json!({})),
        ("GET /api/v2/spot/public/symbols", json!({})),
        ("GET /api/v2/margin/currencies", json!({})),
        ("GET /api/v3/market/instruments?category=SPOT", json!({})),
        ("GET /api/v3/market/instruments?category=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/market/contracts?productType=COIN-FUTURES", json!({})),
        ("GET /api/v3/market/tickers?category=SPOT", json!({})),
        ("GET /api/v3/market/tickers?category=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/market/ticker?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/tickers?productType=USDT-FUTURES", json!({})),
        ("GET /api/v3/market/orderbook?category=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/merge-depth?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/market/candles?category=USDT-FUTURES&symbol=BTCUSDT&interval=1m", json!({})),
        ("GET /api/v3/market/history-candles?category=USDT-FUTURES&symbol=BTCUSDT&interval=1m", json!({})),
        ("GET /api/v2/mix/market/candles?productType=USDT-FUTURES&symbol=BTCUSDT&granularity=1m", json!({})),
        ("GET /api/v2/mix/market/history-candles?productType=USDT-FUTURES&symbol=BTCUSDT&granularity=1m", json!({})),
        (
            "GET /api/v2/mix/market/history-mark-candles?productType=USDT-FUTURES&symbol=BTCUSDT&granularity=1m",
            json!({}),
        ),
        (
            "GET /api/v2/mix/market/history-index-candles?productType=USDT-FUTURES&symbol=BTCUSDT&granularity=1m",
            json!({}),
        ),
        ("GET /api/v3/market/fills?category=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/fills-history?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/account/bill?productType=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/position/history-position?productType=USDT-FUTURES", json!({})),
        ("GET /api/v3/account/financial-records?category=USDT-FUTURES", json!({})),
        ("GET /api/v3/position/history-position?category=USDT-FUTURES", json!({})),
        ("GET /api/v3/account/info", json!({})),
        ("GET /api/v3/account/all-fee-rate?category=SPOT", json!({})),
        ("GET /api/v3/market/time", json!({})),
        ("GET /api/v2/mix/market/query-position-lever?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/market/position-tier?category=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/symbol-price?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/funding-time?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/history-fund-rate?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/market/history-fund-rate?category=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/open-interest?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/market/open-interest?category=USDT-FUTURES", json!({})),
        ("GET /api/v2/mix/market/fills?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
        ("GET /api/v3/market/current-fund-rate?symbol=BTCUSDT", json!({})),
        ("GET /api/v2/mix/market/current-fund-rate?productType=USDT-FUTURES&symbol=BTCUSDT", json!({})),
    ]
}

fn order_of_batch(hedged: bool, more: Value) -> Value {
    let order = json!({"size": "0.01", "price": "60000", "side": "buy", "orderType": "limit", "force": "gtc"});
    let hedge = if hedged { json!({"tradeSide": "open"}) } else { json!({}) };
    with(&with(&order, hedge), more)
}

fn with(value: &Value, more: Value) -> Value {
    let mut value = value.clone();
    for (name, member) in more.as_object().unwrap() {
        value[name] = member.clone();
    }
    value
}

const fn mode(hedged: bool) -> Mode {
    if hedged { Mode::Hedge } else { Mode::OneWay }
}

/// Calls a function with the data of the answer to each request, in both position modes.
fn each_answer(mut seen: impl FnMut(&'static Meta, Form, &Value)) {
    for hedged in [false, true] {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(7), false);
        let exchange =
            Exchange::with(settings, Time::by_hand(), Profile::new().both().mode(mode(hedged)).whitelisted());
        let mut unanswered: BTreeSet<&str> = operations().map(|(meta, _)| meta.id).collect();
        let mut placed = String::new();
        for (target, body) in requests(hedged) {
            let target = &target.replace("{placed}", &placed);
            exchange.time().advance(Duration::from_secs(1));
            exchange.set_price("BTCUSDT", 64_000).unwrap();
            if let Some(fill) = target.strip_prefix("POST /-/fill?order=") {
                let (order, qty) = fill.split_once("&qty=").unwrap();
                exchange.fill(order, qty.parse::<tradeapi::Decimal>().unwrap()).unwrap();
                continue;
            }
            let (method, target) = target.split_once(' ').unwrap();
            let path = target.split('?').next().unwrap();
            let (meta, form) =
                operations().find(|(meta, _)| meta.path == path && meta.method.as_str() == method).unwrap();
            let request = if method == "GET" { get(target) } else { post(target, &body) };
            let answer = request.send(&exchange);
            assert_eq!(answer["code"], "00000", "{hedged} {method} {target} {body}: {answer}");
            unanswered.remove(meta.id);
            placed = answer["data"]["orderId"].as_str().unwrap_or_default().to_owned();
            seen(meta, form, &answer["data"]);
        }
        assert!(unanswered.is_empty(), "no request of {unanswered:?}");
    }
}

#[test]
fn every_answer_has_the_members_that_are_always_there() {
    let mut missing = Vec::new();
    each_answer(|meta, form, data| compare(form, data, meta.id, &mut missing));
    missing.sort_unstable();
    missing.dedup();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The kinds of the values at each place of samples or answers.
#[derive(Default)]
struct Kinds(BTreeMap<String, BTreeSet<&'static str>>);

impl Kinds {
    /// Adds a value and what it contains.
    fn add(&mut self, path: &str, value: &Value) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(text) if text.is_empty() => "blank",
            Value::String(_) => "text",
            Value::Array(items) => {
                items.iter().for_each(|item| self.add(&format!("{path}[]"), item));
                "array"
            }
            Value::Object(members) => {
                members.iter().for_each(|(name, member)| self.add(&format!("{path}.{name}"), member));
                "object"
            }
        };
        self.0.entry(path.to_owned()).or_default().insert(kind);
    }

    /// Returns those that are no absence, and the forms that an absence has.
    fn split(&self, path: &str) -> [BTreeSet<&'static str>; 2] {
        let kinds = self.0.get(path).into_iter().flatten().copied();
        let (absent, present) = kinds.partition(|kind| ["null", "blank"].contains(kind));
        [present, absent]
    }
}

/// Returns the kinds in the samples of all operations, which the schema has beside them.
fn samples() -> Kinds {
    let mut samples = Kinds::default();
    for family in ["classic", "unified", "broker", "observed"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(family);
        for file in fs::read_dir(folder).unwrap() {
            let schema: Value = serde_yaml::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
            let Some(operation) = schema["operation"].as_str() else { continue };
            let responses = schema["examples"].as_array().into_iter().flatten();
            for response in responses.filter_map(|example| example["response"].as_str()) {
                let sample: Value = serde_json::from_str(response).unwrap();
                if sample["code"] == "00000" {
                    samples.add(&format!("{family}.{operation}"), &sample["data"]);
                }
            }
        }
    }
    samples
}

/// The beginnings of paths where answers differ from the samples, each with the reason.
const DIFFERENCES: [(&str, &str); 10] = [
    ("classic.cancel-all-orders.failureList[]", "every open order can be cancelled"),
    ("classic.close-positions.failureList[]", "no position of this exchange stays open, unless its pair is suspended"),
    (
        "classic.detail.newTradeSide",
        "a text, as a client that validates answers needs it; the document lets it be null",
    ),
    ("observed.coins[].chains[]", "nothing is paid in or out"),
    ("observed.contract-accounts[].assetList[]", "no account has several assets that back positions together"),
    ("observed.contract-accounts[].union", "no account has several assets that back positions together"),
    ("observed.financial-records.list[].position", "records of funding have them, and none is paid meanwhile"),
    ("observed.instruments[].deliveryTime", "no contract is delivered"),
    ("observed.max-open-available.max", "no source says what they are"),
    ("unified.cancel-symbol-order", "as documented; a tolerant exchange has the list around it that was observed"),
];

#[test]
fn every_answer_has_the_form_of_its_samples() {
    let (samples, mut answers) = (samples(), Kinds::default());
    each_answer(|meta, _, data| answers.add(meta.id, data));
    let mut differences = BTreeMap::new();
    for path in samples.0.keys() {
        let ([sample, absent], [answer, missing]) = (samples.split(path), answers.split(path));
        if !answers.0.contains_key(path) {
            differences.insert(path, "in no answer".to_owned());
        } else if !answer.is_empty() && !sample.is_subset(&answer) {
            differences.insert(path, format!("{sample:?} in samples, {answer:?} in answers"));
        } else if !absent.is_empty() && !missing.is_empty() && absent.is_disjoint(&missing) {
            differences.insert(path, format!("absent as {absent:?} in samples, as {missing:?} in answers"));
        }
    }
    let is_known = |path: &str| DIFFERENCES.iter().any(|(begin, _)| path.starts_with(begin));
    let unknown: Vec<_> = differences.iter().filter(|(path, _)| !is_known(path)).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    let mended = |begin: &str| !differences.keys().any(|path| path.starts_with(begin));
    let mended: Vec<_> = DIFFERENCES.iter().filter(|(begin, _)| mended(begin)).collect();
    assert!(mended.is_empty(), "no difference any more: {mended:#?}");
}

#[test]
fn a_field_without_a_value_is_empty() {
    let exchange = Exchange::for_user(Seed(7), Profile::new().both());
    let contract = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES"});
    let classic = with(
        &contract,
        json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "side": "buy", "orderType": "limit",
               "price": "60000", "force": "gtc"}),
    );
    let placed = post("/api/v2/mix/order/place-order", &classic).send(&exchange);
    assert_eq!(placed["data"]["clientOid"], "");
    let pending = get("/api/v2/mix/order/orders-pending?productType=USDT-FUTURES").send(&exchange);
    let order = &pending["data"]["entrustedList"][0];
    assert_eq!([&order["priceAvg"], &order["clientOid"], &order["presetStopLossPrice"]], ["", "", ""]);
    let unified = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                         "orderType": "market", "clientOid": "a"});
    post("/api/v3/trade/place-order", &unified).send(&exchange);
    let order = get("/api/v3/trade/order-info?clientOid=a").send(&exchange)["data"].clone();
    assert_eq!([&order["price"], &order["amount"], &order["cancelReason"]], ["0", "0", ""]);
    assert!(order["takeProfit"].is_null(), "as captured answers have it");
    let assets = get("/api/v3/account/assets").send(&exchange)["data"].clone();
    assert_eq!([&assets["positionValue"], &assets["mmr"], &assets["positionMgnRatio"]], ["640", "3.2", "0.005"]);
}
