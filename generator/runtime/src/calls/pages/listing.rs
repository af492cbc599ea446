//! All pages of a listing, one after the other: as pages or as items.

use std::fmt;

use super::cut::RangeOrder;
use super::page::{Clipped, Page, PageError, Paged, PositionError};
use super::position::Position;
use super::source::Requests;
use super::step::PageFuture;
use super::walk::Walk;
use crate::calls::client::ClientCore;
use crate::calls::retry::RetryPolicy;
use crate::data::json::{BadItem, List};

/// All pages of a listing, one after the other.
///
/// Cursors are followed as received; other pages are requested after the last item, or by number or offset
/// ([`PageStep`](super::PageStep)). If the documents bound the time that one query may span, a longer range is queried
/// in parts. Parts overlap by two milliseconds if items have ids, so that it does not matter whether the ends of a
/// range belong to it. If items have no ids, parts follow each other without a gap, and both ends of a part are assumed
/// to be inclusive.
///
/// An item is left out if it was listed already, with the same id and equal in every field. The two fills of a
/// self-trade share an id and are both listed. An order that changed during the listing, such as one that was filled,
/// is listed again in its new state; to count orders, keep the latest of each id.
///
/// A listing contains what the exchange shows at the time of each query, up to the end of the requested times. A range
/// without an end goes until now, and so does one that has to be split and ends in the future: [`Page::range`] contains
/// the end. If the client's clock and the exchange's as answers show it differ, the later one ends what is asked for, and
/// the earlier one that range. Items that become visible later are not listed, nor are items after the first page if
/// newer ones come first: [`settled`](Self::settled) listings leave the last minutes to the next run. Without a beginning,
/// the exchange decides how far back the listing goes.
///
/// Times before the documented limit of access are refused, or clipped and reported with [`clip`](Self::clip). This is
/// checked for each page, because time passes. A failed call, a success without a page, and a repeated cursor are
/// errors; only a listing whose [`position`](Self::position) is at its end is complete.
///
/// Calls keep the client's rate limits. Memory holds a hash of each item of two parts.
///
/// ```
/// use tradeapi_runtime::pages::{PageError, Paged, Pages};
///
/// async fn count<O: Paged>(mut pages: Pages<O>) -> Result<usize, PageError> {
///     let mut count = 0;
///     while let Some(page) = pages.next_page().await {
///         count += page?.list.len();
///         let _saved: String = pages.position().to_string();
///     }
///     Ok(count)
/// }
/// ```
#[must_use = "nothing is sent until a page is requested"]
pub struct Pages<O: Paged> {
    requests: Requests<O>,
    walk: Walk,
}

impl<O: Paged> Pages<O> {
    /// Returns the pages that answer `request`, beginning with its cursor if it has one.
    pub fn new(client: ClientCore, request: O) -> Self {
        let at = Position::first(&request);
        let requests = Requests::of(request);
        Self { walk: Walk::new(client, O::META, O::HAS_ID, requests.count(), at), requests }
    }

    /// Lists the parts of a long range in this order; by default, the newest first. Has no effect after the first page,
    /// or after [`resume`](Self::resume), which keeps the order of the position.
    pub fn ranges(mut self, order: RangeOrder) -> Self {
        self.walk.order(order);
        self
    }

    /// Lists the accessible part of a range that begins before the limit of access, now or after a pause. The first
    /// page after that reports it, and the position keeps it: [`Position::missing`].
    ///
    /// By default, such a listing is refused: before anything is sent, or when time has passed and more than the first
    /// minute would be missed. The position does not change, so that the listing can be resumed with clipping.
    pub fn clip(mut self) -> Self {
        self.walk.clips = true;
        self
    }

    /// Ends the range ten minutes ago at the latest, by whichever clock is behind. All items of these times are visible,
    /// so that a later run can go on from there and neither loses nor repeats one: see [`resume`](Self::resume). A
    /// request without a beginning is not affected.
    ///
    /// There is no page of a range that begins later, and the position stays at its beginning.
    pub fn settled(mut self) -> Self {
        self.walk.settles = true;
        self
    }

    /// Retries calls after transient failures. By default, the caller decides whether to request the page again.
    pub fn retrying(mut self, policy: RetryPolicy) -> Self {
        self.walk.retry = Some(policy);
        self
    }

