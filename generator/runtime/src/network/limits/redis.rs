//! Limits that a fleet of processes keeps together.
//!
//! The fleet's time is the server's and never goes back. A server that lost its memory is recognized by its run id, and
//! calls wait until unknown ones can no longer count. Shares of processes that the server does not know stay reserved,
//! because these may be running without it.
//!
//! # The rule
//!
//! A window has an entry for each permit that was given. From then on it takes a place, even if it is never used, until
//! one span after the process has reported the end of its call; the exchange has counted the call by then. A permit is
//! given while fewer than N entries take a place. So of any N + 1 calls the one whose permit was given last was sent a
//! span after another one had ended, and no N + 1 are counted within a span. This holds however long anything takes.
//!
//! - A call that was given up is reported to have ended when it can no longer arrive; and again, with an earlier time,
//!   once a response to a later call of the same process shows that the network holds nothing back.
//! - Entries have unique names. One that was certainly not used is removed.
//! - A process reports the age of an end by its monotonic clock. A report that is late, repeated or lost
//!   makes the entry take its place for longer, never for less.
//! - The entry of a process that died takes its place until its lease ends, and one span after that.
//! - The fleet's time is that of the server, and never goes back (`script.lua`). A process knows by its steady clock
//!   how much of it can have passed: if more did, the server's clock was set forward, and the granted permits are not
//!   used.
//! - A question has an expiry. One that arrives later grants nothing and records nothing.
//! - A server that has forgotten (another run, a flush, a clock set forward) grants nothing until calls that it does
//!   not know of have settled, and for one window.
//!
//! # Members
//!
//! With [`Fallback::InProcess`], a process is in one of two states (`Presence` in `alone.rs`):
//!
//! - *Member*: each question announces it to the server, for a time that the process sets itself. It uses
//!   only permits of the server, which keeps the shares of absent members free.
//! - *Alone*: it does not report itself to the server. Once the time it last reported has passed, whether or not the
//!   server got it, and what the others sent before has settled, it uses its share.
//!
//! So at any time the calls of a process are counted in the server's window, or come from a share that the server keeps
//! free. A process that returns reports its calls with the question that makes it a member. A process that starts may
//! have had a predecessor that was alone: its share stays free for as long as that one's calls may count.
//!
//! The path of a call: its [`bucket`] makes a [`question`] of it, which goes over the [`link`] to the script on
//! the server; granted permits stay in the bucket until any caller takes them.

mod alone;
mod bucket;
mod link;
mod question;
mod settings;
mod shared;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Client;

use self::alone::Alone;
use self::link::Link;
use self::shared::Shared;
use super::call::{Call, Plan, Reservation};
use super::limiter::{Admission, Limiter, RateLimitFeedback};
use super::state::LimiterState;

pub use self::settings::{Fallback, FleetChange, RedisSettings};

