//! Keys of repeats, and parameters outside of query and body.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Poll, Waker};
use std::time::Duration;

use apis::assorted::desk::{PayAccount, PaymentKey, SettleAccount};
use apis::assorted::{Client, Credentials, Error, Operation, Timestamp, dec};
use apis::coinbase::orders::{ClientOrderId, CreateOrder, OrderConfiguration, Side};
use tradeapi_runtime::clock::{Clock, Environment, ManualEnvironment, ManualTimer, Timer};
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::flatten::flatten;
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::retry::{RetryPolicy, Retrying};
use tradeapi_runtime::tables::Outcome;
use tradeapi_tests::loopback::{Answer, ScriptedServer};

fn client(server: &ScriptedServer) -> Client {
    Client::builder(server.url()).build().unwrap()
}

fn at_once() -> RetryPolicy {
    RetryPolicy::new().pauses(Duration::ZERO, Duration::ZERO)
}

#[tokio::test]
async fn a_parameter_travels_in_a_header_and_another_in_the_path() {
    let server = ScriptedServer::start().unwrap();
    server.answer_next(Answer::json(r#"{"payment": "1"}"#));
    let late = Timestamp::from_millis(1_790_000_000_250);
    let pay = PayAccount::new("a/b", dec!(1.5)).key(PaymentKey::new("k").unwrap()).late(late);
    client(&server).call(&pay).await.unwrap();
    let request = server.take_requests().remove(0);
    assert_eq!((request.path.as_str(), request.text().as_str()), ("/v1/accounts/@a%2Fb/payments", "amount=1.5"));
    assert_eq!(request.header("Idempotency-Key"), Some("k"));
    assert_eq!(request.header("X-Late"), Some("2026-09-21T14:13:20.250Z"));
}

#[tokio::test]
async fn a_header_has_a_boolean_or_a_list() {
    let server = ScriptedServer::start().unwrap();
    let client = Client::builder(server.url()).credentials(Credentials::new("key", "secret", "")).build().unwrap();
    server.answer_next(Answer::json("{}"));
    let settle = SettleAccount::new("a").urgent(true).silent(false).tags(vec!["x".to_owned(), "y z".to_owned()]);
    client.call(&settle).await.unwrap();
    let request = server.take_requests().remove(0);
    let sent = ["X-Urgent", "X-Silent", "X-Tags", "X-Window"].map(|name| request.header(name));
    assert_eq!(sent, [Some("true"), Some("0"), Some("x,y z"), None]);
    let stored = serde_json::to_value(&settle).unwrap();
    assert_eq!(serde_json::from_value::<SettleAccount>(stored).unwrap(), settle);
    // It could not be distinguished from two values.
    let refused = client.call(&SettleAccount::new("a").tags(vec!["x,y".to_owned()])).await;
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn all_parameters_are_in_the_stored_form() {
    let pay = PayAccount::new("a/b", dec!(1.5)).key(PaymentKey::new("k").unwrap());
    let stored = serde_json::to_value(&pay).unwrap();
    assert_eq!(stored, serde_json::json!({"account": "a/b", "amount": "1.5", "Idempotency-Key": "k"}));
    assert_eq!(serde_json::from_value::<PayAccount>(stored.clone()).unwrap(), pay);
    assert_eq!(PayAccount::from_json(&stored.to_string()).unwrap(), pay);
}

#[tokio::test]
async fn invalid_header_values_are_refused() {
    let server = ScriptedServer::start().unwrap();
    let pay = PayAccount::new("a", dec!(1)).key(PaymentKey::new("naïve").unwrap());
    let refused = client(&server).call(&pay).await;
    let Err(Error::Refused(refusal)) = refused else { panic!("it is refused") };
    let rules: Vec<_> = refusal.violations.iter().map(|one| one.rule.as_str()).collect();
    assert_eq!((rules, server.requests().len()), (vec!["Idempotency-Key.header"], 0));
    assert!(!format!("{refusal:?}").contains("naïve"), "{refusal:?}");
}

/// All attempts have the same key, which the client mints unless the caller gives one.
#[tokio::test]
async fn attempts_carry_the_same_key() {
    let server = ScriptedServer::start().unwrap();
    let client = client(&server);
    let given = PayAccount::new("a", dec!(1)).key(PaymentKey::new("k").unwrap());
    let mut keys = Vec::new();
    for pay in [PayAccount::new("a", dec!(1)), PayAccount::new("a", dec!(1)), given] {
        server.answer_next(Answer::new(502, ""));
        server.answer_next(Answer::new(502, ""));
        server.answer_next(Answer::json(r#"{"payment": "1"}"#));
        let policy = at_once();
        Retrying::new(client.core(), &policy).call(&pay).await.unwrap();
        let requests = server.take_requests();
        let all: Vec<_> = requests.iter().map(|request| request.header("Idempotency-Key").unwrap()).collect();
        assert_eq!(all, [all[0]; 3]);
        keys.push(all[0].to_owned());
    }
    assert!(keys[0] != keys[1] && keys[0].len() == 21 && keys[2] == "k", "{keys:?}");
}

/// An environment in which each wait takes slightly more than half a day.
#[derive(Default)]
struct Leaping(ManualTimer);

impl Clock for Leaping {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000)
    }
}

impl Timer for Leaping {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn wake_at(&self, _at: Duration, waker: Waker) {
        self.0.advance(Duration::from_secs(13 * 60 * 60));
        waker.wake();
    }
}

impl Environment for Leaping {
    fn random(&self) -> u64 {
        7
    }
}

#[tokio::test]
async fn no_attempt_is_made_once_the_key_may_be_forgotten() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::new(502, ""));
    let client = Client::builder(server.url()).environment(Leaping::default()).build().unwrap();
    let policy = RetryPolicy::new().deadline(Duration::MAX).attempts(9);
    let error = Retrying::new(client.core(), &policy).call(&PayAccount::new("a", dec!(1))).await.unwrap_err();
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::Unknown, 2), "{error}");
}

