use std::fmt;

use super::core::ClientCore;
use super::items::Items;
use crate::pages::{Page, PageError, Paged, Position, PositionError, RangeOrder};
use crate::retry::RetryPolicy;

/// All pages of a listing, one after the other; see [`Pages`](crate::Pages).
#[must_use = "nothing is sent until a page is asked for"]
pub struct Pages<O: Paged> {
    client: ClientCore,
    pages: crate::Pages<O>,
}

impl<O: Paged> Pages<O> {
    pub(super) fn new(client: ClientCore, pages: crate::Pages<O>) -> Self {
        Self { client, pages }
    }

    /// Lists the parts of a long range in this order; the newest first, if not set. Does nothing once a page has come, or
    /// behind a position, whose order stays.
    pub fn ranges(self, order: RangeOrder) -> Self {
        Self { pages: self.pages.ranges(order), ..self }
    }

    /// Lists what can be had where the range begins before what the documents give access to, now or after a pause; see
    /// [`Pages::clip`](crate::Pages::clip).
    pub fn clip(self) -> Self {
        Self { pages: self.pages.clip(), ..self }
    }

    /// Repeats calls that fail in a way that passes. If not set, the caller decides whether to ask for the page again.
    pub fn retrying(self, policy: RetryPolicy) -> Self {
        Self { pages: self.pages.retrying(policy), ..self }
    }

    /// Goes on from a position of the same listing; see [`Pages::resume`](crate::Pages::resume).
    ///
    /// # Errors
    ///
    /// When the position belongs to another listing.
    pub fn resume(self, position: &Position) -> Result<Self, PositionError> {
        Ok(Self { pages: self.pages.resume(position)?, ..self })
    }

    /// Where the next page begins. Save it once the pages before are dealt with.
    pub fn position(&self) -> &Position {
        self.pages.position()
    }

    /// The items of all pages, one after the other.
    pub fn items(self) -> Items<O> {
        Items::new(self.client, self.pages.items())
    }
}

impl<O: Paged> Iterator for Pages<O> {
    type Item = Result<Page<O::Item>, PageError>;

    /// The next page; see [`Pages::next_page`](crate::Pages::next_page).
    fn next(&mut self) -> Option<Self::Item> {
        self.client.wait(self.pages.next_page())
    }
}

impl<O: Paged> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pages.fmt(f)
    }
}
