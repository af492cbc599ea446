//! Reads the open orders of an account into the view of a client that tracks orders.

use std::error::Error;
use std::fmt;

use super::error::{ListingError, ListingFailure};
use super::listing::{Listing, Part};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::error::debug_as_sentence;
use crate::data::value::Timestamp;
use crate::state::orders::TrackedOrder;

/// Why the open orders could not be read. What was read is in the view; no order was marked as ended.
#[non_exhaustive]
pub enum RefreshError {
    /// The client does not track orders.
    NotTracking,
    /// No operation of the family lists open orders.
    NoListing {
        /// The family.
        family: String,
    },
    /// A listing could not be read as a whole.
    Listing(ListingError),
}

impl From<ListingError> for RefreshError {
    fn from(error: ListingError) -> Self {
        Self::Listing(error)
    }
}

impl fmt::Display for RefreshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTracking => {
                f.write_str("the client does not track orders; build it with `ClientBuilder::track_orders`")
            }
            Self::NoListing { family } => write!(f, "no operation of the family `{family}` lists open orders"),
            Self::Listing(error) => error.fmt(f),
        }
    }
}

debug_as_sentence!(RefreshError);

impl Error for RefreshError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // Its text is part of this one.
            Self::Listing(error) => error.source(),
            Self::NotTracking | Self::NoListing { .. } => None,
        }
    }
}

/// Reads the open orders of a family into the view of a client that tracks orders, and returns those of the family
/// that are open or may be.
///
/// An order that the listing does not show has ended, if every listing was certain to show it when this one began:
/// 70 seconds after the response that accepted it, or after a request without a known outcome could no longer
/// arrive.
/// If pages have numbers or offsets, an order that ends meanwhile moves others to earlier pages, so only a listing
/// of one page is certain to show all.
///
/// # Errors
///
/// Fails if the client does not track orders or if the listing cannot be read as a whole.
pub async fn refresh_orders(
    client: &ClientCore,
    listings: &[Listing],
    family: &str,
) -> Result<Vec<TrackedOrder>, RefreshError> {
    let orders = client.tracked_orders().ok_or(RefreshError::NotTracking)?;
    let (turn, begun) = (orders.turn(), client.moment().steady);
    let is_meant = |listing: &&Listing| listing.part == Part::OpenOrders && listing.family == family;
    let mut covered = listings.iter().filter(is_meant).peekable();
    let name = covered.peek().map(|listing| listing.family);
    let name = name.ok_or_else(|| RefreshError::NoListing { family: family.to_owned() })?;
    let mut is_whole = true;
    for listing in covered {
        for turn in listing.turns() {
            is_whole &= show_open_orders(client, listing, turn).await?;
        }
    }
    if is_whole {
        orders.listed(name, turn, begun);
    }
    let mut open = orders.open();
    open.retain(|order| order.family == name);
    Ok(open)
}

/// Reads a listing, whose pages are tracked like any response. Returns whether an order that it does not show is
/// not open.
async fn show_open_orders(
    client: &ClientCore,
    listing: &Listing,
    turn: Option<&'static str>,
) -> Result<bool, RefreshError> {
    let (operation, retry) = (listing.operation, RetryPolicy::new());
    let walk = listing.walk(client, turn, Timestamp::default(), &retry);
    let mut walk = walk.map_err(|why| ListingFailure::Request(why).of(operation))?;
    let (mut pages, mut is_clipped) = (0_u32, false);
    while let Some(page) = walk.next().await {
        let page = page.map_err(|failure| failure.of(operation))?;
        pages += 1;
        is_clipped |= page.clipped.is_some();
    }
    Ok(!is_clipped && (pages <= 1 || !listing.has_counted_pages()))
}
