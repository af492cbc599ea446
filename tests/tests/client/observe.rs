//! The tracing of calls: the operation, the result, and the right span.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::confirm::ConfirmPolicy;
use tradeapi::runtime::limits::{Admission, Call, Limiter, RateLimitFeedback, Reservation};
use tradeapi::runtime::retry::RetryPolicy;
use tradeapi::unified::{Category, ClientOid, GetFillHistory, GetOrderDetails, OrderId, OrderRef, PlaceOrder};
use tradeapi::{Client, Credentials};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::recording::{Recording, Span};
use tradeapi_tests::refusing_limiter::RefusingLimiter;

const ACCEPTED: &str = r#"{"code":"00000","msg":"success","requestTime":5,"data":{"orderId":"1","clientOid":"a-1"}}"#;

fn client(server: &ScriptedServer) -> Client {
    let credentials = Credentials::new("key", "secret", "passphrase");
    Client::builder(server.url()).credentials(credentials).limits(LimitMode::Off).build().unwrap()
}

fn order() -> PlaceOrder {
    PlaceOrder::spot_market_buy("BTCUSDT", 10).client_oid(ClientOid::new("a-1").unwrap())
}

fn details() -> GetOrderDetails {
    GetOrderDetails::new(OrderRef::OrderId(OrderId::from("1")))
}

/// Returns some fields of a span as text; missing ones are `-`.
fn values(span: &Span, fields: &[&str]) -> String {
    fields.iter().map(|field| span.fields.get(field).unwrap_or("-")).collect::<Vec<_>>().join(" ")
}

/// Returns the result fields of a call.
fn end(span: &Span) -> String {
    values(span, &["status", "code", "call_result", "outcome"])
}

#[tokio::test]
async fn a_successful_call_has_a_span_with_its_operation_and_result() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(ACCEPTED));
    client(&server).call(&order()).await.unwrap();
    let calls = recording.calls();
    assert_eq!(calls.len(), 1);
    let named = values(&calls[0], &["api", "operation", "family", "method", "path", "attempt"]);
    assert_eq!(named, "tradeapi unified.place-order unified POST /api/v3/trade/place-order 1");
    assert_eq!(end(&calls[0]), "200 - success done");
    let sent = server.requests()[0].body.len();
    assert_eq!(
        values(&calls[0], &["bytes_sent", "bytes_received", "waited_us"]),
        format!("{sent} {} 0", ACCEPTED.len())
    );
    assert!(calls[0].fields.get("duration_us").unwrap().parse::<u64>().unwrap() > 0);
    assert!(calls[0].closed && recording.depth() == 0 && recording.events().is_empty());
    // No other field is recorded.
    let all = "api attempt bytes_received bytes_sent call_result duration_us family method operation outcome path status waited_us";
    assert_eq!(calls[0].fields.fields().join(" "), all);
}

#[tokio::test]
async fn queries_have_no_event() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code":"00000","data":{"list":[]}}"#));
    let fills = GetFillHistory::new().category(Category::UsdtFutures).order_id("1234567890");
    client(&server).call(&fills).await.unwrap();
    assert_eq!(values(&recording.calls()[0], &["method", "path", "bytes_sent"]), "GET /api/v3/trade/fills 0");
    assert!(server.requests()[0].query.as_ref().unwrap().contains("1234567890"));
    assert!(!format!("{:?}", recording.all()).contains("1234567890"));
}

