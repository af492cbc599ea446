//! Responses that list successes and failures, of requests that were called directly; and the outcomes of the items for
//! a journal, without their types.
//!
//! Such responses come as a type of their own that must be used; on every reply that would be noise. An operation that
//! is not a batch lists results if its response has the lists of a batch of its family.

use std::error::Error as StdError;
use std::fmt;
use std::ops::Deref;

use super::batch::{BatchAnswer, ItemResult, ListsResults, SentItems, StatedResult};
use super::matching;
use super::report::{ItemResults, UnmatchedResult, shown_ids};
use crate::calls::client::{ClientCore, ReplyTo};
use crate::data::error::ExchangeError;
use crate::data::json::BadItem;
use crate::data::operation::{ItemJudge, ItemOutcome, ItemOutcomes};
use crate::data::parameters::Named;
use crate::data::tables::{Meta, Outcome};
use crate::network::wire::{Reply, is_compound_with};

/// A reply to a request whose items succeed or fail on their own: the cancellation of all orders, or a batch in a
/// single call. The call succeeded; items may have failed.
///
/// ```
/// use tradeapi_runtime::batches::ItemsReply;
/// use tradeapi_runtime::client::Callable;
/// use tradeapi_runtime::{ClientCore, Error};
///
/// async fn cancel_all<O, T>(client: &ClientCore, all: &O) -> Result<(), Error>
/// where
///     O: Callable<Response = T, Reply = ItemsReply<T>>,
/// {
///     let reply = client.call(all).await?;
///     for failure in reply.failures() {
///         println!("{failure}"); // the id, the code and its meaning
///     }
///     println!("all done: {}", reply.all_done());
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use = "items may have failed; see `all_done`, `failures` and `done`"]
pub struct ItemsReply<T> {
    reply: Reply<T>,
    failures: Vec<ItemFailure>,
    succeeded: usize,
    bad: Vec<BadItem>,
    /// The number of items that the response does not mention, or contradicts itself about.
    unmentioned: usize,
    claims_failure: bool,
}

/// An item that failed, or whose outcome is unknown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ItemFailure {
    /// The ids of the item, as far as the response has them.
    pub ids: Vec<String>,
    /// Why: the code with its known meaning, the outcome, and the message.
    pub error: Box<ExchangeError>,
}

impl<T> ItemsReply<T> {
    /// Returns whether every item succeeded: the response mentions all items of the request, and none as failed.
    pub fn all_done(&self) -> bool {
        self.failures.is_empty() && self.bad.is_empty() && self.unmentioned == 0 && !self.claims_failure
    }

    /// Returns the items that failed, or whose outcome is unknown. [`typed`](crate::data::error::Code::typed) gives
    /// their codes as values of the enum of a family, and [`remedy`](ExchangeError::remedy) what to do.
    pub fn failures(&self) -> &[ItemFailure] {
        &self.failures
    }

    /// Returns how many items the response shows to have succeeded.
    pub fn succeeded(&self) -> usize {
        self.succeeded
    }

    /// Returns results that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        &self.bad
    }

    /// Returns how many items of the request the response does not mention, or contradicts itself about: query them
    /// before repeating them.
    pub fn unmentioned(&self) -> usize {
        self.unmentioned
    }

    /// Returns the reply, if every item succeeded.
    ///
    /// # Errors
    ///
    /// Returns this reply as an error if an item did not succeed, or may not have.
    pub fn done(self) -> Result<Reply<T>, PartialFailure<T>> {
        if self.all_done() { Ok(self.reply) } else { Err(PartialFailure(Box::new(self))) }
    }

    /// Returns the reply, whatever the results of the items.
    pub fn into_reply(self) -> Reply<T> {
        self.reply
    }

    /// Returns the data of the reply, whatever the results of the items.
    pub fn into_data(self) -> T {
        self.reply.into_data()
    }
}

impl<T> Deref for ItemsReply<T> {
    type Target = Reply<T>;

    fn deref(&self) -> &Reply<T> {
        &self.reply
    }
}

impl fmt::Display for ItemFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", shown_ids(self.ids.iter()), self.error)
    }
}

impl<T> fmt::Display for ItemsReply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.all_done() {
            return f.write_str("all items succeeded");
        }
        match self.failures.len() {
            0 => f.write_str("not all items are known to have succeeded")?,
            1 => f.write_str("an item failed")?,
            n => write!(f, "{n} items failed")?,
        }
        if !self.bad.is_empty() {
            write!(f, ", {} results cannot be read", self.bad.len())?;
        }
        if self.unmentioned > 0 {
            write!(f, ", {} items are not mentioned", self.unmentioned)?;
        }
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

/// Not every item of a request succeeded; the call itself did.
#[derive(Clone, Debug)]
pub struct PartialFailure<T>(Box<ItemsReply<T>>);

impl<T> PartialFailure<T> {
    /// Returns the reply.
    pub fn into_items(self) -> ItemsReply<T> {
        *self.0
    }
}

impl<T> Deref for PartialFailure<T> {
    type Target = ItemsReply<T>;

    fn deref(&self) -> &ItemsReply<T> {
        &self.0
    }
}

impl<T> fmt::Display for PartialFailure<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Debug> StdError for PartialFailure<T> {}

impl<T> AsRef<Reply<T>> for ItemsReply<T> {
    fn as_ref(&self) -> &Reply<T> {
        self
    }
}

