//! Orders and fills as the unified account shows them.

use rust_decimal::Decimal;
use tradeapi::Timestamp;
use tradeapi::unified::{CancelReason, FeeDetail, Fill, OrderType, TradeScope, TriggerBy, YesNo};

use crate::operations::reading::wire;
use crate::state::core::Core;
use crate::state::instruments::{Contract, Instrument, quotient};
use crate::state::orders::{self, Order, Preset, Presets, Quantity, Source, State, Ticket};
use crate::state::words::{Force, Side};

pub(super) fn fill_record(core: &Core, fill: &orders::Fill) -> Fill {
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
    record.exec_value = Some(wire(pair.value(fill.ticks, fill.lots)));
    record.trade_scope = Some(if fill.is_taker { TradeScope::Taker } else { TradeScope::Maker });
    if pair.line.is_futures() {
        record.trade_side = Some(fill.effect.as_str().to_owned());
        record.pos_side = fill.pos.as_str().parse().ok();
    }
    record.is_retail_price_improvement = Some(YesNo::No);
    let mut fee = FeeDetail::default();
    (fee.fee_coin, fee.fee) = (Some(fill.fee_coin.into()), Some(wire(-fill.fee)));
    record.fee_detail = vec![fee].into();
    record.profit = Some(wire(fill.profit));
    record.created_time = Some(Timestamp::from_millis(fill.at));
    record.updated_time = Some(Timestamp::from_millis(fill.at));
    record
}

/// Returns an order as the family shows it.
pub(super) fn record(core: &Core, order: &Order) -> tradeapi::unified::Order {
    let (pair, ticket) = (&core.pairs[order.ticket.pair], &order.ticket);
    let mut record = tradeapi::unified::Order::default();
    record.order_id = Some(order.id.to_string().into());
    record.client_oid = order.client().and_then(|client| client.parse().ok());
    record.category = ticket.line.as_str().parse().ok();
    record.symbol = Some(pair.symbol.into());
    record.price = Some(wire(order.ticks.map_or(Decimal::ZERO, |ticks| pair.price(ticks))));
    (record.qty, record.amount) = (Some(wire(quantity(pair, order))), Some(wire(amount(pair, order))));
    record.order_type = Some(if order.ticks.is_some() { OrderType::Limit } else { OrderType::Market });
    record.cum_exec_qty = Some(wire(order.base));
    record.cum_exec_value = Some(wire(order.value));
    record.avg_price = Some(wire(quotient(order.value, order.base)));
    record.order_status = status(order.state).parse().ok();
    record.side = ticket.side.as_str().parse().ok();
    let force = if order.ticks.is_some() { ticket.force } else { Force::Ioc };
    record.time_in_force = force.as_str().parse().ok();
    record.stp_mode = ticket.prevention.as_str().parse().ok();
    if ticket.line.is_futures() {
        record.pos_side = ticket.pos.as_str().parse().ok();
        record.trade_side = ticket.effect.as_str().parse().ok();
        record.hold_mode = core.accounts[ticket.account].mode.as_str().parse().ok();
        record.margin_mode = ticket.margin.as_str().parse().ok();
    }
    record.reduce_only = Some(ticket.reduce_only.into());
    set_presets(&mut record, ticket);
    let mut fee = FeeDetail::default();
    let fee_coin = match (pair.contract, ticket.side) {
        (Contract::Spot, Side::Buy) => pair.base,
        _ => pair.settle(),
    };
    if order.filled > 0 {
        (fee.fee_coin, fee.fee) = (Some(fee_coin.into()), Some(wire(order.fee)));
    }
    record.fee_detail = vec![fee].into();
    record.delegate_type = delegate(ticket.source, order.ticks.is_some()).parse().ok();
    // The document lists no other reason, not even for the prevention of self-trades.
    record.cancel_reason = matches!(order.state, State::Cancelled(_)).then_some(CancelReason::NormalCancel);
    let is_liquidation = ticket.source == Source::Liquidation;
    record.exec_type = if is_liquidation { "liquidation" } else { "normal" }.parse().ok();
    record.created_time = Some(Timestamp::from_millis(order.created));
    record.updated_time = Some(Timestamp::from_millis(order.updated));
    record
}

/// Returns the quantity in the base coin. That of a market order in the quote coin is known as far as it is filled.
fn quantity(pair: &Instrument, order: &Order) -> Decimal {
    match order.ticks {
        None if pair.contract == Contract::InverseByQuote => order.base,
        ticks => pair.base_qty(ticks.unwrap_or(pair.opening), order.lots),
    }
}

/// Returns the amount of the quote coin, as far as it is known.
fn amount(pair: &Instrument, order: &Order) -> Decimal {
    match (order.ticket.quantity, order.ticks) {
        (Quantity::Amount(amount), _) => amount,
        _ if pair.contract == Contract::InverseByQuote => pair.qty(order.lots),
        (_, Some(ticks)) => pair.value(ticks, order.lots),
        (_, None) => Decimal::ZERO,
    }
}

fn status(state: State) -> &'static str {
    match state {
        State::Live => "live",
        State::PartlyFilled => "partially_filled",
        State::Filled => "filled",
        State::Cancelled(_) => "cancelled",
    }
}

/// Returns which kind of order it is, by what placed it.
fn delegate(source: Source, is_limit: bool) -> &'static str {
    match (source, is_limit) {
        (Source::TakeProfit, true) => "position_stop_profit_limit",
        (Source::TakeProfit, false) => "position_stop_profit_market",
        (Source::StopLoss, true) => "position_stop_loss_limit",
        (Source::StopLoss, false) => "position_stop_loss_market",
        (Source::Plan, true) => "plan_limit",
        (Source::Plan, false) => "plan_market",
        (Source::Liquidation, _) => "liquidation",
        _ => "normal",
    }
}

fn set_presets(record: &mut tradeapi::unified::Order, ticket: &Ticket) {
    let Presets { take_profit, stop_loss } = ticket.presets();
    let kind = |preset: &Preset| preset.is_limit.map(|limit| if limit { OrderType::Limit } else { OrderType::Market });
    if ticket.line.is_futures() {
        let by = |preset: &Preset| if preset.by_mark { TriggerBy::Mark } else { TriggerBy::Market };
        record.tp_trigger_by = take_profit.price.map(|_| by(&take_profit));
        record.sl_trigger_by = stop_loss.price.map(|_| by(&stop_loss));
    }
    (record.take_profit, record.stop_loss) = (take_profit.price.map(wire), stop_loss.price.map(wire));
    (record.tp_order_type, record.sl_order_type) = (kind(&take_profit), kind(&stop_loss));
    record.tp_limit_price = take_profit.limit_price.map(wire);
    record.sl_limit_price = stop_loss.limit_price.map(wire);
}
