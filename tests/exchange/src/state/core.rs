//! The state of the exchange, and the tasks that are carried out later.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use rust_decimal::Decimal;
use rustc_hash::FxHashMap;
use tradeapi::runtime::account::ListedInstruments;
use tradeapi::runtime::signing::HmacSha256;
use tradeapi::runtime::tables::Meta;

use crate::state::accounts::{Account, Profile, User, record};
use crate::state::book::Book;
use crate::state::dice::Dice;
use crate::state::events::Event;
use crate::state::faults::{Conditions, Faults, ShownValue};
use crate::state::hostile::{Hostile, Views};
use crate::state::instruments::{self, Coin, Instrument};
use crate::state::journal::Journal;
use crate::state::limits::Limits;
use crate::state::log::Log;
use crate::state::market::Market;
use crate::state::orders::{Changes, Order, Orders, Plan, Ticket};
use crate::state::playback::MarketStep;
use crate::state::refusal::Refusal;
use crate::state::settings::{FUNDING_HOURS, Settings};
use crate::state::setup::{Reports, Setup};
use crate::state::trace::Trace;
use crate::state::words::{Family, Line, PositionSide, Side};

/// The time between payments of funding, in milliseconds.
pub(crate) const FUNDING: u64 = FUNDING_HOURS * 60 * 60 * 1000;

/// The first id; ids have nineteen digits.
const FIRST_ID: u64 = 1_400_000_000_000_000_000;

/// The maximum number of events to keep; older ones are dropped.
const MAX_EVENTS: usize = 10_000;

/// The whole exchange: `answer(time, request)` changes it and returns the answer. It has no clock, sockets or threads,
/// and all random numbers follow from the seed.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) settings: Settings,
    /// The current time, in Unix milliseconds.
    pub(crate) now: u64,
    pub(crate) pairs: Vec<Instrument>,
    by_symbol: FxHashMap<(Line, &'static str), usize>,
    /// The properties of each pair on which rules about requests depend.
    pub(crate) listed: ListedInstruments,
    pub(crate) books: Vec<Book>,
    pub(crate) markets: Vec<Market>,
    /// When other participants act next.
    pub(crate) next_step: u64,
    /// When funding is paid next.
    pub(crate) next_funding: u64,
    pub(crate) users: Vec<User>,
    pub(crate) keys: FxHashMap<String, usize>,
    pub(crate) accounts: Vec<Account>,
    pub(crate) orders: Orders,
    /// Positions with a take-profit or a stop-loss: pair, account, position.
    pub(crate) guarded: BTreeSet<(usize, usize, PositionSide)>,
    /// All positions: pair, account, position.
    pub(crate) held: BTreeSet<(usize, usize, PositionSide)>,
    /// Accounts whose positions have changed since it was checked whether they have to be liquidated.
    pub(crate) changed: BTreeSet<usize>,
    /// Ended spot orders with a take-profit or a stop-loss for what they traded: pair, order.
    pub(crate) bought: BTreeSet<(usize, u64)>,
    /// Conditional orders by their ids, and those that wait: pair, order.
    pub(crate) plans: BTreeMap<u64, Plan>,
    pub(crate) waiting: BTreeSet<(usize, u64)>,
    /// The cost of liquidations beyond the funds of their accounts, by coin.
    pub(crate) insurance: BTreeMap<Coin, Decimal>,
    last_id: u64,
    pub(crate) tasks: BTreeMap<(u64, u64), Task>,
    /// Scheduled deletions of orders: cancelled ones of the unified family, and all others.
    pub(crate) forget: [VecDeque<(u64, u64)>; 2],
    /// Conditional orders that ended, the first one first.
    pub(crate) ended_plans: VecDeque<u64>,
    /// When old fills were last deleted.
    pub(crate) fills_forgotten: u64,
    events: VecDeque<Event>,
    pub(crate) limits: Limits,
    pub(crate) faults: Faults,
    /// Earlier versions of orders, if nodes or listings lag.
    pub(crate) views: Option<Box<Views>>,
    /// The state of a hostile exchange.
    pub(crate) hostile: Option<Box<Hostile>>,
    /// The refusal of all items of a batch, as a fault.
    pub(crate) refused_items: Option<Refusal>,
    /// The value that the answer to a request shows which sets something, as a fault.
    pub(crate) shown_value: Option<ShownValue>,
    /// True if the last request that sets something left the value as it was.
    pub(crate) is_kept: bool,
    /// The number of violations of each rule and limit.
    pub(crate) violations: BTreeMap<String, u64>,
    /// The number of times that each parameter was ignored because no document lists it.
    pub(crate) ignored: BTreeMap<String, u64>,
    pub(crate) journal: Option<Journal>,
    setup: Setup,
    /// The latest requests, if there is a page.
    pub(crate) log: Option<Log>,
    /// All requests with what they did, if a program is judged.
    pub(crate) trace: Option<Trace>,
    dice: Dice,
}

