//! The result of a comparison of an account with a journal, and why there may be none.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use super::listing::Listing;
use crate::calls::pages::{Clipped, PageError};
use crate::data::checks::Violations;
use crate::data::error::{Error, JournalError};
use crate::data::lifecycle::Sighting;
use crate::data::value::{Decimal, Timestamp};
use crate::outcomes::confirm::Recovered;
use crate::state::journal::{ChangeNumber, Gap};

/// An account, compared with a journal.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use = "it may list orders that no part of the program knows"]
pub struct Reconciled {
    /// The orders, by family and id: every open order, and those that were placed or shown since the time of the
    /// comparison.
    pub orders: Vec<ReconciledOrder>,
    /// The changes that the journal had open, and what their queries showed.
    pub recovered: Vec<Recovered>,
    /// The reason why the journal may still lack changes that were sent: an order that it may have lost is open, a
    /// change could still arrive, or families of the journal were not compared. `None` if it has every change, or the
    /// comparison found what was missing.
    pub gap: Option<Gap>,
    /// When the comparison began, by the client's clock. Foreign orders that were placed later may be missing.
    pub begun: Timestamp,
    /// Where listings do not reach back as far as the comparison. Orders of the journal from before are queried by id.
    pub clipped: Vec<Clipped>,
    /// The time from which the next comparison misses nothing: when the earliest order was placed that is not known to
    /// have ended, and no later than the exchange is certain to have shown everything before this one began.
    pub next_since: Timestamp,
    /// True if the journal may have lacked changes when the comparison began.
    pub(super) has_gap: bool,
}

/// An order, and how it differs from the journal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReconciledOrder {
    /// The family of operations.
    pub family: &'static str,
    /// The exchange's id, if it is known.
    pub id: Option<String>,
    /// The client id, if the order has one.
    pub client_id: Option<String>,
    /// The difference from the journal.
    pub difference: Difference,
    /// True if it was open when it was last seen.
    pub is_open: bool,
    /// The last state that the exchange showed; `None` if it showed none.
    pub seen: Option<Sighting>,
    /// The quantity that was filled since the time of the comparison.
    pub filled: Decimal,
    /// The change in the journal.
    pub change: Option<ChangeNumber>,
    /// The action that was taken.
    pub action: Action,
    /// The listing of open orders that shows it, and the value of the parameter it is read over.
    pub(super) open_in: Option<(Listing, Option<&'static str>)>,
}

/// The difference between an order and a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Difference {
    /// The journal has it, and it is open.
    AsExpected,
    /// The journal has it, and it ended: it was filled or cancelled. [`ReconciledOrder::seen`] has the state.
    Ended,
    /// The id is one of this program, and the journal does not have it.
    Unjournaled,
    /// The journal does not have it and may have had it: it was created in a time of which the journal lacks changes, in
    /// its [`Gap`], before a comparison closed one, or before what was pruned, and no prefix shows whose it is. It is
    /// never cancelled; [`ForeignOrders::Adopt`](super::ForeignOrders::Adopt) adopts it.
    PerhapsLost,
    /// The journal has it under another name of the account. It is never adopted or cancelled.
    OtherName,
    /// The order is not of this program.
    Foreign,
    /// The order has no id of its own to match it by, and may be one that the journal has: one without an id, or the
    /// other of two with one id.
    Unattributed,
    /// The journal has it, and the exchange does not show it.
    Gone(Gone),
    /// The exchange shows it, although it was not placed according to the journal.
    Contradiction,
}

/// The conclusion if the exchange does not show an order that the journal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gone {
    /// The order is not open, and cannot become so. How it ended is not shown.
    NotOpen,
    /// Nothing: its request could still arrive, or the machine that answered may not show it yet. Reconcile again later.
    Unsettled,
}

/// The action that was taken on an order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Nothing.
    None,
    /// The journal has it now.
    Adopted,
    /// The exchange accepted its cancellation.
    Cancelled,
    /// The cancellation failed, or its outcome is unknown.
    NotCancelled(Arc<Error>),
}

impl Reconciled {
    /// Returns whether nothing needs attention: every order is of the journal or foreign, and is known to be open or
    /// not; and the journal lacks nothing.
    pub fn is_settled(&self) -> bool {
        self.unsettled().next().is_none() && self.gap.is_none()
    }

    /// Returns the orders that need attention.
    pub fn unsettled(&self) -> impl Iterator<Item = &ReconciledOrder> {
        self.orders.iter().filter(|order| order.needs_attention())
    }

