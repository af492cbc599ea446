//! The orders of one family, found by either of their ids, with the facts known about each.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use slotmap::SlotMap;

use crate::data::lifecycle::{ImpossibleChange, Lifecycle, OrderShown, StateComparison, StateRow, compare_states};
use crate::data::value::Timestamp;

/// The maximum number of orders that are remembered after their end.
const MAX_ENDED: usize = 1 << 10;

/// The number of an order in a book.
pub(super) type Number = slotmap::DefaultKey;

/// The orders of a family.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) family: &'static str,
    orders: SlotMap<Number, Entry>,
    by_id: HashMap<String, Number>,
    by_client_id: HashMap<String, Number>,
    /// The orders that are open or may be, by their [names](TrackedOrder::name), as they are listed.
    open: BTreeSet<(String, Number)>,
    /// The numbers of them of each kind. Kinds are few.
    open_by_kind: Vec<(Option<String>, u64)>,
    ended: VecDeque<Number>,
}

/// An order, and what decides when its absence from a listing counts.
#[derive(Debug)]
struct Entry {
    /// Shared with listings, so that a listing copies no order. It is copied when it changes while a caller has it.
    order: Arc<TrackedOrder>,
    lifecycle: Option<&'static Lifecycle>,
    /// From when on a listing of open orders shows it if it is open, by the steady clock; `None` while that is not
    /// known.
    listed_from: Option<Duration>,
    /// The turn in which it was last shown.
    turn: u64,
}

impl Book {
    pub(super) fn new(family: &'static str) -> Self {
        Self {
            family,
            orders: SlotMap::new(),
            by_id: HashMap::new(),
            by_client_id: HashMap::new(),
            open: BTreeSet::new(),
            open_by_kind: Vec::new(),
            ended: VecDeque::new(),
        }
    }

    /// Returns the orders that are open or may be, in the order of their names.
    pub(super) fn open(&self) -> impl Iterator<Item = &Arc<TrackedOrder>> {
        self.open.iter().filter_map(|(_, number)| Some(&self.orders.get(*number)?.order))
    }

    /// Returns how many orders of each kind are open or may be; the kind of some is not known.
    pub(super) fn open_by_kind(&self) -> impl Iterator<Item = (Option<&str>, u64)> {
        self.open_by_kind.iter().map(|(kind, n)| (kind.as_deref(), *n))
    }

    /// Runs `change` on an order, whose names stay, and keeps the index and the counts of open ones.
    fn change<T>(&mut self, number: Number, change: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        let entry = self.orders.get_mut(number)?;
        let before = entry.order.may_be_open().then(|| entry.order.kind.clone());
        let result = change(entry);
        let after = entry.order.may_be_open().then(|| entry.order.kind.clone());
        if before.is_some() != after.is_some() {
            let name = entry.order.name().to_owned();
            self.index(number, name, after.is_some());
        }
        if before != after {
            self.count(before, after);
        }
        Some(result)
    }

    /// Enters an order with a name among the open ones, or removes the order.
    fn index(&mut self, number: Number, name: String, is_open: bool) {
        match is_open {
            true => self.open.insert((name, number)),
            false => self.open.remove(&(name, number)),
        };
    }

