//! The setup of an exchange: settings, users, instruments and prices, from a YAML file or the first line of a journal.

use std::collections::BTreeSet;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use tradeapi::unified::Symbol;

use crate::accounts::Profile;
use crate::candles::MINUTE;
use crate::faults::{Conditions, Fault};
use crate::instruments::{self, Contract, Instrument, MAX_VALUE, PLACES, PairName, on_grid};
use crate::playback::{
    Books, Candles, Prices, Steps, Trades, book_step, candle_steps, misplaced, price_step, trade_step,
};
use crate::report_data::Reports;
use crate::settings::Settings;
use crate::values::number;
use crate::words::{Family, Line};

/// The setup of an exchange.
///
/// ```
/// use tradeapi_exchange::Setup;
///
/// let setup = Setup::from_yaml(
///     "
///     settings: { seed: 7, lively: true }
///     users:
///       - { mode: hedge_mode, balances: { USDT: 500 } }
///     instruments:
///       - { line: USDT-FUTURES, symbol: DOGEUSDT, base: DOGE, quote: USDT, tick: 0.00001, step: 1, opening: 0.2 }
///     prices:
///       - { symbol: DOGEUSDT, steps: [[0, 0.2], [60000, 0.21]] }
///     ",
/// )?;
/// assert_eq!(setup.users.len(), 1);
/// # Ok::<(), tradeapi_exchange::SetupError>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Setup {
    /// The settings.
    pub settings: Settings,
    /// The users. Their keys follow from the seed, in this order. Without any, there is a default user.
    pub users: Vec<Profile>,
    /// Pairs in addition to those that every exchange has.
    pub instruments: Vec<Pair>,
    /// Prices that are played back. Other participants do not move them.
    pub prices: Vec<Prices>,
    /// Candles that are played back, in the same way.
    pub candles: Vec<Candles>,
    /// Trades that are played back, in the same way.
    pub trades: Vec<Trades>,
    /// Books that are played back, instead of what others quote.
    pub books: Vec<Books>,
    /// When the recording began that is played back, in Unix milliseconds. With candles, it begins when the exchange's
    /// clock is as far into an interval as it was then, and until then the price is that of the first one.
    pub recorded_from: u64,
    /// Faults that are there from the start.
    pub faults: Vec<Fault>,
    /// Insider trades and commissions, instead of invented ones.
    pub reports: Reports,
    /// The initial conditions of the network and the nodes.
    pub conditions: Conditions,
}

/// A pair in addition to those that every exchange has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Pair {
    /// The business line.
    pub line: Line,
    /// The name.
    pub symbol: String,
    /// The base coin.
    pub base: String,
    /// The quote coin.
    pub quote: String,
    /// The step of prices.
    #[serde(with = "number")]
    pub tick: Decimal,
    /// The step of quantities.
    #[serde(with = "number")]
    pub step: Decimal,
    /// The initial price.
    #[serde(with = "number")]
    pub opening: Decimal,
    /// The minimum quantity, in steps.
    #[serde(default = "one")]
    pub least: u64,
}

fn one() -> u64 {
    1
}

/// The error of an invalid setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupError(String);

