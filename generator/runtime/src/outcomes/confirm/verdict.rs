//! The outcome of a change after queries.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use super::places::AnyRecord;
use crate::data::error::{Code, Error};
use crate::data::tables::Outcome;
use crate::data::value::Timestamp;
use crate::network::wire::Reply;

/// The outcome of a request or an item, after queries. `A` is its response, `R` the record that a query returns.
#[derive(Debug)]
#[must_use]
pub enum Confirmation<A, R> {
    /// The request had its effect.
    Done(Box<ConfirmedDone<A, R>>),
    /// The request had no effect.
    NotDone(Box<ConfirmedNotDone>),
    /// The outcome is still unknown.
    Unknown(Box<Unconfirmed>),
}

/// The outcome of a change after queries. It has no response of its own.
pub(super) type Concluded = Confirmation<Infallible, AnyRecord>;

/// A request that had its effect.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfirmedDone<A, R> {
    /// The response to the request or the item itself, if there was one.
    pub answer: Option<A>,
    /// The record that a query returned.
    pub record: Option<Reply<R>>,
    /// The record from outside that shows it, if no query did; see
    /// [`confirm::evidence`](crate::outcomes::confirm::evidence).
    pub outside: Option<R>,
    /// The error of the call, which left the outcome unknown; `None` without such a call, as in [`Unconfirmed::call`].
    pub call: Option<Arc<Error>>,
    /// The number of queries.
    pub queries: u32,
}

/// A request that had no effect.
#[derive(Debug)]
#[non_exhaustive]
pub struct ConfirmedNotDone {
    /// The proof: the refusal, or the response that it was not found. `None` if `state` is the proof, for an item that was
    /// not sent because an earlier one did not succeed or the batch was stopped, and if the client remembers no more than
    /// that the request was not sent or was refused.
    pub why: Option<Arc<Error>>,
    /// True if the proof is the absence of the order that it should have created.
    pub by_absence: bool,
    /// The state in which the record shows the order, if that is the proof: one that the request would have changed.
    pub state: Option<String>,
    /// The error of the call, if it left the outcome unknown and queries showed it; see [`ConfirmedDone::call`].
    pub call: Option<Arc<Error>>,
    /// The number of queries.
    pub queries: u32,
}

/// A request whose outcome is unknown after queries.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unconfirmed {
    /// The error of the call; `None` if an earlier run of the program made it, or the response does not mention the
    /// item.
    pub call: Option<Arc<Error>>,
    /// The error of the last query, if it failed.
    pub last: Option<Error>,
    /// When the request was signed, for a later query with [`confirm::settle`](crate::outcomes::confirm::settle). `None` if
    /// that is not known, or it carries no id to query by.
    pub signed_at: Option<Timestamp>,
    /// The reason why the queries did not settle it.
    pub because: Because,
    /// The number of queries.
    pub queries: u32,
}

/// The reason why queries did not settle an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Because {
    why: &'static str,
    code: Option<Code>,
}

impl Because {
    /// Creates a reason, and the code of the last query if the exchange refused it.
    pub(super) fn new(why: &'static str, last: Option<&Error>) -> Self {
        let code = last.and_then(Error::short_code);
        Self { why, code: code.map(Code::new) }
    }

    /// Returns the reason without the code.
    pub fn why(&self) -> &'static str {
        self.why
    }

    /// Returns the code with which the exchange refused the last query.
    pub fn code(&self) -> Option<&str> {
        self.code.as_ref().map(Code::as_str)
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why)?;
        self.code.as_ref().map_or(Ok(()), |code| write!(f, " (code {code})"))
    }
}

impl Unconfirmed {
    /// Returns whether another query could settle it: one that cannot be sent is not retried.
    pub(super) fn can_change(&self) -> bool {
        !matches!(self.last, Some(Error::Refused(_) | Error::Unsigned(_)))
    }
}

impl<A, R> Confirmation<A, R> {
    /// Returns the outcome without details.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Done(_) => Outcome::Done,
            Self::NotDone(_) => Outcome::NotDone,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }

    /// Returns why the queries did not settle it, if they did not.
    pub(super) fn because(&self) -> Option<&'static str> {
        match self {
            Self::Unknown(still) => Some(still.because.why()),
            Self::Done(_) | Self::NotDone(_) => None,
        }
    }
}

