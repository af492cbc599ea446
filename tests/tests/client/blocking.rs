//! The client for programs without async: the same functions, from any thread, within a runtime or without one.

mod calls;
mod functions;
mod places;

use serde_json::{Value, json};
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::LimitMode;
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Credentials, blocking};
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn builder(server: &ScriptedServer) -> ClientBuilder<blocking::Client> {
    let credentials = Credentials::new("key", "secret", "passphrase");
    blocking::Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off)
}

fn client(server: &ScriptedServer) -> blocking::Client {
    builder(server).build().unwrap()
}

fn cancel(id: &str) -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from(id)))
}

fn success(data: &Value) -> Answer {
    Answer::json(json!({"code": "00000", "msg": "success", "requestTime": 1, "data": data}).to_string())
}

/// Returns an exchange that repeats the id of the request.
fn echo() -> ScriptedServer {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        success(&json!({"orderId": body["orderId"], "clientOid": body["clientOid"]}))
    });
    server
}

/// Cancels an order, and checks that the answer belongs to it.
fn round_trip(client: &blocking::Client, id: &str) {
    let reply = client.unified().cancel_order(&cancel(id)).unwrap();
    assert_eq!(reply.order_id.as_ref().unwrap().as_str(), id);
}