impl std::fmt::Display for SetupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// These settings and one user.
    pub(crate) fn of(settings: Settings, user: Profile) -> Self {
        Self { settings, users: vec![user], ..Self::default() }
    }

    /// Reads YAML, and [checks](Self::check) it.
    ///
    /// # Errors
    ///
    /// The text is not a valid setup; the error names the line or what makes no sense.
    #[cfg(feature = "yaml")]
    pub fn from_yaml(text: &str) -> Result<Self, SetupError> {
        let setup: Self = serde_yaml::from_str(text).map_err(|error| SetupError(error.to_string()))?;
        setup.check()?;
        Ok(setup)
    }

    /// Checks that everything in it makes sense. An exchange ignores what does not.
    ///
    /// # Errors
    ///
    /// A pair is there twice or has impossible names or numbers, a recorded market has a number that its pair cannot have,
    /// is empty or is there twice, candles do not follow each other at whole minutes, a balance is negative or of no pair's coin, a permission is in no document, a report
    /// cannot be read, a condition is impossible, or a status is not one of HTTP.
    pub fn check(&self) -> Result<(), SetupError> {
        let wrong = |why: String| Err(SetupError(why));
        if !(200..=599).contains(&self.settings.refusal_status) {
            return wrong(format!(
                "refusal_status {}: expected a status from 200 to 599",
                self.settings.refusal_status
            ));
        }
        self.users.iter().try_for_each(|user| user.check().map_err(SetupError))?;
        let mut pairs = instruments::all();
        for pair in &self.instruments {
            if pairs.iter().any(|other| other.symbol == pair.symbol && other.line == pair.line) {
                return wrong(format!("the pair {} of {} is there twice", pair.symbol, pair.line));
            }
            pair.check_names().map_err(SetupError)?;
            let Some(made) = pair.instrument() else {
                let (symbol, tick, step, opening) = (&pair.symbol, pair.tick, pair.step, pair.opening);
                return wrong(format!(
                    "the pair {symbol}: expected positive steps and an opening price of more than five ticks, found tick \
                     {tick}, step {step} and opening {opening}; margin is traded with spot pairs"
                ));
            };
            pairs.push(made);
        }
        let is_used = |symbol: &str| pairs.iter().any(|pair| pair.symbol == symbol);
        for user in &self.users {
            user.check_coins(&pairs).map_err(SetupError)?;
            if let Some(symbol) = user.copy_trading.iter().flatten().find(|symbol| !is_used(symbol)) {
                return wrong(format!("copy_trading: there is no pair {symbol}"));
            }
        }
        self.conditions.check().map_err(SetupError)?;
        if let Some(fault) = self.faults.iter().find(|fault| fault.per_mille > 1_000 || fault.times == Some(0)) {
            return wrong(format!(
                "the fault {:?}: expected per_mille up to 1000, and times of at least 1",
                fault.kind
            ));
        }
        self.check_recordings(&pairs).map_err(SetupError)?;
        self.reports.check().map_err(SetupError)
    }

    /// Its pairs, with those that every exchange has.
    pub(crate) fn pairs(&self) -> Vec<Instrument> {
        let mut pairs = instruments::all();
        pairs.extend(self.instruments.iter().filter_map(Pair::instrument));
        pairs
    }

    fn check_recordings(&self, pairs: &[Instrument]) -> Result<(), String> {
        let mut recorded = BTreeSet::new();
        for (what, name, count) in self.recordings() {
            if count == 0 {
                return Err(format!("{what} of {name}: there is none"));
            }
            let mut meant = pairs.iter().filter(|pair| name.means(pair)).peekable();
            if meant.peek().is_none() {
                return Err(format!("{what} of {name}: there is no such pair"));
            }
            for pair in meant {
                // Both set the price.
                let what = if what == "candles" { "prices" } else { what };
                if !recorded.insert((what, pair.line, pair.symbol)) {
                    return Err(format!("{what} of {name}: they are there twice"));
                }
            }
        }
        for candles in &self.candles {
            let (name, interval) = (candles.name(), candles.interval);
            if interval == 0 || !interval.is_multiple_of(MINUTE) {
                return Err(format!("candles of {name}: interval {interval}: expected whole minutes, in milliseconds"));
            }
            let times = || candles.steps.iter().map(|(at, _)| self.recorded_from.saturating_add(*at));
            let first = times().next().unwrap_or_default();
            let before = std::iter::once(None).chain(times().map(Some));
            let wrong = times().zip(before).find_map(|(at, before)| misplaced(first, before, at, interval));
            if let Some(why) = wrong {
                return Err(format!("candles of {name}: {why}"));
            }
        }
        pairs.iter().try_for_each(|pair| self.market_steps(pair).map(drop))
    }

    /// What is recorded of which pair, and how many steps it has.
    fn recordings(&self) -> impl Iterator<Item = (&'static str, PairName, usize)> {
        let prices = self.prices.iter().map(|one| ("prices", one.name(), one.steps.len()));
        let candles = self.candles.iter().map(|one| ("candles", one.name(), one.steps.len()));
        let trades = self.trades.iter().map(|one| ("trades", one.name(), one.steps.len()));
        let books = self.books.iter().map(|one| ("books", one.name(), one.steps.len()));
        prices.chain(candles).chain(trades).chain(books)
    }

    /// What is played back in the market of a pair.
    ///
    /// # Errors
    ///
    /// A number is not one of the pair.
    pub(crate) fn market_steps(&self, pair: &Instrument) -> Steps {
        let mut all = Vec::new();
        for prices in self.prices.iter().filter(|one| one.name().means(pair)) {
            for (at, price) in &prices.steps {
                all.push((*at, price_step(pair, *price).map_err(when(*at))?));
            }
        }
        for candles in self.candles.iter().filter(|one| one.name().means(pair)) {
            for (at, candle) in &candles.steps {
                all.extend(candle_steps(pair, *at, candles.interval, candle).map_err(when(*at))?);
            }
        }
        for trades in self.trades.iter().filter(|one| one.name().means(pair)) {
            for (at, price, qty, side) in &trades.steps {
                all.push((*at, trade_step(pair, *price, *qty, *side).map_err(when(*at))?));
            }
        }
        for books in self.books.iter().filter(|one| one.name().means(pair)) {
            for (at, book) in &books.steps {
                all.push((*at, book_step(pair, book).map_err(when(*at))?));
            }
        }
        Ok(all)
    }

    /// How long an exchange that starts at `now` waits before it plays back anything, in milliseconds: until its clock is as
    /// far into the intervals of all candles as that of the recording was.
    pub(crate) fn pause_before_playback(&self, now: u64) -> u64 {
        let divisor = |mut a: u64, mut b: u64| {
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a.max(1)
        };
        let multiple = |a: u64, b: u64| (a / divisor(a, b)).saturating_mul(b.max(1));
        let interval = self.candles.iter().map(|candles| candles.interval).fold(1, multiple);
        (self.recorded_from % interval + interval - now % interval) % interval
    }

    /// Reads a YAML file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or [`from_yaml`](Self::from_yaml) fails; the error names the file.
    #[cfg(feature = "yaml")]
    pub fn read(path: &std::path::Path) -> std::io::Result<Self> {
        let failed = |why: String| std::io::Error::other(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::from_yaml(&text).map_err(|error| failed(error.to_string()))
    }
}

