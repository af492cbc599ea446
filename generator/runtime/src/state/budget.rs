//! Budgets: the most that the orders of a client may be worth.
//!
//! A client with a [`Budget`] values each order before it is sent, and refuses with
//! [`Error::OverBudget`](crate::Error::OverBudget) what the budget does not cover. It does so after the check of the
//! rules and before the limiter and the journal, whatever the policy of checks.
//!
//! **Worth.** The worth of an order is the most that it can pay or receive, in the coin of its prices, without fees and
//! whatever the leverage. It follows from the table of the operation ([`Worth`](crate::tables::Worth)): a quantity in
//! the quote coin is the worth, and one in the base coin is multiplied by the worst price. The limit bounds what a buy
//! pays; whatever can get a higher price, such as a market order or the limit of a sell, counts at the last price that
//! the client knows, more the slippage, if that is higher. Without a recent price it is refused. Coins that the budget
//! lists count one for one; an order in another coin, or whose worth is not known, is refused. What the last price and
//! the slippage do not cover, because the market moves further before the order arrives, is beyond the promise, as are
//! requests that a program prepares and sends itself.
//!
//! **Counting.** An order counts from before it is sent, for the bounds of an hour, of a day, and of what is open. It
//! no longer does once an answer or queries prove that it had no effect; one with an unknown outcome counts as done. An amended order
//! counts as its largest quantity at its worst price, so an amendment counts as much as it adds. Orders that can only
//! reduce a position, take-profits, stop-losses, cancellations and closings count nothing. No query shows what became
//! of an order that was placed: it stays open until [`flatten`](crate::outcomes::flatten::flatten()) proves that nothing is left, or
//! the program says so.
//!
//! **Sharing.** Clones of a budget count together, and so do all budgets on one file ([`Budget::kept_in`]), also of
//! several processes of a machine, which lock it for each decision, and across restarts. The file, and not the journal
//! of a client, has the count, because the worth of an order depends on the price at its time, and because journals are
//! pruned. Without a file, a client with the limiter of a fleet is not built.

mod book;
mod bounds;
mod file;
mod log;
mod valuation;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

pub use self::file::{BudgetFileError, BudgetMistake};
pub use crate::data::error::{BudgetBound, BudgetEffects, BudgetObstacle, OverBudget};

use self::book::{Book, Event, Sent};
use self::bounds::{Bounds, Prices, adds, number_of, plain};
use self::log::Log;
use self::valuation::{Beside, Order};
use crate::data::account::Account;
use crate::data::parameters::Named;
use crate::data::tables::Meta;
use crate::data::value::{Decimal, Timestamp};

/// The most that the orders of a client may be worth, and what was spent of it; see the [module](self).
///
/// Without bounds, it allows nothing but what can only reduce a position. Clones share what was spent.
///
/// ```
/// use tradeapi_runtime::budget::Budget;
/// use tradeapi_runtime::{ClientBuilder, ClientCore, dec};
///
/// fn careful(builder: ClientBuilder<ClientCore>) -> ClientBuilder<ClientCore> {
///     let budget = Budget::new(["USDT", "USDC"]).order(dec!(100)).day(dec!(1000)).orders_a_minute(10);
///     builder.budget(budget)
/// }
/// ```
#[derive(Clone)]
pub struct Budget {
    bounds: Bounds,
    spent: Arc<Mutex<Spent>>,
}

/// The spending so far, and the prices that are known.
#[derive(Debug)]
struct Spent {
    book: Book,
    log: Option<Log>,
    prices: Prices,
}

/// The part of a budget that is left; `None` for what is not bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetLeft {
    /// The coins that the amounts are in.
    pub coins: Vec<String>,
    /// For each order.
    pub order: Option<Decimal>,
    /// For the orders of this hour.
    pub hour: Option<Decimal>,
    /// For the orders of this day.
    pub day: Option<Decimal>,
    /// For what is open.
    pub open: Option<Decimal>,
    /// The number of orders in this minute.
    pub orders: Option<u32>,
}

impl Budget {
    /// The default of [`slippage`](Self::slippage), in thousandths.
    const SLIPPAGE: &'static str = "0.01";

    /// The default of [`price_age`](Self::price_age).
    const PRICE_AGE: Duration = Duration::from_secs(60);

    /// Creates a budget in these coins, which count one for one: the coins of prices, such as `USDT`.
    pub fn new<C: Into<String>>(coins: impl IntoIterator<Item = C>) -> Self {
        let bounds = Bounds {
            coins: coins.into_iter().map(Into::into).collect(),
            order: None,
            sums: [const { None }; 3],
            orders_a_minute: None,
            symbols: None,
            lines: None,
            effects: BudgetEffects::Trade,
            slippage: Decimal::literal(Self::SLIPPAGE),
            price_age: Self::PRICE_AGE,
            asked_above: None,
        };
        let spent = Spent { book: Book::default(), log: None, prices: HashMap::new() };
        Self { bounds, spent: Arc::new(Mutex::new(spent)) }
    }

