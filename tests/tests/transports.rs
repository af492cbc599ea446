//! Properties of every transport: the time, length and depth of answers are bounded, and a signed request goes to its
//! address only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::process::Command;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tradeapi::runtime::reqwest;
use tradeapi::runtime::tables::{CallResult, Outcome};
use tradeapi::runtime::transport::{ReqwestTransport, TlsSettings, TransportLimits};
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Client, Credentials, Error};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::peer::Peer;
use tradeapi_tests::transports::Over;

const DONE: &str = r#"{"code":"00000","data":{"orderId":"1"}}"#;

tradeapi_tests::over_each_transport!(
    no_answer_is_endless,
    no_answer_is_waited_for_without_end,
    no_answer_is_nested_without_end,
    a_redirect_is_not_followed,
    without_a_connection_in_time_nothing_was_sent,
    no_time_is_too_long,
);

fn cancel() -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))
}

fn credentials() -> Credentials {
    Credentials::new("key", "secret", "passphrase")
}

/// Returns the error of a call with this answer, whose outcome is unknown, and which is sent once.
async fn call_result(over: Over, answer: Answer, call: Duration) -> CallResult {
    let server = ScriptedServer::start().unwrap();
    let limits = TransportLimits { call, max_body: 50_000, ..TransportLimits::default() };
    let client = over.client(server.url(), limits).credentials(credentials()).build().unwrap();
    let about = format!("{answer:?}");
    server.answer_next(answer);
    let error = client.call(&cancel()).await.expect_err("there is no whole answer");
    assert!(matches!(error, Error::Unknown(_)), "{about}: {error}");
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::Unknown, 1), "{about}");
    error.call_result()
}

async fn no_answer_is_endless(over: Over) {
    use CallResult::{AnswerTooLong, ConnectionLost};
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}");
    let chunk = format!("400\r\n{}\r\n", " ".repeat(0x400));
    let cases = [
        (head("content-length: 1000000000000\r\n\r\n"), " ", AnswerTooLong),
        (head("content-length: 18446744073709551615\r\n\r\n"), " ", ConnectionLost),
        (head("content-length: 99999999999999999999999999\r\n\r\n"), " ", ConnectionLost),
        (head("\r\n"), "      ", AnswerTooLong),
        (head("transfer-encoding: chunked\r\n\r\n"), chunk.as_str(), AnswerTooLong),
        // The length of a chunk, a chunk extension, and trailers.
        (head("transfer-encoding: chunked\r\n\r\n"), "F", ConnectionLost),
        (head("transfer-encoding: chunked\r\n\r\n1;"), "more;", ConnectionLost),
        (head("transfer-encoding: chunked\r\n\r\n0\r\n"), "more: yes\r\n", ConnectionLost),
        (head(""), "more: yes\r\n", ConnectionLost),
        (head("more: "), "yes", ConnectionLost),
        ("HTTP/1.1 200 ".to_owned(), "yes", ConnectionLost),
    ];
    for (begins, again, expected) in cases {
        let again = if again.len() < 100 { again.repeat(1_000) } else { again.to_owned() };
        let answer = Answer::endless(begins.as_bytes(), again.as_bytes(), Duration::ZERO);
        assert_eq!(call_result(over, answer, Duration::from_secs(60)).await, expected, "{begins}{again:.20}");
    }
}

async fn no_answer_is_waited_for_without_end(over: Over) {
    let pause = Duration::from_millis(1);
    // No answer, and single bytes, which do not restart the time-out.
    for (begins, again) in [
        ("", ""),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nmore:", " "),
        ("HTTP/1.1 200 OK\r\ncontent-length: 40000\r\n\r\n", " "),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "0"),
    ] {
        let answer = Answer::endless(begins, again, pause);
        assert_eq!(
            call_result(over, answer, Duration::from_millis(200)).await,
            CallResult::TimedOut,
            "{begins}{again}"
        );
    }
}

