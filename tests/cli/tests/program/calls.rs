//! Orders from the command line: placed, listed, amended, cancelled, one by one and in batches.

use std::time::Duration;

use serde_json::json;
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, FaultTarget};

use crate::fixture::{Local, Ran};

#[test]
fn an_order_is_placed_queried_amended_and_cancelled() {
    let local = Local::start();
    let placed = local.place("a").ended(0).line();
    assert_eq!((&placed["outcome"], &placed["data"]["clientOid"]), (&json!("done"), &json!("a")));
    let found = local.run(&["unified", "order-info", "--client-oid", "a"]).ended(0).line();
    assert_eq!((&found["price"], &found["orderStatus"]), (&json!("60000"), &json!("live")));
    let listed = local.run(&["orders"]).ended(0).line();
    assert_eq!(listed["clientOid"], "a");
    local.run(&["unified", "modify-order", "--client-oid", "a", "--price", "61000", "--qty", "0.02"]).ended(0);
    let amended =
        local.run(&["--columns", "price,qty", "--format", "table", "unified", "order-info", "--client-oid", "a"]);
    assert_eq!(amended.ended(0).out, "price  61000\nqty    0.02\n");
    local.run(&["unified", "cancel-order", "--client-oid", "a"]).ended(0);
    assert_eq!((local.open(), local.run(&["orders"]).ended(0).out), (0, String::new()));
}

/// Returns the orders of a batch, as JSON.
fn batch(count: usize) -> String {
    let order = |at: usize| {
        json!({
            "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
            "price": (60000 - at).to_string()
        })
    };
    (0..count).map(order).collect::<serde_json::Value>().to_string()
}

fn place(local: &Local, count: usize) -> Ran {
    local.run_with(&["unified", "place-batch", "--json", "-"], &batch(count))
}

