//! Arbitrary bytes as the answer to any operation: nothing panics or hangs, and a broken answer proves no outcome of a
//! change.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::Deserialize;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::drift::Drift;
use tradeapi::runtime::tables::{Certainty, CodeProof, Effect, Meta, Outcome};
use tradeapi::runtime::wire::read_response;
use tradeapi::{API, Client, Credentials, Error, Operation, unified};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::schema;

/// An operation, and how its answers are read.
#[derive(Clone, Debug)]
struct Read {
    meta: &'static Meta,
    read: fn(Response<Bytes>) -> Result<(), Error>,
    /// Reads an answer, collects its drift, and prints the error and the report.
    print: fn(Response<Bytes>) -> String,
    /// Valid answers.
    examples: Vec<String>,
}

macro_rules! reads_of {
    ($($operation:ty),+ $(,)?) => {
        fn reads() -> &'static [Read] {
            static ALL: OnceLock<Vec<Read>> = OnceLock::new();
            ALL.get_or_init(|| vec![$(read_of::<$operation>()),+])
        }
    };
}
tradeapi::for_each_operation!(reads_of);

fn read_of<O: Operation>() -> Read {
    let examples = schema::examples(O::META).into_iter().map(|example| example.response).collect();
    Read { meta: O::META, read: |response| read_response::<O>(&API, response).map(drop), print: print::<O>, examples }
}

fn print<O: Operation>(response: Response<Bytes>) -> String {
    let (drift, answer) = (Drift::new(), read_response::<O>(&API, response));
    drift.record::<O>(&API, &answer);
    format!("{:?} {}", answer.map(drop), drift.report())
}

/// An envelope as read by an independent reader. An unreadable one is broken, and so is one with two codes.
#[derive(Deserialize)]
struct Envelope {
    code: serde_json::Value,
}

impl Read {
    fn example(&self, which: &Index) -> &[u8] {
        which.get(&self.examples).as_bytes()
    }

    /// Reads an answer, and compares its outcome with the table of outcomes.
    fn check(&self, status: u16, body: &[u8]) {
        let mut response = Response::new(Bytes::copy_from_slice(body));
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        let result = (self.read)(response);
        let outcome = result.as_ref().map_or_else(Error::outcome, |()| Outcome::Done);
        if self.meta.effect == Effect::Read {
            return;
        }
        let stated = self.stated(body);
        let text = String::from_utf8_lossy(body);
        match outcome {
            Outcome::Unknown => {}
            // Several sources agree that such an answer is a refusal.
            Outcome::NotDone if stated.is_none() && status == 429 && is_not_a_torn_envelope(&text) => {}
            _ => assert_eq!(Some(outcome), stated, "{} with status {status}: {text}", self.meta.id),
        }
    }

    /// Returns the expected result of a complete answer.
    fn stated(&self, body: &[u8]) -> Option<Outcome> {
        let text = String::from_utf8_lossy(body);
        let envelope: Envelope = serde_json::from_str(&as_the_other_reads_it(&text)).ok()?;
        let code = match &envelope.code {
            serde_json::Value::String(code) => code.clone(),
            other => other.to_string(),
        };
        let known = self.meta.errors.iter().chain(tradeapi::API.observed_codes).find(|known| known.code == code);
        match known {
            _ if code == "00000" => Some(Outcome::Done),
            Some(known) if known.success => Some(Outcome::Done),
            Some(known) if matches!(known.certainty, Certainty::Documented | Certainty::Several) => {
                match known.proves {
                    CodeProof::Unknown | CodeProof::DuplicateId => Some(Outcome::Unknown),
                    _ => Some(Outcome::NotDone),
                }
            }
            Some(_) | None => None,
        }
    }
}

/// Returns the text without what the independent reader refuses: a byte-order mark, and unpaired surrogates.
fn as_the_other_reads_it(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parts = text.split("\\u");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_surrogate = part
            .get(..4)
            .and_then(|unit| u16::from_str_radix(unit, 16).ok())
            .is_some_and(|unit| (0xd800..0xe000).contains(&unit));
        whole += if is_surrogate { "\\ufffd" } else { "\\u" };
        whole += if is_surrogate { &part[4..] } else { part };
    }
    whole
}

/// Returns whether no truncated or damaged answer can be a success.
fn is_not_a_torn_envelope(text: &str) -> bool {
    let text = as_the_other_reads_it(text);
    !text.trim_start().starts_with('{') || serde_json::from_str::<serde_json::Value>(&text).is_ok()
}

/// Returns statuses, with more weight for common ones.
fn status() -> impl Strategy<Value = u16> {
    prop_oneof![4 => Just(200), 2 => select(vec![400, 401, 404, 429, 500, 502, 503]), 1 => 100_u16..=999]
}

