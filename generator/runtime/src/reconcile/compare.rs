//! The comparison itself. It makes no calls: its result depends only on what was read of the account and the journal.

use super::by_order::{ByOrder, Key};
use super::error::ReconcileError;
use super::listing::{Fill, Listing, Part};
use super::report::{Action, Difference, Gone, ReconciledOrder};
use crate::checks::Violations;
use crate::confirm::{OrderLookup, Recovery};
use crate::error::JournalError;
use crate::journal::{ChangeNumber, StoredChange};
use crate::lifecycle::Sighting;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// The orders and fills that the listings show.
#[derive(Default)]
pub(super) struct Shown {
    orders: ByOrder<ShownOrder>,
    fills: ByOrder<Filled>,
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
        let sum = self.fills.get_or_default((family, fill.order));
        let quantity = sum.quantity.checked_add(fill.quantity);
        sum.quantity = quantity.ok_or("the sum of the filled quantities is too large")?;
        sum.client_id = sum.client_id.take().or(fill.client_id);
        Ok(())
    }

    /// The client ids of all orders and fills, in their order.
    pub(super) fn client_ids(&self) -> Vec<&str> {
        let of_orders = self.orders.iter().filter_map(|(_, order)| order.sighting.client_id.as_deref());
        let of_fills = self.fills.iter().filter_map(|(_, filled)| filled.client_id.as_deref());
        let mut ids: Vec<_> = of_orders.chain(of_fills).collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn order(&self, order: &ReconciledOrder) -> Option<&ShownOrder> {
        self.orders.get(&(order.family, order.id.clone()?))
    }
}

/// What a journal says about the orders of an account.
#[derive(Default)]
pub(super) struct JournalOrders {
    by_client_id: ByOrder<KnownOrder>,
    adopted: ByOrder<Adopted>,
    /// The families with an order without an id.
    without_id: Vec<&'static str>,
    /// The families whose orders it has; empty for all.
    families: Vec<String>,
    /// Whether the journal has orders of other families.
    is_partial: bool,
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
    look: OrderLookup,
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
    /// The order was placed, unless the request is closed as unknown: the account shows what it did.
    Settled,
}

impl JournalOrders {
    /// No orders yet; of these families only, if any are named.
    pub(super) fn of_families(families: &[String]) -> Self {
        Self { families: families.to_vec(), ..Self::default() }
    }

    /// Adds the orders in a change, which is later than those before. Of a change that the comparison does not concern
    /// only the family counts, unless it adopted an order.
    pub(super) fn add(
        &mut self,
        stored: &StoredChange,
        (recoveries, listings): (&[Recovery], &[Listing]),
        is_concerned: bool,
    ) -> Result<(), ReconcileError> {
        let operation = stored.change.operation.as_str();
        let adopts = |listing: &&Listing| listing.part == Part::OpenOrders && listing.operation == operation;
        if let Some(listing) = listings.iter().find(adopts) {
            return Ok(self.adopt(listing, stored)?);
        }
        let recovery = recoveries.iter().find(|recovery| recovery.operation() == operation);
        let Some((recovery, look)) = recovery.and_then(|recovery| Some((recovery, recovery.creation()?))) else {
            return Ok(());
        };
        if !is_concerned {
            self.takes(look.family);
            return Ok(());
        }
        let creates = recovery.creates_by(&stored.change.request);
        self.place(stored, look, creates).map_err(|why| ReconcileError::Change { number: stored.number, why })
    }

    /// Whether the journal has orders of families that were left out.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Settles the orders with an unknown outcome whose requests could no longer arrive when the account was listed:
    /// the listings show what they did. Returns their changes.
    pub(super) fn settle(&mut self, could_no_longer_arrive: &dyn Fn(&str, Timestamp) -> bool) -> Vec<ChangeNumber> {
        let mut settled = Vec::new();
        for order in self.by_client_id.values_mut().filter(|order| order.expected == Expected::Open) {
            if could_no_longer_arrive(&order.request, order.signed_at) {
                order.expected = Expected::Settled;
                // A batch has several orders.
                if !settled.contains(&order.number) {
                    settled.push(order.number);
                }
            }
        }
        settled
    }

