//! Fills, as far as they change a position.

use crate::data::value::Decimal;

/// A fill, as far as it changes a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// The id of the fill.
    pub id: String,
    /// The instrument that was traded.
    pub instrument: String,
    /// True if it was bought.
    pub is_buy: bool,
    /// The effect on the position.
    pub effect: TradeEffect,
    /// The price.
    pub price: Decimal,
    /// The quantity.
    pub quantity: Decimal,
    /// The way the contract counts.
    pub contract: Contract,
    /// The profit that the exchange reported.
    pub profit: Option<Decimal>,
    /// The fees, each with a coin and an amount, which is negative if it was paid.
    pub fees: Vec<(String, Decimal)>,
}

/// The way a contract counts: how a profit follows from a quantity and two prices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contract {
    /// A profit is the difference of the prices, times the quantity, in the coin of the prices.
    #[default]
    Linear,
    /// The quantity and the profit are in the base coin. A quantity is worth `quantity × entry` in the coin of the
    /// prices; a long position has a profit of `(1 / entry − 1 / exit)` for each unit of that.
    Inverse,
    /// Not known, so that neither an average price nor a profit follows.
    Unknown,
}

/// The effect of a fill on a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TradeEffect {
    /// There is one position, which buys make greater and sells make smaller.
    #[default]
    Net,
    /// The fill opened the long position if it was a buy, and the short one if it was a sell.
    Opened,
    /// The fill closed a part of the long position.
    ClosedLong,
    /// The fill closed a part of the short position.
    ClosedShort,
    /// Not known, so that none of the positions of its instrument is known any more.
    Unknown,
}

impl Trade {
    /// A trade of a linear instrument with one position, without a reported profit or fee.
    pub fn new(
        id: impl Into<String>,
        instrument: impl Into<String>,
        is_buy: bool,
        price: Decimal,
        quantity: Decimal,
    ) -> Self {
        let (id, instrument) = (id.into(), instrument.into());
        let (effect, profit, fees) = (TradeEffect::Net, None, Vec::new());
        Self { id, instrument, is_buy, effect, price, quantity, contract: Contract::Linear, profit, fees }
    }

    /// Returns what trades are sorted by: the later of two has the higher number as its id.
    pub(crate) fn number(&self) -> (usize, &str) {
        (self.id.len(), &self.id)
    }
}
