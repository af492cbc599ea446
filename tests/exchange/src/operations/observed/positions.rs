//! Open positions of both families, and closing those of a unified account.

use rust_decimal::Decimal;
use tradeapi::observed::{
    ClosePositions, ClosedPositions, ClosingOrder, ContractPosition, GetContractPosition, GetContractPositions,
    GetPositions, Position as UnifiedPosition, PositionSide as Direction, Positions,
};
use tradeapi::{List, Timestamp};

use super::direction;
use crate::operations::reading::{Wanted, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::accounts::Position;
use crate::state::core::Core;
use crate::state::instruments::{Instrument, quotient};
use crate::state::orders::{Order, Source};
use crate::state::refusal::{Reason, Refusal};
use crate::state::settings::{MAINTENANCE, TAKER_FEE};
use crate::state::words::{Margin, PositionSide, Side};

/// An open position with its pair and its account.
struct Held<'a> {
    core: &'a Core,
    account: usize,
    index: usize,
    pos: PositionSide,
    position: &'a Position,
}

/// Returns the open positions of an account that a request is about, in one direction or in both.
fn held<'a>(at: &'a Desk<'_>, wanted: Wanted<'_>, only: Option<&Direction>) -> Vec<Held<'a>> {
    let (core, account) = (&*at.core, at.account);
    let is_meant = |index: usize, position: &Position| {
        wanted.holds(core, core.pairs[index].line, index) && only.is_none_or(|only| *only == direction(position.side))
    };
    let positions = core.accounts[account].positions.iter();
    let open = positions.filter(|((index, _), position)| position.lots > 0 && is_meant(*index, position));
    open.map(|((index, pos), position)| Held { core, account, index: *index, pos: *pos, position }).collect()
}

impl Held<'_> {
    fn pair(&self) -> &Instrument {
        &self.core.pairs[self.index]
    }

    fn leverage(&self) -> u64 {
        self.core.accounts[self.account].leverage(self.index, self.pos, self.position.side).into()
    }

    /// Returns the lots that open orders close.
    fn closing(&self) -> u64 {
        self.core.occupied(self.account, self.index, self.pos).min(self.position.lots)
    }

    /// Returns the lots that open orders add.
    fn opening(&self) -> u64 {
        let orders = self.core.accounts[self.account].open.iter().filter_map(|id| self.core.orders.get(id));
        let adds = |order: &&Order| {
            let ticket = &order.ticket;
            (ticket.pair, ticket.pos, ticket.side) == (self.index, self.pos, self.position.side) && !order.is_closing()
        };
        orders.filter(adds).map(Order::remaining).sum()
    }

    fn size(&self, lots: u64) -> Decimal {
        self.pair().base_qty(self.core.markets[self.index].mark(), lots)
    }

    fn entry(&self) -> Decimal {
        self.pair().entry_price(self.position.cost, self.position.lots)
    }

    fn mark(&self) -> Decimal {
        self.pair().price(self.core.markets[self.index].mark())
    }

    fn profit(&self) -> Decimal {
        let (profit, _) = self.core.marked(self.index, self.position);
        profit
    }

    /// Returns the price at which closing covers the fees of opening and closing.
    fn break_even(&self) -> Decimal {
        let fees = TAKER_FEE + TAKER_FEE;
        let factor = if self.position.side == Side::Buy { Decimal::ONE + fees } else { Decimal::ONE - fees };
        (self.entry() * factor).round_dp(8)
    }

    /// Returns the maintenance margin as a fraction of what backs the position: of a crossed one, that of the whole
    /// coin.
    fn margin_ratio(&self) -> Decimal {
        let (profit, needed) = self.core.marked(self.index, self.position);
        match self.position.mode {
            Margin::Isolated => quotient(needed, self.position.margin + profit),
            Margin::Crossed => self.core.crossed_risk(self.account, self.pair().settle()),
        }
    }

    fn liquidation(&self) -> Decimal {
        let price = self.core.liquidation_price(self.index, self.account, self.pos);
        price.unwrap_or_default().round_dp(self.pair().price_places())
    }
}

