//! The pairs that can be traded: coins, instruments and contracts.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use tradeapi::observed::{
    AssetKind, CoinInfo, Contract, ContractStatus, ContractTier, ContractType, GetCoins, GetContractTiers,
    GetContracts, GetInstruments, GetMarginCurrencies, GetMarketTime, GetPositionTiers, GetServerTime, GetSpotSymbols,
    GetUnifiedServerTime, InstrumentInfo, InstrumentStatus, MarginCurrency, PositionTier, ServerTime, SpotSymbol,
    YesNo, YesNoInCapitals,
};
use tradeapi::{List, Timestamp};

use super::now;
use crate::operations::reading::wire;
use crate::operations::routes::{Desk, Serve};
use crate::state::core::Core;
use crate::state::instruments::{Contract as Units, Instrument, MAX_VALUE, most_lots, quotient};
use crate::state::refusal::{Refusal, missing};
use crate::state::settings::{BAND, BORROWABLE, FUNDING_HOURS, MAINTENANCE, MAKER_FEE, MAX_LEVERAGE, TAKER_FEE};
use crate::state::words::{Family, Line};

fn server_time(core: &Core) -> ServerTime {
    let mut answer = ServerTime::default();
    answer.server_time = now(core);
    answer
}

impl Serve for GetServerTime {
    fn serve(self, at: &mut Desk<'_>) -> Result<ServerTime, Refusal> {
        Ok(server_time(at.core))
    }
}

impl Serve for GetUnifiedServerTime {
    fn serve(self, at: &mut Desk<'_>) -> Result<ServerTime, Refusal> {
        Ok(server_time(at.core))
    }
}

impl Serve for GetMarketTime {
    fn serve(self, at: &mut Desk<'_>) -> Result<ServerTime, Refusal> {
        Ok(server_time(at.core))
    }
}