/// Adds the time to an error.
fn when(at: u64) -> impl Fn(String) -> String {
    move |why| format!("at {at} ms: {why}")
}

impl Pair {
    /// Why the names make no sense, if they do not: they appear in queries, and futures are settled in a coin.
    fn check_names(&self) -> Result<(), String> {
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let names = [("symbol", &self.symbol), ("base", &self.base), ("quote", &self.quote)];
        if let Some((key, name)) = names.into_iter().find(|(_, name)| !is_name(name)) {
            return Err(format!(
                "the pair {:?}: {key} {name:?}: expected letters, digits and underscores",
                self.symbol
            ));
        }
        let settled = match self.line {
            Line::UsdtFutures => Some("USDT"),
            Line::UsdcFutures => Some("USDC"),
            Line::Spot | Line::Margin | Line::CoinFutures => None,
        };
        if let Some(coin) = settled.filter(|coin| self.quote != *coin) {
            return Err(format!("the pair {}: quote {}: {} are quoted in {coin}", self.symbol, self.quote, self.line));
        }
        if self.base == self.quote {
            return Err(format!("the pair {}: base and quote are both {}", self.symbol, self.base));
        }
        Ok(())
    }

    /// The instrument; `None` if the numbers make no sense. Its names live as long as the program.
    pub(crate) fn instrument(&self) -> Option<Instrument> {
        let leaked = |text: &String| -> &'static str { Box::leak(text.clone().into_boxed_str()) };
        let is_sensible = |step: Decimal| step > Decimal::ZERO && step.scale() <= PLACES && step <= MAX_VALUE;
        let is_by_quote = Symbol::from(self.symbol.as_str()).is_new_coin_m();
        let (contract, only) = match self.line {
            Line::Spot | Line::Margin => (Contract::Spot, Some(Family::Unified)),
            Line::UsdtFutures | Line::UsdcFutures => (Contract::Linear, None),
            Line::CoinFutures if is_by_quote => (Contract::InverseByQuote, Some(Family::Unified)),
            Line::CoinFutures => (Contract::Inverse, Some(Family::Classic)),
        };
        if !is_sensible(self.tick) || !is_sensible(self.step) || self.line == Line::Margin {
            return None;
        }
        let mut made = Instrument {
            line: self.line,
            symbol: leaked(&self.symbol),
            base: leaked(&self.base),
            quote: leaked(&self.quote),
            contract,
            tick: self.tick,
            step: self.step,
            least: self.least.max(1),
            opening: on_grid(self.opening, self.tick).filter(|ticks| *ticks > 5)?,
            clip: 1,
            only,
            suspended: false,
        };
        // Orders of other participants are worth about a thousand of the quote coin.
        made.clip = made.lots_for(Decimal::ONE_THOUSAND, made.opening).max(made.least);
        Some(made)
    }
}