    /// Moves an order from the open ones of one kind to those of another; `None` is an order that is not open.
    fn count(&mut self, before: Option<Option<String>>, after: Option<Option<String>>) {
        if let Some(kind) = after {
            match self.open_by_kind.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, n)) => *n += 1,
                None => self.open_by_kind.push((kind, 1)),
            }
        }
        let Some(kind) = before else { return };
        if let Some(place) = self.open_by_kind.iter().position(|(known, _)| *known == kind) {
            self.open_by_kind[place].1 -= 1;
            if self.open_by_kind[place].1 == 0 {
                self.open_by_kind.swap_remove(place);
            }
        }
    }

    /// Returns the order with this id, the exchange's or the caller's.
    pub(super) fn get(&self, id: &str) -> Option<&Arc<TrackedOrder>> {
        let number = self.by_client_id.get(id).or_else(|| self.by_id.get(id))?;
        self.orders.get(*number).map(|entry| &entry.order)
    }

    /// Returns the number of an order.
    pub(super) fn number(&self, order: &TrackedOrder) -> Option<Number> {
        let number = order.id.as_ref().and_then(|id| self.by_id.get(id));
        number.or_else(|| self.by_client_id.get(order.client_id.as_ref()?)).copied()
    }

    /// Returns the documented states of the order with this id.
    pub(super) fn lifecycle_of(&self, id: &str) -> Option<&'static Lifecycle> {
        let number = self.by_client_id.get(id).or_else(|| self.by_id.get(id))?;
        self.orders.get(*number)?.lifecycle
    }

    /// Adds the order that a request is about to place. `None` if an order with this id may be open, which the request
    /// cannot replace.
    pub(super) fn place(&mut self, client_id: String, kind: Option<String>) -> Option<Number> {
        let known = self.by_client_id.get(&client_id).and_then(|number| self.orders.get(*number));
        if known.is_some_and(|entry| entry.order.may_be_open()) {
            return None;
        }
        Some(self.insert(None, Some(client_id), kind, Standing::Unknown))
    }

    fn insert(
        &mut self,
        id: Option<String>,
        client_id: Option<String>,
        kind: Option<String>,
        standing: Standing,
    ) -> Number {
        self.count(None, Some(kind.clone()));
        let order =
            TrackedOrder { family: self.family, id: None, client_id: None, kind, standing, state: None, at: None };
        let number = self.orders.insert(Entry { order: order.into(), lifecycle: None, listed_from: None, turn: 0 });
        self.name(number, id, client_id);
        number
    }

    /// Notes the ids of an order that are new.
    fn name(&mut self, number: Number, id: Option<String>, client_id: Option<String>) {
        let Some(entry) = self.orders.get_mut(number) else { return };
        let id = id.filter(|_| entry.order.id.is_none());
        let client_id = client_id.filter(|_| entry.order.client_id.is_none());
        if id.is_none() && client_id.is_none() {
            return;
        }
        let order = Arc::make_mut(&mut entry.order);
        let earlier = order.name().to_owned();
        if let Some(id) = id {
            self.by_id.insert(id.clone(), number);
            order.id = Some(id);
        }
        if let Some(client_id) = client_id {
            self.by_client_id.insert(client_id.clone(), number);
            order.client_id = Some(client_id);
        }
        if order.may_be_open() {
            let name = order.name().to_owned();
            self.index(number, earlier, false);
            self.index(number, name, true);
        }
    }

    /// Removes an order that does not exist.
    pub(super) fn remove(&mut self, number: Number) {
        let Some(Entry { order, .. }) = self.orders.remove(number) else { return };
        if order.may_be_open() {
            self.count(Some(order.kind.clone()), None);
            self.index(number, order.name().to_owned(), false);
        }
        for (id, all) in [(&order.id, &mut self.by_id), (&order.client_id, &mut self.by_client_id)] {
            if let Some(id) = id.as_ref().filter(|id| all.get(*id) == Some(&number)) {
                all.remove(id);
            }
        }
    }

    /// Removes an order whose placement had no effect.
    pub(super) fn remove_unplaced(&mut self, number: Number) {
        if self.orders.get(number).is_some_and(|entry| entry.order.standing == Standing::Unknown) {
            self.remove(number);
        }
    }

    /// Returns the number of the order that a client id was last given to.
    pub(super) fn named(&self, client_id: &str) -> Option<Number> {
        self.by_client_id.get(client_id).copied()
    }

    /// Returns the same, if the outcome of its placement is not known.
    pub(super) fn unplaced(&self, client_id: &str) -> Option<Number> {
        let is_unplaced =
            |number: &Number| self.orders.get(*number).is_some_and(|entry| entry.order.standing == Standing::Unknown);
        self.named(client_id).filter(is_unplaced)
    }

    /// Notes that the exchange accepted an order that was placed.
    pub(super) fn accept(&mut self, number: Number, id: Option<String>) {
        let Some(entry) = self.orders.get_mut(number) else { return };
        if entry.order.standing == Standing::Unknown {
            Arc::make_mut(&mut entry.order).standing = Standing::Accepted;
        }
        self.name(number, id, None);
    }

    /// Adds an accepted order that had no id before.
    pub(super) fn accept_new(&mut self, id: String, client_id: Option<String>, kind: Option<String>) -> Number {
        match self.by_id.get(&id) {
            Some(number) => *number,
            None => self.insert(Some(id), client_id, kind, Standing::Accepted),
        }
    }

    /// Sets from when on a listing shows an order if it is open.
    pub(super) fn set_listed_from(&mut self, number: Number, from: Option<Duration>) {
        if let Some(entry) = self.orders.get_mut(number) {
            entry.listed_from = from;
        }
    }

    /// Returns the number of the order that a record shows. A client id alone matches an order with any id; with both,
    /// two ids of the exchange are two orders.
    fn find(&mut self, shown: OrderShown<'_>) -> Option<Number> {
        let by_client_id = shown.client_id.and_then(|id| self.by_client_id.get(id)).copied();
        let Some(id) = shown.id else { return by_client_id };
        let lacks_id = |number: &Number| self.orders.get(*number).is_some_and(|entry| entry.order.id.is_none());
        let nameless = by_client_id.filter(lacks_id);
        let by_id = self.by_id.get(id).copied();
        // The two entries, each known by one of the ids, are one order.
        if let (Some(_), Some(double)) = (by_id, nameless) {
            self.remove(double);
        }
        by_id.or(nameless)
    }

    /// Takes what a record shows, in a turn, at a time by the steady clock.
    pub(super) fn observe(
        &mut self,
        shown: OrderShown<'_>,
        turn: u64,
        listed_from: Option<Duration>,
    ) -> Result<(), ImpossibleChange<String>> {
        let OrderShown { lifecycle, at, .. } = shown;
        let [id, client_id, kind] = [shown.id, shown.client_id, shown.kind].map(|text| text.map(str::to_owned));
        let row = shown.state.and_then(|state| lifecycle.row(state));
        let has_ended = row.is_some_and(|row| row.is_terminal);
        let number = match self.find(shown) {
            Some(number) => number,
            // An order that has ended and was not known is of no interest.
            None if has_ended || id.is_none() && client_id.is_none() => return Ok(()),
            None => self.insert(id.clone(), client_id.clone(), kind.clone(), Standing::Open),
        };
        self.name(number, id, client_id);
        let ends = self.change(number, |entry| {
            (entry.turn, entry.lifecycle) = (turn, Some(lifecycle));
            entry.listed_from = entry.listed_from.or(listed_from);
            let order = Arc::make_mut(&mut entry.order);
            order.kind = kind.or(order.kind.take());
            let had_ended = order.standing == Standing::Ended;
            let Some(StateRow { value: state, .. }) = row else {
                // A state that no document lists is not an end.
                order.standing = if had_ended { Standing::Ended } else { Standing::Open };
                return Ok(false);
            };
            if !order.may_become(lifecycle, state, at)? {
                return Ok(false);
            }
            order.standing = if has_ended { Standing::Ended } else { Standing::Open };
            order.at = order.at.max(at);
            order.state = Some((*state).to_owned());
            Ok(has_ended && !had_ended)
        });
        if ends.transpose()?.is_some_and(|ends| ends) {
            self.has_ended(number);
        }
        Ok(())
    }

    /// Returns the orders that may be open, and that a whole listing of open orders would show that began in a turn and at
    /// a time, but that nothing has shown since.
    pub(super) fn unlisted(&self, turn: u64, begun: Duration) -> Vec<Number> {
        let mut unlisted = Vec::new();
        for (number, entry) in &self.orders {
            let is_shown = entry.turn > turn || entry.listed_from.is_none_or(|from| from > begun);
            if entry.order.may_be_open() && !is_shown {
                unlisted.push(number);
            }
        }
        unlisted
    }

    /// Ends the orders that a whole listing of open orders, which began in a turn and at a time, did not show. An order
    /// that was perhaps never placed is removed.
    pub(super) fn end_unlisted(&mut self, turn: u64, begun: Duration) {
        for number in self.unlisted(turn, begun) {
            if self.orders.get(number).is_some_and(|entry| entry.order.standing == Standing::Unknown) {
                self.remove(number);
                continue;
            }
            self.change(number, |entry| Arc::make_mut(&mut entry.order).standing = Standing::Ended);
            self.has_ended(number);
        }
    }

    /// Notes that an order has ended, and forgets the one that ended first if there are too many.
    fn has_ended(&mut self, number: Number) {
        self.ended.push_back(number);
        if self.ended.len() > MAX_ENDED
            && let Some(first) = self.ended.pop_front()
            && self.orders.get(first).is_some_and(|entry| !entry.order.may_be_open())
        {
            self.remove(first);
        }
    }
}

