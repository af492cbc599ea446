//! The exchange as a program holds it: shared, with a clock, and typed functions for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Request, Response};
use rust_decimal::Decimal;
use tradeapi::runtime::ClientBuilder;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::transport::{ResponseFuture, Transport};
use tradeapi::{Client, Credentials};

use crate::accounts::Profile;
use crate::dice::Seed;
use crate::gate::{self, Fault};
use crate::orders::State;
use crate::reading::number;
use crate::state::{Core, Event, Settings};
use crate::time::Time;
use crate::words::{Family, Line, Pos, Side};

/// An exchange. Clones share it.
///
/// It is also a [`Transport`]: a client that sends through it needs no sockets. [`client`](Self::client) builds one.
#[derive(Clone)]
pub struct Exchange {
    core: Arc<Mutex<Core>>,
    time: Time,
    keys: Keys,
}

/// What a user signs with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The API key.
    pub key: String,
    /// The secret. It is worth nothing anywhere else.
    pub secret: String,
    /// The passphrase.
    pub passphrase: String,
}

impl Keys {
    /// The same, for a client.
    pub fn credentials(&self) -> Credentials {
        Credentials::new(&self.key, &self.secret, &self.passphrase)
    }
}

/// What a function for tests was asked is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible(String);

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Impossible {}

/// An account at a moment, for assertions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountView {
    /// The coins that the account has, or had.
    pub balances: BTreeMap<String, BalanceView>,
    /// The open positions.
    pub positions: Vec<PositionView>,
    /// The orders that wait, the oldest first.
    pub open_orders: Vec<OrderView>,
}

/// What an account has of a coin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BalanceView {
    /// All of it, borrowed funds included.
    pub total: Decimal,
    /// What orders and positions leave free.
    pub available: Decimal,
    /// Held back for orders.
    pub frozen: Decimal,
    /// What is owed.
    pub debt: Decimal,
}

/// An open position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PositionView {
    /// The line of business.
    pub line: Line,
    /// The pair.
    pub symbol: String,
    /// Which position of the pair.
    pub pos: Pos,
    /// The side that opened it.
    pub side: Side,
    /// The quantity.
    pub qty: Decimal,
    /// The margin that it holds.
    pub margin: Decimal,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OrderView {
    /// The exchange's id.
    pub id: String,
    /// The client's id.
    pub client_id: Option<String>,
    /// The pair.
    pub symbol: String,
    /// The side in the book.
    pub side: Side,
    /// The limit.
    pub price: Option<Decimal>,
    /// The quantity.
    pub qty: Decimal,
    /// The filled quantity.
    pub filled: Decimal,
    /// The state.
    pub state: State,
}

/// The book of a pair: price and quantity of each level, the best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookView {
    /// The buy side.
    pub bids: Vec<(Decimal, Decimal)>,
    /// The sell side.
    pub asks: Vec<(Decimal, Decimal)>,
}

impl Exchange {
    /// An exchange for tests: its time is moved by hand, other participants only quote, and no call is one too many.
    /// Its user is the [default one](Profile::default).
    pub fn new(seed: Seed) -> Self {
        let settings = Settings { seed, rate_limits: false, ..Settings::default() };
        Self::with(settings, Time::by_hand(), Profile::default())
    }

    /// An exchange with these settings, this clock and one user.
    pub fn with(settings: Settings, time: Time, profile: Profile) -> Self {
        let mut core = Core::new(settings, time.now().as_millis());
        let [key, secret, passphrase] = core.open(profile);
        Self { core: Arc::new(Mutex::new(core)), time, keys: Keys { key, secret, passphrase } }
    }

    /// The keys of the first user.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Opens accounts for another user, and returns the keys.
    pub fn open_account(&self, profile: Profile) -> Keys {
        let [key, secret, passphrase] = self.core().open(profile);
        Keys { key, secret, passphrase }
    }

    /// The time. Advancing it moves the exchange and the pauses of its clients.
    pub fn time(&self) -> &Time {
        &self.time
    }

    /// A client of the first user, without sockets.
    ///
    /// # Panics
    ///
    /// Never: all its settings are valid.
    #[allow(clippy::expect_used, reason = "a build can fail only for what a caller sets, and nothing is set here")]
    pub fn client(&self) -> Client {
        self.client_of(&self.keys).build().expect("the settings of the builder are valid")
    }

    /// A builder for a client of a user, without sockets. The client takes its time from the exchange and leaves rate
    /// limits to it.
    pub fn client_of(&self, keys: &Keys) -> ClientBuilder<Client> {
        Client::builder("http://127.0.0.1")
            .credentials(keys.credentials())
            .transport(self.clone())
            .clock(self.time.clone())
            .timer(self.time.clone())
            .limits(LimitMode::Off)
    }

    /// Answers a request that comes from `address` now.
    pub fn answer(&self, request: &Request<Bytes>, address: IpAddr) -> Response<Bytes> {
        // The time is read behind the lock, so that a reset, which may set it back, comes before or after.
        let mut core = self.core();
        let now = self.time.now();
        gate::answer(&mut core, now, request, address)
    }

