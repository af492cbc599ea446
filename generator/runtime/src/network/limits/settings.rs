//! The settings of the limiter of one process.

use std::time::Duration;

use crate::data::tables::{Effect, Meta, RateLimit, Scope};

/// The settings of [`InProcessLimits`](super::InProcessLimits).
#[derive(Clone, Debug)]
#[must_use]
pub struct LimitSettings {
    pub(super) margin: Duration,
    pub(super) way_margin: Duration,
    pub(super) late_arrival: Duration,
    pub(super) held_back: Duration,
    pub(super) longest_pause: Duration,
    pub(super) cancels_first: bool,
    pub(super) learns: bool,
    pub(super) overall: Vec<RateLimit>,
    pub(super) share: QuotaShare,
}

/// The class of limits of all operations together.
const OVERALL: &str = "overall";

const WAY_MARGIN: Duration = Duration::from_millis(35);

/// When an answered call starts to count. Until its response every call takes room, because the exchange may count it
/// at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountFrom {
    /// From its arrival, which the response states by the exchange's clock, less the minimum time that the next request
    /// needs to reach the exchange. More than 95 of 100 calls can be used, however long a round trip takes. A call
    /// counts from its response if that states no time, or while too few are known.
    #[default]
    Arrival,
    /// From its response. Over any network, the exchange never counts too many. Each window becomes longer by
    /// one round trip.
    Response,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            margin: Duration::from_millis(5),
            way_margin: WAY_MARGIN,
            late_arrival: Duration::from_secs(1),
            held_back: Duration::from_secs(15),
            longest_pause: Duration::from_secs(60),
            cancels_first: true,
            learns: true,
            overall: Vec::new(),
            share: QuotaShare::ALL,
        }
    }
}

impl LimitSettings {
    /// Returns the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Extends each window by `margin`, because the exchange's clock may count in whole milliseconds and run faster
    /// than the local one. By default 5 milliseconds: half a percent of a window of one second.
    pub fn margin(mut self, margin: Duration) -> Self {
        self.margin = margin;
        self
    }

    /// Sets how much faster than all recent ones a request may reach the exchange without exceeding a limit: 35
    /// milliseconds by default. With round trips longer than this, each window becomes longer by this margin; with
    /// shorter ones, by the round trip.
    pub fn way_margin(mut self, margin: Duration) -> Self {
        self.way_margin = margin;
        self
    }

    /// Counts calls from their arrival, which is the default, or from their responses, which is the same as a
    /// [`way_margin`](Self::way_margin) that no way exceeds.
    pub fn count_from(self, count_from: CountFrom) -> Self {
        match count_from {
            CountFrom::Arrival => self.way_margin(WAY_MARGIN),
            CountFrom::Response => self.way_margin(Duration::MAX),
        }
    }

    /// Sets by how much a request may be overtaken by a later one: a second by default. A call that was given up
    /// without a response takes room for at least as long after it was given up, and after the response to a later
    /// call.
    pub fn late_arrival(mut self, within: Duration) -> Self {
        self.late_arrival = within;
        self
    }

    /// Sets for how long the network may hold back a request: 15 seconds by default, as long as the default transport
    /// waits for a response. A call that was given up without a response takes room until this time after it was sent,
    /// unless the exchange responds to a later call first. If the network holds back requests for longer, the exchange
    /// may count more calls than a limit allows: see
    /// [`InProcessLimits`](super::InProcessLimits#calls-that-are-given-up).
    pub fn held_back(mut self, longest: Duration) -> Self {
        self.held_back = longest;
        self
    }

    /// Sets whether cancellations are admitted before all other waiting calls, which is the default. They only
    /// overtake calls that share a limit with them: apart from the overall ones, operations have limits of their own.
    pub fn cancels_first(mut self, first: bool) -> Self {
        self.cancels_first = first;
        self
    }

