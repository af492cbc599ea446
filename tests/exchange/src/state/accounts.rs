//! Users with their keys, and their accounts with balances and positions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use rust_decimal::Decimal;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tradeapi::VipLevel;
use tradeapi::runtime::account::PropertyValue;
use tradeapi::runtime::signing::HmacSha256;

use crate::state::instruments::{Coin, Instrument, MAX_NUMBER, quotient};
use crate::state::orders::{Fill, Presets};
use crate::state::settings::LEVERAGE;
use crate::state::values::{Price, once};
use crate::state::words::{Accounts, Family, Line, Margin, Mode, PositionSide, Side};

/// A user to open accounts for.
///
/// ```
/// use tradeapi_exchange::{Mode, Profile};
///
/// let profile = Profile::new().mode(Mode::Hedge).balance("USDT", 500);
/// # let _ = profile;
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
pub struct Profile {
    pub(crate) mode: Mode,
    #[serde(with = "once")]
    pub(crate) balances: BTreeMap<String, Price>,
    pub(crate) whitelisted: bool,
    pub(crate) rpi: bool,
    pub(crate) copy_trading: Option<Vec<String>>,
    pub(crate) vip_level: Option<String>,
    pub(crate) accounts: Accounts,
    pub(crate) permissions: Option<Vec<String>>,
    pub(crate) addresses: Vec<IpAddr>,
}

impl Default for Profile {
    /// Creates a unified account in one-way mode with 100,000 USDT and USDC, 2 BTC and 30 ETH, all permissions, not on
    /// the allowlist.
    fn default() -> Self {
        let balances = [("USDT", 100_000), ("USDC", 100_000), ("BTC", 2), ("ETH", 30)];
        Self {
            mode: Mode::OneWay,
            balances: balances.map(|(coin, amount)| (coin.to_owned(), Price(amount.into()))).into(),
            whitelisted: false,
            rpi: false,
            copy_trading: None,
            vip_level: None,
            accounts: Accounts::Unified,
            permissions: None,
            addresses: Vec::new(),
        }
    }
}

impl Profile {
    /// Returns the default user.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how positions are kept.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the balance of a coin. A coin that no pair has is ignored.
    pub fn balance(mut self, coin: &str, amount: impl Into<tradeapi::Decimal>) -> Self {
        // A number that does not fit is too large, which the check refuses.
        let amount = amount.into().to_rust_decimal().unwrap_or(Decimal::MAX);
        self.balances.insert(coin.to_owned(), Price(amount));
        self
    }

    /// Adds the user to the allowlist for Reality operations.
    pub fn whitelisted(mut self) -> Self {
        self.whitelisted = true;
        self
    }

    /// Gives the permission for retail price improvement.
    pub fn rpi_market_maker(mut self) -> Self {
        self.rpi = true;
        self
    }

