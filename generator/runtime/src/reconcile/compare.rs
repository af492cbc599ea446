//! The comparison itself. It makes no calls: its result depends only on what was read of the account and the journal.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::error::ReconcileError;
use super::listing::{Fill, Listing, Part};
use super::report::{Action, Difference, Gone, ReconciledOrder};
use crate::checks::Violations;
use crate::confirm::{Look, Recovery};
use crate::error::JournalError;
use crate::journal::{ChangeNumber, StoredChange};
use crate::lifecycle::Sighting;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// A family, and an id of an order in it.
type Key = (&'static str, String);

/// The orders and fills that the listings show.
#[derive(Default)]
pub(super) struct Shown {
    orders: BTreeMap<Key, ShownOrder>,
    fills: BTreeMap<Key, Filled>,
}

/// An order, and where it is open.
pub(super) struct ShownOrder {
    pub(super) sighting: Sighting,
    pub(super) is_open: bool,
    /// The listing of open orders that shows it, and the value of the parameter it is read over. `None` if only a
    /// listing of past orders or a query shows it: these may lag behind, so that it may have ended.
    pub(super) open_in: Option<(Listing, Option<&'static str>)>,
}

#[derive(Default)]
struct Filled {
    client_id: Option<String>,
    quantity: rust_decimal::Decimal,
}

impl Shown {
    /// Adds an order. Of several records the latest counts, and an order that ended stays so.
    pub(super) fn add_order(
        &mut self,
        family: &'static str,
        sighting: Sighting,
        listed: Option<(Listing, Option<&'static str>)>,
    ) {
        let Some(id) = sighting.id.clone() else { return };
        let is_open = match (sighting.has_ended, listed) {
            (Some(has_ended), _) => !has_ended,
            // An undocumented state.
            (None, Some((listing, _))) => listing.part == Part::OpenOrders,
            (None, None) => true,
        };
        let key = (family, id);
        let known = self.orders.get(&key).and_then(|known| known.open_in);
        let open_in = listed.filter(|(listing, _)| listing.part == Part::OpenOrders).or(known);
        let new = ShownOrder { sighting, is_open, open_in };
        let is_older = |known: &ShownOrder| match (known.is_open, new.is_open) {
            (false, true) => true,
            (true, false) => false,
            _ => known.sighting.at > new.sighting.at,
        };
        if !self.orders.get(&key).is_some_and(is_older) {
            self.orders.insert(key, new);
        }
    }

    /// Adds a fill.
    pub(super) fn add_fill(&mut self, family: &'static str, fill: Fill) -> Result<(), String> {
        let sum = self.fills.entry((family, fill.order)).or_default();
        let quantity = sum.quantity.checked_add(fill.quantity);
        sum.quantity = quantity.ok_or("the sum of the filled quantities is too large")?;
        sum.client_id = sum.client_id.take().or(fill.client_id);
        Ok(())
    }

    pub(super) fn order(&self, order: &ReconciledOrder) -> Option<&ShownOrder> {
        self.orders.get(&(order.family, order.id.clone()?))
    }
}

/// What a journal says about the orders of an account.
#[derive(Default)]
pub(super) struct Known {
    by_client_id: BTreeMap<Key, KnownOrder>,
    adopted: BTreeMap<Key, Adopted>,
    /// The families with an order without an id.
    without_id: BTreeSet<&'static str>,
}

/// An order of the journal.
#[derive(Clone)]
struct KnownOrder {
    number: ChangeNumber,
    signed_at: Timestamp,
    expected: Expected,
    /// Whether the request was to create it. Otherwise an order may have the id or not, and its absence proves nothing.
    is_created: bool,
    request: String,
    look: Look,
}

struct Adopted {
    number: ChangeNumber,
    signed_at: Timestamp,
    client_id: Option<String>,
}

/// What a journal says about an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The request has not ended, or can still arrive.
    Open,
    NotPlaced,
    /// The order was placed, unless the answer refused this item of a batch, or the request is closed as unknown: the
    /// account shows what it did.
    Settled,
}

impl Known {
    /// Reads the orders in the changes of a journal, the oldest first.
    pub(super) fn of(
        changes: Vec<StoredChange>,
        recoveries: &[Recovery],
        listings: &[Listing],
    ) -> Result<Self, ReconcileError> {
        let mut known = Self::default();
        for stored in changes {
            let operation = stored.change.operation.as_str();
            let adopts = |listing: &&Listing| listing.part == Part::OpenOrders && listing.operation == operation;
            if let Some(listing) = listings.iter().find(adopts) {
                known.adopt(listing, &stored)?;
            } else if let Some(recovery) = recoveries.iter().find(|recovery| recovery.operation() == operation)
                && let Some(look) = recovery.creation()
            {
                let creates = recovery.creates_by(&stored.change.request);
                known
                    .place(&stored, look, creates)
                    .map_err(|why| ReconcileError::Change { number: stored.number, why })?;
            }
        }
        Ok(known)
    }

    /// Forgets the orders of other families, if any are named.
    pub(super) fn keep_families(&mut self, families: &[String]) {
        let keeps = |family: &str| families.is_empty() || families.iter().any(|name| name == family);
        self.by_client_id.retain(|(family, _), _| keeps(family));
        self.adopted.retain(|(family, _), _| keeps(family));
    }

    /// The families that the journal has orders of.
    pub(super) fn families(&self) -> BTreeSet<&'static str> {
        let named = self.by_client_id.keys().chain(self.adopted.keys()).map(|(family, _)| *family);
        named.chain(self.without_id.iter().copied()).collect()
    }

    /// Settles the orders with an unknown outcome whose requests could no longer arrive when the account was listed:
    /// the listings show what they did. Returns their changes.
    pub(super) fn settle(
        &mut self,
        could_no_longer_arrive: impl Fn(&str, Timestamp) -> bool,
    ) -> BTreeSet<ChangeNumber> {
        let open = self.by_client_id.values_mut().filter(|order| order.expected == Expected::Open);
        let settled = open.filter(|order| could_no_longer_arrive(&order.request, order.signed_at)).map(|order| {
            order.expected = Expected::Settled;
            order.number
        });
        settled.collect()
    }

    fn adopt(&mut self, listing: &Listing, stored: &StoredChange) -> Result<(), JournalError> {
        let number = stored.number;
        let order = listing.read(&stored.change.request);
        let Some((id, client_id)) = order.and_then(|order| Some((order.id?, order.client_id))) else {
            let (place, why) = (format!("at change {number}"), "an adopted order has no id".to_owned());
            return Err(JournalError::Damaged { place, why });
        };
        let adopted = Adopted { number, signed_at: stored.change.signed_at, client_id };
        self.adopted.entry((listing.family, id)).or_insert(adopted);
        Ok(())
    }

    fn place(&mut self, stored: &StoredChange, look: Look, is_created: bool) -> Result<(), Violations> {
        let expected = match stored.ending.as_ref().map(|ending| ending.outcome) {
            None => Expected::Open,
            Some(Outcome::NotDone) => Expected::NotPlaced,
            Some(Outcome::Done | Outcome::Unknown) => Expected::Settled,
        };
        let (number, signed_at) = (stored.number, stored.change.signed_at);
        for id in (look.ids)(&stored.change.request)? {
            let Some(id) = id else {
                if expected != Expected::NotPlaced {
                    self.without_id.insert(look.family);
                }
                continue;
            };
            let request = stored.change.request.clone();
            let order = KnownOrder { number, signed_at, expected, is_created, request, look };
            let key = (look.family, id);
            // Of several attempts with an id, one that was not placed, or that creates nothing, says nothing about the
            // others.
            let is_placed = expected != Expected::NotPlaced && is_created;
            if is_placed || !self.by_client_id.contains_key(&key) {
                self.by_client_id.insert(key, order);
            }
        }
        Ok(())
    }
}

/// An order of the journal that no listing shows, and that a query may show.
pub(super) struct Missing {
    pub(super) family: &'static str,
    pub(super) client_id: String,
    pub(super) request: String,
    pub(super) look: Look,
}

/// The orders of the journal since a time that the exchange does not show and that can still be queried.
pub(super) fn missing(known: &Known, shown: &Shown, since: Timestamp, now: Timestamp) -> Vec<Missing> {
    let unshown = unshown(known, shown, since);
    let queried = unshown.filter(|(_, order)| {
        let age = now.as_millis().saturating_sub(order.signed_at.as_millis());
        order.look.kept.is_none_or(|kept| u128::from(age) < kept.as_millis())
    });
    queried
        .map(|((family, client_id), order)| Missing {
            family,
            client_id: client_id.clone(),
            request: order.request.clone(),
            look: order.look,
        })
        .collect()
}

/// The orders of the journal since a time that the exchange does not show.
fn unshown<'a>(
    known: &'a Known,
    shown: &'a Shown,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a KnownOrder)> {
    let seen: BTreeSet<(&str, &str)> = shown
        .orders
        .iter()
        .filter_map(|((family, _), order)| Some((*family, order.sighting.client_id.as_deref()?)))
        .collect();
    known.by_client_id.iter().filter(move |((family, client_id), order)| {
        order.expected != Expected::NotPlaced
            && order.is_created
            && order.signed_at >= since
            && !seen.contains(&(*family, client_id.as_str()))
    })
}

