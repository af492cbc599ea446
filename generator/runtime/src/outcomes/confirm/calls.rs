//! Calls that are confirmed: one request, and a batch item by item.

use std::pin::pin;
use std::sync::Arc;

use super::inquiry::of_record;
use super::places::{AnyRecord, QueryPlan};
use super::question::{Question, not_queryable};
use super::rounds::{Open, query_all, query_until};
use super::verdict::{Concluded, Confirmation, did_not_happen, had_no_effect, happened, still_unknown};
use super::{ConfirmPolicy, Confirmable, ConfirmableItems, Queryable};
use crate::calls::batches::{Batch, BatchCall, ItemOutcome, ItemReport, ListsResults, Stop, UnmatchedResult};
use crate::calls::client::{ClientCore, Meant};
use crate::data::checks::Violations;
use crate::data::error::{Error, UnknownOutcome};
use crate::data::json::BadItem;
use crate::data::operation::Operation;
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::network::wire::Reply;

/// The outcome of a request of the operation `O`.
type ConfirmationOf<O> = Confirmation<Reply<<O as Operation>::Response>, <O as Queryable>::Record>;

/// Sends `operation` once. If its outcome is unknown, queries its effect until the outcome is known or the deadline
/// of the policy passes. The queries wait for their rate limits like any call, and a journal gets what they find.
///
/// A request that carries no id to query by is not sent. If its id is the key by which the exchange recognizes a
/// repeat, it gets a new one.
///
/// An absence proves nothing while the request can still arrive or its effect may not be visible yet, and nothing
/// after the exchange may have deleted the record; if the documents do not say how long it is kept, it never proves
/// anything. A record is a proof only if nothing in it contradicts the request; otherwise the result is
/// [`Confirmation::Unknown`].
///
/// For several items, see [`BatchCall::send_and_confirm`](crate::calls::batches::BatchCall::send_and_confirm).
pub async fn place_and_confirm<O: Confirmable>(
    client: &ClientCore,
    operation: &O,
    policy: &ConfirmPolicy,
) -> ConfirmationOf<O> {
    place_and_confirm_reporting(client, operation, policy, &mut |_| {}).await
}

/// Returns the same as [`place_and_confirm`], and tells `report` of the answer that leaves the outcome unknown, before
/// the queries begin.
pub async fn place_and_confirm_reporting<O: Confirmable>(
    client: &ClientCore,
    operation: &O,
    policy: &ConfirmPolicy,
    report: &mut (dyn FnMut(&UnknownOutcome) + Send),
) -> ConfirmationOf<O> {
    let with_key = operation.with_key(client.now(), client.environment().random());
    let operation = with_key.as_ref().unwrap_or(operation);
    let Some(question) = only(Question::all(QueryPlan::of::<O>(), operation)) else {
        return did_not_happen(not_queryable(O::META));
    };
    match client.call_once(operation).await {
        Ok(reply) => happened(reply),
        Err(Error::Unknown(unknown)) => {
            report(&unknown);
            let (signed_at, left) = (unknown.sent.signed_at, unknown.sent.left);
            let call = Arc::new(Error::Unknown(unknown));
            let open = Open::new(client, question, signed_at.into(), Some(left), Some(Arc::clone(&call)));
            let concluded = query_one(client, open, policy).await;
            client.settled(operation, &call, concluded.outcome()).await;
            concluded.typed()
        }
        Err(why) => did_not_happen(why),
    }
}

/// Checks that the outcome of a request, or of each of its items, can be queried.
/// [`place_and_confirm`] and [`BatchCall::send_and_confirm`](crate::calls::batches::BatchCall::send_and_confirm) send no other.
///
/// # Errors
///
/// Fails if there is no id to query by.
pub fn check_ids<O: Queryable>(operation: &O) -> Result<(), Violations> {
    // A key that a request gets when it is sent is an id, too.
    let with_key = operation.with_key(Timestamp::default(), 0);
    let questions = Question::all(QueryPlan::of::<O>(), with_key.as_ref().unwrap_or(operation));
    match (questions.iter().all(Option::is_some), not_queryable(O::META)) {
        (false, Error::Refused(refusal)) => Err(refusal.violations),
        _ => Ok(()),
    }
}

