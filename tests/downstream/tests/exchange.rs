//! Two operations of the project's own schema, selected with `only`: they work, and no others are emitted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

use downstream::exchange::runtime::Operation as _;
use downstream::exchange::runtime::lifecycle::Possible;
use downstream::exchange::unified::{Category, ClientOid, Execution, OPERATIONS, OrderStatus, PlaceOrder, Side};
use downstream::exchange::{Client, Credentials, Decimal, blocking};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

const PLACED: &str = r#"{"code": "00000", "msg": "success", "requestTime": 1788912000123, "data": {"orderId":"17","clientOid":"desk-1"}}"#;

fn order() -> PlaceOrder {
    let execution = Execution::limit("64000".parse::<Decimal>().unwrap());
    PlaceOrder::new(Category::Spot, "BTCUSDT", "0.01".parse::<Decimal>().unwrap(), Side::Buy, execution)
        .client_oid(ClientOid::new("desk-1").unwrap())
}

#[tokio::test]
async fn a_chosen_operation_is_called() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(PLACED));
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "pass")).build().unwrap();
    let placed = client.unified().place_order(&order()).await.unwrap();
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "17");
    assert_eq!(server.requests()[0].path, PlaceOrder::META.path);
}

/// The blocking functions depend on the runtime's feature; this crate has no such feature.
#[test]
fn a_chosen_operation_is_called_without_async() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(PLACED));
    let credentials = Credentials::new("key", "secret", "pass");
    let client = blocking::Client::builder(server.url()).credentials(credentials).build().unwrap();
    let placed = client.unified().place_order(&order()).unwrap();
    assert_eq!(placed.order_id.as_ref().unwrap().as_str(), "17");
}

#[test]
fn only_what_was_chosen_is_there() {
    let ids: Vec<_> = OPERATIONS.iter().map(|meta| meta.id).collect();
    assert_eq!(ids, ["unified.order-info", "unified.place-order"]);
    let mut files: Vec<_> = std::fs::read_to_string(concat!(env!("OUT_DIR"), "/exchange/.manifest"))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    files.retain(|file| !file.starts_with("unified/"));
    assert_eq!(files, ["account.rs", "api.rs", "cli.rs", "codes.rs"]);
    let enums = include_str!(concat!(env!("OUT_DIR"), "/exchange/unified/enums.rs"));
    assert!(enums.contains("enum StpMode") && !enums.contains("enum InsiderTradeType"));
}

/// Operations that are not selected still affect orders: they can cancel one.
#[test]
fn a_state_names_operations_that_were_left_out() {
    assert_eq!(OrderStatus::Live.can_cancel(), Possible::Yes);
    assert_eq!(OrderStatus::Live.can_modify(), Possible::Yes);
    assert_eq!(OrderStatus::Filled.can_cancel(), Possible::No);
}
