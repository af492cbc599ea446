//! Rate limits, kept by whole clients in virtual time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tradeapi_runtime::checks::Checks;
use tradeapi_runtime::client::{Callable, LimitMode};
use tradeapi_runtime::clock::ManualEnvironment;
use tradeapi_runtime::error::LimiterErrorKind;
use tradeapi_runtime::limits::{
    Admission, AdmissionError, Call, CountFrom, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback,
    Reservation, Unavailable,
};
use tradeapi_runtime::parameters::{ParameterReader, ParameterWriter, Parameters};
use tradeapi_runtime::tables::{Meta, Outcome, RateLimit};
use tradeapi_runtime::transport::{self, ResponseFuture, Transport};
use tradeapi_runtime::{ClientBuilder, ClientCore, Credentials, Error, Operation, Reply, Timestamp};

use crate::Tested;
use crate::api::{API, Side};
use crate::books::Book;
use crate::orders::{Execution, PlaceOrder, Placed, with_parameters_of_order};

const SECOND: Duration = Duration::from_secs(1);

/// Answers everything alike, and remembers when requests were signed.
#[derive(Clone)]
struct Recorder {
    status: u16,
    remaining: &'static str,
    body: &'static str,
    signed_at: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn new(status: u16, remaining: &'static str) -> Self {
        let body = r#"{"code":"00000","data":{"orderId":"7"}}"#;
        Self { status, remaining, body, signed_at: Arc::default() }
    }

    fn signed_at(&self) -> Vec<String> {
        self.signed_at.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Transport for Recorder {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let signed_at = request.headers()["MINI-TIMESTAMP"].to_str().unwrap_or_default().to_owned();
        self.signed_at.lock().unwrap_or_else(PoisonError::into_inner).push(signed_at);
        let mut response = http::Response::new(Bytes::from_static(self.body.as_bytes()));
        *response.status_mut() = http::StatusCode::from_u16(self.status).unwrap_or_default();
        response.headers_mut().insert("x-remaining", http::HeaderValue::from_static(self.remaining));
        response.headers_mut().insert("retry-after", http::HeaderValue::from_static("3"));
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// Returns a transport that never answers.
fn silent() -> impl Transport {
    transport::from_fn(|_| std::future::pending())
}

/// Returns a time that begins at zero.
fn from_zero() -> ManualEnvironment {
    ManualEnvironment::new(Timestamp::from_millis(0))
}

struct Scene {
    time: ManualEnvironment,
    limits: Arc<InProcessLimits>,
    recorder: Recorder,
}

impl Scene {
    fn new(recorder: Recorder) -> Self {
        Self::with(recorder, LimitSettings::new().margin(Duration::ZERO))
    }

    fn with(recorder: Recorder, settings: LimitSettings) -> Self {
        let time = from_zero();
        Self { limits: Arc::new(InProcessLimits::with_timer(settings, time.timer().clone())), time, recorder }
    }

    fn builder(&self) -> ClientBuilder {
        ClientCore::builder(&API, "https://mini.example")
            .credentials(Credentials::new("key", "secret", "pass"))
            .transport(self.recorder.clone())
            .clock(self.time.clone())
            .limiter(self.limits.clone())
    }
}

fn order() -> PlaceOrder {
    PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market)
}

fn book() -> Book {
    Book { symbol: "BTCUSDT".into(), depth: None }
}

fn limited(error: Option<Error>) -> Option<Duration> {
    match error {
        Some(Error::Limited(limited)) => Some(limited.free_in),
        _ => None,
    }
}

#[tokio::test]
async fn a_call_reports_its_wait_and_is_signed_afterwards() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let client = scene.builder().build()?;
    for _ in 0..10 {
        assert_eq!(client.call(&order()).await?.waited, Duration::ZERO);
    }
    let late = tokio::spawn(async move { client.call(&order()).await });
    tokio::task::yield_now().await;
    assert_eq!(scene.recorder.signed_at().len(), 10);
    scene.time.timer().advance(SECOND);
    assert_eq!(late.await??.waited, SECOND);
    assert_eq!(scene.recorder.signed_at().last().map(String::as_str), Some("1000"));
    Ok(())
}

/// An order that may be placed twice a day, so that no window ends while a test runs.
struct Rare(PlaceOrder);

with_parameters_of_order!(Rare);

impl Operation for Rare {
    type Response = Placed;

    const META: &'static Meta = &Meta {
        id: "mini.rare",
        limits: &[RateLimit { per_millis: 86_400_000, ..RateLimit::per_uid(2) }],
        ..*<PlaceOrder as Operation>::META
    };
}

