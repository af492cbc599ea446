//! Orders of the unified account: placed alone, in a batch or in a Reality pair, modified, and cancelled alone, in a
//! batch or all of a category.

use std::collections::BTreeSet;

use tradeapi::runtime::orders::Amendment;
use tradeapi::unified::{
    BatchCancel, BatchModifyItem, BatchModifyOrders, BatchModifyResult, BatchOrder, BatchOrderItem, BatchOrderResult,
    CancelAllOrders, CancelOrder, CancelRealityOrder, Category, Execution, ModifyOrder, OrderAck, OrderIds, OrderRef,
    PlaceOrder, PlaceRealityOrder, RealityExecution, Symbol, YesNo,
};
use tradeapi::{Edit, List};

use super::{ids_of, preset, requested_ids, result_of, value_or};
use crate::engine::placing::Placed;
use crate::operations::reading::{Wanted, number, optional};
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::{Borrowing, Changes, Name, Order, Preset, Presets, Quantity, Source, State, Ticket};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::{Cancelled, Effect, Family, Force, Line, Margin, Mode, PositionSide, Prevention, Side};

/// Returns the parameters that single orders and items of batches share.
fn ticket(
    at: &Desk<'_>,
    [category, symbol, side]: [&str; 3],
    qty: &tradeapi::Decimal,
    execution: &Execution,
) -> Result<Ticket, Reason> {
    let line = Line::of(category).ok_or(Reason::Parameter)?;
    let side = Side::of(side).ok_or(Reason::Parameter)?;
    let limit = match execution {
        Execution::Limit(limit) => Some(limit),
        _ => None,
    };
    let qty = number("qty", qty)?;
    let buys_for_amount = !line.is_futures() && side == Side::Buy && limit.is_none();
    let force = limit.and_then(|limit| limit.time_in_force.as_ref());
    let pair = at.core.pair(Family::Unified, line, symbol).ok_or(Reason::UnknownSymbol)?;
    Ok(Ticket {
        account: at.account,
        line,
        pair,
        side,
        price: limit.map(|limit| number("price", &limit.price)).transpose()?,
        quantity: if buys_for_amount { Quantity::Amount(qty) } else { Quantity::Lots(qty) },
        force: value_or(force.map(|force| force.as_str()), Force::of, Force::Gtc),
        pos: PositionSide::Net,
        effect: Effect::Open,
        reduce_only: false,
        prevention: Prevention::Off,
        client: None,
        margin: Margin::Crossed,
        borrows: if line == Line::Margin { Borrowing::Always } else { Borrowing::Never },
        adjusts_price: limit.is_some_and(|limit| limit.px_amend_type == Some(YesNo::Yes)),
        presets: None,
        source: Source::Api,
    })
}

/// Returns the margin mode of an order that names none: that of the position that it adds to, or else the one that the
/// contract is set to.
fn usual_margin(at: &Desk<'_>, order: &Ticket, pos: PositionSide) -> Margin {
    let account = &at.core.accounts[at.account];
    let pos = if account.mode == Mode::OneWay { PositionSide::Net } else { pos };
    let held = account.positions.get(&(order.pair, pos));
    held.map_or(account.contract_settings(order.pair).margin, |position| position.mode)
}

impl Serve for PlaceOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderAck, Refusal> {
        let placed = place_order(&self, at).map_err(|reason| at.refusal(reason))?;
        let mut ack = OrderAck::default();
        ack.order_id = (!placed.replaced).then(|| placed.id.to_string().into());
        ack.client_oid = self.client_oid;
        Ok(ack)
    }
}

fn place_order(request: &PlaceOrder, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let words = [request.category.as_str(), request.symbol.as_str(), request.side.as_str()];
    let common = ticket(at, words, &request.qty, &request.execution)?;
    let pos = value_or(request.pos_side.as_ref().map(|pos| pos.as_str()), PositionSide::of, PositionSide::Net);
    let ticket = Ticket {
        pos,
        reduce_only: request.reduce_only == Some(YesNo::Yes),
        prevention: value_or(request.stp_mode.as_ref().map(|mode| mode.as_str()), Prevention::of, Prevention::Off),
        client: request.client_oid.as_ref().map(|id| id.as_str().into()),
        margin: value_or(
            request.margin_mode.as_ref().map(|mode| mode.as_str()),
            Margin::of,
            usual_margin(at, &common, pos),
        ),
        borrows: match request.auto_borrow {
            Some(YesNo::Yes) => Borrowing::IfObtainedCannot,
            _ => common.borrows,
        },
        presets: Presets {
            take_profit: executable(
                preset(
                    optional("takeProfit", request.take_profit.as_ref())?,
                    request.tp_trigger_by.as_ref(),
                    request.tp_order_type.as_ref(),
                    optional("tpLimitPrice", request.tp_limit_price.as_ref())?,
                ),
                "tpLimitPrice",
            )?,
            stop_loss: executable(
                preset(
                    optional("stopLoss", request.stop_loss.as_ref())?,
                    request.sl_trigger_by.as_ref(),
                    request.sl_order_type.as_ref(),
                    optional("slLimitPrice", request.sl_limit_price.as_ref())?,
                ),
                "slLimitPrice",
            )?,
        }
        .boxed(),
        ..common
    };
    at.core.place(ticket)
}

