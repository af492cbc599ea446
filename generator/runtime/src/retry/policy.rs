use std::sync::Arc;
use std::time::Duration;

use super::budget::RetryBudget;
use super::jitter;
use crate::client::WasSent;
use crate::error::{Error, ExchangeError};
use crate::tables::{Ending, Proves};

/// How often, how fast and how long a call is repeated.
#[derive(Clone, Debug)]
#[must_use]
pub struct RetryPolicy {
    pub(super) attempts: u32,
    pub(super) pauses: (Duration, Duration),
    pub(super) deadline: Duration,
    pub(super) budget: Arc<RetryBudget>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            pauses: (Duration::from_millis(200), Duration::from_secs(5)),
            deadline: Duration::from_secs(30),
            budget: Arc::new(RetryBudget::new(20)),
        }
    }
}

impl RetryPolicy {
    /// At most four attempts within half a minute, and a budget of 20 repeats.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes at most so many attempts, the first one among them.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Waits before a repeat by chance, for `first` at most, before each further one twice as long at most, and never
    /// longer than `longest`. What the exchange asks to wait is added to that.
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.pauses = (first, longest);
        self
    }

    /// Begins no repeat later than this after the first attempt.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Shares a budget with other policies. Clones of a policy share theirs anyway.
    pub fn budget(mut self, budget: Arc<RetryBudget>) -> Self {
        self.budget = budget;
        self
    }

    /// How long to wait before the repeat that follows `attempt`, counted from 1; `None` when `error` would only come
    /// again.
    pub(super) fn wait(&self, attempt: u32, error: &Error) -> Option<Duration> {
        let asked = asked_to_wait(error)?;
        let (first, longest) = self.pauses;
        let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
        Some(asked.saturating_add(jitter::up_to(first.saturating_mul(factor).min(longest))))
    }
}

/// How long the exchange asks to wait; `None` when the error is no passing one.
fn asked_to_wait(error: &Error) -> Option<Duration> {
    match error {
        Error::Refused(_) | Error::Unsigned(_) | Error::Limited(_) | Error::LimiterFailed(_) => None,
        Error::Transport(failure) => {
            // What is too long now is too long again.
            let passes = failure.error.sent() == WasSent::No || error.ending() != Ending::AnswerTooLong;
            passes.then_some(Duration::ZERO)
        }
        Error::Unreadable(_) => Some(Duration::ZERO),
        Error::Exchange(error) => is_passing(error).then_some(error.retry_after.unwrap_or_default()),
        Error::Unknown(unknown) => asked_to_wait(&unknown.why),
    }
}

/// A code tells by what it says of changes: one after which nobody knows speaks of trouble on the other side.
///
/// A timestamp that was not taken is another one in the repeat, once the exchange's time is known.
fn is_passing(error: &ExchangeError) -> bool {
    match error.proves {
        Some(Proves::Timestamp) => error.skew.is_some(),
        Some(proves) => matches!(proves, Proves::Unknown | Proves::Rate),
        None => error.status.is_server_error() || error.status == http::StatusCode::TOO_MANY_REQUESTS,
    }
}
