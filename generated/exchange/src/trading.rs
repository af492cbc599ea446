//! What is done with orders: placing, matching, amending and cancelling, and what follows for the accounts.

use std::time::Duration;

use rust_decimal::Decimal;

use crate::accounts::Balance;
use crate::book::{Resting, crosses};
use crate::instruments::{Coin, Contract, Instrument, MOST_VALUE, quotient};
use crate::orders::{Borrowing, Fill, Order, Preset, Quantity, Source, State, Ticket};
use crate::refusal::{Reason, Refusal};
use crate::state::{Core, Event, Task};
use crate::words::{Cancelled, Effect, Family, Force, Mode, Pos, Prevention, Side};

/// The taker fee, as a fraction of the value.
const TAKER_FEE: Decimal = Decimal::from_parts(6, 0, 0, false, 4);
/// The maker fee.
const MAKER_FEE: Decimal = Decimal::from_parts(2, 0, 0, false, 4);

/// How far a price may be on the far side of the market: ten percent.
const BAND: u64 = 10;

/// How long the unified family keeps a cancelled order that was placed through the API.
const CANCELLED_KEPT: Duration = Duration::from_secs(2 * 60 * 60);
/// How long all others are kept.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Coins that can be borrowed.
const BORROWABLE: &[Coin] = &["USDT", "USDC", "BTC", "ETH"];

/// An order that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) id: u64,
    /// Whether it replaced an earlier reduce-only order.
    pub(crate) replaced: bool,
}

/// A modification of the unified family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Amendment {
    pub(crate) qty: Option<Decimal>,
    pub(crate) price: Option<Decimal>,
    pub(crate) adjusts_price: bool,
    /// Whether the order is cancelled when the modification is rejected.
    pub(crate) auto_cancel: bool,
    pub(crate) take_profit: Option<Preset>,
    pub(crate) stop_loss: Option<Preset>,
}

/// An order by one of its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Id(String),
    Client(String),
}

/// Placing.
impl Core {
    /// Takes an order, matches it, and lets the rest wait or cancels it. Then positions are closed whose take-profit or
    /// stop-loss the price has reached.
    pub(crate) fn place(&mut self, ticket: Ticket) -> Result<Placed, Reason> {
        let placed = self.take(ticket)?;
        if let Some(index) = self.orders.get(&placed.id).map(|order| order.instrument) {
            self.trigger(index);
        }
        Ok(placed)
    }

    fn take(&mut self, mut ticket: Ticket) -> Result<Placed, Reason> {
        let family = self.accounts[ticket.account].family;
        let index = self.pair(family, ticket.line, &ticket.symbol).ok_or(Reason::UnknownSymbol)?;
        if self.pairs[index].suspended {
            return Err(Reason::Suspended);
        }
        self.refuse_duplicate(&ticket)?;
        self.wake(index);
        let ticks = self.limit_of(index, &ticket)?;
        let mut lots = self.lots_of(index, &ticket)?;
        if ticks.is_some() && matches!(ticket.quantity, Quantity::Amount(_)) {
            return Err(Reason::Parameter);
        }
        self.refuse_beyond_ceiling(&ticket)?;
        if ticket.line.is_futures() {
            self.fit_position_mode(&mut ticket)?;
        }
        let mut replaced = false;
        if ticket.line.is_futures() && (ticket.reduce_only || ticket.effect == Effect::Close) {
            (lots, replaced) = self.make_room_to_close(index, &ticket, lots)?;
        }
        let (frozen_coin, frozen) = self.funds_for(index, &ticket, ticks, lots)?;
        self.hold(ticket.account, frozen_coin, &ticket, frozen)?;
        self.guard_position(index, &ticket);
        let id = self.insert(index, ticket, ticks, lots, (frozen_coin, frozen));
        self.tell(Event::Placed { order: id });
        self.work(id);
        Ok(Placed { id, replaced })
    }

    fn refuse_duplicate(&self, ticket: &Ticket) -> Result<(), Reason> {
        let clients = &self.accounts[ticket.account].clients;
        let is_used = ticket.client.as_ref().is_some_and(|client| clients.contains_key(client));
        if is_used && self.settings.unique_client_ids { Err(Reason::Duplicate) } else { Ok(()) }
    }

