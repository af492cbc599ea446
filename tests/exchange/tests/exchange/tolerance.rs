//! Requests that a tolerant exchange takes beyond the documents, and a strict one refuses.

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

/// A client sends the coin in small letters with every request, also where no document has it.
#[test]
fn an_unknown_parameter_is_ignored_whatever_it_says() {
    let paths = ["mix/market/ticker?symbol=btcusdt&productType=usdt-futures", "public/time?"];
    for path in paths {
        for unknown in ["marginCoin=usdt", "coin=usdt", "marginCoin=USDT&marginMode=crossed", "colour=red&coin=usdt"] {
            let path = format!("/api/v2/{path}&{unknown}");
            let answer = get(&path).send(&exchange(true));
            assert_eq!(answer["code"], "00000", "{path}: {answer}");
            assert_ne!(get(&path).send(&exchange(false))["code"], "00000", "{path}");
        }
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

const CLASSIC_PAIR: &str = "productType=USDT-FUTURES&symbol=";
const UNIFIED_PAIR: &str = "category=USDT-FUTURES&symbol=";

/// Places an order that waits and one that opens a position in both accounts.
fn with_orders(exchange: &Exchange) {
    for (kind, price) in [("limit", "60000"), ("market", "")] {
        let mut classic = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01",
                                             "side": "buy", "orderType": kind, "force": "gtc"}));
        let mut unified =
            json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": kind});
        if kind == "limit" {
            (classic["price"], unified["price"]) = (json!(price), json!(price));
        }
        for (path, order) in [("/api/v2/mix/order/place-order", classic), ("/api/v3/trade/place-order", unified)] {
            let answer = post(path, &order).send(exchange);
            assert_eq!(answer["code"], "00000", "{answer}");
        }
    }
}

/// Returns the number of items of a listing.
fn count(answer: &Value) -> usize {
    let data = &answer["data"];
    let list = ["list", "entrustedList", "orderList", "fillList"].map(|name| &data[name]);
    let list = list.into_iter().find_map(Value::as_array).or_else(|| data.as_array());
    list.map_or(0, Vec::len)
}

#[test]
fn a_symbol_in_small_letters_finds_what_one_in_capitals_does() {
    let listings = [
        format!("/api/v2/mix/position/single-position?marginCoin=USDT&{CLASSIC_PAIR}"),
        format!("/api/v2/mix/order/orders-pending?{CLASSIC_PAIR}"),
        format!("/api/v2/mix/order/fills?{CLASSIC_PAIR}"),
        format!("/api/v2/mix/market/ticker?{CLASSIC_PAIR}"),
        format!("/api/v3/position/current-position?{UNIFIED_PAIR}"),
        format!("/api/v3/trade/unfilled-orders?{UNIFIED_PAIR}"),
        format!("/api/v3/market/tickers?{UNIFIED_PAIR}"),
        "/api/v3/market/current-fund-rate?symbol=".to_owned(),
    ];
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        with_orders(&exchange);
        for listing in &listings {
            let [capitals, small, unknown] = ["BTCUSDT", "btcusdt", "NOSUCH"].map(|symbol| {
                let answer = get(&format!("{listing}{symbol}")).send(&exchange);
                (answer["code"].clone(), count(&answer), answer["msg"].clone())
            });
            assert_eq!((&capitals.0, capitals.1), (&json!("00000"), 1), "{listing}");
            assert_eq!(small.0 == "00000", tolerant, "{listing}: {small:?}");
            assert_eq!(small.1, usize::from(tolerant), "{listing}");
            let named = unknown.2.as_str().unwrap().contains(r#"symbol: "NOSUCH" given"#);
            assert!(unknown.0 != "00000" && named, "{listing}: {unknown:?}");
        }
        // A pair of another business line is as unknown.
        let other = get("/api/v3/trade/unfilled-orders?category=USDT-FUTURES&symbol=BTCPERP").send(&exchange);
        assert_eq!(other["code"], "25100", "{other}");
        let cancels = [
            ("/api/v2/mix/order/batch-cancel-orders", json!({"productType": "USDT-FUTURES"}), Family::Classic),
            ("/api/v3/trade/cancel-symbol-order", json!({"category": "USDT-FUTURES"}), Family::Unified),
        ];
        for (path, mut request, family) in cancels {
            request["symbol"] = json!("NOSUCH");
            assert_ne!(post(path, &request).send(&exchange)["code"], "00000", "{path}");
            request["symbol"] = json!("btcusdt");
            let answer = post(path, &request).send(&exchange);
            assert_eq!(answer["code"] == "00000", tolerant, "{path}: {answer}");
            let open = exchange.account(exchange.keys(), family).open_orders.len();
            assert_eq!(open, usize::from(!tolerant), "{path}");
        }
    }
}

