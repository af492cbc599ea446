//! Accounts of one kind, as all of the real exchange are, and one of each kind: what runs over all families asks which of
//! them serves the key.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tradeapi_exchange::{Accounts, Family, Fault, FaultKind, FaultTarget, Mode, Profile};

use crate::fixture::{Local, PROGRAM, Ran, order, ran};
use crate::mcp::{Assistant, data};

const KINDS: [Accounts; 3] = [Accounts::Unified, Accounts::Classic, Accounts::Both];

/// Returns the families that serve a key, and the code of the one that does not.
fn families(accounts: Accounts) -> (&'static [Family], Option<&'static str>) {
    match accounts {
        Accounts::Unified => (&[Family::Unified], Some("40085")),
        Accounts::Classic => (&[Family::Classic], Some("40084")),
        Accounts::Both => (&[Family::Classic, Family::Unified], None),
    }
}

fn local(accounts: Accounts, mode: Mode) -> Local {
    Local::of(7, Profile::new().accounts(accounts).mode(mode).whitelisted())
}

/// Places an order in a family: one that stays open, or one at the market.
fn place(local: &Local, family: Family, is_open: bool) -> Ran {
    let mut arguments = match family {
        Family::Unified => vec!["unified", "place-order", "--category", "USDT-FUTURES", "--qty", "0.01"],
        Family::Classic => {
            let contract = ["--product-type", "USDT-FUTURES", "--margin-mode", "crossed", "--margin-coin", "USDT"];
            [&["classic", "place-order", "--size", "0.01"][..], &contract].concat()
        }
    };
    arguments.extend(["--symbol", "BTCUSDT", "--side", "buy"]);
    match (is_open, family) {
        (false, _) => arguments.extend(["--order-type", "market"]),
        (true, Family::Unified) => arguments.extend(["--order-type", "limit", "--price", "60000"]),
        (true, Family::Classic) => arguments.extend(["--order-type", "limit", "--price", "60000", "--force", "gtc"]),
    }
    local.run(&arguments).ended(0)
}

/// The notes of a run are about the family that does not serve the key.
fn has_one_note_at_most(ran: &Ran, code: Option<&str>) {
    let notes: Vec<_> = ran.err.lines().filter(|line| line.starts_with("note: the family ")).collect();
    assert_eq!(notes.len(), code.iter().count(), "{ran:?}");
    assert!(code.is_none_or(|code| notes[0].contains(code)), "{ran:?}");
}

/// The case `everyday-commands-one-kind-of-account`.
#[test]
fn everyday_commands_read_the_families_that_serve_the_key() {
    for accounts in KINDS {
        let (local, (served, code)) = (local(accounts, Mode::OneWay), families(accounts));
        for family in served {
            place(&local, *family, true);
            place(&local, *family, false);
        }
        let orders = local.run(&["orders"]).ended(0);
        assert_eq!(orders.lines().len(), served.len(), "{accounts}: {orders:?}");
        has_one_note_at_most(&orders, code);

        let positions = local.run(&["positions"]).ended(0);
        let of: Vec<_> = positions.lines().iter().map(|line| line["family"].as_str().unwrap().to_owned()).collect();
        let expected: Vec<_> = served.iter().map(|family| family.as_str()).collect();
        assert_eq!(of, expected, "{accounts}: {positions:?}");
        has_one_note_at_most(&positions, code);
        let by_fills = local.run(&["positions", "--days", "1"]).ended(0);
        assert_eq!(by_fills.lines().len(), served.len(), "{accounts}: {by_fills:?}");

        let count = served.len().to_string();
        let mut watch = local.command();
        watch.args(["--local", "watch", "--every", "1", "--first", &count]);
        let watched = crate::fixture::ran(&mut watch, "").ended(0);
        assert!(watched.lines().iter().all(|line| line["change"] == "new"), "{accounts}: {watched:?}");
        has_one_note_at_most(&watched, code);

        let flat = local.run(&["--lag", "1", "flatten"]).ended(0);
        assert_eq!(flat.line()["outcome"], "done", "{accounts}: {flat:?}");
        assert!(flat.err.contains("round 1: ") && flat.err.contains("nothing is left"), "{accounts}: {flat:?}");
        assert_eq!(flat.err.contains("does not serve this key"), code.is_some(), "{accounts}: {flat:?}");
        for family in [Family::Classic, Family::Unified] {
            let left = local.exchange.account(local.exchange.keys(), family);
            assert!(left.open_orders.is_empty() && left.positions.is_empty(), "{accounts}: {left:?}");
        }
        assert_eq!(local.run(&["orders"]).ended(0).out, "", "{accounts}");
        let again = local.run(&["--lag", "1", "flatten"]).ended(0);
        assert_eq!(again.line()["rounds"], "2", "{accounts}: {again:?}");
    }
}

