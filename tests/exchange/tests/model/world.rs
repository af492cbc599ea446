//! The rules of the exchange, written from the documents and the stated decisions alone: books, orders, positions and
//! balances of USDT futures. Prices and quantities are whole steps; money is an exact number.

use std::collections::BTreeMap;

use super::number::Num;

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

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Above,
    Below,
    Funds,
    NoPosition,
    Occupied,
    NotOpen,
    BelowFilled,
    Fixed,
}

/// What a request places.
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
    pub(super) pos: Pos,
    pub(super) closes: bool,
    pub(super) isolated: bool,
    pub(super) prevention: Prevention,
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
    fee: Num,
    /// The part of what is left that closes the position of its account, so that it needs no funds.
    netted: i64,
    /// What each other step of the quantity reserves.
    reserve: Num,
}

impl Order {
    fn left(&self) -> i64 {
        self.wish.qty - self.filled
    }
}

/// How an order ended.
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
    pub(super) realised: Num,
    pub(super) open_fee: Num,
    pub(super) close_fee: Num,
    pub(super) funding: Num,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fill {
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
    pub(super) total: Num,
    pub(super) positions: BTreeMap<(usize, Pos), Position>,
    leverage: BTreeMap<usize, i64>,
    /// The fills since they were compared.
    pub(super) fills: Vec<Fill>,
}

#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) symbol: &'static str,
    pub(super) tick: Num,
    pub(super) step: Num,
    pub(super) quoted: i64,
    pub(super) mark: Option<i64>,
    quotes: Vec<(bool, i64, i64)>,
    is_touched: bool,
}

pub(super) struct World {
    pub(super) pairs: Vec<Pair>,
    pub(super) accounts: Vec<Account>,
    /// The open orders, the oldest first.
    pub(super) open: Vec<Order>,
    /// What became of the order of the last request.
    pub(super) ended: BTreeMap<u64, (End, Order)>,
    pub(super) insurance: Num,
    turn: u64,
}

fn sign(buys: bool) -> Num {
    Num::from(if buys { 1 } else { -1 })
}

impl Pair {
    pub(super) fn new(symbol: &'static str, tick: &str, step: &str, quoted: i64) -> Self {
        let (tick, step) = (Num::read(tick), Num::read(step));
        Self { symbol, tick, step, quoted, mark: None, quotes: Vec::new(), is_touched: false }
    }

    pub(super) fn value(&self, price: i64, qty: i64) -> Num {
        &(&Num::from(price) * &self.tick) * &(&Num::from(qty) * &self.step)
    }

    pub(super) fn marked(&self) -> i64 {
        self.mark.unwrap_or(self.quoted)
    }

    pub(super) fn profit(&self, position: &Position) -> Num {
        &sign(position.buys) * &(self.value(self.marked(), position.qty) - position.cost.clone())
    }

    fn maintenance(&self, position: &Position) -> Num {
        &self.value(self.marked(), position.qty) * &Num::read(MAINTENANCE)
    }
}

impl World {
    pub(super) fn new(pairs: Vec<Pair>) -> Self {
        let (accounts, open, ended) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { pairs, accounts, open, ended, insurance: Num::zero(), turn: 0 }
    }

    pub(super) fn open_account(&mut self, user: usize, hedged: bool, total: i64) {
        let (positions, leverage, fills) = Default::default();
        self.accounts.push(Account { user, hedged, total: total.into(), positions, leverage, fills });
    }

    pub(super) fn frozen(&self, account: usize) -> Num {
        let own = self.open.iter().filter(|order| order.is_user && order.wish.account == account);
        own.map(|order| &order.reserve * &Num::from(order.left() - order.netted)).sum()
    }

    /// What is free; nothing if orders and positions use more than there is.
    pub(super) fn available(&self, account: usize) -> Num {
        let of = &self.accounts[account];
        let margin: Num = of.positions.values().map(|position| position.margin.clone()).sum();
        (of.total.clone() - self.frozen(account) - margin).max(Num::zero())
    }

