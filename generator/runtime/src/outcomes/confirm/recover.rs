//! Recovers the changes that a journal has open: queries their outcomes, and closes those whose outcome is known. A
//! comparison of accounts looks up the orders of a stored change once.
//!
//! A recovered change is closed without an outcome once it can no longer arrive and no query can decide, because its
//! effect then shows in the account. An order with an id stays open until there is a proof.

use std::any::TypeId;
use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;

use super::places::{AnyRecord, QueryPlan};
use super::question::{Question, is_denial};
use super::rounds::{Open, query_all};
use super::verdict::{Concluded, Confirmation};
use super::{ConfirmPolicy, Queryable, Shown};
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::checks::Violations;
use crate::data::clock::{self, Moment};
use crate::data::error::{Error, JournalError};
use crate::data::json::{Decode, Encode, read_json};
use crate::data::lifecycle::{HasState, OrderShown, PropertyShown, Sighting};
use crate::data::parameters::Named;
use crate::data::sorting::sort_by;
use crate::data::tables::{Confirm, Outcome};
use crate::network::observe;
use crate::network::wire::Reply;
use crate::state::evidence::{Seen, Target};
use crate::state::journal::{Ending, Gap, ItemEnding, Journal, Selection, SigningTimes, StoredChange};

/// The recovery of changes of one operation. Emitted for each operation whose effect another one can query.
pub struct Recovery {
    operation: &'static str,
    /// True if it creates something with an id, whose absence or presence is a proof.
    creates: bool,
    confirm: Option<&'static Confirm>,
    plan: fn() -> &'static QueryPlan,
    /// The type of the record that a query returns.
    pub(super) record: fn() -> TypeId,
    /// The look-up of the orders that the operation creates.
    pub(super) look: Option<OrderLookup>,
}

/// The changes that a journal had open, and whether it may lack others.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use = "it may report that the journal lacks changes"]
pub struct RecoveredChanges {
    /// The changes, by number.
    pub changes: Vec<Recovered>,
    /// The reason why the journal may lack changes that were sent. Only
    /// [`reconcile`](crate::outcomes::reconcile::reconcile) finds these.
    pub gap: Option<Gap>,
}

/// A change that a journal had open, and what its queries showed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recovered {
    /// The change, with its ending as stored now.
    pub stored: StoredChange,
    /// The things that the change was to create or change: one item, or one for each item of a batch. Empty if nothing
    /// queries it.
    pub items: Vec<RecoveredItem>,
    /// True if the change stays open in the journal, for the next recovery.
    pub is_open: bool,
}

/// One thing that a change was to create or change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecoveredItem {
    /// The id that it was queried by.
    pub id: Option<String>,
    /// True if the change had its effect on it.
    pub outcome: Outcome,
    /// The proof of the outcome, or the reason why it is unknown.
    pub because: String,
    /// The last response to a query, if there was a record in it.
    pub record: Option<Bytes>,
}

impl Recovery {
    /// Returns the recovery of an operation.
    pub const fn of<O: Queryable + 'static>() -> Self {
        let confirm = O::META.confirm.as_ref();
        let creates = match confirm {
            Some(confirm) => confirm.created.is_some(),
            None => false,
        };
        Self {
            operation: O::META.id,
            creates,
            confirm,
            plan: QueryPlan::of::<O>,
            record: TypeId::of::<O::Record>,
            look: None,
        }
    }

    /// Returns the recovery of an operation whose effect is shown by the record of an order.
    pub const fn of_order<O>() -> Self
    where
        O: Queryable<Record: HasState> + 'static,
    {
        Self { look: Some(OrderLookup::of::<O>()), ..Self::of::<O>() }
    }

    /// Returns the id of the operation.
    pub(crate) fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns what a stored request was to create or change.
    pub(super) fn targets(&self, request: &str) -> Vec<Option<Target>> {
        ((self.plan)().targets)(request).unwrap_or_default()
    }

    /// Returns how the orders that the operation creates are looked up, if it creates orders.
    pub(crate) fn creation(&self) -> Option<OrderLookup> {
        self.look.filter(|_| self.creates)
    }

    /// Returns whether a stored request of the operation creates something.
    pub(crate) fn creates_by(&self, request: &str) -> bool {
        let given = || Named::read(request);
        self.confirm.is_some_and(|confirm| confirm.creates(|parameter| given().text(parameter).is_some()))
    }
}

impl fmt::Debug for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recovery").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl Recovered {
    /// Returns the outcome of the change: known if it is known for all of its items. A batch had its effect if one item
    /// did.
    pub fn outcome(&self) -> Outcome {
        Outcome::of_all(self.items.iter().map(|item| item.outcome)).unwrap_or(Outcome::Unknown)
    }

    /// Returns the endings of items that the journal does not have yet.
    fn found(&self) -> Vec<ItemEnding> {
        // The ending of a change with one item is that of the change.
        let items = if self.items.len() > 1 { self.items.as_slice() } else { &[] };
        let mut found = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let is_stored = || self.stored.items.iter().any(|item| item.place == place);
            if item.outcome != Outcome::Unknown && !is_stored() {
                found.push(ItemEnding::new(place, item.outcome));
            }
        }
        found
    }
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stored)?;
        if self.items.is_empty() {
            f.write_str(", and no operation queries it")?;
        }
        if self.is_open {
            f.write_str("; it stays open: recover again later")?;
        }
        self.items.iter().try_for_each(|item| {
            let id = item.id.as_deref().unwrap_or("an item without an id");
            write!(f, "\n  {id}: {}", item.because)
        })
    }
}

