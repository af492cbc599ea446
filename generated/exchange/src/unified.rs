//! The operations of the unified account.

use rust_decimal::Decimal;
use tradeapi::runtime::json::write_json;
use tradeapi::runtime::orders::Amendment;
use tradeapi::unified::{
    AccountAssets, Asset, BatchCancel, BatchModifyItem, BatchModifyOrders, BatchModifyResult, BatchOrder,
    BatchOrderItem, BatchOrderResult, CancelAllOrders, CancelOrder, CancelRealityOrder, Execution, FeeDetail, Fill,
    GetAccountAssets, GetFillHistory, GetFillHistoryPage, GetOpenOrders, GetOpenOrdersPage, GetOrderDetails,
    GetOrderHistory, GetOrderHistoryPage, GetRealityFills, ModifyOrder, OrderAck, OrderIds, OrderRef, OrderType,
    PlaceOrder, PlaceRealityOrder, RealityExecution, RealityFill, TriggerBy, YesNo,
};
use tradeapi::{Edit, List, Operation, Timestamp};

use crate::accounts::Balance;
use crate::amending::{Changes, Name};
use crate::gate::{Desk, Serve};
use crate::instruments::{Contract, quotient};
use crate::orders::{self, Borrowing, Order, Preset, Presets, Quantity, Source, State, Ticket};
use crate::pages::{Kind, Query, Wanted, page_size, query};
use crate::placing::Placed;
use crate::reading::{number, optional, wire};
use crate::refusal::{Reason, Refusal};
use crate::state::Core;
use crate::words::{Effect, Family, Force, Line, Margin, Pos, Prevention, Side};

/// A word of a request in the core's vocabulary; left out, it is the documented default.
fn said<T>(text: Option<&str>, of: impl Fn(&str) -> Option<T>, default: T) -> T {
    text.and_then(of).unwrap_or(default)
}

impl From<&OrderRef> for Name {
    fn from(order: &OrderRef) -> Self {
        match order {
            OrderRef::ClientOid(id) => Self::Client(id.as_str().to_owned()),
            OrderRef::OrderId(id) => Self::Id(id.as_str().to_owned()),
            _ => Self::Id(String::new()),
        }
    }
}

/// A preset as a request has it.
fn preset(
    price: Option<Decimal>,
    by: Option<&TriggerBy>,
    order_type: Option<&OrderType>,
    limit_price: Option<Decimal>,
) -> Preset {
    let by_mark = by == Some(&TriggerBy::Mark);
    Preset { price, by_mark, is_limit: order_type.map(|kind| *kind == OrderType::Limit), limit_price }
}

