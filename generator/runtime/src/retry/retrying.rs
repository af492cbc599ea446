use super::policy::RetryPolicy;
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::fate::Repeatable;
use crate::limits::pause;
use crate::observe;
use crate::tables::Outcome;

/// A client that calls again when a call fails in a way that passes.
#[derive(Clone, Copy, Debug)]
pub struct Retrying<'a> {
    core: &'a ClientCore,
    policy: &'a RetryPolicy,
}

impl<'a> Retrying<'a> {
    pub(crate) fn new(core: &'a ClientCore, policy: &'a RetryPolicy) -> Self {
        Self { core, policy }
    }

    /// As [`ClientCore::call`], again and again as the policy says. Each attempt waits for room within its rate limits
    /// and is signed anew.
    ///
    /// # Errors
    ///
    /// What the last attempt came to. When it surely did nothing and an earlier one may have, that one: the exchange
    /// refuses to cancel what an unanswered attempt has cancelled.
    pub async fn call<O: Repeatable>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let Self { core, policy } = *self;
        let timer = core.timer();
        let end = timer.now().saturating_add(policy.deadline);
        let (mut attempt, mut unknown) = (1, None);
        loop {
            let error = match core.attempt(operation, attempt).await {
                Ok(reply) => {
                    policy.budget.succeeded();
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let wait = policy.wait(attempt, &error).filter(|_| core.signs_otherwise_after(&error));
            let wait = wait.filter(|wait| timer.now().checked_add(*wait).is_some_and(|at| at <= end));
            let wait = wait.filter(|_| attempt < policy.attempts && policy.budget.take());
            let Some(wait) = wait else {
                return Err(unknown.filter(|_| error.outcome() == Outcome::NotDone).unwrap_or(error));
            };
            observe::pauses(O::META, attempt, wait, &error);
            unknown = Some(error).filter(|error| error.outcome() == Outcome::Unknown).or(unknown);
            pause(timer, wait).await;
            attempt += 1;
        }
    }
}
