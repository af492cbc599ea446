//! The blocking client has every function of the async client.

use std::collections::BTreeSet;

use tradeapi::runtime::Operation;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::parameters::Parameters;
use tradeapi::{Client, Credentials, Timestamp, blocking};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};
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

/// The functions that only one of two has, without intended differences.
fn differences<'a>(awaited: &'a BTreeSet<String>, blocking: &'a BTreeSet<String>, meant: &[&str]) -> Vec<&'a String> {
    awaited.symmetric_difference(blocking).filter(|name| !meant.contains(&name.as_str())).collect()
}

macro_rules! text {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $path))
    };
}

/// The macro emits both forms of each row, so a function with one form only is outside of its rows.
#[test]
fn every_emitted_function_is_async_and_blocking() {
    let families = [
        (text!("generated/src/classic/mod.rs"), tradeapi::classic::OPERATIONS),
        (text!("generated/src/unified/mod.rs"), tradeapi::unified::OPERATIONS),
        (text!("generated/src/broker/mod.rs"), tradeapi::broker::OPERATIONS),
    ];
    for (module, operations) in families {
        let rows = module.lines().filter(|line| line.starts_with("    fn ")).count();
        assert_eq!((functions(&[module]).len(), rows), (0, operations.len()));
    }
    let root = text!("generated/src/lib.rs");
    for name in functions(&[root]) {
        assert_eq!(root.matches(&format!("pub fn {name}(")).count(), 2, "{name}: once for each of the two clients");
    }
}

/// The functions of the two forms of a family, one after the other, by their types.
#[test]
fn both_forms_have_the_same_types() {
    use tradeapi::runtime::{Error, Reply};
    use tradeapi::unified::{OrderAck, PlaceOrder, Unified};

    async fn awaited(family: Unified<'_>, request: &PlaceOrder) -> Result<Reply<OrderAck>, Error> {
        family.check_credentials().await?;
        family.place_order(request).await
    }
    fn blocking(
        family: tradeapi::unified::blocking::Unified<'_>,
        request: &PlaceOrder,
    ) -> Result<Reply<OrderAck>, Error> {
        family.check_credentials()?;
        family.place_order(request)
    }
    let (_, _) = (awaited, blocking);
}

/// The public functions of a type, whose blocks begin with `header`, in files of Rust.
fn functions_of(header: &str, texts: &[&str]) -> BTreeSet<String> {
    let blocks = texts.iter().flat_map(|text| text.split("\nimpl").skip(1));
    let bodies = blocks.filter_map(|block| block.strip_prefix(header)?.split_once("\n}\n").map(|(body, _)| body));
    functions(&bodies.collect::<Vec<_>>())
}

#[test]
fn every_function_of_the_runtime_is_async_and_blocking() {
    let awaited = functions_of(
        " ClientCore {",
        &[
            text!("generator/runtime/src/client/call.rs"),
            text!("generator/runtime/src/client/core.rs"),
            text!("generator/runtime/src/client/sending.rs"),
            text!("generator/runtime/src/client/tracking.rs"),
            text!("generator/runtime/src/retry.rs"),
            text!("generator/runtime/src/pages/listing.rs"),
            text!("generator/runtime/src/batches/call.rs"),
            text!("generator/runtime/src/batches/direct.rs"),
            text!("generator/runtime/src/confirm/calls.rs"),
            text!("generator/runtime/src/confirm/each.rs"),
            text!("generator/runtime/src/confirm/outside.rs"),
            text!("generator/runtime/src/confirm/recover.rs"),
            text!("generator/runtime/src/reconcile/fills.rs"),
            text!("generator/runtime/src/reconcile/refresh.rs"),
            text!("generator/runtime/src/reconcile/run.rs"),
        ],
    );
    for function in ["call", "retrying", "pages", "batch", "settle", "settle_each"] {
        assert!(awaited.contains(function), "{function}");
    }
    let blocking = functions_of(" ClientCore {", &[text!("generator/runtime/src/blocking/client.rs")]);
    assert_eq!(differences(&awaited, &blocking, &["to_async", "wait"]), Vec::<&String>::new());
    let (pages, items) =
        (text!("generator/runtime/src/pages/listing.rs"), text!("generator/runtime/src/pages/items.rs"));
    let awaited: BTreeSet<_> =
        &functions_of("<O: Paged> Pages<O> {", &[pages]) | &functions_of("<O: Paged> Items<O> {", &[items]);
    let blocking = functions(&[text!("generator/runtime/src/blocking/pages.rs")]);
    // Iterators have these.
    assert_eq!(differences(&awaited, &blocking, &["new", "next_page", "next"]), Vec::<&String>::new());
    let calls = [text!("generator/runtime/src/batches/call.rs"), text!("generator/runtime/src/confirm/each.rs")];
    let awaited: BTreeSet<_> = &functions_of("<O: Batch> BatchCall<O> {", &calls)
        | &functions_of("<O: ConfirmableItems> BatchCall<O> {", &calls);
    let blocking = functions(&[text!("generator/runtime/src/blocking/batch.rs")]);
    assert_eq!(differences(&awaited, &blocking, &["new"]), Vec::<&String>::new());
}

macro_rules! call_each {
    ($($operation:ty),+ $(,)?) => {
        async fn call_each(server: &ScriptedServer) -> usize {
            let mut count = 0;
            $(
                is_sent_alike::<$operation>(server).await;
                count += 1;
            )+
            count
        }
    };
}
tradeapi::for_each_operation!(call_each);

/// The requests are equal to the byte, apart from the connection.
async fn is_sent_alike<O: Operation + Parameters + Sync>(server: &ScriptedServer) {
    let example = &schema::examples(O::META)[0];
    let request = O::from_json(&example.request).unwrap();
    let clock = FixedClock(Timestamp::from_millis(1_790_000_000_000));
    let credentials = Credentials::new("key", "secret", "passphrase");
    let awaited = Client::builder(server.url()).credentials(credentials.clone()).clock(clock).build().unwrap();
    let blocking = blocking::Client::builder(server.url()).credentials(credentials).clock(clock).build().unwrap();
    for _ in 0..2 {
        server.answer_next(Answer::json(example.response.clone()));
    }
    let one = awaited.call(&request).await.unwrap();
    let other = blocking.call(&request).unwrap();
    assert_eq!(one.raw, other.raw);
    let sent: Vec<_> = server.take_requests().into_iter().map(without_connection).collect();
    assert_eq!((sent.len(), &sent[0]), (2, &sent[1]));
}

fn without_connection(mut request: Request) -> Request {
    request.connection = 0;
    request
}

#[tokio::test]
async fn every_operation_is_sent_alike() {
    assert_eq!(call_each(&ScriptedServer::start().unwrap()).await, 30);
}
