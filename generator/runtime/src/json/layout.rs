//! The order of an object's members, learned from the objects of a list.
//!
//! One program writes all of them, so what stood at a place the last time probably stands there again. To see that it
//! does takes less time than to read a name and look for it.

use std::ops::Range;

/// How many members that are no fields are remembered, so that no text can make the list long.
const MOST_UNKNOWN: usize = 64;

/// The members that objects with these fields had so far, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    fields: &'static [&'static str],
    members: Vec<Seen>,
}

/// A member that came.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Where its name stands in the text, from the opening quote to the colon.
    pub(super) name: Range<usize>,
    /// Which of the fields it is, if any.
    pub(super) field: Option<usize>,
}

impl Layout {
    /// Nothing came yet.
    pub(super) fn of(fields: &'static [&'static str]) -> Self {
        Self { fields, members: Vec::new() }
    }

    pub(super) fn is_of(&self, fields: &'static [&'static str]) -> bool {
        std::ptr::eq(self.fields, fields)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member that came at `place`.
    #[inline]
    pub(super) fn at(&self, place: usize) -> Option<&Seen> {
        self.members.get(place)
    }

    /// The field with this name. It is looked for from `expected` on, and round again from the first.
    pub(super) fn field(&self, name: &str, expected: usize) -> Option<usize> {
        let (before, after) = self.fields.split_at_checked(expected).unwrap_or((self.fields, &[]));
        let behind = after.iter().position(|field| *field == name).map(|place| place + before.len());
        behind.or_else(|| before.iter().position(|field| *field == name))
    }

    /// Remembers a member that came at `place` of `text`'s present object. Gives the place of what comes next.
    pub(super) fn learn(&mut self, text: &str, seen: Seen, place: usize) -> usize {
        let name = &text[seen.name.clone()];
        if let Some(known) = self.members.iter().position(|other| &text[other.name.clone()] == name) {
            return known + 1;
        }
        if self.members.len() == self.fields.len() + MOST_UNKNOWN {
            return place;
        }
        self.members.reserve(self.fields.len().saturating_sub(self.members.len()));
        self.members.insert(place, seen);
        place + 1
    }
}
