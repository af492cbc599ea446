//! Requests at the documented bounds of parameters and counts.

use std::time::Duration;

use serde_json::{Value, json};
use tradeapi::Decimal;
use tradeapi_exchange::{Exchange, Mode, Profile};

use super::{
    CLASSIC, UNIFIED, classic, classic_market, detail, done, exchange, found, info, positions, refused, unified, with,
};
use crate::raw::{get, post};

const DAY: Duration = Duration::from_secs(24 * 3600);

fn place(exchange: &Exchange, more: Value) -> Value {
    done(exchange, &format!("{UNIFIED}/place-order"), with(&unified(), more))
}

fn code(exchange: &Exchange, target: &str) -> String {
    get(target).send(exchange)["code"].as_str().unwrap().to_owned()
}

#[test]
fn open_orders_come_in_pages_behind_the_smallest_id() {
    let exchange = exchange(Profile::new().both());
    let ids: Vec<String> = (0..5)
        .map(|index| {
            place(&exchange, json!({"clientOid": format!("o{index}")}))["orderId"].as_str().unwrap().to_owned()
        })
        .collect();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = found(&exchange, &format!("{UNIFIED}/unfilled-orders?limit=2{cursor}"));
        let listed: Vec<String> = page["list"]
            .as_array()
            .unwrap()
            .iter()
            .map(|order| order["orderId"].as_str().unwrap().to_owned())
            .collect();
        let smallest = listed.iter().min().cloned();
        seen.extend(listed);
        match page["cursor"].as_str() {
            Some(at) if seen.len() < ids.len() => {
                assert_eq!(Some(at.to_owned()), smallest);
                cursor = format!("&cursor={at}");
            }
            _ => break,
        }
    }
    assert_eq!(seen, ids.iter().rev().cloned().collect::<Vec<_>>());
    for limit in ["101", "-1", "x"] {
        assert_ne!(code(&exchange, &format!("{UNIFIED}/unfilled-orders?limit={limit}")), "00000", "{limit}");
    }
}

#[test]
fn histories_reach_ninety_days_and_thirty_at_a_time() {
    let exchange = exchange(Profile::new().both());
    let now = exchange.time().now().as_millis();
    let day = u64::try_from(DAY.as_millis()).unwrap();
    for path in ["history-orders?category=USDT-FUTURES", "fills?category=USDT-FUTURES"] {
        let code = |from: u64, to: u64| code(&exchange, &format!("{UNIFIED}/{path}&startTime={from}&endTime={to}"));
        assert_eq!(code(now - 30 * day, now), "00000", "{path}");
        assert_ne!(code(now - 31 * day, now), "00000", "{path}");
        assert_eq!(code(now - 89 * day, now - 60 * day), "00000", "{path}");
        assert_ne!(code(now - 91 * day, now - 70 * day), "00000", "{path}");
        assert_ne!(code(now, now - day), "00000", "{path}: it ends before it begins");
    }
    assert_ne!(code(&exchange, &format!("{UNIFIED}/history-orders")), "00000", "the category is required");
    // In the classic family, fills go back a week, and those of an order three months.
    let span = |path: &str, days: u64| {
        let range = format!("startTime={}&endTime={now}", now - days * day);
        code(&exchange, &format!("{CLASSIC}/{path}?productType=USDT-FUTURES&{range}"))
    };
    assert_eq!([span("fill-history", 7), span("fills", 89), span("orders-pending", 89)], ["00000"; 3]);
    for (path, days) in [("fill-history", 8), ("fills", 93), ("orders-pending", 93)] {
        assert_ne!(span(path, days), "00000", "{path}");
    }
}

