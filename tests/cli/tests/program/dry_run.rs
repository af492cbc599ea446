//! Requests that are shown and not sent.

use serde_json::{Value, json};
use tempfile::TempDir;
use tradeapi::runtime::Operation;
use tradeapi::runtime::tables::Meta;

use crate::fixture::{order, run};

/// Returns the arguments that name an operation, and a body that is an array is a flag of its own.
fn arguments(meta: &Meta) -> [String; 2] {
    let folder = TempDir::new().unwrap();
    let catalogue = run(folder.path(), &["catalogue"], "").lines();
    let line = catalogue.iter().find(|line| line["operation"] == meta.id).unwrap();
    [0, 1].map(|at| line["command"][at].as_str().unwrap().to_owned())
}

#[test]
fn every_operation_shows_the_request_of_each_example_without_keys() {
    let folder = TempDir::new().unwrap();
    let mut shown = 0;
    macro_rules! each {
        ($($operation:ty),*) => { $({
            let meta = <$operation as Operation>::META;
            let [family, name] = arguments(meta);
            for example in tradeapi_tests::schema::examples(meta) {
                let ran = run(folder.path(), &[&family, &name, "--dry-run", "--json", "-"], &example.request);
                // The times of some examples are too long ago by now.
                let is_old = ran.status == 2 && ran.out.contains("window.access");
                let line = ran.ended(if is_old { 2 } else { 0 }).line();
                assert_eq!(line["operation"], meta.id);
                assert_eq!(line["requests"][0]["method"], meta.method.as_str(), "{}", meta.id);
                let target = line["requests"][0]["target"].as_str().unwrap();
                assert_eq!(target.split('?').next(), Some(meta.path), "{}", meta.id);
                assert_eq!(line["checks"].as_array().unwrap().len(), meta.rules.len(), "{}", meta.id);
                let request: Value = serde_json::from_str(&example.request).unwrap();
                let sent = if meta.method.has_query() { members_of_query(target) } else { body(&line) };
                assert_same(&request, &sent, meta);
                shown += 1;
            }
        })* };
    }
    tradeapi::for_each_operation!(each);
    assert!(shown >= 30);
}

/// The machine's clock stands for that of the exchange, as it does for windows of time.
#[test]
fn a_value_that_has_ended_is_a_warning() {
    let folder = TempDir::new().unwrap();
    let order = r#"{"symbol": "BTCUSD", "productType": "COIN-FUTURES", "marginMode": "crossed", "marginCoin": "BTC",
                    "size": "0.01", "side": "buy", "orderType": "limit", "price": "60000", "force": "gtc"}"#;
    let line = run(folder.path(), &["classic", "place-order", "--dry-run", "--json", "-"], order).ended(0).line();
    let rules: Vec<_> = line["violations"].as_array().unwrap().iter().map(|found| &found["rule"]).collect();
    assert_eq!(rules, ["productType.dates"], "{line}");
}

fn body(line: &Value) -> Value {
    serde_json::from_str(line["requests"][0]["body"].as_str().unwrap()).unwrap()
}

fn members_of_query(target: &str) -> Value {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), Value::from(value.replace("%2C", ",").replace("%3A", ":")))).collect()
}

/// Checks that everything stated is sent, as text or as a number; a client id may be added.
fn assert_same(stated: &Value, sent: &Value, meta: &Meta) {
    match (stated, sent) {
        (Value::Object(stated), Value::Object(sent)) => {
            for (name, value) in stated.iter().filter(|(_, value)| !value.is_null() && *value != "") {
                assert_same(
                    value,
                    sent.get(name).unwrap_or_else(|| panic!("{}: no {name} in {sent:?}", meta.id)),
                    meta,
                );
            }
        }
        (Value::Array(stated), Value::Array(sent)) => {
            assert_eq!(stated.len(), sent.len(), "{}", meta.id);
            stated.iter().zip(sent).for_each(|(stated, sent)| assert_same(stated, sent, meta));
        }
        (stated, sent) => {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(text(stated), text(sent), "{}", meta.id);
        }
    }
}

#[test]
fn flags_and_json_state_the_same_request() {
    let folder = TempDir::new().unwrap();
    let flags = run(folder.path(), &[&["unified", "place-order", "--dry-run"][..], &order("a")].concat(), "");
    let json = json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
        "price": 60000, "clientOid": "b"
    });
    let stated = ["unified", "place-order", "--dry-run", "--json", "-", "--client-oid", "a"];
    let stated = run(folder.path(), &stated, &json.to_string());
    assert_eq!(flags.ended(0).line()["requests"], stated.ended(0).line()["requests"]);
}

