//! Random histories of an account: its traders, faults, and the state of the exchange.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::journal::{Change, ChangeNumber, Ending, Journal, JournalFuture, Selection, StoredChange};
use tradeapi::runtime::reconcile::{ReconcileError, Reconciled, Reconciliation};
use tradeapi::unified::{self, Category};
use tradeapi::{Client, Error, Timestamp, classic};
use tradeapi_exchange::{Accounts, Event, Exchange, Family, Mode, OrderView, Profile, Seed, Settings, Time};

use crate::random::{Chance, batch_item, classic_order, drive, open_orders, unified_order};

/// The time after which no earlier request can arrive, and everything is shown.
pub(crate) const OVER: Duration = Duration::from_secs(250);

/// The prefix of the program's own ids.
pub(crate) const OWN: &str = "own-";

/// A journal in memory.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) Mutex<Vec<StoredChange>>);

impl Journal for Memory {
    fn begin(&self, change: Change) -> JournalFuture<'_, ChangeNumber> {
        let mut all = self.0.lock().unwrap();
        let number = ChangeNumber(u64::try_from(all.len()).unwrap() + 1);
        all.push(StoredChange::new(number, change, None));
        Box::pin(std::future::ready(Ok(number)))
    }

    fn end(&self, number: ChangeNumber, ending: Ending) -> JournalFuture<'_, ()> {
        let mut all = self.0.lock().unwrap();
        all.iter_mut().filter(|stored| stored.number == number).for_each(|stored| stored.ending = Some(ending.clone()));
        Box::pin(std::future::ready(Ok(())))
    }

    fn read(&self, which: Selection) -> JournalFuture<'_, Vec<StoredChange>> {
        let all = self.0.lock().unwrap();
        let is_read = |stored: &&StoredChange| match which {
            Selection::After(number) => stored.number > number,
            _ => stored.ending.is_none(),
        };
        let read = all.iter().filter(is_read).cloned().collect();
        Box::pin(std::future::ready(Ok(read)))
    }
}

/// The origin of an order, by its id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The program, with its journal.
    Journal,
    /// The program, without it.
    Own,
    /// Another program.
    Other,
}

/// An account with a history.
pub(crate) struct History {
    pub(crate) exchange: Exchange,
    pub(crate) client: Client,
    pub(crate) without: Client,
    pub(crate) journal: Arc<Memory>,
    pub(crate) begun: Timestamp,
    /// The filled quantities, by the ids of the orders.
    pub(crate) filled: BTreeMap<String, Decimal>,
    /// The effects of its amendments.
    pub(crate) amended: BTreeSet<Amended>,
    chance: Chance,
    count: u32,
}

/// The effect of an amendment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Amended {
    /// The amendment changed the order.
    Changed,
    /// The amendment ended the order, and another one replaces it.
    Replaced,
    /// The amendment changed the presets of the order, and no order has the new id.
    Preset,
    /// The amendment was refused, and ended the order.
    Ended,
    /// The amendment was refused, without an effect.
    Refused,
    /// No client knows of it.
    Unknown,
}

impl History {
    pub(crate) fn new(seed: u64) -> Self {
        Self::of(seed, Accounts::Both)
    }

    /// Returns the history of a key of these accounts.
    pub(crate) fn of(seed: u64, accounts: Accounts) -> Self {
        let mut settings = Settings::default();
        (settings.seed, settings.rate_limits) = (Seed(seed), false);
        settings.auto_cancel_in_progress = seed.is_multiple_of(2);
        if seed.is_multiple_of(3) {
            (settings.modification_delay, settings.replacement_delay) =
                (Duration::from_millis(300), Duration::from_secs(4));
        }
        let mode = if seed.is_multiple_of(2) { Mode::Hedge } else { Mode::OneWay };
        let exchange = Exchange::with(settings, Time::by_hand(), Profile::new().accounts(accounts).mode(mode));
        let journal = Arc::new(Memory::default());
        let builder = || exchange.client_of(exchange.keys()).checks(false);
        let client = builder().journal(journal.clone()).build().unwrap();
        let without = builder().build().unwrap();
        let (begun, chance, filled) = (exchange.time().now(), Chance(seed), BTreeMap::new());
        Self { exchange, client, without, journal, begun, filled, amended: BTreeSet::new(), chance, count: 0 }
    }

