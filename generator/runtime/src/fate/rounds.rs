//! Asking in rounds, until all is known or the time is up.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::absence::AskedAt;
use super::confirmable::Asked;
use super::evidence::Sent;
use super::policy::ConfirmPolicy;
use super::question::{Finding, Question};
use super::verdict::{DidNotHappen, Fate, Happened, StillUnknown};
use crate::client::{ClientCore, Moment};
use crate::error::Error;
use crate::exchange::Reply;
use crate::limits::{Timer, pause};
use crate::observe;
use crate::tables::{Outcome, Proves};
use crate::value::Timestamp;

/// One thing of which it is not known whether it was changed.
pub(super) struct Open<O: Asked> {
    question: Question<O>,
    signed_at: Timestamp,
    /// When the request left, by this process; `None` when an earlier one sent it.
    left: Option<Moment>,
    /// What the call came to.
    call: Option<Arc<Error>>,
}

impl<O: Asked> Open<O> {
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
        refusal.is_some_and(|error| error.proves == Some(Proves::DuplicateId))
    }
}

impl ClientCore {
    /// Asks for all that is open, again and again. Every one has an answer, in the same order.
    pub(super) async fn ask<O: Asked, A>(&self, open: Vec<Open<O>>, policy: &ConfirmPolicy) -> Vec<Fate<A, O::Record>> {
        let end = self.timer().now().saturating_add(policy.deadline);
        let mut fates: Vec<Fate<A, O::Record>> = open.iter().map(|one| unasked(one)).collect();
        let mut wait = policy.pauses.0;
        let mut absences = vec![0; open.len()];
        for asked in 1.. {
            let mut least = wait;
            for ((one, fate), absences) in open.iter().zip(&mut fates).zip(&mut absences) {
                if fate.outcome() != Outcome::Unknown {
                    continue;
                }
                let begun = self.moment();
                let Some(answer) = until(self.timer(), end, self.call(one.question.query())).await else { break };
                least = least.max(answer.as_ref().err().map_or(Duration::ZERO, asked_to_wait));
                *fate = self.judged(one, begun, answer, policy, asked, absences);
                observe::asked(O::META, asked, fate);
            }
            let left = end.saturating_sub(self.timer().now());
            if !fates.iter().any(can_change) || left.is_zero() || least > left && least > wait {
                break;
            }
            pause(self.timer(), least.min(left)).await;
            wait = wait.saturating_mul(2).min(policy.pauses.1);
        }
        fates
    }

    fn judged<O: Asked, A>(
        &self,
        open: &Open<O>,
        begun: Moment,
        answer: Result<Reply<O::Record>, Error>,
        policy: &ConfirmPolicy,
        asked: u32,
        absences: &mut u32,
    ) -> Fate<A, O::Record> {
        let sent = self.sent(open, policy);
        let finding = match &answer {
            Ok(reply) => open.question.found(reply, &sent, |id| match open.question.is_of_something_new() {
                true => self.is_named_twice(id, open.left),
                // Of an earlier run nothing else is known either.
                false => open.left.is_some_and(|left| self.has_contender(id, left)),
            }),
            Err(error) => open.question.failed(error, &sent, &self.asked_at(open, begun, error), &policy.absent),
        };
        let still = |last, because| {
            let (call, signed_at) = (open.call.clone(), Some(open.signed_at));
            Fate::Unknown(Box::new(StillUnknown { call, last, signed_at, because, asked }))
        };
        let did_not_happen =
            |why, by_absence| Fate::DidNotHappen(Box::new(DidNotHappen { why: Some(why), by_absence, asked }));
        match (finding, answer) {
            (Finding::Proof, answer) => Fate::Happened(Box::new(Happened { answer: None, record: answer.ok(), asked })),
            (Finding::Absence, Err(why)) => {
                // The exchange was seen to say so of orders that are there.
                *absences += 1;
                match *absences {
                    1 => still(Some(why), "it is not there, as one answer says"),
                    _ => did_not_happen(Arc::new(why), true),
                }
            }
            (Finding::Absence, Ok(_)) => still(None, "the answer tells of nothing"),
            // The exchange refused it for the sake of what is there, and that is not what the request made.
            (Finding::Older, answer) => match open.call.clone().filter(|_| open.is_duplicate()) {
                Some(refusal) => did_not_happen(refusal, false),
                None => still(answer.err(), "something older has the same id"),
            },
            (Finding::Nothing(because), answer) => still(answer.err(), because),
        }
    }

    /// What is known by now of when the request was sent.
    fn sent<O: Asked>(&self, open: &Open<O>, policy: &ConfirmPolicy) -> Sent {
        Sent {
            signed_at: open.signed_at,
            window: self.signature_window(),
            settling: policy.settling,
            left: open.left.and_then(|left| self.exchange_time(left)),
            has_rival: false,
        }
    }

    /// When a question was put that left at `begun`, and has just been answered.
    fn asked_at<O: Asked>(&self, open: &Open<O>, begun: Moment, error: &Error) -> AskedAt {
        let there = error.exchange().and_then(|error| error.request_time);
        let now = self.moment();
        let (at_least, at_most) = match open.left {
            Some(left) => (begun.steady_since(left), now.since(left)),
            // Nothing here has seen the request leave, so the wall clock has to do.
            None => (begun.wall_since(open.signed_at), now.wall_since(open.signed_at)),
        };
        AskedAt { there, at_least, at_most, uncertainty: self.signature_uncertainty(open.signed_at, open.left) }
    }
}

/// What `future` comes to, if it does so until `end` by `timer`.
async fn until<T>(timer: &dyn Timer, end: Duration, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut over = pin!(pause(timer, end.saturating_sub(timer.now())));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => over.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Before the first question.
fn unasked<O: Asked, A>(open: &Open<O>) -> Fate<A, O::Record> {
    let (call, signed_at) = (open.call.clone(), Some(open.signed_at));
    let because = "the time was up before a question was answered";
    Fate::Unknown(Box::new(StillUnknown { call, last: None, signed_at, because, asked: 0 }))
}

/// Whether asking again could tell more.
fn can_change<A, R>(fate: &Fate<A, R>) -> bool {
    matches!(fate, Fate::Unknown(still) if still.can_change())
}

/// How long a failed question says to wait before the next one.
fn asked_to_wait(error: &Error) -> Duration {
    match error {
        Error::Limited(limited) => limited.free_in,
        Error::Exchange(error) => error.retry_after.unwrap_or_default(),
        _ => Duration::ZERO,
    }
}