    /// Sets the most that an order may be worth.
    #[must_use]
    pub fn order(mut self, most: Decimal) -> Self {
        self.bounds.order = Some(most);
        self
    }

    /// Sets the most that the orders of any 60 minutes may be worth together.
    #[must_use]
    pub fn hour(self, most: Decimal) -> Self {
        self.sum(0, most)
    }

    /// Sets the most that the orders of any 24 hours may be worth together.
    #[must_use]
    pub fn day(self, most: Decimal) -> Self {
        self.sum(1, most)
    }

    /// Sets the most that all orders may be worth together since nothing was open.
    #[must_use]
    pub fn open(self, most: Decimal) -> Self {
        self.lock().book.keep_open();
        self.sum(2, most)
    }

    fn sum(mut self, place: usize, most: Decimal) -> Self {
        self.bounds.sums[place] = Some(most);
        self
    }

    /// Sets the most orders that any 60 seconds may have, amendments included.
    #[must_use]
    pub fn orders_a_minute(mut self, most: u32) -> Self {
        self.bounds.orders_a_minute = Some(most);
        self
    }

    /// Sets the symbols of orders; by default all.
    #[must_use]
    pub fn symbols<S: Into<String>>(mut self, symbols: impl IntoIterator<Item = S>) -> Self {
        self.bounds.symbols = Some(symbols.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the business lines of orders, as they are sent; by default all.
    #[must_use]
    pub fn lines<L: Into<String>>(mut self, lines: impl IntoIterator<Item = L>) -> Self {
        self.bounds.lines = Some(lines.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the effects of requests; by default all.
    #[must_use]
    pub fn effects(mut self, effects: BudgetEffects) -> Self {
        self.bounds.effects = effects;
        self
    }

    /// Sets the part of the last price by which a market order may get a worse one; by default 0.01, a hundredth.
    #[must_use]
    pub fn slippage(mut self, part: Decimal) -> Self {
        self.bounds.slippage = part.abs();
        self
    }

    /// Sets the time after which a price is no longer the last one; by default a minute.
    #[must_use]
    pub fn price_age(mut self, most: Duration) -> Self {
        self.bounds.price_age = most;
        self
    }

    /// Sets the worth above which a person has to agree to the orders of a request. The client does not ask; programs
    /// that speak to a person do, by [`asks_above`](Self::asks_above).
    #[must_use]
    pub fn ask_above(mut self, worth: Decimal) -> Self {
        self.bounds.asked_above = Some(worth);
        self
    }

    /// Returns the worth above which a person has to agree.
    pub fn asks_above(&self) -> Option<&Decimal> {
        self.bounds.asked_above.as_ref()
    }

    /// Keeps what was spent in a file, across restarts, and for all processes that keep it there. The file grows by
    /// some 200 bytes with each order; begin another one while nothing is open.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, read or locked, or has something else in it.
    pub fn kept_in(self, path: impl AsRef<Path>) -> io::Result<Self> {
        let mut log = Log::open(path.as_ref())?;
        let mut book = Book::default();
        // A bound of what is open may be set later, and by another process.
        book.keep_open();
        log.decide(&mut book, |_| ((), Vec::new()))
            .map_err(|why| io::Error::other(format!("{}: {why}", path.as_ref().display())))?;
        let spent = Spent { book, log: Some(log), prices: HashMap::new() };
        Ok(Self { spent: Arc::new(Mutex::new(spent)), ..self })
    }

    /// Returns whether it counts with the processes that have the same file.
    pub(crate) fn is_kept(&self) -> bool {
        self.lock().log.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the last price of an instrument.
    pub(crate) fn set_price(&self, (family, line, symbol): (&str, &str, &str), price: Decimal, now: Timestamp) {
        if price.is_positive() && price.to_rust_decimal().is_ok() {
            let instrument = (family.to_owned(), line.to_owned(), symbol.to_owned());
            self.lock().prices.insert(instrument, (price, now));
        }
    }

    /// Notes that nothing is open: neither orders nor positions.
    pub(crate) fn set_flat(&self) -> io::Result<()> {
        self.lock().decide(|_, _| ((), vec![Event::Flat])).map_err(io::Error::other)
    }

    /// Notes that an order had no effect.
    pub(crate) fn not_done(&self, numbers: impl Iterator<Item = u64>) {
        let events = numbers.map(|number| Event::NotDone { number }).collect();
        // Otherwise the order still counts.
        let _ = self.lock().decide(|_, _| ((), events));
    }

    /// Notes that the order of a family with this id was not placed. Amendments of it, which had no effect either, go on
    /// counting.
    pub(crate) fn was_not_placed(&self, family: &str, id: &str) {
        // Otherwise the order still counts.
        let _ = self.lock().decide(|book, _| {
            let number = book.find(family, &[id.to_owned()]).map(|known| known.first);
            ((), number.map(|number| Event::NotDone { number }).into_iter().collect())
        });
    }

    /// Notes an id of an order that the answer to it shows.
    pub(crate) fn named(&self, number: u64, id: &str) {
        let _ = self.lock().decide(|_, _| ((), vec![Event::Named { number, id: id.to_owned() }]));
    }

    /// Returns what is left.
    pub(crate) fn left(&self, now: Timestamp) -> io::Result<BudgetLeft> {
        let Bounds { coins, order, sums, orders_a_minute, .. } = &self.bounds;
        let mut left = sums.clone();
        let mut orders = *orders_a_minute;
        self.lock()
            .decide(|book, _| {
                book.forget_before(now);
                let (count, spent) = book.sums();
                for (left, spent) in left.iter_mut().zip(spent) {
                    *left = left.take().map(|most| plain((most - spent).max(Decimal::default())));
                }
                orders = orders.map(|most| most.saturating_sub(number_of(count)));
                ((), Vec::new())
            })
            .map_err(io::Error::other)?;
        let [hour, day, open] = left;
        Ok(BudgetLeft { coins: coins.clone(), order: order.clone(), hour, day, open, orders })
    }

    /// Counts the orders of a request that is about to be sent. Returns the number of each, in their order and with its
    /// place in the list of the request.
    pub(crate) fn reserve(
        &self,
        meta: &'static Meta,
        request: &Named,
        account: &Account,
        now: Timestamp,
    ) -> Result<Vec<(usize, u64)>, OverBudget> {
        self.evaluate(meta, request, account, now, true).map(|(_, numbers)| numbers)
    }

    /// Returns the most that the orders of a request are worth together, if the budget covers them.
    pub(crate) fn worth(
        &self,
        meta: &'static Meta,
        request: &Named,
        account: &Account,
        now: Timestamp,
    ) -> Result<Decimal, OverBudget> {
        self.evaluate(meta, request, account, now, false).map(|(worth, _)| worth)
    }

    fn evaluate(
        &self,
        meta: &'static Meta,
        request: &Named,
        account: &Account,
        now: Timestamp,
        is_sent: bool,
    ) -> Result<(Decimal, Vec<(usize, u64)>), OverBudget> {
        let over = |worth, obstacles| OverBudget { operation: meta.id, worth, obstacles };
        let decided = self.lock().decide(|book, prices| {
            book.forget_before(now);
            let market = |line: &str, symbol: &str| self.bounds.market((meta.family, line, symbol), prices, now);
            let known = |ids: &[String]| book.find(meta.family, ids);
            let orders = match valuation::orders(meta, request, &Beside { account, known: &known, market: &market }) {
                Ok(orders) => orders,
                Err(obstacle) => {
                    let refused = self.bounds.refuse_effect(meta, true).into_iter().chain([obstacle]).collect();
                    return (Err(over(None, refused)), Vec::new());
                }
            };
            let worth = plain(orders.iter().map(|order| adds(book, order)).sum());
            let obstacles = self.bounds.obstacles(meta, &orders, book);
            match obstacles.is_empty() {
                true if is_sent => {
                    let (numbers, events) = sent(orders, book.next(), now);
                    (Ok((worth, numbers)), events)
                }
                true => (Ok((worth, Vec::new())), Vec::new()),
                false => (Err(over(Some(worth), obstacles)), Vec::new()),
            }
        });
        decided.unwrap_or_else(|why| Err(over(None, vec![BudgetObstacle::Unkept { why }])))
    }
}

/// Returns the orders of a request as they are stored, with their numbers.
fn sent(orders: Vec<Order>, next: u64, at: Timestamp) -> (Vec<(usize, u64)>, Vec<Event>) {
    let (mut numbers, mut events) = (Vec::new(), Vec::new());
    for (order, number) in orders.into_iter().zip(next..) {
        let Order { place, ids, amends, terms, quantity, price } = order;
        numbers.push((place, number));
        events.push(Event::Sent(Sent { number, at, amends, ids, terms, quantity, price }));
    }
    (numbers, events)
}

impl Spent {
    /// Decides by what was spent, and stores the events of the decision.
    fn decide<T>(&mut self, decide: impl FnOnce(&mut Book, &Prices) -> (T, Vec<Event>)) -> Result<T, String> {
        let Self { book, log, prices } = self;
        match log {
            Some(log) => log.decide(book, |book| decide(book, prices)),
            None => {
                let (decision, events) = decide(book, prices);
                events.into_iter().for_each(|event| book.apply(event));
                Ok(decision)
            }
        }
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

impl fmt::Display for BudgetLeft {
    /// Writes `left of the budget in USDT: 100 an order, 80 in this hour`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { coins, order, hour, day, open, orders } = self;
        write!(f, "left of the budget in {}: ", coins.join(" or "))?;
        let amounts =
            [("for an order", order), ("in this hour", hour), ("in this day", day), ("for what is open", open)];
        let amounts = amounts.into_iter().filter_map(|(of, left)| Some(format!("{} {of}", left.as_ref()?)));
        let orders = orders.map(|left| format!("{left} orders in this minute"));
        f.write_str(&amounts.chain(orders).collect::<Vec<_>>().join(", "))
    }
}

/// Returns the path of the file with what was spent, for a file with a budget that does not say.
pub(crate) fn spent_beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".spent");
    PathBuf::from(name)
}
