//! The operations of the classic account.

use std::sync::Arc;

use rust_decimal::Decimal;
use tradeapi::classic::{
    BatchCancel, BatchCancelOutcome, BatchOrder, BatchOrderItem, BatchPlaceFailure, BatchPlaceOutcome, BatchSuccess,
    CancelAllFailure, CancelAllOrders, CancelAllOutcome, CancelFailure, CancelOrder, CloseFailure, CloseOutcome,
    ClosedPosition, Execution, FeeDetail, Fill, FlashClosePosition, GetHistoricalTransactionDetails,
    GetHistoricalTransactionDetailsPage, GetHistoryOrder, GetHistoryOrderPage, GetOrderDetail, GetOrderFillDetails,
    GetOrderFillDetailsPage, GetPendingOrders, GetPendingOrdersPage, HistoryOrder, ModifyOrder, Order as Record,
    OrderAck, OrderIds, OrderRef, OrderState, OrderType, PendingOrder, PlaceOrder, ReduceOnly, Reversal, TradeSide,
    YesNo,
};
use tradeapi::{Edit, Operation, Timestamp};

use crate::amending::Name;
use crate::gate::{Desk, Serve};
use crate::instruments::quotient;
use crate::orders::{self, Borrowing, Order, Preset, Presets, Quantity, Source, State, Ticket};
use crate::pages::{Kind, Query, Wanted, query};
use crate::placing::Placed;
use crate::reading::{number, optional, wire};
use crate::refusal::{Reason, Refusal};
use crate::state::{Core, Event, Task, Unplaced};
use crate::words::{Cancelled, Effect, Family, Force, Line, Margin, Mode, Pos, Prevention, Side};

impl From<&OrderRef> for Name {
    fn from(order: &OrderRef) -> Self {
        match order {
            OrderRef::ClientOid(id) => Self::Client(id.as_str().to_owned()),
            OrderRef::OrderId(id) => Self::Id(id.as_str().to_owned()),
            _ => Self::Id(String::new()),
        }
    }
}

fn ids_of(id: u64, client: Option<&str>) -> OrderIds {
    let mut ids = OrderIds::default();
    (ids.order_id, ids.client_oid) = (Some(id.to_string().into()), client.map(Into::into));
    ids
}

/// The requested trade, by the position mode: the side in the book, the position, and what is done to it.
fn direction(core: &Core, account: usize, side: Side, effect: Option<Effect>) -> (Side, Pos, Effect) {
    match core.accounts[account].mode {
        Mode::OneWay => (side, Pos::Net, Effect::Open),
        Mode::Hedge => {
            let pos = if side == Side::Buy { Pos::Long } else { Pos::Short };
            let effect = effect.unwrap_or(Effect::Open);
            (if effect == Effect::Open { side } else { side.opposite() }, pos, effect)
        }
    }
}

/// What an order says in both operations that place one.
struct Said<'a> {
    line: &'a str,
    symbol: &'a str,
    margin: &'a str,
    size: Option<&'a tradeapi::Decimal>,
    price: Option<&'a tradeapi::Decimal>,
    side: Option<&'a str>,
    trade_side: Option<&'a TradeSide>,
    force: Option<&'a str>,
    reduce_only: Option<&'a ReduceOnly>,
    client: Option<&'a str>,
    prevention: Option<&'a str>,
    presets: [Option<&'a tradeapi::Decimal>; 4],
}

