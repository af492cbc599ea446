//! Clocks that differ: what requests are signed by, what heals, and what is refused.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tradeapi_runtime::{
    Api, ClientBuilder, ClientCore, Clock, ConfirmPolicy, Credentials, Ending, Envelope, Error, Fate, LimitMode,
    ManualTimer, Outcome, ResponseFuture, RetryPolicy, SigningClock, Timer, Timestamp, Transport, TransportError,
    TransportErrorKind, WasSent,
};

use crate::Tested;
use crate::api::{API, ClientOid, Side};
use crate::orders::{Execution, Orders, PlaceOrder};

const START: i64 = 1_700_000_000_000;
const MINUTE: i64 = 60_000;
const WINDOW: u64 = 30_000;

/// An exchange and a client that are in the same time, but not by their clocks.
#[derive(Clone, Default)]
struct World {
    timer: ManualTimer,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Default)]
struct State {
    /// How far the exchange's clock is ahead of true time, and how far the client's is, in milliseconds.
    there: i64,
    here: i64,
    /// How long a request takes there, and the answer back.
    trip: Duration,
    /// Whether what was sent gets no answer.
    silent: bool,
    /// How far the header of answers is ahead of their own time.
    date_ahead: i64,
    /// The timestamps of requests, and whether the exchange took them.
    seen: Vec<(i64, bool)>,
}

impl World {
    /// The exchange's clock is ahead by so many milliseconds.
    fn ahead(there: i64) -> Self {
        let world = Self::default();
        world.change(|state| (state.there, state.trip) = (there, Duration::from_millis(10)));
        world
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn true_time(&self) -> i64 {
        START + i64::try_from(self.timer.now().as_millis()).unwrap_or_default()
    }

    fn seen(&self) -> Vec<(i64, bool)> {
        self.change(|state| state.seen.clone())
    }

    /// How many requests the exchange took, and how many it refused.
    fn counts(&self) -> (usize, usize) {
        let taken = self.seen().iter().filter(|(_, taken)| *taken).count();
        (taken, self.seen().len() - taken)
    }

    fn builder(&self) -> ClientBuilder {
        self.of(&API)
    }

    fn of(&self, api: &'static Api) -> ClientBuilder {
        ClientCore::builder(api, "https://mini.example")
            .credentials(Credentials::new("key", "secret", "pass"))
            .limits(LimitMode::Off)
            .transport(self.clone())
            .clock(self.clone())
            .timer(self.clone())
    }
}

impl Clock for World {
    fn now(&self) -> Timestamp {
        let here = self.true_time() + self.change(|state| state.here);
        Timestamp::from_millis(u64::try_from(here).unwrap_or_default())
    }
}

impl Timer for World {
    fn now(&self) -> Duration {
        self.timer.now()
    }

