//! The way of one request: signed, sent once, answered, and its answer judged.

use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::clock::Moment;
use super::core::{ClientCore, Parts};
use super::exchange_clock::Signature;
use super::recent::Recent;
use super::transport::{ResponseFuture, RoundTrip, TransportError};
use crate::checks::Violations;
use crate::error::{Error, ExchangeError, SentRequest, TransportFailure, UnknownOutcome, Unsigned, ending_of};
use crate::exchange::{Authenticator, Reply, build_request, read_answer, told_by_date};
use crate::fate::{Prepared, client_ids};
use crate::limits::{Permit, Signs};
use crate::observe::CallSpan;
use crate::operation::Operation;
use crate::tables::{Access, Effect, Ending, Meta, Outcome};
use crate::value::Timestamp;

/// A request that is on its way.
struct Sent<'a, O> {
    operation: &'a O,
    what: SentRequest,
    permit: Permit<'a>,
    warnings: Violations,
    at: Moment,
}

// Only what waits is async: all else would be carried along by the future of a call.
impl ClientCore {
    /// A call, which is one of several attempts, counted from 1.
    pub(crate) async fn attempt<O: Operation>(&self, operation: &O, attempt: u32) -> Result<Reply<O::Response>, Error> {
        let span = CallSpan::new(self.api(), O::META, attempt);
        let result = span.around(self.call_in(&span, operation)).await;
        span.ended(&result);
        result
    }

    async fn call_in<O: Operation>(&self, span: &CallSpan, operation: &O) -> Result<Reply<O::Response>, Error> {
        let warnings = self.check(operation)?;
        let permit = self.admit(operation).await?;
        let trip = RoundTrip::default();
        let (sent, answer) = self.sign_and_send(span, permit, operation, warnings, &trip)?;
        let answer = answer.await;
        self.answered(span, sent, answer, trip.get())
    }

    pub(super) async fn send_in<O: Operation>(
        &self,
        span: &CallSpan,
        prepared: Prepared<'_, O>,
    ) -> Result<Reply<O::Response>, Error> {
        let permit = self.admit(prepared.operation).await?;
        let trip = RoundTrip::default();
        let (sent, answer) = self.send_once(span, permit, prepared, self.parts.time.now(), &trip)?;
        let answer = answer.await;
        self.answered(span, sent, answer, trip.get())
    }