fn place(said: &Said<'_>, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let [take_price, stop_price, take_limit, stop_limit] = said.presets;
    let preset = |price, limit_price: Option<_>| -> Result<Preset, Reason> {
        let limit_price = optional(limit_price)?;
        Ok(Preset { price: optional(price)?, by_mark: false, is_limit: Some(limit_price.is_some()), limit_price })
    };
    let side = said.side.and_then(Side::of).ok_or(Reason::MissingParameter)?;
    let effect = said.trade_side.and_then(|side| Effect::of(side.as_str()));
    let (side, pos, effect) = direction(at.core, at.account, side, effect);
    let line = Line::of(said.line).ok_or(Reason::Parameter)?;
    let ticket = Ticket {
        account: at.account,
        line,
        pair: at.core.pair(Family::Classic, line, said.symbol).ok_or(Reason::UnknownSymbol)?,
        side,
        price: optional(said.price)?,
        quantity: Quantity::Lots(number(said.size.ok_or(Reason::MissingParameter)?)?),
        force: said.force.and_then(Force::of).unwrap_or(Force::Gtc),
        pos,
        effect,
        reduce_only: said.reduce_only == Some(&ReduceOnly::Yes),
        prevention: said.prevention.and_then(Prevention::of).unwrap_or(Prevention::Off),
        client: said.client.map(Into::into),
        margin: Margin::of(said.margin).unwrap_or(Margin::Crossed),
        borrows: Borrowing::Never,
        adjusts_price: false,
        presets: Presets { take_profit: preset(take_price, take_limit)?, stop_loss: preset(stop_price, stop_limit)? }
            .boxed(),
        source: Source::Api,
    };
    at.core.place(ticket)
}

impl Serve for PlaceOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderAck, Refusal> {
        let limit = match &self.execution {
            Execution::Limit(limit) => Some(limit),
            _ => None,
        };
        let said = Said {
            line: self.product_type.as_str(),
            symbol: self.symbol.as_str(),
            margin: self.margin_mode.as_str(),
            size: Some(&self.size),
            price: limit.map(|limit| &limit.price),
            side: Some(self.side.as_str()),
            trade_side: self.trade_side.as_ref(),
            force: limit.map(|limit| limit.force.as_str()),
            reduce_only: self.reduce_only.as_ref(),
            client: self.client_oid.as_ref().map(|id| id.as_str()),
            prevention: self.stp_mode.as_ref().map(|mode| mode.as_str()),
            presets: [
                self.preset_stop_surplus_price.as_ref(),
                self.preset_stop_loss_price.as_ref(),
                self.preset_stop_surplus_execute_price.as_ref(),
                self.preset_stop_loss_execute_price.as_ref(),
            ],
        };
        let placed = place(&said, at).map_err(|reason| at.refusal(reason))?;
        let is_one_way = at.core.accounts[at.account].mode == Mode::OneWay;
        let mut ack = OrderAck::default();
        // Only reduce-only orders replace silently; in hedge mode the document says nothing of the answer.
        ack.order_id = (!(placed.replaced && is_one_way)).then(|| placed.id.to_string().into());
        ack.client_oid = self.client_oid;
        Ok(ack)
    }
}

impl Serve for BatchOrder {
    const ITEMS_FAIL_ALONE: bool = true;

    fn serve(self, at: &mut Desk<'_>) -> Result<BatchPlaceOutcome, Refusal> {
        let mut outcome = BatchPlaceOutcome::default();
        for (index, item) in self.order_list.iter().enumerate() {
            let placed = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => place(&said_by(&self, item), at).map_err(|reason| at.refusal(reason)),
            };
            match placed {
                Ok(placed) => {
                    let mut success = BatchSuccess::default();
                    success.order_id = Some(placed.id.to_string().into());
                    success.client_oid.clone_from(&item.client_oid);
                    outcome.success_list.items.push(success);
                }
                Err(refusal) => {
                    let mut failure = BatchPlaceFailure::default();
                    failure.client_oid.clone_from(&item.client_oid);
                    (failure.error_code, failure.error_msg) = (Some(refusal.code), Some(refusal.message));
                    outcome.failure_list.items.push(failure);
                }
            }
        }
        outcome.result = Some(outcome.failure_list.is_empty());
        Ok(outcome)
    }
}

fn said_by<'a>(batch: &'a BatchOrder, item: &'a BatchOrderItem) -> Said<'a> {
    let is_limit = item.order_type == Some(OrderType::Limit);
    Said {
        line: batch.product_type.as_str(),
        symbol: batch.symbol.as_str(),
        margin: batch.margin_mode.as_str(),
        size: item.size.as_ref(),
        price: item.price.as_ref().filter(|_| is_limit),
        side: item.side.as_ref().map(|side| side.as_str()),
        trade_side: item.trade_side.as_ref(),
        force: item.force.as_ref().map(|force| force.as_str()),
        reduce_only: item.reduce_only.as_ref(),
        client: item.client_oid.as_ref().map(|id| id.as_str()),
        prevention: item.stp_mode.as_ref().map(|mode| mode.as_str()),
        presets: [item.preset_stop_surplus_price.as_ref(), item.preset_stop_loss_price.as_ref(), None, None],
    }
}

