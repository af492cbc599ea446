//! A call: signs a request, sends it once, and reads and interprets the response.

use std::borrow::Cow;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::core::{ClientCore, Parts};
use super::exchange_clock::Signature;
use super::prepared::{SignedRequest, client_ids};
use super::recent::{IdUse, KeyOfRepeats, RequestFacts, RequestNumber};
use crate::checks::Violations;
use crate::clock::Moment;
use crate::error::{
    Error, ExchangeError, SentRequest, TransportError, TransportFailure, UnknownOutcome, Unsigned, call_result_of,
};
use crate::evidence::QueryInProgress;
use crate::exchange::{self, Reply, read_answer, time_of_date_header};
use crate::limits::{Permit, RateLimitFeedback};
use crate::observe::CallSpan;
use crate::operation::{DynOperation, DynResponse, Operation, Received};
use crate::orders::Tracking;
use crate::parameters::{Named, json_of};
use crate::signing::{Authenticator, redacted};
use crate::tables::{Access, CallResult, Effect, Meta, Outcome, Sends};
use crate::transport::{ResponseFuture, RoundTrip};
use crate::value::Timestamp;

/// A request that was sent.
pub(super) struct Sent<'a> {
    what: SentRequest,
    permit: Permit<'a>,
    warnings: Violations,
    at: Moment,
    number: Option<RequestNumber>,
    asking: Option<QueryInProgress>,
}

/// One of the attempts of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// Its number, counted from 1.
    pub(crate) number: u32,
    /// A moment, and how long after it the exchange may forget the key by which it recognizes a repeat.
    pub(crate) within: Option<(Moment, Duration)>,
}

impl Attempt {
    pub(crate) const FIRST: Self = Self { number: 1, within: None };
}

/// What a call begins with.
pub(super) enum Start {
    /// A request that is to be checked and signed.
    Attempt(Attempt),
    /// A request that was signed before.
    Signed(Box<SignedRequest>),
}

impl Start {
    /// The number of the attempt.
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
        if self.is_over || self.operation.meta().confirm.is_none() {
            return;
        }
        let built = self.signed.is_none().then(|| self.core.check_and_sign(self.operation).ok()).flatten();
        if let Some(signed) = self.signed.or(built.as_ref()) {
            self.core.void(signed.number);
        }
    }
}

/// A call under way, without the type of its response.
pub(crate) type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply<()>, Error>> + Send + 'a>>;

/// What belongs to a call from its beginning to its end.
#[derive(Clone, Copy)]
pub(super) struct CallContext<'a> {
    pub(super) operation: &'a dyn DynOperation,
    pub(super) span: &'a CallSpan,
    pub(super) tracking: Option<&'a Tracking<'a>>,
}

