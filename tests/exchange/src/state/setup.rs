//! The setup of an exchange: settings, users, instruments, prices, insider trades and commissions, from a YAML file or
//! the first line of a journal.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tradeapi::broker::Commission;
use tradeapi::runtime::json::{Decode, Encode, JsonWriter, read_json};
use tradeapi::unified::{InsiderTrade, Symbol};

use crate::state::accounts::Profile;
use crate::state::faults::{Conditions, Fault};
use crate::state::instruments::{
    self, Contract, Instrument, MAX_LOTS, MAX_NUMBER, MAX_VALUE, PLACES, interned, most_lots, on_grid,
};
use crate::state::market::MINUTE;
use crate::state::playback::{Books, Candles, MarketStep, Prices, Recorded, Trades, WrongStep};
use crate::state::settings::Settings;
use crate::state::values::{number, once};
use crate::state::words::{Family, Line};

/// The most decimal places of a price and a quantity together, so that their products are exact.
const MAX_PLACES: u32 = 16;

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
    /// Creates a setup of these settings and one user.
    pub(crate) fn of(settings: Settings, user: Profile) -> Self {
        Self { settings, users: vec![user], ..Self::default() }
    }

    /// Reads YAML, and [checks](Self::check) it.
    ///
    /// # Errors
    ///
    /// The text is not a valid setup; the error names the line or the key.
    #[cfg(feature = "yaml")]
    pub fn from_yaml(text: &str) -> Result<Self, SetupError> {
        let setup: Self = serde_yaml::from_str(text).map_err(|error| SetupError(error.to_string()))?;
        setup.check()?;
        Ok(setup)
    }

    /// Checks the setup. An exchange ignores what is wrong.
    ///
    /// # Errors
    ///
    /// A pair is invalid or there twice; a recorded market is empty, is there twice, or has a number that its pair cannot
    /// have; candles do not follow each other at whole minutes; a balance is negative or of a coin that no pair has; a
    /// permission is unknown; a report, a fault, a condition or the HTTP status of refusals is invalid.
    pub fn check(&self) -> Result<(), SetupError> {
        self.checked().map_err(SetupError)
    }

    fn checked(&self) -> Result<(), String> {
        self.settings.check()?;
        let pairs = self.checked_pairs()?;
        self.users.iter().try_for_each(|user| user.check(&pairs))?;
        self.conditions.check()?;
        self.faults.iter().try_for_each(Fault::check)?;
        self.check_recorded(&pairs)?;
        self.reports.check()
    }

    /// Returns the pairs, with those that every exchange has.
    pub(crate) fn pairs(&self) -> Vec<Instrument> {
        let mut pairs = instruments::all();
        pairs.extend(self.instruments.iter().filter_map(|pair| pair.instrument().ok()));
        pairs
    }

    fn checked_pairs(&self) -> Result<Vec<Instrument>, String> {
        let mut pairs = instruments::all();
        for pair in &self.instruments {
            if pairs.iter().any(|other| other.is_named(&pair.symbol) && other.line == pair.line) {
                return Err(format!("the pair {} of {} is there twice", pair.symbol, pair.line));
            }
            pairs.push(pair.instrument()?);
        }
        Ok(pairs)
    }

    fn check_recorded(&self, pairs: &[Instrument]) -> Result<(), String> {
        let mut known = BTreeSet::new();
        for recorded in self.recorded() {
            let (kind, name) = (recorded.kind(), recorded.pair());
            if recorded.times().is_empty() {
                return Err(format!("{kind} of {name}: there is none"));
            }
            let mut meant = pairs.iter().filter(|pair| name.means(pair)).peekable();
            if meant.peek().is_none() {
                return Err(format!("{kind} of {name}: there is no such pair"));
            }
            for pair in meant {
                // Both set the price.
                let kind = if kind == "candles" { "prices" } else { kind };
                if !known.insert((kind, pair.line, pair.symbol)) {
                    return Err(format!("{kind} of {name}: they are there twice"));
                }
            }
        }
        for candles in &self.candles {
            let (name, interval) = (candles.pair(), candles.interval);
            if interval == 0 || !interval.is_multiple_of(MINUTE) {
                return Err(format!("candles of {name}: interval {interval}: expected whole minutes, in milliseconds"));
            }
            if let Some(WrongStep { why, .. }) = candles.misplaced(self.recorded_from) {
                return Err(format!("candles of {name}: {why}"));
            }
        }
        pairs.iter().try_for_each(|pair| self.market_steps(pair).map(drop))
    }

    /// Returns what was recorded, in the order in which it happens at one time.
    fn recorded(&self) -> impl Iterator<Item = &dyn Recorded> {
        let prices = self.prices.iter().map(|one| one as &dyn Recorded);
        let candles = self.candles.iter().map(|one| one as &dyn Recorded);
        let trades = self.trades.iter().map(|one| one as &dyn Recorded);
        let books = self.books.iter().map(|one| one as &dyn Recorded);
        prices.chain(candles).chain(trades).chain(books)
    }

    /// Returns what is played back in the market of a pair.
    ///
    /// # Errors
    ///
    /// A number is not one of the pair.
    pub(crate) fn market_steps(&self, pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, String> {
        let mut all = Vec::new();
        for recorded in self.recorded().filter(|one| one.pair().means(pair)) {
            let at = |index: usize| recorded.times().get(index).copied().unwrap_or_default();
            let (kind, name) = (recorded.kind(), recorded.pair());
            let wrong = |step: WrongStep| format!("{kind} of {name}: at {} ms: {}", at(step.index), step.why);
            all.extend(recorded.steps(pair).map_err(wrong)?);
        }
        Ok(all)
    }

    /// Returns how long an exchange that starts at `now` waits before it plays back anything, in milliseconds: until
    /// its clock is as far into the intervals of all candles as that of the recording was.
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
        // Some editors begin a file with a byte-order mark.
        Self::from_yaml(text.strip_prefix('\u{feff}').unwrap_or(&text)).map_err(|error| failed(error.to_string()))
    }
}