    /// Sets whether to learn from responses, which is the default. If the exchange reports fewer remaining calls
    /// than expected, others make calls too, and the difference is counted. If none remain, or after HTTP status 429,
    /// no call is admitted for one window, or longer if the response requires it. A window of more than the
    /// [`longest_pause`](Self::longest_pause) is closed for that pause. A 429 without an envelope comes from a gateway
    /// before the exchange, which counts all operations: then no call from the address is admitted.
    pub fn learns(mut self, learns: bool) -> Self {
        self.learns = learns;
        self
    }

    /// Sets the longest pause that one response can cause: a minute by default, and never less than the shortest window
    /// of the operation. It delays cancellations for one window at most: no response takes away the ability to cancel.
    pub fn longest_pause(mut self, longest: Duration) -> Self {
        self.longest_pause = longest;
        self
    }

    /// Adds a limit on the calls of all operations together, such as an exchange has for an address. The clients of a
    /// process, and processes that share [`FileLimits`](super::FileLimits), keep the one of the schema without it;
    /// processes that share a server do with it.
    pub fn overall(self, calls: u32, per_seconds: u32, scope: Scope) -> Self {
        self.overall_limit(RateLimit { scope, ..RateLimit::per_uid(calls).every(per_seconds) })
    }

    pub(super) fn overall_limit(mut self, limit: RateLimit) -> Self {
        self.overall.push(RateLimit { class: OVERALL, ..limit });
        self
    }

    /// Returns the limits of all operations together, for calls of an address with this rate: that rate counts unless
    /// there is one for addresses already.
    pub(super) fn overall_with(&self, address_rate: Option<&RateLimit>) -> impl Iterator<Item = RateLimit> {
        let address_rate = address_rate.filter(|_| self.overall.iter().all(|row| row.scope != Scope::Ip));
        let address_rate = address_rate.map(|rate| RateLimit { class: OVERALL, ..*rate });
        self.overall.iter().copied().chain(address_rate)
    }

    /// Uses a part of every limit, for processes that share an account but no limiter. Calls whose part is less than
    /// one call in a window are refused.
    pub fn share(mut self, share: QuotaShare) -> Self {
        self.share = share;
        self
    }

    /// Returns how long a window of `row` is.
    pub(super) fn span_of(&self, row: &RateLimit) -> Duration {
        row.window().saturating_add(self.margin)
    }

    /// Returns when a call that was sent at `sent` and is given up `now` has arrived at the latest.
    pub(super) fn arrived_at(&self, sent: Duration, now: Duration) -> Duration {
        now.saturating_add(self.late_arrival).max(sent.saturating_add(self.held_back))
    }

    /// Returns whether calls of `operation` are admitted before others.
    pub(super) fn is_urgent(&self, operation: &Meta) -> bool {
        self.cancels_first && operation.effect == Effect::Cancel
    }
}

/// A part of every rate, for one of several processes that share an account but no limiter.
///
/// ```
/// use tradeapi_runtime::limits::QuotaShare;
///
/// assert_eq!(QuotaShare::new(1, 4).of(10), 2);
/// assert_eq!(QuotaShare::ALL.of(10), 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaShare {
    part: u32,
    whole: u32,
}

impl QuotaShare {
    /// All of it.
    pub const ALL: Self = Self { part: 1, whole: 1 };

    const NONE: Self = Self { part: 0, whole: 1 };

    /// Creates the share `part` of `whole`: one of four processes may use `QuotaShare::new(1, 4)`. A part that exceeds
    /// the whole is the whole.
    pub const fn new(part: u32, whole: u32) -> Self {
        match part {
            0 => Self::NONE,
            _ if part >= whole => Self::ALL,
            _ => Self { part, whole },
        }
    }

    /// Returns the part of `calls`, rounded down: together, the shares never exceed `calls`.
    pub const fn of(self, calls: u32) -> u32 {
        let calls = calls as u64 * self.part as u64 / self.whole as u64;
        calls as u32
    }

    /// Returns the part as a fraction.
    #[cfg(feature = "redis")]
    pub(super) fn fraction(self) -> f64 {
        f64::from(self.part) / f64::from(self.whole)
    }
}

impl Default for QuotaShare {
    fn default() -> Self {
        Self::ALL
    }
}
