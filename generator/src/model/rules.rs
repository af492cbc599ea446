//! Rules: sentences of the documents, with their conditions as data.

use crate::diagnostics::Place;
use crate::load::raw::RuleKind;

/// A sentence that binds somebody.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) at: String,
    pub(crate) kind: RuleKind,
    pub(crate) says: String,
    pub(crate) why: Option<String>,
    /// The list whose items it speaks of.
    pub(crate) within: Option<(String, Place)>,
    pub(crate) test: Option<Test>,
}

/// What has to hold.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// When all of `when` hold, all of `require` hold and not all of `forbid` do.
    Condition { when: Vec<Condition>, require: Vec<Condition>, forbid: Vec<Condition> },
    /// All items have the same value.
    Same(String, Place),
    /// No two items share a value of any of these.
    Unique(Vec<(String, Place)>),
}

/// One entry of `when`, `require` or `forbid`.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// All of these are set.
    Given(Vec<(String, Place)>),
    /// At least one of these is set.
    AnyGiven(Vec<(String, Place)>),
    /// It is set, and its text has one of these forms.
    HasForm { parameter: (String, Place), forms: Vec<(String, Place)> },
    /// It is set to one of these values.
    Is { parameter: (String, Place), values: Vec<(String, Place)> },
}
