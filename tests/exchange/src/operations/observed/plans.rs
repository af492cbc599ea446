//! Conditional orders of the classic account, and what those of both accounts share.

use std::sync::Arc;

use rust_decimal::Decimal;
use tradeapi::observed::{
    CancelPlanOrder, CancelledPlans, GetPastPlanOrders, GetPastPlanOrdersPage, GetPlanOrders, GetPlanOrdersPage,
    GetPlanSubOrders, HoldSide, ModifyPlanOrder, ModifyTpslOrder, OrderId, OrderType, PlacePlanOrder,
    PlacePositionTpsl, PlaceTpslOrder, PlanFailure, PlanIds, PlanOrder, PlanStatus, PlanSubOrder, PlanTradeSide,
    PlanType, PositionPlanIds, ReduceOnly, TradeSide, TriggerBy, TriggerType,
};
use tradeapi::{List, Timestamp};

use crate::operations::pages::{PageQuery, query};
use crate::operations::reading::{Wanted, number, optional, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::core::Core;
use crate::state::instruments::quotient;
use crate::state::orders::{
    Name, Plan, PlanChange, PlanState, Preset, Presets, Quantity, Source, Ticket, Trigger, of_percent,
};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::{Effect, Margin, Mode, PlanKind, PositionSide, Side};

pub(super) fn ids(id: u64, client: Option<&str>) -> PlanIds {
    let mut ids = PlanIds::default();
    (ids.order_id, ids.client_oid) = (Some(id.to_string().into()), Some(client.unwrap_or_default().to_owned()));
    ids
}

/// Returns the conditional order that a request names; the orderId takes precedence.
pub(super) fn name(id: Option<&OrderId>, client: Option<&str>) -> Result<Name, Reason> {
    let by_id = id.map(|id| Name::Id(id.as_str().to_owned()));
    by_id.or_else(|| client.map(|id| Name::Client(id.to_owned()))).ok_or(missing("orderId"))
}

/// Returns a trigger price without what follows the price.
pub(super) fn trigger(price: Decimal, by_mark: bool, rises: bool, limit: Option<Decimal>, source: Source) -> Trigger {
    Trigger { price, by_mark, rises, limit, source, turn: None, best: None }
}

/// Returns the price of an order; zero stands for a market order.
fn execution(parameter: &'static str, price: Option<&tradeapi::Decimal>) -> Result<Option<Decimal>, Reason> {
    Ok(optional(parameter, price)?.filter(|price| !price.is_zero()))
}

/// Returns how far the price has to turn back, as a fraction.
fn turn(parameter: &'static str, percent: Option<&tradeapi::Decimal>) -> Result<Decimal, Reason> {
    let percent = optional(parameter, percent)?.ok_or(missing(parameter))?;
    let is_fine = !percent.is_zero() && percent <= Decimal::TEN;
    if is_fine { Ok(of_percent(percent)) } else { Err(Reason::value([parameter, "max"], "more than 0 and at most 10")) }
}

fn is_mark(kind: Option<&TriggerType>) -> bool {
    kind == Some(&TriggerType::MarkPrice)
}

pub(super) fn by_mark(by: Option<&TriggerBy>) -> bool {
    by == Some(&TriggerBy::Mark)
}

/// Returns an order that opens or closes a position, of the whole account's usual margin mode.
pub(super) fn ticket(at: &Desk<'_>, index: usize, side: Side, pos: PositionSide, qty: Decimal) -> Ticket {
    let mut ticket = at.core.market_ticket(at.account, index, side, pos, 0, Source::Plan);
    ticket.quantity = Quantity::Lots(qty);
    let account = &at.core.accounts[at.account];
    if !account.positions.contains_key(&(index, pos)) {
        ticket.margin = account.contract_settings(index).margin;
    }
    ticket
}

/// Returns an order that closes a position.
pub(super) fn closing(at: &Desk<'_>, index: usize, pos: PositionSide, opened: Side, qty: Decimal) -> Ticket {
    let ticket = ticket(at, index, opened.opposite(), pos, qty);
    Ticket { effect: Effect::Close, reduce_only: pos == PositionSide::Net, ..ticket }
}

impl Serve for PlacePlanOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let id = place_plan(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids(id, self.client_oid.as_deref()))
    }
}