/// Whose an order is that the journal does not have.
#[derive(Clone, Copy)]
pub(super) struct Whose<'a> {
    /// What client ids of this program begin with.
    pub(super) own_prefixes: &'a [String],
    /// From when on the journal may lack orders.
    pub(super) lost_since: Option<Timestamp>,
}

/// Reports for each order how it differs from the journal.
pub(super) fn compare(known: &Known, shown: &Shown, since: Timestamp, whose: Whose<'_>) -> Vec<ReconciledOrder> {
    let listed = shown.orders.iter().map(|(key, order)| listed(known, key, order, whose));
    let fills_alone = shown.fills.iter().filter(|(key, _)| !shown.orders.contains_key(key));
    let mut filled_ids = BTreeMap::new();
    let mut orders: Vec<_> = listed.collect();
    for (key, filled) in fills_alone {
        let client_id = filled.client_id.clone();
        let of_journal = client_id.clone().filter(|id| known.by_client_id.contains_key(&(key.0, id.clone())));
        match of_journal.map(|id| filled_ids.entry((key.0, id))) {
            Some(Entry::Vacant(entry)) => drop(entry.insert(key.clone())),
            // Two orders with one id cannot be distinguished.
            Some(Entry::Occupied(_)) | None => orders.push(by_its_fills(known, key, client_id, whose)),
        }
    }
    orders.extend(unshown(known, shown, since).map(|(key, order)| gone(key, order, filled_ids.remove(key))));
    // Fills of orders that were compared before.
    let earlier =
        filled_ids.into_iter().filter_map(|(by, key)| Some(gone(&by, known.by_client_id.get(&by)?, Some(key))));
    orders.extend(earlier);
    orders.extend(adopted_and_gone(known, shown, since));
    for order in &mut orders {
        let filled = order.id.as_ref().and_then(|id| shown.fills.get(&(order.family, id.clone())));
        order.filled = filled.map(|filled| filled.quantity).unwrap_or_default().into();
    }
    orders.sort_by(|one, other| sorted_by(one).cmp(&sorted_by(other)));
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
    }
}

