//! Conditional orders of the unified account, which the exchange calls strategy orders.

use rust_decimal::Decimal;
use tradeapi::observed::{
    CancelStrategyOrder, GetPastStrategyOrders, GetPastStrategyOrdersPage, GetStrategyOrders, ModifyStrategyOrder,
    Nothing, OrderType, PlaceStrategyOrder, PlanIds, StrategyOrder, StrategyStatus, StrategyType, TpslMode, TriggerBy,
    YesNo,
};
use tradeapi::{List, Timestamp};

use super::direction;
use super::plans::{by_mark, client, closing, ids, name, plans, ticket, trigger};
use crate::operations::pages::{PageQuery, query};
use crate::operations::reading::{Wanted, number, optional, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::core::Core;
use crate::state::orders::{Plan, PlanChange, PlanState, Source, Ticket, Trigger};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::{Line, Mode, PlanKind, PositionSide, Side};

impl Serve for PlaceStrategyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let id = place_strategy(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids(id, self.client_oid.as_deref()))
    }
}

/// Returns the limit of the order of a trigger.
fn limit_of(
    parameter: &'static str,
    kind: Option<&OrderType>,
    price: Option<&tradeapi::Decimal>,
) -> Result<Option<Decimal>, Reason> {
    match kind {
        Some(OrderType::Limit) => Ok(Some(optional(parameter, price)?.ok_or(missing(parameter))?)),
        _ => Ok(None),
    }
}

fn place_strategy(request: &PlaceStrategyOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let line = request.category.as_str();
    if !Line::of(line).is_some_and(Line::is_futures) {
        return Err(Reason::value(["category", "values"], "this exchange has strategy orders of futures only"));
    }
    let index = at.pair(line, request.symbol.as_str())?;
    let side = request.side.as_ref().and_then(|side| Side::of(side.as_str()));
    let named = request.pos_side.as_ref().and_then(|pos| PositionSide::of(pos.as_str()));
    let mode = at.core.accounts[at.account].mode;
    let pos = if mode == Mode::OneWay { PositionSide::Net } else { named.ok_or(Reason::NotInMode)? };
    let qty = optional("qty", request.qty.as_ref())?;
    let client = client(request.client_oid.as_deref());
    if request.strategy_type == Some(StrategyType::Trigger) {
        let side = side.ok_or(missing("side"))?;
        let price = optional("triggerPrice", request.trigger_price.as_ref())?.ok_or(missing("triggerPrice"))?;
        let price_type = request.trigger_order_type.as_ref();
        let limit = limit_of("triggerOrderPrice", price_type, request.trigger_order_price.as_ref())?;
        let by_mark = by_mark(request.trigger_by.as_ref());
        let rises = price > at.core.trigger_price(index, by_mark);
        let reduce_only = request.reduce_only == Some(YesNo::Yes);
        let ticket = ticket(at, index, side, pos, qty.ok_or(missing("qty"))?);
        let trigger = trigger(price, by_mark, rises, limit, Source::Plan);
        return at.core.place_plan(PlanKind::Trigger, client, Ticket { reduce_only, ..ticket }, (vec![trigger], false));
    }
    let held = at.core.accounts[at.account].positions.get(&(index, pos)).ok_or(Reason::NoPosition)?;
    let opened = held.side;
    // In one-way mode, the side of the request is that of the order which closes.
    if side.or(named.map(|pos| pos.opening_side().opposite())).is_some_and(|side| side == opened) {
        return Err(Reason::NoPosition);
    }
    let triggers = legs(opened, request)?;
    let is_whole = request.tpsl_mode != Some(TpslMode::Partial);
    let qty = if is_whole { Decimal::ZERO } else { qty.ok_or(missing("qty"))? };
    let ticket = closing(at, index, pos, opened, qty);
    at.core.place_plan(PlanKind::Tpsl, client, ticket, (triggers, is_whole))
}

