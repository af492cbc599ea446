//! Take-profits and stop-losses: of positions, and of what spot orders bought or sold.

use rust_decimal::Decimal;

use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::orders::{CLASSIC_PRESETS, Order, Preset, Presets, Quantity, Source, State, Ticket, UNIFIED_PRESETS};
use crate::state::refusal::Reason;
use crate::state::words::{Cancelled, Effect, Family, Force, PositionSide, Side};

/// The order or position that a trigger belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guarded {
    /// A position of an account.
    Position(usize, PositionSide),
    /// An ended spot order.
    Order(u64),
}

impl Core {
    /// Applies the presets of an order to its position if there is one; otherwise they are applied at the first fill.
    pub(crate) fn guard_position(&mut self, ticket: &Ticket) {
        let Some(presets) = ticket.presets.as_deref() else { return };
        let position = self.accounts[ticket.account].positions.get_mut(&(ticket.pair, ticket.pos));
        let Some(position) = position.filter(|position| position.side == ticket.side) else { return };
        position.presets.take_over(*presets);
        if position.presets.is_some() {
            self.guarded.insert((ticket.pair, ticket.account, ticket.pos));
        }
    }

    /// Closes positions, and sells or buys back what spot orders traded, whose take-profit or stop-loss the price has
    /// reached, unless the pair is suspended. Closing the first moves the price, and keeps no other from being closed.
    pub(crate) fn trigger(&mut self, index: usize) {
        loop {
            let (triggered, due) = (self.triggered(index), self.due_plans(index));
            if triggered.is_empty() && due.is_empty() {
                return;
            }
            for (plan, trigger) in due {
                self.execute_plan(plan, trigger);
            }
            for (guarded, preset, source) in triggered {
                self.close_guarded(index, guarded, preset, source);
            }
        }
    }

    /// Refuses a take-profit or stop-loss at no price, or at one that no order can have.
    pub(crate) fn check_presets(&self, family: Family, index: usize, presets: &Presets) -> Result<(), Reason> {
        let names = if family == Family::Classic { CLASSIC_PRESETS } else { UNIFIED_PRESETS };
        for (names, preset) in names.into_iter().zip([presets.take_profit, presets.stop_loss]) {
            for (name, price) in names.into_iter().zip([preset.price, preset.limit_price]) {
                let Some(price) = price else { continue };
                if price.is_zero() {
                    return Err(Reason::value([name, "min"], "0 is no price; leave it out"));
                }
                self.pairs[index].ticks(price).ok_or(Reason::PriceStep)?;
            }
        }
        Ok(())
    }

    fn close_guarded(&mut self, index: usize, guarded: Guarded, preset: Preset, source: Source) {
        let ticket = match guarded {
            Guarded::Position(account, pos) => self.closing_ticket(index, account, pos, source),
            Guarded::Order(id) => {
                self.bought.remove(&(index, id));
                self.orders.get(&id).map(|order| self.back_ticket(order, source))
            }
        };
        let Some(ticket) = ticket else { return };
        let price = preset.limit_price.filter(|_| preset.is_limit == Some(true));
        let force = if price.is_some() { Force::Gtc } else { Force::Ioc };
        // The price may have gone far beyond the limit since it was set.
        let ticket = Ticket { price, force, adjusts_price: true, ..ticket };
        if let Err(reason) = self.take(ticket.clone()) {
            let code = reason.code(self.accounts[ticket.account].family).to_owned();
            self.keep_as_cancelled(ticket);
            self.publish(Event::Refused { code });
        }
    }

    /// Keeps a triggered order that cannot be placed as one that was cancelled, so that its account sees what became of it.
    fn keep_as_cancelled(&mut self, ticket: Ticket) {
        let pair = &self.pairs[ticket.pair];
        let ticks = ticket.price.and_then(|price| pair.ticks(price));
        let (Quantity::Lots(qty) | Quantity::Amount(qty)) = ticket.quantity;
        let lots = pair.lots_below(qty);
        let coin = pair.settle();
        let id = self.insert(ticket, ticks, [lots, 0], (coin, Decimal::ZERO));
        self.publish(Event::Placed { order: id });
        self.end(id, State::Cancelled(Cancelled::Normal));
    }

    fn triggered(&self, index: usize) -> Vec<(Guarded, Preset, Source)> {
        if self.pairs[index].suspended || self.guarded.is_empty() && self.bought.is_empty() {
            return Vec::new();
        }
        let (pair, market) = (&self.pairs[index], &self.markets[index]);
        let (last, mark) = (pair.price(market.last), pair.price(market.mark()));
        let of_pair = self.guarded.range((index, 0, PositionSide::Net)..).take_while(|(other, _, _)| *other == index);
        let positions = of_pair.filter_map(|(_, account, pos)| {
            let position = self.accounts[*account].positions.get(&(index, *pos))?;
            let (preset, source) = position.presets.triggered(position.side, last, mark)?;
            Some((Guarded::Position(*account, *pos), preset, source))
        });
        let orders = self.bought.range((index, 0)..=(index, u64::MAX)).filter_map(|(_, id)| {
            // A deleted order triggers nothing.
            let ticket = &self.orders.get(id)?.ticket;
            let (preset, source) = ticket.presets().triggered(ticket.side, last, mark)?;
            Some((Guarded::Order(*id), preset, source))
        });
        positions.chain(orders).collect()
    }

    /// An order that closes the whole position, whatever orders wait to close a part of it, and removes its presets.
    fn closing_ticket(&mut self, index: usize, account: usize, pos: PositionSide, source: Source) -> Option<Ticket> {
        self.guarded.remove(&(index, account, pos));
        let position = self.accounts[account].positions.get_mut(&(index, pos))?;
        // Closing another one may have closed it.
        if !std::mem::take(&mut position.presets).is_some() {
            return None;
        }
        let (side, lots) = (position.side.opposite(), position.lots);
        self.cancel_closing(account, index, pos, 0);
        let ticket = self.market_ticket(account, index, side, pos, lots, source);
        Some(Ticket { effect: Effect::Close, reduce_only: pos == PositionSide::Net, ..ticket })
    }

    /// An order that sells the quantity that a spot order bought, less the fee, or buys back the sold one.
    fn back_ticket(&self, order: &Order, source: Source) -> Ticket {
        let (account, index, side) = (order.ticket.account, order.ticket.pair, order.ticket.side.opposite());
        let pair = &self.pairs[index];
        let lots = match side {
            Side::Buy => order.filled,
            Side::Sell => {
                // The fee was taken from what was bought, and some of it may have been sold meanwhile.
                let bought = order.base - order.fee;
                let left = pair.lots_below(bought.min(self.accounts[account].available(pair.base)));
                if left > 0 { left } else { pair.lots_below(bought) }
            }
        };
        let ticket = self.market_ticket(account, index, side, PositionSide::Net, lots, source);
        Ticket { line: order.ticket.line, quantity: Quantity::Lots(pair.qty(lots)), ..ticket }
    }
}