    pub(super) fn leverage(&self, account: usize, pair: usize) -> i64 {
        self.accounts[account].leverage.get(&pair).copied().unwrap_or(10)
    }

    /// The quantity at each price of a side, the best first.
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

    /// The orders of the other side that an order can trade with, in their turn.
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

/// Others.
impl World {
    /// Sets what others quote. Quotes that stay as they are keep their turn.
    pub(super) fn set_quotes(&mut self, pair: usize, quotes: Vec<(bool, i64, i64)>) {
        let best = |buys: bool| quotes.iter().filter(move |quote| quote.0 == buys).map(|quote| quote.1);
        if let (Some(bid), Some(ask)) = (best(true).max(), best(false).min()) {
            self.pairs[pair].quoted = (bid + ask) / 2;
        }
        self.pairs[pair].quotes = quotes;
        self.quote(pair);
        self.liquidate(Some(pair));
    }

    pub(super) fn set_price(&mut self, pair: usize, price: i64) {
        self.pairs[pair].quoted = price;
        self.quote(pair);
        self.liquidate(Some(pair));
    }

    pub(super) fn set_mark(&mut self, pair: usize, mark: Option<i64>) {
        self.pairs[pair].mark = mark;
        self.liquidate(Some(pair));
    }

    fn quote(&mut self, pair: usize) {
        self.pairs[pair].is_touched = false;
        let mut wanted = self.pairs[pair].quotes.clone();
        self.open.retain(|order| {
            if !order.is_quote || order.wish.pair != pair {
                return true;
            }
            let is_it = |quote: &(bool, i64, i64)| *quote == (order.wish.buys, order.wish.price, order.left());
            wanted.iter().position(is_it).map(|place| wanted.remove(place)).is_some()
        });
        for (buys, price, qty) in wanted {
            self.trade_of_others(pair, buys, Some(price), qty, true);
        }
    }

    pub(super) fn read_market(&mut self, pair: usize) {
        self.renew_quotes(pair);
        self.liquidate(None);
    }

    pub(super) fn has_taken_quotes(&self) -> bool {
        self.pairs.iter().any(|pair| pair.is_touched)
    }

    /// Quotes that a user has taken are renewed before the next order.
    fn renew_quotes(&mut self, pair: usize) {
        if self.pairs[pair].is_touched {
            self.quote(pair);
        }
    }

    /// Another participant trades, and what is left of a limit order waits.
    pub(super) fn trade_of_others(&mut self, pair: usize, buys: bool, limit: Option<i64>, qty: i64, is_quote: bool) {
        if !is_quote {
            self.renew_quotes(pair);
        }
        let mut left = qty;
        while left > 0 {
            let Some(&place) = self.crossing(pair, buys, limit).first() else { break };
            let (price, traded) = (self.open[place].wish.price, left.min(self.open[place].left()));
            left -= traded;
            self.fill_waiting(place, price, traded);
        }
        let Some(price) = limit.filter(|_| left > 0) else { return };
        let (client, pos, prevention) = (None, Pos::Net, Prevention::Off);
        let (account, force, closes, isolated) = (usize::MAX, Force::Gtc, false, false);
        let wish = Wish { account, pair, client, buys, force, price, qty: left, pos, closes, isolated, prevention };
        let order = self.new_order(wish, false, is_quote);
        self.open.push(order);
    }

    fn new_order(&mut self, wish: Wish, is_user: bool, is_quote: bool) -> Order {
        let turn = self.next_turn();
        let (value, fee, reserve) = (Num::zero(), Num::zero(), Num::zero());
        Order { wish, is_user, is_quote, turn, filled: 0, value, fee, netted: 0, reserve }
    }
}

/// Orders of users.
impl World {
    pub(super) fn place(&mut self, mut wish: Wish) -> Result<(), Refused> {
        let pair = wish.pair;
        self.renew_quotes(pair);
        let limit = (wish.force != Force::Market).then_some(wish.price);
        let quoted = self.pairs[pair].quoted;
        if let Some(price) = limit {
            if wish.buys && price > quoted + quoted / 10 {
                return Err(Refused::Above);
            }
            if !wish.buys && price < quoted - quoted / 10 {
                return Err(Refused::Below);
            }
        }
        if wish.closes {
            wish.qty = self.room_to_close(&wish)?;
        }
        let netted = self.netted(&wish, None);
        let reserve = self.reserve(&wish);
        if &reserve * &Num::from(wish.qty - netted) > self.available(wish.account) {
            return Err(Refused::Funds);
        }
        let mut order = self.new_order(wish, true, false);
        (order.netted, order.reserve) = (netted, reserve);
        self.work(order);
        self.liquidate(None);
        Ok(())
    }

