//! The public handle of the exchange: shared, with a clock and typed functions for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use rust_decimal::Decimal;
use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::error::{TransportError, TransportErrorKind};
use tradeapi::runtime::transport::{ResponseFuture, Transport, TransportLimits};
use tradeapi::runtime::{self, ClientBuilder};
use tradeapi::{Client, Credentials, Timestamp};

use crate::access::account_view::{AccountView, BookView, OrderView};
use crate::access::gate;
use crate::access::time::Time;
use crate::operations::reading::number;
use crate::state::accounts::Profile;
use crate::state::core::Core;
use crate::state::dice::Seed;
use crate::state::events::Event;
use crate::state::faults::{Conditions, Fault, FaultKind};
use crate::state::hostile::Counts;
use crate::state::instruments::PairName;
use crate::state::journal::{Action, Journal};
use crate::state::journal_entry::{Delivered, Delivery};
use crate::state::settings::Settings;
use crate::state::setup::Setup;
use crate::state::values::Price;
use crate::state::words::{Accounts, Family, Line, Mode, Side};

/// An exchange. Clones share it.
///
/// It is also a [`Transport`]: a client that sends through it needs no sockets. [`client`](Self::client) builds one. A
/// call without an answer ends after 15 seconds of its clock, as over the default transport.
#[derive(Clone)]
pub struct Exchange {
    core: Arc<Mutex<Core>>,
    time: Time,
    keys: Keys,
}

/// The credentials of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// The API key.
    pub key: String,
    /// The secret, which only this exchange accepts.
    pub secret: String,
    /// The passphrase.
    pub passphrase: String,
}

impl Keys {
    /// Returns the credentials in the form that a client takes.
    pub fn credentials(&self) -> Credentials {
        Credentials::new(&self.key, &self.secret, &self.passphrase)
    }
}

/// An invalid argument of a function for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidArgument(String);

impl fmt::Display for InvalidArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidArgument {}

impl Exchange {
    /// Creates an exchange for tests: its time is moved by hand, other participants only quote, and rates are
    /// unlimited. Its user has the [default profile](Profile::default).
    pub fn new(seed: Seed) -> Self {
        Self::for_user(seed, Profile::default())
    }

    /// Creates an exchange as [`new`](Self::new) does, with a user of this profile.
    pub fn for_user(seed: Seed, profile: Profile) -> Self {
        let settings = Settings { seed, rate_limits: false, ..Settings::default() };
        Self::with(settings, Time::by_hand(), profile)
    }

    /// Creates an exchange with these settings, this clock and one user.
    pub fn with(settings: Settings, time: Time, profile: Profile) -> Self {
        Self::of(Setup::of(settings, profile), time)
    }

    /// Creates an exchange that begins with a setup.
    pub fn of(setup: Setup, time: Time) -> Self {
        let speed = time.speed();
        Self::begun_at_speed(setup, time, speed)
    }

    /// Creates an exchange that begins with a setup and whose journal states the speed of the clock.
    pub(super) fn begun_at_speed(mut setup: Setup, time: Time, speed: u32) -> Self {
        if setup.users.is_empty() {
            setup.users.push(Profile::default());
        }
        let now = time.now().as_millis();
        let journal = setup.settings.journal.then(|| Journal::new(&setup, now, speed));
        let users = setup.users.clone();
        let mut core = Core::new(setup, now);
        core.journal = journal;
        let mut keys = users.into_iter().map(|profile| core.open(profile)).collect::<Vec<_>>().into_iter();
        let [key, secret, passphrase] = keys.next().unwrap_or_default();
        Self { core: Arc::new(Mutex::new(core)), time, keys: Keys { key, secret, passphrase } }
    }