impl Pair {
    /// Refuses names that cannot appear in queries, and quote coins in which the business line is not settled.
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

    /// Returns the instrument.
    ///
    /// # Errors
    ///
    /// A name or a number is invalid.
    pub(crate) fn instrument(&self) -> Result<Instrument, String> {
        self.check_names()?;
        let opening = self.checked_opening()?;
        let is_by_quote = Symbol::from(self.symbol.as_str()).is_new_coin_m();
        let (contract, only) = match self.line {
            Line::Spot | Line::Margin => (Contract::Spot, Some(Family::Unified)),
            Line::UsdtFutures | Line::UsdcFutures => (Contract::Linear, None),
            Line::CoinFutures if is_by_quote => (Contract::InverseByQuote, Some(Family::Unified)),
            Line::CoinFutures => (Contract::Inverse, Some(Family::Classic)),
        };
        let mut made = Instrument {
            line: self.line,
            symbol: interned(&self.symbol),
            documented: instruments::documented(self.line, &self.base, &self.quote),
            base: interned(&self.base),
            quote: interned(&self.quote),
            contract,
            tick: self.tick,
            step: self.step,
            least: self.least,
            opening,
            clip: 1,
            only,
            suspended: false,
        };
        self.check_least(&made)?;
        // Orders of other participants are worth about a thousand of the quote coin.
        made.clip = made.lots_for(Decimal::ONE_THOUSAND, made.opening).min(MAX_LOTS / 1_000).max(made.least);
        Ok(made)
    }

    fn wrong<T>(&self, what: &str, given: impl std::fmt::Display, expected: &str) -> Result<T, String> {
        Err(format!("the pair {}: {what} {given}: expected {expected}", self.symbol))
    }

    /// Returns the opening price in ticks, if it and both steps are within the bounds of exact products.
    fn checked_opening(&self) -> Result<u64, String> {
        let Self { tick, step, opening, .. } = self;
        if self.line == Line::Margin {
            return self.wrong("line", self.line, "SPOT, whose pairs margin trades");
        }
        for (key, value) in [("tick", tick), ("step", step)] {
            if *value <= Decimal::ZERO || value.scale() > PLACES || *value > MAX_VALUE {
                let expected = format!("a number above 0 and up to {MAX_VALUE}, with at most {PLACES} decimal places");
                return self.wrong(key, value, &expected);
            }
        }
        if tick.scale() + step.scale() > MAX_PLACES {
            let expected = format!("at most {MAX_PLACES} decimal places together");
            return self.wrong("tick and step", format!("{tick} and {step}"), &expected);
        }
        let most = MAX_NUMBER / Decimal::ONE_HUNDRED;
        let ticks = on_grid(*opening, *tick).filter(|ticks| (6..=MAX_LOTS).contains(ticks) && *opening <= most);
        ticks.map_or_else(
            || self.wrong("opening", opening, &format!("more than five ticks of {tick}, and up to {most}")),
            Ok,
        )
    }

