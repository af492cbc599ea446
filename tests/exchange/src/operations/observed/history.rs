//! The changes of the balances of an account, and the positions that it closed.

use rust_decimal::Decimal;
use tradeapi::Timestamp;
use tradeapi::observed::{
    ContractBill, ContractPastPosition, FinancialRecord, GetContractBills, GetContractBillsPage,
    GetContractPositionHistory, GetContractPositionHistoryPage, GetFinancialRecords, GetFinancialRecordsPage,
    GetPositionHistory, GetPositionHistoryPage, PastPosition,
};

use super::direction;
use crate::operations::pages::{PageQuery, query};
use crate::operations::reading::{Wanted, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::accounts;
use crate::state::core::Core;
use crate::state::instruments::{Coin, Instrument};
use crate::state::orders::Fill;
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Effect, Line, Margin, PositionSide, Side};

/// A change of the balance of a coin by a contract.
struct Bill<'a> {
    id: u64,
    at: u64,
    pair: &'a Instrument,
    cause: Cause,
    amount: Decimal,
    fee: Decimal,
    balance: Decimal,
    /// The margin mode, the size and the margin of the position, if it pays funding.
    held: Option<(Margin, Decimal, Decimal)>,
}

/// The cause of a change of a balance.
#[derive(Clone, Copy)]
enum Cause {
    /// A fill in hedge mode.
    Fill(PositionSide, Effect),
    /// A fill in one-way mode.
    NetFill(Side),
    Funding {
        received: bool,
    },
}

impl Cause {
    fn of_classic(self) -> &'static str {
        match self {
            Self::Fill(PositionSide::Short, Effect::Open) => "open_short",
            Self::Fill(PositionSide::Short, Effect::Close) => "close_short",
            Self::Fill(_, Effect::Open) => "open_long",
            Self::Fill(_, Effect::Close) => "close_long",
            Self::NetFill(side) => side.as_str(),
            Self::Funding { .. } => "contract_settle_fee",
        }
    }

    fn of_unified(self) -> &'static str {
        match self {
            Self::Fill(PositionSide::Short, Effect::Open) => "OPEN_SHORT",
            Self::Fill(PositionSide::Short, Effect::Close) => "CLOSE_SHORT",
            Self::Fill(_, Effect::Open) => "OPEN_LONG",
            Self::Fill(_, Effect::Close) => "CLOSE_LONG",
            Self::NetFill(Side::Buy) => "BUY_DEAL",
            Self::NetFill(Side::Sell) => "SELL_DEAL",
            Self::Funding { received: true } => "CONTRACT_MAIN_SETTLE_FEE_USER_IN",
            Self::Funding { received: false } => "CONTRACT_MAIN_SETTLE_FEE_USER_OUT",
        }
    }
}

impl<'a> Bill<'a> {
    fn of_fill(core: &'a Core, fill: &Fill) -> Self {
        let cause = match fill.pos {
            PositionSide::Net => Cause::NetFill(fill.side),
            pos => Cause::Fill(pos, fill.effect),
        };
        Self {
            id: fill.id,
            at: fill.at,
            pair: &core.pairs[fill.pair],
            cause,
            amount: fill.profit,
            fee: -fill.fee,
            balance: fill.balance,
            held: None,
        }
    }

    fn of_payment(core: &'a Core, payment: &accounts::Payment) -> Self {
        let pair = &core.pairs[payment.pair];
        let (lots, margin) = payment.held;
        Self {
            id: payment.id,
            at: payment.at,
            pair,
            cause: Cause::Funding { received: payment.amount > Decimal::ZERO },
            amount: payment.amount,
            fee: Decimal::ZERO,
            balance: payment.balance,
            held: Some((payment.margin, pair.qty(lots), margin)),
        }
    }

    fn coin(&self) -> Coin {
        self.pair.settle()
    }
}

