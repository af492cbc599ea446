use std::fmt;
use std::sync::Arc;

use crate::error::{Error, UnknownOutcome};
use crate::exchange::Reply;
use crate::tables::Outcome;

/// What became of a request, after asking. `A` is what answers the request, `R` what tells of its effect.
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
    /// The answer to the request itself, where there was one.
    pub reply: Option<Reply<A>>,
    /// What was found when it was asked for.
    pub record: Option<Reply<R>>,
    /// How often it was asked for.
    pub asked: u32,
}

/// A request that had no effect.
#[derive(Debug)]
#[non_exhaustive]
pub struct DidNotHappen {
    /// What says so: why it was refused, or that there is no such thing.
    pub why: Error,
    /// Whether it is concluded from the absence of what it was to make.
    pub by_absence: bool,
    /// How often it was asked for.
    pub asked: u32,
}

/// A request of which nobody knows whether it had its effect, after asking.
#[derive(Debug)]
#[non_exhaustive]
pub struct StillUnknown {
    /// What the call came to; `None` when only a later run of the program asks.
    pub unknown: Option<Arc<UnknownOutcome>>,
    /// What the last question came to, when it brought an error.
    pub last: Option<Error>,
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
            Self::DidNotHappen(not) if not.by_absence => {
                write!(f, "it did not happen, for it is not there: {}", not.why)
            }
            Self::DidNotHappen(not) => write!(f, "it did not happen: {}", not.why),
            Self::Unknown(still) => {
                write!(f, "it is unknown whether it happened, after asking {} times: {}", still.asked, still.because)
            }
        }
    }
}
