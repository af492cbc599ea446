//! How much memory the items of a text's lists may take. An item of two bytes, `{}`, can become a record of a thousand,
//! so without a bound a body of a few megabytes would fill gigabytes.

/// How many times its own length the items of a text may take. Records as the documents show them take about as much as
/// their text, and up to three times that while their list grows.
const PER_BYTE: usize = 5;

/// What the items of any text may take: several times the greatest page of any operation, be it of empty records.
const LEAST: usize = 16 << 20;

/// The memory that is left for items, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Room {
    left: usize,
    is_used_up: bool,
}

impl Room {
    /// The room that the items of a text of this length have.
    pub(super) fn for_text(length: usize) -> Self {
        Self { left: length.saturating_mul(PER_BYTE).max(LEAST), is_used_up: false }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.is_used_up
    }

    /// Takes so many bytes; false when they are not there.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.is_used_up |= bytes > self.left;
        self.left = self.left.saturating_sub(bytes);
        !self.is_used_up
    }

    /// Doubles the capacity of a full list, as it would do itself; false when there is no room for that.
    #[cold]
    pub(super) fn grow<T>(&mut self, items: &mut Vec<T>) -> bool {
        let size = size_of::<T>();
        let first = if size <= 1024 { 4 } else { 1 };
        let (old, more) = (items.capacity(), items.capacity().max(first));
        // While the items move, they are in memory twice.
        let moved = old.saturating_mul(size);
        let has_room = self.take(more.saturating_mul(size).saturating_add(moved));
        if has_room {
            self.left += moved;
            items.reserve_exact(more);
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_while_there_is_room() {
        let mut room = Room::for_text(0);
        let mut items: Vec<[u8; 1024]> = Vec::new();
        while items.len() < items.capacity() || room.grow(&mut items) {
            items.push([0; 1024]);
        }
        // 8,192 items take half of the room, and could not be moved to a place of twice the size.
        assert_eq!((items.len(), items.capacity(), room.is_used_up()), (8_192, 8_192, true));
        assert!(!room.take(0) && !room.grow(&mut Vec::<u8>::new()), "what is used up stays so");
        assert!(Room::for_text(usize::MAX).take(usize::MAX));
    }

    #[test]
    fn several_lists_share_the_room() {
        let mut room = Room::for_text(10 << 20);
        let mut lists = vec![Vec::<[u8; 1024]>::new(); 100_000];
        let grown = lists.iter_mut().filter_map(|list| room.grow(list).then_some(())).count();
        assert_eq!(grown, (50 << 20) / 4096);
    }
}
