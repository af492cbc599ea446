//! Confirms the outcome of requests: when a call leaves it unknown, queries whether the request had its effect.
//!
//! Confirmation works on tables of wire names: a query costs slightly more than a typed one, and no code is emitted for
//! it.

mod calls;
mod inquiry;
mod outside;
mod places;
mod question;
mod recover;
mod rounds;
mod verdict;

use std::time::Duration;

use tradeapi_words::Assumptions;

use crate::calls::batches::Batch;
use crate::calls::client::{Callable, ClientCore};
use crate::data::json::{Decode, Encode, List};
use crate::data::operation::{Operation, Repeatable};

pub(crate) use recover::{OrderLookup, can_no_longer_arrive, visible_within, wait_until};

pub use calls::{
    BatchConfirmation, ConfirmedItem, ItemConfirmation, check_ids, locate, place_and_confirm,
    place_and_confirm_reporting, settle, settle_each,
};
pub use outside::{EvidenceVerdict, OutsideEvidence, RequestEvidence, evidence};
pub use places::{AnyRecord, QueryFuture, RecordId, query_at, query_pages_at};
pub use recover::{Recovered, RecoveredChanges, RecoveredItem, Recovery, recover};
pub use verdict::{Because, Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};

/// A request whose effect another operation can query. Emitted where the schema names that operation.
pub trait Queryable: Operation {
    /// The query.
    type Query: Repeatable<Response: ShowsRecords<Self::Record>> + 'static;

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
pub trait ShowsRecords<R> {
    /// Returns what it shows.
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
        /// True if there are no others.
        is_whole: bool,
    },
}

impl<R> Shown<R> {
    /// Returns the same with other records.
    pub(crate) fn map<T>(self, make: impl Fn(R) -> T) -> Shown<T> {
        match self {
            Self::One(record) => Shown::One(make(record)),
            Self::Listed { items, is_whole } => {
                Shown::Listed { items: items.into_iter().map(make).collect(), is_whole }
            }
        }
    }

    /// Returns the records of a list, after which there may be more.
    pub fn listed(list: List<R>, has_more: bool) -> Self {
        Self::Listed { is_whole: list.is_complete() && !has_more, items: list.items }
    }
}

impl<R> ShowsRecords<R> for R {
    fn shown(self) -> Shown<R> {
        Shown::One(self)
    }
}

impl<R> ShowsRecords<R> for List<R> {
    fn shown(self) -> Shown<R> {
        Shown::listed(self, false)
    }
}

/// A request that changes one thing.
#[diagnostic::on_unimplemented(
    message = "no operation queries the outcome of `{Self}`",
    note = "for a request with several items, use `batch(..).send_and_confirm(..)`"
)]
pub trait Confirmable: Queryable + Callable {}

/// A batch whose items each change one thing, and have an outcome each.
#[diagnostic::on_unimplemented(
    message = "no operation queries the outcomes of the items of `{Self}`",
    note = "for a request with one item, use `place_and_confirm`"
)]
pub trait ConfirmableItems: Queryable + Batch {}

/// The queries for the outcome of a request, and what is assumed of the exchange meanwhile.
///
/// [`settling`](Self::settling), [`lag`](Self::lag), [`clock_error`](Self::clock_error) and [`denials`](Self::denials)
/// are assumptions: where one does not hold, an order that exists can be reported as
/// [`NotDone`](Confirmation::NotDone). Larger values assume less, and take longer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ConfirmPolicy {
    deadline: Duration,
    pauses: (Duration, Duration),
    assumptions: Assumptions,
    absent: Vec<String>,
}

impl Default for ConfirmPolicy {
    fn default() -> Self {
        Self {
            deadline: Self::DEADLINE,
            pauses: (Duration::from_millis(200), Duration::from_secs(5)),
            assumptions: Assumptions::DEFAULT,
            absent: Vec::new(),
        }
    }
}

impl ConfirmPolicy {
    /// The [`deadline`](Self::deadline) of a new policy.
    pub const DEADLINE: Duration = Duration::from_secs(240);

    /// The [`lag`](Self::lag) of a new policy.
    pub const LAG: Duration = Assumptions::DEFAULT.lag;

    /// Queries for four minutes, at once and then with pauses from 200 ms to 5 seconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets all that is assumed, as by [`ClientBuilder::assume`](crate::ClientBuilder::assume).
    pub fn assume(mut self, assumptions: Assumptions) -> Self {
        self.assumptions = assumptions;
        self
    }

    /// Gives up after this time; the outcome then stays unknown.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Pauses for `first` before the second query, and twice as long before each further one, up to `longest`. Without a
    /// pause, a client that is not held up by limits queries a dead network thousands of times a second.
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.pauses = (first, longest);
        self
    }

    /// Returns how long queries go on.
    pub fn lasts(&self) -> Duration {
        self.deadline
    }

    /// Sets how long the exchange may take to carry out a request that it accepted. An absence proves something only
    /// this long, and as long as [`lag`](Self::lag) says, after the request can no longer arrive. By default 10
    /// seconds.
    pub fn settling(mut self, settling: Duration) -> Self {
        self.assumptions.settling = settling;
        self
    }

    /// Sets how far the machine that answers a query may be behind the one that took the request: a replica shows
    /// what was carried out this long ago. By default a minute.
    pub fn lag(mut self, lag: Duration) -> Self {
        self.assumptions.lag = lag;
        self
    }

    /// Sets how far the clocks of this machine and of the one that answers may both be off from the clock that
    /// requests are accepted by. Without it, two clocks that are wrong together would show that a signature has
    /// expired. By default a minute.
    pub fn clock_error(mut self, clock_error: Duration) -> Self {
        self.assumptions.clock_error = clock_error;
        self
    }

    /// Sets how many answers in a row have to deny what a request was to create: an exchange may deny what exists, or leave
    /// it out of a listing, once less than this. By default two; at least one.
    pub fn denials(mut self, denials: u32) -> Self {
        self.assumptions.denials = denials;
        self
    }

    /// Interprets `code` as "not found", besides the codes that are documented or observed with that meaning.
    pub fn absent(mut self, code: impl Into<String>) -> Self {
        self.absent.push(code.into());
        self
    }

    /// Returns how many answers in a row have to deny what exists not, and how long to wait between two.
    pub(crate) fn denials_and_pause(&self) -> (u32, Duration) {
        (self.assumptions.denials.max(1), self.pauses.0)
    }

    /// Returns the assumptions.
    pub(crate) fn assumptions(&self) -> &Assumptions {
        &self.assumptions
    }
}