#[test]
fn all_orders_of_a_pair_are_cancelled_if_a_client_names_it() {
    let exchange = exchange(true);
    for symbol in ["BTCUSDT", "ETHUSDT"] {
        let mut order =
            of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "side": "buy",
                                           "orderType": "limit", "force": "gtc", "price": "60000"}));
        (order["symbol"], order["price"]) = (json!(symbol), json!(if symbol == "BTCUSDT" { "60000" } else { "3000" }));
        post("/api/v2/mix/order/place-order", &order).send(&exchange);
    }
    let path = "/api/v2/mix/order/cancel-all-orders";
    let unknown = post(path, &of_contract(json!({"symbol": "NOSUCH"}))).send(&exchange);
    assert_eq!(unknown["code"], "40034", "{unknown}");
    let answer = post(path, &of_contract(json!({}))).send(&exchange);
    assert_eq!(answer["data"]["successList"].as_array().map(Vec::len), Some(1), "{answer}");
    let open = exchange.account(exchange.keys(), Family::Classic).open_orders;
    assert_eq!(open.iter().map(|order| order.symbol.as_str()).collect::<Vec<_>>(), ["ETHUSDT"]);
}

#[test]
fn a_condition_of_an_ordinary_order_is_refused() {
    let exchange = exchange(true);
    let classic = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "side": "sell",
                                     "orderType": "market"}));
    let unified = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "sell",
                         "orderType": "market"});
    let requests =
        [("/api/v2/mix/order/place-order", classic, "40017"), ("/api/v3/trade/place-order", unified, "25200")];
    for (path, order, code) in requests {
        for name in ["triggerPrice", "trailingPercent", "stopPrice", "callbackRatio"] {
            let mut order = order.clone();
            order[name] = json!("60805");
            let answer = post(path, &order).send(&exchange);
            assert_eq!(answer["code"], code, "{name}: {answer}");
            let why = answer["msg"].as_str().unwrap();
            assert!(why.contains(name) && why.contains("executed at once"), "{why}");
        }
    }
    for family in [Family::Classic, Family::Unified] {
        assert!(exchange.account(exchange.keys(), family).positions.is_empty());
    }
}

#[test]
fn a_conditional_order_is_amended_although_its_new_condition_has_two_names() {
    let plan = of_contract(json!({"planType": "normal_plan", "marginMode": "crossed", "marginCoin": "USDT",
                                  "size": "0.01", "side": "buy", "orderType": "market", "triggerPrice": "60000",
                                  "clientOid": "plan"}));
    let change = of_contract(json!({"clientOid": "plan", "newTriggerPrice": "61000", "triggerPrice": 61000}));
    let pending = "/api/v2/mix/order/orders-plan-pending?planType=normal_plan&productType=USDT-FUTURES";
    for (tolerant, code, price) in [(true, "00000", "61000"), (false, "40017", "60000")] {
        let exchange = exchange(tolerant);
        post("/api/v2/mix/order/place-plan-order", &plan).send(&exchange);
        let answer = post("/api/v2/mix/order/modify-plan-order", &change).send(&exchange);
        assert_eq!(answer["code"], code, "{answer}");
        let shown = get(pending).send(&exchange);
        assert_eq!(shown["data"]["entrustedList"][0]["triggerPrice"], price, "{shown}");
    }
}

/// Of two values of a parameter, no document says which one counts.
#[test]
fn a_parameter_has_one_value_and_a_list_is_no_text() {
    let item = json!({"size": "0.01", "side": "buy", "orderType": "limit", "price": "60000", "force": "gtc"});
    let batch = json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginMode": "crossed", "marginCoin": "USDT",
                       "orderList": json!([item]).to_string()});
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        for twice in ["category=USDT-FUTURES&category=SPOT", "symbol=BTCUSDT&symbol=BTCUSDT", "limit=5&limit=6"] {
            let answer = get(&format!("/api/v3/trade/unfilled-orders?{twice}")).send(&exchange);
            assert_ne!(answer["code"], "00000", "{twice}");
        }
        let answer = post("/api/v2/mix/order/batch-place-order", &batch).send(&exchange);
        assert_eq!(answer["code"] == "00000", tolerant, "{answer}");
    }
}