/// With nothing open, two rounds are the proof. Otherwise it takes as long as listings may lag, and a deadline that is
/// shorter is kept.
#[test]
fn flatten_keeps_its_deadline() {
    for accounts in KINDS {
        let local = local(accounts, Mode::OneWay);
        let flat = local.run(&["--deadline", "10", "flatten"]).ended(0);
        assert_eq!(flat.line()["rounds"], "2", "{accounts}: {flat:?}");
    }
    let local = local(Accounts::Unified, Mode::OneWay);
    place(&local, Family::Unified, false);
    let ran = local.run(&["--deadline", "10", "flatten"]).ended(3);
    let line = ran.line();
    assert!(line["error"].as_str().unwrap().contains("after the deadline"), "{ran:?}");
    assert!(local.exchange.account(local.exchange.keys(), Family::Unified).positions.is_empty(), "{ran:?}");
}

/// The advice for more days than the exchange lists fills of can be followed.
#[test]
fn positions_of_too_many_days_name_a_number_that_works() {
    let local = local(Accounts::Unified, Mode::OneWay);
    place(&local, Family::Unified, false);
    let error = local.run(&["positions", "--days", "200"]).ended(2).line()["error"].as_str().unwrap().to_owned();
    let (_, advice) = error.split_once("`days` may be ").unwrap_or_else(|| panic!("{error}"));
    let days = advice.split(' ').next().unwrap();
    assert!(!error.contains("--"), "an assistant has no flags: {error}");
    assert_eq!(local.run(&["positions", "--days", days]).ended(0).lines().len(), 1, "{error}");
}

