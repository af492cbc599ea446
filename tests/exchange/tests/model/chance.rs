//! Pseudorandom numbers.

/// Pseudorandom numbers from a seed, by SplitMix64.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    pub(super) fn is(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(super) fn number(&mut self, end: i64) -> i64 {
        i64::try_from(self.below(u64::try_from(end).unwrap())).unwrap()
    }

    pub(super) fn place(&mut self, end: usize) -> usize {
        usize::try_from(self.below(u64::try_from(end).unwrap())).unwrap()
    }

    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.place(of.len())].clone()
    }
}
