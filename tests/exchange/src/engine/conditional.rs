//! The course of conditional orders: they are accepted, changed, triggered by a price, and ended. Take-profits and
//! stop-losses belong to positions, or to what spot orders bought or sold.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::orders::{
    CLASSIC_PRESETS, Name, Order, Plan, PlanChange, PlanState, Preset, Presets, Quantity, Source, State, Ticket,
    Trigger, UNIFIED_PRESETS,
};
use crate::state::refusal::Reason;
use crate::state::words::{Cancelled, Effect, Family, Force, Mode, PlanKind, PositionSide, Side};

impl Core {
    /// Returns the price that triggers are compared with, and whether one has to rise to a price from there.
    pub(crate) fn trigger_price(&self, index: usize, by_mark: bool) -> Decimal {
        let market = &self.markets[index];
        self.pairs[index].price(if by_mark { market.mark() } else { market.last })
    }

    /// Accepts a conditional order. It may be triggered at once.
    pub(crate) fn place_plan(
        &mut self,
        kind: PlanKind,
        client: Option<Arc<str>>,
        ticket: Ticket,
        (triggers, is_whole): (Vec<Trigger>, bool),
    ) -> Result<u64, Reason> {
        let index = ticket.pair;
        let is_same = |plan: &Plan| plan.client.is_some() && plan.client == client;
        if self.waiting_plans(ticket.account).any(is_same) && self.settings.unique_client_ids {
            return Err(Reason::Duplicate);
        }
        self.wake(index);
        let id = self.new_id();
        let (created, updated, state) = (self.now, self.now, PlanState::Waiting);
        let plan = Plan { id, client, kind, ticket, is_whole, triggers, state, created, updated };
        self.check_plan(&plan)?;
        self.plans.insert(id, plan);
        self.waiting.insert((index, id));
        self.trigger(index);
        Ok(id)
    }

    /// Refuses what no order could be. Funds and the range of prices are those of the moment when it is triggered.
    fn check_plan(&self, plan: &Plan) -> Result<(), Reason> {
        let (ticket, index) = (&plan.ticket, plan.ticket.pair);
        if self.pairs[index].suspended {
            return Err(Reason::Suspended);
        }
        if self.accounts[ticket.account].mode == Mode::Hedge && ticket.pos == PositionSide::Net {
            return Err(Reason::NotInMode);
        }
        if plan.kind.closes() {
            let position = self.accounts[ticket.account].position(index, ticket.pos);
            if position.lots == 0 || position.side == ticket.side {
                return Err(Reason::NoPosition);
            }
        }
        if !plan.is_whole {
            self.lots_of_qty(index, "the quantity", plan.qty())?;
        }
        for trigger in &plan.triggers {
            for (name, price) in [("triggerPrice", Some(trigger.price)), ("the price of its order", trigger.limit)] {
                let Some(price) = price else { continue };
                if price.is_zero() {
                    return Err(Reason::value(["triggerPrice", "min"], "0 is no price"));
                }
                self.ticks_on_grid(index, name, price)?;
            }
            let now = self.trigger_price(index, trigger.by_mark);
            if plan.kind.closes() && trigger.turn.is_none() && trigger.is_reached(now) {
                return Err(Reason::value(["triggerPrice", "min"], "the price has reached it already"));
            }
        }
        let presets = ticket.presets();
        self.check_presets(self.preset_names(ticket), index, &presets)
    }

    /// Returns the conditional orders of an account that wait.
    pub(crate) fn waiting_plans(&self, account: usize) -> impl Iterator<Item = &Plan> {
        let waiting = self.waiting.iter().filter_map(|(_, id)| self.plans.get(id));
        waiting.filter(move |plan| plan.ticket.account == account)
    }