/// An order as known to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedOrder {
    /// The family of the operation that placed or showed it.
    pub family: &'static str,
    /// The exchange's id, once a response contained it.
    pub id: Option<String>,
    /// The client id.
    pub client_id: Option<String>,
    /// The value by which ceilings of open orders count it.
    pub kind: Option<String>,
    /// The knowledge about the order.
    pub standing: Standing,
    /// The state in the latest record, as on the wire.
    pub state: Option<String>,
    /// When it last changed, by that record.
    pub at: Option<Timestamp>,
}

/// The knowledge about an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The request that places it may have been sent, and its outcome is not known yet.
    Unknown,
    /// The exchange accepted it, and no record has shown it yet.
    Accepted,
    /// A record showed it in a state that is not an end.
    Open,
    /// A record showed its end, or a whole listing of open orders no longer shows it.
    Ended,
}

impl TrackedOrder {
    /// Returns whether it is open, or may be.
    pub fn may_be_open(&self) -> bool {
        match self.standing {
            Standing::Unknown | Standing::Accepted | Standing::Open => true,
            Standing::Ended => false,
        }
    }

    /// Returns whether a record with a state is no earlier than the known state.
    fn may_become(
        &self,
        lifecycle: &'static Lifecycle,
        state: &str,
        at: Option<Timestamp>,
    ) -> Result<bool, ImpossibleChange<String>> {
        let Some(known) = self.state.as_deref().filter(|known| *known != state) else { return Ok(true) };
        let (onward, back) = (lifecycle.can_become(known, state), lifecycle.can_become(state, known));
        let (old, new) = ((known.to_owned(), self.at), (state.to_owned(), at));
        let impossible =
            |(from, from_at), (to, to_at)| ImpossibleChange { order: self.name().to_owned(), from, from_at, to, to_at };
        match compare_states((self.at, at), onward, back) {
            StateComparison::Later { .. } => Ok(true),
            StateComparison::Late => Ok(false),
            StateComparison::Impossible => Err(impossible(old, new)),
            StateComparison::ImpossibleBefore => Err(impossible(new, old)),
        }
    }

    /// Returns the client id, or else the exchange's.
    pub fn name(&self) -> &str {
        self.client_id.as_deref().or(self.id.as_deref()).unwrap_or_default()
    }
}

impl fmt::Display for TrackedOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.family, self.name())?;
        match (self.standing, &self.state) {
            (Standing::Unknown, _) => f.write_str("outcome unknown"),
            (Standing::Accepted, _) => f.write_str("accepted"),
            (Standing::Open, Some(state)) => f.write_str(state),
            (Standing::Open, None) => f.write_str("open"),
            (Standing::Ended, Some(state)) => write!(f, "ended, last shown as {state}"),
            (Standing::Ended, None) => f.write_str("ended"),
        }
    }
}

/// A record of an order that contradicts an earlier one.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderContradiction {
    /// The family of the operations that returned the records.
    pub family: &'static str,
    /// The change that the documents rule out.
    pub change: ImpossibleChange<String>,
}

impl fmt::Display for OrderContradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.family, self.change)
    }
}

debug_as_sentence!(OrderContradiction);

impl Error for OrderContradiction {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.change)
    }
}