impl Serve for GetCoins {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<CoinInfo>, Refusal> {
        let coins: BTreeSet<&str> = at.core.pairs.iter().flat_map(|pair| [pair.base, pair.quote]).collect();
        let wanted = coins.into_iter().filter(|coin| self.coin.as_ref().is_none_or(|one| one.as_str() == *coin));
        let shown = wanted.zip(1_u32..).map(|(coin, id)| {
            let mut shown = CoinInfo::default();
            (shown.coin, shown.coin_id, shown.transfer) = (Some(coin.into()), Some(id.to_string()), Some(true));
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

/// Returns the pairs of a line that a family lists, or one of them.
fn listed<'a>(
    core: &'a Core,
    family: Family,
    line: &'a str,
    symbol: Option<&'a str>,
) -> impl Iterator<Item = &'a Instrument> {
    let line = if line == Line::Margin.as_str() { Line::Spot.as_str() } else { line };
    core.pairs.iter().filter(move |pair| {
        pair.line.as_str() == line && pair.is_listed(family) && symbol.is_none_or(|symbol| pair.is_named(symbol))
    })
}

/// The most orders and positions that contracts state. The classic account is not held to a number of orders.
const MOST_ORDERS: u64 = 400;
const MOST_POSITIONS: u64 = 2;

/// Returns how far from the market an order may be.
fn band() -> Decimal {
    quotient(Decimal::ONE, BAND.into())
}

/// Returns the most open orders that the documents allow for a business line.
fn ceiling(line: &str) -> Option<u64> {
    let ceiling = tradeapi::unified::CEILINGS.iter().find(|ceiling| ceiling.over.contains(&line));
    ceiling.map(|ceiling| ceiling.n)
}

impl Serve for GetInstruments {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<InstrumentInfo>, Refusal> {
        let line = self.category.as_str();
        let pairs = listed(at.core, Family::Unified, line, self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let shown = pairs.map(|pair| {
            let mut shown = InstrumentInfo::default();
            shown.symbol = Some(pair.symbol.into());
            shown.category = line.parse().ok();
            (shown.base_coin, shown.quote_coin) = (Some(pair.base.into()), Some(pair.quote.into()));
            shown.price_precision = Some(pair.price_places().into());
            shown.quantity_precision = Some(pair.size_places().into());
            shown.min_order_qty = Some(wire(pair.qty(pair.least)));
            shown.max_order_qty = Some(wire(pair.qty(most_lots(pair))));
            (shown.buy_limit_price_ratio, shown.sell_limit_price_ratio) = (Some(wire(band())), Some(wire(band())));
            shown.max_product_order_num = ceiling(line);
            shown.max_symbol_order_num = ceiling(line);
            // An order has no least value here, and trading has always gone on.
            (shown.min_order_amount, shown.launch_time) = (Some(0.into()), Some(Timestamp::from_millis(0)));
            shown.asset_kind = Some(if pair.is_reality() { AssetKind::Stock } else { AssetKind::Crypto });
            shown.status = Some(if pair.suspended { InstrumentStatus::Offline } else { InstrumentStatus::Online });
            if pair.line.is_futures() {
                shown.contract_type = Some(ContractType::Perpetual);
                (shown.price_multiplier, shown.quantity_multiplier) = (Some(wire(pair.tick)), Some(wire(pair.step)));
                (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
                (shown.min_leverage, shown.max_leverage) = (Some(1), Some(MAX_LEVERAGE.into()));
                shown.fund_interval = Some(FUNDING_HOURS);
                shown.max_market_order_qty = Some(wire(pair.qty(most_lots(pair))));
                shown.max_position_num = Some(MOST_POSITIONS);
                (shown.fee_rate_up_ratio, shown.open_cost_up_ratio) = (Some(0.into()), Some(0.into()));
                (shown.off_time, shown.limit_open_time) = (Some((-1).into()), Some((-1).into()));
                shown.is_real_world_asset = Some(YesNoInCapitals::No);
            } else {
                shown.is_reality = Some(YesNo::from(pair.is_reality()));
                shown.is_regional = Some(YesNo::No);
                shown.quote_precision = Some((pair.price_places() + pair.size_places()).into());
            }
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

impl Serve for GetContracts {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<Contract>, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let pairs = listed(at.core, Family::Classic, self.product_type.as_str(), symbol);
        let shown = pairs.map(|pair| {
            let places = pair.price_places();
            let mut shown = Contract::default();
            shown.symbol = Some(pair.symbol.into());
            (shown.base_coin, shown.quote_coin) = (Some(pair.base.into()), Some(pair.quote.into()));
            shown.support_margin_coins = vec![pair.settle().into()].into();
            shown.symbol_type = Some(ContractType::Perpetual);
            shown.symbol_status = Some(if pair.suspended { ContractStatus::Maintain } else { ContractStatus::Normal });
            (shown.price_place, shown.volume_place) = (Some(places.into()), Some(pair.size_places().into()));
            shown.price_end_step = Some(wire(pair.tick * Decimal::from(10_u64.pow(places))));
            shown.size_multiplier = Some(wire(pair.step));
            shown.min_trade_num = Some(wire(pair.qty(pair.least)));
            // Clients read a whole number.
            let most = wire(pair.qty(most_lots(pair)).trunc());
            (shown.max_order_qty, shown.max_market_order_qty) = (Some(most.clone()), Some(most));
            shown.min_trade_usdt = Some(0.into());
            (shown.max_symbol_order_num, shown.max_product_order_num) = (Some(MOST_ORDERS), Some(MOST_ORDERS));
            shown.max_position_num = Some(MOST_POSITIONS);
            shown.pos_limit = Some(1.into());
            shown.is_real_world_asset = Some(YesNoInCapitals::No);
            (shown.fee_rate_up_ratio, shown.open_cost_up_ratio) = (Some(0.into()), Some(0.into()));
            (shown.off_time, shown.limit_open_time) = (Some((-1).into()), Some((-1).into()));
            (shown.launch_time, shown.open_time) = (Some(Timestamp::from_millis(0)), Some(Timestamp::from_millis(0)));
            (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
            (shown.min_leverage, shown.max_leverage) = (Some(1), Some(MAX_LEVERAGE.into()));
            (shown.buy_limit_price_ratio, shown.sell_limit_price_ratio) = (Some(wire(band())), Some(wire(band())));
            shown.fund_interval = Some(FUNDING_HOURS);
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

/// Returns the spot pairs. They are not traded with the operations of the classic account, but its clients list them.
fn spot_pairs(core: &Core) -> impl Iterator<Item = &Instrument> {
    core.pairs.iter().filter(|pair| pair.contract == Units::Spot && !pair.is_reality())
}

impl Serve for GetSpotSymbols {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<SpotSymbol>, Refusal> {
        let wanted = |pair: &&Instrument| self.symbol.as_ref().is_none_or(|symbol| pair.is_named(symbol.as_str()));
        let shown = spot_pairs(at.core).filter(wanted).map(|pair| {
            let mut shown = SpotSymbol::default();
            shown.symbol = Some(pair.symbol.into());
            (shown.base_coin, shown.quote_coin) = (Some(pair.base.into()), Some(pair.quote.into()));
            shown.price_precision = Some(pair.price_places().into());
            shown.quantity_precision = Some(pair.size_places().into());
            shown.quote_precision = Some((pair.price_places() + pair.size_places()).into());
            shown.min_trade_amount = Some(wire(pair.qty(pair.least)));
            shown.max_trade_amount = Some(wire(pair.qty(most_lots(pair))));
            (shown.min_trade_usdt, shown.max_symbol_order_num) = (Some(0.into()), Some(MOST_ORDERS));
            shown.is_regional = Some(YesNo::No);
            (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
            shown.status = Some(if pair.suspended { "offline" } else { "online" }.to_owned());
            shown.open_time = Some(Timestamp::from_millis(0));
            (shown.max_limit_order_value, shown.max_market_order_value) =
                (Some(wire(MAX_VALUE)), Some(wire(MAX_VALUE)));
            (shown.buy_limit_price_ratio, shown.sell_limit_price_ratio) = (Some(wire(band())), Some(wire(band())));
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

impl Serve for GetMarginCurrencies {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<MarginCurrency>, Refusal> {
        let shown = spot_pairs(at.core).map(|pair| {
            let is_borrowable = BORROWABLE.contains(&pair.base) && BORROWABLE.contains(&pair.quote);
            let mut shown = MarginCurrency::default();
            shown.symbol = Some(pair.symbol.into());
            (shown.base_coin, shown.quote_coin) = (Some(pair.base.into()), Some(pair.quote.into()));
            (shown.is_borrowable, shown.is_cross_borrowable) = (Some(is_borrowable), Some(is_borrowable));
            // Nothing is borrowed with isolated margin here.
            (shown.is_isolated_base_borrowable, shown.is_isolated_quote_borrowable) = (Some(false), Some(false));
            shown.price_precision = Some(pair.price_places().into());
            shown.quantity_precision = Some(pair.size_places().into());
            shown.min_trade_amount = Some(wire(pair.qty(pair.least)));
            shown.max_trade_amount = Some(wire(pair.qty(most_lots(pair))));
            (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
            (shown.warning_risk_ratio, shown.liquidation_risk_ratio) = (Some(1.into()), Some(1.into()));
            (shown.min_borrow, shown.min_trade_usdt) = (Some(0.into()), Some(0.into()));
            shown.status = Some(if pair.suspended { "2" } else { "1" }.to_owned());
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

// Every contract has one tier: the same leverage and maintenance margin for positions of every size.

impl Serve for GetContractTiers {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractTier>, Refusal> {
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let mut shown = ContractTier::default();
        (shown.symbol, shown.level) = (Some(at.core.pairs[index].symbol.into()), Some(1));
        (shown.start_unit, shown.end_unit) = (Some(0.into()), Some(wire(MAX_VALUE)));
        (shown.leverage, shown.maintenance_rate) = (Some(MAX_LEVERAGE.into()), Some(wire(MAINTENANCE)));
        Ok(vec![shown].into())
    }
}

impl Serve for GetPositionTiers {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<PositionTier>, Refusal> {
        let line = self.category.as_str();
        if line == Line::Margin.as_str() {
            let coin = self.coin.as_ref().ok_or_else(|| at.refusal(missing("coin")))?;
            if !BORROWABLE.contains(&coin.as_str()) {
                return Ok(Vec::new().into());
            }
        } else {
            let symbol = self.symbol.as_ref().ok_or_else(|| at.refusal(missing("symbol")))?;
            at.pair(line, symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        }
        let mut shown = PositionTier::default();
        shown.tier = Some(1);
        (shown.min_tier_value, shown.max_tier_value) = (Some(0.into()), Some(wire(MAX_VALUE)));
        (shown.leverage, shown.maintenance_rate) = (Some(MAX_LEVERAGE.into()), Some(wire(MAINTENANCE)));
        Ok(vec![shown].into())
    }
}
