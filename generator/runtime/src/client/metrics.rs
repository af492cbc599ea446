use std::time::Duration;

use super::core::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::tables::{CallResult, Meta, Outcome};

/// How a call went, for counts and histograms. It contains nothing of the request and the response.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CallMetrics {
    /// The id of the operation.
    pub operation: &'static str,
    /// The number of the attempt, counted from 1; more than 1 for retries.
    pub attempt: u32,
    /// How it ended.
    pub call_result: CallResult,
    /// The outcome.
    pub outcome: Outcome,
    /// How long it waited for its rate limits.
    pub waited: Duration,
    /// How long it took in all, the wait included.
    pub took: Duration,
}

/// Called at the end of each call, on the thread of the caller.
pub(super) type MetricsHook = Box<dyn Fn(&CallMetrics) + Send + Sync>;

impl ClientCore {
    /// The time at which a call begins, if the client has a hook.
    pub(super) fn begins(&self) -> Option<Duration> {
        self.parts.metrics.as_ref().map(|_| self.parts.time.now().steady)
    }

    pub(super) fn measured<T>(
        &self,
        meta: &'static Meta,
        attempt: u32,
        begun: Option<Duration>,
        result: &Result<Reply<T>, Error>,
    ) {
        let (Some(hook), Some(begun)) = (&self.parts.metrics, begun) else { return };
        let (call_result, outcome, waited) = match result {
            Ok(reply) => (CallResult::Success, Outcome::Done, reply.waited),
            Err(error) => (error.call_result(), error.outcome(), error.waited()),
        };
        let took = self.parts.time.now().steady.saturating_sub(begun);
        hook(&CallMetrics { operation: meta.id, attempt, call_result, outcome, waited, took });
    }
}
