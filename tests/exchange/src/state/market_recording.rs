//! Recorded markets in CSV files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::state::instruments::{Instrument, PairName};
use crate::state::market::MINUTE;
use crate::state::playback::{Books, Candles, Prices, Recorded, RecordedBook, Trades, WrongStep};
use crate::state::setup::Setup;
use crate::state::values::{Price, exact};
use crate::state::words::Side;

/// A recorded market from CSV files with Unix times in seconds, milliseconds, microseconds or nanoseconds; which of them a
/// file has follows from the size of its first time. All files share one clock: the earliest time of any file is the start,
/// so that trades, candles and books of a pair, and of several pairs, keep their order. Of what a pair has at one time,
/// prices and candles come first, then trades, then books, which show what the trades have left.
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
    files: Vec<File>,
}

/// The content of a CSV file about a pair, with times in Unix milliseconds.
#[derive(Clone, Debug)]
struct File {
    path: PathBuf,
    /// The line of each step.
    lines: Vec<usize>,
    recorded: Contents,
}

#[derive(Clone, Debug)]
enum Contents {
    Prices(Prices),
    Candles(Candles),
    Trades(Trades),
    Books(Books),
}

/// A row: its line, its time, and the rest of it.
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
        let rows = rows(path, "a price", |cells| price(cells.first()?))?;
        let PairName { symbol, line } = pair.into();
        let of_prices = |steps| Contents::Prices(Prices { symbol, line, steps });
        self.files.push(File::new(path, rows, |row| (row.at, row.what), of_prices));
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
        let rows = rows(path, "four prices", read)?;
        let lengths = rows.windows(2).map(|two| two[1].at - two[0].at);
        let interval = lengths.filter(|length| *length > 0 && length.is_multiple_of(MINUTE)).min().unwrap_or(MINUTE);
        let PairName { symbol, line } = pair.into();
        let of_candles = |steps| Contents::Candles(Candles { symbol, line, interval, steps });
        let file = File::new(path, rows, |row| (row.at, row.what), of_candles);
        if let Contents::Candles(candles) = &file.recorded
            && let Some(wrong) = candles.misplaced(0)
        {
            return Err(file.wrong(&wrong));
        }
        self.files.push(file);
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
        let rows = rows(path, "a price, a quantity, and buy or sell", read)?;
        let PairName { symbol, line } = pair.into();
        let of_trades = |steps| Contents::Trades(Trades { symbol, line, steps });
        let step = |Row { at, what: (price, qty, side), .. }: Row<_>| (at, price, qty, side);
        self.files.push(File::new(path, rows, step, of_trades));
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
        let mut rows = rows(path, "bid or ask, a price and a quantity", read)?;
        rows.dedup_by(|level, book| {
            let is_of_book = level.at == book.at;
            if is_of_book {
                book.what.bids.append(&mut level.what.bids);
                book.what.asks.append(&mut level.what.asks);
            }
            is_of_book
        });
        let PairName { symbol, line } = pair.into();
        let of_books = |steps| Contents::Books(Books { symbol, line, steps });
        self.files.push(File::new(path, rows, |row| (row.at, row.what), of_books));
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
        self.files.iter().try_for_each(|file| file.check(&pairs))?;
        let starts = self.files.iter().filter_map(|file| file.recorded().times().first().copied());
        let Some(start) = starts.min() else { return Ok(()) };
        setup.recorded_from = start;
        for file in self.files {
            match file.recorded {
                Contents::Prices(prices) => setup.prices.push(prices.since(start)),
                Contents::Candles(candles) => setup.candles.push(candles.since(start)),
                Contents::Trades(trades) => setup.trades.push(trades.since(start)),
                Contents::Books(books) => setup.books.push(books.since(start)),
            }
        }
        Ok(())
    }
}

