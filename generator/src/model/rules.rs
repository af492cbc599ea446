//! Rules: sentences of the documents, with their conditions as data.

use super::ListName;
use crate::diagnostics::Place;
use crate::words::{RuleKind, Severity};

/// A sentence that binds somebody.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) place: Place,
    /// Where it is written out; elsewhere than its place when it is `as` another.
    pub(crate) written: Place,
    pub(crate) at: String,
    pub(crate) kind: RuleKind,
    pub(crate) severity: Severity,
    /// Where the severity is written, if it is.
    pub(crate) severity_place: Option<Place>,
    pub(crate) says: String,
    pub(crate) why: Option<String>,
    /// The list whose items it speaks of.
    pub(crate) within: Option<(ListName, Place)>,
    pub(crate) test: Option<Test>,
}

/// What has to hold.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Test {
    /// When all of `when` hold, all of `require` hold and not all of `forbid` do.
    Condition { when: Vec<Condition>, require: Vec<Condition>, forbid: Vec<Condition> },
    /// All items have the same value.
    Same(String, Place),
    /// No two items share a value of any of these.
    Unique(Vec<(String, Place)>),
}

/// One entry of `when`, `require` or `forbid`.
#[derive(Clone, Debug, Hash)]
pub(crate) enum Condition {
    /// All of these are set.
    Given(Vec<(String, Place)>),
    /// At least one of these is set.
    AnyGiven(Vec<(String, Place)>),
    /// It is set, and its text has one of these forms.
    HasForm { parameter: (String, Place), forms: Vec<(String, Place)> },
    /// It is set to one of these values.
    Is { parameter: (String, Place), values: Vec<(String, Place)> },
    /// A property of the account is one of these values. Neither true nor false while it is unknown.
    AccountIs { property: (String, Place), values: Vec<(String, Place)> },
    /// The parameter compares like this with a property of the account or the instrument. Neither so nor not so when
    /// one of the two is not there.
    Compares { parameter: (String, Place), comparison: Comparison, property: (String, Place) },
}

/// How a parameter is compared with a property of the account or of the instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    /// The text is among the names of the account's property.
    Among,
    /// The time is not before that of the account's property.
    NotBefore,
    /// The number is a multiple of the instrument's property.
    MultipleOf,
    /// The number has no more decimal places than the instrument's property says.
    Places,
    /// The number is not below the instrument's property.
    AtLeast,
}

impl Comparison {
    pub(crate) const ALL: [Self; 5] = [Self::Among, Self::NotBefore, Self::MultipleOf, Self::Places, Self::AtLeast];

    /// The word that follows the parameter's name and a dot.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Among => "among",
            Self::NotBefore => "not_before",
            Self::MultipleOf => "multiple_of",
            Self::Places => "places",
            Self::AtLeast => "at_least",
        }
    }

    /// Whether it speaks of the instrument, and not of the account.
    pub(crate) fn is_of_instrument(self) -> bool {
        matches!(self, Self::MultipleOf | Self::Places | Self::AtLeast)
    }
}

impl Test {
    /// All conditions it is made of.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let lists: [&[Condition]; 3] = match self {
            Self::Condition { when, require, forbid } => [when, require, forbid],
            Self::Same(..) | Self::Unique(_) => [&[], &[], &[]],
        };
        lists.into_iter().flatten()
    }
}

impl Condition {
    /// The parameters it speaks of.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Given(names) | Self::AnyGiven(names) => names.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Is { parameter, .. } | Self::HasForm { parameter, .. } | Self::Compares { parameter, .. } => {
                vec![parameter.0.as_str()]
            }
            Self::AccountIs { .. } => Vec::new(),
        }
    }

    /// The property of the account or the instrument that it depends on.
    pub(crate) fn property(&self) -> Option<&str> {
        match self {
            Self::AccountIs { property, .. } | Self::Compares { property, .. } => Some(&property.0),
            Self::Given(_) | Self::AnyGiven(_) | Self::HasForm { .. } | Self::Is { .. } => None,
        }
    }

    /// Whether it compares with the instrument that the request names.
    pub(crate) fn is_of_instrument(&self) -> bool {
        matches!(self, Self::Compares { comparison, .. } if comparison.is_of_instrument())
    }
}