    fn refuse_beyond_ceiling(&self, ticket: &Ticket) -> Result<(), Reason> {
        let account = &self.accounts[ticket.account];
        if !self.settings.ceilings || account.family == Family::Classic {
            return Ok(());
        }
        let line = ticket.line.as_str();
        let ceiling = tradeapi::unified::CEILINGS.iter().find(|ceiling| ceiling.over.contains(&line));
        let waiting = account.waiting[usize::from(ticket.line.is_futures())];
        match ceiling {
            Some(ceiling) if waiting >= usize::try_from(ceiling.n).unwrap_or(usize::MAX) => Err(Reason::TooManyOrders),
            _ => Ok(()),
        }
    }

    /// The limit in ticks, within the range of prices.
    fn limit_of(&self, index: usize, ticket: &Ticket) -> Result<Option<u64>, Reason> {
        let Some(price) = ticket.price else { return Ok(None) };
        self.ticks_in_range(index, ticket.side, price, ticket.adjusts_price).map(Some)
    }

    fn ticks_in_range(&self, index: usize, side: Side, price: Decimal, adjusts: bool) -> Result<u64, Reason> {
        let (pair, mid) = (&self.pairs[index], self.markets[index].mid);
        let ticks = pair.ticks(price).filter(|ticks| *ticks > 0).ok_or(Reason::PriceStep)?;
        let (best, reason) = match side {
            Side::Buy => (mid + mid / BAND, Reason::PriceAbove),
            Side::Sell => (mid - mid / BAND, Reason::PriceBelow),
        };
        let is_far = if side == Side::Buy { ticks > best } else { ticks < best };
        match (is_far, adjusts) {
            (false, _) if ticks > mid.saturating_mul(1_000) => Err(Reason::PriceAbove),
            (false, _) => Ok(ticks),
            (true, true) => Ok(best),
            (true, false) => Err(reason),
        }
    }

    fn lots_of(&self, index: usize, ticket: &Ticket) -> Result<u64, Reason> {
        let pair = &self.pairs[index];
        match ticket.quantity {
            Quantity::Lots(qty) => {
                let lots = pair.lots(qty).ok_or(Reason::SizeStep)?;
                if lots < pair.least {
                    return Err(Reason::SizeLeast);
                }
                if lots > most_lots(pair) { Err(Reason::SizeMost) } else { Ok(lots) }
            }
            Quantity::Amount(amount) if amount > MOST_VALUE => Err(Reason::SizeMost),
            Quantity::Amount(amount) => {
                let lots = pair.lots_for(amount, self.reference(index, ticket.side));
                if lots < pair.least { Err(Reason::SizeLeast) } else { Ok(lots) }
            }
        }
    }

    /// In one-way mode there is one position, and the request's side is ignored; in hedge mode the request must name
    /// it.
    fn fit_position_mode(&self, ticket: &mut Ticket) -> Result<(), Reason> {
        match (self.accounts[ticket.account].mode, ticket.pos) {
            (Mode::OneWay, _) => {
                ticket.pos = Pos::Net;
                ticket.effect = if ticket.reduce_only { Effect::Close } else { Effect::Open };
                Ok(())
            }
            (Mode::Hedge, Pos::Net) => Err(Reason::NotInMode),
            (Mode::Hedge, pos) => {
                ticket.effect = if ticket.side == pos.opening_side() { Effect::Open } else { Effect::Close };
                ticket.reduce_only = false;
                Ok(())
            }
        }
    }

    /// How many lots an order can close, after those that it replaces are cancelled.
    fn make_room_to_close(&mut self, index: usize, ticket: &Ticket, lots: u64) -> Result<(u64, bool), Reason> {
        let position = self.accounts[ticket.account].position(index, ticket.pos);
        if position.lots == 0 || position.side == ticket.side {
            return Err(Reason::NoPosition);
        }
        let lots = lots.min(position.lots);
        let free = position.lots - self.occupied(ticket.account, index, ticket.pos).min(position.lots);
        if lots <= free {
            return Ok((lots, false));
        }
        if self.accounts[ticket.account].mode == Mode::Hedge && free > 0 {
            let is_market = ticket.price.is_none();
            return if is_market { Ok((free, false)) } else { Err(Reason::PositionOccupied) };
        }
        self.cancel_closing(ticket.account, index, ticket.pos, position.lots - lots);
        Ok((lots, true))
    }

