//! Sends a batch of any length in as many calls as needed, and plans these calls without sending them.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use super::batch::{Batch, Ids, SentItems};
use super::matching::{self, Matching};
use super::report::{BatchReport, ItemOutcome, ItemReport, ItemResults};
use crate::calls::client::ClientCore;
use crate::data::checks::{CheckContext, CheckPolicy, Place, Violation, Violations};
use crate::data::clock::Moment;
use crate::data::error::{Error, Refusal};
use crate::data::tables::{Meta, Severity};
use crate::data::value::Timestamp;
use crate::network::wire::Reply;

/// A batch of any length, to be sent in as many calls as needed.
///
/// The calls are made one after the other, within the client's rate limits. No item is sent twice, and failed items are
/// not retried.
#[must_use = "nothing is sent until `send` is called"]
pub struct BatchCall<O: Batch> {
    pub(crate) client: ClientCore,
    pub(crate) request: O,
    stops: bool,
}

impl<O: Batch> BatchCall<O> {
    /// Creates a batch of all items of `request`.
    pub fn new(client: ClientCore, request: O) -> Self {
        Self { client, request, stops: false }
    }

    /// Makes no further call after an item that failed or whose outcome is unknown. By default, all calls are made.
    pub fn stop_at_first_failure(mut self) -> Self {
        self.stops = true;
        self
    }

    /// Checks all items, sends them, and reports the outcome of each.
    ///
    /// A request that leaves its list out, such as a cancellation by pair, is one call. What its response lists is in
    /// [`BatchReport::unmatched`].
    ///
    /// # Errors
    ///
    /// Fails if the batch as a whole breaks a rule, for example with an id that two items share. Nothing is sent then.
    /// Also fails if the call of a request without items does.
    pub async fn send(self) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.send_stoppable(&mut Stop::Never).await
    }

    /// Sends as [`send`](Self::send) does, until `stop` is ready, such as a signal: then the call under way is given
    /// up, and no other is made. Items whose results came before are reported as they are, those of the call under way
    /// as [`GivenUp`](ItemOutcome::GivenUp), and those that were not sent as [`NotSent`](ItemOutcome::NotSent), also if
    /// their call was waiting for a rate limit.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send). A request without items is not stopped.
    pub async fn send_until(
        self,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<BatchReport<O::Item, O::Done>, Error> {
        self.send_stoppable(&mut Stop::When(pin!(stop))).await
    }

    pub(crate) async fn send_stoppable(mut self, stop: &mut Stop<'_>) -> Result<BatchReport<O::Item, O::Done>, Error> {
        let warnings = self.client.with_check_policy(self.policy()).check(&self.request)?;
        let mut report = BatchReport {
            items: Vec::new(),
            unmatched: Vec::new(),
            bad: Vec::new(),
            calls: 0,
            warnings,
            hides_failure: false,
        };
        let sent = self.request.sent();
        let Some(SentItems { ids, .. }) = sent.filter(|sent| !sent.ids.is_empty()) else {
            self.send_whole(&mut report).await?;
            return Ok(report);
        };
        no_id_twice::<O>(&ids)?;
        let mut items = self.request.take_items().into_iter();
        for ids in ids.chunks(O::SHAPE.max_items.max(1)) {
            let part: Vec<_> = items.by_ref().take(ids.len()).collect();
            if self.stops && !report.all_done() || stop.is_over() {
                report.items.extend(part.into_iter().map(|item| without_result(item, ItemOutcome::NotSent, None)));
            } else {
                self.send_part(part, ids, &mut report, stop).await;
            }
        }
        Ok(report)
    }

    /// Refuses a batch two of whose items have the same id.
    pub(crate) fn refuse_id_twice(&self) -> Result<(), Error> {
        no_id_twice::<O>(&self.request.sent().map(|sent| sent.ids).unwrap_or_default())
    }

    /// Returns the rules of the client except for the length of the list, which no call exceeds.
    fn policy(&self) -> CheckPolicy {
        any_length::<O>(self.client.policy())
    }

    async fn send_part(
        &self,
        items: Vec<O::Item>,
        ids: &[Ids],
        report: &mut BatchReport<O::Item, O::Done>,
        stop: &mut Stop<'_>,
    ) {
        let mut part = self.request.clone();
        part.set_items(items);
        report.calls += 1;
        let (client, departed) = self.client.noting();
        let reply = stop.or(client.call_once(&part)).await;
        let items = part.take_items();
        match reply {
            None => {
                let sent = departed.moment();
                let outcome = || if sent.is_some() { ItemOutcome::GivenUp } else { ItemOutcome::NotSent };
                report.items.extend(items.into_iter().map(|item| without_result(item, outcome(), sent)));
            }
            Some(Ok(reply)) => {
                self.read(reply, items, ids, report);
            }
            Some(Err(error)) => {
                let (sent, error) = (sent_at(&error), Arc::new(error));
                let failed = |item| without_result(item, ItemOutcome::CallFailed(Arc::clone(&error)), sent);
                report.items.extend(items.into_iter().map(failed));
            }
        }
    }

    /// Sends a request without items, which no report of an item could tell the failure of.
    async fn send_whole(&self, report: &mut BatchReport<O::Item, O::Done>) -> Result<(), Error> {
        report.calls += 1;
        let reply = self.client.call_once(&self.request).await?;
        let claims_failure = self.read(reply, Vec::new(), &[], report);
        report.hides_failure = claims_failure && report.unmatched_failures().next().is_none();
        Ok(())
    }

    /// Adds the results in a response to the report, and returns whether the response claims that an item failed.
    fn read(
        &self,
        reply: Reply<O::Response>,
        items: Vec<O::Item>,
        ids: &[Ids],
        report: &mut BatchReport<O::Item, O::Done>,
    ) -> bool {
        let results = ItemResults::new(self.client.api(), O::META, self.client.codes(), &reply);
        let answer = results.read::<O>(reply.into_data());
        let claims_failure = answer.all_done == Some(false);
        report.bad.extend(answer.bad.iter().cloned());
        let Matching { items: found, unmatched } = matching::assign(ids, answer, O::SHAPE);
        report.unmatched.extend(unmatched.into_iter().map(|stated| results.unmatched(stated)));
        report.items.extend(items.into_iter().zip(found).map(|(item, found)| results.item(item, found)));
        claims_failure
    }
}

