//! Recorded markets that are played back: prices, trades and books of a pair, from a setup or from CSV files.

use std::path::Path;
use std::{fs, io};

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

    /// Reads a CSV file of prices: on each line a time in Unix milliseconds and a price. A first line with names is
    /// skipped, and so are further columns. The first time is the start.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is wrong; the error names it.
    pub fn read(symbol: &str, path: &Path) -> io::Result<Self> {
        let steps = rows(path, "a price", |cells| Some(Price(cells.first()?.parse().ok()?)))?;
        Ok(Self { symbol: symbol.to_owned(), steps })
    }

    /// Reads a CSV file of candles: on each line the time at which it opens in Unix milliseconds, and the prices at which
    /// it opens, at its highest, at its lowest and at which it closes. A candle passes its lowest price first if it
    /// rises, and lasts until the next one; the last one as long as the one before, or a minute. Otherwise like
    /// [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_candles(symbol: &str, path: &Path) -> io::Result<Self> {
        const MINUTE: u64 = 60_000;
        let candles = rows(path, "four prices", |cells| {
            let mut prices = cells.iter().map(|cell| cell.parse::<Decimal>().ok());
            Some([prices.next()??, prices.next()??, prices.next()??, prices.next()??])
        })?;
        let mut steps = Vec::with_capacity(candles.len() * 4);
        let mut length = MINUTE;
        for (index, (at, [open, high, low, close])) in candles.iter().enumerate() {
            length = candles.get(index + 1).map_or(length, |(next, _)| next - at);
            let [second, third] = if close >= open { [low, high] } else { [high, low] };
            let parts = [(0, open), (length / 3, second), (length * 2 / 3, third), (length.saturating_sub(1), close)];
            steps.extend(parts.map(|(after, price)| (at + after, Price(*price))));
        }
        Ok(Self { symbol: symbol.to_owned(), steps })
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

    /// Reads a CSV file of trades: on each line a time in Unix milliseconds, a price, a quantity, and the side of the
    /// taker, `buy` or `sell`. Otherwise like [`Prices::read`].
    ///
    /// # Errors
    ///
    /// As [`Prices::read`].
    pub fn read(symbol: &str, path: &Path) -> io::Result<Self> {
        let trades = rows(path, "a price, a quantity, and buy or sell", |cells| {
            let [price, qty, side, ..] = cells else { return None };
            Some((Price(price.parse().ok()?), Price(qty.parse().ok()?), Side::of(&side.to_lowercase())?))
        })?;
        let steps = trades.into_iter().map(|(at, (price, qty, side))| (at, price, qty, side)).collect();
        Ok(Self { symbol: symbol.to_owned(), steps })
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

    /// Reads a CSV file of books: on each line a time in Unix milliseconds, `bid` or `ask`, a price and a quantity. The
    /// lines with one time are a whole book. Otherwise like [`Prices::read`].
    ///
    /// # Errors
    ///
    /// As [`Prices::read`].
    pub fn read(symbol: &str, path: &Path) -> io::Result<Self> {
        let levels = rows(path, "bid or ask, a price and a quantity", |cells| {
            let [side, price, qty, ..] = cells else { return None };
            let is_bid = match side.to_lowercase().as_str() {
                "bid" | "buy" => true,
                "ask" | "sell" => false,
                _ => return None,
            };
            Some((is_bid, (Price(price.parse().ok()?), Price(qty.parse().ok()?))))
        })?;
        let mut steps: Vec<(u64, RecordedBook)> = Vec::new();
        for (at, (is_bid, level)) in levels {
            if steps.last().is_none_or(|(before, _)| *before != at) {
                steps.push((at, RecordedBook::default()));
            }
            if let Some((_, book)) = steps.last_mut() {
                if is_bid { &mut book.bids } else { &mut book.asks }.push(level);
            }
        }
        Ok(Self { symbol: symbol.to_owned(), steps })
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

/// The rows of a CSV file: the time of each since the first one, and what `read` makes of its other cells. A first line
/// that is not a row has names.
fn rows<T>(path: &Path, expected: &str, read: impl Fn(&[&str]) -> Option<T>) -> io::Result<Vec<(u64, T)>> {
    let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let mut rows: Vec<(u64, T)> = Vec::new();
    let mut begun = None;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let row = cells.split_first().and_then(|(time, cells)| Some((time.parse::<u64>().ok()?, read(cells)?)));
        let Some((at, row)) = row else {
            if index == 0 {
                continue;
            }
            return Err(failed(format!("line {}: expected a time in milliseconds and {expected}", index + 1)));
        };
        let passed = at.checked_sub(*begun.get_or_insert(at));
        let is_ordered = passed.filter(|at| rows.last().is_none_or(|(before, _)| before <= at));
        let at = is_ordered
            .ok_or_else(|| failed(format!("line {}: the time is earlier than on the line before", index + 1)))?;
        rows.push((at, row));
    }
    Ok(rows)
}