    /// The lots of a position that orders wait to close.
    fn occupied(&self, account: usize, index: usize, pos: Pos) -> u64 {
        let closing = self.accounts[account].closing.get(&(index, pos));
        closing.into_iter().flatten().filter_map(|id| self.orders.get(id)).map(Order::remaining).sum()
    }

    /// Cancels closing orders, the oldest first, until they occupy no more than `most`.
    pub(crate) fn cancel_closing(&mut self, account: usize, index: usize, pos: Pos, most: u64) {
        while self.occupied(account, index, pos) > most {
            let closing = self.accounts[account].closing.get(&(index, pos));
            let Some(oldest) = closing.and_then(|ids| ids.first().copied()) else { return };
            self.end(oldest, State::Cancelled(Cancelled::Normal));
        }
    }

    /// What must be held back for an order.
    fn funds_for(
        &self,
        index: usize,
        ticket: &Ticket,
        ticks: Option<u64>,
        lots: u64,
    ) -> Result<(Coin, Decimal), Reason> {
        let pair = &self.pairs[index];
        if pair.contract == Contract::Spot {
            let of_buy = |ticks| pair.value(ticks, lots);
            return Ok(match (ticket.side, ticket.quantity) {
                (Side::Sell, _) => (pair.base, pair.qty(lots)),
                (Side::Buy, Quantity::Amount(amount)) => (pair.quote, amount),
                (Side::Buy, Quantity::Lots(_)) => {
                    (pair.quote, of_buy(ticks.unwrap_or_else(|| self.worst_price(index, ticket.side, lots))))
                }
            });
        }
        let position = self.accounts[ticket.account].position(index, ticket.pos);
        let closes = if position.side == ticket.side { 0 } else { position.lots };
        let opens = lots.saturating_sub(closes);
        let at = match (ticks, ticket.side) {
            (Some(ticks), Side::Buy) => ticks,
            (Some(ticks), Side::Sell) => ticks.max(self.reference(index, Side::Sell)),
            (None, side) => self.worst_price(index, side, lots),
        };
        let value = pair.settled_value(at, opens);
        Ok((pair.settle(), quotient(value, Decimal::from(pair.leverage)) + value * TAKER_FEE))
    }

    /// The price at which the last of some lots would trade now.
    fn worst_price(&self, index: usize, side: Side, lots: u64) -> u64 {
        let (mut left, mut worst) = (lots, self.reference(index, side));
        for (ticks, resting) in self.books[index].crossing(side.opposite(), None) {
            worst = ticks;
            left = left.saturating_sub(resting.lots);
            if left == 0 {
                break;
            }
        }
        worst
    }

    /// Holds funds back for an order, and borrows what is missing if the order does.
    fn hold(&mut self, account: usize, coin: Coin, ticket: &Ticket, amount: Decimal) -> Result<(), Reason> {
        let missing = amount - self.accounts[account].available(coin);
        let balance = self.accounts[account].balance(coin);
        if missing > Decimal::ZERO {
            let borrows = match ticket.borrows {
                Borrowing::Never => false,
                Borrowing::Always => BORROWABLE.contains(&coin),
                Borrowing::IfObtainedCannot => {
                    let pair = &self.pairs[self.pair(Family::Unified, ticket.line, &ticket.symbol).unwrap_or(0)];
                    let obtained = if ticket.side == Side::Buy { pair.base } else { pair.quote };
                    BORROWABLE.contains(&coin) && !BORROWABLE.contains(&obtained)
                }
            };
            if !borrows {
                return Err(if ticket.line.is_futures() { Reason::Funds } else { Reason::SpotFunds });
            }
            let balance = self.accounts[account].balance(coin);
            balance.total += missing;
            balance.debt += missing;
            balance.frozen += amount;
            return Ok(());
        }
        balance.frozen += amount;
        Ok(())
    }

