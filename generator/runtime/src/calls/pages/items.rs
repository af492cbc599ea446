//! The items of all pages of a listing.

use std::fmt;

use super::error::PageError;
use super::listing::Pages;
use super::page::{Clipped, Paged};
use super::position::Position;
use crate::data::json::BadItem;

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
    /// The items of all pages, one after the other, up to the first error. To go on after an error,
    /// [`resume`](Self::resume) from [`Items::position`].
    pub fn items(self) -> Items<O> {
        let begun = self.position().clone();
        Items { pages: self, ready: Vec::new().into_iter(), begun, bad: Vec::new(), clipped: None, failed: false }
    }
}

impl<O: Paged> Items<O> {
    /// The next item; `None` at the end of the listing, and after an error. Unreadable items are in
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

    /// The items so far that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        &self.bad
    }

    /// The part of the requested times that is not accessible, as far as known from these items. For what was clipped
    /// before a restart, see [`Position::missing`].
    pub fn clipped(&self) -> Option<Clipped> {
        self.clipped
    }

    /// The position to continue from: the beginning of the current page while items of it are left.
    pub fn position(&self) -> &Position {
        if self.ready.len() > 0 { &self.begun } else { self.pages.position() }
    }
}

impl<O: Paged> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("pages", &self.pages).field("ready", &self.ready.len()).finish_non_exhaustive()
    }
}
