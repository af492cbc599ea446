//! The outcome of changes, row by row of the schema's table, for every such operation, over real sockets and with every
//! transport: done, not done and unknown are never confused.

use std::collections::{BTreeSet, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::{Callable, LimitMode};
use tradeapi::runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi::runtime::tables::{CallResult, Certainty, CodeProof, Effect, KnownError, Meta, Outcome, Stage};
use tradeapi::runtime::transport::{self, Transport, TransportLimits};
use tradeapi::runtime::wire::CodePolicy;
use tradeapi::{API, Client, Credentials, Error, Operation, unified};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::refusing_limiter::RefusingLimiter;
use tradeapi_tests::schema;
use tradeapi_tests::transports::Over;

type Called<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

/// An operation that changes something, and how its first example is called.
#[derive(Clone, Copy)]
struct Change {
    meta: &'static Meta,
    call: for<'a> fn(&'a Client, &'a str) -> Called<'a>,
}

macro_rules! changes_of {
    ($($operation:ty),+ $(,)?) => {
        fn changes() -> Vec<Change> {
            let all = vec![$(Change { meta: <$operation as Operation>::META, call: call::<$operation> }),+];
            all.into_iter().filter(|change| change.meta.effect != Effect::Read).collect()
        }
    };
}
tradeapi::for_each_operation!(changes_of);

fn call<'a, O: Callable>(client: &'a Client, request: &'a str) -> Called<'a> {
    Box::pin(async move { client.call(&O::from_json(request).unwrap()).await.map(drop) })
}

impl Change {
    async fn on(self, client: &Client) -> Result<(), Error> {
        (self.call)(client, &schema::examples(self.meta)[0].request).await
    }

    /// Returns the outcome after a refusal with a trusted code: a compound request may be partly done.
    fn refused_with(self, known: &KnownError) -> Outcome {
        let request: serde_json::Value = serde_json::from_str(&schema::examples(self.meta)[0].request).unwrap();
        let has = |(name, value): (&str, &str)| {
            let items = request.as_array().map_or_else(|| std::slice::from_ref(&request), Vec::as_slice);
            items.iter().any(|item| item[name] == value)
        };
        let does_several = self.meta.compound.is_some_and(|compound| compound.when.is_none_or(has));
        match known.proves {
            CodeProof::Timestamp | CodeProof::Credentials | CodeProof::Rate => Outcome::NotDone,
            CodeProof::NotDone | CodeProof::NoSuchOrder if does_several && known.stage == Stage::Trading => {
                Outcome::Unknown
            }
            CodeProof::NoSuchOrder if self.meta.effect == Effect::Create => Outcome::Unknown,
            CodeProof::NotDone | CodeProof::NoSuchOrder => Outcome::NotDone,
            _ => Outcome::Unknown,
        }
    }

    /// Returns the result of the request with this answer of the exchange.
    async fn answered(self, server: &ScriptedServer, client: &Client, answer: Answer) -> Result<(), Error> {
        server.take_requests();
        server.answer_next(answer);
        let result = self.on(client).await;
        assert_eq!(server.requests().len(), 1, "{}: sent once, whatever happens", self.meta.id);
        result
    }
}

fn client(over: Over, address: String) -> ClientBuilder<Client> {
    limited(over, address, TransportLimits { max_body: 1_000_000, ..TransportLimits::default() })
}

fn limited(over: Over, address: String, limits: TransportLimits) -> ClientBuilder<Client> {
    let credentials = Credentials::new("key", "secret", "passphrase");
    over.client(address, limits).credentials(credentials).limits(LimitMode::Off)
}

fn client_that_trusts(over: Over, address: String, codes: CodePolicy) -> Client {
    client(over, address).codes(codes).build().unwrap()
}

/// Compares an error with the row for `call_result`: how the call ended, its outcome, and that an unknown outcome is
/// reported as such.
fn expect(change: Change, result: Result<(), Error>, call_result: CallResult, outcome: Outcome) {
    let id = change.meta.id;
    let error = match result {
        Ok(()) => return assert_eq!(outcome, Outcome::Done, "{id} {call_result:?}"),
        Err(error) => error,
    };
    assert_eq!((error.call_result(), error.outcome()), (call_result, outcome), "{id}: {error}");
    match error {
        Error::Unknown(unknown) => {
            assert_eq!(outcome, Outcome::Unknown, "{id}");
            assert_eq!((unknown.operation, unknown.effect), (id, change.meta.effect));
            assert_eq!(unknown.sent.uri.path(), change.meta.path);
            let body = String::from_utf8_lossy(&unknown.sent.body).into_owned();
            assert!(unknown.client_ids.iter().all(|own| body.contains(own)), "{id}");
            let example = &schema::examples(change.meta)[0].request;
            let has_id = change.meta.client_id.is_some_and(|own| example.contains(&format!("{:?}", own.parameter)));
            assert_eq!(unknown.client_ids.is_empty(), !has_id, "{id}");
        }
        other => assert_eq!((other.outcome(), outcome), (Outcome::NotDone, Outcome::NotDone), "{id}: {other}"),
    }
}

tradeapi_tests::over_each_transport!(
    what_was_not_sent_did_not_happen,
    without_an_answer_it_is_unknown,
    listed_codes_decide_and_unlisted_ones_do_not,
    an_observed_code_decides_when_several_sources_agree,
    credentials_are_checked_by_one_read,
    what_cannot_be_understood_is_unknown,
);

/// The rows of the schema; `None` if the code decides.
#[test]
fn the_table_is_complete() {
    use CallResult::*;
    let rows: Vec<_> = API.outcomes.iter().map(|row| (row.when, row.outcome)).collect();
    let (not_done, unknown) = (Some(Outcome::NotDone), Some(Outcome::Unknown));
    let expected = [
        (Refused, not_done),
        (Unsigned, not_done),
        (Limited, not_done),
        (NotConnected, not_done),
        (NotWritten, not_done),
        (ConnectionLost, unknown),
        (TimedOut, unknown),
        (AnswerTooLong, unknown),
        (Success, Some(Outcome::Done)),
        (ListedCode, None),
        (ObservedCode, None),
        (TimestampRefused, not_done),
        (CredentialsRefused, not_done),
        (UnlistedCode, unknown),
        (TooManyRequests, None),
        (ServerError, unknown),
        (OtherStatus, unknown),
        (Unreadable, unknown),
        (ItemFailed, not_done),
        (ItemUnaccounted, unknown),
    ];
    assert_eq!(rows, expected);
    assert_eq!(rows.iter().map(|(when, _)| *when).collect::<Vec<_>>(), CallResult::ALL);
    assert!(API.outcomes.iter().all(|row| !row.why.is_empty()));
}

async fn what_was_not_sent_did_not_happen(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let nobody = Client::builder(server.url()).limits(LimitMode::Off).build().unwrap();
    let full = client(over, server.url()).limits(LimitMode::Refuse).limiter(Arc::new(RefusingLimiter)).build().unwrap();
    let unwritten = client(over, server.url()).transport(never_writes()).build().unwrap();
    let closed = client(over, ScriptedServer::start().unwrap().url()).build().unwrap();
    for change in changes() {
        expect(change, change.on(&nobody).await, CallResult::Unsigned, Outcome::NotDone);
        expect(change, change.on(&full).await, CallResult::Limited, Outcome::NotDone);
        expect(change, change.on(&unwritten).await, CallResult::NotWritten, Outcome::NotDone);
        expect(change, change.on(&closed).await, CallResult::NotConnected, Outcome::NotDone);
    }
    let forbidden = tradeapi::unified::PlaceOrder::new(
        tradeapi::unified::Category::Spot,
        "",
        1,
        tradeapi::unified::Side::Buy,
        tradeapi::unified::Execution::Market,
    );
    let error = client(over, server.url()).build().unwrap().call(&forbidden).await.unwrap_err();
    assert_eq!((error.call_result(), error.outcome()), (CallResult::Refused, Outcome::NotDone));
    assert_eq!(server.requests().len(), 0);
}

async fn without_an_answer_it_is_unknown(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client_of = |limit| {
        let limits =
            TransportLimits { call: Duration::from_millis(limit), max_body: 1_000, ..TransportLimits::default() };
        limited(over, server.url(), limits).build()
    };
    // Long enough for a busy machine if there is an answer, and short if there is none.
    let (patient, hasty) = (client_of(60_000).unwrap(), client_of(100).unwrap());
    for change in changes() {
        let whole = Answer::json(schema::examples(change.meta)[0].response.clone());
        let lost =
            [Answer::close(), Answer::raw("no HTTP\r\n\r\n"), whole.clone().cut_off_after(0), whole.cut_off_after(20)];
        for answer in lost {
            let result = change.answered(&server, &patient, answer).await;
            expect(change, result, CallResult::ConnectionLost, Outcome::Unknown);
        }
        let result = change.answered(&server, &patient, Answer::json(" ".repeat(1_001))).await;
        expect(change, result, CallResult::AnswerTooLong, Outcome::Unknown);
        let result = change.answered(&server, &hasty, Answer::hang()).await;
        expect(change, result, CallResult::TimedOut, Outcome::Unknown);
    }
}

async fn listed_codes_decide_and_unlisted_ones_do_not(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = client(over, server.url()).build().unwrap();
    let answer = |code: &str| Answer::json(format!(r#"{{"code":"{code}","msg":"m","requestTime":5,"data":null}}"#));
    for change in changes() {
        let success = Answer::json(schema::examples(change.meta)[0].response.clone());
        expect(change, change.answered(&server, &client, success).await, CallResult::Success, Outcome::Done);
        for status in [200, 400, 429, 500, 503] {
            for known in change.meta.errors.iter().filter(|known| !known.success) {
                let result = change.answered(&server, &client, answer(known.code).status(status)).await;
                expect(change, result, CallResult::ListedCode, change.refused_with(known));
            }
            let result = change.answered(&server, &client, answer("98765").status(status)).await;
            expect(change, result, CallResult::UnlistedCode, Outcome::Unknown);
        }
    }
}

/// Undocumented codes are trusted if several sources agree, and unknown otherwise. Each code is tried once in each
/// family, and one code of each kind with every other operation.
async fn an_observed_code_decides_when_several_sources_agree(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = client(over, server.url()).build().unwrap();
    let doubting = client_that_trusts(over, server.url(), CodePolicy::documented_only());
    let answer = |code: &str| Answer::json(format!(r#"{{"code":"{code}","msg":"m","requestTime":5,"data":null}}"#));
    let (mut believed, mut families) = (0, BTreeSet::new());
    for change in changes() {
        let family = change.meta.family;
        let is_of = |known: &&KnownError| known.families.is_empty() || known.families.contains(&family);
        let is_documented = |known: &&KnownError| change.meta.errors.iter().any(|error| error.code == known.code);
        let (is_first, mut kinds) = (families.insert(family), HashSet::new());
        for known in API.observed_codes.iter().filter(is_of).filter(|known| !is_documented(known)) {
            if !kinds.insert((known.proves, known.stage, known.certainty)) && !is_first {
                continue;
            }
            let (call_result, outcome) = match (known.certainty, known.proves) {
                (Certainty::Single | Certainty::Conflicting, _) => (CallResult::UnlistedCode, Outcome::Unknown),
                (_, CodeProof::Timestamp) => (CallResult::TimestampRefused, Outcome::NotDone),
                (_, CodeProof::Credentials) => (CallResult::CredentialsRefused, Outcome::NotDone),
                _ => (CallResult::ObservedCode, change.refused_with(known)),
            };
            believed += usize::from(call_result != CallResult::UnlistedCode);
            let result = change.answered(&server, &client, answer(known.code).status(400)).await;
            expect(change, result, call_result, outcome);
        }
        let result = change.answered(&server, &doubting, answer("40009").status(400)).await;
        expect(change, result, CallResult::UnlistedCode, Outcome::Unknown);
    }
    assert!(believed > 400, "{believed}");
}

/// A refusal of credentials states the likely cause, for any operation and client.
async fn credentials_are_checked_by_one_read(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = client(over, server.url()).build().unwrap();
    let answer = |code: &str, data: &str| {
        Answer::json(format!(r#"{{"code":"{code}","msg":"success","requestTime":5,"data":{data}}}"#))
    };
    for (code, call_result, cause) in [
        ("40012", CallResult::CredentialsRefused, "passphrase"),
        ("40099", CallResult::CredentialsRefused, "demo"),
        ("40008", CallResult::TimestampRefused, "clock"),
    ] {
        server.answer_next(answer(code, "null").status(400));
        let error = client.unified().check_credentials().await.unwrap_err();
        assert_eq!((error.call_result(), error.outcome()), (call_result, Outcome::NotDone), "{error}");
        assert!(error.to_string().contains(cause), "{error}");
        server.answer_next(answer(code, "null").status(400));
        let error = client.classic().check_credentials().await.unwrap_err();
        assert_eq!(error.call_result(), call_result, "{error}");
    }
    server.take_requests();
    server.answer_next(answer("00000", r#"{"assets":[]}"#));
    server.answer_next(answer("00000", r#"{"entrustedList":[]}"#));
    client.unified().check_credentials().await.unwrap();
    client.classic().check_credentials().await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

async fn what_cannot_be_understood_is_unknown(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = client(over, server.url()).build().unwrap();
    for change in changes() {
        let statuses = [
            // The only status whose meaning several sources state.
            (429, CallResult::TooManyRequests, Outcome::NotDone),
            (500, CallResult::ServerError, Outcome::Unknown),
            (502, CallResult::ServerError, Outcome::Unknown),
            (307, CallResult::OtherStatus, Outcome::Unknown),
            (403, CallResult::OtherStatus, Outcome::Unknown),
            (404, CallResult::OtherStatus, Outcome::Unknown),
        ];
        for ((status, call_result, outcome), body) in
            statuses.iter().flat_map(|row| ["", "<html>", "{"].map(|body| (row, body)))
        {
            let result = change.answered(&server, &client, Answer::new(*status, body)).await;
            // A truncated answer may have been a success.
            let outcome = if body == "{" { Outcome::Unknown } else { *outcome };
            expect(change, result, *call_result, outcome);
        }
        let success = &schema::examples(change.meta)[0].response;
        let truncated = success.trim_end().strip_suffix('}').unwrap();
        for body in ["", "{}", "null", r#"{"code":"00000","data":{"#, r#"{"code":"00000","data":7}"#, truncated] {
            let result = change.answered(&server, &client, Answer::json(body)).await;
            expect(change, result, CallResult::Unreadable, Outcome::Unknown);
        }
    }
}

/// A success shows nothing of a request with an id if it repeats none. It may leave out one of two.
#[tokio::test(flavor = "current_thread")]
async fn a_success_without_any_id_is_unknown() {
    let server = ScriptedServer::start().unwrap();
    let client = client(Over::ALL[0], server.url()).build().unwrap();
    let mut repeated = 0;
    for change in changes().into_iter().filter(|change| change.meta.echoes.is_some()) {
        repeated += 1;
        let nothing = [
            "null",
            "\"\"",
            "{}",
            r#"{"orderId":null}"#,
            r#"{"orderId":"","clientOid":null}"#,
            r#"{"clientOid":null}"#,
        ];
        let bodies = nothing.map(|data| format!(r#"{{"code":"00000","msg":"success","data":{data}}}"#));
        for body in bodies.into_iter().chain([r#"{"code":"00000","msg":"success"}"#.to_owned()]) {
            let result = change.answered(&server, &client, Answer::json(body)).await;
            expect(change, result, CallResult::Unreadable, Outcome::Unknown);
        }
    }
    assert_eq!(repeated, 9);

    let place = |client_oid: &str| {
        let request = format!(
            r#"{{"category":"SPOT","symbol":"BTCUSDT","qty":"1","side":"sell","orderType":"market"{client_oid}}}"#
        );
        unified::PlaceOrder::from_json(&request).unwrap()
    };
    for (client_oid, data) in [
        // A reduce-only order that replaces another one has no orderId, and nothing that it could repeat.
        ("", r#"{"orderId":null,"clientOid":null}"#),
        (r#","clientOid":"a""#, r#"{"orderId":null,"clientOid":"a"}"#),
        (r#","clientOid":"a""#, r#"{"clientOid":"a"}"#),
        (r#","clientOid":"a""#, r#"{"orderId":1,"clientOid":"a"}"#),
    ] {
        server.answer_next(Answer::json(format!(r#"{{"code":"00000","msg":"success","data":{data}}}"#)));
        client.call(&place(client_oid)).await.unwrap();
    }
}

/// Returns a transport that loses every connection before it writes, which a real socket cannot be made to do.
fn never_writes() -> impl Transport {
    transport::from_fn(|_| async { Err(TransportError::new(TransportErrorKind::Closed, Delivery::NotSent)) })
}