#[test]
fn pending_orders_are_live_unless_others_are_requested() {
    let exchange = exchange(Profile::new().both());
    for client in ["live", "partly"] {
        done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic(), json!({"clientOid": client})));
    }
    exchange.fill("partly", "0.004".parse::<Decimal>().unwrap()).unwrap();
    let listed = |more: &str| {
        let page = found(&exchange, &format!("{CLASSIC}/orders-pending?productType=USDT-FUTURES{more}"));
        let list = page["entrustedList"].as_array().cloned().unwrap_or_default();
        list.iter().map(|order| order["clientOid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(""), ["live"]);
    assert_eq!(listed("&status=live"), ["live"]);
    assert_eq!(listed("&status=partially_filled"), ["partly"]);
    let id = detail(&exchange, "live")["orderId"].as_str().unwrap().to_owned();
    assert_eq!(listed(&format!("&orderId={id}&clientOid=partly")), ["live"], "the orderId takes precedence");
    assert!(listed("&symbol=ETHUSDT").is_empty());
    assert_ne!(code(&exchange, &format!("{CLASSIC}/orders-pending?productType=USDT-FUTURES&status=filled")), "00000");
}

#[test]
fn a_quantity_is_in_the_coin_of_its_order() {
    let exchange = exchange(Profile::new().both());
    let spot = |side: &str, qty: &str, client: &str| {
        let order = json!({"category": "SPOT", "symbol": "BTCUSDT", "side": side, "orderType": "market", "qty": qty,
                           "clientOid": client});
        done(&exchange, &format!("{UNIFIED}/place-order"), order);
        let record = info(&exchange, client);
        let number = |name: &str| record[name].as_str().unwrap().parse::<f64>().unwrap();
        (number("cumExecQty"), number("cumExecValue"))
    };
    let (bought, spent) = spot("buy", "640", "buys");
    assert!((bought - 0.01).abs() < 0.001 && spent <= 640.0 && spent > 630.0, "{bought} for {spent}");
    let (sold, received) = spot("sell", "0.01", "sells");
    assert!((sold - 0.01).abs() < 1e-9 && (received - 640.0).abs() < 10.0, "{sold} for {received}");
    // The new Coin-M business line counts in the quote coin, and has neither modifications nor presets.
    let coin_m = json!({"category": "COIN-FUTURES", "symbol": "BTCUSD_CM", "side": "buy", "orderType": "limit",
                        "qty": "630", "price": "63000"});
    let path = format!("{UNIFIED}/place-order");
    refused(&exchange, &path, with(&coin_m, json!({"takeProfit": "70000"})));
    done(&exchange, &path, with(&coin_m, json!({"clientOid": "coin"})));
    let named = json!({"clientOid": "coin", "symbol": "BTCUSD_CM", "category": "COIN-FUTURES", "price": "63001"});
    refused(&exchange, &format!("{UNIFIED}/modify-order"), named);
    assert_eq!(info(&exchange, "coin")["price"], "63000");
}

#[test]
fn reduce_only_orders_give_way_in_the_order_of_their_creation() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{CLASSIC}/place-order");
    done(&exchange, &path, with(&classic_market(), json!({"size": "0.03"})));
    let close = |client: &str, size: &str| {
        let order = json!({"clientOid": client, "side": "sell", "price": "66000", "reduceOnly": "YES", "size": size});
        done(&exchange, &path, with(&classic(), order))
    };
    for client in ["a", "b", "c"] {
        assert!(close(client, "0.01")["orderId"].is_string(), "{client}");
    }
    let newest = close("d", "0.015");
    assert!(newest["orderId"].as_str().is_none_or(str::is_empty) && newest["clientOid"] == "d", "{newest}");
    let states = ["a", "b", "c", "d"].map(|client| detail(&exchange, client)["state"].as_str().unwrap().to_owned());
    assert_eq!(states, ["canceled", "canceled", "live", "live"]);
    assert_eq!(detail(&exchange, "d")["size"], "0.015");
}

#[test]
fn a_flash_close_follows_the_mode_of_positions() {
    let exchange = exchange(Profile::new().both().mode(Mode::Hedge));
    let family = tradeapi_exchange::Family::Classic;
    let open = |exchange: &Exchange, side: &str| {
        let order = with(&classic_market(), json!({"side": side, "tradeSide": "open"}));
        done(exchange, &format!("{CLASSIC}/place-order"), order);
    };
    let close = |exchange: &Exchange, more: Value| {
        let body = with(&json!({"productType": "USDT-FUTURES", "symbol": "BTCUSDT"}), more);
        done(exchange, &format!("{CLASSIC}/close-positions"), body)
    };
    open(&exchange, "buy");
    open(&exchange, "sell");
    let closed = close(&exchange, json!({"holdSide": "long"}));
    assert_eq!((&closed["successList"][0]["symbol"], &closed["failureList"]), (&json!("BTCUSDT"), &json!([])));
    assert_eq!(positions(&exchange, family), ["short sell 0.01"]);
    open(&exchange, "buy");
    assert_eq!(close(&exchange, json!({"holdSide": ""}))["successList"].as_array().map(Vec::len), Some(2));
    assert!(positions(&exchange, family).is_empty());
    // In one-way mode, the side is ignored.
    let exchange = self::exchange(Profile::new().both());
    open(&exchange, "sell");
    close(&exchange, json!({"holdSide": "long"}));
    assert!(positions(&exchange, family).is_empty());
}

#[test]
fn a_classic_batch_reports_each_order() {
    let exchange = exchange(Profile::new().both());
    let path = format!("{CLASSIC}/batch-place-order");
    let item = |client: &str, price: &str| json!({"clientOid": client, "price": price, "size": "0.01", "side": "buy", "orderType": "limit", "force": "gtc"});
    let batch = |items: Vec<Value>| {
        json!({"symbol": "BTCUSDT", "productType": "USDT-FUTURES", "marginCoin": "USDT", "marginMode": "crossed",
               "orderList": items})
    };
    let mixed = done(&exchange, &path, batch(vec![item("a", "63000"), item("b", "63000.05"), item("a", "63000")]));
    assert_eq!(mixed["result"], false);
    let of = |name: &str| {
        let list = mixed[name].as_array().unwrap();
        list.iter().map(|item| item["clientOid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((of("successList"), of("failureList")), (vec!["a".to_owned()], vec!["b".to_owned(), "a".to_owned()]));
    let whole = done(&exchange, &path, batch(vec![item("c", "63000")]));
    assert_eq!((&whole["result"], &whole["failureList"]), (&json!(true), &json!([])));
    let many = (0..51).map(|index| item(&format!("m{index}"), "63000")).collect();
    refused(&exchange, &path, batch(many));
    let most = done(&exchange, &path, batch((0..50).map(|index| item(&format!("n{index}"), "63000")).collect()));
    assert_eq!(most["successList"].as_array().map(Vec::len), Some(50));
}

#[test]
fn four_hundred_orders_can_be_open_of_futures_and_of_spot() {
    let exchange = exchange(Profile::new().both().balance("USDT", 10_000_000));
    let mut placed = 0;
    for (category, symbol, price) in [
        ("USDT-FUTURES", "BTCUSDT", "60000"),
        ("USDC-FUTURES", "BTCPERP", "60000"),
        ("COIN-FUTURES", "BTCUSD_CM", "60000"),
    ] {
        let (share, qty) =
            if placed == 0 { (398, "0.001") } else { (1, if category == "COIN-FUTURES" { "900" } else { "0.001" }) };
        for _ in 0..share {
            place(&exchange, json!({"category": category, "symbol": symbol, "price": price, "qty": qty}));
            placed += 1;
        }
    }
    let more = json!({"price": "60000", "qty": "0.001", "clientOid": "more"});
    refused(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), more.clone()));
    place(&exchange, json!({"category": "SPOT", "price": "60000", "qty": "0.001"}));
    // An order that ends makes room for another one.
    done(&exchange, &format!("{UNIFIED}/cancel-symbol-order"), json!({"category": "USDC-FUTURES"}));
    place(&exchange, more);
}

#[test]
fn client_ids_have_a_character_set_and_a_length() {
    let exchange = exchange(Profile::new().both());
    let longest = "a".repeat(32);
    for good in ["a", ".:/aZ_9-", longest.as_str()] {
        assert_eq!(place(&exchange, json!({"clientOid": good}))["clientOid"], good);
        assert_eq!(info(&exchange, good)["clientOid"], good);
    }
    let longer = "a".repeat(33);
    for bad in ["a b", "a#b", "ä", "a%2Fb", longer.as_str()] {
        refused(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), json!({"clientOid": bad})));
    }
    for bad in [json!(1_000_000_000_000_000_000_u64), json!(-1), json!("x"), json!(1.5)] {
        let modification = json!({"clientOid": "a", "price": "63001", "requestId": bad});
        refused(&exchange, &format!("{UNIFIED}/modify-order"), modification);
    }
    assert_eq!(info(&exchange, "a")["price"], "63000");
}

