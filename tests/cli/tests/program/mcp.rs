//! The operations as tools, called by a client of the Model Context Protocol.

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use tradeapi_exchange::{Fault, FaultKind, FaultTarget};

use crate::fixture::{Local, PROGRAM};

pub(crate) struct Assistant(RunningService<RoleClient, ()>);

impl Assistant {
    pub(crate) async fn start(local: &Local, arguments: &[&str]) -> Self {
        Self::start_with(local, &[], arguments).await
    }

    /// Returns the same with options of the program.
    async fn start_with(local: &Local, options: &[&str], arguments: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(PROGRAM);
        command
            .env_clear()
            .env("TRADEAPI_PROFILES", local.profiles.path())
            .args(["--local", "--lag", "1", "--budget", &local.budget()])
            .args(options)
            .arg("mcp")
            .args(arguments);
        Self(().serve(TokioChildProcess::new(command).unwrap()).await.unwrap())
    }

    async fn tools(&self) -> Vec<Tool> {
        self.0.list_all_tools().await.unwrap()
    }

    pub(crate) async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        self.0.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await.unwrap()
    }
}

/// Returns why nothing was done, for the assistant to correct it.
fn error(result: &CallToolResult) -> &str {
    data(result)["failure"]["error"].as_str().unwrap()
}

pub(crate) fn data(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().unwrap()
}

fn hints(tools: &[Tool], name: &str) -> (Option<bool>, Option<bool>) {
    let tool = tools.iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("no {name}"));
    let annotations = tool.annotations.as_ref().unwrap();
    (annotations.read_only_hint, annotations.destructive_hint)
}

