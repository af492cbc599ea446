//! The operations as tools, called by a client of the Model Context Protocol.

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};

use crate::fixture::{Local, PROGRAM};

struct Assistant(RunningService<RoleClient, ()>);

impl Assistant {
    async fn start(local: &Local, arguments: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(PROGRAM);
        command
            .env_clear()
            .env("TRADEAPI_PROFILES", local.profiles.path())
            .args(["--local", "--lag", "1", "mcp"])
            .args(arguments);
        Self(().serve(TokioChildProcess::new(command).unwrap()).await.unwrap())
    }

    async fn tools(&self) -> Vec<Tool> {
        self.0.list_all_tools().await.unwrap()
    }

    async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        self.0.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await.unwrap()
    }
}

fn data(result: &CallToolResult) -> &Value {
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
    let shown = &data(&shown)["results"][0];
    assert_eq!((&shown["dryRun"], &shown["request"]["target"]), (&json!(true), &json!("/api/v3/trade/place-order")));
    assert_eq!(local.open(), 0);
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
    assistant.call("unified_place_order", shown).await;
    assert_eq!(local.open(), 0);
    let placed = assistant.call("unified_place_order", order("a")).await;
    assert_eq!((&data(&placed)["outcome"], local.open()), (&json!("done"), 1), "{placed:?}");
    let orders = assistant.call("orders", json!({})).await;
    assert_eq!(data(&orders)["results"][0]["clientOid"], "a");
    let refused = assistant.call("unified_place_order", json!({ "side": "buy" })).await;
    assert_eq!((refused.is_error, &data(&refused)["outcome"]), (Some(true), &json!("refused")));
    assert!(data(&refused)["failure"]["violations"].as_array().is_some_and(|all| all.len() > 3), "{refused:?}");
    let missing = assistant.call("unified_cancel_order", json!({ "clientOid": "b" })).await;
    assert_eq!(data(&missing)["outcome"], "not done");
    let mut rounded = order("b");
    rounded["qty"] = json!(0.01);
    let Value::Object(rounded) = rounded else { panic!() };
    let rounded =
        assistant.0.call_tool(CallToolRequestParams::new("unified_place_order").with_arguments(rounded)).await;
    assert!(rounded.unwrap_err().to_string().contains("qty"));
    let flat = assistant.call("flatten", json!({})).await;
    assert_eq!((&data(&flat)["outcome"], local.open()), (&json!("done"), 0));
    assistant.0.cancel().await.unwrap();
    tokio::task::spawn_blocking(move || drop(local)).await.unwrap();
}
