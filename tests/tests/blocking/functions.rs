//! That nothing of the async client is missing.

use std::collections::BTreeSet;

use tradeapi::runtime::{FixedClock, Operation, Parameters};
use tradeapi::{Client, Credentials, Timestamp, blocking};
use tradeapi_sandbox::{Answer, Request, Sandbox};
use tradeapi_tests::schema;

/// The public functions in a file of Rust.
fn functions(texts: &[&str]) -> BTreeSet<String> {
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    let names = lines.filter_map(|line| {
        let rest = line.strip_prefix("pub async fn ").or_else(|| line.strip_prefix("pub fn "))?;
        rest.split(['<', '(']).next()
    });
    names.map(str::to_owned).collect()
}

/// What only one of two has, but for what is meant to be so.
fn differences<'a>(awaited: &'a BTreeSet<String>, blocking: &'a BTreeSet<String>, meant: &[&str]) -> Vec<&'a String> {
    awaited.symmetric_difference(blocking).filter(|name| !meant.contains(&name.as_str())).collect()
}

macro_rules! text {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $path))
    };
}

#[test]
fn every_emitted_function_is_there_in_both_ways() {
    let families = [
        (text!("generated/src/classic/mod.rs"), text!("generated/src/classic/blocking.rs"), 14),
        (text!("generated/src/unified/mod.rs"), text!("generated/src/unified/blocking.rs"), 17),
        (text!("generated/src/broker/mod.rs"), text!("generated/src/broker/blocking.rs"), 1),
    ];
    for (awaited, blocking, count) in families {
        let (awaited, blocking) = (functions(&[awaited]), functions(&[blocking]));
        assert_eq!(differences(&awaited, &blocking, &[]), Vec::<&String>::new());
        assert_eq!(blocking.len(), count);
    }
    let (awaited, blocking) =
        (functions(&[text!("generated/src/lib.rs")]), functions(&[text!("generated/src/blocking.rs")]));
    assert_eq!(differences(&awaited, &blocking, &[]), Vec::<&String>::new());
}

#[test]
fn every_function_of_the_runtime_is_there_in_both_ways() {
    let awaited = functions(&[
        text!("generator/runtime/src/client/core.rs"),
        text!("generator/runtime/src/fate/confirm.rs"),
        "pub async fn settle_each(",
    ]);
    let blocking = functions(&[text!("generator/runtime/src/blocking/core.rs")]);
    assert_eq!(differences(&awaited, &blocking, &["to_async", "wait"]), Vec::<&String>::new());
    let awaited =
        functions(&[text!("generator/runtime/src/pages/walk.rs"), text!("generator/runtime/src/pages/items.rs")]);
    let blocking = functions(&[
        text!("generator/runtime/src/blocking/pages.rs"),
        text!("generator/runtime/src/blocking/items.rs"),
    ]);
    // Iterators have these.
    assert_eq!(differences(&awaited, &blocking, &["new", "next_page", "next"]), Vec::<&String>::new());
    let awaited = functions(&[text!("generator/runtime/src/batches/call.rs"), "pub async fn send_and_confirm("]);
    let blocking = functions(&[text!("generator/runtime/src/blocking/batch.rs")]);
    assert_eq!(differences(&awaited, &blocking, &["new"]), Vec::<&String>::new());
}

macro_rules! call_each {
    ($($operation:ty),+ $(,)?) => {
        async fn call_each(sandbox: &Sandbox) -> usize {
            let mut count = 0;
            $(
                is_sent_alike::<$operation>(sandbox).await;
                count += 1;
            )+
            count
        }
    };
}
tradeapi::for_each_operation!(call_each);

/// To the byte, but for the connection.
async fn is_sent_alike<O: Operation + Parameters + Sync>(sandbox: &Sandbox) {
    let example = &schema::examples(O::META)[0];
    let request = O::from_json(&example.request).unwrap();
    let clock = FixedClock(Timestamp::from_millis(1_790_000_000_000));
    let credentials = Credentials::new("key", "secret", "passphrase");
    let awaited = Client::builder(sandbox.url()).credentials(credentials.clone()).clock(clock).build().unwrap();
    let blocking = blocking::Client::builder(sandbox.url()).credentials(credentials).clock(clock).build().unwrap();
    for _ in 0..2 {
        sandbox.answer_next(Answer::json(example.response.clone()));
    }
    let one = awaited.call(&request).await.unwrap();
    let other = blocking.call(&request).unwrap();
    assert_eq!(one.raw, other.raw);
    let sent: Vec<_> = sandbox.take_requests().into_iter().map(without_connection).collect();
    assert_eq!((sent.len(), &sent[0]), (2, &sent[1]));
}

fn without_connection(mut request: Request) -> Request {
    request.connection = 0;
    request
}

#[tokio::test]
async fn every_operation_is_sent_alike() {
    assert_eq!(call_each(&Sandbox::start().unwrap()).await, 30);
}