    pub(crate) fn reconciliation(&self) -> Reconciliation {
        Reconciliation::since(self.begun).own_prefix(OWN)
    }

    pub(crate) fn reconcile(&self, reconciliation: &mut Reconciliation) -> Result<Reconciled, ReconcileError> {
        drive(&self.exchange, self.client.reconcile(reconciliation))
    }

    fn id(&mut self, by: By) -> String {
        self.count += 1;
        match by {
            By::Journal => format!("{OWN}j{}", self.count),
            By::Own => format!("{OWN}lost{}", self.count),
            By::Other => format!("other{}", self.count),
        }
    }

    fn client_by(&self, by: By) -> Client {
        if by == By::Journal { self.client.clone() } else { self.without.clone() }
    }

    fn price(&mut self, buys: bool) -> tradeapi::Decimal {
        // A third of the orders match the market.
        let (meets, away) = (self.chance.is(33), i64::try_from(self.chance.below(400)).unwrap());
        let offset = if buys == meets { away } else { -away };
        (64_000 + offset).into()
    }

    fn price_by_chance(&mut self) -> tradeapi::Decimal {
        let buys = self.chance.is(50);
        self.price(buys)
    }

    fn place(&mut self, by: By) {
        let (id, buys, line) = (self.id(by), self.chance.is(50), self.chance.below(3));
        let (price, client) = (self.price(buys), self.client_by(by));
        let lots = (self.chance.thousandths(30) + Decimal::new(1, 3)).into();
        if line == 0 {
            let _ = drive(&self.exchange, client.classic().place_order(&classic_order(id, buys, lots, price)));
            return;
        }
        let category = if line == 1 { Category::UsdtFutures } else { Category::Spot };
        let order = unified_order(&id, &category, buys, &lots, &price);
        let _ = drive(&self.exchange, client.unified().place_order(&order));
    }

    fn place_batch(&mut self) {
        let mut items = Vec::new();
        for _ in 0..=self.chance.below(3) {
            let (id, buys) = (self.id(By::Journal), self.chance.is(50));
            // Some are below the minimum.
            let (lots, price) = (self.chance.thousandths(4).into(), self.price(buys));
            items.push(batch_item(&id, &Category::UsdtFutures, buys, &lots, &price));
        }
        let _ = drive(&self.exchange, self.client.call(&unified::BatchOrder::new(items)));
    }

    pub(crate) fn open(&self) -> Vec<(Family, OrderView)> {
        open_orders(&self.exchange)
    }

    /// Changes a random open order, or none.
    fn touch<T>(&mut self, change: impl Fn(&Self, Family, OrderView) -> T) -> Option<T> {
        let (family, order) = self.chance.one_of(self.open())?;
        Some(change(self, family, order))
    }

