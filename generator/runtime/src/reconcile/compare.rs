//! The comparison itself. It makes no calls: its result depends only on what was read of the account and the journal.
//!
//! It works on neutral sightings ([`Sighting`](crate::lifecycle::Sighting)), read by the emitted types, so that one
//! function compares the orders of all families.
//!
//! "Not open" is an absence and has its conditions: when it was listed, the request could no longer arrive and every
//! machine had to show what it did; and it is denied as often in a row as the policy says, or by two listings.
//! Everything else is unsettled, and the next comparison begins before it. An amendment that replaces no order
//! (`creates_with`) is not missed: the meaning of its new id is not documented.

use super::by_order::{ByOrder, Key};
use super::error::ReconcileError;
use super::listing::{Fill, Listing, Part};
use super::report::{Action, Difference, Gone, ReconciledOrder};
use crate::checks::Violations;
use crate::confirm::{OrderLookup, Recovery};
use crate::error::JournalError;
use crate::journal::{ChangeNumber, SigningTimes, StoredChange};
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

    /// The client ids of the orders, and those of fills alone, by family.
    fn named(&self) -> (ByOrder<()>, ByOrder<()>) {
        let (mut seen, mut filled) = (ByOrder::default(), ByOrder::default());
        for ((family, _), order) in self.orders.iter() {
            if let Some(client_id) = &order.sighting.client_id {
                seen.insert((*family, client_id.clone()), ());
            }
        }
        for ((family, _), fills) in self.fills.iter() {
            if let Some(client_id) = &fills.client_id {
                filled.insert((*family, client_id.clone()), ());
            }
        }
        (seen, filled)
    }
}

/// What a journal says about the orders of an account.
#[derive(Default)]
pub(super) struct JournalOrders {
    by_client_id: ByOrder<KnownOrder>,
    adopted: ByOrder<Adopted>,
    /// The orders that it has under another name of the account, by client id and by id.
    of_others: ByOrder<ChangeNumber>,
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
    signed: SigningTimes,
    expected: Expected,
    /// Whether the request was to create it. Otherwise an order may have the id or not, and its absence proves nothing.
    is_created: bool,
    request: String,
    look: OrderLookup,
    absence: Absence,
}

struct Adopted {
    number: ChangeNumber,
    signed: SigningTimes,
    client_id: Option<String>,
    record: String,
    absence: Absence,
}

/// What is known about an order that the account does not show.
#[derive(Clone, Copy, Debug, Default)]
struct Absence {
    /// Whether its request could no longer arrive when the account was listed, and every machine had to show what it
    /// did.
    is_due: bool,
    /// Whether the exchange denied it as often in a row as the policy says, or listed the open orders twice without it.
    is_repeated: bool,
}

impl Absence {
    /// What follows for an order that the account does not show.
    fn gone(self) -> Gone {
        if self.is_certain() { Gone::NotOpen } else { Gone::Unsettled }
    }

    /// Whether the order is certain not to be open.
    fn is_certain(self) -> bool {
        self.is_due && self.is_repeated
    }
}