    /// Returns the id of a conditional order that waits.
    pub(crate) fn find_plan(&self, account: usize, name: &Name) -> Result<u64, Reason> {
        let is_named = |plan: &&Plan| match name {
            Name::Id(id) => plan.id.to_string() == *id,
            Name::Client(id) => plan.client.as_deref() == Some(id),
        };
        let mut own = self.plans.values().rev().filter(|plan| plan.ticket.account == account);
        let plan = own.find(is_named).ok_or(Reason::NoSuchOrder)?;
        if plan.state == PlanState::Waiting { Ok(plan.id) } else { Err(Reason::NotOpen) }
    }

    /// Changes a conditional order that waits.
    pub(crate) fn amend_plan(&mut self, id: u64, change: PlanChange) -> Result<(), Reason> {
        let mut plan = self.plans.get(&id).cloned().ok_or(Reason::NoSuchOrder)?;
        if let Some(qty) = change.qty {
            plan.ticket.quantity = Quantity::Lots(qty);
        }
        (plan.triggers, plan.updated) = (change.triggers, self.now);
        self.check_plan(&plan)?;
        let index = plan.ticket.pair;
        self.plans.insert(id, plan);
        self.trigger(index);
        Ok(())
    }

    /// Makes a conditional order what it was before a request that is refused as a whole: gone, or waiting.
    pub(crate) fn restore_plan(&mut self, id: u64, before: Option<Plan>) {
        let pair = self.plans.remove(&id).map(|plan| plan.ticket.pair);
        self.waiting.retain(|(_, waiting)| *waiting != id);
        if let (Some(plan), Some(pair)) = (before, pair) {
            self.plans.insert(id, plan);
            self.waiting.insert((pair, id));
        }
    }

    /// Ends a conditional order that waits.
    pub(crate) fn end_plan(&mut self, id: u64, state: PlanState) {
        let now = self.now;
        let Some(plan) = self.plans.get_mut(&id) else { return };
        (plan.state, plan.updated) = (state, now);
        self.waiting.remove(&(plan.ticket.pair, id));
        self.ended_plans.push_back(id);
    }

    /// Cancels what waits to close a position that is closed.
    pub(crate) fn end_closing_plans(&mut self, account: usize, index: usize, pos: PositionSide) {
        let of_pair = self.waiting.range((index, 0)..=(index, u64::MAX)).filter_map(|(_, id)| self.plans.get(id));
        let of_position = |plan: &&Plan| plan.kind.closes() && plan.ticket.account == account && plan.ticket.pos == pos;
        let ended: Vec<u64> = of_pair.filter(of_position).map(|plan| plan.id).collect();
        ended.into_iter().for_each(|id| self.end_plan(id, PlanState::Cancelled));
    }

    /// Returns the conditional orders of a pair that the price triggers, each with its trigger.
    pub(crate) fn due_plans(&mut self, index: usize) -> Vec<(u64, Trigger)> {
        if self.waiting.is_empty() || self.pairs[index].suspended {
            return Vec::new();
        }
        let [last, mark] = [false, true].map(|by_mark| self.trigger_price(index, by_mark));
        let waiting = self.waiting.range((index, 0)..=(index, u64::MAX));
        let due = waiting.filter_map(|(_, id)| {
            let plan = self.plans.get_mut(id)?;
            let side = plan.ticket.side;
            let is_due = |trigger: &mut Trigger| trigger.is_due(if trigger.by_mark { mark } else { last }, side);
            let due = plan.triggers.iter_mut().find_map(|trigger| is_due(trigger).then_some(*trigger))?;
            Some((*id, due))
        });
        due.collect()
    }

