//! The exit status tells the outcome.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tradeapi_exchange::{Fault, FaultKind, FaultTarget};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

use crate::fixture::{Local, Ran, order, write_profile};

fn fault(local: &Local, kind: FaultKind, operation: &str) {
    local.exchange.add_fault(Fault::new(kind).target(FaultTarget::Operation(operation.to_owned())));
}

#[test]
fn what_the_exchange_refuses_is_not_done() {
    let local = Local::start();
    let ran = local.run(&["unified", "cancel-order", "--client-oid", "nobody"]).ended(1);
    let line = ran.line();
    assert_eq!(line["outcome"], "not done");
    assert!(line["code"].is_string(), "{line}");
    let people = local.run(&["--format", "table", "unified", "cancel-order", "--client-oid", "nobody"]).ended(1);
    assert!(people.out.is_empty() && people.err.starts_with("error: unified.cancel-order failed"), "{people:?}");
}

#[test]
fn what_the_documents_forbid_is_not_sent() {
    let local = Local::start();
    let missing = local.run(&["unified", "place-order", "--category", "SPOT", "--side", "buy"]).ended(2).line();
    let parameters: Vec<_> =
        missing["violations"].as_array().unwrap().iter().map(|one| one["parameter"].as_str().unwrap()).collect();
    assert_eq!(parameters, ["symbol", "qty", "orderType"], "{missing}");
    local.run(&["unified", "place-order", "--side", "up"]).ended(2);
    local.run(&["unified", "place-order", "--no-such-flag"]).ended(2);
    let json = local.run_with(&["unified", "place-order", "--json", "-"], "{").ended(2).line();
    assert_eq!(json["outcome"], "refused");
    assert_eq!(local.open(), 0);
}

#[test]
fn a_lost_answer_is_confirmed_by_a_query() {
    let local = Local::start();
    local.exchange.add_fault(
        Fault::new(FaultKind::Lose).target(FaultTarget::Operation("unified.place-order".to_owned())).times(1),
    );
    let line = local.place("a").ended(0).line();
    assert_eq!((&line["outcome"], &line["record"]["clientOid"]), (&json!("done"), &json!("a")), "{line}");
    assert_eq!(local.open(), 1);
}

#[test]
fn what_no_query_settles_is_unknown() {
    let local = Local::start();
    fault(&local, FaultKind::Lose, "unified.place-order");
    fault(&local, FaultKind::Drop, "unified.order-info");
    let placed = [&["--deadline", "1", "unified", "place-order"][..], &order("a")].concat();
    let line = local.run(&placed).ended(3).line();
    assert_eq!(line["outcome"], "unknown");
    assert!(line["error"].as_str().unwrap().contains("queries did not settle it"), "{line}");
    fault(&local, FaultKind::Lose, "unified.cancel-order");
    local.run(&["--deadline", "1", "unified", "cancel-order", "--client-oid", "a"]).ended(3);
    assert_eq!(local.open(), 0, "the cancellation took effect, although its answer was lost");
}

#[test]
fn a_dead_server_had_no_effect() {
    let folder = tempfile::TempDir::new().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    write_profile(folder.path(), "local", &format!("http://127.0.0.1:{port}"), ["k", "s", "p"]);
    let run = |arguments: &[&str]| crate::fixture::run(folder.path(), arguments, "");
    let read = run(&["--local", "orders"]).ended(1).line();
    assert!(read["error"].as_str().unwrap().contains("got no response"), "{read}");
    let placed = run(&[&["--local", "unified", "place-order"][..], &order("a")].concat()).ended(1).line();
    assert_eq!(placed["outcome"], "not done");
}

#[test]
fn a_journal_recovers_what_an_interrupted_run_left_open() {
    let local = Local::start();
    let journal = local.profiles.path().join("journal");
    let journal = journal.to_str().unwrap();
    fault(&local, FaultKind::Lose, "unified.place-order");
    fault(&local, FaultKind::Drop, "unified.order-info");
    let placed = [&["--deadline", "1", "--journal", journal, "unified", "place-order"][..], &order("a")].concat();
    local.run(&placed).ended(3);
    local.exchange.clear_faults();
    let recovered = local.run(&["--journal", journal, "recover"]).ended(0).line();
    assert_eq!(recovered["outcome"], "done");
    assert_eq!(local.run(&["--journal", journal, "recover"]).ended(0).out, "");
    local.run(&["recover"]).ended(2);
}