/// A refusal of a unified key by the classic family does not show that its credentials are right.
#[test]
fn a_refusal_by_the_kind_of_account_verifies_no_credentials() {
    for (accounts, command, code) in [
        (Accounts::Unified, ["classic", "orders-pending", "--product-type", "USDT-FUTURES"], "40085"),
        (Accounts::Classic, ["unified", "unfilled-orders", "--category", "USDT-FUTURES"], "40084"),
    ] {
        let line = local(accounts, Mode::OneWay).run(&command).ended(1).line();
        assert_eq!(line["code"], code, "{line}");
        let remedy = line["remedy"].as_str().unwrap();
        assert!(remedy.starts_with("use the operations of the family "), "{line}");
        // The exchange looks at the signature before it answers 40084, and after it would answer 40085.
        assert_eq!(remedy.contains("key, secret and passphrase are not verified"), code == "40085", "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_reads_and_flattens_accounts_of_each_kind() {
    for accounts in KINDS {
        let started = tokio::task::spawn_blocking(move || {
            let local = local(accounts, Mode::OneWay);
            for family in families(accounts).0 {
                place(&local, *family, true);
                place(&local, *family, false);
            }
            local
        });
        let (local, (served, code)) = (started.await.unwrap(), families(accounts));
        let assistant = Assistant::start(&local, &["--allow-trading"]).await;
        for (tool, count) in [("orders", served.len()), ("positions", served.len()), ("flatten", 1), ("orders", 0)] {
            let result = assistant.call(tool, json!({})).await;
            let result = data(&result);
            assert_eq!(result["outcome"], "done", "{accounts} {tool}: {result}");
            assert_eq!(result["results"].as_array().unwrap().len(), count, "{accounts} {tool}: {result}");
            let says = |note: &Value| note.as_str().unwrap().contains("does not serve this key");
            let notes = result["notes"].as_array().map_or(0, |notes| notes.iter().filter(|note| says(note)).count());
            assert_eq!(notes, code.iter().count(), "{accounts} {tool}: {result}");
        }
        // The runtime of the exchange cannot end within another one.
        tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
    }
}

/// The case `wrong-clock-and-the-command-line`: each command is a new client, which learns the time from its first answer.
#[test]
fn with_a_clock_that_is_two_minutes_off_every_change_is_made_once() {
    let local = local(Accounts::Unified, Mode::OneWay);
    local.exchange.time().advance(Duration::from_secs(120));
    local.place("a").ended(0);
    assert_eq!(local.open(), 1);
    local.run(&["unified", "modify-order", "--client-oid", "a", "--price", "61000", "--qty", "0.02"]).ended(0);
    local.run(&["unified", "cancel-order", "--client-oid", "a"]).ended(0);
    assert_eq!(local.open(), 0);
    let orders = json!([batch_order("b"), batch_order("c"), batch_order("d")]).to_string();
    local.run_with(&["unified", "place-batch", "--json", "-"], &orders).ended(0);
    assert_eq!(local.open(), 3);
    let cancel = r#"[{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"b"}]"#;
    local.run_with(&["unified", "cancel-batch", "--json", "-"], cancel).ended(0);
    let all = ["unified", "cancel-symbol-order", "--category", "USDT-FUTURES", "--symbol", "BTCUSDT"];
    local.run(&all).ended(0);
    assert_eq!(local.open(), 0);
    local
        .run(&["observed", "set-leverage", "--category", "USDT-FUTURES", "--symbol", "BTCUSDT", "--leverage", "5"])
        .ended(0);
    let ids = local.exchange.order_ids(local.exchange.keys(), Family::Unified);
    assert_eq!(ids.into_iter().flatten().count(), 4, "each order was placed once");
}

fn batch_order(id: &str) -> Value {
    json!({ "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
            "price": "60000", "clientOid": id })
}

/// A refusal that comes late may answer a repeat of the request, whose first copy may be done: nothing is sent again.
#[test]
fn a_late_refusal_of_the_timestamp_is_no_proof_and_nothing_is_sent_again() {
    // The clocks differ by less than the window, so that the refusal shows a skew and comes from the fault.
    let refusal = |delay| {
        let fault = Fault::new(FaultKind::Refuse("40008".to_owned()));
        let target = FaultTarget::Operation("unified.place-order".to_owned());
        fault.target(target).times(1).delay(Duration::from_millis(delay))
    };
    for (delay, status, open) in [(0, 0, 1), (2_500, 3, 0)] {
        let local = local(Accounts::Unified, Mode::OneWay);
        local.exchange.time().advance(Duration::from_secs(20));
        local.exchange.add_fault(refusal(delay));
        let placed = [&["--deadline", "1", "unified", "place-order"][..], &order("a")].concat();
        local.run(&placed).ended(status);
        assert_eq!(local.open(), open, "{delay}");
    }
}

/// The answer to a request without `posSide` is the result, at once: its code proves that the request had no effect.
#[test]
fn a_forgotten_position_side_is_answered_at_once() {
    let local = local(Accounts::Unified, Mode::Hedge);
    let begun = Instant::now();
    let line = local.place("a").ended(1).line();
    assert_eq!((&line["outcome"], &line["code"]), (&json!("not done"), &json!("25236")), "{line}");
    assert!(line["remedy"].as_str().unwrap().contains("position mode"), "{line}");
    let orders = json!([batch_order("a"), batch_order("b")]).to_string();
    let items = local.run_with(&["unified", "place-batch", "--json", "-"], &orders).ended(1).lines();
    let of_items: Vec<_> = items.iter().map(|item| (&item["code"], &item["item"]["clientOid"])).collect();
    assert_eq!(of_items, [(&json!("25236"), &json!("a")), (&json!("25236"), &json!("b"))]);
    assert!(begun.elapsed() < Duration::from_secs(30), "nothing was queried: {:?}", begun.elapsed());
    assert_eq!(local.open(), 0);
}

/// An answer that proves nothing is said before the queries begin, with what is asked, and is in the result, too.
#[test]
fn what_was_answered_is_said_before_it_is_queried() {
    let local = local(Accounts::Unified, Mode::OneWay);
    let fault = |kind, operation: &str| {
        local.exchange.add_fault(Fault::new(kind).target(FaultTarget::Operation(operation.to_owned())));
    };
    fault(FaultKind::Hide("40725".to_owned()), "unified.place-order");
    fault(FaultKind::Hide("40725".to_owned()), "unified.place-batch");
    fault(FaultKind::Drop, "unified.order-info");
    let orders = json!([batch_order("b"), batch_order("c")]).to_string();
    let placed = [&["--deadline", "1", "unified", "place-order"][..], &order("a")].concat();
    for (ran, ids) in [
        (local.run(&placed), &["a"][..]),
        (local.run_with(&["--deadline", "1", "unified", "place-batch", "--json", "-"], &orders), &["b", "c"]),
    ] {
        let ran = ran.ended(3);
        let asking = ran.err.find("asking unified.order-info whether it was done, for 1 s at most");
        let answered = ran.err.find("code 40725");
        assert!(answered.is_some() && answered < asking, "{ran:?}");
        for (line, id) in ran.lines().iter().zip(ids) {
            assert_eq!(line["code"], "40725", "{line}");
            let error = line["error"].as_str().unwrap();
            assert!(error.contains("code 40725") && error.contains("queries did not settle it"), "{line}");
            assert!(line.to_string().contains(&format!(r#""clientOid":"{id}""#)), "{line}");
        }
        assert_eq!(ran.lines().len(), ids.len(), "{ran:?}");
    }
}

/// Returns flags of an order of 0.02 BTC at the market that opens the position of a side, with a take-profit and a
/// stop-loss.
fn opening(pos_side: &'static str) -> Vec<&'static str> {
    let (side, take_profit, stop_loss) =
        if pos_side == "long" { ("buy", "70000", "58000") } else { ("sell", "58000", "70000") };
    [
        &MARKET[..],
        &["--qty", "0.02", "--side", side, "--pos-side", pos_side, "--client-oid", pos_side],
        &["--take-profit", take_profit, "--stop-loss", stop_loss],
    ]
    .concat()
}

const MARKET: [&str; 8] =
    ["unified", "place-order", "--category", "USDT-FUTURES", "--symbol", "BTCUSDT", "--order-type", "market"];

/// Returns the script below a heading of a chapter of the guide.
fn script_of(chapter: &str, heading: &str) -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/guide").join(chapter);
    let guide = std::fs::read_to_string(guide).unwrap();
    let (_, section) = guide.split_once(heading).unwrap();
    let (_, script) = section.split_once("```sh\n").unwrap();
    script.split_once("```").unwrap().0.to_owned()
}

/// Runs a script, and returns the lines that it prints.
fn run_script(local: &Local, script: &str) -> Vec<Value> {
    let programs = tempfile::TempDir::new().unwrap();
    std::os::unix::fs::symlink(PROGRAM, programs.path().join("tradeapi")).unwrap();
    let path = format!("{}:{}", programs.path().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    let profiles = local.profiles.path();
    shell.args(["-e", "-c", script]).env("PATH", path).env("TRADEAPI_PROFILES", profiles).current_dir(profiles);
    ran(&mut shell, "").ended(0).lines()
}

/// The countdown of the guide cancels the order of a script that is dead, and with its last line it does not.
#[test]
fn the_countdown_of_the_guide() {
    let script = script_of("command-line.md", "## Orders that end with the script");
    let (killed, _) = script.trim_end().rsplit_once('\n').unwrap();
    for (script, left) in [(killed, 0), (&script, 1)] {
        let local = local(Accounts::Unified, Mode::OneWay);
        let said = run_script(&local, script);
        assert!(said.iter().all(|line| line["outcome"] == "done"), "{said:?}");
        let open = || local.exchange.account(local.exchange.keys(), Family::Unified).open_orders.len();
        assert_eq!(open(), 1);
        local.exchange.time().advance(Duration::from_secs(21));
        assert_eq!(open(), left, "{script}");
    }
}

/// The script of the guide.
#[test]
fn the_hour_of_the_guide() {
    let local = local(Accounts::Unified, Mode::Hedge);
    let said = run_script(&local, &script_of("command-line.md", "## An hour in hedge mode"));
    let outcomes = said.iter().filter(|line| line["outcome"] == "done").count();
    let sizes: Vec<_> =
        said.iter().filter_map(|line| Some((line["posSide"].as_str()?, line["total"].as_str()?))).collect();
    let bought_and_sold = said.iter().filter(|line| line["execId"].is_string()).count();
    assert_eq!((outcomes, sizes), (6, vec![("long", "0.01"), ("short", "0.02")]), "{said:?}");
    assert!(bought_and_sold >= 3, "{said:?}");
    let account = local.exchange.account(local.exchange.keys(), Family::Unified);
    assert!(account.open_orders.is_empty() && account.positions.is_empty(), "{account:?}");
}

/// The budget of the guide covers the first order, and not the second one.
#[test]
fn the_budget_of_the_guide() {
    let local = local(Accounts::Unified, Mode::OneWay);
    let said = run_script(&local, &script_of("budgets.md", "## From the command line"));
    let outcomes: Vec<_> = said.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["done", "refused", "done"], "{said:?}");
    let error = said[1]["error"].as_str().unwrap();
    assert!(error.ends_with("the orders of a day may be worth 1000, of which 400 is left"), "{error}");
    assert_eq!(local.open(), 0);
    let spent = std::fs::read_to_string(local.profiles.path().join("desk.json.spent")).unwrap();
    assert_eq!(spent.lines().filter(|line| line.contains("\"sent\"")).count(), 1, "{spent}");
}

/// A trader's hour in hedge mode on an account of one kind: both sides are opened with take-profit and stop-loss, an order
/// is amended, one side partly closed, positions and fills are listed, and everything is closed. What the command line says
/// is compared with the books of the exchange after each step.
#[test]
fn a_traders_hour_in_hedge_mode() {
    let local = local(Accounts::Unified, Mode::Hedge);
    let account = || local.exchange.account(local.exchange.keys(), Family::Unified);
    let since = local.exchange.time().now().as_millis() - 60_000;

    let ticker =
        local.run(&["observed", "tickers", "--category", "USDT-FUTURES", "--symbol", "BTCUSDT"]).ended(0).line();
    assert_eq!(ticker["lastPrice"], "64000", "{ticker}");
    for side in ["long", "short"] {
        let opened = local.run(&opening(side)).ended(0);
        assert_eq!((&opened.line()["outcome"], opened.err.as_str()), (&json!("done"), ""), "{opened:?}");
        let order = local.run(&["unified", "order-info", "--client-oid", side]).ended(0).line();
        assert_eq!((&order["posSide"], &order["orderStatus"]), (&json!(side), &json!("filled")), "{order}");
        let (take_profit, stop_loss) = if side == "long" { ("70000", "58000") } else { ("58000", "70000") };
        assert_eq!((&order["takeProfit"], &order["stopLoss"]), (&json!(take_profit), &json!(stop_loss)), "{order}");
    }

    let resting =
        [&order("rest")[..], &["--pos-side", "long", "--take-profit", "66000", "--stop-loss", "59000"]].concat();
    local.run(&[&["unified", "place-order"][..], &resting].concat()).ended(0);
    let amended = ["unified", "modify-order", "--client-oid", "rest", "--price", "61000", "--qty", "0.03"];
    local.run(&amended).ended(0);
    let orders = local.run(&["orders"]).ended(0);
    let open = orders.line();
    assert_eq!([&open["clientOid"], &open["price"], &open["qty"], &open["posSide"]], ["rest", "61000", "0.03", "long"]);
    assert_eq!(
        (account().open_orders.len(), account().open_orders[0].price.map(|price| price.normalize().to_string())),
        (1, Some("61000".to_owned()))
    );

    let close = [&MARKET[..], &["--qty", "0.01", "--side", "sell", "--pos-side", "long"]].concat();
    local.run(&close).ended(0);
    let positions = local.run(&["positions"]).ended(0);
    let mut listed: Vec<_> = positions.lines().iter().map(|of| format!("{} {}", of["posSide"], of["total"])).collect();
    listed.sort();
    assert_eq!(listed, [r#""long" "0.01""#, r#""short" "0.02""#], "{positions:?}");
    let mut held: Vec<_> = account().positions.iter().map(|of| format!("{} {}", of.pos, of.qty.normalize())).collect();
    held.sort();
    assert_eq!(held, ["long 0.01", "short 0.02"]);

    let by_fills = local.run(&["positions", "--days", "1"]).ended(0);
    let mut shown: Vec<_> = by_fills.lines().iter().map(|of| format!("{} {}", of["side"], of["size"])).collect();
    shown.sort();
    assert_eq!(shown, [r#""long" "0.01""#, r#""short" "-0.02""#], "{by_fills:?}");

    let fills = ["unified", "fills", "--category", "USDT-FUTURES", "--start-time", &since.to_string()];
    let fills = local.run(&fills).ended(0).lines();
    let mut ids: Vec<_> = fills.iter().map(|fill| fill["execId"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), fills.len(), "none is listed twice: {fills:?}");
    let traded = |side: &str| -> f64 {
        let of_side = fills.iter().filter(|fill| fill["side"] == side);
        of_side.map(|fill| fill["execQty"].as_str().unwrap().parse::<f64>().unwrap()).sum()
    };
    assert_eq!([traded("buy"), traded("sell")].map(|qty| (qty * 1000.0).round()), [20.0, 30.0], "{fills:?}");

    let flat = local.run(&["--lag", "1", "flatten"]).ended(0);
    assert_eq!(flat.line()["outcome"], "done", "{flat:?}");
    assert!(account().open_orders.is_empty() && account().positions.is_empty(), "{:?}", account());
    assert_eq!(local.run(&["positions"]).ended(0).out, "");
}