impl Concluded {
    /// Returns the same with the types of the request. The records are of the type `R`.
    pub(super) fn typed<A, R: 'static>(self) -> Confirmation<A, R> {
        match self {
            Self::Done(done) => Confirmation::Done(Box::new(ConfirmedDone {
                answer: None,
                record: done.record.and_then(|reply| reply.map(AnyRecord::into).transpose()),
                outside: done.outside.and_then(AnyRecord::into),
                call: done.call,
                queries: done.queries,
            })),
            Self::NotDone(not) => Confirmation::NotDone(not),
            Self::Unknown(still) => Confirmation::Unknown(still),
        }
    }
}

impl<A, R> fmt::Display for Confirmation<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(_) => f.write_str("it had its effect"),
            Self::NotDone(not) => write!(f, "it had no effect: {not}"),
            Self::Unknown(still) => still.fmt(f),
        }
    }
}

/// That it had its effect, and what shows it: the answer, or else the record.
impl<A: fmt::Display, R: fmt::Display> fmt::Display for ConfirmedDone<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answer, record, outside, call: _, queries: _ } = self;
        f.write_str("it had its effect")?;
        match (answer, record, outside) {
            (Some(answer), ..) => write!(f, ": {answer}"),
            (None, Some(record), _) => write!(f, ": {record}"),
            (None, None, Some(record)) => write!(f, ": {record}"),
            (None, None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queries = if self.queries == 1 { "query" } else { "queries" };
        write!(f, "its outcome is unknown after {} {queries}: {}", self.queries, self.because.why())?;
        self.last.as_ref().map_or(Ok(()), |last| write!(f, "; the last one failed: {last}"))
    }
}

impl fmt::Display for ConfirmedNotDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.why, self.by_absence, &self.state) {
            (_, _, Some(state)) => write!(f, "the order is {state}")?,
            (Some(why), true, None) => write!(f, "it was not found: {why}")?,
            (Some(why), false, None) => why.fmt(f)?,
            (None, true, None) => f.write_str("it was not found")?,
            (None, false, None) => f.write_str("it was not sent, or it was refused")?,
        }
        // A refusal that is the proof is said once.
        let is_said =
            |call: &Arc<Error>| self.state.is_none() && self.why.as_ref().is_some_and(|why| Arc::ptr_eq(call, why));
        let call = self.call.as_ref().filter(|call| !is_said(call));
        call.map_or(Ok(()), |call| write!(f, "; the call itself failed before: {call}"))
    }
}

/// Creates the outcome that the response shows the effect.
pub(super) fn happened<A, R>(answer: A) -> Confirmation<A, R> {
    Confirmation::Done(Box::new(ConfirmedDone {
        answer: Some(answer),
        record: None,
        outside: None,
        call: None,
        queries: 0,
    }))
}

/// Creates the outcome that an error shows that there was no effect.
pub(super) fn did_not_happen<A, R>(why: impl Into<Arc<Error>>) -> Confirmation<A, R> {
    had_no_effect(Some(why.into()))
}

/// Creates the outcome that there was no effect, with the error that shows it, unless the client only remembers so.
pub(super) fn had_no_effect<A, R>(why: Option<Arc<Error>>) -> Confirmation<A, R> {
    let (state, call) = (None, None);
    Confirmation::NotDone(Box::new(ConfirmedNotDone { why, by_absence: false, state, call, queries: 0 }))
}

/// Creates an unknown outcome, without a query yet.
pub(super) fn still_unknown<A, R>(call: Option<Arc<Error>>, because: &'static str) -> Confirmation<A, R> {
    let because = Because::new(because, None);
    Confirmation::Unknown(Box::new(Unconfirmed { call, last: None, signed_at: None, because, queries: 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_shown_with_its_proof() {
        let done =
            |answer, outside| ConfirmedDone::<&str, &str> { answer, record: None, outside, call: None, queries: 0 };
        assert_eq!(done(Some("orderId 7"), None).to_string(), "it had its effect: orderId 7");
        assert_eq!(done(None, Some("filled")).to_string(), "it had its effect: filled");
        assert_eq!(done(None, None).to_string(), "it had its effect");
    }
}
