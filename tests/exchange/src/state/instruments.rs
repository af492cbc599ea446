//! Instruments: pairs with their steps, minimums and the arithmetic of their contracts.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use rust_decimal::Decimal;
use tradeapi::Operation;
use tradeapi::runtime::account::ListedInstruments;

use crate::state::words::{Family, Line, Side};

/// The name of a coin.
pub(crate) type Coin = &'static str;

/// Returns a name that lives as long as the program: one copy of each, so that restarts and resets take no more memory.
pub(crate) fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let new: &'static str = Box::leak(name.into());
    names.insert(new);
    new
}

/// The decimal places that quotients are rounded to, more than any coin has.
pub(crate) const PLACES: u32 = 12;

/// An upper bound of prices, quantities and balances, so that products are exact.
pub(crate) const MAX_NUMBER: Decimal = Decimal::from_parts(3_567_587_328, 232, 0, false, 0);

/// The maximum value of one order, so that no product of price and quantity loses a digit.
pub(crate) const MAX_VALUE: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// The most lots of an order, so that sums of many are exact.
pub(crate) const MAX_LOTS: u64 = 1_000_000_000_000_000;

/// The number of quotes of other participants on each side.
pub(crate) const QUOTES: u64 = 5;

/// A symbol in all business lines that list it, or in one of them.
///
/// ```
/// use tradeapi_exchange::{Exchange, Line, Seed};
///
/// let exchange = Exchange::new(Seed(7));
/// exchange.set_price("BTCUSDT", 65_000)?; // of futures and of spot
/// exchange.set_price((Line::Spot, "BTCUSDT"), 65_010)?;
/// # Ok::<(), tradeapi_exchange::InvalidArgument>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairName {
    pub(crate) line: Option<Line>,
    pub(crate) symbol: String,
}

impl PairName {
    pub(crate) fn new(line: Option<Line>, symbol: &str) -> Self {
        Self { line, symbol: symbol.to_owned() }
    }

    /// Returns whether it means a pair. Margin trades the pairs of spot.
    pub(crate) fn means(&self, pair: &Instrument) -> bool {
        let line = if self.line == Some(Line::Margin) { Some(Line::Spot) } else { self.line };
        pair.is_named(&self.symbol) && line.is_none_or(|line| line == pair.line)
    }
}

impl From<&str> for PairName {
    fn from(symbol: &str) -> Self {
        Self::new(None, symbol)
    }
}

impl From<(Line, &str)> for PairName {
    fn from((line, symbol): (Line, &str)) -> Self {
        Self::new(Some(line), symbol)
    }
}

/// Reads `BTCUSDT`, or `SPOT:BTCUSDT` for one business line.
impl FromStr for PairName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((line, symbol)) = text.split_once(':') else { return Ok(Self::new(None, text)) };
        let of =
            Line::of(line).ok_or_else(|| format!("unknown business line {line:?}: expected one such as `SPOT`"))?;
        Ok(Self::new(Some(of), symbol))
    }
}

impl fmt::Display for PairName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} in {line}", self.symbol),
            None => f.write_str(&self.symbol),
        }
    }
}

/// The units of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contract {
    /// Coins change hands.
    Spot,
    /// Quantity in the base coin, settled in the quote coin.
    Linear,
    /// Quantity and settlement in the base coin.
    Inverse,
    /// Quantity in the quote coin, settled in the base coin.
    InverseByQuote,
}

/// A pair of a business line. Prices are counted in ticks and quantities in lots.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) line: Line,
    pub(crate) symbol: &'static str,
    /// The name in the spelling of the documents, if that is another one: of a Reality pair.
    pub(crate) documented: Option<&'static str>,
    pub(crate) base: Coin,
    pub(crate) quote: Coin,
    pub(crate) contract: Contract,
    /// The step of prices.
    pub(crate) tick: Decimal,
    /// The step of quantities.
    pub(crate) step: Decimal,
    /// The minimum quantity, in lots.
    pub(crate) least: u64,
    /// The initial price, in ticks.
    pub(crate) opening: u64,
    /// The usual quantity of other participants' orders, in lots.
    pub(crate) clip: u64,
    /// The only family that lists the pair, if it is not listed by both.
    pub(crate) only: Option<Family>,
    /// True if trading is suspended, for delivery or risk control.
    pub(crate) suspended: bool,
}

impl Instrument {
    /// Returns the coin that profits, fees and margins are in; of spot, the quote coin.
    pub(crate) fn settle(&self) -> Coin {
        match self.contract {
            Contract::Spot | Contract::Linear => self.quote,
            Contract::Inverse | Contract::InverseByQuote => self.base,
        }
    }