/// Whether a stored request could no longer arrive when the account was listed. It has an id, unless it was adopted, and
/// was signed at a time.
pub(super) type IsDue<'a> = &'a dyn Fn((&str, Option<&str>), SigningTimes) -> bool;

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

    /// Adds the orders in a change of an account with another name, to which they may belong.
    pub(super) fn add_other(&mut self, stored: &StoredChange, recoveries: &[Recovery], listings: &[Listing]) {
        let operation = stored.change.operation.as_str();
        let adopts = |listing: &&Listing| listing.part == Part::OpenOrders && listing.operation == operation;
        if let Some(listing) = listings.iter().find(adopts) {
            let id = listing.read(&stored.change.request).and_then(|order| order.id);
            id.into_iter().for_each(|id| self.of_others.insert((listing.family, id), stored.number));
            return;
        }
        let look = recoveries.iter().find(|recovery| recovery.operation() == operation);
        let Some(look) = look.and_then(Recovery::creation) else { return };
        let is_placed = |place| stored.outcome_of(place) != Some(Outcome::NotDone);
        for (place, id) in (look.ids)(&stored.change.request).unwrap_or_default().into_iter().enumerate() {
            if let Some(id) = id.filter(|_| is_placed(place)) {
                self.of_others.insert((look.family, id), stored.number);
            }
        }
    }

    /// The change of an account with another name that has this order.
    fn of_another_name(&self, key: &Key, client_id: Option<&String>) -> Option<ChangeNumber> {
        let by_client_id = || self.of_others.get(&(key.0, client_id?.clone()));
        self.of_others.get(key).or_else(by_client_id).copied()
    }

    /// Whether the journal has orders of families that were left out.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Notes which requests could no longer arrive when the account was listed.
    pub(super) fn note_due(&mut self, is_due: IsDue<'_>) {
        self.by_client_id.for_each_mut(|(_, id), order| {
            order.absence.is_due = is_due((&order.request, Some(id)), order.signed);
        });
        self.adopted.for_each_mut(|_, order| {
            order.absence.is_due = is_due((&order.record, None), order.signed);
        });
    }

    /// Notes that the exchange denied an order as often as needed.
    pub(super) fn deny(&mut self, missing: &Missing) {
        if let Some(order) = self.by_client_id.get_mut(&missing.key()) {
            order.absence.is_repeated = true;
        }
    }

    /// Whether only a listing of open orders shows that an order is not open, because it can no longer be queried.
    pub(super) fn needs_listing(&self, shown: &Shown, since: Timestamp) -> bool {
        let is_open_question = |absence: Absence| absence.is_due && !absence.is_repeated;
        missing_orders(self, shown, since).any(|(_, order)| is_open_question(order.absence))
            || missing_adopted(self, shown, since).any(|(_, order)| is_open_question(order.absence))
    }

    /// Notes that the open orders of a family were listed as a whole twice: what is due and was shown by neither is not
    /// open.
    pub(super) fn listed_again(&mut self, family: &str) {
        self.by_client_id.for_each_mut(|key, order| order.absence.is_repeated |= key.0 == family);
        self.adopted.for_each_mut(|key, order| order.absence.is_repeated |= key.0 == family);
    }

    /// Settles the orders with an unknown outcome that the account shows, or that are certain not to be open: the
    /// account shows what the requests did. Returns the changes of which no order is left.
    pub(super) fn settle(&mut self, shown: &Shown) -> Vec<ChangeNumber> {
        let (seen, filled) = shown.named();
        let (mut settled, mut open) = (Vec::new(), Vec::new());
        self.by_client_id.for_each_mut(|key, order| {
            let is_shown = seen.contains(key) || filled.contains(key) || !order.is_created;
            let is_settled = order.absence.is_certain() || order.absence.is_due && is_shown;
            match (order.expected, is_settled) {
                (Expected::Open, true) => {
                    order.expected = Expected::Settled;
                    settled.push(order.number);
                }
                (Expected::Open, false) => open.push(order.number),
                (Expected::NotPlaced | Expected::Settled, _) => {}
            }
        });
        settled.sort_unstable();
        settled.dedup();
        // A batch has several orders.
        settled.retain(|number| !open.contains(number));
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
        let (signed, record) = (stored.change.signed(), stored.change.request.clone());
        let order = Adopted { number, signed, client_id, record, absence: Absence::default() };
        self.add_adopted((listing.family, id), order);
        Ok(())
    }

    fn add_adopted(&mut self, key: Key, order: Adopted) {
        if self.takes(key.0) && !self.adopted.contains(&key) {
            self.adopted.insert(key, order);
        }
    }

    fn place(&mut self, stored: &StoredChange, look: OrderLookup, is_created: bool) -> Result<(), Violations> {
        let (number, signed) = (stored.number, stored.change.signed());
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
            let absence = Absence::default();
            let order = KnownOrder { number, signed, expected, is_created, request, look, absence };
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
    /// Whether a denial counts, because every machine has to show what the request did.
    pub(super) is_due: bool,
}

impl Missing {
    pub(super) fn key(&self) -> Key {
        (self.family, self.client_id.clone())
    }
}

/// The orders of the journal since a time that the exchange does not show and that can still be queried.
pub(super) fn missing(known: &JournalOrders, shown: &Shown, since: Timestamp, now: Timestamp) -> Vec<Missing> {
    let missing_orders = missing_orders(known, shown, since);
    let queried = missing_orders.filter(|(_, order)| {
        let age = now.as_millis().saturating_sub(order.signed.latest().as_millis());
        order.look.kept.is_none_or(|kept| u128::from(age) < kept.as_millis())
    });
    queried
        .map(|((family, client_id), order)| Missing {
            family,
            client_id: client_id.clone(),
            request: order.request.clone(),
            look: order.look,
            is_due: order.absence.is_due,
        })
        .collect()
}

