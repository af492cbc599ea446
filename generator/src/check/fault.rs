//! What is wrong with a value.

use crate::diagnostics::{Code, Diagnostics, Help, Place};

/// Why a value is wrong, and what to do.
pub(super) struct Fault {
    pub(super) why: String,
    pub(super) help: Help,
    /// Where the bound stands that it breaks.
    pub(super) bound: Option<Place>,
}

impl Fault {
    /// A fault without a bound.
    pub(super) fn new(why: String, help: impl Into<Help>) -> Self {
        Self { why, help: help.into(), bound: None }
    }

    /// Reports it; `of` says what the value is for.
    pub(super) fn report(self, to: &mut Diagnostics, place: Place, code: Code, of: &str) {
        let message = if of.is_empty() { self.why } else { format!("{of}: {}", self.why) };
        let report = to.at(place, code, message).help(self.help);
        if let Some(bound) = self.bound {
            report.related(bound, "the bound is here");
        }
    }
}
