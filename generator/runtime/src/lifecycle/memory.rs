use std::collections::{BTreeMap, HashMap};

use super::state::State;
use crate::value::Timestamp;

/// What a record said.
#[derive(Clone, Debug)]
pub(super) struct Seen<S> {
    pub(super) state: S,
    pub(super) at: Option<Timestamp>,
}

/// What a record is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) client_id: Option<&'a str>,
}

/// The number of an order in the memory.
pub(super) type Key = u64;

/// The latest of each order, found by either of its ids; no more orders than there is room for.
#[derive(Clone, Debug)]
pub(super) struct Memory<S> {
    capacity: usize,
    clock: u64,
    orders: HashMap<Key, Order<S>>,
    by_id: HashMap<String, Key>,
    by_client_id: HashMap<String, Key>,
    /// Whom to forget first: what has ended, and of that, and then of the rest, what was seen longest ago.
    queue: BTreeMap<Turn, Key>,
}

/// Whether it still goes on, and when it was last seen.
type Turn = (bool, u64);

#[derive(Clone, Debug)]
struct Order<S> {
    id: Option<String>,
    client_id: Option<String>,
    seen: Seen<S>,
    turn: Turn,
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

    /// The order with one of these ids. Under a client id alone it is found whatever its id is; with both, two ids of
    /// the exchange are two orders, though they share a client id.
    pub(super) fn find(&self, ids: Ids<'_>) -> Option<Key> {
        let by_id = ids.id.and_then(|id| self.by_id.get(id)).copied();
        by_id.or_else(|| self.find_by_client_id(ids).filter(|key| ids.id.is_none() || self.lacks_id(*key)))
    }

    /// Another entry for the same order, made when only its client id was known.
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

    /// Puts what was seen later in the place of what was known.
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

    /// Forgets an order, and tells what was known of it.
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

    fn next_turn(&mut self, state: &S) -> Turn {
        self.clock += 1;
        (!state.is_terminal(), self.clock)
    }
}
