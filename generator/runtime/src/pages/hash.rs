//! Tells items apart by all their fields.

use crate::json::{Encode, write_json};

/// A hash of everything that was read of an item: FNV-1a with 128 bits, which is the same everywhere and after a restart.
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

    /// Half as long, for the few that a position carries: all bits mixed, then the upper half.
    pub(super) fn short(self) -> u64 {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        u64::try_from(self.0.wrapping_mul(ODD) >> 64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

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
}