/// A limiter for a fleet of processes that share an account, over a Redis server.
///
/// # Exactness
///
/// Like [`InProcessLimits`](super::InProcessLimits), by the server's clock: a call takes a place from its admission
/// until one window after its response; if it was given up, also for the time in which it may still arrive
/// ([`RedisSettings::held_back`]). However slow the network, Redis, the exchange or the process is, no window contains
/// more than N calls; a network that holds back calls for longer exceeds that [as in one
/// process](super::InProcessLimits#calls-that-are-given-up). Calls count from their responses, because processes may
/// differ in their distance from the exchange: each window becomes longer by a round trip.
///
/// Calls of a process that died keep their places for as long as a call may take ([`RedisSettings::lease`]). If the
/// state is lost, because Redis was restarted or cannot be reached, calls are assumed to be in flight for a while
/// ([`RedisSettings::late_arrival`]).
///
/// The server's clock is its wall clock. When it is set back, nothing is lost; when it is set forward, processes notice
/// and wait for a window. A step of less than an eighth of the time between two questions is not noticed, so have the
/// clock slewed.
///
/// # Requirements
///
/// One server, or the leader of several; a restart, a flush or another leader is noticed, and no call is admitted for
/// one window and the time of settling, because the log is lost. The same holds for the very first call. It must not
/// evict keys. All keys begin with the prefix and expire by themselves, windows after their span and one key after a
/// day. They contain accounts and addresses as a hash, which can be found by trying all names. The user needs
/// `EVALSHA`, `EVAL`, `SCRIPT LOAD`, `INFO`, and the commands of the script for keys below the prefix.
///
/// # Without Redis
///
/// Calls end with [`Error::LimiterFailed`](crate::Error::LimiterFailed), or the process keeps to a share of each limit
/// and reports it, until it has reported to Redis what it sent in the meantime. See [`Fallback`]. An answer that is
/// late, and a connection that breaks and can be made again, do not count as a loss.
///
/// ```
/// use std::sync::Arc;
/// use tradeapi_runtime::ClientCore;
/// use tradeapi_runtime::limits::{Fallback, FleetChange, RedisLimits, RedisSettings, QuotaShare};
/// use tradeapi_runtime::tables::Api;
///
/// fn client(api: &'static Api, redis: &str) -> Result<ClientCore, Box<dyn std::error::Error>> {
///     // One of four processes.
///     let fallback = Fallback::in_process(QuotaShare::new(1, 4), |change| eprintln!("rate limits: {change:?}"));
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
    /// Fails if the URL is invalid.
    pub fn new(url: &str, settings: RedisSettings) -> Result<Self, BadRedisUrl> {
        let client = Client::open(url).map_err(|error| BadRedisUrl { why: error.category().to_owned() })?;
        let link = Link::new(client, settings.clone());
        Ok(Self { shared: Arc::new(Shared::new(link, settings)) })
    }

    /// Returns whether Redis cannot be reached, so that the process keeps to its share of each limit.
    pub fn is_alone(&self) -> bool {
        self.shared.alone.as_ref().is_some_and(Alone::is_alone)
    }

    /// Reports ended calls to Redis at once, for a process that is about to exit. Calls that are not reported take room
    /// until the [lease](RedisSettings::lease) ends.
    pub async fn flush(&self) {
        self.shared.flush().await;
    }

    /// Returns the limiter that is used without Redis and its own reservation, if that limiter gave it.
    fn alone(&self, reservation: &Reservation) -> Option<(&Alone, Reservation)> {
        let key = Alone::own(reservation)?;
        Some((self.shared.alone.as_ref()?, Reservation { key, ..*reservation }))
    }
}

impl Limiter for RedisLimits {
    fn is_shared(&self) -> bool {
        true
    }

    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        Admission::Later(Box::pin(async move {
            self.shared.watch_presence();
            self.shared.admit(call, wait).await
        }))
    }

    fn sent(&self, reservation: &mut Reservation) {
        // Redis has counted it already.
        if let Some((alone, mut own)) = self.alone(reservation) {
            alone.limits().sent(&mut own);
            reservation.counted_at = own.counted_at;
        }
    }

    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback) {
        if let Some((alone, own)) = self.alone(&reservation) {
            return alone.limits().answered(own, feedback);
        }
        if self.shared.settings.limits.learns {
            self.shared.learn(&reservation, feedback);
        }
        self.shared.answered(&reservation, feedback.request_time.is_some());
    }

    fn lost(&self, reservation: Reservation) {
        match self.alone(&reservation) {
            Some((alone, own)) => alone.limits().lost(own),
            None => self.shared.lost(&reservation),
        }
    }

    fn give_back(&self, reservation: Reservation) {
        match self.alone(&reservation) {
            Some((alone, own)) => alone.limits().give_back(own),
            None => self.shared.unused(&reservation),
        }
    }

    /// Assumes that there were no calls before.
    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        Plan::after(LimiterState::new(self.shared.settings.limits.clone()), Duration::ZERO, calls)
    }
}

impl fmt::Debug for RedisLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the address, which may contain a password.
        f.debug_struct("RedisLimits").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

/// An invalid address of a Redis server. It is not shown, because it may contain a password.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRedisUrl {
    /// The mistake in the value.
    pub why: String,
}

impl fmt::Display for BadRedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the address of the Redis server cannot be used: {}", self.why)
    }
}

debug_as_sentence!(BadRedisUrl);

impl std::error::Error for BadRedisUrl {}