impl Callable for Rare {
    type Reply = Reply<Placed>;
}

/// The exchange counts the calls of a key, whatever a client calls its account and by whichever name it reaches it.
#[tokio::test]
async fn clients_of_a_key_share_its_limits() -> Tested {
    let client = |address: &str, key: &str| {
        ClientCore::builder(&API, address)
            .credentials(Credentials::new(key, "secret", "pass"))
            .transport(Recorder::new(200, "100"))
            .limits(LimitMode::Refuse)
    };
    let order = Rare(order());
    let one = client("https://shared.example", "a shared key").build()?;
    one.call(&order).await?;
    let [spelt, named] = ["HTTPS://Shared.Example:443/", "https://other-name.example"];
    client(spelt, "a shared key").build()?.call(&order).await?;
    for (address, account) in [(spelt, ""), (named, ""), (named, "desk-1")] {
        let result = client(address, "a shared key").account(account).build()?.call(&order).await;
        assert!(limited(result.err()).is_some(), "{address} {account:?}");
    }
    // Another key, or another port of this machine, has limits of its own.
    client(named, "another key").build()?.call(&order).await?;
    for own in ["http://127.0.0.1:1", "http://localhost:2"] {
        client(own, "a shared key").build()?.call(&order).await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_limiter_of_a_client_waits_by_its_environment() -> Tested {
    let (time, recorder) = (from_zero(), Recorder::new(200, "100"));
    let builder = ClientCore::builder(&API, "https://mini.example").transport(recorder.clone());
    let client = builder.credentials(Credentials::new("key", "secret", "pass")).environment(time.clone()).build()?;
    for _ in 0..10 {
        client.call(&order()).await?;
    }
    let late = tokio::spawn(async move { client.call(&order()).await });
    tokio::task::yield_now().await;
    assert_eq!(recorder.signed_at().len(), 10);
    time.timer().advance(2 * SECOND);
    assert!(late.await??.waited >= SECOND);
    assert_eq!(recorder.signed_at().len(), 11);
    Ok(())
}

#[tokio::test]
async fn a_call_that_may_not_wait_is_not_sent() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let client = scene.builder().limits(LimitMode::Refuse).build()?;
    for _ in 0..10 {
        client.call(&order()).await?;
    }
    let error = client.call(&order()).await.err().ok_or("it was sent")?;
    assert_eq!((error.operation(), error.outcome()), ("mini.orders", Outcome::NotDone));
    let text = "mini.orders was not sent: the limit of mini.orders, 10 calls in 1 s per UID (default) is used up for \
                at least another 1.000 s";
    assert_eq!(error.to_string(), text);
    assert_eq!(scene.recorder.signed_at().len(), 10);
    Ok(())
}

#[tokio::test]
async fn without_limits_everything_is_sent() -> Tested {
    let scene = Scene::new(Recorder::new(429, "0"));
    let client = scene.builder().limits(LimitMode::Off).build()?;
    for _ in 0..100 {
        assert_eq!(client.call(&order()).await?.waited, Duration::ZERO);
    }
    Ok(())
}

#[tokio::test]
async fn clients_share_a_limiter_but_not_other_accounts() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let [one, other, stranger] =
        ["uid-1", "uid-1", "uid-2"].map(|account| scene.builder().limits(LimitMode::Refuse).account(account).build());
    let (one, other, stranger) = (one?, other?, stranger?);
    for _ in 0..5 {
        one.call(&order()).await?;
        other.clone().call(&order()).await?;
    }
    assert_eq!(limited(one.call(&order()).await.err()), Some(SECOND));
    assert_eq!(limited(other.call(&order()).await.err()), Some(SECOND));
    stranger.call(&order()).await?;
    // The same client for another account, and back.
    let renamed = one.with_account("uid-3");
    renamed.call(&order()).await?;
    assert_eq!(limited(renamed.with_account("uid-1").call(&order()).await.err()), Some(SECOND));
    Ok(())
}

#[tokio::test]
async fn clients_learn_from_the_header_and_from_status_429() -> Tested {
    for recorder in [Recorder::new(200, "0"), Recorder::new(429, ""), Recorder::new(429, "5")] {
        let scene = Scene::new(recorder);
        let client = scene.builder().limits(LimitMode::Refuse).build()?;
        client.call(&order()).await?;
        // `Retry-After` counts only in answers to too many calls.
        let pause = SECOND * if scene.recorder.status == 429 { 3 } else { 1 };
        assert_eq!(limited(client.call(&order()).await.err()), Some(pause));
        scene.time.timer().advance(pause);
        client.call(&order()).await?;
    }
    Ok(())
}

