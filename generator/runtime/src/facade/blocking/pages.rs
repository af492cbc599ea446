//! Listings of the blocking client.

use std::fmt;

use super::client::ClientCore;
use crate::calls::pages::{Clipped, Page, PageError, Paged, Position, PositionError, RangeOrder};
use crate::calls::retry::RetryPolicy;
use crate::data::json::BadItem;

/// All pages of a listing, one after the other; see [`Pages`](crate::calls::pages::Pages).
///
/// The iterator ends after the first error, so that `flatten` and loops that skip errors end. To go on after an error,
/// [`resume`](Self::resume) a listing from the [`position`](Self::position), or let calls be
/// [retried](Self::retrying).
#[must_use = "nothing is sent until a page is requested"]
pub struct Pages<O: Paged> {
    client: ClientCore,
    pages: crate::calls::pages::Pages<O>,
    failed: bool,
}

impl<O: Paged> Pages<O> {
    /// The pages that answer `request`, beginning with its cursor if it has one. Nothing is sent yet.
    pub fn new(client: ClientCore, request: O) -> Self {
        let pages = crate::calls::pages::Pages::new(client.to_async().clone(), request);
        Self { client, pages, failed: false }
    }

    /// Lists the parts of a long range in this order; by default, the newest first. Has no effect after the first page,
    /// or after [`resume`](Self::resume), which keeps the order of the position.
    pub fn ranges(self, order: RangeOrder) -> Self {
        Self { pages: self.pages.ranges(order), ..self }
    }

    /// Lists the accessible part of a range that begins earlier than the exchange gives access to; see
    /// [`Pages::clip`](crate::calls::pages::Pages::clip).
    pub fn clip(self) -> Self {
        Self { pages: self.pages.clip(), ..self }
    }

    /// Ends the range ten minutes ago, where everything is visible, so that a later run can go on from there; see
    /// [`Pages::settled`](crate::calls::pages::Pages::settled).
    pub fn settled(self) -> Self {
        Self { pages: self.pages.settled(), ..self }
    }

    /// Retries calls after transient failures. By default, the caller decides whether to request the page again.
    pub fn retrying(self, policy: RetryPolicy) -> Self {
        Self { pages: self.pages.retrying(policy), ..self }
    }

    /// Continues from a position of the same listing; see [`Pages::resume`](crate::calls::pages::Pages::resume).
    ///
    /// # Errors
    ///
    /// Fails if the position belongs to another listing, or if that has ended and cannot go on.
    pub fn resume(self, position: &Position) -> Result<Self, PositionError> {
        Ok(Self { pages: self.pages.resume(position)?, ..self })
    }

    /// The position of the next page; after an error, of the page that could not be read. Save it after processing the pages before.
    pub fn position(&self) -> &Position {
        self.pages.position()
    }

    /// The items of all pages, one after the other, up to the first error.
    pub fn items(self) -> Items<O> {
        Items { client: self.client, items: self.pages.items() }
    }
}

impl<O: Paged> Iterator for Pages<O> {
    type Item = Result<Page<O::Item>, PageError>;

    /// The next page; `None` at the end of the listing, and after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let page = self.client.wait(self.pages.next_page());
        self.failed = matches!(page, Some(Err(_)));
        page
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pages.fmt(f)
    }
}

/// The items of all pages of a listing, one after the other; see [`Items`](crate::calls::pages::Items).
///
/// The iterator ends after the first error. To go on, [`resume`](Pages::resume) a listing from the
/// [`position`](Self::position).
#[must_use = "nothing is sent until an item is requested"]
pub struct Items<O: Paged> {
    client: ClientCore,
    items: crate::calls::pages::Items<O>,
}

impl<O: Paged> Items<O> {
    /// The items so far that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        self.items.bad()
    }

    /// The part of the requested times that is not accessible, as far as known.
    pub fn clipped(&self) -> Option<Clipped> {
        self.items.clipped()
    }

    /// The position to continue from: the beginning of the current page while items of it are left.
    pub fn position(&self) -> &Position {
        self.items.position()
    }
}

impl<O: Paged> Iterator for Items<O> {
    type Item = Result<O::Item, PageError>;

    /// The next item; `None` at the end of the listing, and after an error. Items that cannot be read are found in
    /// [`bad`](Self::bad).
    fn next(&mut self) -> Option<Self::Item> {
        self.client.wait(self.items.next())
    }
}

impl<O: Paged> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