/// The orders of the journal that the exchange does not show: those since a time, and those of which it shows fills.
fn missing_orders<'a>(
    known: &'a JournalOrders,
    shown: &'a Shown,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a KnownOrder)> {
    let (seen, filled) = shown.named();
    known.by_client_id.iter().filter(move |(key, order)| {
        let is_covered = order.signed.latest() >= since || filled.contains(key);
        order.expected != Expected::NotPlaced && order.is_created && is_covered && !seen.contains(key)
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
            Some(_) => {
                let id = Some(key.1.clone());
                orders.push(ReconciledOrder { id, client_id, ..order(key.0, Difference::Unattributed) });
            }
            None => orders.push(by_its_fills(known, key, client_id, ownership)),
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
        open_in: None,
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
        (None, None) => match known.of_another_name(key, client_id.as_ref()) {
            Some(number) => (Difference::OtherName, Some(number)),
            None => (unknown(known, family, client_id.as_deref(), shown.sighting.at, ownership), None),
        },
    };
    let (id, seen, open_in) = (Some(key.1.clone()), Some(shown.sighting.clone()), shown.open_in);
    ReconciledOrder { id, client_id, is_open: shown.is_open, seen, change, open_in, ..order(family, difference) }
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
    let (difference, change) = match (known.adopted.get(key), known.of_another_name(key, client_id.as_ref())) {
        (Some(adopted), _) if adopted.absence.is_certain() => (Difference::Ended, Some(adopted.number)),
        (Some(adopted), _) => (Difference::Gone(Gone::Unsettled), Some(adopted.number)),
        (None, Some(number)) => (Difference::OtherName, Some(number)),
        (None, None) => match &client_id {
            None => (Difference::Unattributed, None),
            Some(id) => (unknown(known, key.0, Some(id), None, ownership), None),
        },
    };
    ReconciledOrder { id: Some(key.1.clone()), client_id, change, ..order(key.0, difference) }
}

fn gone(key: &Key, known: &KnownOrder, filled: Option<Key>) -> ReconciledOrder {
    let difference = match known.expected {
        // It is reported for its fills.
        Expected::NotPlaced => Difference::Contradiction,
        Expected::Open | Expected::Settled => Difference::Gone(known.absence.gone()),
    };
    ReconciledOrder {
        id: filled.map(|(_, id)| id),
        client_id: Some(key.1.clone()),
        change: Some(known.number),
        ..order(key.0, difference)
    }
}

fn adopted_and_gone(known: &JournalOrders, shown: &Shown, since: Timestamp) -> Vec<ReconciledOrder> {
    let alone = missing_adopted(known, shown, since).filter(move |(key, _)| !shown.fills.contains(key));
    let gone = alone.map(|((family, id), adopted)| ReconciledOrder {
        id: Some(id.clone()),
        client_id: adopted.client_id.clone(),
        change: Some(adopted.number),
        ..order(family, Difference::Gone(adopted.absence.gone()))
    });
    gone.collect()
}

/// The adopted orders that the account does not show: those since a time, and those of which it shows fills. They have
/// no request to query them by.
fn missing_adopted<'a>(
    known: &'a JournalOrders,
    shown: &'a Shown,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a Adopted)> {
    let is_covered = move |key: &Key, order: &Adopted| order.signed.latest() >= since || shown.fills.contains(key);
    known.adopted.iter().filter(move |(key, order)| is_covered(key, order) && !shown.orders.contains(key))
}

/// When the earliest order was placed that is not known to have ended, given from when on orders were compared.
pub(super) fn earliest(known: &JournalOrders, orders: &[ReconciledOrder], since: Timestamp) -> Option<Timestamp> {
    let placed = orders.iter().filter(|order| order.is_open || order.difference == Difference::Gone(Gone::Unsettled));
    let placed = placed.filter_map(|order| {
        // The journal does not know when it was placed.
        if matches!(order.difference, Difference::Unjournaled | Difference::PerhapsLost) {
            return Some(since);
        }
        let adopted = order.id.clone().and_then(|id| known.adopted.get(&(order.family, id)));
        let own = order.client_id.clone().and_then(|id| known.by_client_id.get(&(order.family, id)));
        own.map(|own| own.signed.earliest()).or(adopted.map(|adopted| adopted.signed.earliest()))
    });
    placed.min()
}

#[cfg(test)]
mod tests;