impl Serve for Reversal {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let id = reverse(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids_of(id, self.client_oid.as_ref().map(|id| id.as_str())))
    }
}

/// Closes a position and opens as much on the other side. Returns the id of the order that opens.
fn reverse(request: &Reversal, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let account = at.account;
    let line = Line::of(request.product_type.as_str()).ok_or(Reason::Parameter)?;
    let index = at.core.pair(Family::Classic, line, request.symbol.as_str()).ok_or(Reason::UnknownSymbol)?;
    let is_hedged = at.core.accounts[account].mode == Mode::Hedge;
    let is_buy = request.side.as_str() == Side::Buy.as_str();
    let (closed, opened) = match (is_hedged, is_buy) {
        (false, _) => (Pos::Net, Pos::Net),
        (true, true) => (Pos::Long, Pos::Short),
        (true, false) => (Pos::Short, Pos::Long),
    };
    let position = at.core.accounts[account].position(index, closed);
    if position.lots == 0 {
        return Err(Reason::NoPosition);
    }
    let lots = match &request.size {
        None => position.lots,
        Some(size) => at.core.pairs[index].lots(number(size)?).ok_or(Reason::SizeStep)?.min(position.lots),
    };
    let client = request.client_oid.as_ref().map(|id| Arc::from(id.as_str()));
    let is_used = client.as_ref().is_some_and(|client| at.core.accounts[account].clients.contains_key(client));
    if is_used && at.core.settings.unique_client_ids {
        return Err(Reason::Duplicate);
    }
    at.core.close_position(account, index, closed, lots, Source::Reversal)?;
    let side = position.side.opposite();
    if at.core.ends_half_done() {
        let qty = at.core.pairs[index].qty(lots);
        return Err(half_done(at, client.as_deref(), None, qty));
    }
    let ticket = at.core.market_ticket(account, index, side, opened, lots, Source::Reversal);
    at.core.place(Ticket { client, margin: position.mode, ..ticket }).map(|placed| placed.id)
}

/// A request ends here on purpose, with nothing but the first of two things done.
fn half_done(at: &mut Desk<'_>, client: Option<&str>, price: Option<Decimal>, qty: Decimal) -> Reason {
    let unplaced = Some(Unplaced { client_id: client.map(str::to_owned), price, qty });
    at.core.tell(Event::DoneHalf { order: None, request_id: None, unplaced });
    Reason::Funds
}

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let id = modify(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids_of(id, Some(self.new_client_oid.as_str())))
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let order = named(at, &request.order, request.product_type.as_str(), Some(request.symbol.as_str()))?;
    let id = order.id;
    if order.state != State::Live || order.ticks.is_none() {
        return Err(Reason::NotModifiable);
    }
    match (optional(request.new_size.as_ref())?, optional(request.new_price.as_ref())?) {
        (Some(size), Some(price)) => {
            let new = Arc::from(request.new_client_oid.as_str());
            if at.core.accounts[at.account].clients.contains_key(&new) && at.core.settings.unique_client_ids {
                return Err(Reason::Duplicate);
            }
            let order = at.core.orders.get(&id).ok_or(Reason::NoSuchOrder)?;
            let pair = &at.core.pairs[order.ticket.pair];
            pair.ticks(price).ok_or(Reason::PriceStep)?;
            if pair.lots(size).ok_or(Reason::SizeStep)? < pair.least {
                return Err(Reason::SizeLeast);
            }
            let ticket = Ticket {
                price: Some(price),
                quantity: Quantity::Lots(size),
                client: Some(new),
                source: Source::Modification,
                ..order.ticket.clone()
            };
            at.core.end(id, State::Cancelled(Cancelled::Normal));
            if at.core.ends_half_done() {
                return Err(half_done(at, ticket.client.as_deref(), Some(price), size));
            }
            at.core.later(at.core.settings.replacement_delay, Task::Place(Box::new(ticket)));
        }
        (None, None) => {
            let presets = [&request.new_preset_stop_surplus_price, &request.new_preset_stop_loss_price];
            if presets.iter().all(|edit| **edit == Edit::Keep) {
                return Err(Reason::ModifyUnchanged);
            }
            // Passing one cancels the other, so what is kept beside another is gone.
            let edited = |edit: &Edit<tradeapi::Decimal>| -> Result<Preset, Reason> {
                let price = match edit {
                    Edit::Set(price) => Some(number(price)?),
                    _ => None,
                };
                Ok(Preset { price, ..Preset::default() })
            };
            let [take_profit, stop_loss] = [edited(presets[0])?, edited(presets[1])?];
            let now = at.core.now;
            if let Some(order) = at.core.orders.get_mut(&id) {
                (order.ticket.presets, order.updated) = (Presets { take_profit, stop_loss }.boxed(), now);
            }
        }
        _ => return Err(Reason::Parameter),
    }
    Ok(id)
}