impl ClientCore {
    /// Makes a call.
    pub(crate) async fn attempt<O: Operation>(
        &self,
        operation: &O,
        attempt: Attempt,
    ) -> Result<Reply<O::Response>, Error> {
        let mut data = Received::<O>::nothing();
        self.attempt_any(operation, attempt, &mut data).await?.with_data(data)
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
    pub(super) fn call_any<'a>(
        &'a self,
        operation: &'a dyn DynOperation,
        start: Start,
        data: &'a mut dyn DynResponse,
    ) -> CallFuture<'a> {
        Box::pin(async move {
            let (meta, number) = (operation.meta(), start.number());
            let (span, begun) = (CallSpan::new(self.api(), meta, number), self.begins());
            let result = match self.track(operation) {
                Ok(tracking) => {
                    let call = CallContext { operation, span: &span, tracking: tracking.as_deref() };
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
        let (permit, signed, now) = match start {
            Start::Attempt(attempt) => {
                let warnings = self.check(operation)?;
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

    /// Refuses an attempt that would come after the exchange may have forgotten the key of its request.
    fn refuse_late(&self, meta: &Meta, attempt: Attempt, waited: Duration) -> Result<(), Error> {
        if attempt.within.is_none_or(|(begun, kept)| self.moment().since(begun) < kept) {
            return Ok(());
        }
        let why = "the exchange may have forgotten the key by which it recognizes a repeat";
        Err(Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew: None, waited })))
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

    pub(super) fn check_and_sign(&self, operation: &dyn DynOperation) -> Result<SignedRequest, Error> {
        let warnings = self.check(operation)?;
        self.sign(operation, warnings)
    }

    /// Signs a request that was checked.
    fn sign(&self, operation: &dyn DynOperation, warnings: Violations) -> Result<SignedRequest, Error> {
        let Parts { api, base, authenticator, headers, time, .. } = &*self.parts;
        let made = time.now();
        let signed_at = time.to_sign_at(made);
        let request = exchange::build(api, operation, base, authenticator.as_ref(), headers, signed_at)?;
        let number = self.remember(operation, request.body(), signed_at, made);
        Ok(SignedRequest { request, warnings, signed_at, made, number })
    }

    /// Refuses a request whose signature has expired, and a change whose timestamp the exchange would refuse by its
    /// clock.
    fn refuse_stale(&self, operation: &dyn DynOperation, signed: &SignedRequest, now: Moment) -> Result<(), Error> {
        let Some(window) = self.window(operation) else { return Ok(()) };
        let (time, meta) = (&self.parts.time, operation.meta());
        let refuse = |why, skew| {
            Err(Error::Unsigned(Box::new(Unsigned { operation: meta.id, why, skew, waited: Duration::ZERO })))
        };
        if now.since(signed.made) >= window {
            return refuse("its signature has expired; prepare it again", None);
        }
        // A read does no harm, and its response corrects the clock. A cancellation is never blocked by a response.
        if matches!(meta.effect, Effect::Create | Effect::Amend) && time.is_out_of_time(signed.signed_at, window, now) {
            return refuse("the exchange would refuse its timestamp", time.skew());
        }
        Ok(())
    }

    /// How far the timestamp of a request may be from the exchange's clock.
    pub(super) fn window(&self, operation: &dyn DynOperation) -> Option<Duration> {
        let credentials = self.api().credentials.as_ref().filter(|_| operation.meta().access == Access::Signed);
        credentials?.window(|name| Named::of(operation).text(name).map(Cow::into_owned))
    }

    /// Remembers a request whose outcome can be queried.
    fn remember(
        &self,
        operation: &dyn DynOperation,
        body: &[u8],
        signed_at: Timestamp,
        made: Moment,
    ) -> Option<RequestNumber> {
        let meta = operation.meta();
        let confirm = meta.confirm.as_ref()?;
        let names = match (confirm.created, confirm.list) {
            (None, _) => IdUse::Nothing,
            (Some(_), None) => IdUse::One,
            (Some(_), Some(_)) => IdUse::Several,
        };
        let key = self.key_of_repeats(operation);
        let about = RequestFacts { signed_at, made, names, key };
        // The stored form has the ids of a request without a JSON body. Repeats are compared in the stored form, too,
        // because it has all of the request and nothing else.
        let is_in_body = meta.sends() == Sends::Json && !meta.path.contains('{');
        let recent = &self.parts.recent;
        Some(match is_in_body && key.is_none() {
            true => recent.remember(body, about),
            false => recent.remember(json_of(operation).as_bytes(), about),
        })
    }

    /// The key by which the exchange recognizes a repeat of a request, if the request carries one.
    fn key_of_repeats(&self, operation: &dyn DynOperation) -> Option<KeyOfRepeats> {
        let meta = operation.meta();
        let key = meta.repeat_key.as_ref()?;
        let named = Named::of(operation);
        named.text(key.parameter)?;
        // A repeat may arrive as late as its signature allows.
        let window = || self.signature_window(&named).unwrap_or_default();
        let kept = key.kept_ms.map(|kept| Duration::from_millis(kept).saturating_sub(window()));
        Some(KeyOfRepeats { operation: meta.id, kept })
    }

    /// Notes that a request has no effect.
    pub(super) fn void(&self, number: Option<RequestNumber>) {
        if let Some(number) = number {
            self.parts.recent.void(number);
        }
    }

    /// Sends a signed request, unless it has expired `now`.
    pub(super) fn send_once<'a>(
        &'a self,
        CallContext { operation, span, tracking }: CallContext<'_>,
        mut permit: Permit<'a>,
        signed: SignedRequest,
        now: Moment,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a>, ResponseFuture<'a>), Error> {
        if let Err(error) = self.refuse_stale(operation, &signed, now) {
            self.void(signed.number);
            return Err(error.after_waiting(permit.waited()));
        }
        let SignedRequest { request, warnings, signed_at, number, .. } = signed;
        // Shares the bytes that are sent.
        let shown = redacted(self.parts.api.credentials.as_ref(), &request);
        let what = SentRequest::new(request.method().clone(), shown, signed_at, now);
        if let Some(number) = number {
            self.parts.recent.leaves(number, now);
        }
        if let Some(tracking) = tracking {
            tracking.sent(self.visible_from(operation, now.steady));
        }
        let is_read = operation.meta().effect == Effect::Read;
        let asking = is_read.then(|| self.awaited().ask(|| Named::of(operation))).flatten();
        span.sent(request.body());
        permit.sent();
        Ok((Sent { what, permit, warnings, at: now, number, asking }, self.parts.transport.send_timed(request, trip)))
    }

    /// Reads the response, its data into `data`.
    pub(super) fn answered(
        &self,
        CallContext { operation, span, .. }: CallContext<'_>,
        sent: Sent<'_>,
        answer: Result<Response<Bytes>, TransportError>,
        trip: Option<Duration>,
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        let Sent { what, mut permit, warnings, at, number, asking } = sent;
        let meta = operation.meta();
        let (waited, signed_at, received) = (permit.waited(), what.signed_at, self.parts.time.now());
        let reply = answer.map_err(|error| self.unanswered(meta, error)).and_then(|response| {
            let RateLimitFeedback { remaining, .. } = permit.answered_after(&response, trip);
            span.answered(&response);
            let date = time_of_date_header(self.parts.api, response.headers());
            let reply = read_answer(self.parts.api, self.codes(), operation, &what, response, data);
            let reply = reply.map(|reply| Reply { remaining, ..reply });
            dated(self.learn_the_time(operation, (signed_at, at, received), date, reply), date)
        });
        if reply.is_ok() {
            self.note_records(meta, data);
        }
        if matches!(reply, Ok(_) | Err(Error::Exchange(_))) {
            asking.into_iter().for_each(QueryInProgress::answered);
        }
        let reply = self.compare_account(operation, data, reply);
        if let Some(drift) = &self.parts.drift {
            let credentials = self.parts.authenticator.as_ref().map(Authenticator::credentials);
            drift.record_any(self.parts.api, meta, data.form(), credentials, reply.as_ref().map(|reply| &reply.raw));
        }
        // A refusal proves nothing if a record shows the effect of the request nevertheless.
        let is_refused = reply.as_ref().is_err_and(|error| error.outcome() == Outcome::NotDone);
        let is_contradicted = is_refused && self.is_shown_outside(operation, signed_at, at);
        if let Some(number) = number {
            match reply.as_ref().map_err(Error::outcome) {
                _ if is_contradicted => {}
                Err(Outcome::Unknown) => {}
                Err(Outcome::NotDone) => self.parts.recent.void(number),
                Ok(_) | Err(Outcome::Done) => self.parts.recent.settle(number, received),
            }
        }
        match reply.map_err(|error| error.after_waiting(waited)) {
            Ok(reply) => Ok(Reply { waited, warnings, signed_at: Some(signed_at), left: Some(at), ..reply }),
            Err(why) if why.outcome() == Outcome::Unknown || is_contradicted => {
                let unknown = UnknownOutcome::new(meta, client_ids(operation), what, why);
                Err(Error::Unknown(Box::new(UnknownOutcome { is_contradicted, ..unknown })))
            }
            Err(error) => Err(error),
        }
    }

    /// Learns the exchange's time from the response to a signed request; others may come from a cache. Adds the offset
    /// to the refusal of a timestamp.
    fn learn_the_time(
        &self,
        operation: &dyn DynOperation,
        (signed_at, left, received): (Timestamp, Moment, Moment),
        date: Option<Timestamp>,
        answer: Result<Reply<()>, Error>,
    ) -> Result<Reply<()>, Error> {
        if operation.meta().access != Access::Signed {
            return answer;
        }
        let (request_time, signature) = match &answer {
            Ok(reply) => (reply.request_time, Signature::Accepted),
            Err(Error::Exchange(error)) if error.call_result == CallResult::TimestampRefused => {
                (error.request_time, Signature::Refused)
            }
            Err(Error::Exchange(error)) => (error.request_time, Signature::Unchecked),
            Err(_) => (None, Signature::Unchecked),
        };
        let time = &self.parts.time;
        time.learn(request_time, date, (left, received), signed_at, self.window(operation), signature);
        answer.map_err(|error| match error {
            Error::Exchange(error) if signature == Signature::Refused => {
                Error::Exchange(Box::new(ExchangeError { skew: time.skew(), ..*error }))
            }
            error => error,
        })
    }

    fn unanswered(&self, meta: &'static Meta, error: TransportError) -> Error {
        let outcome = self.parts.api.outcome_of(meta.effect, call_result_of(&error), Outcome::Unknown);
        let (operation, effect, waited) = (meta.id, meta.effect, Duration::ZERO);
        Error::Transport(Box::new(TransportFailure { operation, effect, outcome, error, waited }))
    }
}

/// Adds the time of the header `Date` to a response that contains no time.
fn dated(answer: Result<Reply<()>, Error>, date: Option<Timestamp>) -> Result<Reply<()>, Error> {
    match answer {
        Ok(reply) => Ok(Reply { request_time: reply.request_time.or(date), ..reply }),
        Err(Error::Exchange(error)) => {
            let request_time = error.request_time.or(date);
            Err(Error::Exchange(Box::new(ExchangeError { request_time, ..*error })))
        }
        Err(error) => Err(error),
    }
}
