//! Confirms the outcome of requests: when a call leaves it unknown, queries whether the request had its effect.

mod absence;
mod calls;
mod each;
mod look;
mod outside;
mod places;
mod plan;
mod question;
mod record;
mod recover;
mod rounds;
mod verdict;

use std::time::Duration;

use crate::batches::Batch;
use crate::client::{ClientCore, SETTLING};
use crate::json::{Decode, Encode, List};
use crate::operation::{Operation, Repeatable};

pub(crate) use look::OrderLookup;

pub use each::{BatchConfirmation, ItemConfirmation};
pub use outside::{EvidenceVerdict, OutsideEvidence, RequestEvidence};
pub use places::{QueryFuture, RecordId, query_at, query_pages_at};
pub use record::AnyRecord;
pub use recover::{Recovered, RecoveredChanges, RecoveredItem, Recovery};
pub use verdict::{Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};

/// A request whose effect another operation can query. Emitted where the schema names that operation.
pub trait Queryable: Operation {
    /// The query.
    type Query: Repeatable<Response: Shows<Self::Record>> + 'static;

    /// The record that the query returns.
    type Record: Decode + Encode + Send + 'static;

    /// Sends a query that has the parameters `json` page by page, until a page has the record. `None` if
    /// the query has no pages.
    fn query_first<'a>(client: &'a ClientCore, json: &'a str, record_id: RecordId<'a>) -> Option<QueryFuture<'a>> {
        let _ = (client, json, record_id);
        None
    }

    /// Sends a query that has the parameters `json` to a second place, which shows records that the first no longer
    /// does. `None` if there is no second place.
    fn query_then<'a>(client: &'a ClientCore, json: &'a str, record_id: RecordId<'a>) -> Option<QueryFuture<'a>> {
        let _ = (client, json, record_id);
        None
    }
}

/// A response that shows records of one type.
pub trait Shows<R> {
    /// What it shows.
    fn shown(self) -> Shown<R>;
}

/// The records in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown<R> {
    /// The record that was queried.
    One(R),
    /// All matching records, or some of them.
    Listed {
        /// The records that could be read.
        items: Vec<R>,
        /// Whether there are no others.
        is_whole: bool,
    },
}

impl<R> Shown<R> {
    /// The same with other records.
    pub(crate) fn map<T>(self, make: impl Fn(R) -> T) -> Shown<T> {
        match self {
            Self::One(record) => Shown::One(make(record)),
            Self::Listed { items, is_whole } => {
                Shown::Listed { items: items.into_iter().map(make).collect(), is_whole }
            }
        }
    }

    /// The records of a list, after which there may be more.
    pub fn listed(list: List<R>, has_more: bool) -> Self {
        Self::Listed { is_whole: list.is_complete() && !has_more, items: list.items }
    }
}

impl<R> Shows<R> for R {
    fn shown(self) -> Shown<R> {
        Shown::One(self)
    }
}

impl<R> Shows<R> for List<R> {
    fn shown(self) -> Shown<R> {
        Shown::listed(self, false)
    }
}

/// A request that changes one thing.
#[diagnostic::on_unimplemented(
    message = "no operation queries the outcome of `{Self}`",
    note = "for a request with several items, use `batch(..).send_and_confirm(..)`"
)]
pub trait Confirmable: Queryable {}

/// A batch whose items each change one thing, and have an outcome each.
#[diagnostic::on_unimplemented(
    message = "no operation queries the outcomes of the items of `{Self}`",
    note = "for a request with one item, use `place_and_confirm`"
)]
pub trait ConfirmableItems: Queryable + Batch {}

/// How to query the outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ConfirmPolicy {
    deadline: Duration,
    pauses: (Duration, Duration),
    settling: Duration,
    absent: Vec<String>,
}

impl Default for ConfirmPolicy {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            pauses: (Duration::from_millis(200), Duration::from_secs(5)),
            settling: SETTLING,
            absent: Vec::new(),
        }
    }
}

impl ConfirmPolicy {
    /// Queries for a minute, at once and then with pauses from 200 ms to 5 seconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives up after this time; the outcome then stays unknown.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Pauses for `first` before the second query, and twice as long before each further one, up to `longest`.
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.pauses = (first, longest);
        self
    }

    /// The time after which it gives up.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.deadline
    }

    /// How long the exchange may take until an effect is visible.
    pub(crate) fn longest_settling(&self) -> Duration {
        self.settling
    }

    /// How long the exchange may take until the effect of an accepted request is visible. Only an absence that lasts
    /// longer than this, after the request can no longer arrive, proves that it had no effect. By default 10 seconds.
    pub fn settling(mut self, settling: Duration) -> Self {
        self.settling = settling;
        self
    }

    /// Interprets `code` as "not found", besides the codes that are documented or observed with that meaning.
    pub fn absent(mut self, code: impl Into<String>) -> Self {
        self.absent.push(code.into());
        self
    }
}
