//! The client: what it consists of, and its settings after it is built.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tradeapi_words::Assumptions;

use super::call::MetricsHook;
use super::departures::{Departures, Purpose};
use super::exchange_clock::{Bounds, SigningClock, Time};
use super::journaled::OwnJournal;
use super::pacing::RateLimitPolicy;
use super::recent::RecentRequests;
use super::stated::{KeyFamilies, Listed};
use super::weighing::ShownIds;
use crate::data::account::{Account, AccountMismatch, Instrument, InstrumentLine, Known, Mismatches};
use crate::data::checks::{CheckContext, CheckPolicy, Violations};
use crate::data::clock::{Environment, Moment, Skew, Timer};
use crate::data::error::{Error, Refusal};
use crate::data::operation::{DynOperation, Operation};
use crate::data::parameters::Named;
use crate::data::tables::{Access, Api, CallResult, CredentialCause, Effect, KnownError, Meta};
use crate::data::value::{ExchangeTime, Timestamp};
use crate::network::drift::Drift;
use crate::network::limits::{Call, Classes, Permit, Plan};
use crate::network::signing::Authenticator;
use crate::network::transport::Transport;
use crate::network::wire::{BaseUrl, CodePolicy, HeaderValues};
use crate::state::budget::Budget;
use crate::state::evidence::Awaited;
use crate::state::journal::Journal;
use crate::state::orders::TrackedOrders;

/// A client: an address, credentials, a clock, a transport and rate limits. Emitted clients wrap it. Cheap to clone.
#[derive(Clone)]
pub struct ClientCore {
    pub(super) parts: Arc<Parts>,
    pacing: Arc<RateLimitPolicy>,
    checking: Arc<Checking>,
    pub(super) journal: Option<Arc<OwnJournal>>,
    /// The journal that this client leaves out.
    pub(super) left_out: Option<Arc<OwnJournal>>,
    /// The purpose of the changes of this client, if that matters.
    pub(super) purpose: Option<Arc<Purpose>>,
}

/// The policies by which requests are checked and error codes are interpreted.
#[derive(Clone, Default)]
pub(super) struct Checking {
    pub(super) account: Account,
    /// The instruments that the exchange lists, shared with clones of the client.
    pub(super) listed: Arc<Listed>,
    /// Contradictions between answers and the account.
    pub(super) mismatches: Arc<Mismatches>,
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
    /// True if records keep unknown members.
    pub(super) keeps_unknown: bool,
    /// True if a call whose timestamp was refused is signed again.
    pub(super) signs_again: bool,
    pub(super) recent: Arc<RecentRequests>,
    /// The families that serve the key, as far as they were asked.
    pub(super) families: KeyFamilies,
    pub(super) departures: Arc<Departures>,
    pub(super) awaited: Awaited,
    pub(super) shown: ShownIds,
    pub(super) metrics: Option<MetricsHook>,
    pub(super) orders: Option<TrackedOrders>,
    pub(super) budget: Option<Budget>,
    pub(super) assumptions: Assumptions,
}

impl ClientCore {
    pub(super) fn of(
        parts: Parts,
        pacing: RateLimitPolicy,
        checking: Checking,
        journal: Option<Arc<dyn Journal>>,
    ) -> Self {
        let journal = journal.map(OwnJournal::new);
        let (parts, pacing, checking) = (Arc::new(parts), Arc::new(pacing), Arc::new(checking));
        Self { parts, pacing, checking, journal, left_out: None, purpose: None }
    }

    /// Returns a client for calls of these classes of rate limits.
    #[must_use]
    pub fn in_classes(&self, classes: Classes) -> Self {
        Self { pacing: Arc::new(RateLimitPolicy { classes, ..RateLimitPolicy::clone(&self.pacing) }), ..self.clone() }
    }

