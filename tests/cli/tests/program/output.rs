//! Results are written whole, in one form, or the status says that they are not.

use std::fs::File;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tradeapi_exchange::{Fault, FaultKind, FaultTarget};

use crate::fixture::{Local, PROGRAM, Ran, hearing, order, run, set_mode, write_profile};

/// Runs the program with its output on a disk that is full, or in a pipe that nobody reads.
fn run_unwritable(local: &Local, arguments: &[&str], output: Stdio) -> Ran {
    let mut command = local.command();
    command.arg("--local").args(arguments).stdin(Stdio::null()).stderr(Stdio::piped());
    Ran::of(command.stdout(output).spawn().unwrap().wait_with_output().unwrap())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn a_change_whose_result_cannot_be_written_says_whether_it_was_done() {
    let local = Local::start();
    let outputs: [fn() -> Stdio; 2] = [full, closed];
    for (at, output) in outputs.into_iter().enumerate() {
        for format in ["json", "table"] {
            let id = format!("{format}{at}");
            let place = [&["--format", format, "unified", "place-order"][..], &order(&id)].concat();
            let done = run_unwritable(&local, &place, output()).ended(5);
            assert!(done.err.starts_with("error: the output cannot be written: "), "{done:?}");
            assert!(done.err.contains("outcome: done\n") && done.err.contains(&id), "its ids are not lost: {done:?}");
            let cancel = ["--format", format, "unified", "cancel-order", "--client-oid", "nobody"];
            let not_done = run_unwritable(&local, &cancel, output()).ended(1);
            assert!(not_done.err.contains(if format == "json" { "outcome: not done\n" } else { "error: " }));
            let refused = ["--format", format, "unified", "cancel-order"];
            run_unwritable(&local, &refused, output()).ended(2);
        }
    }
    assert_eq!(local.open(), 4);
    for (kind, operation) in [(FaultKind::Lose, "unified.cancel-order"), (FaultKind::Drop, "unified.order-info")] {
        local.exchange.add_fault(Fault::new(kind).target(FaultTarget::Operation(operation.to_owned())).times(99));
    }
    let cancel = ["--deadline", "1", "unified", "cancel-order", "--client-oid", "json0"];
    let unknown = run_unwritable(&local, &cancel, full()).ended(3);
    assert!(unknown.err.contains("outcome: unknown\n"), "{unknown:?}");
}

/// The same of a batch of which a part is done, and of the end of everything.
#[test]
fn several_changes_whose_result_cannot_be_written_say_what_was_done() {
    let local = Local::start();
    let outputs: [fn() -> Stdio; 2] = [full, closed];
    for (at, output) in outputs.into_iter().enumerate() {
        for format in ["json", "table"] {
            let flat = run_unwritable(&local, &["--format", format, "flatten"], output()).ended(5);
            assert!(flat.err.contains("outcome: done\n"), "{flat:?}");
        }
        let order = |id: String, qty: &str| {
            json!({ "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": qty, "side": "buy", "orderType": "limit",
                    "price": "60000", "clientOid": id })
        };
        for format in ["json", "table"] {
            let orders = json!([order(format!("{format}{at}"), "0.01"), order("beyond".to_owned(), "99999999")]);
            let file = local.profiles.path().join("orders.json");
            std::fs::write(&file, orders.to_string()).unwrap();
            let batch = ["--format", format, "unified", "place-batch", "--json", file.to_str().unwrap()];
            let partly = run_unwritable(&local, &batch, output()).ended(4);
            assert!(partly.err.contains("outcome: partly done\n") && partly.err.contains("beyond"), "{partly:?}");
        }
        local.run(&["unified", "cancel-symbol-order", "--category", "USDT-FUTURES"]).ended(0);
    }
}

#[test]
fn what_changes_nothing_fails_on_a_full_disk_and_not_in_a_closed_pipe() {
    let local = Local::start();
    local.place("a").ended(0);
    for arguments in
        [&["orders"][..], &["--format", "table", "orders"], &["catalogue"], &["man"], &["--help"], &["--version"]]
    {
        let failed = run_unwritable(&local, arguments, full()).ended(1);
        assert!(failed.err.contains("error: the output cannot be written: "), "{arguments:?}: {failed:?}");
        let unread = run_unwritable(&local, arguments, closed()).ended(0);
        assert_eq!(unread.err, "", "{arguments:?}");
    }
    let shown = [&["unified", "place-order", "--dry-run"][..], &order("b")].concat();
    run_unwritable(&local, &shown, full()).ended(1);
    assert_eq!(local.open(), 1);
}

#[test]
fn a_journal_that_is_not_there_is_not_made_by_its_recovery() {
    let local = Local::start();
    let folder = local.profiles.path().join("jurnal");
    let recover = || local.run(&["--journal", folder.to_str().unwrap(), "recover"]);
    let refused = recover().ended(2).line();
    assert!(refused["error"].as_str().unwrap().starts_with("there is no journal in "), "{refused}");
    assert!(!folder.exists());
    std::fs::create_dir(&folder).unwrap();
    recover().ended(2);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let cancel = ["--journal", folder.to_str().unwrap(), "unified", "cancel-order", "--client-oid", "a"];
    local.run(&cancel).ended(1);
    let recovered = recover().ended(0);
    assert_eq!((recovered.out.as_str(), recovered.err.as_str()), ("", "note: the journal has no open change\n"));
}

/// A single order and several are the same table, and the outcome of a change is always in it.
#[test]
fn tables_have_one_form_and_keep_the_outcome() {
    let local = Local::start();
    local.place("a").ended(0);
    let table = |more: &[&str]| local.run(&[&["--columns", "clientOid,price"], more].concat());
    assert_eq!(table(&["orders"]).ended(0).out, "clientOid  price\na          60000\n");
    local.place("b").ended(0);
    let out = table(&["orders"]).ended(0).out;
    assert!(out.starts_with("clientOid  price\n") && out.lines().count() == 3, "{out}");
    let single = table(&["unified", "order-info", "--client-oid", "a"]).ended(0).out;
    assert_eq!(single, "clientOid  a\nprice      60000\n");
    let ids = r#"[{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"a"},{"category":"USDT-FUTURES","symbol":"BTCUSDT","clientOid":"x"}]"#;
    let batch = ["--columns", "item.clientOid", "unified", "cancel-batch", "--json", "-"];
    let out = local.run_with(&batch, ids).ended(4).out;
    let cells: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((&cells[0], &cells[1]), (&vec!["outcome", "error", "item.clientOid"], &vec!["done", "a"]), "{out}");
    assert!(cells[2].starts_with(&["not", "done"]) && cells[2].ends_with(&["x"]), "{out}");
    assert_eq!(table(&["watch", "--first", "1"]).ended(0).out, "change  clientOid  price\nnew     b          60000\n");
    let out = table(&["unified", "cancel-order", "--client-oid", "b"]).ended(0).out;
    assert!(out.starts_with("outcome  done\n"), "{out}");
}

#[test]
fn what_a_person_looks_for_comes_first_and_a_program_gets_it_whole() {
    let local = Local::start();
    let id = "a-client-id-of-thirty-two-chars-";
    local.place(id).ended(0);
    let out = local.run(&["--format", "table", "orders"]).ended(0).out;
    let header: Vec<&str> = out.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header[..6], ["category", "symbol", "qty", "side", "orderType", "price"], "{out}");
    assert!(
        out.contains(id) && out.contains("createdTime") && !out.contains('…') && !out.contains("left out"),
        "{out}"
    );
    let bought = ["--category", "USDT-FUTURES", "--symbol", "BTCUSDT", "--qty", "0.01", "--side", "buy"];
    let bought = [&["unified", "place-order", "--order-type", "market"][..], &bought].concat();
    local.run(&bought).ended(0);
    let out = local.run(&["--format", "table", "positions"]).ended(0).out;
    let header: Vec<&str> = out.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header[..6], ["family", "category", "symbol", "posSide", "total", "avgPrice"], "{out}");
    let settled = local.run(&["--format", "table", "unified", "assets"]).ended(0).out;
    assert!(!settled.contains('…'), "{settled}");
}

