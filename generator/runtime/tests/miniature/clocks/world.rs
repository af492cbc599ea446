//! An exchange and a client whose clocks differ.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::clock::ManualEnvironment;
use tradeapi_runtime::error::{Delivery, TransportError, TransportErrorKind};
use tradeapi_runtime::tables::Api;
use tradeapi_runtime::transport::{ResponseFuture, Transport};
use tradeapi_runtime::{ClientBuilder, ClientCore, Credentials, Timestamp};

use crate::api::API;

const START: Timestamp = Timestamp::from_millis(1_700_000_000_000);
pub(super) const MINUTE: i64 = 60_000;
pub(super) const WINDOW: u64 = 30_000;

/// An exchange and a client in the same true time, whose clocks differ.
#[derive(Clone)]
pub(super) struct World {
    /// The clocks of the client.
    pub(super) here: ManualEnvironment,
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Default)]
pub(super) struct State {
    /// The time by which the exchange's clock is ahead of the true one, in milliseconds.
    pub(super) there: i64,
    /// The time that a request takes there, and the answer back.
    trip: Duration,
    /// True if requests get no answer.
    pub(super) silent: bool,
    /// The time by which the header of answers is ahead of their own time.
    pub(super) date_ahead: i64,
    /// A code with which everything is refused, and the time in such an answer.
    pub(super) refusal: Option<(&'static str, u64)>,
    /// The timestamps of requests, and whether the exchange took them.
    seen: Vec<(i64, bool)>,
}

impl World {
    /// Creates a world in which the exchange's clock is ahead by so many milliseconds.
    pub(super) fn ahead(there: i64) -> Self {
        let world = Self { here: ManualEnvironment::leaping(START), state: Arc::default() };
        world.change(|state| (state.there, state.trip) = (there, Duration::from_millis(10)));
        world
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn true_time(&self) -> i64 {
        self.here.right_time().as_millis().cast_signed()
    }

    pub(super) fn seen(&self) -> Vec<(i64, bool)> {
        self.change(|state| state.seen.clone())
    }

    /// Returns how many requests the exchange took, and how many it refused.
    pub(super) fn counts(&self) -> (usize, usize) {
        let taken = self.seen().iter().filter(|(_, taken)| *taken).count();
        (taken, self.seen().len() - taken)
    }

    pub(super) fn builder(&self) -> ClientBuilder {
        self.of(&API)
    }

    pub(super) fn of(&self, api: &'static Api) -> ClientBuilder {
        ClientCore::builder(api, "https://mini.example")
            .credentials(Credentials::new("key", "secret", "pass"))
            .limits(LimitMode::Off)
            .transport(self.clone())
            .environment(self.here.clone())
    }
}

impl Transport for World {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let State { trip, there, silent, date_ahead, refusal, .. } = self.change(|state| state.clone());
        let signed = request.headers()["MINI-TIMESTAMP"].to_str().ok().and_then(|text| text.parse().ok());
        let signed: i64 = signed.unwrap_or_default();
        self.here.timer().advance(trip);
        let now = self.true_time() + there;
        let taken = now.abs_diff(signed) <= WINDOW;
        self.change(|state| state.seen.push((signed, taken)));
        self.here.timer().advance(trip);
        let is_question = request.uri().path() == "/v1/order";
        let answer = if silent && !is_question {
            Err(TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent))
        } else {
            let (code, data) = match (taken, is_question, request.method() == http::Method::GET) {
                (false, ..) => ("40008", "null"),
                (true, true, _) => ("40404", "null"),
                (true, false, true) => ("00000", "[]"),
                (true, false, false) => ("00000", r#"{"orderId":"7"}"#),
            };
            let stated_now = u64::try_from(now).unwrap_or_default();
            let (code, stated) = refusal.unwrap_or((code, stated_now));
            let body = format!(r#"{{"code":"{code}","msg":"expired","requestTime":{stated},"data":{data}}}"#);
            let mut response = http::Response::new(Bytes::from(body));
            response.headers_mut().insert(http::header::DATE, date(now + date_ahead));
            Ok(response)
        };
        Box::pin(std::future::ready(answer))
    }
}

/// Returns a time within the day on which everything here happens, as HTTP writes it.
fn date(millis: i64) -> http::HeaderValue {
    let seconds = millis / 1000 % 86_400;
    let text = format!("Tue, 14 Nov 2023 {:02}:{:02}:{:02} GMT", seconds / 3600, seconds / 60 % 60, seconds % 60);
    http::HeaderValue::from_str(&text).unwrap_or(http::HeaderValue::from_static(""))
}