/// The order that a request names, in the line and the pair that it says.
fn named<'a>(at: &'a Desk<'_>, order: &OrderRef, line: &str, symbol: Option<&str>) -> Result<&'a Order, Reason> {
    let wanted = Wanted { line: Some(line), symbol };
    let order = at.core.find(at.account, &Name::from(order)).filter(|order| wanted.is(at.core, order));
    order.ok_or(Reason::NoSuchOrder)
}

fn cancel(at: &mut Desk<'_>, order: &OrderRef, line: &str, symbol: Option<&str>) -> Result<OrderIds, Reason> {
    let found = named(at, order, line, symbol)?;
    let ids = ids_of(found.id, found.client());
    at.core.cancel(at.account, &Name::from(order))?;
    Ok(ids)
}

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let (line, symbol) = (self.product_type.as_str(), Some(self.symbol.as_str()));
        cancel(at, &self.order, line, symbol).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for BatchCancel {
    fn serve(self, at: &mut Desk<'_>) -> Result<BatchCancelOutcome, Refusal> {
        let line = self.product_type.as_str();
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let mut outcome = BatchCancelOutcome::default();
        let Some(list) = &self.order_id_list else {
            for id in open_orders(at, line, symbol, self.margin_coin.as_ref().map(|coin| coin.as_str())) {
                outcome.success_list.items.push(cancelled(at, id));
            }
            return Ok(outcome);
        };
        for (index, item) in list.iter().enumerate() {
            // The orderId wins.
            let order = match (&item.order_id, &item.client_oid) {
                (Some(id), _) => Some(OrderRef::OrderId(id.clone())),
                (None, Some(id)) => Some(OrderRef::ClientOid(id.clone())),
                (None, None) => None,
            };
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => order
                    .ok_or(Reason::MissingParameter)
                    .and_then(|order| cancel(at, &order, line, symbol))
                    .map_err(|reason| {
                        let reason = if reason == Reason::NoSuchOrder { Reason::NoSuchItem } else { reason };
                        at.refusal(reason)
                    }),
            };
            match done {
                Ok(ids) => {
                    let mut success = BatchSuccess::default();
                    (success.order_id, success.client_oid) = (ids.order_id, ids.client_oid);
                    outcome.success_list.items.push(success);
                }
                Err(refusal) => {
                    let mut failure = CancelFailure::default();
                    failure.order_id.clone_from(&item.order_id);
                    failure.client_oid.clone_from(&item.client_oid);
                    (failure.error_code, failure.error_msg) = (Some(refusal.code), Some(refusal.message));
                    outcome.failure_list.items.push(failure);
                }
            }
        }
        Ok(outcome)
    }
}

impl Serve for CancelAllOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<CancelAllOutcome, Refusal> {
        let expiry = self.request_time.zip(self.receive_window);
        if expiry.is_some_and(|(time, window)| time.as_millis().saturating_add(window) < at.core.now) {
            return Err(at.refusal(Reason::Expired));
        }
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        let mut outcome = CancelAllOutcome::default();
        // Every waiting order can be cancelled, so nothing fails.
        outcome.failure_list = Vec::<CancelAllFailure>::new().into();
        for id in open_orders(at, self.product_type.as_str(), None, coin) {
            outcome.success_list.items.push(cancelled(at, id));
        }
        Ok(outcome)
    }
}

