//! What a request sees: the view of its node on a hostile exchange, otherwise the current state.

use crate::hostile::HostileFault;
use crate::orders::{Name, Order};
use crate::state::Core;

impl Core {
    /// The order of an account with this name, as the node of the request shows it.
    pub(crate) fn shown(&mut self, account: usize, name: &Name) -> Option<Order> {
        let Some(mut hostile) = self.hostile.take() else { return self.find(account, name).cloned() };
        let shown = hostile.views.shown(hostile.view, name, self.find(account, name), &mut hostile.counts);
        self.hostile = Some(hostile);
        shown
    }

    /// Whether the node of the request lists an order.
    pub(crate) fn is_listed(&self, order: &Order) -> bool {
        self.hostile.as_ref().is_none_or(|hostile| hostile.views.is_listed(hostile.view, order))
    }

    /// The time from which on the node of the request does not list fills yet.
    pub(crate) fn latest_listed(&self) -> u64 {
        let lag = self.hostile.as_ref().map_or(0, |hostile| hostile.view.lag);
        self.now.saturating_sub(lag.max(self.faults.conditions.lag))
    }

    /// The fault of the current listing.
    pub(crate) fn listing_fault(&self) -> HostileFault {
        self.hostile.as_ref().map_or(HostileFault::None, |hostile| hostile.view.fault)
    }

    /// Whether a compound request ends after its first part.
    pub(crate) fn ends_half_done(&self) -> bool {
        self.hostile.as_ref().is_some_and(|hostile| hostile.halves)
    }

    /// Records the version of an order that was filled without a request.
    pub(crate) fn note_fill(&mut self) {
        let now = self.now;
        if let Some(hostile) = &mut self.hostile {
            hostile.settled = now + hostile.settings.settling + hostile.settings.lag;
        }
        self.note_versions();
    }

    /// Records the versions of changed orders, for nodes that lag.
    pub(crate) fn note_versions(&mut self) {
        let now = self.now;
        let Some(hostile) = &mut self.hostile else { return };
        let mut touched: Vec<u64> = hostile.touched.drain().collect();
        touched.sort_unstable();
        let settled = hostile.settled.max(now);
        for id in touched {
            if let Some(order) = self.orders.get(&id) {
                hostile.views.note(order, now, settled, &mut hostile.counts);
            }
        }
    }
}
