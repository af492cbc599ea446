//! The server for assistants as a process: messages, signals, cancelled calls, and what it sent.

use std::io::{BufRead, BufReader, Read as _, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tradeapi_exchange::{Fault, FaultKind, FaultTarget};

use crate::fixture::{Local, Ran, command};

/// A server, to which a test writes messages.
pub(crate) struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    count: u64,
}

impl Server {
    fn start(local: &Local, options: &[&str]) -> Self {
        Self::with_budget(local, &local.budget(), &json!({}), options)
    }

    /// Returns the same with a budget, for a client with these capabilities.
    pub(crate) fn with_budget(local: &Local, budget: &str, capabilities: &Value, options: &[&str]) -> Self {
        let mut command = command(local.profiles.path());
        command.args(["--local", "--lag", "1", "--deadline", "20", "--budget", budget, "mcp"]).args(options);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let mut server = Self { process, input, output, count: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        server.ask("initialize", hello);
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    pub(crate) fn write(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request, and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.count += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.count, "method": method, "params": params }));
        self.count
    }

    /// Returns the next message, which is one of the protocol.
    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// Sends a request, and returns the answer to it.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns what a tool returns.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        answer["result"]["structuredContent"].clone()
    }

    fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    fn signal(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Waits for its end; nothing but messages is left in its output.
    fn end(mut self) -> Ran {
        let mut out = String::new();
        self.output.read_to_string(&mut out).unwrap();
        out.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap()));
        let mut err = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Ran { status: self.process.wait().unwrap().code().unwrap_or(-1), out, err }
    }
}

fn order(id: &str) -> Value {
    json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
        "price": "60000", "clientOid": id
    })
}

/// Delays the answer to the next order by this much.
fn delay(local: &Local, seconds: u64) {
    let late = Fault::new(FaultKind::Slow).delay(Duration::from_secs(seconds));
    local.exchange.add_fault(late.target(FaultTarget::Operation("unified.place-order".to_owned())));
}

fn wait_for_order(local: &Local) {
    while local.open() == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn malformed_calls_are_errors_of_the_protocol() {
    let local = Local::start();
    let mut server = Server::start(&local, &["--allow-trading"]);
    let place = |arguments: Value| json!({ "name": "unified_place_order", "arguments": arguments });
    for (method, params, code) in [
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "arguments": {} }), -32602),
        ("tools/call", json!({ "name": 7 }), -32602),
        ("tools/call", json!(null), -32602),
        ("tools/call", place(json!([order("a")])), -32602),
        ("tools/call", place(json!("{}")), -32602),
        ("tools/call", place(json!(7)), -32602),
        ("tools/call", json!({ "name": "unified_withdraw" }), -32602),
        ("tools/call", json!("unified_place_order"), -32602),
        ("tools/call", json!(["unified_place_order", {}]), -32602),
        ("tools/withdraw", json!({}), -32601),
    ] {
        let answer = server.ask(method, params.clone());
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    assert_eq!((local.open(), server.call("orders", json!({}))["outcome"].as_str()), (0, Some("done")));
    drop(server.input.take());
    server.end().ended(0);
}

/// More than the five seconds that the library of the protocol leaves for answers.
#[test]
fn a_change_under_way_is_awaited_and_answered() {
    for by_signal in [true, false] {
        let local = Local::start();
        delay(&local, 7);
        let mut server = Server::start(&local, &["--allow-trading"]);
        let id = server.request("tools/call", json!({ "name": "unified_place_order", "arguments": order("a") }));
        wait_for_order(&local);
        match by_signal {
            true => server.signal(),
            false => drop(server.input.take()),
        }
        let answer = server.read();
        assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["outcome"]), (&json!(id), &json!("done")));
        let ended = server.end().ended(0);
        assert!(ended.err.contains("waiting for the end of what is under way:\nunified_place_order {"), "{ended:?}");
    }
}