#[tokio::test]
async fn every_result_is_traced() {
    let server = ScriptedServer::start().unwrap();
    let code = |code: &str| Answer::json(format!(r#"{{"code":"{code}","msg":"no","data":null}}"#));
    for (answer, expected) in [
        (code("40762"), "200 40762 listed-code not_done"),
        (code("45001"), "200 45001 listed-code unknown"),
        (code("98765").status(400), "400 98765 unlisted-code unknown"),
        (code("43012"), "200 43012 observed-code not_done"),
        (code("40012").status(400), "400 40012 credentials-refused not_done"),
        (code("40008").status(400), "400 40008 timestamp-refused not_done"),
        (code(&"9".repeat(33)), "200 - unlisted-code unknown"),
        (Answer::new(502, "<html>"), "502 502 server-error unknown"),
        (Answer::close(), "- - connection-lost unknown"),
        (Answer::json("{"), "200 - unreadable unknown"),
    ] {
        let (recording, _guard) = Recording::start();
        server.answer_next(answer);
        client(&server).call(&order()).await.unwrap_err();
        assert_eq!(end(&recording.calls()[0]), expected);
        // An unknown outcome is an event of its own, within the span.
        let events = recording.events();
        assert_eq!(events.len(), usize::from(expected.ends_with(" unknown")), "{expected}");
        for event in events {
            assert_eq!(event.fields.name, "the outcome of the call is unknown");
            assert_eq!(event.fields.get("operation"), Some("unified.place-order"));
            assert_eq!(event.fields.get("code"), recording.calls()[0].fields.get("code"));
            assert!(event.within.is_some());
        }
    }
}

#[tokio::test]
async fn unsent_calls_are_traced() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    client(&server).call(&GetFillHistory::new().limit(101)).await.unwrap_err();
    Client::builder(server.url()).build().unwrap().call(&order()).await.unwrap_err();
    let limited =
        Client::builder(server.url()).credentials(Credentials::new("k", "s", "p")).limiter(Arc::new(RefusingLimiter));
    limited.limits(LimitMode::Refuse).build().unwrap().call(&order()).await.unwrap_err();
    let ends: Vec<_> =
        recording.calls().iter().map(|span| values(span, &["bytes_sent", "call_result", "outcome"])).collect();
    assert_eq!(ends, ["- refused not_done", "- unsigned not_done", "- limited not_done"]);
}

#[tokio::test]
async fn each_attempt_is_a_span_and_each_pause_between_them_an_event() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::new(503, ""));
    server.answer_next(Answer::json(r#"{"code":"40725","data":null}"#));
    server.answer_next(Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#));
    let policy = RetryPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(1));
    client(&server).retrying(&policy).call(&details()).await.unwrap();
    let calls: Vec<_> = recording.calls().iter().map(|span| values(span, &["attempt", "code", "outcome"])).collect();
    assert_eq!(calls, ["1 503 not_done", "2 40725 not_done", "3 - done"]);
    let pauses = recording.events();
    let pauses: Vec<_> = pauses.iter().map(|event| (event.fields.name.as_str(), event.fields.get("attempt"))).collect();
    assert_eq!(pauses, [("pausing before a retry", Some("1")), ("pausing before a retry", Some("2"))]);
}

#[tokio::test]
async fn queries_of_unknown_outcomes_are_traced() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::close());
    server.answer_next(Answer::json(r#"{"code":"40010","data":null}"#));
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    let found = format!(r#"{{"code":"00000","data":{{"orderId":"1","clientOid":"a-1","createdTime":"{now}"}}}}"#);
    server.answer_next(Answer::json(found));
    let policy = ConfirmPolicy::new().pauses(Duration::from_millis(1), Duration::from_millis(1));
    client(&server).place_and_confirm(&order(), &policy).await.outcome();
    let calls: Vec<_> = recording.calls().iter().map(|span| values(span, &["operation", "outcome"])).collect();
    let question = "unified.order-info";
    assert_eq!(
        calls,
        ["unified.place-order unknown".to_owned(), format!("{question} not_done"), format!("{question} done")]
    );
    let events = recording.events();
    let queried = events.iter().filter(|event| event.fields.name == "queried the outcome of a call");
    let queried: Vec<_> = queried
        .map(|event| ["operation", "queries", "outcome"].map(|field| event.fields.get(field).unwrap()))
        .collect();
    assert_eq!(queried, [["unified.place-order", "1", "unknown"], ["unified.place-order", "2", "done"]]);
}

#[tokio::test]
async fn concurrent_calls_have_spans_of_their_own() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    let credentials = Credentials::new("key", "secret", "passphrase");
    let client = Client::builder(server.url()).credentials(credentials).limiter(Arc::new(SlowLimiter)).build().unwrap();
    server.answer_otherwise(|request| match request.method.as_str() {
        "GET" => Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#),
        _ => Answer::json(r#"{"code":"45001","data":null}"#),
    });
    let (order, details) = (order(), details());
    let both = async { tokio::join!(client.call(&order), client.call(&details)) };
    let mut both = pin!(both);
    // No span is entered between polls, when other tasks run on the thread.
    let (ordered, read) = poll_fn(|context| {
        let polled = both.as_mut().poll(context);
        assert_eq!(recording.depth(), 0);
        polled
    })
    .await;
    assert!(ordered.is_err() && read.is_ok());
    let calls = recording.calls();
    let ends: Vec<_> = calls.iter().map(|span| values(span, &["operation", "waited_us", "outcome"])).collect();
    assert_eq!(ends, ["unified.place-order 7000 unknown", "unified.order-info 7000 done"]);
    let events = recording.events();
    let of: Vec<_> =
        events.iter().map(|event| (event.fields.name.as_str(), event.fields.get("operation").unwrap())).collect();
    let waits = "waiting for a rate limit";
    let unknown = "the outcome of the call is unknown";
    let expected = [(waits, "unified.place-order"), (waits, "unified.order-info"), (unknown, "unified.place-order")];
    assert_eq!(of, expected);
    let spans: Vec<_> = events.iter().map(|event| event.within).collect();
    assert!(spans[0] != spans[1] && spans[0] == spans[2] && spans[0].is_some());
}

#[tokio::test]
async fn a_dropped_call_has_no_result() {
    let (recording, _guard) = Recording::start();
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::hang());
    let client = client(&server);
    let order = order();
    tokio::select! {
        biased;
        _ = client.call(&order) => panic!("answered"),
        () = server.reached(1) => {}
    }
    let calls = recording.calls();
    assert!(calls[0].closed && recording.depth() == 0);
    assert_eq!((calls[0].fields.get("bytes_sent").is_some(), calls[0].fields.get("outcome")), (true, None));
}

/// A limiter that admits every call at the second poll.
struct SlowLimiter;

impl Limiter for SlowLimiter {
    fn admit<'a>(&'a self, _: Call<'a>, _: bool) -> Admission<'a> {
        let mut queried = false;
        Admission::Later(Box::pin(poll_fn(move |context| {
            if std::mem::replace(&mut queried, true) {
                return Poll::Ready(Ok(Reservation::new(0, Duration::from_millis(7))));
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })))
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}
}
