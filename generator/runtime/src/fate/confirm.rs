use std::sync::Arc;
use std::time::Duration;

use super::absence::Times;
use super::confirmable::{Asked, Confirmable, ConfirmableItems};
use super::items::{self, ItemFates};
use super::policy::ConfirmPolicy;
use super::question::{Finding, Question, cannot_be_asked};
use super::verdict::{DidNotHappen, Fate, Happened, StillUnknown};
use crate::client::ClientCore;
use crate::error::{Error, UnknownOutcome};
use crate::exchange::Reply;
use crate::limits::pause;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// What became of a request of the operation `O`.
type FateOf<O> = Fate<<O as crate::Operation>::Response, <O as Asked>::Record>;

impl ClientCore {
    /// Sends `operation`, once, and when its outcome is unknown asks for what it was to change until that is known or
    /// the policy's deadline passes. The questions wait for room within their rate limits like any call.
    ///
    /// A request that carries nothing to ask by is not sent.
    ///
    /// That something is not found proves nothing while the request can still arrive or what it made may not be visible
    /// yet, and nothing again once it may be forgotten; where the documents do not show how long it is kept, or no code
    /// that says it is not there, it never does. See [`ConfirmPolicy::absent`].
    pub async fn place_and_confirm<O: Confirmable>(&self, operation: &O, policy: &ConfirmPolicy) -> FateOf<O> {
        let Some(question) = only(Question::all(operation)).flatten() else {
            return did_not_happen(cannot_be_asked::<O>());
        };
        match self.call(operation).await {
            Ok(reply) => Fate::Happened(Box::new(Happened { reply: Some(reply), record: None, asked: 0 })),
            Err(Error::Unknown(unknown)) => {
                let signed_at = unknown.sent.signed_at;
                let fates = self.ask(vec![question], signed_at, policy, Some(Arc::from(unknown))).await;
                only(fates).unwrap_or_else(|| did_not_happen(cannot_be_asked::<O>()))
            }
            Err(why) => did_not_happen(why),
        }
    }

    /// As [`place_and_confirm`](Self::place_and_confirm), for a request of several items, each of which has a fate of
    /// its own. Two items by the same id are refused, for nobody could tell them apart.
    ///
    /// # Errors
    ///
    /// When surely none of them had an effect.
    pub async fn place_each_and_confirm<O: ConfirmableItems>(
        &self,
        operation: &O,
        policy: &ConfirmPolicy,
    ) -> Result<ItemFates<O::Response, O::Record>, Error> {
        let questions = distinct(Question::all(operation)).ok_or_else(cannot_be_asked::<O>)?;
        match self.call(operation).await {
            Ok(reply) => {
                let told = items::told::<O>(self.api(), &reply, questions.iter().map(Question::key));
                let signed_at = reply.signed_at.unwrap_or_else(|| self.now());
                let fates = self.ask_for_the_rest(questions, told, signed_at, policy).await;
                Ok(ItemFates { reply: Some(reply), fates })
            }
            Err(Error::Unknown(unknown)) => {
                let signed_at = unknown.sent.signed_at;
                let fates = self.ask(questions, signed_at, policy, Some(Arc::from(unknown))).await;
                Ok(ItemFates { reply: None, fates })
            }
            Err(why) => Err(why),
        }
    }

    /// Asks what became of a request that an earlier run of the program signed at `signed_at` and may have sent. Nothing
    /// is sent but questions.
    pub async fn settle<O: Confirmable>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> FateOf<O> {
        let fate = match only(Question::all(operation)).flatten() {
            Some(question) => only(self.ask(vec![question], signed_at, policy, None).await),
            None => None,
        };
        fate.unwrap_or_else(|| still_unknown(None, None, "the request carries nothing to ask by", 0))
    }

