//! Insider trades: those that the setup states, or invented ones from the seed.

use rust_decimal::Decimal;
use tradeapi::unified::{GetInsiderTrades, GetInsiderTradesPage, InsiderTrade};

use crate::operations::pages::cursor;
use crate::operations::reading::wire;
use crate::operations::routes::{Desk, Serve};
use crate::state::dice::{Dice, Seed};
use crate::state::refusal::Refusal;

/// The number of insider trades of a company.
const TRADES: u64 = 250;

impl Serve for GetInsiderTrades {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetInsiderTradesPage, Refusal> {
        let code = self.code.as_str();
        let stated = at.core.reports().insider_trades(code);
        let count = stated.as_ref().map_or(TRADES, |stated| u64::try_from(stated.len()).unwrap_or(TRADES));
        let first = at.place_of(cursor!(self, cursor))?.unwrap_or_default();
        let size = u64::try_from(at.page_size(self.limit)?).unwrap_or(count);
        let end = first.saturating_add(size).min(count);
        let trade = |index: u64| match &stated {
            Some(stated) => stated.get(usize::try_from(index).ok()?).cloned(),
            None => Some(invented(at.core.settings.seed, code, index)),
        };
        let mut answer = GetInsiderTradesPage::default();
        answer.list = (first..end).filter_map(trade).collect::<Vec<_>>().into();
        answer.cursor = (end < count).then(|| end.to_string().into());
        Ok(answer)
    }
}

fn invented(seed: Seed, code: &str, index: u64) -> InsiderTrade {
    let purpose = code.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut dice = Dice::new(seed, purpose.wrapping_add(index));
    let (volume, price, buys) = (dice.below(9_000) + 100, dice.below(30_000) + 1_000, dice.below(2) == 0);
    // The newest first, all before the initial time of a manual clock.
    let (year, month, day) = (2025 - index / (12 * 28), 12 - (index / 28) % 12, 28 - index % 28);
    let date = format!("{year}-{month:02}-{day:02}");
    let mut trade = InsiderTrade::default();
    trade.reporter_name = Some(format!("Reporter {}", dice.below(12) + 1));
    trade.issue_org_name = Some(code.to_owned());
    trade.end_date = Some(date.clone());
    trade.announcement_date = Some(date.clone());
    trade.trade_date = Some(date);
    trade.inner_type = Some(if dice.below(2) == 0 { "Director" } else { "Officer" }.to_owned());
    trade.position = Some("Chief Officer".to_owned());
    trade.security_title = Some("Common Stock".to_owned());
    trade.inner_trade_type = if buys { "P" } else { "S" }.parse().ok();
    trade.action_type = if buys { "add" } else { "decrease" }.parse().ok();
    trade.trade_volume = Some(volume.into());
    trade.trade_price = Some(wire(Decimal::new(i64::try_from(price).unwrap_or_default(), 2)));
    trade.holding_type = "direct".parse().ok();
    trade.post_trade_quantity = Some((volume + dice.below(100_000)).into());
    trade
}