/// Refuses a preset whose limit order would have no price.
fn executable(preset: Preset, limit_price: &'static str) -> Result<Preset, Reason> {
    let is_without = preset.price.is_some() && preset.is_limit == Some(true) && preset.limit_price.is_none();
    if is_without { Err(missing(limit_price)) } else { Ok(preset) }
}

impl Serve for PlaceRealityOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let execution = match &self.execution {
            RealityExecution::Limit(limit) => Execution::from(Execution::limit(limit.price.clone())),
            _ => Execution::Market,
        };
        let category = self.category.as_ref().map_or(Line::Spot.as_str(), |category| category.as_str());
        let client = self.client_oid.as_ref().map(|id| id.as_str().into());
        let placed = ticket(at, [category, self.symbol.as_str(), self.side.as_str()], &self.qty, &execution)
            .and_then(|ticket| at.core.place(Ticket { client, ..ticket }));
        let placed = placed.map_err(|reason| at.refusal(reason))?;
        Ok(ids_of(placed.id, self.client_oid.as_ref().map(|id| id.as_str())))
    }
}

impl Serve for BatchOrder {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let place = |(index, item): (usize, BatchOrderItem)| {
            let placed = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => place_item(&item, at).map_err(|reason| at.refusal(reason)),
            };
            let mut requested = OrderIds::default();
            requested.client_oid.clone_from(&item.client_oid);
            let client = item.client_oid.as_ref().map(|id| id.as_str());
            result_of(placed.map(|placed| ids_of(placed.id, client)), requested)
        };
        Ok(self.orders.into_iter().enumerate().map(place).collect::<Vec<_>>().into())
    }
}

fn place_item(item: &BatchOrderItem, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let words = [item.category.as_str(), item.symbol.as_str(), item.side.as_str()];
    let common = ticket(at, words, &item.qty, &item.execution)?;
    let pos = value_or(item.pos_side.as_ref().map(|pos| pos.as_str()), PositionSide::of, PositionSide::Net);
    let ticket = Ticket {
        pos,
        margin: usual_margin(at, &common, pos),
        prevention: value_or(item.stp_mode.as_ref().map(|mode| mode.as_str()), Prevention::of, Prevention::Off),
        client: item.client_oid.as_ref().map(|id| id.as_str().into()),
        ..common
    };
    at.core.place(ticket)
}

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let reported_id = self.request_id.filter(|_| self.auto_cancel == Some(YesNo::Yes));
        modify(&self, at).map_err(|reason| naming(at.refusal(reason), reported_id))
    }
}

/// Returns a refusal that names the requestId, if autoCancel may follow.
fn naming(refusal: Refusal, reported_id: Option<u64>) -> Refusal {
    match reported_id {
        Some(id) => Refusal { message: format!("{} (requestId {id})", refusal.message), ..refusal },
        None => refusal,
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let kept = at.named(&Name::from(&request.order), wanted(request.category.as_ref(), request.symbol.as_ref()))?;
    let (id, ids) = (kept.id, ids_of(kept.id, kept.client()));
    let changes = modification(request, kept.ticket.presets())?;
    at.core.amend(id, changes, <ModifyOrder as Amendment>::IN_FLIGHT)?;
    Ok(ids)
}

/// Returns the orders that a modification may name.
fn wanted<'a>(category: Option<&'a Category>, symbol: Option<&'a Symbol>) -> Wanted<'a> {
    let (line, symbol) = (category.map(|category| category.as_str()), symbol.map(|symbol| symbol.as_str()));
    Wanted { line, symbol, coin: None }
}

/// Returns the requested changes of an order that has these presets.
fn modification(request: &ModifyOrder, kept: Presets) -> Result<Changes, Reason> {
    let edited =
        |[name, limit]: [&'static str; 2], kept: &Preset, price: &Edit<_>, by, order_type, limit_price: Option<&_>| {
            let new = preset(None, by, order_type, optional(limit, limit_price)?);
            let price = match price {
                Edit::Set(price) => Some(number(name, price)?),
                Edit::Delete => return Ok(Some(Preset::default())),
                Edit::Keep => kept.price,
            };
            Ok(Some(Preset {
                price,
                by_mark: if by.is_some() { new.by_mark } else { kept.by_mark },
                is_limit: new.is_limit.or(kept.is_limit),
                limit_price: new.limit_price.or(kept.limit_price),
            }))
        };
    Ok(Changes {
        qty: optional("qty", request.qty.as_ref())?,
        price: optional("price", request.price.as_ref())?,
        adjusts_price: request.px_amend_type == Some(YesNo::Yes),
        auto_cancel: request.auto_cancel == Some(YesNo::Yes),
        request_id: request.request_id,
        take_profit: edited(
            ["takeProfit", "tpLimitPrice"],
            &kept.take_profit,
            &request.take_profit,
            request.tp_trigger_by.as_ref(),
            request.tp_order_type.as_ref(),
            request.tp_limit_price.as_ref(),
        )?,
        stop_loss: edited(
            ["stopLoss", "slLimitPrice"],
            &kept.stop_loss,
            &request.stop_loss,
            request.sl_trigger_by.as_ref(),
            request.sl_order_type.as_ref(),
            request.sl_limit_price.as_ref(),
        )?,
    })
}

impl Serve for BatchModifyOrders {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchModifyResult>, Refusal> {
        refuse_repeated(&self, at).map_err(|reason| at.refusal(reason))?;
        let modify = |(index, item): (usize, BatchModifyItem)| {
            let reported_id = item.request_id.filter(|_| item.auto_cancel == Some(YesNo::Yes));
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => modify_item(&item, at).map_err(|reason| naming(at.refusal(reason), reported_id)),
            };
            let result = result_of(done, requested_ids(&item.order));
            let mut answer = BatchModifyResult::default();
            (answer.order_id, answer.client_oid) = (result.order_id, result.client_oid);
            (answer.code, answer.msg) = (result.code, result.msg);
            answer
        };
        Ok(self.orders.into_iter().enumerate().map(modify).collect::<Vec<_>>().into())
    }
}

