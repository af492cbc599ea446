//! Orders and fills as the classic account shows them.

use tradeapi::Timestamp;
use tradeapi::classic::{
    FeeDetail, Fill, HistoryOrder, Order as Record, OrderState, OrderType, PendingOrder, TradeScope, YesNo,
};

use crate::operations::reading::wire;
use crate::state::core::Core;
use crate::state::instruments::quotient;
use crate::state::orders::{self, Order, Preset, Presets, Source, State, Ticket};
use crate::state::words::{Effect, Force, Mode, PositionSide, Side};

/// Returns the side as the family states it: in hedge mode that of the position.
fn shown_side(side: Side, pos: PositionSide) -> Side {
    if pos == PositionSide::Net { side } else { pos.opening_side() }
}

fn trade_side(source: Source, side: Side, pos: PositionSide, effect: Effect) -> &'static str {
    match (source, pos, side) {
        (Source::Liquidation, PositionSide::Net, Side::Buy) => "burst_buy_single",
        (Source::Liquidation, PositionSide::Net, Side::Sell) => "burst_sell_single",
        (Source::Liquidation, PositionSide::Long, _) => "burst_close_long",
        (Source::Liquidation, PositionSide::Short, _) => "burst_close_short",
        (_, PositionSide::Net, Side::Buy) => "buy_single",
        (_, PositionSide::Net, Side::Sell) => "sell_single",
        _ => effect.as_str(),
    }
}

pub(super) fn fill_record(core: &Core, fill: &orders::Fill, mode: Mode) -> Fill {
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
    let source = core.orders.get(&fill.order).map_or(Source::Api, |order| order.ticket.source);
    record.enter_point_source = entry_point(source).parse().ok();
    record.trade_side = trade_side(source, fill.side, fill.pos, fill.effect).parse().ok();
    record.pos_mode = mode.as_str().parse().ok();
    record.trade_scope = Some(if fill.is_taker { TradeScope::Taker } else { TradeScope::Maker });
    record.created_time = Some(Timestamp::from_millis(fill.at));
    record
}

pub(super) fn state(order: &Order) -> OrderState {
    match order.state {
        State::Live => OrderState::Live,
        State::PartlyFilled => OrderState::PartiallyFilled,
        State::Filled => OrderState::Filled,
        State::Cancelled(_) => OrderState::Canceled,
    }
}

pub(super) fn source(order: &Order) -> &'static str {
    match (order.ticket.source, order.ticks) {
        (Source::Api, Some(_)) => "normal",
        (Source::Api | Source::Close, _) => "market",
        (Source::Reversal, _) => "reverse",
        (Source::Modification, _) => "modify_order_limit",
        (Source::TakeProfit, Some(_)) => "pos_profit_limit",
        (Source::TakeProfit, None) => "pos_profit_market",
        (Source::StopLoss, Some(_)) => "pos_loss_limit",
        (Source::StopLoss, None) => "pos_loss_market",
        (Source::Plan, Some(_)) => "plan_limit",
        (Source::Plan, None) => "plan_market",
        (Source::Liquidation, _) => "liquidation",
    }
}

const fn entry_point(source: Source) -> &'static str {
    match source {
        Source::Liquidation => "SYS",
        _ => "API",
    }
}

/// Returns whether an order only reduces a position. One that closes a side of a hedge does, too.
fn reduces(ticket: &Ticket) -> bool {
    ticket.reduce_only || (ticket.pos != PositionSide::Net && ticket.effect == Effect::Close)
}

