//! Queries of the unified account: orders, fills and assets.

use rust_decimal::Decimal;
use tradeapi::unified::{
    AccountAssets, Asset, GetAccountAssets, GetFillHistory, GetFillHistoryPage, GetOpenOrders, GetOpenOrdersPage,
    GetOrderDetails, GetOrderHistory, GetOrderHistoryPage, GetRealityFills, RealityFill,
};
use tradeapi::{List, Operation, Timestamp};

use super::records::{fill_record, record};
use crate::operations::pages::{Kind, PageQuery, query};
use crate::operations::reading::{Wanted, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::accounts::Balance;
use crate::state::core::Core;
use crate::state::instruments::{Contract, Instrument, quotient};
use crate::state::orders::Name;
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Family, Line};

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
        let found = at.orders(Kind::Open, &query, |_| true, record)?;
        let mut answer = GetOpenOrdersPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetOrderHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOrderHistoryPage, Refusal> {
        let line = Some(self.category.as_str());
        let query = query!(self, cursor, line: line, symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let found = at.orders(Kind::Closed, &query, |_| true, record)?;
        let mut answer = GetOrderHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetFillHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetFillHistoryPage, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        let query = query!(self, cursor, line: line, symbol: None);
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), fill_record)?;
        let mut answer = GetFillHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetRealityFills {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<RealityFill>, Refusal> {
        let index = at.core.pair(Family::Unified, Line::Spot, self.symbol.as_str());
        let index = index.filter(|index| at.core.pairs[*index].is_reality());
        let index = index.ok_or_else(|| at.refusal(Reason::UnknownSymbol))?;
        let limit = at.page_size(self.limit)?;
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
        let (mut unrealised, mut maintenance, mut value) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        for ((index, _), position) in &account.positions {
            let (pair, mid) = (&core.pairs[*index], core.markets[*index].mid);
            let (profit, needed) = core.marked(*index, position);
            unrealised += profit * in_usd(pair.settle());
            maintenance += needed * in_usd(pair.settle());
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
        answer.maintenance_margin = Some(wire(maintenance));
        answer.initial_margin = Some(wire(margin));
        answer.margin_ratio = Some(wire(quotient(margin, whole)));
        answer.position_margin_ratio = Some(wire(quotient(maintenance, value)));
        answer.position_value = Some(wire(value));
        answer.leverage = Some(wire(quotient(value, whole)));
        answer.assets = assets.into();
        Ok(answer)
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
    /// Returns the price of a coin in dollars, by the pairs that quote it.
    pub(crate) fn price_of(&self, coin: &str) -> Decimal {
        let of_coin = || self.pairs.iter().zip(&self.markets).filter(|(pair, _)| pair.base == coin);
        // Pairs that are settled in the coin itself count where there is no other.
        let is_quoted = |pair: &Instrument| matches!(pair.contract, Contract::Spot | Contract::Linear);
        let quoted = of_coin().find(|(pair, _)| is_quoted(pair)).or_else(|| of_coin().next());
        quoted.map_or(Decimal::ONE, |(pair, market)| pair.price(market.mid))
    }
}
