//! The orders of an account: as a journal has them, as listings show them, and those that the account does not show.
//!
//! Few kinds of maps and sorts are used, because each is compiled anew: a `BTreeMap` of other types is 6,000 lines of
//! LLVM IR, a sort 1,500.

use std::collections::BTreeMap;

use super::listing::{Fill, Listing, Part};
use super::report::{Gone, ReconcileError};
use crate::data::checks::Violations;
use crate::data::error::JournalError;
use crate::data::lifecycle::Sighting;
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::outcomes::confirm::{OrderLookup, Recovery};
use crate::state::journal::{ChangeNumber, LostSpan, SigningTimes, StoredChange};

/// The orders of an account as a journal has them.
#[derive(Default)]
pub(super) struct JournalOrders {
    pub(super) by_client_id: ByOrder<KnownOrder>,
    pub(super) adopted: ByOrder<Adopted>,
    /// The orders that it has under another name of the account, by client id and by id.
    pub(super) of_others: ByOrder<ChangeNumber>,
    /// The families with an order without an id.
    pub(super) without_id: Vec<&'static str>,
    /// When orders were created that it may have had and does not have.
    pub(super) lost: Vec<LostSpan>,
    /// The families whose orders it has; empty for all.
    families: Vec<String>,
    /// True if the journal has orders of other families.
    is_partial: bool,
}

/// An order of the journal.
#[derive(Clone)]
pub(super) struct KnownOrder {
    pub(super) number: ChangeNumber,
    pub(super) signed: SigningTimes,
    /// The outcome of its request; `None` while that has not ended, or can still arrive. An unknown one does not matter any
    /// more: the account shows what the request did.
    pub(super) outcome: Option<Outcome>,
    /// True if the request was to create it. Otherwise an order may have the id or not, and its absence proves nothing.
    pub(super) is_created: bool,
    pub(super) request: String,
    pub(super) look: OrderLookup,
    pub(super) absence: Absence,
}

/// An order that was adopted from a listing.
pub(super) struct Adopted {
    pub(super) number: ChangeNumber,
    pub(super) signed: SigningTimes,
    pub(super) client_id: Option<String>,
    pub(super) record: String,
    pub(super) absence: Absence,
}

/// The facts known about an order that the account does not show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Absence {
    /// True if its request could no longer arrive when the account was listed, and every machine had to show what it
    /// did.
    is_due: bool,
    /// True if the exchange denied it, or listed the open orders without it, as often in a row as the policy says.
    is_repeated: bool,
}

impl Absence {
    /// Returns what follows for an order that the account does not show.
    pub(super) fn gone(self) -> Gone {
        if self.is_certain() { Gone::NotOpen } else { Gone::Unsettled }
    }

    /// Returns whether the order is certain not to be open.
    pub(super) fn is_certain(self) -> bool {
        self.is_due && self.is_repeated
    }
}

/// True if a stored request could no longer arrive when the account was listed. It has an id, unless it was adopted,
/// and was signed at a time.
pub(super) type IsDue<'a> = &'a dyn Fn((&str, Option<&str>), SigningTimes) -> bool;

impl JournalOrders {
    /// Creates a set without orders; of these families only, if any are named.
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
            if let Some(id) = id {
                self.of_others.insert((listing.family, id), stored.number);
            }
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

    /// Returns the change of an account with another name that has this order.
    pub(super) fn of_another_name(&self, key: &Key, client_id: Option<&String>) -> Option<ChangeNumber> {
        let by_client_id = || self.of_others.get(&(key.0, client_id?.clone()));
        self.of_others.get(key).or_else(by_client_id).copied()
    }

    /// Returns whether the journal has orders of families that were left out.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Notes which requests could no longer arrive when the account was listed.
    pub(super) fn note_due(&mut self, is_due: IsDue<'_>) {
        self.by_client_id.for_each_mut(&mut |(_, id), order| {
            order.absence.is_due = is_due((&order.request, Some(id)), order.signed);
        });
        self.adopted.for_each_mut(&mut |_, order| {
            order.absence.is_due = is_due((&order.record, None), order.signed);
        });
    }

