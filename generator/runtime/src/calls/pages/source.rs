//! The requests of a listing and the items of its current page, behind a trait without their types.
//!
//! `null` means an empty list in responses, but a success without data, or with data without the list, is not a page:
//! taken for an empty one, it would end an incomplete listing.

use super::page::{Paged, TimeRange, follow};
use super::step::Next;
use super::walk::ItemHash;
use crate::calls::client::Within;
use crate::data::account::Known;
use crate::data::checks::Checks;
use crate::data::json::{BadItem, Decode, Form, Kind, List, ReadError, Reader};
use crate::data::lifecycle::{OrderShown, PropertyShown};
use crate::data::operation::{DynOperation, DynResponse, Operation, Received, Repeatable};
use crate::data::parameters::{HeaderWriter, ParameterReader, ParameterWriter, Parameters, PathWriter};
use crate::data::tables::Meta;
use crate::network::wire::{NextPageHint, Reply};

/// Where the pages of a listing come from. It keeps the items of the page that was fetched last.
pub(super) trait PageSource: Send {
    /// Returns the request of a page, and the place for its data.
    fn request(&mut self, page: PageRequest<'_>) -> (&dyn DynOperation, &mut dyn DynResponse);

    /// Takes the items of the page that was requested with `cursor` and read. Returns what follows it, by the page and
    /// by the headers; `None` if nothing was read.
    fn take(&mut self, cursor: Option<&str>, onward: NextPageHint) -> Option<Next>;

    /// Calls `see` with the hash of each item that has an id.
    fn each_hash(&self, see: &mut dyn FnMut(ItemHash));

    /// Leaves out the items with an id for whose hash `is_repeated` returns true, and returns their number.
    fn leave_out(&mut self, is_repeated: &mut dyn FnMut(ItemHash) -> bool) -> usize;

    /// Returns whether no items are left, readable or not.
    fn is_empty(&self) -> bool;

    /// Forgets the items.
    fn clear(&mut self);
}

/// A page of a listing.
#[derive(Clone, Copy)]
pub(super) struct PageRequest<'a> {
    /// The index of its request.
    pub(super) turn: usize,
    pub(super) range: TimeRange,
    pub(super) cursor: Option<&'a str>,
    /// The time within which it has to leave, so that its range is accessible.
    pub(super) within: Option<Within>,
}

/// The reply with a page, and what follows the page.
pub(super) struct SourceReply {
    pub(super) reply: Reply<()>,
    pub(super) next: Next,
}

/// The requests that list everything together, without cursors and times, and the items of a page.
pub(super) struct Requests<O: Paged> {
    requests: Vec<O>,
    /// The request that was sent last, and the data of its answer.
    sent: Option<ForPage<O>>,
    data: Received<ForPage<O>>,
    list: List<O::Item>,
}

impl<O: Paged> Requests<O> {
    /// Returns the requests that together list the range of `request`.
    pub(super) fn of(request: O) -> Self {
        let mut requests = request.each();
        if requests.is_empty() {
            requests.push(request);
        }
        requests.iter_mut().for_each(|request| request.set_cursor(None));
        Self { requests, sent: None, data: Received::nothing(), list: List::default() }
    }

    /// Returns the number of requests.
    pub(super) fn count(&self) -> usize {
        self.requests.len()
    }

    /// Returns the items of the page.
    pub(super) fn take_list(&mut self) -> List<O::Item> {
        std::mem::take(&mut self.list)
    }
}

impl<O: Paged> PageSource for Requests<O> {
    fn request(&mut self, page: PageRequest<'_>) -> (&dyn DynOperation, &mut dyn DynResponse) {
        let mut request = self.requests[page.turn].clone();
        request.set_range(page.range);
        request.set_cursor(page.cursor);
        (self.sent.insert(ForPage(request)), &mut self.data)
    }

    fn take(&mut self, cursor: Option<&str>, onward: NextPageHint) -> Option<Next> {
        let data = std::mem::replace(&mut self.data, Received::nothing()).into_data()?;
        let (list, next) = follow(&self.sent.as_ref()?.0, cursor, onward, data.0);
        self.list = list;
        Some(next)
    }

    fn each_hash(&self, see: &mut dyn FnMut(ItemHash)) {
        for item in &self.list.items {
            hash_of::<O>(item).into_iter().for_each(&mut *see);
        }
        each_bad_hash(&self.list.bad, O::HAS_ID, see);
    }

