//! The changes that requests make, the ways in which calls end, and what an outcome proves about the change.

use std::fmt;

#[doc(inline)]
pub use tradeapi_words::{CallResult, Effect};

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The request had no effect.
    NotDone,
    /// The request had its effect.
    Done,
    /// The request may have had its effect: query it before repeating it.
    Unknown,
}

impl Outcome {
    /// The outcome of a request with items of these outcomes: it is unknown if that of an item is, and done if an item
    /// is done. `None` without items.
    pub(crate) fn of_all(items: impl IntoIterator<Item = Self>) -> Option<Self> {
        items.into_iter().reduce(|one, other| match (one, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Done, _) | (_, Self::Done) => Self::Done,
            (Self::NotDone, Self::NotDone) => Self::NotDone,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDone => "it had no effect",
            Self::Done => "it had its effect",
            Self::Unknown => "its outcome is unknown, so query it before repeating it",
        })
    }
}

/// The outcome of a request, by how its call ended.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeRow {
    /// The end of the call.
    pub when: CallResult,
    /// The outcome; `None` if it depends on the code.
    pub outcome: Option<Outcome>,
    /// The reason.
    pub why: &'static str,
}
