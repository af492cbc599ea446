//! The spending so far, as the sum of events: orders that are about to be sent, those that had no effect, and the moment at
//! which the account was flat.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::data::tables::CountedIn;
use crate::data::value::{Decimal, Timestamp};

const MINUTE: Duration = Duration::from_secs(60);

const HOUR: Duration = Duration::from_secs(3600);

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The terms of an order that no amendment changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) family: String,
    pub(super) line: String,
    pub(super) symbol: String,
    pub(super) counts: CountedIn,
    /// True if nothing worse than the price of the order is paid.
    pub(super) is_bounded: bool,
    /// True if it can only reduce a position, and costs nothing.
    pub(super) only_reduces: bool,
}

/// Something that happened to the budget.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// An order, or an amendment of one, is about to be sent.
    Sent(Sent),
    /// The answer to it showed another id of the order.
    Named { number: u64, id: String },
    /// An order or an amendment had no effect.
    NotDone { number: u64 },
    /// Nothing is open.
    Flat,
}

/// An order, or an amendment of one.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) number: u64,
    pub(super) at: Timestamp,
    /// The number of the order that it amends.
    pub(super) amends: Option<u64>,
    pub(super) ids: Vec<String>,
    pub(super) terms: Terms,
    pub(super) quantity: Decimal,
    pub(super) price: Decimal,
}

/// An order that the budget counts, with its amendments.
///
/// It is worth its largest quantity at its worst price, whichever amendments took effect, and in whatever order.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The number.
    pub(super) first: u64,
    pub(super) ids: Vec<String>,
    pub(super) terms: Terms,
    is_open: bool,
    parts: Vec<Part>,
}

/// An order as it was placed or amended, and by how much that made it worth more.
#[derive(Clone, Debug)]
struct Part {
    number: u64,
    at: Timestamp,
    quantity: Decimal,
    price: Decimal,
    adds: Decimal,
}

impl Known {
    /// Returns the quantity and the price after the last amendment.
    pub(super) fn latest(&self) -> Option<(Decimal, Decimal)> {
        self.parts.last().map(|part| (part.quantity.clone(), part.price.clone()))
    }

    /// Returns the most that the order is worth.
    pub(super) fn worth(&self) -> Decimal {
        worth_of(self.parts.iter().map(|part| (&part.quantity, &part.price)))
    }

    /// Returns the most that the order is worth with another amendment.
    pub(super) fn worth_with(&self, quantity: &Decimal, price: &Decimal) -> Decimal {
        worth_of(self.parts.iter().map(|part| (&part.quantity, &part.price)).chain([(quantity, price)]))
    }
}

/// Returns the largest quantity at the worst price.
fn worth_of<'a>(parts: impl Iterator<Item = (&'a Decimal, &'a Decimal)>) -> Decimal {
    let (mut quantity, mut price) = (Decimal::default(), Decimal::default());
    for (more, worse) in parts {
        quantity = quantity.max(more.clone());
        price = price.max(worse.clone());
    }
    quantity * price
}

/// Amounts by their times, and the sum of those that are younger than a length of time.
#[derive(Debug)]
struct Window {
    length: Duration,
    by_time: BTreeMap<Timestamp, Decimal>,
    sum: Decimal,
}

impl Window {
    fn new(length: Duration) -> Self {
        Self { length, by_time: BTreeMap::new(), sum: Decimal::default() }
    }

    fn add(&mut self, at: Timestamp, amount: &Decimal) {
        *self.by_time.entry(at).or_default() += amount;
        self.sum += amount;
    }

    /// Takes an amount away, unless it is too old to be in the sum.
    fn take(&mut self, at: Timestamp, amount: &Decimal) {
        if let Some(of_time) = self.by_time.get_mut(&at) {
            *of_time -= amount;
            self.sum -= amount;
        }
    }

    fn forget_before(&mut self, now: Timestamp) {
        let Some(before) = now.checked_sub(self.length) else { return };
        while let Some(first) = self.by_time.first_entry().filter(|first| *first.key() <= before) {
            self.sum -= first.remove();
        }
    }
}

/// The spending so far.
#[derive(Debug)]
pub(super) struct Book {
    /// The number of the next order or amendment.
    next: u64,
    orders: BTreeMap<u64, Known>,
    by_id: HashMap<String, u64>,
    /// The number of the order that each order or amendment is about.
    of: HashMap<u64, u64>,
    minute: Window,
    hour: Window,
    day: Window,
    /// True if orders are kept until the account is flat, because a bound counts them.
    keeps_open: bool,
    open: Decimal,
}

impl Default for Book {
    fn default() -> Self {
        let [minute, hour, day] = [MINUTE, HOUR, DAY].map(Window::new);
        Self {
            next: 1,
            orders: BTreeMap::new(),
            by_id: HashMap::new(),
            of: HashMap::new(),
            minute,
            hour,
            day,
            keeps_open: false,
            open: Decimal::default(),
        }
    }
}