impl<T> From<ItemsReply<T>> for Reply<T> {
    fn from(items: ItemsReply<T>) -> Self {
        items.into_reply()
    }
}

impl<O: ListsResults<Response: Clone>> ReplyTo<O> for ItemsReply<O::Response> {
    fn of(reply: Reply<O::Response>, operation: &O, client: &ClientCore) -> Self {
        let of_reply = ItemResults::new(client.api(), O::META, client.codes(), &reply);
        let answer = of_reply.read::<O>(reply.data.clone());
        let (bad, claims_failure) = (answer.bad.clone(), answer.all_done == Some(false));
        let (results, unmentioned) = match operation.sent() {
            None => (answer.results, 0),
            Some(SentItems { ids, shape }) => {
                let matching = matching::assign(&ids, answer, shape);
                let unmentioned = matching.unmentioned(&ids, bad.len());
                let matched = matching.items.into_iter().flatten().map(|found| found.stated);
                (matched.chain(matching.unmatched).collect(), unmentioned)
            }
        };
        let results: Vec<_> = results;
        let all = results.len();
        let failures = results.into_iter().map(|stated| of_reply.unmatched(stated)).filter_map(
            |UnmatchedResult { ids, result }| {
                Some(ItemFailure { ids: ids.into_iter().flatten().collect(), error: result.err()? })
            },
        );
        let failures: Vec<_> = failures.collect();
        let succeeded = all - failures.len();
        Self { reply, failures, succeeded, bad, unmentioned, claims_failure }
    }
}

/// Returns the outcomes of the items of a request, or those that the response to a request without items lists.
pub fn item_outcomes<O: ListsResults<Response: Clone>>(
    request: &O,
    response: &O::Response,
    judge: &ItemJudge<'_>,
) -> ItemOutcomes {
    let answer = O::answer(response.clone(), judge.is_success).without_data();
    let mut answer = BatchAnswer { is_full: judge.is_full, ..answer };
    if let Some(apart) = &O::APART {
        answer.with_codes(apart, judge.raw, judge.is_success);
    }
    let depends = O::META.compound.is_some_and(|compound| compound.when.is_some());
    match request.sent() {
        None => unlisted(answer, depends, judge),
        Some(sent) => {
            let items = if depends { items(&Named::of(request), &sent) } else { Vec::new() };
            listed(O::META, answer, &sent, &items, judge)
        }
    }
}

fn items(request: &Named, sent: &SentItems) -> Vec<Named> {
    request.items(if sent.shape.list.is_empty() { "[]" } else { sent.shape.list })
}

/// Returns the outcome of each item of a request. One that the response does not mention, or contradicts itself about,
/// is unknown.
fn listed(
    meta: &Meta,
    answer: BatchAnswer<()>,
    sent: &SentItems,
    items: &[Named],
    judge: &ItemJudge<'_>,
) -> ItemOutcomes {
    let matching = matching::assign(&sent.ids, answer, sent.shape);
    let mut outcomes = Vec::with_capacity(sent.ids.len());
    for (place, found) in matching.items.into_iter().enumerate() {
        let is_compound = items.get(place).is_some_and(|item| is_compound_with(meta, item));
        outcomes.push(match found {
            Some(found) => outcome(found.stated, is_compound, judge),
            None => ItemOutcome { outcome: Outcome::Unknown, code: None },
        });
    }
    ItemOutcomes { items: outcomes, are_of_request: true }
}

/// Returns the outcomes that a response lists. One that cannot be read, or a failure that is claimed and not shown, is
/// unknown.
fn unlisted(answer: BatchAnswer<()>, may_be_compound: bool, judge: &ItemJudge<'_>) -> ItemOutcomes {
    let unknown = ItemOutcome { outcome: Outcome::Unknown, code: None };
    let mut items = vec![unknown.clone(); answer.bad.len()];
    let claims_failure = answer.all_done == Some(false);
    for stated in answer.results {
        items.push(outcome(stated, may_be_compound, judge));
    }
    if claims_failure && items.iter().all(|item| item.outcome == Outcome::Done) {
        items.push(unknown);
    }
    ItemOutcomes { items, are_of_request: false }
}

fn outcome(stated: StatedResult<()>, is_compound: bool, judge: &ItemJudge<'_>) -> ItemOutcome {
    match stated.result {
        ItemResult::Done(()) => ItemOutcome { outcome: Outcome::Done, code: None },
        ItemResult::Unclear(_) => ItemOutcome { outcome: Outcome::Unknown, code: None },
        ItemResult::Failed(failure) => {
            ItemOutcome { outcome: (judge.outcome_of)(failure.code.as_deref(), is_compound), code: failure.code }
        }
    }
}

impl<T> BatchAnswer<T> {
    /// Returns the same results without the data of those that succeeded.
    fn without_data(self) -> BatchAnswer<()> {
        let results = self.results.into_iter().map(|StatedResult { place, ids, is_tacit, result }| {
            let result = match result {
                ItemResult::Done(_) => ItemResult::Done(()),
                ItemResult::Failed(failure) => ItemResult::Failed(failure),
                ItemResult::Unclear(failure) => ItemResult::Unclear(failure),
            };
            StatedResult { place, ids, is_tacit, result }
        });
        BatchAnswer { results: results.collect(), bad: self.bad, all_done: self.all_done, is_full: self.is_full }
    }
}