    /// Makes the key a copy-trading key, which may trade these pairs only.
    pub fn copy_trading(mut self, pairs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.copy_trading = Some(pairs.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the VIP level of the user, by which the limits of a classic account rise.
    pub fn vip_level(mut self, level: VipLevel) -> Self {
        self.vip_level = Some(level.as_str().to_owned());
        self
    }

    /// Sets the accounts behind the key: [`Accounts::Unified`] by default.
    pub fn accounts(mut self, accounts: Accounts) -> Self {
        self.accounts = accounts;
        self
    }

    /// Puts an account of each family behind the key, as no real exchange does, with the same balances and mode.
    pub fn both(self) -> Self {
        self.accounts(Accounts::Both)
    }

    /// Restricts the key to these permissions, as the documents name them: `UTA trade (read)`. An operation without a named
    /// permission takes any of them if it only queries, and otherwise one that does not only read.
    pub fn permissions(mut self, permissions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.permissions = Some(permissions.into_iter().map(Into::into).collect());
        self
    }

    /// Refuses what an exchange with these pairs cannot open.
    pub(crate) fn check(&self, pairs: &[Instrument]) -> Result<(), String> {
        self.check_balances(pairs)?;
        if let Some(symbol) =
            self.copy_trading.iter().flatten().find(|symbol| !pairs.iter().any(|pair| pair.symbol == **symbol))
        {
            return Err(format!("copy_trading: there is no pair {symbol}"));
        }
        if let Some(level) = &self.vip_level {
            let properties = serde_json::json!({"properties": {"vipLevel": level}});
            let account = tradeapi::Account::from_json(&properties.to_string());
            account.map_err(|error| format!("vip_level: {error}")).map(drop)?;
        }
        self.permissions.as_deref().map_or(Ok(()), check_permissions)
    }

    fn check_balances(&self, pairs: &[Instrument]) -> Result<(), String> {
        let has_coin = |coin: &str| pairs.iter().any(|pair| pair.base == coin || pair.quote == coin);
        if let Some(coin) = self.balances.keys().find(|coin| !has_coin(coin)) {
            return Err(format!("balance of {coin}: no pair has this coin"));
        }
        let negative = self.balances.iter().find(|(_, amount)| amount.0.is_sign_negative() || amount.0 > MAX_NUMBER);
        if let Some((coin, amount)) = negative {
            return Err(format!("balance of {} {coin}: expected a number from 0 to {MAX_NUMBER}", amount.0));
        }
        Ok(())
    }

    /// Accepts requests from these addresses only.
    pub fn addresses(mut self, addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        self.addresses = addresses.into_iter().collect();
        self
    }
}

/// Refuses permissions that no operation names.
pub(crate) fn check_permissions(permissions: &[String]) -> Result<(), String> {
    let known: BTreeSet<&str> = crate::state::words::all_operations().filter_map(|meta| meta.permission).collect();
    let Some(unknown) = permissions.iter().find(|given| !known.contains(given.as_str())) else { return Ok(()) };
    let known = known.into_iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    Err(format!("unknown permission `{unknown}`: expected one of {known}"))
}

/// A user: a key, and an account for each family.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) id: u64,
    /// As the user was opened, and is again after a reset.
    pub(crate) profile: Profile,
    /// The permissions of the key now; `None` for all.
    pub(crate) permissions: Option<Vec<String>>,
    pub(crate) signer: HmacSha256,
    /// The key, the secret and the passphrase.
    pub(crate) keys: [String; 3],
    pub(crate) classic: usize,
    pub(crate) unified: usize,
    pub(crate) opened_at: u64,
}

impl User {
    pub(crate) fn account(&self, family: Family) -> usize {
        match family {
            Family::Classic => self.classic,
            Family::Unified => self.unified,
        }
    }

    /// Returns the properties that documented rules depend on: the profile and the steps of the pairs.
    pub(crate) fn properties(profile: &Profile, instruments: &[Instrument]) -> tradeapi::runtime::Account {
        let mut properties = tradeapi::Account::new().whitelisted(profile.whitelisted).rpi_market_maker(profile.rpi);
        properties = properties.copy_trading(profile.copy_trading.is_some());
        if let Some(pairs) = &profile.copy_trading {
            properties = properties.copy_trading_pairs(pairs);
        }
        for instrument in instruments {
            let steps = tradeapi::Instrument::new()
                .with_price_multiplier(instrument.tick)
                .with_price_precision(instrument.price_places())
                .with_min_order_amount(instrument.qty(instrument.least))
                .with_size_multiplier(instrument.step)
                .with_size_precision(instrument.size_places());
            properties = properties.instrument(instrument.line, instrument.symbol, steps.clone());
            if instrument.line == Line::Spot {
                properties = properties.instrument(Line::Margin, instrument.symbol, steps);
            }
        }
        let mut account: tradeapi::runtime::Account = properties.into();
        account.set("positionMode", PropertyValue::Word(profile.mode.as_str().into()));
        if let Some(level) = &profile.vip_level {
            account.set("vipLevel", PropertyValue::Word(level.clone().into()));
        }
        account
    }
}

/// The balance of a coin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Balance {
    /// The whole balance, borrowed funds included.
    pub(crate) total: Decimal,
    /// The part reserved for orders.
    pub(crate) frozen: Decimal,
    /// The margin of its positions.
    pub(crate) margin: Decimal,
    /// The debt.
    pub(crate) debt: Decimal,
}