#[test]
fn a_request_without_a_client_id_gets_a_new_one() {
    let folder = TempDir::new().unwrap();
    let shown = || {
        let line = run(folder.path(), &[&["unified", "place-order", "--dry-run"][..], &order("a")[..12]].concat(), "");
        body(&line.line())["clientOid"].as_str().unwrap().to_owned()
    };
    let (one, other) = (shown(), shown());
    assert!(!one.is_empty() && one != other, "{one} {other}");
    let orders = r#"{"orderList":[{"size":"1","side":"buy","orderType":"market"},{"size":"1","side":"buy","orderType":"market","clientOid":"x"}]}"#;
    let flags =
        ["--symbol", "BTCUSDT", "--product-type", "USDT-FUTURES", "--margin-coin", "USDT", "--margin-mode", "crossed"];
    let batch = [&["classic", "batch-place-order", "--dry-run", "--json", "-"][..], &flags].concat();
    let body = body(&run(folder.path(), &batch, orders).line());
    assert!(body["orderList"][0]["clientOid"].as_str().is_some_and(|id| !id.is_empty()), "{body}");
    assert_eq!(body["orderList"][1]["clientOid"], "x");
    // An id that names an order is not made up.
    let cancel = run(folder.path(), &["unified", "cancel-order", "--dry-run"], "");
    assert!(cancel.ended(2).out.contains("orderId"));
}