/// Returns text that resembles JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\"code\"",
        "\"data\"",
        "\"msg\"",
        "\"requestTime\"",
        "\"00000\"",
        "\"43001\"",
        "\"24056\"",
        "\"45001\"",
        "null",
        "true",
        "0",
        "-1.5e9",
        "\\u0000",
        "\\ud800",
        " ",
        "\n",
        "\"clientOid\"",
        "\u{e9}",
        "\u{feff}",
    ];
    vec(select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

/// Returns hostile numbers: with extreme exponents, and with more digits than any type has.
fn hostile_number() -> impl Strategy<Value = String> {
    let ends = [i128::from(i32::MIN), i128::from(i32::MAX), i128::from(i64::MIN), i128::from(i64::MAX), -1000, 1000, 0];
    let exponent = (select(ends.to_vec()), -1_i128..=1).prop_map(|(end, off)| format!("e{}", end + off));
    prop_oneof![
        ("-?[1-9][0-9]{0,3}", exponent.clone()).prop_map(|(digits, exponent)| digits + &exponent),
        ("-?0\\.[0-9]{1,400}", exponent).prop_map(|(digits, exponent)| digits + &exponent),
        "-?[1-9][0-9]{15,400}",
        select(vec![u64::MAX, u64::MAX - 1, i64::MAX as u64, i64::MAX as u64 + 1, 0]).prop_map(|end| end.to_string()),
    ]
}

/// Replaces each number of `json`, as text or as a number.
fn with_numbers(json: &str, number: &str, as_text: bool) -> String {
    let number = if as_text { format!("{number:?}") } else { number.to_owned() };
    let mut parts = json.split(':');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let value = part.trim_start().trim_start_matches('"');
        let digits = value.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '.'));
        out.push(':');
        match digits.len() < value.len() {
            true => out.extend([&number, digits.strip_prefix('"').unwrap_or(digits)]),
            false => out.push_str(part),
        }
    }
    out
}

/// A mutation of a valid answer.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, Index),
    Repeat(Index, Index),
}

fn blow() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (any::<Index>(), select(b"{}[]\",:\\0e-. ".to_vec())).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (any::<Index>(), vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        (any::<Index>(), nearly_json()).prop_map(|(at, text)| Mutation::Insert(at, text.into_bytes())),
        any::<(Index, Index)>().prop_map(|(from, to)| Mutation::Remove(from, to)),
        any::<(Index, Index)>().prop_map(|(from, to)| Mutation::Repeat(from, to)),
    ]
}

