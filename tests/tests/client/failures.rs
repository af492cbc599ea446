//! Failures of calls: their error, whether the request may have had an effect, and that the raw answer is kept.

use std::time::Duration;

use bytes::Bytes;
use tradeapi::runtime::error::{ExchangeError, TransportErrorKind, UnreadableAnswer};
use tradeapi::runtime::tables::{CallResult, CodeProof, Effect, Meta, Outcome, Stage};
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::runtime::wire::read_response;
use tradeapi::unified::{CancelOrder, ErrorCode, OrderId, OrderRef};
use tradeapi::{API, Client, Credentials, Error, Operation};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::schema;
use tradeapi_tests::transports::Over;

/// An operation, and how its answers are read.
struct Reading {
    meta: &'static Meta,
    read: fn(u16, &[u8]) -> Result<(), Error>,
}

macro_rules! readings_of {
    ($($operation:ty),+ $(,)?) => {
        fn readings() -> Vec<Reading> {
            vec![$(Reading { meta: <$operation as Operation>::META, read: read::<$operation> }),+]
        }
    };
}
tradeapi::for_each_operation!(readings_of);

fn read<O: Operation>(status: u16, body: &[u8]) -> Result<(), Error> {
    let response = http::Response::builder().status(status).body(Bytes::copy_from_slice(body)).unwrap();
    read_response::<O>(&API, response).map(drop)
}

impl Reading {
    fn fails(&self, status: u16, body: &[u8]) -> Error {
        let error = (self.read)(status, body).err().unwrap_or_else(|| panic!("{}: was read", self.meta.id));
        assert_eq!(error.operation(), self.meta.id);
        assert!(error.to_string().contains(self.meta.id), "{error}");
        error
    }

    fn refused(&self, status: u16, body: &[u8]) -> ExchangeError {
        match self.fails(status, body) {
            Error::Exchange(error) => {
                assert_eq!((error.status.as_u16(), &error.raw[..]), (status, body), "{}", self.meta.id);
                *error
            }
            other => panic!("{}: {other:?}", self.meta.id),
        }
    }

    fn unreadable(&self, status: u16, body: &[u8]) -> UnreadableAnswer {
        match self.fails(status, body) {
            Error::Unreadable(answer) => {
                assert_eq!((answer.status.as_u16(), &answer.raw[..]), (status, body), "{}", self.meta.id);
                *answer
            }
            other => panic!("{}: {other:?}", self.meta.id),
        }
    }
}

