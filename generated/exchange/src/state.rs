//! The state of the exchange, and how time moves it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use rust_decimal::Decimal;
use rustc_hash::FxHashMap;
use tradeapi::runtime::signing::HmacSha256;

use crate::accounts::{Account, Profile, User};
use crate::book::Book;
use crate::dice::{Dice, Seed};
use crate::gate::Fault;
use crate::instruments::{self, Instrument};
use crate::limits::Limits;
use crate::log::Log;
use crate::market::Market;
use crate::orders::{Order, Ticket};
use crate::trading::Amendment;
use crate::words::{Family, Line, Pos, Side};

/// How the exchange behaves where the documents leave a choice, and what it leaves out for tests.
///
/// [`DECISIONS`](crate::DECISIONS) has the question behind each choice.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Settings {
    /// What prices and the orders of other participants follow from.
    pub seed: Seed,
    /// Whether other participants move prices and trade by themselves. Otherwise they only quote around the price that
    /// [`Exchange::set_price`](crate::Exchange::set_price) sets.
    pub lively: bool,
    /// Whether calls beyond the documented rates are refused.
    pub rate_limits: bool,
    /// Whether more than the documented number of open orders is refused.
    pub ceilings: bool,
    /// Whether a clientOid can be used once only, as long as its order is remembered.
    pub unique_client_ids: bool,
    /// How long the classic family takes to create the order that replaces a modified one.
    pub replacement_delay: Duration,
    /// How long the unified family takes for a modification; during this time it is in progress.
    pub modification_delay: Duration,
    /// The HTTP status of refusals; success has 200.
    pub refusal_status: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: Seed(0),
            lively: false,
            rate_limits: true,
            ceilings: true,
            unique_client_ids: true,
            replacement_delay: Duration::from_millis(20),
            modification_delay: Duration::ZERO,
            refusal_status: 400,
        }
    }
}

/// What happened inside the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An order was taken.
    Placed {
        /// The id of the order.
        order: u64,
    },
    /// A part of an order, or all of it, was filled.
    Filled {
        /// The id of the order.
        order: u64,
        /// The price.
        price: Decimal,
        /// The quantity.
        qty: Decimal,
    },
    /// An order was modified.
    Amended {
        /// The id of the order.
        order: u64,
    },
    /// An order was cancelled.
    Cancelled {
        /// The id of the order.
        order: u64,
    },
    /// What was accepted was refused when it was its turn: a replacement or a modification.
    Refused {
        /// The code.
        code: String,
    },
}

/// What is done later.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Places the order that replaces a modified one.
    Place(Box<Ticket>),
    /// Applies a modification.
    Amend(u64, Amendment),
}

/// The first id; ids have nineteen digits.
const FIRST_ID: u64 = 1_400_000_000_000_000_000;

/// How long fills are kept: no listing reaches further back than three months, which have at most 92 days.
const FILLS_KEPT: u64 = 92 * 24 * 60 * 60 * 1000;

/// The maximum number of events to keep; older ones are dropped.
const MOST_EVENTS: usize = 10_000;

/// The whole exchange: `answer(time, request)` changes it and returns the answer. It has no clock, no sockets, no
/// threads and no randomness but what follows from the seed.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) settings: Settings,
    /// The time of what is going on, in Unix milliseconds.
    pub(crate) now: u64,
    pub(crate) pairs: Vec<Instrument>,
    by_symbol: FxHashMap<(Line, &'static str), usize>,
    pub(crate) books: Vec<Book>,
    pub(crate) markets: Vec<Market>,
    /// When other participants act next.
    pub(crate) next_step: u64,
    pub(crate) users: Vec<User>,
    pub(crate) keys: FxHashMap<String, usize>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) orders: FxHashMap<u64, Order>,
    /// Positions with a take-profit or a stop-loss: pair, account, position.
    pub(crate) guarded: BTreeSet<(usize, usize, Pos)>,
    last_id: u64,
    tasks: BTreeMap<(u64, u64), Task>,
    /// Orders to forget, with the time: cancelled ones of the unified family, and all others.
    forget: [VecDeque<(u64, u64)>; 2],
    events: VecDeque<Event>,
    pub(crate) limits: Limits,
    pub(crate) faults: VecDeque<Fault>,
    /// The latest requests, if someone may want to see them.
    pub(crate) log: Option<Log>,
    dice: Dice,
}

impl Core {
    pub(crate) fn new(settings: Settings, now: u64) -> Self {
        let pairs = instruments::all();
        let seed = settings.seed;
        let markets = (1..).zip(&pairs).map(|(purpose, pair)| Market::new(pair, Dice::new(seed, purpose))).collect();
        Self {
            settings,
            now,
            by_symbol: pairs.iter().enumerate().map(|(index, pair)| ((pair.line, pair.symbol), index)).collect(),
            books: vec![Book::default(); pairs.len()],
            markets,
            pairs,
            next_step: now,
            users: Vec::new(),
            keys: FxHashMap::default(),
            accounts: Vec::new(),
            orders: FxHashMap::default(),
            guarded: BTreeSet::new(),
            last_id: FIRST_ID,
            tasks: BTreeMap::new(),
            forget: Default::default(),
            events: VecDeque::new(),
            limits: Limits::default(),
            faults: VecDeque::new(),
            log: None,
            dice: Dice::new(seed, 0),
        }
    }

