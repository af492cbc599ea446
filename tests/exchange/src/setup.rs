//! The setup of an exchange: settings, users, instruments and prices, from a YAML file or the first line of a journal.

use std::path::Path;
use std::{fs, io};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use tradeapi::unified::Symbol;

use crate::accounts::Profile;
use crate::faults::Conditions;
use crate::instruments::{self, Contract, Instrument, MAX_VALUE, PLACES, on_grid};
use crate::settings::Settings;
use crate::values::{Price, number};
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
    /// The initial conditions of the network and the nodes.
    pub conditions: Conditions,
}

/// A pair in addition to those that every exchange has.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Pair {
    /// The product line.
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

/// Prices of a pair that are played back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Prices {
    /// The pair, in all product lines.
    pub symbol: String,
    /// Milliseconds since the start, and the price from then on.
    pub steps: Vec<(u64, Price)>,
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
    /// A pair is there twice or has impossible numbers, a price is not one of its pair or there is none, a balance is
    /// negative, a permission is in no document, or a status is not one of HTTP.
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
            let Some(made) = pair.instrument() else {
                let (symbol, tick, step, opening) = (&pair.symbol, pair.tick, pair.step, pair.opening);
                return wrong(format!(
                    "the pair {symbol}: expected positive steps and an opening price of more than five ticks, found tick \
                     {tick}, step {step} and opening {opening}; margin is traded with spot pairs"
                ));
            };
            pairs.push(made);
        }
        for prices in &self.prices {
            let mut of_pair = pairs.iter().filter(|pair| pair.symbol == prices.symbol).peekable();
            if of_pair.peek().is_none() {
                return wrong(format!("prices of {}: there is no such pair", prices.symbol));
            }
            if prices.steps.is_empty() {
                return wrong(format!("prices of {}: there is none", prices.symbol));
            }
            for pair in of_pair {
                let wrong_one = prices.steps.iter().find(|(_, price)| pair.nearest_ticks(price.0).is_none());
                if let Some((at, price)) = wrong_one {
                    let (symbol, most) = (pair.symbol, pair.price(pair.opening * 100));
                    return wrong(format!(
                        "price {} of {symbol} at {at} ms: expected one from {} to {most}",
                        price.0, pair.tick
                    ));
                }
            }
        }
        Ok(())
    }

    /// Reads a YAML file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or [`from_yaml`](Self::from_yaml) fails; the error names the file.
    #[cfg(feature = "yaml")]
    pub fn read(path: &Path) -> io::Result<Self> {
        let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::from_yaml(&text).map_err(|error| failed(error.to_string()))
    }
}

impl Pair {
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

impl Prices {
    /// Reads a CSV file of prices: on each line a time in Unix milliseconds and a price. A first line with names is
    /// skipped, and so are further columns. The first time is the start.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is wrong; the error names it.
    pub fn read(symbol: &str, path: &Path) -> io::Result<Self> {
        let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        let mut steps: Vec<(u64, Price)> = Vec::new();
        let mut begun = None;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mut cells = line.split(',').map(str::trim);
            let cells =
                (cells.next().and_then(|time| time.parse::<u64>().ok()), cells.next().and_then(|p| p.parse().ok()));
            match cells {
                (Some(at), Some(price)) => {
                    let passed = at.checked_sub(*begun.get_or_insert(at));
                    let is_ordered = passed.filter(|at| steps.last().is_none_or(|(before, _)| before <= at));
                    let at = is_ordered.ok_or_else(|| {
                        failed(format!("line {}: the time is earlier than on the line before", index + 1))
                    })?;
                    steps.push((at, Price(price)));
                }
                _ if index == 0 => {}
                _ => return Err(failed(format!("line {}: expected a time in milliseconds and a price", index + 1))),
            }
        }
        Ok(Self { symbol: symbol.to_owned(), steps })
    }
}
