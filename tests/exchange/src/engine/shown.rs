//! The state that a request sees: the view of its node if nodes or listings lag, otherwise the current state.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::state::core::Core;
use crate::state::hostile::{HostileEvent, HostileFault, View};
use crate::state::orders::{Name, Order};

impl Core {
    /// Returns the order of an account with this name, as the node of the request shows it.
    pub(crate) fn shown(&mut self, account: usize, name: &Name) -> Option<Order> {
        let (mut hostile, mut views) = (self.hostile.take(), self.views.take());
        let found = self.find(account, name);
        let shown = match (&mut hostile, &mut views) {
            (Some(hostile), Some(views)) => views.shown(hostile.view, name, found, &mut hostile.counts),
            _ => found.cloned(),
        };
        (self.hostile, self.views) = (hostile, views);
        shown
    }

    /// Returns the orders of an account that the node of the request may list as open.
    pub(crate) fn may_be_open(&self, account: usize) -> Cow<'_, BTreeSet<u64>> {
        let ended = self.views.as_ref().map(|views| views.ended_lately(self.now)).into_iter().flatten();
        let is_own = |order: &u64| self.orders.get(order).is_some_and(|order| order.ticket.account == account);
        let open = &self.accounts[account].open;
        let ended: BTreeSet<u64> = ended.filter(is_own).collect();
        if ended.is_empty() { Cow::Borrowed(open) } else { Cow::Owned(open | &ended) }
    }

    /// Returns an order as a listing of the node shows it: of open orders, or of ended ones. An order that has just
    /// ended is still open on a node that lags.
    pub(crate) fn listed(&self, order: u64, is_open: bool) -> Option<&Order> {
        let order = self.orders.get(&order)?;
        let known = match &self.views {
            Some(views) => views.listed(self.listing_view(), order)?,
            None => order,
        };
        (known.state.is_open() == is_open).then_some(known)
    }

    /// Returns the view of the node that answers a listing.
    fn listing_view(&self) -> View {
        let lag = self.faults.conditions.lag;
        match &self.hostile {
            Some(hostile) => View { lag: hostile.view.lag.max(lag), ..hostile.view },
            None => View { now: self.now, lag, fault: HostileFault::None, denials: 0 },
        }
    }

    /// Returns the time from which on the node of the request does not list orders and fills yet.
    pub(crate) fn latest_listed(&self) -> u64 {
        self.now.saturating_sub(self.listing_view().lag)
    }

    /// Returns the fault of the current listing.
    pub(crate) fn listing_fault(&self) -> HostileFault {
        self.hostile.as_ref().map_or(HostileFault::None, |hostile| hostile.view.fault)
    }

    /// Returns whether a compound request ends after its first part.
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
        let settled = self.now + self.faults.conditions.lag;
        let settled = self.hostile.as_ref().map_or(settled, |hostile| hostile.settled.max(settled));
        let Some(views) = &mut self.views else { return };
        for order in views.take_touched() {
            let Some(order) = self.orders.get(&order) else { continue };
            if let (true, Some(hostile)) = (views.note(order, self.now, settled), &mut self.hostile) {
                hostile.counts.record(HostileEvent::AppearedAfterAbsence);
            }
        }
    }

    /// Records the versions of orders that have changed now. On a hostile exchange, the answer to a request decides when
    /// its effect is shown.
    pub(crate) fn note_changes(&mut self) {
        if self.hostile.is_none() {
            self.note_versions();
        }
    }
}
