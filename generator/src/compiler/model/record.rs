//! Records: the objects that the exchange returns.

use super::{Deprecated, Family, Name, Shape, Source, Sources, Unit};
use crate::compiler::diagnostics::Place;

/// An object that the exchange returns.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: Name,
    pub(crate) doc: String,
    pub(crate) source: Option<Source>,
    pub(crate) is_abstract: bool,
    /// True if it was seen on the wire and is in no document.
    pub(crate) is_observed: bool,
    pub(crate) travels: RecordForm,
    /// The field for the name of a record in lists, which are objects on the wire.
    pub(crate) key: Option<(String, Place)>,
    /// All fields, with those of the included record first.
    pub(crate) fields: Vec<Field>,
    /// True if `fields` is complete: an included record can be unknown.
    pub(crate) is_whole: bool,
}

/// The JSON form of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordForm {
    Object,
    /// An array, in which the position identifies a field.
    Array,
    /// The value of its only field.
    Value(Place),
    /// One of several records; it has no fields of its own.
    OneOf(OneOf),
}

/// The field that decides which of several records a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OneOf {
    /// The member that decides; without one, the form of the JSON does.
    pub(crate) decider: Option<(String, Place)>,
    pub(crate) cases: Vec<RecordCase>,
    pub(crate) place: Place,
}

/// One of the records that a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordCase {
    pub(crate) record: usize,
    pub(crate) place: Place,
    /// The values of the deciding member, or members of which only this record has any.
    pub(crate) told_by: Vec<(String, Place)>,
}

impl Record {
    /// Returns what decides which of several records it is, if it is one of several.
    pub(crate) fn one_of(&self) -> Option<&OneOf> {
        if let RecordForm::OneOf(one_of) = &self.travels { Some(one_of) } else { None }
    }

    /// The records of which it is one, each with what decides.
    pub(crate) fn cases_told(&self) -> impl Iterator<Item = (&OneOf, &RecordCase)> {
        self.one_of().into_iter().flat_map(|one_of| one_of.cases.iter().map(move |case| (one_of, case)))
    }

    /// The field with this name on the wire.
    pub(crate) fn field(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.wire == wire)
    }

    /// The field whose type is this enum.
    pub(crate) fn field_of_enum(&self, index: usize) -> Option<&Field> {
        self.fields.iter().find(|field| field.shape.single_enum() == Some(index))
    }
}

/// A field of a record.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    pub(crate) may_be_null: bool,
    /// The condition under which it is present, to follow the words "comes only".
    pub(crate) comes_only: Option<String>,
    /// Who has seen it on the wire, if no document has it.
    pub(crate) sources: Sources,
    pub(crate) deprecated: Option<Deprecated>,
    pub(crate) only: Vec<(String, Place)>,
    /// The only value that is documented.
    pub(crate) fixed: Option<(String, Place)>,
    pub(crate) units: Vec<Unit>,
    pub(crate) as_text: bool,
    pub(crate) doc: String,
}

impl Field {
    /// A field with only a name, a type and a description; numbers travel as text.
    pub(crate) fn new(name: Name, shape: Shape, doc: String) -> Self {
        Self {
            name,
            shape,
            may_be_null: false,
            comes_only: None,
            sources: Sources::new(),
            deprecated: None,
            only: Vec::new(),
            fixed: None,
            units: Vec::new(),
            as_text: true,
            doc,
        }
    }
}

impl Family {
    /// The field of a record at a path such as `price` or `descr.price`.
    pub(crate) fn field_at<'a>(&'a self, record: &'a Record, path: &str) -> Option<&'a Field> {
        match path.split_once('.') {
            None => record.field(path),
            Some((first, rest)) => {
                let within = record.field(first)?.shape.single()?.record()?;
                self.field_at(self.records.get(within)?, rest)
            }
        }
    }
}
