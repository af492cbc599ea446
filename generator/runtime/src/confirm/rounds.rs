//! Sends queries in rounds, until every outcome is known or the deadline passes.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::absence::AskedAt;
use super::evidence::Sent;
use super::question::{Finding, Question};
use super::verdict::{Confirmation, ConfirmedDone, ConfirmedNotDone, Unconfirmed};
use super::{ConfirmPolicy, Queryable};
use crate::client::ClientCore;
use crate::clock::{Moment, Timer, pause};
use crate::error::Error;
use crate::exchange::Reply;
use crate::observe;
use crate::tables::{CodeProof, Outcome};
use crate::value::Timestamp;

/// A change whose outcome is unknown.
pub(super) struct Open<O: Queryable> {
    question: Question<O>,
    signed_at: Timestamp,
    /// When the request left; `None` if an earlier run of the program sent it.
    left: Option<Moment>,
    /// The error of the call.
    call: Option<Arc<Error>>,
}

impl<O: Queryable> Open<O> {
    pub(super) fn new(
        question: Question<O>,
        signed_at: Timestamp,
        left: Option<Moment>,
        call: Option<Arc<Error>>,
    ) -> Self {
        Self { question, signed_at, left, call }
    }

    /// Whether the call was refused because its id was used before.
    fn is_duplicate(&self) -> bool {
        let refusal = self.call.as_ref().and_then(|call| call.exchange());
        refusal.is_some_and(|error| error.proves == Some(CodeProof::DuplicateId))
    }
}

impl ClientCore {
    /// Queries all open changes repeatedly. The results are in the same order.
    pub(super) async fn ask<O: Queryable, A>(
        &self,
        open: Vec<Open<O>>,
        policy: &ConfirmPolicy,
    ) -> Vec<Confirmation<A, O::Record>> {
        let timer: &dyn Timer = self.environment();
        let end = timer.now().saturating_add(policy.deadline);
        let mut confirmations: Vec<Confirmation<A, O::Record>> = open.iter().map(|one| unasked(one)).collect();
        let mut wait = policy.pauses.0;
        let mut absences = vec![0; open.len()];
        for asked in 1.. {
            let mut least = wait;
            for ((one, confirmation), absences) in open.iter().zip(&mut confirmations).zip(&mut absences) {
                if confirmation.outcome() != Outcome::Unknown {
                    continue;
                }
                let begun = self.moment();
                let Some(answer) = until(timer, end, self.call(one.question.query())).await else { break };
                least = least.max(answer.as_ref().err().map_or(Duration::ZERO, asked_to_wait));
                *confirmation = self.evaluated(one, begun, answer, policy, asked, absences);
                observe::asked(O::META, asked, confirmation.outcome(), confirmation.because());
            }
            let left = end.saturating_sub(timer.now());
            if !confirmations.iter().any(can_change) || left.is_zero() || least > left && least > wait {
                break;
            }
            pause(timer, least.min(left)).await;
            wait = wait.saturating_mul(2).min(policy.pauses.1);
        }
        confirmations
    }

    fn evaluated<O: Queryable, A>(
        &self,
        open: &Open<O>,
        begun: Moment,
        answer: Result<Reply<O::Record>, Error>,
        policy: &ConfirmPolicy,
        asked: u32,
        absences: &mut u32,
    ) -> Confirmation<A, O::Record> {
        let sent = self.sent(open, policy);
        let finding = match &answer {
            Ok(reply) => open.question.found(reply, &sent, |id| match open.question.is_of_something_new() {
                true => self.is_named_twice(id, open.signed_at),
                // For an earlier run, other requests are not known.
                false => open.left.is_some_and(|left| self.has_contender(id, left)),
            }),
            Err(error) => open.question.failed(error, &sent, &self.asked_at(open, begun, error), &policy.absent),
        };
        let still = |last, because| {
            let (call, signed_at) = (open.call.clone(), Some(open.signed_at));
            Confirmation::Unknown(Box::new(Unconfirmed { call, last, signed_at, because, asked }))
        };
        let did_not_happen =
            |why, by_absence| Confirmation::NotDone(Box::new(ConfirmedNotDone { why: Some(why), by_absence, asked }));
        match (finding, answer) {
            (Finding::Proof, answer) => {
                Confirmation::Done(Box::new(ConfirmedDone { answer: None, record: answer.ok(), asked }))
            }
            (Finding::Absence, Err(why)) => {
                // Exchanges were seen to deny orders that exist.
                *absences += 1;
                match *absences {
                    1 => still(Some(why), "it was not found, according to a single response"),
                    _ => did_not_happen(Arc::new(why), true),
                }
            }
            (Finding::Absence, Ok(_)) => still(None, "the response is empty"),
            // The exchange refused it because of the existing record, which this request did not create.
            (Finding::Older, answer) => match open.call.clone().filter(|_| open.is_duplicate()) {
                Some(refusal) => did_not_happen(refusal, false),
                None => still(answer.err(), "something older has the same id"),
            },
            (Finding::Nothing(because), answer) => still(answer.err(), because),
        }
    }

    /// When the request was sent, as far as known.
    fn sent<O: Queryable>(&self, open: &Open<O>, policy: &ConfirmPolicy) -> Sent {
        Sent {
            signed_at: open.signed_at,
            window: self.signature_window(),
            settling: policy.settling,
            left: open.left.and_then(|left| self.exchange_time(left)),
            has_rival: false,
        }
    }

    /// The times of a query that left at `begun` and has just been answered.
    fn asked_at<O: Queryable>(&self, open: &Open<O>, begun: Moment, error: &Error) -> AskedAt {
        let there = error.exchange().and_then(|error| error.request_time);
        let now = self.moment();
        let (at_least, at_most) = match open.left {
            Some(left) => (begun.steady_since(left), now.since(left)),
            // The time of departure is not known, so the wall clock has to do.
            None => (begun.wall_since(open.signed_at), now.wall_since(open.signed_at)),
        };
        AskedAt { there, at_least, at_most, uncertainty: self.signature_uncertainty(open.signed_at, open.left) }
    }
}

/// The output of `future`, if it is ready before `end` by `timer`.
async fn until<T>(timer: &dyn Timer, end: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut over = pin!(pause(timer, end.saturating_sub(timer.now())));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => over.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// The outcome before the first query.
fn unasked<O: Queryable, A>(open: &Open<O>) -> Confirmation<A, O::Record> {
    let (call, signed_at) = (open.call.clone(), Some(open.signed_at));
    let because = "the deadline passed before a query was answered";
    Confirmation::Unknown(Box::new(Unconfirmed { call, last: None, signed_at, because, asked: 0 }))
}

/// Whether another query could settle it.
fn can_change<A, R>(confirmation: &Confirmation<A, R>) -> bool {
    matches!(confirmation, Confirmation::Unknown(still) if still.can_change())
}

/// How long to wait before the next query after a failed one.
fn asked_to_wait(error: &Error) -> Duration {
    match error {
        Error::Limited(limited) => limited.free_in,
        Error::Exchange(error) => error.retry_after.unwrap_or_default(),
        _ => Duration::ZERO,
    }
}
