//! The assets of a unified account.

use rust_decimal::Decimal;
use tradeapi::unified::{AccountAssets, Asset, GetAccountAssets};

use crate::operations::reading::wire;
use crate::operations::routes::{Desk, Serve};
use crate::state::accounts::Balance;
use crate::state::core::Core;
use crate::state::instruments::{Contract, Instrument, quotient};
use crate::state::refusal::Refusal;

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
    /// The price of a coin in dollars, by the pairs that quote it.
    pub(crate) fn price_of(&self, coin: &str) -> Decimal {
        let of_coin = || self.pairs.iter().zip(&self.markets).filter(|(pair, _)| pair.base == coin);
        // Pairs that are settled in the coin itself count where there is no other.
        let is_quoted = |pair: &Instrument| matches!(pair.contract, Contract::Spot | Contract::Linear);
        let quoted = of_coin().find(|(pair, _)| is_quoted(pair)).or_else(|| of_coin().next());
        quoted.map_or(Decimal::ONE, |(pair, market)| pair.price(market.mid))
    }
}
