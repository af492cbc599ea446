//! Reports changes of state that the documents rule out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;

use super::{HasState, Possible, State};
use crate::data::value::Timestamp;

/// Takes records of orders, from queries or elsewhere, and reports impossible changes of state.
///
/// - An order is identified by the exchange's id or the client id, whichever a record has. Orders with the same client
///   id are distinguished by the exchange's id.
/// - Records may come again and in any order where they state when they changed; a record without a time counts as the
///   latest. What comes late is compared with the latest record only.
/// - States may be skipped, because orders change between two records. Transitions that the documents do not specify
///   are accepted.
/// - An impossible record changes nothing: the earlier state stays known.
/// - The number of remembered orders is bounded. Those that have ended are forgotten first, and then those that were
///   not seen for longest.
#[derive(Clone, Debug)]
pub struct Monitor<S> {
    memory: Memory<S>,
}

/// The relation of a record to the known state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "it may report an impossible change"]
#[non_exhaustive]
pub enum Observed<S> {
    /// The order was not known.
    First,
    /// The order is in the state that was known.
    Same,
    /// The order was in another state before.
    Changed {
        /// The state that was known.
        from: S,
        /// True if the documents show the change; others are not ruled out.
        is_shown: bool,
    },
    /// The record is older than the known state, and consistent with it.
    Late,
    /// The state is undocumented; the earlier one stays known.
    Undocumented,
    /// The record has no state, or no id.
    Unidentified,
    /// The order cannot have changed this way.
    Impossible(ImpossibleChange<S>),
}

/// A change of state that the documents rule out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImpossibleChange<S> {
    /// The order: the exchange's id, or else the client id.
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
    /// Creates a monitor that remembers up to this many orders.
    pub fn new(capacity: usize) -> Self {
        Self { memory: Memory::new(capacity) }
    }

    /// Compares a record with the known state of its order.
    pub fn observe<R: HasState<State = S>>(&mut self, record: &R) -> Observed<S> {
        let ids = Ids { id: record.id(), client_id: record.client_id() };
        let (Some(order), Some(state)) = (ids.id.or(ids.client_id), record.state()) else {
            return Observed::Unidentified;
        };
        if state.index().is_none() {
            return Observed::Undocumented;
        }
        let seen = Seen { state: state.clone(), at: record.at() };
        let Some(key) = self.memory.find(ids) else {
            self.memory.insert(ids, seen);
            return Observed::First;
        };
        // An order that was known by its client id alone may also have an entry under the exchange's id.
        if let Some(double) = self.memory.find_double(ids, key).and_then(|double| self.memory.forget(double)) {
            let observed = self.update(key, order, double);
            if matches!(observed, Observed::Impossible(_)) {
                return observed;
            }
        }
        self.memory.name(key, ids);
        self.update(key, order, seen)
    }

    fn update(&mut self, key: u64, order: &str, new: Seen<S>) -> Observed<S> {
        let Some(known) = self.memory.seen(key) else { return Observed::First };
        let observed = compare(order, known, &new);
        match observed {
            Observed::Same => {
                let at = known.at.max(new.at);
                self.memory.update(key, Seen { at, ..new });
            }
            Observed::Changed { .. } => self.memory.update(key, new),
            Observed::First
            | Observed::Late
            | Observed::Undocumented
            | Observed::Unidentified
            | Observed::Impossible(_) => {}
        }
        observed
    }

    /// Returns the latest known state of the order with this id of the exchange.
    pub fn state(&self, id: &str) -> Option<&S> {
        self.find(Ids { id: Some(id), client_id: None })
    }

    /// Returns the latest known state of the order with this id of the caller.
    pub fn state_of_client_id(&self, client_id: &str) -> Option<&S> {
        self.find(Ids { id: None, client_id: Some(client_id) })
    }

    fn find(&self, ids: Ids<'_>) -> Option<&S> {
        self.memory.find(ids).and_then(|key| self.memory.seen(key)).map(|seen| &seen.state)
    }

    /// Returns how many orders are remembered.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Returns whether no order is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many orders can be remembered.
    pub fn capacity(&self) -> usize {
        self.memory.capacity()
    }
}