    /// Returns the same exchange with another clock. Earlier clones keep theirs.
    pub fn continue_at(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// Returns the number of violations of each rule and limit, by their ids.
    pub fn violations(&self) -> BTreeMap<String, u64> {
        self.core().violations.clone()
    }

    /// Returns what the insurance account has of each coin: less than zero where it paid for losses beyond the funds of
    /// accounts.
    pub fn insurance(&self) -> BTreeMap<String, Decimal> {
        self.core().insurance.iter().map(|(coin, amount)| ((*coin).to_owned(), *amount)).collect()
    }

    /// Returns the keys of the first user.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Adds a user, and returns the keys.
    pub fn open_account(&self, profile: Profile) -> Keys {
        let (mut core, now) = (self.core(), self.time.now().as_millis());
        // Opening accounts cannot fail.
        let _ = core.act(now, Action::Open(Box::new(profile)));
        let [key, secret, passphrase] = core.users.last().map(|user| user.keys.clone()).unwrap_or_default();
        Keys { key, secret, passphrase }
    }

    /// Returns the time. Advancing it moves the exchange and the pauses of its clients.
    pub fn time(&self) -> &Time {
        &self.time
    }

    /// Returns a client of the first user, without sockets.
    ///
    /// # Panics
    ///
    /// Never: all its settings are valid.
    #[allow(clippy::expect_used, reason = "a build can fail only for what a caller sets, and nothing is set here")]
    pub fn client(&self) -> Client {
        self.client_of(&self.keys).build().expect("the settings of the builder are valid")
    }

    /// Returns a builder for a client of a user, without sockets. The client takes its time from the exchange and
    /// leaves rate limits to it.
    pub fn client_of(&self, keys: &Keys) -> ClientBuilder<Client> {
        Client::builder("http://127.0.0.1")
            .credentials(keys.credentials())
            .transport(self.clone())
            .environment(self.time.clone())
            .limits(LimitMode::Off)
    }

    /// Answers a request from `address`, now. The answer arrives at once and complete, regardless of
    /// [faults](Self::add_fault); an answer that a fault loses is empty, with status 502.
    pub fn answer(&self, request: &Request<Bytes>, address: IpAddr) -> Response<Bytes> {
        match self.deliver(request, address).delivered {
            Delivered::Whole(answer)
            | Delivered::Last(answer)
            | Delivered::Slow(answer, _)
            | Delivered::Half(answer)
            | Delivered::Misstated(answer, _) => answer,
            Delivered::Raw(_) | Delivered::Nothing | Delivered::Reset | Delivered::Outage(_) | Delivered::Hang => {
                let mut lost = Response::default();
                *lost.status_mut() = StatusCode::BAD_GATEWAY;
                lost
            }
        }
    }

    /// Answers a request from `address`, now, and returns how the answer arrives.
    pub fn deliver(&self, request: &Request<Bytes>, address: IpAddr) -> Delivery {
        // The time is read under the lock, so that a reset, which may set it back, comes before or after.
        let mut core = self.core();
        let now = self.time.now();
        gate::answer(&mut core, now, request, address)
    }

    /// Delivers as [`deliver`](Self::deliver) does, at a time that the caller sets, such as in a simulation. Time does
    /// not go back.
    pub fn deliver_at(&self, now: Timestamp, request: &Request<Bytes>, address: IpAddr) -> Delivery {
        gate::answer(&mut self.core(), now, request, address)
    }

    /// Advances an exchange whose time the caller sets, with everything that is due by `now`.
    pub fn advance_to(&self, now: Timestamp) {
        self.core().advance(now.as_millis());
    }

    fn act(&self, action: Action) -> Result<(), InvalidArgument> {
        let mut core = self.core();
        let now = self.time.now().as_millis();
        core.act(now, action).map_err(InvalidArgument)
    }

    /// Advances the exchange to the time of its clock.
    pub(crate) fn core_now(&self) -> MutexGuard<'_, Core> {
        let mut core = self.core();
        let now = self.time.now().as_millis();
        if core.settings.lively && now > core.now {
            // An observation cannot fail. In a lively market it splits a long pause into steps, so the journal has it.
            let _ = core.act(now, Action::Look);
        } else {
            core.advance(now);
        }
        core
    }

    /// Fills `qty` of an open order at its price. The order is named by either of its ids.
    ///
    /// # Errors
    ///
    /// There is no such open order, or less of it is open.
    pub fn fill(&self, order: impl fmt::Display, qty: impl Into<tradeapi::Decimal>) -> Result<(), InvalidArgument> {
        let qty = number("qty", &qty.into()).map_err(|_| InvalidArgument(format!("order {order}: not a quantity")))?;
        self.act(Action::Fill { order: order.to_string(), qty: Price(qty) })
    }

