//! Records: the objects that the exchange returns, listings of them, and batches.

use super::{
    AnswerPath, Batch, Deprecated, EnumParameter, Family, ListOfAnswer, ListedInstruments, ListedPrices, Name, NameOf,
    Operation, Pages, PagesBy, Placed, Reference, Response, Shape, Shows, Source, Sources, TextOfItems, Unit,
};
use crate::compiler::diagnostics::{Code, Diagnostics, Place, name_list, unknown};

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
    pub(crate) key: Option<Placed>,
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
    pub(crate) decider: Option<Placed>,
    pub(crate) cases: Vec<RecordCase>,
    pub(crate) place: Place,
}

/// One of the records that a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordCase {
    pub(crate) record: usize,
    pub(crate) place: Place,
    /// The values of the deciding member, or members of which only this record has any.
    pub(crate) told_by: Vec<Placed>,
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

    /// Returns the field that a name stands for.
    pub(crate) fn named(&self, name: &Reference) -> Option<&Field> {
        self.fields.get(name.number?)
    }

    /// Reports a name that none of its fields has.
    pub(crate) fn lacks_field(&self, name: &str, place: Place, to: &mut Diagnostics) {
        if !self.is_whole {
            return;
        }
        let fields = || self.fields.iter().map(|field| (field.name.wire.as_str(), Some(field.name.place)));
        let help = unknown(name, fields(), || match self.one_of() {
            Some(_) => "it is one of several records, which differ in their fields: name another record".to_owned(),
            None => format!("expected one of: {}", name_list(fields().map(|(name, _)| name))),
        });
        to.at(place, Code::UndefinedName, format!("the record `{}` has no field `{name}`", self.name.wire))
            .related(self.name.place, "the record is here")
            .help(help);
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
    pub(crate) only: Vec<Placed>,
    /// The only value that is documented.
    pub(crate) fixed: Option<Placed>,
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
    pub(crate) id: Option<NameOf<TextOfItems>>,
    /// The parameter for whose values the listing is queried one by one, because a query without it is incomplete.
    pub(crate) each: Option<NameOf<EnumParameter>>,
    /// The field of an object with the records, if the listing has no pages.
    pub(crate) list: Option<NameOf<ListOfAnswer>>,
    pub(crate) pages: Option<Pages>,
    pub(crate) shows: Option<Shows>,
    pub(crate) instruments: Option<ListedInstruments>,
    pub(crate) prices: Option<ListedPrices>,
}

impl Operation {
    /// Returns the field of an object with the records that it lists.
    pub(crate) fn listed_field<'a>(&self, family: &'a Family) -> Option<&'a Field> {
        let Response::Object { record } = self.response else { return None };
        let Listing { list, pages, .. } = &self.listing;
        let list = pages.as_ref().and_then(|pages| pages.list.as_ref()).or(list.as_ref())?;
        family.records.get(record)?.field(&list.text)
    }

    /// Returns the record of the items of a listing.
    pub(crate) fn listed_record(&self, family: &Family) -> Option<usize> {
        match self.response {
            Response::Object { .. } => self.listed_field(family)?.shape.listed_record(),
            Response::Array { record, .. } | Response::Page { record, .. } => Some(record),
            Response::Undefined => None,
        }
    }

    /// Returns the record of the items, if the listing comes in pages.
    pub(crate) fn paged_record(&self, family: &Family) -> Option<usize> {
        let is_paged = self.listing.pages.is_some() || matches!(self.response, Response::Page { .. });
        self.listed_record(family).filter(|_| is_paged)
    }
}

impl Pages {
    /// Returns whether the page includes the item that `next` names.
    pub(crate) fn includes_last(&self) -> bool {
        self.includes.is_some_and(|(includes, _)| includes)
    }

    /// Returns the number or the offset of the first page.
    pub(crate) fn begins_with(&self) -> u64 {
        self.first.map_or(u64::from(self.by.0 == PagesBy::Number), |(first, _)| first)
    }
}

impl Batch {
    /// Returns the path to the codes of the items, if they are not in the items of the list.
    pub(crate) fn codes_apart(&self) -> Option<AnswerPath> {
        AnswerPath::parse(&self.results.as_ref()?.0)
    }

    /// Returns the names of the ids in the items that are sent. In results, an id can be in an object within.
    pub(crate) fn ids_of_items(&self) -> impl Iterator<Item = &str> {
        self.id.iter().map(|(id, _)| id.rsplit('.').next().unwrap_or(id))
    }
}
