//! Sends a signed request once, and reads and interprets the response.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::Response;

use super::core::ClientCore;
use super::departures::Ticket;
use super::exchange_clock::Signature;
use super::prepared::{SignedRequest, client_ids};
use super::recent::RequestNumber;
use super::spending::Spending;
use crate::data::checks::Violations;
use crate::data::clock::Moment;
use crate::data::error::{
    Delivery, Error, SentRequest, TransportError, TransportFailure, UnknownOutcome, Unsigned, call_result_of,
};
use crate::data::operation::{DynOperation, DynResponse};
use crate::data::parameters::Named;
use crate::data::tables::{Access, CallResult, Effect, Meta, Outcome};
use crate::data::value::Timestamp;
use crate::network::limits::{Permit, RateLimitFeedback};
use crate::network::observe::CallSpan;
use crate::network::signing::{Authenticator, redacted};
use crate::network::transport::{ResponseFuture, RoundTrip};
use crate::network::wire::{AnswerSettings, Reply, read_answer, time_of_date_header};
use crate::state::evidence::QueryInProgress;
use crate::state::orders::Tracking;

/// A request that was sent.
pub(super) struct Sent<'a> {
    what: SentRequest,
    permit: Permit<'a>,
    number: Option<RequestNumber>,
    asking: Option<QueryInProgress>,
}

/// When a request was signed, when it left, and when its response came.
#[derive(Clone, Copy)]
struct AnswerTimes {
    signed_at: Timestamp,
    left: Moment,
    received: Moment,
}

/// A call under way, without the type of its response.
pub(crate) type CallFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply<()>, Error>> + Send + 'a>>;

/// The state that a call holds from its beginning to its end.
#[derive(Default)]
pub(super) struct Begun<'a> {
    /// The orders that a budget counts.
    pub(super) spending: Option<Box<Spending<'a>>>,
    pub(super) tracking: Option<Box<Tracking<'a>>>,
    /// The ticket of a change.
    pub(super) ticket: Option<Ticket<'a>>,
    pub(super) warnings: Violations,
}

/// State that all steps of a call share.
pub(super) struct CallContext<'a> {
    pub(super) operation: &'a dyn DynOperation,
    pub(super) span: &'a CallSpan,
    pub(super) begun: &'a Begun<'a>,
}

