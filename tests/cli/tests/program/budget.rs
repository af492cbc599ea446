//! The budget of a server for assistants: what it says, whom it asks, and calls that try to trade beyond it.

use serde_json::{Value, json};
use tradeapi_exchange::{Event, Family};
use tradeapi_runtime::rust_decimal::Decimal;

use crate::fixture::Local;
use crate::mcp_server::Server;

fn limit(id: &str, qty: &str) -> Value {
    json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": qty, "side": "buy", "orderType": "limit",
        "price": "60000", "clientOid": id
    })
}

const TRADES: &[&str] = &["--allow-trading"];

#[test]
fn a_server_that_may_trade_needs_a_budget() {
    let local = Local::start();
    let refused = local.run(&["mcp", "--allow-trading"]).ended(2);
    assert!(refused.out.is_empty() && refused.err.contains("add `--budget FILE`"), "{refused:?}");
    let wrong = local.budget_of(r#"{"coins": ["USDT"], "dya": "10"}"#);
    let refused = local.run(&["--budget", &wrong, "orders"]).ended(2);
    assert!(refused.out.contains("`dya`: unknown; did you mean `day`?"), "{refused:?}");
}

#[test]
fn each_answer_says_what_is_left() {
    let local = Local::start();
    let budget = local.budget_of(r#"{"coins": ["USDT"], "order": "700", "day": "1000"}"#);
    let mut server = Server::with_budget(&local, &budget, &json!({}), TRADES);
    let left = |answer: &Value| answer["budget"].as_str().unwrap().to_owned();
    let day = |amount: &str| format!("left of the budget in USDT: 700 for an order, {amount} in this day");
    assert_eq!(left(&server.call("orders", json!({}))), day("1000"));
    assert_eq!(left(&server.call("unified_place_order", limit("a", "0.01"))), day("400"));
    let refused = server.call("unified_place_order", limit("b", "0.02"));
    assert_eq!((&refused["outcome"], left(&refused)), (&json!("refused"), day("400")));
    let error = refused["failure"]["error"].as_str().unwrap();
    assert!(error.contains("it is worth up to 1200") && error.contains("of which 700 is left"), "{error}");
    assert_eq!(local.open(), 1);
}

#[test]
fn a_person_agrees_to_large_orders_or_they_are_refused() {
    let local = Local::start();
    let budget = local.budget_of(r#"{"coins": ["USDT"], "order": "1000", "askAbove": "500"}"#);
    let refused =
        Server::with_budget(&local, &budget, &json!({}), TRADES).call("unified_place_order", limit("a", "0.01"));
    let error = refused["failure"]["error"].as_str().unwrap();
    assert!(error.contains("worth more than 500") && error.contains("cannot ask"), "{refused}");

    let can_ask = json!({ "elicitation": {} });
    let mut server = Server::with_budget(&local, &budget, &can_ask, TRADES);
    assert_eq!(server.call("unified_place_order", limit("b", "0.005"))["outcome"], "done");
    for (action, outcome, open) in [("decline", "refused", 1), ("cancel", "refused", 1), ("accept", "done", 2)] {
        let order = limit("c", "0.01");
        let id = server.request("tools/call", json!({ "name": "unified_place_order", "arguments": order }));
        let question = server.read();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert!(question["params"]["message"].as_str().unwrap().contains("worth up to 600"), "{question}");
        assert_eq!(local.open(), 1);
        let answer = json!({ "action": action, "content": {} });
        server.write(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
        let result = server.read();
        assert_eq!((&result["id"], &result["result"]["structuredContent"]["outcome"]), (&json!(id), &json!(outcome)));
        assert_eq!(local.open(), open, "{action}");
    }
}

/// Numbers, kinds and lists that an assistant may try; none trades beyond the budget, by the books.
#[test]
fn no_conversation_trades_beyond_the_budget() {
    const QUANTITIES: [&str; 8] =
        ["0.001", "0.005", "0.02", "-0.01", "0", "1e3", "99999999999999999999999999999999", "0.01"];
    const SIDES: [&str; 2] = ["buy", "sell"];
    const KINDS: [&str; 2] = ["limit", "market"];
    const LINES: [(&str, &str); 4] =
        [("USDT-FUTURES", "BTCUSDT"), ("SPOT", "BTCUSDT"), ("COIN-FUTURES", "BTCUSD"), ("USDC-FUTURES", "BTCPERP")];
    let local = Local::start();
    let budget = local.budget_of(r#"{"coins": ["USDT"], "order": "500", "day": "1000", "ordersAMinute": 500}"#);
    let mut server = Server::with_budget(&local, &budget, &json!({}), TRADES);
    server.call("observed_tickers", json!({ "category": "USDT-FUTURES" }));
    server.call("observed_tickers", json!({ "category": "SPOT" }));
    let mut chance = 7_u64;
    let mut below = |end: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(chance >> 33).unwrap() % end
    };
    for call in 0..200 {
        let (category, symbol) = LINES[below(4)];
        let mut order = json!({
            "category": category, "symbol": symbol, "qty": QUANTITIES[below(8)], "side": SIDES[below(2)],
            "orderType": KINDS[below(2)], "clientOid": format!("call-{call}")
        });
        if order["orderType"] == "limit" {
            order["price"] = ["1", "63000", "64000", "65000", "640000"][below(5)].into();
        }
        if below(4) == 0 {
            order["reduceOnly"] = ["yes", "no", "YES"][below(3)].into();
        }
        match below(6) {
            0 => drop(server.call("unified_place_batch", json!({ "items": [order.clone(), order] }))),
            1 => {
                let amend = json!({ "clientOid": format!("call-{}", below(200)), "qty": "1", "price": "70000" });
                drop(server.call("unified_modify_order", amend));
            }
            _ => drop(server.call("unified_place_order", order)),
        }
    }
    let mut sums = std::collections::BTreeMap::<u64, Decimal>::new();
    for event in local.exchange.take_events() {
        if let Event::Filled { order, price, qty } = event {
            let closes = local.exchange.order(order).is_some_and(|order| order.closes);
            *sums.entry(order).or_default() += if closes { Decimal::ZERO } else { price * qty };
        }
    }
    let open = local.exchange.account(local.exchange.keys(), Family::Unified).open_orders;
    let rests = open.iter().filter(|order| !order.closes);
    let rest: Decimal = rests.map(|order| (order.qty - order.filled) * order.price.unwrap_or_default()).sum();
    let (largest, traded) = (sums.values().max().copied().unwrap_or_default(), sums.values().sum::<Decimal>());
    assert!(largest <= Decimal::from(500) && traded + rest <= Decimal::from(1000), "{largest}, {traded}, {rest}");
    assert!(traded + rest > Decimal::from(500), "the calls do trade: {traded}, {rest}");
}
