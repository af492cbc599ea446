//! Retries of operations that are safe to repeat.
//!
//! A cancellation of everything is repeated by a function of its own, `Retrying::cancel`: it is harmless only while
//! nothing is placed, which no type can show.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::calls::client::{Attempt, CallFuture, Callable, ClientCore, ReplyTo, Within};
use crate::data::clock::{Moment, Timer, pause};
use crate::data::error::{Delivery, Error, ExchangeError};
use crate::data::operation::{Cancellation, DynOperation, DynResponse, Operation, ReceivedFor, Repeatable};
use crate::data::parameters::Named;
use crate::data::tables::{CallResult, CodeProof, Effect, Meta, Outcome};
use crate::network::observe;
use crate::network::wire::{EarlierAttempts, Reply};
use crate::state::journal::ChangeNumber;

/// The number of retries that all calls together may make, so that retries do not overload an exchange in trouble.
///
/// A call that succeeds returns a part of what a retry costs.
#[derive(Debug)]
pub struct RetryBudget {
    /// In tenths of a retry.
    left: AtomicU32,
    most: u32,
}

/// The cost of a retry.
const REPEAT: u32 = 10;

impl RetryBudget {
    /// Creates a budget of `repeats` retries, and one more for every ten calls that succeed.
    pub const fn new(repeats: u32) -> Self {
        let most = repeats.saturating_mul(REPEAT);
        Self { left: AtomicU32::new(most), most }
    }

    /// Returns how many retries are left.
    pub fn left(&self) -> u32 {
        self.left.load(Ordering::Relaxed) / REPEAT
    }

    /// Takes one retry, if there is one.
    fn take(&self) -> bool {
        let take = |left: u32| left.checked_sub(REPEAT);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn succeeded(&self) {
        let add = |left: u32| (left < self.most).then_some(left + 1);
        // A full budget stays as it is.
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

/// Returns a duration up to `most` by the random number `chance`, so that calls that failed together are not retried
/// together.
fn up_to(most: Duration, chance: u64) -> Duration {
    let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
    Duration::from_nanos(chance.checked_rem(nanos.saturating_add(1)).unwrap_or(chance))
}

/// The number, the pace and the duration of the retries of a call.
#[derive(Clone, Debug)]
#[must_use]
pub struct RetryPolicy {
    attempts: u32,
    pauses: (Duration, Duration),
    deadline: Duration,
    budget: Arc<RetryBudget>,
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
    /// Creates a policy of at most four attempts within half a minute, and a budget of 20 retries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes at most this many attempts, including the first one.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Pauses before a retry for a random time up to `first`, which doubles before each further one, up to `longest`.
    /// The wait that the exchange requires is added.
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.pauses = (first, longest);
        self
    }

    /// Starts no retry once this much time has passed since the first attempt.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Returns the same, with a deadline no later than this.
    pub(crate) fn within(mut self, left: Duration) -> Self {
        self.deadline = self.deadline.min(left);
        self
    }

    /// Shares a budget with other policies. Clones of a policy share theirs anyway.
    pub fn budget(mut self, budget: Arc<RetryBudget>) -> Self {
        self.budget = budget;
        self
    }

    /// Returns the pause before the retry that follows `attempt`, counted from 1; `None` if `error` is not transient.
    fn wait(&self, attempt: u32, error: &Error, chance: u64) -> Option<Duration> {
        let required = required_pause(error)?;
        let (first, longest) = self.pauses;
        let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
        Some(required.saturating_add(up_to(first.saturating_mul(factor).min(longest), chance)))
    }
}

/// Returns how long the exchange requires to wait; `None` if the error is not transient.
fn required_pause(error: &Error) -> Option<Duration> {
    match error {
        Error::Refused(_)
        | Error::Unsigned(_)
        | Error::Limited(_)
        | Error::LimiterFailed(_)
        | Error::NotStored(_)
        | Error::NotAmendable(_)
        | Error::OverBudget(_) => None,
        Error::Transport(failure) => {
            // A response that is too long will be too long again.
            let passes = failure.error.sent() == Delivery::NotSent || error.call_result() != CallResult::AnswerTooLong;
            passes.then_some(Duration::ZERO)
        }
        Error::Unreadable(_) => Some(Duration::ZERO),
        Error::Exchange(error) => is_passing(error).then_some(error.retry_after.unwrap_or_default()),
        Error::Unknown(unknown) => required_pause(&unknown.why),
    }
}

/// Returns whether a change had no effect for a reason that stays, so that a repeat would be refused as well.
pub(crate) fn is_final(error: &Error) -> bool {
    let waits = matches!(error, Error::Limited(_) | Error::LimiterFailed(_));
    error.outcome() == Outcome::NotDone && !waits && required_pause(error).is_none()
}

/// Returns whether an error is transient: a code after which the outcome is unknown is a problem of the exchange.
///
/// After a refused timestamp, the retry has another one if the exchange's time is known.
fn is_passing(error: &ExchangeError) -> bool {
    match error.proves {
        Some(CodeProof::Timestamp) => error.skew.is_some(),
        Some(proves) => matches!(proves, CodeProof::Unknown | CodeProof::Rate),
        None => error.status.is_server_error() || error.status == http::StatusCode::TOO_MANY_REQUESTS,
    }
}

/// A client that retries calls after transient failures.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Retrying<'a> {
    core: &'a ClientCore,
    policy: &'a RetryPolicy,
}

/// Returns how long after its first attempt a request can be repeated by its key; `None` if at any time. A repeat may
/// arrive as late as its signature allows.
fn key_is_kept(client: &ClientCore, operation: &dyn DynOperation) -> Option<Duration> {
    let kept = Duration::from_millis(operation.meta().repeat_key?.kept_ms?);
    Some(kept.saturating_sub(client.signature_window(&Named::of(operation)).unwrap_or_default()))
}

/// The attempts of a change that got no answer.
#[derive(Default)]
struct Unanswered {
    count: u32,
    /// When the last one left.
    last: Option<Moment>,
    /// Their numbers in the journal.
    changes: Vec<ChangeNumber>,
}

impl Unanswered {
    fn note(&mut self, error: &Error) {
        if let Error::Unknown(unknown) = error {
            self.count += 1;
            self.last = Some(unknown.sent.left);
            self.changes.extend(unknown.change.map(ChangeNumber));
        }
    }

