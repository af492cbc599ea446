//! Virtual time, and a transport without sockets.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use tradeapi_runtime::client::LimitMode;
use tradeapi_runtime::clock::{ManualEnvironment, Timer as _};
use tradeapi_runtime::error::{BuildError, Delivery, TransportError, TransportErrorKind};
use tradeapi_runtime::transport::{ResponseFuture, Transport};
use tradeapi_runtime::{ClientBuilder, ClientCore, Credentials, Timestamp};
use tradeapi_tests::loopback::{Act, Request};

use super::exchange::Exchange;

const START: Timestamp = Timestamp::from_millis(1_790_000_000_000);
/// Longer than any placement takes.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
const TRIP: Duration = Duration::from_millis(10);

/// The time of a client and its exchange. Clones share it.
#[derive(Clone)]
pub(super) struct VirtualTime {
    clocks: ManualEnvironment,
    /// The exchange that is called without sockets.
    exchange: Option<Arc<Exchange>>,
}

impl VirtualTime {
    /// Returns a time that advances when a task waits for it.
    pub(super) fn leaping() -> Self {
        Self { clocks: ManualEnvironment::leaping(START), exchange: None }
    }

    /// Returns a time that stands still.
    pub(super) fn resting() -> Self {
        Self { clocks: ManualEnvironment::new(START), exchange: None }
    }

    /// Calls `exchange` without sockets.
    pub(super) fn with(self, exchange: Arc<Exchange>) -> Self {
        Self { exchange: Some(exchange), ..self }
    }

    /// Returns a client that reads this time.
    pub(super) fn client<C>(self, builder: ClientBuilder<C>, secret: &str) -> C
    where
        C: TryFrom<ClientCore>,
        C::Error: Into<BuildError>,
    {
        // Clients of one address would share their limits, but each test has its own time.
        let builder = builder.limits(LimitMode::Off).environment(self.clocks.clone());
        let builder = builder.credentials(Credentials::new("key", secret, "phrase"));
        if self.exchange.is_some() { builder.transport(self).build().unwrap() } else { builder.build().unwrap() }
    }

    /// Advances the time.
    pub(super) fn pass(&self, length: Duration) {
        self.clocks.timer().advance(length);
    }

    /// Returns the time, which each answer of the exchange reads.
    pub(super) fn millis(&self) -> u64 {
        let passed = self.clocks.timer().now();
        assert!(passed < A_DAY, "a client still asks after {passed:?}, so its placement does not end");
        self.clocks.right_time().as_millis()
    }

    /// Returns the time in the form of the `Date` header.
    pub(super) fn date(&self) -> String {
        httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(self.millis()))
    }
}

impl Transport for VirtualTime {
    fn send<'a>(&'a self, request: http::Request<Bytes>) -> ResponseFuture<'a> {
        let (head, body) = request.into_parts();
        let target = head.uri.path_and_query().unwrap().as_str();
        let headers = head.headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let request = Request::new(head.method.as_str(), target, headers.collect(), body, 0);
        self.clocks.timer().advance(TRIP);
        let answer = self.exchange.as_ref().unwrap().answer(&request);
        self.clocks.timer().advance(TRIP);
        let response = match answer.into_act() {
            Act::Whole(parts) => {
                let response = http::Response::builder().status(parts.status);
                let response =
                    parts.headers.iter().fold(response, |response, (name, value)| response.header(name, value));
                Ok(response.body(Bytes::from(parts.body)).unwrap())
            }
            Act::Close => Err(TransportError::new(TransportErrorKind::Closed, Delivery::MaybeSent)),
            other => panic!("{other:?} needs a socket"),
        };
        Box::pin(std::future::ready(response))
    }
}
