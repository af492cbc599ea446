//! Asking in rounds, until all is known or the time is up.

use std::sync::Arc;
use std::time::Duration;

use super::absence::Times;
use super::confirmable::Asked;
use super::policy::ConfirmPolicy;
use super::question::{Finding, Question};
use super::verdict::{DidNotHappen, Fate, Happened, StillUnknown};
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::limits::pause;
use crate::observe;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// One thing of which it is not known whether it was changed.
pub(super) struct Open<O: Asked> {
    question: Question<O>,
    times: Times,
    /// What the call came to.
    call: Option<Arc<Error>>,
}

impl ClientCore {
    pub(super) fn open<O: Asked>(
        &self,
        question: Question<O>,
        signed_at: Timestamp,
        call: Option<Arc<Error>>,
        policy: &ConfirmPolicy,
    ) -> Open<O> {
        Open { question, times: Times::new(self.api(), signed_at, policy.settling), call }
    }

    /// Asks for all that is open, again and again.
    pub(super) async fn ask<O: Asked, A>(&self, open: Vec<Open<O>>, policy: &ConfirmPolicy) -> Vec<Fate<A, O::Record>> {
        let end = self.timer().now() + policy.deadline;
        let mut fates: Vec<Option<Fate<A, O::Record>>> = open.iter().map(|_| None).collect();
        let mut wait = policy.pauses.0;
        for asked in 1.. {
            let mut least = wait;
            for (one, fate) in open.iter().zip(&mut fates) {
                if fate.as_ref().is_none_or(|fate| fate.outcome() == Outcome::Unknown) {
                    let answer = self.call(one.question.query()).await;
                    least = least.max(answer.as_ref().err().map_or(Duration::ZERO, asked_to_wait));
                    let judged = judged(one, answer, policy, asked);
                    observe::asked(O::META, asked, &judged);
                    *fate = Some(judged);
                }
            }
            let left = end.saturating_sub(self.timer().now());
            if !fates.iter().flatten().any(can_change) || left.is_zero() || least > left && least > wait {
                break;
            }
            pause(self.timer(), least.min(left)).await;
            wait = (wait * 2).min(policy.pauses.1);
        }
        fates.into_iter().flatten().collect()
    }
}

fn judged<O: Asked, A>(
    open: &Open<O>,
    answer: Result<Reply<O::Record>, Error>,
    policy: &ConfirmPolicy,
    asked: u32,
) -> Fate<A, O::Record> {
    let Open { question, times, call } = open;
    let finding = match &answer {
        Ok(reply) => question.found(reply, times),
        Err(error) => question.failed(error, times, &policy.absent),
    };
    let still = |last, because| {
        let (call, signed_at) = (call.clone(), Some(times.signed_at));
        Fate::Unknown(Box::new(StillUnknown { call, last, signed_at, because, asked }))
    };
    match (finding, answer) {
        (Finding::Proof, answer) => Fate::Happened(Box::new(Happened { answer: None, record: answer.ok(), asked })),
        (Finding::Absence, Err(why)) => {
            let why = Some(Arc::new(why));
            Fate::DidNotHappen(Box::new(DidNotHappen { why, by_absence: true, asked }))
        }
        (Finding::Absence, Ok(_)) => still(None, "the answer tells of nothing"),
        (Finding::Nothing(because), answer) => still(answer.err(), because),
    }
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