    /// Closes in the journal those that are known to be harmless, once a later attempt was done, and returns what may
    /// still be carried out.
    async fn end(self, core: &ClientCore, meta: &Meta) -> Option<EarlierAttempts> {
        let last = self.last?;
        // The cancellation of one order hits nothing else, however late it arrives. One of all orders stays open until a
        // recovery finds that it can no longer arrive.
        if meta.effect == Effect::Cancel && meta.repeat.is_some() {
            core.close_attempts(&self.changes).await;
        }
        Some(EarlierAttempts::new(self.count, core.carried_out_until(last)))
    }
}

impl<'a> Retrying<'a> {
    /// Creates a client that makes the calls of `core`, with retries as `policy` allows.
    pub fn new(core: &'a ClientCore, policy: &'a RetryPolicy) -> Self {
        Self { core, policy }
    }

    /// Calls as [`ClientCore::call`] does, with retries as the policy allows. Each attempt waits for its rate limits
    /// and is signed anew. [`Reply::earlier`] says which attempts of a change got no answer: they may still arrive, and
    /// are harmless, as the documents show. The journal closes those of a cancellation with the one that is answered.
    ///
    /// If the documents require a key by which the exchange recognizes a repeat, all attempts carry the same one: that
    /// of `operation`, or else a new one. No attempt is made once the exchange may have forgotten it.
    ///
    /// # Errors
    ///
    /// Returns the error of the last attempt. If that had no effect and the outcome of an earlier one is unknown,
    /// returns the earlier error: the exchange refuses to cancel what an unanswered attempt has cancelled.
    pub async fn call<O: Repeatable + Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        let reply = self.repeat(operation).await?;
        Ok(O::Reply::of(reply, operation, self.core))
    }