#[test]
fn a_batch_of_any_length_is_placed_and_all_pages_are_listed() {
    let local = Local::start();
    let items = place(&local, 130).ended(0).lines();
    assert_eq!((items.len(), local.open()), (130, 130));
    assert!(items.iter().all(|item| item["outcome"] == "done" && item["data"]["orderId"].is_string()), "{items:?}");
    let listed = local.run(&["unified", "unfilled-orders", "--category", "USDT-FUTURES", "--limit", "100"]).ended(0);
    let mut ids: Vec<_> = listed.lines().iter().map(|order| order["orderId"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 130);
    assert_eq!(local.run(&["orders", "--first", "7"]).ended(0).lines().len(), 7);
    let all = local.run(&["--lag", "1", "flatten"]).ended(0);
    assert_eq!((local.open(), &all.line()["outcome"]), (0, &json!("done")));
}

#[test]
fn the_items_of_a_batch_have_outcomes_of_their_own() {
    let local = Local::start();
    local.place("a").ended(0);
    let ids = r#"[{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"a"},{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"b"}]"#;
    let cancelled = local.run_with(&["unified", "cancel-batch", "--json", "-"], ids).ended(4).lines();
    assert_eq!(
        (&cancelled[0]["outcome"], &cancelled[1]["outcome"]),
        (&json!("done"), &json!("not done")),
        "{cancelled:?}"
    );
    assert!(cancelled[1]["code"].is_string() && cancelled[1]["item"]["clientOid"] == "b", "{cancelled:?}");
    let nobodies = ids.replace(r#""a""#, r#""c""#);
    let none = local.run_with(&["unified", "cancel-batch", "--json", "-"], &nobodies).ended(1).lines();
    assert!(none.iter().all(|item| item["outcome"] == "not done"), "{none:?}");
}

/// Whoever repeats what "had no effect" must not repeat the half that had one.
#[test]
fn a_batch_of_which_a_part_is_done_has_a_status_of_its_own() {
    let local = Local::start();
    let order = |id: &str, qty: &str| {
        json!({
            "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": qty, "side": "buy", "orderType": "limit",
            "price": "60000", "clientOid": id
        })
    };
    let orders = json!([order("good", "0.01"), order("beyond", "99999999")]).to_string();
    let items = local.run_with(&["unified", "place-batch", "--json", "-"], &orders).ended(4).lines();
    let outcomes: Vec<_> = items.iter().map(|item| item["outcome"].as_str().unwrap()).collect();
    assert_eq!((outcomes, local.open()), (vec!["done", "not done"], 1), "{items:?}");
    let help = local.run(&["--help"]).ended(0).out;
    assert!(help.contains("1  not done; it had no effect\n") && help.contains("4  partly done"), "{help}");
}

#[test]
fn a_change_refuses_null() {
    let local = Local::start();
    for id in ["a", "b"] {
        local.place(id).ended(0);
    }
    let cancel = ["unified", "cancel-symbol-order", "--json", "-"];
    let all = json!({ "category": "USDT-FUTURES", "symbol": null }).to_string();
    let refused = local.run_with(&cancel, &all).ended(2).line();
    assert!(refused["error"].as_str().unwrap().starts_with("symbol: null is not a value"), "{refused}");
    // A flag wins over it.
    local.run_with(&[&cancel[..], &["--symbol", "ETHUSDT"]].concat(), &all).ended(0);
    let item = json!([{ "category": "USDT-FUTURES", "symbol": "BTCUSDT", "orderId": "1", "clientOid": null }]);
    let refused = local.run_with(&["unified", "cancel-batch", "--json", "-"], &item.to_string()).ended(2).line();
    assert!(refused["error"].as_str().unwrap().starts_with("[0].clientOid: null"), "{refused}");
    assert_eq!(local.open(), 2);
    let read = json!({ "category": "USDT-FUTURES", "symbol": null }).to_string();
    assert_eq!(local.run_with(&["unified", "unfilled-orders", "--json", "-"], &read).ended(0).lines().len(), 2);
}

/// A batch without its list cancels by pair: it is one call, and ends as that does.
#[test]
fn a_cancellation_by_pair_ends_as_its_answer_says() {
    let local = Local::start();
    let cancel = ["classic", "batch-cancel-orders", "--product-type", "USDT-FUTURES", "--symbol", "BTCUSDT"];
    let with = |fault: Fault| {
        local.exchange.clear_faults();
        local.exchange.add_fault(fault.target(FaultTarget::Operation("classic.batch-cancel-orders".to_owned())));
        local.run(&cancel)
    };
    let done = local.run(&cancel).ended(0).line();
    assert_eq!((&done["outcome"], &done["data"]["successList"]), (&json!("done"), &json!([])), "{done}");
    let lost = with(Fault::new(FaultKind::Lose)).ended(3).line();
    assert_eq!(lost["outcome"], "unknown", "{lost}");
    let refused = with(Fault::new(FaultKind::Refuse("40762".to_owned()))).ended(1).line();
    assert_eq!((&refused["outcome"], &refused["code"]), (&json!("not done"), &json!("40762")), "{refused}");
}

#[test]
fn positions_follow_from_fills_and_everything_is_closed() {
    let local = Local::start();
    let bought = [
        "unified",
        "place-order",
        "--category",
        "USDT-FUTURES",
        "--symbol",
        "BTCUSDT",
        "--qty",
        "0.02",
        "--side",
        "buy",
        "--order-type",
        "market",
    ];
    local.run(&bought).ended(0);
    local.place("a").ended(0);
    let position = local.run(&["positions"]).ended(0).line();
    assert_eq!((&position["symbol"], &position["total"]), (&json!("BTCUSDT"), &json!("0.02")));
    let position = local.run(&["positions", "--days", "30"]).ended(0).line();
    assert_eq!((&position["instrument"], &position["size"]), (&json!("BTCUSDT"), &json!("0.02")));
    assert!(position["since"].is_string(), "{position}");
    local.run(&["--lag", "1", "flatten"]).ended(0);
    let account = |exchange: &Exchange| exchange.account(exchange.keys(), Family::Unified);
    let left = account(&local.exchange);
    assert!(left.open_orders.is_empty() && left.positions.iter().all(|position| position.qty.is_zero()), "{left:?}");
}

#[test]
fn orders_are_watched_as_they_change() {
    let local = Local::start();
    local.place("a").ended(0);
    let mut command = local.command();
    command.args(["--local", "watch", "--every", "1", "--first", "3"]);
    let watching = std::thread::spawn(move || crate::fixture::ran(&mut command, ""));
    std::thread::sleep(Duration::from_millis(1500));
    local.run(&["unified", "modify-order", "--client-oid", "a", "--price", "60500", "--qty", "0.01"]).ended(0);
    std::thread::sleep(Duration::from_millis(2500));
    local.run(&["unified", "cancel-order", "--client-oid", "a"]).ended(0);
    let seen = watching.join().unwrap().ended(0).lines();
    let changes: Vec<_> = seen.iter().map(|line| line["change"].as_str().unwrap()).collect();
    assert_eq!(changes, ["new", "changed", "gone"]);
    assert_eq!(seen[1]["price"], "60500");
}

#[test]
fn a_listing_is_longer_than_one_query_may_be() {
    let local = Local::start();
    local.place("a").ended(0);
    local.run(&["unified", "cancel-order", "--client-oid", "a"]).ended(0);
    let (now, day) = (local.exchange.time().now().as_millis(), 24 * 60 * 60 * 1000);
    let since = |days: u64| (now - days * day).to_string();
    let list = |since: &str| {
        local.run(&[
            "unified",
            "history-orders",
            "--category",
            "USDT-FUTURES",
            "--start-time",
            since,
            "--end-time",
            &(now + day).to_string(),
        ])
    };
    assert_eq!(list(&since(60)).ended(0).line()["clientOid"], "a");
    let clipped = list(&since(100)).ended(0);
    assert!(clipped.line()["clientOid"] == "a" && clipped.err.starts_with("note: "), "{clipped:?}");
}

#[test]
fn options_that_mean_nothing_are_refused_or_told() {
    let local = Local::start();
    local.place("a").ended(0);
    local.run(&["orders", "--first", "0"]).ended(2);
    local.run(&["--columns", "price", "--format", "json", "orders"]).ended(2);
    let shown = local.run(&["--columns", "price,prise", "orders"]).ended(0);
    assert_eq!(shown.out, "price\n60000\n");
    assert!(shown.err.starts_with("note: no result has the column prise; there are "), "{shown:?}");
}
