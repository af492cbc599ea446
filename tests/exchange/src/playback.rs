//! Recorded markets that are played back: prices, trades and books of a pair.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::instruments::Instrument;
use crate::values::Price;
use crate::words::Side;

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

/// Trades of a pair that are played back. Each moves the price, fills orders that it reaches, and is shown as a trade of
/// others for the rest of its quantity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Trades {
    /// The pair, in all product lines.
    pub symbol: String,
    /// Milliseconds since the start, the price, the quantity, and the side of the taker.
    pub steps: Vec<(u64, Price, Price, Side)>,
}

/// Books of a pair that are played back, instead of what others quote by themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Books {
    /// The pair, in all product lines.
    pub symbol: String,
    /// Milliseconds since the start, and the book from then on.
    pub steps: Vec<(u64, RecordedBook)>,
}

/// A recorded book: each level with its price and quantity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct RecordedBook {
    /// The bids.
    pub bids: Vec<(Price, Price)>,
    /// The asks.
    pub asks: Vec<(Price, Price)>,
}

/// What happens in a market that is played back, in ticks and lots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarketStep {
    /// The price moves.
    Price(u64),
    /// Others trade: the side of the taker, the price and the quantity.
    Trade(Side, u64, u64),
    /// Others quote this.
    Book(Vec<(Side, u64, u64)>),
}

impl Prices {
    /// The steps for a pair.
    ///
    /// # Errors
    ///
    /// A price is not one of the pair.
    pub(crate) fn of(&self, pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, String> {
        self.steps.iter().map(|(at, price)| Ok((*at, MarketStep::Price(ticks(pair, *at, *price)?)))).collect()
    }
}

impl Trades {
    /// The steps for a pair.
    ///
    /// # Errors
    ///
    /// A price or a quantity is not one of the pair.
    pub(crate) fn of(&self, pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, String> {
        let step = |(at, price, qty, side): &(u64, Price, Price, Side)| {
            Ok((*at, MarketStep::Trade(*side, ticks(pair, *at, *price)?, lots(pair, *at, *qty)?)))
        };
        self.steps.iter().map(step).collect()
    }
}

impl Books {
    /// The steps for a pair.
    ///
    /// # Errors
    ///
    /// A price or a quantity is not one of the pair, or a book crosses.
    pub(crate) fn of(&self, pair: &Instrument) -> Result<Vec<(u64, MarketStep)>, String> {
        let step = |(at, book): &(u64, RecordedBook)| {
            let mut levels = Vec::with_capacity(book.bids.len() + book.asks.len());
            for (side, of_side) in [(Side::Buy, &book.bids), (Side::Sell, &book.asks)] {
                for (price, qty) in of_side {
                    levels.push((side, ticks(pair, *at, *price)?, lots(pair, *at, *qty)?));
                }
            }
            let of = |side| levels.iter().filter(move |(of, ..)| *of == side).map(|(_, ticks, _)| *ticks);
            match (of(Side::Buy).max(), of(Side::Sell).min()) {
                (Some(bid), Some(ask)) if bid >= ask => {
                    Err(format!("the book of {} at {at} ms crosses: expected all bids below all asks", pair.symbol))
                }
                _ => Ok((*at, MarketStep::Book(levels))),
            }
        };
        self.steps.iter().map(step).collect()
    }
}

/// A recorded price in ticks, rounded down to the grid.
fn ticks(pair: &Instrument, at: u64, price: Price) -> Result<u64, String> {
    pair.nearest_ticks(price.0).ok_or_else(|| {
        let (symbol, most) = (pair.symbol, pair.price(pair.opening * 100));
        format!("price {} of {symbol} at {at} ms: expected one from {} to {most}", price.0, pair.tick)
    })
}

/// A recorded quantity in lots, rounded down to the grid and at least one.
fn lots(pair: &Instrument, at: u64, qty: Price) -> Result<u64, String> {
    if qty.0 <= Decimal::ZERO {
        return Err(format!("quantity {} of {} at {at} ms: expected one above zero", qty.0, pair.symbol));
    }
    Ok(pair.lots_below(qty.0).max(1))
}
