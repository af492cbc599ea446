//! What truly happened, by the events of the exchange.

use std::collections::{BTreeMap, HashMap, HashSet};

use tradeapi_exchange::{Event, Exchange, OrderView, Unplaced};

/// What an exchange makes of a client's id that was used before, and which order it shows for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// It makes another order, and shows the latest.
    #[default]
    TakenAndLatestShown,
    /// It makes another order, and shows the first.
    TakenAndFirstShown,
    /// It refuses the second order.
    Refused,
}

/// Something that became so. Orders are called by their labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// There is an order.
    Placed(String),
    /// An order was amended, by the amendment with this id.
    Amended(String, String),
    /// An order was cancelled on request.
    Cancelled(String),
    /// The first half of what leads to an effect was done, and no more.
    Half(Box<Effect>),
}

/// What an order is called by, whatever its outcome: everything that distinguishes two orders with one id.
pub(crate) fn label(client_oid: &str, size: &str, price: &str) -> String {
    format!("{client_oid} {size}@{price}")
}

/// The effects in an exchange.
#[derive(Debug, Default)]
pub(crate) struct Book {
    effects: BTreeMap<Effect, u32>,
    /// What orders are called, by their ids. What a position is closed with has no label.
    labels: HashMap<u64, String>,
    clients: HashSet<String>,
    /// How many orders were made with an id that another has.
    twins: u64,
}

impl Book {
    /// How often each thing became so.
    pub(crate) fn effects(&self) -> &BTreeMap<Effect, u32> {
        &self.effects
    }

    pub(crate) fn twins(&self) -> u64 {
        self.twins
    }

    /// Takes in what has happened in the exchange since the last time.
    pub(crate) fn follow(&mut self, exchange: &Exchange) {
        for event in exchange.take_events() {
            let effect = match event {
                Event::Placed { order } => exchange.order(order).and_then(|view| self.placed(order, &view)),
                Event::Amended { order, request_id } => self.amended(order, request_id),
                Event::Cancelled { order, by_request: true } => self.labels.get(&order).cloned().map(Effect::Cancelled),
                Event::DoneHalf { order: Some(order), request_id, .. } => self.amended(order, request_id).map(half),
                Event::DoneHalf { unplaced: Some(Unplaced { client_id, price, qty, .. }), .. } => {
                    let price = price.map(|price| price.normalize().to_string()).unwrap_or_default();
                    let label = label(&client_id.unwrap_or_default(), &qty.normalize().to_string(), &price);
                    Some(half(Effect::Placed(label)))
                }
                // What others do, and what was accepted and refused later, is not an effect of a request.
                _ => None,
            };
            effect.into_iter().for_each(|effect| *self.effects.entry(effect).or_default() += 1);
        }
    }

    fn placed(&mut self, order: u64, view: &OrderView) -> Option<Effect> {
        if view.closes && view.client_id.is_none() {
            return None;
        }
        if let Some(client) = &view.client_id {
            self.twins += u64::from(!self.clients.insert(client.clone()));
        }
        let price = view.placed_price.map(|price| price.normalize().to_string()).unwrap_or_default();
        let client = view.client_id.as_deref().unwrap_or_default();
        let label = label(client, &view.placed_qty.normalize().to_string(), &price);
        self.labels.insert(order, label.clone());
        Some(Effect::Placed(label))
    }

    fn amended(&self, order: u64, request_id: Option<u64>) -> Option<Effect> {
        let request_id = request_id.map(|id| id.to_string()).unwrap_or_default();
        self.labels.get(&order).map(|label| Effect::Amended(label.clone(), request_id))
    }
}

fn half(effect: Effect) -> Effect {
    Effect::Half(Box::new(effect))
}
