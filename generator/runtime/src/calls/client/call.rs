//! A call: its attempts, its wait for the limits, what observes it, and the value that it returns.
//!
//! Only waiting is async, because the future of an async function holds the locals of everything that it awaits. The
//! value that a call returns is a type of its own where a success can contain failures, because `must_use` of a type is
//! not seen through another one.

use std::mem;
use std::pin::pin;
use std::time::Duration;

use super::core::ClientCore;
use super::exchange_clock::SigningClock;
use super::prepared::{Prepared, SignedRequest};
use super::sending::{Begun, CallContext, CallFuture, Sent};
use crate::data::checks::{CheckContext, CheckPolicy};
use crate::data::clock::Moment;
use crate::data::error::{Error, Refusal, Unsigned};
use crate::data::json::JsonWriter;
use crate::data::operation::{DynOperation, DynResponse, Operation, ReceivedFor};
use crate::data::tables::{CallResult, Meta, Outcome};
use crate::network::limits::Permit;
use crate::network::observe::CallSpan;
use crate::network::transport::{ResponseFuture, RoundTrip};
use crate::network::wire::Reply;

/// One of the attempts of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    /// The number, counted from 1.
    pub(crate) number: u32,
    /// The time within which the request has to leave.
    pub(crate) within: Option<&'a Within>,
}

/// The time within which a request has to leave, from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) begun: Moment,
    pub(crate) length: Duration,
    /// Why the request may not leave later.
    pub(crate) why: &'static str,
}

impl Attempt<'_> {
    pub(crate) const FIRST: Self = Self { number: 1, within: None };
}

/// The request that a call begins with.
pub(super) enum Start<'a> {
    /// A request that is to be checked and signed.
    Attempt(Attempt<'a>),
    /// A request that was signed before.
    Signed(Box<SignedRequest>),
}

impl Start<'_> {
    /// Returns the number of the attempt.
    fn number(&self) -> u32 {
        match self {
            Self::Attempt(attempt) => attempt.number,
            Self::Signed(_) => Attempt::FIRST.number,
        }
    }

    /// Returns the request, if it was signed before.
    pub(super) fn signed(&self) -> Option<&SignedRequest> {
        match self {
            Self::Attempt(_) => None,
            Self::Signed(signed) => Some(signed),
        }
    }

    /// Notes that nothing is sent.
    fn give_up(self, core: &ClientCore) {
        match self {
            Self::Attempt(_) => {}
            Self::Signed(signed) => core.void(signed.number),
        }
    }
}

/// A call that waits for its limits. A caller that drops it does not know whether it was sent.
struct Waiting<'a> {
    core: &'a ClientCore,
    operation: &'a dyn DynOperation,
    signed: Option<&'a SignedRequest>,
    is_over: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.is_over || self.operation.meta().confirm.is_none_or(|confirm| confirm.cancels()) {
            return;
        }
        let built = self.signed.is_none().then(|| self.core.check_and_sign(self.operation).ok()).flatten();
        if let Some(signed) = self.signed.or(built.as_ref()) {
            self.core.void(signed.number);
        }
    }
}

impl ClientCore {
    /// Checks `operation`, waits for its rate limits, sends it once, and reads the response.
    ///
    /// # Errors
    ///
    /// See [`Error`]. If a call that changes something fails with [`Error::Unknown`], it is unknown whether it had its
    /// effect; with every other error, it had none. If the call is dropped before it ends, its outcome is unknown.
    pub async fn call<O: Callable>(&self, operation: &O) -> Result<O::Reply, Error> {
        let reply = self.call_once(operation).await?;
        Ok(O::Reply::of(reply, operation, self))
    }

    /// Sends a prepared request once: waits for its rate limits and reads the response.
    ///
    /// # Errors
    ///
    /// Like [`call`](Self::call); also if the signature has expired, or another client has prepared the request. A
    /// request is never signed again.
    pub async fn send<O: Callable>(&self, prepared: Prepared<'_, O>) -> Result<O::Reply, Error> {
        self.refuse_of_others(&prepared)?;
        let Prepared { operation, signed, .. } = prepared;
        let mut data = ReceivedFor::nothing(operation);
        let reply = self.call_any(operation, Start::Signed(Box::new(signed)), &mut data).await?;
        Ok(O::Reply::of(reply.with_data(data.into_received())?, operation, self))
    }