/// The ids of the orders that wait in a line, in a pair, with a margin coin.
fn open_orders(at: &Desk<'_>, line: &str, symbol: Option<&str>, coin: Option<&str>) -> Vec<u64> {
    let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
    let is_meant = |order: &&Order| {
        let pair = &at.core.pairs[order.ticket.pair];
        order.ticket.line.as_str() == line
            && symbol.is_none_or(|symbol| pair.symbol == symbol)
            && coin.is_none_or(|coin| pair.settle() == coin)
    };
    open.filter(is_meant).map(|order| order.id).collect()
}

fn cancelled(at: &mut Desk<'_>, id: u64) -> BatchSuccess {
    at.core.end_by(id, State::Cancelled(Cancelled::Normal), true);
    let mut success = BatchSuccess::default();
    success.order_id = Some(id.to_string().into());
    success.client_oid = at.core.orders.get(&id).and_then(Order::client).map(Into::into);
    success
}

impl Serve for FlashClosePosition {
    fn serve(self, at: &mut Desk<'_>) -> Result<CloseOutcome, Refusal> {
        let is_hedged = at.core.accounts[at.account].mode == Mode::Hedge;
        let hold_side = self.hold_side.as_ref().filter(|_| is_hedged).map(|side| side.as_str());
        let positions = at.core.accounts[at.account].positions.iter().filter(|((index, pos), _)| {
            let pair = &at.core.pairs[*index];
            pair.line.as_str() == self.product_type.as_str()
                && self.symbol.as_ref().is_none_or(|symbol| pair.symbol == symbol.as_str())
                && hold_side.is_none_or(|side| pos.as_str() == side)
        });
        let positions: Vec<_> = positions.map(|(key, position)| (*key, position.lots)).collect();
        if positions.is_empty() {
            return Err(at.refusal(Reason::NoPosition));
        }
        let mut outcome = CloseOutcome::default();
        for ((index, pos), lots) in positions {
            let symbol = Some(at.core.pairs[index].symbol.into());
            match at.core.close_position(at.account, index, pos, lots, Source::Close) {
                Ok(id) => {
                    let mut closed = ClosedPosition::default();
                    (closed.order_id, closed.symbol) = (Some(id.to_string().into()), symbol);
                    outcome.success_list.items.push(closed);
                }
                Err(reason) => {
                    let refusal = at.refusal(reason);
                    let mut failure = CloseFailure::default();
                    failure.symbol = symbol;
                    (failure.error_code, failure.error_msg) = (Some(refusal.code), Some(refusal.message));
                    outcome.failure_list.items.push(failure);
                }
            }
        }
        Ok(outcome)
    }
}

impl Serve for GetOrderDetail {
    fn serve(self, at: &mut Desk<'_>) -> Result<Record, Refusal> {
        let wanted = Wanted { line: Some(self.product_type.as_str()), symbol: Some(self.symbol.as_str()) };
        let order = at.shown(&Name::from(&self.order)).filter(|order| wanted.is(at.core, order));
        order.map(|order| record(at.core, &order)).ok_or_else(|| at.refusal(Reason::NoSuchOrder))
    }
}