    fn wake_at(&self, at: Duration, waker: std::task::Waker) {
        self.timer.advance(at.saturating_sub(self.timer.now()));
        waker.wake();
    }
}

impl Transport for World {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let State { trip, there, silent, date_ahead, .. } = self.change(|state| state.clone());
        let signed = request.headers()["MINI-TIMESTAMP"].to_str().ok().and_then(|text| text.parse().ok());
        let signed: i64 = signed.unwrap_or_default();
        self.timer.advance(trip);
        let now = self.true_time() + there;
        let taken = now.abs_diff(signed) <= WINDOW;
        self.change(|state| state.seen.push((signed, taken)));
        self.timer.advance(trip);
        let is_question = request.uri().path() == "/v1/order";
        let answer = if silent && !is_question {
            Err(TransportError::new(TransportErrorKind::Closed, WasSent::Maybe))
        } else {
            let (code, data) = match (taken, is_question, request.method() == http::Method::GET) {
                (false, ..) => ("40008", "null"),
                (true, true, _) => ("40404", "null"),
                (true, false, true) => ("00000", "[]"),
                (true, false, false) => ("00000", r#"{"orderId":"7"}"#),
            };
            let body = format!(r#"{{"code":"{code}","msg":"expired","requestTime":{now},"data":{data}}}"#);
            let mut response = http::Response::new(Bytes::from(body));
            response.headers_mut().insert(http::header::DATE, date(now + date_ahead));
            Ok(response)
        };
        Box::pin(std::future::ready(answer))
    }
}

/// A time within the day on which everything here happens, as HTTP writes it.
fn date(millis: i64) -> http::HeaderValue {
    let seconds = millis / 1000 % 86_400;
    let text = format!("Tue, 14 Nov 2023 {:02}:{:02}:{:02} GMT", seconds / 3600, seconds / 60 % 60, seconds % 60);
    http::HeaderValue::from_str(&text).unwrap_or(http::HeaderValue::from_static(""))
}

fn order() -> Result<PlaceOrder, tradeapi_runtime::InvalidIdentifier> {
    let order = PlaceOrder::new("BTCUSDT", Side::Buy, 1_u32, Execution::Market);
    Ok(PlaceOrder { client_oid: Some(ClientOid::new("a1")?), ..order })
}

#[tokio::test]
async fn a_read_is_signed_anew_by_the_time_its_refusal_told() -> Tested {
    for ahead in [10 * MINUTE, -10 * MINUTE] {
        let world = World::ahead(ahead);
        let client = world.builder().build()?;
        assert_eq!(client.skew(), None);
        let policy = RetryPolicy::new();
        client.retrying(&policy).call(&Orders::default()).await?;
        let skew = client.skew().ok_or("nothing was learned")?;
        assert!(skew.is_sure() && skew.ahead_ms.abs_diff(ahead) <= 11, "{skew}");
        assert!(skew.uncertainty <= Duration::from_millis(12) && skew.age.is_zero(), "{skew:?}");
        assert_eq!(world.counts(), (1, 1));
        // From then on everything is signed by it at once.
        client.call(&Orders::default()).await?;
        client.call(&order()?).await?;
        assert_eq!(world.counts(), (3, 1));
    }
    Ok(())
}

#[tokio::test]
async fn a_create_is_refused_for_certain_and_only_the_caller_sends_another() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.builder().build()?;
    let Err(Error::Exchange(error)) = client.call(&order()?).await else { return Err("taken".into()) };
    assert_eq!((error.ending, error.outcome), (Ending::TimestampRefused, Outcome::NotDone));
    assert_eq!(world.seen().len(), 1);
    assert_eq!(
        Error::Exchange(error).to_string(),
        "mini.orders failed: code 40008, HTTP status 200 OK, \"expired\"; its timestamp was not taken, for the \
         exchange's clock is 600.000 s ahead of the client's, give or take 0.011 s; it surely had no effect",
    );
    let reply = client.call(&order()?).await?;
    assert_eq!(world.counts(), (1, 1));
    assert_eq!(reply.signed_at.map(|at| i64::try_from(at.as_millis())), Some(Ok(world.seen()[1].0)));
    Ok(())
}

#[tokio::test]
async fn a_clock_that_is_right_signs_by_itself() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    for _ in 0..5 {
        let own = i64::try_from(Clock::now(&world).as_millis())?;
        client.call(&Orders::default()).await?;
        assert_eq!(world.seen().last(), Some(&(own, true)));
    }
    assert!(!client.skew().ok_or("nothing was learned")?.is_sure());
    Ok(())
}

#[tokio::test]
async fn who_signs_by_their_own_clock_repeats_nothing_and_sends_no_change_in_vain() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.builder().signing_clock(SigningClock::Own).build()?;
    let policy = RetryPolicy::new();
    let refused = client.retrying(&policy).call(&Orders::default()).await;
    assert!(matches!(refused, Err(Error::Exchange(error)) if error.ending == Ending::TimestampRefused));
    assert_eq!(world.seen().len(), 1);
    // The client knows now that no order would be taken.
    let Err(Error::Unsigned(unsigned)) = client.call(&order()?).await else { return Err("sent".into()) };
    assert_eq!((world.seen().len(), unsigned.skew.map(|skew| skew.is_sure())), (1, Some(true)));
    let text = Error::Unsigned(unsigned).to_string();
    assert!(text.contains("the exchange's clock is 600.000 s ahead of the client's"), "{text}");
    // What only reads may go, and as soon as the clock is set right, orders may too.
    assert!(client.call(&Orders::default()).await.is_err());
    world.change(|state| state.here = 10 * MINUTE);
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (1, 2));
    Ok(())
}

#[tokio::test]
async fn a_wall_clock_that_is_set_wrong_is_noticed_rather_than_signed_with() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    world.change(|state| state.here = -90 * MINUTE);
    assert_eq!(client.skew().map(|skew| skew.ahead_ms / MINUTE), Some(90));
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (2, 0));
    Ok(())
}