fn compare<S: State>(order: &str, known: &Seen<S>, new: &Seen<S>) -> Observed<S> {
    if known.state.as_str() == new.state.as_str() {
        return Observed::Same;
    }
    let (onward, back) = (known.state.can_become(&new.state), new.state.can_become(&known.state));
    match compare_states((known.at, new.at), onward, back) {
        StateComparison::Later { is_shown } => Observed::Changed { from: known.state.clone(), is_shown },
        StateComparison::Late => Observed::Late,
        StateComparison::Impossible => Observed::Impossible(impossible(order, known, new)),
        StateComparison::ImpossibleBefore => Observed::Impossible(impossible(order, new, known)),
    }
}

/// The relation to the known state of a record with another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateComparison {
    /// The record is later, and the documents show the change, or do not rule it out.
    Later { is_shown: bool },
    /// The record is earlier, or of the same moment, and consistent.
    Late,
    /// The record is later, and the order cannot have changed this way.
    Impossible,
    /// The record is earlier, and the order cannot have changed this way.
    ImpossibleBefore,
}

/// Compares two states by their times and by the possible changes: `onward` from the known one to the new one, or
/// `back`.
pub(crate) fn compare_states(
    (known, new): (Option<Timestamp>, Option<Timestamp>),
    onward: Possible,
    back: Possible,
) -> StateComparison {
    // A record without a time counts as current.
    let time = new.zip(known).map_or(Ordering::Greater, |(new, known)| new.cmp(&known));
    match (time, onward, back) {
        (Ordering::Less, _, Possible::No) => StateComparison::ImpossibleBefore,
        // Records of the same moment may arrive in either order.
        (Ordering::Less, ..) | (Ordering::Equal, Possible::No, Possible::Yes | Possible::Unspecified) => {
            StateComparison::Late
        }
        (_, Possible::No, _) => StateComparison::Impossible,
        (_, onward, _) => StateComparison::Later { is_shown: onward == Possible::Yes },
    }
}

fn impossible<S: State>(order: &str, from: &Seen<S>, to: &Seen<S>) -> ImpossibleChange<S> {
    let (from_at, to_at) = (from.at, to.at);
    ImpossibleChange { order: order.to_owned(), from: from.state.clone(), from_at, to: to.state.clone(), to_at }
}

impl<S> Observed<S> {
    /// Returns an impossible change as an error.
    ///
    /// # Errors
    ///
    /// Returns the impossible change.
    pub fn check(self) -> Result<(), ImpossibleChange<S>> {
        match self {
            Self::Impossible(change) => Err(change),
            Self::First | Self::Same | Self::Changed { .. } | Self::Late | Self::Undocumented | Self::Unidentified => {
                Ok(())
            }
        }
    }
}

impl<S: fmt::Display> fmt::Display for ImpossibleChange<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |at: Option<Timestamp>| at.map(|at| format!(" at {at}")).unwrap_or_default();
        let (from, to) = (&self.from, &self.to);
        write!(f, "the order {} was {from}{} and is {to}{}", self.order, at(self.from_at), at(self.to_at))?;
        write!(f, ", which the documents rule out; query it and compare")
    }
}

impl<S: fmt::Display + fmt::Debug> Error for ImpossibleChange<S> {}

/// The state in a record.
#[derive(Clone, Debug)]
pub(super) struct Seen<S> {
    pub(super) state: S,
    pub(super) at: Option<Timestamp>,
}

/// The ids in a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) client_id: Option<&'a str>,
}

/// The number of an order in the memory.
pub(super) type Key = u64;

/// The latest state of each order, found by either of its ids. The number of orders is bounded.
#[derive(Clone, Debug)]
pub(super) struct Memory<S> {
    capacity: usize,
    clock: u64,
    orders: HashMap<Key, Order<S>>,
    by_id: HashMap<String, Key>,
    by_client_id: HashMap<String, Key>,
    /// The order in which to forget: ended orders, then the others, each beginning with the one not seen for longest.
    queue: BTreeMap<QueuePosition, Key>,
}