    /// Places the order of a conditional one.
    pub(crate) fn execute_plan(&mut self, id: u64, trigger: Trigger) {
        let Some(plan) = self.plans.get(&id).filter(|plan| plan.state == PlanState::Waiting) else { return };
        let (is_whole, ticket) = (plan.is_whole, plan.ticket.clone());
        let (account, index, pos) = (ticket.account, ticket.pair, ticket.pos);
        let held = self.accounts[account].position(index, pos);
        let quantity = if is_whole { Quantity::Lots(self.pairs[index].qty(held.lots)) } else { ticket.quantity };
        let (price, source) = (trigger.limit, trigger.source);
        let force = if price.is_some() { Force::Gtc } else { Force::Ioc };
        // The price may have gone far beyond the limit since it was set.
        let ticket = Ticket { quantity, price, force, source, adjusts_price: true, ..ticket };
        self.waiting.remove(&(index, id));
        if is_whole {
            self.cancel_closing(account, index, pos, 0);
        }
        let state = match self.take(ticket) {
            Ok(placed) => PlanState::Executed(placed.id),
            Err(reason) => {
                let code = reason.code(self.accounts[account].family).to_owned();
                self.publish(Event::Refused { code });
                PlanState::Failed
            }
        };
        self.end_plan(id, state);
    }
}

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
    pub(crate) fn check_presets(
        &self,
        names: [[&'static str; 2]; 2],
        index: usize,
        presets: &Presets,
    ) -> Result<(), Reason> {
        for (names, preset) in names.into_iter().zip([presets.take_profit, presets.stop_loss]) {
            for (name, price) in names.into_iter().zip([preset.price, preset.limit_price]) {
                let Some(price) = price else { continue };
                if price.is_zero() {
                    return Err(Reason::value([name, "min"], "0 is no price; leave it out"));
                }
                self.ticks_on_grid(index, name, price)?;
            }
        }
        Ok(())
    }

    /// Returns the names of the presets in the request for a ticket.
    pub(crate) fn preset_names(&self, ticket: &Ticket) -> [[&'static str; 2]; 2] {
        let is_classic = self.accounts[ticket.account].family == Family::Classic;
        if is_classic { CLASSIC_PRESETS } else { UNIFIED_PRESETS }
    }

    /// Refuses an order of a request whose take-profit or stop-loss would close at once what it opens, by the price that
    /// triggers it and, for a limit order, by its own price.
    pub(crate) fn refuse_reached_presets(&self, ticket: &Ticket) -> Result<(), Reason> {
        if ticket.source != Source::Api || ticket.reduce_only || ticket.effect == Effect::Close {
            return Ok(());
        }
        let Presets { take_profit, stop_loss } = ticket.presets();
        let [last, mark] = [false, true].map(|by_mark| self.trigger_price(ticket.pair, by_mark));
        for presets in [Presets { take_profit, ..Presets::default() }, Presets { stop_loss, ..Presets::default() }] {
            let triggered = |last, mark| presets.triggered(ticket.side, last, mark);
            if let Some((preset, source)) = triggered(last, mark)
                && ticket.price.is_none_or(|price| triggered(price, price).is_some())
            {
                let reason = match (ticket.side, source, preset.by_mark) {
                    (Side::Buy, Source::TakeProfit, false) => &Reason::LongProfit,
                    (Side::Buy, Source::TakeProfit, true) => &Reason::LongProfitByMark,
                    (Side::Buy, _, false) => &Reason::LongLoss,
                    (Side::Buy, _, true) => &Reason::LongLossByMark,
                    (Side::Sell, Source::TakeProfit, false) => &Reason::ShortProfit,
                    (Side::Sell, Source::TakeProfit, true) => &Reason::ShortProfitByMark,
                    (Side::Sell, _, false) => &Reason::ShortLoss,
                    (Side::Sell, _, true) => &Reason::ShortLossByMark,
                };
                let (now, is_profit) = (if preset.by_mark { mark } else { last }, source == Source::TakeProfit);
                let own = ticket.price.unwrap_or(now);
                let (must_be, number) = match is_profit == (ticket.side == Side::Buy) {
                    true => ("above", now.min(own)),
                    false => ("below", now.max(own)),
                };
                let [[profit, _], [loss, _]] = self.preset_names(ticket);
                return Err(Reason::bound(reason, if is_profit { profit } else { loss }, must_be, number));
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

    /// Returns an order that closes the whole position, whatever orders wait to close a part of it, and removes its
    /// presets.
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

    /// Returns an order that sells the quantity that a spot order bought, less the fee, or buys back the sold one.
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
