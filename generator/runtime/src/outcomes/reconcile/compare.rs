//! The comparison itself. It makes no calls: its result depends only on what was read of the account and the journal.
//!
//! It works on neutral sightings ([`Sighting`](crate::data::lifecycle::Sighting)), read by the emitted types, so that one
//! function compares the orders of all families.
//!
//! "Not open" is an absence and has its conditions: when it was listed, the request could no longer arrive and every
//! machine had to show what it did; and as many queries or listings in a row as the policy says deny it.
//! Everything else is unsettled, and the next comparison begins before it. An amendment that replaces no order
//! (`creates_with`) is not missed: the meaning of its new id is not documented.

use super::known::{
    Adopted, ByOrder, JournalOrders, Key, KnownOrder, Listings, ShownOrder, missing_adopted, missing_orders,
};
use super::report::{Action, Difference, Gone, ReconciledOrder};
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::state::journal::SigningTimes;

/// Reports for each order how it differs from the journal.
pub(super) fn compare(
    known: &JournalOrders,
    shown: &Listings,
    since: Timestamp,
    own_prefixes: &[String],
) -> Vec<ReconciledOrder> {
    let mut orders = Vec::new();
    for (key, order) in shown.orders.iter() {
        orders.push(listed(known, key, order, own_prefixes));
    }
    let mut filled_ids = ByOrder::default();
    for (key, filled) in shown.fills.iter() {
        if shown.orders.contains(key) {
            continue;
        }
        let client_id = filled.client_id.clone();
        let of_journal = client_id.clone().map(|id| (key.0, id)).filter(|by| known.by_client_id.contains(by));
        match of_journal {
            Some(by) if !filled_ids.contains(&by) => filled_ids.insert(by, Some(key.clone())),
            // Two orders with one id cannot be distinguished.
            Some(_) => {
                let id = Some(key.1.clone());
                orders.push(ReconciledOrder { id, client_id, ..order(key.0, Difference::Unattributed) });
            }
            None => orders.push(by_its_fills(known, key, client_id, own_prefixes)),
        }
    }
    for (key, order) in missing_orders(known, shown, since) {
        orders.push(gone(key, order, filled_ids.get_mut(key).and_then(Option::take)));
    }
    // Fills of orders that were compared before.
    for (key, filled) in filled_ids.iter() {
        if let (Some(order), true) = (known.by_client_id.get(key), filled.is_some()) {
            orders.push(gone(key, order, filled.clone()));
        }
    }
    add_adopted_and_gone(&mut orders, known, shown, since);
    for order in &mut orders {
        let filled = order.id.as_ref().and_then(|id| shown.fills.get(&(order.family, id.clone())));
        order.filled = filled.map(|filled| filled.quantity).unwrap_or_default().into();
    }
    sort_by(&mut orders, &|one, other| sorted_by(one).cmp(&sorted_by(other)));
    orders
}

fn sorted_by(order: &ReconciledOrder) -> (&str, &Option<String>, &Option<String>) {
    (order.family, &order.id, &order.client_id)
}

fn order(family: &'static str, difference: Difference) -> ReconciledOrder {
    ReconciledOrder {
        family,
        id: None,
        client_id: None,
        difference,
        is_open: false,
        seen: None,
        filled: rust_decimal::Decimal::ZERO.into(),
        change: None,
        action: Action::None,
        open_in: None,
    }
}

fn listed(known: &JournalOrders, key: &Key, shown: &ShownOrder, own_prefixes: &[String]) -> ReconciledOrder {
    let (family, client_id) = (key.0, shown.sighting.client_id.clone());
    let of_journal = client_id.clone().and_then(|id| known.by_client_id.get(&(family, id)));
    let expected = if shown.is_open { Difference::AsExpected } else { Difference::Ended };
    let (difference, change) = match (of_journal, known.adopted.get(key)) {
        (Some(KnownOrder { outcome: Some(Outcome::NotDone), number, .. }), None) => {
            (Difference::Contradiction, Some(*number))
        }
        (Some(KnownOrder { number, .. }), _) | (None, Some(Adopted { number, .. })) => (expected, Some(*number)),
        (None, None) => match known.of_another_name(key, client_id.as_ref()) {
            Some(number) => (Difference::OtherName, Some(number)),
            None => (unknown(known, family, client_id.as_deref(), shown.sighting.created, own_prefixes), None),
        },
    };
    let (id, seen, open_in) = (Some(key.1.clone()), Some(shown.sighting.clone()), shown.open_in);
    ReconciledOrder { id, client_id, is_open: shown.is_open, seen, change, open_in, ..order(family, difference) }
}

