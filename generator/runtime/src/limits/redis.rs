//! Limits that a fleet of processes keeps together.
//!
//! A call goes through it so: its [`lane`] makes a [`question`] of it, which goes over the [`link`] to the script
//! (`script.lua`) on the server; the answer books calls. While the server is gone, a process can be [`alone`].

mod alone;
mod lane;
mod link;
mod question;
mod registry;
mod settings;
mod shared;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Client;

use self::alone::Alone;
use self::link::Link;
pub use self::settings::{Fallback, FleetChange, RedisSettings};
use self::shared::Shared;
use super::book::Book;
use super::call::Call;
use super::limiter::{Admission, Limiter, Slot};
use super::plan::Plan;
use super::settings::LimitSettings;
use super::signs::Signs;

/// Keeps limits for a fleet of processes that share an account, over a Redis server.
///
/// # Exactness
///
/// As [`InProcessLimits`](super::InProcessLimits), by the server's clock: one script logs the moments of the latest N
/// calls and lets another one go when the N-th latest is a whole window old. A call counts from the moment at which it
/// was let go; what passes until it is sent is bounded ([`RedisSettings::trip`]) and added to the window, beside the
/// margin for what differs between two trips to the exchange ([`RedisSettings::margin`]). A process that is told too
/// late, by its own steady clock, gives the call back and asks again, so however slow the network or the process is, no
/// window has more than N calls in it when they are sent.
///
/// The server's clock is that of its day. When it is set back, calls wait for a window; when it is set forward by more
/// than a moment, as much of a window is lost, so let it be slewed.
///
/// # What Redis has to be
///
/// One server, or the leader of several; a restart, a flush or another leader is noticed, and nothing goes for one
/// window, for the log is gone. The same holds for the very first call. It must not evict keys. All keys begin with the
/// prefix and expire by themselves, windows after their span and one key after a day; accounts and addresses are in
/// them as a hash, which nobody reads in passing but who can try all names can find. The user needs `EVALSHA`, `EVAL`,
/// `SCRIPT LOAD`, `INFO`, and what the script does with keys below the prefix.
///
/// # When Redis is gone
///
/// Calls end with [`Error::LimiterFailed`](crate::Error::LimiterFailed), or the process keeps to a share of each limit
/// and says so, until it has told Redis what it sent in the meantime. See [`Fallback`].
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::{Api, ClientCore, Fallback, FleetChange, RedisLimits, RedisSettings, Share};
///
/// fn client(api: &'static Api, redis: &str) -> Result<ClientCore, Box<dyn std::error::Error>> {
///     // One of four processes.
///     let fallback = Fallback::in_process(Share::new(1, 4), |change| eprintln!("rate limits: {change:?}"));
///     let limits = RedisLimits::new(redis, RedisSettings::new().fallback(fallback))?;
///     Ok(ClientCore::builder(api, "https://exchange.example").account("desk 1").limiter(Arc::new(limits)).build()?)
/// }
/// # let _ = client;
/// ```
#[derive(Clone)]
pub struct RedisLimits {
    shared: Arc<Shared>,
}

impl RedisLimits {
    /// Keeps limits over the server at `url`: `redis://user:password@host:port/database`, or `redis+unix:///path`.
    /// Nothing is connected yet. It is used within a tokio runtime that has time and I/O.
    ///
    /// # Errors
    ///
    /// When the URL is none.
    pub fn new(url: &str, settings: RedisSettings) -> Result<Self, BadRedisUrl> {
        let client = Client::open(url).map_err(|error| BadRedisUrl { why: error.category().to_owned() })?;
        let link = Link::new(client, settings.timeout);
        Ok(Self { shared: Arc::new(Shared::new(link, settings)) })
    }

    /// Whether Redis could not be asked, and the process keeps to its share of each limit.
    pub fn is_alone(&self) -> bool {
        self.shared.alone.as_ref().is_some_and(Alone::is_alone)
    }

    /// The slot as the limiter gave it that is used while Redis is gone, if that did.
    fn alone(&self, slot: &Slot) -> Option<(&Alone, Slot)> {
        let key = Alone::own(slot)?;
        Some((self.shared.alone.as_ref()?, Slot { key, ..*slot }))
    }
}

impl Limiter for RedisLimits {
    fn ask<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        Admission::Later(Box::pin(self.shared.admit(call, wait)))
    }

    fn sent(&self, slot: &mut Slot) {
        // Redis has counted it already.
        if let Some((alone, mut own)) = self.alone(slot) {
            alone.limits().sent(&mut own);
            slot.counted_at = own.counted_at;
        }
    }

    fn answered(&self, slot: Slot, signs: Signs) {
        match self.alone(&slot) {
            Some((alone, own)) => alone.limits().answered(own, signs),
            None if self.shared.settings.limits.learns => self.shared.learn(&slot, signs),
            None => {}
        }
    }

    fn give_back(&self, slot: Slot) {
        if let Some((alone, own)) = self.alone(&slot) {
            alone.limits().give_back(own);
        } else if let Some(lane) = self.shared.registry().get(slot.key.into()) {
            lane.give_back(i64::try_from(slot.counted_at.as_micros()).unwrap_or_default());
        }
    }

    /// As if there had been no calls before.
    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        let RedisSettings { limits, trip, .. } = &self.shared.settings;
        let settings = LimitSettings { margin: limits.margin + *trip, ..limits.clone() };
        Plan::after(Book::new(settings), Duration::ZERO, calls)
    }
}

impl fmt::Debug for RedisLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the address: there may be a password in it.
        f.debug_struct("RedisLimits").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

/// The address of a Redis server that is none. It is not shown: there may be a password in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRedisUrl {
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for BadRedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the address of the Redis server cannot be used: {}", self.why)
    }
}

impl std::error::Error for BadRedisUrl {}
