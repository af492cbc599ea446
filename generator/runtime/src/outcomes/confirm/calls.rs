//! Calls that send a request and confirm its outcome.

use std::sync::Arc;

use super::inquiry::of_record;
use super::plan::QueryPlan;
use super::question::{Question, not_queryable};
use super::record::AnyRecord;
use super::rounds::{Open, query_all};
use super::verdict::{Concluded, Confirmation, did_not_happen, happened, still_unknown};
use super::{ConfirmPolicy, Confirmable, Queryable};
use crate::calls::client::ClientCore;
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{Error, UnknownOutcome};
use crate::data::operation::Operation;
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::network::wire::Reply;

/// The outcome of a request of the operation `O`.
type ConfirmationOf<O> = Confirmation<Reply<<O as Operation>::Response>, <O as Queryable>::Record>;

/// Sends `operation` once. If its outcome is unknown, queries its effect until the outcome is known or the deadline
/// of the policy passes. The queries wait for their rate limits like any call.
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

/// The same as [`place_and_confirm`], and tells `report` of the answer that leaves the outcome unknown, before the queries
/// begin.
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
            ask_for(client, question, signed_at, Some(left), Some(Error::Unknown(unknown)), policy).await.typed()
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
/// For a request of an earlier run the time of departure is not known, so the outcome of an amendment stays
/// unknown, and an absence proves something only if the local clock agrees with the exchange's that enough time has
/// passed.
pub async fn settle<O: Confirmable>(
    client: &ClientCore,
    operation: &O,
    signed_at: Timestamp,
    policy: &ConfirmPolicy,
) -> ConfirmationOf<O> {
    match only(Question::all(QueryPlan::of::<O>(), operation)) {
        Some(question) => {
            let left = client.left(question.key(), signed_at);
            ask_for(client, question, signed_at, left, None, policy).await.typed()
        }
        None => still_unknown(None, "the request carries no id to query by"),
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

async fn ask_for(
    client: &ClientCore,
    question: Question,
    signed_at: Timestamp,
    left: Option<Moment>,
    call: Option<Error>,
    policy: &ConfirmPolicy,
) -> Concluded {
    let call = call.map(Arc::new);
    let open = Open::new(client, question, signed_at.into(), left, call.clone());
    let confirmation = query_all(client, vec![open], policy).await.pop();
    confirmation.unwrap_or_else(|| still_unknown(call, "it was not queried"))
}

/// The only query, if there is exactly one and it can be sent.
fn only(mut all: Vec<Option<Question>>) -> Option<Question> {
    if all.len() == 1 { all.pop().flatten() } else { None }
}
