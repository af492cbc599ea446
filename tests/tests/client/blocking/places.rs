//! The threads and runtimes from which blocking calls can be made.

use std::thread;

use tokio::runtime::Builder;
use tokio::task::{JoinSet, LocalSet};
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::{Client, blocking};
use tradeapi_tests::loopback::Answer;
use tradeapi_tests::transports::Over;

use super::{builder, cancel, client, echo, round_trip};

#[test]
fn from_many_threads_at_once() {
    let server = echo();
    let client = client(&server);
    thread::scope(|scope| {
        for thread in 0..8 {
            let client = &client;
            scope.spawn(move || (0..25).for_each(|call| round_trip(client, &format!("{thread}-{call}"))));
        }
    });
    assert_eq!(server.requests().len(), 200);
}

#[test]
fn from_a_thread_that_outlives_the_one_that_made_the_client() {
    let server = echo();
    let made = thread::scope(|scope| scope.spawn(|| client(&server)).join().unwrap());
    round_trip(&made, "1");
    let other = made.clone();
    drop(made);
    round_trip(&other, "2");
}

#[test]
fn over_every_transport() {
    let server = echo();
    for over in Over::ALL {
        let core = over.client(server.url(), TransportLimits::default());
        let core = core.credentials(tradeapi::Credentials::new("key", "secret", "passphrase")).build().unwrap();
        let client = blocking::Client::try_from(core.core().clone()).unwrap();
        (0..5).for_each(|call| round_trip(&client, &call.to_string()));
    }
}

/// A runtime whose only thread is blocked by the call.
#[test]
fn within_a_runtime_of_one_thread() {
    let server = echo();
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let client = client(&server);
        round_trip(&client, "in the runtime");
        let in_task = client.clone();
        tokio::spawn(async move { round_trip(&in_task, "in a task") }).await.unwrap();
        // The client is dropped here, too.
        drop(client);
    });
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let client = client(&server);
        tokio::task::spawn_local(async move { round_trip(&client, "in a local task") }).await.unwrap();
    });
}

#[test]
fn within_a_runtime_all_of_whose_threads_call() {
    let server = echo();
    let runtime = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let client = client(&server);
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for task in 0..20 {
            let client = client.clone();
            tasks.spawn(async move { round_trip(&client, &format!("task {task}")) });
            let client = tasks.len().is_multiple_of(2).then(|| super::client(&server));
            tasks.spawn_blocking(move || client.iter().for_each(|client| round_trip(client, "where one may block")));
        }
        round_trip(&client, "outside of them");
        tasks.join_all().await;
    });
}

/// Both kinds of client, each with its own connections.
#[tokio::test]
async fn beside_an_async_client() {
    let server = echo();
    let credentials = tradeapi::Credentials::new("key", "secret", "passphrase");
    let awaited = Client::builder(server.url()).credentials(credentials).build().unwrap();
    let blocking = client(&server);
    for call in 0..5 {
        let id = call.to_string();
        let reply = awaited.unified().cancel_order(&cancel(&id)).await.unwrap();
        assert_eq!(reply.order_id.as_ref().unwrap().as_str(), id);
        round_trip(&blocking, &id);
    }
}

/// The exchange closes each connection after its answer, unannounced. The client notices that between calls; otherwise
/// every second order would fail.
#[test]
fn a_closed_idle_connection_is_noticed() {
    let server = echo();
    let client = client(&server);
    let answer = r#"{"code":"00000","data":{"orderId":"1"}}"#;
    let mut failed = 0;
    for _ in 0..20 {
        server.answer_next(Answer::json(answer).then_close());
        failed += usize::from(client.call(&cancel("1")).is_err());
        thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(failed < 10, "{failed}");
}

#[test]
fn a_client_that_cannot_be_built_has_a_reason() {
    let error = blocking::Client::builder("http://example.com").build().unwrap_err();
    assert!(error.to_string().starts_with("the base address"), "{error}");
    assert!(format!("{:?}", builder(&echo()).build().unwrap()).starts_with("Client"));
}
