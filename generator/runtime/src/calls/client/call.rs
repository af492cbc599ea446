//! A call: its attempts, its wait for the limits, what observes it, and the value that it returns.
//!
//! Only waiting is async, because the future of an async function holds the locals of everything that it awaits. The
//! value that a call returns is a type of its own where a success can contain failures, because `must_use` of a type is
//! not seen through another one.

use std::time::Duration;

use super::core::ClientCore;
use super::exchange_clock::SigningClock;
use super::prepared::{Prepared, SignedRequest};
use super::sending::{CallContext, CallFuture};
use crate::data::checks::{CheckContext, CheckPolicy, Violations};
use crate::data::clock::Moment;
use crate::data::error::{Error, Refusal, Unsigned};
use crate::data::json::JsonWriter;
use crate::data::operation::{DynOperation, DynResponse, Operation, ReceivedFor};
use crate::data::tables::{CallResult, Meta, Outcome};
use crate::network::limits::Permit;
use crate::network::observe::CallSpan;
use crate::network::transport::RoundTrip;
use crate::network::wire::Reply;

/// One of the attempts of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// The number, counted from 1.
    pub(crate) number: u32,
    /// The time within which the request has to leave.
    pub(crate) within: Option<Within>,
}

/// The time within which a request has to leave, from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) begun: Moment,
    pub(crate) length: Duration,
    /// Why the request may not leave later.
    pub(crate) why: &'static str,
}

impl Attempt {
    pub(crate) const FIRST: Self = Self { number: 1, within: None };
}

/// The request that a call begins with.
enum Start {
    /// A request that is to be checked and signed.
    Attempt(Attempt),
    /// A request that was signed before.
    Signed(Box<SignedRequest>),
}

impl Start {
    /// Returns the number of the attempt.
    fn number(&self) -> u32 {
        match self {
            Self::Attempt(attempt) => attempt.number,
            Self::Signed(_) => Attempt::FIRST.number,
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
        attempt: Attempt,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        self.call_any(operation, Start::Attempt(attempt), data)
    }

    // Boxed, because otherwise each crate that makes a call would compile all of it. Only functions that wait are
    // async, because the future of a call contains the locals of all async functions in it.
    fn call_any<'a>(
        &'a self,
        operation: &'a dyn DynOperation,
        start: Start,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        Box::pin(async move {
            let (meta, number) = (operation.meta(), start.number());
            let (span, begun) = (CallSpan::new(self.api(), meta, number), self.begins());
            let begins = self.begin_change(meta).and_then(|ticket| Ok((ticket, self.track(operation)?)));
            let result = match begins {
                Ok((ticket, tracking)) => {
                    let (tracked, ticket) = (tracking.as_deref(), ticket.as_ref());
                    let call = CallContext { operation, span: &span, tracking: tracked, ticket, spending: None };
                    let result = span.around(self.call_in(call, start, data)).await;
                    tracking.into_iter().for_each(|tracking| self.tracked(*tracking, operation, data, &result));
                    result
                }
                Err(error) => {
                    start.give_up(self);
                    Err(error)
                }
            };
            span.ended(&result);
            self.measured(meta, number, begun, &result);
            if let Some(again) = self.stale_steps(operation, data, &result) {
                again(self.clone()).await;
            }
            result
        })
    }

    async fn call_in(
        &self,
        call: CallContext<'_>,
        start: Start,
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        let operation = call.operation;
        let warnings = match &start {
            Start::Attempt(_) => self.check(operation)?,
            Start::Signed(_) => Violations::default(),
        };
        let spending = match self.spend(operation) {
            Ok(spending) => spending,
            Err(error) => {
                start.give_up(self);
                return Err(error);
            }
        };
        let call = CallContext { spending: spending.as_deref(), ..call };
        let result = self.call_checked(call, start, warnings, data).await;
        if let Some(spending) = &spending {
            self.spent(spending, operation, data, &result);
        }
        result
    }

    async fn call_checked(
        &self,
        call: CallContext<'_>,
        start: Start,
        warnings: Violations,
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        let operation = call.operation;
        let (permit, signed, now) = match start {
            Start::Attempt(attempt) => {
                let permit = self.admit_unless_given_up(operation, None).await?;
                self.refuse_late(operation.meta(), attempt, permit.waited())?;
                // Signed only after the wait, because the timestamp must not be old when the request arrives.
                let signed = self.sign(operation, warnings).map_err(|error| error.after_waiting(permit.waited()))?;
                let now = signed.made;
                (permit, signed, now)
            }
            Start::Signed(signed) => {
                let permit = self.admit_unless_given_up(operation, Some(&signed)).await?;
                (permit, *signed, self.moment())
            }
        };
        if let Some(journal) = self.journal_of(operation.meta()) {
            return self.send_journaled(journal, call, permit, signed, data).await;
        }
        let trip = RoundTrip::default();
        let (sent, answer) = self.send_once(call, permit, signed, now, &trip)?;
        let answer = answer.await;
        self.answered(call, sent, answer, trip.get(), data)
    }

    /// Refuses an attempt that would leave too late.
    fn refuse_late(&self, meta: &Meta, attempt: Attempt, waited: Duration) -> Result<(), Error> {
        let Some(Within { why, .. }) = attempt.within.filter(|within| self.is_late(*within)) else { return Ok(()) };
        Err(Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, is_late: true, waited })))
    }

    /// Returns whether the time within which a request has to leave is over.
    fn is_late(&self, within: Within) -> bool {
        self.moment().since(within.begun) >= within.length
    }

    /// Waits for the limits, and notes a request whose call is dropped meanwhile.
    async fn admit_unless_given_up<'a>(
        &'a self,
        operation: &dyn DynOperation,
        signed: Option<&SignedRequest>,
    ) -> Result<Permit<'a>, Error> {
        let mut waiting = Waiting { core: self, operation, signed, is_over: false };
        let permit = self.admit_any(operation).await;
        // A refusal consumes a prepared request, which is noted; without one, there is nothing to note.
        waiting.is_over = permit.is_ok() || signed.is_none();
        permit
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