/// An answer that is not in the API's form comes from a gateway, which counts all operations together.
#[tokio::test]
async fn a_429_of_a_gateway_closes_all_operations() -> Tested {
    for (body, is_free) in [(r#"{"code":"429","msg":"slow"}"#, true), ("<html>slow down</html>", false)] {
        let scene = Scene::new(Recorder { body, ..Recorder::new(429, "") });
        let client = scene.builder().limits(LimitMode::Refuse).build()?;
        let error = client.call(&order()).await.err();
        assert!(matches!(error, Some(Error::Unknown(_))), "{error:?}");
        assert_eq!(limited(client.call(&order()).await.err()), Some(SECOND * 3));
        assert_eq!(client.admit(&book()).await.is_ok(), is_free, "{body}");
    }
    Ok(())
}

#[tokio::test]
async fn errors_report_the_wait() -> Tested {
    for (status, body) in [(400, r#"{"code":"40786"}"#), (200, "nonsense")] {
        let scene = Scene::new(Recorder { body, ..Recorder::new(status, "100") });
        let client = scene.builder().build()?;
        for _ in 0..10 {
            assert_eq!(client.call(&order()).await.err().map(|error| error.waited()), Some(Duration::ZERO));
        }
        let late = tokio::spawn(async move { client.call(&order()).await });
        tokio::task::yield_now().await;
        scene.time.timer().advance(SECOND);
        assert_eq!(late.await?.err().map(|error| error.waited()), Some(SECOND), "{body}");
    }
    Ok(())
}

/// Requests that are sent by other means keep the limits, too.
#[tokio::test]
async fn requests_sent_by_other_means_are_counted_too() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let client = scene.builder().limits(LimitMode::Refuse).build()?;
    let mut answer = http::Response::new(Bytes::from_static(br#"{"code":"0"}"#));
    for number in 0..10 {
        // One is given up, and so can be used again.
        drop(client.admit(&order()).await?);
        let mut permit = client.admit(&order()).await?;
        let _ = client.prepare(&order())?;
        permit.sent();
        if number % 2 == 0 {
            permit.answered(&answer);
        }
    }
    assert_eq!(limited(client.admit(&order()).await.err()), Some(SECOND));
    scene.time.timer().advance(SECOND);
    let mut permit = client.admit(&order()).await?;
    permit.sent();
    *answer.status_mut() = http::StatusCode::TOO_MANY_REQUESTS;
    permit.answered(&answer);
    assert_eq!(limited(client.call(&order()).await.err()), Some(SECOND));
    assert!(scene.recorder.signed_at().is_empty());
    Ok(())
}

#[tokio::test]
async fn an_unsigned_call_uses_no_room() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let nobody = ClientCore::builder(&API, "https://mini.example")
        .transport(scene.recorder.clone())
        .limiter(scene.limits.clone())
        .limits(LimitMode::Refuse)
        .build()?;
    for _ in 0..100 {
        let error = nobody.call(&order()).await.err();
        assert!(matches!(error, Some(Error::Unsigned(_))), "{error:?}");
        let forbidden = PlaceOrder { symbol: "".into(), ..order() };
        let error = nobody.call(&forbidden).await.err();
        assert!(matches!(error, Some(Error::Refused(_))), "{error:?}");
    }
    scene.builder().limits(LimitMode::Refuse).build()?.call(&order()).await?;
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_given_up_waits_no_longer() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let client = scene.builder().build()?;
    for _ in 0..10 {
        client.call(&order()).await?;
    }
    let [given_up, next] =
        [client.clone(), client].map(|client| tokio::spawn(async move { client.call(&order()).await }));
    tokio::task::yield_now().await;
    given_up.abort();
    assert!(given_up.await.is_err());
    scene.time.timer().advance(SECOND);
    assert_eq!(next.await??.waited, SECOND);
    assert_eq!(scene.recorder.signed_at().len(), 11);
    Ok(())
}

/// Whoever gives a call up does not know that the exchange received it.
#[tokio::test]
async fn a_call_that_is_given_up_on_its_way_counts() -> Tested {
    let counts = [CountFrom::Arrival, CountFrom::Response].into_iter();
    for (counted, held_back) in counts.flat_map(|counted| [0, 9].map(|seconds| (counted, SECOND * seconds))) {
        let settings = LimitSettings::new().margin(Duration::ZERO).late_arrival(SECOND * 2).count_from(counted);
        let settings = settings.held_back(held_back);
        let scene = Scene::with(Recorder::new(200, "100"), settings);
        let client = scene.builder().limits(LimitMode::Refuse).transport(silent()).build()?;
        for _ in 0..10 {
            let client = client.clone();
            let call = tokio::spawn(async move { client.call(&order()).await });
            tokio::task::yield_now().await;
            call.abort();
            assert!(call.await.is_err());
        }
        // It may arrive two seconds later, or after the network has held it back, and counts for one then.
        assert_eq!(limited(client.call(&order()).await.err()), Some(held_back.max(SECOND * 2) + SECOND));
    }
    Ok(())
}

#[test]
fn a_plan_sends_nothing() -> Tested {
    let scene = Scene::new(Recorder::new(200, "100"));
    let client = scene.builder().build()?;
    let plan = client.plan(&[client.limited(&order()); 35]);
    assert_eq!((plan.requests, plan.lasts), (35, SECOND * 3));
    assert!(scene.recorder.signed_at().is_empty());
    Ok(())
}

/// Returns a client that spreads its calls, by a clock that goes by hand.
fn spreading(time: &ManualEnvironment, recorder: &Recorder) -> Result<ClientCore, Box<dyn std::error::Error>> {
    let builder = ClientCore::builder(&API, "https://mini.example").transport(recorder.clone());
    let builder = builder.credentials(Credentials::new("key", "secret", "pass")).limits(LimitMode::Spread);
    Ok(builder.environment(time.clone()).build()?)
}

async fn in_a_second(time: &ManualEnvironment, recorder: &Recorder) -> Vec<u64> {
    let before = recorder.signed_at().len();
    for _ in 0..100 {
        tokio::task::yield_now().await;
        time.timer().advance(SECOND / 100);
    }
    tokio::task::yield_now().await;
    recorder.signed_at()[before..].iter().filter_map(|at| at.parse().ok()).collect()
}

#[tokio::test]
async fn calls_are_spread_over_the_window() -> Tested {
    let (time, recorder) = (from_zero(), Recorder::new(200, "100"));
    let client = spreading(&time, &recorder)?;
    let calls: Vec<_> = (0..30)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call(&order()).await.map(|reply| reply.waited) })
        })
        .collect();
    // Ten a second, one every 100 ms, or a little later as the limiter's window is longer by its margin.
    let first = in_a_second(&time, &recorder).await;
    assert!((9..=11).contains(&first.len()), "{first:?}");
    assert!(first.windows(2).all(|pair| (100..=130).contains(&(pair[1] - pair[0]))), "{first:?}");
    let second = in_a_second(&time, &recorder).await;
    assert!((8..=12).contains(&second.len()), "{second:?}");
    in_a_second(&time, &recorder).await;
    in_a_second(&time, &recorder).await;
    let mut waits = Vec::new();
    for call in calls {
        waits.push(call.await??);
    }
    assert_eq!(waits[0], Duration::ZERO);
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    // After a pause there is no burst.
    time.timer().advance(60 * SECOND);
    assert_eq!(client.call(&order()).await?.waited, Duration::ZERO);
    let next = tokio::spawn(async move { client.call(&order()).await });
    let after = in_a_second(&time, &recorder).await;
    assert_eq!((after.len(), next.await??.waited), (1, SECOND / 10));
    Ok(())
}

