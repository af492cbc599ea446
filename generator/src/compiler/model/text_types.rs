//! Types whose values are texts: enums and identifiers.

use super::{Deprecated, Name, Sources};
use crate::compiler::diagnostics::Place;

/// An enum, open in answers and strict in requests.
#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) values: Vec<EnumValue>,
    /// The indices of the values that stand for true and false.
    pub(crate) truth: Option<(usize, usize)>,
    pub(crate) truth_places: Vec<(String, Place)>,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumValue {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) also: Vec<(String, Place)>,
    /// Who has seen it, if no document has it.
    pub(crate) sources: Sources,
    pub(crate) deprecated: Option<Deprecated>,
}

impl EnumValue {
    /// A value with only a name and a meaning.
    pub(crate) fn new(name: Name, doc: String) -> Self {
        Self { name, doc, also: Vec::new(), sources: Sources::new(), deprecated: None }
    }
}

impl Enum {
    /// The index of the value with this text, or with this text as another spelling.
    pub(crate) fn index_of(&self, text: &str) -> Option<usize> {
        let spelled = |value: &EnumValue| value.name.wire == text || value.also.iter().any(|(also, _)| also == text);
        self.values.iter().position(spelled)
    }

    /// The wire texts of all values, each with its place.
    pub(crate) fn placed_wires(&self) -> Vec<(&str, Place)> {
        self.values.iter().map(|value| (value.name.wire.as_str(), value.name.place)).collect()
    }

    /// The wire texts of all values.
    pub(crate) fn wires(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.wire.as_str())
    }
}

/// A newtype over text.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) length: Option<(u32, u32)>,
    pub(crate) alphabet: Option<(String, Place)>,
    /// Forms that distinguish kinds of values.
    pub(crate) forms: Vec<Form>,
    /// True if the client makes new ones; the place of the key.
    pub(crate) mint: Option<Place>,
}

/// A form of text: the pattern that distinguishes it, and another one whose texts have the form if the instrument says so.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) name: Name,
    pub(crate) pattern: Pattern,
    pub(crate) decided: Option<Decided>,
}

/// A spelling that other texts have, too, and the flag of the instrument that tells them apart.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) also: Pattern,
    pub(crate) by: (String, Place),
}

/// A beginning and an end, and possibly the characters allowed between them.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) place: Place,
    pub(crate) prefix: String,
    pub(crate) alphabet: Option<String>,
    pub(crate) suffix: String,
}

impl Form {
    /// Returns the patterns: the one that every text of has the form, and the one that an instrument decides.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        std::iter::once(&self.pattern).chain(self.decided.iter().map(|decided| &decided.also))
    }

    /// Returns the patterns in words: `r*`, or `R*` if isStock of the instrument says so.
    pub(crate) fn in_words(&self) -> String {
        let pattern = &self.pattern.text;
        match &self.decided {
            None => format!("`{pattern}`"),
            Some(Decided { also, by }) => {
                format!("`{pattern}`, or `{}` if {} of the instrument says so", also.text, by.0)
            }
        }
    }
}

impl Identifier {
    /// Returns whether some of its texts are written in two ways.
    pub(crate) fn is_respelled(&self) -> bool {
        self.forms.iter().any(|form| form.decided.is_some())
    }

    /// Returns whether texts are checked when a value is made.
    pub(crate) fn is_constrained(&self) -> bool {
        self.length.is_some() || self.alphabet.is_some()
    }
}