#[tokio::test]
async fn after_a_sleep_the_wall_clock_counts_again() -> Tested {
    let world = World::ahead(0);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    // Two hours pass that the steady clock does not show.
    world.change(|state| (state.here, state.there) = (120 * MINUTE, 120 * MINUTE));
    assert_eq!(client.skew(), None);
    client.call(&order()?).await?;
    assert_eq!(world.counts(), (2, 0));
    Ok(())
}

#[tokio::test]
async fn a_prepared_request_is_refused_once_its_signature_ran_out_by_any_clock() -> Tested {
    let order = order()?;
    // By the steady clock, though the wall clock was set back.
    let world = World::ahead(0);
    let client = world.builder().build()?;
    let prepared = client.prepare(&order)?;
    world.timer.advance(Duration::from_millis(WINDOW));
    world.change(|state| state.here = -5 * MINUTE);
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(unsigned)) if unsigned.skew.is_none()));
    // By the wall clock, though the steady one slept.
    let prepared = client.prepare(&order)?;
    world.change(|state| state.here = 0);
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(_))));
    // By what was learned of the exchange's clock in between.
    let world = World::ahead(40_000);
    let client = world.builder().build()?;
    let prepared = client.prepare(&order)?;
    let reads = Orders::default();
    let read = client.prepare(&reads)?;
    assert!(client.call(&Orders::default()).await.is_err());
    assert!(matches!(client.send(prepared).await, Err(Error::Unsigned(unsigned)) if unsigned.skew.is_some()));
    assert_eq!(world.seen().len(), 1);
    assert!(matches!(client.send(read).await, Err(Error::Exchange(_))));
    // And one that is good goes.
    let prepared = client.prepare(&order)?;
    world.timer.advance(Duration::from_millis(WINDOW - 100));
    client.send(prepared).await?;
    assert_eq!(world.counts(), (1, 2));
    Ok(())
}

#[tokio::test]
async fn absence_is_judged_by_the_time_the_request_was_signed_as_of() -> Tested {
    for ahead in [10 * MINUTE, -10 * MINUTE] {
        let world = World::ahead(ahead);
        let client = world.builder().build()?;
        assert!(client.call(&Orders::default()).await.is_err());
        world.change(|state| state.silent = true);
        let order = order()?;
        // Signed by the corrected clock: taken, as far as anybody knows, until the window and the settling are over.
        let brief = ConfirmPolicy::new().deadline(Duration::from_secs(38));
        let Fate::Unknown(still) = client.place_and_confirm(&order, &brief).await else { return Err("known".into()) };
        assert_eq!(still.because, "it is not there, but could still come");
        let patient = ConfirmPolicy::new().deadline(Duration::from_secs(60));
        let fate = client.place_and_confirm(&order, &patient).await;
        assert!(matches!(fate, Fate::DidNotHappen(not) if not.by_absence), "{ahead}");
        let (_, refused) = world.counts();
        assert_eq!(refused, 1);
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_that_is_no_signed_one_teaches_nothing() -> Tested {
    let world = World::ahead(10 * MINUTE);
    world.change(|state| state.silent = true);
    let client = world.builder().build()?;
    assert!(matches!(client.call(&order()?).await, Err(Error::Unknown(_))));
    assert_eq!(client.skew(), None);
    Ok(())
}

/// An API whose answers tell the time by a header alone.
static TIMELESS: Api =
    Api { envelope: Some(Envelope { code: "code", message: None, time: None, data: "data", success: "00000" }), ..API };

#[tokio::test]
async fn where_answers_tell_no_time_their_date_does_to_the_second() -> Tested {
    let world = World::ahead(10 * MINUTE);
    let client = world.of(&TIMELESS).build()?;
    let policy = RetryPolicy::new();
    client.retrying(&policy).call(&Orders::default()).await?;
    let skew = client.skew().ok_or("nothing was learned")?;
    let wrong = u128::from(skew.ahead_ms.abs_diff(10 * MINUTE));
    assert!(wrong <= skew.uncertainty.as_millis() + 1 && skew.uncertainty.as_millis() <= 510, "{skew:?}");
    assert_eq!(world.counts(), (1, 1));
    // With a time in the answers, the header is not looked at.
    let world = World::ahead(0);
    world.change(|state| state.date_ahead = 5_000);
    let client = world.builder().build()?;
    client.call(&Orders::default()).await?;
    assert_eq!(client.skew().map(|skew| skew.is_sure()), Some(false));
    Ok(())
}
