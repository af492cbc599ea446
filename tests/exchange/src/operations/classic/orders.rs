//! Orders of the classic account: placed alone and in batches, modified, which replaces an open order or changes its
//! presets, and cancelled; and positions, reversed and closed.

use std::sync::Arc;

use rust_decimal::Decimal;
use tradeapi::Edit;
use tradeapi::classic::{
    BatchCancel, BatchCancelItem, BatchCancelOutcome, BatchOrder, BatchOrderItem, BatchPlaceFailure, BatchPlaceOutcome,
    BatchSuccess, CancelAllFailure, CancelAllOrders, CancelAllOutcome, CancelFailure, CancelOrder, CloseFailure,
    CloseOutcome, ClosedPosition, Execution, FlashClosePosition, ModifyOrder, OrderAck, OrderIds, OrderRef, OrderType,
    PlaceOrder, ReduceOnly, Reversal, TradeSide,
};

use super::{half_done, ids_of};
use crate::engine::placing::Placed;
use crate::operations::reading::{Wanted, number, optional};
use crate::operations::routes::{Desk, Serve};
use crate::state::core::{Core, Task};
use crate::state::orders::{
    Borrowing, CLASSIC_PRESETS as PRESETS, Name, Order, Preset, Presets, Quantity, Source, State, Ticket,
};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::{Cancelled, Effect, Force, Line, Margin, Mode, PositionSide, Prevention, Side};

/// The milliseconds that a receiveWindow stays below, by the text of code 40079.
const RECEIVE_WINDOW_BELOW: u64 = 60_000;

/// Returns the requested trade by the position mode: the side in the book, the position, and whether it is opened or
/// closed.
fn direction(core: &Core, account: usize, side: Side, effect: Option<Effect>) -> (Side, PositionSide, Effect) {
    match core.accounts[account].mode {
        Mode::OneWay => (side, PositionSide::Net, Effect::Open),
        Mode::Hedge => {
            let pos = if side == Side::Buy { PositionSide::Long } else { PositionSide::Short };
            let effect = effect.unwrap_or(Effect::Open);
            (if effect == Effect::Open { side } else { side.opposite() }, pos, effect)
        }
    }
}

/// The parameters that both placing operations share.
struct PlacementParameters<'a> {
    line: &'a str,
    symbol: &'a str,
    coin: &'a str,
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

