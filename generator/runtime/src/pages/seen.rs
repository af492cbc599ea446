use std::collections::HashSet;

/// The ids of items that came already, as far back as they can come again: those of a range and of its neighbour.
#[derive(Debug, Default)]
pub(super) struct Seen {
    now: HashSet<Box<str>>,
    before: HashSet<Box<str>>,
}

impl Seen {
    /// Whether the item with this id is new.
    pub(super) fn is_new(&mut self, id: &str) -> bool {
        !self.before.contains(id) && self.now.insert(id.into())
    }

    /// The next range begins.
    pub(super) fn next_range(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}