/// An attempt got no answer. While the next one waits for its turn, everything of the account is made flat, so that it is
/// not sent: the first one may arrive all the same.
#[tokio::test]
async fn an_attempt_that_is_not_made_leaves_the_outcome_of_the_one_before_open() {
    let server = ScriptedServer::start().unwrap();
    server.answer_otherwise(|_| Answer::new(502, ""));
    let time = ManualEnvironment::new(Timestamp::from_millis(1_790_000_000_000));
    let client = Client::builder(server.url()).environment(time.clone()).build().unwrap();
    let policy = RetryPolicy::new();
    let pay = PayAccount::new("a", dec!(1));
    let retrying = Retrying::new(client.core(), &policy);
    let mut call = pin!(retrying.call(&pay));
    // One attempt is over, and the next one waits.
    let has_begun_to_wait = || client.core().under_way().iter().any(|change| change.left.is_none());
    while server.requests().is_empty() || !has_begun_to_wait() {
        assert!(poll_once(call.as_mut()).await.is_none());
    }
    let confirm = ConfirmPolicy::new();
    let mut flattened = pin!(flatten(client.core(), &[], &[], &confirm));
    assert!(poll_once(flattened.as_mut()).await.is_none());
    time.timer().advance(Duration::from_secs(60));
    let error = call.await.unwrap_err();
    assert_eq!((error.outcome(), server.requests().len()), (Outcome::Unknown, 1), "{error}");
}

/// Returns the output of a future, if it is ready now.
async fn poll_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut future = future;
    poll_fn(|context| {
        Poll::Ready(match future.as_mut().poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

fn is_repeatable<O: Repeatable>(operation: &O) -> Option<O> {
    operation.with_key(Timestamp::from_millis(1), 2)
}

#[test]
fn a_required_key_is_given_by_the_caller() {
    let order = CreateOrder::new(ClientOrderId::new("a").unwrap(), "BTC-USD", Side::Buy, OrderConfiguration::new());
    assert_eq!(is_repeatable(&order), None);
    assert!(is_repeatable(&PayAccount::new("a", dec!(1))).is_some_and(|pay| pay.key.is_some()));
}