impl ClientCore {
    /// Refuses a request whose signature has expired, and a change whose timestamp the exchange would refuse by its
    /// clock.
    fn refuse_stale(&self, operation: &dyn DynOperation, signed: &SignedRequest, now: Moment) -> Result<(), Error> {
        let Some(window) = self.window(operation) else { return Ok(()) };
        let (time, meta) = (&self.parts.time, operation.meta());
        let refuse = |why, skew| {
            Err(Error::Unsigned(Box::new(Unsigned {
                operation: meta.id,
                why,
                skew,
                is_late: false,
                waited: Duration::ZERO,
            })))
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

    /// Sends a signed request, unless it has expired `now`.
    pub(super) fn send_once<'a>(
        &'a self,
        CallContext { operation, span, begun }: &CallContext<'_>,
        mut permit: Permit<'a>,
        signed: SignedRequest,
        now: Moment,
        trip: &'a RoundTrip,
    ) -> Result<(Sent<'a>, ResponseFuture<'a>), Error> {
        let operation = *operation;
        let may_leave = self
            .refuse_stale(operation, &signed, now)
            .and_then(|()| self.leave(begun.ticket.as_ref(), operation.meta(), (signed.signed_at, now)));
        if let Err(error) = may_leave {
            self.void(signed.number);
            return Err(error.after_waiting(permit.waited()));
        }
        let SignedRequest { request, signed_at, number, .. } = signed;
        // Shares the bytes that are sent.
        let shown = redacted(self.parts.api.credentials.as_ref(), &request);
        let what = SentRequest::new(request.method().clone(), shown, signed_at, now);
        if let Some(number) = number {
            self.parts.recent.leaves(number, now);
        }
        if let Some(tracking) = &begun.tracking {
            tracking.sent(self.visible_from(operation, now));
        }
        if let Some(spending) = &begun.spending {
            spending.sent();
        }
        self.note_unstored(operation.meta());
        let is_read = operation.meta().effect == Effect::Read;
        let asking = is_read.then(|| self.awaited().ask(|| Named::of(operation))).flatten();
        span.sent(request.body());
        permit.sent();
        Ok((Sent { what, permit, number, asking }, self.parts.transport.send_timed(request, trip)))
    }

    /// Takes the response of a request through its steps, and reads its data into `data`.
    ///
    /// The order of the steps matters: a record that this response shows is noted before a refusal is judged by what
    /// records show, and a contradicted property of the account is part of the error that is handed over.
    pub(super) fn answered(
        &self,
        context: &CallContext<'_>,
        Sent { what, permit, number, asking }: &mut Sent<'_>,
        answer: Result<Response<Bytes>, TransportError>,
        trip: Option<Duration>,
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        let (operation, meta) = (context.operation, context.operation.meta());
        let times = AnswerTimes { signed_at: what.signed_at, left: what.left, received: self.parts.time.now() };

        let mut reply = match answer {
            Ok(response) => self.read(context, what, permit, response, (times, trip), data),
            Err(error) => {
                if error.sent() == Delivery::NotSent {
                    permit.not_sent();
                }
                Err(self.unanswered(meta, error))
            }
        };
        self.note_answer(meta, &reply, asking.take(), data);
        self.compare(operation, &mut reply, data);
        let (outcome, is_contradicted) = self.outcome_of(operation, &reply, times);
        self.close(context.begun.ticket.as_ref(), *number, outcome, times.received);

        let waited = permit.waited();
        if let Ok(reply) = &mut reply {
            (reply.waited, reply.signed_at, reply.left) = (waited, Some(times.signed_at), Some(times.left));
        }
        reply.map_err(|error| match error.after_waiting(waited) {
            why if outcome == Outcome::Unknown => {
                let unknown = UnknownOutcome::new(meta, client_ids(operation), what.clone(), why);
                Error::Unknown(Box::new(UnknownOutcome { is_contradicted, ..unknown }))
            }
            error => error,
        })
    }

    /// Reads the envelope and the data of a response, and tells the limiter and the clock what it shows.
    fn read(
        &self,
        CallContext { operation, span, .. }: &CallContext<'_>,
        what: &SentRequest,
        permit: &mut Permit<'_>,
        response: Response<Bytes>,
        (times, trip): (AnswerTimes, Option<Duration>),
        data: &mut dyn DynResponse,
    ) -> Result<Reply<()>, Error> {
        let (api, operation) = (self.parts.api, *operation);
        let is_read = operation.meta().effect == Effect::Read;
        let may_answer_repeat = !is_read && self.codes().may_answer_repeat(times.received.since(times.left));
        // Changed in place, like the reply, because it is large.
        let mut feedback = RateLimitFeedback::read(api, &response);
        span.answered(&response);
        let date = time_of_date_header(api, response.headers());
        let codes = self.codes().for_answer(may_answer_repeat);
        let settings = AnswerSettings { codes: &codes, keeps_unknown: self.parts.keeps_unknown };
        let mut reply = read_answer(api, settings, operation, what, response, data);
        (feedback.trip, feedback.request_time) = (trip, time_of(&reply));
        permit.report(feedback);
        if let Ok(reply) = &mut reply {
            (reply.remaining, reply.may_answer_repeat) = (feedback.remaining, may_answer_repeat);
        }
        self.learn_the_time(operation, times, date, &mut reply);
        add_date(&mut reply, date);
        reply
    }

    /// Notes the records that a response shows, and ends the query that it answers.
    fn note_answer(
        &self,
        meta: &'static Meta,
        reply: &Result<Reply<()>, Error>,
        asking: Option<QueryInProgress>,
        data: &dyn DynResponse,
    ) {
        if reply.is_ok() {
            self.note_records(meta, data);
        }
        if matches!(reply, Ok(_) | Err(Error::Exchange(_))) {
            asking.into_iter().for_each(QueryInProgress::answered);
        }
    }

    /// Compares a response with the stated properties of the account and with the documents.
    fn compare(&self, operation: &dyn DynOperation, reply: &mut Result<Reply<()>, Error>, data: &mut dyn DynResponse) {
        if let Some(stated) = self.stated() {
            stated.compare(operation, data, reply);
        }
        if let Some(drift) = &self.parts.drift {
            let credentials = self.parts.authenticator.as_ref().map(Authenticator::credentials);
            let raw = reply.as_ref().map(|reply| &reply.raw);
            drift.record_any(self.parts.api, operation.meta(), data.form(), credentials, raw);
        }
    }

    /// Returns the outcome of a request, and whether a record shows the effect of one that was refused: the refusal proves
    /// nothing then.
    fn outcome_of(
        &self,
        operation: &dyn DynOperation,
        reply: &Result<Reply<()>, Error>,
        AnswerTimes { signed_at, left, .. }: AnswerTimes,
    ) -> (Outcome, bool) {
        match reply.as_ref().map_err(Error::outcome) {
            Ok(_) => (Outcome::Done, false),
            Err(Outcome::NotDone) if self.is_shown_outside(operation, signed_at, left) => (Outcome::Unknown, true),
            Err(outcome) => (outcome, false),
        }
    }

    /// Closes what is kept open for a request until its outcome is known.
    fn close(&self, ticket: Option<&Ticket<'_>>, number: Option<RequestNumber>, outcome: Outcome, received: Moment) {
        if let Some(ticket) = ticket {
            ticket.ended(outcome, received);
        }
        match (number, outcome) {
            (None, _) | (_, Outcome::Unknown) => {}
            (Some(number), Outcome::NotDone) => self.parts.recent.void(number),
            (Some(number), Outcome::Done) => self.parts.recent.settle(number, received),
        }
    }

    /// Learns the exchange's time from the response to a signed request; others may come from a cache. Adds the offset
    /// to the refusal of a timestamp.
    fn learn_the_time(
        &self,
        operation: &dyn DynOperation,
        AnswerTimes { signed_at, left, received }: AnswerTimes,
        date: Option<Timestamp>,
        answer: &mut Result<Reply<()>, Error>,
    ) {
        if operation.meta().access != Access::Signed {
            return;
        }
        let (request_time, signature) = match answer {
            Ok(reply) => (reply.request_time, Signature::Accepted),
            Err(Error::Exchange(error)) if error.call_result == CallResult::TimestampRefused => {
                (error.request_time, Signature::Refused)
            }
            Err(Error::Exchange(error)) => (error.request_time, Signature::Unchecked),
            Err(_) => (None, Signature::Unchecked),
        };
        let time = &self.parts.time;
        time.learn(request_time, date, (left, received), signed_at, self.window(operation), signature);
        if let (Err(Error::Exchange(error)), Signature::Refused) = (answer, signature) {
            error.skew = time.skew();
        }
    }

    fn unanswered(&self, meta: &'static Meta, error: TransportError) -> Error {
        let outcome = self.parts.api.outcome_of(meta.effect, call_result_of(&error), Outcome::Unknown);
        let (operation, effect, waited) = (meta.id, meta.effect, Duration::ZERO);
        Error::Transport(Box::new(TransportFailure { operation, effect, outcome, error, waited }))
    }
}

/// Returns the time in an envelope.
fn time_of(answer: &Result<Reply<()>, Error>) -> Option<Timestamp> {
    match answer {
        Ok(reply) => reply.request_time,
        Err(Error::Exchange(error)) => error.request_time,
        Err(_) => None,
    }
}

/// Adds the time of the header `Date` to a response that contains no time.
fn add_date(answer: &mut Result<Reply<()>, Error>, date: Option<Timestamp>) {
    match answer {
        Ok(reply) => reply.request_time = reply.request_time.or(date),
        Err(Error::Exchange(error)) => error.request_time = error.request_time.or(date),
        Err(_) => {}
    }
}