/// Returns the difference of an order that the journal does not have.
fn unknown(
    known: &JournalOrders,
    family: &str,
    client_id: Option<&str>,
    created: Option<Timestamp>,
    own_prefixes: &[String],
) -> Difference {
    let is_named = |id: &str| own_prefixes.iter().any(|prefix| id.starts_with(prefix));
    let may_be_lost = known.lost.iter().any(|span| span.has(created));
    match client_id {
        Some(id) if is_named(id) => Difference::Unjournaled,
        // If prefixes are set, any other id belongs to a foreign order.
        None if may_be_lost => Difference::PerhapsLost,
        Some(_) if may_be_lost && own_prefixes.is_empty() => Difference::PerhapsLost,
        // The exchange may give a client id of its own to an order without one.
        _ if known.without_id.contains(&family) => Difference::Unattributed,
        _ => Difference::Foreign,
    }
}

/// Returns an order that only fills show. Without a client id it may be any order of the journal that is not shown.
fn by_its_fills(
    known: &JournalOrders,
    key: &Key,
    client_id: Option<String>,
    own_prefixes: &[String],
) -> ReconciledOrder {
    let (difference, change) = match (known.adopted.get(key), known.of_another_name(key, client_id.as_ref())) {
        (Some(adopted), _) if adopted.absence.is_certain() => (Difference::Ended, Some(adopted.number)),
        (Some(adopted), _) => (Difference::Gone(Gone::Unsettled), Some(adopted.number)),
        (None, Some(number)) => (Difference::OtherName, Some(number)),
        (None, None) => match &client_id {
            None => (Difference::Unattributed, None),
            Some(id) => (unknown(known, key.0, Some(id), None, own_prefixes), None),
        },
    };
    ReconciledOrder { id: Some(key.1.clone()), client_id, change, ..order(key.0, difference) }
}

fn gone(key: &Key, known: &KnownOrder, filled: Option<Key>) -> ReconciledOrder {
    let difference = match known.outcome {
        // It is reported for its fills.
        Some(Outcome::NotDone) => Difference::Contradiction,
        Some(Outcome::Done | Outcome::Unknown) | None => Difference::Gone(known.absence.gone()),
    };
    ReconciledOrder {
        id: filled.map(|(_, id)| id),
        client_id: Some(key.1.clone()),
        change: Some(known.number),
        ..order(key.0, difference)
    }
}

fn add_adopted_and_gone(orders: &mut Vec<ReconciledOrder>, known: &JournalOrders, shown: &Listings, since: Timestamp) {
    for (key, adopted) in missing_adopted(known, shown, since) {
        if shown.fills.contains(key) {
            continue;
        }
        let (family, id) = key;
        orders.push(ReconciledOrder {
            id: Some(id.clone()),
            client_id: adopted.client_id.clone(),
            change: Some(adopted.number),
            ..order(family, Difference::Gone(adopted.absence.gone()))
        });
    }
}

/// Returns when the earliest order was placed that is not known to have ended, given from when on orders were compared.
pub(super) fn earliest(known: &JournalOrders, orders: &[ReconciledOrder], since: Timestamp) -> Option<Timestamp> {
    let mut earliest: Option<Timestamp> = None;
    for order in orders {
        if !order.is_open && order.difference != Difference::Gone(Gone::Unsettled) {
            continue;
        }
        let placed = match order.difference {
            // The journal does not know when it was placed.
            Difference::Unjournaled | Difference::PerhapsLost => Some(since),
            _ => placed_at(known, order),
        };
        if let Some(placed) = placed {
            earliest = Some(earliest.map_or(placed, |earliest| earliest.min(placed)));
        }
    }
    earliest
}

/// Returns when an order of the journal was placed.
fn placed_at(known: &JournalOrders, order: &ReconciledOrder) -> Option<Timestamp> {
    let key = |id: &Option<String>| Some((order.family, id.clone()?));
    let own = key(&order.client_id).and_then(|key| Some(known.by_client_id.get(&key)?.signed));
    let adopted = || key(&order.id).and_then(|key| Some(known.adopted.get(&key)?.signed));
    own.or_else(adopted).map(SigningTimes::earliest)
}

#[cfg(test)]
mod tests;
