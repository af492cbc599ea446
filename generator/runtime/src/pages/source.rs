//! The requests of a listing and the items of its current page, behind a trait without their types.

use std::pin::Pin;

use super::page::{Paged, TimeRange, follow};
use super::seen::ItemHash;
use super::step::Next;
use super::whole::ForPage;
use crate::client::ClientCore;
use crate::error::Error;
use crate::exchange::Reply;
use crate::json::{BadItem, List};
use crate::retry::RetryPolicy;

/// Where the pages of a listing come from. It keeps the items of the page that was fetched last.
pub(super) trait PageSource: Send {
    /// Fetches a page.
    fn fetch<'a>(
        &'a mut self,
        client: &'a ClientCore,
        retry: Option<&'a RetryPolicy>,
        request: PageRequest<'a>,
    ) -> SourceFuture<'a>;

    /// Calls `see` with the hash of each item that has an id.
    fn each_hash(&self, see: &mut dyn FnMut(ItemHash));

    /// Leaves out the items with an id for whose hash `is_repeated` returns true, and returns their number.
    fn leave_out(&mut self, is_repeated: &mut dyn FnMut(ItemHash) -> bool) -> usize;

    /// Whether no items are left, readable or not.
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

/// A page under way.
pub(super) type SourceFuture<'a> = Pin<Box<dyn Future<Output = Result<SourceReply, Error>> + Send + 'a>>;

/// The requests that list everything together, without cursors and times, and the items of a page.
pub(super) struct Requests<O: Paged> {
    requests: Vec<O>,
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
        Self { requests, list: List::default() }
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
    fn fetch<'a>(
        &'a mut self,
        client: &'a ClientCore,
        retry: Option<&'a RetryPolicy>,
        PageRequest { turn, range, cursor }: PageRequest<'a>,
    ) -> SourceFuture<'a> {
        Box::pin(async move {
            let mut request = self.requests[turn].clone();
            request.set_range(range);
            request.set_cursor(cursor);
            let request = ForPage(request);
            let reply = match retry {
                Some(policy) => client.retrying(policy).call(&request).await?,
                None => client.call(&request).await?,
            };
            let mut next = Next::Lost;
            let onward = reply.onward.clone();
            let reply = reply.map(|page| (self.list, next) = follow(&request.0, cursor, onward, page.0));
            Ok(SourceReply { reply, next })
        })
    }

    fn each_hash(&self, see: &mut dyn FnMut(ItemHash)) {
        self.list.items.iter().filter_map(hash_of::<O>).for_each(&mut *see);
        self.list.bad.iter().filter_map(hash_of_bad::<O>).for_each(see);
    }

    fn leave_out(&mut self, is_repeated: &mut dyn FnMut(ItemHash) -> bool) -> usize {
        let sent = count(&self.list);
        self.list.items.retain(|item| !hash_of::<O>(item).is_some_and(&mut *is_repeated));
        self.list.bad.retain(|bad| !hash_of_bad::<O>(bad).is_some_and(&mut *is_repeated));
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

/// The same for an item that could not be read. Only an object can have an id.
fn hash_of_bad<O: Paged>(bad: &BadItem) -> Option<ItemHash> {
    (O::HAS_ID && bad.raw.starts_with('{')).then(|| ItemHash::of_text(&bad.raw))
}

/// The number of items, readable or not.
fn count<T>(list: &List<T>) -> usize {
    list.items.len() + list.bad.len()
}