impl Serve for GetPendingOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPendingOrdersPage, Refusal> {
        let status = self.status.as_ref().unwrap_or(&OrderState::Live);
        let is_meant = |order: &Order| is_named(order, self.order.as_ref()) && state(order) == *status;
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let found = at.orders(Kind::Open, &query, is_meant, pending);
        let mut answer = GetPendingOrdersPage::default();
        (answer.end_id, answer.entrusted_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetHistoryOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetHistoryOrderPage, Refusal> {
        let is_from = |order: &Order| self.order_source.as_ref().is_none_or(|wanted| wanted.as_str() == source(order));
        let is_meant = |order: &Order| is_named(order, self.order.as_ref()) && is_from(order);
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let found = at.orders(Kind::Closed, &query, is_meant, historical);
        let mut answer = GetHistoryOrderPage::default();
        (answer.end_id, answer.entrusted_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

fn is_named(order: &Order, named: Option<&OrderRef>) -> bool {
    named.is_none_or(|named| match Name::from(named) {
        Name::Id(id) => order.id.to_string() == id,
        Name::Client(id) => order.client() == Some(&id),
    })
}

impl Serve for GetOrderFillDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOrderFillDetailsPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let mode = at.core.accounts[at.account].mode;
        let record = |core: &Core, fill: &orders::Fill| fill_record(core, fill, mode);
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), record);
        let mut answer = GetOrderFillDetailsPage::default();
        (answer.end_id, answer.fill_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetHistoricalTransactionDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetHistoricalTransactionDetailsPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let mode = at.core.accounts[at.account].mode;
        let with_coin = |core: &Core, fill: &orders::Fill| {
            let mut record = fill_record(core, fill, mode);
            record.margin_coin = Some(core.pairs[fill.pair].settle().into());
            record
        };
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), with_coin);
        let mut answer = GetHistoricalTransactionDetailsPage::default();
        (answer.end_id, answer.fill_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

/// The side as the family says it: in hedge mode that of the position.
fn shown_side(side: Side, pos: Pos) -> Side {
    if pos == Pos::Net { side } else { pos.opening_side() }
}

fn trade_side(side: Side, pos: Pos, effect: Effect) -> &'static str {
    match (pos, side) {
        (Pos::Net, Side::Buy) => "buy_single",
        (Pos::Net, Side::Sell) => "sell_single",
        _ => effect.as_str(),
    }
}

fn fill_record(core: &Core, fill: &orders::Fill, mode: Mode) -> Fill {
    let pair = &core.pairs[fill.pair];
    let mut fee = FeeDetail::default();
    (fee.deduction, fee.fee_coin) = (Some(YesNo::No), Some(fill.fee_coin.into()));
    (fee.total_deduction_fee, fee.total_fee) = (Some(0.into()), Some(wire(-fill.fee)));
    let mut record = Fill::default();
    record.trade_id = Some(fill.id.to_string().into());
    record.symbol = Some(pair.symbol.into());
    record.order_id = Some(fill.order.to_string().into());
    record.price = Some(wire(pair.price(fill.ticks)));
    record.base_volume = Some(wire(pair.base_qty(fill.ticks, fill.lots)));
    record.fee_detail = vec![fee].into();
    record.side = shown_side(fill.side, fill.pos).as_str().parse().ok();
    record.quote_volume = Some(wire(pair.value(fill.ticks, fill.lots)));
    record.profit = Some(wire(fill.profit));
    record.enter_point_source = "API".parse().ok();
    record.trade_side = trade_side(fill.side, fill.pos, fill.effect).parse().ok();
    record.pos_mode = mode.as_str().parse().ok();
    record.trade_scope = if fill.is_taker { "taker".parse().ok() } else { None };
    record.c_time = Some(Timestamp::from_millis(fill.at));
    record
}

fn state(order: &Order) -> OrderState {
    match order.state {
        State::Live => OrderState::Live,
        State::PartlyFilled => OrderState::PartiallyFilled,
        State::Filled => OrderState::Filled,
        State::Cancelled(_) => OrderState::Canceled,
    }
}

fn source(order: &Order) -> &'static str {
    match (order.ticket.source, order.ticks) {
        (Source::Api, Some(_)) => "normal",
        (Source::Api | Source::Close, _) => "market",
        (Source::Reversal, _) => "reverse",
        (Source::Modification, _) => "modify_order_limit",
        (Source::TakeProfit, Some(_)) => "pos_profit_limit",
        (Source::TakeProfit, None) => "pos_profit_market",
        (Source::StopLoss, Some(_)) => "pos_loss_limit",
        (Source::StopLoss, None) => "pos_loss_market",
        (Source::Liquidation, _) => "liquidation",
    }
}