    /// Refuses a minimum quantity that no order may have.
    fn check_least(&self, pair: &Instrument) -> Result<(), String> {
        let most = most_lots(pair);
        if (1..=most).contains(&self.least) {
            return Ok(());
        }
        self.wrong("least", self.least, &format!("1 to {most} steps, by the value of an order of up to {MAX_VALUE}"))
    }
}

/// A record as the wire has it: its fields with their values. A number in YAML is the text that it is written as, with all
/// its digits. Each field is there once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fields(#[serde(with = "once")] BTreeMap<String, String>);

/// Insider trades and commissions, which are answered instead of invented ones.
///
/// Each is a record with the fields of the documents, such as `{ reporterName: A, tradeDate: 2026-01-31 }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Reports {
    /// Insider trades by the code of the company, in the order in which they are listed. If there are any, other
    /// companies have none.
    #[serde(with = "once")]
    pub insider_trades: BTreeMap<String, Vec<Fields>>,
    /// Commissions, each with its `date` in Unix milliseconds, the newest first.
    pub commissions: Vec<Fields>,
}

impl Reports {
    /// Checks that each record can be read.
    pub(crate) fn check(&self) -> Result<(), String> {
        let trades = self.insider_trades.iter();
        for (code, index, fields) in
            trades.flat_map(|(code, all)| all.iter().enumerate().map(move |(index, fields)| (code, index, fields)))
        {
            insider_trade(fields)
                .and_then(|trade| check_names(fields, &trade))
                .map_err(|why| format!("insider trade {} of {code}: {why}", index + 1))?;
        }
        for (index, fields) in self.commissions.iter().enumerate() {
            commission(fields)
                .and_then(|(_, found)| check_names(fields, &found))
                .map_err(|why| format!("commission {}: {why}", index + 1))?;
        }
        Ok(())
    }

    /// Returns the insider trades of a company; `None` if they are invented.
    pub(crate) fn insider_trades(&self, code: &str) -> Option<Vec<InsiderTrade>> {
        let stated = || self.insider_trades.get(code).into_iter().flatten();
        (!self.insider_trades.is_empty()).then(|| stated().filter_map(|fields| insider_trade(fields).ok()).collect())
    }

    /// Returns the commissions with the time of each, the newest first; `None` if they are invented.
    pub(crate) fn commissions(&self) -> Option<Vec<(u64, Commission)>> {
        let stated = || self.commissions.iter().filter_map(|fields| commission(fields).ok());
        (!self.commissions.is_empty()).then(|| stated().collect())
    }
}

fn insider_trade(fields: &Fields) -> Result<InsiderTrade, String> {
    record(fields)
}

/// Returns a commission with its time in Unix milliseconds.
fn commission(fields: &Fields) -> Result<(u64, Commission), String> {
    let found: Commission = record(fields)?;
    let date = found.date.as_ref().and_then(|date| date.parse().ok());
    Ok((date.ok_or("expected `date` in Unix milliseconds")?, found))
}

/// Refuses fields that a record does not have.
fn check_names(fields: &Fields, record: &impl Encode) -> Result<(), String> {
    let mut out = JsonWriter::new().with_missing_fields();
    record.encode(&mut out);
    let known: BTreeMap<String, IgnoredAny> = serde_json::from_str(&out.finish()).map_err(|error| error.to_string())?;
    match fields.0.keys().find(|name| !known.contains_key(*name)) {
        Some(name) => {
            let known = known.into_keys().collect::<Vec<_>>().join(", ");
            Err(format!("unknown field `{name}`: expected one of {known}"))
        }
        None => Ok(()),
    }
}

fn record<T: Decode>(fields: &Fields) -> Result<T, String> {
    let json = serde_json::to_string(fields).map_err(|error| error.to_string())?;
    read_json(&json).map_err(|error| error.to_string())
}
