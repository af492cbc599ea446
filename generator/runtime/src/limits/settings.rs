use std::time::Duration;

use super::share::Share;
use crate::tables::{Effect, Meta, RateLimit, Scope};

/// How an [`InProcessLimits`](super::InProcessLimits) keeps limits.
#[derive(Clone, Debug)]
#[must_use]
pub struct LimitSettings {
    pub(super) margin: Duration,
    pub(super) counted: Counted,
    pub(super) cancels_first: bool,
    pub(super) learns: bool,
    pub(super) overall: Vec<RateLimit>,
    pub(super) share: Share,
}

/// From when on a call counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// From when it goes out. All calls of a window can be used; the margin makes up for trips that take differently
    /// long.
    #[default]
    WhenSent,
    /// From when it is answered, or given up; until then it takes room. The exchange has counted it by then, so
    /// whatever the network does, it never counts too many. Each window becomes longer by one trip there and back.
    WhenAnswered,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            margin: Duration::from_millis(5),
            counted: Counted::default(),
            cancels_first: true,
            learns: true,
            overall: Vec::new(),
            share: Share::ALL,
        }
    }
}

impl LimitSettings {
    /// The default ones.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes each window longer by `margin`, for calls that arrive closer together than they went out. By default 5
    /// milliseconds: more than trips over a warm connection usually differ by, and half of the one call in a hundred
    /// that may be lost in a second.
    pub fn margin(mut self, margin: Duration) -> Self {
        self.margin = margin;
        self
    }

    /// Counts calls from when they are sent, which is the default, or from when they are answered.
    pub fn counted(mut self, counted: Counted) -> Self {
        self.counted = counted;
        self
    }

    /// Whether calls that cancel go before all others that wait, which is the default. They can only overtake calls
    /// they share a limit with: those of other operations have limits of their own, but for the overall ones.
    pub fn cancels_first(mut self, first: bool) -> Self {
        self.cancels_first = first;
        self
    }

    /// Whether to learn from answers, which is the default. When the exchange says that fewer calls are left than are
    /// known to be, someone else calls too, and the difference is counted; when none is left, or after HTTP status 429,
    /// nothing goes for one window, or for longer if the answer asks for it. A 429 that does not come in the API's form
    /// comes from something before the exchange, which counts calls of all kinds: then nothing of the address goes.
    pub fn learns(mut self, learns: bool) -> Self {
        self.learns = learns;
        self
    }

    /// Adds a limit on the calls of all operations together, such as a gateway has for an address.
    pub fn overall(mut self, calls: u32, per_seconds: u32, scope: Scope) -> Self {
        self.overall.push(RateLimit { calls, per_seconds, scope, class: "overall" });
        self
    }

    /// Keeps to a part of every limit: for processes that share an account and no limiter. Calls whose part is less
    /// than one call in a window are refused.
    pub fn share(mut self, share: Share) -> Self {
        self.share = share;
        self
    }

    /// Whether calls of `operation` go before others.
    pub(super) fn is_urgent(&self, operation: &Meta) -> bool {
        self.cancels_first && operation.effect == Effect::Cancel
    }
}
