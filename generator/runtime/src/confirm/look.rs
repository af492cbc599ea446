//! Looks up the orders of a stored change once, for a comparison of a journal with an account.

use std::pin::Pin;
use std::time::Duration;

use super::plan::{AnyRecord, QueryPlan};
use super::question::{QueryResult, Question};
use super::{Queryable, Shown};
use crate::checks::Violations;
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::json::{Decode, Encode, read_json};
use crate::lifecycle::{HasState, OrderShown, PropertyShown, Sighting};
use crate::retry::RetryPolicy;
use crate::tables::{CodeProof, Outcome};

/// How the orders of a stored change are looked up.
#[derive(Clone, Copy)]
pub(crate) struct OrderLookup {
    /// Reads the ids of the orders in a stored request; `None` for an order without an id.
    pub(crate) ids: fn(&str) -> Result<Vec<Option<String>>, Violations>,
    /// Queries the order with an id of a stored request.
    pub(crate) query: for<'a> fn(&'a ClientCore, &'a str, &'a str, &'a RetryPolicy) -> LookupFuture<'a>,
    /// What the JSON of a record shows of the order.
    pub(crate) shown: fn(&str) -> Option<OrderShown>,
    /// Calls a function with each property of the account that the JSON of a record shows.
    pub(crate) properties: ShowProperties,
    /// How long an order can be queried at least.
    pub(crate) kept: Option<Duration>,
    /// The family of the operation.
    pub(crate) family: &'static str,
}

type ShowProperties = fn(&str, &mut dyn FnMut(PropertyShown<'_>));

/// The order, or `None` if the exchange answers that it does not exist.
pub(crate) type LookupFuture<'a> = Pin<Box<dyn Future<Output = Result<Option<Sighting>, Error>> + Send + 'a>>;

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
        let query: for<'a> fn(&'a ClientCore, &'a str, &'a str, &'a RetryPolicy) -> LookupFuture<'a> =
            |client, request, id, retry| {
                look_up(client, (QueryPlan::of::<O>(), sighting::<O::Record>), request, id, retry)
            };
        let ids = |request: &str| ids(QueryPlan::of::<O>(), request);
        let (shown, properties) = (shown::<O::Record>, properties::<O::Record>);
        Self { ids, query, shown, properties, kept, family: O::META.family }
    }
}

// By the type of the record, because many operations have the same.

/// What a record shows of an order.
fn sighting<R: HasState + Encode + 'static>(record: &AnyRecord) -> Option<Sighting> {
    record.get::<R>().map(Sighting::of)
}

fn shown<R: HasState + Decode>(json: &str) -> Option<OrderShown> {
    read_json::<R>(json).ok().map(|record| OrderShown::of(&record))
}

fn properties<R: HasState + Decode>(json: &str, see: &mut dyn FnMut(PropertyShown<'_>)) {
    if let Ok(record) = read_json::<R>(json) {
        PropertyShown::each(&record, see);
    }
}

fn ids(plan: &'static QueryPlan, request: &str) -> Result<Vec<Option<String>>, Violations> {
    let questions = Question::all_stored(plan, request)?;
    Ok(questions.iter().map(|question| Some(question.as_ref()?.key().to_owned())).collect())
}

type SightingOf = fn(&AnyRecord) -> Option<Sighting>;

fn look_up<'a>(
    client: &'a ClientCore,
    (plan, sighting): (&'static QueryPlan, SightingOf),
    request: &'a str,
    id: &'a str,
    retry: &'a RetryPolicy,
) -> LookupFuture<'a> {
    Box::pin(async move {
        let questions = Question::all_stored(plan, request).unwrap_or_default();
        let Some(question) = questions.into_iter().flatten().find(|one| one.key() == id) else { return Ok(None) };
        let first = picked(&question, sighting, question.query_first(client, Some(retry)).await)?;
        if first.is_some() {
            return Ok(first);
        }
        match question.query_then(client) {
            Some(second) => picked(&question, sighting, second.await),
            None => Ok(None),
        }
    })
}

/// What an answer shows of the order; `None` if it shows that the order does not exist.
fn picked(
    question: &Question,
    sighting: SightingOf,
    answer: Result<Reply<Shown<AnyRecord>>, Error>,
) -> Result<Option<Sighting>, Error> {
    let reply = match answer {
        Ok(reply) => reply.map(|shown| question.pick(shown)),
        Err(Error::Exchange(error)) if error.proves == Some(CodeProof::NoSuchOrder) => return Ok(None),
        Err(error) => return Err(error),
    };
    match &reply.data {
        QueryResult::Record(record) => Ok(sighting(record)),
        QueryResult::Absent => Ok(None),
        QueryResult::Nothing(because) => Err(reply.unreadable(question.plan().query, Outcome::NotDone, because)),
    }
}
