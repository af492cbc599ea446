//! The listed items that a listing may repeat.
//!
//! They are recognized by a hash of all fields, FNV-1a, whose values are part of stored positions. A position carries
//! those of the latest hundred items only.

use std::collections::{HashSet, VecDeque};
use std::fmt::{self, Write};

use crate::data::json::{Decode, Encode, JsonWriter, ReadError, Reader, RecordField, write_json};

/// The listed items that can be repeated: those of a part and of its neighbour, and those right before a restart.
#[derive(Debug, Default)]
pub(super) struct Seen {
    now: HashSet<ItemHash>,
    before: HashSet<ItemHash>,
    /// The records at the end of the listing that this one goes on from.
    earlier: HashSet<ItemHash>,
    restart: HashSet<u64>,
}

impl Seen {
    /// The state after a restart.
    pub(super) fn restarted(recent: &Recent) -> Self {
        Self { restart: recent.iter().collect(), ..Self::default() }
    }

    /// Returns whether the item is new.
    pub(super) fn is_new(&mut self, item: ItemHash) -> bool {
        let came_before = self.before.contains(&item) || self.earlier.contains(&item);
        self.now.insert(item) && !came_before && !self.restart.contains(&item.short())
    }

    /// Adds an item of the previous part.
    pub(super) fn came_before(&mut self, item: ItemHash) {
        self.before.insert(item);
    }

    /// Adds an item at the end of the listing that this one goes on from.
    pub(super) fn was_listed(&mut self, item: ItemHash) {
        self.earlier.insert(item);
    }

    /// The next part begins.
    pub(super) fn next_part(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }
}

/// A hash of everything that was read of an item: FNV-1a with 128 bits, which is the same everywhere and after a
/// restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ItemHash(u128);

impl ItemHash {
    pub(super) fn of_item(item: &impl Encode) -> Self {
        Self::of_text(&write_json(item))
    }

    pub(super) fn of_text(text: &str) -> Self {
        const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        Self(text.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME)))
    }

    /// A hash of 64 bits for positions: all bits mixed, then the upper half.
    pub(super) fn short(self) -> u64 {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        u64::try_from(self.0.wrapping_mul(ODD) >> 64).unwrap_or_default()
    }
}

/// The number of hashes to keep, which is that of the items of a full page.
const KEPT: usize = 100;

/// The digits of a hash.
const DIGITS: usize = 16;

/// The hashes of the latest items, which a page after a restart may repeat. As text at most 1,600 digits.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Recent(VecDeque<u64>);

impl Recent {
    pub(super) fn push(&mut self, hash: ItemHash) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0.push_back(hash.short());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

impl Decode for Recent {
    fn decode(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let hash = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        from.parsed("hashes of items", |text| {
            let mut hashes = VecDeque::new();
            for newest in text.as_bytes().rchunks(DIGITS).take(KEPT) {
                hashes.push_front(hash(newest)?);
            }
            Some(Self(hashes))
        })
    }
}

impl Encode for Recent {
    fn encode(&self, out: &mut JsonWriter) {
        let mut digits = String::new();
        for hash in &self.0 {
            // Writing to a text does not fail.
            let _ = write!(digits, "{hash:0DIGITS$x}");
        }
        out.string(&digits);
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

impl RecordField for Recent {
    fn shown(&self) -> Option<&dyn fmt::Debug> {
        (!self.0.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::data::json::{read_json, write_json};

    #[test]
    fn is_the_published_function() {
        assert_eq!(ItemHash::of_text("a").0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(ItemHash::of_text("foobar").0, 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn short_ones_differ_too() {
        let short: HashSet<u64> =
            (0..100_000).map(|n| ItemHash::of_text(&format!("{{\"id\":\"{n}\"}}")).short()).collect();
        assert_eq!(short.len(), 100_000);
    }

    #[test]
    fn the_latest_are_kept_and_written_down() -> Result<(), ReadError> {
        let mut recent = Recent::default();
        (0..KEPT + 5).for_each(|n| recent.push(ItemHash::of_text(&n.to_string())));
        let expected: Vec<u64> = (5..KEPT + 5).map(|n| ItemHash::of_text(&n.to_string()).short()).collect();
        assert_eq!(recent.iter().collect::<Vec<_>>(), expected);
        assert_eq!(read_json::<Recent>(&write_json(&recent))?, recent);
        assert!(read_json::<Recent>("\"what\"").is_err());
        Ok(())
    }
}
