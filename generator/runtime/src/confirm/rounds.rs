//! Sends queries in rounds, until every outcome is known or the deadline passes.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::absence::QueryTimes;
use super::question::{Finding, QueryResult, Question, is_denial};
use super::record::AnyRecord;
use super::verdict::{Because, Concluded, Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};
use super::{ConfirmPolicy, Shown};
use crate::client::ClientCore;
use crate::clock::{Moment, Timer, pause};
use crate::error::Error;
use crate::evidence::{Evidence, OutsideRecord, Pending};
use crate::journal::SigningTimes;
use crate::observe;
use crate::tables::{CodeProof, Outcome};
use crate::value::Timestamp;
use crate::wire::Reply;

/// The answer to a query, as far as it is about the change.
type QueryAnswer = Result<Reply<QueryResult>, Error>;

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

/// How much older than the signature allows a queried record may be.
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
        let not_before = client.sent(question.target(), signed.signed_at, left, Duration::ZERO).not_before;
        if let Some(since) = window.and_then(|window| not_before.checked_sub(window.saturating_add(EARLIER))) {
            question.query_since(since);
        }
        Self { question, signed, left, call }
    }

    /// Whether the call was refused because its id was used before.
    fn is_duplicate(&self) -> bool {
        let refusal = self.call.as_ref().and_then(|call| call.exchange());
        // To a repeat, it may say that the first copy used the id.
        refusal.is_some_and(|error| error.proves == Some(CodeProof::DuplicateId) && !error.may_answer_repeat)
    }

    /// Whether the exchange refused it, although a record from outside shows its effect. Then only a query can decide.
    fn is_contradicted(&self) -> bool {
        matches!(self.call.as_deref(), Some(Error::Unknown(unknown)) if unknown.is_contradicted)
    }
}

/// The changes that are queried, registered so that records from outside find them.
struct Waiting<'a> {
    client: &'a ClientCore,
    pending: Vec<Arc<Pending>>,
}

impl<'a> Waiting<'a> {
    fn begin(client: &'a ClientCore, open: &[Open], policy: &ConfirmPolicy) -> Self {
        let register = |one: &Open| {
            let (operation, target) = (one.question.plan().meta.id, one.question.target());
            let pending = Pending::new(operation, target.clone(), one.signed.signed_at, one.left, policy.settling);
            let pending = client.awaited().register(pending);
            // Records may have come while the call was in progress.
            let records = client.awaited().records(operation, target);
            let sent = (one.signed.signed_at, one.left, policy.settling);
            let is_proof = |record: &Arc<OutsideRecord>| {
                client.evaluate_record(target, (&record.fields, record.form), sent) == Evidence::Proof
            };
            records.into_iter().find(is_proof).into_iter().for_each(|record| pending.prove(record));
            pending
        };
        Self { client, pending: open.iter().map(register).collect() }
    }

    /// Notes what was found, so that a later record that contradicts it is noticed.
    fn end(&self, confirmations: &[Concluded]) {
        self.pending.iter().zip(confirmations).for_each(|(pending, confirmation)| pending.end(confirmation.outcome()));
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.client.awaited().stop(&self.pending);
        let unended = self.pending.iter().filter(|pending| pending.ended().is_none());
        unended.for_each(|pending| pending.end(Outcome::Unknown));
    }
}

/// How a wait ended.
enum Waited<T> {
    Ready(T),
    /// A record from outside proves what is waited for.
    Proven,
    Over,
}

/// When a query was made, and by which policy.
#[derive(Clone, Copy)]
struct QueryContext<'a> {
    begun: Moment,
    policy: &'a ConfirmPolicy,
}

impl ClientCore {
    /// Queries all open changes repeatedly. The results are in the same order.
    // Boxed, because otherwise each crate that confirms a request would compile it.
    pub(super) fn query_all<'a>(&'a self, open: Vec<Open>, policy: &'a ConfirmPolicy) -> Rounds<'a> {
        Box::pin(self.query_rounds(open, policy))
    }