    fn leave_out(&mut self, is_repeated: &mut dyn FnMut(ItemHash) -> bool) -> usize {
        let sent = count(&self.list);
        self.list.items.retain(|item| !hash_of::<O>(item).is_some_and(&mut *is_repeated));
        leave_out_bad(&mut self.list.bad, O::HAS_ID, is_repeated);
        sent - count(&self.list)
    }

    fn is_empty(&self) -> bool {
        count(&self.list) == 0
    }

    fn clear(&mut self) {
        self.list = List::default();
    }
}

/// Returns the hash of an item; `None` if it has no id.
fn hash_of<O: Paged>(item: &O::Item) -> Option<ItemHash> {
    O::item_id(item).map(|_| ItemHash::of_item(item))
}

fn each_bad_hash(bad: &[BadItem], have_ids: bool, see: &mut dyn FnMut(ItemHash)) {
    bad.iter().filter_map(|bad| hash_of_bad(bad, have_ids)).for_each(see);
}

fn leave_out_bad(bad: &mut Vec<BadItem>, have_ids: bool, is_repeated: &mut dyn FnMut(ItemHash) -> bool) {
    bad.retain(|bad| !hash_of_bad(bad, have_ids).is_some_and(&mut *is_repeated));
}

/// Returns the hash of an item that could not be read. Only an object can have an id.
fn hash_of_bad(bad: &BadItem, have_ids: bool) -> Option<ItemHash> {
    (have_ids && bad.raw.starts_with('{')).then(|| ItemHash::of_text(&bad.raw))
}

/// Returns the number of items, readable or not.
fn count<T>(list: &List<T>) -> usize {
    list.items.len() + list.bad.len()
}

/// A request whose response must be a page.
pub(crate) struct ForPage<O>(pub(crate) O);

/// The answer to it.
pub(crate) struct WholePage<O: Paged>(pub(crate) O::Response);

impl<O: Paged> Operation for ForPage<O> {
    type Response = WholePage<O>;

    const META: &'static Meta = O::META;

    fn write_path(&self, out: &mut PathWriter) {
        self.0.write_path(out);
    }

    fn write_headers(&self, out: &mut HeaderWriter<'_>) {
        self.0.write_headers(out);
    }

    fn show_orders<'a>(response: &'a Self::Response, see: &mut dyn FnMut(OrderShown<'a>)) {
        O::show_orders(&response.0, see);
    }

    fn show_properties(response: &Self::Response, see: &mut dyn FnMut(PropertyShown<'_>)) {
        O::show_properties(&response.0, see);
    }

    fn limit_class(&self, known: Known<'_>) -> [Option<&'static str>; 2] {
        self.0.limit_class(known)
    }
}

impl<O: Paged> Repeatable for ForPage<O> {}

impl<O: Paged> Parameters for ForPage<O> {
    fn write(&self, out: &mut ParameterWriter) {
        self.0.write(out);
    }

    fn read(from: &mut ParameterReader<'_>) -> Option<Self> {
        O::read(from).map(Self)
    }

    fn check(&self, to: &mut Checks<'_>) {
        self.0.check(to);
    }
}

impl<O: Paged> Decode for WholePage<O> {
    const FORM: Form = O::Response::FORM;

    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        refuse_unlisted(from, O::LIST, O::Response::FORM)?;
        O::Response::decode(from).map(Self)
    }
}

/// Fails unless the next value, of this form, is a page with `list`. The value is not consumed.
fn refuse_unlisted(from: &mut Reader<'_>, list: &str, form: Form) -> Result<(), ReadError> {
    match (from.peek(), list) {
        (Kind::Array, "") => Ok(()),
        (Kind::Object, "") if matches!(form, Form::Map(_)) => Ok(()),
        (_, "") => Err(ReadError::new(from.mark().at, "expected a list")),
        (Kind::Object, list) => find(from, list),
        _ => Ok(()),
    }
}

/// Fails unless the object that comes next, which stays unread, names `list`.
fn find(from: &mut Reader<'_>, list: &str) -> Result<(), ReadError> {
    let start = from.mark();
    let mut members = from.object(&[])?;
    while let Some(name) = members.next_name(from)? {
        if name == list {
            from.go_back(start);
            return Ok(());
        }
        from.skip()?;
    }
    Err(ReadError::new(start.at, format!("there is no {list:?}")))
}
