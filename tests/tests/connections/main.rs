//! The connection of a request: never shared with a concurrent call, and an idle one if possible.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod addresses;
mod busy;
mod pool;
mod reuse;

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Client, Credentials, Error};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::transports::Over;

/// Long enough for a close to reach the other side of a loopback connection.
const PROPAGATION: Duration = Duration::from_millis(50);

fn cancel(id: &str) -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from(id)))
}

fn done(id: &str) -> Answer {
    Answer::json(body(id))
}

fn body(id: &str) -> String {
    format!(r#"{{"code":"00000","data":{{"orderId":"{id}"}}}}"#)
}

fn client(over: Over, server: &ScriptedServer, call: Duration) -> Client {
    client_at(over, server.url(), TransportLimits { call, ..TransportLimits::default() })
}

fn client_at(over: Over, url: String, limits: TransportLimits) -> Client {
    let client = over.client(url, limits).credentials(Credentials::new("key", "secret", "passphrase"));
    client.limits(LimitMode::Off).build().unwrap()
}

/// Returns the order that the answer reports as cancelled.
async fn cancelled(client: &Client, id: &str) -> Result<String, Error> {
    let answer = client.call(&cancel(id)).await?;
    Ok(answer.order_id.clone().unwrap().to_string())
}

fn connections(server: &ScriptedServer) -> Vec<usize> {
    server.requests().iter().map(|request| request.connection).collect()
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