fn place_plan(request: &PlacePlanOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let index = at.contract(request.product_type.as_str(), request.symbol.as_str(), request.margin_coin.as_str())?;
    let side = Side::of(request.side.as_str()).ok_or(missing("side"))?;
    let closes = request.trade_side == Some(TradeSide::Close);
    let (side, pos, effect) = match at.core.accounts[at.account].mode {
        Mode::OneWay => (side, PositionSide::Net, Effect::Open),
        Mode::Hedge => {
            let pos = if side == Side::Buy { PositionSide::Long } else { PositionSide::Short };
            if closes { (side.opposite(), pos, Effect::Close) } else { (side, pos, Effect::Open) }
        }
    };
    let limit = match request.order_type {
        OrderType::Limit => Some(optional("price", request.price.as_ref())?.ok_or(missing("price"))?),
        _ => None,
    };
    let preset = |names: [&'static str; 2], price, limit: Option<_>, kind| -> Result<Preset, Reason> {
        let limit_price = execution(names[1], limit)?;
        let (price, by_mark) = (optional(names[0], price)?, is_mark(kind));
        Ok(Preset { price, by_mark, is_limit: Some(limit_price.is_some()), limit_price })
    };
    let take_profit = preset(
        ["stopSurplusTriggerPrice", "stopSurplusExecutePrice"],
        request.take_profit.as_ref(),
        request.take_profit_limit.as_ref(),
        request.take_profit_type.as_ref(),
    )?;
    let stop_loss = preset(
        ["stopLossTriggerPrice", "stopLossExecutePrice"],
        request.stop_loss.as_ref(),
        request.stop_loss_limit.as_ref(),
        request.stop_loss_type.as_ref(),
    )?;
    let ticket = Ticket {
        effect,
        reduce_only: request.reduce_only == Some(ReduceOnly::Yes),
        margin: Margin::of(request.margin_mode.as_str()).unwrap_or(Margin::Crossed),
        presets: Presets { take_profit, stop_loss }.boxed(),
        ..ticket(at, index, side, pos, number("size", &request.size)?)
    };
    let (price, by_mark) = (number("triggerPrice", &request.trigger_price)?, is_mark(request.trigger_type.as_ref()));
    let rises = price > at.core.trigger_price(index, by_mark);
    let mut trigger = trigger(price, by_mark, rises, limit, Source::Plan);
    let kind = if request.plan_type == PlanType::TrackPlan { PlanKind::Track } else { PlanKind::Normal };
    if kind == PlanKind::Track {
        trigger.turn = Some(turn("callbackRatio", request.callback_ratio.as_ref())?);
    }
    at.core.place_plan(kind, client(request.client_oid.as_deref()), ticket, (vec![trigger], false))
}

pub(super) fn client(id: Option<&str>) -> Option<Arc<str>> {
    id.map(Into::into)
}

impl Serve for PlaceTpslOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let id = place_tpsl(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids(id, self.client_oid.as_deref()))
    }
}

fn place_tpsl(request: &PlaceTpslOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let index = at.contract(request.product_type.as_str(), request.symbol.as_str(), request.margin_coin.as_str())?;
    let is_long = matches!(request.hold_side, HoldSide::Long | HoldSide::Buy);
    let pos = match (at.core.accounts[at.account].mode, is_long) {
        (Mode::OneWay, _) => PositionSide::Net,
        (Mode::Hedge, true) => PositionSide::Long,
        (Mode::Hedge, false) => PositionSide::Short,
    };
    let opened = if is_long { Side::Buy } else { Side::Sell };
    let kind = PlanKind::of(request.plan_type.as_str()).ok_or(missing("planType"))?;
    let is_whole = matches!(kind, PlanKind::WholeProfit | PlanKind::WholeLoss);
    let qty = optional("size", request.size.as_ref())?;
    let qty = if is_whole { Decimal::ZERO } else { qty.ok_or(missing("size"))? };
    let is_profit = matches!(kind, PlanKind::Profit | PlanKind::WholeProfit | PlanKind::Moving);
    let price = number("triggerPrice", &request.trigger_price)?;
    let limit = execution("executePrice", request.execute_price.as_ref())?;
    let source =
        if matches!(kind, PlanKind::Profit | PlanKind::WholeProfit) { Source::TakeProfit } else { Source::StopLoss };
    let mut trigger = trigger(price, is_mark(request.trigger_type.as_ref()), is_long == is_profit, limit, source);
    if kind == PlanKind::Moving {
        trigger.turn = Some(turn("rangeRate", request.range_rate.as_ref())?);
    }
    let ticket = closing(at, index, pos, opened, qty);
    at.core.place_plan(kind, client(request.client_oid.as_deref()), ticket, (vec![trigger], is_whole))
}