/// Queries the outcome of a request that was signed at `signed_at` and may have been sent, by this client or by an
/// earlier run of the program. Nothing but queries is sent.
///
/// With `None`, as after a call that was dropped, the client's own memory of two hours says when it was signed, and
/// whether it left at all: the only request of the operation with the id is meant that this client, or another one of the
/// process with its key and address, made. If there are several, or none, the outcome stays unknown.
/// A cancellation is not remembered and counts as signed now: an order that is still open proves nothing before a
/// signature of now has expired.
///
/// For a request of an earlier run the time of departure is not known, so the outcome of an amendment stays
/// unknown, and an absence proves something only if the local clock agrees with the exchange's that enough time has
/// passed.
pub async fn settle<O: Confirmable>(
    client: &ClientCore,
    operation: &O,
    signed_at: impl Into<Option<Timestamp>>,
    policy: &ConfirmPolicy,
) -> ConfirmationOf<O> {
    let Some(question) = only(Question::all(QueryPlan::of::<O>(), operation)) else {
        return still_unknown(None, "the request carries no id to query by");
    };
    match open_of(client, question, signed_at.into()) {
        Ok(open) => query_one(client, open, policy).await.typed(),
        Err(known) => known.typed(),
    }
}

/// Queries once what `operation` created or changed, by the client id, also if the response contained no id.
///
/// # Errors
///
/// Fails if the request carries no id to query by, if the query fails, or if its response is about something else.
pub async fn locate<O: Confirmable>(client: &ClientCore, operation: &O) -> Result<Reply<O::Record>, Error> {
    let question = only(Question::all(QueryPlan::of::<O>(), operation)).ok_or_else(|| not_queryable(O::META))?;
    let reply = question.query_first(client, None).await?.map(|shown| question.pick(shown));
    let refused = reply.unreadable(O::Query::META, Outcome::NotDone, "it is not about what was queried");
    let record = of_record(reply).and_then(|reply| reply.map(AnyRecord::into).transpose());
    record.ok_or(refused)
}

async fn query_one(client: &ClientCore, open: Open, policy: &ConfirmPolicy) -> Concluded {
    let confirmation = query_all(client, vec![open], policy).await.pop();
    confirmation.unwrap_or_else(|| still_unknown(None, "it was not queried"))
}

/// Returns the change that is to be queried: of a request that was signed at `signed_at`, or of the only one that the client
/// remembers. Fails with its outcome if that needs no query, or cannot be queried.
fn open_of(client: &ClientCore, question: Question, signed_at: Option<Timestamp>) -> Result<Open, Concluded> {
    let meant = || client.meant(question.plan().meta.id, question.target());
    let signed_at = match signed_at.map_or_else(meant, Meant::Signed) {
        Meant::Signed(signed_at) => signed_at,
        Meant::Void => return Err(had_no_effect(None)),
        Meant::Unclear => {
            let because = "the client remembers none or several that it may be, and not when it was signed";
            return Err(still_unknown(None, because));
        }
    };
    let left = client.left(question.key(), signed_at);
    Ok(Open::new(client, question, signed_at.into(), left, None))
}

/// Returns the only query, if there is exactly one and it can be sent.
fn only(mut all: Vec<Option<Question>>) -> Option<Question> {
    if all.len() == 1 { all.pop().flatten() } else { None }
}

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

    /// Returns the items that had no effect, or whose outcome is unknown.
    pub fn failures(&self) -> impl Iterator<Item = &ItemConfirmation<I, T, R>> {
        self.items.iter().filter(|item| item.confirmation.outcome() != Outcome::Done)
    }

    /// Returns the outcome of each item, without details.
    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.items.iter().map(|item| item.confirmation.outcome())
    }
}

/// The outcomes of the items of a batch of the operation `O`.
type BatchConfirmationOf<O> =
    BatchConfirmation<<O as Batch>::Item, <O as ListsResults>::Done, <O as Queryable>::Record>;

/// An item of such a batch with its outcome.
pub type ConfirmedItem<O> = ItemConfirmation<<O as Batch>::Item, <O as ListsResults>::Done, <O as Queryable>::Record>;

/// The outcome of an item of such a batch.
type ItemConfirmationOf<O> = Confirmation<<O as ListsResults>::Done, <O as Queryable>::Record>;

impl<O: ConfirmableItems> BatchCall<O> {
    /// Sends as [`send`](Self::send) does, and then queries each item whose outcome is unknown, as
    /// [`place_and_confirm`](super::place_and_confirm) does. The batch is not sent if an item carries no id to query
    /// by.
    ///
    /// # Errors
    ///
    /// Fails if the batch as a whole breaks a rule. Nothing is sent then.
    pub async fn send_and_confirm(self, policy: &ConfirmPolicy) -> Result<BatchConfirmationOf<O>, Error> {
        self.confirm_stoppable(policy, &mut Stop::Never, &mut |_| {}).await
    }