    /// Returns a client that checks requests by `policy`; `false` disables all rules.
    ///
    /// It shares everything else with this one, and is cheap enough for a single call:
    /// `client.with_check_policy(false).call(&order)`.
    #[must_use]
    pub fn with_check_policy(&self, policy: impl Into<CheckPolicy>) -> Self {
        let policy = policy.into();
        Self { checking: Arc::new(Checking { policy, ..Checking::clone(&self.checking) }), ..self.clone() }
    }

    /// Returns a client for calls of `account`, with the same credentials.
    #[must_use]
    pub fn with_account(&self, account: impl Into<Account>) -> Self {
        let (account, mismatches) = (account.into(), Arc::default());
        let pacing = self.pacing.of_account(account.name());
        let checking = Checking { account, mismatches, ..Checking::clone(&self.checking) };
        // The journal may have the changes of the other account for another owner.
        let [journal, left_out] = [&self.journal, &self.left_out].map(|own| own.as_ref().map(|own| own.of_another()));
        Self { pacing, checking: Arc::new(checking), journal, left_out, ..self.clone() }
    }

    /// Returns a client that interprets error codes by `policy`.
    ///
    /// It shares everything else with this one, and is cheap enough for a single call.
    #[must_use]
    pub fn with_code_policy(&self, policy: CodePolicy) -> Self {
        Self { checking: Arc::new(Checking { codes: policy, ..Checking::clone(&self.checking) }), ..self.clone() }
    }

    /// Returns a client without a journal, as for an emergency in which the disk is full. It shares everything else.
    ///
    /// When it sends changes, this client and its clones remember it. The next [`recover`](crate::outcomes::confirm::recover()) or
    /// [`reconcile`](crate::outcomes::reconcile::reconcile()) of one of them notes in the journal that changes of that time are
    /// missing there, so that their orders count as perhaps lost, and not as foreign.
    #[must_use]
    pub fn without_journal(&self) -> Self {
        let left_out = self.journal.clone().or_else(|| self.left_out.clone());
        Self { journal: None, left_out, ..self.clone() }
    }

    pub(super) fn with_purpose(&self, purpose: Arc<Purpose>) -> Self {
        Self { purpose: Some(purpose), ..self.clone() }
    }

    /// Returns the journal, if the client has one.
    pub fn journal(&self) -> Option<&Arc<dyn Journal>> {
        self.journal.as_ref().map(|own| &own.journal)
    }

    /// Returns the account.
    pub fn account(&self) -> &Account {
        &self.checking.account
    }

    /// Returns the instrument `symbol` of a business line: as the account states it, or else as it was last
    /// [listed](crate::calls::instruments::load_instruments).
    ///
    /// ```
    /// use tradeapi_runtime::{ClientCore, Decimal};
    ///
    /// /// The nearest price that the exchange takes.
    /// fn on_the_grid(client: &ClientCore, price: &Decimal) -> Option<Decimal> {
    ///     let pair = client.instrument(("shop", "spot"), "BTCUSDT")?;
    ///     price.round_to(pair.get("priceStep")?).ok()
    /// }
    /// ```
    pub fn instrument(&self, line: impl InstrumentLine, symbol: &str) -> Option<Instrument> {
        let stated = self.account().instrument(line.line(), symbol).cloned();
        stated.or_else(|| self.checking.listed.read().get(line.family(), line.line(), symbol).cloned())
    }

    /// Returns whether an account of another kind is refused by a family.
    pub(crate) fn refuses_accounts(&self, family: &str) -> bool {
        let is_of_account = |known: &&KnownError| known.cause == Some(CredentialCause::Account);
        self.parts.api.observed_codes.iter().filter(is_of_account).any(|known| known.is_of(family))
    }

