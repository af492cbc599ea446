//! Parameters of requests, of items and of choices.

use super::{Deprecated, Edit, Item, ListName, Name, NamesWithin, Placed, Shape};
use crate::compiler::diagnostics::Place;
use crate::compiler::words::{In, Required};

/// A parameter of a request, of an item or of a choice.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    /// Where it is written out; differs from the place of its name if it is `as` another.
    pub(crate) written: Place,
    pub(crate) shape: Shape,
    /// Where it travels, if not beside the others.
    pub(crate) apart: Option<(In, Place)>,
    /// The name there, if another parameter has it.
    pub(crate) sent_as: Option<Placed>,
    pub(crate) need: Need,
    /// The value that every request sends.
    pub(crate) fixed: Option<Placed>,
    pub(crate) default: Option<Placed>,
    pub(crate) default_note: Option<String>,
    pub(crate) min: Option<Placed>,
    pub(crate) max: Option<Placed>,
    pub(crate) min_items: Option<(u64, Place)>,
    pub(crate) max_items: Option<(u64, Place)>,
    pub(crate) digits: Option<(u32, Place)>,
    pub(crate) places: Option<(u32, Place)>,
    pub(crate) significant_digits: Option<(u32, Place)>,
    /// The shortest and the longest length of a text, in characters.
    pub(crate) length: Option<((u32, u32), Place)>,
    /// The regular expression that a text matches.
    pub(crate) pattern: Option<Placed>,
    pub(crate) only: Vec<Placed>,
    pub(crate) edit: Option<Edit>,
    /// The place that says that `null` clears the value.
    pub(crate) may_be_null: Option<Place>,
    /// True if an empty text means the same as leaving it out.
    pub(crate) may_be_blank: bool,
    /// True if the document leaves open here which alternative of the choice wins.
    pub(crate) wins_unstated: bool,
    pub(crate) units: Vec<Unit>,
    pub(crate) deprecated: Option<Deprecated>,
    /// True if numbers, times and enums travel as JSON strings.
    pub(crate) as_text: bool,
    pub(crate) doc: String,
    /// Other words that people search for it by.
    pub(crate) called: Vec<Placed>,
}

impl Parameter {
    /// Returns the description of its object, if it is a single object.
    pub(crate) fn object(&self) -> Option<&Item> {
        self.shape.object()
    }

    /// Returns the description of its items, if it is a list of objects.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.shape.items()
    }

    /// Returns whether it travels there, apart from the others.
    pub(crate) fn is_in(&self, place: In) -> bool {
        self.apart.is_some_and(|(apart, _)| apart == place)
    }

    /// Returns the name under which it is sent.
    pub(crate) fn sent_name(&self) -> &str {
        self.sent_as.as_ref().map_or(&self.name.wire, |(name, _)| name)
    }

    /// Returns whether it is always sent.
    pub(crate) fn is_required(&self) -> bool {
        self.need == Need::Always
    }

    /// Returns whether it is an argument of `new`.
    pub(crate) fn is_argument(&self) -> bool {
        self.is_required() && self.fixed.is_none()
    }

    /// Returns the least number of items of a list that is set. An empty one is as likely a mistake as a wish for no
    /// restriction, and in most forms of a query it is not sent at all.
    pub(crate) fn least_items(&self) -> u64 {
        self.min_items.map_or(1, |(least, _)| least)
    }

    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.edit.as_ref().and_then(Edit::deletes_with)
    }

    /// Returns whether a request can leave its value as it is, set it, or delete it.
    pub(crate) fn is_edit(&self) -> bool {
        self.deletes_with().is_some() || self.may_be_null.is_some()
    }

    /// For a value that stays if it is left out, the text that deletes it, if there is one.
    pub(crate) fn kept_unless(&self) -> Option<Option<&str>> {
        match self.may_be_null {
            Some(_) => Some(Some("null")),
            None => self.edit.as_ref().map(Edit::deletes_with),
        }
    }

    /// Returns whether it stands for the body, which is an array.
    pub(crate) fn is_body(&self) -> bool {
        self.name.wire == ListName::BODY
    }
}

impl Edit {
    /// Returns the text that deletes the value, if the document states one.
    pub(crate) fn deletes_with(&self) -> Option<&str> {
        self.delete.as_ref().map(|(delete, _)| delete.as_str())
    }
}

/// A unit, with the values of other parameters under which it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) when: Vec<NamesWithin>,
    pub(crate) is: String,
    pub(crate) place: Place,
}

/// The need to send a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Always,
    Conditional,
    Unstated,
    No,
}

impl Need {
    /// Returns the word of the schema; `no` is the absence of a word.
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