    /// Moves the price of a pair in all business lines, or in one of them. Other participants quote around it, and orders
    /// beyond it are filled.
    ///
    /// # Errors
    ///
    /// There is no such pair, or the price is not a multiple of its step, leaves no space for quotes, or is more than a
    /// hundred times that of the start.
    pub fn set_price(
        &self,
        pair: impl Into<PairName>,
        price: impl Into<tradeapi::Decimal>,
    ) -> Result<(), InvalidArgument> {
        let (PairName { line, symbol }, price) = pair_at(pair, price)?;
        self.act(Action::Price { symbol, line, price })
    }

    /// Sets the price of the latest trade in all business lines, or in one of them, without the quotes of others: it
    /// triggers take-profits and stop-losses.
    ///
    /// # Errors
    ///
    /// There is no such pair, or the price is not a multiple of its step, or more than a hundred times that of the start.
    pub fn set_last_price(
        &self,
        pair: impl Into<PairName>,
        price: impl Into<tradeapi::Decimal>,
    ) -> Result<(), InvalidArgument> {
        let (PairName { line, symbol }, price) = pair_at(pair, price)?;
        self.act(Action::Last { symbol, line, price })
    }

    /// Sets a mark price in all business lines, or in one of them, by which profits, liquidation and funding go; `None`
    /// returns to the price around which others quote.
    ///
    /// # Errors
    ///
    /// As for [`set_last_price`](Self::set_last_price).
    pub fn set_mark_price(
        &self,
        pair: impl Into<PairName>,
        price: Option<tradeapi::Decimal>,
    ) -> Result<(), InvalidArgument> {
        let PairName { line, symbol } = pair.into();
        let price = price.map(|price| price_of(&symbol, price)).transpose()?;
        self.act(Action::Mark { symbol, line, price })
    }

    /// Sets the quotes of other participants: bids and asks, each a price and a quantity. They stay until they are traded,
    /// and come back, until they are set again; `None` lets others quote by themselves.
    ///
    /// # Errors
    ///
    /// There is no such pair, a number is not a multiple of its step, or a bid is not below all asks.
    pub fn set_book(&self, line: Line, symbol: &str, book: Option<BookView>) -> Result<(), InvalidArgument> {
        let levels = |levels: Vec<(Decimal, Decimal)>| {
            levels.into_iter().map(|(price, qty)| (Price(price), Price(qty))).collect()
        };
        let quotes = book.map(|book| [levels(book.bids), levels(book.asks)]);
        self.act(Action::Book { line, symbol: symbol.to_owned(), quotes })
    }

    /// Sends an order of another participant, which trades with what is in the book. The rest of it stays there, unless it
    /// has no price.
    ///
    /// # Errors
    ///
    /// There is no such pair, or a number is not a multiple of its step.
    pub fn place_for_others(
        &self,
        line: Line,
        symbol: &str,
        side: Side,
        price: Option<tradeapi::Decimal>,
        qty: impl Into<tradeapi::Decimal>,
    ) -> Result<(), InvalidArgument> {
        let price = price.map(|price| price_of(symbol, price)).transpose()?;
        let qty = price_of(symbol, qty.into())?;
        self.act(Action::Other { line, symbol: symbol.to_owned(), side, price, qty })
    }

    /// Sets the balance of a coin in a user's account.
    ///
    /// # Errors
    ///
    /// There is no such user or coin, or orders and positions use more.
    pub fn set_balance(
        &self,
        keys: &Keys,
        family: Family,
        coin: &str,
        amount: impl Into<tradeapi::Decimal>,
    ) -> Result<(), InvalidArgument> {
        let (user, amount) = (self.user(keys)?, price_of(coin, amount.into())?);
        self.act(Action::Balance { user, family, coin: coin.to_owned(), amount })
    }