/// What single orders and items of batches have in common.
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
    let qty = number(qty)?;
    let buys_for_amount = !line.is_futures() && side == Side::Buy && limit.is_none();
    let force = limit.and_then(|limit| limit.time_in_force.as_ref());
    Ok(Ticket {
        account: at.account,
        line,
        pair: at.core.pair(Family::Unified, line, symbol).ok_or(Reason::UnknownSymbol)?,
        side,
        price: limit.map(|limit| number(&limit.price)).transpose()?,
        quantity: if buys_for_amount { Quantity::Amount(qty) } else { Quantity::Lots(qty) },
        force: said(force.map(|force| force.as_str()), Force::of, Force::Gtc),
        pos: Pos::Net,
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

impl Serve for PlaceOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderAck, Refusal> {
        let placed = place_order(&self, at).map_err(|reason| at.refusal(reason))?;
        let mut ack = OrderAck::default();
        ack.order_id = (!placed.replaced).then(|| placed.id.to_string().into());
        ack.client_oid = self.client_oid;
        Ok(ack)
    }

    /// The document has an orderId of `null` after a replacement, not one that is left out.
    fn data(response: &OrderAck) -> String {
        let data = write_json(response);
        match (&response.order_id, data.strip_prefix('{')) {
            (None, Some("}")) => r#"{"orderId":null}"#.to_owned(),
            (None, Some(rest)) => format!(r#"{{"orderId":null,{rest}"#),
            _ => data,
        }
    }
}

fn place_order(request: &PlaceOrder, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let words = [request.category.as_str(), request.symbol.as_str(), request.side.as_str()];
    let common = ticket(at, words, &request.qty, &request.execution)?;
    let ticket = Ticket {
        pos: said(request.pos_side.as_ref().map(|pos| pos.as_str()), Pos::of, Pos::Net),
        reduce_only: request.reduce_only == Some(YesNo::Yes),
        prevention: said(request.stp_mode.as_ref().map(|mode| mode.as_str()), Prevention::of, Prevention::Off),
        client: request.client_oid.as_ref().map(|id| id.as_str().into()),
        margin: said(request.margin_mode.as_ref().map(|mode| mode.as_str()), Margin::of, Margin::Crossed),
        borrows: match request.auto_borrow {
            Some(YesNo::Yes) => Borrowing::IfObtainedCannot,
            _ => common.borrows,
        },
        presets: Presets {
            take_profit: preset(
                optional(request.take_profit.as_ref())?,
                request.tp_trigger_by.as_ref(),
                request.tp_order_type.as_ref(),
                optional(request.tp_limit_price.as_ref())?,
            ),
            stop_loss: preset(
                optional(request.stop_loss.as_ref())?,
                request.sl_trigger_by.as_ref(),
                request.sl_order_type.as_ref(),
                optional(request.sl_limit_price.as_ref())?,
            ),
        }
        .boxed(),
        ..common
    };
    at.core.place(ticket)
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

    fn data(response: &OrderIds) -> String {
        with_empty_client(response)
    }
}

/// The Reality operations have an empty clientOid where none was supplied.
fn with_empty_client(response: &OrderIds) -> String {
    let data = write_json(response);
    match (&response.client_oid, data.strip_suffix('}')) {
        (None, Some(start)) => format!(r#"{start},"clientOid":""}}"#),
        _ => data,
    }
}

fn ids_of(id: u64, client: Option<&str>) -> OrderIds {
    let mut ids = OrderIds::default();
    ids.order_id = Some(id.to_string().into());
    ids.client_oid = client.and_then(|client| client.parse().ok());
    ids
}

/// The outcome of an item of a batch.
fn result_of(done: Result<OrderIds, Refusal>, asked: OrderIds) -> BatchOrderResult {
    let mut result = BatchOrderResult::default();
    let (ids, refusal) = match done {
        Ok(ids) => (ids, None),
        Err(refusal) => (asked, Some(refusal)),
    };
    (result.order_id, result.client_oid) = (ids.order_id, ids.client_oid);
    if let Some(refusal) = refusal {
        (result.code, result.msg) = (Some(refusal.code), Some(refusal.message));
    }
    result
}

/// The ids in a query for an order.
fn asked_for(order: &OrderRef) -> OrderIds {
    let mut ids = OrderIds::default();
    match order {
        OrderRef::OrderId(id) => ids.order_id = Some(id.clone()),
        OrderRef::ClientOid(id) => ids.client_oid = Some(id.clone()),
        _ => {}
    }
    ids
}

impl Serve for BatchOrder {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let place = |(index, item): (usize, BatchOrderItem)| {
            let placed = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => place_item(&item, at).map_err(|reason| at.refusal(reason)),
            };
            let mut asked = OrderIds::default();
            asked.client_oid.clone_from(&item.client_oid);
            let client = item.client_oid.as_ref().map(|id| id.as_str());
            result_of(placed.map(|placed| ids_of(placed.id, client)), asked)
        };
        Ok(self.orders.into_iter().enumerate().map(place).collect::<Vec<_>>().into())
    }
}

fn place_item(item: &BatchOrderItem, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let words = [item.category.as_str(), item.symbol.as_str(), item.side.as_str()];
    let common = ticket(at, words, &item.qty, &item.execution)?;
    let ticket = Ticket {
        pos: said(item.pos_side.as_ref().map(|pos| pos.as_str()), Pos::of, Pos::Net),
        prevention: said(item.stp_mode.as_ref().map(|mode| mode.as_str()), Prevention::of, Prevention::Off),
        client: item.client_oid.as_ref().map(|id| id.as_str().into()),
        ..common
    };
    at.core.place(ticket)
}

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let request_id = self.request_id;
        let amended = modification(&self, at).map_err(|reason| at.refusal(reason));
        let most = <Self as Amendment>::IN_FLIGHT;
        let amended = amended.and_then(|amendment| {
            let amended = at.core.amend(at.account, &Name::from(&self.order), amendment, most);
            amended.map_err(|reason| at.refusal(reason))
        });
        answer_modification(at, amended, request_id)
    }
}

