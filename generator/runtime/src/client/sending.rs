//! A call: signs a request, sends it once, and reads and interprets the response.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::core::{ClientCore, Parts};
use super::exchange_clock::Signature;
use super::prepared::{Prepared, client_ids};
use super::recent::{About, KeyOfRepeats, Naming, RequestNumber};
use crate::checks::Violations;
use crate::clock::Moment;
use crate::error::{
    Error, ExchangeError, SentRequest, TransportError, TransportFailure, UnknownOutcome, Unsigned, call_result_of,
};
use crate::evidence::Asking;
use crate::exchange::{Reply, build_request, read_answer, time_of_date_header};
use crate::limits::{Permit, RateLimitFeedback};
use crate::observe::CallSpan;
use crate::operation::Operation;
use crate::orders::Tracking;
use crate::parameters::{Named, json_of};
use crate::signing::{Authenticator, redacted};
use crate::tables::{Access, CallResult, Effect, Meta, Outcome, Sends};
use crate::transport::{ResponseFuture, RoundTrip};
use crate::value::Timestamp;

/// A request that was sent.
pub(super) struct Sent<'a, O> {
    operation: &'a O,
    what: SentRequest,
    permit: Permit<'a>,
    warnings: Violations,
    at: Moment,
    number: Option<RequestNumber>,
    asking: Option<Asking>,
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

/// A call that waits for its limits. A caller that drops it does not know whether it was sent.
struct Waiting<'a, O: Operation> {
    core: &'a ClientCore,
    operation: &'a O,
    prepared: Option<&'a Prepared<'a, O>>,
    is_over: bool,
}

impl<O: Operation> Drop for Waiting<'_, O> {
    fn drop(&mut self) {
        if self.is_over || O::META.confirm.is_none() {
            return;
        }
        let built = self.prepared.is_none().then(|| self.core.prepare(self.operation).ok()).flatten();
        if let Some(prepared) = self.prepared.or(built.as_ref()) {
            self.core.void(prepared.number);
        }
    }
}

// Only functions that wait are async, because the future of a call contains the locals of all async functions in it.
impl ClientCore {
    /// Makes a call.
    pub(crate) async fn attempt<O: Operation>(
        &self,
        operation: &O,
        attempt: Attempt,
    ) -> Result<Reply<O::Response>, Error> {
        let (span, begun) = (CallSpan::new(self.api(), O::META, attempt.number), self.begins());
        let result = match self.track(operation) {
            Ok(tracking) => {
                let result = span.around(self.call_in(&span, operation, attempt, tracking.as_deref())).await;
                tracking.into_iter().for_each(|tracking| self.tracked(*tracking, operation, &result));
                result
            }
            Err(error) => Err(error),
        };
        span.ended(&result);
        self.measured(O::META, attempt.number, begun, &result);
        result
    }