impl Balance {
    /// Returns what is free. After a realised loss, orders and positions may use more than there is; then nothing is.
    pub(crate) fn available(&self) -> Decimal {
        (self.total - self.frozen - self.margin).max(Decimal::ZERO)
    }

    /// Repays borrowed funds as far as free funds allow.
    pub(crate) fn repay(&mut self) {
        if self.debt.is_zero() {
            return;
        }
        let paid = self.debt.min(self.available());
        self.total -= paid;
        self.debt -= paid;
    }

    pub(crate) fn equity(&self) -> Decimal {
        self.total - self.debt
    }
}

/// A position. A pair without a position has an empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// The side that opened it.
    pub(crate) side: Side,
    pub(crate) lots: u64,
    /// The entry cost; see [`Instrument::cost`].
    pub(crate) cost: Decimal,
    /// The margin of the position.
    pub(crate) margin: Decimal,
    pub(crate) mode: Margin,
    pub(crate) presets: Presets,
    pub(crate) tally: Tally,
}

/// The earnings and costs of a position since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The profit of the closed part.
    pub(crate) realised: Decimal,
    /// The fees of opening and of closing.
    pub(crate) open_fee: Decimal,
    pub(crate) close_fee: Decimal,
    /// The received funding, less the paid one.
    pub(crate) funding: Decimal,
    /// The lots that were opened and closed, with their [cost](Instrument::cost).
    pub(crate) opened: (u64, Decimal),
    pub(crate) closed: (u64, Decimal),
    pub(crate) opened_at: u64,
    pub(crate) updated_at: u64,
}

impl Tally {
    /// Adds a fill of some lots.
    pub(crate) fn add(&mut self, change: &Change, lots: u64, fee: Decimal, at: u64) {
        if change.begins {
            *self = Self { opened_at: at, ..Self::default() };
        } else {
            self.close(change, lots, fee, at);
        }
        self.opened = (self.opened.0 + change.opened, self.opened.1 + change.opened_cost);
        self.open_fee += change.opening_fee(lots, fee);
        self.updated_at = at;
    }

    /// Adds the part of a fill of some lots that closes.
    pub(crate) fn close(&mut self, change: &Change, lots: u64, fee: Decimal, at: u64) {
        self.realised += change.profit;
        self.close_fee += fee - change.opening_fee(lots, fee);
        self.closed = (self.closed.0 + lots - change.opened, self.closed.1 + change.closed_cost);
        self.updated_at = at;
    }
}

/// A position that was closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PastPosition {
    /// The id of the fill that closed it.
    pub(crate) id: u64,
    pub(crate) pair: usize,
    /// The side that opened it.
    pub(crate) side: Side,
    pub(crate) margin: Margin,
    pub(crate) mode: Mode,
    pub(crate) tally: Tally,
}

/// Adds a record to a history, and deletes the oldest ones beyond `most`.
pub(crate) fn record<T>(history: &mut VecDeque<T>, record: T, most: usize) {
    history.push_back(record);
    while history.len() > most {
        history.pop_front();
    }
}

/// A payment of funding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payment {
    pub(crate) id: u64,
    pub(crate) pair: usize,
    pub(crate) margin: Margin,
    /// The size of the position, in lots, and its margin.
    pub(crate) held: (u64, Decimal),
    /// The amount that the account received; a payment is negative.
    pub(crate) amount: Decimal,
    /// The balance after it.
    pub(crate) balance: Decimal,
    pub(crate) at: u64,
}

/// The effect of a fill on a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) profit: Decimal,
    pub(crate) margin: Decimal,
    /// The part of the margin that the closed part had.
    pub(crate) released: Decimal,
    /// The lots that were opened.
    pub(crate) opened: u64,
    /// The [costs](Instrument::cost) of what was opened and closed at the price of the fill.
    pub(crate) opened_cost: Decimal,
    pub(crate) closed_cost: Decimal,
    /// True if a position begins with it, perhaps on the other side of an earlier one.
    pub(crate) begins: bool,
}

