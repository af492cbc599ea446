//! The course of conditional orders: they are accepted, changed, triggered by a price, and ended.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::state::core::Core;
use crate::state::events::Event;
use crate::state::orders::{Name, Quantity, Ticket};
use crate::state::plans::{Plan, PlanChange, PlanState, Trigger};
use crate::state::refusal::Reason;
use crate::state::words::{Force, Mode, PlanKind, PositionSide};

impl Core {
    /// The price that triggers are compared with, and whether one has to rise to a price from there.
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
            self.lots_of_qty(index, plan.qty())?;
        }
        for trigger in &plan.triggers {
            for price in [Some(trigger.price), trigger.limit].into_iter().flatten() {
                if price.is_zero() {
                    return Err(Reason::value(["triggerPrice", "min"], "0 is no price"));
                }
                self.pairs[index].ticks(price).ok_or(Reason::PriceStep)?;
            }
            let now = self.trigger_price(index, trigger.by_mark);
            if plan.kind.closes() && trigger.turn.is_none() && trigger.is_reached(now) {
                return Err(Reason::value(["triggerPrice", "min"], "the price has reached it already"));
            }
        }
        let presets = ticket.presets();
        self.check_presets(self.accounts[ticket.account].family, index, &presets)
    }

    /// The conditional orders of an account that wait.
    pub(crate) fn waiting_plans(&self, account: usize) -> impl Iterator<Item = &Plan> {
        let waiting = self.waiting.iter().filter_map(|(_, id)| self.plans.get(id));
        waiting.filter(move |plan| plan.ticket.account == account)
    }

    /// The id of a conditional order that waits.
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

    /// Ends a conditional order that waits.
    pub(crate) fn end_plan(&mut self, id: u64, state: PlanState) {
        let now = self.now;
        let Some(plan) = self.plans.get_mut(&id) else { return };
        (plan.state, plan.updated) = (state, now);
        self.waiting.remove(&(plan.ticket.pair, id));
    }

    /// Cancels what waits to close a position that is closed.
    pub(crate) fn end_closing_plans(&mut self, account: usize, index: usize, pos: PositionSide) {
        let of_pair = self.waiting.range((index, 0)..=(index, u64::MAX)).filter_map(|(_, id)| self.plans.get(id));
        let of_position = |plan: &&Plan| plan.kind.closes() && plan.ticket.account == account && plan.ticket.pos == pos;
        let ended: Vec<u64> = of_pair.filter(of_position).map(|plan| plan.id).collect();
        ended.into_iter().for_each(|id| self.end_plan(id, PlanState::Cancelled));
    }

    /// The conditional orders of a pair that the price triggers, each with its trigger.
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
