use std::fmt;
use std::time::Duration;

use crate::tables::Length;
use crate::value::{List, Timestamp};

/// The times that a listing asks for, each of which may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The beginning.
    pub from: Option<Timestamp>,
    /// The end.
    pub to: Option<Timestamp>,
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The items in the order they came, those that could not be read apart from them.
    pub list: List<T>,
    /// How many items were left out because they had come already, equal in every field.
    pub repeated: usize,
    /// The part of the times asked for that the page belongs to.
    pub range: TimeRange,
    /// What cannot be had, where the exchange gives access to less than was asked for. Told before anything of it is
    /// missed, and again each time that more of it falls out of reach.
    pub clipped: Option<Clipped>,
    /// The time of the request by the exchange's clock.
    pub request_time: Option<Timestamp>,
    /// How long the call waited for room within its rate limits.
    pub waited: Duration,
}

impl<T> Page<T> {
    /// A page for which nothing was asked.
    pub(super) fn empty(range: TimeRange) -> Self {
        Self { list: List::default(), repeated: 0, range, clipped: None, request_time: None, waited: Duration::ZERO }
    }
}

/// A listing that begins, or goes on, later than was asked for, because the exchange does not give access to what is
/// older. What was listed of it before is not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clipped {
    /// The beginning of what was asked for and not listed yet.
    pub asked: Timestamp,
    /// Where the listing begins, or goes on, instead.
    pub begins: Timestamp,
    /// How far back the documents say that one can ask.
    pub access: Length,
}

impl Clipped {
    /// Both in one.
    pub(super) fn with(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        Self { asked: self.asked.min(other.asked), begins: self.begins.max(other.begins), ..self }
    }
}

impl fmt::Display for Clipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, begins, access } = self;
        write!(f, "nothing more from {asked} to {begins} is listed: only the last {access} can be asked for")
    }
}