impl Change {
    /// Returns the part of a fill's fee that belongs to the lots that were opened.
    fn opening_fee(&self, lots: u64, fee: Decimal) -> Decimal {
        quotient(fee * Decimal::from(self.opened), Decimal::from(lots))
    }

    /// Returns what the closed part lost, with its fee, beyond its margin.
    fn beyond_margin(&self, lots: u64, fee: Decimal) -> Decimal {
        fee - self.opening_fee(lots, fee) - self.profit - self.released
    }
}

impl Position {
    pub(crate) fn empty(pos: PositionSide) -> Self {
        let zero = Decimal::ZERO;
        let (side, mode, presets) = (pos.opening_side(), Margin::Crossed, Presets::default());
        Self { side, lots: 0, cost: zero, margin: zero, mode, presets, tally: Tally::default() }
    }

    /// Applies a fill: it closes the position on the other side, and the rest opens one with this leverage.
    pub(crate) fn fill(&mut self, pair: &Instrument, side: Side, ticks: u64, lots: u64, leverage: u32) -> Change {
        let mut change = Change::default();
        let mut left = lots;
        if self.lots > 0 && self.side != side {
            let closed = lots.min(self.lots);
            let share = |of: Decimal| {
                if closed == self.lots { of } else { quotient(of * Decimal::from(closed), Decimal::from(self.lots)) }
            };
            let (cost, margin) = (share(self.cost), share(self.margin));
            change.profit = pair.profit(self.side, cost, ticks, closed);
            change.closed_cost = pair.cost(ticks, closed);
            change.margin -= margin;
            change.released = margin;
            (self.cost, self.margin, self.lots) = (self.cost - cost, self.margin - margin, self.lots - closed);
            left -= closed;
        }
        if left > 0 {
            let margin = quotient(pair.settled_value(ticks, left), Decimal::from(leverage));
            change.margin += margin;
            (change.opened, change.opened_cost) = (left, pair.cost(ticks, left));
            change.begins = self.lots == 0;
            self.side = side;
            (self.cost, self.margin, self.lots) =
                (self.cost + pair.cost(ticks, left), self.margin + margin, self.lots + left);
        }
        change
    }
}

/// The settings of an account for a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContractSettings {
    /// The leverage of long and of short positions.
    pub(crate) leverage: [u32; 2],
    /// Which margin backs new positions, if an order does not say so.
    pub(crate) margin: Margin,
}

impl Default for ContractSettings {
    fn default() -> Self {
        Self { leverage: [LEVERAGE; 2], margin: Margin::Crossed }
    }
}

/// An account of one family.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) user: usize,
    pub(crate) family: Family,
    pub(crate) mode: Mode,
    /// The properties that documented rules depend on.
    pub(crate) properties: tradeapi::runtime::Account,
    /// The settings for contracts.
    pub(crate) contract_settings: BTreeMap<usize, ContractSettings>,
    pub(crate) balances: BTreeMap<Coin, Balance>,
    pub(crate) positions: BTreeMap<(usize, PositionSide), Position>,
    /// When every order is cancelled, while a countdown runs.
    pub(crate) countdown: Option<u64>,
    /// The ids of open orders, and of those that close a position.
    pub(crate) open: BTreeSet<u64>,
    pub(crate) closing: BTreeMap<(usize, PositionSide), BTreeSet<u64>>,
    /// The ids of open orders that close a position without being reduce-only, by pair.
    pub(crate) netting: BTreeMap<usize, BTreeSet<u64>>,
    /// The ids of filled and cancelled orders.
    pub(crate) closed: BTreeSet<u64>,
    /// The fills, the oldest first.
    pub(crate) fills: VecDeque<Fill>,
    /// The payments of funding and the closed positions, the oldest first.
    pub(crate) payments: VecDeque<Payment>,
    pub(crate) past_positions: VecDeque<PastPosition>,
    pub(crate) clients: FxHashMap<Arc<str>, u64>,
    /// The number of open orders of futures, and of all others.
    pub(crate) waiting: [usize; 2],
}

