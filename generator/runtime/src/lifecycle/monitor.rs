use std::cmp::Ordering;
use std::error::Error;
use std::fmt;

use super::memory::{Ids, Memory, Seen};
use super::state::{HasState, State};
use super::table::Possible;
use crate::value::Timestamp;

/// Is fed records of orders, as they come from queries or elsewhere, and reports changes of state that cannot be.
///
/// - An order is told by the exchange's id and by the caller's own, whichever a record has. Orders that share an id of
///   the caller are only told apart by the exchange's.
/// - Records may come again and in any order where they tell when they changed; a record without a time counts as the
///   latest. What comes late is compared with the latest record only.
/// - States may be skipped: between two records an order goes on. What the documents do not show is let pass.
/// - A record that cannot be changes nothing: what was known before stays known.
/// - Only as many orders are remembered as there is room for. Those that have ended are forgotten first, and then those
///   that were not seen for longest.
#[derive(Clone, Debug)]
pub struct Monitor<S> {
    memory: Memory<S>,
}

/// What a record says beside what was known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "it may report an impossible change"]
#[non_exhaustive]
pub enum Observed<S> {
    /// Nothing was known of the order.
    First,
    /// The order is in the state that was known.
    Same,
    /// The order was in another state before.
    Changed {
        /// The state that was known.
        from: S,
        /// Whether the documents show the change; others are not ruled out.
        is_shown: bool,
    },
    /// The record is older than what is known, and goes with it.
    Late,
    /// The state is none that the documents list; the one before stays known.
    Undocumented,
    /// The record has no state, or no id.
    Untold,
    /// The order cannot have changed so.
    Impossible(ImpossibleChange<S>),
}

/// A change of state that the documents rule out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImpossibleChange<S> {
    /// The order: the exchange's id, or else the caller's own.
    pub order: String,
    /// The earlier state.
    pub from: S,
    /// When the order was in it.
    pub from_at: Option<Timestamp>,
    /// The later state.
    pub to: S,
    /// When the order was in it.
    pub to_at: Option<Timestamp>,
}

impl<S: State> Monitor<S> {
    /// A monitor that remembers so many orders.
    pub fn new(capacity: usize) -> Self {
        Self { memory: Memory::new(capacity) }
    }

    /// Compares a record with what is known of its order.
    pub fn observe<R: HasState<State = S>>(&mut self, record: &R) -> Observed<S> {
        let ids = Ids { id: record.id(), client_id: record.client_id() };
        let (Some(order), Some(state)) = (ids.id.or(ids.client_id), record.state()) else { return Observed::Untold };
        if state.index().is_none() {
            return Observed::Undocumented;
        }
        let seen = Seen { state: state.clone(), at: record.at() };
        let Some(key) = self.memory.find(ids) else {
            self.memory.insert(ids, seen);
            return Observed::First;
        };
        // An order that was known by its client id alone until now may be known by its id too.
        if let Some(double) = self.memory.find_double(ids, key).and_then(|double| self.memory.forget(double)) {
            let told = self.tell(key, order, double);
            if matches!(told, Observed::Impossible(_)) {
                return told;
            }
        }
        self.memory.name(key, ids);
        self.tell(key, order, seen)
    }

    fn tell(&mut self, key: u64, order: &str, new: Seen<S>) -> Observed<S> {
        let Some(known) = self.memory.seen(key) else { return Observed::First };
        let told = compare(order, known, &new);
        match told {
            Observed::Same => {
                let at = known.at.max(new.at);
                self.memory.update(key, Seen { at, ..new });
            }
            Observed::Changed { .. } => self.memory.update(key, new),
            _ => {}
        }
        told
    }

    /// The latest known state of the order with this id of the exchange.
    pub fn state(&self, id: &str) -> Option<&S> {
        self.find(Ids { id: Some(id), client_id: None })
    }

    /// The latest known state of the order with this id of the caller.
    pub fn state_of_client_id(&self, client_id: &str) -> Option<&S> {
        self.find(Ids { id: None, client_id: Some(client_id) })
    }

    fn find(&self, ids: Ids<'_>) -> Option<&S> {
        self.memory.find(ids).and_then(|key| self.memory.seen(key)).map(|seen| &seen.state)
    }

    /// How many orders are remembered.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether no order is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many orders can be remembered.
    pub fn capacity(&self) -> usize {
        self.memory.capacity()
    }
}

fn compare<S: State>(order: &str, known: &Seen<S>, new: &Seen<S>) -> Observed<S> {
    if known.state.as_str() == new.state.as_str() {
        return Observed::Same;
    }
    let (onward, back) = (known.state.can_become(&new.state), new.state.can_become(&known.state));
    // Who tells no time tells of now.
    let time = new.at.zip(known.at).map_or(Ordering::Greater, |(new, known)| new.cmp(&known));
    match (time, onward, back) {
        (Ordering::Less, _, Possible::No) => Observed::Impossible(impossible(order, new, known)),
        // In one and the same moment the records may have changed places.
        (Ordering::Less, ..) | (Ordering::Equal, Possible::No, Possible::Yes | Possible::NotShown) => Observed::Late,
        (_, Possible::No, _) => Observed::Impossible(impossible(order, known, new)),
        (_, onward, _) => Observed::Changed { from: known.state.clone(), is_shown: onward == Possible::Yes },
    }
}

fn impossible<S: State>(order: &str, from: &Seen<S>, to: &Seen<S>) -> ImpossibleChange<S> {
    let (from_at, to_at) = (from.at, to.at);
    ImpossibleChange { order: order.to_owned(), from: from.state.clone(), from_at, to: to.state.clone(), to_at }
}

impl<S> Observed<S> {
    /// As a result, for who only wants to know what cannot be.
    ///
    /// # Errors
    ///
    /// The impossible change.
    pub fn check(self) -> Result<(), ImpossibleChange<S>> {
        match self {
            Self::Impossible(change) => Err(change),
            _ => Ok(()),
        }
    }
}

impl<S: State> fmt::Display for ImpossibleChange<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |at: Option<Timestamp>| at.map(|at| format!(" at {at}")).unwrap_or_default();
        let (from, to) = (self.from.as_str(), self.to.as_str());
        write!(f, "the order {} was {from}{} and is {to}{}", self.order, at(self.from_at), at(self.to_at))?;
        write!(f, ", which the documents rule out; query it and compare")
    }
}

impl<S: State + fmt::Debug> Error for ImpossibleChange<S> {}