    /// Whether orders of `family` are compared; if not, notes that the journal has some.
    fn takes(&mut self, family: &str) -> bool {
        let takes = self.families.is_empty() || self.families.iter().any(|name| name == family);
        self.is_partial |= !takes;
        takes
    }

    fn adopt(&mut self, listing: &Listing, stored: &StoredChange) -> Result<(), JournalError> {
        let number = stored.number;
        let order = listing.read(&stored.change.request);
        let Some((id, client_id)) = order.and_then(|order| Some((order.id?, order.client_id))) else {
            let (place, why) = (format!("at change {number}"), "an adopted order has no id".to_owned());
            return Err(JournalError::Damaged { place, why });
        };
        self.add_adopted((listing.family, id), Adopted { number, signed_at: stored.change.signed_at, client_id });
        Ok(())
    }

    fn add_adopted(&mut self, key: Key, order: Adopted) {
        if self.takes(key.0) && !self.adopted.contains(&key) {
            self.adopted.insert(key, order);
        }
    }

    fn place(&mut self, stored: &StoredChange, look: OrderLookup, is_created: bool) -> Result<(), Violations> {
        let (number, signed_at) = (stored.number, stored.change.signed_at);
        for (place, id) in (look.ids)(&stored.change.request)?.into_iter().enumerate() {
            let expected = match stored.outcome_of(place) {
                None => Expected::Open,
                Some(Outcome::NotDone) => Expected::NotPlaced,
                Some(Outcome::Done | Outcome::Unknown) => Expected::Settled,
            };
            if id.is_none() && expected == Expected::NotPlaced || !self.takes(look.family) {
                continue;
            }
            let Some(id) = id else {
                if !self.without_id.contains(&look.family) {
                    self.without_id.push(look.family);
                }
                continue;
            };
            let request = stored.change.request.clone();
            let order = KnownOrder { number, signed_at, expected, is_created, request, look };
            let key = (look.family, id);
            // Of several attempts with an id, one that was not placed, or that creates nothing, says nothing about the
            // others.
            let is_placed = expected != Expected::NotPlaced && is_created;
            if is_placed || !self.by_client_id.contains(&key) {
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
    pub(super) look: OrderLookup,
}

/// The orders of the journal since a time that the exchange does not show and that can still be queried.
pub(super) fn missing(known: &JournalOrders, shown: &Shown, since: Timestamp, now: Timestamp) -> Vec<Missing> {
    let missing_orders = missing_orders(known, shown, since);
    let queried = missing_orders.filter(|(_, order)| {
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
fn missing_orders<'a>(
    known: &'a JournalOrders,
    shown: &'a Shown,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a KnownOrder)> {
    let mut seen = ByOrder::default();
    for ((family, _), order) in shown.orders.iter() {
        if let Some(client_id) = &order.sighting.client_id {
            seen.insert((*family, client_id.clone()), ());
        }
    }
    known.by_client_id.iter().filter(move |(key, order)| {
        order.expected != Expected::NotPlaced && order.is_created && order.signed_at >= since && !seen.contains(key)
    })
}

/// Whose an order is that the journal does not have.
#[derive(Clone, Copy)]
pub(super) struct Ownership<'a> {
    /// What client ids of this program begin with.
    pub(super) own_prefixes: &'a [String],
    /// From when on the journal may lack orders.
    pub(super) lost_since: Option<Timestamp>,
}

/// Reports for each order how it differs from the journal.
pub(super) fn compare(
    known: &JournalOrders,
    shown: &Shown,
    since: Timestamp,
    ownership: Ownership<'_>,
) -> Vec<ReconciledOrder> {
    let listed = shown.orders.iter().map(|(key, order)| listed(known, key, order, ownership));
    let fills_alone = shown.fills.iter().filter(|(key, _)| !shown.orders.contains(key));
    let mut filled_ids = ByOrder::default();
    let mut orders: Vec<_> = listed.collect();
    for (key, filled) in fills_alone {
        let client_id = filled.client_id.clone();
        let of_journal = client_id.clone().map(|id| (key.0, id)).filter(|by| known.by_client_id.contains(by));
        match of_journal {
            Some(by) if !filled_ids.contains(&by) => filled_ids.insert(by, Some(key.clone())),
            // Two orders with one id cannot be distinguished.
            Some(_) | None => orders.push(by_its_fills(known, key, client_id, ownership)),
        }
    }
    for (key, order) in missing_orders(known, shown, since) {
        orders.push(gone(key, order, filled_ids.get_mut(key).and_then(Option::take)));
    }
    // Fills of orders that were compared before.
    for (key, filled) in filled_ids.iter().filter(|(_, filled)| filled.is_some()) {
        orders.extend(known.by_client_id.get(key).map(|order| gone(key, order, filled.clone())));
    }
    orders.extend(adopted_and_gone(known, shown, since));
    for order in &mut orders {
        let filled = order.id.as_ref().and_then(|id| shown.fills.get(&(order.family, id.clone())));
        order.filled = filled.map(|filled| filled.quantity).unwrap_or_default().into();
    }
    orders.sort_unstable_by(|one, other| sorted_by(one).cmp(&sorted_by(other)));
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

fn listed(known: &JournalOrders, key: &Key, shown: &ShownOrder, ownership: Ownership<'_>) -> ReconciledOrder {
    let (family, client_id) = (key.0, shown.sighting.client_id.clone());
    let of_journal = client_id.clone().and_then(|id| known.by_client_id.get(&(family, id)));
    let expected = if shown.is_open { Difference::AsExpected } else { Difference::Ended };
    let (difference, change) = match (of_journal, known.adopted.get(key)) {
        (Some(KnownOrder { expected: Expected::NotPlaced, number, .. }), None) => {
            (Difference::Contradiction, Some(*number))
        }
        (Some(KnownOrder { number, .. }), _) | (None, Some(Adopted { number, .. })) => (expected, Some(*number)),
        (None, None) => (unknown(known, family, client_id.as_deref(), shown.sighting.at, ownership), None),
    };
    let (id, seen) = (Some(key.1.clone()), Some(shown.sighting.clone()));
    ReconciledOrder { id, client_id, is_open: shown.is_open, seen, change, ..order(family, difference) }
}

/// The difference of an order that the journal does not have.
fn unknown(
    known: &JournalOrders,
    family: &str,
    client_id: Option<&str>,
    at: Option<Timestamp>,
    Ownership { own_prefixes, lost_since }: Ownership<'_>,
) -> Difference {
    let is_named = |id: &str| own_prefixes.iter().any(|prefix| id.starts_with(prefix));
    let may_be_lost = lost_since.is_some_and(|since| at.is_none_or(|at| at >= since));
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

/// An order that only fills show. Without a client id it may be any order of the journal that is not shown.
fn by_its_fills(
    known: &JournalOrders,
    key: &Key,
    client_id: Option<String>,
    ownership: Ownership<'_>,
) -> ReconciledOrder {
    let difference = match (&client_id, known.adopted.contains(key)) {
        (_, true) => Difference::Ended,
        (None, false) => Difference::Unattributed,
        (Some(id), false) => unknown(known, key.0, Some(id), None, ownership),
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
fn adopted_and_gone(known: &JournalOrders, shown: &Shown, since: Timestamp) -> impl Iterator<Item = ReconciledOrder> {
    let is_shown = |key: &Key| shown.orders.contains(key) || shown.fills.contains(key);
    let gone = known.adopted.iter().filter(move |(key, adopted)| adopted.signed_at >= since && !is_shown(key));
    gone.map(|((family, id), adopted)| ReconciledOrder {
        id: Some(id.clone()),
        client_id: adopted.client_id.clone(),
        change: Some(adopted.number),
        ..order(family, Difference::Gone(Gone::NotOpen))
    })
}

/// When the earliest order was placed that is not known to have ended.
pub(super) fn earliest(known: &JournalOrders, orders: &[ReconciledOrder]) -> Option<Timestamp> {
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