impl Account {
    pub(crate) fn new(user: usize, family: Family, profile: &Profile, instruments: &[Instrument]) -> Self {
        let mut balances: BTreeMap<Coin, Balance> = BTreeMap::new();
        for coin in instruments.iter().flat_map(|pair| [pair.base, pair.quote]) {
            let total = profile.balances.get(coin).map_or(Decimal::ZERO, |amount| amount.0);
            balances.insert(coin, Balance { total, ..Balance::default() });
        }
        Self {
            user,
            family,
            mode: profile.mode,
            properties: User::properties(profile, instruments),
            contract_settings: BTreeMap::new(),
            balances,
            positions: BTreeMap::new(),
            countdown: None,
            open: BTreeSet::new(),
            closing: BTreeMap::new(),
            netting: BTreeMap::new(),
            closed: BTreeSet::new(),
            fills: VecDeque::new(),
            payments: VecDeque::new(),
            past_positions: VecDeque::new(),
            clients: FxHashMap::default(),
            waiting: [0; 2],
        }
    }

    pub(crate) fn balance(&mut self, coin: Coin) -> &mut Balance {
        self.balances.entry(coin).or_default()
    }

    pub(crate) fn available(&self, coin: Coin) -> Decimal {
        self.balances.get(coin).map(Balance::available).unwrap_or_default()
    }

    /// Returns what was set for a contract.
    pub(crate) fn contract_settings(&self, instrument: usize) -> ContractSettings {
        self.contract_settings.get(&instrument).copied().unwrap_or_default()
    }

    /// Returns the leverage of a position that an order of a side opens.
    pub(crate) fn leverage(&self, instrument: usize, pos: PositionSide, side: Side) -> u32 {
        let [long, short] = self.contract_settings(instrument).leverage;
        match (pos, side) {
            (PositionSide::Long, _) | (PositionSide::Net, Side::Buy) => long,
            (PositionSide::Short, _) | (PositionSide::Net, Side::Sell) => short,
        }
    }

    /// Returns what an account lacks after some lots of a position were closed: of an isolated one, what was lost
    /// beyond its margin; of a crossed one, what is missing of the balance without the margins of isolated ones.
    pub(crate) fn missing(
        &self,
        pairs: &[Instrument],
        coin: Coin,
        mode: Margin,
        closed: &Change,
        (lots, fee): (u64, Decimal),
    ) -> Decimal {
        let missing = match mode {
            Margin::Isolated => closed.beyond_margin(lots, fee),
            Margin::Crossed => return self.missing_beside_isolated(pairs, coin),
        };
        missing.max(Decimal::ZERO)
    }

    /// Returns what is missing of a balance without the margins of isolated positions.
    pub(crate) fn missing_beside_isolated(&self, pairs: &[Instrument], coin: Coin) -> Decimal {
        let of_coin = self.positions.iter().filter(|((index, _), _)| pairs[*index].settle() == coin);
        let isolated = of_coin.filter(|(_, position)| position.mode == Margin::Isolated);
        let kept: Decimal = isolated.map(|(_, position)| position.margin).sum();
        let total = self.balances.get(coin).map(|balance| balance.total).unwrap_or_default();
        (kept - total).max(Decimal::ZERO)
    }

    pub(crate) fn position(&self, instrument: usize, pos: PositionSide) -> Position {
        self.positions.get(&(instrument, pos)).copied().unwrap_or_else(|| Position::empty(pos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::instruments;

    #[test]
    fn a_fill_closes_before_it_opens() {
        let pairs = instruments::all();
        let pair = &pairs[5];
        let mut position = Position::empty(PositionSide::Net);
        let opened = position.fill(pair, Side::Buy, 640_000, 100, 10);
        assert_eq!((opened.opened, opened.profit), (100, Decimal::ZERO));
        assert_eq!(opened.margin, Decimal::from(640));
        let turned = position.fill(pair, Side::Sell, 650_000, 150, 10);
        assert_eq!((position.side, position.lots), (Side::Sell, 50));
        assert_eq!((turned.opened, turned.profit), (50, Decimal::from(100)));
        assert_eq!(position.margin, Decimal::from(325));
    }
}