    /// Sets how the accounts of a user keep positions.
    ///
    /// # Errors
    ///
    /// There is no such user, or there are positions or open orders.
    pub fn set_mode(&self, keys: &Keys, mode: Mode) -> Result<(), InvalidArgument> {
        self.act(Action::Mode { user: self.user(keys)?, mode })
    }

    /// Restricts a key to these permissions, as [`Profile::permissions`] does; `None` gives all.
    ///
    /// # Errors
    ///
    /// There is no such user.
    pub fn set_permissions(&self, keys: &Keys, permissions: Option<Vec<String>>) -> Result<(), InvalidArgument> {
        self.act(Action::Permissions { user: self.user(keys)?, permissions })
    }

    fn user(&self, keys: &Keys) -> Result<u64, InvalidArgument> {
        let core = self.core();
        let user = core.keys.get(&keys.key).map(|user| core.users[*user].id);
        user.ok_or_else(|| InvalidArgument("there is no user with this key".to_owned()))
    }

    /// Returns the accounts behind a key; `None` if there is no user with it.
    pub fn accounts(&self, keys: &Keys) -> Option<Accounts> {
        let core = self.core();
        Some(core.users[*core.keys.get(&keys.key)?].profile.accounts)
    }

    /// Returns the accounts of the user with an id.
    pub(crate) fn accounts_of(&self, user: u64) -> Option<Accounts> {
        Some(self.core().users.iter().find(|one| one.id == user)?.profile.accounts)
    }

    /// Sets the speed of the clock, and advances it.
    pub(crate) fn set_clock(&self, speed: Option<u32>, step: Duration) {
        let mut core = self.core();
        if let Some(speed) = speed {
            self.time.set_speed(speed);
        }
        self.time.advance(step);
        // A clock can be set to any speed.
        let _ = core.act(self.time.now().as_millis(), Action::Clock { speed: self.time.speed() });
    }

    pub(crate) fn control(&self, action: Action) -> Result<(), InvalidArgument> {
        self.act(action)
    }

    /// Adds a fault. The first fault that applies to a request takes effect.
    pub fn add_fault(&self, fault: Fault) {
        // Adding a fault cannot fail.
        let _ = self.act(Action::Fault(fault));
    }

    /// Sets the conditions of the network and the nodes.
    pub fn set_conditions(&self, conditions: Conditions) {
        // Setting conditions cannot fail.
        let _ = self.act(Action::Conditions(conditions));
    }

    /// Returns the conditions of the network and the nodes.
    pub fn conditions(&self) -> Conditions {
        self.core().faults.conditions.clone()
    }

    /// Returns what a [hostile](Conditions::hostility) exchange has done, in numbers.
    pub fn hostile_counts(&self) -> Counts {
        self.core().hostile.as_ref().map(|hostile| hostile.counts.clone()).unwrap_or_default()
    }

    /// Returns the requests that a hostile exchange has faulted, by their content and how often they were sent.
    pub fn faulted_requests(&self) -> BTreeSet<String> {
        self.core().hostile.as_ref().map(|hostile| hostile.faulted.clone()).unwrap_or_default()
    }

    /// Refuses the next change with this code, without an effect.
    pub fn refuse_next(&self, code: impl Into<String>) {
        self.add_fault(Fault::new(FaultKind::Refuse(code.into())).times(1));
    }

    /// Carries out the next change, but answers with this code.
    pub fn hide_next(&self, code: impl Into<String>) {
        self.add_fault(Fault::new(FaultKind::Hide(code.into())).times(1));
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        // Removing faults cannot fail.
        let _ = self.act(Action::ClearFaults);
    }

    /// Resets the exchange to its setup: removes orders, positions, fills and later faults, and restores the initial
    /// balances, prices, permissions and conditions. Users keep their keys, also those that were added, and ids continue.
    /// The clock has the speed of the start again, and stands still if it did so then. A clock that began at the system's
    /// time returns to that.
    pub fn reset(&self) {
        let mut core = self.core();
        self.time.restart();
        // A reset cannot fail.
        let _ = core.act(self.time.now().as_millis(), Action::Reset);
    }

