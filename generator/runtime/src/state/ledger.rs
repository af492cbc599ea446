//! Positions as they follow from fills: size, average price, realised profit and fees of each instrument, in exact
//! decimals.
//!
//! A [`Ledger`] takes trades one after the other, each once.
//! [`reconcile::update_ledger`](crate::outcomes::reconcile::update_ledger) reads them from the listings of fills. Emitted
//! tables state what each field of a fill means. What no fill shows, such as funding, is not in it.
//!
//! It rounds only the cost of a part that is closed, and keeps what is rounded off with the rest, so that profits add
//! up to what was received less what was paid. The profit of an inverse contract is a quotient, which is rounded too.
//! Any other sum or product that is not exact is an error.

mod fields;
mod position;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;

pub use fields::{Contract, FeeFields, PositionFields, SidesFields, Trade, TradeEffect, TradeFields};
pub use position::{Position, PositionKey, PositionSide};

use crate::data::value::Decimal;

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
/// assert_eq!((position.size(), position.realised()), (Some(1.into()), Some(10.into())));
/// # assert_eq!(trade("3", true, 1, 1).effect, TradeEffect::Net);
/// # Ok::<(), tradeapi_runtime::ledger::LedgerError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    positions: BTreeMap<PositionKey, Position>,
    /// In the order of their keys.
    books: Vec<(PositionKey, Book)>,
    taken: Vec<TakenTrades>,
    corrections: Vec<Correction>,
}

/// The ids of the trades that were taken of a business line.
#[derive(Clone, Debug)]
struct TakenTrades {
    family: String,
    line: String,
    ids: HashSet<String>,
}

/// The trades and the start that a position follows from.
#[derive(Clone, Debug, Default)]
struct Book {
    /// The position before the first trade.
    opened: Position,
    /// In the order of their ids.
    trades: Vec<Trade>,
}

/// A trade that a ledger took after later ones of its position, so that figures that it had shown changed.
///
/// A listing may lag, and show a fill after later fills. The ledger takes it in its place and counts all later ones
/// again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Correction {
    /// The id of the trade.
    pub trade: String,
    /// The position.
    pub position: PositionKey,
    /// The realised profit that the ledger had shown, if it was known.
    pub shown: Option<Decimal>,
    /// The realised profit with the trade.
    pub corrected: Option<Decimal>,
}

/// The reason why a ledger cannot take a trade or a position. The ledger is unchanged then.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LedgerError {
    /// A trade that closes more than is open, so that the ledger does not have what opened the position.
    NotOpen {
        /// The id of the trade.
        trade: String,
        /// The position.
        position: PositionKey,
    },
    /// A trade that is opposite to what is open, of an account that may have a long and a short position of the
    /// instrument. The ledger would net them.
    MayBeHedged {
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
    /// The size and the price of a position that was open before have more digits than can be counted exactly.
    InexactOpening {
        /// The position.
        position: PositionKey,
    },
}

impl Ledger {
    /// Creates a ledger without positions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a position that was open before the first trade, or after the trades so far: its size, negative if it was
    /// sold, and its average price.
    ///
    /// # Errors
    ///
    /// Fails if a number or their product has too many digits. The ledger is unchanged then.
    pub fn open(&mut self, key: PositionKey, size: &Decimal, price: &Decimal) -> Result<(), LedgerError> {
        let opened =
            Position::opened(size, price).ok_or_else(|| LedgerError::InexactOpening { position: key.clone() })?;
        let book = Book { opened: opened.clone(), trades: Vec::new() };
        match self.place_of(&key) {
            Ok(place) => self.books[place].1 = book,
            Err(place) => self.books.insert(place, (key.clone(), book)),
        }
        self.positions.insert(key, opened);
        Ok(())
    }