/// True if the order is still open, and the time when it was last seen.
type QueuePosition = (bool, u64);

#[derive(Clone, Debug)]
struct Order<S> {
    id: Option<String>,
    client_id: Option<String>,
    seen: Seen<S>,
    turn: QueuePosition,
}

impl<S: State> Memory<S> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            clock: 0,
            orders: HashMap::new(),
            by_id: HashMap::new(),
            by_client_id: HashMap::new(),
            queue: BTreeMap::new(),
        }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.orders.len()
    }

    /// Returns the order with one of these ids. A client id alone matches orders with any id; with both, two ids of
    /// the exchange are two orders, though they share a client id.
    pub(super) fn find(&self, ids: Ids<'_>) -> Option<Key> {
        let by_id = ids.id.and_then(|id| self.by_id.get(id)).copied();
        by_id.or_else(|| self.find_by_client_id(ids).filter(|key| ids.id.is_none() || self.lacks_id(*key)))
    }

    /// Returns another entry for the same order, made when only its client id was known.
    pub(super) fn find_double(&self, ids: Ids<'_>, of: Key) -> Option<Key> {
        self.find_by_client_id(ids).filter(|key| *key != of && self.lacks_id(*key))
    }

    fn find_by_client_id(&self, ids: Ids<'_>) -> Option<Key> {
        self.by_client_id.get(ids.client_id?).copied()
    }

    fn lacks_id(&self, key: Key) -> bool {
        self.orders.get(&key).is_some_and(|order| order.id.is_none())
    }

    pub(super) fn seen(&self, key: Key) -> Option<&Seen<S>> {
        self.orders.get(&key).map(|order| &order.seen)
    }

    /// Remembers a new order, and forgets another one when there are too many.
    pub(super) fn insert(&mut self, ids: Ids<'_>, seen: Seen<S>) {
        let turn = self.next_turn(&seen.state);
        let key = turn.1;
        self.orders.insert(key, Order { id: None, client_id: None, seen, turn });
        self.queue.insert(turn, key);
        self.name(key, ids);
        let is_full = self.orders.len() > self.capacity;
        if let Some((_, key)) = self.queue.first_key_value().filter(|_| is_full) {
            self.forget(*key);
        }
    }

    /// Replaces the known state by a later one.
    pub(super) fn update(&mut self, key: Key, seen: Seen<S>) {
        let turn = self.next_turn(&seen.state);
        if let Some(order) = self.orders.get_mut(&key) {
            self.queue.remove(&order.turn);
            self.queue.insert(turn, key);
            (order.seen, order.turn) = (seen, turn);
        }
    }

    /// Notes the ids of an order.
    pub(super) fn name(&mut self, key: Key, ids: Ids<'_>) {
        let Some(order) = self.orders.get_mut(&key) else { return };
        for (given, own, all) in
            [(ids.id, &mut order.id, &mut self.by_id), (ids.client_id, &mut order.client_id, &mut self.by_client_id)]
        {
            let Some(given) = given else { continue };
            if let Some(old) = own.take().filter(|old| old != given && all.get(old) == Some(&key)) {
                all.remove(&old);
            }
            all.insert(given.to_owned(), key);
            *own = Some(given.to_owned());
        }
    }

    /// Removes an order, and returns its last state.
    pub(super) fn forget(&mut self, key: Key) -> Option<Seen<S>> {
        let order = self.orders.remove(&key)?;
        self.queue.remove(&order.turn);
        for (own, all) in [(order.id, &mut self.by_id), (order.client_id, &mut self.by_client_id)] {
            if let Some(own) = own.filter(|own| all.get(own) == Some(&key)) {
                all.remove(&own);
            }
        }
        Some(order.seen)
    }

    fn next_turn(&mut self, state: &S) -> QueuePosition {
        self.clock += 1;
        (!state.is_terminal(), self.clock)
    }
}
