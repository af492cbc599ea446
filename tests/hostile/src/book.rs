use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::change::{Change, Name};
use crate::dice::Dice;
use crate::operation::{Family, Listed};

/// How long an order that is cancelled is kept, in milliseconds.
const KEPT: u64 = 2 * 60 * 60 * 1000;

/// The orders as they truly are.
#[derive(Debug, Default)]
pub struct Book {
    orders: Vec<Order>,
    /// The orders that have an id of the client's, the latest last.
    by_client_oid: HashMap<(Family, String), Vec<usize>>,
    by_order_id: HashMap<String, usize>,
    effects: BTreeMap<Effect, u32>,
    duplicates: Duplicates,
    /// What was accepted and comes later.
    due: Vec<(When, Change)>,
    /// Orders that were asked for when they were not there.
    missed: HashSet<String>,
    counts: BookCounts,
}

/// What happened in a book that not every book sees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BookCounts {
    /// How many orders came to be after somebody was told that they were not there.
    pub(crate) came_after_all: u64,
    /// How many orders were made with an id that another has.
    pub(crate) twins: u64,
    /// How many were not made for that.
    pub(crate) refused_twins: u64,
    /// How many amendments asked for what the order was already.
    pub(crate) without_change: u64,
    /// How often somebody asked for an order that is forgotten.
    pub(crate) forgotten: u64,
    /// How often an older state of an order was shown.
    pub(crate) late: u64,
}

/// What an exchange makes of a client's id that was used before, and which order it shows for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// It makes another order, and shows the latest.
    #[default]
    TakenAndLatestShown,
    /// It makes another order, and shows the first.
    TakenAndFirstShown,
    /// It refuses the second order.
    Refused,
}

/// One order.
#[derive(Clone, Debug)]
pub struct Order {
    /// The family it belongs to.
    pub family: Family,
    /// The exchange's id.
    pub order_id: String,
    /// The client's id; empty where it gave none.
    pub client_oid: String,
    /// What effects call it by, whatever becomes of it.
    pub label: String,
    /// What else it says.
    pub terms: Value,
    /// When it came to be.
    pub created: u64,
    /// From when on it can be seen.
    pub visible_from: u64,
    /// What it is and was, the latest last.
    states: Vec<Since>,
}

/// When something is so.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// From when on.
    pub at: u64,
    /// From when on all machines show it.
    pub settled: u64,
}

#[derive(Clone, Debug)]
struct Since {
    when: When,
    state: State,
}

/// What can change about an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The price, if it has one.
    pub price: Option<String>,
    /// The size.
    pub size: Option<String>,
    /// Whether it is cancelled.
    pub is_cancelled: bool,
}

/// Something that became so. Orders are called by their [labels](label).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// There is an order.
    Placed(String),
    /// An order was amended, by the amendment with this id.
    Amended(String, String),
    /// An order was cancelled by who asked for it.
    Cancelled(String),
    /// The first half of what leads to an effect was done, and no more.
    Half(Box<Effect>),
}

/// What an order is called by: everything that tells two orders apart that come with one id.
pub fn label(client_oid: &str, size: &str, price: &str) -> String {
    format!("{client_oid} {size}@{price}")
}

/// Why nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchanged {
    /// There is no such order, or it is cancelled.
    NoSuchOrder,
    /// The id was used before.
    DuplicateId,
}

impl Order {
    /// What it is.
    pub fn state(&self) -> &State {
        self.states.last().map(|since| &since.state).expect("an order has a state")
    }

    /// When it last changed.
    pub fn changed(&self) -> u64 {
        self.states.last().map_or(self.created, |since| since.when.at)
    }

    /// From when on all machines show it.
    pub(crate) fn settled(&self) -> u64 {
        self.states.first().map_or(self.created, |since| since.when.settled)
    }

    /// The order as a machine shows it `now` that lags behind; `None` when it does not show it yet.
    fn shown(&self, now: u64, lag: u64) -> Option<Self> {
        let mut order = self.clone();
        order.states.retain(|since| since.when.at + lag <= now || since.when.settled <= now);
        (self.visible_from <= now && !order.states.is_empty()).then_some(order)
    }

