//! Recorded markets in CSV files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::candles::MINUTE;
use crate::instruments::{Instrument, PairName};
use crate::playback::{
    Books, Candles, Prices, RecordedBook, Trades, book_step, candle_steps, misplaced, price_step, trade_step,
};
use crate::setup::Setup;
use crate::values::Price;
use crate::words::Side;

/// A recorded market from CSV files with times in Unix milliseconds. All of them share one clock: the earliest time of any
/// file is the start, so that trades, candles and books of a pair, and of several pairs, keep their order. Of what a pair
/// has at one time, prices and candles come first, then trades, then books, which show what the trades have left.
///
/// A pair is named by its symbol, for all business lines that list it, or with one of them. A first line with names is
/// skipped, and so are further columns.
///
/// ```no_run
/// use tradeapi_exchange::{Line, Recording, Setup};
///
/// let mut recording = Recording::default();
/// recording.trades("BTCUSDT", "trades.csv".as_ref())?;
/// recording.books((Line::UsdtFutures, "BTCUSDT"), "books.csv".as_ref())?;
/// let mut setup = Setup::default();
/// recording.play_in(&mut setup)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    prices: Vec<File<Price>>,
    candles: Vec<File<[Price; 4]>>,
    trades: Vec<File<(Price, Price, Side)>>,
    books: Vec<File<RecordedBook>>,
}

/// The rows of a CSV file about a pair.
#[derive(Clone, Debug)]
struct File<T> {
    path: PathBuf,
    pair: PairName,
    rows: Vec<Row<T>>,
}

/// A row: its line, its time, and the rest of it.
#[derive(Clone, Debug)]
struct Row<T> {
    line: usize,
    at: u64,
    what: T,
}

impl Recording {
    /// Adds a file of prices: on each line a time and a price.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is wrong; the error names it.
    pub fn prices(&mut self, pair: impl Into<PairName>, path: &Path) -> io::Result<()> {
        let read = |cells: &[&str]| price(cells.first()?);
        self.prices.push(File::read(pair, path, "a price", read)?);
        Ok(())
    }

    /// Adds a file of candles: on each line the time at which it opens, and the prices at which it opens, at its highest,
    /// at its lowest and at which it closes. They last as long as the shortest time between two of them, or a minute if
    /// there is one only; where some are missing, the price stays. A candle passes its lowest price first if it rises.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices); also if a candle begins within a minute, or they do not have one length.
    pub fn candles(&mut self, pair: impl Into<PairName>, path: &Path) -> io::Result<()> {
        let read = |cells: &[&str]| {
            let [open, high, low, close, ..] = cells else { return None };
            Some([price(open)?, price(high)?, price(low)?, price(close)?])
        };
        let file = File::read(pair, path, "four prices", read)?;
        let interval = interval(&file.rows);
        let first = file.rows.first().map_or(0, |row| row.at);
        let mut before = None;
        for row in &file.rows {
            if let Some(why) = misplaced(first, before, row.at, interval) {
                return Err(file.wrong(row.line, &why));
            }
            before = Some(row.at);
        }
        self.candles.push(file);
        Ok(())
    }

    /// Adds a file of trades: on each line a time, a price, a quantity, and the side of the taker, `buy` or `sell`.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices).
    pub fn trades(&mut self, pair: impl Into<PairName>, path: &Path) -> io::Result<()> {
        let read = |cells: &[&str]| {
            let [at, qty, side, ..] = cells else { return None };
            Some((price(at)?, price(qty)?, Side::of(&side.to_lowercase())?))
        };
        self.trades.push(File::read(pair, path, "a price, a quantity, and buy or sell", read)?);
        Ok(())
    }

    /// Adds a file of books: on each line a time, `bid` or `ask`, a price and a quantity. The lines with one time are a
    /// whole book.
    ///
    /// # Errors
    ///
    /// As [`prices`](Self::prices).
    pub fn books(&mut self, pair: impl Into<PairName>, path: &Path) -> io::Result<()> {
        let read = |cells: &[&str]| {
            let [side, at, qty, ..] = cells else { return None };
            let level = (price(at)?, price(qty)?);
            let (bids, asks) = match side.to_lowercase().as_str() {
                "bid" | "buy" => (vec![level], Vec::new()),
                "ask" | "sell" => (Vec::new(), vec![level]),
                _ => return None,
            };
            Some(RecordedBook { bids, asks })
        };
        let mut file = File::read(pair, path, "bid or ask, a price and a quantity", read)?;
        file.rows.dedup_by(|level, book| {
            let is_of_book = level.at == book.at;
            if is_of_book {
                book.what.bids.append(&mut level.what.bids);
                book.what.asks.append(&mut level.what.asks);
            }
            is_of_book
        });
        self.books.push(file);
        Ok(())
    }

