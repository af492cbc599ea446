//! Bounds the memory of the items of a text's lists. An item of two bytes, `{}`, can become a record of a thousand, so
//! without a bound a body of a few megabytes would fill gigabytes.
//!
//! The bound is in bytes, not in items: a list of normal items may have any length. Dropping items instead would hide
//! orders.

/// The memory that the items of a text may take, in lengths of the text. Records as the documents show them take about
/// as much as their text, and up to three times that while their list grows.
const PER_BYTE: usize = 6;

/// The memory that the items of any text may take: several times the largest page of any operation, even of empty
/// records.
const MIN_ROOM: usize = 16 << 20;

/// The memory that is left for items, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Room {
    left: usize,
    is_used_up: bool,
    /// True if a list was given capacity for the rest of the text.
    has_guessed: bool,
}

impl Room {
    /// Returns the room that the items of a text of this length have.
    pub(super) fn for_text(length: usize) -> Self {
        Self { left: length.saturating_mul(PER_BYTE).max(MIN_ROOM), is_used_up: false, has_guessed: false }
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.is_used_up
    }

    /// Reserves `bytes`; returns false if fewer are left.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        self.is_used_up |= bytes > self.left;
        self.left = self.left.saturating_sub(bytes);
        !self.is_used_up
    }

    /// Gives a full list more capacity; false if there is no room for that. `ahead` has the lengths of the text after
    /// its last item and of the text before that; it is `None` for a list of which a text may have many.
    ///
    /// The first list is given an eighth more than the text ahead at once, because records take about as much as their
    /// text. After that a list grows by what the text ahead probably needs, and at most to three times its capacity.
    pub(super) fn grow<T>(&mut self, items: &mut Vec<T>, ahead: Option<(usize, usize)>) -> bool {
        let size = size_of::<T>().max(1);
        let first = if size <= 1024 { 4 } else { 1 };
        let old = items.capacity();
        let more = match ahead {
            Some((rest, _)) if old == 0 && !self.has_guessed => {
                self.has_guessed = true;
                ((rest + rest / 8) / size).max(first)
            }
            Some((rest, read)) if old > first => {
                let needed = items.len().saturating_mul(rest) / read.max(1);
                (needed + needed / 16).clamp(old / 2, old.saturating_mul(2))
            }
            Some(_) | None => old.max(first),
        };
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
        while items.len() < items.capacity() || room.grow(&mut items, None) {
            items.push([0; 1024]);
        }
        // 8,192 items take half of the room, and could not be moved to a place of twice the size.
        assert_eq!((items.len(), items.capacity(), room.is_used_up()), (8_192, 8_192, true));
        assert!(!room.take(0) && !room.grow(&mut Vec::<u8>::new(), None), "what is used up stays so");
        assert!(Room::for_text(usize::MAX).take(usize::MAX));
    }

    #[test]
    fn the_first_list_reserves_its_probable_length() {
        let mut room = Room::for_text(0);
        let (mut first, mut second): (Vec<[u8; 100]>, Vec<[u8; 100]>) = Default::default();
        let ahead = Some((100 * 100, 100));
        assert!(room.grow(&mut first, ahead) && room.grow(&mut second, ahead));
        assert_eq!((first.capacity(), second.capacity()), (112, 4));
        let mut short: Vec<[u8; 100]> = Vec::new();
        assert!(Room::for_text(0).grow(&mut short, Some((10, 100))));
        assert_eq!(short.capacity(), 4);
    }

    #[test]
    fn a_list_reserves_memory_by_the_rest_of_the_text() {
        let grown = |ahead| {
            let mut items = vec![[0_u8; 100]; 100];
            items.shrink_to_fit();
            assert!(Room::for_text(0).grow(&mut items, Some(ahead)));
            items.capacity()
        };
        assert_eq!((grown((600, 1000)), grown((1, 1000)), grown((5000, 1000))), (163, 150, 300));
    }

    #[test]
    fn several_lists_share_the_room() {
        let mut room = Room::for_text(10 << 20);
        let mut lists = vec![Vec::<[u8; 1024]>::new(); 100_000];
        let grown = lists.iter_mut().filter_map(|list| room.grow(list, None).then_some(())).count();
        assert_eq!(grown, PER_BYTE * (10 << 20) / 4096);
    }
}