impl Deref for RecoveredChanges {
    type Target = [Recovered];

    fn deref(&self) -> &[Recovered] {
        &self.changes
    }
}

impl IntoIterator for RecoveredChanges {
    type Item = Recovered;
    type IntoIter = std::vec::IntoIter<Recovered>;

    fn into_iter(self) -> Self::IntoIter {
        self.changes.into_iter()
    }
}

impl<'a> IntoIterator for &'a RecoveredChanges {
    type Item = &'a Recovered;
    type IntoIter = std::slice::Iter<'a, Recovered>;

    fn into_iter(self) -> Self::IntoIter {
        self.changes.iter()
    }
}

impl fmt::Display for RecoveredChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.changes.len() {
            1 => f.write_str("1 change was open")?,
            count => write!(f, "{count} changes were open")?,
        }
        self.changes.iter().try_for_each(|change| write!(f, "\n{change}"))?;
        self.gap.iter().try_for_each(|gap| write!(f, "\n{gap}"))
    }
}

/// Queries the outcomes of the changes that the journal has open, and closes those whose outcome is known. Without
/// a journal, there are none. Of a batch, the items are queried whose outcome is open.
///
/// Call it at the start of a program, before anything is sent. The queries wait for their rate limits, and all changes
/// are queried together, until the deadline of the policy. Recovering again is safe: what stays open is queried again.
///
/// A change whose outcome stays unknown is closed nevertheless if it can no longer arrive and no later query can
/// settle it, such as a cancellation, an amendment, or an order without an id: the account shows what it did.
///
/// # Errors
///
/// Fails if the journal cannot be read or written. What was closed before stays closed.
pub async fn recover(
    client: &ClientCore,
    recoveries: &[Recovery],
    policy: &ConfirmPolicy,
) -> Result<RecoveredChanges, JournalError> {
    let Some(journal) = client.noted_journal().await? else { return Ok(RecoveredChanges::default()) };
    let gap = journal.gap(client.account().name());
    if let Some(gap) = &gap {
        observe::journal_has_gap(gap);
    }
    let mut open = journal.read(Selection::Open).await?;
    open.retain(|stored| stored.change.account.as_deref().unwrap_or_default() == client.account().name());
    let recoverers: Vec<_> =
        open.iter().map(|stored| recoveries.iter().find(|one| one.operation == stored.change.operation)).collect();
    let items = query(client, &open, &recoverers, policy).await;
    let mut all = Vec::new();
    for ((stored, recovery), items) in open.into_iter().zip(recoverers).zip(items) {
        let recovered = Recovered { stored, items, is_open: false };
        all.push(conclude(client, journal.as_ref(), recovery, recovered, policy).await?);
    }
    sort_by(&mut all, &|one: &Recovered, other| one.stored.number.cmp(&other.stored.number));
    Ok(RecoveredChanges { changes: all, gap })
}

/// Stores what queries have found of a change, and closes it if its outcome is known, or can no longer be settled.
async fn conclude(
    client: &ClientCore,
    journal: &dyn Journal,
    recovery: Option<&Recovery>,
    mut recovered: Recovered,
    policy: &ConfirmPolicy,
) -> Result<Recovered, JournalError> {
    let number = recovered.stored.number;
    let found = recovered.found();
    if !found.is_empty() {
        journal.end_items(number, found.clone()).await?;
        recovered.stored.items.extend(found);
        sort_by(&mut recovered.stored.items, &|one, other| one.place.cmp(&other.place));
    }
    let outcome = recovered.outcome();
    let change = &recovered.stored.change;
    let creates = recovery.is_some_and(|recovery| recovery.creates_by(&change.request));
    let can_be_settled =
        creates && recovered.items.iter().any(|item| item.outcome == Outcome::Unknown && item.id.is_some());
    let is_over = || {
        let id = recovered.items.first().and_then(|item| item.id.as_deref());
        can_no_longer_arrive(client, (&change.request, id), change.signed(), client.moment(), policy)
    };
    recovered.is_open = outcome == Outcome::Unknown && (can_be_settled || !is_over());
    if !recovered.is_open {
        let ending = Ending::new(outcome);
        journal.end(number, ending.clone()).await?;
        recovered.stored.ending = Some(ending);
        if outcome != Outcome::Done {
            client.awaited().refuse(|| recovered.stored.clone());
        }
    }
    Ok(recovered)
}

/// Waits until a request that left before `moment` can no longer arrive, and its effect is visible. Returns whether
/// that is within the deadline of the policy; if not, it does not wait.
pub(crate) async fn wait_until(client: &ClientCore, moment: Moment, policy: &ConfirmPolicy) -> bool {
    let needed = visible_within(client, moment, policy).filter(|needed| *needed <= policy.deadline);
    if let Some(needed) = needed {
        clock::pause(client.environment(), needed.saturating_sub(client.moment().steady_since(moment))).await;
    }
    needed.is_some()
}

