//! Nothing that can be printed shows a key, a secret, a passphrase or a signature.

mod every_operation;
mod printed;

use std::time::Duration;

use tradeapi::runtime::clock::FixedClock;
use tradeapi::runtime::drift::Drift;
use tradeapi::runtime::signing::{Authenticator, HmacSha256};
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::unified::{CancelOrder, GetFillHistory, GetOrderDetails, OrderId, OrderRef};
use tradeapi::{API, Client, Credentials, Error, Timestamp};
use tradeapi_tests::loopback::{Answer, ScriptedServer};
use tradeapi_tests::transports::Over;

use printed::Printed;

const KEY: &str = "canarykeyQ7";
const SECRET: &str = "canarysecretW8";
const PASSPHRASE: &str = "canarypassphraseE9";

fn credentials() -> Credentials {
    Credentials::new(KEY, SECRET, PASSPHRASE)
}

fn patient_for(server: &ScriptedServer, over: Over, call: Duration) -> Client {
    over.client(server.url(), TransportLimits { call, max_body: 1_000, ..TransportLimits::default() })
        .credentials(credentials())
        .clock(FixedClock(Timestamp::from_millis(1_790_000_000_000)))
        .build()
        .unwrap()
}

fn cancel() -> CancelOrder {
    CancelOrder::new(OrderRef::OrderId(OrderId::from("1")))
}

#[test]
fn the_parts_of_a_client_show_no_secrets() {
    let mut printed = Printed::default();
    let builder = Client::builder("https://localhost").credentials(credentials()).header("locale", "en-US");
    printed.debug(&builder);
    let client = builder.build().unwrap();
    printed.debug(&client);
    printed.debug(client.core());
    printed.debug(&credentials());
    printed.debug(&Authenticator::new(&API, &credentials()).unwrap());
    printed.debug(&HmacSha256::new(SECRET));
    printed.debug(&Credentials::with_signer(KEY, PASSPHRASE, HmacSha256::new(SECRET)));
    printed.shows_none_of(&[KEY, SECRET, PASSPHRASE]);
}

#[test]
fn a_signed_request_shows_no_secrets() {
    let client = Client::builder("https://localhost").credentials(credentials()).build().unwrap();
    let cancel = cancel();
    let request = client.core().prepare(&cancel).unwrap();
    let signature = request.headers()["ACCESS-SIGN"].to_str().unwrap().to_owned();
    assert_eq!(request.headers()["ACCESS-KEY"], KEY);
    let mut printed = Printed::default();
    printed.debug(&request);
    printed.debug(request.request());
    printed.debug(request.headers());
    printed.debug(&cancel);
    printed.shows_none_of(&[KEY, SECRET, PASSPHRASE, &signature]);
}

#[test]
fn credentials_that_cannot_be_sent_are_refused_unseen() {
    let mut printed = Printed::default();
    let bad = [
        Credentials::new(format!("{KEY}\n"), SECRET, PASSPHRASE),
        Credentials::new(KEY, SECRET, format!("{PASSPHRASE}\r\n")),
        Credentials::new("", SECRET, PASSPHRASE),
    ];
    for credentials in bad {
        printed.error(&Client::builder("https://localhost").credentials(credentials).build().unwrap_err());
    }
    // The address may contain a password.
    let address = format!("https://{KEY}:{SECRET}@localhost/{PASSPHRASE}");
    let builder = Client::builder(address).credentials(credentials());
    printed.debug(&builder);
    printed.error(&builder.build().unwrap_err());
    printed.error(&Client::builder("https://localhost").header(KEY, "value").build().unwrap_err());
    printed.error(&Client::builder("https://localhost").header("locale", format!("{SECRET}\n")).build().unwrap_err());
    printed.shows_none_of(&[SECRET, PASSPHRASE]);
}

tradeapi_tests::over_each_transport!(no_kind_of_error_shows_anything);

