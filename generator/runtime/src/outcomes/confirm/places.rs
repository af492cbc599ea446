//! The queries for the effect of a request: the plan of an operation, and the places where a record may be, which are a
//! single answer or the pages of a listing. They work without the types of the operation and the record, so that
//! confirmation is compiled once and not for each operation.
//!
//! Pages prove an absence only if each was read to its end, and counted pages only if there is a single page: an order
//! that ends meanwhile moves the others forward.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;

use super::{Queryable, Shown, ShowsRecords};
use crate::calls::client::ClientCore;
use crate::calls::pages::{ForPage, Next, PageStep, Paged, follow};
use crate::calls::retry::{RetryPolicy, Retrying};
use crate::data::checks::{CheckContext, CheckPolicy, Violations};
use crate::data::error::{Error, Refusal};
use crate::data::json::{Decode, Encode, Form, List, read_json, write_json};
use crate::data::operation::{Operation, Repeatable};
use crate::data::parameters::Named;
use crate::data::tables::{Meta, NextPage};
use crate::network::wire::Reply;
use crate::state::evidence::Target;

/// A query under way in one place.
pub type QueryFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply<Shown<AnyRecord>>, Error>> + Send + 'a>>;

/// The members that identify a record: a field and its text.
#[derive(Clone, Copy, Debug)]
pub struct RecordId<'a> {
    pub(super) field: &'static str,
    pub(super) key: &'a str,
}

impl RecordId<'_> {
    pub(super) fn is_in(&self, record: &Named) -> bool {
        record.text(self.field).as_deref() == Some(self.key)
    }

    fn is_among<R: Decode + Encode>(&self, list: &List<R>) -> bool {
        list.iter().any(|record| self.is_in(&Named::of_record(write_json(record), R::FORM)))
    }
}

/// Sends a query, with retries if there is a policy for them.
pub(super) fn send<'a, Q, R>(client: &'a ClientCore, query: &'a Q, retry: Option<&'a RetryPolicy>) -> QueryFuture<'a>
where
    Q: Repeatable<Response: ShowsRecords<R>>,
    R: Decode + Encode + Send + 'static,
{
    Box::pin(async move {
        let reply = match retry {
            Some(policy) => Retrying::new(client, policy).repeat(query).await?,
            None => client.call_once(query).await?,
        };
        Ok(reply.map(|response| response.shown().map(AnyRecord::new)))
    })
}

/// Sends the query `Q` with the parameters `json`.
pub fn query_at<'a, Q, R>(client: &'a ClientCore, json: &'a str) -> QueryFuture<'a>
where
    Q: Repeatable<Response: ShowsRecords<R>> + 'a,
    R: Decode + Encode + Send + 'static,
{
    Box::pin(async move { send::<Q, R>(client, &read(json)?, None).await })
}

/// Sends the query `Q` with the parameters `json`, page by page, until a page has the record.
pub fn query_pages_at<'a, Q, R>(client: &'a ClientCore, json: &'a str, record_id: RecordId<'a>) -> QueryFuture<'a>
where
    Q: Paged<Item = R> + 'a,
    R: Decode + Encode + Send + 'static,
{
    Box::pin(async move {
        let reply = query_pages(client, read::<Q>(json)?, record_id).await?;
        Ok(reply.map(|shown| shown.map(AnyRecord::new)))
    })
}

/// Reads a query without checks: the request that it is made from was checked already.
pub(super) fn read<Q: Operation>(json: &str) -> Result<Q, Error> {
    let policy = &CheckPolicy::nothing();
    let read = Q::from_json_in(json, CheckContext { policy, ..CheckContext::default() });
    read.map_err(|violations| Error::Refused(Box::new(Refusal::new(Q::META.id, violations))))
}

/// Queries page after page until the record is found. The answer has the time of the first page, because later records
/// may be missing.
async fn query_pages<Q>(client: &ClientCore, query: Q, record_id: RecordId<'_>) -> Result<Reply<Shown<Q::Item>>, Error>
where
    Q: Paged,
    Q::Item: Decode + Send,
{
    let mut begun = None;
    let mut is_whole = true;
    let mut requests = query.each();
    let last = requests.pop().unwrap_or(query);
    for request in requests {
        let reply = ask_listing(client, request, record_id).await?;
        begun.get_or_insert(reply.request_time);
        match &reply.data {
            Shown::Listed { items, is_whole: whole } if items.is_empty() => is_whole &= whole,
            Shown::One(_) | Shown::Listed { .. } => return Ok(reply),
        }
    }
    let reply = ask_listing(client, last, record_id).await?;
    let request_time = begun.unwrap_or(reply.request_time);
    let reply = reply.map(|shown| match shown {
        Shown::Listed { items, is_whole: whole } => Shown::Listed { items, is_whole: whole && is_whole },
        one @ Shown::One(_) => one,
    });
    Ok(Reply { request_time, ..reply })
}

/// Returns the page with the record. Without one, an empty list, which is whole if there is certainly no such record.
async fn ask_listing<Q>(
    client: &ClientCore,
    mut query: Q,
    record_id: RecordId<'_>,
) -> Result<Reply<Shown<Q::Item>>, Error>
where
    Q: Paged,
    Q::Item: Decode + Send,
{
    let mut begun = None;
    let mut is_complete = true;
    let mut pages = HashSet::new();
    loop {
        let requested = query.cursor();
        let reply = client.call_once(&ForPage(query.clone())).await?;
        let request_time = *begun.get_or_insert(reply.request_time);
        let mut next = Next::Lost;
        let onward = reply.onward(Q::META);
        let reply = reply.map(|page| {
            let list;
            (list, next) = follow(&query, requested.as_deref(), onward, page.0);
            list
        });
        if record_id.is_among(&reply.data) {
            return Ok(reply.map(|list| Shown::listed(list, true)));
        }
        is_complete &= reply.data.is_complete();
        match next {
            Next::At(next) if pages.insert(next.clone()) => query.set_cursor(Some(&next)),
            next @ (Next::At(_) | Next::End | Next::Lost) => {
                // A page with a number can miss records that moved to an earlier page meanwhile; a link may contain a
                // number.
                let is_linked = matches!(Q::META.next_page, Some(NextPage::Link(_)));
                let is_counted = (is_linked || matches!(Q::STEP, PageStep::Number { .. } | PageStep::Offset { .. }))
                    && !pages.is_empty();
                let is_whole = is_complete && next == Next::End && !is_counted;
                let reply = reply.map(|_| Shown::Listed { items: Vec::new(), is_whole });
                return Ok(Reply { request_time, ..reply });
            }
        }
    }
}

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
    /// Returns the plan of `O`.
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

/// A record of any type, as a query returned it.
pub struct AnyRecord {
    record: Box<dyn Any + Send>,
    fields: Named,
    form: Form,
}

impl AnyRecord {
    pub(super) fn new<R: Decode + Encode + Send + 'static>(record: R) -> Self {
        let fields = Named::of_record(write_json(&record), R::FORM);
        Self { record: Box::new(record), fields, form: R::FORM }
    }

    /// Returns the fields.
    pub(super) fn fields(&self) -> &Named {
        &self.fields
    }

    /// Returns how it is written in JSON.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Returns the record, if it has this type.
    pub(super) fn get<R: 'static>(&self) -> Option<&R> {
        self.record.downcast_ref()
    }

    /// Returns the record, if it has this type.
    pub(super) fn into<R: 'static>(self) -> Option<R> {
        self.record.downcast().ok().map(|record| *record)
    }
}

impl fmt::Debug for AnyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyRecord").field("fields", &self.fields).finish_non_exhaustive()
    }
}
