//! Why an account could not be compared with a journal.

use std::error::Error as StdError;
use std::fmt;

use crate::calls::pages::PageError;
use crate::data::checks::Violations;
use crate::data::error::{Error, JournalError, debug_as_sentence};
use crate::state::journal::ChangeNumber;

/// Why an account could not be compared with a journal. Nothing was adopted, unless the journal failed
/// while orders were adopted. Reconciling again goes on where it stopped.
#[non_exhaustive]
pub enum ReconcileError {
    /// The client has no journal.
    NoJournal,
    /// No listing shows the open orders of the family.
    NoListing {
        /// The family; `None` if no family has such a listing.
        family: Option<String>,
    },
    /// The journal cannot be read or written.
    Journal(JournalError),
    /// This release cannot read the request of a stored change.
    Change {
        /// The number of the change.
        number: ChangeNumber,
        /// Why.
        why: Violations,
    },
    /// A listing could not be read as a whole.
    Listing(ListingError),
    /// An order that no listing shows could not be queried.
    Query {
        /// The client id of the order.
        client_id: String,
        /// Why.
        source: Error,
    },
}

/// Why a listing could not be read as a whole.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListingError {
    /// The id of the operation.
    pub operation: &'static str,
    /// The failure.
    pub failure: ListingFailure,
}

/// A failure while a listing was read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ListingFailure {
    /// The client refuses the request.
    Request(Violations),
    /// A page could not be read.
    Page(PageError),
    /// An item could not be read, or lacks what identifies it.
    Item(String),
}

impl ListingFailure {
    /// The failure of an operation.
    pub(crate) fn of(self, operation: &'static str) -> ListingError {
        ListingError { operation, failure: self }
    }
}

impl From<ListingError> for ReconcileError {
    fn from(error: ListingError) -> Self {
        Self::Listing(error)
    }
}

impl From<JournalError> for ReconcileError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl fmt::Display for ReconcileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the account could not be compared with the journal: ")?;
        match self {
            Self::NoJournal => f.write_str("the client has no journal; set one with `ClientBuilder::journal`"),
            Self::NoListing { family: None } => f.write_str("no operation lists open orders"),
            Self::NoListing { family: Some(family) } => {
                write!(f, "no operation of the family `{family}` lists open orders")
            }
            Self::Journal(error) => error.fmt(f),
            Self::Change { number, why } => write!(f, "this release cannot read change {number}: {why}"),
            Self::Listing(error) => error.fmt(f),
            Self::Query { client_id, source } => write!(f, "the query of the order {client_id} failed: {source}"),
        }
    }
}

debug_as_sentence!(ReconcileError);

impl StdError for ReconcileError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // Their texts are part of this one.
        match self {
            Self::Journal(error) => error.source(),
            Self::Listing(error) => error.source(),
            Self::Query { source, .. } => source.source(),
            Self::NoJournal | Self::NoListing { .. } | Self::Change { .. } => None,
        }
    }
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        match &self.failure {
            ListingFailure::Request(why) => write!(f, "the request of {operation} is refused: {why}"),
            ListingFailure::Page(error) => write!(f, "{operation}: {error}"),
            ListingFailure::Item(why) => write!(f, "an item of {operation} cannot be read: {why}"),
        }
    }
}

impl StdError for ListingError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.failure {
            // Its text is part of this one.
            ListingFailure::Page(error) => error.source(),
            ListingFailure::Request(_) | ListingFailure::Item(_) => None,
        }
    }
}
