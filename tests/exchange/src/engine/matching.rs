//! Matching of orders by price and time, and the effect of fills on accounts.

use rust_decimal::Decimal;

use crate::state::accounts::{Account, Balance, PastPosition, record};
use crate::state::book::{Resting, crosses};
use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::instruments::{Coin, Contract, Instrument, quotient};
use crate::state::market::PublicFill;
use crate::state::orders::{Fill, Order, Presets, Quantity, State};
use crate::state::settings::{MAKER_FEE, TAKER_FEE};
use crate::state::words::{Cancelled, Force, Prevention, Side};

/// Some lots of an order that trade at a price.
#[derive(Clone, Copy)]
struct Trade {
    ticks: u64,
    lots: u64,
    is_taker: bool,
}

impl Trade {
    /// Returns the fee as a share of the value.
    fn fee_rate(self) -> Decimal {
        if self.is_taker { TAKER_FEE } else { MAKER_FEE }
    }
}

/// The earnings and costs of a trade.
#[derive(Default)]
struct Settled {
    profit: Decimal,
    fee: Decimal,
    fee_coin: Coin,
}

impl Core {
    /// Matches an order with resting ones. What is left of it stays in the book or is cancelled, by its time in force.
    pub(crate) fn work(&mut self, id: u64) {
        let Some(order) = self.orders.get(&id) else { return };
        let force = if order.ticks.is_some() { order.ticket.force } else { Force::Ioc };
        let may_trade = match force {
            Force::PostOnly | Force::Rpi => !self.crosses_now(order),
            Force::Fok => self.fills_wholly(order),
            Force::Gtc | Force::Ioc => true,
        };
        if !may_trade {
            return self.end(id, State::Cancelled(Cancelled::Normal));
        }
        self.trade(id);
        let Some(order) = self.orders.get_mut(&id).filter(|order| order.state.is_open()) else { return };
        match order.ticks {
            Some(ticks) if order.ticket.may_rest() && order.remaining() > 0 => {
                let resting = Resting { order: Some(id), lots: order.remaining() };
                order.spot = Some(self.books[order.ticket.pair].rest(order.ticket.side, ticks, resting));
            }
            _ => {
                let is_filled = order.filled > 0 && order.remaining() == 0;
                let state = if is_filled { State::Filled } else { State::Cancelled(Cancelled::Normal) };
                self.end(id, state);
            }
        }
    }

    fn crosses_now(&self, order: &Order) -> bool {
        let best = self.books[order.ticket.pair].best_price(order.ticket.side.opposite());
        best.zip(order.ticks).is_some_and(|(best, limit)| crosses(order.ticket.side, limit, best))
    }

    /// Returns whether the book fills an order at once. The first order of the same user ends a taker that self-trade
    /// prevention cancels; where it cancels makers only, the taker passes them.
    fn fills_wholly(&self, order: &Order) -> bool {
        let user = self.accounts[order.ticket.account].user;
        let mut left = order.remaining();
        for (_, resting) in self.books[order.ticket.pair].crossing(order.ticket.side.opposite(), order.ticks) {
            if self.user_of(resting.order) == Some(user) {
                match order.ticket.prevention {
                    Prevention::Off => {}
                    Prevention::CancelMaker => continue,
                    Prevention::CancelTaker | Prevention::CancelBoth => return false,
                }
            }
            left = left.saturating_sub(resting.lots);
            if left == 0 {
                return true;
            }
        }
        false
    }

    fn user_of(&self, order: Option<u64>) -> Option<usize> {
        let order = self.orders.get(&order?)?;
        Some(self.accounts[order.ticket.account].user)
    }

