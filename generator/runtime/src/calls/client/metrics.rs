//! How a call went, for counts and histograms.

use std::time::Duration;

use crate::data::tables::{CallResult, Outcome};

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