fn order(id: &str) -> Value {
    json!({
        "category": "USDT-FUTURES", "symbol": "BTCUSDT", "qty": "0.01", "side": "buy", "orderType": "limit",
        "price": "60000", "clientOid": id
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn without_permission_nothing_is_sent_but_reads() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let assistant = Assistant::start(&local, &[]).await;
    let tools = assistant.tools().await;
    assert!(tools.len() >= 30 && tools.iter().all(|tool| hints(&tools, &tool.name).0 == Some(true)));
    assert!(tools.iter().all(|tool| tool.name != "flatten"));
    let place = tools.iter().find(|tool| tool.name == "unified_place_order").unwrap();
    assert!(place.description.as_ref().unwrap().contains("hedge-mode-needs-pos-side"), "the checks are described");
    assert_eq!(place.input_schema["properties"]["side"]["enum"], json!(["buy", "sell"]));
    let shown = assistant.call("unified_place_order", order("a")).await;
    assert_eq!(
        (shown.is_error, &data(&shown)["outcome"]),
        (Some(false), &json!("dry run")),
        "nobody takes it for done"
    );
    assert!(data(&shown)["notes"][0].as_str().unwrap().contains("--allow-trading"), "{shown:?}");
    let shown = &data(&shown)["results"][0];
    assert_eq!(
        (&shown["dryRun"], &shown["requests"][0]["target"]),
        (&json!(true), &json!("/api/v3/trade/place-order"))
    );
    assert_eq!(local.open(), 0);
    let flatten = assistant.call("flatten", json!({})).await;
    assert_eq!((flatten.is_error, &data(&flatten)["outcome"]), (Some(true), &json!("refused")));
    assert!(error(&flatten).contains("--allow-trading"), "{flatten:?}");
    let read = assistant.call("unified_unfilled_orders", json!({})).await;
    assert_eq!((read.is_error, &data(&read)["results"]), (Some(false), &json!([])));
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_permission_orders_are_placed_listed_and_flattened() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let assistant = Assistant::start(&local, &["--allow-trading"]).await;
    let tools = assistant.tools().await;
    assert_eq!(hints(&tools, "unified_place_order"), (Some(false), Some(true)));
    assert_eq!(hints(&tools, "unified_order_info"), (Some(true), Some(false)));
    assert_eq!(hints(&tools, "flatten"), (Some(false), Some(true)));
    let mut shown = order("a");
    shown["dryRun"] = true.into();
    let shown = assistant.call("unified_place_order", shown).await;
    assert_eq!((&data(&shown)["outcome"], local.open()), (&json!("dry run"), 0));
    let placed = assistant.call("unified_place_order", order("a")).await;
    assert_eq!((&data(&placed)["outcome"], local.open()), (&json!("done"), 1), "{placed:?}");
    let orders = assistant.call("orders", json!({})).await;
    assert_eq!(data(&orders)["results"][0]["clientOid"], "a");
    let refused = assistant.call("unified_place_order", json!({ "side": "buy" })).await;
    assert_eq!((refused.is_error, &data(&refused)["outcome"]), (Some(true), &json!("refused")));
    assert!(data(&refused)["failure"]["violations"].as_array().is_some_and(|all| all.len() > 3), "{refused:?}");
    let missing = assistant.call("unified_cancel_order", json!({ "clientOid": "b" })).await;
    assert_eq!(data(&missing)["outcome"], "not done");
    let flat = assistant.call("flatten", json!({})).await;
    assert_eq!((&data(&flat)["outcome"], local.open()), (&json!("done"), 0));
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

/// Returns an order with one argument changed.
fn with(name: &str, value: Value) -> Value {
    let mut order = order("b");
    order[name] = value;
    order
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_refused_with_what_is_wrong() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let assistant = Assistant::start(&local, &["--allow-trading"]).await;
    let long = "9".repeat(100_000);
    let mut wrong = Vec::new();
    for (tool, arguments, named) in [
        ("unified_place_order", with("qty", json!(0.01)), "qty"),
        ("unified_place_order", with("qty", json!({ "of": "BTC" })), "qty"),
        ("unified_place_order", with("qty", json!([1])), "qty"),
        ("unified_place_order", with("qty", json!(null)), "qty"),
        ("unified_place_order", with("qty", json!(long)), "qty"),
        ("unified_place_order", with("side", json!("BUY\u{0}")), "side"),
        ("unified_place_order", with("side", json!(true)), "side"),
        ("unified_place_order", with("quantity", json!("1")), "quantity"),
        ("unified_place_order", with("clientOid", json!(long)), "clientOid"),
        ("unified_place_order", with("dryRun", json!("yes")), "dryRun"),
        ("unified_place_order", json!({}), "category"),
        ("unified_place_batch", json!({ "items": { "qty": "1" } }), "array"),
        ("unified_place_batch", json!({ "items": [] }), "item"),
        ("unified_place_batch", json!({ "items": [[]] }), ""),
        ("unified_place_batch", json!({ "items": [order("a")], "also": 1 }), "also"),
        ("unified_unfilled_orders", json!({ "first": 0 }), "first"),
        ("unified_unfilled_orders", json!({ "first": -1 }), "first"),
        ("unified_unfilled_orders", json!({ "first": u64::MAX }), "first"),
        ("unified_unfilled_orders", json!({ "limit": "many" }), "limit"),
        ("unified_place_order", with("first", json!(1)), "first"),
        ("unified_place_batch", json!({ "items": [order("a")], "first": 1 }), "first"),
        ("unified_cancel_symbol_order", json!({ "category": "SPOT", "symbol": null }), "symbol: null"),
        ("unified_place_order", with("stopLoss", Value::Null), "stopLoss: null"),
        ("unified_place_batch", json!({ "items": [{ "qty": null }] }), "[0].qty: null"),
        ("unified_place_batch", json!({ "items": null }), "null"),
        ("unified_unfilled_orders", json!({ "symbol": null }), "symbol: null"),
        ("unified_unfilled_orders", json!({ "first": null }), "first"),
        ("orders", json!({ "frist": 3 }), "frist"),
        ("positions", json!({ "days": 0 }), "days"),
        ("positions", json!({ "days": 5_000_000_000_u64 }), "days"),
        ("flatten", json!({ "symbol": "BTCUSDT" }), "symbol"),
        ("unified_fills", json!({ "endTime": 1_795_824_000 }), "In seconds, it would be 2026-11-28"),
        ("unified_fills", json!({ "endTime": "1795824000000000" }), "In microseconds, it would be 2026-11-28"),
    ] {
        let result = assistant.call(tool, arguments.clone()).await;
        if result.is_error != Some(true) || data(&result)["outcome"] != "refused" || !error(&result).contains(named) {
            let arguments: String = arguments.to_string().chars().take(200).collect();
            let result: String = data(&result).to_string().chars().take(400).collect();
            wrong.push(format!("{tool} {arguments}: {result}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(local.open(), 0);
    let unknown = assistant.0.call_tool(CallToolRequestParams::new("unified_withdraw")).await;
    assert!(unknown.unwrap_err().to_string().contains("unified_withdraw"));
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_data_of_the_declared_form_and_say_how_to_get_more() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let assistant = Assistant::start(&local, &["--allow-trading"]).await;
    for tool in assistant.tools().await {
        let outcomes = &tool.output_schema.as_ref().unwrap()["properties"]["outcome"]["enum"];
        assert_eq!(
            *outcomes,
            json!(["done", "not done", "refused", "unknown", "partly done", "dry run"]),
            "{}",
            tool.name
        );
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        assert!(tool.description.is_some_and(|text| !text.is_empty()), "{}", tool.name);
    }
    for id in ["a", "b", "c"] {
        assistant.call("unified_place_order", order(id)).await;
    }
    for tool in ["orders", "unified_unfilled_orders"] {
        let some = assistant.call(tool, json!({ "first": 2 })).await;
        let some = data(&some);
        assert_eq!((some["results"].as_array().unwrap().len(), &some["more"]), (2, &json!(true)), "{tool}");
        assert!(some["notes"].to_string().contains("`first`"), "{tool}: {some}");
        let all = assistant.call(tool, json!({ "first": 3 })).await;
        assert!(data(&all).get("more").is_none(), "{tool}: {all:?}");
        let price = &data(&all)["results"][0]["price"];
        assert_eq!(price, "60000", "{tool}: numbers are exact");
    }
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_returns_the_outcome_of_each_item_whatever_their_number() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let assistant = Assistant::start(&local, &["--allow-trading"]).await;
    let mut template = order("");
    template.as_object_mut().unwrap().remove("clientOid");
    let orders = vec![template; 130];
    let mut dry = json!({ "items": orders });
    let placed = assistant.call("unified_place_batch", dry.clone()).await;
    let placed = data(&placed);
    let ids: std::collections::BTreeSet<_> =
        placed["results"].as_array().unwrap().iter().map(|item| item["data"]["clientOid"].to_string()).collect();
    assert_eq!((ids.len(), local.open(), &placed["outcome"]), (130, 130, &json!("done")));
    assert!(placed.get("more").is_none() && placed.get("notes").is_none(), "{placed}");
    dry["dryRun"] = true.into();
    let shown = assistant.call("unified_place_batch", dry).await;
    assert_eq!(data(&shown)["results"][0]["requests"].as_array().map(Vec::len), Some(7), "{shown:?}");
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_outcome_comes_with_the_request_and_its_minted_id() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    for (kind, operation) in [(FaultKind::Lose, "unified.place-order"), (FaultKind::Drop, "unified.order-info")] {
        local.exchange.add_fault(Fault::new(kind).target(FaultTarget::Operation(operation.to_owned())));
    }
    let assistant = Assistant::start_with(&local, &["--deadline", "1"], &["--allow-trading"]).await;
    let mut order = order("");
    order.as_object_mut().unwrap().remove("clientOid");
    let placed = assistant.call("unified_place_order", order).await;
    let placed = data(&placed);
    assert_eq!(placed["outcome"], "unknown", "{placed}");
    local.exchange.clear_faults();
    let id = placed["failure"]["request"]["clientOid"].clone();
    assert!(id.is_string(), "{placed}");
    let found = assistant.call("unified_order_info", json!({ "clientOid": id })).await;
    assert_eq!(data(&found)["results"][0]["clientOid"], id, "{found:?}");
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_journal_calls_public_operations_and_says_how_long_a_change_takes() {
    let local = tokio::task::spawn_blocking(Local::start).await.unwrap();
    let journal = local.profiles.path().join("journal");
    let assistant =
        Assistant::start_with(&local, &["--journal", journal.to_str().unwrap()], &["--allow-trading"]).await;
    let trades = assistant.call("unified_inner_trades", json!({ "code": "AAPL" })).await;
    assert_ne!(data(&trades)["outcome"], "refused", "{trades:?}");
    let placed = assistant.call("unified_place_order", order("a")).await;
    assert_eq!(data(&placed)["outcome"], "done", "{placed:?}");
    let instructions = assistant.0.peer_info().unwrap().instructions.clone().unwrap();
    assert!(instructions.contains("A change may take 60 seconds"), "{instructions}");
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}

/// A client that writes its messages by itself: the libraries for JSON keep one of two members with a name.
#[test]
fn what_widens_a_change_is_refused_if_an_assistant_leaves_it_empty_blank_or_there_twice() {
    let local = Local::start();
    for id in ["a", "b"] {
        local.place(id).ended(0);
    }
    let symbols = [
        (r#""symbol":"ETHUSDT","symbol":"BTCUSDT""#, "symbol is there twice"),
        (r#""symbol":null"#, "symbol: null is not a value"),
        (r#""symbol":"""#, "symbol: an empty text is not a value"),
        (r#""symbol":"  ""#, "something besides blanks"),
    ];
    let mut input = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n"
    )
    .to_owned();
    for (at, (symbol, _)) in symbols.iter().enumerate() {
        let call =
            format!(r#""name":"unified_cancel_symbol_order","arguments":{{"category":"USDT-FUTURES",{symbol}}}"#);
        input += &format!(r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{{call}}}}}"#, at + 1);
        input.push('\n');
    }
    let answers = local.run_with(&["--budget", &local.budget(), "mcp", "--allow-trading"], &input).ended(0).lines();
    for (at, (symbol, why)) in symbols.iter().enumerate() {
        let answer = answers.iter().find(|answer| answer["id"] == at + 1).unwrap_or_else(|| panic!("{answers:?}"));
        let content = &answer["result"]["structuredContent"];
        assert_eq!(content["outcome"], "refused", "{symbol}: {answer}");
        assert!(content["failure"]["error"].as_str().unwrap().contains(why), "{symbol}: {answer}");
    }
    assert_eq!(local.open(), 2);
}
