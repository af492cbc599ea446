//! Why a listing has no next page.

use std::error::Error as StdError;
use std::fmt;

use crate::data::error::Error;
use crate::data::json::ReadError;
use crate::data::value::Timestamp;

/// Why there is no next page. Earlier pages are not affected, and the position does not change.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageError {
    /// The call failed, or its response contains no page. Unless the call was refused before it was sent, the next call
    /// of `next_page` requests the same page again.
    Call(Error),
    /// The exchange repeated a cursor, or announced another page without saying where it begins. The listing ends here
    /// and may be incomplete.
    Stuck {
        /// The id of the operation.
        operation: &'static str,
        /// The repeated cursor; empty if there was none.
        cursor: String,
    },
    /// Many pages in a row contained nothing new. The listing ends here and may be incomplete.
    Barren {
        /// The id of the operation.
        operation: &'static str,
        /// The number of such pages.
        pages: u32,
    },
    /// The listing cannot continue from its position, because the pages for the few milliseconds at its border do not
    /// end. A new listing can begin there.
    EndlessBorder {
        /// The id of the operation.
        operation: &'static str,
        /// The number of pages of the border.
        pages: u32,
    },
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::Stuck { operation, cursor } if cursor.is_empty() => {
                write!(f, "the listing of {operation} is incomplete: there is another page, but not where it begins")
            }
            Self::Stuck { operation, cursor } => {
                write!(f, "the listing of {operation} is incomplete: the cursor {cursor:?} occurred twice")
            }
            Self::Barren { operation, pages } => {
                write!(f, "the listing of {operation} is incomplete: {pages} pages in a row contained nothing new")
            }
            Self::EndlessBorder { operation, pages } => {
                write!(f, "the listing of {operation} is incomplete: after {pages} pages, its border has more")
            }
        }
    }
}

impl StdError for PageError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::Stuck { .. } | Self::Barren { .. } | Self::EndlessBorder { .. } => None,
        }
    }
}

/// Why a listing cannot continue from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is not a position.
    Unreadable(ReadError),
    /// The position belongs to another operation.
    OtherOperation {
        /// The id of the operation of the position.
        is_of: String,
        /// The id of the operation of the listing.
        given_to: &'static str,
    },
    /// The position belongs to a listing with other parameters.
    OtherRequest,
    /// The listing has ended before the end of the request, and cannot go on.
    Ended {
        /// The end of the times that it has listed, if the exchange did not decide it.
        until: Option<Timestamp>,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "invalid position: {error}"),
            Self::OtherOperation { is_of, given_to } => {
                write!(f, "the position belongs to {is_of} and was given to {given_to}")
            }
            Self::OtherRequest => f.write_str(
                "the position belongs to a request with other parameters: use the same ones, or begin a new listing",
            ),
            Self::Ended { until: Some(until) } => write!(
                f,
                "the listing has ended at {until}, of which some items may have become visible later: begin a new one \
                 a little before, and let it be settled, so that it can go on"
            ),
            Self::Ended { until: None } => {
                f.write_str("the listing has ended, and nothing says at what time: begin a new one")
            }
        }
    }
}

impl StdError for PositionError {}
