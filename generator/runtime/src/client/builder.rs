use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
use std::time::Duration;

#[cfg(any(feature = "hyper", feature = "reqwest"))]
use super::bounds::TransportLimits;
use super::clock::{Clock, SigningClock, SystemClock};
use super::core::{Checking, ClientCore, Parts};
use super::credentials::Credentials;
use super::exchange_clock::ExchangeClock;
#[cfg(feature = "hyper")]
use super::hyper::HyperTransport;
use super::recent::RecentRequests;
#[cfg(all(feature = "reqwest", not(feature = "hyper")))]
use super::reqwest::ReqwestTransport;
use super::time::Time;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
use super::tls::TlsSettings;
use super::transport::Transport;
use crate::account::Account;
use crate::checks::CheckPolicy;
use crate::drift::Drift;
use crate::exchange::{Authenticator, BaseUrl, CodePolicy, HeaderValues};
use crate::limits::{Classes, LimitMode, Limiter, Pacing, SystemTimer, Timer};
use crate::tables::Api;

/// Makes a client `C` step by step.
#[must_use]
pub struct ClientBuilder<C = ClientCore> {
    api: &'static Api,
    base_url: String,
    allow_plain_http: bool,
    credentials: Option<Credentials>,
    headers: Vec<(String, String)>,
    clock: Box<dyn Clock>,
    signing: SigningClock,
    transport: Option<Box<dyn Transport>>,
    timer: Box<dyn Timer>,
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    transport_limits: TransportLimits,
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    tls: TlsSettings,
    pacing: Pacing,
    checking: Checking,
    drift: Option<Drift>,
    client: PhantomData<fn() -> C>,
}

