//! The setup of an exchange: settings, users, instruments and prices, from a YAML file or the first line of a journal.

use std::path::Path;
use std::{fs, io};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::accounts::Profile;
use crate::faults::Conditions;
use crate::settings::Settings;
use crate::words::Line;

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

/// A price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Price(#[serde(with = "number")] pub Decimal);

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

    /// Reads YAML.
    ///
    /// # Errors
    ///
    /// The text is not a valid setup; the error names the line.
    pub fn from_yaml(text: &str) -> Result<Self, SetupError> {
        serde_yaml::from_str(text).map_err(|error| SetupError(error.to_string()))
    }

    /// Reads a YAML file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or [`from_yaml`](Self::from_yaml) fails; the error names the file.
    pub fn read(path: &Path) -> io::Result<Self> {
        let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::from_yaml(&text).map_err(|error| failed(error.to_string()))
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

/// Exact numbers, written as text and read from text or numbers.
pub(crate) mod number {
    use rust_decimal::Decimal;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(number: &Decimal, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Decimal, D::Error> {
        from.deserialize_any(Number)
    }

    struct Number;

    impl Visitor<'_> for Number {
        type Value = Decimal;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
            text.parse().map_err(|_| E::custom(format!("invalid number `{text}`")))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Decimal, E> {
            Ok(number.into())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Decimal, E> {
            Ok(number.into())
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Decimal, E> {
            // The shortest text of the number is the one in the file.
            self.visit_str(&number.to_string())
        }
    }
}

/// Lengths of time in milliseconds.
pub(crate) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
