//! Positions as they follow from fills: size, average price, realised profit and fees of each instrument, in exact
//! decimals.
//!
//! A [`Ledger`] takes trades one after the other, each once.
//! [`ClientCore::update_ledger`](crate::ClientCore::update_ledger) reads them from the listings of fills. Emitted
//! tables state what each field of a fill means.

mod fields;
mod position;
mod trade;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;

pub use fields::{FeeFields, PositionFields, TradeFields};
pub use position::{Position, PositionKey, PositionSide};
pub use trade::{Contract, Trade, TradeEffect};

/// Positions that follow from trades, beginning with none.
///
/// ```
/// use tradeapi_runtime::ledger::{Ledger, PositionKey, PositionSide, Trade, TradeEffect};
///
/// let mut ledger = Ledger::new();
/// let key = PositionKey::new("spot", "", "BTCUSDT", PositionSide::Net);
/// let trade = |id: &str, buys, price: i64, quantity: i64| Trade {
///     profit: None,
///     fees: Vec::new(),
///     ..Trade::new(id, "BTCUSDT", buys, price.into(), quantity.into())
/// };
/// ledger.take("spot", "", &trade("1", true, 100, 2))?;
/// ledger.take("spot", "", &trade("2", false, 110, 1))?;
/// ledger.take("spot", "", &trade("2", false, 110, 1))?; // It was taken before.
/// let position = &ledger.positions()[&key];
/// assert_eq!((position.size(), position.realised()), (1.into(), Some(10.into())));
/// # assert_eq!(trade("3", true, 1, 1).effect, TradeEffect::Net);
/// # Ok::<(), tradeapi_runtime::ledger::LedgerError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    positions: BTreeMap<PositionKey, Position>,
    taken: HashSet<(String, String, String)>,
}

/// Why a ledger cannot take a trade. The ledger is unchanged then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerError {
    /// It closes more than is open, so the ledger does not have what opened the position.
    NotOpen {
        /// The id of the trade.
        trade: String,
        /// The position.
        position: PositionKey,
    },
    /// A sum or a product has more digits than can be counted exactly.
    Inexact {
        /// The id of the trade.
        trade: String,
        /// The position.
        position: PositionKey,
    },
}

impl Ledger {
    /// A ledger without positions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a position that was open before the first trade: its size, negative if it was sold, and its average price.
    pub fn open(&mut self, key: PositionKey, size: rust_decimal::Decimal, price: rust_decimal::Decimal) {
        self.positions.insert(key, Position::opened(size, price));
    }

    /// Takes a trade of a family and line of business, such as `classic` and `USDT-FUTURES`. Returns whether it is new:
    /// a trade with the id of an earlier one changes nothing.
    ///
    /// Sizes and fees do not depend on the order of trades; average prices and profits do, so take the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the trade closes more than is open, or has too many digits.
    pub fn take(&mut self, family: &str, line: &str, trade: &Trade) -> Result<bool, LedgerError> {
        let id = (family.to_owned(), line.to_owned(), trade.id.clone());
        if self.taken.contains(&id) {
            return Ok(false);
        }
        let key = PositionKey::new(family, line, &trade.instrument, PositionSide::changed_by(trade));
        let known = self.positions.get(&key).cloned().unwrap_or_default();
        let position = known.after(&key, trade)?;
        self.positions.insert(key, position);
        self.taken.insert(id);
        Ok(true)
    }

    /// The positions, including those that were closed.
    pub fn positions(&self) -> &BTreeMap<PositionKey, Position> {
        &self.positions
    }

    /// How many trades it has taken.
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// Whether it has taken no trade.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// The positions whose realised profit differs from what the exchange reported with their trades, and the
    /// difference. Exchanges round differently, so a small one means little.
    pub fn differences(&self) -> impl Iterator<Item = (&PositionKey, rust_decimal::Decimal)> {
        let differing = self.positions.iter().filter_map(|(key, position)| Some((key, position.difference()?)));
        differing.filter(|(_, difference)| !difference.is_zero())
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOpen { trade, position } => write!(
                f,
                "the trade {trade} closes more of {position} than is open: begin with an earlier trade, or with what was \
                 open before"
            ),
            Self::Inexact { trade, position } => {
                write!(f, "the trade {trade} of {position} has too many digits to be counted exactly")
            }
        }
    }
}

impl Error for LedgerError {}