    pub(crate) fn price(&self, ticks: u64) -> Decimal {
        self.tick * Decimal::from(ticks)
    }

    pub(crate) fn qty(&self, lots: u64) -> Decimal {
        self.step * Decimal::from(lots)
    }

    /// Returns a price in ticks; `None` if it is not on the grid.
    pub(crate) fn ticks(&self, price: Decimal) -> Option<u64> {
        on_grid(price, self.tick)
    }

    /// Returns the distance between quotes of other participants: a two-thousandth of a percent, to a tick.
    pub(crate) fn quote_distance(&self) -> u64 {
        (self.opening / 20_000).max(1)
    }

    /// Returns the prices that there may be, in ticks.
    pub(crate) fn possible(&self) -> RangeInclusive<u64> {
        1..=self.opening * 100
    }

    /// Returns the prices around which other participants have space for their quotes, in ticks.
    pub(crate) fn quotable(&self) -> RangeInclusive<u64> {
        (QUOTES + 1) * self.quote_distance()..=self.opening * 100
    }

    /// Returns a price in ticks, within a range.
    ///
    /// # Errors
    ///
    /// The price is between two ticks, or outside of the range.
    pub(crate) fn ticks_within(&self, price: Decimal, range: fn(&Self) -> RangeInclusive<u64>) -> Result<u64, String> {
        let range = range(self);
        self.ticks(price).filter(|ticks| range.contains(ticks)).ok_or_else(|| {
            let [least, most] = [range.start(), range.end()].map(|ticks| self.price(*ticks).normalize());
            let (symbol, line, tick) = (self.symbol, self.line, self.tick);
            format!("invalid price {price} of {symbol} in {line}: expected a multiple of {tick} from {least} to {most}")
        })
    }

    /// Returns a quantity of other participants in lots, at a price.
    ///
    /// # Errors
    ///
    /// The quantity is zero, between two steps, or too large.
    pub(crate) fn lots_of_others(&self, qty: Decimal, ticks: u64) -> Result<u64, String> {
        let most = MAX_VALUE.checked_div(self.value(ticks, 1)).and_then(|most| u64::try_from(most.floor()).ok());
        let most = most.unwrap_or(u64::MAX).min(MAX_LOTS);
        self.lots(qty).filter(|lots| (1..=most).contains(lots)).ok_or_else(|| {
            let (symbol, line, step) = (self.symbol, self.line, self.step);
            let most = self.qty(most).normalize();
            format!("invalid qty {qty} of {symbol} in {line}: expected a multiple of {step} up to {most}")
        })
    }

    /// Returns a quantity in lots; `None` if it is not on the grid.
    pub(crate) fn lots(&self, qty: Decimal) -> Option<u64> {
        on_grid(qty, self.step)
    }

    /// Returns how many lots an amount of the quote coin buys at a price.
    pub(crate) fn lots_for(&self, amount: Decimal, ticks: u64) -> u64 {
        let lot = self.price(ticks) * self.step;
        amount.checked_div(lot).and_then(|lots| u64::try_from(lots.floor()).ok()).unwrap_or(0)
    }

    /// Returns the most lots that a quantity holds.
    pub(crate) fn lots_below(&self, qty: Decimal) -> u64 {
        u64::try_from((qty / self.step).floor().max(Decimal::ZERO)).unwrap_or_default()
    }

    /// Returns price times quantity in the quote coin.
    pub(crate) fn value(&self, ticks: u64, lots: u64) -> Decimal {
        match self.contract {
            Contract::InverseByQuote => self.qty(lots),
            _ => self.price(ticks) * self.qty(lots),
        }
    }

    /// Returns the quantity in the base coin.
    pub(crate) fn base_qty(&self, ticks: u64, lots: u64) -> Decimal {
        match self.contract {
            Contract::InverseByQuote => quotient(self.qty(lots), self.price(ticks)),
            _ => self.qty(lots),
        }
    }

    /// Returns the value in the coin that settles; margins and fees are shares of it.
    pub(crate) fn settled_value(&self, ticks: u64, lots: u64) -> Decimal {
        match self.contract {
            Contract::Spot | Contract::Linear => self.value(ticks, lots),
            Contract::Inverse | Contract::InverseByQuote => self.base_qty(ticks, lots),
        }
    }

    /// Returns the entry cost of a fill. Costs add up over the entries, less those of closed parts.
    pub(crate) fn cost(&self, ticks: u64, lots: u64) -> Decimal {
        match self.contract {
            Contract::InverseByQuote => self.base_qty(ticks, lots),
            _ => self.value(ticks, lots),
        }
    }