    /// Returns what a family that was asked says of the key: nothing if it serves it, or else the code of the refusal.
    pub(crate) fn asked_family(&self, family: &str) -> Option<Option<&'static KnownError>> {
        self.parts.families.get(family)
    }

    /// Forgets what families said of the key, so that they are asked again.
    pub(crate) fn forget_families(&self) {
        self.parts.families.forget();
    }

    /// Remembers what a family says of the key.
    pub(crate) fn note_family(&self, family: &'static str, refused: Option<&'static KnownError>) {
        self.parts.families.note(family, refused);
    }

    /// Returns the properties of the account whose stated values contradict the latest record or refusal about each.
    /// Answers, and records given to [`evidence`](crate::outcomes::confirm::evidence), are compared by this client and
    /// by its clones, until [`with_account`](Self::with_account) states something else.
    ///
    /// A mismatch changes no requests: a program that finds one should stop and correct the account.
    pub fn account_mismatches(&self) -> Vec<AccountMismatch> {
        self.checking.mismatches.all()
    }

    pub(super) fn listed(&self) -> &Listed {
        &self.checking.listed
    }

    pub(super) fn mismatches(&self) -> &Mismatches {
        &self.checking.mismatches
    }

    /// Waits for the rate limits of `operation`, for a caller that sends it by other means. Nothing is sent.
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
    /// Fails if a limit is used up and the client does not wait, or if the limiter fails.
    pub async fn admit<O: Operation>(&self, operation: &O) -> Result<Permit<'_>, Error> {
        self.admit_any(operation).await
    }

    pub(super) async fn admit_any(&self, operation: &dyn DynOperation) -> Result<Permit<'_>, Error> {
        let (api, timer): (_, &dyn Timer) = (self.parts.api, self.environment());
        if let Some(permit) = self.pacing.admit_unlimited(api, operation.meta()) {
            return permit;
        }
        // Boxed, because few calls wait, and the future of each would have space for it.
        Box::pin(self.pacing.admit(api, self.counted(operation), timer)).await
    }

    /// Returns for how long the exchange still refuses all requests of the address, as the answers to the clients of this
    /// process show; `None` if it does not. Calls wait that time out; cancellations wait for a minute at most.
    pub fn address_refused_for(&self) -> Option<Duration> {
        self.pacing.refusals.left(Effect::Read, self.environment())
    }

    /// Returns how `operation` counts against rate limits.
    pub fn limited<O: Operation>(&self, operation: &O) -> Call<'_> {
        self.counted(operation)
    }

    fn counted(&self, operation: &dyn DynOperation) -> Call<'_> {
        let Checking { account, listed, .. } = &*self.checking;
        let time = || self.exchange_time(self.moment());
        self.pacing.call(operation, Known { account, listed: Some(&listed.read()), time: ExchangeTime::by(&time) })
    }

    /// Returns how long `calls` take if they are made now, and which limit delays them. Nothing is sent.
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

    /// Returns the API.
    pub fn api(&self) -> &'static Api {
        self.parts.api
    }

    /// Returns the time by the client's clock, corrected like signatures; see [`SigningClock`].
    pub fn now(&self) -> Timestamp {
        self.parts.time.to_sign_at(self.parts.time.now())
    }

    /// Returns the time by the clock that shows the earlier one: the client's, as it is and as [`now`](Self::now)
    /// corrects it. A time after both clocks lies in the future.
    pub(crate) fn earliest_now(&self) -> Timestamp {
        self.now().min(self.moment().wall())
    }

    /// Returns the time by the clock that shows the later one. Unless both are behind, nothing has happened later: a
    /// machine of the exchange whose clock is behind may have corrected the client's.
    pub(crate) fn latest_now(&self) -> Timestamp {
        self.now().max(self.moment().wall())
    }

    /// Returns the offset of the exchange's clock from the client's, estimated from recent responses. The error bound
    /// is at most half a round trip, and shrinks with further responses.
    pub fn skew(&self) -> Option<Skew> {
        self.parts.time.skew()
    }

    /// Returns the current time, by both clocks of the client.
    pub(crate) fn moment(&self) -> Moment {
        self.parts.time.now()
    }

    /// Returns how far the timestamp of a request with these parameters may differ from the exchange's clock.
    pub(crate) fn signature_window(&self, parameters: &Named) -> Option<Duration> {
        self.api().credentials.as_ref()?.window(|name| parameters.text(name))
    }

    /// Returns how far the timestamp of a request may be from the exchange's clock.
    pub(super) fn window(&self, operation: &dyn DynOperation) -> Option<Duration> {
        let credentials = self.api().credentials.as_ref().filter(|_| operation.meta().access == Access::Signed);
        credentials?.window(|name| Named::of(operation).text(name).map(Cow::into_owned))
    }

    /// Returns the earliest and the latest time that the clocks of the exchange's machines can show at `moment`, if
    /// known. The latest is no earlier than the client's own clock, because all machines that responded may be slow.
    pub(crate) fn exchange_time(&self, moment: Moment) -> Option<(Timestamp, Timestamp)> {
        let there = &self.parts.time.there;
        let (earliest, _) = there.time(moment)?.ends();
        let latest = there.latest(moment)?;
        let (slower, faster) = there.others(moment);
        let earliest = earliest.checked_sub(slower).unwrap_or_default();
        let latest = latest.checked_add(faster).unwrap_or(latest);
        Some((earliest, latest.max(moment.wall())))
    }

    /// Returns how much later a signature with this window may expire by the clock of the exchange, or of one of its
    /// machines, than by the local clock. Without an estimate of the exchange's clock, signatures that it accepts bound
    /// it.
    pub(crate) fn signature_uncertainty(
        &self,
        window: Duration,
        signed_at: Timestamp,
        left: Option<Moment>,
    ) -> Duration {
        let time = &self.parts.time;
        let now = time.now();
        // For a request of an earlier run, only the current offset is known.
        let (by_signature, at) = left.map_or((now.wall, now), |left| (signed_at, left));
        let Some((earliest, _)) = time.there.time(at).map(Bounds::ends) else { return window };
        let earliest = earliest.checked_sub(time.there.others(at).0).unwrap_or_default();
        // Also beyond the window: a request that is too early for the exchange when it leaves may arrive later.
        by_signature - earliest
    }

    /// Returns when the request with `id` that was signed at `signed_at` left, if this client sent it recently.
    pub(crate) fn left(&self, id: &str, signed_at: Timestamp) -> Option<Moment> {
        self.parts.recent.left(id, signed_at)
    }

    /// Returns whether a retry would be signed in a way that avoids `error`.
    pub(crate) fn signs_otherwise_after(&self, error: &Error) -> bool {
        error.call_result() != CallResult::TimestampRefused || self.parts.time.signing == SigningClock::Corrected
    }

    /// Returns the rules that requests are checked against.
    pub(crate) fn policy(&self) -> &CheckPolicy {
        &self.checking.policy
    }

    /// Returns how error codes are interpreted.
    pub(crate) fn codes(&self) -> &CodePolicy {
        &self.checking.codes
    }

    pub(crate) fn check(&self, operation: &dyn DynOperation) -> Result<Violations, Error> {
        let Checking { account, listed, policy, .. } = &*self.checking;
        if !policy.checks_anything() {
            return Ok(Violations::default());
        }
        let meta = operation.meta();
        // Few rules need the time.
        let now = (meta.window.is_some() || meta.rules_of_time).then(|| self.now());
        let time = || self.exchange_time(self.moment());
        let time = ExchangeTime::by(&time);
        let listing = listed.read();
        let mut violations = operation.inspect(CheckContext { account, listed: Some(&listing), time, now, policy });
        drop(listing);
        if violations.have_doubts() && listed.has_said_so() {
            violations.drop_doubts();
        }
        violations.into_result().map_err(|violations| self.refused(meta, violations))
    }

    fn refused(&self, meta: &'static Meta, violations: Violations) -> Error {
        let (operation, mismatches) = (meta.id, self.account_mismatches());
        Error::Refused(Box::new(Refusal { operation, violations, mismatches }))
    }

    /// Returns the environment: the timer for pauses, and random numbers.
    pub fn environment(&self) -> &dyn Environment {
        &*self.parts.time.environment
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
