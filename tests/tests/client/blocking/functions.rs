//! The blocking client has every function of the async client.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tradeapi::runtime::client::Callable;
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::parameters::Parameters;
use tradeapi::{Client, Credentials, Timestamp, blocking};
use tradeapi_tests::loopback::{Answer, Request, ScriptedServer};
use tradeapi_tests::schema;

/// Returns the public functions in a file of Rust.
fn functions(texts: &[&str]) -> BTreeSet<String> {
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    let names = lines.filter_map(|line| {
        let rest = line.strip_prefix("pub async fn ").or_else(|| line.strip_prefix("pub fn "))?;
        rest.split(['<', '(']).next()
    });
    names.map(str::to_owned).collect()
}

/// Returns the functions that only one of two has, without intended differences.
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

/// Returns the texts of the runtime, those of its blocking client or all others.
fn runtime(of_blocking: bool) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generator/runtime/src");
    let mut folders = vec![source.clone()];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.starts_with(source.join("facade/blocking")) == of_blocking {
                texts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

/// Returns the public functions of a type, whose blocks begin with one of `headers`.
fn functions_of(headers: &[&str], texts: &[String]) -> BTreeSet<String> {
    let blocks = texts.iter().flat_map(|text| text.split("\nimpl").skip(1));
    let bodies = blocks.filter_map(|block| {
        let rest = headers.iter().find_map(|header| block.strip_prefix(header))?;
        rest.split_once("\n}\n").map(|(body, _)| body)
    });
    functions(&bodies.collect::<Vec<_>>())
}

#[test]
fn every_function_of_the_runtime_is_async_and_blocking() {
    let texts = [runtime(false), runtime(true)];
    for (headers, some, meant) in [
        (&[" ClientCore {"][..], &["call", "send", "prepare", "admit"][..], &["to_async", "wait"][..]),
        // Iterators have `next_page` and `next`.
        (&["<O: Paged> Pages<O> {", "<O: Paged> Items<O> {"], &["items", "resume"], &["new", "next_page", "next"]),
        (&["<O: Batch> BatchCall<O> {", "<O: ConfirmableItems> BatchCall<O> {"], &["send"], &["new"]),
    ] {
        let [awaited, blocking] = texts.each_ref().map(|texts| functions_of(headers, texts));
        for function in some {
            assert!(awaited.contains(*function), "{function}");
        }
        assert_eq!(differences(&awaited, &blocking, meant), Vec::<&String>::new());
    }
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
async fn is_sent_alike<O: Callable + Parameters + Sync>(server: &ScriptedServer) {
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
    assert_eq!(one.as_ref().raw, other.as_ref().raw);
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