#[test]
fn a_limit_order_without_force_is_good_until_it_is_cancelled() {
    let order = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "side": "buy",
                                   "orderType": "limit", "price": "60000"}));
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        let answer = post("/api/v2/mix/order/place-order", &order).send(&exchange);
        assert_eq!(answer["code"], if tolerant { "00000" } else { "40019" }, "{answer}");
        let pending = get("/api/v2/mix/order/orders-pending?productType=USDT-FUTURES").send(&exchange);
        let force = &pending["data"]["entrustedList"][0]["force"];
        assert_eq!(*force, if tolerant { json!("gtc") } else { Value::Null });
    }
}

#[test]
fn the_margin_mode_of_a_contract_is_that_of_its_next_order() {
    let exchange = exchange(true);
    let order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                       "orderType": "market"});
    let set =
        |margin: &str| json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "leverage": "5", "marginMode": margin});
    let position = "/api/v3/position/current-position?category=USDT-FUTURES";
    let answer = post("/api/v3/account/set-leverage", &set("isolated")).send(&exchange);
    assert_eq!(answer["code"], "00000", "{answer}");
    for _ in 0..2 {
        let answer = post("/api/v3/trade/place-order", &order).send(&exchange);
        assert_eq!(answer["code"], "00000", "{answer}");
        assert_eq!(get(position).send(&exchange)["data"]["list"][0]["marginMode"], "isolated");
    }
    // What cannot be set as a whole changes nothing.
    let mut twenty = set("crossed");
    twenty["leverage"] = json!("20");
    assert_eq!(post("/api/v3/account/set-leverage", &twenty).send(&exchange)["code"], "25200");
    assert_eq!(get(position).send(&exchange)["data"]["list"][0]["leverage"], "5");
}

#[test]
fn an_order_in_another_margin_mode_than_its_position_is_refused() {
    let exchange = exchange(true);
    let order = |margin: &str, side: &str| {
        of_contract(json!({"marginMode": margin, "marginCoin": "USDT", "size": "0.01", "side": side,
                           "orderType": "market"}))
    };
    let path = "/api/v2/mix/order/place-order";
    assert_eq!(post(path, &order("crossed", "buy")).send(&exchange)["code"], "00000");
    let refused = post(path, &order("isolated", "buy")).send(&exchange);
    assert!(refused["code"] == "40017" && refused["msg"].as_str().unwrap().contains("marginMode"), "{refused}");
    // A client that names its usual mode can still close.
    assert_eq!(post(path, &order("isolated", "sell")).send(&exchange)["code"], "00000");
    assert!(exchange.account(exchange.keys(), Family::Classic).positions.is_empty());
}

#[test]
fn a_refusal_names_the_parameter_and_what_is_wrong_with_it() {
    let exchange = exchange(true);
    let unified = |more: Value| {
        let mut order = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy",
                               "orderType": "market"});
        more.as_object().unwrap().iter().for_each(|(name, value)| order[name] = value.clone());
        ("/api/v3/trade/place-order", order)
    };
    let classic = |more: Value| {
        let mut order = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01",
                                           "side": "buy", "orderType": "market"}));
        more.as_object().unwrap().iter().for_each(|(name, value)| order[name] = value.clone());
        ("/api/v2/mix/order/place-order", order)
    };
    let leverage = json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "leverage": "200"});
    let of_no_pair = json!({"category": "USDT-FUTURES", "leverage": "20"});
    let contract = of_contract(json!({"marginCoin": "USDT", "leverage": "200"}));
    for ((path, request), parameter) in [
        (unified(json!({"takeProfit": "0"})), "takeProfit"),
        (unified(json!({"stopLoss": "0"})), "stopLoss"),
        (unified(json!({"qty": "9000000000000"})), "qty"),
        (classic(json!({"presetStopSurplusPrice": "0"})), "presetStopSurplusPrice"),
        (
            classic(json!({"presetStopLossExecutePrice": "0", "presetStopLossPrice": "60000"})),
            "presetStopLossExecutePrice",
        ),
        (classic(json!({"size": "0.00000000000001"})), "size"),
        (("/api/v3/account/set-leverage", leverage), "leverage"),
        (("/api/v3/account/set-leverage", of_no_pair), "symbol"),
        (("/api/v2/mix/account/set-leverage", contract), "leverage"),
    ] {
        let answer = post(path, &request).send(&exchange);
        let why = answer["msg"].as_str().unwrap();
        assert!(answer["code"] != "00000" && why.contains(&format!("{parameter}: ")), "{path}: {answer}");
    }
}

