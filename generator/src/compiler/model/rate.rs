//! Rate limits, and the pools that several operations share.

use super::{AnswerPath, Duration, ResetForm, Scope};
use crate::compiler::diagnostics::Place;

/// A rate limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    pub(crate) calls: u32,
    /// The window that the calls are counted in.
    pub(crate) every: Duration,
    pub(crate) scope: Scope,
    /// The class of users that it applies to; `default` is everyone.
    pub(crate) class: String,
    /// The weight of a call in a pool, if other operations count in it, too.
    pub(crate) of_pool: Option<PoolWeight>,
    pub(crate) place: Place,
}

/// The weight of a call in a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PoolWeight {
    pub(crate) pool: String,
    /// The number of calls that one call counts as.
    pub(crate) weight: u32,
    /// The calls with this weight; `None` covers those that no heavier weight covers.
    pub(crate) when: Option<WeightCondition>,
}

/// The calls that a weight applies to, by a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WeightCondition {
    Without(String),
    With(String),
    Over(String, u64),
}

impl WeightCondition {
    /// The parameter that decides.
    pub(crate) fn parameter(&self) -> &str {
        match self {
            Self::Without(name) | Self::With(name) | Self::Over(name, _) => name,
        }
    }
}

/// A rate that several operations share.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) rate: Rate,
    pub(crate) doc: String,
    /// The report of answers about the pool.
    pub(crate) reporting: Option<PoolReporting>,
    pub(crate) place: Place,
}

/// A report of answers about a pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolReporting {
    /// True if they report used rather than remaining calls.
    pub(crate) is_used: bool,
    pub(crate) count: ResponseValue,
    pub(crate) reset: Option<(ResponseValue, ResetForm)>,
    pub(crate) place: Place,
}

/// The position of a value in an answer.
#[derive(Clone, Debug)]
pub(crate) enum ResponseValue {
    Header(String),
    Body(AnswerPath),
}

impl Rate {
    /// The class that everyone is in.
    pub(crate) const EVERYONE: &str = "default";

    /// The class of users that it applies to, unless that is everyone.
    pub(crate) fn own_class(&self) -> Option<&str> {
        Some(self.class.as_str()).filter(|class| *class != Self::EVERYONE)
    }
}