impl Core {
    pub(crate) fn new(setup: Setup, now: u64) -> Self {
        let settings = setup.settings.clone();
        let pairs = setup.pairs();
        let seed = settings.seed;
        let markets = (1..).zip(&pairs).map(|(purpose, pair)| Market::new(pair, Dice::new(seed, purpose))).collect();
        let faults = Faults::new(Dice::new(seed, u64::MAX));
        let mut core = Self {
            settings,
            now,
            by_symbol: (0..)
                .zip(&pairs)
                .flat_map(|(at, pair)| pair.names().map(move |name| ((pair.line, name), at)))
                .collect(),
            listed: instruments::listed(&pairs),
            books: vec![Book::default(); pairs.len()],
            markets,
            pairs,
            next_step: now,
            next_funding: now - now % FUNDING + FUNDING,
            users: Vec::new(),
            keys: FxHashMap::default(),
            accounts: Vec::new(),
            orders: Orders::default(),
            guarded: BTreeSet::new(),
            held: BTreeSet::new(),
            changed: BTreeSet::new(),
            bought: BTreeSet::new(),
            plans: BTreeMap::new(),
            waiting: BTreeSet::new(),
            insurance: BTreeMap::new(),
            last_id: FIRST_ID,
            tasks: BTreeMap::new(),
            forget: Default::default(),
            ended_plans: VecDeque::new(),
            fills_forgotten: now,
            events: VecDeque::new(),
            limits: Limits::default(),
            faults,
            views: None,
            hostile: None,
            refused_items: None,
            shown_value: None,
            is_kept: false,
            violations: BTreeMap::new(),
            ignored: BTreeMap::new(),
            journal: None,
            log: None,
            trace: None,
            dice: Dice::new(seed, 0),
            setup,
        };
        core.play_back();
        core.faults.list = core.setup.faults.clone();
        core.set_conditions(core.setup.conditions.clone());
        core
    }

    pub(crate) fn set_conditions(&mut self, conditions: Conditions) {
        match (&mut self.hostile, &conditions.hostility) {
            (Some(hostile), Some(settings)) => hostile.settings = settings.clone(),
            (hostile, settings) => {
                *hostile = settings.clone().map(|settings| Box::new(Hostile::new(settings)));
                self.views = None;
            }
        }
        let lags = conditions.lag > 0 || self.hostile.is_some();
        let is_open = |order: &&Order| order.state.is_open();
        if !lags {
            self.views = None;
        } else if self.views.is_none() {
            self.views = Some(Box::new(Views::of(self.orders.iter().filter(is_open), self.now)));
        }
        self.faults.conditions = conditions;
    }