/// Sets the fields that the three forms of an order share.
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
        $record.price_avg = (order.filled > 0).then(|| wire(quotient(order.value, pair.qty(order.filled))));
        $record.side = shown_side(ticket.side, ticket.pos).as_str().parse().ok();
        let force = if order.ticks.is_some() { ticket.force } else { Force::Ioc };
        $record.force = force.as_str().parse().ok();
        $record.total_profits = Some(wire(order.profit));
        $record.pos_side = ticket.pos.as_str().parse().ok();
        $record.margin_coin = Some(pair.settle().into());
        $record.quote_volume = Some(wire(order.value));
        let account = &$core.accounts[ticket.account];
        $record.leverage = Some(account.leverage(ticket.pair, ticket.pos, ticket.side).into());
        $record.margin_mode = ticket.margin.as_str().parse().ok();
        $record.enter_point_source = entry_point(ticket.source).parse().ok();
        $record.trade_side = trade_side(ticket.source, ticket.side, ticket.pos, ticket.effect).parse().ok();
        $record.pos_mode = $core.accounts[ticket.account].mode.as_str().parse().ok();
        $record.order_type = Some(if order.ticks.is_some() { OrderType::Limit } else { OrderType::Market });
        $record.order_source = source(order).parse().ok();
        $record.created_time = Some(Timestamp::from_millis(order.created));
        $record.updated_time = Some(Timestamp::from_millis(order.updated));
        let presets = ticket.presets();
        $record.preset_stop_surplus_price = presets.take_profit.price.map(wire);
        $record.preset_stop_loss_price = presets.stop_loss.price.map(wire);
    }};
}

/// Returns an order as Get Order Detail shows it.
pub(super) fn record(core: &Core, order: &Order) -> Record {
    let mut record = Record::default();
    common!(record, core, order);
    record.price_avg.get_or_insert(0.into());
    record.new_trade_side = Some(String::new());
    let trigger = |preset: &Preset| preset.price.and_then(|_| "fill_price".parse().ok());
    let Presets { take_profit, stop_loss } = &order.ticket.presets();
    record.state = Some(state(order));
    record.preset_stop_surplus_type = trigger(take_profit);
    record.preset_stop_surplus_execute_price = take_profit.limit_price.map(wire);
    record.preset_stop_loss_type = trigger(stop_loss);
    record.preset_stop_loss_execute_price = stop_loss.limit_price.map(wire);
    record.reduce_only = Some(reduces(&order.ticket).into());
    record.cancel_reason = match order.state {
        State::Cancelled(reason) => reason.as_str().parse().ok(),
        _ => None,
    };
    record
}

/// Returns an order as Get Pending Orders lists it.
pub(super) fn pending(core: &Core, order: &Order) -> PendingOrder {
    let mut record = PendingOrder::default();
    common!(record, core, order);
    let trigger = |preset: &Preset| preset.price.and_then(|_| "fill_price".parse().ok());
    let Presets { take_profit, stop_loss } = &order.ticket.presets();
    record.status = Some(state(order));
    record.preset_stop_surplus_trigger_type = trigger(take_profit);
    record.preset_stop_surplus_execute_price = take_profit.limit_price.map(wire);
    record.preset_stop_loss_trigger_type = trigger(stop_loss);
    record.preset_stop_loss_execute_price = stop_loss.limit_price.map(wire);
    record.reduce_only = Some(reduces(&order.ticket).into());
    record
}

/// Returns an order as Get History Order lists it.
pub(super) fn historical(core: &Core, order: &Order) -> HistoryOrder {
    let mut record = HistoryOrder::default();
    common!(record, core, order);
    record.price_avg.get_or_insert(0.into());
    record.status = Some(state(order));
    record.reduce_only = Some(reduces(&order.ticket).into());
    let (ticket, pair) = (&order.ticket, &core.pairs[order.ticket.pair]);
    let position = core.accounts[ticket.account].position(ticket.pair, ticket.pos);
    if position.lots > 0 {
        record.pos_avg = Some(wire(pair.entry_price(position.cost, position.lots)));
        let price = core.liquidation_price(ticket.pair, ticket.account, ticket.pos);
        record.liq_price = price.map(|price| wire(price.round_dp(pair.price_places())));
    }
    record
}