    /// Notes that the exchange denied an order as often as needed.
    pub(super) fn deny(&mut self, missing: &Missing) {
        if let Some(order) = self.by_client_id.get_mut(&missing.key()) {
            order.absence.is_repeated = true;
        }
    }

    /// Returns whether only a listing of open orders shows that an order is not open, because it can no longer be
    /// queried.
    pub(super) fn needs_listing(&self, shown: &Listings, since: Timestamp) -> bool {
        let is_open_question = |absence: Absence| absence.is_due && !absence.is_repeated;
        missing_orders(self, shown, since).any(|(_, order)| is_open_question(order.absence))
            || missing_adopted(self, shown, since).any(|(_, order)| is_open_question(order.absence))
    }

    /// Notes that the open orders of a family were listed as a whole as often as the policy says: what is due and was shown
    /// by none is not open.
    pub(super) fn listed_again(&mut self, family: &str) {
        self.by_client_id.for_each_mut(&mut |key, order| order.absence.is_repeated |= key.0 == family);
        self.adopted.for_each_mut(&mut |key, order| order.absence.is_repeated |= key.0 == family);
    }

    /// Settles the orders with an unknown outcome that the account shows, or that are certain not to be open: the
    /// account shows what the requests did. Returns the changes of which no order is left.
    pub(super) fn settle(&mut self, shown: &Listings) -> Vec<ChangeNumber> {
        let (seen, filled) = shown.named();
        let (mut settled, mut open) = (Vec::new(), Vec::new());
        self.by_client_id.for_each_mut(&mut |key, order| {
            let is_shown = seen.contains(key) || filled.contains(key) || !order.is_created;
            let is_settled = order.absence.is_certain() || order.absence.is_due && is_shown;
            match (order.outcome, is_settled) {
                (None, true) => {
                    order.outcome = Some(Outcome::Unknown);
                    settled.push(order.number);
                }
                (None, false) => open.push(order.number),
                (Some(_), _) => {}
            }
        });
        sort_by(&mut settled, &Ord::cmp);
        settled.dedup();
        // A batch has several orders.
        settled.retain(|number| !open.contains(number));
        settled
    }

    /// Returns whether orders of `family` are compared; if not, notes that the journal has some.
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

    pub(super) fn add_adopted(&mut self, key: Key, order: Adopted) {
        if self.takes(key.0) && !self.adopted.contains(&key) {
            self.adopted.insert(key, order);
        }
    }

