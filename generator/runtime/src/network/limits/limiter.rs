//! The interface between a client and its limiter, and permits for calls that are made by other means.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};

use super::call::{Call, Plan, Reservation};
use super::refused_address::Watch;
use crate::data::error::{BindingLimit, LimiterErrorKind};
use crate::data::tables::Api;
use crate::data::value::Timestamp;
use crate::network::wire::{MAX_POOLS, PoolReport, is_in_envelope, pool_reports, remaining_calls, retry_after};

/// Keeps calls within their rate limits.
///
/// A client requests a reservation before each call, and reports when the call is sent and how it ends: by
/// [`answered`](Self::answered), [`lost`](Self::lost) or [`give_back`](Self::give_back), one of which follows every
/// reservation. [`InProcessLimits`] does this for one process, `RedisLimits` (with the feature `redis`) for a fleet of
/// them.
///
/// [`InProcessLimits`]: super::InProcessLimits
pub trait Limiter: Send + Sync {
    /// Admits `call`, or lets it wait. Without `wait`, returns at once; if a limit is used up, with the time until
    /// there is room.
    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a>;

    /// Notes that the call is sent now.
    fn sent(&self, reservation: &mut Reservation);

    /// Notes that the call was answered.
    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback);

    /// Notes that the call ended without a response. The call may have arrived, or still arrive. By default this is the
    /// same as a response without feedback.
    fn lost(&self, reservation: Reservation) {
        self.answered(reservation, RateLimitFeedback::default());
    }

    /// Notes that the call is not sent.
    fn give_back(&self, reservation: Reservation);

    /// Returns whether other processes share it. By default, none does.
    fn is_shared(&self) -> bool {
        false
    }

    /// Returns how long `calls` take if they are made now. By default this assumes that there were no calls before.
    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        Plan::from_nothing(calls)
    }
}

/// The decision about a call.
#[must_use = "a reservation takes room until it is used or given back"]
pub enum Admission<'a> {
    /// Known at once.
    Now(Result<Reservation, AdmissionError>),
    /// Known later. Dropping the future ends the wait.
    Later(AdmissionFuture<'a>),
}

/// Resolves to a reservation.
pub type AdmissionFuture<'a> = Pin<Box<dyn Future<Output = Result<Reservation, AdmissionError>> + Send + 'a>>;

/// The reason why a call may not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdmissionError {
    /// There is no room for it.
    Full(Full),
    /// The limiter failed.
    Unavailable(Unavailable),
}

/// There is no room for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Full {
    /// The least time until there is.
    pub free_in: Duration,
    /// The limit that is used up.
    pub binding: Option<BindingLimit>,
}

impl Full {
    /// Creates the answer that there is no room for at least `free_in`, because of `binding`.
    pub fn new(free_in: Duration, binding: Option<BindingLimit>) -> Self {
        Self { free_in, binding }
    }
}

/// The failure of a limiter. Nothing is sent then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unavailable {
    /// The kind of failure.
    pub kind: LimiterErrorKind,
    /// The reason.
    pub why: String,
    /// The time that the caller waited before.
    pub waited: Duration,
}

impl Unavailable {
    /// Creates a failure of the kind `kind`, because of `why`.
    pub fn new(kind: LimiterErrorKind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into(), waited: Duration::ZERO }
    }

    /// Returns the same, after a wait.
    #[must_use]
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.why)
    }
}

impl From<Full> for AdmissionError {
    fn from(full: Full) -> Self {
        Self::Full(full)
    }
}

impl From<Unavailable> for AdmissionError {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

/// The feedback of a response about rate limits. By default it is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimitFeedback {
    /// The call exceeded a limit: HTTP status 429, or that of the refusal of an address.
    pub too_many: Option<TooMany>,
    /// The remaining calls in the current window of the exchange.
    pub remaining: Option<u32>,
    /// The lengths of the windows that `remaining` counts, in milliseconds.
    pub remaining_windows: &'static [u32],
    /// The reports about pools.
    pub pools: [Option<PoolReport>; MAX_POOLS],
    /// The round trip, if the transport reports it: see [`RoundTrip`](crate::network::transport::RoundTrip).
    pub trip: Option<Duration>,
    /// When the exchange counted the call, by its clock: the time in the response.
    pub request_time: Option<Timestamp>,
}

/// The feedback after a call that exceeded a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TooMany {
    /// True if all operations may have been counted together: the response has no envelope, so it comes from a gateway
    /// before the exchange, which does not distinguish operations.
    pub of_everything: bool,
    /// The time to wait, if the response requires it.
    pub retry_after: Option<Duration>,
    /// The time for which the exchange refuses the address, if the response shows it, by itself or after others: see
    /// [`Api::refused_address`]. Clients of this process wait without their limiter; one of a fleet tells the others.
    pub refused_for: Option<Duration>,
}

impl Default for RateLimitFeedback {
    fn default() -> Self {
        Self::new(None, None)
    }
}

impl RateLimitFeedback {
    /// Creates the feedback of an answer. `remaining` counts windows of a second.
    pub fn new(too_many: Option<TooMany>, remaining: Option<u32>) -> Self {
        Self {
            too_many,
            remaining,
            remaining_windows: &[1000],
            pools: [None; MAX_POOLS],
            trip: None,
            request_time: None,
        }
    }

