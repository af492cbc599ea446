use std::error::Error as StdError;
use std::fmt;

use crate::checks::Violations;
use crate::error::{Error, JournalError};
use crate::journal::ChangeNumber;
use crate::pages::PageError;

/// Why an account could not be compared with a journal. Nothing was adopted or cancelled, unless the journal failed while
/// orders were adopted. Reconciling again goes on where it stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReconcileError {
    /// The client has no journal.
    NoJournal,
    /// No listing shows the open orders of the family.
    NoListing {
        /// The family; `None` if no family has such a listing.
        family: Option<String>,
    },
    /// Foreign orders are to be cancelled, and it is not known how those of a listing are.
    NoCancel {
        /// The id of the operation.
        operation: &'static str,
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
    /// The request for a listing is refused by the client.
    Request {
        /// The id of the operation.
        operation: &'static str,
        /// Why.
        why: Violations,
    },
    /// A page of a listing could not be read.
    Listing {
        /// The id of the operation.
        operation: &'static str,
        /// Why.
        source: PageError,
    },
    /// An item of a listing could not be read, or lacks an id, so that the account is not known as a whole.
    Unreadable {
        /// The id of the operation.
        operation: &'static str,
        /// What is wrong.
        why: String,
    },
    /// An order that no listing shows could not be queried.
    Query {
        /// The client id of the order.
        client_id: String,
        /// Why.
        source: Error,
    },
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
            Self::NoCancel { operation } => write!(f, "it is not known how an order of {operation} is cancelled"),
            Self::Journal(error) => error.fmt(f),
            Self::Change { number, why } => write!(f, "this release cannot read change {number}: {why}"),
            Self::Request { operation, why } => write!(f, "the request of {operation} is refused: {why}"),
            Self::Listing { operation, source } => write!(f, "{operation}: {source}"),
            Self::Unreadable { operation, why } => write!(f, "an item of {operation} cannot be read: {why}"),
            Self::Query { client_id, source } => write!(f, "the query of the order {client_id} failed: {source}"),
        }
    }
}

impl StdError for ReconcileError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // Their texts are part of this one.
        match self {
            Self::Journal(error) => error.source(),
            Self::Listing { source, .. } => source.source(),
            Self::Query { source, .. } => source.source(),
            Self::NoJournal
            | Self::NoListing { .. }
            | Self::NoCancel { .. }
            | Self::Change { .. }
            | Self::Request { .. }
            | Self::Unreadable { .. } => None,
        }
    }
}
