//! Reversals and flash closes of the classic account.

use std::sync::Arc;

use tradeapi::classic::{CloseFailure, CloseOutcome, ClosedPosition, FlashClosePosition, OrderIds, Reversal};

use super::{half_done, ids_of};
use crate::operations::reading::number;
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::{Source, Ticket};
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Mode, PositionSide, Side};

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
        Some(size) => at.core.pairs[index].lots(number("size", size)?).ok_or(Reason::SizeStep)?.min(position.lots),
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
