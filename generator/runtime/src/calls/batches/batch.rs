//! Requests that list items, and the results that their responses list, also with codes in an array apart from them.

use std::borrow::Cow;

use crate::data::json::{BadItem, Kind, List};
use crate::data::operation::Operation;
use crate::data::parameters::{Parameters, texts_of};
use crate::data::tables::{Path, Step};
use crate::network::wire::{reader_at, text_at};

/// A request whose response lists what succeeded and what failed. Emitted for batches, and for operations whose
/// responses have the lists of a batch, such as the cancellation of all orders.
#[diagnostic::on_unimplemented(
    message = "the response to `{Self}` does not list results of items",
    note = "send it with `call`, which fails if the request fails"
)]
pub trait ListsResults: Operation {
    /// The result of an item that succeeded.
    type Done;

    /// Where the codes of the items are, if the response has them apart from the data of the items.
    const APART: Option<ResultsApart> = None;

    /// Returns the items in the request; `None` if it does not list them.
    fn sent(&self) -> Option<SentItems>;

    /// Returns the results in a response. `is_success` classifies the code of an item.
    fn answer(response: Self::Response, is_success: &dyn Fn(&str) -> bool) -> BatchAnswer<Self::Done>;
}

/// A request with a list of items, each of which succeeds or fails on its own. Emitted for the operations that the
/// schema declares as batches.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a batch",
    note = "send it with `call`; batches have the word in their names, such as `BatchOrder`"
)]
pub trait Batch: ListsResults + Clone {
    /// An item of the list.
    type Item: Parameters;

    /// The properties of the batch.
    const SHAPE: &'static BatchShape;

    /// Takes the items out.
    fn take_items(&mut self) -> Vec<Self::Item>;

    /// Replaces the items.
    fn set_items(&mut self, items: Vec<Self::Item>);
}

/// The properties of a batch operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchShape {
    /// The parameter that holds the items; empty where they are the whole body.
    pub list: &'static str,
    /// The maximum number of items in one call.
    pub max_items: usize,
    /// The parameters that identify an item and its result, in order of precedence.
    pub ids: &'static [&'static str],
    /// True if results come in the order of the items.
    pub by_place: bool,
}

/// The ids of an item or a result, in the order of [`BatchShape::ids`].
pub(super) type Ids = Vec<Option<String>>;

/// The items of a request that was called directly, as far as results are matched with them.
#[derive(Clone, Debug)]
pub struct SentItems {
    pub(super) ids: Vec<Ids>,
    pub(super) shape: &'static BatchShape,
}

impl SentItems {
    /// Returns the items of a batch of this shape.
    pub fn of(items: &[impl Parameters], shape: &'static BatchShape) -> Self {
        let mut ids = Vec::with_capacity(items.len());
        for item in items {
            ids.push(texts_of(item, shape.ids));
        }
        Self { ids, shape }
    }
}

/// Where the codes of the items of a batch are: an array that is parallel to the list of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultsApart {
    /// The path to the array from the outermost object of the response.
    pub path: Path,
    /// The member of its items with the code.
    pub code: &'static str,
    /// The member of its items with the message.
    pub message: Option<&'static str>,
}

/// The results of the items of a batch, however the response expresses them. Emitted code fills it in.
#[derive(Debug)]
pub struct BatchAnswer<T> {
    pub(super) results: Vec<StatedResult<T>>,
    pub(super) bad: Vec<BadItem>,
    /// True if the response claims that every item succeeded.
    pub(super) all_done: Option<bool>,
    /// True if it has all that the documents say of a success; otherwise only ids of items show what belongs to them.
    pub(super) is_full: bool,
}

/// The result of one item in a response.
#[derive(Debug)]
pub(super) struct StatedResult<T> {
    /// The index in the response; `None` if the results are spread over several lists.
    pub(super) place: Option<usize>,
    pub(super) ids: Ids,
    /// True if it has nothing but ids, so that a success follows from the absence of a code.
    pub(super) is_tacit: bool,
    pub(super) result: ItemResult<T>,
}

/// The result of an item.
#[derive(Debug)]
pub(super) enum ItemResult<T> {
    Done(T),
    Failed(Failure),
    /// Neither: a message without a code, or no code and no id that shows which item succeeded.
    Unclear(Failure),
}

/// The code and the message of a failed item; neither is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
}

impl Failure {
    pub(super) fn new((code, message): (Option<String>, Option<String>)) -> Self {
        let [code, message] = [code, message].map(|text| text.filter(|text| !text.is_empty()));
        Self { code, message }
    }
}

/// Returns the places of the readable items of a list with these unreadable ones, which count too.
fn places_beside(bad: &[BadItem]) -> impl Iterator<Item = usize> {
    (0..).filter(|place| bad.iter().all(|bad| bad.index != *place))
}

impl<T> Default for BatchAnswer<T> {
    fn default() -> Self {
        Self { results: Vec::new(), bad: Vec::new(), all_done: None, is_full: true }
    }
}

impl<T> BatchAnswer<T> {
    /// Adds the items of a list, which all succeeded.
    pub fn done<const N: usize>(&mut self, list: List<T>, ids: fn(&T) -> [Option<String>; N]) {
        self.bad.extend(list.bad);
        for item in list.items {
            let (ids, result) = (ids(&item).into(), ItemResult::Done(item));
            self.results.push(StatedResult { place: None, ids, is_tacit: false, result });
        }
    }

    /// Adds the items of a list, which all failed, each with a code and a message.
    pub fn failed<R, const N: usize>(
        &mut self,
        list: List<R>,
        ids: fn(&R) -> [Option<String>; N],
        why: fn(&R) -> (Option<String>, Option<String>),
    ) {
        self.bad.extend(list.bad);
        for item in &list.items {
            let result = ItemResult::Failed(Failure::new(why(item)));
            self.results.push(StatedResult { place: None, ids: ids(item).into(), is_tacit: false, result });
        }
    }