fn place(parameters: &PlacementParameters<'_>, at: &mut Desk<'_>) -> Result<Placed, Reason> {
    let [take_price, stop_price, take_limit, stop_limit] = parameters.presets;
    let preset = |[name, limit]: [&'static str; 2], price, limit_price: Option<_>| -> Result<Preset, Reason> {
        let limit_price = optional(limit, limit_price)?;
        Ok(Preset { price: optional(name, price)?, by_mark: false, is_limit: Some(limit_price.is_some()), limit_price })
    };
    let [take, stop] = PRESETS;
    let side = parameters.side.and_then(Side::of).ok_or(missing("side"))?;
    let effect = parameters.trade_side.and_then(|side| Effect::of(side.as_str()));
    let (side, pos, effect) = direction(at.core, at.account, side, effect);
    let line = Line::of(parameters.line).ok_or(Reason::Parameter)?;
    let ticket = Ticket {
        account: at.account,
        line,
        pair: at.contract(parameters.line, parameters.symbol, parameters.coin)?,
        side,
        price: optional("price", parameters.price)?,
        quantity: Quantity::Lots(number("size", parameters.size.ok_or(missing("size"))?)?),
        force: parameters.force.and_then(Force::of).unwrap_or(Force::Gtc),
        pos,
        effect,
        reduce_only: parameters.reduce_only == Some(&ReduceOnly::Yes),
        prevention: parameters.prevention.and_then(Prevention::of).unwrap_or(Prevention::Off),
        client: parameters.client.map(Into::into),
        margin: Margin::of(parameters.margin).unwrap_or(Margin::Crossed),
        borrows: Borrowing::Never,
        adjusts_price: false,
        presets: Presets {
            take_profit: preset(take, take_price, take_limit)?,
            stop_loss: preset(stop, stop_price, stop_limit)?,
        }
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
        let parameters = PlacementParameters {
            line: self.product_type.as_str(),
            symbol: self.symbol.as_str(),
            coin: self.margin_coin.as_str(),
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
        let placed = place(&parameters, at).map_err(|reason| at.refusal(reason))?;
        let is_one_way = at.core.accounts[at.account].mode == Mode::OneWay;
        let mut ack = OrderAck::default();
        // The document announces replacement only by reduce-only orders, and leaves the answer in hedge mode open.
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

fn said_by<'a>(batch: &'a BatchOrder, item: &'a BatchOrderItem) -> PlacementParameters<'a> {
    let is_limit = item.order_type == Some(OrderType::Limit);
    PlacementParameters {
        line: batch.product_type.as_str(),
        symbol: batch.symbol.as_str(),
        coin: batch.margin_coin.as_str(),
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

impl Serve for ModifyOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        modify(&self, at).map_err(|reason| at.refusal(reason))
    }
}

fn modify(request: &ModifyOrder, at: &mut Desk<'_>) -> Result<OrderIds, Reason> {
    let wanted = Wanted::of(request.product_type.as_str(), request.symbol.as_str());
    let order = at.named(&Name::from(&request.order), wanted)?;
    if order.state != State::Live || order.ticks.is_none() {
        return Err(Reason::NotModifiable);
    }
    let (id, ticket) = (order.id, order.ticket.clone());
    if at.core.pairs[ticket.pair].suspended {
        return Err(Reason::Suspended);
    }
    match (optional("newSize", request.new_size.as_ref())?, optional("newPrice", request.new_price.as_ref())?) {
        (Some(size), Some(price)) => {
            let client = request.new_client_oid.as_str();
            replace(at, id, Ticket { client: Some(client.into()), ..ticket }, size, price)?;
            Ok(ids_of(id, Some(client)))
        }
        (None, None) => {
            change_presets(request, at, id, &ticket)?;
            // The order stays, and with it its clientOid.
            Ok(ids_of(id, ticket.client.as_deref()))
        }
        _ => Err(Reason::value(["newSize", "required"], "it goes with newPrice")),
    }
}

/// Cancels an order, and places one of another size and price later, unless these are refused now.
fn replace(at: &mut Desk<'_>, old: u64, ticket: Ticket, size: Decimal, price: Decimal) -> Result<(), Reason> {
    let (quantity, source) = (Quantity::Lots(size), Source::Modification);
    let ticket = Ticket { price: Some(price), quantity, source, ..ticket };
    at.core.refuse_duplicate(&ticket)?;
    at.core.bounded(&ticket)?;
    at.core.end(old, State::Cancelled(Cancelled::Normal));
    if at.core.ends_half_done() {
        return Err(half_done(at, ticket.client.as_deref(), Some(price), size));
    }
    at.core.later(at.core.settings.replacement_delay, Task::Place(Box::new(ticket)));
    Ok(())
}

fn change_presets(request: &ModifyOrder, at: &mut Desk<'_>, id: u64, ticket: &Ticket) -> Result<(), Reason> {
    let new = [&request.new_preset_stop_surplus_price, &request.new_preset_stop_loss_price];
    if new.iter().all(|edit| **edit == Edit::Keep) {
        return Err(Reason::ModifyUnchanged);
    }
    // Passing one preset cancels the other. A changed one keeps its execution price.
    let edited = |parameter, edit: &Edit<tradeapi::Decimal>, kept: Preset| -> Result<Preset, Reason> {
        match edit {
            Edit::Set(price) => Ok(Preset { price: Some(number(parameter, price)?), ..kept }),
            _ => Ok(Preset::default()),
        }
    };
    let kept = ticket.presets();
    let presets = Presets {
        take_profit: edited("newPresetStopSurplusPrice", new[0], kept.take_profit)?,
        stop_loss: edited("newPresetStopLossPrice", new[1], kept.stop_loss)?,
    };
    let [[_, profit_limit], [_, loss_limit]] = PRESETS;
    let names = [["newPresetStopSurplusPrice", profit_limit], ["newPresetStopLossPrice", loss_limit]];
    at.core.check_presets(names, ticket.pair, &presets)?;
    let now = at.core.now;
    if let Some(order) = at.core.orders.get_mut(&id) {
        (order.ticket.presets, order.updated) = (presets.boxed(), now);
    }
    Ok(())
}

fn cancel(at: &mut Desk<'_>, order: &OrderRef, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    let found = at.named(&Name::from(order), wanted)?;
    let (id, ids) = (found.id, ids_of(found.id, found.client()));
    at.core.cancel(id)?;
    Ok(ids)
}

fn cancel_item(at: &mut Desk<'_>, item: &BatchCancelItem, wanted: Wanted<'_>) -> Result<OrderIds, Reason> {
    // The orderId takes precedence.
    let order = match (&item.order_id, &item.client_oid) {
        (Some(id), _) => OrderRef::OrderId(id.clone()),
        (None, Some(id)) => OrderRef::ClientOid(id.clone()),
        (None, None) => return Err(missing("orderId")),
    };
    cancel(at, &order, wanted).map_err(|reason| match reason {
        Reason::NoSuchOrder => Reason::NoSuchItem,
        reason => reason,
    })
}

impl Serve for CancelOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        let wanted = Wanted { coin, ..Wanted::of(self.product_type.as_str(), self.symbol.as_str()) };
        cancel(at, &self.order, wanted).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for BatchCancel {
    fn serve(self, at: &mut Desk<'_>) -> Result<BatchCancelOutcome, Refusal> {
        let wanted = Wanted {
            line: Some(self.product_type.as_str()),
            symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()),
            coin: self.margin_coin.as_ref().map(|coin| coin.as_str()),
        };
        let mut outcome = BatchCancelOutcome::default();
        let Some(list) = &self.order_id_list else {
            for id in open_orders(at, wanted) {
                outcome.success_list.items.push(cancelled(at, id));
            }
            return Ok(outcome);
        };
        for (index, item) in list.iter().enumerate() {
            let done = match at.refused_item(index) {
                Some(refusal) => Err(refusal),
                None => cancel_item(at, item, wanted).map_err(|reason| at.refusal(reason)),
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
    // Clients that send it mean to cancel the orders of one pair; ignoring it would cancel more than was asked.
    const TAKES: &[&str] = &["symbol"];

    fn serve(self, at: &mut Desk<'_>) -> Result<CancelAllOutcome, Refusal> {
        if self.receive_window.is_some_and(|window| window >= RECEIVE_WINDOW_BELOW) {
            let why = "less than 60000, which are milliseconds, is needed";
            return Err(at.refusal_of(Reason::ReceiveWindow, ["receiveWindow", "max"], why));
        }
        let expiry = self.request_time.zip(self.receive_window);
        if expiry.is_some_and(|(time, window)| time.as_millis().saturating_add(window) < at.core.now) {
            return Err(at.refusal(Reason::Expired));
        }
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        let wanted = Wanted { line: Some(self.product_type.as_str()), symbol: at.symbol, coin };
        let mut outcome = CancelAllOutcome::default();
        // Every open order can be cancelled, so nothing fails.
        outcome.failure_list = Vec::<CancelAllFailure>::new().into();
        for id in open_orders(at, wanted) {
            outcome.success_list.items.push(cancelled(at, id));
        }
        Ok(outcome)
    }
}

/// Returns the ids of the open orders that a request is about.
fn open_orders(at: &Desk<'_>, wanted: Wanted<'_>) -> Vec<u64> {
    let open = at.core.accounts[at.account].open.iter().filter_map(|id| at.core.orders.get(id));
    open.filter(|order| wanted.is(at.core, order)).map(|order| order.id).collect()
}

fn cancelled(at: &mut Desk<'_>, id: u64) -> BatchSuccess {
    at.core.end_by(id, State::Cancelled(Cancelled::Normal), true);
    let mut success = BatchSuccess::default();
    success.order_id = Some(id.to_string().into());
    success.client_oid = at.core.orders.get(&id).and_then(Order::client).map(Into::into);
    success
}

impl Serve for Reversal {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderIds, Refusal> {
        let id = reverse(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(ids_of(id, self.client_oid.as_ref().map(|id| id.as_str())))
    }
}

/// Closes a position and opens the same size on the other side. Returns the id of the opening order.
fn reverse(request: &Reversal, at: &mut Desk<'_>) -> Result<u64, Reason> {
    let account = at.account;
    let index = at.contract(request.product_type.as_str(), request.symbol.as_str(), request.margin_coin.as_str())?;
    let is_hedged = at.core.accounts[account].mode == Mode::Hedge;
    let is_buy = request.side.as_str() == Side::Buy.as_str();
    let (closed, opened) = match (is_hedged, is_buy) {
        (false, _) => (PositionSide::Net, PositionSide::Net),
        (true, true) => (PositionSide::Long, PositionSide::Short),
        (true, false) => (PositionSide::Short, PositionSide::Long),
    };
    let position = at.core.accounts[account].position(index, closed);
    if position.lots == 0 {
        return Err(Reason::NoPosition);
    }
    let lots = match &request.size {
        None => position.lots,
        Some(size) => {
            let pair = &at.core.pairs[index];
            let refused = || Reason::bound(&Reason::SizeStep, "size", "a multiple of", pair.step);
            pair.lots(number("size", size)?).ok_or_else(refused)?.min(position.lots)
        }
    };
    let client = request.client_oid.as_ref().map(|id| Arc::from(id.as_str()));
    if at.core.is_used(account, client.as_deref()) && at.core.settings.unique_client_ids {
        return Err(Reason::Duplicate);
    }
    at.core.close_position(account, index, closed, lots, Source::Reversal)?;
    let side = position.side.opposite();
    if at.core.ends_half_done() {
        let qty = at.core.pairs[index].qty(lots);
        return Err(half_done(at, client.as_deref(), None, qty));
    }
    let ticket = at.core.market_ticket(account, index, side, opened, lots, Source::Reversal);
    // In hedge mode, there may be a position on the other side already, which keeps its margin mode.
    let held = at.core.accounts[account].positions.get(&(index, opened));
    let margin = held.map_or(position.mode, |held| held.mode);
    at.core.place(Ticket { client, margin, ..ticket }).map(|placed| placed.id)
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
