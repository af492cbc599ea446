//! Builds clients.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
use std::time::Duration;

use tradeapi_words::Assumptions;

use super::call::{CallMetrics, MetricsHook};
use super::core::{Checking, ClientCore, Parts};
use super::departures::Departures;
use super::exchange_clock::{ExchangeClock, SigningClock, Time};
use super::pacing::{LimitMode, RateLimitPolicy, Slots};
use super::recent::RecentRequests;
use super::stated::KeyFamilies;
use super::weighing::ShownIds;
use crate::data::account::Account;
use crate::data::checks::CheckPolicy;
use crate::data::clock::{Clock, Environment, Moment, SystemEnvironment, Timer};
use crate::data::error::BuildError;
use crate::data::tables::{Api, RateLimit};
use crate::network::drift::Drift;
use crate::network::limits::SharedByAccount;
use crate::network::limits::{AddressRate, AddressRefusals, Classes, InProcessLimits, LimitSettings, Limiter};
use crate::network::signing::{Authenticator, Credentials, variable};
#[cfg(feature = "hyper")]
use crate::network::transport::HyperTransport;
#[cfg(all(feature = "reqwest", not(feature = "hyper")))]
use crate::network::transport::ReqwestTransport;
use crate::network::transport::Transport;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
use crate::network::transport::{TlsSettings, TransportLimits};
use crate::network::wire::{BaseUrl, CodePolicy, HeaderValues};
use crate::state::budget::Budget;
use crate::state::evidence::Awaited;
use crate::state::journal::Journal;
use crate::state::orders::TrackedOrders;

/// Builds a client `C`.
#[must_use]
pub struct ClientBuilder<C = ClientCore> {
    settings: Settings,
    client: PhantomData<fn() -> C>,
}

/// The settings that a client is built from. It is not generic, so that only this crate compiles what builds a client.
struct Settings {
    api: &'static Api,
    base_url: String,
    allow_plain_http: bool,
    credentials: Option<Credentials>,
    headers: Vec<(String, String)>,
    clock: Option<Arc<dyn Clock>>,
    signing: SigningClock,
    transport: Option<Box<dyn Transport>>,
    environment: Option<Arc<dyn Environment>>,
    /// The settings of the default transport; `None` for what is not set.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    default_transport: Option<DefaultTransport>,
    limits: LimitMode,
    limiter: Option<Arc<dyn Limiter>>,
    classes: Classes,
    address: String,
    address_calls: Option<u32>,
    checking: Checking,
    drift: Option<Drift>,
    keeps_unknown: bool,
    signs_again: bool,
    journal: Option<Arc<dyn Journal>>,
    metrics: Option<MetricsHook>,
    tracks_orders: bool,
    budget: Option<Budget>,
    assumptions: Assumptions,
}

/// The settings of the default transport.
#[cfg(any(feature = "hyper", feature = "reqwest"))]
#[derive(Default)]
struct DefaultTransport {
    limits: TransportLimits,
    tls: TlsSettings,
}

#[cfg(any(feature = "hyper", feature = "reqwest"))]
impl DefaultTransport {
    fn build(self) -> Result<Box<dyn Transport>, BuildError> {
        #[cfg(feature = "hyper")]
        let transport = HyperTransport::with_tls(self.limits, &self.tls)?;
        #[cfg(not(feature = "hyper"))]
        let transport = ReqwestTransport::with_tls(self.limits, &self.tls, |settings| settings)?;
        Ok(Box::new(transport))
    }
}

impl ClientCore {
    /// Returns a builder for a client of `api` at the address `base_url`.
    pub fn builder(api: &'static Api, base_url: impl Into<String>) -> ClientBuilder<Self> {
        ClientBuilder::new(api, base_url)
    }
}

