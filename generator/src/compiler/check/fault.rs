//! Why a value is invalid.

use crate::compiler::diagnostics::{Code, Diagnostics, Help, Place};

/// The reason why a value is invalid, and help.
pub(super) struct Fault {
    pub(super) why: String,
    pub(super) help: Help,
    /// The place of the bound that it violates.
    pub(super) bound: Option<Place>,
}

impl Fault {
    /// A fault that does not violate a bound.
    pub(super) fn new(why: String, help: impl Into<Help>) -> Self {
        Self { why, help: help.into(), bound: None }
    }

    /// Reports it; `of` describes the purpose of the value.
    pub(super) fn report(self, to: &mut Diagnostics, place: Place, code: Code, of: &str) {
        let message = if of.is_empty() { self.why } else { format!("{of}: {}", self.why) };
        let report = to.at(place, code, message).help(self.help);
        if let Some(bound) = self.bound {
            report.related(bound, "the bound is here");
        }
    }
}
