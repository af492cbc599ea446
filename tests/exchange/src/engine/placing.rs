//! Placement: acceptance of orders, and the funds reserved for them.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::state::accounts::Position;
use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::instruments::{Coin, Contract, MAX_VALUE, most_lots, quotient};
use crate::state::orders::{Borrowing, Order, Quantity, Source, State, Ticket};
use crate::state::refusal::Reason;
use crate::state::settings::{BAND, BORROWABLE, TAKER_FEE};
use crate::state::words::{Effect, Family, Mode, PositionSide, Side};

/// An accepted order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) id: u64,
    /// True if it replaced an earlier reduce-only order.
    pub(crate) replaced: bool,
}

impl Core {
    /// Accepts and matches an order; what is left of it stays in the book or is cancelled. Then closes positions whose
    /// take-profit or stop-loss the price has reached.
    pub(crate) fn place(&mut self, ticket: Ticket) -> Result<Placed, Reason> {
        let pair = ticket.pair;
        let placed = self.take(ticket)?;
        self.trigger(pair);
        Ok(placed)
    }

    pub(crate) fn take(&mut self, mut ticket: Ticket) -> Result<Placed, Reason> {
        let index = ticket.pair;
        self.refuse_duplicate(&ticket)?;
        self.wake(index);
        let (ticks, mut lots) = self.bounded(&ticket)?;
        self.refuse_reached_presets(&ticket)?;
        self.refuse_beyond_ceiling(&ticket)?;
        if ticket.line.is_futures() {
            self.fit_position_mode(&mut ticket)?;
            self.refuse_other_margin(&ticket)?;
        }
        let mut replaced = false;
        if ticket.line.is_futures() && (ticket.reduce_only || ticket.effect == Effect::Close) {
            (lots, replaced) = self.make_room_to_close(index, &ticket, lots)?;
        }
        let netted = self.netted_lots(index, &ticket, lots, None);
        let (frozen_coin, frozen) = self.funds_for(index, &ticket, ticks, lots, netted)?;
        self.hold(ticket.account, frozen_coin, &ticket, frozen)?;
        self.guard_position(&ticket);
        let id = self.insert(ticket, ticks, [lots, netted], (frozen_coin, frozen));
        self.publish(Event::Placed { order: id });
        self.work(id);
        Ok(Placed { id, replaced })
    }

    /// Returns the limit in ticks and the lots of an order, if its pair trades and its prices and quantity are within
    /// the bounds, whatever its account has.
    pub(crate) fn bounded(&self, ticket: &Ticket) -> Result<(Option<u64>, u64), Reason> {
        let index = ticket.pair;
        if self.pairs[index].suspended {
            return Err(Reason::Suspended);
        }
        let ticks = self.limit_of(index, ticket)?;
        let lots = self.lots_of(index, ticket)?;
        if ticks.is_some() && matches!(ticket.quantity, Quantity::Amount(_)) {
            return Err(Reason::value(["qty", "shape"], "a limit order has no amount of the quote coin"));
        }
        self.check_presets(self.preset_names(ticket), index, &ticket.presets())?;
        Ok((ticks, lots))
    }

    pub(crate) fn refuse_duplicate(&self, ticket: &Ticket) -> Result<(), Reason> {
        let is_used = self.is_used(ticket.account, ticket.client.as_deref());
        if is_used && self.settings.unique_client_ids { Err(Reason::Duplicate) } else { Ok(()) }
    }

    /// Returns whether an order of an account has a client id, as far as the exchange remembers.
    pub(crate) fn is_used(&self, account: usize, client: Option<&str>) -> bool {
        let forgets_ended = self.hostile.as_ref().is_some_and(|hostile| hostile.settings.forgets_ended);
        let is_open = |id: &u64| self.orders.get(id).is_some_and(|order| order.state.is_open());
        let known = client.and_then(|client| self.accounts[account].clients.get(client));
        known.is_some_and(|id| !forgets_ended || is_open(id))
    }