    /// What a step of the quantity reserves: its value by the leverage, and the taker's fee. A market order is valued at
    /// the price at which the last of it would trade now, a sale at the best bid if that is higher.
    fn reserve(&self, wish: &Wish) -> Num {
        let crossing = self.crossing(wish.pair, wish.buys, None);
        let best = crossing.first().map_or(self.pairs[wish.pair].quoted, |place| self.open[*place].wish.price);
        let mut at = if wish.buys { wish.price } else { wish.price.max(best) };
        if wish.force == Force::Market {
            let mut left = wish.qty;
            at = best;
            for place in crossing {
                at = self.open[place].wish.price;
                left -= self.open[place].left();
                if left <= 0 {
                    break;
                }
            }
        }
        let value = self.pairs[wish.pair].value(at, 1);
        value.over(&self.leverage(wish.account, wish.pair).into()) + &value * &Num::read(TAKER)
    }

    /// The part of an order that closes its position. Orders that wait share it, the oldest first; one that trades at
    /// once comes before them.
    fn netted(&self, wish: &Wish, own: Option<u64>) -> i64 {
        if wish.closes {
            return wish.qty;
        }
        let Some(position) = self.accounts[wish.account].positions.get(&(wish.pair, wish.pos)) else { return 0 };
        if position.buys == wish.buys {
            return 0;
        }
        let waits = matches!(wish.force, Force::Gtc | Force::PostOnly);
        let others = self.open.iter().filter(|order| {
            let is_such = order.is_user && !order.wish.closes && order.wish.account == wish.account;
            waits && is_such && order.wish.pair == wish.pair && Some(order.turn) != own
        });
        let others: i64 = others.map(|order| order.netted).sum();
        wish.qty.min((position.qty - others).max(0))
    }

    /// How much of a position an order closes, once those that it replaces are cancelled.
    fn room_to_close(&mut self, wish: &Wish) -> Result<i64, Refused> {
        let key = (wish.pair, wish.pos);
        let position = self.accounts[wish.account].positions.get(&key).filter(|position| position.buys != wish.buys);
        let Some(position) = position else { return Err(Refused::NoPosition) };
        let qty = wish.qty.min(position.qty);
        let free = position.qty - self.occupied(wish.account, key);
        let (all, hedged) = (position.qty, self.accounts[wish.account].hedged);
        if qty > free && hedged && free > 0 {
            return if wish.force == Force::Market { Ok(free) } else { Err(Refused::Occupied) };
        }
        self.cancel_closing(wish.account, key, all - qty);
        Ok(qty)
    }

    fn closing(&self, account: usize, key: (usize, Pos)) -> impl Iterator<Item = &Order> {
        let own = self.open.iter().filter(move |order| order.is_user && order.wish.account == account);
        own.filter(move |order| order.wish.closes && (order.wish.pair, order.wish.pos) == key)
    }

    pub(super) fn occupied(&self, account: usize, key: (usize, Pos)) -> i64 {
        self.closing(account, key).map(Order::left).sum()
    }

    /// Cancels closing orders, the oldest first, until they fit.
    fn cancel_closing(&mut self, account: usize, key: (usize, Pos), most: i64) {
        while self.occupied(account, key) > most {
            let oldest = self.closing(account, key).min_by_key(|order| order.wish.client).map(|order| order.turn);
            let Some(place) = self.open.iter().position(|order| Some(order.turn) == oldest) else { return };
            self.end(place);
        }
    }