    /// Calls as [`call`](Self::call) does, for a cancellation, such as that of all orders in an emergency.
    ///
    /// A repeat also cancels what was placed since the first attempt, so nothing may be placed until this returns: by
    /// this program, by another one, or by hand. If [`Reply::earlier`] is `None` then, every attempt was answered, and one
    /// may place. Otherwise an attempt that got no answer can still arrive and cancel what was placed meanwhile: place
    /// after [`until`](EarlierAttempts::until). The response is that of the last attempt: it does not list what an earlier
    /// one without a response has cancelled.
    ///
    /// In the journal, such an attempt stays open as long as it can arrive, until a [recovery](crate::outcomes::confirm::recover)
    /// closes it.
    ///
    /// ```
    /// use tradeapi_runtime::client::Callable;
    /// use tradeapi_runtime::operation::Cancellation;
    /// use tradeapi_runtime::retry::{RetryPolicy, Retrying};
    /// use tradeapi_runtime::{ClientCore, Error};
    ///
    /// async fn panic_button<O: Cancellation + Callable>(client: &ClientCore, all: &O) -> Result<O::Reply, Error> {
    ///     let reply = Retrying::new(client, &RetryPolicy::new().attempts(10)).cancel(all).await?;
    ///     if let Some(earlier) = &reply.as_ref().earlier {
    ///         println!("place nothing yet: {earlier}");
    ///     }
    ///     Ok(reply)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call).
    pub async fn cancel<O: Cancellation + Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        let reply = self.repeat(operation).await?;
        Ok(O::Reply::of(reply, operation, self.core))
    }

    pub(crate) async fn repeat<O: Operation>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let with_key = operation.with_key(self.core.now(), self.core.environment().random());
        let operation = with_key.as_ref().unwrap_or(operation);
        let mut data = ReceivedFor::nothing(operation);
        self.repeat_any(operation, None, &mut data).await?.with_data(data.into_received())
    }

    // Boxed, because otherwise each crate that retries a call would compile it.
    pub(crate) fn repeat_any<'b>(
        &'b self,
        operation: &'b dyn DynOperation,
        within: Option<Within>,
        data: &'b mut dyn DynResponse,
    ) -> CallFuture<'b> {
        Box::pin(async move {
            let Self { core, policy } = *self;
            let environment = core.environment();
            let begun = Timer::now(environment);
            let why = "the exchange may have forgotten the key by which it recognizes a repeat";
            let key = key_is_kept(core, operation).map(|length| Within { begun: core.moment(), length, why });
            let end = begun.saturating_add(policy.deadline);
            let (mut attempt, mut unknown) = (1, None);
            let mut unanswered = Unanswered::default();
            let mut waits;
            loop {
                let attempted =
                    Attempt { number: attempt, within: within.as_ref().or(key.as_ref().filter(|_| attempt > 1)) };
                let error = match core.attempt_any(operation, attempted, data).await {
                    Ok(mut reply) => {
                        policy.budget.succeeded();
                        reply.earlier = unanswered.end(core, operation.meta()).await;
                        return Ok(reply);
                    }
                    Err(error) => error,
                };
                unanswered.note(&error);
                let wait =
                    policy.wait(attempt, &error, environment.random()).filter(|_| core.signs_otherwise_after(&error));
                let wait = wait.filter(|wait| Timer::now(environment).checked_add(*wait).is_some_and(|at| at <= end));
                let wait = wait.filter(|_| attempt < policy.attempts && policy.budget.take());
                let Some(wait) = wait else {
                    return Err(unknown.filter(|_| error.outcome() == Outcome::NotDone).unwrap_or(error));
                };
                observe::pauses(operation.meta(), attempt, wait, &error);
                unknown = Some(error).filter(|error| error.outcome() == Outcome::Unknown).or(unknown);
                // Held until the next attempt has ended, so that a call that makes the account flat sees one of the two.
                waits = match core.begin_change(operation.meta()) {
                    Ok(ticket) => ticket,
                    Err(error) => return Err(unknown.unwrap_or(error)),
                };
                pause(environment, wait).await;
                if let Err(error) = core.may_leave(waits.as_ref(), operation.meta()) {
                    return Err(unknown.unwrap_or(error));
                }
                attempt += 1;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{RetryBudget, up_to};
    use crate::data::clock::{Environment, SystemEnvironment};

    #[test]
    fn ten_successes_buy_a_repeat() {
        let budget = RetryBudget::new(2);
        assert_eq!([budget.take(), budget.take(), budget.take()], [true, true, false]);
        (0..9).for_each(|_| budget.succeeded());
        assert!(!budget.take());
        budget.succeeded();
        assert!(budget.take() && !budget.take());
        (0..100).for_each(|_| budget.succeeded());
        assert_eq!(budget.left(), 2);
    }

    #[test]
    fn jitter_stays_within_its_bounds_and_varies() {
        let (most, system) = (Duration::from_secs(1), SystemEnvironment::new());
        let found: std::collections::HashSet<_> = (0..100).map(|_| up_to(most, system.random())).collect();
        assert!(found.len() > 90 && found.iter().all(|length| *length <= most));
        assert_eq!(up_to(Duration::ZERO, 7), Duration::ZERO);
    }
}