    /// Sets the lengths of the windows that `remaining` counts, in milliseconds.
    #[must_use]
    pub fn of_windows(self, remaining_windows: &'static [u32]) -> Self {
        Self { remaining_windows, ..self }
    }

    /// Adds what the response says about pools.
    #[must_use]
    pub fn of_pools(self, pools: [Option<PoolReport>; MAX_POOLS]) -> Self {
        Self { pools, ..self }
    }

    /// Adds the round trip over a connection that had carried a response before.
    #[must_use]
    pub fn after(self, trip: Duration) -> Self {
        Self { trip: Some(trip), ..self }
    }

    /// Adds the time of the response, by the exchange's clock.
    #[must_use]
    pub fn at(self, request_time: Timestamp) -> Self {
        Self { request_time: Some(request_time), ..self }
    }

    /// Returns the feedback of `response`, without the time in it.
    pub fn read(api: &Api, response: &Response<Bytes>) -> Self {
        let is_one_too_many = response.status() == StatusCode::TOO_MANY_REQUESTS;
        let refused_for = api.refused_address.filter(|refused| !is_one_too_many && refused.status == response.status());
        let too_many = (is_one_too_many || refused_for.is_some()).then(|| TooMany {
            of_everything: refused_for.is_some() || !is_in_envelope(api, response.body()),
            retry_after: retry_after(response.headers()),
            refused_for: refused_for.map(|refused| refused.lasts()),
        });
        let feedback = Self::new(too_many, remaining_calls(api, response.headers()));
        let feedback = api.remaining_calls.map_or(feedback, |counted| feedback.of_windows(counted.windows));
        if api.pools.is_empty() { feedback } else { feedback.of_pools(pool_reports(api.pools, response)) }
    }
}

/// A permit to make one call by other means; see [`ClientCore::admit`](crate::ClientCore::admit).
///
/// It takes room until it is dropped. After [`sent`](Self::sent), the call counts: from its response, or, if there is
/// none, from the drop of the permit. Otherwise dropping it frees the room. A permit that is leaked takes room
/// forever.
#[must_use = "it takes room until it is dropped"]
pub struct Permit<'a> {
    api: &'static Api,
    /// The place in the limiter of the client, and that in the rate of the address.
    places: [Option<Place<'a>>; 2],
    watch: Option<Watch<'a>>,
    waited: Duration,
    sent: bool,
}

/// The place of a call in a limiter.
struct Place<'a> {
    limiter: &'a dyn Limiter,
    reservation: Reservation,
}

impl<'a> Permit<'a> {
    /// Creates a permit for a call that counts; without a reservation, for one that does not.
    pub(crate) fn new(limiter: &'a dyn Limiter, api: &'static Api, reservation: Option<Reservation>) -> Self {
        let waited = reservation.as_ref().map(|reservation| reservation.waited).unwrap_or_default();
        let place = reservation.map(|reservation| Place { limiter, reservation });
        Self { api, places: [place, None], watch: None, waited, sent: false }
    }

    /// Adds a place in the rate of the address.
    pub(crate) fn within(&mut self, limiter: &'a dyn Limiter, reservation: Reservation) {
        self.waited = self.waited.saturating_add(reservation.waited);
        self.places[1] = Some(Place { limiter, reservation });
    }

    /// Notes that the answer may show that the address is refused, and that the call waited for `longer`.
    pub(crate) fn watched(&mut self, watch: Watch<'a>, longer: Duration) {
        self.watch = Some(watch);
        self.waited = self.waited.saturating_add(longer);
    }

    /// Returns how long the call waited for it.
    pub fn waited(&self) -> Duration {
        self.waited
    }

    /// Notes that the call is sent now.
    pub fn sent(&mut self) {
        self.sent = true;
        if let Some(watch) = &mut self.watch {
            watch.sent();
        }
        for Place { limiter, reservation } in self.places.iter_mut().flatten() {
            limiter.sent(reservation);
        }
    }

    /// Notes that the call was certainly not sent, so that dropping the permit frees the room.
    pub fn not_sent(&mut self) {
        self.sent = false;
    }

    /// Reports the feedback of `response` to the limiter, and returns it. The status and the headers count even if the
    /// body cannot be read.
    pub fn answered(&mut self, response: &Response<Bytes>) -> RateLimitFeedback {
        let feedback = RateLimitFeedback::read(self.api, response);
        self.report(feedback);
        feedback
    }

    /// Reports `feedback` to the limiter, which the caller has completed with the round trip and the time in the
    /// response.
    pub fn report(&mut self, feedback: RateLimitFeedback) {
        if self.places[0].is_none() {
            return;
        }
        let feedback = self.watch.as_ref().map_or(feedback, |watch| watch.answered(feedback));
        for Place { limiter, reservation } in self.places.iter_mut().filter_map(Option::take) {
            limiter.answered(reservation, feedback);
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        for Place { limiter, reservation } in self.places.iter_mut().filter_map(Option::take) {
            if self.sent {
                limiter.lost(reservation);
            } else {
                limiter.give_back(reservation);
            }
        }
    }
}

impl fmt::Debug for Permit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("waited", &self.waited).field("sent", &self.sent).finish_non_exhaustive()
    }
}