/// Returns the bills of an account that a request is about, the newest first.
fn bills<'a>(core: &'a Core, account: usize, wanted: Wanted<'a>) -> impl Iterator<Item = Bill<'a>> {
    let account = &core.accounts[account];
    let is_meant = move |line, pair| wanted.holds(core, line, pair);
    let fills = account.fills.iter().rev().filter(move |fill| fill.line.is_futures() && is_meant(fill.line, fill.pair));
    let payments = account.payments.iter().rev();
    let payments = payments.filter(move |payment| is_meant(core.pairs[payment.pair].line, payment.pair));
    let mut fills = fills.map(|fill| Bill::of_fill(core, fill)).peekable();
    let mut payments = payments.map(|payment| Bill::of_payment(core, payment)).peekable();
    std::iter::from_fn(move || match (fills.peek(), payments.peek()) {
        (Some(fill), Some(payment)) if fill.id < payment.id => payments.next(),
        (None, _) => payments.next(),
        _ => fills.next(),
    })
}

impl Serve for GetContractBills {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetContractBillsPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let mut query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        query.wanted.coin = self.coin.as_ref().map(|coin| coin.as_str());
        // Nothing is transferred here.
        let only_transfers = self.only_funding.as_deref().is_some_and(|word| word.eq_ignore_ascii_case("yes"));
        let kind = self.business_type.as_deref();
        let of_kind = |bill: &Bill<'_>| !only_transfers && kind.is_none_or(|kind| kind == bill.cause.of_classic());
        let meant = bills(at.core, at.account, query.wanted).filter(of_kind);
        let found = at.listed(&query, meant.map(|bill| (bill.id, bill.at, bill)))?;
        let shown = found.items.iter().map(|bill| {
            let mut shown = ContractBill::default();
            shown.bill_id = Some(bill.id.to_string().into());
            (shown.symbol, shown.coin) = (Some(bill.pair.symbol.into()), Some(bill.coin().into()));
            (shown.amount, shown.fee) = (Some(wire(bill.amount)), Some(wire(bill.fee)));
            shown.fee_by_coupon = Some(0.into());
            shown.business_type = Some(bill.cause.of_classic().to_owned());
            shown.balance = Some(wire(bill.balance));
            shown.created_time = Some(Timestamp::from_millis(bill.at));
            shown
        });
        let mut answer = GetContractBillsPage::default();
        answer.bills = shown.collect::<Vec<_>>().into();
        answer.end_id = found.last.map(Into::into);
        Ok(answer)
    }
}

impl Serve for GetFinancialRecords {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetFinancialRecordsPage, Refusal> {
        let line = self.category.as_str();
        if !Line::of(line).is_some_and(Line::is_futures) {
            let why = "this exchange keeps records of futures only";
            return Err(at.refusal(Reason::value(["category", "values"], why)));
        }
        let mut query = query!(self, cursor, line: Some(line), symbol: None);
        query.wanted.coin = self.coin.as_ref().map(|coin| coin.as_str());
        let kind = self.record_type.as_deref();
        let meant = bills(at.core, at.account, query.wanted);
        let meant = meant.filter(|bill| kind.is_none_or(|kind| kind == bill.cause.of_unified()));
        let found = at.listed(&query, meant.map(|bill| (bill.id, bill.at, bill)))?;
        let shown = found.items.iter().map(|bill| {
            let mut shown = FinancialRecord::default();
            shown.id = Some(bill.id.to_string().into());
            shown.category = bill.pair.line.as_str().parse().ok();
            (shown.symbol, shown.coin) = (Some(bill.pair.symbol.into()), Some(bill.coin().into()));
            shown.record_type = Some(bill.cause.of_unified().to_owned());
            if let Some((margin, size, backing)) = bill.held {
                shown.position_type = margin.as_str().parse().ok();
                (shown.position_amount, shown.position_balance) = (Some(wire(size)), Some(wire(backing)));
            }
            (shown.amount, shown.fee) = (Some(wire(bill.amount)), Some(wire(bill.fee)));
            shown.balance = Some(wire(bill.balance));
            shown.time = Some(Timestamp::from_millis(bill.at));
            shown
        });
        let mut answer = GetFinancialRecordsPage::default();
        answer.list = shown.collect::<Vec<_>>().into();
        answer.cursor = found.next().map(Into::into);
        Ok(answer)
    }
}