/// The ids of a modified order; the refusal of a modification with autoCancel names its requestId.
fn answer_modification(
    at: &Desk<'_>,
    amended: Result<u64, Refusal>,
    request_id: Option<u64>,
) -> Result<OrderIds, Refusal> {
    let id = amended.map_err(|refusal| match request_id {
        Some(id) => Refusal { message: format!("{} (requestId {id})", refusal.message), ..refusal },
        None => refusal,
    })?;
    Ok(ids_of(id, at.core.orders.get(&id).and_then(Order::client)))
}

fn modification(request: &ModifyOrder, at: &Desk<'_>) -> Result<Changes, Reason> {
    let kept = at.core.find(at.account, &Name::from(&request.order)).ok_or(Reason::NoSuchOrder)?;
    let kept = kept.ticket.presets();
    let edited =
        |kept: &Preset, price: &Edit<tradeapi::Decimal>, by, order_type, limit_price: Option<&tradeapi::Decimal>| {
            let new = preset(None, by, order_type, optional(limit_price)?);
            let price = match price {
                Edit::Set(price) => Some(number(price)?),
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
        qty: optional(request.qty.as_ref())?,
        price: optional(request.price.as_ref())?,
        adjusts_price: request.px_amend_type == Some(YesNo::Yes),
        auto_cancel: request.auto_cancel == Some(YesNo::Yes),
        request_id: request.request_id,
        take_profit: edited(
            &kept.take_profit,
            &request.take_profit,
            request.tp_trigger_by.as_ref(),
            request.tp_order_type.as_ref(),
            request.tp_limit_price.as_ref(),
        )?,
        stop_loss: edited(
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
        let modify = |(index, item): (usize, BatchModifyItem)| {
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => modify_item(&item, at),
            };
            let result = result_of(done, asked_for(&item.order));
            let mut modified = BatchModifyResult::default();
            (modified.order_id, modified.client_oid) = (result.order_id, result.client_oid);
            (modified.code, modified.msg) = (result.code, result.msg);
            modified
        };
        Ok(self.orders.into_iter().enumerate().map(modify).collect::<Vec<_>>().into())
    }
}

fn modify_item(item: &BatchModifyItem, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
    let name = Name::from(&item.order);
    let amendment = || {
        let order = at.core.find(at.account, &name).ok_or(Reason::NoSuchItem)?;
        if order.is_closing() {
            return Err(Reason::ReduceOnlyFixed);
        }
        Ok(Changes {
            qty: optional(item.qty.as_ref())?,
            price: optional(item.price.as_ref())?,
            adjusts_price: item.px_amend_type == Some(YesNo::Yes),
            auto_cancel: item.auto_cancel == Some(YesNo::Yes),
            request_id: item.request_id,
            ..Changes::default()
        })
    };
    let amendment = amendment().map_err(|reason| at.refusal(reason))?;
    let amended = at.core.amend(at.account, &name, amendment, BatchModifyOrders::IN_FLIGHT);
    let amended = amended.map_err(|reason| at.refusal(reason));
    answer_modification(at, amended, item.request_id)
}

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        cancel(at, &self.order, Wanted { line: None, symbol: None }).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for CancelRealityOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let line = self.category.as_ref().map_or(Line::Spot.as_str(), |category| category.as_str());
        let wanted = Wanted { line: Some(line), symbol: Some(self.symbol.as_str()) };
        cancel(at, &self.order, wanted).map_err(|reason| at.refusal(reason))
    }

    fn data(response: &OrderIds) -> String {
        with_empty_client(response)
    }
}

fn cancel(at: &mut Desk<'_>, order: &OrderRef, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    let name = Name::from(order);
    if !at.core.find(at.account, &name).is_some_and(|order| wanted.is(at.core, order)) {
        return Err(Reason::NoSuchOrder);
    }
    let id = at.core.cancel(at.account, &name)?;
    Ok(ids_of(id, at.core.orders.get(&id).and_then(Order::client)))
}

