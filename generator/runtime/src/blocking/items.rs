use std::fmt;

use super::core::ClientCore;
use crate::pages::{Clipped, PageError, Paged, Position};
use crate::value::BadItem;

/// The items of all pages of a listing, one after the other; see [`Items`](crate::Items).
#[must_use = "nothing is sent until an item is asked for"]
pub struct Items<O: Paged> {
    client: ClientCore,
    items: crate::Items<O>,
}

impl<O: Paged> Items<O> {
    pub(super) fn new(client: ClientCore, items: crate::Items<O>) -> Self {
        Self { client, items }
    }

    /// The items so far that could not be read.
    pub fn bad(&self) -> &[BadItem] {
        self.items.bad()
    }

    /// What of the times asked for cannot be had, as far as is known.
    pub fn clipped(&self) -> Option<Clipped> {
        self.items.clipped()
    }

    /// Where to go on. As long as items of a page are left, that is the beginning of their page.
    pub fn position(&self) -> &Position {
        self.items.position()
    }
}

impl<O: Paged> Iterator for Items<O> {
    type Item = Result<O::Item, PageError>;

    /// The next item. Items that cannot be read are found in [`bad`](Self::bad).
    fn next(&mut self) -> Option<Self::Item> {
        self.client.wait(self.items.next())
    }
}

impl<O: Paged> fmt::Debug for Items<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}