impl Book {
    /// Keeps orders until the account is flat.
    pub(super) fn keep_open(&mut self) {
        self.keeps_open = true;
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of orders of the last minute, and what those of the last hour, of the last day and all open
    /// ones are worth.
    pub(super) fn sums(&self) -> (&Decimal, [&Decimal; 3]) {
        (&self.minute.sum, [&self.hour.sum, &self.day.sum, &self.open])
    }

    /// Returns the order of a family with one of these ids.
    pub(super) fn find(&self, family: &str, ids: &[String]) -> Option<&Known> {
        let of_id = |id: &String| self.orders.get(self.by_id.get(id)?);
        ids.iter().filter_map(of_id).find(|known| known.terms.family == family)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Known> {
        self.orders.get(&number)
    }

    pub(super) fn apply(&mut self, event: Event) {
        match event {
            Event::Sent(sent) => self.sent(sent),
            Event::Named { number, id } => self.named(number, id),
            Event::NotDone { number } => self.not_done(number),
            Event::Flat => self.flat(),
        }
    }

    fn sent(&mut self, sent: Sent) {
        let Sent { number, at, amends, ids, terms, quantity, price } = sent;
        self.next = self.next.max(number.saturating_add(1));
        let first = amends.filter(|first| self.orders.contains_key(first)).unwrap_or(number);
        if !terms.only_reduces {
            self.minute.add(at, &Decimal::from(1));
        }
        let is_open = self.keeps_open;
        let new = || Known { first, ids: Vec::new(), terms: terms.clone(), is_open, parts: Vec::new() };
        let known = self.orders.entry(first).or_insert_with(new);
        known.terms.is_bounded &= terms.is_bounded;
        known.parts.push(Part { number, at, quantity, price, adds: Decimal::default() });
        self.of.insert(number, first);
        self.recount(first);
        ids.into_iter().for_each(|id| self.named(number, id));
    }

    fn named(&mut self, number: u64, id: String) {
        let Some(known) = self.of.get(&number).and_then(|first| self.orders.get_mut(first)) else { return };
        self.by_id.insert(id.clone(), known.first);
        if !known.ids.contains(&id) {
            known.ids.push(id);
        }
    }

    fn not_done(&mut self, number: u64) {
        let Some(first) = self.of.remove(&number) else { return };
        let Some(known) = self.orders.get_mut(&first) else { return };
        let Some(place) = known.parts.iter().position(|part| part.number == number) else { return };
        let part = known.parts.remove(place);
        let (is_open, only_reduces, is_over) = (known.is_open, known.terms.only_reduces, known.parts.is_empty());
        self.hour.take(part.at, &part.adds);
        self.day.take(part.at, &part.adds);
        if is_open {
            self.open -= &part.adds;
        }
        if !only_reduces {
            self.minute.take(part.at, &Decimal::from(1));
        }
        if is_over {
            self.forget(first);
        } else {
            self.recount(first);
        }
    }

    fn flat(&mut self) {
        self.open = Decimal::default();
        self.orders.values_mut().for_each(|known| known.is_open = false);
    }

    /// Counts anew by how much each part makes an order worth more.
    fn recount(&mut self, first: u64) {
        let Some(known) = self.orders.get_mut(&first) else { return };
        let mut before = Decimal::default();
        for until in 1..=known.parts.len() {
            let all = worth_of(known.parts[..until].iter().map(|part| (&part.quantity, &part.price)));
            let part = &mut known.parts[until - 1];
            let adds = std::mem::replace(&mut part.adds, &all - &before);
            for window in [&mut self.hour, &mut self.day] {
                window.take(part.at, &adds);
                window.add(part.at, &part.adds);
            }
            if known.is_open {
                self.open += &part.adds - &adds;
            }
            before = all;
        }
    }

    /// Forgets what no bound counts any more.
    pub(super) fn forget_before(&mut self, now: Timestamp) {
        for window in [&mut self.minute, &mut self.hour, &mut self.day] {
            window.forget_before(now);
        }
        let Some(before) = now.checked_sub(DAY) else { return };
        let is_old = |known: &Known| known.parts.iter().all(|part| part.at <= before);
        while let Some((first, _)) = self.orders.first_key_value().filter(|(_, known)| !known.is_open && is_old(known))
        {
            let first = *first;
            self.forget(first);
        }
    }

    fn forget(&mut self, first: u64) {
        let Some(known) = self.orders.remove(&first) else { return };
        known.ids.iter().filter(|id| self.by_id.get(*id) == Some(&first)).cloned().collect::<Vec<_>>().iter().for_each(
            |id| {
                self.by_id.remove(id);
            },
        );
        for part in known.parts {
            self.of.remove(&part.number);
        }
    }
}
