use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::builder::ClientBuilder;
use super::clock::{Moment, SigningClock};
use super::exchange_clock::Bounds;
use super::recent::RecentRequests;
use super::skew::Skew;
use super::time::Time;
use super::transport::Transport;
use crate::account::Account;
use crate::batches::{Batch, BatchCall};
use crate::checks::{CheckContext, CheckPolicy, Violations};
use crate::drift::Drift;
use crate::error::{Error, Refusal};
use crate::exchange::{Authenticator, BaseUrl, CodePolicy, HeaderValues, Reply};
use crate::fate::Prepared;
use crate::limits::{Call, Classes, Pacing, Permit, Plan, Timer};
use crate::observe::CallSpan;
use crate::operation::Operation;
use crate::pages::{Paged, Pages};
use crate::retry::{RetryPolicy, Retrying};
use crate::tables::{Api, Ending, Meta};
use crate::value::Timestamp;

/// What every emitted client holds: an address, credentials, a clock, a transport and limits. Cheap to clone.
#[derive(Clone)]
pub struct ClientCore {
    pub(super) parts: Arc<Parts>,
    pacing: Arc<Pacing>,
    checking: Arc<Checking>,
}

/// What requests are checked against before they are sent, and what their refusals prove.
#[derive(Clone, Default)]
pub(super) struct Checking {
    pub(super) account: Account,
    pub(super) policy: CheckPolicy,
    pub(super) codes: CodePolicy,
}

pub(super) struct Parts {
    pub(super) api: &'static Api,
    pub(super) base: BaseUrl,
    pub(super) authenticator: Option<Authenticator>,
    pub(super) headers: HeaderValues,
    pub(super) transport: Box<dyn Transport>,
    pub(super) time: Time,
    pub(super) drift: Option<Drift>,
    pub(super) recent: RecentRequests,
}

impl ClientCore {
    /// Begins a client of `api` at the address `base_url`.
    pub fn builder(api: &'static Api, base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(api, base_url)
    }

    pub(super) fn of(parts: Parts, pacing: Pacing, checking: Checking) -> Self {
        Self { parts: Arc::new(parts), pacing: Arc::new(pacing), checking: Arc::new(checking) }
    }

    /// The same client, for calls to which the rate limits of these classes apply.
    #[must_use]
    pub fn in_classes(&self, classes: Classes) -> Self {
        Self { pacing: Arc::new(Pacing { classes, ..Pacing::clone(&self.pacing) }), ..self.clone() }
    }

    /// The same client, for calls that are checked against the rules that `policy` names; `false` stands for none.
    ///
    /// It shares everything with this one, and is made for a single call too: `client.checked_by(false).call(&order)`.
    #[must_use]
    pub fn checked_by(&self, policy: impl Into<CheckPolicy>) -> Self {
        let policy = policy.into();
        Self { checking: Arc::new(Checking { policy, ..Checking::clone(&self.checking) }), ..self.clone() }
    }

    /// The same client, for calls of an account of which `account` tells; the credentials stay the same.
    #[must_use]
    pub fn told_of(&self, account: impl Into<Account>) -> Self {
        let account = account.into();
        Self { checking: Arc::new(Checking { account, ..Checking::clone(&self.checking) }), ..self.clone() }
    }

    /// The same client, for calls whose refusals prove what `policy` says.
    ///
    /// It shares everything with this one, and is made for a single call too.
    #[must_use]
    pub fn believing(&self, policy: CodePolicy) -> Self {
        Self { checking: Arc::new(Checking { codes: policy, ..Checking::clone(&self.checking) }), ..self.clone() }
    }

    /// What was told about the account.
    pub fn account(&self) -> &Account {
        &self.checking.account
    }

