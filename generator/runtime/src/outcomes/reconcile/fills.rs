//! Reads the fills of an account into a ledger.

use std::error::Error;
use std::fmt;

use super::listing::{Listing, Part};
use super::report::{ListingError, ListingFailure};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::sorting::sort_by;
use crate::data::value::Timestamp;
use crate::state::ledger::{Ledger, LedgerError, Trade};

/// The reason why fills could not be added to a ledger, which is unchanged then.
#[non_exhaustive]
pub enum LedgerUpdateError {
    /// No listing of the family shows trades.
    NoFills {
        /// The family.
        family: String,
    },
    /// A listing could not be read as a whole.
    Listing(ListingError),
    /// The exchange gives no access to fills from so long ago.
    Clipped {
        /// The id of the operation.
        operation: &'static str,
        /// Where its fills begin.
        begins: Timestamp,
    },
    /// The ledger cannot take a trade.
    Ledger(LedgerError),
}

impl From<ListingError> for LedgerUpdateError {
    fn from(error: ListingError) -> Self {
        Self::Listing(error)
    }
}

impl fmt::Display for LedgerUpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFills { family } => write!(f, "no operation of the family `{family}` lists trades"),
            Self::Listing(error) => error.fmt(f),
            Self::Clipped { operation, begins } => write!(
                f,
                "{operation} has no fills from before {begins}: begin there, with what was open then (`Ledger::open`)"
            ),
            Self::Ledger(error) => error.fmt(f),
        }
    }
}

debug_as_sentence!(LedgerUpdateError);

impl Error for LedgerUpdateError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is part of this one.
            Self::Listing(error) => error.source(),
            Self::NoFills { .. } | Self::Clipped { .. } | Self::Ledger(_) => None,
        }
    }
}

/// Reads the fills of a family since a time, and adds to the ledger those that it does not have yet. Returns their
/// number. If it fails, the ledger is unchanged.
///
/// Begin before the first trade that the ledger lacks, and a little earlier, because a listing may show a fill after
/// later ones; trades that it has are not added again. They are added by the numbers of their ids, the lowest first.
/// A late one changes figures that the ledger had shown: see [`Ledger::corrections`].
///
/// # Errors
///
/// Fails if a listing cannot be read as a whole, or if the ledger cannot take a trade.
pub async fn update_ledger(
    client: &ClientCore,
    listings: &[Listing],
    ledger: &mut Ledger,
    family: &str,
    since: Timestamp,
) -> Result<usize, LedgerUpdateError> {
    let (mut updated, mut count) = (ledger.clone(), 0);
    for (line, trade) in &trades_since(client, listings, family, since).await? {
        count += usize::from(updated.take(family, line, trade).map_err(LedgerUpdateError::Ledger)?);
    }
    *ledger = updated;
    Ok(count)
}

/// Reads the trades of a family since a time: each with its business line, in the order in which
/// [`update_ledger`] adds those of a line.
///
/// # Errors
///
/// Fails if a listing cannot be read as a whole.
pub async fn trades_since(
    client: &ClientCore,
    listings: &[Listing],
    family: &str,
    since: Timestamp,
) -> Result<Vec<(&'static str, Trade)>, LedgerUpdateError> {
    let of_fills = |listing: &&Listing| listing.part == Part::Fills && listing.family == family && listing.has_trades();
    let mut covered = listings.iter().filter(of_fills).peekable();
    if covered.peek().is_none() {
        return Err(LedgerUpdateError::NoFills { family: family.to_owned() });
    }
    let mut all = Vec::new();
    for listing in covered {
        for turn in listing.turns() {
            let trades = trades(client, listing, turn, since).await?;
            all.extend(trades.into_iter().map(|trade| (turn.unwrap_or_default(), trade)));
        }
    }
    Ok(all)
}

/// Returns the trades of a listing by the numbers of their ids. Of several with one id, the last counts.
async fn trades(
    client: &ClientCore,
    listing: &Listing,
    turn: Option<&'static str>,
    since: Timestamp,
) -> Result<Vec<Trade>, LedgerUpdateError> {
    let operation = listing.operation;
    let retry = RetryPolicy::new();
    let walk = listing.walk(client, turn, since, &retry);
    let mut walk = walk.map_err(|why| ListingFailure::Request(why).of(operation))?;
    let mut trades = Vec::new();
    while let Some(page) = walk.next().await {
        let page = page.map_err(|failure| failure.of(operation))?;
        if let Some(clipped) = page.clipped {
            return Err(LedgerUpdateError::Clipped { operation, begins: clipped.begins });
        }
        for trade in page.fills.into_iter().filter_map(|fill| fill.trade) {
            trades.push(trade.map_err(|why| ListingFailure::Item(why).of(operation))?);
        }
    }
    trades.reverse();
    sort_by(&mut trades, &|one: &Trade, other| one.number().cmp(&other.number()));
    trades.dedup_by(|one, other| one.id == other.id);
    Ok(trades)
}