    async fn query_rounds(&self, open: Vec<Open>, policy: &ConfirmPolicy) -> Vec<Concluded> {
        let timer: &dyn Timer = self.environment();
        let end = timer.now().saturating_add(policy.deadline);
        let forgets = |one: &Open| self.may_have_forgotten(one.question.key(), one.signed.signed_at);
        if open.iter().any(forgets) {
            self.recall_again();
        }
        if self.recall().await.is_err() {
            let because = "the journal cannot be read, which may have another request with the id";
            return open.iter().map(|one| unqueried(one, because)).collect();
        }
        let mut confirmations: Vec<Concluded> = open.iter().map(not_queried).collect();
        let waiting = Waiting::begin(self, &open, policy);
        let mut wait = policy.pauses.0;
        let mut absences = vec![ConsecutiveAbsences::default(); open.len()];
        for queries in 1.. {
            let mut least = wait;
            let all = open.iter().zip(&waiting.pending).zip(&mut confirmations).zip(&mut absences);
            for (((one, pending), confirmation), absences) in all {
                if confirmation.outcome() != Outcome::Unknown {
                    continue;
                }
                let begun = self.moment();
                let answer =
                    match until(timer, end, proof_for(one, pending), one.question.query_first(self, None)).await {
                        Waited::Ready(answer) => answer,
                        Waited::Proven => {
                            *confirmation = shown_outside(one, pending, queries - 1);
                            continue;
                        }
                        Waited::Over => break,
                    };
                least = least.max(answer.as_ref().err().map_or(Duration::ZERO, requested_wait));
                let at = QueryContext { begun, policy };
                let (mut finding, mut answer) = self.evaluated(one, answer, at);
                let then = || one.question.query_then(self);
                if let Some(then) = shows_nothing(&answer, policy).then(then).flatten() {
                    let begun = self.moment();
                    let other = match until(timer, end, proof_for(one, pending), then).await {
                        Waited::Ready(other) => other,
                        Waited::Proven => {
                            *confirmation = shown_outside(one, pending, queries);
                            continue;
                        }
                        Waited::Over => break,
                    };
                    least = least.max(other.as_ref().err().map_or(Duration::ZERO, requested_wait));
                    let other = self.evaluated(one, other, QueryContext { begun, ..at });
                    // It is absent only if neither place has it, and the first one was queried before.
                    if !matches!(other.0, Finding::Absence) {
                        (finding, answer) = other;
                    }
                }
                absences.count(matches!(finding, Finding::Absence), pending.others());
                *confirmation = concluded(one, finding, answer, queries, absences.count >= policy.denials);
                observe::queried(one.question.plan().meta, queries, confirmation.outcome(), confirmation.because());
            }
            let left = end.saturating_sub(timer.now());
            if !confirmations.iter().any(can_change) || left.is_zero() || least > left && least > wait {
                break;
            }
            let unknown = open.iter().zip(&waiting.pending).zip(&confirmations);
            let unknown = unknown.filter(|(_, confirmation)| confirmation.outcome() == Outcome::Unknown);
            let proofs: Vec<_> = unknown.filter_map(|((one, pending), _)| proof_for(one, pending)).collect();
            pause_until_proven(timer, least.min(left), &proofs).await;
            wait = wait.saturating_mul(2).min(policy.pauses.1);
        }
        waiting.end(&confirmations);
        if let Some(orders) = self.tracked_orders() {
            let all = open.iter().zip(&confirmations);
            all.for_each(|(one, confirmation)| {
                orders.concluded(one.question.plan().meta, one.question.key(), confirmation.outcome())
            });
        }
        confirmations
    }

    /// What an answer proves, and the answer with its record picked out.
    fn evaluated(
        &self,
        open: &Open,
        answer: Result<Reply<Shown<AnyRecord>>, Error>,
        QueryContext { begun, policy }: QueryContext<'_>,
    ) -> (Finding, QueryAnswer) {
        let question = &open.question;
        let facts = (open.signed.signed_at, open.left, policy.settling);
        let sent = self.sent(question.target(), open.signed.signed_at, open.left, policy.settling);
        let answer = answer.map(|reply| reply.map(|shown| question.pick(shown)));
        let (family, id) = (question.plan().meta.family, question.key());
        let finding = match &answer {
            Ok(Reply { data: QueryResult::Record(record), .. }) => {
                self.note_shown(family, id);
                self.evaluate_record(question.target(), (record.fields(), record.form()), facts).into()
            }
            Ok(Reply { data: QueryResult::Absent, request_time, .. }) => {
                question.is_absent(&sent, &self.query_times(open, begun, *request_time), policy)
            }
            Ok(Reply { data: QueryResult::Nothing(because), .. }) => Finding::Nothing(because),
            Err(error) => {
                let there = error.exchange().and_then(|error| error.request_time);
                question.failed(error, &sent, &self.query_times(open, begun, there), policy)
            }
        };
        let finding = match finding {
            Finding::Absence if self.was_shown(family, id) => {
                Finding::Nothing("it was not found, but an earlier answer showed a record with its id")
            }
            other => other,
        };
        (finding, answer)
    }

    /// The times of a query that left at `begun` and has just been answered; `there` is that of the response.
    fn query_times(&self, open: &Open, begun: Moment, there: Option<Timestamp>) -> QueryTimes {
        let now = self.moment();
        let (at_least, at_most) = match open.left {
            Some(left) => (begun.steady_since(left), now.since(left)),
            // The time of departure is not known, so the wall clock has to do.
            None => (begun.wall_since(open.signed.latest()), now.wall_since(open.signed.earliest())),
        };
        let window = self.signature_window(open.question.target().named()).unwrap_or_default();
        let uncertainty = self.signature_uncertainty(window, open.signed.signed_at, open.left);
        QueryTimes { there, at_least, at_most, uncertainty }
    }
}

