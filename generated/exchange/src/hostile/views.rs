//! What nodes show of orders: earlier states, for as long as a change may take to be seen everywhere.

use rustc_hash::{FxHashMap, FxHashSet};

use super::counts::{Counts, Reached};
use super::wrong::Wrong;
use crate::amending::Name;
use crate::orders::{Order, State};

/// How many orders that are not kept any more are remembered, for the counts.
const MOST_FORGOTTEN: usize = 100_000;

/// An order from a time on.
#[derive(Clone, Debug)]
struct Version {
    at: u64,
    /// From when on all nodes show it.
    settled: u64,
    order: Order,
}

/// The versions of an order.
#[derive(Clone, Debug)]
struct History {
    versions: Vec<Version>,
    /// From when on all nodes show that there is such an order, and when the first does.
    settled: u64,
    visible: u64,
}

/// What nodes show of orders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Views {
    histories: FxHashMap<u64, History>,
    /// Ids that a query did not find.
    missed: FxHashSet<String>,
    /// Ids of orders that are not kept any more.
    forgotten: FxHashSet<String>,
    /// Orders that were not shown although they are there.
    denied: FxHashSet<u64>,
}

/// How the node of a request shows orders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) now: u64,
    pub(crate) lag: u64,
    pub(crate) wrong: Wrong,
}

fn named(name: &Name) -> &str {
    match name {
        Name::Id(id) | Name::Client(id) => id,
    }
}

impl Views {
    /// Notes that an order has changed.
    pub(crate) fn note(&mut self, order: &Order, now: u64, settled: u64, counts: &mut Counts) {
        let version = Version { at: now, settled, order: order.clone() };
        match self.histories.get_mut(&order.id) {
            Some(history) => {
                // What is settled hides everything before it.
                if let Some(last) = history.versions.iter().rposition(|version| version.settled <= now) {
                    history.versions.drain(..last);
                }
                history.versions.push(version);
            }
            None => {
                let history = History { versions: vec![version], settled, visible: now };
                self.histories.insert(order.id, history);
                if order.client().is_some_and(|client| self.missed.remove(client)) {
                    counts.reach(Reached::CameAfterAll);
                }
            }
        }
    }

    /// Keeps an order out of sight until then.
    pub(crate) fn hide(&mut self, order: u64, until: u64) {
        if let Some(history) = self.histories.get_mut(&order) {
            history.visible = until;
        }
    }

    /// Forgets an order.
    pub(crate) fn forget(&mut self, order: &Order) {
        self.histories.remove(&order.id);
        if self.forgotten.len() < MOST_FORGOTTEN {
            self.forgotten.insert(order.id.to_string());
            self.forgotten.extend(order.client().map(str::to_owned));
        }
    }

    /// The order as a node shows it; `found` is what there is.
    pub(crate) fn shown(
        &mut self,
        view: View,
        name: &Name,
        found: Option<&Order>,
        counts: &mut Counts,
    ) -> Option<Order> {
        let shown = found.and_then(|order| self.version(view, order));
        match (&shown, found) {
            (Some(shown), Some(order)) if !is_alike(shown, order) => counts.reach(Reached::ShownLate),
            (None, found) => {
                if found.is_none() && self.forgotten.contains(named(name)) {
                    counts.reach(Reached::Forgotten);
                }
                if let (None, Name::Client(client)) = (found, name) {
                    self.missed.insert(client.clone());
                }
            }
            _ => {}
        }
        shown
    }

    fn version(&mut self, view: View, order: &Order) -> Option<Order> {
        let Some(history) = self.histories.get(&order.id) else { return Some(order.clone()) };
        let is_shown = |version: &&Version| version.at + view.lag <= view.now || version.settled <= view.now;
        let version = history.versions.iter().rev().find(is_shown).filter(|_| history.visible <= view.now)?;
        let is_denied = match view.wrong {
            Wrong::Hidden => view.now < history.settled,
            // Not twice in a row: the next query finds it.
            Wrong::FalseAbsence => self.denied.insert(order.id),
            _ => false,
        };
        if is_denied {
            return None;
        }
        let shown = version.order.clone();
        self.denied.remove(&order.id);
        Some(shown)
    }

    /// Whether an order can be seen by all.
    pub(crate) fn is_visible(&self, order: u64, now: u64) -> bool {
        self.histories.get(&order).is_none_or(|history| history.visible <= now)
    }
}

fn is_alike(one: &Order, other: &Order) -> bool {
    let of = |order: &Order| -> (Option<u64>, u64, u64, State) { (order.ticks, order.lots, order.filled, order.state) };
    of(one) == of(other)
}
