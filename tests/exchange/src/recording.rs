//! Recorded markets in CSV files.

use std::path::Path;
use std::{fs, io};

use rust_decimal::Decimal;

use crate::playback::{Books, Prices, RecordedBook, Trades};
use crate::setup::Setup;
use crate::values::Price;
use crate::words::Side;

/// A recorded market from CSV files with times in Unix milliseconds. All of them share one clock: the earliest time of any
/// file is the start, so that trades, candles and books of a pair, and of several pairs, keep their order.
///
/// A first line with names is skipped, and so are further columns.
///
/// ```no_run
/// use tradeapi_exchange::{Recording, Setup};
///
/// let mut recording = Recording::default();
/// recording.trades("BTCUSDT", "trades.csv".as_ref())?;
/// recording.books("BTCUSDT", "books.csv".as_ref())?;
/// let mut setup = Setup::default();
/// recording.play_in(&mut setup);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    prices: Vec<Prices>,
    trades: Vec<Trades>,
    books: Vec<Books>,
}

impl Recording {
    /// Adds a file of prices: on each line a time and a price.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is wrong; the error names it.
    pub fn prices(&mut self, symbol: &str, path: &Path) -> io::Result<()> {
        self.prices.push(prices(symbol, path)?);
        Ok(())
    }

    /// Adds a file of candles: on each line the time at which it opens, and the prices at which it opens, at its highest,
    /// at its lowest and at which it closes. A candle passes its lowest price first if it rises, and lasts until the next
    /// one; the last one as long as the one before, or a minute.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices).
    pub fn candles(&mut self, symbol: &str, path: &Path) -> io::Result<()> {
        self.prices.push(candles(symbol, path)?);
        Ok(())
    }

    /// Adds a file of trades: on each line a time, a price, a quantity, and the side of the taker, `buy` or `sell`.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices).
    pub fn trades(&mut self, symbol: &str, path: &Path) -> io::Result<()> {
        self.trades.push(trades(symbol, path)?);
        Ok(())
    }

    /// Adds a file of books: on each line a time, `bid` or `ask`, a price and a quantity. The lines with one time are a
    /// whole book.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices).
    pub fn books(&mut self, symbol: &str, path: &Path) -> io::Result<()> {
        self.books.push(books(symbol, path)?);
        Ok(())
    }

    /// Has an exchange with this setup play the recording from its start.
    pub fn play_in(mut self, setup: &mut Setup) {
        let start = self.times().map(|at| *at).min().unwrap_or_default();
        self.times().for_each(|at| *at -= start);
        setup.prices.append(&mut self.prices);
        setup.trades.append(&mut self.trades);
        setup.books.append(&mut self.books);
    }

    fn times(&mut self) -> impl Iterator<Item = &mut u64> {
        let prices = self.prices.iter_mut().flat_map(|one| one.steps.iter_mut().map(|(at, _)| at));
        let trades = self.trades.iter_mut().flat_map(|one| one.steps.iter_mut().map(|(at, ..)| at));
        let books = self.books.iter_mut().flat_map(|one| one.steps.iter_mut().map(|(at, _)| at));
        prices.chain(trades).chain(books)
    }
}

/// Reads the prices of a CSV file.
fn prices(symbol: &str, path: &Path) -> io::Result<Prices> {
    let steps = rows(path, "a price", |cells| Some(Price(cells.first()?.parse().ok()?)))?;
    Ok(Prices { symbol: symbol.to_owned(), steps })
}

/// Reads the candles of a CSV file, as four prices each.
fn candles(symbol: &str, path: &Path) -> io::Result<Prices> {
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
    Ok(Prices { symbol: symbol.to_owned(), steps })
}

/// Reads the trades of a CSV file.
fn trades(symbol: &str, path: &Path) -> io::Result<Trades> {
    let trades = rows(path, "a price, a quantity, and buy or sell", |cells| {
        let [price, qty, side, ..] = cells else { return None };
        Some((Price(price.parse().ok()?), Price(qty.parse().ok()?), Side::of(&side.to_lowercase())?))
    })?;
    let steps = trades.into_iter().map(|(at, (price, qty, side))| (at, price, qty, side)).collect();
    Ok(Trades { symbol: symbol.to_owned(), steps })
}

/// Reads the books of a CSV file.
fn books(symbol: &str, path: &Path) -> io::Result<Books> {
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
    Ok(Books { symbol: symbol.to_owned(), steps })
}

/// The rows of a CSV file: the time of each, and what `read` makes of its other cells. A first line that is not a row has
/// names.
fn rows<T>(path: &Path, expected: &str, read: impl Fn(&[&str]) -> Option<T>) -> io::Result<Vec<(u64, T)>> {
    let failed = |why: String| io::Error::other(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let mut rows: Vec<(u64, T)> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let row = cells.split_first().and_then(|(time, cells)| Some((time.parse::<u64>().ok()?, read(cells)?)));
        let Some((at, row)) = row else {
            if index == 0 {
                continue;
            }
            return Err(failed(format!("line {}: expected a time in milliseconds and {expected}", index + 1)));
        };
        if rows.last().is_some_and(|(before, _)| *before > at) {
            return Err(failed(format!("line {}: the time is earlier than on the line before", index + 1)));
        }
        rows.push((at, row));
    }
    Ok(rows)
}
