//! Amending and cancelling.

use rust_decimal::Decimal;

use crate::state::core::{Core, Task};
use crate::state::events::Event;
use crate::state::instruments::Contract;
use crate::state::orders::{Changes, Name, Order, Presets, State, UNIFIED_PRESETS};
use crate::state::refusal::Reason;
use crate::state::words::Cancelled;

/// An order after a modification.
struct Amended {
    ticks: u64,
    lots: u64,
    presets: Presets,
    netted: u64,
    /// The funds that it reserves then.
    needed: Decimal,
}

impl Core {
    /// Returns the order of an account with this name.
    pub(crate) fn find(&self, account: usize, name: &Name) -> Option<&Order> {
        let id = match name {
            Name::Id(id) => id.parse().ok()?,
            Name::Client(client) => *self.accounts[account].clients.get(client.as_str())?,
        };
        self.orders.get(&id).filter(|order| order.ticket.account == account)
    }

    /// Cancels an open order.
    pub(crate) fn cancel(&mut self, id: u64) -> Result<(), Reason> {
        let order = self.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
        if !order.state.is_open() {
            return Err(Reason::NotOpen);
        }
        self.end_by(id, State::Cancelled(Cancelled::Normal), true);
        Ok(())
    }

    /// Accepts a modification of the unified family. At most `most` can be in progress.
    pub(crate) fn amend(&mut self, id: u64, changes: Changes, most: u32) -> Result<(), Reason> {
        let order = self.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
        if !order.state.is_open() {
            return Err(Reason::NotOpen);
        }
        if self.pairs[order.ticket.pair].suspended {
            return Err(Reason::Suspended);
        }
        // The new Coin-M business line has no modifications, whether or not the request names its pair.
        if self.pairs[order.ticket.pair].contract == Contract::InverseByQuote {
            return Err(Reason::NotModifiable);
        }
        if order.modifying >= most {
            if changes.auto_cancel && self.settings.auto_cancel_in_progress {
                self.end(id, State::Cancelled(Cancelled::Normal));
            }
            return Err(Reason::ModifyInProgress);
        }
        if let Some(order) = self.orders.get_mut(&id) {
            order.modifying += 1;
        }
        let delay = self.settings.modification_delay;
        if delay.is_zero() {
            self.finish_amendment(id, &changes)?;
        } else {
            self.later(delay, Task::Amend(id, changes));
        }
        Ok(())
    }

    /// Applies a modification; if it is rejected, the order may be cancelled for it.
    pub(crate) fn finish_amendment(&mut self, id: u64, changes: &Changes) -> Result<(), Reason> {
        if let Some(order) = self.orders.get_mut(&id) {
            order.modifying = order.modifying.saturating_sub(1);
        }
        if self.ends_half_done() {
            self.end(id, State::Cancelled(Cancelled::Normal));
            self.publish(Event::DoneHalf { order: Some(id), request_id: changes.request_id, unplaced: None });
            return Err(Reason::NotOpen);
        }
        let applied = self.apply_amendment(id, changes);
        if let Some(pair) = self.orders.get(&id).map(|order| order.ticket.pair) {
            self.trigger(pair);
        }
        if applied.is_err() && changes.auto_cancel {
            self.end(id, State::Cancelled(Cancelled::Normal));
        }
        applied
    }

    fn apply_amendment(&mut self, id: u64, changes: &Changes) -> Result<(), Reason> {
        let amended = self.amended(id, changes)?;
        let Amended { ticks, lots, presets, netted, needed } = amended;
        let Some(order) = self.orders.get(&id) else { return Err(Reason::NoSuchOrder) };
        let (account, coin, more) = (order.ticket.account, order.frozen_coin, needed - order.frozen);
        if more > Decimal::ZERO {
            let ticket = order.ticket.clone();
            self.hold(account, coin, &ticket, more)?;
        } else {
            self.accounts[account].balance(coin).frozen += more;
        }
        let Some(order) = self.orders.get_mut(&id) else { return Err(Reason::NoSuchOrder) };
        let (before, spot, index) = ((order.ticks, order.lots), order.spot, order.ticket.pair);
        (order.ticks, order.lots, order.updated) = (Some(ticks), lots, self.now);
        order.ticket.presets = presets.boxed();
        let left = order.remaining();
        self.set_netted(id, netted, needed);
        self.publish(Event::Amended { order: id, request_id: changes.request_id });
        let Some(spot) = spot else { return Ok(()) };
        if left == 0 {
            self.end(id, State::Filled);
        } else if before.0 == Some(ticks) && lots <= before.1 {
            // It keeps its place in the queue.
            if lots < before.1 {
                self.books[index].reduce(spot, before.1 - lots);
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

    /// Returns what an order is after a modification, if it can be carried out.
    fn amended(&self, id: u64, changes: &Changes) -> Result<Amended, Reason> {
        let order = self.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
        if !order.state.is_open() {
            return Err(Reason::NotOpen);
        }
        let index = order.ticket.pair;
        if self.pairs[index].suspended {
            return Err(Reason::Suspended);
        }
        let limit = order.ticks.ok_or(Reason::NotModifiable)?;
        let ticks = match changes.price {
            Some(price) => self.ticks_in_range(index, order.ticket.side, ("price", price), changes.adjusts_price)?,
            None => limit,
        };
        let lots = match changes.qty {
            Some(qty) => self.lots_of_qty(index, "qty", qty)?,
            None => order.lots,
        };
        if lots < order.filled {
            let filled = self.pairs[index].qty(order.filled);
            return Err(Reason::bound(&Reason::BelowFilled, "qty", "at least", filled));
        }
        let kept = order.ticket.presets();
        let take_profit = changes.take_profit.unwrap_or(kept.take_profit);
        let stop_loss = changes.stop_loss.unwrap_or(kept.stop_loss);
        let presets = Presets { take_profit, stop_loss };
        self.check_presets(UNIFIED_PRESETS, index, &presets)?;
        let lots = lots.min(self.most_lots_of(order));
        let left = lots - order.filled;
        let netted = self.netted_lots(index, &order.ticket, left, Some(id));
        let (_, needed) = self.funds_for(index, &order.ticket, Some(ticks), left, netted)?;
        Ok(Amended { ticks, lots, presets, netted, needed })
    }
}