    fn is_forgotten(&self, now: u64) -> bool {
        self.family == Family::Unified && self.state().is_cancelled && self.changed() + KEPT < now
    }

    fn become_so(&mut self, when: When, state: State) {
        self.states.push(Since { when, state });
    }
}

impl Book {
    pub(crate) fn new(duplicates: Duplicates) -> Self {
        Self { duplicates, ..Self::default() }
    }

    /// How often each thing became so.
    pub fn effects(&self) -> &BTreeMap<Effect, u32> {
        &self.effects
    }

    /// The orders, in the order they came to be.
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    pub(crate) fn counts(&self) -> BookCounts {
        self.counts
    }

    /// Makes a change, at once.
    ///
    /// # Errors
    ///
    /// When it names an order that is not there, or cancelled, or makes one whose id is taken.
    pub fn apply(&mut self, change: &Change, when: When) -> Result<Order, Unchanged> {
        match change {
            Change::Place { family, client_oid, terms } => {
                let text = |names: [&str; 2]| names.into_iter().find_map(|name| crate::change::text(terms, name));
                let state = State { price: text(["price", "price"]), size: text(["size", "qty"]), is_cancelled: false };
                self.add(*family, client_oid, state, terms.clone(), when)
            }
            Change::Amend { family, order, price, size, request_id, .. } => {
                let order = self.live(*family, order)?;
                let before = order.state().clone();
                let (price, size) = (price.clone().or(before.price.clone()), size.clone().or(before.size.clone()));
                let after = State { price, size, ..before.clone() };
                let is_same = after == before;
                order.become_so(when, after);
                let amended = order.clone();
                self.counts.without_change += u64::from(is_same);
                self.note(Effect::Amended(amended.label.clone(), request_id.clone()));
                Ok(amended)
            }
            Change::Replace { order, client_oid, price, size } => {
                self.check_id(Family::Classic, client_oid)?;
                let old = self.live(Family::Classic, order)?;
                let state = old.state().clone();
                old.become_so(when, State { is_cancelled: true, ..state.clone() });
                let terms = old.terms.clone();
                let (price, size) = (price.clone().or(state.price), size.clone().or(state.size));
                self.add(Family::Classic, client_oid, State { price, size, is_cancelled: false }, terms, when)
            }
            Change::Cancel { family, order } => {
                let order = self.live(*family, order)?;
                let state = order.state().clone();
                order.become_so(when, State { is_cancelled: true, ..state });
                let cancelled = order.clone();
                self.note(Effect::Cancelled(cancelled.label.clone()));
                Ok(cancelled)
            }
        }
    }

    /// Makes the first half of a change that does two things, and no more.
    pub(crate) fn apply_half(&mut self, change: &Change, when: When) {
        let effect = match change {
            // Of a reversal, the position is closed.
            Change::Place { client_oid, terms, .. } => {
                let text = |name| crate::change::text(terms, name).unwrap_or_default();
                Effect::Placed(label(client_oid, &text("size"), &text("price")))
            }
            Change::Replace { order, client_oid, price, size } => {
                let Ok(old) = self.live(Family::Classic, order) else { return };
                let state = old.state().clone();
                old.become_so(when, State { is_cancelled: true, ..state });
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                Effect::Placed(label(client_oid, &text(size), &text(price)))
            }
            Change::Amend { family, order, request_id, .. } => {
                let Ok(old) = self.live(*family, order) else { return };
                let state = old.state().clone();
                old.become_so(when, State { is_cancelled: true, ..state });
                Effect::Amended(old.label.clone(), request_id.clone())
            }
            Change::Cancel { .. } => return,
        };
        self.note(Effect::Half(Box::new(effect)));
    }

    /// Makes a change later.
    pub fn apply_later(&mut self, change: Change, when: When) {
        self.due.push((when, change));
    }

    /// Makes the changes that are due.
    pub fn advance(&mut self, now: u64) {
        if self.due.iter().all(|(when, _)| when.at > now) {
            return;
        }
        let (mut due, later) = self.due.drain(..).partition::<Vec<_>, _>(|(when, _)| when.at <= now);
        self.due = later;
        due.sort_by_key(|(when, _)| when.at);
        for (when, change) in due {
            // What it names may be gone by now; then nothing happens.
            let _ = self.apply(&change, when);
        }
    }

