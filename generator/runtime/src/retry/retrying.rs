use super::policy::RetryPolicy;
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::fate::Repeatable;
use crate::limits::pause;
use crate::observe;

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
    /// What the last attempt came to.
    pub async fn call<O: Repeatable>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let Self { core, policy } = *self;
        let timer = core.timer();
        let end = timer.now() + policy.deadline;
        let mut attempt = 1;
        loop {
            let error = match core.attempt(operation, attempt).await {
                Ok(reply) => {
                    policy.budget.succeeded();
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let wait = policy.wait(attempt, &error).filter(|_| core.signs_otherwise_after(&error));
            let Some(wait) = wait else { return Err(error) };
            if attempt >= policy.attempts || timer.now() + wait > end || !policy.budget.take() {
                return Err(error);
            }
            observe::pauses(O::META, attempt, wait, &error);
            pause(timer, wait).await;
            attempt += 1;
        }
    }
}