/// Whether an answer shows that the first place does not have it, or not yet.
fn shows_nothing(answer: &QueryAnswer, policy: &ConfirmPolicy) -> bool {
    match answer {
        Ok(reply) => matches!(reply.data, QueryResult::Absent),
        Err(Error::Exchange(error)) => is_denial(error, &policy.absent),
        Err(_) => false,
    }
}

/// The number of answers in a row that state an absence. Exchanges were seen to deny orders that exist, but not twice
/// in a row. An answer that was not an absence, or could not be read, may have been the record, whichever task of the
/// client asked for it.
#[derive(Clone, Copy, Default)]
struct ConsecutiveAbsences {
    count: u32,
    /// The number of unanswered calls of other tasks at the last absence.
    unanswered: u32,
}

impl ConsecutiveAbsences {
    /// Counts an answer, given the number of unanswered calls of other tasks so far, and whether one is under way.
    fn count(&mut self, is_absence: bool, (unanswered, is_one_under_way): (u32, bool)) {
        let is_next = unanswered == self.unanswered && !is_one_under_way;
        self.unanswered = unanswered;
        self.count = match is_absence {
            true if is_next => self.count + 1,
            true => 1,
            false => 0,
        };
    }
}

/// What follows from what an answer proves.
fn concluded(open: &Open, finding: Finding, answer: QueryAnswer, queries: u32, is_repeated: bool) -> Concluded {
    let still = |last: Option<Error>, why| {
        let because = Because::new(why, last.as_ref());
        let (call, signed_at) = (open.call.clone(), Some(open.signed.signed_at));
        Confirmation::Unknown(Box::new(Unconfirmed { call, last, signed_at, because, queries }))
    };
    let did_not_happen =
        |why, by_absence| Confirmation::NotDone(Box::new(ConfirmedNotDone { why, by_absence, queries }));
    match (finding, answer) {
        (Finding::Proof, answer) => Confirmation::Done(Box::new(ConfirmedDone {
            answer: None,
            record: answer.ok().and_then(of_record),
            outside: None,
            queries,
        })),
        (Finding::Absence, answer) if open.is_contradicted() => {
            still(answer.err(), "it was not found, but a record from outside shows it")
        }
        (Finding::Absence, answer) if !is_repeated => {
            still(answer.err(), "it was not found, but not often enough in a row")
        }
        (Finding::Absence, answer) => did_not_happen(answer.err().map(Arc::new), true),
        // The exchange refused it because of the existing record, which this request did not create.
        (Finding::Older, answer) => match open.call.clone().filter(|_| open.is_duplicate()) {
            Some(refusal) => did_not_happen(Some(refusal), false),
            None => still(answer.err(), "something older has the same id"),
        },
        (Finding::Nothing(because), answer) => still(answer.err(), because),
    }
}

/// The record in a reply, if it has one.
pub(super) fn of_record(reply: Reply<QueryResult>) -> Option<Reply<AnyRecord>> {
    let record = reply.map(|picked| match picked {
        QueryResult::Record(record) => Some(record),
        QueryResult::Absent | QueryResult::Nothing(_) => None,
    });
    record.transpose()
}

/// The registered change, if a record from outside can prove that it had its effect.
fn proof_for<'a>(open: &Open, pending: &'a Pending) -> Option<&'a Pending> {
    (!open.is_contradicted()).then_some(pending)
}

/// The change had its effect, as a record from outside shows.
fn shown_outside(open: &Open, pending: &Pending, queries: u32) -> Concluded {
    let outside = pending.proof().and_then(|outside| (open.question.plan().record)(&outside.json));
    Confirmation::Done(Box::new(ConfirmedDone { answer: None, record: None, outside, queries }))
}

/// The output of `future`, if it is ready before `end` by `timer` and before a record from outside makes it
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

/// Whether a record from outside proves a change. If not, `waker` is called when one does.
fn is_proven(pending: Option<&Pending>, waker: &Waker) -> bool {
    pending.is_some_and(|pending| {
        pending.wake(waker);
        pending.proof().is_some()
    })
}

/// The outcome before the first query.
fn not_queried(open: &Open) -> Concluded {
    unqueried(open, "the deadline passed before a query was answered")
}

fn unqueried(open: &Open, because: &'static str) -> Concluded {
    let (call, signed_at, because) = (open.call.clone(), Some(open.signed.signed_at), Because::new(because, None));
    Confirmation::Unknown(Box::new(Unconfirmed { call, last: None, signed_at, because, queries: 0 }))
}

/// Whether another query could settle it.
fn can_change(confirmation: &Concluded) -> bool {
    matches!(confirmation, Confirmation::Unknown(still) if still.can_change())
}

/// How long to wait before the next query after a failed one.
fn requested_wait(error: &Error) -> Duration {
    match error {
        Error::Limited(limited) => limited.free_in,
        Error::Exchange(error) => error.retry_after.unwrap_or_default(),
        Error::Refused(_)
        | Error::Unsigned(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_)
        | Error::Transport(_)
        | Error::Unreadable(_)
        | Error::Unknown(_) => Duration::ZERO,
    }
}