    /// Returns the average price at which a position with this entry cost was opened.
    pub(crate) fn entry_price(&self, cost: Decimal, lots: u64) -> Decimal {
        match self.contract {
            Contract::InverseByQuote => quotient(self.qty(lots), cost),
            _ => quotient(cost, self.qty(lots)),
        }
    }

    /// Returns the value of a position at its entry, in the coin that settles.
    pub(crate) fn entry_value(&self, cost: Decimal, lots: u64) -> Decimal {
        if self.contract == Contract::Inverse { self.qty(lots) } else { cost }
    }

    /// Returns the profit of closing a position with this entry cost and opening side.
    pub(crate) fn profit(&self, opened: Side, cost: Decimal, ticks: u64, lots: u64) -> Decimal {
        let gain = self.cost(ticks, lots) - cost;
        let of_long = match self.contract {
            Contract::Spot | Contract::Linear => gain,
            Contract::Inverse => quotient(gain, self.price(ticks)),
            Contract::InverseByQuote => -gain,
        };
        if opened == Side::Buy { of_long } else { -of_long }
    }

    /// Returns how many decimal places prices have.
    pub(crate) fn price_places(&self) -> u32 {
        self.tick.normalize().scale()
    }

    /// Returns how many decimal places quantities have.
    pub(crate) fn size_places(&self) -> u32 {
        self.step.normalize().scale()
    }

    /// Returns whether it is a token of a stock.
    pub(crate) fn is_reality(&self) -> bool {
        self.documented.is_some()
    }

    /// Returns whether requests mean it by this name.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.symbol == name || self.documented == Some(name)
    }

    /// Returns the names by which requests mean it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.symbol), self.documented].into_iter().flatten()
    }

    /// Returns whether a family lists it.
    pub(crate) fn is_listed(&self, family: Family) -> bool {
        self.only.is_none_or(|only| only == family)
    }
}

/// Returns the name of a Reality pair as the documents write it: with the small letter of its base coin.
pub(crate) fn documented(line: Line, base: &str, quote: &str) -> Option<&'static str> {
    let name = tradeapi::unified::Symbol::from(format!("{base}{quote}"));
    (line == Line::Spot && name.is_reality() == Some(true)).then(|| interned(name.as_str()))
}

/// Returns what requests of the unified family are checked against: which spot pairs are tokens of stocks.
pub(crate) fn listed(pairs: &[Instrument]) -> ListedInstruments {
    let mut listed = ListedInstruments::default();
    let unified = listed.of(tradeapi::unified::PlaceOrder::META.family);
    for pair in pairs.iter().filter(|pair| pair.line == Line::Spot) {
        let stated = tradeapi::Instrument::new().with_is_reality(pair.is_reality());
        unified.add(pair.line.as_str().to_owned(), pair.symbol.to_owned(), stated.as_ref().clone());
    }
    listed
}

/// Returns the most lots of one order.
pub(crate) fn most_lots(pair: &Instrument) -> u64 {
    let lot = match pair.contract {
        Contract::InverseByQuote => pair.step,
        _ => pair.price(pair.opening) * pair.step,
    };
    let most = MAX_VALUE.checked_div(lot).and_then(|most| u64::try_from(most.floor()).ok());
    most.unwrap_or(u64::MAX).min(MAX_LOTS)
}

/// Returns `a / b`, rounded; zero if `b` is zero.
pub(crate) fn quotient(a: Decimal, b: Decimal) -> Decimal {
    a.checked_div(b).unwrap_or_default().round_dp(PLACES)
}

/// Returns the number of steps that a number consists of; `None` if it is between two steps.
pub(crate) fn on_grid(number: Decimal, step: Decimal) -> Option<u64> {
    if !number.checked_rem(step)?.is_zero() {
        return None;
    }
    u64::try_from(number.checked_div(step)?.normalize()).ok()
}

