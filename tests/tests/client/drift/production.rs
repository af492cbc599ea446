//! A running client of an exchange that has changed.

use tradeapi::classic::{GetHistoryOrder, ProductType};
use tradeapi::runtime::CheckPolicy;
use tradeapi::runtime::drift::{Drift, DriftKind, DriftReport};
use tradeapi::unified::{CancelOrder, GetOpenOrders, GetOrderDetails, OrderRef};
use tradeapi::{Client, Credentials};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn client(server: &ScriptedServer, drift: &Drift) -> Client {
    let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "pass"));
    builder.checks(CheckPolicy::nothing()).drift(drift).build().unwrap()
}

fn order() -> OrderRef {
    OrderRef::OrderId("1".into())
}

/// Calls of two clients with undocumented answers.
pub(crate) async fn collected() -> Drift {
    let drift = Drift::new();
    let server = ScriptedServer::start().unwrap();
    let (one, other) = (client(&server, &drift), client(&server, &drift));

    server.answer_next(Answer::json(
        r#"{"code": "00000", "msg": "success", "requestTime": 1, "traceId": "c7", "data": {"cursor": null, "list": [
            {"orderId": "1", "side": "buy", "qty": 5, "riskLevel": "12.5", "posSide": "flat",
             "feeDetail": [{"feeCoin": "BTC", "fee": "none", "rebate": true}]},
            {"orderId": "2", "side": "short", "qty": "5", "riskLevel": {"a": 1}, "posSide": "flat", "marginMode": null}
        ]}}"#,
    ));
    assert_eq!(one.call(&GetOpenOrders::new()).await.unwrap().list.len(), 2);

    server.answer_next(Answer::json(r#"{"code": "40999", "msg": "maintenance of 5 pairs", "data": null}"#));
    assert!(other.call(&CancelOrder::new(order())).await.is_err());
    server.answer_next(Answer::json(r#"{"code": "00000", "msg": "success", "requestTime": 1, "data": "done"}"#));
    assert!(one.call(&CancelOrder::new(order())).await.is_err());
    server.answer_next(Answer::new(502, "<html>bad gateway</html>"));
    assert!(one.call(&CancelOrder::new(order())).await.is_err());

    let history = r#"{"code": "00000", "msg": "", "requestTime": 1, "data": {"endId": "2", "entrustedList":
        [{"orderId": "1", "status": "filled", "force": "fok", "fee": null}, "what", {"orderId": "2", "status": "live"}]}}"#;
    for client in [&one, &other] {
        server.answer_next(Answer::json(history));
        let reply = client.call(&GetHistoryOrder::new(ProductType::UsdtFutures)).await.unwrap();
        assert_eq!((reply.entrusted_list.len(), reply.entrusted_list.bad.len()), (2, 1));
    }
    drift
}

#[tokio::test]
async fn drift_is_reported_by_operation_and_field() {
    insta::assert_snapshot!(collected().await.report());
}

#[tokio::test]
async fn a_report_is_json_by_itself_and_by_serde() {
    let mut report = collected().await.report();
    // Each of them is an entry with the same form.
    report.operations.iter_mut().for_each(|operation| operation.entries.retain(|e| e.kind != DriftKind::MissingField));
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(serde_json::to_value(&report).unwrap(), json);
    insta::assert_snapshot!(report.to_json().replace("{\"kind\"", "\n{\"kind\""));
}

#[tokio::test]
async fn drift_of_pages_is_reported_like_that_of_calls() {
    let page =
        r#"{"code": "00000", "requestTime": 1, "data": {"cursor": null, "list": [{"orderId": "1", "risk": 1}]}}"#;
    let server = ScriptedServer::start().unwrap();
    let (called, listed) = (Drift::new(), Drift::new());
    server.answer_next(Answer::json(page));
    client(&server, &called).call(&GetOpenOrders::new()).await.unwrap();
    server.answer_next(Answer::json(page));
    let page = client(&server, &listed).pages(GetOpenOrders::new()).next_page().await.unwrap().unwrap();
    assert_eq!(page.list.len(), 1);
    assert!(called.report().to_string().contains("risk"));
    assert_eq!(listed.report().to_string(), called.report().to_string());
}

#[tokio::test]
async fn taken_drift_is_not_reported_again() {
    let drift = collected().await;
    let report = drift.report();
    assert!(!report.is_empty());
    assert_eq!(drift.take(), report);
    assert_eq!(drift.report(), DriftReport::default());
    assert!(drift.report().is_empty());
}

#[tokio::test]
async fn a_client_without_drift_collects_none() {
    let server = ScriptedServer::start().unwrap();
    let builder = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "pass"));
    let (drift, watched) = (Drift::new(), Drift::new());
    let clients = [builder.build().unwrap(), client(&server, &watched)];
    let mut read = Vec::new();
    for client in &clients {
        server.answer_next(Answer::json(r#"{"code":"00000","data":{"orderId":1,"side":"up","new":[{}]}}"#));
        read.push(client.call(&GetOrderDetails::new(order())).await.unwrap().into_data());
    }
    assert_eq!(read[0], read[1], "being looked at changes what is read");
    assert!(drift.report().is_empty() && !watched.report().is_empty());
}
