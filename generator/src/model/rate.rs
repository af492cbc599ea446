//! Rate limits, and the pools that several operations share.

use super::{Duration, ResetForm, Way};
use crate::diagnostics::Place;

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rate {
    pub(crate) calls: u32,
    /// The window that the calls are counted in.
    pub(crate) every: Duration,
    pub(crate) scope: RateScope,
    /// For whom it holds; `default` is everyone.
    pub(crate) class: String,
    /// What a call takes of which pool, where other operations count in it too.
    pub(crate) of_pool: Option<OfPool>,
    pub(crate) place: Place,
}

/// What a call takes of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfPool {
    pub(crate) pool: String,
    /// How many calls it counts as.
    pub(crate) weight: u32,
    /// Of which calls; `None` is of all that no heavier row is of.
    pub(crate) when: Option<WeighsWhen>,
}

/// Which calls an operation's weight is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WeighsWhen {
    Without(String),
    With(String),
    Over(String, u64),
}

impl WeighsWhen {
    /// The parameter that decides.
    pub(crate) fn parameter(&self) -> &str {
        match self {
            Self::Without(name) | Self::With(name) | Self::Over(name, _) => name,
        }
    }
}

/// A rate that several operations share.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) doc: String,
    /// What answers report of it.
    pub(crate) reporting: Option<PoolReporting>,
    pub(crate) place: Place,
}

/// What answers report of a pool.
#[derive(Clone, Debug, Hash)]
pub(crate) struct PoolReporting {
    /// Whether they report how much is used, rather than how much remains.
    pub(crate) is_used: bool,
    pub(crate) count: ResponseValue,
    pub(crate) reset: Option<(ResponseValue, ResetForm)>,
    pub(crate) place: Place,
}

/// Where a value stands in an answer.
#[derive(Clone, Debug, Hash)]
pub(crate) enum ResponseValue {
    Header(String),
    Body(Way),
}

impl Rate {
    /// The class that stands for everyone.
    pub(crate) const EVERYONE: &str = "default";

    /// The class that it holds for, where that is not everyone.
    pub(crate) fn own_class(&self) -> Option<&str> {
        Some(self.class.as_str()).filter(|class| *class != Self::EVERYONE)
    }
}

/// What calls are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RateScope {
    Uid,
    Ip,
}

impl RateScope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Uid => "UID",
            Self::Ip => "IP",
        }
    }
}