impl<C> ClientBuilder<C>
where
    C: TryFrom<ClientCore>,
    C::Error: Into<BuildError>,
{
    /// Creates a builder for a client of `api` at the address `base_url`: `https://host`, optionally with a path.
    pub fn new(api: &'static Api, base_url: impl Into<String>) -> Self {
        Self { settings: Settings::new(api, base_url.into()), client: PhantomData }
    }

    /// Creates a builder with the address from the variable `{prefix}_URL` of the environment and, if requests are
    /// signed, [`Credentials::from_env`]. Headers of the API come from `{prefix}_HEADERS`, if it is set: texts of the
    /// form `NAME=VALUE`, separated by commas. [`header`](Self::header) wins over them.
    ///
    /// # Errors
    ///
    /// Fails if a variable is not set or is empty, or if a header is not `NAME=VALUE` or is set twice. The error names the
    /// variable, and never the value of a secret.
    pub fn from_env(api: &'static Api, prefix: &str) -> Result<Self, BuildError> {
        Ok(Self { settings: Settings::from_env(api, prefix)?, client: PhantomData })
    }

    /// Signs requests with these credentials. Without them, only public operations can be called.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.settings.credentials = Some(credentials);
        self
    }

    /// Takes the time that requests are signed with from `clock`; by default it is the environment's.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.settings.clock = Some(Arc::new(clock));
        self
    }

    /// Sets the clock that requests are signed by: by default the client's own, corrected by the offset of the
    /// exchange's clock that responses show. [`ClientCore::skew`] returns the offset.
    pub fn signing_clock(mut self, signing: SigningClock) -> Self {
        self.settings.signing = signing;
        self
    }

    /// Sends through `transport`, which has time-outs and limits of its own. Those of the default transport cannot be set
    /// together with it.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.settings.transport = Some(Box::new(transport));
        self
    }

    /// Takes the time, wake-ups and random numbers from `environment`; by default from the system. A limiter of
    /// [`limiter`](Self::limiter) has a timer of its own, and so has the default transport.
    pub fn environment(mut self, environment: impl Environment + 'static) -> Self {
        self.settings.environment = Some(Arc::new(environment));
        self
    }

    /// Sets the value of a header of the API. It is sent with every request, or with those of the operations that take
    /// it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.headers.push((name.into(), value.into()));
        self
    }

    /// Allows an address without TLS that is not local. Everyone on the network path can then read and change requests.
    pub fn allow_plain_http(mut self, allow: bool) -> Self {
        self.settings.allow_plain_http = allow;
        self
    }

    /// Sets the rules that requests are checked against before they are sent: by default, all of them. `false` disables
    /// all.
    pub fn checks(mut self, policy: impl Into<CheckPolicy>) -> Self {
        self.settings.checking.policy = policy.into();
        self
    }

    /// Sets how error codes are interpreted: by default, as the documents say and several independent sources have
    /// observed.
    pub fn codes(mut self, policy: CodePolicy) -> Self {
        self.settings.checking.codes = policy;
        self
    }

    /// Sets what to do when a rate limit is used up. By default, a call waits.
    pub fn limits(mut self, mode: LimitMode) -> Self {
        self.settings.limits = mode;
        self
    }

    /// Shares rate limits with all clients that use the same `limiter`. By default, a client shares them with the
    /// clients of this process that have the same key, whatever the address is called (on this machine, each port is an
    /// exchange of its own) and whatever their accounts are named; other keys of the same user need a `limiter`.
    pub fn limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.settings.limiter = Some(limiter);
        self
    }

    /// Sets the classes of rate limits that the calls belong to. By default, there are none.
    pub fn limit_classes(mut self, classes: Classes) -> Self {
        self.settings.classes = classes;
        self
    }

    /// Sets the account, which rules and rate limits depend on. A text is an account with that name.
    ///
    /// A [`limiter`](Self::limiter) distinguishes accounts by their names; clients without a name count as one account.
    pub fn account(mut self, account: impl Into<Account>) -> Self {
        self.settings.checking.account = account.into();
        self
    }

    /// Sets how many calls of all operations the address may make within the window of the exchange, where that is not the
    /// number of the schema ([`Api::refused_address`]): more for an address that the exchange grants more, or fewer beside
    /// other programs at the same address; [`u32::MAX`] for any number. The clients of a process with the same number keep
    /// it together, whatever their keys and limiters are.
    pub fn address_calls(mut self, calls: u32) -> Self {
        self.settings.address_calls = Some(calls);
        self
    }

    /// Sets the name of the network address that requests come from, by which a shared limiter distinguishes addresses.
    /// Clients without a name count as one address.
    pub fn source_address(mut self, name: impl Into<String>) -> Self {
        self.settings.address = name.into();
        self
    }

    /// Collects differences between responses and documents in `drift`. Clients can share one. By default, responses
    /// are not compared.
    pub fn drift(mut self, drift: &Drift) -> Self {
        self.settings.drift = Some(drift.clone());
        self
    }

    /// Keeps the members of records that the schema does not declare, with their JSON texts: every record has them as
    /// `unknown_members`. An exchange may add a field long before a schema has it. By default, they are passed over.
    ///
    /// Reading takes longer then, and what is kept counts towards the memory that an answer may take.
    pub fn keep_unknown(mut self) -> Self {
        self.settings.keeps_unknown = true;
        self
    }

    /// Signs and sends a call once more if its timestamp was refused and the refusal shows how far the clocks differ:
    /// with the corrected time, once. Only where the refusal proves that the call had no effect; an answer that comes so
    /// late that it may belong to a repeat proves nothing. By default the caller decides, as a long-running program would
    /// rather find its clock wrong; a program that makes one call has no later one that is signed with the right time.
    ///
    /// A [prepared](ClientCore::prepare) request is never signed again, nor is any with [`SigningClock::Own`].
    pub fn sign_again(mut self) -> Self {
        self.settings.signs_again = true;
        self
    }

    /// Stores each change in `journal` before it is sent, and its outcome after. A change that cannot be stored is not
    /// sent. By default, there is no journal.
    ///
    /// A journal is for one account: [`confirm::recover`](crate::outcomes::confirm::recover()) leaves the changes of accounts with other names open.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.settings.journal = Some(journal);
        self
    }

    /// Keeps track of the orders of the account, by every request and response that passes through the client and its
    /// clones; see [`TrackedOrders`] and [`ClientCore::tracked_orders`]. Amendments that the documents rule out in the
    /// known state of an order are refused. By default, nothing is kept.
    pub fn track_orders(mut self) -> Self {
        self.settings.tracks_orders = true;
        self
    }

    /// Sets what outcomes rest on that no query decides: the states of tracked orders, records from outside, and for how
    /// long a change without an answer is under way. [`ConfirmPolicy::assume`](crate::confirm::ConfirmPolicy::assume)
    /// sets it for queries.
    pub fn assume(mut self, assumptions: Assumptions) -> Self {
        self.settings.assumptions = assumptions;
        self
    }

    /// Refuses requests that `budget` does not cover, before they are sent; see the [module](crate::budget). Clients
    /// share one by its clones, or by its file. By default, there is none.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.settings.budget = Some(budget);
        self
    }

    /// Calls `hook` at the end of each call with how it went. It runs on the thread of the caller and should be quick.
    /// A call that is dropped does not end.
    ///
    /// The hook must not panic: its panic takes the place of the result of the call, and with it the answer to a change
    /// that may have had its effect. A journal has the outcome then.
    ///
    /// ```
    /// use tradeapi_runtime::{ClientBuilder, ClientCore};
    ///
    /// fn counted(builder: ClientBuilder<ClientCore>) -> ClientBuilder<ClientCore> {
    ///     builder.metrics(|call| println!("{} {} {:?}", call.operation, call.call_result.as_str(), call.took))
    /// }
    /// ```
    pub fn metrics(mut self, hook: impl Fn(&CallMetrics) + Send + Sync + 'static) -> Self {
        self.settings.metrics = Some(Box::new(hook));
        self
    }

    /// Sets the time-out for connecting of the default transport. By default 5 seconds.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.settings.default_transport.get_or_insert_default().limits.connect = limit;
        self
    }

    /// Sets the time-out of the default transport for the whole response. By default 15 seconds.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.settings.default_transport.get_or_insert_default().limits.call = limit;
        self
    }

    /// Sets the maximum length of a response that the default transport accepts. By default 16 MiB.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.default_transport.get_or_insert_default().limits.max_body = bytes;
        self
    }

    /// Sets the servers that the default transport trusts, and the client certificate that it sends. By default,
    /// Mozilla's list of roots and no certificate.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn tls(mut self, settings: TlsSettings) -> Self {
        self.settings.default_transport.get_or_insert_default().tls = settings;
        self
    }

    /// Builds the client. Nothing is sent, and no async runtime is needed yet.
    ///
    /// # Errors
    ///
    /// Fails if a setting is invalid, or if settings of the default transport are combined with another transport.
    pub fn build(self) -> Result<C, BuildError> {
        C::try_from(self.settings.build()?).map_err(Into::into)
    }
}