impl Serve for PlacePositionTpsl {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<PositionPlanIds>, Refusal> {
        place_both(&self, at).map(Into::into).map_err(|reason| at.refusal(reason))
    }
}

/// Sets the take-profit and the stop-loss that a request has: both, or neither.
fn place_both(request: &PlacePositionTpsl, at: &mut Desk<'_>) -> Result<Vec<PositionPlanIds>, Reason> {
    let legs = [
        (
            [PlanType::PosProfit, PlanType::ProfitPlan],
            &request.take_profit,
            [&request.take_profit_size, &request.take_profit_limit],
            &request.take_profit_type,
            &request.take_profit_client_oid,
        ),
        (
            [PlanType::PosLoss, PlanType::LossPlan],
            &request.stop_loss,
            [&request.stop_loss_size, &request.stop_loss_limit],
            &request.stop_loss_type,
            &request.stop_loss_client_oid,
        ),
    ];
    let mut set = Vec::new();
    let mut undo: Vec<(u64, Option<Plan>)> = Vec::new();
    for ([whole, part], price, [size, limit], trigger_type, client) in legs {
        let Some(price) = price else { continue };
        let kind = if size.is_some() { part } else { whole };
        let is_profit = matches!(kind, PlanType::PosProfit | PlanType::ProfitPlan);
        let (product, symbol, coin) = (&request.product_type, &request.symbol, &request.margin_coin);
        let mut leg = PlaceTpslOrder::new(
            symbol.clone(),
            product.clone(),
            coin.clone(),
            kind,
            price.clone(),
            request.hold_side.clone(),
        );
        (leg.size, leg.execute_price) = (size.clone(), limit.clone());
        (leg.trigger_type, leg.client_oid) = (trigger_type.clone(), client.clone());
        match set_leg(&leg, at) {
            Ok((id, before)) => {
                undo.push((id, before));
                let mut ids = PositionPlanIds::default();
                let client = Some(client.clone().unwrap_or_default());
                ids.order_id = Some(id.to_string().into());
                *(if is_profit { &mut ids.take_profit_client_oid } else { &mut ids.stop_loss_client_oid }) = client;
                set.push(ids);
            }
            Err(reason) => {
                undo.into_iter().for_each(|(id, before)| at.core.restore_plan(id, before));
                return Err(reason);
            }
        }
    }
    if set.is_empty() { Err(missing("stopLossTriggerPrice")) } else { Ok(set) }
}

/// Sets a take-profit or a stop-loss. A position has one of each for the whole of it, which is changed and keeps its id.
/// Returns the id, and what it was before.
fn set_leg(leg: &PlaceTpslOrder, at: &mut Desk<'_>) -> Result<(u64, Option<Plan>), Reason> {
    let id = place_tpsl(leg, at)?;
    let Some(placed) = at.core.plans.get(&id).cloned() else { return Ok((id, None)) };
    let is_same = |plan: &&Plan| {
        let of = |plan: &Plan| (plan.kind, plan.ticket.pair, plan.ticket.pos);
        placed.is_whole && plan.id != id && of(plan) == of(&placed)
    };
    let Some(before) = at.core.waiting_plans(at.account).find(is_same).cloned() else { return Ok((id, None)) };
    at.core.restore_plan(id, None);
    let client = placed.client.or_else(|| before.client.clone());
    let changed = Plan { triggers: placed.triggers, updated: placed.updated, client, ..before.clone() };
    at.core.restore_plan(before.id, Some(changed));
    Ok((before.id, Some(before)))
}

