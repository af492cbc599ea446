//! Looks up the orders of a stored change once, for a comparison of a journal with an account.

use std::pin::Pin;
use std::time::Duration;

use super::plan::QueryPlan;
use super::question::{QueryResult, Question, is_denial};
use super::record::AnyRecord;
use super::{ConfirmPolicy, Queryable, Shown};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::checks::Violations;
use crate::data::error::Error;
use crate::data::json::{Decode, Encode, read_json};
use crate::data::lifecycle::{HasState, OrderShown, PropertyShown, Sighting};
use crate::data::tables::Outcome;
use crate::network::wire::Reply;

/// The queries that look up the orders of a stored change.
#[derive(Clone, Copy)]
pub(crate) struct OrderLookup {
    /// Reads the ids of the orders in a stored request; `None` for an order without an id.
    pub(crate) ids: fn(&str) -> Result<Vec<Option<String>>, Violations>,
    /// Queries the order with an id of a stored request.
    pub(crate) query: LookUp,
    /// Calls a function with what the JSON of a record shows of the order.
    pub(crate) order: ShowOrder,
    /// Calls a function with each property of the account that the JSON of a record shows.
    pub(crate) properties: ShowProperties,
    /// The minimum time for which an order can be queried.
    pub(crate) kept: Option<Duration>,
    /// The family of the operation.
    pub(crate) family: &'static str,
}

type ShowOrder = fn(&str, &mut dyn FnMut(OrderShown<'_>));

type ShowProperties = fn(&str, &mut dyn FnMut(PropertyShown<'_>));

/// Queries the order with an id of a stored request.
pub(crate) type LookUp =
    for<'a> fn(&'a ClientCore, (&'a str, &'a str), (&'a RetryPolicy, &'a ConfirmPolicy)) -> LookupFuture<'a>;

/// A query of an order under way.
pub(crate) type LookupFuture<'a> = Pin<Box<dyn Future<Output = Result<LookedUp, Error>> + Send + 'a>>;

/// The result of a query for an order.
pub(crate) enum LookedUp {
    Seen(Sighting),
    /// The exchange answers that it does not exist, at every place where it may be.
    Denied,
    /// Nothing, because it cannot be queried.
    Nothing,
}

impl OrderLookup {
    pub(super) const fn of<O>() -> Self
    where
        O: Queryable<Record: HasState> + 'static,
    {
        let kept = match &O::META.confirm {
            Some(confirm) => confirm.kept_ms,
            None => None,
        };
        let kept = match kept {
            Some(millis) => Some(Duration::from_millis(millis)),
            None => None,
        };
        let query: LookUp =
            |client, order, policies| look_up(client, (QueryPlan::of::<O>(), sighting::<O::Record>), order, policies);
        let ids = |request: &str| ids(QueryPlan::of::<O>(), request);
        let (order, properties): (ShowOrder, ShowProperties) = (order::<O::Record>, properties::<O::Record>);
        Self { ids, query, order, properties, kept, family: O::META.family }
    }
}

// By the type of the record, because many operations have the same.

/// Returns what a record shows of an order.
fn sighting<R: HasState + Encode + 'static>(record: &AnyRecord) -> Option<Sighting> {
    record.get::<R>().map(Sighting::of)
}

fn order<R: HasState + Decode>(json: &str, see: &mut dyn FnMut(OrderShown<'_>)) {
    if let Ok(record) = read_json::<R>(json) {
        see(OrderShown::of(&record));
    }
}

fn properties<R: HasState + Decode>(json: &str, see: &mut dyn FnMut(PropertyShown<'_>)) {
    if let Ok(record) = read_json::<R>(json) {
        PropertyShown::each(&record, see);
    }
}

fn ids(plan: &'static QueryPlan, request: &str) -> Result<Vec<Option<String>>, Violations> {
    let questions = Question::all_stored(plan, request)?;
    let mut ids = Vec::with_capacity(questions.len());
    for question in &questions {
        ids.push(question.as_ref().map(|question| question.key().to_owned()));
    }
    Ok(ids)
}

type SightingOf = fn(&AnyRecord) -> Option<Sighting>;

fn look_up<'a>(
    client: &'a ClientCore,
    (plan, sighting): (&'static QueryPlan, SightingOf),
    (request, id): (&'a str, &'a str),
    (retry, policy): (&'a RetryPolicy, &'a ConfirmPolicy),
) -> LookupFuture<'a> {
    Box::pin(async move {
        let questions = Question::all_stored(plan, request).unwrap_or_default();
        let question = questions.into_iter().flatten().find(|one| one.key() == id);
        let Some(question) = question else { return Ok(LookedUp::Nothing) };
        let picked = |answer| picked(&question, sighting, policy, answer);
        match picked(question.query_first(client, Some(retry)).await)? {
            LookedUp::Denied => match question.query_then(client) {
                Some(second) => picked(second.await),
                None => Ok(LookedUp::Denied),
            },
            first => Ok(first),
        }
    })
}

/// Returns what an answer shows of the order.
fn picked(
    question: &Question,
    sighting: SightingOf,
    policy: &ConfirmPolicy,
    answer: Result<Reply<Shown<AnyRecord>>, Error>,
) -> Result<LookedUp, Error> {
    let reply = match answer {
        Ok(reply) => reply.map(|shown| question.pick(shown)),
        Err(Error::Exchange(error)) if is_denial(&error, &policy.absent) => return Ok(LookedUp::Denied),
        Err(error) => return Err(error),
    };
    match &reply.data {
        QueryResult::Record(record) => Ok(sighting(record).map_or(LookedUp::Nothing, LookedUp::Seen)),
        QueryResult::Absent => Ok(LookedUp::Denied),
        QueryResult::Nothing(because) => Err(reply.unreadable(question.plan().query, Outcome::NotDone, because)),
    }
}