/// Returns the closed positions of an account that a request is about, the newest first, with their ids and times.
fn past<'a>(
    core: &'a Core,
    account: usize,
    wanted: Wanted<'a>,
) -> impl Iterator<Item = (u64, u64, &'a accounts::PastPosition)> {
    let all = core.accounts[account].past_positions.iter().rev();
    let meant = all.filter(move |past| wanted.holds(core, core.pairs[past.pair].line, past.pair));
    meant.map(|past| (past.id, past.tally.updated_at, past))
}

/// Sets the fields that both records of a closed position share. The last two are its fees.
macro_rules! past_position {
    ($shown:ident, $core:expr, $past:expr, $open_fee:ident, $close_fee:ident) => {{
        let (pair, tally) = (&$core.pairs[$past.pair], $past.tally);
        $shown.position_id = Some($past.id.to_string().into());
        ($shown.symbol, $shown.margin_coin) = (Some(pair.symbol.into()), Some(pair.settle().into()));
        $shown.margin_mode = $past.margin.as_str().parse().ok();
        let size = |(lots, cost): (u64, Decimal)| match pair.contract {
            crate::state::instruments::Contract::InverseByQuote => cost,
            _ => pair.qty(lots),
        };
        let price = |(lots, cost): (u64, Decimal)| pair.entry_price(cost, lots).round_dp(8);
        $shown.entry_price = Some(wire(price(tally.opened)));
        $shown.exit_price = Some(wire(price(tally.closed)));
        ($shown.opened, $shown.closed) = (Some(wire(size(tally.opened))), Some(wire(size(tally.closed))));
        $shown.profit = Some(wire(tally.realised));
        $shown.net_profit = Some(wire(tally.realised + tally.funding - tally.open_fee - tally.close_fee));
        $shown.total_funding = Some(wire(tally.funding));
        ($shown.$open_fee, $shown.$close_fee) = (Some(wire(-tally.open_fee)), Some(wire(-tally.close_fee)));
        $shown.cash_dividend = Some(0.into());
        $shown.created_time = Some(Timestamp::from_millis(tally.opened_at));
        $shown.updated_time = Some(Timestamp::from_millis(tally.updated_at));
    }};
}

impl Serve for GetContractPositionHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetContractPositionHistoryPage, Refusal> {
        let line = self.product_type.as_ref().map(|line| line.as_str());
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: line, symbol: symbol);
        let found = at.listed(&query, past(at.core, at.account, query.wanted))?;
        let shown = found.items.iter().map(|past| {
            let mut shown = ContractPastPosition::default();
            past_position!(shown, at.core, past, open_fee, close_fee);
            (shown.hold_side, shown.pos_mode) = (Some(direction(past.side)), past.mode.as_str().parse().ok());
            shown
        });
        let mut answer = GetContractPositionHistoryPage::default();
        answer.list = shown.collect::<Vec<_>>().into();
        answer.end_id = found.last.map(Into::into);
        Ok(answer)
    }
}

impl Serve for GetPositionHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPositionHistoryPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, cursor, line: Some(self.category.as_str()), symbol: symbol);
        let found = at.listed(&query, past(at.core, at.account, query.wanted))?;
        let shown = found.items.iter().map(|past| {
            let mut shown = PastPosition::default();
            past_position!(shown, at.core, past, open_fee_total, close_fee_total);
            shown.category = at.core.pairs[past.pair].line.as_str().parse().ok();
            (shown.pos_side, shown.hold_mode) = (Some(direction(past.side)), past.mode.as_str().parse().ok());
            shown
        });
        let mut answer = GetPositionHistoryPage::default();
        answer.list = shown.collect::<Vec<_>>().into();
        answer.cursor = found.next().map(Into::into);
        Ok(answer)
    }
}