/// Refuses a batch that names an order by each of its ids. The checks of the schema see only an id that is repeated.
fn refuse_repeated(batch: &BatchModifyOrders, at: &Desk<'_>) -> Result<(), Reason> {
    let mut named = BTreeSet::new();
    let found = batch.orders.iter().filter_map(|item| at.core.find(at.account, &Name::from(&item.order)));
    if found.map(|order| order.id).all(|id| named.insert(id)) { Ok(()) } else { Err(Reason::ListedTwice) }
}

fn modify_item(item: &BatchModifyItem, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let order = at.named(&Name::from(&item.order), wanted(item.category.as_ref(), item.symbol.as_ref()));
    let order = order.map_err(|_| Reason::NoSuchItem)?;
    if order.is_closing() {
        return Err(Reason::ReduceOnlyFixed);
    }
    let (id, ids) = (order.id, ids_of(order.id, order.client()));
    let changes = Changes {
        qty: optional("qty", item.qty.as_ref())?,
        price: optional("price", item.price.as_ref())?,
        adjusts_price: item.px_amend_type == Some(YesNo::Yes),
        auto_cancel: item.auto_cancel == Some(YesNo::Yes),
        request_id: item.request_id,
        ..Changes::default()
    };
    at.core.amend(id, changes, BatchModifyOrders::IN_FLIGHT)?;
    Ok(ids)
}

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        cancel(at, &self.order, Wanted { line, ..Wanted::default() }).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for CancelRealityOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let line = self.category.as_ref().map_or(Line::Spot.as_str(), |category| category.as_str());
        let wanted = Wanted::of(line, self.symbol.as_str());
        cancel(at, &self.order, wanted).map_err(|reason| at.refusal(reason))
    }
}

fn cancel(at: &mut Desk<'_>, order: &OrderRef, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    let found = at.named(&Name::from(order), wanted)?;
    let (id, ids) = (found.id, ids_of(found.id, found.client()));
    at.core.cancel(id)?;
    Ok(ids)
}

impl Serve for BatchCancel {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let mut results = Vec::with_capacity(self.orders.len());
        for (index, item) in self.orders.iter().enumerate() {
            let wanted = Wanted::of(item.category.as_str(), item.symbol.as_str());
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => cancel(at, &item.order, wanted).map_err(|reason| {
                    let reason = if reason == Reason::NoSuchOrder { Reason::NoSuchItem } else { reason };
                    at.refusal(reason)
                }),
            };
            results.push(result_of(done, requested_ids(&item.order)));
        }
        Ok(results.into())
    }
}

impl Serve for CancelAllOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let wanted = Wanted { line: Some(self.category.as_str()), symbol, coin: None };
        let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
        let ids: Vec<u64> = open.filter(|order| wanted.is(at.core, order)).map(|order| order.id).collect();
        let cancelled = ids.into_iter().map(|id| {
            // Every open order can be cancelled.
            at.core.end_by(id, State::Cancelled(Cancelled::Normal), true);
            let ids = ids_of(id, at.core.orders.get(&id).and_then(Order::client));
            result_of(Ok(ids), OrderIds::default())
        });
        Ok(cancelled.collect::<Vec<_>>().into())
    }
}
