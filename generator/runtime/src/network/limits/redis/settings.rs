//! The settings of a fleet's limiter.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::data::tables::Scope;
use crate::network::limits::limiter::Unavailable;
use crate::network::limits::settings::{LimitSettings, QuotaShare};

/// The maximum of all times: a year, which can be added to any time here and on the server.
pub(super) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The settings of [`RedisLimits`](super::RedisLimits). All processes of a fleet need the same.
#[derive(Clone, Debug)]
#[must_use]
pub struct RedisSettings {
    pub(super) limits: LimitSettings,
    pub(super) prefix: String,
    pub(super) lease: Duration,
    pub(super) ahead: Duration,
    pub(super) timeout: Duration,
    pub(super) fallback: Fallback,
}

/// The action while Redis cannot be reached.
#[derive(Clone, Default)]
pub enum Fallback {
    /// Sends nothing: calls fail with [`Error::LimiterFailed`](crate::Error::LimiterFailed).
    #[default]
    Refuse,
    /// Keeps to a share of every limit, within the process. See [`Fallback::in_process`].
    InProcess {
        /// The share of each limit that this process may use.
        share: QuotaShare,
        /// Called when this begins and when it ends.
        on_change: Arc<dyn Fn(&FleetChange) + Send + Sync>,
    },
}

/// A process loses its connection to the fleet, or regains it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetChange {
    /// Redis cannot be reached; from now on the process keeps to its share.
    Lost(Unavailable),
    /// Redis has the calls of the meantime, and is used again.
    Found,
}

impl Fallback {
    /// Keeps to `share` of every limit, and calls `on_change` when this begins and when it ends.
    ///
    /// Together, the shares of all processes of a fleet must be one at most. The share of each process that Redis does
    /// not know is kept free for it, because it may be alone: so no window has too many calls, whichever processes lose
    /// Redis or find it again. A complete fleet uses the whole limit; if one of four processes does not run, the others
    /// have three quarters.
    ///
    /// A process is alone when Redis has not answered for twice the [`timeout`](RedisSettings::timeout), and returns
    /// when it has answered three times in a row. It begins to use its share when Redis no longer counts it as a
    /// member, and the calls that others sent before have been counted:
    /// [`late_arrival`](RedisSettings::late_arrival) and a window later. While it is alone, calls are served from its
    /// share at once. When a process starts, its share is kept free for the same time, because an earlier process may
    /// have used it just before.
    pub fn in_process(share: QuotaShare, on_change: impl Fn(&FleetChange) + Send + Sync + 'static) -> Self {
        Self::InProcess { share, on_change: Arc::new(on_change) }
    }
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            limits: LimitSettings::new(),
            prefix: "tradeapi-limits".to_owned(),
            lease: Duration::from_secs(20),
            ahead: Duration::from_millis(20),
            timeout: Duration::from_millis(500),
            fallback: Fallback::Refuse,
        }
    }
}

impl RedisSettings {
    /// Returns the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the prefix of all keys, by default `tradeapi-limits`. Fleets with different prefixes share nothing.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the same as [`LimitSettings::margin`].
    pub fn margin(mut self, margin: Duration) -> Self {
        self.limits = self.limits.margin(margin);
        self
    }

    /// Sets the same as [`LimitSettings::cancels_first`].
    pub fn cancels_first(mut self, first: bool) -> Self {
        self.limits = self.limits.cancels_first(first);
        self
    }

    /// Sets the same as [`LimitSettings::learns`].
    pub fn learns(mut self, learns: bool) -> Self {
        self.limits = self.limits.learns(learns);
        self
    }

    /// Sets the same as [`LimitSettings::overall`].
    pub fn overall(mut self, calls: u32, per_seconds: u32, scope: Scope) -> Self {
        self.limits = self.limits.overall(calls, per_seconds, scope);
        self
    }

    /// Sets for how long a permit takes its place if the end of its call is not reported, because the process has died
    /// or is cut off: by then the exchange has counted the call. By default 20 seconds. Make it longer than a call can
    /// take from its permit to its answer, which [`call_timeout`](crate::ClientBuilder::call_timeout) bounds.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.min(LONGEST);
        self
    }

    /// Sets the same as [`LimitSettings::late_arrival`], which is also how long unreported calls are taken to be under
    /// way, because Redis has forgotten them or this process has lost Redis: whenever that happens, no call is admitted
    /// for this time and a window.
    pub fn late_arrival(mut self, within: Duration) -> Self {
        self.limits = self.limits.late_arrival(within);
        self
    }

    /// Sets the same as [`LimitSettings::held_back`]. The places of a process that dies are kept for as long, even if
    /// the [`lease`](Self::lease) is shorter.
    pub fn held_back(mut self, longest: Duration) -> Self {
        self.limits = self.limits.held_back(longest);
        self
    }

    /// Sets the same as [`LimitSettings::longest_pause`].
    pub fn longest_pause(mut self, longest: Duration) -> Self {
        self.limits = self.limits.longest_pause(longest);
        self
    }

    /// Sets how long before there is room a waiting call may be booked, by default 20 milliseconds, so that no time
    /// is lost by another question. A call that is booked is no longer overtaken, not even by a cancellation.
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.ahead = ahead.min(LONGEST);
        self
    }

    /// Sets the time-out of Redis, including connecting. By default half a second.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout.min(LONGEST);
        self
    }

    /// Sets what to do while Redis cannot be reached. By default, calls are refused.
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
    }
}

impl RedisSettings {
    /// Returns for how long a question makes the process a member: long enough for a second question.
    pub(super) fn validity(&self) -> Duration {
        self.timeout.saturating_mul(2).min(LONGEST)
    }

    /// Returns how long unreported calls may be under way.
    pub(super) fn settling(&self) -> Duration {
        self.limits.late_arrival.min(LONGEST)
    }

    /// Returns how long a call that was given up may be under way.
    pub(super) fn under_way(&self) -> Duration {
        self.limits.held_back.min(LONGEST)
    }

    /// Returns for how long a permit takes its place if the end of its call is not reported.
    pub(super) fn longest_hold(&self) -> Duration {
        self.lease.max(self.under_way())
    }

    /// Returns the prefix of all keys. Its braces keep all keys of a fleet on one server of a cluster.
    pub(super) fn key_prefix(&self) -> String {
        format!("{{{}}}", self.prefix)
    }
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => f.write_str("Refuse"),
            Self::InProcess { share, .. } => f.debug_struct("InProcess").field("share", share).finish_non_exhaustive(),
        }
    }
}
