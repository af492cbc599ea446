//! Looks up the orders of a stored change once, for a comparison of a journal with an account.

use std::pin::Pin;
use std::time::Duration;

use super::calls::unreadable;
use super::question::{Picked, Question};
use super::{Queryable, Shown, Shows};
use crate::checks::{CheckContext, CheckPolicy, Violations};
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::json::read_json;
use crate::lifecycle::{HasState, OrderShown, PropertyShown, Sighting};
use crate::operation::Operation;
use crate::retry::RetryPolicy;
use crate::tables::CodeProof;

/// How the orders of a stored change are looked up.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Reads the ids of the orders in a stored request; `None` for an order without an id.
    pub(crate) ids: fn(&str) -> Result<Vec<Option<String>>, Violations>,
    /// Queries the order with an id of a stored request.
    pub(crate) query: for<'a> fn(&'a ClientCore, &'a str, &'a str, &'a RetryPolicy) -> Looked<'a>,
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

/// The order, or `None` if the exchange answers that there is none.
pub(crate) type Looked<'a> = Pin<Box<dyn Future<Output = Result<Option<Sighting>, Error>> + Send + 'a>>;

impl Look {
    pub(super) const fn of<O>() -> Self
    where
        O: Queryable<Query: Send + Sync, Record: HasState> + 'static,
    {
        let kept = match &O::META.confirm {
            Some(confirm) => confirm.kept_ms,
            None => None,
        };
        let kept = match kept {
            Some(millis) => Some(Duration::from_millis(millis)),
            None => None,
        };
        let query: for<'a> fn(&'a ClientCore, &'a str, &'a str, &'a RetryPolicy) -> Looked<'a> =
            |client, request, id, retry| Box::pin(query::<O>(client, request, id, retry));
        let shown = |json: &str| read_json::<O::Record>(json).ok().map(|record| OrderShown::of(&record));
        let properties = |json: &str, see: &mut dyn FnMut(PropertyShown<'_>)| {
            let record = read_json::<O::Record>(json).ok();
            record.iter().for_each(|record| PropertyShown::each(record, see));
        };
        Self { ids: ids::<O>, query, shown, properties, kept, family: O::META.family }
    }
}

fn questions<O: Queryable>(request: &str) -> Result<Vec<Option<Question<O>>>, Violations> {
    // It was checked before it was stored.
    let nothing = CheckPolicy::nothing();
    let context = CheckContext { policy: &nothing, ..CheckContext::default() };
    Ok(Question::all(&O::from_json_in(request, context)?))
}

fn ids<O: Queryable>(request: &str) -> Result<Vec<Option<String>>, Violations> {
    let questions = questions::<O>(request)?;
    Ok(questions.iter().map(|question| Some(question.as_ref()?.key().to_owned())).collect())
}

async fn query<O>(client: &ClientCore, request: &str, id: &str, retry: &RetryPolicy) -> Result<Option<Sighting>, Error>
where
    O: Queryable<Query: Send + Sync, Record: HasState>,
{
    let question = questions::<O>(request).unwrap_or_default().into_iter().flatten().find(|one| one.key() == id);
    let Some(question) = question else { return Ok(None) };
    let first = match O::query_first(client, question.json(), question.sought()) {
        Some(pages) => pages.await,
        None => client.retrying(retry).call(question.query()).await.map(|reply| reply.map(Shows::shown)),
    };
    let sighting = sighting(&question, first)?;
    if sighting.is_some() {
        return Ok(sighting);
    }
    match O::query_then(client, question.then_json(), question.sought()) {
        Some(second) => self::sighting(&question, second.await),
        None => Ok(None),
    }
}

/// What an answer shows of the order; `None` if it shows that there is none.
fn sighting<O>(
    question: &Question<O>,
    answer: Result<Reply<Shown<O::Record>>, Error>,
) -> Result<Option<Sighting>, Error>
where
    O: Queryable<Record: HasState>,
{
    let reply = match answer {
        Ok(reply) => reply.map(|shown| question.pick(shown)),
        Err(Error::Exchange(error)) if error.proves == Some(CodeProof::NoSuchOrder) => return Ok(None),
        Err(error) => return Err(error),
    };
    match &reply.data {
        Picked::Record(record, _) => Ok(Some(Sighting::of(record))),
        Picked::Absent => Ok(None),
        Picked::Nothing(because) => Err(unreadable(O::Query::META, &reply, because)),
    }
}