impl<O: Batch> fmt::Debug for BatchCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchCall").field("operation", &O::META.id).field("stops", &self.stops).finish_non_exhaustive()
    }
}

/// A switch that ends calls before they are answered.
pub(crate) enum Stop<'a> {
    Never,
    When(Pin<&'a mut (dyn Future<Output = ()> + Send)>),
    IsOver,
}

impl Stop<'_> {
    /// Returns whether nothing more is to be sent.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::IsOver)
    }

    /// Returns the output of `call`, unless it is stopped before. Then it is dropped.
    pub(crate) async fn or<T>(&mut self, call: impl Future<Output = T>) -> Option<T> {
        let mut call = pin!(call);
        poll_fn(|context| {
            if self.is_over() {
                return Poll::Ready(None);
            }
            if let Poll::Ready(output) = call.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
            let Self::When(stop) = self else { return Poll::Pending };
            if stop.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            *self = Self::IsOver;
            Poll::Ready(None)
        })
        .await
    }
}

/// Returns the same rules except for the length of the list.
pub(super) fn any_length<O: Batch>(policy: &CheckPolicy) -> CheckPolicy {
    let rule = Place::rule(None, O::SHAPE.list, "max-items");
    policy.clone().off(format!("{}/{rule}", O::META.id))
}

/// Refuses two items with one id, which cannot be distinguished afterwards, and the exchange takes the second for a
/// repeat of the first.
pub(super) fn no_id_twice<O: Batch>(items: &[Ids]) -> Result<(), Error> {
    let mut violations = Violations::default();
    for (kind, name) in O::SHAPE.ids.iter().enumerate() {
        let mut first = HashMap::new();
        for (index, id) in items.iter().enumerate().filter_map(|(index, ids)| Some((index, ids[kind].as_deref()?))) {
            if let Some(other) = first.insert(id, index) {
                violations.push(Violation {
                    rule: Place::rule(None, O::SHAPE.list, "unique"),
                    severity: Severity::Refuse,
                    parameter: Place::path(Some(&Place::item(None, O::SHAPE.list, index)), name),
                    given: format!("{id:?}"),
                    allowed: format!("the item at {other} has the same, and no two items of a batch may share it"),
                    source: O::META.source(),
                    hint: "remove one of the two, or send it in a call of its own".to_owned(),
                });
            }
        }
    }
    if violations.is_empty() { Ok(()) } else { Err(refused(O::META, violations)) }
}

fn refused(meta: &'static Meta, violations: Violations) -> Error {
    Error::Refused(Box::new(Refusal::new(meta.id, violations)))
}

fn without_result<I, T>(item: I, outcome: ItemOutcome<T>, sent: Option<(Timestamp, Moment)>) -> ItemReport<I, T> {
    let (signed_at, left) = sent.unzip();
    ItemReport { item, outcome, matched: None, signed_at, left }
}

/// Returns when a failed call that may have had an effect was signed and sent.
fn sent_at(error: &Error) -> Option<(Timestamp, Moment)> {
    match error {
        Error::Unknown(unknown) => Some((unknown.sent.signed_at, unknown.sent.left)),
        Error::Refused(_)
        | Error::Unsigned(_)
        | Error::Limited(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_)
        | Error::OverBudget(_)
        | Error::Exchange(_)
        | Error::Transport(_)
        | Error::Unreadable(_) => None,
    }
}

/// The calls in which [`BatchCall::send`](super::BatchCall::send) sends a batch, without sending it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedBatch<O> {
    /// The requests in their order; one if the batch has no items.
    pub calls: Vec<O>,
    /// The number of items that they have together.
    pub items: usize,
    /// The rules that the batch breaks as a whole. If one of them refuses it, nothing is sent.
    pub violations: Violations,
}

impl<O: Batch> PlannedBatch<O> {
    /// Plans a batch of all items of `request`.
    pub fn new(mut request: O, context: CheckContext<'_>) -> Self {
        let policy = any_length::<O>(context.policy);
        let mut violations = request.inspect(CheckContext { policy: &policy, ..context });
        let Some(SentItems { ids, .. }) = request.sent().filter(|sent| !sent.ids.is_empty()) else {
            return Self { calls: vec![request], items: 0, violations };
        };
        if let Err(Error::Refused(refusal)) = no_id_twice::<O>(&ids) {
            violations.append(refusal.violations);
        }
        let (mut items, mut calls) = (request.take_items().into_iter(), Vec::new());
        for ids in ids.chunks(O::SHAPE.max_items.max(1)) {
            let mut call = request.clone();
            call.set_items(items.by_ref().take(ids.len()).collect());
            calls.push(call);
        }
        Self { calls, items: ids.len(), violations }
    }
}
