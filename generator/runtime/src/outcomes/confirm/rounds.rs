//! Sends queries in rounds, until every outcome is known or the deadline passes.
//!
//! Two absences count in a row only if no query of the order between them lacks an answer, whichever task sent it:
//! exchanges deny an order that exists, but not twice in a row, and the missing answer may have been the record.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::ConfirmPolicy;
use super::inquiry::{Inquiry, Pace, QueryAnswer};
use super::places::{AnyRecord, QueryFuture};
use super::question::Question;
use super::verdict::Concluded;
use crate::calls::batches::Stop;
use crate::calls::client::ClientCore;
use crate::data::clock::{Moment, Timer, pause};
use crate::data::error::{Error, JournalError};
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::network::observe;
use crate::state::evidence::{Case, OutsideRecord, Pending, QueryTimes, Seen, Verdict, Watch};
use crate::state::journal::SigningTimes;

/// Queries under way.
pub(super) type Rounds<'a> = Pin<Box<dyn Future<Output = Vec<Concluded>> + Send + 'a>>;

/// A change whose outcome is unknown.
pub(super) struct Open {
    question: Question,
    signed: SigningTimes,
    /// When the request left; `None` if an earlier run of the program sent it.
    left: Option<Moment>,
    /// The error of the call.
    call: Option<Arc<Error>>,
}

/// The time by which a queried record may be older than the signature allows.
const EARLIER: Duration = Duration::from_secs(10);

impl Open {
    pub(super) fn new(
        client: &ClientCore,
        mut question: Question,
        signed: SigningTimes,
        left: Option<Moment>,
        call: Option<Arc<Error>>,
    ) -> Self {
        let window = client.signature_window(question.target().named());
        let departure = client.departure(question.target(), signed, left).at;
        let (earliest, earlier) = (departure.earliest(), client.assumptions().clock_error.saturating_add(EARLIER));
        if let Some(since) = window.and_then(|window| earliest.checked_sub(window.saturating_add(earlier))) {
            question.query_since(since);
        }
        Self { question, signed, left, call }
    }

    /// Returns the queries, which have not begun.
    fn inquiry(&self) -> Inquiry {
        Inquiry::new(self.call.clone(), self.signed.signed_at)
    }

    /// Returns the record from outside that proves it.
    fn record_in(&self, pending: &Pending) -> Option<AnyRecord> {
        pending.proof().and_then(|outside| (self.question.plan().record)(&outside.json))
    }
}

/// The changes that are queried, registered so that records from outside find them.
struct Waiting {
    pending: Vec<Arc<Pending>>,
    /// The calls that ask for each of them, whichever task makes them.
    watches: Vec<Arc<Watch>>,
}

impl Waiting {
    fn begin(client: &ClientCore, open: &[Open], policy: &ConfirmPolicy) -> Self {
        let (mut all, mut watches) = (Vec::with_capacity(open.len()), Vec::with_capacity(open.len()));
        for one in open {
            let (operation, target) = (one.question.plan().meta.id, one.question.target());
            let pending = Pending::new(operation, target.clone(), one.signed, one.left, policy.assumptions);
            let pending = client.awaited().register(pending);
            watches.push(client.awaited().watch(target.key()));
            // Records may have come while the call was in progress.
            let records = client.awaited().records(operation, target);
            let sent = (one.signed, one.left, &policy.assumptions);
            let is_proof = |record: &Arc<OutsideRecord>| client.judge_record(target, record, sent) == Verdict::Done;
            if let Some(record) = records.into_iter().find(is_proof) {
                pending.prove(record);
            }
            all.push(pending);
        }
        Self { pending: all, watches }
    }

    /// Returns each change with the calls that ask for it.
    fn each(&self) -> impl Iterator<Item = (&Pending, &Watch)> {
        self.pending.iter().map(Arc::as_ref).zip(self.watches.iter().map(Arc::as_ref))
    }

    /// Notes what was found, so that a later record that contradicts it is noticed.
    fn end(&self, confirmations: &[Concluded]) {
        for (pending, confirmation) in self.pending.iter().zip(confirmations) {
            pending.end(confirmation.outcome());
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        for pending in self.pending.iter().filter(|pending| pending.ended().is_none()) {
            pending.end(Outcome::Unknown);
        }
    }
}

/// The end of a wait.
enum Waited<T> {
    Ready(T),
    /// A record from outside proves what is waited for.
    Proven,
    Over,
}

impl<T> Waited<T> {
    fn map<U>(self, make: impl FnOnce(T) -> U) -> Waited<U> {
        match self {
            Self::Ready(value) => Waited::Ready(make(value)),
            Self::Proven => Waited::Proven,
            Self::Over => Waited::Over,
        }
    }
}

/// Queries all open changes repeatedly. The results are in the same order.
// Boxed, because otherwise each crate that confirms a request would compile it.
pub(super) fn query_all<'a>(client: &'a ClientCore, open: Vec<Open>, policy: &'a ConfirmPolicy) -> Rounds<'a> {
    Box::pin(async move { query_rounds(client, open, policy, &mut Stop::Never).await })
}

/// Returns the same until it is stopped. What is not settled then stays unknown.
pub(super) fn query_until<'a>(
    client: &'a ClientCore,
    open: Vec<Open>,
    policy: &'a ConfirmPolicy,
    stop: &'a mut Stop<'_>,
) -> Rounds<'a> {
    Box::pin(query_rounds(client, open, policy, stop))
}