    fn insert(
        &mut self,
        index: usize,
        ticket: Ticket,
        ticks: Option<u64>,
        lots: u64,
        (frozen_coin, frozen): (Coin, Decimal),
    ) -> u64 {
        let id = self.new_id();
        let is_futures = usize::from(ticket.line.is_futures());
        let by_amount = matches!(ticket.quantity, Quantity::Amount(_));
        let zero = Decimal::ZERO;
        let order = Order {
            id,
            instrument: index,
            ticks,
            lots: if by_amount { 0 } else { lots },
            filled: 0,
            value: zero,
            base: zero,
            fee: zero,
            profit: zero,
            frozen,
            frozen_coin,
            state: State::Live,
            spot: None,
            created: self.now,
            updated: self.now,
            modifying: 0,
            ticket,
        };
        let account = &mut self.accounts[order.ticket.account];
        account.open.insert(id);
        account.waiting[is_futures] += 1;
        if is_futures == 1 && order.is_closing() {
            account.closing.entry((index, order.ticket.pos)).or_default().insert(id);
        }
        if let Some(client) = &order.ticket.client {
            account.clients.insert(client.clone(), id);
        }
        self.orders.insert(id, order);
        id
    }
}

/// Matching.
impl Core {
    /// Matches an order with those that wait, and lets the rest wait or ends it, by its time in force.
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
        match (force, order.ticks) {
            (Force::Gtc | Force::PostOnly | Force::Rpi, Some(ticks)) if order.remaining() > 0 => {
                let resting = Resting { order: Some(id), lots: order.remaining() };
                order.spot = Some(self.books[order.instrument].rest(order.ticket.side, ticks, resting));
            }
            _ => {
                let is_filled = order.filled > 0 && order.remaining() == 0;
                let state = if is_filled { State::Filled } else { State::Cancelled(Cancelled::Normal) };
                self.end(id, state);
            }
        }
    }

    fn crosses_now(&self, order: &Order) -> bool {
        let best = self.books[order.instrument].best_price(order.ticket.side.opposite());
        best.zip(order.ticks).is_some_and(|(best, limit)| crosses(order.ticket.side, limit, best))
    }

    fn fills_wholly(&self, order: &Order) -> bool {
        let user = self.accounts[order.ticket.account].user;
        let trades =
            |resting: &Resting| order.ticket.prevention == Prevention::Off || self.user_of(resting.order) != Some(user);
        let book = self.books[order.instrument].crossing(order.ticket.side.opposite(), order.ticks);
        let mut left = order.remaining();
        for (_, resting) in book.filter(|(_, resting)| trades(resting)) {
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
            let (index, side) = (order.instrument, order.ticket.side);
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

    /// Other participants trade with those that wait. Returns what is left.
    pub(crate) fn trade_of_others(&mut self, index: usize, side: Side, limit: Option<u64>, lots: u64) -> u64 {
        let mut left = lots;
        while left > 0 {
            let Some((spot, resting)) = self.books[index].best(side.opposite()) else { break };
            if limit.is_some_and(|limit| !crosses(side, limit, spot.ticks)) {
                break;
            }
            let lots = left.min(resting.lots);
            self.books[index].reduce(spot, lots);
            if let Some(maker) = resting.order {
                self.fill(maker, spot.ticks, lots, false);
            }
            left -= lots;
        }
        left
    }

    /// Fills some lots of an order: the order, the position, the balances and the records of the account. The book is
    /// up to the caller.
    pub(crate) fn fill(&mut self, id: u64, ticks: u64, lots: u64, is_taker: bool) {
        let (fill_id, now) = (self.new_id(), self.now);
        let Some(order) = self.orders.get_mut(&id) else { return };
        let (index, key) = (order.instrument, (order.instrument, order.ticket.pos));
        let pair = &self.pairs[index];
        let account = &mut self.accounts[order.ticket.account];

        if matches!(order.ticket.quantity, Quantity::Amount(_)) {
            order.lots += lots;
        }
        release(order, account.balance(order.frozen_coin), pair.value(ticks, lots), lots);
        order.filled += lots;
        order.value += pair.value(ticks, lots);
        order.base += pair.base_qty(ticks, lots);
        order.updated = now;
        order.state = State::PartlyFilled;

        let rate = if is_taker { TAKER_FEE } else { MAKER_FEE };
        let (profit, fee, fee_coin) = if pair.contract == Contract::Spot {
            let (value, qty) = (pair.value(ticks, lots), pair.qty(lots));
            let (paid, paid_coin, got, got_coin) = match order.ticket.side {
                Side::Buy => (value, pair.quote, qty, pair.base),
                Side::Sell => (qty, pair.base, value, pair.quote),
            };
            let fee = (got * rate).round_dp(8);
            account.balance(paid_coin).total -= paid;
            account.balance(got_coin).total += got - fee;
            (Decimal::ZERO, fee, got_coin)
        } else {
            let mut position = account.position(index, order.ticket.pos);
            let change = position.fill(pair, order.ticket.side, ticks, lots);
            position.mode = order.ticket.margin;
            if change.opened > 0 {
                position.guard(order.ticket.take_profit, order.ticket.stop_loss);
            }
            let guard = (index, order.ticket.account, order.ticket.pos);
            if position.take_profit.price.or(position.stop_loss.price).is_some() {
                self.guarded.insert(guard);
            }
            if position.lots == 0 {
                account.positions.remove(&key);
                self.guarded.remove(&guard);
            } else {
                account.positions.insert(key, position);
            }
            let fee = (pair.settled_value(ticks, lots) * rate).round_dp(8);
            let balance = account.balance(pair.settle());
            balance.total += change.profit - fee;
            balance.margin += change.margin;
            (change.profit, fee, pair.settle())
        };
        order.fee += fee;
        order.profit += profit;
        account.fills.push_back(Fill {
            id: fill_id,
            order: id,
            client: order.ticket.client.clone(),
            line: order.ticket.line,
            instrument: index,
            side: order.ticket.side,
            pos: order.ticket.pos,
            effect: order.ticket.effect,
            is_limit: order.ticks.is_some(),
            is_taker,
            ticks,
            lots,
            fee,
            fee_coin,
            profit,
            at: now,
        });
        let (price, qty, is_whole) = (pair.price(ticks), pair.qty(lots), order.remaining() == 0);
        let (owner, pos) = (order.ticket.account, order.ticket.pos);
        let by_amount = matches!(order.ticket.quantity, Quantity::Amount(_));
        self.markets[index].record(fill_id, order.ticket.side, ticks, lots, now);
        self.tell(Event::Filled { order: id, price, qty });
        if is_whole && !by_amount {
            self.end(id, State::Filled);
        }
        self.trim_closing(owner, index, pos);
    }

    /// After a fill, orders that close a position occupy no more than is left of it.
    fn trim_closing(&mut self, account: usize, index: usize, pos: Pos) {
        let closing = self.accounts[account].closing.get(&(index, pos));
        let Some(order) = closing.and_then(|ids| ids.first()).and_then(|id| self.orders.get(id)) else { return };
        let position = self.accounts[account].position(index, pos);
        let left = if position.side == order.ticket.side { 0 } else { position.lots };
        self.cancel_closing(account, index, pos, left);
    }

    /// Ends an order: it leaves the book, and what was held back is released.
    pub(crate) fn end(&mut self, id: u64, state: State) {
        let Some(order) = self.orders.get_mut(&id).filter(|order| order.state.is_open()) else { return };
        let account = &mut self.accounts[order.ticket.account];
        if let Some(spot) = order.spot.take() {
            self.books[order.instrument].remove(spot);
        }
        account.balance(order.frozen_coin).frozen -= order.frozen;
        order.frozen = Decimal::ZERO;
        (order.state, order.updated) = (state, self.now);
        account.open.remove(&id);
        account.closed.insert(id);
        account.waiting[usize::from(order.ticket.line.is_futures())] -= 1;
        let key = (order.instrument, order.ticket.pos);
        if let Some(closing) = account.closing.get_mut(&key) {
            closing.remove(&id);
            if closing.is_empty() {
                account.closing.remove(&key);
            }
        }
        let is_cancelled = matches!(state, State::Cancelled(_));
        let is_soon = is_cancelled && account.family == Family::Unified;
        self.remember_until(id, if is_soon { CANCELLED_KEPT } else { KEPT }, is_soon);
        if is_cancelled {
            self.tell(Event::Cancelled { order: id });
        }
    }
}

/// Take-profits and stop-losses.
impl Core {
    /// The presets of an order change those of a position that is there; otherwise they wait for its first fill.
    fn guard_position(&mut self, index: usize, ticket: &Ticket) {
        let position = self.accounts[ticket.account].positions.get_mut(&(index, ticket.pos));
        let Some(position) = position.filter(|position| position.side == ticket.side) else { return };
        position.guard(ticket.take_profit, ticket.stop_loss);
        if position.take_profit.price.or(position.stop_loss.price).is_some() {
            self.guarded.insert((index, ticket.account, ticket.pos));
        }
    }

    /// Closes positions whose take-profit or stop-loss the price has reached.
    pub(crate) fn trigger(&mut self, index: usize) {
        while let Some((account, pos, preset, source)) = self.next_triggered(index) {
            let position = self.accounts[account].position(index, pos);
            self.guarded.remove(&(index, account, pos));
            if let Some(position) = self.accounts[account].positions.get_mut(&(index, pos)) {
                (position.take_profit, position.stop_loss) = Default::default();
            }
            let side = position.side.opposite();
            let ticket = self.market_ticket(account, index, side, pos, position.lots, source);
            let limit_price = preset.limit_price.filter(|_| preset.is_limit == Some(true));
            let force = if limit_price.is_some() { Force::Gtc } else { Force::Ioc };
            let (effect, reduce_only) = (Effect::Close, pos == Pos::Net);
            if let Err(reason) = self.take(Ticket { price: limit_price, force, effect, reduce_only, ..ticket }) {
                let code = reason.of(self.accounts[account].family).code;
                self.tell(Event::Refused { code });
            }
        }
    }

    fn next_triggered(&self, index: usize) -> Option<(usize, Pos, Preset, Source)> {
        let (pair, market) = (&self.pairs[index], &self.markets[index]);
        let (last, mark) = (pair.price(market.last), pair.price(market.mid));
        let of_pair = self.guarded.range((index, 0, Pos::Net)..).take_while(|(other, _, _)| *other == index);
        let mut triggered = of_pair.filter_map(|(_, account, pos)| {
            let position = self.accounts[*account].positions.get(&(index, *pos))?;
            position.triggered(last, mark).map(|(preset, source)| (*account, *pos, preset, source))
        });
        triggered.next()
    }
}

/// Amending and cancelling.
impl Core {
    /// The order of an account that a name means.
    pub(crate) fn find(&self, account: usize, name: &Name) -> Option<&Order> {
        let id = match name {
            Name::Id(id) => id.parse().ok()?,
            Name::Client(client) => *self.accounts[account].clients.get(client)?,
        };
        self.orders.get(&id).filter(|order| order.ticket.account == account)
    }

    /// Cancels an order that waits.
    pub(crate) fn cancel(&mut self, account: usize, name: &Name) -> Result<u64, Reason> {
        let order = self.find(account, name).ok_or(Reason::NoSuchOrder)?;
        let (id, is_open) = (order.id, order.state.is_open());
        if !is_open {
            return Err(Reason::NotOpen);
        }
        self.end(id, State::Cancelled(Cancelled::Normal));
        Ok(id)
    }

    /// Takes a modification of the unified family, of which `most` can be in progress.
    pub(crate) fn amend(
        &mut self,
        account: usize,
        name: &Name,
        amendment: Amendment,
        most: u32,
    ) -> Result<u64, Refusal> {
        let of = |reason: Reason| reason.of(Family::Unified);
        let order = self.find(account, name).ok_or_else(|| of(Reason::NoSuchOrder))?;
        let id = order.id;
        if !order.state.is_open() {
            return Err(of(Reason::NotOpen));
        }
        if order.modifying >= most {
            return Err(of(Reason::ModifyInProgress));
        }
        if let Some(order) = self.orders.get_mut(&id) {
            order.modifying += 1;
        }
        let delay = self.settings.modification_delay;
        if delay.is_zero() {
            self.finish_amendment(id, &amendment)?;
        } else {
            self.later(delay, Task::Amend(id, amendment));
        }
        Ok(id)
    }

    /// Applies a modification; if it is rejected, the order may be cancelled for it.
    pub(crate) fn finish_amendment(&mut self, id: u64, amendment: &Amendment) -> Result<(), Refusal> {
        if let Some(order) = self.orders.get_mut(&id) {
            order.modifying = order.modifying.saturating_sub(1);
        }
        let applied = self.apply_amendment(id, amendment);
        if applied.is_err() && amendment.auto_cancel {
            self.end(id, State::Cancelled(Cancelled::Normal));
        }
        applied.map_err(|reason| reason.of(Family::Unified))
    }

    fn apply_amendment(&mut self, id: u64, amendment: &Amendment) -> Result<(), Reason> {
        let order = self.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
        if !order.state.is_open() {
            return Err(Reason::NotOpen);
        }
        let (index, account) = (order.instrument, order.ticket.account);
        let limit = order.ticks.ok_or(Reason::NotModifiable)?;
        let ticks = match amendment.price {
            Some(price) => self.ticks_in_range(index, order.ticket.side, price, amendment.adjusts_price)?,
            None => limit,
        };
        let lots = match amendment.qty {
            Some(qty) => {
                let changed = Ticket { quantity: Quantity::Lots(qty), ..order.ticket.clone() };
                self.lots_of(index, &changed)?
            }
            None => order.lots,
        };
        if lots < order.filled {
            return Err(Reason::BelowFilled);
        }
        let left = lots - order.filled;
        let (coin, needed) = self.funds_for(index, &order.ticket, Some(ticks), left)?;
        let more = needed - order.frozen;
        if more > Decimal::ZERO && self.accounts[account].available(coin) < more {
            return Err(if order.ticket.line.is_futures() { Reason::Funds } else { Reason::SpotFunds });
        }
        let keeps_place = ticks == limit && lots <= order.lots;
        let (spot, less) = (order.spot, order.lots - lots.min(order.lots));
        self.accounts[account].balance(coin).frozen += more;
        let now = self.now;
        if let Some(order) = self.orders.get_mut(&id) {
            (order.frozen, order.ticks, order.lots, order.updated) = (needed, Some(ticks), lots, now);
            let presets = [&amendment.take_profit, &amendment.stop_loss];
            for (kept, new) in [&mut order.ticket.take_profit, &mut order.ticket.stop_loss].into_iter().zip(presets) {
                if let Some(new) = new {
                    *kept = *new;
                }
            }
        }
        self.tell(Event::Amended { order: id });
        let Some(spot) = spot else { return Ok(()) };
        if left == 0 {
            self.end(id, State::Filled);
        } else if keeps_place {
            if less > 0 {
                self.books[index].reduce(spot, less);
            }
        } else {
            self.books[index].remove(spot);
            if let Some(order) = self.orders.get_mut(&id) {
                order.spot = None;
            }
            self.work(id);
        }
        Ok(())
    }

    /// Closes a position at the market price, regardless of waiting orders that close it.
    pub(crate) fn close_position(
        &mut self,
        account: usize,
        index: usize,
        pos: Pos,
        lots: u64,
        source: Source,
    ) -> Result<u64, Reason> {
        let position = self.accounts[account].position(index, pos);
        if position.lots == 0 {
            return Err(Reason::NoPosition);
        }
        if self.pairs[index].suspended {
            return Err(Reason::Suspended);
        }
        self.cancel_closing(account, index, pos, position.lots - lots.min(position.lots));
        let ticket = self.market_ticket(account, index, position.side.opposite(), pos, lots, source);
        self.place(Ticket { effect: Effect::Close, reduce_only: pos == Pos::Net, ..ticket }).map(|placed| placed.id)
    }

    /// A market order of an account in a pair.
    pub(crate) fn market_ticket(
        &self,
        account: usize,
        index: usize,
        side: Side,
        pos: Pos,
        lots: u64,
        source: Source,
    ) -> Ticket {
        let pair = &self.pairs[index];
        Ticket {
            account,
            line: pair.line,
            symbol: pair.symbol.to_owned(),
            side,
            price: None,
            quantity: Quantity::Lots(pair.qty(lots)),
            force: Force::Ioc,
            pos,
            effect: Effect::Open,
            reduce_only: false,
            prevention: Prevention::Off,
            client: None,
            margin: self.accounts[account].position(index, pos).mode,
            borrows: Borrowing::Never,
            adjusts_price: false,
            take_profit: Preset::default(),
            stop_loss: Preset::default(),
            source,
        }
    }
}

/// Releases the share of what is held back for an order that belongs to some of its lots.
fn release(order: &mut Order, balance: &mut Balance, value: Decimal, lots: u64) {
    let remaining = order.remaining();
    let share = match order.ticket.quantity {
        Quantity::Amount(_) => value.min(order.frozen),
        Quantity::Lots(_) if lots >= remaining => order.frozen,
        Quantity::Lots(_) => quotient(order.frozen * Decimal::from(lots), Decimal::from(remaining)),
    };
    order.frozen -= share;
    balance.frozen -= share;
}

/// The most lots of one order.
fn most_lots(pair: &Instrument) -> u64 {
    let lot = match pair.contract {
        Contract::InverseByQuote => pair.step,
        _ => pair.price(pair.opening) * pair.step,
    };
    u64::try_from((MOST_VALUE / lot).floor()).unwrap_or(u64::MAX)
}