    /// Suspends or resumes a pair in all business lines, or in one of them, as for delivery or risk control. Nothing can be
    /// placed or closed in a suspended pair.
    ///
    /// # Errors
    ///
    /// There is no such pair.
    pub fn suspend(&self, pair: impl Into<PairName>, is_suspended: bool) -> Result<(), InvalidArgument> {
        let PairName { line, symbol } = pair.into();
        self.act(Action::Suspend { symbol, line, is_suspended })
    }

    /// Returns the events since the last call, at most the last ten thousand.
    pub fn take_events(&self) -> Vec<Event> {
        self.core_now().take_events()
    }

    /// Returns a snapshot of a user's account.
    pub fn account(&self, keys: &Keys, family: Family) -> AccountView {
        let core = self.core_now();
        let Some(user) = core.keys.get(&keys.key) else { return AccountView::default() };
        AccountView::of(&core, &core.accounts[core.users[*user].account(family)])
    }

    /// Returns an order by its id, unless its record was deleted.
    pub fn order(&self, id: u64) -> Option<OrderView> {
        let core = self.core();
        core.orders.get(&id).map(|order| OrderView::of(&core, order))
    }

    /// Returns the ids of a user's open orders, and of those that have ended, the latest first.
    pub fn order_ids(&self, keys: &Keys, family: Family) -> [Vec<u64>; 2] {
        let core = self.core_now();
        let Some(user) = core.keys.get(&keys.key) else { return [Vec::new(), Vec::new()] };
        let account = &core.accounts[core.users[*user].account(family)];
        [&account.open, &account.closed].map(|ids| ids.iter().rev().copied().collect())
    }

    /// Returns a snapshot of a pair's book.
    pub fn book(&self, line: Line, symbol: &str) -> BookView {
        let core = self.core_now();
        let found = core.pairs.iter().position(|pair| pair.line == line && pair.is_named(symbol));
        found.map_or_else(BookView::default, |index| BookView::of(&core, index))
    }

    pub(crate) fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a pair and a price of it.
fn pair_at(
    pair: impl Into<PairName>,
    price: impl Into<tradeapi::Decimal>,
) -> Result<(PairName, Price), InvalidArgument> {
    let pair = pair.into();
    let price = price_of(&pair.symbol, price.into())?;
    Ok((pair, price))
}

/// Returns a number of a caller, which is about a pair or a coin.
fn price_of(of: &str, text: tradeapi::Decimal) -> Result<Price, InvalidArgument> {
    number("price", &text).map(Price).map_err(|_| InvalidArgument(format!("{text} is not a valid number of {of}")))
}

impl Transport for Exchange {
    fn send<'a>(&'a self, request: Request<Bytes>) -> ResponseFuture<'a> {
        Box::pin(async move {
            let delivery = self.deliver(&request, IpAddr::V4(Ipv4Addr::LOCALHOST));
            let lost = |kind| Err(TransportError::new(kind, runtime::error::Delivery::MaybeSent));
            let (pause, arrived) = match delivery.delivered {
                Delivered::Whole(answer) | Delivered::Last(answer) => (Duration::ZERO, Ok(answer)),
                Delivered::Slow(answer, pause) => (pause, Ok(answer)),
                Delivered::Misstated(answer, length) if length <= answer.body().len() => {
                    (Duration::ZERO, Ok(answer.map(|body| body.slice(..length))))
                }
                // Neither the rest nor any answer arrives.
                Delivered::Misstated(..) | Delivered::Hang => (Duration::MAX, lost(TransportErrorKind::Timeout)),
                Delivered::Half(_)
                | Delivered::Raw(_)
                | Delivered::Nothing
                | Delivered::Reset
                | Delivered::Outage(_) => (Duration::ZERO, lost(TransportErrorKind::Closed)),
            };
            let (pause, limit) = (delivery.latency.saturating_add(pause), TransportLimits::default().call);
            if !pause.is_zero() {
                self.time.sleep(pause.min(limit)).await;
            }
            if pause > limit { lost(TransportErrorKind::Timeout) } else { arrived }
        })
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("time", &self.time.now()).finish_non_exhaustive()
    }
}