/// Returns the triggers of a take-profit and of a stop-loss of a position.
fn legs(opened: Side, request: &PlaceStrategyOrder) -> Result<Vec<Trigger>, Reason> {
    let is_long = opened == Side::Buy;
    let mut triggers = Vec::new();
    if let Some(price) = optional("takeProfit", request.take_profit.as_ref())? {
        let limit = limit_of("tpLimitPrice", request.tp_order_type.as_ref(), request.tp_limit_price.as_ref())?;
        let by_mark = by_mark(request.tp_trigger_by.as_ref());
        triggers.push(trigger(price, by_mark, is_long, limit, Source::TakeProfit));
    }
    if let Some(price) = optional("stopLoss", request.stop_loss.as_ref())? {
        let limit = limit_of("slLimitPrice", request.sl_order_type.as_ref(), request.sl_limit_price.as_ref())?;
        let by_mark = by_mark(request.sl_trigger_by.as_ref());
        triggers.push(trigger(price, by_mark, !is_long, limit, Source::StopLoss));
    }
    if triggers.is_empty() { Err(missing("stopLoss")) } else { Ok(triggers) }
}

impl Serve for ModifyStrategyOrder {
    const AMENDS_CONDITION: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<PlanIds, Refusal> {
        let id = modify_strategy(&self, at).map_err(|reason| at.refusal(reason))?;
        let client = at.core.plans.get(&id).and_then(|plan| plan.client.clone());
        Ok(ids(id, client.as_deref()))
    }
}

fn modify_strategy(request: &ModifyStrategyOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let id = at.core.find_plan(at.account, &name(request.order_id.as_ref(), request.client_oid.as_deref())?)?;
    let plan = at.core.plans.get(&id).cloned().ok_or(Reason::NoSuchOrder)?;
    let mut triggers = plan.triggers.clone();
    let is_long = plan.ticket.side == Side::Sell;
    let edits = [
        (Source::TakeProfit, ["takeProfit", "tpLimitPrice"], is_long),
        (Source::StopLoss, ["stopLoss", "slLimitPrice"], !is_long),
        (Source::Plan, ["triggerPrice", "triggerOrderPrice"], false),
    ];
    let prices = [&request.take_profit, &request.stop_loss, &request.trigger_price];
    let limits = [&request.tp_limit_price, &request.sl_limit_price, &request.trigger_order_price];
    let kinds = [&request.tp_order_type, &request.sl_order_type, &request.trigger_order_type];
    let bys = [&request.tp_trigger_by, &request.sl_trigger_by, &request.trigger_by];
    for (place, (source, [price_name, limit_name], rises)) in edits.into_iter().enumerate() {
        let price = optional(price_name, prices[place].as_ref())?;
        let known = triggers.iter().position(|trigger| trigger.source == source);
        let edited = match (known, price) {
            (Some(known), _) => &mut triggers[known],
            (None, Some(price)) if plan.kind == PlanKind::Tpsl && source != Source::Plan => {
                triggers.push(trigger(price, false, rises, None, source));
                let last = triggers.len() - 1;
                &mut triggers[last]
            }
            (None, _) => continue,
        };
        edited.by_mark = bys[place].as_ref().map_or(edited.by_mark, |by| by_mark(Some(by)));
        if let Some(price) = price {
            edited.price = price;
            if source == Source::Plan {
                edited.rises = price > at.core.trigger_price(plan.ticket.pair, edited.by_mark);
            }
        }
        match (kinds[place], limits[place]) {
            (Some(OrderType::Market), _) => edited.limit = None,
            (Some(_), limit) => edited.limit = limit_of(limit_name, Some(&OrderType::Limit), limit.as_ref())?,
            (None, Some(limit)) if edited.limit.is_some() => edited.limit = Some(number(limit_name, limit)?),
            (None, _) => {}
        }
    }
    let qty = optional("qty", request.qty.as_ref())?.filter(|_| !plan.is_whole);
    at.core.amend_plan(id, PlanChange { qty, triggers })?;
    Ok(id)
}

impl Serve for CancelStrategyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<Nothing, Refusal> {
        let found = name(self.order_id.as_ref(), self.client_oid.as_deref());
        let found = found.and_then(|name| at.core.find_plan(at.account, &name));
        at.core.end_plan(found.map_err(|reason| at.refusal(reason))?, PlanState::Cancelled);
        Ok(Nothing::default())
    }
}

