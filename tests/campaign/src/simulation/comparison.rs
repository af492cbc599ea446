//! The claims that comparisons of an account with its journal make, against the exchange's book.

use std::collections::BTreeSet;

use tradeapi::Timestamp;
use tradeapi::runtime::journal::StoredChange;
use tradeapi::runtime::reconcile::{Difference, Gone, Reconciled, ReconciledOrder};

use crate::exchange::Exchange;
use crate::violation::Violation;

/// The comparisons of one account, by several processes one after the other.
pub(super) struct Comparisons {
    /// Where the next one begins.
    pub(super) since: Timestamp,
    /// The ids of orders that were reported as ended, and the client ids of those that were reported as gone.
    ended: BTreeSet<String>,
    gone: BTreeSet<String>,
}

impl Comparisons {
    /// Returns comparisons from a time on.
    pub(super) fn since(since: Timestamp) -> Self {
        Self { since, ended: BTreeSet::new(), gone: BTreeSet::new() }
    }

    /// Checks a report against the book, which may have gone on since. A client that takes denials for ends claims more
    /// than the report.
    pub(super) fn check(
        &mut self,
        reconciled: &Reconciled,
        takes_denials: bool,
        exchange: &Exchange,
        changes: &[StoredChange],
    ) -> Vec<Violation> {
        self.since = reconciled.next_since;
        let own = OwnIds::of(changes);
        let open = exchange.open_orders();
        let is_open = |order: &ReconciledOrder| match (&order.id, &order.client_id) {
            (Some(id), _) => open.iter().any(|(known, _)| known == id),
            (None, Some(client_id)) => {
                own.is_unique(client_id) && open.iter().any(|(_, known)| known.as_ref() == Some(client_id))
            }
            (None, None) => false,
        };
        let mut violations = Vec::new();
        for order in &reconciled.orders {
            let is_over = match order.difference {
                Difference::Ended | Difference::Gone(Gone::NotOpen) => true,
                Difference::Gone(Gone::Unsettled) => takes_denials,
                _ => false,
            };
            if is_over && is_open(order) {
                violations.push(Violation::WrongComparison(format!("{order}, but it is open")));
            }
            let is_own = order.client_id.as_deref().is_some_and(|id| own.has(id));
            if order.difference == Difference::Foreign && is_own {
                violations.push(Violation::WrongComparison(format!("{order}, but the journal has its id")));
            }
            if is_over {
                self.ended.extend(order.id.clone());
                self.gone.extend(order.client_id.clone());
            }
        }
        if reconciled.is_settled() {
            violations.extend(unreported(reconciled, &open, &own));
        }
        violations
    }

    /// Checks, after the last comparison, that the end of each order was reported at some time.
    pub(super) fn check_ends(&self, exchange: &Exchange, changes: &[StoredChange]) -> Vec<Violation> {
        let own = OwnIds::of(changes);
        let is_silent = |(id, client_id): &(String, Option<String>)| {
            let is_own = client_id.as_deref().is_some_and(|client_id| own.is_unique(client_id));
            let is_gone = client_id.as_ref().is_some_and(|client_id| self.gone.contains(client_id));
            is_own && !self.ended.contains(id) && !is_gone
        };
        let sentence = |(id, client_id)| {
            Violation::WrongComparison(format!("the end of order {id} ({client_id:?}) was never reported"))
        };
        exchange.ended_orders().into_iter().filter(is_silent).map(sentence).collect()
    }
}

/// Returns the open orders that a settled report does not have.
fn unreported(
    reconciled: &Reconciled,
    open: &[(String, Option<String>)],
    own: &OwnIds<'_>,
) -> impl Iterator<Item = Violation> {
    let reported: BTreeSet<_> = reconciled.open().filter_map(|order| order.id.as_ref()).collect();
    let is_missing = move |(id, client_id): &&(String, Option<String>)| {
        client_id.as_deref().is_some_and(|client_id| own.is_unique(client_id)) && !reported.contains(id)
    };
    open.iter().filter(is_missing).map(|(id, client_id)| {
        let what = format!("order {id} ({client_id:?}) is open, but the settled report does not say so");
        Violation::WrongComparison(what)
    })
}

/// The client ids of the changes in a journal.
struct OwnIds<'a>(Vec<&'a str>);

impl<'a> OwnIds<'a> {
    fn of(changes: &'a [StoredChange]) -> Self {
        // Cancellations and most amendments name the id of another change. Others are of another program, by its name, or
        // orders of others that the journal has adopted.
        let places = |operation: &str| {
            operation.contains(".place-") || operation.contains("batch-place") || operation == "classic.click-backhand"
        };
        let is_placing = |stored: &&StoredChange| {
            let operation = stored.change.operation.as_str();
            stored.change.account.is_none() && (places(operation) || operation == "classic.modify-order")
        };
        let placing = changes.iter().filter(is_placing);
        let ids = placing.flat_map(|stored| stored.change.client_ids.iter().map(String::as_str));
        let mut ids: Vec<_> = ids.collect();
        ids.sort_unstable();
        Self(ids)
    }

    fn times(&self, id: &str) -> usize {
        self.0.partition_point(|known| *known <= id) - self.0.partition_point(|known| *known < id)
    }

    fn has(&self, id: &str) -> bool {
        self.times(id) > 0
    }

    /// Returns whether one change only has the id, so that it names one order.
    fn is_unique(&self, id: &str) -> bool {
        self.times(id) == 1
    }
}
