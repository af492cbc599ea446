//! Listings, what they show of an account, and batches.

use super::{AnswerPath, Family, Field, ListName, ListedInstruments, Operation, PageOrder, PagesBy, Response, Shows};
use crate::compiler::diagnostics::Place;

/// The properties of a listing beyond its cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// The field that identifies an item.
    pub(crate) id: Option<(String, Place)>,
    /// The parameter for whose values the listing is queried one by one, because a query without it is incomplete.
    pub(crate) each: Option<(String, Place)>,
    /// The field of an object with the records, if the listing has no pages.
    pub(crate) list: Option<(String, Place)>,
    pub(crate) pages: Option<Paging>,
    pub(crate) shows: Option<Shows>,
    pub(crate) instruments: Option<ListedInstruments>,
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
    pub(crate) next: (String, Place),
    /// The field of the last item, or of the object, with the value of `next`.
    pub(crate) field: Option<(String, Place)>,
    /// The header of the answer with the cursor.
    pub(crate) header: Option<(String, Place)>,
    /// True if the page includes the item that `next` names.
    pub(crate) includes: bool,
    /// The number or the offset of the first page.
    pub(crate) first: u64,
    /// The parameter with the number of items on a page.
    pub(crate) size: Option<(String, Place)>,
    /// The fields of the object that state whether the listing continues, and how long it is.
    pub(crate) more: Option<(String, Place)>,
    pub(crate) total: Option<(String, Place)>,
}

impl Operation {
    /// The field of an object with the records that it lists.
    pub(crate) fn listed_field<'a>(&self, family: &'a Family) -> Option<&'a Field> {
        let Response::Object { record } = self.response else { return None };
        let Listing { list, pages, .. } = &self.listing;
        let (list, _) = pages.as_ref().and_then(|pages| pages.list.as_ref()).or(list.as_ref())?;
        family.records.get(record)?.field(list)
    }

    /// The record of the items of a listing that comes in pages.
    pub(crate) fn paged_record(&self, family: &Family) -> Option<usize> {
        match (&self.response, &self.listing.pages) {
            (Response::Page { record, .. }, _) | (Response::Array { record, .. }, Some(_)) => Some(*record),
            (Response::Object { .. }, Some(_)) => self.listed_field(family)?.shape.listed_record(),
            (Response::Object { .. } | Response::Array { .. }, None) | (Response::Undefined, _) => None,
        }
    }
}

impl Batch {
    /// The names of the ids in the items that are sent. In results, an id can be in an object within.
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
