//! The rules of the exchange, written from the documents and the stated decisions alone: books, orders, positions and
//! balances of spot pairs and of contracts that are settled in the quote or in the base coin. Prices and quantities are
//! whole steps; money is an exact number.

mod accounts;
mod liquidation;
mod orders;
mod others;
mod pairs;
mod triggers;

use std::collections::BTreeMap;

use super::number::Num;
pub(super) use pairs::{Kind, Pair};

/// Fees, the maintenance margin and the funding rate, as the decisions state them.
const TAKER: &str = "0.0006";
const MAKER: &str = "0.0002";
const MAINTENANCE: &str = "0.005";
const FUNDING: &str = "0.0001";

/// The position of a pair that an order belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pos {
    Net,
    Long,
    Short,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Market,
    Gtc,
    Ioc,
    Fok,
    PostOnly,
}

/// Which order of one user is cancelled when two of them meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prevention {
    Off,
    Taker,
    Maker,
    Both,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Above,
    Below,
    OtherMargin,
    /// A take-profit that is reached already, of what buys or of what sells.
    Profit(bool),
    /// The same of a stop-loss.
    Loss(bool),
    Funds,
    NoPosition,
    Occupied,
    NotOpen,
    BelowFilled,
    Fixed,
}

/// The order that a request places.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) account: usize,
    pub(super) pair: usize,
    /// The client's id; `None` for an order of the exchange itself.
    pub(super) client: Option<u64>,
    pub(super) buys: bool,
    pub(super) force: Force,
    pub(super) price: i64,
    pub(super) qty: i64,
    /// The amount of the quote coin that a market order spends, in place of a quantity.
    pub(super) amount: Option<Num>,
    pub(super) pos: Pos,
    pub(super) closes: bool,
    pub(super) isolated: bool,
    pub(super) prevention: Prevention,
    pub(super) presets: Presets,
}

/// The prices of the latest trade at which a position is closed: with a profit, and with a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Presets {
    pub(super) profit: Option<i64>,
    pub(super) loss: Option<i64>,
}

/// An order of a user, or of another participant.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) wish: Wish,
    is_user: bool,
    is_quote: bool,
    /// By which orders at one price take turns.
    turn: u64,
    pub(super) filled: i64,
    value: Num,
    /// The quantity that was filled, in the base coin.
    base: Num,
    fee: Num,
    /// The part of what is left that closes the position of its account, so that it needs no funds.
    netted: i64,
    /// The amount that each other step of the quantity reserves.
    reserve: Num,
}

impl Order {
    fn left(&self) -> i64 {
        self.wish.qty - self.filled
    }
}

/// The end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Open,
    Filled,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) buys: bool,
    pub(super) qty: i64,
    pub(super) cost: Num,
    pub(super) margin: Num,
    pub(super) isolated: bool,
    presets: Presets,
    pub(super) realised: Num,
    pub(super) open_fee: Num,
    pub(super) close_fee: Num,
    pub(super) funding: Num,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    pub(super) pair: usize,
    pub(super) client: Option<u64>,
    pub(super) buys: bool,
    pub(super) price: i64,
    pub(super) qty: i64,
    pub(super) is_taker: bool,
    pub(super) fee: Num,
    pub(super) profit: Num,
}

/// An account of one family.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) user: usize,
    pub(super) hedged: bool,
    pub(super) total: BTreeMap<Coin, Num>,
    pub(super) positions: BTreeMap<(usize, Pos), Position>,
    leverage: BTreeMap<usize, i64>,
    /// The fills since they were compared.
    pub(super) fills: Vec<Fill>,
}

pub(super) struct World {
    pub(super) pairs: Vec<Pair>,
    pub(super) accounts: Vec<Account>,
    /// The open orders, the oldest first.
    pub(super) open: Vec<Order>,
    /// The end of each order that the last request ended.
    pub(super) ended: BTreeMap<u64, (End, Order)>,
    pub(super) insurance: BTreeMap<Coin, Num>,
    turn: u64,
}

/// The name of a coin.
pub(super) type Coin = &'static str;

fn sign(buys: bool) -> Num {
    Num::from(if buys { 1 } else { -1 })
}

impl World {
    pub(super) fn new(pairs: Vec<Pair>) -> Self {
        let (accounts, open, ended) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { pairs, accounts, open, ended, insurance: BTreeMap::new(), turn: 0 }
    }

    pub(super) fn open_account(&mut self, user: usize, hedged: bool, total: &[(Coin, i64)]) {
        let (positions, leverage, fills) = Default::default();
        let total = total.iter().map(|(coin, amount)| (*coin, Num::from(*amount))).collect();
        self.accounts.push(Account { user, hedged, total, positions, leverage, fills });
    }

    pub(super) fn frozen(&self, account: usize, coin: Coin) -> Num {
        let own = self.open.iter().filter(|order| order.is_user && order.wish.account == account);
        let own = own.filter(|order| self.pairs[order.wish.pair].reserved(order.wish.buys) == coin);
        own.map(|order| &order.reserve * &Num::from(order.left() - order.netted)).sum()
    }

    /// Returns the margins of the positions of a coin, or only those of isolated ones.
    fn margins(&self, account: usize, coin: Coin, only_isolated: bool) -> Num {
        let own = self.accounts[account].positions.iter();
        let own = own.filter(|((pair, _), position)| {
            self.pairs[*pair].settle() == coin && (position.isolated || !only_isolated)
        });
        own.map(|(_, position)| position.margin.clone()).sum()
    }

    /// Returns what is free; nothing if orders and positions use more than there is.
    pub(super) fn available(&self, account: usize, coin: Coin) -> Num {
        let total = self.accounts[account].total[coin].clone();
        (total - self.frozen(account, coin) - self.margins(account, coin, false)).max(Num::zero())
    }

    pub(super) fn leverage(&self, account: usize, pair: usize) -> i64 {
        self.accounts[account].leverage.get(&pair).copied().unwrap_or(10)
    }

    /// Returns the quantity at each price of a side, the best first.
    pub(super) fn levels(&self, pair: usize, buys: bool) -> Vec<(i64, i64)> {
        let mut levels: BTreeMap<i64, i64> = BTreeMap::new();
        for order in self.open.iter().filter(|order| order.wish.pair == pair && order.wish.buys == buys) {
            *levels.entry(order.wish.price).or_default() += order.left();
        }
        let mut levels: Vec<_> = levels.into_iter().collect();
        if buys {
            levels.reverse();
        }
        levels
    }

    /// Returns the orders of the other side that an order can trade with, in their turn.
    fn crossing(&self, pair: usize, buys: bool, limit: Option<i64>) -> Vec<usize> {
        let crosses = |price| limit.is_none_or(|limit| if buys { price <= limit } else { price >= limit });
        let others =
            self.open.iter().enumerate().filter(|(_, order)| order.wish.pair == pair && order.wish.buys != buys);
        let mut places: Vec<_> =
            others.filter(|(_, order)| crosses(order.wish.price)).map(|(place, _)| place).collect();
        places.sort_by_key(|place| {
            let order = &self.open[*place];
            (if buys { order.wish.price } else { -order.wish.price }, order.turn)
        });
        places
    }

    fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }
}

impl Order {
    pub(super) fn shown(&self) -> (Num, Num, Num) {
        (self.base.clone(), self.value.clone(), self.fee.clone())
    }
}