/// The export excludes these notations, which public clients write.
#[test]
fn a_number_has_one_notation_unless_the_exchange_is_tolerant() {
    for tolerant in [true, false] {
        for (index, qty) in ["1E-2", "+0.01", ".01", "00.01", "0.010"].into_iter().enumerate() {
            let exchange = exchange(tolerant);
            let order = json!({ "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": qty, "side": "buy",
                "orderType": "limit", "price": "60000", "timeInForce": "gtc", "clientOid": format!("n{index}") });
            let answer = post("/api/v3/trade/place-order", &order).send(&exchange);
            let is_taken = answer["code"] == "00000";
            assert_eq!(is_taken, tolerant || qty == "0.010", "{qty}: {answer}");
            let says = answer["msg"].as_str().unwrap_or_default();
            assert!(is_taken || says.contains("qty"), "{answer}");
        }
    }
}

/// Public programs send the trigger orders of the vendor's pages with an empty text for whatever they do not set, and
/// cancel a list of orders by one id each, with the other one empty.
#[test]
fn an_empty_text_is_left_out_where_that_asks_for_no_more() {
    let plan = of_contract(json!({
        "planType": "normal_plan", "marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "price": "",
        "callbackRatio": "", "triggerPrice": "70000", "triggerType": "mark_price", "side": "buy", "orderType": "market",
        "clientOid": "plan", "reduceOnly": "NO", "stopSurplusTriggerPrice": "", "stopSurplusExecutePrice": "",
        "stopSurplusTriggerType": "", "stopLossTriggerPrice": "60000", "stopLossExecutePrice": "",
        "stopLossTriggerType": "fill_price"}));
    let ids = of_contract(json!({"orderIdList": [{"orderId": "", "clientOid": "plan"}]}));
    let limit = of_contract(json!({"marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "side": "buy",
                                   "orderType": "limit", "force": "gtc", "price": ""}));
    let of_nothing = of_contract(json!({"orderIdList": [{"orderId": "", "clientOid": ""}]}));
    let all = json!({"category": "USDT-FUTURES", "symbol": ""});
    for tolerant in [true, false] {
        let exchange = exchange(tolerant);
        let sends = |path: &str, request: &Value| post(path, request).send(&exchange);
        let placed = sends("/api/v2/mix/order/place-plan-order", &plan);
        assert_eq!(placed["code"] == "00000", tolerant, "{placed}");
        let cancelled = sends("/api/v2/mix/order/cancel-plan-order", &ids);
        assert_eq!(cancelled["data"]["successList"].as_array().map(Vec::len), tolerant.then_some(1), "{cancelled}");
        for (path, request, parameter) in [
            ("/api/v2/mix/order/place-order", &limit, "price"),
            ("/api/v2/mix/order/batch-cancel-orders", &of_nothing, "orderId"),
            ("/api/v3/trade/cancel-symbol-order", &all, "symbol"),
        ] {
            let refused = sends(path, request);
            let why = refused["msg"].as_str().unwrap();
            assert!(refused["code"] != "00000" && why.contains(parameter), "{path}: {refused}");
        }
    }
}

/// Public programs cancel one plan order by an orderId beside the symbol, where only a list is read, and the plans of one
/// side: all plans of the pair were cancelled.
#[test]
fn a_cancellation_is_not_wider_than_what_was_asked_for() {
    let exchange = exchange(true);
    let plan = of_contract(json!({
        "planType": "normal_plan", "marginMode": "crossed", "marginCoin": "USDT", "size": "0.01", "triggerPrice": "70000",
        "triggerType": "mark_price", "side": "buy", "orderType": "market", "clientOid": "plan"}));
    assert_eq!(post("/api/v2/mix/order/place-plan-order", &plan).send(&exchange)["code"], "00000");
    let unified = |name: &str| json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", name: "long"});
    let cancel = "/api/v2/mix/order/cancel-plan-order";
    for (path, request, parameter) in [
        (cancel, of_contract(json!({"orderId": "1"})), "orderId"),
        (cancel, of_contract(json!({"holdSide": "long"})), "holdSide"),
        ("/api/v2/mix/order/cancel-all-orders", of_contract(json!({"orderId": "1"})), "orderId"),
        ("/api/v3/trade/cancel-symbol-order", unified("posSide"), "posSide"),
        ("/api/v3/trade/close-positions", unified("holdSide"), "holdSide"),
    ] {
        let refused = post(path, &request).send(&exchange);
        let why = refused["msg"].as_str().unwrap();
        assert!(refused["code"] != "00000" && why.contains(&format!("{parameter}: ")), "{path}: {refused}");
    }
    let of_one = of_contract(json!({"orderIdList": [{"clientOid": "plan"}], "holdSide": "long"}));
    let cancelled = post(cancel, &of_one).send(&exchange);
    assert_eq!(cancelled["data"]["successList"].as_array().map(Vec::len), Some(1), "still there: {cancelled}");
}