/// Fills in the fields that the three forms of an order have in common.
macro_rules! common {
    ($record:ident, $core:expr, $order:expr) => {{
        let (order, pair, ticket) = ($order, &$core.pairs[$order.ticket.pair], &$order.ticket);
        $record.symbol = Some(pair.symbol.into());
        $record.size = Some(wire(pair.qty(order.lots)));
        $record.order_id = Some(order.id.to_string().into());
        $record.client_oid = order.client().map(Into::into);
        $record.base_volume = Some(wire(pair.qty(order.filled)));
        $record.fee = Some(wire(-order.fee));
        $record.price = order.ticks.map(|ticks| wire(pair.price(ticks)));
        $record.price_avg = Some(wire(quotient(order.value, pair.qty(order.filled))));
        $record.side = shown_side(ticket.side, ticket.pos).as_str().parse().ok();
        let force = if order.ticks.is_some() { ticket.force } else { Force::Ioc };
        $record.force = force.as_str().parse().ok();
        $record.total_profits = Some(wire(order.profit));
        $record.pos_side = ticket.pos.as_str().parse().ok();
        $record.margin_coin = Some(pair.settle().into());
        $record.quote_volume = Some(wire(order.value));
        $record.leverage = Some(pair.leverage.into());
        $record.margin_mode = ticket.margin.as_str().parse().ok();
        $record.enter_point_source = "API".parse().ok();
        $record.trade_side = trade_side(ticket.side, ticket.pos, ticket.effect).parse().ok();
        $record.pos_mode = $core.accounts[ticket.account].mode.as_str().parse().ok();
        $record.order_type = Some(if order.ticks.is_some() { OrderType::Limit } else { OrderType::Market });
        $record.order_source = source(order).parse().ok();
        $record.c_time = Some(Timestamp::from_millis(order.created));
        $record.u_time = Some(Timestamp::from_millis(order.updated));
        let presets = ticket.presets();
        $record.preset_stop_surplus_price = presets.take_profit.price.map(wire);
        $record.preset_stop_loss_price = presets.stop_loss.price.map(wire);
    }};
}

/// An order as Get Order Detail shows it.
fn record(core: &Core, order: &Order) -> Record {
    let mut record = Record::default();
    common!(record, core, order);
    let trigger = |preset: &Preset| preset.price.and_then(|_| "fill_price".parse().ok());
    let Presets { take_profit, stop_loss } = &order.ticket.presets();
    record.state = Some(state(order));
    record.preset_stop_surplus_type = trigger(take_profit);
    record.preset_stop_surplus_execute_price = take_profit.limit_price.map(wire);
    record.preset_stop_loss_type = trigger(stop_loss);
    record.preset_stop_loss_execute_price = stop_loss.limit_price.map(wire);
    record.reduce_only = Some(order.ticket.reduce_only.into());
    record.cancel_reason = match order.state {
        State::Cancelled(reason) => reason.as_str().parse().ok(),
        _ => None,
    };
    record
}

/// An order as Get Pending Orders lists it.
fn pending(core: &Core, order: &Order) -> PendingOrder {
    let mut record = PendingOrder::default();
    common!(record, core, order);
    let trigger = |preset: &Preset| preset.price.and_then(|_| "fill_price".parse().ok());
    let Presets { take_profit, stop_loss } = &order.ticket.presets();
    record.status = Some(state(order));
    record.preset_stop_surplus_trigger_type = trigger(take_profit);
    record.preset_stop_surplus_execute_price = take_profit.limit_price.map(wire);
    record.preset_stop_loss_trigger_type = trigger(stop_loss);
    record.preset_stop_loss_execute_price = stop_loss.limit_price.map(wire);
    record
}

/// An order as Get History Order lists it.
fn historical(core: &Core, order: &Order) -> HistoryOrder {
    let mut record = HistoryOrder::default();
    common!(record, core, order);
    record.status = Some(state(order));
    record.reduce_only = Some(order.ticket.reduce_only.into());
    let position = core.accounts[order.ticket.account].position(order.ticket.pair, order.ticket.pos);
    let pair = &core.pairs[order.ticket.pair];
    record.pos_avg = (position.lots > 0).then(|| wire(quotient(position.cost, pair.qty(position.lots))));
    record
}