#[test]
fn a_cancellation_without_an_answer_is_repeated() {
    let local = Local::start();
    local.place("a").ended(0);
    local.exchange.add_fault(
        Fault::new(FaultKind::Drop).target(FaultTarget::Operation("unified.cancel-order".to_owned())).times(1),
    );
    let line = local.run(&["unified", "cancel-order", "--client-oid", "a"]).ended(0).line();
    assert_eq!((&line["outcome"], local.open()), (&json!("done"), 0));
}

/// Whoever ends the process learns the id that was made for the order.
#[test]
fn a_change_that_is_ended_from_outside_shows_its_request() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let local = Local::start();
        fault(&local, FaultKind::Lose, "unified.place-order");
        fault(&local, FaultKind::Drop, "unified.order-info");
        let mut command = local.command();
        let order = order("a");
        command.args(["--local", "unified", "place-order"]).args(&order[..12]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while local.open() == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let line = Ran::of(child.wait_with_output().unwrap()).ended(3).line();
        let placed = local.exchange.account(local.exchange.keys(), tradeapi_exchange::Family::Unified).open_orders;
        assert_eq!(line["request"]["clientOid"].as_str(), placed[0].client_id.as_deref(), "{signal}: {line}");
    }
}

/// Twenty items of a batch are done, the next twenty are under way, and five were not sent.
#[test]
fn an_interrupted_batch_states_the_outcome_of_each_item() {
    let local = Local::start();
    let items: Vec<_> = (0..45)
        .map(|number| {
            json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
                "price": "60000", "clientOid": format!("i{number}")})
        })
        .collect();
    let batch = FaultTarget::Operation("unified.place-batch".to_owned());
    local.exchange.add_fault(Fault::new(FaultKind::Slow).target(batch).delay(Duration::from_secs(2)));
    let mut command = local.command();
    command.args(["--local", "unified", "place-batch", "--json", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(items).to_string().as_bytes()).unwrap();
    while local.open() < 40 {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let lines = Ran::of(child.wait_with_output().unwrap()).ended(3).lines();
    assert_eq!(lines.len(), 45);
    let count = |outcome: &str| lines.iter().filter(|line| line["outcome"] == outcome).count();
    assert_eq!(["done", "unknown", "not done"].map(count), [20, 20, 5], "{lines:?}");
}

/// One item of a batch is done, and the other refused; the answer is lost.
#[test]
fn a_recovered_batch_states_the_outcome_of_each_item() {
    let local = Local::start();
    local.place("taken").ended(0);
    let journal = local.profiles.path().join("journal");
    let journal = journal.to_str().unwrap();
    fault(&local, FaultKind::Lose, "unified.place-batch");
    fault(&local, FaultKind::Drop, "unified.order-info");
    let item = |id: &str, price: &str| {
        json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
            "price": price, "clientOid": id})
    };
    let items = json!([item("fine", "60000"), item("taken", "50000")]).to_string();
    let placed = ["--deadline", "1", "--journal", journal, "unified", "place-batch", "--json", "-"];
    local.run_with(&placed, &items).ended(3);
    local.exchange.clear_faults();
    // The one that was refused stays unknown as long as it may appear; what is known is said of each.
    let line = local.run(&["--deadline", "2", "--journal", journal, "recover"]).ended(3).line();
    let items = line["items"].as_array().unwrap();
    assert_eq!((&items[0]["id"], &items[0]["outcome"]), (&json!("fine"), &json!("done")), "{line}");
    assert_ne!(items[1]["outcome"], "done", "{line}");
}

