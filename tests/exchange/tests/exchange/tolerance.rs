//! What a tolerant exchange takes beyond the documents, and a strict one refuses.

use serde_json::{Value, json};
use tradeapi_exchange::{Exchange, Family, Profile, Settings, Setup, Time};

use crate::raw::{get, post};

fn exchange(tolerant: bool) -> Exchange {
    let mut settings = Settings::default();
    (settings.tolerant, settings.rate_limits) = (tolerant, false);
    Exchange::with(settings, Time::by_hand(), Profile::new().both())
}

#[test]
fn a_setup_file_says_whether_its_exchange_is_tolerant() {
    for (settings, expected) in [("{}", true), ("{ tolerant: true }", true), ("{ tolerant: false }", false)] {
        let setup = Setup::from_yaml(&format!("settings: {settings}")).unwrap();
        assert_eq!(setup.settings.tolerant, expected, "{settings}");
    }
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
fn a_refusal_quotes_what_was_sent() {
    let order = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "price": "60000",
                                   "side": "BUY", "orderType": "limit", "force": "post only", "colour": "red"}));
    let answer = post("/api/v2/mix/order/place-order", &order).send(&exchange(true));
    let why = answer["msg"].as_str().unwrap();
    assert!(why.contains("force: \"post only\" given") && !why.contains("side: "), "{why}");
    let order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                       "orderType": "market", "reduceOnly": true, "stpMode": "Cancel_Nobody"});
    let answer = post("/api/v3/trade/place-order", &order).send(&exchange(true));
    let why = answer["msg"].as_str().unwrap();
    assert!(why.contains("reduceOnly: \"true\" given") && why.contains("stpMode: \"Cancel_Nobody\" given"), "{why}");
    let answer = get("/api/v3/trade/unfilled-orders?category=stocks").send(&exchange(true));
    assert!(answer["msg"].as_str().unwrap().contains("category: \"stocks\" given"), "{answer}");
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

const CONTRACT: &str = r#"{"symbol": "BTCUSDT", "productType": "USDT-FUTURES"}"#;

fn of_contract(more: Value) -> Value {
    let mut request: Value = serde_json::from_str(CONTRACT).unwrap();
    more.as_object().unwrap().iter().for_each(|(name, value)| request[name] = value.clone());
    request
}

#[test]
fn a_contract_has_one_margin_coin() {
    let order = json!({"marginMode": "crossed", "size": "0.01", "side": "buy", "orderType": "limit",
                       "price": "60000", "force": "gtc", "clientOid": "a"});
    let item = json!({"size": "0.01", "side": "buy", "orderType": "market"});
    let requests = [
        ("/api/v2/mix/order/place-order", order.clone()),
        ("/api/v2/mix/order/batch-place-order", json!({"marginMode": "crossed", "orderList": [item]})),
        ("/api/v2/mix/order/click-backhand", json!({"side": "buy"})),
        ("/api/v2/mix/account/set-leverage", json!({"leverage": "5"})),
        ("/api/v2/mix/account/set-margin-mode", json!({"marginMode": "isolated"})),
    ];
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        for (path, request) in &requests {
            let mut request = of_contract(request.clone());
            request["marginCoin"] = json!("USDC");
            let answer = post(path, &request).send(&exchange);
            let failed = &answer["data"]["failureList"][0]["errorCode"];
            assert!(answer["code"] == "40020" || failed == "40020", "{path}: {answer}");
        }
        let account = get("/api/v2/mix/account/account?symbol=BTCUSDT&productType=USDT-FUTURES&marginCoin=USDC");
        assert_eq!(account.send(&exchange)["code"], "40020");
        // Small letters are taken as other values are.
        let mut order = of_contract(order.clone());
        order["marginCoin"] = json!("usdt");
        let placed = post("/api/v2/mix/order/place-order", &order).send(&exchange);
        assert_eq!(placed["code"], if tolerant { "00000" } else { "40020" }, "{placed}");
        order["marginCoin"] = json!("USDT");
        post("/api/v2/mix/order/place-order", &order).send(&exchange);
        // An order that is margined in another coin is not the one that is meant.
        let named = of_contract(json!({"clientOid": "a", "marginCoin": "USDC"}));
        assert_eq!(post("/api/v2/mix/order/cancel-order", &named).send(&exchange)["code"], "40768");
        let listed = of_contract(json!({"marginCoin": "USDC", "orderIdList": [{"clientOid": "a"}]}));
        let answer = post("/api/v2/mix/order/batch-cancel-orders", &listed).send(&exchange);
        assert_eq!(answer["data"]["failureList"][0]["errorCode"], "43001", "{answer}");
        let named = of_contract(json!({"clientOid": "a", "marginCoin": "USDT"}));
        assert_eq!(post("/api/v2/mix/order/cancel-order", &named).send(&exchange)["code"], "00000");
    }
}

#[test]
fn a_strict_exchange_reads_numbers_only_where_the_documents_have_them() {
    let classic = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": 0.01, "side": "buy",
                                     "orderType": "market"}));
    let unified = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                         "orderType": "limit", "price": 60000});
    let batch = json!([{"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": 0.01, "side": "buy",
                        "orderType": "market"}]);
    let modification = json!({"orderId": "17", "qty": "0.01", "requestId": "5"});
    let requests = [
        ("/api/v2/mix/order/place-order", classic, "size", "40305"),
        ("/api/v3/trade/place-order", unified, "price", "40020"),
        ("/api/v3/trade/place-batch", batch, "[0].qty", "40020"),
        ("/api/v3/trade/modify-order", modification, "requestId", "40020"),
    ];
    for (path, request, parameter, code) in requests {
        let strict = post(path, &request).send(&exchange(false));
        assert_eq!(strict["code"], code, "{strict}");
        assert!(strict["msg"].as_str().unwrap().contains(&format!(": {parameter}: ")), "{strict}");
        let tolerant = post(path, &request).send(&exchange(true));
        assert_ne!(tolerant["code"], code, "{tolerant}");
    }
}
