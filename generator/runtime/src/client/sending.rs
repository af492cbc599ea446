//! The way of one request: signed, sent once, answered, and its answer judged.

use std::time::Duration;

use bytes::Bytes;

use super::clock::Moment;
use super::core::{ClientCore, Parts};
use crate::checks::Violations;
use crate::error::{Error, ExchangeError, SentRequest, TransportFailure, UnknownOutcome, Unsigned, ending_of};
use crate::exchange::{Reply, build_request, read_answer, told_by_date};
use crate::fate::{Prepared, client_ids};
use crate::limits::Permit;
use crate::observe::CallSpan;
use crate::operation::Operation;
use crate::tables::{Access, Effect, Ending, Meta, Outcome};
use crate::value::Timestamp;

impl ClientCore {
    /// A call, which is one of several attempts, counted from 1.
    pub(crate) async fn attempt<O: Operation>(&self, operation: &O, attempt: u32) -> Result<Reply<O::Response>, Error> {
        let span = CallSpan::new(self.api(), O::META, attempt);
        span.around(self.call_in(&span, operation)).await
    }

    async fn call_in<O: Operation>(&self, span: &CallSpan, operation: &O) -> Result<Reply<O::Response>, Error> {
        let warnings = self.check(operation)?;
        let permit = self.admit(operation).await?;
        let waited = permit.waited();
        // Signed only now, for the time of signing must not be old when the request arrives.
        let prepared = self.build(operation, warnings).map_err(|error| error.after_waiting(waited))?;
        self.dispatch(span, permit, prepared).await
    }

    pub(super) async fn send_in<O: Operation>(
        &self,
        span: &CallSpan,
        prepared: Prepared<'_, O>,
    ) -> Result<Reply<O::Response>, Error> {
        let permit = self.admit(prepared.operation).await?;
        self.dispatch(span, permit, prepared).await
    }

    pub(super) fn build<'a, O: Operation>(
        &self,
        operation: &'a O,
        warnings: Violations,
    ) -> Result<Prepared<'a, O>, Error> {
        let Parts { api, base, credentials, headers, time, .. } = &*self.parts;
        let made = time.now();
        let signed_at = time.to_sign_at(made);
        let request = build_request(api, operation, base, credentials.as_ref(), headers, signed_at)?;
        Ok(Prepared { operation, request, warnings, signed_at, made })
    }

    /// Refuses what was signed so long ago that it would not be taken any more, and a change of which the exchange's
    /// clock shows that.
    fn fresh<'a, O: Operation>(&self, prepared: Prepared<'a, O>) -> Result<Prepared<'a, O>, Error> {
        let Some(window) = self.window(O::META) else { return Ok(prepared) };
        let (time, now) = (&self.parts.time, self.parts.time.now());
        let refuse = |why, skew| {
            Err(Error::Unsigned(Box::new(Unsigned { operation: O::META.id, why, skew, waited: Duration::ZERO })))
        };
        if now.since(prepared.made) >= window {
            return refuse("its signature is too old by now; prepare it anew", None);
        }
        // What only reads does no harm, and its answer teaches.
        if O::META.effect != Effect::Read && time.is_out_of_time(prepared.signed_at, window, now) {
            return refuse("the exchange would not take its timestamp", time.skew());
        }
        Ok(prepared)
    }

    /// How far the timestamp of a request may be from the exchange's clock.
    fn window(&self, meta: &Meta) -> Option<Duration> {
        let signed = self.api().credentials.as_ref().filter(|_| meta.access == Access::Signed);
        signed.and_then(|credentials| credentials.window_ms).map(Duration::from_millis)
    }

    /// Sends what is ready to go, if it still is, and reads the answer.
    async fn dispatch<O: Operation>(
        &self,
        span: &CallSpan,
        mut permit: Permit<'_>,
        prepared: Prepared<'_, O>,
    ) -> Result<Reply<O::Response>, Error> {
        let waited = permit.waited();
        let prepared = self.fresh(prepared).map_err(|error| error.after_waiting(waited))?;
        let Prepared { operation, request, warnings, signed_at, .. } = prepared;
        // Shares the bytes that are sent.
        let sent = SentRequest::new(&request, signed_at);
        span.sent(request.body());
        let left = self.parts.time.now();
        permit.sent();
        let answered = self.exchange(O::META, request).await;
        let reply = answered.and_then(|response| {
            permit.answered(&response);
            span.answered(&response);
            let date = told_by_date(self.parts.api, response.headers());
            let reply = read_answer(self.parts.api, operation, &sent.body, response);
            self.learn_the_time(O::META, (signed_at, left), date, reply)
        });
        if let Some(drift) = &self.parts.drift {
            drift.look_at::<O>(self.parts.api, &reply);
        }
        match reply.map_err(|error| error.after_waiting(waited)) {
            Ok(reply) => Ok(Reply { waited, warnings, signed_at: Some(signed_at), ..reply }),
            Err(why) if why.outcome() == Outcome::Unknown => {
                Err(Error::Unknown(Box::new(UnknownOutcome::new(O::META, client_ids(operation), sent, why))))
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
        let (told, refused) = match &answer {
            Ok(reply) => (reply.request_time, false),
            Err(Error::Exchange(error)) => (error.request_time, error.ending == Ending::TimestampRefused),
            Err(_) => (None, false),
        };
        let time = &self.parts.time;
        time.learn(told, date, left, signed_at, self.window(meta), refused);
        answer.map_err(|error| match error {
            Error::Exchange(error) if refused => {
                Error::Exchange(Box::new(ExchangeError { skew: time.skew(), ..*error }))
            }
            error => error,
        })
    }

    async fn exchange(
        &self,
        meta: &'static Meta,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, Error> {
        let answer = self.parts.transport.send(request).await;
        answer.map_err(|error| {
            let outcome = self.parts.api.outcome_of(meta.effect, ending_of(&error), None);
            let (operation, effect, waited) = (meta.id, meta.effect, Duration::ZERO);
            Error::Transport(Box::new(TransportFailure { operation, effect, outcome, error, waited }))
        })
    }
}