fn listed(known: &Known, key: &Key, shown: &ShownOrder, whose: Whose<'_>) -> ReconciledOrder {
    let (family, client_id) = (key.0, shown.sighting.client_id.clone());
    let of_journal = client_id.clone().and_then(|id| known.by_client_id.get(&(family, id)));
    let expected = if shown.is_open { Difference::AsExpected } else { Difference::Ended };
    let (difference, change) = match (of_journal, known.adopted.get(key)) {
        (Some(KnownOrder { expected: Expected::NotPlaced, number, .. }), None) => {
            (Difference::Contradiction, Some(*number))
        }
        (Some(KnownOrder { number, .. }), _) | (None, Some(Adopted { number, .. })) => (expected, Some(*number)),
        (None, None) => (unknown(known, family, client_id.as_deref(), shown.sighting.at, whose), None),
    };
    let (id, seen) = (Some(key.1.clone()), Some(shown.sighting.clone()));
    ReconciledOrder { id, client_id, is_open: shown.is_open, seen, change, ..order(family, difference) }
}

/// The difference of an order that the journal does not have.
fn unknown(
    known: &Known,
    family: &str,
    client_id: Option<&str>,
    at: Option<Timestamp>,
    Whose { own_prefixes, lost_since }: Whose<'_>,
) -> Difference {
    let is_named = |id: &str| own_prefixes.iter().any(|prefix| id.starts_with(prefix));
    let may_be_lost = lost_since.is_some_and(|since| at.is_none_or(|at| at >= since));
    match client_id {
        Some(id) if is_named(id) => Difference::Unjournaled,
        // If prefixes are set, any other id belongs to a foreign order.
        None if may_be_lost => Difference::PerhapsLost,
        Some(_) if may_be_lost && own_prefixes.is_empty() => Difference::PerhapsLost,
        // The exchange may give a client id of its own to an order without one.
        _ if known.without_id.contains(family) => Difference::Unattributed,
        _ => Difference::Foreign,
    }
}

