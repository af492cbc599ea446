use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::exchange::Reply;
use crate::tables::Outcome;
use crate::value::Timestamp;

/// What became of a request, or an item of it, after asking. `A` is what answers it, `R` what tells of it later.
#[derive(Debug)]
#[must_use]
pub enum Fate<A, R> {
    /// It had its effect.
    Happened(Box<Happened<A, R>>),
    /// It surely had none.
    DidNotHappen(Box<DidNotHappen>),
    /// Nobody knows, still.
    Unknown(Box<StillUnknown>),
}

/// A request that had its effect.
#[derive(Debug)]
#[non_exhaustive]
pub struct Happened<A, R> {
    /// The answer to the request or the item itself, where there was one.
    pub answer: Option<A>,
    /// What was found when it was asked for.
    pub record: Option<Reply<R>>,
    /// How often it was asked for.
    pub asked: u32,
}

/// A request that had no effect.
#[derive(Debug)]
#[non_exhaustive]
pub struct DidNotHappen {
    /// What says so: why it was refused, or that there is no such thing. `None` of an item that was not sent because
    /// something before it did not succeed.
    pub why: Option<Arc<Error>>,
    /// Whether it is concluded from the absence of what it was to make.
    pub by_absence: bool,
    /// How often it was asked for.
    pub asked: u32,
}

/// A request of which nobody knows whether it had its effect, after asking.
#[derive(Debug)]
#[non_exhaustive]
pub struct StillUnknown {
    /// What the call came to; `None` when only a later run of the program asks, or the answer says nothing of the item.
    pub call: Option<Arc<Error>>,
    /// What the last question came to, when it brought an error.
    pub last: Option<Error>,
    /// When the request was signed, for whoever asks again later with [`ClientCore::settle`](crate::ClientCore::settle);
    /// `None` when it carries nothing to ask by.
    pub signed_at: Option<Timestamp>,
    /// Why asking did not settle it.
    pub because: &'static str,
    /// How often it was asked for.
    pub asked: u32,
}

impl StillUnknown {
    /// Whether asking again could settle it: a question that cannot even be sent is not worth another try.
    pub(super) fn can_change(&self) -> bool {
        !matches!(self.last, Some(Error::Refused(_) | Error::Unsigned(_)))
    }
}

impl<A, R> Fate<A, R> {
    /// The fate in one word.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Happened(_) => Outcome::Done,
            Self::DidNotHappen(_) => Outcome::NotDone,
            Self::Unknown(_) => Outcome::Unknown,
        }
    }
}

impl<A, R> fmt::Display for Fate<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Happened(_) => f.write_str("it happened"),
            Self::DidNotHappen(not) => write!(f, "it did not happen: {not}"),
            Self::Unknown(still) => {
                write!(f, "it is unknown whether it happened, after asking {} times: {}", still.asked, still.because)
            }
        }
    }
}

impl fmt::Display for DidNotHappen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.why, self.by_absence) {
            (Some(why), true) => write!(f, "it is not there: {why}"),
            (Some(why), false) => why.fmt(f),
            (None, _) => f.write_str("it was not sent, because something before it did not succeed"),
        }
    }
}

/// It happened, as the answer says.
pub(super) fn happened<A, R>(answer: A) -> Fate<A, R> {
    Fate::Happened(Box::new(Happened { answer: Some(answer), record: None, asked: 0 }))
}

/// It did not happen, as an error says.
pub(super) fn did_not_happen<A, R>(why: impl Into<Arc<Error>>) -> Fate<A, R> {
    Fate::DidNotHappen(Box::new(DidNotHappen { why: Some(why.into()), by_absence: false, asked: 0 }))
}

/// Nobody knows, and nobody asked yet.
pub(super) fn still_unknown<A, R>(call: Option<Arc<Error>>, because: &'static str) -> Fate<A, R> {
    Fate::Unknown(Box::new(StillUnknown { call, last: None, signed_at: None, because, asked: 0 }))
}