    /// Refuses one more open order than the documents allow. An order that never rests is not open afterwards.
    fn refuse_beyond_ceiling(&self, ticket: &Ticket) -> Result<(), Reason> {
        let account = &self.accounts[ticket.account];
        if !self.settings.ceilings || account.family == Family::Classic || !ticket.may_rest() {
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

    /// Returns the limit in ticks, within the range of prices.
    fn limit_of(&self, index: usize, ticket: &Ticket) -> Result<Option<u64>, Reason> {
        let Some(price) = ticket.price else { return Ok(None) };
        let [name, _] = self.number_names(ticket);
        self.ticks_in_range(index, ticket.side, (name, price), ticket.adjusts_price).map(Some)
    }

    /// Returns the names of the price and of the quantity in the request for a ticket.
    fn number_names(&self, ticket: &Ticket) -> [&'static str; 2] {
        match (self.accounts[ticket.account].family, ticket.source) {
            (Family::Unified, _) => ["price", "qty"],
            (Family::Classic, Source::Modification) => ["newPrice", "newSize"],
            (Family::Classic, _) => ["price", "size"],
        }
    }

    /// Returns a price in ticks, within the range of prices.
    pub(crate) fn ticks_in_range(
        &self,
        index: usize,
        side: Side,
        (name, price): (&'static str, Decimal),
        adjusts: bool,
    ) -> Result<u64, Reason> {
        let (pair, mid) = (&self.pairs[index], self.markets[index].mid);
        let ticks = self.ticks_on_grid(index, name, price)?;
        let above = |most| Reason::bound(&Reason::PriceAbove, name, "at most", pair.price(most));
        let below = |least| Reason::bound(&Reason::PriceBelow, name, "at least", pair.price(least));
        let (best, reason) = match side {
            Side::Buy => (mid + mid / BAND, above(mid + mid / BAND)),
            Side::Sell => (mid - mid / BAND, below(mid - mid / BAND)),
        };
        let is_far = if side == Side::Buy { ticks > best } else { ticks < best };
        let most = mid.saturating_mul(1_000);
        match (is_far, adjusts) {
            (false, _) if ticks > most => Err(above(most)),
            (false, _) => Ok(ticks),
            (true, true) => Ok(best),
            (true, false) => Err(reason),
        }
    }

    /// Returns a price in ticks.
    pub(crate) fn ticks_on_grid(&self, index: usize, name: &'static str, price: Decimal) -> Result<u64, Reason> {
        let pair = &self.pairs[index];
        let refused = || Reason::bound(&Reason::PriceStep, name, "a positive multiple of", pair.tick);
        pair.ticks(price).filter(|ticks| *ticks > 0).ok_or_else(refused)
    }

    fn lots_of(&self, index: usize, ticket: &Ticket) -> Result<u64, Reason> {
        let pair = &self.pairs[index];
        let [_, name] = self.number_names(ticket);
        match ticket.quantity {
            Quantity::Lots(qty) => self.lots_of_qty(index, name, qty),
            Quantity::Amount(amount) if amount > MAX_VALUE => {
                Err(Reason::bound(&Reason::SizeMost, name, "at most", MAX_VALUE))
            }
            Quantity::Amount(amount) => {
                let price = self.reference(index, ticket.side);
                let lots = pair.lots_for(amount, price);
                let refused = || Reason::bound(&Reason::SizeLeast, name, "at least", pair.value(price, pair.least));
                if lots < pair.least { Err(refused()) } else { Ok(lots) }
            }
        }
    }

    pub(crate) fn lots_of_qty(&self, index: usize, name: &'static str, qty: Decimal) -> Result<u64, Reason> {
        let pair = &self.pairs[index];
        let refused = || Reason::bound(&Reason::SizeStep, name, "a multiple of", pair.step);
        let (lots, most) = (pair.lots(qty).ok_or_else(refused)?, most_lots(pair));
        if lots < pair.least {
            return Err(Reason::bound(&Reason::SizeLeast, name, "at least", pair.qty(pair.least)));
        }
        if lots > most { Err(Reason::bound(&Reason::SizeMost, name, "at most", pair.qty(most))) } else { Ok(lots) }
    }

    /// Fits a ticket to the position mode: in one-way mode there is one position, and the request's side is ignored; in
    /// hedge mode the request must name it.
    fn fit_position_mode(&self, ticket: &mut Ticket) -> Result<(), Reason> {
        match (self.accounts[ticket.account].mode, ticket.pos) {
            (Mode::OneWay, _) => {
                ticket.pos = PositionSide::Net;
                ticket.effect = if ticket.reduce_only { Effect::Close } else { Effect::Open };
                Ok(())
            }
            (Mode::Hedge, PositionSide::Net) => Err(Reason::NotInMode),
            (Mode::Hedge, pos) => {
                ticket.effect = if ticket.side == pos.opening_side() { Effect::Open } else { Effect::Close };
                let reduces = std::mem::take(&mut ticket.reduce_only);
                let adds = "yes does not go with a side and a posSide that open a position";
                let refused = Reason::value(["reduceOnly", "values"], adds);
                if reduces && ticket.effect == Effect::Open { Err(refused) } else { Ok(()) }
            }
        }
    }

    /// Refuses an order that would add to a position of another margin mode, which it would take over without a word.
    fn refuse_other_margin(&self, ticket: &Ticket) -> Result<(), Reason> {
        let position = self.accounts[ticket.account].positions.get(&(ticket.pair, ticket.pos));
        let differs = |position: &Position| position.side == ticket.side && position.mode != ticket.margin;
        if position.is_some_and(differs) { Err(Reason::OtherMarginMode) } else { Ok(()) }
    }

    /// Returns the funds that an order needs, of which some lots are [netted](Self::netted_lots).
    pub(crate) fn funds_for(
        &self,
        index: usize,
        ticket: &Ticket,
        ticks: Option<u64>,
        lots: u64,
        netted: u64,
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
        let at = match (ticks, ticket.side) {
            (Some(ticks), Side::Buy) => ticks,
            (Some(ticks), Side::Sell) => ticks.max(self.reference(index, Side::Sell)),
            (None, side) => self.worst_price(index, side, lots),
        };
        let value = pair.settled_value(at, lots.saturating_sub(netted));
        let leverage = self.accounts[ticket.account].leverage(index, ticket.pos, ticket.side);
        Ok((pair.settle(), quotient(value, Decimal::from(leverage)) + value * TAKER_FEE))
    }

    /// Returns the greatest number of lots of an order that the free funds of its account pay for, as if it had no
    /// position.
    pub(crate) fn most_affordable(&self, ticket: &Ticket, ticks: Option<u64>) -> Result<u64, Reason> {
        let (mut paid, mut unpaid) = (0, most_lots(&self.pairs[ticket.pair]) + 1);
        while unpaid - paid > 1 {
            let lots = paid + (unpaid - paid) / 2;
            let (coin, needed) = self.funds_for(ticket.pair, ticket, ticks, lots, 0)?;
            let is_paid = needed <= self.accounts[ticket.account].available(coin);
            *(if is_paid { &mut paid } else { &mut unpaid }) = lots;
        }
        Ok(paid)
    }

    /// Returns the price at which the last of some lots would trade now.
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

    /// Reserves funds for an order, and borrows missing ones if the order allows it.
    pub(crate) fn hold(&mut self, account: usize, coin: Coin, ticket: &Ticket, amount: Decimal) -> Result<(), Reason> {
        let missing = amount - self.accounts[account].available(coin);
        let balance = self.accounts[account].balance(coin);
        if missing > Decimal::ZERO {
            let borrows = match ticket.borrows {
                Borrowing::Never => false,
                Borrowing::Always => BORROWABLE.contains(&coin),
                Borrowing::IfObtainedCannot => {
                    let pair = &self.pairs[ticket.pair];
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

    pub(crate) fn insert(
        &mut self,
        ticket: Ticket,
        ticks: Option<u64>,
        [lots, netted]: [u64; 2],
        (frozen_coin, frozen): (Coin, Decimal),
    ) -> u64 {
        let id = self.new_id();
        let is_futures = usize::from(ticket.line.is_futures());
        let by_amount = matches!(ticket.quantity, Quantity::Amount(_));
        let zero = Decimal::ZERO;
        let order = Order {
            id,
            ticks,
            lots: if by_amount { 0 } else { lots },
            filled: 0,
            netted,
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
            account.closing.entry((order.ticket.pair, order.ticket.pos)).or_default().insert(id);
        }
        account.note_netting(&order);
        if let Some(client) = &order.ticket.client {
            let named = account.clients.entry(Arc::clone(client)).or_insert(id);
            if !self.settings.first_of_client_id {
                *named = id;
            }
        }
        self.orders.insert(order);
        id
    }
}