    /// Takes a trade of a family and business line, such as `classic` and `USDT-FUTURES`. Returns whether it is new:
    /// a trade with the id of an earlier one changes nothing.
    ///
    /// The trades of a position count by the numbers of their ids, the lowest first. One that is taken after later ones
    /// is listed in [`corrections`](Self::corrections). After one with an [unknown effect](TradeEffect::Unknown), no
    /// position of its instrument is known.
    ///
    /// # Errors
    ///
    /// Fails if a trade closes more than is open, if it may belong to the other one of two positions, or if it has too many
    /// digits.
    pub fn take(&mut self, family: &str, line: &str, trade: &Trade) -> Result<bool, LedgerError> {
        let taken = self.taken.iter().position(|taken| taken.family == family && taken.line == line);
        if taken.is_some_and(|taken| self.taken[taken].ids.contains(&trade.id)) {
            return Ok(false);
        }
        let key = PositionKey::new(family, line, &trade.instrument, PositionSide::changed_by(trade));
        let known = self.positions.get(&key).cloned().unwrap_or_else(|| self.begun(&key));
        let book = self.place_of(&key);
        let trades = book.map_or(&[][..], |book| &self.books[book].1.trades);
        let place = trades.partition_point(|other| other.number() <= trade.number());
        let (before, later) = trades.split_at(place);
        let position = match later {
            [] => known.after(&key, trade)?,
            _ => {
                let begun = book.map(|book| self.books[book].1.opened.clone()).unwrap_or_default();
                let mut all = before.iter().chain([trade]).chain(later);
                let position = all.try_fold(begun, |position, trade| position.after(&key, trade))?;
                self.corrections.push(Correction {
                    trade: trade.id.clone(),
                    position: key.clone(),
                    shown: known.realised(),
                    corrected: position.realised(),
                });
                position
            }
        };
        let begun = self.begun(&key);
        self.positions.insert(key.clone(), position);
        let book = book.unwrap_or_else(|book| {
            self.books.insert(book, (key.clone(), Book { opened: begun, trades: Vec::new() }));
            book
        });
        self.books[book].1.trades.insert(place, trade.clone());
        let taken = taken.unwrap_or_else(|| {
            self.taken.push(TakenTrades { family: family.to_owned(), line: line.to_owned(), ids: HashSet::new() });
            self.taken.len() - 1
        });
        self.taken[taken].ids.insert(trade.id.clone());
        if trade.effect == TradeEffect::Unknown {
            self.lose(&key);
        }
        Ok(true)
    }

    /// Returns the place of a position in `books`, or where it belongs.
    fn place_of(&self, key: &PositionKey) -> Result<usize, usize> {
        self.books.binary_search_by(|(known, _)| known.cmp(key))
    }

    /// Returns a position without trades. It is not known if another trade of its instrument may have changed it.
    fn begun(&self, key: &PositionKey) -> Position {
        let unknown = PositionKey { side: PositionSide::Unknown, ..key.clone() };
        let position = Position::default();
        if self.positions.contains_key(&unknown) { position.lost() } else { position }
    }

    /// Forgets the positions of the instrument of `key` from now on.
    fn lose(&mut self, key: &PositionKey) {
        let is_of_same = |other: &PositionKey| {
            (&other.family, &other.line, &other.instrument) == (&key.family, &key.line, &key.instrument)
        };
        for (other, position) in &mut self.positions {
            if is_of_same(other) {
                *position = std::mem::take(position).lost();
            }
        }
        for (other, book) in &mut self.books {
            if is_of_same(other) {
                book.opened = std::mem::take(&mut book.opened).lost();
            }
        }
    }

    /// Returns the positions, including those that were closed.
    pub fn positions(&self) -> &BTreeMap<PositionKey, Position> {
        &self.positions
    }

    /// Returns the trades that were taken after later ones of their position, in the order in which they were taken.
    pub fn corrections(&self) -> &[Correction] {
        &self.corrections
    }

    /// Returns how many trades it has taken.
    pub fn len(&self) -> usize {
        self.taken.iter().map(|taken| taken.ids.len()).sum()
    }

    /// Returns whether it has taken no trade.
    pub fn is_empty(&self) -> bool {
        self.taken.is_empty()
    }

    /// Returns the positions whose realised profit differs from what the exchange reported with their trades, and the
    /// difference. Exchanges round differently, so a small one means little.
    pub fn differences(&self) -> impl Iterator<Item = (&PositionKey, Decimal)> {
        let differing = self.positions.iter().filter_map(|(key, position)| Some((key, position.difference()?)));
        differing.filter(|(_, difference)| !difference.is_zero())
    }
}

impl LedgerError {
    /// Returns the position that is not known.
    pub fn position(&self) -> &PositionKey {
        match self {
            Self::NotOpen { position, .. }
            | Self::MayBeHedged { position, .. }
            | Self::Inexact { position, .. }
            | Self::InexactOpening { position } => position,
        }
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trade, position, shown, corrected } = self;
        let [shown, corrected] = [shown, corrected].map(|figure| figure.as_ref().map_or("unknown", Decimal::as_str));
        write!(f, "{position}: the late trade {trade} changes the realised profit from {shown} to {corrected}")
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
            Self::MayBeHedged { trade, position } => write!(
                f,
                "the trade {trade} is opposite to what is open of {position}, and its record does not say whether it closed \
                 that or opened a position of the other side: state the position mode of the account if it is one-way, or \
                 read the positions that the exchange lists"
            ),
            Self::Inexact { trade, position } => {
                write!(f, "the trade {trade} of {position} has too many digits to be counted exactly")
            }
            Self::InexactOpening { position } => {
                write!(f, "the size and the price of {position} have too many digits to be counted exactly")
            }
        }
    }
}

debug_as_sentence!(LedgerError);

impl Error for LedgerError {}