    fn end(&mut self, place: usize) {
        let order = self.open.remove(place);
        self.note_end(order, End::Cancelled);
    }

    fn note_end(&mut self, order: Order, end: End) {
        if let Some(client) = order.wish.client {
            self.ended.insert(client, (end, order));
        }
    }

    /// Trades an order, and leaves what is left of it in the book or cancels it.
    fn work(&mut self, mut order: Order) {
        let (pair, buys, force) = (order.wish.pair, order.wish.buys, order.wish.force);
        let limit = (force != Force::Market).then_some(order.wish.price);
        let user = self.accounts[order.wish.account].user;
        let crossing = self.crossing(pair, buys, limit);
        let is_own = |other: &Order| other.is_user && self.accounts[other.wish.account].user == user;
        let prevents = order.wish.prevention != Prevention::Off;
        let fillable = crossing.iter().map(|place| &self.open[*place]).filter(|other| !(prevents && is_own(other)));
        let fillable: i64 = fillable.map(Order::left).sum();
        let may_trade = match force {
            Force::PostOnly => crossing.is_empty(),
            Force::Fok => fillable >= order.left(),
            Force::Market | Force::Gtc | Force::Ioc => true,
        };
        if !may_trade {
            return self.note_end(order, End::Cancelled);
        }
        while order.left() > 0 {
            let Some(&place) = self.crossing(pair, buys, limit).first() else { break };
            let maker = &self.open[place];
            if prevents && maker.is_user && self.accounts[maker.wish.account].user == user {
                if matches!(order.wish.prevention, Prevention::Maker | Prevention::Both) {
                    self.end(place);
                }
                if matches!(order.wish.prevention, Prevention::Taker | Prevention::Both) {
                    return self.note_end(order, End::Cancelled);
                }
                continue;
            }
            let (price, qty) = (maker.wish.price, order.left().min(maker.left()));
            if !maker.is_user {
                self.pairs[pair].is_touched = true;
            }
            let maker = maker.turn;
            self.fill(&mut order, price, qty, true);
            if let Some(place) = self.open.iter().position(|other| other.turn == maker) {
                self.fill_waiting(place, price, qty);
            }
        }
        match order.left() {
            0 => self.note_end(order, End::Filled),
            _ if matches!(force, Force::Gtc | Force::PostOnly) => {
                self.open.push(order);
            }
            _ => self.note_end(order, End::Cancelled),
        }
    }

    fn fill_waiting(&mut self, place: usize, price: i64, qty: i64) {
        let mut order = self.open[place].clone();
        if order.is_user {
            // While it is filled, it is in the book with what is left of it.
            self.open[place].filled += qty;
            self.open[place].netted -= qty.min(order.netted);
            let turn = order.turn;
            self.fill(&mut order, price, qty, false);
            if let Some(place) = self.open.iter().position(|other| other.turn == turn) {
                let funded = self.open[place].clone();
                (order.netted, order.reserve) = (funded.netted, funded.reserve);
                self.open[place] = order;
                if self.open[place].left() == 0 {
                    let order = self.open.remove(place);
                    self.note_end(order, End::Filled);
                }
            }
        } else {
            self.open[place].filled += qty;
            if self.open[place].left() == 0 {
                self.open.remove(place);
            }
        }
    }