#[test]
fn a_second_signal_ends_it_and_says_what_is_not_known() {
    let local = Local::start();
    delay(&local, 30);
    let mut server = Server::start(&local, &["--allow-trading"]);
    server.request("tools/call", json!({ "name": "unified_place_order", "arguments": order("a") }));
    wait_for_order(&local);
    server.signal();
    // The first one has to be noticed as one of its own.
    std::thread::sleep(Duration::from_millis(300));
    server.signal();
    let ended = server.end().ended(3);
    assert!(ended.err.contains("outcomes are not known:\nunified_place_order {"), "{ended:?}");
    assert!(ended.err.contains(r#""clientOid":"a""#), "{ended:?}");
}

#[test]
fn nothing_under_way_ends_it_at_once() {
    let local = Local::start();
    let server = Server::start(&local, &[]);
    server.signal();
    let ended = server.end().ended(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
}

#[test]
fn what_was_sent_is_listed_also_where_the_client_cancelled_its_call() {
    let local = Local::start();
    let mut server = Server::start(&local, &["--allow-trading"]);
    assert_eq!(server.call("sent", json!({}))["results"], json!([]));
    server.call("unified_place_order", order("a"));
    let mut shown = order("shown");
    shown["dryRun"] = true.into();
    server.call("unified_place_order", shown);
    server.call("unified_place_order", json!({ "side": "buy" }));
    server.call("orders", json!({}));
    delay(&local, 2);
    let id = server.request("tools/call", json!({ "name": "unified_place_order", "arguments": order("b") }));
    while local.open() < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let cancelled = json!({ "requestId": id, "reason": "time-out" });
    server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    let sent = server.call("sent", json!({}));
    let outcomes = |sent: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let line = |line: &Value| (text(&line["request"]["clientOid"]), text(&line["outcome"]));
        sent["results"].as_array().unwrap().iter().map(line).collect()
    };
    let pair = |id: &str, outcome: &str| (id.to_owned(), outcome.to_owned());
    assert_eq!(outcomes(&sent), [pair("b", "under way"), pair("a", "done")], "{sent}");
    let ended = loop {
        let sent = server.call("sent", json!({ "first": "1" }));
        if sent["results"][0]["outcome"] != "under way" {
            break sent;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let line = &ended["results"][0];
    assert_eq!((&line["outcome"], &line["tool"]), (&json!("done"), &json!("unified_place_order")), "{ended}");
    assert!(
        line["results"][0]["data"]["orderId"].is_string() && line["begun"].is_string() && line["ended"].is_string()
    );
    assert!(line["cancelled"].as_str().unwrap().contains("cancelled") && ended["more"] == true, "{ended}");
    server.call("flatten", json!({}));
    let sent = server.call("sent", json!({}));
    assert_eq!((&sent["results"][0]["tool"], &sent["results"][0]["outcome"]), (&json!("flatten"), &json!("done")));
    let mut reader = Server::start(&local, &[]);
    assert!(reader.tools().iter().all(|tool| tool["name"] != "sent"), "it sends nothing");
}

/// The calls wait for the limit of ten a second, so that the last ones are not sent for a long time.
#[test]
fn a_call_that_is_cancelled_while_it_waits_for_its_limit_is_not_sent() {
    const CALLS: usize = 250;
    const CANCELLED: usize = 3;
    let local = Local::start();
    let mut server = Server::start(&local, &["--allow-trading"]);
    let place = |n: usize| json!({ "name": "unified_place_order", "arguments": order(&format!("o{n}")) });
    let ids: Vec<u64> = (0..CALLS).map(|n| server.request("tools/call", place(n))).collect();
    let last = &ids[ids.len() - CANCELLED..];
    for id in last {
        let cancelled = json!({ "requestId": id, "reason": "enough" });
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    }
    let of_last = loop {
        let id = server.request("tools/call", json!({ "name": "sent", "arguments": { "first": "1000" } }));
        let answer = std::iter::repeat_with(|| server.read()).find(|message| message["id"] == id).unwrap();
        let lines = answer["result"]["structuredContent"]["results"].as_array().unwrap().clone();
        let of_last: Vec<Value> = lines.into_iter().filter(|line| line["cancelled"].is_string()).collect();
        if of_last.len() == CANCELLED && of_last.iter().all(|line| line["outcome"] != "under way") {
            break of_last;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    for line in &of_last {
        assert_eq!(line["outcome"], "not done", "{line}");
    }
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let open = local.exchange.account(local.exchange.keys(), tradeapi_exchange::Family::Unified).open_orders.len();
    assert!(open < CALLS, "{open} orders: the last ones were sent");
}

/// Progress and results take ways of their own, so that either may come first.
#[test]
fn a_call_tells_its_progress_if_its_client_asks_for_it() {
    let local = Local::start();
    for (token, tool) in [(Some("told"), "unified_place_order"), (None, "unified_place_order")] {
        let hidden = Fault::new(FaultKind::Hide("40725".to_owned())).times(1);
        local.exchange.add_fault(hidden.target(FaultTarget::Operation("unified.place-order".to_owned())));
        let mut server = Server::start(&local, &["--allow-trading"]);
        let mut params = json!({ "name": tool, "arguments": order(token.unwrap_or("untold")) });
        if let Some(token) = token {
            params["_meta"] = json!({ "progressToken": token });
        }
        let id = server.request("tools/call", params);
        let (mut told, mut result) = (Vec::new(), None);
        while result.is_none() || token.is_some() && told.is_empty() {
            let message = server.read();
            match message["id"] == id {
                true => result = Some(message["result"]["structuredContent"].clone()),
                false => told.push(message),
            }
        }
        let result = result.unwrap();
        assert_eq!(result["outcome"], "done", "{result}");
        assert!(result["notes"].to_string().contains("done nevertheless"), "{result}");
        for message in &told {
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], json!(token), "{message}");
            let text = message["params"]["message"].as_str().unwrap();
            let answered = text.find("code 40725");
            assert!(
                answered.is_some() && answered < text.find("asking unified.order-info whether it was done"),
                "{text}"
            );
        }
    }
}

/// Returns the places of the numbers in JSON.
fn numbers(json: &Value) -> Vec<&Value> {
    match json {
        Value::Number(_) => vec![json],
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Object(members) => members.values().flat_map(numbers).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => Vec::new(),
    }
}

#[test]
fn numbers_are_texts_in_results_and_taken_as_texts_in_arguments() {
    let local = Local::start();
    let mut server = Server::start(&local, &["--allow-trading"]);
    let instructions = server.ask("tools/list", json!({}));
    assert!(instructions["error"].is_null());
    let mut dry = order("dry");
    dry["dryRun"] = true.into();
    for (tool, arguments) in [
        ("unified_place_order", order("a")),
        ("unified_place_order", dry),
        ("unified_place_order", json!({ "side": "buy" })),
        ("unified_place_batch", json!({ "items": [order("b"), order("c")] })),
        ("orders", json!({ "first": "1" })),
        ("orders", json!({ "first": 1 })),
        ("positions", json!({ "days": "3", "first": "5" })),
        ("unified_unfilled_orders", json!({ "limit": "1", "first": "2" })),
        ("unified_assets", json!({})),
        ("unified_inner_trades", json!({ "code": "AAPL" })),
        ("sent", json!({ "first": "3" })),
        ("flatten", json!({})),
    ] {
        let result = server.call(tool, arguments.clone());
        assert!(numbers(&result).is_empty(), "{tool} {arguments}: {:?} in {result}", numbers(&result));
        if arguments.get("side").is_none() {
            assert_eq!(result["outcome"], "done", "{tool} {arguments}: {result}");
        }
    }
    for (first, taken) in [("1", 1), ("2", 2)] {
        server.call("unified_place_order", order(&format!("later-{first}")));
        let some = server.call("orders", json!({ "first": first }));
        assert_eq!(some["results"].as_array().unwrap().len(), taken, "{some}");
    }
    for wrong in [json!("0"), json!("1.5"), json!(""), json!("many"), json!(1.5)] {
        let refused = server.call("orders", json!({ "first": wrong }));
        assert_eq!(refused["outcome"], "refused", "{refused}");
    }
    for tool in server.tools() {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let is_number = schema["type"] == "integer" || schema["type"] == "number";
            assert!(!is_number, "{} {name}: its numbers may be texts, too", tool["name"]);
        }
    }
}

#[test]
fn the_items_of_a_batch_are_named_and_taken_as_an_array() {
    let local = Local::start();
    let mut server = Server::start(&local, &["--allow-trading"]);
    let mut nothing = order("a");
    nothing["qty"] = Value::Null;
    let mut rounded = order("a");
    rounded["qty"] = json!(0.01);
    let mut wrong = order("a");
    wrong["qty"] = json!("many");
    let mut unknown = order("a");
    unknown["quantity"] = json!("1");
    for (items, said) in [
        (json!({ "items": order("a") }), "items has to be an array"),
        (json!({ "items": null }), "items has to be an array"),
        (json!({ "items": "a" }), "items has to be an array"),
        (json!({ "items": 7 }), "items has to be an array"),
        (json!({}), "items has to be an array"),
        (json!({ "items": [nothing] }), "items[0].qty: null"),
        (json!({ "items": [order("b"), rounded] }), "items[1].qty: write the number as a string"),
        (json!({ "items": [order("b"), wrong] }), "items[1].qty"),
        (json!({ "items": [unknown] }), "items[0].quantity"),
        (json!({ "items": [[]] }), "items[0]"),
        (json!({ "items": [] }), "item"),
        (json!({ "items": r#"[{"qty": "1", "qty": "2"}]"# }), "items has an object with a name twice"),
    ] {
        let refused = server.call("unified_place_batch", items.clone());
        let why = refused["failure"].to_string();
        assert!(refused["outcome"] == "refused" && why.contains(said), "{items}: {refused}");
        assert!(!why.contains("\"[") && !why.contains("\\n["), "{items}: {refused}");
    }
    assert_eq!(local.open(), 0);
    let placed = server.call("unified_place_batch", json!({ "items": json!([order("b")]).to_string() }));
    assert_eq!((&placed["outcome"], local.open()), (&json!("done"), 1), "{placed}");
}

#[test]
fn texts_are_as_long_as_clients_show_them() {
    let local = Local::start();
    for options in [&[][..], &["--allow-trading"]] {
        let mut server = Server::start(&local, options);
        for tool in server.tools() {
            let description = tool["description"].as_str().unwrap();
            assert!((1..2000).contains(&description.len()), "{}: {}", tool["name"], description.len());
        }
        let place = server.tools().into_iter().find(|tool| tool["name"] == "unified_place_order").unwrap();
        assert!(place["description"].as_str().unwrap().contains(" more"), "{place}");
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let again = server.ask("initialize", hello);
        let instructions = again["result"]["instructions"].as_str().map_or(0, str::len);
        assert!((1..2000).contains(&instructions), "{again}");
    }
}

#[test]
fn families_and_groups_of_tools_are_chosen() {
    let local = Local::start();
    let names = |options: &[&str]| -> Vec<String> {
        let mut server = Server::start(&local, options);
        server.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(&["--allow-trading"]);
    let unified = names(&["--allow-trading", "--families", "unified"]);
    assert!(unified.len() < all.len() && unified.iter().any(|name| name == "orders"), "{unified:?}");
    assert!(unified.iter().all(|name| name.starts_with("unified_") || !name.contains('_')), "{unified:?}");
    let both = names(&["--families", "classic,unified"]);
    assert!(both.iter().any(|name| name.starts_with("classic_")) && both.len() > unified.len() - 2, "{both:?}");
    let few = names(&["--allow-trading", "--families", "unified", "--groups", "create,cancel,everyday"]);
    for name in ["unified_place_order", "unified_cancel_order", "orders", "positions", "flatten", "sent"] {
        assert!(few.iter().any(|one| one == name), "{name}: {few:?}");
    }
    assert!(few.iter().all(|name| !name.contains("fills") && !name.contains("modify")), "{few:?}");
    let reads = names(&["--groups", "read"]);
    assert!(reads.iter().all(|name| name != "orders" && !name.contains("place")) && reads.len() > 5, "{reads:?}");
    let mut server = Server::start(&local, &["--groups", "read"]);
    let hidden = server.ask("tools/call", json!({ "name": "unified_place_order", "arguments": order("a") }));
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
    for wrong in [["--families", "spot"], ["--groups", "changes"]] {
        local.run(&[&["mcp"], &wrong[..]].concat()).ended(2);
    }
}

#[test]
fn a_huge_deadline_is_refused() {
    let local = Local::start();
    for deadline in ["18446744073709551615", "9223372036854775807", "86401", "1e3"] {
        let refused = local.run(&["--deadline", deadline, "mcp"]).ended(2);
        let said = refused.out + &refused.err;
        assert!(said.contains("--deadline") && !said.contains("panic"), "{said}");
    }
    let day = local.run(&["--deadline", "86400", "mcp"]);
    assert!(day.status != 101 && !day.err.contains("panic"), "{day:?}");
}

/// A server that cannot start says why on standard error.
#[test]
fn standard_output_is_for_the_protocol_alone() {
    let local = Local::start();
    let folder = tempfile::TempDir::new().unwrap();
    let mut without_profile = command(folder.path());
    without_profile.args(["--local", "--format", "json", "--account", "missing.json", "mcp"]);
    let refused = crate::fixture::ran(&mut without_profile, "");
    assert!(refused.status == 2 && refused.out.is_empty() && refused.err.contains("missing.json"), "{refused:?}");
    for wrong in [
        &["mcp", "--families", "spot"][..],
        &["mcp", "--no-such-option"],
        &["--deadline", "many", "mcp"],
        &["--format", "json", "mcp", "--groups", ""],
    ] {
        let refused = local.run(wrong).ended(2);
        assert!(refused.out.is_empty() && refused.err.starts_with("error: "), "{wrong:?}: {refused:?}");
    }
    let hello = "what\n{}\n[]\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}\n";
    let strange = local.run_with(&["--format", "json", "mcp"], hello);
    for line in strange.out.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{strange:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{strange:?}");
    }
}