    /// Makes a call, and returns the reply whatever it says of items.
    pub(crate) async fn call_once<O: Operation>(&self, operation: &O) -> Result<Reply<O::Response>, Error> {
        let mut data = ReceivedFor::nothing(operation);
        self.call_again_with_right_time(operation, &mut data).await?.with_data(data.into_received())
    }

    /// Makes a call, and once more if its timestamp was refused, if the client does so; see
    /// [`sign_again`](super::ClientBuilder::sign_again).
    fn call_again_with_right_time<'a>(
        &'a self,
        operation: &'a dyn DynOperation,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        if !self.parts.signs_again {
            return self.attempt_any(operation, Attempt::FIRST, data);
        }
        Box::pin(async move {
            match self.attempt_any(operation, Attempt::FIRST, &mut *data).await {
                // The first attempt had no effect, and the second is signed with the time that the refusal shows.
                Err(error) if self.shows_right_time(&error) => {
                    drop(error);
                    self.attempt_any(operation, Attempt { number: 2, within: None }, data).await
                }
                result => result,
            }
        })
    }

    /// Returns whether an error proves that a call had no effect because of its timestamp, and shows the right time.
    fn shows_right_time(&self, error: &Error) -> bool {
        error.call_result() == CallResult::TimestampRefused
            && error.outcome() == Outcome::NotDone
            && error.exchange().is_some_and(|refused| refused.skew.is_some())
            && self.parts.time.signing == SigningClock::Corrected
    }

    /// Makes a call, and puts the data of the response into `data`.
    pub(crate) fn attempt_any<'a>(
        &'a self,
        operation: &'a dyn DynOperation,
        attempt: Attempt<'a>,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        self.call_any(operation, Start::Attempt(attempt), data)
    }

    // Boxed, because otherwise each crate that makes a call would compile all of it. Only functions that wait are
    // async, because the future of a call contains the locals of all async functions in it.
    fn call_any<'a>(
        &'a self,
        operation: &'a dyn DynOperation,
        mut start: Start<'a>,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        Box::pin(async move {
            let (meta, number) = (operation.meta(), start.number());
            let (span, begun_at) = (CallSpan::new(self.api(), meta, number), self.begins());
            let mut begun = Begun::default();
            // What is borrowed takes space until the end of its block.
            let (result, again) = {
                let mut result = match self.begin_call(&mut begun, operation, &mut start) {
                    Ok(()) => {
                        let call = CallContext { operation, span: &span, begun: &begun };
                        span.around(pin!(self.send_within_limits(&call, start, data))).await
                    }
                    Err(error) => {
                        start.give_up(self);
                        Err(error)
                    }
                };
                self.end_call(begun, operation, data, &mut result);
                span.ended(&result);
                self.measured(meta, number, begun_at, &result);
                let again = self.stale_steps(operation, data, &result);
                (result, again)
            };
            if let Some(again) = again {
                again(self.clone()).await;
            }
            result
        })
    }

    /// Checks a request, and begins what its call holds.
    fn begin_call<'a>(
        &'a self,
        begun: &mut Begun<'a>,
        operation: &dyn DynOperation,
        start: &mut Start<'_>,
    ) -> Result<(), Error> {
        begun.ticket = self.begin_change(operation.meta())?;
        begun.tracking = self.track(operation)?;
        begun.warnings = match start {
            Start::Attempt(_) => self.check(operation)?,
            Start::Signed(signed) => mem::take(&mut signed.warnings),
        };
        begun.spending = self.spend(operation)?;
        Ok(())
    }

    /// Ends what a call holds, with its result.
    fn end_call(
        &self,
        Begun { spending, tracking, ticket, warnings }: Begun<'_>,
        operation: &dyn DynOperation,
        data: &dyn DynResponse,
        result: &mut Result<Reply<()>, Error>,
    ) {
        spending.iter().for_each(|spending| self.spent(spending, operation, data, result));
        tracking.into_iter().for_each(|tracking| self.tracked(*tracking, operation, data, result));
        drop(ticket);
        if let Ok(reply) = result {
            reply.warnings = warnings;
        }
    }

    /// Waits for the limits, signs the request unless that was done before, sends it once and reads the response.
    async fn send_within_limits(
        &self,
        call: &CallContext<'_>,
        start: Start<'_>,
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        if let Some(journal) = self.journal_of(call.operation.meta()) {
            return self.send_journaled(journal, call, start, data).await;
        }
        let trip = RoundTrip::default();
        let permit = self.admit_call(call.operation, start.signed()).await?;
        let (mut sent, answer) = self.send_admitted(call, start, permit, &trip)?;
        let answer = answer.await;
        self.answered(call, &mut sent, answer, trip.get(), data)
    }

    /// Sends a request that the limits admit, without a journal.
    // Not async, so that the future of a call does not contain what is borrowed here.
    fn send_admitted<'a>(
        &'a self,
        call: &CallContext<'_>,
        start: Start<'_>,
        permit: Permit<'a>,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a>, ResponseFuture<'a>), Error> {
        let was_signed = start.signed().is_some();
        let signed = self.signed(call.operation, start, permit.waited())?;
        let now = if was_signed { self.moment() } else { signed.made };
        self.send_once(call, permit, signed, now, trip)
    }

    /// Waits for the limits, and notes a prepared request whose call is dropped or refused meanwhile.
    pub(super) async fn admit_call(
        &self,
        operation: &dyn DynOperation,
        signed: Option<&SignedRequest>,
    ) -> Result<Permit<'_>, Error> {
        let mut waiting = Waiting { core: self, operation, signed, is_over: false };
        let permit = self.admit_any(operation).await;
        // A refusal consumes a prepared request, which is noted; without one, there is nothing to note.
        waiting.is_over = permit.is_ok() || waiting.signed.is_none();
        permit
    }

    /// Signs a request whose call has waited, unless that was done before.
    #[inline]
    pub(super) fn signed(
        &self,
        operation: &dyn DynOperation,
        start: Start<'_>,
        waited: Duration,
    ) -> Result<SignedRequest, Error> {
        match start {
            Start::Attempt(attempt) => {
                self.refuse_late(operation.meta(), attempt, waited)?;
                // Signed only after the wait, because the timestamp must not be old when the request arrives.
                self.sign(operation).map_err(|error| error.after_waiting(waited))
            }
            Start::Signed(signed) => Ok(*signed),
        }
    }

    /// Refuses an attempt that would leave too late.
    fn refuse_late(&self, meta: &Meta, attempt: Attempt<'_>, waited: Duration) -> Result<(), Error> {
        let Some(Within { why, .. }) = attempt.within.filter(|within| self.is_late(within)) else { return Ok(()) };
        Err(Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, is_late: true, waited })))
    }

    /// Returns whether the time within which a request has to leave is over.
    fn is_late(&self, within: &Within) -> bool {
        self.moment().since(within.begun) >= within.length
    }

    /// Returns the time at which a call begins, if the client has a hook.
    fn begins(&self) -> Option<Duration> {
        self.parts.metrics.as_ref().map(|_| self.parts.time.now().steady)
    }

    /// Tells the hook of the client how a call went.
    fn measured<T>(
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

/// An operation with what a call of it returns. [`operations!`](crate::operations) implements it for each operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request of an operation",
    note = "requests are the types that are named after their operation, such as `PlaceOrder`"
)]
pub trait Callable: Operation {
    /// A [`Reply`], or an [`ItemsReply`](crate::calls::batches::ItemsReply) if items of the request succeed or fail on their
    /// own.
    type Reply: ReplyTo<Self>;
}