    /// The order that has this name, as a machine shows it that lags behind. Remembers who was not there.
    pub fn seen(&mut self, family: Family, name: &Name, now: u64, lag: u64) -> Option<Order> {
        let found = self.found(family, name);
        let (forgotten, kept): (Vec<usize>, Vec<usize>) =
            found.iter().copied().partition(|at| self.orders[*at].is_forgotten(now));
        self.counts.forgotten += forgotten.len() as u64;
        let mut shown = kept.into_iter().filter_map(|at| self.orders[at].shown(now, lag));
        let shown = if self.duplicates == Duplicates::TakenAndFirstShown { shown.next() } else { shown.next_back() };
        if let (None, Name::ClientOid(id)) = (&shown, name) {
            self.missed.insert(id.clone());
        }
        let is_late = |order: &Order| {
            self.by_order_id.get(&order.order_id).is_some_and(|at| self.orders[*at].state() != order.state())
        };
        self.counts.late += u64::from(shown.as_ref().is_some_and(is_late));
        shown
    }

    /// Keeps an order out of sight until then.
    pub fn hide(&mut self, order_id: &str, until: u64) {
        if let Some(order) = self.by_order_id.get(order_id) {
            self.orders[*order].visible_from = until;
        }
    }

    /// The orders of a family that can be seen, the latest first.
    pub fn listed(&self, family: Family, listed: Listed, now: u64) -> impl Iterator<Item = &Order> {
        let is_listed = move |order: &&Order| {
            order.family == family
                && order.visible_from <= now
                && (listed == Listed::All || !order.state().is_cancelled)
                && !order.is_forgotten(now)
        };
        self.orders.iter().rev().filter(is_listed)
    }

    fn add(
        &mut self,
        family: Family,
        client_oid: &str,
        state: State,
        terms: Value,
        when: When,
    ) -> Result<Order, Unchanged> {
        self.check_id(family, client_oid)?;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let label = label(client_oid, &text(&state.size), &text(&state.price));
        let order = Order {
            family,
            order_id: self.new_order_id(&label),
            client_oid: client_oid.to_owned(),
            label: label.clone(),
            terms,
            created: when.at,
            visible_from: when.at,
            states: vec![Since { when, state }],
        };
        if !client_oid.is_empty() {
            let same = self.by_client_oid.entry((family, client_oid.to_owned())).or_default();
            self.counts.twins += u64::from(!same.is_empty());
            same.push(self.orders.len());
        }
        self.by_order_id.insert(order.order_id.clone(), self.orders.len());
        self.orders.push(order.clone());
        self.counts.came_after_all += u64::from(self.missed.remove(client_oid));
        self.note(Effect::Placed(label));
        Ok(order)
    }

    /// Neither document says that an id is taken once only, so there are exchanges of either kind.
    fn check_id(&mut self, family: Family, client_oid: &str) -> Result<(), Unchanged> {
        let is_taken = self.by_client_oid.contains_key(&(family, client_oid.to_owned()));
        if is_taken && self.duplicates == Duplicates::Refused {
            self.counts.refused_twins += 1;
            return Err(Unchanged::DuplicateId);
        }
        Ok(())
    }

    /// An id that follows from what the order is called, so that the same orders have the same ids in every run.
    fn new_order_id(&self, label: &str) -> String {
        let mut dice = Dice::new(0, label);
        loop {
            let id = (100_000_000_000_000_000 + dice.below(900_000_000_000_000_000)).to_string();
            if !self.by_order_id.contains_key(&id) {
                return id;
            }
        }
    }

    fn note(&mut self, effect: Effect) {
        *self.effects.entry(effect).or_default() += 1;
    }