    /// The effect of a fill on the order, the position and the balance.
    fn fill(&mut self, order: &mut Order, price: i64, qty: i64, is_taker: bool) {
        let (account, key) = (order.wish.account, (order.wish.pair, order.wish.pos));
        let pair = self.pairs[order.wish.pair].clone();
        let leverage = self.leverage(account, order.wish.pair);
        let rate = Num::read(if is_taker { TAKER } else { MAKER });
        let fee = &pair.value(price, qty) * &rate;
        order.netted -= qty.min(order.netted);
        order.filled += qty;
        order.value += pair.value(price, qty);
        order.fee += fee.clone();
        let of = &mut self.accounts[account];
        let mut profit = Num::zero();
        let mut opens = qty;
        if let Some(position) = of.positions.get_mut(&key).filter(|position| position.buys != order.wish.buys) {
            let closes = qty.min(position.qty);
            opens -= closes;
            let share = |of: &Num| (of * &Num::from(closes)).over(&Num::from(position.qty));
            let (cost, margin) = (share(&position.cost), share(&position.margin));
            profit = &sign(position.buys) * &(pair.value(price, closes) - cost.clone());
            let closing_fee = &pair.value(price, closes) * &rate;
            position.qty -= closes;
            position.cost -= cost;
            position.margin -= margin.clone();
            position.realised += profit.clone();
            position.close_fee += closing_fee.clone();
            of.total += profit.clone() - closing_fee.clone();
            let isolated = position.isolated;
            if position.qty == 0 {
                of.positions.remove(&key);
            }
            // An isolated loss ends at its margin, and no balance is below zero.
            let missing = if isolated {
                closing_fee - profit.clone() - margin
            } else {
                let kept: Num =
                    of.positions.values().filter(|other| other.isolated).map(|other| other.margin.clone()).sum();
                kept - of.total.clone()
            };
            let missing = missing.max(Num::zero());
            of.total += missing.clone();
            self.insurance -= missing;
        }
        if opens > 0 {
            let (buys, isolated) = (order.wish.buys, order.wish.isolated);
            let value = pair.value(price, opens);
            let position = of.positions.entry(key).or_insert_with(|| {
                let [cost, margin, realised, open_fee, close_fee, funding] = [(); 6].map(|()| Num::zero());
                Position { buys, qty: 0, cost, margin, isolated, realised, open_fee, close_fee, funding }
            });
            position.qty += opens;
            position.cost += value.clone();
            position.margin += value.over(&leverage.into());
            position.open_fee += &value * &rate;
            of.total -= &value * &rate;
        }
        let (client, buys) = (order.wish.client, order.wish.buys);
        of.fills.push(Fill { client, buys, price, qty, is_taker, fee, profit });
        self.fit_orders(account, key);
    }

    /// After a position has changed: closing orders never close more than it, and other orders that closed what is gone
    /// reserve funds or are cancelled.
    fn fit_orders(&mut self, account: usize, key: (usize, Pos)) {
        let position = self.accounts[account].positions.get(&key).map(|position| (position.buys, position.qty));
        let closed_by = |buys: bool| position.filter(|position| position.0 != buys).map_or(0, |position| position.1);
        let closer = self.closing(account, key).next().map(|order| order.wish.buys);
        if let Some(buys) = closer {
            self.cancel_closing(account, key, closed_by(buys));
        }
        let own = self.open.iter().filter(|order| order.is_user && order.wish.account == account && !order.wish.closes);
        let mut netted: Vec<_> =
            own.filter(|order| (order.wish.pair, order.wish.pos) == key && order.netted > 0).collect();
        netted.sort_by_key(|order| order.wish.client);
        let netted: Vec<u64> = netted.into_iter().map(|order| order.turn).collect();
        let mut used = 0;
        for turn in netted {
            let Some(place) = self.open.iter().position(|order| order.turn == turn) else { continue };
            let order = &self.open[place];
            let closes = order.netted.min(closed_by(order.wish.buys) - used);
            used += closes;
            if closes == order.netted {
                continue;
            }
            let wish = order.wish.clone();
            let reserve = self.reserve(&Wish { force: Force::Gtc, ..wish });
            let before = &order.reserve * &Num::from(order.left() - order.netted);
            let more = &reserve * &Num::from(order.left() - closes) - before;
            if more > self.available(account) {
                self.end(place);
            } else {
                (self.open[place].netted, self.open[place].reserve) = (closes, reserve);
            }
        }
    }

    fn find(&self, account: usize, client: u64) -> Option<usize> {
        self.open.iter().position(|order| order.wish.client == Some(client) && order.wish.account == account)
    }

