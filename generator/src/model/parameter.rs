//! Parameters of requests, of items and of choices.

use super::{Item, ListName, Name, Shape};
use crate::diagnostics::Place;
use crate::words::Required;

/// A parameter of a request, of an item or of a choice.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; elsewhere than its name when it is `as` another.
    pub(crate) written: Place,
    pub(crate) shape: Shape,
    /// It travels as a header; where the schema says so.
    pub(crate) in_header: Option<Place>,
    pub(crate) need: Need,
    pub(crate) default: Option<(String, Place)>,
    pub(crate) default_note: Option<String>,
    pub(crate) min: Option<(String, Place)>,
    pub(crate) max: Option<(String, Place)>,
    pub(crate) min_items: Option<(u64, Place)>,
    pub(crate) max_items: Option<(u64, Place)>,
    pub(crate) digits: Option<(u32, Place)>,
    pub(crate) only: Vec<(String, Place)>,
    pub(crate) edit: Option<Edit>,
    /// An empty text stands for leaving it out.
    pub(crate) may_be_blank: bool,
    /// The document does not say which alternative of the choice wins here.
    pub(crate) wins_unstated: bool,
    pub(crate) units: Vec<Unit>,
    pub(crate) deprecated: Option<Deprecated>,
    /// Numbers, times and enums travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
    /// Other words that people look for it by.
    pub(crate) called: Vec<(String, Place)>,
}

/// That a document advises against something.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Deprecated {
    /// The version or the day from which on.
    pub(crate) since: Option<String>,
    /// What it advises instead.
    pub(crate) instead: Option<(String, Place)>,
    pub(crate) place: Place,
}

impl Parameter {
    /// The object that it is.
    pub(crate) fn object(&self) -> Option<&Item> {
        self.shape.object()
    }

    /// The objects that it is a list of.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.shape.items()
    }

    /// Whether it is an argument of `new`.
    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Always
    }

    /// The text that deletes the value, if the document has one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.edit.as_ref().and_then(|edit| edit.delete.as_deref())
    }

    /// Whether it stands for the body, which is an array.
    pub(crate) fn is_body(&self) -> bool {
        self.name.wire == ListName::BODY
    }
}

/// What leaving a parameter out, or a special text, does.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Edit {
    pub(crate) delete: Option<String>,
    pub(crate) place: Place,
}

/// A unit, with the values of other parameters under which it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Unit {
    pub(crate) when: Vec<(String, Vec<String>, Place)>,
    pub(crate) is: String,
}

/// Whether a parameter has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Need {
    Always,
    Conditional,
    Unstated,
    No,
}

impl Need {
    /// The word of the schema, where `no` stands for none.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Conditional => "conditional",
            Self::Unstated => "unstated",
            Self::No => "no",
        }
    }
}

impl From<Option<Required>> for Need {
    fn from(required: Option<Required>) -> Self {
        match required {
            Some(Required::Always) => Self::Always,
            Some(Required::Conditional) => Self::Conditional,
            Some(Required::Unstated) => Self::Unstated,
            None => Self::No,
        }
    }
}