impl Mutation {
    fn strike(&self, bytes: &mut Vec<u8>) {
        let size = bytes.len() + 1;
        let range = |one: &Index, other: &Index| {
            let (one, other) = (one.index(size), other.index(size));
            one.min(other)..one.max(other)
        };
        match self {
            Self::Replace(at, byte) => {
                let at = at.index(size);
                if let Some(place) = bytes.get_mut(at) {
                    *place = *byte;
                }
            }
            Self::Insert(at, new) => drop(bytes.splice(at.index(size)..at.index(size), new.iter().copied())),
            Self::Remove(from, to) => drop(bytes.drain(range(from, to))),
            Self::Repeat(from, to) => {
                let again = bytes[range(from, to)].to_vec();
                let end = range(from, to).end;
                drop(bytes.splice(end..end, again));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(status in status(), body in vec(any::<u8>(), 0..300)) {
        reads().iter().for_each(|read| read.check(status, &body));
    }

    #[test]
    fn nearly_anything(status in status(), body in nearly_json()) {
        reads().iter().for_each(|read| read.check(status, body.as_bytes()));
    }

    #[test]
    fn answers_that_were_struck(status in status(), which in any::<Index>(), blows in vec(blow(), 1..4)) {
        for read in reads() {
            let mut body = read.example(&which).to_vec();
            blows.iter().for_each(|blow| blow.strike(&mut body));
            read.check(status, &body);
        }
    }

    #[test]
    fn refusals_that_were_struck(
        status in status(),
        code in select(vec!["43001", "24056", "40762", "45001", "98765"]),
        is_first in any::<bool>(),
        which in any::<Index>(),
        blows in vec(blow(), 1..4),
    ) {
        for read in reads() {
            let data = String::from_utf8_lossy(read.example(&which)).into_owned();
            let mut body = match is_first {
                true => format!(r#"{{"code":"{code}","msg":"no","requestTime":5,"data":{data}}}"#),
                false => format!(r#"{{"data":{data},"requestTime":5,"msg":"no","code":"{code}"}}"#),
            };
            read.check(status, body.as_bytes());
            let mut bytes = std::mem::take(&mut body).into_bytes();
            blows.iter().for_each(|blow| blow.strike(&mut bytes));
            read.check(status, &bytes);
        }
    }

    #[test]
    fn numbers_that_no_exchange_means(
        which in any::<Index>(),
        number in hostile_number(),
        as_text in any::<bool>(),
        successful in any::<bool>(),
    ) {
        for read in reads() {
            let example = String::from_utf8_lossy(read.example(&which)).into_owned();
            let body = with_numbers(&example, &number, as_text);
            // The code is one of them.
            let code = if as_text { format!(r#""code":{number:?}"#) } else { format!(r#""code":{number}"#) };
            let body = if successful { body.replace(&code, r#""code":"00000""#) } else { body };
            read.check(200, body.as_bytes());
            let longest = 100 * example.len() + 50 * body.len() + 10_000;
            let printed = (read.print)(Response::new(Bytes::from(body)));
            prop_assert!(printed.len() < longest, "{} bytes: {printed}", printed.len());
        }
    }

    #[test]
    fn answers_to_other_operations(status in status(), which in any::<Index>(), other in any::<Index>()) {
        let all = reads();
        let body = other.get(all).example(&which);
        all.iter().for_each(|read| read.check(status, body));
    }
}

/// A truncated answer is never complete.
#[test]
fn answers_cut_off_anywhere() {
    for read in reads().iter().filter(|read| read.meta.effect != Effect::Read) {
        let refusal =
            r#"{"code":"43001","msg":"no","requestTime":5,"data":{"orderId":"1","clientOid":"2"}}"#.to_owned();
        for whole in read.examples.iter().map(|example| example.trim_end()).chain([refusal.as_str()]) {
            for end in 0..whole.len() {
                let mut response = Response::new(Bytes::copy_from_slice(&whole.as_bytes()[..end]));
                *response.status_mut() = StatusCode::OK;
                let error = (read.read)(response).unwrap_err();
                assert_eq!(error.outcome(), Outcome::Unknown, "{} at {end} of {whole}", read.meta.id);
            }
        }
    }
}

/// Reading ends at any depth and length.
#[test]
fn answers_that_are_deep_or_long() {
    let many = 200_000;
    let bodies = [
        "[".repeat(many),
        "{\"a\":".repeat(many),
        format!(r#"{{"code":"00000","data":{}"#, "[".repeat(many)),
        format!(r#"{{"code":"00000","data":{}{}}}"#, "[".repeat(many), "]".repeat(many)),
        format!(r#"{{"data":{}1{},"code":"45001"}}"#, "{\"a\":[".repeat(many), "]}".repeat(many)),
        format!(r#"{{"code":"00000","data":[{}1]}}"#, "1,".repeat(many)),
        format!(r#"{{"code":"00000","data":{{{}"b":1}}}}"#, "\"a\":1,".repeat(many)),
        format!(r#"{{"code":"{}","data":null}}"#, "0".repeat(many)),
        format!(r#"{{"code":"00000","data":{{"orderId":{}}}}}"#, "9".repeat(many)),
        format!(r#"{{"code":"00000","data":"{}"}}"#, "\\u0041".repeat(many)),
    ];
    for read in reads() {
        bodies.iter().for_each(|body| read.check(200, body.as_bytes()));
    }
}

/// Arbitrary bytes over a connection, HTTP or not: the call ends, and only complete answers count.
#[test]
fn any_bytes_over_a_connection() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url())
        .credentials(Credentials::new("key", "secret", "passphrase"))
        .limits(LimitMode::Off)
        .call_timeout(Duration::from_secs(60))
        .build()
        .unwrap();
    let order = unified::PlaceOrder::spot_market_buy("BTCUSDT", 10).client_oid(unified::ClientOid::mint());
    let place = reads().iter().find(|read| read.meta.id == "unified.place-order").unwrap();
    let heads = select(vec![
        "",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551615\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
    ]);
    let example = place.examples[0].clone().into_bytes();
    let bodies = prop_oneof![nearly_json().prop_map(String::into_bytes), vec(any::<u8>(), 0..100), Just(example)];
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let checked = runner.run(&(heads, bodies), |(head, body)| {
        server.answer_next(Answer::raw([head.as_bytes(), &body].concat()));
        let result = runtime.block_on(client.call(&order)).map(drop);
        let outcome = result.as_ref().map_or_else(Error::outcome, |()| Outcome::Done);
        if outcome != Outcome::Unknown {
            prop_assert_eq!(Some(outcome), place.stated(&body), "{:?} {:?}", head, body);
        }
        Ok(())
    });
    checked.unwrap();
}