/// Fails after a wait.
struct Failing;

impl Limiter for Failing {
    fn admit<'a>(&'a self, _: Call<'a>, _: bool) -> Admission<'a> {
        let mut why = Unavailable::new(LimiterErrorKind::Unreachable, "it is gone");
        why.waited = 3 * SECOND;
        Admission::Now(Err(AdmissionError::Unavailable(why)))
    }

    fn sent(&self, _: &mut Reservation) {}

    fn answered(&self, _: Reservation, _: RateLimitFeedback) {}

    fn give_back(&self, _: Reservation) {}
}

#[tokio::test]
async fn an_error_contains_the_wait_for_a_slot_too() -> Tested {
    let (time, recorder) = (from_zero(), Recorder::new(200, "100"));
    let builder = ClientCore::builder(&API, "https://mini.example").transport(recorder.clone());
    let builder = builder.credentials(Credentials::new("key", "secret", "pass")).limits(LimitMode::Spread);
    let client = builder.limiter(Arc::new(Failing)).environment(time.clone()).build()?;
    let calls = [0, 1, 2].map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.call(&order()).await })
    });
    for _ in 0..20 {
        tokio::task::yield_now().await;
        time.timer().advance(SECOND / 20);
    }
    for (slot, call) in (0..).zip(calls) {
        let error = call.await?.err().ok_or("it was sent")?;
        assert_eq!(error.waited(), 3 * SECOND + slot * SECOND / 10, "{error}");
    }
    assert!(recorder.signed_at().is_empty());
    Ok(())
}
