//! Every operation with every example of the schema, succeeding and failing: printed values show no secret and no
//! signature, and tracing contains nothing of requests and answers.

use std::fmt::Debug;
use std::future::Ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tradeapi::runtime::client::{Callable, LimitMode};
use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::error::TransportError;
use tradeapi::runtime::tables::Access;
use tradeapi::runtime::transport::{self, Transport};
use tradeapi::{Account, Client, Error, Operation, Timestamp};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::recording::Recording;
use tradeapi_tests::schema::{self, Example};

use super::printed::Printed;
use super::{KEY, PASSPHRASE, SECRET, credentials};

/// The caller's name of the account, which is private, but not a secret.
const ACCOUNT: &str = "canaryaccountR0";

/// Shorter texts occur everywhere.
const MIN_LENGTH: usize = 6;

macro_rules! call_each {
    ($($operation:ty),+ $(,)?) => {
        async fn each(server: &ScriptedServer) -> (usize, Vec<String>) {
            let (mut calls, mut signatures) = (0, Vec::new());
            $(for example in schema::examples(<$operation as Operation>::META) {
                let made = shows_nothing::<$operation>(server, &example).await;
                calls += made.0;
                signatures.extend(made.1);
            })+
            (calls, signatures)
        }
    };
}
tradeapi::for_each_operation!(call_each);

#[tokio::test]
async fn no_operation_shows_secrets_in_any_outcome() {
    let server = ScriptedServer::start().unwrap();
    let (calls, signatures) = each(&server).await;
    assert!(
        calls >= schema::operations().len() * 9 && signatures.len() > 200,
        "{calls} calls, {} signatures",
        signatures.len()
    );
    let mut canaries: Vec<_> = signatures.iter().map(String::as_str).collect();
    canaries.extend([KEY, SECRET, PASSPHRASE, ACCOUNT]);
    no_snapshot_shows(&canaries, &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
}

/// Returns the number of calls, and their signatures.
async fn shows_nothing<O>(server: &ScriptedServer, example: &Example) -> (usize, Vec<String>)
where
    O: Callable<Reply: Debug> + Debug,
{
    let mut printed = Printed::default();
    let request = O::from_json(&example.request).unwrap();
    let client = client(server, example).build().unwrap();
    printed.debug(&request);
    printed.debug(&client.prepare(&request).unwrap());
    printed.debug(client.prepare(&request).unwrap().request());

    let (recording, guard) = Recording::start();
    let answers = answers(example);
    for answer in &answers {
        server.answer_next(answer.clone());
        match client.call(&request).await {
            Ok(reply) => printed.debug(&reply),
            Err(error) => printed.error(&error),
        }
    }
    printed.error(&unheard(&request).await);
    printed.display(&panic_of(server, example, &request).await);
    drop(guard);

    let mut signatures: Vec<_> =
        server.take_requests().iter().filter_map(|request| request.header("access-sign").map(str::to_owned)).collect();
    assert_eq!(signatures.is_empty(), O::META.access == Access::Public, "{}", example.about);
    signatures.dedup();
    let secrets = [KEY, SECRET, PASSPHRASE];
    let canaries: Vec<_> = secrets.into_iter().chain(signatures.iter().map(String::as_str)).collect();
    printed.shows_none_of(&canaries);

    let mut printed = Printed::default();
    printed.debug(&recording.all());
    printed.shows_none_of(&canaries);
    printed.shows_none_of(&[ACCOUNT]);
    assert_eq!(recording.calls().len(), answers.len() + 2);
    tells_nothing_of(example, &recording);
    (recording.calls().len(), signatures)
}

fn client(server: &ScriptedServer, example: &Example) -> tradeapi::runtime::ClientBuilder<Client> {
    over_any_transport(server, example).max_body(100_000).call_timeout(Duration::from_secs(60))
}

fn over_any_transport(server: &ScriptedServer, example: &Example) -> tradeapi::runtime::ClientBuilder<Client> {
    let time = parsed(&example.response)["requestTime"].as_u64().unwrap();
    Client::builder(server.url())
        .credentials(credentials())
        .account(Account::named(ACCOUNT))
        .clock(FixedClock(Timestamp::from_millis(time)))
        .limits(LimitMode::Off)
}

fn answers(example: &Example) -> Vec<Answer> {
    let whole = Answer::json(example.response.clone());
    vec![
        whole.clone(),
        Answer::json(r#"{"code":"40762","msg":"no","data":null}"#),
        Answer::json(r#"{"code":"45001","msg":"late","data":null}"#).status(500),
        Answer::json(r#"{"code":"40008","msg":"expired","requestTime":1790000000000,"data":null}"#).status(400),
        Answer::json(r#"{"code":"98765","msg":"new"}"#),
        Answer::new(502, "<html>"),
        Answer::json("{"),
        whole.cut_off_after(3),
        Answer::close(),
    ]
}

/// Returns the error of a call to a closed port.
async fn unheard<O: Callable>(request: &O) -> Error {
    let gone = ScriptedServer::start().unwrap().url();
    let client = Client::builder(gone).credentials(credentials()).checks(false).limits(LimitMode::Off).build();
    client.unwrap().call(request).await.map(drop).unwrap_err()
}

/// Returns the output when a transport panics with the whole request.
async fn panic_of<O: Callable>(server: &ScriptedServer, example: &Example, request: &O) -> String {
    let client = over_any_transport(server, example).transport(panicking()).build().unwrap();
    let mut call = pin!(client.call(request));
    let panic = std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(_)) => panic!("answered"),
        Err(panic) => Poll::Ready(panic),
    })
    .await;
    let text = panic.downcast_ref::<String>().cloned().unwrap();
    assert!(text.contains(O::META.path), "{text}");
    text
}

fn panicking() -> impl Transport {
    transport::from_fn(|request| -> Ready<Result<http::Response<Bytes>, TransportError>> {
        std::panic::resume_unwind(Box::new(format!("lost {request:?} {:?}", request.headers())))
    })
}

/// Checks that no value of the request or of its answer's data reaches a subscriber.
fn tells_nothing_of(example: &Example, recording: &Recording) {
    let response = parsed(&example.response);
    let mut values = Vec::new();
    for json in [&parsed(&example.request), &response["data"], &response["requestTime"]] {
        scalars(json, &mut values);
    }
    values.retain(|value| value.len() >= MIN_LENGTH);
    for printed in recording.all() {
        // The duration may be any number.
        let fields = printed.fields().into_iter().filter(|field| !field.ends_with("_us"));
        let texts = fields.filter_map(|field| printed.get(field)).chain([printed.name.as_str()]);
        for text in texts {
            let found = values.iter().find(|value| text.contains(value.as_str()));
            assert_eq!(found, None, "{}: {printed:?}", example.about);
        }
    }
}

fn scalars(json: &Value, to: &mut Vec<String>) {
    match json {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => to.push(number.to_string()),
        Value::String(text) => to.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| scalars(item, to)),
        Value::Object(members) => members.values().for_each(|member| scalars(member, to)),
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// Snapshots are committed, so their content is public.
fn no_snapshot_shows(canaries: &[&str], folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            no_snapshot_shows(canaries, &path);
        } else if path.extension().is_some_and(|end| end == "snap") {
            let text = std::fs::read_to_string(&path).unwrap();
            let shown = canaries.iter().find(|canary| text.contains(**canary));
            assert_eq!(shown, None, "{}", path.display());
        }
    }
}
