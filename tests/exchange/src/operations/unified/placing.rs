//! Placements in the unified account: one order, a batch, or an order of a Reality pair.

use tradeapi::List;
use tradeapi::unified::{
    BatchOrder, BatchOrderItem, BatchOrderResult, Execution, OrderAck, OrderIds, PlaceOrder, PlaceRealityOrder,
    RealityExecution, YesNo,
};

use super::{ids_of, preset, result_of, value_or};
use crate::engine::placing::Placed;
use crate::operations::reading::{number, optional};
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::{Borrowing, Presets, Quantity, Source, Ticket};
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Effect, Family, Force, Line, Margin, Mode, PositionSide, Prevention, Side};

/// The parameters that single orders and items of batches share.
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
            take_profit: preset(
                optional("takeProfit", request.take_profit.as_ref())?,
                request.tp_trigger_by.as_ref(),
                request.tp_order_type.as_ref(),
                optional("tpLimitPrice", request.tp_limit_price.as_ref())?,
            ),
            stop_loss: preset(
                optional("stopLoss", request.stop_loss.as_ref())?,
                request.sl_trigger_by.as_ref(),
                request.sl_order_type.as_ref(),
                optional("slLimitPrice", request.sl_limit_price.as_ref())?,
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