/// Returns an exchange with one answer to each batch, and with the record of one order once that is set.
fn scripted(folder: &Path, batch: &Value, record: Arc<OnceLock<Value>>) -> ScriptedServer {
    let server = ScriptedServer::start().unwrap();
    write_profile(folder, "local", &server.url(), ["k", "s", "p"]);
    let batch = batch.clone();
    server.answer_otherwise(move |request| {
        let data = match request.method.as_str() {
            "POST" => Some(&batch),
            _ => record.get(),
        };
        let success = |data| json!({"code": "00000", "msg": "success", "requestTime": now(), "data": data}).to_string();
        data.map_or_else(|| Answer::new(502, ""), |data| Answer::json(success(data)))
    });
    server
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn batch_of(ids: &[&str]) -> String {
    let item = |id: &&str| {
        json!({"category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
            "price": "60000", "clientOid": id})
    };
    Value::from_iter(ids.iter().map(item)).to_string()
}

/// The answer refuses one item, and does not mention the other, which a later query shows.
#[test]
fn a_recovered_batch_is_partly_done() {
    let folder = tempfile::TempDir::new().unwrap();
    let refused = json!([{"clientOid": "refused", "code": "40762", "msg": "too large"}]);
    let record = Arc::new(OnceLock::new());
    let _server = scripted(folder.path(), &refused, Arc::clone(&record));
    let run = |arguments: &[&str], input: &str| {
        let journal = folder.path().join("journal");
        let all = [&["--local", "--deadline", "1", "--journal", journal.to_str().unwrap()], arguments].concat();
        crate::fixture::run(folder.path(), &all, input)
    };
    let placed = run(&["unified", "place-batch", "--json", "-"], &batch_of(&["refused", "shown"])).ended(3).lines();
    let outcomes: Vec<_> = placed.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["not done", "unknown"], "{placed:?}");
    let shown = json!({"orderId": "7", "clientOid": "shown", "category": "USDT-FUTURES", "symbol": "BTCUSDT",
        "qty": "0.01", "price": "60000", "side": "buy", "orderType": "limit", "orderStatus": "live",
        "createdTime": now().to_string()});
    record.set(shown).unwrap();
    let line = run(&["recover"], "").ended(4).line();
    assert_eq!(line["outcome"], "partly done", "{line}");
    let items: Vec<_> = line["items"].as_array().unwrap().iter().map(|item| &item["outcome"]).collect();
    assert_eq!(items, ["not done", "done"], "{line}");
    assert_eq!(run(&["recover"], "").ended(0).out, "");
}

#[test]
fn results_that_nobody_asked_for_are_reported() {
    let result = |id: &str, fails: bool| match fails {
        true => json!({"clientOid": id, "code": "40762", "msg": "too large"}),
        false => json!({"orderId": "7", "clientOid": id}),
    };
    for (fails, status) in [(false, 0), (true, 4)] {
        let folder = tempfile::TempDir::new().unwrap();
        let _server =
            scripted(folder.path(), &json!([result("own", false), result("stranger", fails)]), Arc::default());
        let arguments = ["--local", "--deadline", "1", "unified", "place-batch", "--json", "-"];
        let ran = crate::fixture::run(folder.path(), &arguments, &batch_of(&["own"])).ended(status);
        let lines = ran.lines();
        assert_eq!((lines.len(), &lines[0]["outcome"]), (2, &json!("done")), "{ran:?}");
        let unasked = &lines[1];
        assert!(unasked["unasked"].is_string() && unasked["ids"].to_string().contains("stranger"), "{unasked}");
        assert_eq!(unasked["outcome"], if fails { "not done" } else { "done" }, "{unasked}");
        assert_eq!(unasked["code"].as_str(), fails.then_some("40762"), "{unasked}");
    }
}

#[test]
fn a_process_that_reads_does_not_need_the_journal_of_another() {
    let local = Local::start();
    let journal = local.profiles.path().join("journal");
    let _open = tradeapi::runtime::journal::FileJournal::open(&journal, Default::default()).unwrap();
    let journal = ["--journal", journal.to_str().unwrap()];
    local.run(&[&journal[..], &["orders"]].concat()).ended(0);
    let placed = local.run(&[&journal[..], &["unified", "place-order"], &order("a")].concat()).ended(2).line();
    assert!(placed["error"].as_str().unwrap().contains("in use"), "{placed}");
}
