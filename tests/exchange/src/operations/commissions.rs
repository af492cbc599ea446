//! Commissions of a broker and insider trades: those that the setup states, or invented ones from the seed.

use rust_decimal::Decimal;
use tradeapi::broker::{Commission, GetAgentDirectCommissions, GetAgentDirectCommissionsPage};
use tradeapi::runtime::tables::Days;
use tradeapi::unified::{GetInsiderTrades, GetInsiderTradesPage, InsiderTrade};
use tradeapi::{Operation, Timestamp};

use crate::operations::pages::cursor;
use crate::operations::reading::wire;
use crate::operations::routes::{Desk, Serve};
use crate::state::dice::{Dice, Seed};
use crate::state::refusal::Refusal;

/// The number of users that an agent has referred.
const REFERRED: u64 = 4;

impl Serve for GetAgentDirectCommissions {
    // They end in the suffix of a product, such as BTCUSDT_UMCBL.
    const SYMBOL_IS_LISTED: bool = false;

    fn serve(self, at: &mut Desk<'_>) -> Result<GetAgentDirectCommissionsPage, Refusal> {
        let window = Self::META.window;
        let days = window.and_then(|window| window.days).unwrap_or(Days::of_utc_offset(0));
        let now = Timestamp::from_millis(at.core.now);
        let today = days.number(now);
        let [first, last] = match (self.start_time, self.end_time) {
            (Some(start), Some(end)) => [days.first_from(start), days.number(end)],
            _ => [today.saturating_sub(1); 2],
        };
        let access = window.and_then(|window| window.access);
        let oldest = access.and_then(|access| access.before(now)).map_or(0, |oldest| days.number(oldest));
        // Entries of today become available tomorrow.
        let readable = first.max(oldest)..last.saturating_add(1).min(today);
        let before = at.place_of(cursor!(self, id_less_than))?.unwrap_or(u64::MAX);
        let limit = at.page_size(self.limit)?;
        let is_wanted = |(id, found): &(u64, Commission)| *id < before && matches_request(&self, found);
        let found: Vec<(u64, Commission)> = match at.core.reports().commissions() {
            Some(stated) => {
                let is_readable = |at: u64| readable.contains(&days.number(Timestamp::from_millis(at)));
                let count = u64::try_from(stated.len()).unwrap_or(u64::MAX);
                let numbered = (1..=count).rev().zip(stated);
                let found = numbered.filter(|(_, (at, _))| is_readable(*at)).map(|(id, (_, found))| (id, found));
                found.filter(is_wanted).take(limit).collect()
            }
            None => {
                let all = readable.rev().flat_map(|day| (0..REFERRED).rev().map(move |user| (day, user)));
                let seed = at.core.settings.seed;
                let all = all.map(|(day, user)| (day * REFERRED + user, invented_commission(seed, days, day, user)));
                all.filter(is_wanted).take(limit).collect()
            }
        };
        let mut answer = GetAgentDirectCommissionsPage::default();
        answer.end_id = found.last().map(|(id, _)| id.to_string().into());
        answer.commission_list = found.into_iter().map(|(_, found)| found).collect::<Vec<_>>().into();
        Ok(answer)
    }
}

fn matches_request(request: &GetAgentDirectCommissions, found: &Commission) -> bool {
    request.uid.as_ref().is_none_or(|uid| found.uid.as_ref() == Some(uid))
        && request.coin.as_ref().is_none_or(|coin| found.coin.as_ref() == Some(coin))
        && request.symbol.as_ref().is_none_or(|symbol| found.symbol.as_ref() == Some(symbol))
}

fn invented_commission(seed: Seed, days: Days, day: u64, user: u64) -> Commission {
    let mut dice = Dice::new(seed, day * REFERRED + user);
    let amount = Decimal::from(dice.below(1_000_000) + 1_000);
    let fee = amount * Decimal::new(6, 4);
    let rebate = fee * Decimal::new(4, 1);
    let (symbol, product) =
        if user.is_multiple_of(2) { ("BTCUSDT_UMCBL", "USDT-FUTURES") } else { ("BTCUSDT_SPBL", "SPOT") };
    let mut found = Commission::default();
    found.uid = Some((2_000_000 + user).to_string().into());
    found.date = Some(days.begin(day).as_millis().to_string());
    found.coin = Some("USDT".into());
    found.symbol = Some(symbol.into());
    found.product_type = product.parse().ok();
    found.deal_amount = Some(wire(amount));
    (found.fee, found.fee_paid) = (Some(wire(fee)), Some(wire(fee)));
    let nothing = || Some(wire(Decimal::ZERO));
    (found.fee_deduction, found.activity_bonus_deduct) = (nothing(), nothing());
    (found.spot_coupon_deduct, found.futures_coupon_deduct) = (nothing(), nothing());
    (found.spot_fee_discount_deduct, found.negative_maker_fee_deduct) = (nothing(), nothing());
    (found.rebate_amount, found.user_total_rebate_amount) = (Some(wire(rebate)), Some(wire(rebate)));
    (found.day_total_rebate_amount, found.total_rebate_amount) = (Some(wire(rebate)), Some(wire(rebate)));
    found
}

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
            None => Some(invented_trade(at.core.settings.seed, code, index)),
        };
        let mut answer = GetInsiderTradesPage::default();
        answer.list = (first..end).filter_map(trade).collect::<Vec<_>>().into();
        answer.cursor = (end < count).then(|| end.to_string().into());
        Ok(answer)
    }
}

fn invented_trade(seed: Seed, code: &str, index: u64) -> InsiderTrade {
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