    /// Continues from a position of the same listing.
    ///
    /// Listed items are not repeated as far as the position knows them: it contains hashes of the latest hundred items,
    /// which a page may repeat. Each border of the current part may take another call, which finds out which of its
    /// items were listed. If the exchange repeats older items, they are listed again.
    ///
    /// The end of the times is that of the position, which was chosen by the run that began the listing. If the end of
    /// the request is later, or if it has none, a [`settled`](Self::settled) listing then goes on from its last time to
    /// that end, once. Where each run is settled, each item is listed by one of them, whenever they are killed.
    ///
    /// The order of the parts is that of the position.
    ///
    /// # Errors
    ///
    /// Fails if the position belongs to another listing, or if that has ended before the end of the request and was not
    /// settled: items may have become visible since.
    pub fn resume(mut self, position: &Position) -> Result<Self, PositionError> {
        self.walk.resume(position)?;
        Ok(self)
    }

    /// Returns the position of the next page. Save it after processing the pages before.
    pub fn position(&self) -> &Position {
        &self.walk.at
    }

    /// Returns the next page; `None` at the end of the listing.
    ///
    /// After a failed call, the same page is requested again. After a refusal or a repeated cursor there is no further
    /// page, but the position is not at its end and can be resumed. If the future is dropped, no call has to be
    /// repeated.
    ///
    /// # Errors
    ///
    /// See [`PageError`].
    pub async fn next_page(&mut self) -> Option<Result<Page<O::Item>, PageError>> {
        let page = self.advance().await?;
        Some(page.map(|page| page.with(self.take_list())))
    }

    /// Reads as [`next_page`](Self::next_page) does, but leaves the items for [`take_list`](Self::take_list).
    pub(crate) fn advance(&mut self) -> PageFuture<'_> {
        self.walk.next_page(&mut self.requests)
    }

    /// Takes the items of the page.
    pub(crate) fn take_list(&mut self) -> List<O::Item> {
        self.requests.take_list()
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("operation", &O::META.id).field("at", &self.walk.at).finish_non_exhaustive()
    }
}

/// The items of all pages of a listing, one after the other.
#[must_use = "nothing is sent until an item is requested"]
pub struct Items<O: Paged> {
    pages: Pages<O>,
    ready: std::vec::IntoIter<O::Item>,
    /// The position of the page whose items are ready.
    begun: Position,
    bad: Vec<BadItem>,
    clipped: Option<Clipped>,
    failed: bool,
}

impl<O: Paged> Pages<O> {
    /// Returns the items of all pages, one after the other, up to the first error. To go on after an error,
    /// [`resume`](Self::resume) from [`Items::position`].
    pub fn items(self) -> Items<O> {
        let begun = self.position().clone();
        Items { pages: self, ready: Vec::new().into_iter(), begun, bad: Vec::new(), clipped: None, failed: false }
    }
}

impl<O: Paged> Items<O> {
    /// Returns the next item; `None` at the end of the listing, and after an error. Unreadable items are in
    /// [`bad`](Self::bad).
    ///
    /// So a loop that skips errors ends. To go on after an error, [`resume`](Pages::resume) a listing from the
    /// [`position`](Self::position), or let calls be [retried](Pages::retrying).
    ///
    /// # Errors
    ///
    /// As [`Pages::next_page`].
    pub async fn next(&mut self) -> Option<Result<O::Item, PageError>> {
        loop {
            if let Some(item) = self.ready.next() {
                return Some(Ok(item));
            }
            if self.failed {
                return None;
            }
            self.begun = self.pages.position().clone();
            let page = match self.pages.next_page().await? {
                Ok(page) => page,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            };
            self.ready = page.list.items.into_iter();
            self.bad.extend(page.list.bad);
            self.clipped = page.clipped.map(|clipped| clipped.with(self.clipped)).or(self.clipped);
        }
    }

    /// Returns the items so far that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        &self.bad
    }

    /// Returns the part of the requested times that is not accessible, as far as known from these items. For what was
    /// clipped before a restart, see [`Position::missing`].
    pub fn clipped(&self) -> Option<Clipped> {
        self.clipped
    }

    /// Returns the position to continue from: the beginning of the current page while items of it are left.
    pub fn position(&self) -> &Position {
        if self.ready.len() > 0 { &self.begun } else { self.pages.position() }
    }
}

impl<O: Paged> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("pages", &self.pages).field("ready", &self.ready.len()).finish_non_exhaustive()
    }
}