    pub(super) fn place(
        &mut self,
        stored: &StoredChange,
        look: OrderLookup,
        is_created: bool,
    ) -> Result<(), Violations> {
        let (number, signed) = (stored.number, stored.change.signed());
        for (place, id) in (look.ids)(&stored.change.request)?.into_iter().enumerate() {
            let outcome = stored.outcome_of(place);
            if id.is_none() && outcome == Some(Outcome::NotDone) || !self.takes(look.family) {
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
            let order = KnownOrder { number, signed, outcome, is_created, request, look, absence };
            let key = (look.family, id);
            // Of several attempts with an id, one that was not placed, or that creates nothing, says nothing about the
            // others.
            let is_placed = outcome != Some(Outcome::NotDone) && is_created;
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
    /// True if a denial counts, because every machine has to show what the request did.
    pub(super) is_due: bool,
}

impl Missing {
    pub(super) fn key(&self) -> Key {
        (self.family, self.client_id.clone())
    }
}

/// Returns the orders of the journal since a time that the exchange does not show and that can still be queried.
pub(super) fn missing(known: &JournalOrders, shown: &Listings, since: Timestamp, now: Timestamp) -> Vec<Missing> {
    let mut missing = Vec::new();
    for ((family, client_id), order) in missing_orders(known, shown, since) {
        let age = now - order.signed.latest();
        if order.look.kept.is_none_or(|kept| age < kept) {
            missing.push(Missing {
                family,
                client_id: client_id.clone(),
                request: order.request.clone(),
                look: order.look,
                is_due: order.absence.is_due,
            });
        }
    }
    missing
}

/// Returns the orders of the journal that the exchange does not show: those since a time, and those of which it shows
/// fills.
pub(super) fn missing_orders<'a>(
    known: &'a JournalOrders,
    shown: &'a Listings,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a KnownOrder)> {
    let (seen, filled) = shown.named();
    known.by_client_id.iter().filter(move |(key, order)| {
        let is_covered = order.signed.latest() >= since || filled.contains(key);
        order.outcome != Some(Outcome::NotDone) && order.is_created && is_covered && !seen.contains(key)
    })
}

/// Returns the adopted orders that the account does not show: those since a time, and those of which it shows fills.
/// They have no request to query them by.
pub(super) fn missing_adopted<'a>(
    known: &'a JournalOrders,
    shown: &'a Listings,
    since: Timestamp,
) -> impl Iterator<Item = (&'a Key, &'a Adopted)> {
    let is_covered = move |key: &Key, order: &Adopted| order.signed.latest() >= since || shown.fills.contains(key);
    known.adopted.iter().filter(move |(key, order)| is_covered(key, order) && !shown.orders.contains(key))
}

/// The orders and fills that the listings show.
#[derive(Default)]
pub(super) struct Listings {
    pub(super) orders: ByOrder<ShownOrder>,
    pub(super) fills: ByOrder<Filled>,
}

/// An order, and where it is open.
pub(super) struct ShownOrder {
    pub(super) sighting: Sighting,
    pub(super) is_open: bool,
    /// The listing of open orders that shows it, and the value of the parameter it is read over. `None` if only a
    /// listing of past orders or a query shows it: these may lag behind, so that it may have ended.
    pub(super) open_in: Option<(Listing, Option<&'static str>)>,
}

/// The fills of an order.
#[derive(Default)]
pub(super) struct Filled {
    pub(super) client_id: Option<String>,
    pub(super) quantity: rust_decimal::Decimal,
}

impl Listings {
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

    /// Returns the client ids of all orders and fills, in their order.
    pub(super) fn client_ids(&self) -> Vec<&str> {
        let mut ids = Vec::new();
        for (_, order) in self.orders.iter() {
            ids.extend(order.sighting.client_id.as_deref());
        }
        for (_, filled) in self.fills.iter() {
            ids.extend(filled.client_id.as_deref());
        }
        sort_by(&mut ids, &Ord::cmp);
        ids
    }

    /// Returns the client ids of the orders, and those of fills alone, by family.
    pub(super) fn named(&self) -> (ByOrder<()>, ByOrder<()>) {
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

/// A family, and an id of an order in it.
pub(super) type Key = (&'static str, String);

/// Values by family and id, in that order.
///
/// The map holds places in a vector, so that it is compiled once for all kinds of values.
pub(super) struct ByOrder<T> {
    places: BTreeMap<Key, usize>,
    values: Vec<T>,
}

impl<T> Default for ByOrder<T> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }
}

impl<T> ByOrder<T> {
    pub(super) fn contains(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn get(&self, key: &Key) -> Option<&T> {
        self.values.get(*self.places.get(key)?)
    }

    pub(super) fn get_mut(&mut self, key: &Key) -> Option<&mut T> {
        self.values.get_mut(*self.places.get(key)?)
    }

    /// Sets the value of `key`, replacing an earlier one.
    pub(super) fn insert(&mut self, key: Key, value: T) {
        let place = *self.places.entry(key).or_insert(self.values.len());
        match self.values.get_mut(place) {
            Some(known) => *known = value,
            None => self.values.push(value),
        }
    }

    /// Returns the value of `key`, which is added if there is none.
    pub(super) fn get_or_default(&mut self, key: Key) -> &mut T
    where
        T: Default,
    {
        let place = *self.places.entry(key).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push(T::default());
        }
        &mut self.values[place]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &T)> {
        self.places.iter().map(|(key, place)| (key, &self.values[*place]))
    }

    /// Calls a function with each key and its value.
    pub(super) fn for_each_mut(&mut self, change: &mut dyn FnMut(&Key, &mut T)) {
        for (key, place) in &self.places {
            change(key, &mut self.values[*place]);
        }
    }
}