/// A row of the table: tick, step, least, opening and clip are multiples of `10^-scale` of prices and quantities.
struct Row(Line, &'static str, Coin, Coin, Contract, [(i64, u32); 2], [u64; 3], Option<Family>);

const ROWS: &[Row] = {
    use Contract::{Inverse, InverseByQuote, Linear, Spot};
    use Family::{Classic, Unified};
    use Line::{CoinFutures, UsdcFutures, UsdtFutures};
    &[
        // line, symbol, base, quote, contract, [tick, step], [least, opening, clip], only
        Row(Line::Spot, "BTCUSDT", "BTC", "USDT", Spot, [(1, 2), (1, 6)], [10, 6_400_000, 20_000], Some(Unified)),
        Row(Line::Spot, "ETHUSDT", "ETH", "USDT", Spot, [(1, 2), (1, 4)], [10, 315_000, 4_000], Some(Unified)),
        Row(Line::Spot, "SOLUSDT", "SOL", "USDT", Spot, [(1, 3), (1, 4)], [100, 150_000, 80_000], Some(Unified)),
        Row(Line::Spot, "RAAPLUSDT", "rAAPL", "USDT", Spot, [(1, 2), (1, 4)], [100, 23_000, 30_000], Some(Unified)),
        Row(Line::Spot, "RTSLAUSDT", "rTSLA", "USDT", Spot, [(1, 2), (1, 4)], [100, 41_000, 20_000], Some(Unified)),
        Row(UsdtFutures, "BTCUSDT", "BTC", "USDT", Linear, [(1, 1), (1, 3)], [1, 640_000, 20], None),
        Row(UsdtFutures, "ETHUSDT", "ETH", "USDT", Linear, [(1, 2), (1, 2)], [1, 315_000, 40], None),
        Row(UsdtFutures, "SOLUSDT", "SOL", "USDT", Linear, [(1, 3), (1, 1)], [1, 150_000, 80], None),
        Row(UsdtFutures, "XRPUSDT", "XRP", "USDT", Linear, [(1, 4), (1, 0)], [10, 23_000, 5_000], None),
        Row(UsdcFutures, "BTCPERP", "BTC", "USDC", Linear, [(5, 1), (1, 4)], [1, 128_000, 200], None),
        Row(UsdcFutures, "ETHPERP", "ETH", "USDC", Linear, [(1, 2), (1, 2)], [1, 315_000, 40], None),
        Row(CoinFutures, "BTCUSD", "BTC", "USD", Inverse, [(1, 1), (1, 3)], [1, 640_000, 20], Some(Classic)),
        Row(CoinFutures, "ETHUSD", "ETH", "USD", Inverse, [(1, 2), (1, 2)], [1, 315_000, 40], Some(Classic)),
        Row(CoinFutures, "BTCUSD_CM", "BTC", "USD", InverseByQuote, [(1, 1), (1, 0)], [1, 640_000, 900], Some(Unified)),
        Row(CoinFutures, "ETHUSD_CM", "ETH", "USD", InverseByQuote, [(1, 2), (1, 0)], [1, 315_000, 900], Some(Unified)),
    ]
};

/// Returns all pairs, in the order of the table.
pub(crate) fn all() -> Vec<Instrument> {
    ROWS.iter()
        .map(|Row(line, symbol, base, quote, contract, [tick, step], [least, opening, clip], only)| {
            let (tick, step) = (Decimal::new(tick.0, tick.1), Decimal::new(step.0, step.1));
            Instrument {
                line: *line,
                symbol,
                documented: documented(*line, base, quote),
                base,
                quote,
                contract: *contract,
                tick,
                step,
                least: *least,
                opening: *opening,
                clip: *clip,
                only: *only,
                suspended: false,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let [first, second] = [interned("DOGE"), interned(&String::from("DOGE"))];
        assert!(std::ptr::eq(first, second) && first == "DOGE");
    }

    #[test]
    fn numbers_are_on_the_grid_or_refused() {
        let pairs = all();
        let btc = &pairs[5];
        assert_eq!((btc.symbol, btc.line), ("BTCUSDT", Line::UsdtFutures));
        assert_eq!(btc.ticks(Decimal::new(640_001, 1)), Some(640_001));
        assert_eq!(btc.ticks(Decimal::new(6_400_015, 2)), None);
        assert_eq!(btc.ticks(Decimal::from(-1)), None);
        assert_eq!(btc.value(640_000, 5), Decimal::from(320));
    }

    #[test]
    fn contracts_count_in_their_coins() {
        let pairs = all();
        let pair = |symbol| pairs.iter().find(|pair| pair.symbol == symbol).unwrap_or(&pairs[0]);
        // 0.01 BTC from 64000 to 80000: 160 USD, which are 0.002 BTC at 80000.
        let inverse = pair("BTCUSD");
        assert_eq!(inverse.profit(Side::Buy, inverse.cost(640_000, 10), 800_000, 10), Decimal::new(2, 3));
        // 640 USD: 0.01 BTC at 64000, 0.008 BTC at 80000.
        let by_quote = pair("BTCUSD_CM");
        assert_eq!(by_quote.profit(Side::Buy, by_quote.cost(640_000, 640), 800_000, 640), Decimal::new(2, 3));
        assert_eq!(by_quote.profit(Side::Sell, by_quote.cost(640_000, 640), 800_000, 640), Decimal::new(-2, 3));
    }
}
