//! The outcome of a batch, item by item.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use super::batch::{BatchAnswer, Failure, ItemResult, ListsResults, StatedResult};
use super::matching::{Matched, MatchedResult};
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{Code, Error, ExchangeError};
use crate::data::json::BadItem;
use crate::data::parameters::Parameters;
use crate::data::tables::{Api, CallResult, Meta, Outcome};
use crate::data::value::Timestamp;
use crate::network::wire::{CodePolicy, ReadCode, RefusedItem, Reply, is_compound_item};

/// The outcome of a batch. Some items may have failed although the call succeeded; see [`all_done`](Self::all_done).
#[derive(Debug)]
#[must_use = "items may have failed; see `all_done`, `failures` and `done`"]
#[non_exhaustive]
pub struct BatchReport<I, T> {
    /// Every item, in the order given.
    pub items: Vec<ItemReport<I, T>>,
    /// Results that belong to no item: all of them if the request lists no items.
    pub unmatched: Vec<UnmatchedResult<T>>,
    /// Results that could not be read; their items are unaccounted for.
    pub bad: Vec<BadItem>,
    /// The number of calls that were made.
    pub calls: usize,
    /// Broken rules that only warn.
    pub warnings: Violations,
    /// True if the response to a request without items claims a failure that it does not list.
    pub(super) hides_failure: bool,
}

/// An item and its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemReport<I, T> {
    /// The item as it was given.
    pub item: I,
    /// The outcome.
    pub outcome: ItemOutcome<T>,
    /// The way the result was matched to the item.
    pub matched: Option<Matched>,
    /// When the call with this item was signed; `None` if that call had no effect.
    pub signed_at: Option<Timestamp>,
    pub(crate) left: Option<Moment>,
}

/// The outcome of an item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ItemOutcome<T> {
    /// The item succeeded.
    Done(T),
    /// The exchange reports that it failed.
    Failed(Box<ExchangeError>),
    /// The call with this item failed; all items of the call share the error.
    CallFailed(Arc<Error>),
    /// The response does not mention it, or contradicts itself: query it before repeating it.
    Unaccounted,
    /// The call was given up after it was sent, because the batch was [stopped](super::BatchCall::send_until): query it
    /// before repeating it.
    GivenUp,
    /// The item was not sent, because an earlier item did not succeed, or the batch was stopped.
    NotSent,
}

/// A result that belongs to no item.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnmatchedResult<T> {
    /// The ids, in the order of [`BatchShape::ids`](super::BatchShape::ids).
    pub ids: Vec<Option<String>>,
    /// The result.
    pub result: Result<T, Box<ExchangeError>>,
}

impl<T> ItemOutcome<T> {
    /// Returns whether it succeeded.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Returns whether the outcome is unknown: query the item before repeating it.
    pub fn is_unknown(&self) -> bool {
        self.outcome() == Outcome::Unknown
    }

    /// Returns whether it is certain that it did not succeed.
    pub fn is_not_done(&self) -> bool {
        self.outcome() == Outcome::NotDone
    }

    /// Returns whether it had its effect.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Done(_) => Outcome::Done,
            Self::NotSent => Outcome::NotDone,
            // A failure is no success, whatever its code proves.
            Self::Failed(error) if error.outcome == Outcome::Unknown => Outcome::Unknown,
            Self::CallFailed(error) if error.outcome() == Outcome::Unknown => Outcome::Unknown,
            Self::Failed(_) | Self::CallFailed(_) => Outcome::NotDone,
            Self::Unaccounted | Self::GivenUp => Outcome::Unknown,
        }
    }
}

impl<I, T> BatchReport<I, T> {
    /// Returns whether every item succeeded, and no result that belongs to no item is a failure. Of a request without
    /// items, whether every result can be read and is a success.
    pub fn all_done(&self) -> bool {
        let is_read = !self.items.is_empty() || (self.bad.is_empty() && !self.hides_failure);
        is_read && self.failures().next().is_none() && self.unmatched_failures().next().is_none()
    }