    /// Someone fills `qty` of an order that waits, at its price. The order is named by either of its ids.
    ///
    /// # Errors
    ///
    /// No such order waits, or less of it.
    pub fn fill(&self, order: impl fmt::Display, qty: impl Into<tradeapi::Decimal>) -> Result<(), Impossible> {
        let (mut core, name) = (self.core(), order.to_string());
        let is_meant = |order: &&crate::orders::Order| order.id.to_string() == name || order.client() == Some(&name);
        let found = core.orders.values().filter(|order| order.spot.is_some()).find(is_meant);
        let found = found.ok_or_else(|| Impossible(format!("no order {name} waits")))?;
        let (id, index, spot, remaining) = (found.id, found.instrument, found.spot, found.remaining());
        let qty = number(&qty.into()).ok().and_then(|qty| core.pairs[index].lots(qty));
        let lots = qty.filter(|lots| (1..=remaining).contains(lots));
        let (Some(lots), Some(spot)) = (lots, spot) else {
            let rest = core.pairs[index].qty(remaining);
            return Err(Impossible(format!("order {name} can be filled by a part of {rest}, a multiple of the step")));
        };
        core.books[index].reduce(spot, lots);
        core.fill(id, spot.ticks, lots, false);
        core.trigger(index);
        Ok(())
    }

    /// Moves the price of a pair, in all lines that trade it. Others quote around it, and orders beyond it are filled.
    ///
    /// # Errors
    ///
    /// No line has such a pair, or the price is not a multiple of its step.
    pub fn set_price(&self, symbol: &str, price: impl Into<tradeapi::Decimal>) -> Result<(), Impossible> {
        let (mut core, price) = (self.core(), price.into());
        let indices: Vec<usize> = (0..core.pairs.len()).filter(|index| core.pairs[*index].symbol == symbol).collect();
        if indices.is_empty() {
            return Err(Impossible(format!("there is no pair {symbol}")));
        }
        for index in indices {
            let ticks = number(&price).ok().and_then(|price| core.pairs[index].ticks(price));
            let ticks = ticks.filter(|ticks| *ticks <= core.pairs[index].opening * 100);
            let ticks = ticks.ok_or_else(|| Impossible(format!("{price} is not a possible price of {symbol}")))?;
            core.set_mid(index, ticks);
        }
        Ok(())
    }

    /// The next request that changes something is refused with this code, and does nothing.
    pub fn refuse_next(&self, code: impl Into<String>) {
        self.core().faults.push_back(Fault::Refuse(code.into()));
    }

    /// The next request that changes something is carried out, and its answer has this code all the same.
    pub fn hide_next(&self, code: impl Into<String>) {
        self.core().faults.push_back(Fault::Hide(code.into()));
    }

    /// Forgets the codes that [`refuse_next`](Self::refuse_next) and [`hide_next`](Self::hide_next) have left over.
    pub fn refuse_nothing(&self) {
        self.core().faults.clear();
    }

    /// Begins anew: without orders, positions and fills, with the balances and prices of the beginning. Users keep
    /// their keys, and ids go on. A clock that runs shows the system's time again.
    pub fn reset(&self) {
        let mut core = self.core();
        self.time.set_right();
        core.reset(self.time.now().as_millis());
    }

    /// Puts a pair into delivery or under risk control, or ends that: nothing can be placed or closed.
    pub fn suspend(&self, symbol: &str, is_suspended: bool) {
        for pair in self.core().pairs.iter_mut().filter(|pair| pair.symbol == symbol) {
            pair.suspended = is_suspended;
        }
    }

    /// What happened since the last call, at most the last ten thousand events.
    pub fn take_events(&self) -> Vec<Event> {
        self.core().take_events()
    }

    /// The account of a user now.
    pub fn account(&self, keys: &Keys, family: Family) -> AccountView {
        let mut core = self.core();
        core.advance(self.time.now().as_millis());
        let Some(user) = core.keys.get(&keys.key) else { return AccountView::default() };
        let account = &core.accounts[core.users[*user].account(family)];
        let balances = account.balances.iter().map(|(coin, balance)| {
            let (available, debt) = (balance.available(), balance.debt);
            ((*coin).to_owned(), BalanceView { total: balance.total, available, frozen: balance.frozen, debt })
        });
        let positions = account.positions.iter().map(|((index, pos), position)| {
            let pair = &core.pairs[*index];
            PositionView {
                line: pair.line,
                symbol: pair.symbol.to_owned(),
                pos: *pos,
                side: position.side,
                qty: pair.qty(position.lots),
                margin: position.margin,
            }
        });
        let orders = account.open.iter().filter_map(|id| core.orders.get(id)).map(|order| {
            let pair = &core.pairs[order.instrument];
            OrderView {
                id: order.id.to_string(),
                client_id: order.client().map(str::to_owned),
                symbol: pair.symbol.to_owned(),
                side: order.ticket.side,
                price: order.ticks.map(|ticks| pair.price(ticks)),
                qty: pair.qty(order.lots),
                filled: pair.qty(order.filled),
                state: order.state,
            }
        });
        AccountView { balances: balances.collect(), positions: positions.collect(), open_orders: orders.collect() }
    }

    /// The book of a pair now.
    pub fn book(&self, line: Line, symbol: &str) -> BookView {
        let mut core = self.core();
        core.advance(self.time.now().as_millis());
        let found = core.pairs.iter().position(|pair| pair.line == line && pair.symbol == symbol);
        let Some(index) = found else { return BookView::default() };
        let pair = &core.pairs[index];
        let levels = |side| {
            let depth = core.books[index].depth(side).into_iter();
            depth.map(|(ticks, lots)| (pair.price(ticks), pair.qty(lots))).collect()
        };
        BookView { bids: levels(Side::Buy), asks: levels(Side::Sell) }
    }

    pub(crate) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Exchange {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move { Ok(self.answer(&request, IpAddr::V4(Ipv4Addr::LOCALHOST))) })
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("time", &self.time.now()).finish_non_exhaustive()
    }
}
