use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use super::answer::{Failure, Said};
use super::matching::Found;
use super::outcome::{ItemOutcome, ItemReport, Stray};
use crate::error::{Code, ExchangeError};
use crate::exchange::Reply;
use crate::tables::{Api, Ending, Meta};
use crate::value::Timestamp;

/// What a successful answer to a call says about its items, in the words of the table of outcomes.
pub(super) struct Teller {
    pub(super) api: &'static Api,
    pub(super) meta: &'static Meta,
    status: StatusCode,
    request_time: Option<Timestamp>,
    raw: Bytes,
    waited: Duration,
    signed_at: Option<Timestamp>,
}

impl Teller {
    pub(super) fn new<T>(api: &'static Api, meta: &'static Meta, reply: &Reply<T>) -> Self {
        let Reply { status, request_time, waited, signed_at, .. } = *reply;
        Self { api, meta, status, request_time, raw: reply.raw.clone(), waited, signed_at }
    }

    pub(super) fn item<I, T>(&self, item: I, found: Option<Found<T>>) -> ItemReport<I, T> {
        let (outcome, matched) = match found {
            None => (ItemOutcome::Unaccounted, None),
            Some(Found { said, how }) => match said.result {
                Ok(done) => (ItemOutcome::Done(done), Some(how)),
                Err(failure) => (ItemOutcome::Failed(self.failure(failure)), Some(how)),
            },
        };
        ItemReport { item, outcome, matched, signed_at: self.signed_at }
    }

    pub(super) fn stray<T>(&self, said: Said<T>) -> Stray<T> {
        Stray { ids: said.ids, result: said.result.map_err(|failure| self.failure(failure)) }
    }

    fn failure(&self, Failure { code, message }: Failure) -> Box<ExchangeError> {
        let known = code.as_deref().and_then(|code| self.meta.error(code));
        let ending = match (&code, known) {
            (None, _) => Ending::ItemFailed,
            (Some(_), Some(_)) => Ending::ListedCode,
            (Some(_), None) => Ending::UnlistedCode,
        };
        Box::new(ExchangeError {
            operation: self.meta.id,
            effect: self.meta.effect,
            outcome: self.api.outcome_of(self.meta.effect, ending, known),
            ending,
            code: Code::new(code.as_deref().unwrap_or_default()),
            message: message.unwrap_or_default(),
            status: self.status,
            request_time: self.request_time,
            known,
            retry_after: None,
            skew: None,
            raw: self.raw.clone(),
            waited: self.waited,
        })
    }
}