    /// Sends and queries as [`send_and_confirm`](Self::send_and_confirm) does, until `stop` is ready: then no further
    /// call is made, as by [`send_until`](Self::send_until), and no further query. What was not settled before stays
    /// unknown.
    ///
    /// # Errors
    ///
    /// As [`send_and_confirm`](Self::send_and_confirm).
    pub async fn send_and_confirm_until(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.confirm_stoppable(policy, &mut Stop::When(pin!(stop)), &mut |_| {}).await
    }

    /// Sends and queries as [`send_and_confirm_until`](Self::send_and_confirm_until) does, and tells `report` what each
    /// item was answered, before the queries begin. It is not called if no outcome is unknown.
    ///
    /// # Errors
    ///
    /// As [`send_and_confirm`](Self::send_and_confirm).
    pub async fn send_and_confirm_reporting(
        self,
        policy: &ConfirmPolicy,
        stop: impl Future<Output = ()> + Send,
        report: &mut (dyn FnMut(&[ConfirmedItem<O>]) + Send),
    ) -> Result<BatchConfirmationOf<O>, Error> {
        self.confirm_stoppable(policy, &mut Stop::When(pin!(stop)), report).await
    }

    async fn confirm_stoppable(
        self,
        policy: &ConfirmPolicy,
        stop: &mut Stop<'_>,
        tell: &mut (dyn FnMut(&[ConfirmedItem<O>]) + Send),
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
        if !open.is_empty() {
            tell(&items);
        }
        for (place, confirmation) in places.into_iter().zip(query_until(&client, open, policy, stop).await) {
            items[place].confirmation = confirmation.typed();
        }
        let (unmatched, bad, calls, warnings) = (report.unmatched, report.bad, report.calls, report.warnings);
        Ok(BatchConfirmation { items, unmatched, bad, calls, warnings })
    }
}

/// Settles as [`settle`](super::settle) does, for each item of a request: one outcome per item, in their order. The
/// outcome of an item without an id, or with the same id as another item, stays unknown.
pub async fn settle_each<O: ConfirmableItems>(
    client: &ClientCore,
    operation: &O,
    signed_at: impl Into<Option<Timestamp>>,
    policy: &ConfirmPolicy,
) -> Vec<ItemConfirmationOf<O>> {
    let (questions, signed_at) = (Question::all(QueryPlan::of::<O>(), operation), signed_at.into());
    let keys: Vec<Option<String>> =
        questions.iter().map(|question| question.as_ref().map(|question| question.key().to_owned())).collect();
    let is_shared = |key: &str| keys.iter().flatten().filter(|other| *other == key).count() > 1;
    let mut confirmations: Vec<ItemConfirmationOf<O>> =
        keys.iter().map(|key| still_unknown(None, cannot_be_settled(key.as_deref()))).collect();
    let (mut open, mut places) = (Vec::new(), Vec::new());
    for (place, question) in questions.into_iter().enumerate() {
        let Some(question) = question.filter(|question| !is_shared(question.key())) else { continue };
        match open_of(client, question, signed_at) {
            Ok(one) => {
                places.push(place);
                open.push(one);
            }
            Err(known) => confirmations[place] = known.typed(),
        }
    }
    for (place, confirmation) in places.into_iter().zip(query_all(client, open, policy).await) {
        confirmations[place] = confirmation.typed();
    }
    confirmations
}

/// Returns the outcome of an item as far as the response shows it.
fn confirmation_of_item<O: ConfirmableItems>(outcome: ItemOutcome<O::Done>) -> ItemConfirmationOf<O> {
    match outcome {
        ItemOutcome::Done(done) => happened(done),
        ItemOutcome::NotSent => had_no_effect(None),
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

/// Returns why an item with this id is not queried.
fn cannot_be_settled(key: Option<&str>) -> &'static str {
    match key {
        None => "the item carries no id to query by",
        Some(_) => "another item has the same id, so a record may be of either",
    }
}

/// Returns all queries, if each can be sent and no two are the same.
fn distinct(questions: Vec<Option<Question>>) -> Option<Vec<Question>> {
    let questions: Vec<_> = questions.into_iter().collect::<Option<_>>()?;
    let mut keys: Vec<_> = questions.iter().map(Question::key).collect();
    sort_by(&mut keys, &Ord::cmp);
    let count = keys.len();
    keys.dedup();
    (keys.len() == count).then_some(questions)
}