#[test]
fn all_broken_rules_are_shown_and_the_account_decides_some() {
    let folder = TempDir::new().unwrap();
    let broken =
        [&["unified", "place-order", "--dry-run", "--auto-borrow", "yes", "--tp-limit-price", "1"][..], &order("a")];
    let line = run(folder.path(), &broken.concat(), "").ended(2).line();
    let results = |line: &Value| -> Vec<(String, String)> {
        let text = |check: &Value, name: &str| check[name].as_str().unwrap().to_owned();
        line["checks"].as_array().unwrap().iter().map(|check| (text(check, "rule"), text(check, "result"))).collect()
    };
    let of = |line: &Value, rule: &str| results(line).into_iter().find(|(id, _)| id == rule).unwrap().1;
    assert_eq!(of(&line, "auto-borrow-spot-only"), "broken");
    assert_eq!(of(&line, "tp-limit-price-needs-limit"), "broken");
    assert_eq!(of(&line, "margin-mode-futures-only"), "kept");
    assert_eq!(of(&line, "hedge-mode-needs-pos-side"), "not checked");
    let account = folder.path().join("account.json");
    std::fs::write(&account, r#"{"properties":{"positionMode":"hedge_mode"}}"#).unwrap();
    let hedged = ["--account", account.to_str().unwrap(), "unified", "place-order", "--dry-run"];
    let line = run(folder.path(), &[&hedged[..], &order("a")].concat(), "").ended(2).line();
    assert_eq!(of(&line, "hedge-mode-needs-pos-side"), "broken");
    assert_eq!(line["wouldBeSent"], false);
}

#[test]
fn people_see_the_request_and_the_rules() {
    let folder = TempDir::new().unwrap();
    let shown = [&["--format", "table", "unified", "place-order", "--dry-run"][..], &order("a")].concat();
    let text = run(folder.path(), &shown, "").ended(0).out;
    assert!(
        text.starts_with("POST /api/v3/trade/place-order\ncontent-type: application/json\n\n{\"category\""),
        "{text}"
    );
    assert!(text.contains("  kept        pos-side-futures-only: ") && text.ends_with("Nothing was sent.\n"), "{text}");
}

/// Orders with these ids, as the body of a batch.
fn batch(ids: impl IntoIterator<Item = String>) -> String {
    let order = |id: String| {
        json!({
            "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
            "price": "60000", "clientOid": id
        })
    };
    ids.into_iter().map(order).collect::<Value>().to_string()
}

#[test]
fn a_batch_is_shown_as_the_calls_that_send_it() {
    let folder = TempDir::new().unwrap();
    let place = ["unified", "place-batch", "--dry-run", "--json", "-"];
    let orders = batch((0..21).map(|at| format!("o{at}")));
    let line = run(folder.path(), &place, &orders).ended(0).line();
    let calls = line["requests"].as_array().unwrap();
    let sent = |call: &Value| serde_json::from_str::<Value>(call["body"].as_str().unwrap()).unwrap();
    let lengths: Vec<_> = calls.iter().map(|call| sent(call).as_array().unwrap().len()).collect();
    assert_eq!((&line["wouldBeSent"], lengths), (&json!(true), vec![20, 1]));
    assert_eq!(sent(&calls[1])[0]["clientOid"], "o20");
    let people = run(folder.path(), &[&["--format", "table"][..], &place].concat(), &orders).ended(0).out;
    assert!(people.contains("\n21 items in 2 calls\n"), "{people}");
}

#[test]
fn what_a_batch_is_refused_for_is_shown() {
    let folder = TempDir::new().unwrap();
    let place = ["unified", "place-batch", "--dry-run", "--json", "-"];
    let rules = |orders: &str, place: &[&str]| -> Vec<String> {
        let line = run(folder.path(), place, orders).ended(2).line();
        assert_eq!(line["wouldBeSent"], false, "{line}");
        let violations = line["violations"].as_array().unwrap().iter();
        violations.map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(rules(&batch(["a", "b", "a"].map(str::to_owned)), &place), ["unique"]);
    // No query shows what happens to orders without an id, and this program gives ids to objects only.
    let amend = ["unified", "batch-modify-order", "--dry-run", "--json", "-"];
    let none = rules("[]", &amend);
    assert!(none.iter().any(|rule| rule.contains("min-items")), "{none:?}");
}

#[test]
fn a_rule_is_open_only_if_the_request_may_break_it() {
    let folder = TempDir::new().unwrap();
    let check = |options: &[&str], more: &[&str], rule: &str| -> Value {
        let place = [options, &["unified", "place-order", "--dry-run"], &order("a"), more].concat();
        let line = run(folder.path(), &place, "").line();
        line["checks"].as_array().unwrap().iter().find(|check| check["rule"] == rule).unwrap().clone()
    };
    let result = |check: &Value| check["result"].as_str().unwrap().to_owned();
    let open = check(&[], &[], "hedge-mode-needs-pos-side");
    assert_eq!((result(&open), &open["needs"]), ("not checked".to_owned(), &json!([{ "property": "positionMode" }])));
    assert_eq!(result(&check(&[], &["--pos-side", "long"], "hedge-mode-needs-pos-side")), "kept");
    // An order in futures keeps every rule of spot, whatever its pair is.
    assert_eq!(result(&check(&[], &[], "spot-price-decimals")), "kept");
    assert_eq!(result(&check(&[], &[], "rpi-needs-permission")), "kept");
    let account = folder.path().join("account.json");
    let stated = json!({ "instruments": { "USDT-FUTURES": { "ETHUSDT": { "priceMultiplier": "0.01" } } } });
    std::fs::write(&account, stated.to_string()).unwrap();
    let account = ["--account", account.to_str().unwrap()];
    let step = check(&account, &[], "futures-price-step");
    let needs = json!([{ "property": "priceMultiplier", "instrument": "BTCUSDT" }]);
    assert_eq!((result(&step), &step["needs"]), ("not checked".to_owned(), &needs), "the account states another pair");
    let other = ["--symbol", "ETHUSDT", "--price", "1.23456789"];
    let flags = order("a");
    let own: Vec<&str> = flags.chunks(2).filter(|pair| !other.contains(&pair[0])).flatten().copied().collect();
    let place = [&account[..], &["unified", "place-order", "--dry-run"], &own, &other].concat();
    let line = run(folder.path(), &place, "").ended(2).line();
    assert!(line["violations"].to_string().contains("futures-price-step"), "{line}");
}

#[test]
fn a_listing_over_a_long_time_is_read_in_parts() {
    let folder = TempDir::new().unwrap();
    let history = ["unified", "history-orders", "--category", "SPOT", "--dry-run", "--start-time", "2020-01-01"];
    let line =
        run(folder.path(), &[&history[..], &["--end-time", "2020-03-01T00:00:00Z"]].concat(), "").ended(0).line();
    let target = line["requests"][0]["target"].as_str().unwrap();
    assert!(target.contains("startTime=1577836800000") && target.contains("endTime=1583020800000"), "{target}");
    assert!(line["notes"][0].as_str().unwrap().contains("in parts"), "{line}");
    let wrong = [&history[..6], &["1583020800000", "--end-time", "2020-01-01"]].concat();
    assert!(run(folder.path(), &wrong, "").ended(2).out.contains("window.order"));
}

#[test]
fn headers_of_the_api_are_set_by_an_option() {
    let folder = TempDir::new().unwrap();
    let place = [&["unified", "place-order", "--dry-run"][..], &order("a")].concat();
    let line = run(folder.path(), &[&["--header", "paptrading=1"][..], &place].concat(), "").ended(0).line();
    assert_eq!(line["requests"][0]["headers"]["paptrading"], "1", "{line}");
    for wrong in ["paptrading", "x-unknown=1"] {
        let refused = run(folder.path(), &[&["--header", wrong][..], &place].concat(), "").ended(2).line();
        assert!(refused["error"].as_str().unwrap().contains(wrong.split('=').next().unwrap()), "{refused}");
    }
}

/// Returns the request that a command would send, or why there is none.
fn target(arguments: &[&str]) -> Result<String, String> {
    let folder = TempDir::new().unwrap();
    let ran = run(folder.path(), &[arguments, &["--dry-run"]].concat(), "");
    let line = ran.line();
    match ran.status {
        0 => Ok(line["requests"][0]["target"].as_str().unwrap().to_owned()),
        2 => Err(line["error"].as_str().map_or_else(|| line["violations"].to_string(), str::to_owned)),
        _ => panic!("{line}"),
    }
}

/// The case day-as-end-of-a-range: every range of every family, whichever operation it belongs to.
#[test]
fn a_date_at_the_end_of_a_range_is_that_whole_day_in_utc() {
    let day = "2026-11-28"; // from 1795824000000 to 1795910399999
    for operation in [
        &["unified", "fills"][..],
        &["unified", "history-orders", "--category", "SPOT"],
        &["unified", "unfilled-orders"],
        &["classic", "fills", "--product-type", "USDT-FUTURES"],
        &["classic", "fill-history", "--product-type", "USDT-FUTURES"],
        &["classic", "orders-history", "--product-type", "USDT-FUTURES"],
        &["classic", "orders-pending", "--product-type", "USDT-FUTURES"],
        &["broker", "customer-commissions"],
    ] {
        let target = target(&[operation, &["--start-time", day, "--end-time", day]].concat()).unwrap();
        assert!(target.contains("startTime=1795824000000") && target.contains("endTime=1795910399999"), "{target}");
        let help = run(TempDir::new().unwrap().path(), &[&operation[..2], &["--help"]].concat(), "").ended(0).out;
        assert!(help.contains("A date is that whole day in UTC."), "{help}");
    }
}

/// Seconds and microseconds, and times that are years away, are no range: also where an end alone is given, and as
/// numbers in JSON.
#[test]
fn a_range_in_another_unit_or_that_cannot_be_is_refused() {
    let [start, end] = ["--start-time", "--end-time"];
    for (range, said) in [
        (&[start, "1795824000"][..], "startTime 1795824000: "),
        (&[end, "1795824000"], "In seconds, it would be 2026-11-28T00:00:00.000Z. Expected milliseconds"),
        (&[end, "1795824000000000"], "In microseconds, it would be 2026-11-28T00:00:00.000Z. Expected milliseconds"),
        (&[start, "1795824000", end, "1795910399"], "\nendTime 1795910399: "),
        (&[start, "0"], "1970-01-01T00:00:00.000Z, years away"),
        (&[end, "2226-11-28"], "endTime 2226-11-28: "),
        (
            &[start, "2026-13-01"],
            "startTime 2026-13-01: this is no time. Expected milliseconds since 1970, a date such",
        ),
        (&[start, "today", end, "now"], "\nendTime now: this is no time. "),
        (&[start, "2026-11-28", end, "2026-11-27"], "window.order"),
    ] {
        let why = target(&[&["unified", "fills"], range].concat()).unwrap_err();
        assert!(why.contains(said), "{range:?}: {why}");
    }
    for json in [r#"{"endTime": 1795824000}"#, r#"{"endTime": "1795824000"}"#] {
        let folder = TempDir::new().unwrap();
        let ran = run(folder.path(), &["unified", "fills", "--json", "-", "--dry-run"], json).ended(2);
        assert!(ran.out.contains("endTime 1795824000: ") && ran.out.contains("In seconds"), "{ran:?}");
    }
    target(&["unified", "fills", start, "2026-11-27T10:00:00Z", end, "2026-11-28"]).unwrap();
}
