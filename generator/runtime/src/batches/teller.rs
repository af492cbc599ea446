use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;

use super::answer::{Failure, Said, Told};
use super::matching::Found;
use super::outcome::{ItemOutcome, ItemReport, Stray};
use crate::client::Moment;
use crate::error::{Code, ExchangeError};
use crate::exchange::{CodePolicy, ReadCode, Reply, is_compound_item};
use crate::parameters::Parameters;
use crate::tables::{Api, Ending, Meta, Outcome};
use crate::value::Timestamp;

/// What a successful answer to a call says about its items, in the words of the table of outcomes.
pub(super) struct Teller<'a> {
    pub(super) api: &'static Api,
    pub(super) meta: &'static Meta,
    codes: &'a CodePolicy,
    status: StatusCode,
    request_time: Option<Timestamp>,
    raw: Bytes,
    waited: Duration,
    signed_at: Option<Timestamp>,
    left: Option<Moment>,
}

impl<'a> Teller<'a> {
    pub(super) fn new<T>(api: &'static Api, meta: &'static Meta, codes: &'a CodePolicy, reply: &Reply<T>) -> Self {
        let Reply { status, request_time, waited, signed_at, left, .. } = *reply;
        Self { api, meta, codes, status, request_time, raw: reply.raw.clone(), waited, signed_at, left }
    }

    pub(super) fn item<I: Parameters, T>(&self, item: I, found: Option<Found<T>>) -> ItemReport<I, T> {
        let (outcome, matched) = match found {
            None => (ItemOutcome::Unaccounted, None),
            Some(Found { said, how }) => match said.result {
                Told::Done(done) => (ItemOutcome::Done(done), Some(how)),
                Told::Failed(failure) => {
                    let outcome = |read: ReadCode| read.outcome_of_item(is_compound_item(self.meta, &item));
                    (ItemOutcome::Failed(self.failure(failure, outcome)), Some(how))
                }
                Told::Unclear(_) => (ItemOutcome::Unaccounted, Some(how)),
            },
        };
        ItemReport { item, outcome, matched, signed_at: self.signed_at, left: self.left }
    }

    /// A result without its item may be of one that does several things.
    pub(super) fn stray<T>(&self, said: Said<T>) -> Stray<T> {
        let is_compound = self.meta.compound.is_some_and(|compound| compound.when.is_some());
        let result = match said.result {
            Told::Done(done) => Ok(done),
            Told::Failed(failure) => Err(self.failure(failure, |read| read.outcome_of_item(is_compound))),
            Told::Unclear(failure) => Err(self.failure(failure, |_| Outcome::Unknown)),
        };
        Stray { ids: said.ids, result }
    }

    fn failure(
        &self,
        Failure { code, message }: Failure,
        outcome: impl FnOnce(ReadCode) -> Outcome,
    ) -> Box<ExchangeError> {
        let Self { api, meta, .. } = self;
        let read = code.as_deref().map(|code| self.codes.read(api, meta, code));
        // Whatever its code says, the answer lists it as failed.
        let told = read.filter(|read| read.proves().is_some()).map_or(Ending::ItemFailed, |read| read.ending());
        let outcome = match outcome(read.unwrap_or_default()) {
            Outcome::Unknown => api.outcome_of(meta.effect, Ending::UnlistedCode, Outcome::Unknown),
            not_done => api.outcome_of(meta.effect, told, not_done),
        };
        Box::new(ExchangeError {
            operation: meta.id,
            effect: meta.effect,
            outcome,
            ending: read.map_or(Ending::ItemFailed, |read| read.ending()),
            code: Code::new(code.as_deref().unwrap_or_default()),
            message: message.unwrap_or_default(),
            status: self.status,
            request_time: self.request_time,
            known: read.and_then(|read| read.known),
            proves: read.and_then(|read| read.proves()),
            retry_after: None,
            skew: None,
            raw: self.raw.clone(),
            waited: self.waited,
        })
    }
}