    /// Adds the items of a list. An item failed if it has a code other than that of success.
    pub fn by_code<const N: usize>(
        &mut self,
        list: List<T>,
        is_success: &dyn Fn(&str) -> bool,
        ids: fn(&T) -> [Option<String>; N],
        why: fn(&T) -> (Option<String>, Option<String>),
    ) {
        self.each(list, ids, &|item, is_named| {
            let failure = Failure::new(why(&item));
            let is_tacit = failure.code.is_none();
            let result = match &failure {
                Failure { code: Some(code), .. } if is_success(code) => ItemResult::Done(item),
                Failure { code: Some(_), .. } => ItemResult::Failed(failure),
                Failure { code: None, message: None } if is_named => ItemResult::Done(item),
                Failure { code: None, .. } => ItemResult::Unclear(failure),
            };
            (result, is_tacit)
        });
    }

    /// Adds the items of a list, each with a flag for its success. An item that succeeded but has a code is unclear.
    pub fn by_flag<const N: usize>(
        &mut self,
        list: List<T>,
        succeeded: fn(&T) -> Option<bool>,
        ids: fn(&T) -> [Option<String>; N],
        why: fn(&T) -> (Option<String>, Option<String>),
    ) {
        self.each(list, ids, &|item, _| {
            let failure = Failure::new(why(&item));
            let result = match succeeded(&item) {
                Some(true) if failure.code.is_none() => ItemResult::Done(item),
                Some(false) => ItemResult::Failed(failure),
                Some(true) | None => ItemResult::Unclear(failure),
            };
            (result, false)
        });
    }

    /// Adds each item of a list. An item that has the object of a success succeeded. An item with both that object and
    /// an error, or with neither, is unclear.
    pub fn by_object<const N: usize>(
        &mut self,
        list: List<T>,
        has_object: fn(&T) -> bool,
        ids: fn(&T) -> [Option<String>; N],
        why: fn(&T) -> (Option<String>, Option<String>),
    ) {
        self.each(list, ids, &|item, _| {
            let failure = Failure::new(why(&item));
            let result = match (has_object(&item), &failure) {
                (true, Failure { code: None, message: None }) => ItemResult::Done(item),
                (false, Failure { code: Some(_), .. } | Failure { message: Some(_), .. }) => {
                    ItemResult::Failed(failure)
                }
                (true | false, _) => ItemResult::Unclear(failure),
            };
            (result, false)
        });
    }

    /// Adds each item of a list with its result, which can depend on whether the item has an id, and whether only ids
    /// state the result.
    fn each<const N: usize>(
        &mut self,
        list: List<T>,
        ids: fn(&T) -> [Option<String>; N],
        result_of: &dyn Fn(T, bool) -> (ItemResult<T>, bool),
    ) {
        let places = places_beside(&list.bad);
        for (item, place) in list.items.into_iter().zip(places) {
            let ids = Vec::from(ids(&item));
            let is_named = ids.iter().any(Option::is_some);
            let (result, is_tacit) = result_of(item, is_named);
            self.results.push(StatedResult { place: Some(place), ids, is_tacit, result });
        }
        self.bad.extend(list.bad);
    }

    /// Adds the items of a list whose codes are elsewhere; see [`ListsResults::APART`].
    pub fn in_order<const N: usize>(&mut self, list: List<T>, ids: fn(&T) -> [Option<String>; N]) {
        let places = places_beside(&list.bad);
        for (item, place) in list.items.into_iter().zip(places) {
            let ids = Vec::from(ids(&item));
            self.results.push(StatedResult {
                place: Some(place),
                ids,
                is_tacit: false,
                result: ItemResult::Done(item),
            });
        }
        self.bad.extend(list.bad);
    }

    /// Sets whether the response claims that every item succeeded.
    pub fn all_done(&mut self, all: Option<bool>) {
        self.all_done = all;
    }
}

impl ResultsApart {
    /// Returns the code and the message of each item, if there are exactly `count` of them.
    fn read(&self, body: &[u8], count: usize) -> Option<Vec<Failure>> {
        let mut from = reader_at(std::str::from_utf8(body).ok()?, self.path)?;
        if from.peek() != Kind::Array {
            return None;
        }
        let mut elements = from.array().ok()?;
        let mut all = Vec::new();
        while elements.next(&mut from).ok()?.is_some() {
            if all.len() == count {
                return None;
            }
            let item = from.raw_value().ok()?;
            let word = |name| text_at(item, &[Step::Member(name)]).map(Cow::into_owned);
            all.push(Failure::new((word(self.code), self.message.and_then(word))));
        }
        (all.len() == count).then_some(all)
    }
}

impl<T> BatchAnswer<T> {
    /// Gives each result the code at its place. If the numbers of codes and results differ, codes cannot be assigned to
    /// items: no result counts then, nor does a claim that all items succeeded.
    pub(super) fn with_codes(&mut self, apart: &ResultsApart, body: &[u8], is_success: &dyn Fn(&str) -> bool) {
        let Some(codes) = apart.read(body, self.results.len() + self.bad.len()) else {
            self.results.clear();
            self.all_done = Some(false);
            return;
        };
        for stated in &mut self.results {
            let Some(failure) = stated.place.and_then(|place| codes.get(place)) else { continue };
            match failure.code.as_deref() {
                Some(code) if is_success(code) => {}
                Some(_) => stated.result = ItemResult::Failed(failure.clone()),
                None => stated.result = ItemResult::Unclear(failure.clone()),
            }
        }
    }
}