impl Serve for GetPlanSubOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<PlanSubOrder>, Refusal> {
        let is_named = |plan: &&Plan| plan.id.to_string() == self.plan_order_id.as_str();
        let mut own = at.core.plans.values().filter(|plan| plan.ticket.account == at.account);
        let is_meant =
            |plan: &&Plan| is_of(plan, &self.plan_type) && plan.ticket.line.as_str() == self.product_type.as_str();
        let plan = own.find(is_named).filter(is_meant).ok_or_else(|| at.refusal(Reason::NoSuchOrder))?;
        let PlanState::Executed(id) = plan.state else { return Ok(Vec::new().into()) };
        let limit = at.core.orders.get(&id).and_then(|order| order.ticket.price);
        let mut placed = PlanSubOrder::default();
        placed.order_id = Some(id.to_string().into());
        placed.price = limit.map(wire);
        placed.order_type = Some(if limit.is_some() { OrderType::Limit } else { OrderType::Market });
        placed.status = Some("success".to_owned());
        Ok(vec![placed].into())
    }
}

/// Returns the plan that a modification names, if its kind is one of those that the operation takes.
fn named(at: &Desk<'_>, name: &Name, closes: bool) -> Result<Plan, Reason> {
    let id = at.core.find_plan(at.account, name)?;
    let plan = at.core.plans.get(&id).filter(|plan| plan.kind.closes() == closes);
    plan.cloned().ok_or(Reason::NoSuchOrder)
}

/// Changes the trigger of a plan of the classic account.
fn amend(
    at: &mut Desk<'_>,
    plan: &Plan,
    qty: Option<Decimal>,
    change: impl FnOnce(&mut Trigger) -> Result<(), Reason>,
) -> Result<PlanIds, Reason> {
    let mut triggers = plan.triggers.clone();
    triggers.first_mut().map_or(Ok(()), change)?;
    at.core.amend_plan(plan.id, PlanChange { qty, triggers })?;
    Ok(ids(plan.id, plan.client.as_deref()))
}

impl Serve for ModifyPlanOrder {
    const AMENDS_CONDITION: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let mut modify = || {
            let plan = named(at, &name(self.order_id.as_ref(), self.client_oid.as_deref())?, false)?;
            let price = optional("newTriggerPrice", self.new_trigger_price.as_ref())?;
            let is_mark = self.new_trigger_type.as_ref().map(|kind| is_mark(Some(kind)));
            let now = at.core.trigger_price(plan.ticket.pair, is_mark.unwrap_or(plan.triggers[0].by_mark));
            let qty = optional("newSize", self.new_size.as_ref())?;
            amend(at, &plan, qty, |trigger| {
                if let Some(price) = price {
                    (trigger.price, trigger.rises, trigger.best) = (price, price > now, None);
                }
                trigger.by_mark = is_mark.unwrap_or(trigger.by_mark);
                if trigger.limit.is_some() {
                    trigger.limit = optional("newPrice", self.new_price.as_ref())?.or(trigger.limit);
                }
                if self.new_callback_ratio.is_some() {
                    trigger.turn = Some(turn("newCallbackRatio", self.new_callback_ratio.as_ref())?);
                }
                Ok(())
            })
        };
        modify().map_err(|reason| at.refusal(reason))
    }
}

impl Serve for ModifyTpslOrder {
    const AMENDS_CONDITION: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let mut modify = || {
            let plan = named(at, &name(self.order_id.as_ref(), self.client_oid.as_deref())?, true)?;
            let price = number("triggerPrice", &self.trigger_price)?;
            let qty = optional("size", self.size.as_ref())?.filter(|_| !plan.is_whole);
            amend(at, &plan, qty, |trigger| {
                trigger.price = price;
                trigger.by_mark = self.trigger_type.as_ref().map_or(trigger.by_mark, |kind| is_mark(Some(kind)));
                if self.execute_price.is_some() {
                    trigger.limit = execution("executePrice", self.execute_price.as_ref())?;
                }
                if self.range_rate.is_some() {
                    trigger.turn = Some(turn("rangeRate", self.range_rate.as_ref())?);
                }
                Ok(())
            })
        };
        modify().map_err(|reason| at.refusal(reason))
    }
}