    /// Returns the items that did not succeed, or whose outcome is unknown. A request without items has none; see
    /// [`unmatched_failures`](Self::unmatched_failures).
    pub fn failures(&self) -> impl Iterator<Item = &ItemReport<I, T>> {
        self.items.iter().filter(|item| !item.outcome.is_done())
    }

    /// Returns the results that belong to no item, and are not those of a success.
    pub fn unmatched_failures(&self) -> impl Iterator<Item = &UnmatchedResult<T>> {
        self.unmatched.iter().filter(|unmatched| unmatched.result.is_err())
    }

    /// Returns the results of all items in the order given, if [`all_done`](Self::all_done); of a request without
    /// items, all results in the order of the response.
    ///
    /// # Errors
    ///
    /// Returns the report if not all is done.
    pub fn done(self) -> Result<Vec<T>, Box<Self>> {
        if !self.all_done() {
            return Err(Box::new(self));
        }
        if self.items.is_empty() {
            return Ok(self.unmatched.into_iter().filter_map(|unmatched| unmatched.result.ok()).collect());
        }
        let done = self.items.into_iter().filter_map(|item| match item.outcome {
            ItemOutcome::Done(done) => Some(done),
            ItemOutcome::Failed(_)
            | ItemOutcome::CallFailed(_)
            | ItemOutcome::Unaccounted
            | ItemOutcome::GivenUp
            | ItemOutcome::NotSent => None,
        });
        Ok(done.collect())
    }

    /// Returns the items whose outcome is unknown.
    pub fn unknown(&self) -> impl Iterator<Item = &ItemReport<I, T>> {
        self.items.iter().filter(|item| item.outcome.is_unknown())
    }
}

impl<I, T> fmt::Display for BatchReport<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.items.is_empty() {
            true => self.fmt_results(f)?,
            false => self.fmt_items(f)?,
        }
        self.unmatched_failures().try_for_each(|unmatched| match &unmatched.result {
            Ok(_) => Ok(()),
            Err(error) if self.items.is_empty() => {
                write!(f, "\n  {}: {error}", shown_ids(unmatched.ids.iter().flatten()))
            }
            Err(error) => {
                write!(f, "\n  {}, which belongs to no item: {error}", shown_ids(unmatched.ids.iter().flatten()))
            }
        })
    }
}

impl<I, T> BatchReport<I, T> {
    fn fmt_items(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, unknown) = (self.items.len(), self.unknown().count());
        let done = self.items.iter().filter(|item| item.outcome.is_done()).count();
        write!(f, "{done} of {all} items succeeded")?;
        match unknown {
            0 => {}
            1 => f.write_str(", and the outcome of one is unknown")?,
            _ => write!(f, ", and the outcomes of {unknown} are unknown")?,
        }
        self.items.iter().enumerate().try_for_each(|(index, item)| match &item.outcome {
            ItemOutcome::Done(_) => Ok(()),
            ItemOutcome::Failed(error) => write!(f, "\n  item {index}: {error}"),
            ItemOutcome::CallFailed(error) => write!(f, "\n  item {index}: {error}"),
            ItemOutcome::Unaccounted => write!(f, "\n  item {index}: the response does not mention it"),
            ItemOutcome::GivenUp => write!(f, "\n  item {index}: its call was given up after it was sent"),
            ItemOutcome::NotSent => {
                write!(
                    f,
                    "\n  item {index}: not sent, because an earlier item did not succeed or the batch was stopped"
                )
            }
        })
    }

    /// Writes what the response to a request without items lists.
    fn fmt_results(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, failed) = (self.unmatched.len(), self.unmatched_failures().count());
        write!(f, "{} of {all} results are of a success", all - failed)?;
        if !self.bad.is_empty() {
            write!(f, ", and {} cannot be read", self.bad.len())?;
        }
        if self.hides_failure {
            f.write_str(", and the response claims a failure that it does not list")
        } else {
            Ok(())
        }
    }
}

/// Returns the ids of a result in an error.
pub(super) fn shown_ids<'a>(ids: impl Iterator<Item = &'a String>) -> String {
    let ids: Vec<_> = ids.map(String::as_str).collect();
    if ids.is_empty() { "an item without an id".to_owned() } else { ids.join(" ") }
}

