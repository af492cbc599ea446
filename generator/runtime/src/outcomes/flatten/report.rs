//! The orders and positions that are left of an account that was to become flat.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::calls::client::UnderWay;
use crate::data::value::{Decimal, Timestamp};
use crate::outcomes::reconcile::RefusedFamily;

/// The number of findings that the line of a round shows.
const SHOWN: usize = 3;

/// An account without orders and positions, as far as its exchange shows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flattened {
    /// In how many rounds everything was cancelled, closed and read.
    pub rounds: usize,
    /// The families that were left out, because they do not serve the key.
    pub refused: Vec<RefusedFamily>,
}

/// A round that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlattenRound<'a> {
    /// The number; the first is 1.
    pub number: usize,
    /// The findings. What it cancelled and closed is in it, too.
    pub left: &'a [Left],
    /// The time until the next round, which has to find nothing again, because what was sent before may arrive or be
    /// shown until then; zero if something was found, or if this round is the last.
    pub wait: Duration,
}

/// An account may have orders or positions.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotFlat {
    /// The orders and positions that the last round found.
    pub left: Vec<Left>,
    /// In how many rounds everything was cancelled, closed and read.
    pub rounds: usize,
    /// The reason why the last round had nothing done, if every change of a family was refused: such as a key without
    /// permission, or a full disk under the journal, which a client
    /// [`without_journal`](crate::ClientCore::without_journal) does not need.
    pub refusals: Vec<String>,
}

/// Something that is left of an account, or not known to be gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Left {
    /// The family.
    pub family: &'static str,
    /// The business line, if it belongs to one.
    pub line: Option<&'static str>,
    /// A short description.
    pub what: LeftOver,
}

/// An order or a position that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOver {
    /// An open order, by its id.
    Order(String),
    /// The number of positions that were to be closed.
    Positions(usize),
    /// Positions that are worth this much.
    Value(Decimal),
    /// A position that could not be closed.
    Position {
        /// The instrument.
        instrument: String,
        /// The quantity, negative if it was sold.
        size: Decimal,
        /// The reason why an order that closes it failed.
        why: String,
    },
    /// Positions in these instruments may be open. No order closes them, because their fills do not show in which unit.
    NotClosed(Vec<String>),
    /// A change of this client may still be carried out.
    UnderWay(UnderWay),
    /// A change that the journal has open may still be carried out, of this run or of an earlier one.
    OpenInJournal {
        /// The operation.
        operation: String,
        /// The time in its signature.
        signed_at: Timestamp,
    },
    /// The open orders are not known, for this reason.
    UnknownOrders(String),
    /// The positions are not known, for this reason.
    UnknownPositions(String),
    /// Another part that is not known, for this reason.
    Unknown(String),
}

impl fmt::Display for Flattened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no order and no position is left, as {} rounds have shown", self.rounds)?;
        self.refused.iter().try_for_each(|refused| write!(f, "; {refused}"))
    }
}

impl fmt::Display for FlattenRound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {}: ", self.number)?;
        match self.left {
            [] => f.write_str("nothing is left")?,
            [first, others @ ..] => {
                write!(f, "{first}")?;
                others.iter().take(SHOWN - 1).try_for_each(|left| write!(f, "; {left}"))?;
                if self.left.len() > SHOWN {
                    write!(f, "; and {} more", self.left.len() - SHOWN)?;
                }
            }
        }
        match self.wait.is_zero() {
            true => Ok(()),
            false => write!(f, "; read again in {:.0?}, when everything that was sent is shown", self.wait),
        }
    }
}

impl fmt::Display for NotFlat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounds = if self.rounds == 1 { "round" } else { "rounds" };
        write!(f, "the account may not be flat after {} {rounds}", self.rounds)?;
        self.left.iter().try_for_each(|left| write!(f, "; {left}"))?;
        self.refusals.iter().try_for_each(|refusal| write!(f, "; every change was refused: {refusal}"))?;
        f.write_str("; flatten it again, or see to what is left by hand")
    }
}

debug_as_sentence!(NotFlat);

impl Error for NotFlat {}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family)?;
        if let Some(line) = self.line {
            write!(f, " {line}")?;
        }
        // What is under way names its operation, which names the family.
        let separator = if self.family.is_empty() { "" } else { ": " };
        write!(f, "{separator}{}", self.what)
    }
}

impl fmt::Display for LeftOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(id) => write!(f, "the order {id} is open"),
            Self::Positions(1) => f.write_str("a position was open"),
            Self::Positions(count) => write!(f, "{count} positions were open"),
            Self::Value(value) => write!(f, "positions are worth {value}"),
            Self::Position { instrument, size, why } => {
                write!(f, "{size} of {instrument} could not be closed: {why}")
            }
            Self::NotClosed(instruments) => write!(
                f,
                "positions in {} may be open, and are not closed, because their fills do not show the unit of an order: \
                 close them by hand",
                instruments.join(", ")
            ),
            Self::UnderWay(change) => change.fmt(f),
            Self::OpenInJournal { operation, signed_at } => {
                write!(f, "{operation}, signed at {signed_at}, is open in the journal and may arrive")
            }
            Self::UnknownOrders(why) => write!(f, "it is not known which orders are open: {why}"),
            Self::UnknownPositions(why) => write!(f, "it is not known which positions are open: {why}"),
            Self::Unknown(why) => write!(f, "it is not known what is left: {why}"),
        }
    }
}
