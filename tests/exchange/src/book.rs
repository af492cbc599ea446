use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::change::{Change, Name};
use crate::operation::{Family, Listed};

/// The orders as they truly are.
#[derive(Debug, Default)]
pub struct Book {
    orders: Vec<Order>,
    /// The latest order that has an id of the client's.
    by_client_oid: HashMap<(Family, String), usize>,
    effects: BTreeMap<Effect, u32>,
    /// What was accepted and comes later.
    due: Vec<(u64, Change)>,
    /// Orders that were asked for when they were not there.
    missed: HashSet<String>,
    /// How many of these came after all.
    came_after_all: u64,
}

/// One order.
#[derive(Clone, Debug)]
pub struct Order {
    /// The family it belongs to.
    pub family: Family,
    /// The exchange's id.
    pub order_id: String,
    /// The client's id.
    pub client_oid: String,
    /// The price, if it has one.
    pub price: Option<String>,
    /// The size.
    pub size: Option<String>,
    /// What else it says.
    pub terms: Value,
    /// Whether it is cancelled.
    pub is_cancelled: bool,
    /// When it came to be.
    pub created: u64,
    /// From when on it can be seen.
    pub visible_from: u64,
}

/// Something that became so, by the client's ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// There is an order.
    Placed(String),
    /// An order got a price.
    Amended(String, String),
    /// An order was cancelled by who asked for it.
    Cancelled(String),
}

/// Why nothing was changed: there is no such order, or it is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchOrder;

impl Book {
    /// How often each thing became so.
    pub fn effects(&self) -> &BTreeMap<Effect, u32> {
        &self.effects
    }

    /// The orders, in the order they came to be.
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// How many orders came to be after somebody was told that they were not there.
    pub fn came_after_all(&self) -> u64 {
        self.came_after_all
    }

    /// Makes a change, at once.
    ///
    /// # Errors
    ///
    /// When it names an order that is not there, or cancelled.
    pub fn apply(&mut self, change: &Change, now: u64) -> Result<Order, NoSuchOrder> {
        match change {
            Change::Place { family, client_oid, terms } => {
                let text = |names: [&str; 2]| names.into_iter().find_map(|name| crate::change::text(terms, name));
                let (price, size) = (text(["price", "price"]), text(["size", "qty"]));
                Ok(self.add(*family, client_oid, price, size, terms.clone(), now))
            }
            Change::Amend { order, price, size } => {
                let order = self.live(order)?;
                order.price = price.clone().or(order.price.take());
                order.size = size.clone().or(order.size.take());
                let amended = order.clone();
                let price = price.clone().unwrap_or_default();
                self.note(Effect::Amended(amended.client_oid.clone(), price));
                Ok(amended)
            }
            Change::Replace { order, client_oid, price, size } => {
                let old = self.live(order)?;
                old.is_cancelled = true;
                let old = old.clone();
                let (price, size) = (price.clone().or(old.price), size.clone().or(old.size));
                Ok(self.add(old.family, client_oid, price, size, old.terms, now))
            }
            Change::Cancel { order } => {
                let order = self.live(order)?;
                order.is_cancelled = true;
                let cancelled = order.clone();
                self.note(Effect::Cancelled(cancelled.client_oid.clone()));
                Ok(cancelled)
            }
        }
    }

    /// Makes a change later.
    pub fn apply_later(&mut self, change: Change, due: u64) {
        self.due.push((due, change));
    }

    /// Makes the changes that are due.
    pub fn advance(&mut self, now: u64) {
        let (mut due, later) = self.due.drain(..).partition::<Vec<_>, _>(|(due, _)| *due <= now);
        self.due = later;
        due.sort_by_key(|(due, _)| *due);
        for (at, change) in due {
            // What it names may be gone by now; then nothing happens.
            let _ = self.apply(&change, at);
        }
    }

    /// The order that has this name, if it can be seen. Remembers who was not there.
    pub fn seen(&mut self, name: &Name, now: u64) -> Option<&Order> {
        let found = self.find(name).filter(|order| self.orders[*order].visible_from <= now);
        if let (None, Name::ClientOid(id)) = (found, name) {
            self.missed.insert(id.clone());
        }
        found.map(|order| &self.orders[order])
    }

    /// Keeps an order out of sight until then.
    pub fn hide(&mut self, name: &Name, until: u64) {
        if let Some(order) = self.find(name) {
            self.orders[order].visible_from = until;
        }
    }

    /// The orders of a family that can be seen, the latest first.
    pub fn listed(&self, family: Family, listed: Listed, now: u64) -> impl Iterator<Item = &Order> {
        let is_listed = move |order: &&Order| {
            order.family == family && order.visible_from <= now && (listed == Listed::All || !order.is_cancelled)
        };
        self.orders.iter().rev().filter(is_listed)
    }

    fn add(
        &mut self,
        family: Family,
        client_oid: &str,
        price: Option<String>,
        size: Option<String>,
        terms: Value,
        now: u64,
    ) -> Order {
        let order = Order {
            family,
            order_id: (1_000_000_000 + self.orders.len()).to_string(),
            client_oid: client_oid.to_owned(),
            price,
            size,
            terms,
            is_cancelled: false,
            created: now,
            visible_from: now,
        };
        self.by_client_oid.insert((family, client_oid.to_owned()), self.orders.len());
        self.orders.push(order.clone());
        self.came_after_all += u64::from(self.missed.remove(client_oid));
        // Neither document says that an id is taken once only, so a second order by the same id is a second order.
        self.note(Effect::Placed(client_oid.to_owned()));
        order
    }

    fn note(&mut self, effect: Effect) {
        *self.effects.entry(effect).or_default() += 1;
    }

    fn find(&self, name: &Name) -> Option<usize> {
        match name {
            Name::OrderId(id) => self.orders.iter().position(|order| order.order_id == *id),
            Name::ClientOid(id) => {
                let of = |family| self.by_client_oid.get(&(family, id.clone()));
                of(Family::Unified).or_else(|| of(Family::Classic)).copied()
            }
        }
    }

    fn live(&mut self, name: &Name) -> Result<&mut Order, NoSuchOrder> {
        let order = self.find(name).ok_or(NoSuchOrder)?;
        Some(&mut self.orders[order]).filter(|order| !order.is_cancelled).ok_or(NoSuchOrder)
    }
}