    /// Has an exchange with this setup play the recording from its start. With candles, it begins when the exchange's clock
    /// is as far into an interval as that of the recording was.
    ///
    /// # Errors
    ///
    /// The setup has no such pair, or a number is not one of the pair; the error names the line.
    pub fn play_in(self, setup: &mut Setup) -> io::Result<()> {
        let pairs = setup.pairs();
        self.prices.iter().try_for_each(|file| file.check(&pairs, |pair, row| price_step(pair, row.what).map(drop)))?;
        self.candles.iter().try_for_each(|file| {
            file.check(&pairs, |pair, row| candle_steps(pair, row.at, MINUTE, &row.what).map(drop))
        })?;
        self.trades.iter().try_for_each(|file| {
            file.check(&pairs, |pair, Row { what: (price, qty, side), .. }| {
                trade_step(pair, *price, *qty, *side).map(drop)
            })
        })?;
        self.books.iter().try_for_each(|file| file.check(&pairs, |pair, row| book_step(pair, &row.what).map(drop)))?;
        let Some(start) = self.start() else { return Ok(()) };
        setup.recorded_from = start;
        setup.prices.extend(self.prices.into_iter().map(|file| {
            let (PairName { symbol, line }, steps) = file.since(start);
            Prices { symbol, line, steps }
        }));
        setup.candles.extend(self.candles.into_iter().map(|file| {
            let interval = interval(&file.rows);
            let (PairName { symbol, line }, steps) = file.since(start);
            Candles { symbol, line, interval, steps }
        }));
        setup.trades.extend(self.trades.into_iter().map(|file| {
            let (PairName { symbol, line }, steps) = file.since(start);
            let steps = steps.into_iter().map(|(at, (price, qty, side))| (at, price, qty, side)).collect();
            Trades { symbol, line, steps }
        }));
        setup.books.extend(self.books.into_iter().map(|file| {
            let (PairName { symbol, line }, steps) = file.since(start);
            Books { symbol, line, steps }
        }));
        Ok(())
    }

    /// The earliest time.
    fn start(&self) -> Option<u64> {
        let starts = [
            self.prices.iter().filter_map(File::start).min(),
            self.candles.iter().filter_map(File::start).min(),
            self.trades.iter().filter_map(File::start).min(),
            self.books.iter().filter_map(File::start).min(),
        ];
        starts.into_iter().flatten().min()
    }
}

impl<T> File<T> {
    /// Reads the rows of a file: the time of each, and what `read` makes of its other cells. A first line that does not
    /// begin with a digit has names.
    fn read(
        pair: impl Into<PairName>,
        path: &Path,
        expected: &str,
        read: impl Fn(&[&str]) -> Option<T>,
    ) -> io::Result<Self> {
        let mut file = Self { path: path.to_owned(), pair: pair.into(), rows: Vec::new() };
        let failed = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(failed)?;
        // Spreadsheets begin a file with a byte-order mark.
        let text = text.trim_start_matches('\u{feff}');
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let cells: Vec<&str> = text.split(',').map(str::trim).collect();
            let row = cells.split_first().and_then(|(time, cells)| Some((time.parse::<u64>().ok()?, read(cells)?)));
            let Some((at, what)) = row else {
                if line == 1 && !text.trim_start().starts_with(|first: char| first.is_ascii_digit()) {
                    continue;
                }
                return Err(file.wrong(line, &format!("expected a time in milliseconds and {expected}")));
            };
            if file.rows.last().is_some_and(|before| before.at > at) {
                return Err(file.wrong(line, "the time is earlier than on the line before"));
            }
            file.rows.push(Row { line, at, what });
        }
        if file.rows.is_empty() {
            return Err(file.wrong(1, &format!("there is no row: expected a time in milliseconds and {expected}")));
        }
        Ok(file)
    }

    fn wrong(&self, line: usize, why: &str) -> io::Error {
        io::Error::other(format!("{}: line {line}: {why}", self.path.display()))
    }

    fn start(&self) -> Option<u64> {
        self.rows.first().map(|row| row.at)
    }

    /// Checks each row for each pair that the file is about.
    fn check(
        &self,
        pairs: &[Instrument],
        check: impl Fn(&Instrument, &Row<T>) -> Result<(), String>,
    ) -> io::Result<()> {
        let mut meant = pairs.iter().filter(|pair| self.pair.means(pair)).peekable();
        if meant.peek().is_none() {
            let why = format!("{}: there is no pair {}", self.path.display(), self.pair);
            return Err(io::Error::other(why));
        }
        meant.try_for_each(|pair| {
            self.rows.iter().try_for_each(|row| check(pair, row).map_err(|why| self.wrong(row.line, &why)))
        })
    }

    /// The pair, and the rows with their times since the start.
    fn since(self, start: u64) -> (PairName, Vec<(u64, T)>) {
        (self.pair, self.rows.into_iter().map(|row| (row.at - start, row.what)).collect())
    }
}

fn price(cell: &str) -> Option<Price> {
    cell.parse().ok().map(Price)
}

/// How long candles last: whole minutes.
fn interval<T>(rows: &[Row<T>]) -> u64 {
    let lengths = rows.windows(2).map(|two| two[1].at - two[0].at);
    lengths.filter(|length| *length > 0 && length.is_multiple_of(MINUTE)).min().unwrap_or(MINUTE)
}