    pub(super) fn cancel(&mut self, account: usize, client: u64) -> Result<(), Refused> {
        let place = self.find(account, client).ok_or(Refused::NotOpen)?;
        self.end(place);
        Ok(())
    }

    pub(super) fn cancel_all(&mut self, account: usize, pair: Option<usize>) {
        let is_meant = |order: &Order| {
            order.is_user && order.wish.account == account && pair.is_none_or(|pair| pair == order.wish.pair)
        };
        while let Some(place) = self.open.iter().position(is_meant) {
            self.end(place);
        }
    }

    /// Amends an order of the unified family. It keeps its turn only if just its quantity is reduced.
    pub(super) fn amend(&mut self, account: usize, client: u64, price: i64, qty: i64) -> Result<(), Refused> {
        let place = self.find(account, client).ok_or(Refused::NotOpen)?;
        let mut order = self.open[place].clone();
        let quoted = self.pairs[order.wish.pair].quoted;
        if order.wish.buys && price > quoted + quoted / 10 {
            return Err(Refused::Above);
        }
        if !order.wish.buys && price < quoted - quoted / 10 {
            return Err(Refused::Below);
        }
        if qty < order.filled {
            return Err(Refused::BelowFilled);
        }
        let left = Wish { price, qty: qty - order.filled, ..order.wish.clone() };
        let netted = self.netted(&left, Some(order.turn));
        let reserve = self.reserve(&left);
        let before = &order.reserve * &Num::from(order.left() - order.netted);
        let more = &reserve * &Num::from(left.qty - netted) - before;
        if more > Num::zero() && more > self.available(account) {
            return Err(Refused::Funds);
        }
        let keeps_turn = price == order.wish.price && qty <= order.wish.qty;
        (order.wish.price, order.wish.qty, order.netted, order.reserve) = (price, qty, netted, reserve);
        if order.left() == 0 {
            self.open.remove(place);
            self.note_end(order, End::Filled);
        } else if keeps_turn {
            self.open[place] = order;
        } else {
            self.open.remove(place);
            order.turn = self.next_turn();
            self.work(order);
        }
        self.liquidate(None);
        Ok(())
    }

    /// Closes a position at the market price.
    pub(super) fn close(&mut self, account: usize, key: (usize, Pos)) -> Result<(), Refused> {
        let Some(position) = self.accounts[account].positions.get(&key).cloned() else {
            return Err(Refused::NoPosition);
        };
        self.close_quietly(account, key, &position);
        self.liquidate(None);
        Ok(())
    }

    fn close_quietly(&mut self, account: usize, key: (usize, Pos), position: &Position) {
        self.cancel_closing(account, key, 0);
        self.renew_quotes(key.0);
        let (pair, pos, buys, qty, isolated) = (key.0, key.1, !position.buys, position.qty, position.isolated);
        let (client, force, price, closes, prevention) = (None, Force::Market, 0, true, Prevention::Off);
        let wish = Wish { account, pair, client, buys, force, price, qty, pos, closes, isolated, prevention };
        let mut order = self.new_order(wish, true, false);
        order.netted = qty;
        self.work(order);
    }

    pub(super) fn set_leverage(&mut self, account: usize, pair: usize, leverage: i64) -> Result<(), Refused> {
        let before = (self.accounts[account].clone(), self.open.clone());
        let (available, used) = (self.available(account), self.used(account));
        self.accounts[account].leverage.insert(pair, leverage);
        for ((of, _), position) in &mut self.accounts[account].positions {
            if *of == pair {
                position.margin = position.cost.over(&leverage.into());
            }
        }
        for place in 0..self.open.len() {
            let order = &self.open[place];
            if order.is_user && order.wish.account == account && order.wish.pair == pair && order.left() > order.netted
            {
                let reserve = self.reserve(&order.wish);
                self.open[place].reserve = reserve;
            }
        }
        let more = self.used(account) - used;
        if more > Num::zero() && more > available {
            (self.accounts[account], self.open) = before;
            return Err(Refused::Funds);
        }
        self.liquidate(None);
        Ok(())
    }