impl Settings {
    fn new(api: &'static Api, base_url: String) -> Self {
        Self {
            api,
            base_url,
            allow_plain_http: false,
            credentials: None,
            headers: Vec::new(),
            clock: None,
            signing: SigningClock::default(),
            transport: None,
            environment: None,
            #[cfg(any(feature = "hyper", feature = "reqwest"))]
            default_transport: None,
            limits: LimitMode::default(),
            limiter: None,
            classes: Classes::default(),
            address: String::new(),
            address_calls: None,
            checking: Checking::default(),
            drift: None,
            keeps_unknown: false,
            signs_again: false,
            journal: None,
            metrics: None,
            tracks_orders: false,
            budget: None,
            assumptions: Assumptions::DEFAULT,
        }
    }

    fn from_env(api: &'static Api, prefix: &str) -> Result<Self, BuildError> {
        let base_url = variable(prefix, "URL").map_err(|name| BuildError::Environment { name })?;
        let credentials = api.credentials.is_some().then(|| Credentials::from_env(prefix)).transpose()?;
        let headers = match std::env::var_os(format!("{prefix}_HEADERS")) {
            Some(_) => variable(prefix, "HEADERS").map_err(|name| BuildError::Environment { name })?,
            None => return Ok(Self { credentials, ..Self::new(api, base_url) }),
        };
        Ok(Self { credentials, headers: HeaderValues::pairs(headers.split(','))?, ..Self::new(api, base_url) })
    }

