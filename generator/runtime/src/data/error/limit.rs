//! Requests that were not sent because of a rate limit.

use std::fmt;
use std::time::Duration;

use crate::data::tables::{RateLimit, Scope};

/// A request that was not sent because a rate limit is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limited {
    /// The id of the operation.
    pub operation: &'static str,
    /// The least time until there is room.
    pub free_in: Duration,
    /// The limit that is used up.
    pub binding: Option<BindingLimit>,
    /// True if the exchange refuses all requests of the address for this time, whichever limits have room.
    pub is_address_refused: bool,
}

/// A request that was not sent because the limiter failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimiterFailure {
    /// The id of the operation.
    pub operation: &'static str,
    /// The kind of failure.
    pub kind: LimiterErrorKind,
    /// The reason.
    pub why: String,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
}

/// A limit that makes calls wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingLimit {
    /// The operation; `None` for a limit on several operations together: those of a pool, or all.
    pub operation: Option<&'static str>,
    /// The limit.
    pub limit: RateLimit,
}

/// The reason why a limiter failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimiterErrorKind {
    /// The shared store cannot be reached.
    Unreachable,
    /// The shared store answers too late.
    TooSlow,
    /// The shared store answers with an error.
    Failed,
    /// The share of the rate is less than one call in a window.
    NoShare,
    /// The limiter belongs to the process that this one was forked from.
    Forked,
}

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.binding {
            Some(binding) => write!(f, "{binding} is used up"),
            None if self.is_address_refused => f.write_str("the exchange refuses all requests of the address"),
            None => f.write_str("its rate limit is used up"),
        }?;
        write!(f, " for at least another {:.3} s", self.free_in.as_secs_f64())
    }
}

impl fmt::Display for BindingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RateLimit { calls, per_millis: _, scope, class, pool, weight: _, when: _ } = self.limit;
        let who = match scope {
            Scope::Uid => "UID",
            Scope::Ip => "IP",
        };
        let what = self.operation.or(pool).unwrap_or("all operations");
        write!(f, "the limit of {what}, {calls} calls in {} s per {who} ({class})", self.limit.window().as_secs_f64())
    }
}

impl fmt::Display for LimiterErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "the limiter cannot be reached",
            Self::TooSlow => "the limiter is too slow",
            Self::Failed => "the limiter failed",
            Self::NoShare => "the limiter has no share of the rate",
            Self::Forked => "the client was made before this process was forked",
        })
    }
}