    /// Returns the open orders of others, of which [`cancel_foreign`](crate::outcomes::reconcile::cancel_foreign)
    /// cancels those that the caller picks.
    pub fn foreign(&self) -> impl Iterator<Item = &ReconciledOrder> {
        self.orders.iter().filter(|order| order.is_open && order.difference == Difference::Foreign)
    }

    /// Returns the orders that are open.
    pub fn open(&self) -> impl Iterator<Item = &ReconciledOrder> {
        self.orders.iter().filter(|order| order.is_open && !matches!(order.action, Action::Cancelled))
    }
}

impl ReconciledOrder {
    /// Returns whether the order is not known to be of the journal or of others, or to be open or not.
    pub(super) fn needs_attention(&self) -> bool {
        match self.difference {
            Difference::Gone(Gone::Unsettled) | Difference::Contradiction => true,
            Difference::Unjournaled | Difference::Unattributed | Difference::OtherName => self.is_open,
            Difference::PerhapsLost => self.is_open && !matches!(self.action, Action::Adopted),
            Difference::Foreign => matches!(self.action, Action::NotCancelled(_)),
            Difference::AsExpected | Difference::Ended | Difference::Gone(Gone::NotOpen) => false,
        }
    }
}

impl Difference {
    /// Returns what to do about an order that needs attention.
    const fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::Unjournaled => "find what else makes ids with its prefix, or cancel the order by its id",
            Self::PerhapsLost => {
                "adopt it with `ForeignOrders::Adopt` if it is of this program, or cancel it by its id"
            }
            Self::OtherName => "see to it under that name",
            Self::Unattributed => "compare it with what the program placed without a client id",
            Self::Gone(Gone::Unsettled) => "reconcile again later",
            Self::Contradiction => "find what else placed it, or cancel it by its id",
            Self::Foreign => "query it, or cancel it again",
            Self::AsExpected | Self::Ended | Self::Gone(Gone::NotOpen) => return None,
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsExpected => "open, as expected",
            Self::Ended => "ended",
            Self::Unjournaled => "of this program, and not in the journal",
            Self::PerhapsLost => "not in the journal, which may have had it",
            Self::OtherName => "in the journal under another name of the account",
            Self::Foreign => "foreign",
            Self::Unattributed => "without an id to match it by",
            Self::Gone(Gone::NotOpen) => "not open, and no longer shown",
            Self::Gone(Gone::Unsettled) => "not shown, and may still appear",
            Self::Contradiction => "shown, although the journal has it as not placed",
        })
    }
}

impl fmt::Display for ReconciledOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.family, self.id.as_deref().unwrap_or("order"))?;
        if let Some(client_id) = &self.client_id {
            write!(f, " ({client_id})")?;
        }
        write!(f, ": {}", self.difference)?;
        if let Some(state) = self.seen.as_ref().and_then(|seen| seen.state.as_ref()) {
            write!(f, ", {state}")?;
        }
        if !self.filled.is_zero() {
            write!(f, ", {} filled", self.filled)?;
        }
        match &self.action {
            Action::None => Ok(()),
            Action::Adopted => f.write_str("; adopted"),
            Action::Cancelled => f.write_str("; cancelled"),
            Action::NotCancelled(why) => write!(f, "; not cancelled: {why}"),
        }?;
        let advice = self.difference.advice().filter(|_| self.needs_attention());
        advice.map_or(Ok(()), |advice| write!(f, "; to do: {advice}"))
    }
}

impl fmt::Display for Reconciled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (orders, open, unsettled) = (self.orders.len(), self.open().count(), self.unsettled().count());
        write!(f, "orders: {orders}, open: {open}, with something to do: {unsettled}")?;
        self.orders.iter().try_for_each(|order| write!(f, "\n  {order}"))?;
        self.gap.iter().try_for_each(|gap| write!(f, "\n{gap}"))
    }
}

/// The reason why an account could not be compared with a journal. Nothing was adopted, unless the journal failed
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
        /// The reason.
        why: Violations,
    },
    /// A listing could not be read as a whole.
    Listing(ListingError),
    /// An order that no listing shows could not be queried.
    Query {
        /// The client id of the order.
        client_id: String,
        /// The reason.
        source: Error,
    },
}

/// The reason why a listing could not be read as a whole.
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
    /// Returns the failure of an operation.
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

debug_as_sentence!(ListingError);

impl StdError for ListingError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.failure {
            // Its text is part of this one.
            ListingFailure::Page(error) => error.source(),
            ListingFailure::Request(_) | ListingFailure::Item(_) => None,
        }
    }
}
