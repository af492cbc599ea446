//! Values that have no form in their place of a request.
//!
//! They are refused where they are written, not by a rule: a rule can be switched off, and the request would then be
//! another one. An item with a comma is refused rather than escaped, because most servers decode a query before they
//! split lists.

use crate::data::checks::Violation;
use crate::data::tables::Severity;

/// A value that its place in a request cannot carry, whatever the rules of the API. It is never sent, also where rules
/// are not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsendable {
    parameter: String,
    rule: &'static str,
    given: String,
    allowed: &'static str,
    hint: &'static str,
}

impl Unsendable {
    /// A header that is not visible ASCII text.
    pub(super) fn header(parameter: &'static str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "header",
            given: "a text that no header can carry".to_owned(),
            allowed: "visible ASCII characters are needed",
            hint: "use other characters",
        }
    }

    /// An item with a comma, in a list whose items are separated by commas.
    pub(super) fn comma(parameter: &str, item: &str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "comma",
            given: format!("{item:?}"),
            allowed: "an item without a comma is needed, because a comma separates the items",
            hint: "give what is before and after the comma as items of their own, or leave it out",
        }
    }

    /// A segment of a path that servers do not take for one.
    pub(super) fn segment(parameter: &'static str, segment: &str) -> Self {
        Self {
            parameter: parameter.to_owned(),
            rule: "shape",
            given: format!("the segment {segment:?}"),
            allowed: "a segment of a path is needed; an empty one or one of dots leads to another path",
            hint: "use another text",
        }
    }

    /// The broken rule, in a request that `source` describes.
    pub(crate) fn violation(self, source: String) -> Violation {
        let Self { parameter, rule, given, allowed, hint } = self;
        Violation {
            rule: format!("{parameter}.{rule}"),
            severity: Severity::Refuse,
            parameter,
            given,
            allowed: allowed.to_owned(),
            source,
            hint: hint.to_owned(),
        }
    }
}