impl<I: fmt::Debug, T: fmt::Debug> std::error::Error for BatchReport<I, T> {}

/// Turns the results in a successful response into reports, by the table of outcomes.
pub(super) struct ItemResults<'a> {
    pub(super) api: &'static Api,
    pub(super) meta: &'static Meta,
    codes: Cow<'a, CodePolicy>,
    status: StatusCode,
    request_time: Option<Timestamp>,
    raw: Bytes,
    waited: Duration,
    signed_at: Option<Timestamp>,
    left: Option<Moment>,
    is_full: bool,
}

impl<'a> ItemResults<'a> {
    pub(super) fn new<T>(api: &'static Api, meta: &'static Meta, codes: &'a CodePolicy, reply: &Reply<T>) -> Self {
        let Reply { status, request_time, waited, signed_at, left, may_answer_repeat, is_full, .. } = *reply;
        let (codes, raw) = (codes.for_answer(may_answer_repeat), reply.raw.clone());
        Self { api, meta, codes, status, request_time, raw, waited, signed_at, left, is_full }
    }

    pub(super) fn item<I: Parameters, T>(&self, item: I, found: Option<MatchedResult<T>>) -> ItemReport<I, T> {
        let (outcome, matched) = match found {
            None => (ItemOutcome::Unaccounted, None),
            Some(MatchedResult { stated, how }) => match stated.result {
                ItemResult::Done(done) => (ItemOutcome::Done(done), Some(how)),
                ItemResult::Failed(failure) => {
                    let is_compound = is_compound_item(self.meta, &item);
                    (ItemOutcome::Failed(self.failure(failure, is_compound)), Some(how))
                }
                ItemResult::Unclear(_) => (ItemOutcome::Unaccounted, Some(how)),
            },
        };
        ItemReport { item, outcome, matched, signed_at: self.signed_at, left: self.left }
    }

    /// Returns the results in the data of the response, with their codes wherever the response has them.
    pub(super) fn read<O: ListsResults>(&self, data: O::Response) -> BatchAnswer<O::Done> {
        let is_success = |code: &str| self.meta.is_success(self.api, code);
        let mut answer = BatchAnswer { is_full: self.is_full, ..O::answer(data, &is_success) };
        if let Some(apart) = &O::APART {
            answer.with_codes(apart, &self.raw, &is_success);
        }
        answer
    }

    /// Reports a result without an item. It may be of a compound item, so its outcome is read as that of one.
    pub(super) fn unmatched<T>(&self, stated: StatedResult<T>) -> UnmatchedResult<T> {
        let is_compound = self.meta.compound.is_some_and(|compound| compound.when.is_some());
        let result = match stated.result {
            ItemResult::Done(done) => Ok(done),
            ItemResult::Failed(failure) => Err(self.failure(failure, is_compound)),
            ItemResult::Unclear(failure) => Err(self.error(failure, None, CallResult::UnlistedCode, Outcome::Unknown)),
        };
        UnmatchedResult { ids: stated.ids, result }
    }

    /// Returns the error of an item that the response lists as failed.
    fn failure(&self, failure: Failure, is_compound: bool) -> Box<ExchangeError> {
        let RefusedItem { read, call_result, outcome } =
            self.codes.read_item(self.api, self.meta, failure.code.as_deref(), is_compound);
        self.error(failure, Some(read), call_result, outcome)
    }

    fn error(
        &self,
        Failure { code, message }: Failure,
        read: Option<ReadCode>,
        call_result: CallResult,
        outcome: Outcome,
    ) -> Box<ExchangeError> {
        Box::new(ExchangeError {
            operation: self.meta.id,
            effect: self.meta.effect,
            outcome,
            call_result,
            code: Code::new(code.as_deref().unwrap_or_default()),
            message: message.unwrap_or_default(),
            status: self.status,
            request_time: self.request_time,
            known: read.and_then(|read| read.known),
            proves: read.and_then(|read| read.proves()),
            retry_after: None,
            may_answer_repeat: read.is_some_and(|read| read.may_answer_repeat()),
            skew: None,
            escaped_query: None,
            mismatch: None,
            raw: self.raw.clone(),
            waited: self.waited,
        })
    }
}