async fn no_kind_of_error_shows_anything(over: Over) {
    let server = ScriptedServer::start().unwrap();
    let client = |server: &ScriptedServer| patient_for(server, over, Duration::from_secs(60));
    let whole = Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#);
    let answers = [
        Answer::json(r#"{"code":"40010","msg":"late"}"#),
        Answer::json(r#"{"code":"98765","msg":"new"}"#),
        Answer::new(502, "<html>"),
        Answer::json("{"),
        Answer::json(" ".repeat(2_000)),
        Answer::json(r#"{"code":"00000","data":{"orderId":[]}}"#),
        whole.cut_off_after(3),
        Answer::close(),
        Answer::raw("no HTTP"),
    ];
    let mut printed = Printed::default();
    for answer in answers {
        server.answer_next(answer);
        printed.error(&client(&server).call(&cancel()).await.unwrap_err());
    }
    server.answer_next(Answer::hang());
    printed.error(&patient_for(&server, over, Duration::from_millis(200)).call(&cancel()).await.unwrap_err());
    printed.error(&client(&server).call(&GetFillHistory::new().limit(101)).await.unwrap_err());
    printed.error(&Client::builder(server.url()).build().unwrap().call(&cancel()).await.unwrap_err());

    let signatures: Vec<_> =
        server.take_requests().iter().filter_map(|request| request.header("access-sign").map(str::to_owned)).collect();
    assert!(signatures.len() >= 9);
    let client = client(&server);
    drop(server);
    let unreachable: Error = client.call(&cancel()).await.unwrap_err();
    printed.error(&unreachable);
    printed.shows_none_of(&[KEY, SECRET, PASSPHRASE, &signatures[0]]);
}

#[tokio::test]
async fn an_answer_does_not_show_the_request() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"code":"00000","data":{"orderId":"1"}}"#));
    let reply = patient_for(&server, Over::Hyper, Duration::from_secs(60)).call(&cancel()).await.unwrap();
    let mut printed = Printed::default();
    printed.debug(&reply);
    printed.display(&reply.order_id.as_ref().unwrap());
    printed.shows_none_of(&[KEY, SECRET, PASSPHRASE]);
}

#[tokio::test]
async fn drift_withholds_names_and_values_that_repeat_a_credential() {
    let server = ScriptedServer::start().unwrap();
    let drift = Drift::new();
    let client = Client::builder(server.url()).credentials(credentials()).drift(&drift).build().unwrap();
    // The new names: the credential itself, in another case, with text around it, and a part of it.
    let echoes = |text: &str| {
        let (first, last) = text.split_at(text.len() / 2);
        [text, &text.to_uppercase(), &format!("x_{text}_y"), &format!("{first}-{last}"), first].map(str::to_owned)
    };
    for echo in [KEY, PASSPHRASE].into_iter().flat_map(echoes) {
        let data = format!(r#"{{"orderId":"1","side":"{echo}","newField":1,"{echo}":"{echo}"}}"#);
        server.answer_next(Answer::json(format!(r#"{{"code":"00000","{echo}":1,"data":{data}}}"#)));
        client.call(&GetOrderDetails::new(OrderRef::OrderId(OrderId::from("1")))).await.unwrap();
        server.answer_next(Answer::json(format!(r#"{{"code":"{echo}","msg":"{echo}","data":{data}}}"#)));
        client.call(&cancel()).await.unwrap_err();
    }
    let mut printed = Printed::default();
    let report = drift.report();
    printed.display(&report);
    printed.debug(&report);
    printed.debug(&drift);
    printed.display(&report.to_json());
    let texts = [report.to_string(), report.to_json(), format!("{report:?}")];
    for text in &texts {
        // Neither in any case nor in part.
        let text = text.to_lowercase();
        assert!(!text.contains("canary") && !text.contains("cana"), "{text}");
        assert!(text.contains("newfield"), "{text}");
    }
    printed.shows_none_of(&[KEY, PASSPHRASE]);
}

fn built(key: &str, secret: &str, passphrase: &str) -> Result<Client, String> {
    let credentials = Credentials::new(key, secret, passphrase);
    Client::builder("https://api.example.com").credentials(credentials).build().map_err(|error| error.to_string())
}

/// The case `secret-with-line-break`: texts from files and secret stores often end in a line break, and the exchange
/// would only say that the signature is wrong.
#[test]
fn a_part_of_the_credentials_that_cannot_be_right_is_named_without_its_value() {
    assert!(built("k", "a secret", "a passphrase").is_ok());
    for (text, fault) in [
        ("", "is empty"),
        (" ", "is empty"),
        ("\n", "is empty"),
        ("canary\n", "has a line break"),
        ("canary\r\n", "has a line break"),
        ("can\nary", "has a line break"),
        (" canary", "begins or ends with white space"),
        ("canary\t", "begins or ends with white space"),
    ] {
        for (part, built) in
            [("key", built(text, "s", "p")), ("secret", built("k", text, "p")), ("passphrase", built("k", "s", text))]
        {
            let error = built.expect_err(part);
            assert!(error.contains(&format!("the {part} {fault}")), "{text:?}: {error}");
            assert!(!error.contains("ary"), "{error}");
        }
    }
    for text in ["can\0ary", "can\u{7f}ary"] {
        assert!(built("k", text, "p").expect_err(text).contains("the secret has a control character"));
    }
}

/// The same from the environment, which another process has, because this one has other threads.
#[test]
fn a_secret_with_a_line_break_in_the_environment_is_refused() {
    const PREFIX: &str = "SECRET_WITH_LINE_BREAK";
    if std::env::var_os(format!("{PREFIX}_KEY")).is_some() {
        let credentials = Credentials::from_env(PREFIX).unwrap();
        let error = Client::builder("https://api.example.com").credentials(credentials).build().unwrap_err();
        assert_eq!(error.to_string(), "the credentials cannot be used: the secret has a line break");
        return;
    }
    let test = "secrets::a_secret_with_a_line_break_in_the_environment_is_refused";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .envs(
            [("KEY", "k"), ("SECRET", "canary\n"), ("PASSPHRASE", "p")]
                .map(|(name, value)| (format!("{PREFIX}_{name}"), value)),
        )
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