/// Returns whether a plan is of the kind that a query asks for.
fn is_of(plan: &Plan, kind: &PlanType) -> bool {
    if *kind == PlanType::ProfitLoss { plan.kind.closes() } else { plan.kind.as_str() == kind.as_str() }
}

impl Serve for CancelPlanOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<CancelledPlans, Refusal> {
        let wanted = Wanted {
            line: Some(self.product_type.as_str()),
            symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()),
            coin: self.margin_coin.as_ref().map(|coin| coin.as_str()),
        };
        let is_meant = |core: &Core, plan: &Plan| {
            let is_kind = self.plan_type.as_ref().is_none_or(|kind| is_of(plan, kind));
            is_kind && wanted.holds(core, plan.ticket.line, plan.ticket.pair)
        };
        let mut outcome = CancelledPlans::default();
        let Some(list) = &self.order_id_list else {
            let waiting = at.core.waiting_plans(at.account).filter(|plan| is_meant(at.core, plan));
            let meant: Vec<_> = waiting.map(|plan| (plan.id, ids(plan.id, plan.client.as_deref()))).collect();
            for (id, ids) in meant {
                at.core.end_plan(id, PlanState::Cancelled);
                outcome.success_list.items.push(ids);
            }
            return Ok(outcome);
        };
        for item in list {
            let found = name(item.order_id.as_ref(), item.client_oid.as_deref());
            match found.and_then(|name| at.core.find_plan(at.account, &name)) {
                Ok(id) => {
                    let client = at.core.plans.get(&id).and_then(|plan| plan.client.clone());
                    at.core.end_plan(id, PlanState::Cancelled);
                    outcome.success_list.items.push(ids(id, client.as_deref()));
                }
                Err(reason) => {
                    let mut failure = PlanFailure::default();
                    failure.order_id.clone_from(&item.order_id);
                    failure.client_oid.clone_from(&item.client_oid);
                    failure.error_msg = Some(at.refusal(reason).message);
                    outcome.failure_list.items.push(failure);
                }
            }
        }
        Ok(outcome)
    }
}

/// Returns the state of a plan in the words of the classic account.
fn plan_status(state: PlanState) -> PlanStatus {
    match state {
        PlanState::Waiting => PlanStatus::Live,
        PlanState::Executed(_) => PlanStatus::Executed,
        PlanState::Failed => PlanStatus::FailExecute,
        PlanState::Cancelled => PlanStatus::Cancelled,
    }
}