    /// Signs only now that there is room, for the time of signing must not be old when the request arrives.
    fn sign_and_send<'a, O: Operation>(
        &'a self,
        span: &CallSpan,
        permit: Permit<'a>,
        operation: &'a O,
        warnings: Violations,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a, O>, ResponseFuture<'a>), Error> {
        let prepared = self.build(operation, warnings).map_err(|error| error.after_waiting(permit.waited()))?;
        let now = prepared.made;
        self.send_once(span, permit, prepared, now, trip)
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
        Ok(Prepared { operation, request, warnings, signed_at, made })
    }

    /// Refuses what was signed so long ago that it would not be taken any more, and a change of which the exchange's
    /// clock shows that.
    fn refuse_stale<O: Operation>(&self, prepared: &Prepared<'_, O>, now: Moment) -> Result<(), Error> {
        let Some(window) = self.window(O::META) else { return Ok(()) };
        let time = &self.parts.time;
        let refuse = |why, skew| {
            Err(Error::Unsigned(Box::new(Unsigned { operation: O::META.id, why, skew, waited: Duration::ZERO })))
        };
        if now.since(prepared.made) >= window {
            return refuse("its signature is too old by now; prepare it anew", None);
        }
        // What only reads does no harm, and its answer teaches. What closes or cancels is never held back by an answer.
        if matches!(O::META.effect, Effect::Create | Effect::Amend)
            && time.is_out_of_time(prepared.signed_at, window, now)
        {
            return refuse("the exchange would not take its timestamp", time.skew());
        }
        Ok(())
    }

    /// How far the timestamp of a request may be from the exchange's clock.
    fn window(&self, meta: &Meta) -> Option<Duration> {
        self.signature_window().filter(|_| meta.access == Access::Signed)
    }

    /// Remembers what can be asked for.
    fn remember<O: Operation>(&self, what: &SentRequest) {
        if let Some(confirm) = O::META.confirm {
            let SentRequest { signed_at, left, ref body, .. } = *what;
            let names = confirm.created.is_some();
            self.parts.recent.remember(Recent { signed_at, left, body: body.clone(), names, settled: None });
        }
    }

    /// Sends what is ready to go, if it still is `now`.
    fn send_once<'a, O: Operation>(
        &'a self,
        span: &CallSpan,
        mut permit: Permit<'a>,
        prepared: Prepared<'a, O>,
        now: Moment,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a, O>, ResponseFuture<'a>), Error> {
        self.refuse_stale(&prepared, now).map_err(|error| error.after_waiting(permit.waited()))?;
        let Prepared { operation, request, warnings, signed_at, .. } = prepared;
        // Shares the bytes that are sent.
        let what = SentRequest::new(&request, signed_at, now);
        self.remember::<O>(&what);
        span.sent(request.body());
        permit.sent();
        Ok((Sent { operation, what, permit, warnings, at: now }, self.parts.transport.send_timed(request, trip)))
    }

    /// Reads what came of it.
    fn answered<O: Operation>(
        &self,
        span: &CallSpan,
        sent: Sent<'_, O>,
        answer: Result<Response<Bytes>, TransportError>,
        trip: Option<Duration>,
    ) -> Result<Reply<O::Response>, Error> {
        let Sent { operation, what, mut permit, warnings, at } = sent;
        let (waited, signed_at) = (permit.waited(), what.signed_at);
        let reply = answer.map_err(|error| self.unanswered(O::META, error)).and_then(|response| {
            let Signs { remaining, .. } = permit.answered_after(&response, trip);
            span.answered(&response);
            let date = told_by_date(self.parts.api, response.headers());
            let reply = read_answer(self.parts.api, self.codes(), operation, &what, response);
            let reply = reply.map(|reply| Reply { remaining, ..reply });
            self.learn_the_time(O::META, (signed_at, at), date, reply)
        });
        if let Some(drift) = &self.parts.drift {
            let credentials = self.parts.authenticator.as_ref().map(Authenticator::credentials);
            drift.look_at_for::<O>(self.parts.api, credentials, &reply);
        }
        if O::META.confirm.is_some() && reply.as_ref().err().is_none_or(|why| why.outcome() == Outcome::NotDone) {
            self.parts.recent.settle(&what.body, self.parts.time.now());
        }
        match reply.map_err(|error| error.after_waiting(waited)) {
            Ok(reply) => Ok(Reply { waited, warnings, signed_at: Some(signed_at), left: Some(at), ..reply }),
            Err(why) if why.outcome() == Outcome::Unknown => {
                Err(Error::Unknown(Box::new(UnknownOutcome::new(O::META, client_ids(operation), what, why))))
            }
            Err(error) => Err(error),
        }
    }

    /// Learns the exchange's time from an answer to a signed request; others may have come from something that keeps
    /// answers for a while. A refused timestamp is explained by it.
    fn learn_the_time<T>(
        &self,
        meta: &'static Meta,
        (signed_at, left): (Timestamp, Moment),
        date: Option<Timestamp>,
        answer: Result<Reply<T>, Error>,
    ) -> Result<Reply<T>, Error> {
        if meta.access != Access::Signed {
            return answer;
        }
        let (told, signature) = match &answer {
            Ok(reply) => (reply.request_time, Signature::Accepted),
            Err(Error::Exchange(error)) if error.ending == Ending::TimestampRefused => {
                (error.request_time, Signature::Refused)
            }
            Err(Error::Exchange(error)) => (error.request_time, Signature::Untold),
            Err(_) => (None, Signature::Untold),
        };
        let time = &self.parts.time;
        time.learn(told, date, left, signed_at, self.window(meta), signature);
        answer.map_err(|error| match error {
            Error::Exchange(error) if signature == Signature::Refused => {
                Error::Exchange(Box::new(ExchangeError { skew: time.skew(), ..*error }))
            }
            error => error,
        })
    }

    fn unanswered(&self, meta: &'static Meta, error: TransportError) -> Error {
        let outcome = self.parts.api.outcome_of(meta.effect, ending_of(&error), Outcome::Unknown);
        let (operation, effect, waited) = (meta.id, meta.effect, Duration::ZERO);
        Error::Transport(Box::new(TransportFailure { operation, effect, outcome, error, waited }))
    }
}