    /// Opens the accounts of a user and returns the key, the secret and the passphrase.
    pub(crate) fn open(&mut self, profile: Profile) -> [String; 3] {
        let keys = [(); 3].map(|()| self.dice.digits());
        let [key, secret, passphrase] = &keys;
        let user = self.users.len();
        let [classic, unified] = [Family::Classic, Family::Unified].map(|family| {
            self.accounts.push(Account::new(user, family, &profile, &self.pairs));
            self.accounts.len() - 1
        });
        let properties = User::properties(&profile, &self.pairs);
        let (signer, passphrase) = (HmacSha256::new(secret), passphrase.clone());
        let id = 1_000_000 + u64::try_from(user).unwrap_or_default();
        self.users.push(User { id, profile, signer, passphrase, properties, classic, unified });
        self.keys.insert(key.clone(), user);
        keys
    }

    /// Begins anew at `now`, with the users and their keys. Ids go on, so that no order is taken for one of before.
    pub(crate) fn reset(&mut self, now: u64) {
        let mut fresh = Self::new(self.settings.clone(), now);
        for user in self.users.drain(..) {
            fresh.open(user.profile);
        }
        fresh.last_id = self.last_id;
        fresh.log = self.log.take().map(Log::cleared);
        *self = fresh;
    }

    /// A new id, greater than all before.
    pub(crate) fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// The pair that a family trades under a name.
    pub(crate) fn pair(&self, family: Family, line: Line, symbol: &str) -> Option<usize> {
        let line = if line == Line::Margin { Line::Spot } else { line };
        let index = *self.by_symbol.get(&(line, symbol))?;
        self.pairs[index].is_listed(family).then_some(index)
    }

    /// The order that comes next at `side`'s best price, or the price of the market.
    pub(crate) fn reference(&self, pair: usize, side: Side) -> u64 {
        self.books[pair].best_price(side.opposite()).unwrap_or(self.markets[pair].mid)
    }

    pub(crate) fn tell(&mut self, event: Event) {
        if self.events.len() == MOST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.events.drain(..).collect()
    }

    /// Does something after `delay`.
    pub(crate) fn later(&mut self, delay: Duration, task: Task) {
        let at = self.now.saturating_add(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        let id = self.new_id();
        self.tasks.insert((at, id), task);
    }
}

/// Time.
impl Core {
    /// Goes on to `now`; what is due until then happens in its order. Time does not go back.
    pub(crate) fn advance(&mut self, now: u64) {
        let now = now.max(self.now);
        self.skip_idle_steps(now);
        loop {
            let task = self.tasks.first_key_value().map(|(key, _)| *key).filter(|(at, _)| *at <= now);
            let step = Some(self.next_step).filter(|at| self.settings.lively && *at <= now);
            match (task, step) {
                (Some(key), step) if step.is_none_or(|step| key.0 <= step) => {
                    self.now = self.now.max(key.0);
                    if let Some(task) = self.tasks.remove(&key) {
                        self.run(task);
                    }
                }
                (_, Some(step)) => {
                    self.now = self.now.max(step);
                    self.step();
                }
                _ => break,
            }
        }
        self.now = now;
        self.forget_old();
    }

    fn run(&mut self, task: Task) {
        let refused = match task {
            Task::Place(ticket) => {
                let family = self.accounts[ticket.account].family;
                self.place(*ticket).err().map(|reason| reason.of(family))
            }
            Task::Amend(order, amendment) => self.finish_amendment(order, &amendment).err(),
        };
        if let Some(refusal) = refused {
            self.tell(Event::Refused { code: refusal.code });
        }
    }

    /// Notes that an order is filled or cancelled, and when it is forgotten.
    pub(crate) fn remember_until(&mut self, order: u64, after: Duration, is_soon: bool) {
        let at = self.now.saturating_add(u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
        self.forget[usize::from(!is_soon)].push_back((at, order));
    }

    fn forget_old(&mut self) {
        let oldest = self.now.saturating_sub(FILLS_KEPT);
        for account in &mut self.accounts {
            while account.fills.front().is_some_and(|fill| fill.at < oldest) {
                account.fills.pop_front();
            }
        }
        for queue in 0..self.forget.len() {
            while let Some((at, id)) = self.forget[queue].front().copied() {
                if at > self.now {
                    break;
                }
                self.forget[queue].pop_front();
                let Some(order) = self.orders.remove(&id) else { continue };
                let account = &mut self.accounts[order.ticket.account];
                account.closed.remove(&id);
                if let Some(client) = order.client()
                    && account.clients.get(client) == Some(&id)
                {
                    account.clients.remove(client);
                }
            }
        }
    }
}