    /// Amends an open order, of this or another program.
    fn amend(&mut self, by: By) {
        let (id, client) = (self.id(by), self.client_by(by));
        let (price, lots) = (self.price_by_chance(), self.chance.thousandths(30));
        let (of_batch, auto_cancel, is_small) = (self.chance.is(30), self.chance.is(40), self.chance.is(20));
        let amended = self.touch(|history, family, order| match family {
            Family::Unified if of_batch => {
                let by = unified::OrderRef::OrderId(order.id.as_str().into());
                let item = unified::BatchModifyItem::new(by).price(price.clone()).qty(lots);
                let item = if auto_cancel { item.auto_cancel(unified::YesNo::Yes) } else { item };
                let request = unified::BatchModifyOrders::new(vec![item]);
                let answer = drive(&history.exchange, client.call(&request));
                let is_refused = |data: &[unified::BatchModifyResult]| data.iter().any(|item| item.code.is_some());
                history.did(Amended::Changed, &order, answer.map(|reply| is_refused(&reply.data)))
            }
            Family::Unified => {
                let by = unified::OrderRef::OrderId(order.id.as_str().into());
                let amend = unified::ModifyOrder::new(by).price(price.clone());
                let amend = if is_small { amend } else { amend.qty(lots) };
                let amend = if auto_cancel { amend.auto_cancel(unified::YesNo::Yes) } else { amend };
                let answer = drive(&history.exchange, client.unified().modify_order(&amend));
                history.did(Amended::Changed, &order, answer.map(|_| false))
            }
            Family::Classic => {
                let by = classic::OrderRef::OrderId(order.id.as_str().into());
                let amend = classic::ModifyOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, id.as_str(), by);
                let (amend, does) = match is_small {
                    true => (amend.new_preset_stop_loss_price(tradeapi::Decimal::from(50_000)), Amended::Preset),
                    false => (amend.new_size(lots).new_price(price.clone()), Amended::Replaced),
                };
                let answer = drive(&history.exchange, client.classic().modify_order(&amend));
                history.did(does, &order, answer.map(|_| false))
            }
        });
        self.amended.extend(amended);
    }

    /// Returns the effect of an amendment, which is `does` unless it is refused.
    fn did(&self, does: Amended, order: &OrderView, is_refused: Result<bool, Error>) -> Amended {
        match is_refused {
            Ok(false) => does,
            Err(Error::Unknown(_)) => Amended::Unknown,
            Ok(true) | Err(_) => match self.open().iter().any(|(_, open)| open.id == order.id) {
                true => Amended::Refused,
                false => Amended::Ended,
            },
        }
    }

    /// Places an order or amends one, by the journal, while `code` answers for it.
    fn change_in_trouble(&mut self, code: &str, hides: bool) {
        match hides {
            true => self.exchange.hide_next(code),
            false => self.exchange.refuse_next(code),
        }
        if self.chance.is(70) {
            self.place(By::Journal)
        } else {
            self.amend(By::Journal)
        }
        self.exchange.clear_faults();
    }

    fn act(&mut self) {
        match self.chance.below(24) {
            0..=6 => self.place(By::Journal),
            7 => self.place(By::Own),
            8..=9 => self.place(By::Other),
            10 => self.place_batch(),
            11 => {
                let hides = self.chance.is(50);
                self.change_in_trouble("40725", hides);
            }
            12 => self.change_in_trouble("40762", false),
            13..=14 => drop(self.touch(|history, family, order| match family {
                Family::Unified => {
                    let cancel = unified::CancelOrder::new(unified::OrderRef::OrderId(order.id.as_str().into()));
                    let _ = drive(&history.exchange, history.client.unified().cancel_order(&cancel));
                }
                Family::Classic => {
                    let by = classic::OrderRef::OrderId(order.id.into());
                    let cancel = classic::CancelOrder::new("BTCUSDT", classic::ProductType::UsdtFutures, by);
                    let _ = drive(&history.exchange, history.client.classic().cancel_order(&cancel));
                }
            })),
            15..=16 => drop(self.touch(|history, _, order| {
                let half = ((order.qty - order.filled) / Decimal::TWO).round_dp(3);
                let _ = history.exchange.fill(&order.id, half);
            })),
            17 => {
                let price = 63_900 + i64::try_from(self.chance.below(200)).unwrap();
                self.exchange.set_price("BTCUSDT", tradeapi::Decimal::from(price)).unwrap();
            }
            18 => self.exchange.time().advance(Duration::from_millis(self.chance.below(60_000))),
            19..=21 => self.amend(By::Journal),
            22 if self.chance.is(50) => self.amend(By::Own),
            22 => self.amend(By::Other),
            _ if self.chance.is(10) => self.exchange.time().advance(Duration::from_secs(10_000)),
            _ => self.exchange.time().advance(Duration::from_secs(self.chance.below(600))),
        }
        self.count_fills();
    }

    fn count_fills(&mut self) {
        for event in self.exchange.take_events() {
            if let Event::Filled { order, qty, .. } = event {
                *self.filled.entry(order.to_string()).or_default() += qty;
            }
        }
    }

    pub(crate) fn play(seed: u64) -> Self {
        let mut history = Self::new(seed);
        for _ in 0..5 + history.chance.below(35) {
            history.act();
        }
        history.exchange.time().advance(OVER);
        history.count_fills();
        history
    }
}