/// The value that a call of `O` returns. Whatever the operation, it has the [`Reply`] in it and converts into it.
pub trait ReplyTo<O: Operation>: AsRef<Reply<O::Response>> + Into<Reply<O::Response>> + Send {
    /// Makes it of the reply that `client` received to `operation`.
    #[doc(hidden)]
    fn of(reply: Reply<O::Response>, operation: &O, client: &ClientCore) -> Self;
}

impl<O: Operation> ReplyTo<O> for Reply<O::Response> {
    fn of(reply: Self, _: &O, _: &ClientCore) -> Self {
        reply
    }
}

impl ClientCore {
    /// Sends the request whose parameters are the members of a JSON object.
    pub(crate) async fn call_by_name<O: Operation>(&self, request: &str) -> Result<Reply<O::Response>, Error> {
        // The call checks it.
        let nothing = CheckPolicy::nothing();
        let context = CheckContext { policy: &nothing, ..CheckContext::default() };
        let request: O = O::from_json_in(request, context)
            .map_err(|violations| Error::Refused(Box::new(Refusal::new(O::META.id, violations))))?;
        self.call_once(&request).await
    }
}

/// Returns a JSON object of texts.
pub(crate) fn object_of_texts(members: &[(&str, &str)]) -> String {
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, value) in members {
        out.member(name).string(value);
    }
    out.end_object();
    out.finish()
}

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
