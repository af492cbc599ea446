use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::limits::limiter::Unavailable;
use crate::limits::settings::LimitSettings;
use crate::limits::share::Share;
use crate::tables::Scope;

/// How [`RedisLimits`](super::RedisLimits) keeps limits. All processes of a fleet need the same.
#[derive(Clone, Debug)]
#[must_use]
pub struct RedisSettings {
    pub(super) limits: LimitSettings,
    pub(super) prefix: String,
    pub(super) trip: Duration,
    pub(super) ahead: Duration,
    pub(super) timeout: Duration,
    pub(super) fallback: Fallback,
}

/// What to do while Redis cannot be asked.
#[derive(Clone, Default)]
pub enum Fallback {
    /// Sends nothing: calls end with [`Error::LimiterFailed`](crate::Error::LimiterFailed).
    #[default]
    Refuse,
    /// Keeps to a share of every limit, within the process. See [`Fallback::in_process`].
    InProcess {
        /// What this process may use of each limit.
        share: Share,
        /// Is told when this begins, and when it ends.
        told: Arc<dyn Fn(&FleetChange) + Send + Sync>,
    },
}

/// A process loses its fleet, or finds it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FleetChange {
    /// Redis cannot be asked; from now on the process keeps to its share.
    Lost(Unavailable),
    /// Redis was told what was sent in the meantime, and is asked again.
    Found,
}

impl Fallback {
    /// Keeps to `share` of every limit, and says so: `told` is called when this begins and when it ends.
    ///
    /// A process that loses Redis sends nothing for one window, for others may just have been let go. When all
    /// processes of a fleet lose it and their shares are one together, no window has too many. When only some lose it,
    /// their shares come on top of what the others may send; whoever cannot have that refuses.
    pub fn in_process(share: Share, told: impl Fn(&FleetChange) + Send + Sync + 'static) -> Self {
        Self::InProcess { share, told: Arc::new(told) }
    }
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            limits: LimitSettings::new(),
            prefix: "tradeapi-limits".to_owned(),
            trip: Duration::from_millis(10),
            ahead: Duration::from_millis(20),
            timeout: Duration::from_millis(500),
            fallback: Fallback::Refuse,
        }
    }
}

impl RedisSettings {
    /// The default ones.
    pub fn new() -> Self {
        Self::default()
    }

    /// What all keys begin with, by default `tradeapi-limits`: fleets with different prefixes share nothing.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// As [`LimitSettings::margin`].
    pub fn margin(mut self, margin: Duration) -> Self {
        self.limits = self.limits.margin(margin);
        self
    }

    /// As [`LimitSettings::cancels_first`].
    pub fn cancels_first(mut self, first: bool) -> Self {
        self.limits = self.limits.cancels_first(first);
        self
    }

    /// As [`LimitSettings::learns`].
    pub fn learns(mut self, learns: bool) -> Self {
        self.limits = self.limits.learns(learns);
        self
    }

    /// As [`LimitSettings::overall`].
    pub fn overall(mut self, calls: u32, per_seconds: u32, scope: Scope) -> Self {
        self.limits = self.limits.overall(calls, per_seconds, scope);
        self
    }

    /// The longest that may pass from asking Redis to sending the call, by default 10 milliseconds. Each window becomes
    /// longer by it. An answer that takes longer is given back, and Redis asked again.
    pub fn trip(mut self, trip: Duration) -> Self {
        self.trip = trip;
        self
    }

    /// How long before there is room a call that waits may be booked, by default 20 milliseconds: so no time is lost by
    /// asking. A call that was booked is not overtaken any more, not even by one that cancels.
    pub fn ahead(mut self, ahead: Duration) -> Self {
        self.ahead = ahead;
        self
    }

    /// The time in which Redis must answer, connecting included, by default half a second.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What to do while Redis cannot be asked; by default, to refuse.
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
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