    /// As [`settle`](Self::settle), for each item of a request.
    pub async fn settle_each<O: ConfirmableItems>(
        &self,
        operation: &O,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> Vec<FateOf<O>> {
        match distinct(Question::all(operation)) {
            Some(questions) => self.ask(questions, signed_at, policy, None).await,
            None => Vec::new(),
        }
    }

    /// Asks once for what `operation` made or changed, by the caller's own id: also for what the answer gave no id of.
    ///
    /// # Errors
    ///
    /// When the request carries nothing to ask by, or the question fails.
    pub async fn locate<O: Confirmable>(&self, operation: &O) -> Result<Reply<O::Record>, Error> {
        let question = only(Question::all(operation)).flatten().ok_or_else(cannot_be_asked::<O>)?;
        self.call(question.query()).await
    }

    /// Asks for those items of which the answer did not tell.
    async fn ask_for_the_rest<O: ConfirmableItems>(
        &self,
        questions: Vec<Question<O>>,
        told: Vec<(Outcome, Option<Error>)>,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
    ) -> Vec<FateOf<O>> {
        let (mut fates, mut open, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (question, (outcome, why)) in questions.into_iter().zip(told) {
            fates.push(match (outcome, why) {
                (Outcome::Done, _) => Fate::Happened(Box::new(Happened { reply: None, record: None, asked: 0 })),
                (Outcome::NotDone, Some(why)) => did_not_happen(why),
                (_, why) => {
                    open.push(question);
                    places.push(fates.len());
                    still_unknown(None, why, "the answer does not tell", 0)
                }
            });
        }
        for (place, fate) in places.into_iter().zip(self.ask(open, signed_at, policy, None).await) {
            fates[place] = fate;
        }
        fates
    }

    /// Asks in rounds until all is known or the time is up.
    async fn ask<O: Asked>(
        &self,
        questions: Vec<Question<O>>,
        signed_at: Timestamp,
        policy: &ConfirmPolicy,
        unknown: Option<Arc<UnknownOutcome>>,
    ) -> Vec<FateOf<O>> {
        let times = Times::new(self.api(), signed_at, policy.settling);
        let end = self.timer().now() + policy.deadline;
        let mut fates: Vec<Option<FateOf<O>>> = questions.iter().map(|_| None).collect();
        let mut wait = policy.pauses.0;
        for asked in 1.. {
            let mut least = wait;
            for (question, fate) in questions.iter().zip(&mut fates) {
                if !fate.as_ref().is_none_or(|fate| fate.outcome() == Outcome::Unknown) {
                    continue;
                }
                let answer = self.call(question.query()).await;
                least = least.max(answer.as_ref().err().map_or(Duration::ZERO, asked_to_wait));
                *fate = Some(judged(question, answer, &times, policy, &unknown, asked));
            }
            let is_open = |fate: &Option<FateOf<O>>| {
                fate.as_ref().is_some_and(|fate| matches!(fate, Fate::Unknown(still) if still.can_change()))
            };
            let left = end.saturating_sub(self.timer().now());
            if !fates.iter().any(is_open) || left.is_zero() || least > left && least > wait {
                break;
            }
            pause(self.timer(), least.min(left)).await;
            wait = (wait * 2).min(policy.pauses.1);
        }
        fates.into_iter().flatten().collect()
    }
}

fn judged<O: Asked>(
    question: &Question<O>,
    answer: Result<Reply<O::Record>, Error>,
    times: &Times,
    policy: &ConfirmPolicy,
    unknown: &Option<Arc<UnknownOutcome>>,
    asked: u32,
) -> FateOf<O> {
    let finding = match &answer {
        Ok(reply) => question.found(reply, times),
        Err(error) => question.failed(error, times, &policy.absent),
    };
    match (finding, answer) {
        (Finding::Proof, answer) => Fate::Happened(Box::new(Happened { reply: None, record: answer.ok(), asked })),
        (Finding::Absence, Err(why)) => Fate::DidNotHappen(Box::new(DidNotHappen { why, by_absence: true, asked })),
        (Finding::Absence, Ok(_)) => still_unknown(unknown.clone(), None, "the answer tells of nothing", asked),
        (Finding::Nothing(because), answer) => still_unknown(unknown.clone(), answer.err(), because, asked),
    }
}

/// How long a failed question says to wait before the next one.
fn asked_to_wait(error: &Error) -> Duration {
    match error {
        Error::Limited(limited) => limited.free_in,
        Error::Exchange(error) => error.retry_after.unwrap_or_default(),
        _ => Duration::ZERO,
    }
}

fn did_not_happen<A, R>(why: Error) -> Fate<A, R> {
    Fate::DidNotHappen(Box::new(DidNotHappen { why, by_absence: false, asked: 0 }))
}

fn still_unknown<A, R>(
    unknown: Option<Arc<UnknownOutcome>>,
    last: Option<Error>,
    because: &'static str,
    asked: u32,
) -> Fate<A, R> {
    Fate::Unknown(Box::new(StillUnknown { unknown, last, because, asked }))
}

/// The only one, if there is exactly one.
fn only<T>(mut all: Vec<T>) -> Option<T> {
    if all.len() == 1 { all.pop() } else { None }
}

/// All questions, when each can be asked and no two are the same.
fn distinct<O: Asked>(questions: Vec<Option<Question<O>>>) -> Option<Vec<Question<O>>> {
    let questions: Vec<_> = questions.into_iter().collect::<Option<_>>()?;
    let mut keys: Vec<_> = questions.iter().map(Question::key).collect();
    keys.sort_unstable();
    let count = keys.len();
    keys.dedup();
    (keys.len() == count).then_some(questions)
}