impl Serve for BatchCancel {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let mut results = Vec::with_capacity(self.orders.len());
        for (index, item) in self.orders.iter().enumerate() {
            let wanted = Wanted { line: Some(item.category.as_str()), symbol: Some(item.symbol.as_str()) };
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => cancel(at, &item.order, wanted).map_err(|reason| {
                    let reason = if reason == Reason::NoSuchOrder { Reason::NoSuchItem } else { reason };
                    at.refusal(reason)
                }),
            };
            results.push(result_of(done, asked_for(&item.order)));
        }
        Ok(results.into())
    }
}

impl Serve for CancelAllOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<BatchOrderResult>, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let wanted = Wanted { line: Some(self.category.as_str()), symbol };
        let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
        let ids: Vec<u64> = open.filter(|order| wanted.is(at.core, order)).map(|order| order.id).collect();
        let cancelled = ids.into_iter().map(|id| {
            let done = at.core.cancel(at.account, &Name::Id(id.to_string()));
            let client = at.core.orders.get(&id).and_then(Order::client);
            let ids = ids_of(id, client);
            result_of(done.map(|_| ids.clone()).map_err(|reason| reason.of(Self::META)), ids)
        });
        Ok(cancelled.collect::<Vec<_>>().into())
    }
}

impl Serve for GetOrderDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<tradeapi::unified::Order, Refusal> {
        let order = at.shown(&Name::from(&self.order));
        order.map(|order| record(at.core, &order)).ok_or_else(|| at.refusal(Reason::NoSuchOrder))
    }
}