impl<C> ClientBuilder<C>
where
    C: TryFrom<ClientCore>,
    C::Error: Into<BuildError>,
{
    /// Begins a client of `api` at the address `base_url`: `https://host`, with a path if need be.
    pub fn new(api: &'static Api, base_url: impl Into<String>) -> Self {
        Self {
            api,
            base_url: base_url.into(),
            allow_plain_http: false,
            credentials: None,
            headers: Vec::new(),
            clock: Box::new(SystemClock),
            signing: SigningClock::default(),
            transport: None,
            timer: Box::new(SystemTimer::new()),
            #[cfg(any(feature = "hyper", feature = "reqwest"))]
            transport_limits: TransportLimits::default(),
            #[cfg(any(feature = "hyper", feature = "reqwest"))]
            tls: TlsSettings::default(),
            pacing: Pacing::default(),
            checking: Checking::default(),
            drift: None,
            client: PhantomData,
        }
    }

    /// Signs requests with these. Without, only public operations can be called.
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// Takes the time from `clock`; by default it is the system's.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// By which clock requests are signed: if not set, by the client's own, corrected by what the answers tell of the
    /// exchange's. [`ClientCore::skew`] shows how far the two are apart.
    pub fn signing_clock(mut self, signing: SigningClock) -> Self {
        self.signing = signing;
        self
    }

    /// Sends through `transport`, which keeps its own limits.
    pub fn transport(mut self, transport: impl Transport + 'static) -> Self {
        self.transport = Some(Box::new(transport));
        self
    }

    /// Measures the pauses between repeats and questions with `timer`; by default it is the system's.
    pub fn timer(mut self, timer: impl Timer + 'static) -> Self {
        self.timer = Box::new(timer);
        self
    }

    /// Gives a header of the API a value. It then goes on every request, or on those of the operations that take it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Allows an address without TLS that is not of this machine. Then everyone on the way can read and change
    /// requests.
    pub fn allow_plain_http(mut self, allow: bool) -> Self {
        self.allow_plain_http = allow;
        self
    }

    /// Which rules requests are checked against before they are sent: by default, all of them; `false` stands for none.
    pub fn checks(mut self, policy: impl Into<CheckPolicy>) -> Self {
        self.checking.policy = policy.into();
        self
    }

    /// Which codes are believed, and so what a refusal proves: by default, what the documents say, and what several
    /// independent sources have observed.
    pub fn codes(mut self, policy: CodePolicy) -> Self {
        self.checking.codes = policy;
        self
    }

    /// What to do when a rate limit is used up: by default, to wait.
    pub fn limits(mut self, mode: LimitMode) -> Self {
        self.pacing.mode = mode;
        self
    }

    /// Keeps rate limits together with all clients that are given the same `limiter`. Without, a client and its clones
    /// keep them by themselves.
    pub fn limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.pacing.limiter = limiter;
        self
    }

    /// Tells to which classes of rate limits the calls belong; by default, to none.
    pub fn limit_classes(mut self, classes: Classes) -> Self {
        self.pacing.classes = classes;
        self
    }

    /// Tells about the account: rules and rate limits depend on it. A text stands for an account with that name.
    ///
    /// A shared limiter tells accounts apart by their names; clients without one count as one account.
    pub fn account(mut self, account: impl Into<Account>) -> Self {
        self.checking.account = account.into();
        self
    }

    /// Names the network address that requests come from, which a shared limiter tells from others by. Clients without
    /// a name count as one address.
    pub fn source_address(mut self, name: impl Into<String>) -> Self {
        self.pacing.address = name.into();
        self
    }

    /// Collects in `drift` where answers are not what the documents say; by default, nobody looks. Clients can share one.
    pub fn drift(mut self, drift: &Drift) -> Self {
        self.drift = Some(drift.clone());
        self
    }

    /// Bounds the time in which the default transport must connect: 5 seconds if not set.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.transport_limits.connect = limit;
        self
    }

    /// Bounds the time in which the default transport must have the whole answer: 15 seconds if not set.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.transport_limits.call = limit;
        self
    }

    /// Bounds the bytes of an answer that the default transport takes: 16 MiB if not set.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.transport_limits.max_body = bytes;
        self
    }

    /// Says which servers the default transport trusts, and which certificate it shows: if not set, Mozilla's list of
    /// roots, and none.
    #[cfg(any(feature = "hyper", feature = "reqwest"))]
    pub fn tls(mut self, settings: TlsSettings) -> Self {
        self.tls = settings;
        self
    }

    /// Makes the client. Nothing is sent, and no runtime needs to be there yet.
    ///
    /// # Errors
    ///
    /// When something that was given cannot be used.
    pub fn build(self) -> Result<C, BuildError> {
        C::try_from(self.build_core()?).map_err(Into::into)
    }

    fn build_core(self) -> Result<ClientCore, BuildError> {
        let base = BaseUrl::parse(&self.base_url, self.allow_plain_http)?;
        let headers = HeaderValues::new(self.api, &self.headers)?;
        let authenticator =
            self.credentials.map(|credentials| Authenticator::new(self.api, &credentials)).transpose()?;
        let transport = match self.transport {
            Some(transport) => transport,
            #[cfg(feature = "hyper")]
            None => Box::new(HyperTransport::with_tls(self.transport_limits, &self.tls)?),
            #[cfg(all(feature = "reqwest", not(feature = "hyper")))]
            None => Box::new(ReqwestTransport::with_tls(self.transport_limits, &self.tls, |settings| settings)?),
            #[cfg(not(any(feature = "hyper", feature = "reqwest")))]
            None => return Err(BuildError::NoTransport),
        };
        let Self { api, clock, signing, timer, drift, .. } = self;
        let time = Time { own: clock, steady: timer, there: ExchangeClock::default(), signing };
        let parts = Parts {
            api,
            base,
            authenticator: authenticator.flatten(),
            headers,
            transport,
            time,
            drift,
            recent: RecentRequests::default(),
        };
        Ok(ClientCore::of(parts, self.pacing, self.checking))
    }
}

impl<C> fmt::Debug for ClientBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not as it was given: someone may have put a password into it.
        let base = BaseUrl::parse(&self.base_url, true).ok();
        f.debug_struct("ClientBuilder").field("api", &self.api.name).field("base", &base).finish_non_exhaustive()
    }
}

/// Why no client can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// The address cannot be used.
    BaseUrl {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A header cannot be sent.
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The key or the passphrase cannot be sent.
    Credentials {
        /// What is wrong with it.
        why: &'static str,
    },
    /// The default transport cannot be set up.
    Transport {
        /// What is wrong.
        why: String,
    },
    /// There is no thread to be had for a blocking client.
    Thread {
        /// What the system says.
        why: String,
    },
    /// There is no transport: the features `hyper` and `reqwest` are off and none was given.
    NoTransport,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BaseUrl { why } => write!(f, "the base address {why}"),
            Self::Header { name, why } => write!(f, "the header {name:?} {why}"),
            Self::Credentials { why } => write!(f, "the credentials cannot be used: {why}"),
            Self::Transport { why } => write!(f, "the transport cannot be set up: {why}"),
            Self::Thread { why } => write!(f, "no thread for a blocking client: {why}"),
            Self::NoTransport => {
                f.write_str("there is no transport: give one, or turn on the feature `hyper` or `reqwest`")
            }
        }
    }
}

impl Error for BuildError {}

impl From<Infallible> for BuildError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
