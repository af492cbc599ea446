//! The queries for the effect of an operation, without its types, so that confirmation is compiled once and not for
//! each operation.

use std::marker::PhantomData;

use super::places::{QueryFuture, RecordId, read, send};
use super::record::AnyRecord;
use super::{Queryable, ShowsRecords};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::checks::{CheckContext, CheckPolicy, Violations};
use crate::data::json::{Decode, Encode, read_json};
use crate::data::operation::{Operation, Repeatable};
use crate::data::tables::Meta;
use crate::state::evidence::Target;

/// The queries for the effect of requests of one operation.
pub(super) struct QueryPlan {
    /// The operation.
    pub(super) meta: &'static Meta,
    /// The query.
    pub(super) query: &'static Meta,
    /// Reads the query from the JSON of its parameters.
    pub(super) read: fn(&str) -> Option<Box<dyn Query>>,
    /// [`Queryable::query_first`].
    pub(super) first: Place,
    /// [`Queryable::query_then`].
    pub(super) then: Place,
    /// Reads a record from its JSON.
    pub(super) record: fn(&str) -> Option<AnyRecord>,
    /// The targets of a request that is read from its JSON.
    pub(super) targets: fn(&str) -> Result<Vec<Option<Target>>, Violations>,
}

/// Queries a place where a record may be; `None` if there is no such place.
type Place = for<'a> fn(&'a ClientCore, &'a str, RecordId<'a>) -> Option<QueryFuture<'a>>;

impl QueryPlan {
    /// The plan of `O`.
    pub(super) const fn of<O: Queryable>() -> &'static Self {
        const {
            &Self {
                meta: O::META,
                query: O::Query::META,
                read: single::<O::Query, O::Record>,
                first: |client, json, record_id| O::query_first(client, json, record_id),
                then: |client, json, record_id| O::query_then(client, json, record_id),
                record: record::<O::Record>,
                targets: targets::<O>,
            }
        }
    }
}

// By the types of the query and of the record, because many operations have the same.

fn single<Q, R>(json: &str) -> Option<Box<dyn Query>>
where
    Q: Repeatable<Response: ShowsRecords<R>> + 'static,
    R: Decode + Encode + Send + 'static,
{
    Some(Box::new(Single::<Q, R>(read(json).ok()?, PhantomData)))
}

fn record<R: Decode + Encode + Send + 'static>(json: &str) -> Option<AnyRecord> {
    read_json::<R>(json).ok().map(AnyRecord::new)
}

fn targets<O: Queryable>(request: &str) -> Result<Vec<Option<Target>>, Violations> {
    // It was checked before it was stored.
    let nothing = CheckPolicy::nothing();
    let context = CheckContext { policy: &nothing, ..CheckContext::default() };
    O::from_json_in(request, context).map(|operation| Target::all(&operation))
}

/// A query that can be sent repeatedly.
pub(super) trait Query: Send + Sync {
    /// Sends it, with retries if there is a policy for them.
    fn send<'a>(&'a self, client: &'a ClientCore, retry: Option<&'a RetryPolicy>) -> QueryFuture<'a>;
}

/// A query `Q` that shows a record `R`.
struct Single<Q, R>(Q, PhantomData<fn() -> R>);

impl<Q, R> Query for Single<Q, R>
where
    Q: Repeatable<Response: ShowsRecords<R>>,
    R: Decode + Encode + Send + 'static,
{
    fn send<'a>(&'a self, client: &'a ClientCore, retry: Option<&'a RetryPolicy>) -> QueryFuture<'a> {
        send(client, &self.0, retry)
    }
}