impl Serve for GetOpenOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOpenOrdersPage, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        let query = query!(self, cursor, line: line, symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let found = at.orders(Kind::Open, &query, |_| true, record);
        let mut answer = GetOpenOrdersPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetOrderHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOrderHistoryPage, Refusal> {
        let line = Some(self.category.as_str());
        let query = query!(self, cursor, line: line, symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let found = at.orders(Kind::Closed, &query, |_| true, record);
        let mut answer = GetOrderHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetFillHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetFillHistoryPage, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        let query = query!(self, cursor, line: line, symbol: None);
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), fill_record);
        let mut answer = GetFillHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

fn fill_record(core: &Core, fill: &orders::Fill) -> Fill {
    let pair = &core.pairs[fill.pair];
    let mut record = Fill::default();
    record.exec_id = Some(fill.id.to_string().into());
    record.exec_link_id = Some(fill.id.to_string().into());
    record.order_id = Some(fill.order.to_string().into());
    record.client_oid = fill.client.as_deref().and_then(|client| client.parse().ok());
    record.category = fill.line.as_str().parse().ok();
    record.symbol = Some(pair.symbol.into());
    record.order_type = Some(if fill.is_limit { OrderType::Limit } else { OrderType::Market });
    record.side = fill.side.as_str().parse().ok();
    record.exec_price = Some(wire(pair.price(fill.ticks)));
    record.exec_qty = Some(wire(pair.base_qty(fill.ticks, fill.lots)));
    record
}

/// An order as the family shows it.
fn record(core: &Core, order: &Order) -> tradeapi::unified::Order {
    let (pair, ticket, presets) = (&core.pairs[order.ticket.pair], &order.ticket, order.ticket.presets());
    let is_futures = ticket.line.is_futures();
    let mode = core.accounts[ticket.account].mode;
    let average = quotient(order.value, order.base);
    let mut record = tradeapi::unified::Order::default();
    record.order_id = Some(order.id.to_string().into());
    record.client_oid = order.client().and_then(|client| client.parse().ok());
    record.category = ticket.line.as_str().parse().ok();
    record.symbol = Some(pair.symbol.into());
    record.price = order.ticks.map(|ticks| wire(pair.price(ticks)));
    let at = order.ticks.unwrap_or(pair.opening);
    record.qty = Some(wire(if order.ticks.is_none() && pair.contract == Contract::InverseByQuote {
        order.base
    } else {
        pair.base_qty(at, order.lots)
    }));
    record.amount = match (ticket.quantity, order.ticks) {
        (Quantity::Amount(amount), _) => Some(wire(amount)),
        _ if pair.contract == Contract::InverseByQuote => Some(wire(pair.qty(order.lots))),
        (_, Some(ticks)) => Some(wire(pair.value(ticks, order.lots))),
        (_, None) => None,
    };
    record.order_type = Some(if order.ticks.is_some() { OrderType::Limit } else { OrderType::Market });
    record.cum_exec_qty = Some(wire(order.base));
    record.cum_exec_value = Some(wire(order.value));
    record.avg_price = Some(wire(average));
    let status = match order.state {
        State::Live => "live",
        State::PartlyFilled => "partially_filled",
        State::Filled => "filled",
        State::Cancelled(_) => "cancelled",
    };
    record.order_status = status.parse().ok();
    record.side = ticket.side.as_str().parse().ok();
    let force = if order.ticks.is_some() { ticket.force } else { Force::Ioc };
    record.time_in_force = force.as_str().parse().ok();
    record.stp_mode = ticket.prevention.as_str().parse().ok();
    if is_futures {
        record.pos_side = ticket.pos.as_str().parse().ok();
        record.trade_side = ticket.effect.as_str().parse().ok();
        record.hold_mode = mode.as_str().parse().ok();
        record.margin_mode = ticket.margin.as_str().parse().ok();
        record.reduce_only = Some(ticket.reduce_only.into());
        let by = |preset: &Preset| if preset.by_mark { TriggerBy::Mark } else { TriggerBy::Market };
        record.tp_trigger_by = presets.take_profit.price.map(|_| by(&presets.take_profit));
        record.sl_trigger_by = presets.stop_loss.price.map(|_| by(&presets.stop_loss));
    }
    let kind = |preset: &Preset| preset.is_limit.map(|limit| if limit { OrderType::Limit } else { OrderType::Market });
    record.take_profit = presets.take_profit.price.map(wire);
    record.stop_loss = presets.stop_loss.price.map(wire);
    (record.tp_order_type, record.sl_order_type) = (kind(&presets.take_profit), kind(&presets.stop_loss));
    record.tp_limit_price = presets.take_profit.limit_price.map(wire);
    record.sl_limit_price = presets.stop_loss.limit_price.map(wire);
    let mut fee = FeeDetail::default();
    let fee_coin = match (pair.contract, ticket.side) {
        (Contract::Spot, Side::Buy) => pair.base,
        _ => pair.settle(),
    };
    (fee.fee_coin, fee.fee) = (Some(fee_coin.into()), Some(wire(order.fee)));
    record.fee_detail = vec![fee].into();
    let delegate = match (ticket.source, order.ticks) {
        (Source::TakeProfit, Some(_)) => "position_stop_profit_limit",
        (Source::TakeProfit, None) => "position_stop_profit_market",
        (Source::StopLoss, Some(_)) => "position_stop_loss_limit",
        (Source::StopLoss, None) => "position_stop_loss_market",
        _ => "normal",
    };
    record.delegate_type = delegate.parse().ok();
    record.cancel_reason = match order.state {
        State::Cancelled(reason) => reason.as_str().parse().ok(),
        _ => None,
    };
    let is_liquidation = ticket.source == Source::Liquidation;
    record.exec_type = if is_liquidation { "liquidation" } else { "normal" }.parse().ok();
    record.created_time = Some(Timestamp::from_millis(order.created));
    record.updated_time = Some(Timestamp::from_millis(order.updated));
    record
}

impl Serve for GetRealityFills {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<RealityFill>, Refusal> {
        let index = at.core.pair(Family::Unified, Line::Spot, self.symbol.as_str());
        let index = index.filter(|index| at.core.pairs[*index].is_reality());
        let index = index.ok_or_else(|| at.refusal(Reason::UnknownSymbol))?;
        let limit = page_size(Self::META, self.limit);
        let reach = Self::META.history.and_then(|history| history.before(Timestamp::from_millis(at.core.now)));
        let oldest = reach.map_or(0, Timestamp::as_millis);
        let pair = &at.core.pairs[index];
        let recent = at.core.markets[index].fills.iter().rev().take_while(|fill| fill.at >= oldest);
        let fills = recent.take(limit).map(|fill| {
            let mut record = RealityFill::default();
            record.exec_id = Some(fill.id.to_string().into());
            record.price = Some(wire(pair.price(fill.ticks)));
            record.size = Some(wire(pair.qty(fill.lots)));
            record.side = fill.side.as_str().parse().ok();
            record.time = Some(Timestamp::from_millis(fill.at));
            record
        });
        Ok(fills.collect::<Vec<_>>().into())
    }
}

impl Serve for GetAccountAssets {
    fn serve(self, at: &mut Desk<'_>) -> Result<AccountAssets, Refusal> {
        let core = &*at.core;
        let account = &core.accounts[at.account];
        let in_usd = |coin: &str| core.price_of(coin);
        let mut assets = Vec::new();
        let (mut equity, mut margin) = (Decimal::ZERO, Decimal::ZERO);
        for (coin, balance) in &account.balances {
            let of = |amount: Decimal| amount * in_usd(coin);
            equity += of(balance.equity());
            margin += of(balance.margin);
            if *balance != Balance::default() {
                assets.push(asset(coin, balance, of(balance.equity())));
            }
        }
        let (mut unrealised, mut value) = (Decimal::ZERO, Decimal::ZERO);
        for ((index, _), position) in &account.positions {
            let (pair, mid) = (&core.pairs[*index], core.markets[*index].mid);
            unrealised += pair.profit(position.side, position.cost, mid, position.lots) * in_usd(pair.settle());
            value += pair.settled_value(mid, position.lots) * in_usd(pair.settle());
        }
        let (btc, usdt) = (in_usd("BTC"), in_usd("USDT"));
        let whole = equity + unrealised;
        let mut answer = AccountAssets::default();
        answer.account_equity = Some(wire(whole));
        answer.usdt_equity = Some(wire(quotient(whole, usdt)));
        answer.btc_equity = Some(wire(quotient(whole, btc)));
        answer.unrealised_pnl = Some(wire(unrealised));
        answer.usdt_unrealised_pnl = Some(wire(quotient(unrealised, usdt)));
        answer.btc_unrealised_pnl = Some(wire(quotient(unrealised, btc)));
        answer.effective_equity = Some(wire(whole));
        answer.maintenance_margin = Some(wire(Decimal::ZERO));
        answer.initial_margin = Some(wire(margin));
        answer.margin_ratio = Some(wire(quotient(margin, whole)));
        answer.position_margin_ratio = Some(wire(quotient(margin, value)));
        answer.position_value = Some(wire(value));
        answer.leverage = Some(wire(quotient(value, whole)));
        answer.assets = assets.into();
        Ok(answer)
    }

    /// The leverage alone is a JSON number.
    fn data(response: &AccountAssets) -> String {
        let leverage = response.leverage.as_ref().map(tradeapi::Decimal::to_plain).unwrap_or_default();
        write_json(response).replace(&format!(r#""leverage":"{leverage}""#), &format!(r#""leverage":{leverage}"#))
    }
}

fn asset(coin: &str, balance: &Balance, in_usd: Decimal) -> Asset {
    let mut asset = Asset::default();
    asset.coin = Some(coin.into());
    asset.equity = Some(wire(balance.equity()));
    asset.usd_value = Some(wire(in_usd));
    asset.balance = Some(wire(balance.total));
    asset.debt = Some(wire(balance.debt));
    asset.available = Some(wire(balance.available()));
    asset.locked = Some(wire(balance.frozen));
    asset.bonus = Some(wire(Decimal::ZERO));
    asset
}

impl Core {
    /// The price of a coin in dollars, by the pairs that quote it.
    pub(crate) fn price_of(&self, coin: &str) -> Decimal {
        let pairs = self.pairs.iter().zip(&self.markets);
        let mut of_coin =
            pairs.filter(|(pair, _)| pair.base == coin && matches!(pair.contract, Contract::Spot | Contract::Linear));
        of_coin.next().map_or(Decimal::ONE, |(pair, market)| pair.price(market.mid))
    }
}
