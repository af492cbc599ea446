//! Confirms the outcome of each item of a batch.

use std::pin::pin;
use std::sync::Arc;

use super::plan::QueryPlan;
use super::question::{Question, not_queryable};
use super::rounds::{Open, query_all, query_until};
use super::verdict::{Confirmation, ConfirmedNotDone, did_not_happen, happened, still_unknown};
use super::{ConfirmPolicy, ConfirmableItems, Queryable};
use crate::calls::batches::{Batch, BatchCall, ItemOutcome, ItemReport, ListsResults, Stop, UnmatchedResult};
use crate::calls::client::ClientCore;
use crate::data::checks::Violations;
use crate::data::error::Error;
use crate::data::json::BadItem;
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;

/// The outcome of a batch, after queries. `T` is the result of an item that succeeded, `R` the record that a query
/// returns.
#[derive(Debug)]
#[must_use = "items may have failed; see `all_done` and `failures`"]
#[non_exhaustive]
pub struct BatchConfirmation<I, T, R> {
    /// Every item with its outcome, in the order given.
    pub items: Vec<ItemConfirmation<I, T, R>>,
    /// Results that belong to no item.
    pub unmatched: Vec<UnmatchedResult<T>>,
    /// Results that could not be read.
    pub bad: Vec<BadItem>,
    /// The number of calls that sent items.
    pub calls: usize,
    /// Broken rules that only warn.
    pub warnings: Violations,
}

/// An item and its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemConfirmation<I, T, R> {
    /// The item as it was given.
    pub item: I,
    /// The outcome.
    pub confirmation: Confirmation<T, R>,
}

impl<I, T, R> BatchConfirmation<I, T, R> {
    /// Returns whether every item had its effect; of a request without items, whether every result can be read and is a
    /// success.
    pub fn all_done(&self) -> bool {
        match self.items.is_empty() {
            true => self.bad.is_empty() && self.unmatched.iter().all(|unmatched| unmatched.result.is_ok()),
            false => self.failures().next().is_none(),
        }
    }

    /// The items that had no effect, or whose outcome is unknown.
    pub fn failures(&self) -> impl Iterator<Item = &ItemConfirmation<I, T, R>> {
        self.items.iter().filter(|item| item.confirmation.outcome() != Outcome::Done)
    }

    /// The outcome of each item, without details.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.items.iter().map(|item| item.confirmation.outcome())
    }
}

/// The outcomes of the items of a batch of the operation `O`.
type BatchConfirmationOf<O> =
    BatchConfirmation<<O as Batch>::Item, <O as ListsResults>::Done, <O as Queryable>::Record>;

/// The outcome of one of them.
type ConfirmationOf<O> = Confirmation<<O as ListsResults>::Done, <O as Queryable>::Record>;

impl<O: ConfirmableItems> BatchCall<O> {
    /// Like [`send`](Self::send), and then queries each item whose outcome is unknown, like
    /// [`place_and_confirm`](super::place_and_confirm). The batch is not sent if an item carries no id to query by.
    ///
    /// # Errors
    ///
    /// Fails if the batch as a whole breaks a rule. Nothing is sent then.
    pub async fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<BatchConfirmationOf<O>, Error> {
        self.confirm_stoppable(policy, &mut Stop::Never).await
    }

    /// Like [`send_and_confirm`](Self::send_and_confirm), until `stop` is ready: then no further call is made, as by
    /// [`send_until`](Self::send_until), and no further query. What was not settled before stays unknown.
    ///
    /// # Errors
    ///
    /// As [`send_and_confirm`](Self::send_and_confirm).
    pub async fn send_and_confirm_until(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.confirm_stoppable(policy, &mut Stop::When(pin!(stop))).await
    }