    async fn call_in<O: Operation>(
        &self,
        span: &CallSpan,
        operation: &O,
        attempt: Attempt,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<Reply<O::Response>, Error> {
        let warnings = self.check(operation)?;
        let permit = self.admit_unless_given_up(operation, None).await?;
        if attempt.within.is_some_and(|(begun, kept)| self.moment().since(begun) >= kept) {
            let why = "the exchange may have forgotten the key by which it recognizes a repeat";
            let (operation, waited) = (O::META.id, permit.waited());
            return Err(Error::Unsigned(Box::new(Unsigned { operation, why, skew: None, waited })));
        }
        if let Some(journal) = self.journal_of(O::META) {
            let prepared = self.build(operation, warnings).map_err(|error| error.after_waiting(permit.waited()))?;
            return self.send_journaled(journal, span, permit, prepared, tracking).await;
        }
        let trip = RoundTrip::default();
        // Signed only after the wait, because the timestamp must not be old when the request arrives.
        let prepared = self.build(operation, warnings).map_err(|error| error.after_waiting(permit.waited()))?;
        let now = prepared.made;
        let (sent, answer) = self.send_once(span, permit, prepared, now, tracking, &trip)?;
        let answer = answer.await;
        self.answered(span, sent, answer, trip.get())
    }

    pub(super) async fn send_in<O: Operation>(
        &self,
        span: &CallSpan,
        prepared: Prepared<'_, O>,
        tracking: Option<&Tracking<'_>>,
    ) -> Result<Reply<O::Response>, Error> {
        let permit = self.admit_unless_given_up(prepared.operation, Some(&prepared)).await?;
        if let Some(journal) = self.journal_of(O::META) {
            return self.send_journaled(journal, span, permit, prepared, tracking).await;
        }
        let trip = RoundTrip::default();
        let (sent, answer) = self.send_once(span, permit, prepared, self.parts.time.now(), tracking, &trip)?;
        let answer = answer.await;
        self.answered(span, sent, answer, trip.get())
    }

    /// Waits for the limits, and notes a request whose call is dropped meanwhile.
    async fn admit_unless_given_up<'a, O: Operation>(
        &'a self,
        operation: &O,
        prepared: Option<&Prepared<'_, O>>,
    ) -> Result<Permit<'a>, Error> {
        let mut waiting = Waiting { core: self, operation, prepared, is_over: false };
        let permit = self.admit(operation).await;
        // A refusal consumes a prepared request, which is noted; without one, there is nothing to note.
        waiting.is_over = permit.is_ok() || prepared.is_none();
        permit
    }

    pub(super) fn build<'a, O: Operation>(
        &self,
        operation: &'a O,
        warnings: Violations,
    ) -> Result<Prepared<'a, O>, Error> {
        let Parts { api, base, authenticator, headers, time, .. } = &*self.parts;
        let made = time.now();
        let signed_at = time.to_sign_at(made);
        let request = build_request(api, operation, base, authenticator.as_ref(), headers, signed_at)?;
        let number = self.remember(operation, request.body(), signed_at, made);
        Ok(Prepared { operation, request, warnings, signed_at, made, number })
    }

    /// Refuses a request whose signature has expired, and a change whose timestamp the exchange would refuse by its
    /// clock.
    fn refuse_stale<O: Operation>(&self, prepared: &Prepared<'_, O>, now: Moment) -> Result<(), Error> {
        let Some(window) = self.window(prepared.operation) else { return Ok(()) };
        let time = &self.parts.time;
        let refuse = |why, skew| {
            Err(Error::Unsigned(Box::new(Unsigned { operation: O::META.id, why, skew, waited: Duration::ZERO })))
        };
        if now.since(prepared.made) >= window {
            return refuse("its signature has expired; prepare it again", None);
        }
        // A read does no harm, and its response corrects the clock. A cancellation is never blocked by a response.
        if matches!(O::META.effect, Effect::Create | Effect::Amend)
            && time.is_out_of_time(prepared.signed_at, window, now)
        {
            return refuse("the exchange would refuse its timestamp", time.skew());
        }
        Ok(())
    }

    /// How far the timestamp of a request may be from the exchange's clock.
    pub(super) fn window<O: Operation>(&self, operation: &O) -> Option<Duration> {
        let credentials = self.api().credentials.as_ref().filter(|_| O::META.access == Access::Signed);
        credentials?.window(|name| Named::of(operation).text(name).map(Cow::into_owned))
    }

    /// Remembers a request whose outcome can be queried.
    fn remember<O: Operation>(
        &self,
        operation: &O,
        body: &[u8],
        signed_at: Timestamp,
        made: Moment,
    ) -> Option<RequestNumber> {
        let confirm = O::META.confirm.as_ref()?;
        let names = match (confirm.created, confirm.list) {
            (None, _) => Naming::Nothing,
            (Some(_), None) => Naming::One,
            (Some(_), Some(_)) => Naming::Several,
        };
        let key = self.key_of_repeats(operation);
        let about = About { signed_at, made, names, key };
        // The stored form has the ids of a request without a JSON body. Repeats are compared in the stored form, too,
        // because it has all of the request and nothing else.
        let is_in_body = O::META.sends() == Sends::Json && !O::META.path.contains('{');
        let recent = &self.parts.recent;
        Some(match is_in_body && key.is_none() {
            true => recent.remember(body, about),
            false => recent.remember(json_of(operation).as_bytes(), about),
        })
    }

    /// The key by which the exchange recognizes a repeat of a request, if the request carries one.
    fn key_of_repeats<O: Operation>(&self, operation: &O) -> Option<KeyOfRepeats> {
        let key = O::META.repeat_key.as_ref()?;
        let named = Named::of(operation);
        named.text(key.parameter)?;
        // A repeat may arrive as late as its signature allows.
        let window = || self.signature_window(&named).unwrap_or_default();
        let kept = key.kept_ms.map(|kept| Duration::from_millis(kept).saturating_sub(window()));
        Some(KeyOfRepeats { operation: O::META.id, kept })
    }

    /// Notes that a request has no effect.
    pub(super) fn void(&self, number: Option<RequestNumber>) {
        if let Some(number) = number {
            self.parts.recent.void(number);
        }
    }

    /// Sends a prepared request, unless it has expired `now`.
    pub(super) fn send_once<'a, O: Operation>(
        &'a self,
        span: &CallSpan,
        mut permit: Permit<'a>,
        prepared: Prepared<'a, O>,
        now: Moment,
        tracking: Option<&Tracking<'_>>,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a, O>, ResponseFuture<'a>), Error> {
        if let Err(error) = self.refuse_stale(&prepared, now) {
            self.void(prepared.number);
            return Err(error.after_waiting(permit.waited()));
        }
        let Prepared { operation, request, warnings, signed_at, number, .. } = prepared;
        // Shares the bytes that are sent.
        let shown = redacted(self.parts.api.credentials.as_ref(), &request);
        let what = SentRequest::new(request.method().clone(), shown, signed_at, now);
        if let Some(number) = number {
            self.parts.recent.leaves(number, now);
        }
        if let Some(tracking) = tracking {
            tracking.sent(self.visible_from(operation, now.steady));
        }
        let is_read = O::META.effect == Effect::Read;
        let asking = is_read.then(|| self.awaited().ask(|| Named::of(operation))).flatten();
        span.sent(request.body());
        permit.sent();
        Ok((
            Sent { operation, what, permit, warnings, at: now, number, asking },
            self.parts.transport.send_timed(request, trip),
        ))
    }

    /// Reads the response.
    pub(super) fn answered<O: Operation>(
        &self,
        span: &CallSpan,
        sent: Sent<'_, O>,
        answer: Result<Response<Bytes>, TransportError>,
        trip: Option<Duration>,
    ) -> Result<Reply<O::Response>, Error> {
        let Sent { operation, what, mut permit, warnings, at, number, asking } = sent;
        let (waited, signed_at, received) = (permit.waited(), what.signed_at, self.parts.time.now());
        let reply = answer.map_err(|error| self.unanswered(O::META, error)).and_then(|response| {
            let RateLimitFeedback { remaining, .. } = permit.answered_after(&response, trip);
            span.answered(&response);
            let date = time_of_date_header(self.parts.api, response.headers());
            let reply = read_answer(self.parts.api, self.codes(), operation, &what, response);
            let reply = reply.map(|reply| Reply { remaining, ..reply });
            dated(self.learn_the_time(operation, (signed_at, at, received), date, reply), date)
        });
        if let Ok(reply) = &reply {
            self.note_records::<O>(&reply.data);
        }
        if matches!(reply, Ok(_) | Err(Error::Exchange(_))) {
            asking.into_iter().for_each(Asking::answered);
        }
        let reply = self.compare_account(operation, reply);
        if let Some(drift) = &self.parts.drift {
            let credentials = self.parts.authenticator.as_ref().map(Authenticator::credentials);
            drift.record_for::<O>(self.parts.api, credentials, &reply);
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
                let unknown = UnknownOutcome::new(O::META, client_ids(operation), what, why);
                Err(Error::Unknown(Box::new(UnknownOutcome { is_contradicted, ..unknown })))
            }
            Err(error) => Err(error),
        }
    }

    /// Learns the exchange's time from the response to a signed request; others may come from a cache. Adds the offset
    /// to the refusal of a timestamp.
    fn learn_the_time<O: Operation>(
        &self,
        operation: &O,
        (signed_at, left, received): (Timestamp, Moment, Moment),
        date: Option<Timestamp>,
        answer: Result<Reply<O::Response>, Error>,
    ) -> Result<Reply<O::Response>, Error> {
        if O::META.access != Access::Signed {
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
fn dated<T>(answer: Result<Reply<T>, Error>, date: Option<Timestamp>) -> Result<Reply<T>, Error> {
    match answer {
        Ok(reply) => Ok(Reply { request_time: reply.request_time.or(date), ..reply }),
        Err(Error::Exchange(error)) => {
            let request_time = error.request_time.or(date);
            Err(Error::Exchange(Box::new(ExchangeError { request_time, ..*error })))
        }
        Err(error) => Err(error),
    }
}