    fn build(mut self) -> Result<ClientCore, BuildError> {
        let base = BaseUrl::parse(&self.base_url, self.allow_plain_http)?;
        let headers = HeaderValues::new(self.api, &self.headers)?;
        let authenticator = self.authenticator()?;
        self.refuse_split_budget()?;
        let transport = self.take_transport()?;
        let is_simulated = self.environment.is_some();
        let environment = self.environment.take().unwrap_or_else(|| Arc::new(SystemEnvironment::new()));
        let exchange = base.exchange_of_key();
        let counts_names = self.limiter.is_some();
        let name = if counts_names { self.checking.account.name().to_owned() } else { String::new() };
        let limiter = self.take_limiter(&exchange, &environment, is_simulated);
        let (recent, departures) = self.shared(&exchange, &*environment);
        let Self { api, clock, signing, drift, .. } = self;
        let (mode, classes, address) = (self.limits, self.classes, self.address);
        let (address_rate, refusals) = shared_by_address(api, [&exchange, &address], self.address_calls, &environment);
        let slots = Slots::default();
        let pacing =
            RateLimitPolicy { mode, limiter, counts_names, name, classes, address, address_rate, refusals, slots };
        let own = clock.unwrap_or_else(|| Arc::clone(&environment) as _);
        let time = Time { own, environment, there: ExchangeClock::default(), signing };
        let parts = Parts {
            api,
            base,
            authenticator,
            headers,
            transport,
            time,
            drift,
            keeps_unknown: self.keeps_unknown,
            signs_again: self.signs_again,
            recent,
            families: KeyFamilies::default(),
            departures,
            awaited: Awaited::default(),
            shown: ShownIds::default(),
            metrics: self.metrics,
            orders: self.tracks_orders.then(TrackedOrders::default),
            budget: self.budget,
            assumptions: self.assumptions,
        };
        Ok(ClientCore::of(parts, pacing, self.checking, self.journal))
    }

