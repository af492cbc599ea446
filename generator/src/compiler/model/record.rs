//! Records: the objects that the exchange returns, listings of them, and batches.

use super::{
    AnswerPath, Deprecated, EnumParameter, Family, IntegerParameter, ListName, ListedInstruments, ListedPrices, Name,
    NameOf, Operation, PageOrder, PagesBy, PlainParameter, Response, Shape, Shows, Source, Sources, Unit,
};
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

    /// Returns the records of which it is one, each with what decides.
    pub(crate) fn cases_told(&self) -> impl Iterator<Item = (&OneOf, &RecordCase)> {
        self.one_of().into_iter().flat_map(|one_of| one_of.cases.iter().map(move |case| (one_of, case)))
    }

    /// Returns the field with this name on the wire.
    pub(crate) fn field(&self, wire: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.wire == wire)
    }

    /// Returns the field whose type is this enum.
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
    /// Creates a field with only a name, a type and a description; numbers travel as text.
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
    /// Returns the field of a record at a path such as `price` or `descr.price`.
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

/// The properties of a listing beyond its cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// The field that identifies an item.
    pub(crate) id: Option<(String, Place)>,
    /// The parameter for whose values the listing is queried one by one, because a query without it is incomplete.
    pub(crate) each: Option<NameOf<EnumParameter>>,
    /// The field of an object with the records, if the listing has no pages.
    pub(crate) list: Option<(String, Place)>,
    pub(crate) pages: Option<Paging>,
    pub(crate) shows: Option<Shows>,
    pub(crate) instruments: Option<ListedInstruments>,
    pub(crate) prices: Option<ListedPrices>,
}

/// The way the next page of an object or an array is requested.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    pub(crate) place: Place,
    pub(crate) by: PagesBy,
    pub(crate) order: PageOrder,
    /// The field of the object with the list.
    pub(crate) list: Option<(String, Place)>,
    /// The parameter that says where a page begins.
    pub(crate) next: NameOf<PlainParameter>,
    /// The field of the last item, or of the object, with the value of `next`.
    pub(crate) field: Option<(String, Place)>,
    /// The header of the answer with the cursor.
    pub(crate) header: Option<(String, Place)>,
    /// True if the page includes the item that `next` names.
    pub(crate) includes: bool,
    /// The number or the offset of the first page.
    pub(crate) first: u64,
    /// The parameter with the number of items on a page.
    pub(crate) size: Option<NameOf<IntegerParameter>>,
    /// The fields of the object that state whether the listing continues, and how long it is.
    pub(crate) more: Option<(String, Place)>,
    pub(crate) total: Option<(String, Place)>,
}

impl Operation {
    /// Returns the field of an object with the records that it lists.
    pub(crate) fn listed_field<'a>(&self, family: &'a Family) -> Option<&'a Field> {
        let Response::Object { record } = self.response else { return None };
        let Listing { list, pages, .. } = &self.listing;
        let (list, _) = pages.as_ref().and_then(|pages| pages.list.as_ref()).or(list.as_ref())?;
        family.records.get(record)?.field(list)
    }

    /// Returns the record of the items of a listing that comes in pages.
    pub(crate) fn paged_record(&self, family: &Family) -> Option<usize> {
        match (&self.response, &self.listing.pages) {
            (Response::Page { record, .. }, _) | (Response::Array { record, .. }, Some(_)) => Some(*record),
            (Response::Object { .. }, Some(_)) => self.listed_field(family)?.shape.listed_record(),
            (Response::Object { .. } | Response::Array { .. }, None) | (Response::Undefined, _) => None,
        }
    }
}

impl Batch {
    /// Returns the names of the ids in the items that are sent. In results, an id can be in an object within.
    pub(crate) fn ids_of_items(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(|(id, _)| id.rsplit('.').next().unwrap_or(id))
    }
}

/// The results that an answer states for the items of a list that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// The list that was sent; `None` if the request lists nothing, such as a cancellation of all orders.
    pub(crate) of: Option<(ListName, Place)>,
    /// The names that identify an item and its result; the first takes precedence.
    pub(crate) ids: Vec<(String, Place)>,
    /// The field of an object with the one list of results, or with the list that `results` is parallel to.
    pub(crate) list: Option<(String, Place)>,
    /// The path to the codes of the items, if they are not in the items of the list.
    pub(crate) results: Option<(AnswerPath, Place)>,
    /// The lists of what succeeded and what failed; `None` if the answer is one list.
    pub(crate) done: Option<(String, Place)>,
    pub(crate) failed: Option<(String, Place)>,
    /// The boolean field that states whether all items succeeded.
    pub(crate) all_done: Option<(String, Place)>,
    /// The boolean field that states whether an item succeeded, or the object that only a success has.
    pub(crate) succeeded: Option<(String, Place)>,
    /// The fields of failed items.
    pub(crate) code: Option<(String, Place)>,
    pub(crate) message: Option<(String, Place)>,
    /// True if results come in the order of the items.
    pub(crate) by_place: bool,
    pub(crate) place: Place,
}
