//! Orders that reduce positions, and how much of a position they may occupy.

use crate::state::core::Core;
use crate::state::orders::{Borrowing, Order, Quantity, Source, State, Ticket};
use crate::state::refusal::Reason;
use crate::state::words::{Cancelled, Effect, Force, Mode, PositionSide, Prevention, Side};

impl Core {
    /// The lots that an order can close once the orders that it replaces are cancelled.
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

    /// The lots of a position that open orders occupy.
    pub(crate) fn occupied(&self, account: usize, index: usize, pos: PositionSide) -> u64 {
        let closing = self.accounts[account].closing.get(&(index, pos));
        closing.into_iter().flatten().filter_map(|id| self.orders.get(id)).map(Order::remaining).sum()
    }

    /// The most lots of an order. A closing order gets what other closing orders leave of the position.
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

    /// A market order of an account in a pair.
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
