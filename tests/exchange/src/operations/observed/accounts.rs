//! Balances of the classic account, fees, how a unified account is set, and its leverage, margin modes and position
//! modes.

use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::observed::{
    AccountInfo, AccountMode, AccountSettings, ContractAccount, ContractAccountOfPair, ContractSettings,
    CountdownCancelAll, Done, FeeRate, GetAccountInfo, GetAccountSettings, GetAllFeeRates, GetContractAccount,
    GetContractAccounts, GetFeeRate, GetMaxOpenAvailable, GetSpotAssets, GetTradeRate, MaxOpen, OrderType,
    PositionMode, PositionModeSet, PositionSide, SetContractLeverage, SetHoldMode, SetLeverage, SetMarginMode,
    SetPositionMode, SpotAsset, SpotAssetType, SymbolFeeRate, SymbolSettings,
};
use tradeapi::{List, Timestamp};

use super::now;
use crate::engine::account_settings::Setting;
use crate::operations::reading::{optional, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::core::Core;
use crate::state::instruments::{Coin, Instrument, quotient};
use crate::state::orders::Source;
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::settings::{MAKER_FEE, TAKER_FEE};
use crate::state::words::{Family, Line, Margin, Mode, PositionSide as PositionOf, Prevention, Side};

/// Sets the fields that both forms of a balance share.
macro_rules! balance {
    ($shown:ident, $at:expr, $coin:expr) => {{
        let (core, coin) = (&*$at.core, $coin);
        let account = &core.accounts[$at.account];
        let balance = account.balances.get(coin).copied().unwrap_or_default();
        let of_coin = account.positions.iter().filter(|((index, _), _)| core.pairs[*index].settle() == coin);
        let [crossed, isolated] = [Margin::Crossed, Margin::Isolated].map(|mode| {
            let of_mode = of_coin.clone().filter(move |(_, position)| position.mode == mode);
            let sums = of_mode.map(|((index, _), position)| (core.marked(*index, position).0, position.margin));
            sums.fold((Decimal::ZERO, Decimal::ZERO), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        });
        let profit = crossed.0 + isolated.0;
        let (equity, free) = (balance.equity() + profit, balance.available().max(Decimal::ZERO));
        $shown.margin_coin = Some(coin.into());
        ($shown.locked, $shown.available) = (Some(wire(balance.frozen)), Some(wire(balance.available())));
        ($shown.crossed_max_available, $shown.isolated_max_available) = (Some(wire(free)), Some(wire(free)));
        $shown.max_transfer_out = Some(wire(free));
        $shown.account_equity = Some(wire(equity));
        $shown.usdt_equity = Some(wire(quotient(equity * core.price_of(coin), core.price_of("USDT"))));
        $shown.btc_equity = Some(wire(quotient(equity * core.price_of(coin), core.price_of("BTC"))));
        $shown.crossed_risk_rate = Some(wire(core.crossed_risk($at.account, coin)));
        $shown.unrealised_profit = Some(wire(profit));
        $shown.crossed_unrealised_profit = Some(wire(crossed.0));
        $shown.isolated_unrealised_profit = Some(wire(isolated.0));
        ($shown.crossed_margin, $shown.isolated_margin) = (Some(wire(crossed.1)), Some(wire(isolated.1)));
        ($shown.coupon, $shown.asset_mode) = (Some(0.into()), Some("single".to_owned()));
    }};
}

impl Serve for GetContractAccounts {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractAccount>, Refusal> {
        let line = self.product_type.as_str();
        let of_line = at.core.pairs.iter().filter(|pair| pair.line.as_str() == line && pair.is_listed(Family::Classic));
        let mut coins: Vec<Coin> = of_line.map(|pair| pair.settle()).collect();
        coins.sort_unstable();
        coins.dedup();
        let shown = coins.into_iter().map(|coin| {
            let mut shown = ContractAccount::default();
            balance!(shown, at, coin);
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

impl Serve for GetContractAccount {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractAccountOfPair, Refusal> {
        let index = at.contract(self.product_type.as_str(), self.symbol.as_str(), self.margin_coin.as_str());
        let index = index.map_err(|reason| at.refusal(reason))?;
        let coin = at.core.pairs[index].settle();
        let mut shown = ContractAccountOfPair::default();
        balance!(shown, at, coin);
        let account = &at.core.accounts[at.account];
        let settings = account.contract_settings(index);
        let [long, short] = settings.leverage;
        shown.crossed_margin_leverage = Some(long.into());
        (shown.isolated_long_leverage, shown.isolated_short_leverage) = (Some(long.into()), Some(short.into()));
        shown.margin_mode = settings.margin.as_str().parse().ok();
        shown.pos_mode = account.mode.as_str().parse().ok();
        Ok(shown)
    }
}

impl Serve for GetSpotAssets {
    /// Lists the funds: a classic user has the funds in the futures account; the spot account is empty.
    fn serve(self, at: &mut Desk<'_>) -> Result<List<SpotAsset>, Refusal> {
        let coins = at.core.accounts[at.account].balances.keys().copied();
        let all = self.asset_type == Some(SpotAssetType::All);
        let wanted = coins.filter(|coin| self.coin.as_ref().map_or(all, |one| one.as_str() == *coin));
        let shown = wanted.map(|coin| {
            let mut shown = SpotAsset::default();
            shown.coin = Some(coin.into());
            (shown.available, shown.frozen, shown.locked) = (Some(0.into()), Some(0.into()), Some(0.into()));
            shown.limit_available = Some(0.into());
            shown.updated_time = now(at.core);
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

impl Serve for GetAccountSettings {
    fn serve(self, at: &mut Desk<'_>) -> Result<AccountSettings, Refusal> {
        let account = &at.core.accounts[at.account];
        let mut shown = AccountSettings::default();
        shown.uid = Some(at.core.users[account.user].id.to_string());
        shown.account_mode = Some(AccountMode::Unified);
        shown.asset_mode = Some("multi_assets".to_owned());
        shown.account_level = Some("advanced".to_owned());
        shown.stp_mode = Some(Prevention::Off.as_str().to_owned());
        shown.hold_mode = account.mode.as_str().parse().ok();
        let of_pairs = account.contract_settings.iter().map(|(index, settings)| {
            let pair = &at.core.pairs[*index];
            let mut of_pair = SymbolSettings::default();
            (of_pair.category, of_pair.symbol) = (pair.line.as_str().parse().ok(), Some(pair.symbol.into()));
            of_pair.margin_mode = settings.margin.as_str().parse().ok();
            let [long, _] = settings.leverage;
            of_pair.leverage = Some(long.into());
            of_pair
        });
        shown.symbol_config_list = of_pairs.collect::<Vec<_>>().into();
        Ok(shown)
    }
}

impl Serve for GetAccountInfo {
    fn serve(self, at: &mut Desk<'_>) -> Result<AccountInfo, Refusal> {
        let user = &at.core.users[at.core.accounts[at.account].user];
        let may = |word: &str| user.permissions.as_ref().is_none_or(|all| all.iter().any(|one| one.contains(word)));
        let mut shown = AccountInfo::default();
        shown.user_id = Some(user.id.to_string());
        let addresses: Vec<String> = user.profile.addresses.iter().map(ToString::to_string).collect();
        shown.ips = Some(addresses.join(","));
        shown.perm_type = Some(if may("write") { "read_and_write" } else { "read_only" }.to_owned());
        let scopes = [("UTA mgt.", "uta_mgt"), ("UTA trade", "uta_trade")];
        let granted = scopes.into_iter().filter(|(permission, _)| may(permission));
        shown.permissions = granted.map(|(_, scope)| scope.to_owned()).collect::<Vec<_>>().into();
        shown.registered_time = Some(Timestamp::from_millis(user.opened_at));
        Ok(shown)
    }
}

impl Serve for GetAllFeeRates {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<SymbolFeeRate>, Refusal> {
        let line = Line::of(self.category.as_str());
        let line = if line == Some(Line::Margin) { Some(Line::Spot) } else { line };
        let is_meant = |pair: &&Instrument| {
            let is_symbol = self.symbol.as_ref().is_none_or(|symbol| symbol.as_str() == pair.symbol);
            Some(pair.line) == line && pair.is_listed(Family::Unified) && is_symbol
        };
        let shown = at.core.pairs.iter().filter(is_meant).map(|pair| {
            let mut shown = SymbolFeeRate::default();
            shown.symbol = Some(pair.symbol.into());
            (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

fn fees() -> FeeRate {
    let mut shown = FeeRate::default();
    (shown.maker_fee_rate, shown.taker_fee_rate) = (Some(wire(MAKER_FEE)), Some(wire(TAKER_FEE)));
    shown
}

impl Serve for GetFeeRate {
    fn serve(self, at: &mut Desk<'_>) -> Result<FeeRate, Refusal> {
        at.pair(self.category.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        Ok(fees())
    }
}

impl Serve for GetTradeRate {
    fn serve(self, at: &mut Desk<'_>) -> Result<FeeRate, Refusal> {
        let is_spot = self.business_type.as_str() != "mix";
        let is_meant = |line: Line| line.is_futures() != is_spot;
        let is_known = at.core.pairs.iter().any(|pair| pair.is_named(self.symbol.as_str()) && is_meant(pair.line));
        if is_known { Ok(fees()) } else { Err(at.refusal(Reason::UnknownSymbol)) }
    }
}

fn done() -> Done {
    let mut done = Done::default();
    done.result = Some("success".to_owned());
    done
}

/// Sets how positions are kept, and returns the mode that the answer shows.
fn set_mode(at: &mut Desk<'_>, mode: &PositionMode) -> Result<Mode, Refusal> {
    let (account, mode) = (at.account, Mode::of(mode.as_str()).ok_or(Reason::Parameter));
    let shown =
        mode.and_then(|mode| at.core.set_and_show(account, Setting::Mode(mode), |core| core.accounts[account].mode));
    shown.map_err(|reason| at.refusal(reason))
}

impl Serve for SetHoldMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<Done, Refusal> {
        set_mode(at, &self.hold_mode)?;
        Ok(done())
    }
}

impl Serve for SetPositionMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<PositionModeSet, Refusal> {
        let mode = set_mode(at, &self.pos_mode)?;
        let mut answer = PositionModeSet::default();
        answer.pos_mode = mode.as_str().parse().ok();
        Ok(answer)
    }
}

impl Serve for CountdownCancelAll {
    fn serve(self, at: &mut Desk<'_>) -> Result<Done, Refusal> {
        at.core.count_down(at.account, Duration::from_secs(self.countdown));
        Ok(done())
    }
}

/// Returns the leverage of long and of short positions that a request sets: of one direction, or of both.
fn both(leverage: Option<u64>, direction: Option<&PositionSide>) -> [Option<u64>; 2] {
    match direction {
        Some(PositionSide::Long) => [leverage, None],
        Some(PositionSide::Short) => [None, leverage],
        _ => [leverage, leverage],
    }
}

impl Serve for SetLeverage {
    fn serve(self, at: &mut Desk<'_>) -> Result<Done, Refusal> {
        set_leverage(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(done())
    }
}

fn set_leverage(request: &SetLeverage, at: &mut Desk<'_>) -> Result<(), Reason> {
    let line = request.category.as_str();
    if line == Line::Margin.as_str() {
        // Borrowing is not limited.
        return Ok(());
    }
    let symbol = request.symbol.as_ref().ok_or(missing("symbol"))?;
    let index = at.pair(line, symbol.as_str())?;
    let margin = request.margin_mode.as_ref().and_then(|mode| Margin::of(mode.as_str()));
    let is_fixed = |margin: &Margin| at.core.is_margin_fixed(at.account, index, *margin);
    if margin.as_ref().is_some_and(is_fixed) {
        return Err(Reason::SettingsFixed);
    }
    let [long, short] = both(Some(request.leverage), request.pos_side.as_ref());
    let new = [request.long_leverage.or(long), request.short_leverage.or(short)];
    at.core.set_leverage(at.account, index, new)?;
    margin.map_or(Ok(()), |margin| at.core.set_margin_mode(at.account, index, margin))
}

/// Sets something of a contract, and returns how the contract is set.
fn set_contract(at: &mut Desk<'_>, index: usize, setting: Setting) -> Result<ContractSettings, Reason> {
    let account = at.account;
    let show = |core: &Core| {
        let settings = core.accounts[account].contract_settings(index);
        let [long, short] = settings.leverage;
        let mut shown = ContractSettings::default();
        shown.symbol = Some(core.pairs[index].symbol.into());
        shown.margin_coin = Some(core.pairs[index].settle().into());
        (shown.long_leverage, shown.short_leverage) = (Some(long.into()), Some(short.into()));
        shown.cross_margin_leverage = Some(long.into());
        shown.margin_mode = settings.margin.as_str().parse().ok();
        shown
    };
    at.core.set_and_show(account, setting, show)
}

impl Serve for SetContractLeverage {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractSettings, Refusal> {
        let [long, short] = both(self.leverage, self.hold_side.as_ref());
        let new = [self.long_leverage.or(long), self.short_leverage.or(short)];
        let contract = at.contract(self.product_type.as_str(), self.symbol.as_str(), self.margin_coin.as_str());
        let set = contract.and_then(|index| match new {
            [None, None] => Err(missing("leverage")),
            new => set_contract(at, index, Setting::Leverage(index, new)),
        });
        set.map_err(|reason| at.refusal(reason))
    }
}

impl Serve for SetMarginMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractSettings, Refusal> {
        let contract = at.contract(self.product_type.as_str(), self.symbol.as_str(), self.margin_coin.as_str());
        let set = contract.and_then(|index| {
            let margin = Margin::of(self.margin_mode.as_str()).ok_or(Reason::Parameter)?;
            set_contract(at, index, Setting::Margin(index, margin))
        });
        set.map_err(|reason| at.refusal(reason))
    }
}

impl Serve for GetMaxOpenAvailable {
    fn serve(self, at: &mut Desk<'_>) -> Result<MaxOpen, Refusal> {
        most_open(&self, at).map_err(|reason| at.refusal(reason))
    }
}

fn most_open(request: &GetMaxOpenAvailable, at: &mut Desk<'_>) -> Result<MaxOpen, Reason> {
    let index = at.pair(request.category.as_str(), request.symbol.as_str())?;
    let price = optional("price", request.price.as_ref())?;
    if request.order_type == OrderType::Limit && price.is_none() {
        return Err(missing("price"));
    }
    let size = optional("size", request.size.as_ref())?;
    let (pair, lots) = (&at.core.pairs[index], size.map_or(Ok(0), |size| at.core.lots_of_qty(index, "size", size))?);
    let wanted = Side::of(request.side.as_str()).ok_or(missing("side"))?;
    let of_side = |side: Side| {
        let ticks = price.map(|price| at.core.ticks_in_range(index, side, ("price", price), true)).transpose()?;
        let pos = match at.core.accounts[at.account].mode {
            Mode::OneWay => PositionOf::Net,
            Mode::Hedge if side == Side::Buy => PositionOf::Long,
            Mode::Hedge => PositionOf::Short,
        };
        let ticket = at.core.market_ticket(at.account, index, side, pos, lots, Source::Api);
        let (coin, cost) = at.core.funds_for(index, &ticket, ticks, lots, 0)?;
        let most = wire(pair.qty(at.core.most_affordable(&ticket, ticks)?));
        Ok((at.core.accounts[at.account].available(coin).max(Decimal::ZERO), wire(cost), most))
    };
    let [buy, sell] = [of_side(Side::Buy)?, of_side(Side::Sell)?];
    let mut shown = MaxOpen::default();
    let (available, _, most) = if wanted == Side::Buy { &buy } else { &sell };
    (shown.available, shown.max_open) = (Some(wire(*available)), Some(most.clone()));
    (shown.buy_open_cost, shown.sell_open_cost) = (Some(buy.1), Some(sell.1));
    (shown.max_buy_open, shown.max_sell_open) = (Some(buy.2), Some(sell.2));
    Ok(shown)
}