    fn trade(&mut self, id: u64) {
        while let Some(order) = self.orders.get(&id).filter(|order| order.state.is_open()) {
            let (index, side) = (order.ticket.pair, order.ticket.side);
            let Some((spot, resting)) = self.books[index].best(side.opposite()) else { return };
            if order.ticks.is_some_and(|limit| !crosses(side, limit, spot.ticks)) {
                return;
            }
            let lots = match order.ticket.quantity {
                Quantity::Lots(_) => order.remaining(),
                Quantity::Amount(amount) => self.pairs[index].lots_for(amount - order.value, spot.ticks),
            };
            let lots = lots.min(resting.lots);
            if lots == 0 {
                return;
            }
            if self.prevents(id, resting.order) {
                continue;
            }
            self.books[index].reduce(spot, lots);
            self.publish_trade(index, side, spot.ticks, lots);
            self.fill(id, spot.ticks, lots, true);
            match resting.order {
                Some(maker) => self.fill(maker, spot.ticks, lots, false),
                None => self.markets[index].is_touched = true,
            }
        }
    }

    /// Cancels the taker or the maker, or both, if they are of one user and the taker requests it.
    fn prevents(&mut self, taker: u64, maker: Option<u64>) -> bool {
        let prevention = self.orders.get(&taker).map_or(Prevention::Off, |order| order.ticket.prevention);
        let (Some(maker), false) = (maker, prevention == Prevention::Off) else { return false };
        if self.user_of(Some(taker)) != self.user_of(Some(maker)) {
            return false;
        }
        if matches!(prevention, Prevention::CancelMaker | Prevention::CancelBoth) {
            self.end(maker, State::Cancelled(Cancelled::SelfTrade));
        }
        if matches!(prevention, Prevention::CancelTaker | Prevention::CancelBoth) {
            self.end(taker, State::Cancelled(Cancelled::SelfTrade));
        }
        true
    }

    /// Lets other participants trade with resting orders. Returns the lots that are left.
    pub(crate) fn trade_of_others(&mut self, index: usize, side: Side, limit: Option<u64>, lots: u64) -> u64 {
        let mut left = lots;
        while left > 0 {
            let Some((spot, resting)) = self.books[index].best(side.opposite()) else { break };
            if limit.is_some_and(|limit| !crosses(side, limit, spot.ticks)) {
                break;
            }
            let lots = left.min(resting.lots);
            self.books[index].reduce(spot, lots);
            self.publish_trade(index, side, spot.ticks, lots);
            if let Some(maker) = resting.order {
                self.fill(maker, spot.ticks, lots, false);
            }
            left -= lots;
        }
        left
    }

    /// Adds a trade to those that everyone sees. `side` is that of the taker.
    pub(crate) fn publish_trade(&mut self, index: usize, side: Side, ticks: u64, lots: u64) {
        let (id, now) = (self.new_id(), self.now);
        self.markets[index].record(&self.pairs[index], PublicFill { id, side, ticks, lots, at: now });
    }

    /// Fills some lots of an order, and updates the order, the position, the balances and the records. The caller
    /// updates the book, and publishes the trade.
    pub(crate) fn fill(&mut self, id: u64, ticks: u64, lots: u64, is_taker: bool) {
        let (fill_id, now) = (self.new_id(), self.now);
        let Some(order) = self.orders.get_mut(&id) else { return };
        let (owner, index, pos) = (order.ticket.account, order.ticket.pair, order.ticket.pos);
        let (pair, account) = (&self.pairs[index], &mut self.accounts[owner]);
        let trade = Trade { ticks, lots, is_taker };
        count_fill(order, account, pair, trade, now);
        let settled = match pair.contract {
            Contract::Spot => exchange_coins(order.ticket.side, account, pair, trade),
            _ => self.fill_position(id, fill_id, trade),
        };
        self.record_fill(id, fill_id, trade, settled);
        self.trim_closing(owner, index, pos);
        self.fund_netted(owner, index);
        if self.pairs[index].contract != Contract::Spot {
            self.cancel_unpaid(owner, self.pairs[index].settle());
        }
    }