    fn used(&self, account: usize) -> Num {
        let margins: Num = self.accounts[account].positions.values().map(|position| position.margin.clone()).sum();
        margins + self.frozen(account)
    }

    pub(super) fn set_mode(&mut self, account: usize, hedged: bool) -> Result<(), Refused> {
        let is_open = self.open.iter().any(|order| order.is_user && order.wish.account == account);
        let of = &mut self.accounts[account];
        if of.hedged != hedged && (is_open || !of.positions.is_empty()) {
            return Err(Refused::Fixed);
        }
        of.hedged = hedged;
        Ok(())
    }

    pub(super) fn pay_funding(&mut self) {
        for account in &mut self.accounts {
            for ((pair, _), position) in &mut account.positions {
                let pair = &self.pairs[*pair];
                let paid = &(&sign(position.buys) * &pair.value(pair.marked(), position.qty)) * &Num::read(FUNDING);
                position.funding -= paid.clone();
                account.total -= paid;
            }
        }
        self.liquidate(None);
    }
}

/// Liquidation.
impl World {
    /// What backs a position and its profit, less the margin that it needs: by itself if it is isolated, with the balance
    /// and the other crossed ones otherwise.
    fn excess(&self, account: usize, position: &Position, pair: usize) -> Num {
        let of = &self.accounts[account];
        if position.isolated {
            let pair = &self.pairs[pair];
            return position.margin.clone() + pair.profit(position) - pair.maintenance(position);
        }
        let each = of.positions.iter().map(|((pair, _), position)| {
            let pair = &self.pairs[*pair];
            if position.isolated {
                -position.margin.clone()
            } else {
                pair.profit(position) - pair.maintenance(position)
            }
        });
        of.total.clone() + each.sum()
    }

    /// The next position to liquidate, first of the pair whose price has moved.
    fn next_used_up(&self, moved: Option<usize>) -> Option<(usize, (usize, Pos), Position)> {
        let mut all: Vec<_> = Vec::new();
        for (index, account) in self.accounts.iter().enumerate() {
            all.extend(account.positions.iter().map(|(key, position)| (key.0, index, *key, position)));
        }
        all.sort_by_key(|(pair, index, key, _)| (moved.is_some_and(|moved| moved != *pair), *pair, *index, *key));
        let mut all = all.into_iter();
        let found = all.find(|(pair, index, _, position)| self.excess(*index, position, *pair) < Num::zero());
        found.map(|(_, index, key, position)| (index, key, position.clone()))
    }

    fn liquidate(&mut self, moved: Option<usize>) {
        while let Some((account, key, position)) = self.next_used_up(moved) {
            self.cancel_all(account, Some(key.0));
            self.close_quietly(account, key, &position);
            if self.accounts[account].positions.get(&key) == Some(&position) {
                return;
            }
        }
    }

    /// The mark price of a pair at which a position is liquidated while others stay; `None` without any.
    pub(super) fn liquidation_price(&self, account: usize, key: (usize, Pos)) -> Option<Num> {
        let of = &self.accounts[account];
        let position = &of.positions[&key];
        let pair = &self.pairs[key.0];
        let moving = of.positions.iter().filter(|((pair, _), other)| {
            if position.isolated { std::ptr::eq(*other, position) } else { *pair == key.0 && !other.isolated }
        });
        let moving: Vec<&Position> = moving.map(|(_, position)| position).collect();
        // The excess falls by `slope` for each unit of the price.
        let slope: Num = moving
            .iter()
            .map(|one| &(&Num::from(one.qty) * &pair.step) * &(sign(one.buys) - Num::read(MAINTENANCE)))
            .sum();
        let excess = self.excess(account, position, key.0);
        if slope == Num::zero() {
            return None;
        }
        let price = &Num::from(pair.marked()) * &pair.tick - excess.over(&slope);
        (price > Num::zero()).then_some(price)
    }
}

/// What an order shows.
impl Order {
    pub(super) fn shown(&self) -> (i64, Num, Num) {
        (self.filled, self.value.clone(), self.fee.clone())
    }
}