/// Runs the program on a terminal of its own, by the program `script`; without that, it is skipped.
#[test]
fn progress_on_a_terminal_erases_itself() {
    let local = Local::start();
    local.place("a").ended(0);
    let mut command = Command::new("script");
    let line = format!("{PROGRAM} --local unified unfilled-orders --category USDT-FUTURES");
    command.args(["-qec", &line, "/dev/null"]).env("TRADEAPI_PROFILES", local.profiles.path()).env("COLUMNS", "80");
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        println!("SKIPPED: there is no program `script`");
        return;
    };
    let shown = String::from_utf8(output.stdout).unwrap();
    // What stays of each line of the terminal, after what was erased.
    let lines: Vec<&str> = shown.lines().map(|line| line.rsplit("\u{1b}[K").next().unwrap()).collect();
    assert!(shown.contains("1 read") && lines.iter().all(|line| !line.contains("read")), "{shown:?}");
    assert!(lines[0].starts_with("category      symbol") && shown.contains("left out"), "{shown:?}");
}

#[test]
fn files_that_people_give_may_begin_with_a_byte_order_mark() {
    let local = Local::start();
    let file = |name: &str, text: &str| {
        let path = local.profiles.path().join(name);
        std::fs::write(&path, format!("\u{feff}{text}")).unwrap();
        set_mode(&path, 0o600);
        path.to_str().unwrap().to_owned()
    };
    let keys = local.exchange.keys();
    write_profile(local.profiles.path(), "desk", &local.url, [&keys.key, &keys.secret, &keys.passphrase]);
    let lines = std::fs::read_to_string(local.profiles.path().join("desk.env")).unwrap();
    let (profile, account) = (file("marked.env", &lines), file("account.json", r#"{"properties":{}}"#));
    let order = json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
        "price": "60000", "clientOid": "a"
    });
    let request = file("order.json", &order.to_string());
    let options = ["--profile", &profile, "--account", &account];
    let place = [&options[..], &["unified", "place-order", "--json", &request]].concat();
    run(local.profiles.path(), &place, "").ended(0);
    let items = format!("@{}", file("items.json", &json!([order]).to_string().replace("\"a\"", "\"b\"")));
    let batch = [&options[..], &["unified", "place-batch", "--orders", &items]].concat();
    run(local.profiles.path(), &batch, "").ended(0);
    let marked = format!("\u{feff}{}", order.to_string().replace("\"a\"", "\"c\""));
    local.run_with(&["unified", "place-order", "--json", "-"], &marked).ended(0);
    assert_eq!(local.open(), 3);
}

/// `nohup tradeapi flatten &` goes on when its terminal is closed.
#[test]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    for (ignored, signal, status) in [("HUP", "-HUP", 0), ("INT", "-INT", 0), ("USR1", "-HUP", 3)] {
        let local = Local::start();
        let fault = |kind, operation: &str| {
            local.exchange.add_fault(Fault::new(kind).target(FaultTarget::Operation(operation.to_owned())));
        };
        fault(FaultKind::Lose, "unified.place-order");
        fault(FaultKind::Drop, "unified.order-info");
        let mut command = hearing("sh");
        command.args(["-c", &format!(r#"trap "" {ignored}; exec "$0" "$@""#), PROGRAM, "--local", "unified"]);
        command.arg("place-order").args(order("a")).env("TRADEAPI_PROFILES", local.profiles.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while local.open() == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        if status == 0 {
            local.exchange.clear_faults();
        }
        let ended = Ran::of(child.wait_with_output().unwrap()).ended(status);
        assert_eq!(ended.line()["outcome"], if status == 0 { "done" } else { "unknown" }, "{ended:?}");
    }
}