    /// Refuses a budget that each process of a fleet would count for itself.
    fn refuse_split_budget(&self) -> Result<(), BuildError> {
        let is_of_fleet = self.limiter.as_ref().is_some_and(|limiter| limiter.is_shared())
            || self.journal.as_ref().is_some_and(|journal| journal.is_shared());
        match &self.budget {
            Some(budget) if is_of_fleet && !budget.is_kept() => Err(BuildError::Budget {
                why: "each process of a fleet would spend it again: keep it in a file with `Budget::kept_in`, on one machine, \
                      or leave the limiter or the journal of the fleet out",
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn authenticator(&self) -> Result<Option<Authenticator>, BuildError> {
        match &self.credentials {
            Some(credentials) => Authenticator::new(self.api, credentials),
            None => Ok(None),
        }
    }

    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    fn take_transport(&mut self) -> Result<Box<dyn Transport>, BuildError> {
        match (self.transport.take(), self.default_transport.take()) {
            (Some(transport), None) => Ok(transport),
            (None, settings) => settings.unwrap_or_default().build(),
            (Some(_), Some(_)) => {
                let why = "settings of the default transport do not apply to another one; set them there".to_owned();
                Err(BuildError::Transport { why })
            }
        }
    }

    #[cfg(not(any(feature = "hyper", feature = "reqwest")))]
    fn take_transport(&mut self) -> Result<Box<dyn Transport>, BuildError> {
        self.transport.take().ok_or(BuildError::NoTransport)
    }

    /// Returns the limiter that was given, or else that of the key; a simulation has one of its own.
    fn take_limiter(
        &mut self,
        exchange: &str,
        environment: &Arc<dyn Environment>,
        is_simulated: bool,
    ) -> Arc<dyn Limiter> {
        match (self.limiter.take(), &self.credentials) {
            (Some(limiter), _) => limiter,
            (None, Some(credentials)) if !is_simulated => {
                let [key, _] = credentials.sent();
                InProcessLimits::of_key(&[self.api.name.as_bytes(), exchange.as_bytes(), key])
            }
            (None, _) => {
                Arc::new(InProcessLimits::with_shared_timer(LimitSettings::default(), Arc::clone(environment) as _))
            }
        }
    }

    /// Returns the requests and the changes that the clients of the account share.
    fn shared(&self, exchange: &str, environment: &dyn Environment) -> (Arc<RecentRequests>, Arc<Departures>) {
        static RECENT: SharedByAccount<RecentRequests> = SharedByAccount::new();
        static DEPARTURES: SharedByAccount<Departures> = SharedByAccount::new();
        let (Some(run), Some(credentials)) = (environment.run(), &self.credentials) else { return Default::default() };
        let [key, _] = credentials.sent();
        let now = Moment { wall: Clock::now(environment), steady: Timer::now(environment) };
        let account = [self.api.name.as_bytes(), exchange.as_bytes(), key, &run.to_le_bytes()];
        // A simulation ends with its clients; a process goes on, and may make others.
        let recent = RECENT.of(&account, &|recent| run == 0 && recent.is_needed(now));
        (recent, DEPARTURES.of(&account, &|departures| run == 0 && departures.is_needed(now)))
    }
}

/// Returns the rate and the refusals of an address, which all clients of a process share, whatever their keys, or those of
/// a simulation.
fn shared_by_address(
    api: &Api,
    [exchange, address]: [&str; 2],
    calls: Option<u32>,
    environment: &Arc<dyn Environment>,
) -> (Arc<AddressRate>, Arc<AddressRefusals>) {
    static RATES: SharedByAccount<AddressRate> = SharedByAccount::new();
    static REFUSALS: SharedByAccount<AddressRefusals> = SharedByAccount::new();
    let rate = api.refused_address.and_then(|refused| refused.rate);
    let rate = rate.map(|rate| RateLimit { calls: calls.unwrap_or(rate.calls), ..rate });
    let rate = rate.filter(|rate| rate.calls < u32::MAX);
    let (of_address, refusals) = match environment.run() {
        None => Default::default(),
        Some(run) => {
            let most = rate.map(|rate| rate.calls).unwrap_or_default();
            let [run_bytes, most] = [run.to_le_bytes(), u64::from(most).to_le_bytes()];
            let parts = [api.name.as_bytes(), exchange.as_bytes(), address.as_bytes(), &run_bytes, &most];
            // A process has few addresses; they are kept, because a client that is built anew has the same one.
            (RATES.of(&parts, &|_| run == 0), REFUSALS.of(&parts[..4], &|_| run == 0))
        }
    };
    if let Some(rate) = &rate {
        of_address.keep(rate, Arc::clone(environment) as _);
    }
    (of_address, refusals)
}

impl<C> fmt::Debug for ClientBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The parsed address, because the given one may contain a password.
        let base = BaseUrl::parse(&self.settings.base_url, true).ok();
        f.debug_struct("ClientBuilder")
            .field("api", &self.settings.api.name)
            .field("base", &base)
            .finish_non_exhaustive()
    }
}