    /// Fills a position by a trade of an order, with its margin, its profit and its fee.
    fn fill_position(&mut self, id: u64, fill_id: u64, trade: Trade) -> Settled {
        let Some(order) = self.orders.get(&id) else { return Settled::default() };
        let (ticket, lots) = (&order.ticket, trade.lots);
        let (owner, index, pos) = (ticket.account, ticket.pair, ticket.pos);
        let (pair, account) = (&self.pairs[index], &mut self.accounts[owner]);
        let mut position = account.position(index, pos);
        let before = position;
        let change = position.fill(pair, ticket.side, trade.ticks, lots, account.leverage(index, pos, ticket.side));
        let fee = (pair.settled_value(trade.ticks, lots) * trade.fee_rate()).round_dp(8);
        position.tally.add(&change, lots, fee, self.now);
        if before.lots > 0 && (position.lots == 0 || change.begins) {
            let mut past = PastPosition {
                id: fill_id,
                pair: index,
                side: before.side,
                margin: before.mode,
                mode: account.mode,
                tally: before.tally,
            };
            past.tally.close(&change, lots, fee, self.now);
            record(&mut account.past_positions, past, self.settings.history);
        }
        // A position keeps its margin mode, and one that turns begins without the presets of the other side.
        if change.begins {
            (position.mode, position.presets) = (ticket.margin, Presets::default());
        }
        if change.opened > 0 {
            position.presets.take_over(ticket.presets());
        }
        let key_of_holder = (index, owner, pos);
        self.held.insert(key_of_holder);
        self.changed.insert(owner);
        if position.presets.is_some() {
            self.guarded.insert(key_of_holder);
        }
        if position.lots == 0 {
            account.positions.remove(&(index, pos));
            self.held.remove(&key_of_holder);
            self.guarded.remove(&key_of_holder);
        } else {
            account.positions.insert((index, pos), position);
        }
        let coin = pair.settle();
        let balance = account.balance(coin);
        balance.total += change.profit - fee;
        balance.margin += change.margin;
        if change.opened < lots {
            let missing = account.missing(&self.pairs, coin, before.mode, &change, (lots, fee));
            account.balance(coin).total += missing;
            *self.insurance.entry(coin).or_default() -= missing;
        }
        if before.lots > 0 && (position.lots == 0 || change.begins) {
            self.end_closing_plans(owner, index, pos);
        }
        Settled { profit: change.profit, fee, fee_coin: coin }
    }

    /// Adds a fill to the records of its order and its account, and ends the order if nothing of it is left.
    fn record_fill(&mut self, id: u64, fill_id: u64, trade: Trade, settled: Settled) {
        let (Some(order), Trade { ticks, lots, is_taker }) = (self.orders.get_mut(&id), trade) else { return };
        let Settled { profit, fee, fee_coin } = settled;
        order.fee += fee;
        order.profit += profit;
        let ticket = &order.ticket;
        let pair = &self.pairs[ticket.pair];
        let account = &mut self.accounts[ticket.account];
        let balance = account.balances.get(fee_coin).map(|balance| balance.total).unwrap_or_default();
        let fill = Fill {
            id: fill_id,
            order: id,
            client: ticket.client.clone(),
            line: ticket.line,
            pair: ticket.pair,
            side: ticket.side,
            pos: ticket.pos,
            effect: ticket.effect,
            is_limit: order.ticks.is_some(),
            is_taker,
            ticks,
            lots,
            fee,
            fee_coin,
            profit,
            balance,
            at: self.now,
        };
        record(&mut account.fills, fill, self.settings.history);
        let is_whole = order.remaining() == 0 && matches!(ticket.quantity, Quantity::Lots(_));
        self.publish(Event::Filled { order: id, price: pair.price(ticks), qty: pair.qty(lots) });
        if is_whole {
            self.end(id, State::Filled);
        }
    }

    /// Cancels spot orders of an account, the newest first, for which a loss has left too little of a coin.
    pub(crate) fn cancel_unpaid(&mut self, owner: usize, coin: Coin) {
        loop {
            let account = &self.accounts[owner];
            let balance = account.balances.get(coin).copied().unwrap_or_default();
            if balance.frozen <= balance.total {
                return;
            }
            let open = account.open.iter().filter_map(|id| self.orders.get(id));
            let pays = |order: &&Order| !order.ticket.line.is_futures() && order.frozen_coin == coin;
            let of_spot: Vec<(u64, Decimal)> = open.filter(pays).map(|order| (order.id, order.frozen)).collect();
            let frozen: Decimal = of_spot.iter().map(|(_, frozen)| *frozen).sum();
            let Some((newest, _)) = of_spot.last().filter(|_| frozen > balance.total) else { return };
            self.end(*newest, State::Cancelled(Cancelled::Normal));
        }
    }