/// A success that repeats no id of its request counts only with the documented status.
#[test]
fn the_code_of_a_refusal_decides_regardless_of_the_status() {
    for reading in readings() {
        let example = &schema::examples(reading.meta)[0].response;
        (reading.read)(200, example.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        for status in [200, 400, 429, 500, 503] {
            if status != 200 {
                reading.unreadable(status, example.as_bytes());
            }
            let body = br#"{"code":"98765","msg":"no \"such\" thing","requestTime":1790000000123,"data":null}"#;
            let error = reading.refused(status, body);
            assert_eq!((error.code.as_str(), error.message.as_str()), ("98765", r#"no "such" thing"#));
            assert_eq!(error.request_time.map(|time| time.as_millis()), Some(1_790_000_000_123));
            assert!(error.known.is_none());
        }
    }
}

/// A page of the vendor names the text otherwise than the documents, and any gateway may do so.
#[test]
fn the_text_of_a_refusal_is_shown_whatever_its_name_is() {
    for reading in readings() {
        for body in [
            r#"{"code":"98765","message":"no such thing","data":null}"#,
            r#"{"code":98765,"msg":{"en":"no such thing"},"data":null}"#,
            r#"{"error":"no such thing","code":"98765","msg":""}"#,
        ] {
            let error = reading.refused(400, body.as_bytes());
            assert_eq!((error.code.as_str(), error.message.as_str()), ("98765", body), "{}", reading.meta.id);
        }
        let text = reading.refused(503, b" ").to_string();
        assert!(text.contains("503 Service Unavailable, without a body"), "{text}");
    }
}

#[test]
fn documented_codes_have_their_documentation() {
    for reading in readings() {
        for known in reading.meta.errors.iter().filter(|known| !known.success) {
            let body = format!(r#"{{"data":{{"any":["thing"]}},"msg":7,"code":"{}"}}"#, known.code);
            let error = reading.fails(400, body.as_bytes());
            let may_be_partly_done = reading.meta.compound.is_some() && known.stage == Stage::Trading;
            let outcome = match (reading.meta.effect, known.proves) {
                (Effect::Read, _) => Outcome::NotDone,
                (_, CodeProof::Unknown | CodeProof::DuplicateId) | (Effect::Create, CodeProof::NoSuchOrder) => {
                    Outcome::Unknown
                }
                _ if may_be_partly_done => Outcome::Unknown,
                _ => Outcome::NotDone,
            };
            assert_eq!(error.outcome(), outcome, "{error}");
            let Error::Exchange(error) = error else { panic!("{error}") };
            assert_eq!((error.known.unwrap().code, error.message.as_str()), (known.code, "7"));
        }
    }
}

#[test]
fn codes_are_typed() {
    let reading = readings().into_iter().find(|reading| reading.meta.id == "unified.place-order").unwrap();
    let refused =
        |code: &str| reading.refused(200, format!(r#"{{"code":{code}}}"#).as_bytes()).code.typed::<ErrorCode>();
    assert_eq!(refused("\"40010\""), ErrorCode::RequestTimedOut);
    assert_eq!(refused("40725"), ErrorCode::ServiceReturnAnError);
    assert_eq!(refused("\"new\"").as_str(), "new");
}

#[test]
fn an_unlisted_code_proves_nothing() {
    for reading in readings() {
        let outcome = if reading.meta.effect == Effect::Read { Outcome::NotDone } else { Outcome::Unknown };
        assert_eq!(reading.fails(400, br#"{"code":"98765"}"#).outcome(), outcome, "{}", reading.meta.id);
    }
}

#[test]
fn answers_without_an_envelope_are_classified_by_status() {
    let bodies: [&[u8]; 8] = [
        b"",
        b"<html>502</html>",
        b"Too many requests",
        b"null",
        b"[]",
        b"{}",
        br#"{"code":null}"#,
        b"\xff\xfe{\"code\":\"1\"}",
    ];
    for (reading, body) in readings().iter().flat_map(|reading| bodies.map(|body| (reading, body))) {
        reading.unreadable(200, body);
        for status in [301, 400, 403, 429, 500, 502] {
            let response = http::Response::builder().status(status).body(()).unwrap();
            match reading.fails(status, body) {
                Error::Exchange(error) => {
                    assert_eq!((error.code.as_str(), error.status), (response.status().as_str(), response.status()));
                    assert_eq!(&error.raw[..], body);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_truncated_answer_is_never_a_success() {
    for reading in readings() {
        for example in schema::examples(reading.meta) {
            let body = example.response.trim_end().as_bytes();
            for end in 0..body.len() {
                reading.unreadable(200, &body[..end]);
            }
        }
    }
}

/// The code of a truncated refusal may be damaged as well.
#[test]
fn a_truncated_refusal_is_not_trusted() {
    let body = br#"{"requestTime":1788912000000,"code":"40762","msg":"refused","data":null}"#;
    for reading in readings() {
        for end in 0..body.len() {
            reading.unreadable(200, &body[..end]);
        }
    }
}

#[test]
fn an_answer_with_trailing_data_or_two_codes_is_not_trusted() {
    for reading in readings() {
        let body = schema::examples(reading.meta)[0].response.trim_end().to_owned();
        reading.unreadable(200, format!("{body}{body}").as_bytes());
        reading.unreadable(200, format!("{body}x").as_bytes());
        let twice = format!(r#"{},"code":"00000"}}"#, body.strip_suffix('}').unwrap());
        reading.unreadable(200, twice.as_bytes());
        let twice = format!(r#"{},"code":"40010"}}"#, body.strip_suffix('}').unwrap());
        reading.unreadable(200, twice.as_bytes());
    }
}

#[test]
fn no_depth_uses_up_the_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for reading in readings() {
        let answer = reading.unreadable(200, format!(r#"{{"code":"00000","more":{deep}}}"#).as_bytes());
        assert!(answer.error.what().contains("deep"), "{}", answer.error);
        reading.unreadable(200, format!(r#"{{"code":"00000","data":{deep}}}"#).as_bytes());
    }
}

#[test]
fn a_long_answer_is_not_printed_whole() {
    let reading = &readings()[0];
    let error = reading.fails(200, &b"x".repeat(1 << 20));
    assert!(format!("{error:?}").len() < 1_000);
    assert!(error.to_string().len() < 1_000);
}

/// Returns the result of a call, and the number of requests that the exchange received.
async fn call(over: Over, answer: Answer) -> (Error, usize) {
    // Long enough for a busy machine if there is an answer, and short if there is none.
    let call = Duration::from_millis(if answer == Answer::hang() { 200 } else { 60_000 });
    let server = ScriptedServer::start().unwrap();
    server.answer_next(answer);
    let client = client(over, server.url(), TransportLimits { call, max_body: 1_000, ..TransportLimits::default() });
    let error = client.call(&cancel()).await.expect_err("the call must fail");
    assert_eq!(error.operation(), "unified.cancel-order");
    (error, server.requests().len())
}

fn client(over: Over, address: String, limits: TransportLimits) -> Client {
    over.client(address, limits).credentials(Credentials::new("key", "secret", "passphrase")).build().unwrap()
}

fn cancel() -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))
}

fn kind(error: &Error) -> TransportErrorKind {
    match error {
        Error::Unknown(unknown) => kind(&unknown.why),
        Error::Transport(failure) => failure.error.kind(),
        other => panic!("{other:?}"),
    }
}

tradeapi_tests::over_each_transport!(
    without_an_answer_the_outcome_is_unknown_and_nothing_is_repeated,
    a_redirect_is_not_followed,
    what_was_not_sent_had_no_effect,
);

async fn without_an_answer_the_outcome_is_unknown_and_nothing_is_repeated(over: Over) {
    use TransportErrorKind::{BodyTooLarge, Closed, Timeout};
    let whole = Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#);
    let cases = [
        (Answer::close(), Closed),
        (Answer::hang(), Timeout),
        (whole.clone().cut_off_after(0), Closed),
        (whole.cut_off_after(20), Closed),
        (Answer::raw("this is not HTTP\r\n\r\n"), Closed),
        (Answer::raw(""), Closed),
        (Answer::json(" ".repeat(1_001)), BodyTooLarge),
    ];
    for (answer, expected) in cases {
        let about = format!("{answer:?}");
        let (error, requests) = call(over, answer).await;
        assert_eq!((kind(&error), error.outcome(), requests), (expected, Outcome::Unknown, 1), "{about}\n{error}");
    }
}

async fn a_redirect_is_not_followed(over: Over) {
    let (error, requests) = call(over, Answer::new(307, "").header("location", "/elsewhere")).await;
    assert!(
        matches!(error, Error::Unknown(ref unknown) if unknown.why.call_result() == CallResult::OtherStatus),
        "{error:?}"
    );
    assert_eq!(requests, 1);
}

async fn what_was_not_sent_had_no_effect(over: Over) {
    let address = ScriptedServer::start().unwrap().url();
    let client = client(over, address.clone(), TransportLimits::default());
    let error = client.call(&cancel()).await.expect_err("no server listens there any more");
    assert_eq!((kind(&error), error.outcome()), (TransportErrorKind::Connect, Outcome::NotDone), "{error}");
    // The text alone has the address and the first cause; a chain of sources would repeat them.
    let text = error.to_string();
    assert!(text.contains(address.trim_start_matches("http://")) && text.contains("Connection refused"), "{text}");
    assert_eq!(text.matches("Connection refused").count(), 1, "{text}");
    assert!(std::error::Error::source(&error).is_none());
}

/// An error of an inconclusive response has what was read of it, as other errors have.
#[tokio::test]
async fn an_unknown_outcome_has_what_was_read() {
    for (status, body, code) in [
        (200, r#"{"code":"40725","msg":"service return an error","data":null}"#, Some("40725")),
        (502, "<html>Bad Gateway</html>", Some("502")),
        (200, r#"{"code":"00000","msg":"success","data":{"orderId":"9"}}"#, None),
    ] {
        let (error, _) = call(Over::ALL[0], Answer::new(status, body)).await;
        let Error::Unknown(unknown) = &error else { panic!("{error}") };
        assert_eq!(unknown.status().map(|status| status.as_u16()), Some(status), "{body}");
        assert_eq!((unknown.code(), unknown.raw().map(|raw| &raw[..])), (code, Some(body.as_bytes())));
        assert_eq!((error.code(), error.raw()), (unknown.code(), unknown.raw()));
    }
    let (error, _) = call(Over::ALL[0], Answer::close()).await;
    let Error::Unknown(unknown) = &error else { panic!("{error}") };
    assert_eq!((unknown.status(), unknown.code(), unknown.raw()), (None, None, None));
}
