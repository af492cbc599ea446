//! The effects of all requests, from the events of the exchange.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use tradeapi::runtime::tables::Outcome;
use tradeapi_exchange::{Event, Exchange, OrderView, Unplaced};

use crate::claim::Claim;

/// The treatment of a client's id that was used before, and the order that is shown under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// Accepts another order, and shows the latest.
    #[default]
    AcceptedAndLatestShown,
    /// Accepts another order, and shows the first.
    AcceptedAndFirstShown,
    /// Refuses the second order.
    Refused,
    /// Refuses the second order while the first one is open, and shows the latest.
    RefusedWhileOpen,
}

/// An effect of a request. Orders are identified by their labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// An order was placed.
    Placed(String),
    /// An order was amended, by the amendment with this id.
    Amended(String, String),
    /// An order was cancelled on request.
    Cancelled(String),
    /// A setting was set to a value.
    Set(String),
    /// Only the first half of a compound request was done.
    Half(Box<Effect>),
}

/// The prefix of the ids of orders that another program places.
pub(crate) const OF_OTHERS: &str = "other-";

/// Returns the label of an order: its id, and what distinguishes two orders with the same id.
pub(crate) fn label(client_oid: &str, size: &str, price: &str) -> String {
    format!("{client_oid} {size}@{price}")
}

/// Returns the effect of setting the leverage of both directions of a pair.
pub(crate) fn leverage_set(symbol: &str, leverage: &str) -> Effect {
    Effect::Set(format!("leverage of {symbol} {leverage} and {leverage}"))
}

/// Returns the id in the label of an order.
pub(crate) fn id_of(label: &str) -> &str {
    label.split(' ').next().unwrap_or_default()
}

/// The acts of an exchange, as opposed to the claims of its client.
#[derive(Debug, Default)]
pub(crate) struct GroundTruth {
    effects: BTreeMap<Effect, u32>,
    /// Labels by the exchange's ids. Orders that close a position have no label.
    labels: FxHashMap<u64, String>,
    clients: FxHashSet<String>,
    /// The number of orders with an id that another order has.
    duplicate_ids: u64,
    /// True while all orders are being cancelled, and the cancellations in that time.
    is_swept: bool,
    swept: FxHashSet<Effect>,
}

impl GroundTruth {
    /// Returns how often each effect occurred.
    pub(crate) fn effects(&self) -> &BTreeMap<Effect, u32> {
        &self.effects
    }

    /// Returns the same, with those cancellations of all orders that a request for one order is said to have made.
    pub(crate) fn effects_by(&self, claims: &BTreeMap<Effect, Vec<Claim>>) -> Cow<'_, BTreeMap<Effect, u32>> {
        let is_said = |effect: &&Effect| {
            !self.effects.contains_key(*effect)
                && claims.get(*effect).is_some_and(|all| all.iter().any(|claim| claim.outcome == Outcome::Done))
        };
        let mut effects = Cow::Borrowed(&self.effects);
        for effect in self.swept.iter().filter(is_said) {
            effects.to_mut().insert(effect.clone(), 1);
        }
        effects
    }

    /// Attributes cancellations to the request that cancels all orders, while that is under way.
    pub(crate) fn sweep(&mut self, is_under_way: bool) {
        self.is_swept = is_under_way;
    }

    pub(crate) fn duplicate_ids(&self) -> u64 {
        self.duplicate_ids
    }

    /// Returns the labels of orders by the exchange's ids.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (u64, &String)> {
        self.labels.iter().map(|(id, label)| (*id, label))
    }

    /// Records the events of the exchange since the last call.
    pub(crate) fn follow(&mut self, exchange: &Exchange) {
        for event in exchange.take_events() {
            let effect = match event {
                Event::Placed { order } => exchange.order(order).and_then(|view| self.placed(order, &view)),
                Event::Amended { order, request_id } => self.amended(order, request_id),
                Event::Cancelled { order, by_request: true } => {
                    let effect = self.labels.get(&order).cloned().map(Effect::Cancelled);
                    match self.is_swept {
                        true => {
                            self.swept.extend(effect);
                            None
                        }
                        false => effect,
                    }
                }
                Event::Set { setting, value } => Some(Effect::Set(format!("{setting} {value}"))),
                Event::DoneHalf { order: Some(order), request_id, .. } => self.amended(order, request_id).map(half),
                Event::DoneHalf { unplaced: Some(Unplaced { client_id, price, qty, .. }), .. } => {
                    let price = price.map(|price| price.normalize().to_string()).unwrap_or_default();
                    let label = label(&client_id.unwrap_or_default(), &qty.normalize().to_string(), &price);
                    Some(half(Effect::Placed(label)))
                }
                // Events of other participants, and late refusals, are not effects of a request.
                _ => None,
            };
            effect.into_iter().for_each(|effect| *self.effects.entry(effect).or_default() += 1);
        }
    }

    fn placed(&mut self, order: u64, view: &OrderView) -> Option<Effect> {
        let is_of_others = view.client_id.as_deref().is_some_and(|id| id.starts_with(OF_OTHERS));
        if view.closes && view.client_id.is_none() || is_of_others {
            return None;
        }
        if let Some(client) = &view.client_id {
            self.duplicate_ids += u64::from(!self.clients.insert(client.clone()));
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