fn plan_record(core: &Core, plan: &Plan) -> PlanOrder {
    let (pair, ticket, trigger) = (&core.pairs[plan.ticket.pair], &plan.ticket, plan.triggers.first());
    let mode = core.accounts[ticket.account].mode;
    let mut record = PlanOrder::default();
    record.plan_type = plan.kind.as_str().parse().ok();
    (record.symbol, record.margin_coin) = (Some(pair.symbol.into()), Some(pair.settle().into()));
    record.size = (!plan.is_whole).then(|| wire(plan.qty()));
    record.order_id = Some(plan.id.to_string().into());
    record.client_oid = Some(plan.client.as_deref().unwrap_or_default().to_owned());
    record.status = Some(plan_status(plan.state));
    let limit = trigger.and_then(|trigger| trigger.limit);
    (record.price, record.execute_price) = (limit.map(wire), limit.map(wire));
    let turn = trigger.and_then(|trigger| trigger.turn);
    record.callback_ratio = turn.map(|turn| wire(turn * Decimal::ONE_HUNDRED));
    let of = |by_mark| if by_mark { TriggerType::MarkPrice } else { TriggerType::FillPrice };
    record.trigger_price = trigger.map(|trigger| wire(trigger.price));
    record.trigger_type = trigger.map(|trigger| of(trigger.by_mark));
    let side = if ticket.pos == PositionSide::Net { ticket.side } else { ticket.pos.opening_side() };
    record.side = side.as_str().parse().ok();
    record.pos_side = Some(ticket.pos.as_str().to_owned());
    record.margin_mode = ticket.margin.as_str().parse().ok();
    record.enter_point_source = Some("API".to_owned());
    let closes = ticket.effect == Effect::Close || ticket.reduce_only;
    record.trade_side = Some(match (ticket.pos, ticket.side) {
        (PositionSide::Net, Side::Buy) => PlanTradeSide::BuySingle,
        (PositionSide::Net, Side::Sell) => PlanTradeSide::SellSingle,
        _ if closes => PlanTradeSide::Close,
        _ => PlanTradeSide::Open,
    });
    record.pos_mode = mode.as_str().parse().ok();
    record.order_type = Some(if limit.is_some() { OrderType::Limit } else { OrderType::Market });
    let presets = ticket.presets();
    record.take_profit = presets.take_profit.price.map(wire);
    record.take_profit_limit = presets.take_profit.limit_price.map(wire);
    record.take_profit_type = Some(of(presets.take_profit.by_mark));
    record.stop_loss = presets.stop_loss.price.map(wire);
    record.stop_loss_limit = presets.stop_loss.limit_price.map(wire);
    record.stop_loss_type = Some(of(presets.stop_loss.by_mark));
    let placed = if let PlanState::Executed(id) = plan.state { core.orders.get(&id) } else { None };
    match plan.state {
        PlanState::Waiting => {
            let kind = if limit.is_some() { "limit" } else { "market" };
            let of = if plan.kind.closes() { plan.kind.as_str().trim_end_matches("_plan") } else { "plan" };
            record.order_source = Some(format!("{of}_{kind}"));
        }
        PlanState::Executed(_) | PlanState::Failed | PlanState::Cancelled => {
            let id = if let PlanState::Executed(id) = plan.state { id.to_string() } else { String::new() };
            record.placed_order_id = Some(id.into());
            let (value, base) = placed.map_or(Default::default(), |order| (order.value, order.base));
            (record.base_volume, record.average_price) = (Some(wire(base)), Some(wire(quotient(value, base))));
        }
    }
    record.created_time = Some(Timestamp::from_millis(plan.created));
    record.updated_time = Some(Timestamp::from_millis(plan.updated));
    record
}

/// Returns the conditional orders of an account, the newest first: those that wait, or all others, with their ids and
/// times.
pub(super) fn plans<'a>(
    at: &'a Desk<'_>,
    wanted: Wanted<'a>,
    waits: bool,
) -> impl Iterator<Item = (u64, u64, &'a Plan)> {
    let (core, account) = (&*at.core, at.account);
    let own = core.plans.values().rev().filter(move |plan| plan.ticket.account == account);
    let meant = own.filter(move |plan| {
        (plan.state == PlanState::Waiting) == waits && wanted.holds(core, plan.ticket.line, plan.ticket.pair)
    });
    meant.map(|plan| (plan.id, plan.created, plan))
}

/// Lists plans of the classic account by a query.
macro_rules! plan_page {
    ($request:ident, $at:ident, $answer:ident, $waits:literal, $is_meant:expr) => {{
        let symbol = $request.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!($request, id_less_than, line: Some($request.product_type.as_str()), symbol: symbol);
        let is_named = |plan: &Plan| {
            let by_id = $request.order_id.as_ref().is_none_or(|id| id.as_str() == plan.id.to_string());
            by_id && $request.client_oid.as_deref().is_none_or(|id| plan.client.as_deref() == Some(id))
        };
        let is_meant = $is_meant;
        let meant = plans($at, query.wanted, $waits)
            .filter(|(_, _, plan)| is_of(plan, &$request.plan_type) && is_named(plan) && is_meant(plan));
        let found = $at.listed(&query, meant.map(|(id, at, plan)| (id, at, plan_record($at.core, plan))))?;
        let mut answer = $answer::default();
        answer.end_id = found.last.map(Into::into);
        answer.entrusted_list = found.items.into();
        Ok(answer)
    }};
}

impl Serve for GetPlanOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPlanOrdersPage, Refusal> {
        plan_page!(self, at, GetPlanOrdersPage, true, |_: &Plan| true)
    }
}

impl Serve for GetPastPlanOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPastPlanOrdersPage, Refusal> {
        let status = self.plan_status.as_ref();
        let is_meant = |plan: &Plan| status.is_none_or(|status| *status == plan_status(plan.state));
        plan_page!(self, at, GetPastPlanOrdersPage, false, is_meant)
    }
}
