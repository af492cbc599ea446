use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;
use crate::json::ReadError;

/// Why there is no next page. Nothing that came before is affected, and the position stays where it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageError {
    /// The call did not succeed, or its answer has no page in it. Unless it was refused before it was sent, asking for the
    /// next page asks for the same page again.
    Call(Error),
    /// The exchange leads back to where the listing was already; it ends here, and may not be complete.
    Stuck {
        /// The id of the operation.
        operation: &'static str,
        /// The cursor that came again.
        cursor: String,
    },
    /// Page after page had nothing new on it; the listing ends here, and may not be complete.
    Barren {
        /// The id of the operation.
        operation: &'static str,
        /// How many such pages came in a row.
        pages: u32,
    },
    /// The listing cannot go on from its position, because the exchange goes on and on with the few milliseconds that say
    /// what was listed before. Another listing can be begun where this one was.
    EndlessBorder {
        /// The id of the operation.
        operation: &'static str,
        /// How many pages of it came.
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
            Self::Stuck { operation, cursor } => {
                write!(f, "{operation} is not listed to its end: the cursor {cursor:?} came a second time")
            }
            Self::Barren { operation, pages } => {
                write!(f, "{operation} is not listed to its end: {pages} pages in a row had nothing new on them")
            }
            Self::EndlessBorder { operation, pages } => {
                write!(f, "{operation} is not listed to its end: after {pages} pages, a few milliseconds have more")
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

/// Why a listing cannot go on from a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionError {
    /// The text is no position.
    Unreadable(ReadError),
    /// It is the position of another operation.
    OtherOperation {
        /// The id of the operation that it belongs to.
        is_of: String,
        /// The id of the operation that was to go on.
        given_to: &'static str,
    },
    /// It is the position of a listing with other parameters.
    OtherRequest,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "this is no position: {error}"),
            Self::OtherOperation { is_of, given_to } => {
                write!(f, "the position belongs to {is_of} and was given to {given_to}")
            }
            Self::OtherRequest => {
                f.write_str("the position belongs to a request with other parameters; begin anew, or use the same ones")
            }
        }
    }
}

impl StdError for PositionError {}