/// Returns how long after it left the effect of a request is visible on every machine; `None` if its signature does not
/// expire.
pub(crate) fn visible_within(client: &ClientCore, left: Moment, policy: &ConfirmPolicy) -> Option<Duration> {
    client.visible_within(&Named::default(), left, policy.assumptions())
}

/// Returns whether a stored request that was signed at a time had expired at `moment` by the clock of every machine of
/// the exchange, and its effect was visible. Both clocks count, because that of this machine may have been set since,
/// and both may be wrong together, as far as the policy allows. If this client sent it, for `id`, its steady clock
/// counts, too.
pub(crate) fn can_no_longer_arrive(
    client: &ClientCore,
    (request, id): (&str, Option<&str>),
    signed: SigningTimes,
    moment: Moment,
    policy: &ConfirmPolicy,
) -> bool {
    let (signed_at, latest) = (signed.signed_at, signed.latest());
    let left = id.and_then(|id| client.left(id, signed_at));
    let Some(window) = client.signature_window(&Named::read(request)) else { return false };
    let uncertainty = client.signature_uncertainty(window, signed_at, left);
    let mut passed = moment.wall_since(latest);
    if let Some((earliest, _)) = client.exchange_time(moment) {
        passed = passed.min(earliest - latest);
    }
    if let Some(left) = left {
        passed = passed.min(moment.steady_since(left));
    }
    passed > policy.assumptions.visible_after(window).saturating_add(uncertainty)
}

/// Queries changes together, so that none waits for the deadline of others; those without a recovery have no items. The
/// results are in the same order.
async fn query(
    client: &ClientCore,
    changes: &[StoredChange],
    recoverers: &[Option<&Recovery>],
    policy: &ConfirmPolicy,
) -> Vec<Vec<RecoveredItem>> {
    let mut results: Vec<Vec<RecoveredItem>> = Vec::new();
    let (mut open, mut places) = (Vec::new(), Vec::new());
    for (index, (stored, recovery)) in changes.iter().zip(recoverers).enumerate() {
        let change = &stored.change;
        let Some(recovery) = recovery else {
            results.push(Vec::new());
            continue;
        };
        let questions = match Question::all_stored((recovery.plan)(), &change.request) {
            Ok(questions) => questions,
            Err(why) => {
                let because = format!("this release cannot read the stored request: {why}");
                results.push(vec![RecoveredItem::unknown(change.client_ids.first().cloned(), because)]);
                continue;
            }
        };
        results.push(Vec::new());
        for (place, question) in questions.into_iter().enumerate() {
            let id = question.as_ref().map(|question| question.key().to_owned());
            if let Some(outcome) = stored.outcome_of(place) {
                let because = format!("the journal has its outcome: {outcome}");
                results[index].push(RecoveredItem { outcome, ..RecoveredItem::unknown(id, because) });
                continue;
            }
            let item = RecoveredItem::unknown(id, "it carries no id to query by".to_owned());
            if let Some(question) = question {
                let left = client.left(question.key(), change.signed_at);
                places.push((index, results[index].len()));
                open.push(Open::new(client, question, change.signed(), left, None));
            }
            results[index].push(item);
        }
    }
    for ((change, item), confirmation) in places.into_iter().zip(query_all(client, open, policy).await) {
        results[change][item].take(confirmation);
    }
    results
}

impl RecoveredItem {
    fn unknown(id: Option<String>, because: String) -> Self {
        Self { id, outcome: Outcome::Unknown, because, record: None }
    }

    fn take(&mut self, confirmation: Concluded) {
        self.outcome = confirmation.outcome();
        self.because = confirmation.to_string();
        if let Confirmation::Done(done) = confirmation {
            self.record = done.record.map(|record| record.raw);
        }
    }
}

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
pub(crate) type LookupFuture<'a> = Pin<Box<dyn Future<Output = Result<Seen<Sighting>, Error>> + Send + 'a>>;

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
        let Some(question) = question else { return Ok(Seen::Nothing("it cannot be queried")) };
        let picked = |answer| picked(&question, sighting, policy, answer);
        match picked(question.query_first(client, Some(retry)).await)? {
            Seen::Absent => match question.query_then(client) {
                Some(second) => picked(second.await),
                None => Ok(Seen::Absent),
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
) -> Result<Seen<Sighting>, Error> {
    let reply = match answer {
        Ok(reply) => reply.map(|shown| question.pick(shown)),
        Err(Error::Exchange(error)) if is_denial(&error, &policy.absent) => return Ok(Seen::Absent),
        Err(error) => return Err(error),
    };
    match &reply.data {
        Seen::Record(record) => Ok(sighting(record).map_or(Seen::Nothing("its record has no state"), Seen::Record)),
        Seen::Absent => Ok(Seen::Absent),
        Seen::Nothing(because) => Err(reply.unreadable(question.plan().query, Outcome::NotDone, because)),
    }
}