async fn no_answer_is_nested_without_end(over: Over) {
    let (arrays, objects) = ("[".repeat(20_000), r#"{"a":"#.repeat(9_000));
    for deep in [arrays.clone(), format!("{arrays}{}", "]".repeat(20_000)), objects] {
        for place in ["data", "code", "msg", "unknown"] {
            let body = format!(r#"{{"code":"00000","{place}":{deep}}}"#);
            assert_eq!(call_result(over, Answer::json(body), Duration::from_secs(60)).await, CallResult::Unreadable);
            let body = format!(r#"{{"code":"00000","data":{{"orderId":"1","{place}":{deep}}}}}"#);
            assert_eq!(call_result(over, Answer::json(body), Duration::from_secs(60)).await, CallResult::Unreadable);
        }
    }
}

async fn a_redirect_is_not_followed(over: Over) {
    let (exchange, thief) = (ScriptedServer::start().unwrap(), ScriptedServer::start().unwrap());
    thief.answer_otherwise(|_| Answer::json(DONE));
    let client = over.client(exchange.url(), TransportLimits::default()).credentials(credentials()).build().unwrap();
    let places = [format!("{}/stolen", thief.url()), format!("//{}/stolen", thief.address()), "/elsewhere".to_owned()];
    for status in [300, 301, 302, 303, 305, 307, 308] {
        for place in &places {
            exchange.answer_next(Answer::new(status, "").header("location", place));
            let error = client.call(&cancel()).await.expect_err("a redirect is not an answer");
            assert_eq!(
                (error.call_result(), error.outcome()),
                (CallResult::OtherStatus, Outcome::Unknown),
                "{status} {place}"
            );
            assert_eq!(exchange.take_requests().len(), 1, "{status} {place}");
        }
    }
    assert_eq!(thief.requests(), []);
}

/// Returns a listener that accepts no connection, with a full queue.
async fn full() -> (TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let mut waiting = Vec::new();
    let patience = Duration::from_millis(200);
    while let Ok(connected) = tokio::time::timeout(patience, TcpStream::connect(listener.local_addr().unwrap())).await {
        waiting.push(connected.unwrap());
    }
    (listener, waiting)
}

/// Either time-out may end first, that of the call or that of the connection.
async fn without_a_connection_in_time_nothing_was_sent(over: Over) {
    let (full, _waiting) = full().await;
    // A server that accepts, but does not start TLS.
    let mute = Peer::start(|_, mut stream| std::io::copy(&mut stream, &mut std::io::sink()).map(drop));
    let short = Duration::from_millis(300);
    let full = full.local_addr().unwrap();
    for (url, came_to) in [
        (format!("http://{full}"), format!("{full}: timed out")),
        (format!("https://{}", mute.address()), "the TLS handshake did not end in time".to_owned()),
    ] {
        for (connect, call) in [(Duration::MAX, short), (short, Duration::MAX), (short, short)] {
            let limits = TransportLimits { connect, call, ..TransportLimits::default() };
            let client = over.client(&url, limits).credentials(credentials()).build().unwrap();
            let error = client.call(&cancel()).await.expect_err("there is no connection");
            let text = format!("{over:?} {url} {limits:?}: {error}");
            assert_eq!((error.call_result(), error.outcome()), (CallResult::NotConnected, Outcome::NotDone), "{text}");
            assert!(over == Over::Reqwest || text.contains(&came_to), "{text}");
        }
    }
}

/// Zero time-outs are not unknown outcomes, and infinite ones do not overflow.
async fn no_time_is_too_long(over: Over) {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::json(DONE));
    let all = |time| TransportLimits { connect: time, call: time, idle: time, age: time, ..TransportLimits::default() };
    let client = over.client(server.url(), all(Duration::MAX)).credentials(credentials()).build().unwrap();
    for _ in 0..2 {
        client.call(&cancel()).await.unwrap();
    }
    let client = over.client(server.url(), all(Duration::ZERO)).credentials(credentials()).build().unwrap();
    for _ in 0..2 {
        let error = client.call(&cancel()).await.expect_err("there is no time");
        assert_eq!(error.outcome(), Outcome::NotDone, "{error}");
    }
    assert_eq!(server.requests().len(), 2);
}

fn with_settings(
    server: &ScriptedServer,
    change: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Result<Client, Box<dyn std::error::Error>> {
    let transport = ReqwestTransport::with_settings(TransportLimits::default(), change)?;
    Ok(Client::builder(server.url()).credentials(credentials()).transport(transport).build()?)
}

#[tokio::test]
async fn custom_settings_are_applied() {
    let (exchange, proxy) = (ScriptedServer::start().unwrap(), ScriptedServer::start().unwrap());
    proxy.answer_next(Answer::json(DONE));
    let by_proxy = reqwest::Proxy::all(proxy.url()).unwrap();
    with_settings(&exchange, |settings| settings.proxy(by_proxy)).unwrap().call(&cancel()).await.unwrap();
    assert_eq!((exchange.requests().len(), proxy.requests().len()), (0, 1));
    assert!(proxy.requests()[0].path.starts_with(&exchange.url()), "{:?}", proxy.requests());
}

#[tokio::test]
async fn no_settings_make_it_follow_redirects_or_repeat() {
    let (exchange, thief) = (ScriptedServer::start().unwrap(), ScriptedServer::start().unwrap());
    let client = with_settings(&exchange, |settings| {
        let always = reqwest::retry::for_host("127.0.0.1").classify_fn(|answer| answer.retryable());
        settings.redirect(reqwest::redirect::Policy::limited(5)).retry(always)
    });
    let client = client.unwrap();
    for answer in [Answer::new(307, "").header("location", &thief.url()), Answer::new(503, ""), Answer::close()] {
        exchange.answer_next(answer);
        let error = client.call(&cancel()).await.expect_err("that was no answer");
        assert_eq!((error.outcome(), exchange.take_requests().len()), (Outcome::Unknown, 1));
    }
    assert_eq!(thief.requests(), []);
}

/// reqwest would write this address differently from the signed form.
#[tokio::test]
async fn a_request_that_would_differ_from_the_signed_one_is_not_sent() {
    let server = ScriptedServer::start().unwrap();
    let address = format!("{}/a{{b}}", server.url());
    let client = Over::Reqwest.client(address, TransportLimits::default()).credentials(credentials()).build().unwrap();
    let error = client.call(&cancel()).await.expect_err("the path changes on the way");
    assert_eq!((error.call_result(), error.outcome()), (CallResult::NotWritten, Outcome::NotDone), "{error}");
    assert!(error.to_string().contains("as they were signed"), "{error}");
    assert_eq!(server.requests(), []);
}

/// The address of the exchange, for the other process.
const EXCHANGE: &str = "TRADEAPI_TEST_EXCHANGE";

/// Only the program determines the address. The test starts itself as another process with a changed environment.
#[test]
fn proxies_of_the_environment_are_not_used() {
    let (exchange, proxy) = (ScriptedServer::start().unwrap(), ScriptedServer::start().unwrap());
    exchange.answer_otherwise(|_| Answer::json(DONE));
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "calls_the_exchange_of_the_environment"]).env(EXCHANGE, exchange.url());
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, proxy.url());
    }
    let ran = again.env_remove("no_proxy").env_remove("NO_PROXY").output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!((exchange.requests().len(), proxy.requests().len()), (Over::ALL.len(), 0));
}

#[tokio::test]
async fn calls_the_exchange_of_the_environment() {
    let Ok(exchange) = std::env::var(EXCHANGE) else { return };
    for over in Over::ALL {
        let client = over.client(&exchange, TransportLimits::default()).credentials(credentials()).build().unwrap();
        client.call(&cancel()).await.unwrap();
    }
}

#[test]
fn settings_of_the_default_transport_are_not_dropped() {
    let builder =
        || Client::builder("https://127.0.0.1").transport(ReqwestTransport::new(TransportLimits::default()).unwrap());
    assert!(builder().build().is_ok());
    let limit = Duration::from_secs(1);
    let tls = || TlsSettings::without_roots();
    for builder in
        [builder().tls(tls()), builder().connect_timeout(limit), builder().call_timeout(limit), builder().max_body(1)]
    {
        let error = builder.build().unwrap_err();
        assert!(error.to_string().contains("do not apply to another one"), "{error}");
    }
    assert!(Client::builder("https://127.0.0.1").tls(tls()).call_timeout(limit).build().is_ok());
}