async fn query_rounds(
    client: &ClientCore,
    open: Vec<Open>,
    policy: &ConfirmPolicy,
    stop: &mut Stop<'_>,
) -> Vec<Concluded> {
    let timer: &dyn Timer = client.environment();
    let mut pace = Pace::new(policy, timer.now());
    let mut inquiries: Vec<_> = open.iter().map(Open::inquiry).collect();
    if recall_for(client, &open).await.is_err() {
        let because = "the journal cannot be read, which may have another request with the id";
        let mut confirmations = Vec::with_capacity(inquiries.len());
        for inquiry in inquiries {
            confirmations.push(inquiry.not_queried(because));
        }
        return confirmations;
    }
    let waiting = Waiting::begin(client, &open, policy);
    loop {
        let mut requested = Duration::ZERO;
        for ((one, waits), inquiry) in open.iter().zip(waiting.each()).zip(&mut inquiries) {
            if !inquiry.is_open() {
                continue;
            }
            match stop.or(query_places(client, (one, waits), inquiry, pace.end, policy)).await.flatten() {
                Some(asked_for) => requested = requested.max(asked_for),
                None => break,
            }
        }
        let can_change = inquiries.iter().any(Inquiry::can_change);
        let Some(pause) = pace.pause(timer.now(), requested).filter(|_| can_change && !stop.is_over()) else { break };
        let mut proofs = Vec::new();
        for (inquiry, pending) in inquiries.iter().zip(&waiting.pending) {
            if inquiry.is_open() {
                proofs.extend(proof_for(inquiry, pending));
            }
        }
        if stop.or(pause_until_proven(timer, pause, &proofs)).await.is_none() {
            break;
        }
    }
    let mut confirmations = Vec::with_capacity(inquiries.len());
    for inquiry in inquiries {
        confirmations.push(inquiry.into_confirmation());
    }
    waiting.end(&confirmations);
    for (one, _) in open.iter().zip(&confirmations).filter(|(_, found)| found.outcome() == Outcome::NotDone) {
        client.was_not_placed(one.question.plan().meta, one.question.key());
    }
    if let Some(orders) = client.tracked_orders() {
        for (one, confirmation) in open.iter().zip(&confirmations) {
            orders.concluded(one.question.plan().meta, one.question.key(), confirmation.outcome());
        }
    }
    confirmations
}

/// Remembers what the journal has around changes.
async fn recall_for(client: &ClientCore, open: &[Open]) -> Result<(), JournalError> {
    client.recall().await?;
    for one in open {
        client.recall_id(one.question.key(), one.signed).await?;
    }
    Ok(())
}

/// Queries a change once, in the second place as well if the first does not have it. Returns how long the exchange
/// asked to wait; `None` if the deadline passed.
async fn query_places(
    client: &ClientCore,
    (open, (pending, watch)): (&Open, (&Pending, &Watch)),
    inquiry: &mut Inquiry,
    end: Duration,
    policy: &ConfirmPolicy,
) -> Option<Duration> {
    let question = &open.question;
    let proof = proof_for(inquiry, pending);
    let ask = |query| ask(client, (open, proof), query, end);
    let (mut answer, times) = match ask(question.query_first(client, None)).await {
        Waited::Ready(answered) => answered,
        Waited::Proven => {
            inquiry.prove(open.record_in(pending));
            return Some(Duration::ZERO);
        }
        Waited::Over => return None,
    };
    inquiry.queried();
    let requested = answer.as_ref().err().map_or(Duration::ZERO, requested_wait);
    let (mut asked, is_absent) =
        (vec![times], |answer: &QueryAnswer| matches!(question.seen(answer, policy), Seen::Absent));
    if let Some(second) = is_absent(&answer).then(|| question.query_then(client)).flatten() {
        let (second, times) = match ask(second).await {
            Waited::Ready(answered) => answered,
            Waited::Proven => {
                inquiry.prove(open.record_in(pending));
                return Some(requested);
            }
            Waited::Over => return None,
        };
        asked.push(times);
        // It is absent only if neither place has it.
        if !is_absent(&second) {
            answer = second;
        }
    }
    let verdict = judged(client, (open, &*inquiry), &answer, &asked, policy);
    let state = question.state_in(&answer);
    inquiry.take((verdict, answer, state), watch.others(), policy);
    let confirmation = inquiry.confirmation();
    observe::queried(question.plan().meta, inquiry.queries(), confirmation.outcome(), confirmation.because());
    Some(requested)
}

