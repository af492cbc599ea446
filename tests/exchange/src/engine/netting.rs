//! Orders that close a position of one-way mode without being reduce-only, and the funds of those that no longer do.

use rust_decimal::Decimal;

use crate::state::accounts::Account;
use crate::state::core::Core;
use crate::state::orders::{Order, State, Ticket};
use crate::state::words::{Cancelled, Effect, Force, PositionSide};

impl Core {
    /// The lots of an order that close its position, and need no funds. Orders that wait share the position; one that
    /// trades at once or not at all comes before them. `own` is the order itself, if it waits already.
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