/// The units of Unix times, each with the least time that is written in it: those of 1973 to 5138 differ. A smaller number
/// counts milliseconds since the start of a recording.
const UNITS: [(u128, Unit); 5] = [
    (100_000_000_000_000_000, Unit { name: "nanoseconds", nanos: 1 }),
    (100_000_000_000_000, Unit { name: "microseconds", nanos: 1_000 }),
    (100_000_000_000, Unit { name: "milliseconds", nanos: 1_000_000 }),
    (100_000_000, Unit { name: "seconds", nanos: 1_000_000_000 }),
    (0, Unit { name: "milliseconds since the start", nanos: 1_000_000 }),
];

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Unit {
    name: &'static str,
    nanos: u64,
}

/// Reads a time in the unit that its size shows: in milliseconds, and the unit. A part of a unit may follow a point.
fn time(cell: &str) -> Option<(u64, Unit)> {
    let time = exact(cell).filter(|time| !time.is_sign_negative())?;
    let whole = u128::try_from(time.trunc().mantissa()).ok()?;
    let (_, unit) = UNITS.into_iter().find(|(least, _)| whole >= *least)?;
    let millis = time.checked_mul(unit.nanos.into())?.checked_div(1_000_000.into())?;
    Some((u64::try_from(millis.trunc().mantissa()).ok()?, unit))
}

/// Reads the rows of a file: the time of each, and what `read` makes of its other cells. A first line that begins with
/// a letter has names.
fn rows<T>(path: &Path, expected: &str, read: impl Fn(&[&str]) -> Option<T>) -> io::Result<Vec<Row<T>>> {
    let failed = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(failed)?;
    // Spreadsheets begin a file with a byte-order mark.
    let text = text.trim_start_matches('\u{feff}');
    let mut rows: Vec<Row<T>> = Vec::new();
    let mut unit_of_file: Option<Unit> = None;
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let cells: Vec<&str> = text.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
        let row = cells.split_first().and_then(|(at, cells)| Some((time(at)?, read(cells)?)));
        let Some(((at, unit), what)) = row else {
            if line == 1 && cells.first().is_some_and(|cell| cell.starts_with(char::is_alphabetic)) {
                continue;
            }
            return Err(wrong(path, line, &format!("expected a time and {expected}")));
        };
        let first = *unit_of_file.get_or_insert(unit);
        if first != unit {
            let why = format!("the time is in {}, and those before are in {}", unit.name, first.name);
            return Err(wrong(path, line, &why));
        }
        if rows.last().is_some_and(|before| before.at > at) {
            return Err(wrong(path, line, "the time is earlier than on the line before"));
        }
        rows.push(Row { line, at, what });
    }
    if rows.is_empty() {
        return Err(wrong(path, 1, &format!("there is no row: expected a time and {expected}")));
    }
    Ok(rows)
}

fn wrong(path: &Path, line: usize, why: &str) -> io::Error {
    io::Error::other(format!("{}: line {line}: {why}", path.display()))
}

impl File {
    fn new<T, S>(
        path: &Path,
        rows: Vec<Row<T>>,
        step: impl Fn(Row<T>) -> S,
        contents: impl FnOnce(Vec<S>) -> Contents,
    ) -> Self {
        let lines = rows.iter().map(|row| row.line).collect();
        Self { path: path.to_owned(), lines, recorded: contents(rows.into_iter().map(step).collect()) }
    }

    fn recorded(&self) -> &dyn Recorded {
        match &self.recorded {
            Contents::Prices(prices) => prices,
            Contents::Candles(candles) => candles,
            Contents::Trades(trades) => trades,
            Contents::Books(books) => books,
        }
    }

    fn wrong(&self, step: &WrongStep) -> io::Error {
        wrong(&self.path, self.lines.get(step.index).copied().unwrap_or_default(), &step.why)
    }

    /// Checks each step for each pair that the file is about.
    fn check(&self, pairs: &[Instrument]) -> io::Result<()> {
        let (recorded, name) = (self.recorded(), self.recorded().pair());
        let mut meant = pairs.iter().filter(|pair| name.means(pair)).peekable();
        if meant.peek().is_none() {
            return Err(io::Error::other(format!("{}: there is no pair {name}", self.path.display())));
        }
        meant.try_for_each(|pair| recorded.steps(pair).map(drop).map_err(|step| self.wrong(&step)))
    }
}

fn price(cell: &str) -> Option<Price> {
    exact(cell).map(Price)
}