/// Sends a query, unless it takes longer than until `end` or a record from outside makes it superfluous. Returns the
/// answer, with its record picked out, and the times of the query.
async fn ask(
    client: &ClientCore,
    (open, proof): (&Open, Option<&Pending>),
    query: QueryFuture<'_>,
    end: Duration,
) -> Waited<(QueryAnswer, QueryTimes)> {
    let begun = client.moment();
    until(client.environment(), end, proof, query).await.map(|answer| {
        let answer = answer.map(|reply| reply.map(|shown| open.question.pick(shown)));
        let there = match &answer {
            Ok(reply) => reply.request_time,
            Err(error) => error.exchange().and_then(|error| error.request_time),
        };
        (answer, query_times(client, open, begun, there))
    })
}

/// Returns what an answer to queries at these times proves.
fn judged(
    client: &ClientCore,
    (open, inquiry): (&Open, &Inquiry),
    answer: &QueryAnswer,
    asked: &[QueryTimes],
    policy: &ConfirmPolicy,
) -> Verdict {
    let question = &open.question;
    let (family, id) = (question.plan().meta.family, question.key());
    let seen = question.seen(answer, policy);
    if matches!(seen, Seen::Record(_)) {
        client.note_shown(family, id);
    }
    let case = Case {
        call: inquiry.call_end(),
        is_compound: question.is_compound(),
        was_shown: client.was_shown(family, id),
        ..client.case(question.target(), (open.signed, open.left, &policy.assumptions))
    };
    client.judge(&case, (open.signed, open.left), seen, asked)
}

/// Returns the times of a query that left at `begun` and has just been answered; `there` is that of the response.
fn query_times(client: &ClientCore, open: &Open, begun: Moment, there: Option<Timestamp>) -> QueryTimes {
    let now = client.moment();
    let (at_least, at_most) = match open.left {
        Some(left) => (begun.steady_since(left), now.since(left)),
        // The time of departure is not known, so the wall clock has to do.
        None => (begun.wall_since(open.signed.latest()), now.wall_since(open.signed.earliest())),
    };
    let window = client.signature_window(open.question.target().named()).unwrap_or_default();
    let uncertainty = client.signature_uncertainty(window, open.signed.signed_at, open.left);
    QueryTimes { there, at_least, at_most, uncertainty }
}

/// Returns the registered change, if a record from outside can prove that it had its effect.
fn proof_for<'a>(inquiry: &Inquiry, pending: &'a Pending) -> Option<&'a Pending> {
    inquiry.takes_records().then_some(pending)
}

/// Returns the output of `future`, if it is ready before `end` by `timer` and before a record from outside makes it
/// superfluous.
async fn until<T>(
    timer: &dyn Timer,
    end: Duration,
    proof: Option<&Pending>,
    future: impl Future<Output = T>,
) -> Waited<T> {
    let mut future = pin!(future);
    let mut over = pin!(pause(timer, end.saturating_sub(timer.now())));
    poll_fn(|context| {
        if is_proven(proof, context.waker()) {
            return Poll::Ready(Waited::Proven);
        }
        match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Waited::Ready(value)),
            Poll::Pending => over.as_mut().poll(context).map(|()| Waited::Over),
        }
    })
    .await
}

/// Waits for `length` by `timer`, or until a record from outside proves one of several changes.
async fn pause_until_proven(timer: &dyn Timer, length: Duration, proofs: &[&Pending]) {
    let mut over = pin!(pause(timer, length));
    poll_fn(|context| match proofs.iter().any(|pending| is_proven(Some(pending), context.waker())) {
        true => Poll::Ready(()),
        false => over.as_mut().poll(context),
    })
    .await;
}

/// Returns whether a record from outside proves a change. If not, `waker` is called when one does.
fn is_proven(pending: Option<&Pending>, waker: &Waker) -> bool {
    pending.is_some_and(|pending| {
        pending.wake(waker);
        pending.proof().is_some()
    })
}

/// Returns how long to wait before the next query after a failed one.
fn requested_wait(error: &Error) -> Duration {
    match error {
        Error::Limited(limited) => limited.free_in,
        Error::Exchange(error) => error.retry_after.unwrap_or_default(),
        Error::Refused(_)
        | Error::Unsigned(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_)
        | Error::OverBudget(_)
        | Error::Transport(_)
        | Error::Unreadable(_)
        | Error::Unknown(_) => Duration::ZERO,
    }
}