    /// Checks `operation`, waits for room within its rate limits, sends it once, and reads the answer.
    ///
    /// # Errors
    ///
    /// See [`Error`]. Of a call that changes something, [`Error::Unknown`] says that nobody knows whether it did, and
    /// every other error that it surely did not. Whoever drops the call before it ends has no answer at all.
    pub async fn call<O: Operation>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        self.attempt(operation, 1).await
    }

    /// Sends what was prepared, once: waits for room within its rate limits, and reads the answer.
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call); also when the signature is no longer good. A request is never signed again.
    pub async fn send<O: Operation>(&self, prepared: Prepared<'_, O>) -> Result<Reply<O::Response>, Error> {
        let span = CallSpan::new(self.api(), O::META, 1);
        let result = span.around(self.send_in(&span, prepared)).await;
        span.ended(&result);
        result
    }

    /// The same client, for calls that are repeated when they fail in a way that passes: those that only read, and others
    /// of which the documents allow to conclude that a repeat does no harm. Others do not compile.
    pub fn retrying<'a>(&'a self, policy: &'a RetryPolicy) -> Retrying<'a> {
        Retrying::new(self, policy)
    }

    /// Waits for room within the rate limits of `operation`, for who sends it by other means. Nothing is sent.
    ///
    /// ```
    /// use tradeapi_runtime::{ClientCore, Error, Operation};
    ///
    /// async fn by_other_means<O: Operation>(client: &ClientCore, operation: &O) -> Result<(), Error> {
    ///     let mut permit = client.admit(operation).await?;
    ///     let request = client.prepare(operation)?;
    ///     permit.sent();
    ///     let response = send(request.into_request()).await;
    ///     permit.answered(&response);
    ///     Ok(())
    /// }
    /// # async fn send(_: http::Request<bytes::Bytes>) -> http::Response<bytes::Bytes> { http::Response::default() }
    /// ```
    ///
    /// # Errors
    ///
    /// When there is no room and the client does not wait, or the limiter is in trouble.
    pub async fn admit<O: Operation>(&self, operation: &O) -> Result<Permit<'_>, Error> {
        self.pacing.admit(self.parts.api, operation, self.account()).await
    }

    /// All pages that answer `request`, one after the other. Nothing is sent yet.
    pub fn pages<O: Paged>(&self, request: O) -> Pages<O> {
        Pages::new(self.clone(), request)
    }

    /// A batch of any length, in as many calls as it takes. Nothing is sent yet.
    pub fn batch<O: Batch>(&self, request: O) -> BatchCall<O> {
        BatchCall::new(self.clone(), request)
    }

    /// How `operation` counts against rate limits.
    pub fn limited<O: Operation>(&self, operation: &O) -> Call<'_> {
        self.pacing.call(operation, self.account())
    }

    /// How long it will take until all of `calls` have gone out when they are made now, and what makes them wait.
    /// Nothing is sent.
    ///
    /// ```
    /// use tradeapi_runtime::{ClientCore, Operation};
    ///
    /// fn is_done_within_ten_seconds<O: Operation>(client: &ClientCore, operations: &[O]) -> bool {
    ///     let calls: Vec<_> = operations.iter().map(|operation| client.limited(operation)).collect();
    ///     let plan = client.plan(&calls);
    ///     println!("{plan}"); // 95 requests in 9.045 s, because of the limit of unified.place-order, 10 calls in 1 s ...
    ///     plan.lasts.as_secs() < 10
    /// }
    /// ```
    pub fn plan(&self, calls: &[Call<'_>]) -> Plan {
        self.pacing.plan(calls)
    }

    /// Checks `operation` and makes the signed request for it, for [`send`](Self::send). Nothing is sent yet, and nothing
    /// counts against a limit; what the request will be known by can be stored before it leaves. Who sends it by other
    /// means asks for room first; see [`admit`](Self::admit).
    ///
    /// # Errors
    ///
    /// When the documents forbid it or it cannot be signed.
    pub fn prepare<'a, O: Operation>(&self, operation: &'a O) -> Result<Prepared<'a, O>, Error> {
        let warnings = self.check(operation)?;
        self.build(operation, warnings)
    }

    /// The API that is called.
    pub fn api(&self) -> &'static Api {
        self.parts.api
    }

    /// The time by the client's clock, corrected as signatures are; see [`SigningClock`].
    pub fn now(&self) -> Timestamp {
        self.parts.time.to_sign_at(self.parts.time.now())
    }

    /// How far the exchange's clock is from the client's, as far as its answers have told of late. It is known to half of
    /// what an answer took on its way, and better with every further one.
    pub fn skew(&self) -> Option<Skew> {
        self.parts.time.skew()
    }

    /// The time now, by both clocks of the client.
    pub(crate) fn moment(&self) -> Moment {
        self.parts.time.now()
    }

    /// How far the timestamp of a request may be from the exchange's clock.
    pub(crate) fn signature_window(&self) -> Option<Duration> {
        let credentials = self.api().credentials.as_ref();
        credentials.and_then(|credentials| credentials.window_ms).map(Duration::from_millis)
    }

    /// The earliest and the latest time that the clocks of the exchange's machines can show at `moment`, where that is
    /// known. The latest is no earlier than the client's own clock, for all that answered may be behind.
    pub(crate) fn exchange_time(&self, moment: Moment) -> Option<(Timestamp, Timestamp)> {
        let time = &self.parts.time;
        let (earliest, latest) = time.there.time(moment).map(Bounds::ends)?;
        let spread = time.there.spread(time.now());
        let earliest = earliest.checked_sub(spread).unwrap_or_default();
        let latest = latest.checked_add(spread).unwrap_or(latest);
        Some((earliest, latest.max(moment.wall())))
    }

    /// How much later than here a signature may run out by the exchange's clock, or by that of one of its machines.
    pub(crate) fn signature_uncertainty(&self, signed_at: Timestamp, left: Option<Moment>) -> Duration {
        let window = self.signature_window().unwrap_or_default();
        let time = &self.parts.time;
        let now = time.now();
        let spread = time.there.spread(now);
        // Of a request of an earlier run only the difference of today is known.
        let (by_signature, at) = left.map_or((now.wall, now), |left| (signed_at, left));
        let behind = match time.there.time(at).map(Bounds::ends) {
            Some((earliest, _)) => by_signature.as_millis().saturating_sub(earliest.as_millis()),
            None => u64::MAX,
        };
        // A request that is accepted was signed within the window.
        Duration::from_millis(behind).saturating_add(spread).min(window)
    }

    /// When the request left that was signed at `signed_at` and carries `id`, if this client sent it of late.
    pub(crate) fn left(&self, id: &str, signed_at: Timestamp) -> Option<Moment> {
        self.parts.recent.left(id, signed_at)
    }

    /// Whether the client gave `id` to two things about when the request left at `left`, or of late where that is not known.
    pub(crate) fn is_named_twice(&self, id: &str, left: Option<Moment>) -> bool {
        self.parts.recent.is_named_twice(id, left)
    }

    /// Whether the client may have changed what has `id` by another request than the one that left at `left`, since then.
    pub(crate) fn has_contender(&self, id: &str, left: Moment) -> bool {
        self.parts.recent.has_contender(id, left)
    }

    /// Whether a repeat would be signed in a way that `error` was not about.
    pub(crate) fn signs_otherwise_after(&self, error: &Error) -> bool {
        error.ending() != Ending::TimestampRefused || self.parts.time.signing == SigningClock::Corrected
    }

    /// What requests are checked against.
    pub(crate) fn policy(&self) -> &CheckPolicy {
        &self.checking.policy
    }

    /// What refusals prove.
    pub(crate) fn codes(&self) -> &CodePolicy {
        &self.checking.codes
    }

    pub(crate) fn check<O: Operation>(&self, operation: &O) -> Result<Violations, Error> {
        let Checking { account, policy, .. } = &*self.checking;
        if !policy.checks_anything() {
            return Ok(Violations::default());
        }
        // Only a rule about a range of time asks for it.
        let now = O::META.window.map(|_| self.now());
        let violations = operation.inspect(CheckContext { account, now, policy });
        violations.into_result().map_err(|violations| refused(O::META, violations))
    }

    /// What pauses are measured with.
    pub(crate) fn timer(&self) -> &dyn Timer {
        &*self.parts.time.steady
    }
}

impl AsRef<Self> for ClientCore {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl fmt::Debug for ClientCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCore")
            .field("api", &self.parts.api.name)
            .field("base", &self.parts.base)
            .finish_non_exhaustive()
    }
}

fn refused(meta: &'static Meta, violations: Violations) -> Error {
    Error::Refused(Box::new(Refusal { operation: meta.id, violations }))
}
