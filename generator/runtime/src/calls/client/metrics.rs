//! Figures of one call, for counts and histograms.

use std::time::Duration;

use crate::data::tables::{CallResult, Outcome};

/// Figures of one call, for counts and histograms. It contains nothing of the request and the response.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CallMetrics {
    /// The id of the operation.
    pub operation: &'static str,
    /// The number of the attempt, counted from 1; more than 1 for retries.
    pub attempt: u32,
    /// The end of the call.
    pub call_result: CallResult,
    /// The outcome.
    pub outcome: Outcome,
    /// The time that the call waited for its rate limits.
    pub waited: Duration,
    /// The time that the call took in all, the wait included.
    pub took: Duration,
}

/// Called at the end of each call, on the thread of the caller.
pub(super) type MetricsHook = Box<dyn Fn(&CallMetrics) + Send + Sync>;