    async fn confirm_stoppable(
        self,
        policy: &ConfirmPolicy,
        stop: &mut Stop<'_>,
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.refuse_id_twice()?;
        let questions =
            distinct(Question::all(QueryPlan::of::<O>(), &self.request)).ok_or_else(|| not_queryable(O::META))?;
        let client = self.client.clone();
        let report = self.send_stoppable(stop).await?;
        let (mut items, mut open, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (question, reported) in questions.into_iter().zip(report.items) {
            let ItemReport { item, outcome, signed_at, left, .. } = reported;
            let confirmation = confirmation_of_item::<O>(outcome);
            if let Confirmation::Unknown(still) = &confirmation {
                places.push(items.len());
                let signed_at = signed_at.unwrap_or_else(|| client.now());
                open.push(Open::new(&client, question, signed_at.into(), left, still.call.clone()));
            }
            items.push(ItemConfirmation { item, confirmation });
        }
        for (place, confirmation) in places.into_iter().zip(query_until(&client, open, policy, stop).await) {
            items[place].confirmation = confirmation.typed();
        }
        let (unmatched, bad, calls, warnings) = (report.unmatched, report.bad, report.calls, report.warnings);
        Ok(BatchConfirmation { items, unmatched, bad, calls, warnings })
    }
}

/// Like [`settle`](super::settle), for each item of a request: one outcome per item, in their order. The outcome of
/// an item without an id, or with the same id as another item, stays unknown.
pub async fn settle_each<O: ConfirmableItems>(
    client: &ClientCore,
    operation: &O,
    signed_at: Timestamp,
    policy: &ConfirmPolicy,
) -> Vec<ConfirmationOf<O>> {
    let questions = Question::all(QueryPlan::of::<O>(), operation);
    let keys: Vec<Option<String>> =
        questions.iter().map(|question| question.as_ref().map(|question| question.key().to_owned())).collect();
    let is_shared = |key: &str| keys.iter().flatten().filter(|other| *other == key).count() > 1;
    let mut confirmations: Vec<ConfirmationOf<O>> =
        keys.iter().map(|key| still_unknown(None, cannot_be_settled(key.as_deref()))).collect();
    let (mut open, mut places) = (Vec::new(), Vec::new());
    for (place, question) in questions.into_iter().enumerate() {
        let Some(question) = question.filter(|question| !is_shared(question.key())) else { continue };
        places.push(place);
        let left = client.left(question.key(), signed_at);
        open.push(Open::new(client, question, signed_at.into(), left, None));
    }
    for (place, confirmation) in places.into_iter().zip(query_all(client, open, policy).await) {
        confirmations[place] = confirmation.typed();
    }
    confirmations
}

/// The outcome of an item as far as the response shows it.
fn confirmation_of_item<O: ConfirmableItems>(outcome: ItemOutcome<O::Done>) -> ConfirmationOf<O> {
    match outcome {
        ItemOutcome::Done(done) => happened(done),
        ItemOutcome::NotSent => {
            Confirmation::NotDone(Box::new(ConfirmedNotDone { why: None, by_absence: false, queries: 0 }))
        }
        ItemOutcome::GivenUp => still_unknown(None, "its call was given up after it was sent"),
        ItemOutcome::Unaccounted => still_unknown(None, "the response does not mention it"),
        ItemOutcome::Failed(error) => by_error(Arc::new(Error::Exchange(error))),
        ItemOutcome::CallFailed(error) => by_error(error),
    }
}

fn by_error<T, R>(error: Arc<Error>) -> Confirmation<T, R> {
    match error.outcome() {
        Outcome::Unknown => still_unknown(Some(error), "the response does not show it"),
        Outcome::NotDone | Outcome::Done => did_not_happen(error),
    }
}

/// Why an item with this id is not queried.
fn cannot_be_settled(key: Option<&str>) -> &'static str {
    match key {
        None => "the item carries no id to query by",
        Some(_) => "another item has the same id, so a record may be of either",
    }
}

/// All queries, if each can be sent and no two are the same.
fn distinct(questions: Vec<Option<Question>>) -> Option<Vec<Question>> {
    let questions: Vec<_> = questions.into_iter().collect::<Option<_>>()?;
    let mut keys: Vec<_> = questions.iter().map(Question::key).collect();
    sort_by(&mut keys, &Ord::cmp);
    let count = keys.len();
    keys.dedup();
    (keys.len() == count).then_some(questions)
}