impl Serve for GetPositions {
    fn serve(self, at: &mut Desk<'_>) -> Result<Positions, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let wanted = Wanted { line: Some(self.category.as_str()), symbol, coin: None };
        let mode = at.core.accounts[at.account].mode;
        let shown = held(at, wanted, self.pos_side.as_ref()).into_iter().map(|held| {
            let Held { position, .. } = &held;
            let (free, tally) = (position.lots - held.closing(), position.tally);
            let mut shown = UnifiedPosition::default();
            shown.category = held.pair().line.as_str().parse().ok();
            (shown.symbol, shown.margin_coin) = (Some(held.pair().symbol.into()), Some(held.pair().settle().into()));
            (shown.hold_mode, shown.pos_side) = (mode.as_str().parse().ok(), Some(direction(position.side)));
            shown.margin_mode = position.mode.as_str().parse().ok();
            shown.position_balance = Some(wire(position.margin));
            shown.available = Some(wire(held.size(free)));
            shown.frozen = Some(wire(held.size(held.closing())));
            shown.total = Some(wire(held.size(position.lots)));
            shown.leverage = Some(held.leverage());
            (shown.entry_price, shown.mark_price) = (Some(wire(held.entry())), Some(wire(held.mark())));
            shown.break_even_price = Some(wire(held.break_even()));
            shown.realised_profit = Some(wire(tally.realised));
            shown.unrealised_profit = Some(wire(held.profit()));
            shown.liquidation_price = Some(wire(held.liquidation()));
            shown.maintenance_rate = Some(wire(MAINTENANCE));
            shown.profit_rate = Some(wire(quotient(held.profit(), position.margin)));
            shown.total_funding = Some(wire(tally.funding));
            shown.status = Some("normal".to_owned());
            (shown.open_fee_total, shown.close_fee_total) = (Some(wire(-tally.open_fee)), Some(wire(-tally.close_fee)));
            shown.created_time = Some(Timestamp::from_millis(tally.opened_at));
            shown.updated_time = Some(Timestamp::from_millis(tally.updated_at));
            shown
        });
        let mut answer = Positions::default();
        answer.list = shown.collect::<Vec<_>>().into();
        Ok(answer)
    }
}

fn contract_positions(at: &Desk<'_>, wanted: Wanted<'_>) -> List<ContractPosition> {
    let mode = at.core.accounts[at.account].mode;
    let shown = held(at, wanted, None).into_iter().map(|held| {
        let Held { position, .. } = &held;
        let (free, tally) = (position.lots - held.closing(), position.tally);
        let mut shown = ContractPosition::default();
        (shown.symbol, shown.margin_coin) = (Some(held.pair().symbol.into()), Some(held.pair().settle().into()));
        (shown.hold_side, shown.pos_mode) = (Some(direction(position.side)), mode.as_str().parse().ok());
        shown.open_delegate_size = Some(wire(held.size(held.opening())));
        shown.margin_size = Some(wire(position.margin));
        shown.available = Some(wire(held.size(free)));
        shown.locked = Some(wire(held.size(held.closing())));
        shown.total = Some(wire(held.size(position.lots)));
        shown.leverage = Some(held.leverage());
        shown.realised_profit = Some(wire(tally.realised));
        (shown.entry_price, shown.mark_price) = (Some(wire(held.entry())), Some(wire(held.mark())));
        shown.margin_mode = position.mode.as_str().parse().ok();
        shown.unrealised_profit = Some(wire(held.profit()));
        shown.liquidation_price = Some(wire(held.liquidation()));
        shown.maintenance_rate = Some(wire(MAINTENANCE));
        shown.break_even_price = Some(wire(held.break_even()));
        shown.margin_ratio = Some(wire(held.margin_ratio()));
        shown.total_fee = Some(wire(tally.funding));
        shown.deducted_fee = Some(wire(tally.open_fee + tally.close_fee));
        (shown.asset_mode, shown.auto_margin) = (Some("single".to_owned()), Some("off".to_owned()));
        shown.created_time = Some(Timestamp::from_millis(tally.opened_at));
        shown.updated_time = Some(Timestamp::from_millis(tally.updated_at));
        shown
    });
    shown.collect::<Vec<_>>().into()
}

impl Serve for GetContractPositions {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractPosition>, Refusal> {
        let coin = self.margin_coin.as_ref().map(|coin| coin.as_str());
        Ok(contract_positions(at, Wanted { line: Some(self.product_type.as_str()), symbol: None, coin }))
    }
}

impl Serve for GetContractPosition {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractPosition>, Refusal> {
        let coin = Some(self.margin_coin.as_str());
        let wanted = Wanted { coin, ..Wanted::of(self.product_type.as_str(), self.symbol.as_str()) };
        Ok(contract_positions(at, wanted))
    }
}

impl Serve for ClosePositions {
    fn serve(self, at: &mut Desk<'_>) -> Result<ClosedPositions, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let wanted = Wanted { line: Some(self.category.as_str()), symbol, coin: None };
        let positions: Vec<_> = held(at, wanted, self.pos_side.as_ref())
            .into_iter()
            .map(|held| (held.index, held.pos, held.position.lots))
            .collect();
        if positions.is_empty() {
            return Err(at.refusal(Reason::NoPosition));
        }
        let mut answer = ClosedPositions::default();
        for (index, pos, lots) in positions {
            let mut order = ClosingOrder::default();
            match at.core.close_position(at.account, index, pos, lots, Source::Close) {
                Ok(id) => order.order_id = Some(id.to_string().into()),
                Err(reason) => {
                    let refusal = at.refusal(reason);
                    (order.code, order.msg) = (Some(refusal.code), Some(refusal.message));
                }
            }
            answer.list.items.push(order);
        }
        Ok(answer)
    }
}