    /// The orders that have a name, the latest last.
    fn found(&self, family: Family, name: &Name) -> Vec<usize> {
        match name {
            Name::OrderId(id) => {
                let order = self.by_order_id.get(id).filter(|order| self.orders[**order].family == family);
                order.copied().into_iter().collect()
            }
            Name::ClientOid(id) => self.by_client_oid.get(&(family, id.clone())).cloned().unwrap_or_default(),
        }
    }

    fn live(&mut self, family: Family, name: &Name) -> Result<&mut Order, Unchanged> {
        let found = self.found(family, name);
        let order = if self.duplicates == Duplicates::TakenAndFirstShown { found.first() } else { found.last() };
        let order = &mut self.orders[*order.ok_or(Unchanged::NoSuchOrder)?];
        if order.state().is_cancelled { Err(Unchanged::NoSuchOrder) } else { Ok(order) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn order(client_oid: &str, size: &str) -> Change {
        let terms = json!({"qty": size, "price": "5"});
        Change::Place { family: Family::Unified, client_oid: client_oid.to_owned(), terms }
    }

    fn at(at: u64) -> When {
        When { at, settled: at + 9_000 }
    }

    fn seen(book: &mut Book, id: &str, now: u64, lag: u64) -> Option<State> {
        book.seen(Family::Unified, &Name::ClientOid(id.to_owned()), now, lag).map(|order| order.state().clone())
    }

    fn amend(id: &str, price: &str) -> Change {
        let (order, price) = (Name::ClientOid(id.to_owned()), Some(price.to_owned()));
        let (family, size, request_id) = (Family::Unified, None, "1".to_owned());
        Change::Amend { family, order, price, size, request_id, auto_cancel: false }
    }

    #[test]
    fn an_id_is_taken_twice_or_refused() {
        for (duplicates, shown) in [
            (Duplicates::TakenAndLatestShown, Some("2")),
            (Duplicates::TakenAndFirstShown, Some("1")),
            (Duplicates::Refused, None),
        ] {
            let mut book = Book::new(duplicates);
            book.apply(&order("a", "1"), at(1)).unwrap();
            let second = book.apply(&order("a", "2"), at(2));
            assert_eq!(second.is_ok(), shown.is_some());
            let size = seen(&mut book, "a", 3, 0).unwrap().size;
            assert_eq!(size.as_deref(), shown.or(Some("1")));
            assert_eq!(book.effects().len(), if shown.is_some() { 2 } else { 1 });
        }
    }

    #[test]
    fn a_machine_that_lags_shows_what_was_until_all_is_settled() {
        let mut book = Book::default();
        book.apply(&order("a", "1"), at(1_000)).unwrap();
        book.apply(&amend("a", "6"), at(5_000)).unwrap();
        let mut price = |now, lag| seen(&mut book, "a", now, lag).and_then(|state| state.price);
        assert_eq!(price(5_000, 0).as_deref(), Some("6"));
        assert_eq!(price(6_000, 3_000).as_deref(), Some("5"));
        assert_eq!(price(3_000, 3_000), None);
        assert_eq!(price(14_000, 60_000).as_deref(), Some("6"), "all is settled");
    }

    #[test]
    fn an_order_that_is_cancelled_is_forgotten_after_two_hours() {
        let mut book = Book::default();
        book.apply(&order("a", "1"), at(0)).unwrap();
        let cancel = Change::Cancel { family: Family::Unified, order: Name::ClientOid("a".to_owned()) };
        book.apply(&cancel, at(1_000)).unwrap();
        assert!(seen(&mut book, "a", KEPT + 1_000, 0).is_some());
        assert!(seen(&mut book, "a", KEPT + 1_001, 0).is_none());
        assert_eq!(book.apply(&cancel, at(2_000)).err(), Some(Unchanged::NoSuchOrder));
    }

    #[test]
    fn half_of_a_change_is_told_from_the_whole() {
        let mut book = Book::default();
        book.apply(&order("a", "1"), at(0)).unwrap();
        book.apply_half(&amend("a", "6"), at(1));
        let half = Effect::Half(Box::new(Effect::Amended(label("a", "1", "5"), "1".to_owned())));
        assert_eq!(book.effects().get(&half), Some(&1));
        assert!(seen(&mut book, "a", 2, 0).unwrap().is_cancelled);
    }
}
