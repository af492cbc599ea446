//! The requests of a listing and the items of its current page, behind a trait without their types.

use super::page::{Paged, TimeRange, follow};
use super::seen::ItemHash;
use super::step::Next;
use super::whole::ForPage;
use crate::data::json::{BadItem, List};
use crate::data::operation::{DynOperation, DynResponse, Received};
use crate::network::wire::{NextPageHint, Reply};

/// Where the pages of a listing come from. It keeps the items of the page that was fetched last.
pub(super) trait PageSource: Send {
    /// The request of a page, and the place for its data.
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
    /// The requests that together list the range of `request`.
    pub(super) fn of(request: O) -> Self {
        let mut requests = request.each();
        if requests.is_empty() {
            requests.push(request);
        }
        requests.iter_mut().for_each(|request| request.set_cursor(None));
        Self { requests, sent: None, data: Received::nothing(), list: List::default() }
    }

    /// The number of requests.
    pub(super) fn count(&self) -> usize {
        self.requests.len()
    }

    /// The items of the page.
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

/// The hash of an item; `None` if it has no id.
fn hash_of<O: Paged>(item: &O::Item) -> Option<ItemHash> {
    O::item_id(item).map(|_| ItemHash::of_item(item))
}

fn each_bad_hash(bad: &[BadItem], have_ids: bool, see: &mut dyn FnMut(ItemHash)) {
    bad.iter().filter_map(|bad| hash_of_bad(bad, have_ids)).for_each(see);
}

fn leave_out_bad(bad: &mut Vec<BadItem>, have_ids: bool, is_repeated: &mut dyn FnMut(ItemHash) -> bool) {
    bad.retain(|bad| !hash_of_bad(bad, have_ids).is_some_and(&mut *is_repeated));
}

/// The hash of an item that could not be read. Only an object can have an id.
fn hash_of_bad(bad: &BadItem, have_ids: bool) -> Option<ItemHash> {
    (have_ids && bad.raw.starts_with('{')).then(|| ItemHash::of_text(&bad.raw))
}

/// The number of items, readable or not.
fn count<T>(list: &List<T>) -> usize {
    list.items.len() + list.bad.len()
}
