//! Random decisions that a test can repeat.

/// A pseudorandom generator whose numbers follow from a seed and a name alone, not from time or scheduling.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Returns the generator for a name.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a; the first throw mixes it.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, step))
    }

    /// Returns the generator for something with this hash.
    pub fn of_hash(seed: u64, hash: u64) -> Self {
        let mut dice = Self(seed.wrapping_add(hash.rotate_left(32)));
        // Sums of other seeds and hashes are nearby.
        Self(dice.throw() ^ hash)
    }

    /// Returns the next number, by splitmix64.
    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.throw() % end.max(1)
    }

    /// Returns true with a probability in percent.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// Returns a random item by weight.
    ///
    /// # Panics
    ///
    /// There are no items.
    pub fn weighted<T: Copy>(&mut self, all: &[(T, u64)]) -> T {
        let mut left = self.below(all.iter().map(|(_, weight)| weight).sum());
        let chosen = all.iter().find(|(_, weight)| {
            let is_chosen = left < *weight;
            left = left.saturating_sub(*weight);
            is_chosen
        });
        chosen.or(all.last()).map(|(one, _)| *one).expect("there is something to choose from")
    }

    /// Returns a random index into `text`.
    pub fn place_in(&mut self, text: &[u8]) -> usize {
        usize::try_from(self.below(text.len() as u64)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_name_always_throws_the_same_and_another_does_not() {
        let throws = |seed, name| {
            let mut dice = Dice::new(seed, name);
            [dice.throw(), dice.throw(), dice.throw()]
        };
        assert_eq!(throws(1, "a"), throws(1, "a"));
        assert_ne!(throws(1, "a"), throws(2, "a"));
        assert_ne!(throws(1, "a"), throws(1, "b"));
    }

    #[test]
    fn weights_are_kept() {
        let mut dice = Dice::new(7, "weights");
        let count = (0..10_000).filter(|_| dice.weighted(&[(true, 1), (false, 3)])).count();
        assert!((2_300..2_700).contains(&count), "{count}");
        assert!((0..1_000).all(|_| dice.weighted(&[(false, 0), (true, 1), (false, 0)])));
    }
}