fn strategy_record(core: &Core, plan: &Plan) -> StrategyOrder {
    let (pair, ticket) = (&core.pairs[plan.ticket.pair], &plan.ticket);
    let mut record = StrategyOrder::default();
    record.order_id = Some(plan.id.to_string().into());
    record.client_oid = Some(plan.client.as_deref().unwrap_or_default().to_owned());
    (record.category, record.symbol) = (pair.line.as_str().parse().ok(), Some(pair.symbol.into()));
    record.strategy_type = plan.kind.as_str().parse().ok();
    record.qty = Some(wire(plan.qty()));
    let opened = if plan.kind.closes() { ticket.side.opposite() } else { ticket.side };
    let of_net = if ticket.pos == PositionSide::Net { direction(opened) } else { direction(ticket.pos.opening_side()) };
    record.pos_side = Some(of_net);
    record.margin_mode = ticket.margin.as_str().parse().ok();
    record.status = Some(match plan.state {
        PlanState::Waiting => StrategyStatus::Pending,
        PlanState::Executed(_) => StrategyStatus::Success,
        PlanState::Failed => StrategyStatus::Failed,
        PlanState::Cancelled => StrategyStatus::Cancelled,
    });
    (record.tp_trigger_by, record.sl_trigger_by) = (Some(TriggerBy::Market), Some(TriggerBy::Market));
    (record.tp_order_type, record.sl_order_type) = (Some(OrderType::Market), Some(OrderType::Market));
    for trigger in &plan.triggers {
        let by = Some(if trigger.by_mark { TriggerBy::Mark } else { TriggerBy::Market });
        let kind = Some(if trigger.limit.is_some() { OrderType::Limit } else { OrderType::Market });
        let (price, limit) = (Some(wire(trigger.price)), trigger.limit.map(wire));
        match trigger.source {
            Source::TakeProfit => {
                (record.tp_trigger_by, record.tp_order_type) = (by, kind);
                (record.take_profit, record.tp_limit_price) = (price, limit);
            }
            Source::StopLoss => {
                (record.sl_trigger_by, record.sl_order_type) = (by, kind);
                (record.stop_loss, record.sl_limit_price) = (price, limit);
            }
            _ => {
                (record.trigger_by, record.trigger_order_type) = (by, kind);
                (record.trigger_price, record.trigger_order_price) = (price, limit);
            }
        }
    }
    record.trigger_type = match &plan.triggers[..] {
        [Trigger { source: Source::TakeProfit, .. }] => Some("takeProfit".to_owned()),
        [Trigger { source: Source::StopLoss, .. }] => Some("stopLoss".to_owned()),
        _ => None,
    };
    record.created_time = Some(Timestamp::from_millis(plan.created));
    record.updated_time = Some(Timestamp::from_millis(plan.updated));
    record
}

/// Returns whether a strategy order is of the kind that a query asks for, or of any.
fn is_strategy(plan: &Plan, kind: Option<&StrategyType>) -> bool {
    kind.is_none_or(|kind| kind.as_str() == plan.kind.as_str())
}

impl Serve for GetStrategyOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<StrategyOrder>, Refusal> {
        let wanted = Wanted { line: Some(self.category.as_str()), ..Wanted::default() };
        let meant = plans(at, wanted, true).filter(|(_, _, plan)| is_strategy(plan, self.strategy_type.as_ref()));
        Ok(meant.map(|(_, _, plan)| strategy_record(at.core, plan)).collect::<Vec<_>>().into())
    }
}

impl Serve for GetPastStrategyOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPastStrategyOrdersPage, Refusal> {
        let query = query!(self, cursor, line: Some(self.category.as_str()), symbol: None);
        let kind = self.strategy_type.as_ref();
        let meant = plans(at, query.wanted, false).filter(|(_, _, plan)| is_strategy(plan, kind));
        let found = at.listed(&query, meant.map(|(id, time, plan)| (id, time, strategy_record(at.core, plan))))?;
        let mut answer = GetPastStrategyOrdersPage::default();
        answer.cursor = found.next().map(Into::into);
        answer.list = found.items.into();
        Ok(answer)
    }
}
