//! Orders that reduce positions, and how much of a position they may occupy: reduce-only orders, and orders of one-way
//! mode that close a position without being reduce-only, with the funds of those that no longer do.

use rust_decimal::Decimal;

use crate::state::accounts::Account;
use crate::state::core::Core;
use crate::state::orders::{Borrowing, Order, Quantity, Source, State, Ticket};
use crate::state::refusal::Reason;
use crate::state::words::{Cancelled, Effect, Force, Mode, PositionSide, Prevention, Side};

impl Core {
    /// Returns the lots that an order can close once the orders that it replaces are cancelled.
    pub(crate) fn make_room_to_close(
        &mut self,
        index: usize,
        ticket: &Ticket,
        lots: u64,
    ) -> Result<(u64, bool), Reason> {
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

    /// Returns the lots of a position that open orders occupy.
    pub(crate) fn occupied(&self, account: usize, index: usize, pos: PositionSide) -> u64 {
        let closing = self.accounts[account].closing.get(&(index, pos));
        closing.into_iter().flatten().filter_map(|id| self.orders.get(id)).map(Order::remaining).sum()
    }

    /// Returns the most lots of an order. A closing order gets what other closing orders leave of the position.
    pub(crate) fn most_lots_of(&self, order: &Order) -> u64 {
        let Ticket { account, pair, pos, line, .. } = order.ticket;
        if !line.is_futures() || !order.is_closing() {
            return u64::MAX;
        }
        let others = self.occupied(account, pair, pos).saturating_sub(order.remaining());
        let free = self.accounts[account].position(pair, pos).lots.saturating_sub(others);
        order.filled.saturating_add(free)
    }

    /// Cancels closing orders, the oldest first, until they occupy no more than `most`.
    pub(crate) fn cancel_closing(&mut self, account: usize, index: usize, pos: PositionSide, most: u64) {
        while self.occupied(account, index, pos) > most {
            let closing = self.accounts[account].closing.get(&(index, pos));
            let Some(oldest) = closing.and_then(|ids| ids.first().copied()) else { return };
            self.end(oldest, State::Cancelled(Cancelled::Normal));
        }
    }

    /// Shrinks closing orders after a fill, so that they occupy no more than the rest of the position.
    pub(crate) fn trim_closing(&mut self, account: usize, index: usize, pos: PositionSide) {
        let closing = self.accounts[account].closing.get(&(index, pos));
        let Some(order) = closing.and_then(|ids| ids.first()).and_then(|id| self.orders.get(id)) else { return };
        let position = self.accounts[account].position(index, pos);
        let left = if position.side == order.ticket.side { 0 } else { position.lots };
        self.cancel_closing(account, index, pos, left);
    }

    /// Closes a position at the market price, regardless of open orders that close it.
    pub(crate) fn close_position(
        &mut self,
        account: usize,
        index: usize,
        pos: PositionSide,
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
        self.place(Ticket { effect: Effect::Close, reduce_only: pos == PositionSide::Net, ..ticket })
            .map(|placed| placed.id)
    }

    /// Returns a market order of an account in a pair.
    pub(crate) fn market_ticket(
        &self,
        account: usize,
        index: usize,
        side: Side,
        pos: PositionSide,
        lots: u64,
        source: Source,
    ) -> Ticket {
        let pair = &self.pairs[index];
        Ticket {
            account,
            line: pair.line,
            pair: index,
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
            presets: None,
            source,
        }
    }
}

impl Core {
    /// Returns the lots of an order that close its position, and need no funds. Orders that wait share the position;
    /// one that trades at once or not at all comes before them. `own` is the order itself, if it waits already.
    pub(crate) fn netted_lots(&self, index: usize, ticket: &Ticket, lots: u64, own: Option<u64>) -> u64 {
        if ticket.reduce_only || ticket.effect == Effect::Close {
            return lots;
        }
        let position = self.accounts[ticket.account].position(index, ticket.pos);
        if position.side == ticket.side {
            return 0;
        }
        let waits = ticket.price.is_some() && !matches!(ticket.force, Force::Ioc | Force::Fok);
        let others = if waits { self.netted_by_others(ticket.account, index, own) } else { 0 };
        lots.min(position.lots.saturating_sub(others))
    }

    fn netted_by_others(&self, account: usize, index: usize, own: Option<u64>) -> u64 {
        let ids = self.accounts[account].netting.get(&index).into_iter().flatten();
        ids.filter(|id| Some(**id) != own).filter_map(|id| self.orders.get(id)).map(|order| order.netted).sum()
    }

    /// Reserves funds for orders that close more than what is left of the position, after a fill. Those that cannot be
    /// paid are cancelled, the newest first.
    pub(crate) fn fund_netted(&mut self, account: usize, index: usize) {
        let Some(ids) = self.accounts[account].netting.get(&index) else { return };
        let ids: Vec<u64> = ids.iter().copied().collect();
        let position = self.accounts[account].position(index, PositionSide::Net);
        let mut left = position.lots;
        for id in ids {
            // An order that is being matched has no place in the book yet.
            let Some(order) = self.orders.get(&id).filter(|order| order.spot.is_some()) else { continue };
            let closes = if order.ticket.side == position.side { 0 } else { order.netted.min(left) };
            left -= closes;
            if closes < order.netted {
                self.fund(id, closes);
            }
        }
    }

    /// Reserves what an order needs that closes only some lots, or cancels it.
    fn fund(&mut self, id: u64, closes: u64) {
        let Some(order) = self.orders.get(&id) else { return };
        let (ticket, frozen) = (order.ticket.clone(), order.frozen);
        let needed = self.funds_for(ticket.pair, &ticket, order.ticks, order.remaining(), closes);
        let held = needed.and_then(|(coin, needed)| {
            self.hold(ticket.account, coin, &ticket, needed - frozen)?;
            Ok(needed)
        });
        match held {
            Ok(needed) => self.set_netted(id, closes, needed),
            Err(_) => self.end(id, State::Cancelled(Cancelled::Normal)),
        }
    }

    /// Sets how many lots of an order close its position, and what is reserved for the others.
    pub(crate) fn set_netted(&mut self, id: u64, netted: u64, frozen: Decimal) {
        let Some(order) = self.orders.get_mut(&id) else { return };
        (order.netted, order.frozen) = (netted, frozen);
        self.accounts[order.ticket.account].note_netting(order);
    }
}

impl Account {
    /// Notes whether an order is open and closes a position without being reduce-only.
    pub(crate) fn note_netting(&mut self, order: &Order) {
        let index = order.ticket.pair;
        if order.netted > 0 && order.state.is_open() && !order.is_closing() {
            self.netting.entry(index).or_default().insert(order.id);
        } else if let Some(ids) = self.netting.get_mut(&index) {
            ids.remove(&order.id);
            if ids.is_empty() {
                self.netting.remove(&index);
            }
        }
    }
}
