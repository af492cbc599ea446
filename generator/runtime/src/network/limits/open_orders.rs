//! Counts open orders against the ceilings of an API.

use std::collections::HashSet;

use crate::data::tables::Ceiling;
use crate::data::value::OpenEnum;

/// Counts open orders against the ceilings of an API.
///
/// A client that [tracks orders](crate::ClientBuilder::track_orders) counts by itself, with
/// [`TrackedOrders::counted`](crate::state::orders::TrackedOrders::counted). Otherwise, the caller reports changes of orders
/// from any source. An order has one name, its id or the client id, and counts once however often it is reported. The
/// counter knows only what is reported: begin with the orders that are already open.
///
/// ```
/// # use tradeapi_runtime::limits::OpenOrders;
/// # use tradeapi_runtime::tables::Ceiling;
/// # tradeapi_runtime::open_enum! { enum Category { Spot = "spot", Futures = "futures" } }
/// const CEILINGS: &[Ceiling] = &[Ceiling { id: "open-spot-orders", n: 400, over: &["spot"], doc: "" }];
///
/// let mut orders = OpenOrders::new(CEILINGS);
/// orders.placed(&Category::Spot, "1");
/// assert_eq!(orders.room(&Category::Spot), Some(399));
/// assert!(!orders.may_place(&Category::Spot, 400));
/// orders.closed("1");
/// assert!(orders.may_place(&Category::Spot, 400));
/// // No ceiling applies to it.
/// assert_eq!(orders.room(&Category::Futures), None);
/// ```
#[derive(Clone, Debug)]
pub struct OpenOrders {
    counters: Vec<Counter>,
}

#[derive(Clone, Debug)]
struct Counter {
    ceiling: &'static Ceiling,
    open: HashSet<String>,
    /// Open orders that somebody else tells apart.
    counted: u64,
}

impl OpenOrders {
    /// Creates a count of no open orders, below `ceilings`: the `CEILINGS` of an emitted module.
    pub fn new(ceilings: &'static [Ceiling]) -> Self {
        let mut counters = Vec::with_capacity(ceilings.len());
        for ceiling in ceilings {
            counters.push(Counter { ceiling, open: HashSet::new(), counted: 0 });
        }
        Self { counters }
    }

    /// Notes that the order `id` of this kind is open, or may be: an order without a response yet counts.
    pub fn placed(&mut self, kind: &impl OpenEnum, id: impl Into<String>) {
        let id = id.into();
        for counter in self.counters.iter_mut().filter(|counter| counter.counts(kind.as_str())) {
            counter.open.insert(id.clone());
        }
    }

    /// Notes that `n` more orders of this kind are open; those of an unknown kind count for every ceiling.
    pub(crate) fn count(&mut self, kind: Option<&str>, n: u64) {
        for counter in self.counters.iter_mut().filter(|counter| kind.is_none_or(|kind| counter.counts(kind))) {
            counter.counted += n;
        }
    }

    /// Notes that the order `id` is not open any more, or never was.
    pub fn closed(&mut self, id: &str) {
        for counter in &mut self.counters {
            counter.open.remove(id);
        }
    }

    /// Returns how many more orders of this kind may be open. `None` if no ceiling applies.
    pub fn room(&self, kind: &impl OpenEnum) -> Option<u64> {
        self.tightest(kind).map(Counter::room)
    }

    /// Returns whether `n` more orders of this kind may be open.
    pub fn may_place(&self, kind: &impl OpenEnum, n: u64) -> bool {
        self.room(kind).is_none_or(|room| n <= room)
    }

    /// Returns the ceiling that leaves the least room for orders of this kind.
    pub fn ceiling(&self, kind: &impl OpenEnum) -> Option<&'static Ceiling> {
        self.tightest(kind).map(|counter| counter.ceiling)
    }

    fn tightest(&self, kind: &impl OpenEnum) -> Option<&Counter> {
        self.counters.iter().filter(|counter| counter.counts(kind.as_str())).min_by_key(|counter| counter.room())
    }
}

impl Counter {
    fn counts(&self, kind: &str) -> bool {
        self.ceiling.over.is_empty() || self.ceiling.over.contains(&kind)
    }

    fn room(&self) -> u64 {
        self.ceiling.n.saturating_sub(self.open.len() as u64 + self.counted)
    }
}
