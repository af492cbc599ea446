//! Records: what the exchange answers with.

use super::{Deprecated, Name, Shape, Source, Unit};
use crate::diagnostics::Place;

/// What the exchange answers with.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Record {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    pub(crate) is_abstract: bool,
    /// It was seen on the wire and stands in no document.
    pub(crate) is_observed: bool,
    pub(crate) travels: RecordForm,
    /// The field with the name under which it stands in lists, which are objects on the wire.
    pub(crate) key: Option<(String, Place)>,
    /// All fields, those of the included record first.
    pub(crate) fields: Vec<Field>,
    /// Whether these are all: what it includes can be unknown.
    pub(crate) is_whole: bool,
}

/// What a record is in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RecordForm {
    Object,
    /// An array, in which fields are identified by their places.
    Array,
    /// The value of its only field.
    Value(Place),
}

impl Record {
    /// The field by its name on the wire.
    pub(crate) fn field(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.wire == wire)
    }

    /// The field that holds a value of an enum.
    pub(crate) fn field_of_enum(&self, index: usize) -> Option<&Field> {
        self.fields.iter().find(|field| field.shape.single_enum() == Some(index))
    }
}

/// A field of a record.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    pub(crate) may_be_null: bool,
    /// The condition under which it comes, behind "comes only".
    pub(crate) comes_only: Option<String>,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) only: Vec<(String, Place)>,
    pub(crate) units: Vec<Unit>,
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

impl Field {
    /// A field with nothing but its name, its type and what it is; numbers travel as text.
    pub(crate) fn new(name: Name, shape: Shape, doc: String) -> Self {
        Self {
            name,
            shape,
            may_be_null: false,
            comes_only: None,
            deprecated: None,
            only: Vec::new(),
            units: Vec::new(),
            as_text: true,
            doc,
        }
    }
}