/// An order of which only fills are shown. Without a client id it may be any order of the journal that is not shown.
fn by_its_fills(known: &Known, key: &Key, client_id: Option<String>, whose: Whose<'_>) -> ReconciledOrder {
    let difference = match (&client_id, known.adopted.contains_key(key)) {
        (_, true) => Difference::Ended,
        (None, false) => Difference::Unattributed,
        (Some(id), false) => unknown(known, key.0, Some(id), None, whose),
    };
    let change = known.adopted.get(key).map(|adopted| adopted.number);
    ReconciledOrder { id: Some(key.1.clone()), client_id, change, ..order(key.0, difference) }
}

fn gone(key: &Key, known: &KnownOrder, filled: Option<Key>) -> ReconciledOrder {
    let difference = match (known.expected, &filled) {
        (Expected::Open, None) => Difference::Gone(Gone::Unsettled),
        // It is reported for its fills.
        (Expected::NotPlaced, _) => Difference::Contradiction,
        (Expected::Open | Expected::Settled, _) => Difference::Gone(Gone::NotOpen),
    };
    ReconciledOrder {
        id: filled.map(|(_, id)| id),
        client_id: Some(key.1.clone()),
        change: Some(known.number),
        ..order(key.0, difference)
    }
}

/// Adopted orders have no request to query them by.
fn adopted_and_gone(known: &Known, shown: &Shown, since: Timestamp) -> impl Iterator<Item = ReconciledOrder> {
    let is_shown = |key: &Key| shown.orders.contains_key(key) || shown.fills.contains_key(key);
    let gone = known.adopted.iter().filter(move |(key, adopted)| adopted.signed_at >= since && !is_shown(key));
    gone.map(|((family, id), adopted)| ReconciledOrder {
        id: Some(id.clone()),
        client_id: adopted.client_id.clone(),
        change: Some(adopted.number),
        ..order(family, Difference::Gone(Gone::NotOpen))
    })
}

/// When the earliest order was placed that is not known to have ended.
pub(super) fn earliest(known: &Known, orders: &[ReconciledOrder]) -> Option<Timestamp> {
    let placed = orders.iter().filter(|order| order.is_open || order.difference == Difference::Gone(Gone::Unsettled));
    let placed = placed.filter_map(|order| {
        let adopted = order.id.clone().and_then(|id| known.adopted.get(&(order.family, id)));
        let own = order.client_id.clone().and_then(|id| known.by_client_id.get(&(order.family, id)));
        own.map(|own| own.signed_at).or(adopted.map(|adopted| adopted.signed_at))
    });
    placed.min()
}

#[cfg(test)]
mod tests;