    /// Schedules a task.
    pub(crate) fn later(&mut self, delay: Duration, task: Task) {
        let at = self.now.saturating_add(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
        let id = self.new_id();
        self.tasks.insert((at, id), task);
    }

    /// Schedules the steps of the recorded markets. A recording that cannot be read has none.
    fn play_back(&mut self) {
        let of_pair = |pair| self.setup.market_steps(pair).unwrap_or_default();
        let planned: Vec<_> = self.pairs.iter().map(of_pair).collect();
        let pause = self.setup.pause_before_playback(self.now);
        for (index, steps) in planned.into_iter().enumerate() {
            let market = &mut self.markets[index];
            market.is_played_back = !steps.is_empty();
            if let Some((_, MarketStep::Open(ticks))) = steps.iter().min_by_key(|(at, _)| *at) {
                (market.mid, market.last) = (*ticks, *ticks);
            }
            for (at, step) in steps {
                self.later(Duration::from_millis(pause.saturating_add(at)), Task::Market(index, step));
            }
        }
    }

    /// Returns the insider trades and commissions that the setup states.
    pub(crate) fn reports(&self) -> &Reports {
        &self.setup.reports
    }

    /// Opens the accounts of a user and returns the key, the secret and the passphrase.
    pub(crate) fn open(&mut self, profile: Profile) -> [String; 3] {
        let keys = [(); 3].map(|()| self.dice.digits());
        let [key, secret, _] = &keys;
        let user = self.users.len();
        let [classic, unified] = [Family::Classic, Family::Unified].map(|family| {
            self.accounts.push(Account::new(user, family, &profile, &self.pairs));
            self.accounts.len() - 1
        });
        let signer = HmacSha256::new(secret);
        let id = 1_000_000 + u64::try_from(user).unwrap_or_default();
        let permissions = profile.permissions.clone();
        self.users.push(User {
            id,
            profile,
            permissions,
            signer,
            keys: keys.clone(),
            classic,
            unified,
            opened_at: self.now,
        });
        self.keys.insert(key.clone(), user);
        keys
    }

    /// Resets the exchange at `now`, with the users and their keys. Ids continue, so that no two orders share one.
    pub(crate) fn reset(&mut self, now: u64) {
        let mut fresh = Self::new(self.setup.clone(), now);
        for user in self.users.drain(..) {
            fresh.open(user.profile);
        }
        fresh.last_id = self.last_id;
        fresh.log = self.log.take().map(Log::cleared);
        fresh.journal = self.journal.take();
        fresh.trace = self.trace.take();
        *self = fresh;
    }

    /// Serves what was counted when its request arrived, without counting it again.
    pub(crate) fn beyond_limits<T>(&mut self, serve: impl FnOnce(&mut Self) -> T) -> T {
        let counts = std::mem::replace(&mut self.settings.rate_limits, false);
        let served = serve(self);
        self.settings.rate_limits = counts;
        served
    }

    /// Returns a new id, greater than all earlier ones.
    pub(crate) fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Returns the id that comes next.
    pub(crate) fn next_id(&self) -> u64 {
        self.last_id + 1
    }

    /// Returns the pair that a family trades under a name.
    pub(crate) fn pair(&self, family: Family, line: Line, symbol: &str) -> Option<usize> {
        let line = if line == Line::Margin { Line::Spot } else { line };
        let index = *self.by_symbol.get(&(line, symbol))?;
        self.pairs[index].is_listed(family).then_some(index)
    }

    /// Returns a symbol as the exchange lists it: among the pairs that a family trades in a business line, or among all.
    /// A tolerant exchange reads it in any letters.
    pub(crate) fn listed_symbol(&self, family: Family, line: Option<Line>, symbol: &str) -> Option<&'static str> {
        let line = if line == Some(Line::Margin) { Some(Line::Spot) } else { line };
        let is_meant = |pair: &&Instrument| line.is_none_or(|line| pair.line == line && pair.is_listed(family));
        let exact = line.and_then(|line| self.by_symbol.get(&(line, symbol))).map(|index| &self.pairs[*index]);
        let of_any = || self.pairs.iter().filter(is_meant).find(|pair| pair.is_named(symbol));
        let in_any_letters = || {
            let mut meant = self.pairs.iter().filter(is_meant).filter(|_| self.settings.tolerant);
            meant.find(|pair| pair.symbol.eq_ignore_ascii_case(symbol))
        };
        exact.filter(is_meant).or_else(of_any).or_else(in_any_letters).map(|pair| pair.symbol)
    }

    /// Returns a coin as the exchange lists it. A tolerant exchange reads it in any letters.
    pub(crate) fn listed_coin(&self, coin: &str) -> Option<Coin> {
        let mut coins = self.pairs.iter().flat_map(|pair| [pair.quote, pair.base]);
        coins.find(|listed| *listed == coin || self.settings.tolerant && listed.eq_ignore_ascii_case(coin))
    }

    /// Returns whether a pair is margined in a coin.
    pub(crate) fn is_margined_in(&self, pair: usize, coin: &str) -> bool {
        self.pairs[pair].settle() == coin
    }

    /// Returns the order that comes next at `side`'s best price, or the price of the market.
    pub(crate) fn reference(&self, pair: usize, side: Side) -> u64 {
        self.books[pair].best_price(side.opposite()).unwrap_or(self.markets[pair].mid)
    }

    pub(crate) fn publish(&mut self, event: Event) {
        if let Some(hostile) = &mut self.hostile {
            hostile.count(&event);
        }
        if let Some(views) = &mut self.views {
            views.touch(&event);
        }
        if let Some(trace) = &mut self.trace {
            trace.note(&event);
        }
        record(&mut self.events, event, MAX_EVENTS);
    }

    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.events.drain(..).collect()
    }
}

/// A scheduled task.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Places the order that replaces a modified one.
    Place(Box<Ticket>),
    /// Applies a modification.
    Amend(u64, Changes),
    /// The next step of a market that is played back.
    Market(usize, MarketStep),
    /// Cancels every order of an account, if the countdown that set it still runs.
    CancelAll(usize),
    /// Serves a request that a hostile exchange has delayed.
    Late(Box<Late>),
}

/// A request whose effect is delayed.
#[derive(Clone)]
pub(crate) struct Late {
    pub(crate) meta: &'static Meta,
    pub(crate) user: Option<usize>,
    pub(crate) address: IpAddr,
    pub(crate) parameters: String,
    /// The number of the request in the trace, if there is one.
    pub(crate) call: Option<usize>,
    /// When all nodes show its effect.
    pub(crate) settled: u64,
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").field("operation", &self.meta.id).finish_non_exhaustive()
    }
}