#[test]
fn a_key_is_limited_to_its_permissions() {
    let reads = exchange(Profile::new().both().permissions(["UTA trade (read)"]));
    let path = format!("{UNIFIED}/place-order");
    let refusal = post(&path, &unified()).send(&reads);
    assert_ne!(refusal["code"], "00000", "{refusal}");
    found(&reads, &format!("{UNIFIED}/unfilled-orders"));
    assert_ne!(code(&reads, "/api/v3/account/assets"), "00000", "it needs UTA mgt. (read)");
    let writes = exchange(Profile::new().both().permissions(["UTA trade (read & write)", "UTA mgt. (read)"]));
    place(&writes, json!({"clientOid": "a"}));
    assert_eq!(info(&writes, "a")["orderStatus"], "live");
    found(&writes, "/api/v3/account/assets");
    // Public requests need no key, but a company.
    found(&reads, "/api/v3/reality/market/inner-trades?code=AAPL");
    assert_ne!(code(&reads, "/api/v3/reality/market/inner-trades"), "00000");
}

#[test]
fn presets_are_kept_changed_and_cancelled() {
    let exchange = exchange(Profile::new().both());
    let presets = json!({"clientOid": "a", "takeProfit": "66000", "stopLoss": "61000", "tpTriggerBy": "mark",
                         "tpOrderType": "limit", "tpLimitPrice": "65900"});
    place(&exchange, presets);
    let path = format!("{UNIFIED}/modify-order");
    let preset = || {
        let record = info(&exchange, "a");
        ["takeProfit", "tpTriggerBy", "tpOrderType", "tpLimitPrice", "stopLoss"]
            .map(|name| record[name].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(preset(), ["66000", "mark", "limit", "65900", "61000"]);
    done(&exchange, &path, json!({"clientOid": "a", "price": "62990", "takeProfit": "", "stopLoss": ""}));
    assert_eq!(preset(), ["66000", "mark", "limit", "65900", "61000"]);
    done(&exchange, &path, json!({"clientOid": "a", "price": "62990", "takeProfit": "66500", "stopLoss": "0"}));
    assert_eq!(preset(), ["66500", "mark", "limit", "65900", ""]);
    refused(&exchange, &path, json!({"clientOid": "a", "takeProfit": "67000"}));
    assert_eq!(preset()[0], "66500", "quantity or price must be given");
    // Batches and spot orders have no presets.
    let item = with(&unified(), json!({"clientOid": "b", "takeProfit": "66000"}));
    let results = post(&format!("{UNIFIED}/place-batch"), &json!([item])).send(&exchange);
    let is_refused =
        results["code"] != "00000" || results["data"][0]["code"].as_str().is_some_and(|code| code != "00000");
    assert!(is_refused, "{results}");
    let spot = json!({"category": "SPOT", "clientOid": "c", "takeProfit": "66000", "tpTriggerBy": "mark"});
    refused(&exchange, &format!("{UNIFIED}/place-order"), with(&unified(), spot));
}

#[test]
fn a_classic_batch_cancels_by_pair_or_by_ids() {
    let exchange = exchange(Profile::new().both());
    let place = |more: Value| done(&exchange, &format!("{CLASSIC}/place-order"), with(&classic(), more));
    let first = place(json!({"clientOid": "a"}));
    place(json!({"clientOid": "b"}));
    place(json!({"clientOid": "other", "symbol": "ETHUSDT", "price": "3000"}));
    let path = format!("{CLASSIC}/batch-cancel-orders");
    let cancel = |more: Value| done(&exchange, &path, with(&json!({"productType": "USDT-FUTURES"}), more));
    let ids = json!([{"orderId": first["orderId"]}, {"clientOid": "missing"}, {"clientOid": "other"}]);
    refused(&exchange, &path, json!({"productType": "USDT-FUTURES", "orderIdList": ids.clone()}));
    let listed = cancel(json!({"symbol": "BTCUSDT", "orderIdList": ids}));
    let of = |answer: &Value, list: &str| {
        let items = answer[list].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["clientOid"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((of(&listed, "successList"), of(&listed, "failureList").len()), (vec!["a".to_owned()], 2));
    assert_eq!(listed["failureList"][0]["errorCode"], "43001", "{listed}");
    assert!(listed["failureList"][0]["errorMsg"].is_string(), "{listed}");
    // Without ids, all of the pair.
    assert_eq!(of(&cancel(json!({"symbol": "BTCUSDT"})), "successList"), ["b"]);
    let state = |client: &str, symbol: &str| {
        let target = format!("{CLASSIC}/detail?symbol={symbol}&productType=USDT-FUTURES&clientOid={client}");
        found(&exchange, &target)["state"].as_str().unwrap().to_owned()
    };
    assert_eq!([state("b", "BTCUSDT"), state("other", "ETHUSDT")], ["canceled", "live"]);
    // And all of a product type, within the window that the request names.
    let late = json!({"productType": "USDT-FUTURES", "receiveWindow": "1000",
                      "requestTime": (exchange.time().now().as_millis() - 5_000).to_string()});
    refused(&exchange, &format!("{CLASSIC}/cancel-all-orders"), late.clone());
    let now = with(&late, json!({"requestTime": exchange.time().now().as_millis().to_string()}));
    assert_eq!(of(&done(&exchange, &format!("{CLASSIC}/cancel-all-orders"), now), "successList"), ["other"]);
}