    /// Ends an order: removes it from the book, and releases reserved funds.
    pub(crate) fn end(&mut self, id: u64, state: State) {
        self.end_by(id, state, false);
    }

    /// Ends an order that a request cancels, or that ends otherwise.
    pub(crate) fn end_by(&mut self, id: u64, state: State, by_request: bool) {
        let Some(order) = self.orders.get_mut(&id).filter(|order| order.state.is_open()) else { return };
        let account = &mut self.accounts[order.ticket.account];
        if let Some(spot) = order.spot.take() {
            self.books[order.ticket.pair].remove(spot);
        }
        let balance = account.balance(order.frozen_coin);
        balance.frozen -= order.frozen;
        balance.repay();
        order.frozen = Decimal::ZERO;
        (order.state, order.updated) = (state, self.now);
        account.open.remove(&id);
        account.closed.insert(id);
        account.waiting[usize::from(order.ticket.line.is_futures())] -= 1;
        let key = (order.ticket.pair, order.ticket.pos);
        if let Some(closing) = account.closing.get_mut(&key) {
            closing.remove(&id);
            if closing.is_empty() {
                account.closing.remove(&key);
            }
        }
        account.note_netting(order);
        let is_cancelled = matches!(state, State::Cancelled(_));
        let (family, waits_for_price) = (account.family, order.filled > 0 && order.ticket.presets.is_some());
        if waits_for_price && !order.ticket.line.is_futures() {
            self.bought.insert((order.ticket.pair, id));
        }
        self.forget_later(id, family, is_cancelled);
        if is_cancelled {
            self.publish(Event::Cancelled { order: id, by_request });
        }
    }
}

/// Counts what is filled of an order, and releases the funds that it had reserved for that.
fn count_fill(order: &mut Order, account: &mut Account, pair: &Instrument, trade: Trade, now: u64) {
    let Trade { ticks, lots, .. } = trade;
    let value = pair.value(ticks, lots);
    if matches!(order.ticket.quantity, Quantity::Amount(_)) {
        order.lots += lots;
    }
    release(order, account.balance(order.frozen_coin), value, lots);
    account.note_netting(order);
    order.filled += lots;
    order.value += value;
    order.base += pair.base_qty(ticks, lots);
    (order.updated, order.state) = (now, State::PartlyFilled);
}

/// Exchanges one coin for the other, less the fee. What is received repays a debt.
fn exchange_coins(side: Side, account: &mut Account, pair: &Instrument, trade: Trade) -> Settled {
    let (value, qty) = (pair.value(trade.ticks, trade.lots), pair.qty(trade.lots));
    let (paid, paid_coin, got, got_coin) = match side {
        Side::Buy => (value, pair.quote, qty, pair.base),
        Side::Sell => (qty, pair.base, value, pair.quote),
    };
    let fee = (got * trade.fee_rate()).round_dp(8);
    account.balance(paid_coin).total -= paid;
    let received = account.balance(got_coin);
    received.total += got - fee;
    received.repay();
    Settled { profit: Decimal::ZERO, fee, fee_coin: got_coin }
}

/// Releases the part of an order's reserved funds that belongs to some of its lots. Those that close a position come
/// first.
fn release(order: &mut Order, balance: &mut Balance, value: Decimal, lots: u64) {
    let netted = lots.min(order.netted);
    let (lots, remaining) = (lots - netted, order.remaining().saturating_sub(order.netted));
    order.netted -= netted;
    let share = match order.ticket.quantity {
        Quantity::Amount(_) => value.min(order.frozen),
        Quantity::Lots(_) if lots >= remaining => order.frozen,
        Quantity::Lots(_) => quotient(order.frozen * Decimal::from(lots), Decimal::from(remaining)),
    };
    order.frozen -= share;
    balance.frozen -= share;
}
