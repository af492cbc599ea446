use std::time::Duration;

use super::share::Share;
use crate::tables::{Effect, Meta, RateLimit, Scope};

/// How an [`InProcessLimits`](super::InProcessLimits) keeps limits.
#[derive(Clone, Debug)]
#[must_use]
pub struct LimitSettings {
    pub(super) margin: Duration,
    pub(super) trip_margin: Duration,
    pub(super) late_arrival: Duration,
    pub(super) longest_pause: Duration,
    pub(super) cancels_first: bool,
    pub(super) learns: bool,
    pub(super) overall: Vec<RateLimit>,
    pub(super) share: Share,
}

const TRIP_MARGIN: Duration = Duration::from_millis(35);

/// From when on a call that was answered counts. Until its answer every call takes room, for the exchange may count it
/// at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// From about when it arrived: from its answer, less most of the time that trips there and back have taken of late.
    /// With trips that take equally long, more than 95 of 100 calls can be used, however long they take.
    #[default]
    WhenArrived,
    /// From when it was answered. Whatever the network does, the exchange never counts too many. Each window becomes
    /// longer by one trip there and back.
    WhenAnswered,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            margin: Duration::from_millis(5),
            trip_margin: TRIP_MARGIN,
            late_arrival: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
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

    /// Makes each window longer by `margin`, for clocks that differ in how they tell time: theirs may count in whole
    /// milliseconds, and run faster than one's own. By default 5 milliseconds, which is one call in two hundred.
    pub fn margin(mut self, margin: Duration) -> Self {
        self.margin = margin;
        self
    }

    /// By how much a trip to the exchange and back may be shorter than all trips of late, without a limit being exceeded:
    /// 35 milliseconds by default. Trips shorter than that are not relied on at all. Where they are longer, each window
    /// becomes longer by it.
    pub fn trip_margin(mut self, margin: Duration) -> Self {
        self.trip_margin = margin;
        self
    }

    /// Counts calls from about when they arrive, which is the default, or from when they are answered, which is the
    /// same as a [`trip_margin`](Self::trip_margin) that no trip exceeds.
    pub fn counted(self, counted: Counted) -> Self {
        match counted {
            Counted::WhenArrived => self.trip_margin(TRIP_MARGIN),
            Counted::WhenAnswered => self.trip_margin(Duration::MAX),
        }
    }

    /// How long after it was given up without an answer a call may still arrive: a second by default. It counts from
    /// then on.
    pub fn late_arrival(mut self, within: Duration) -> Self {
        self.late_arrival = within;
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

    /// For how long one answer can hold up calls at most, whatever it asks for: a minute by default, and never less than
    /// a window. Calls that cancel it holds up for one window: no answer takes away the ability to cancel.
    pub fn longest_pause(mut self, longest: Duration) -> Self {
        self.longest_pause = longest;
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

    /// How long a window of `row` is.
    pub(super) fn span_of(&self, row: &RateLimit) -> Duration {
        Duration::from_secs(row.per_seconds.into()).saturating_add(self.margin)
    }

    /// Whether calls of `operation` go before others.
    pub(super) fn is_urgent(&self, operation: &Meta) -> bool {
        self.cancels_first && operation.effect == Effect::Cancel
    }
}
