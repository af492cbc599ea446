//! Pseudorandom numbers from a seed.

use serde::{Deserialize, Serialize};

/// The seed of all random behaviour, such as prices and orders of other participants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

/// SplitMix64: the next number is a hash of a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Returns the generator for one purpose of a seed.
    pub(crate) fn new(seed: Seed, purpose: u64) -> Self {
        let mut dice = Self(seed.0 ^ purpose.wrapping_mul(0xd6e8_feb8_6659_fd93));
        dice.next();
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns the generator for a name, given in parts.
    pub(crate) fn named(seed: Seed, name: &[&str]) -> Self {
        Self::new(seed, Self::hash(name))
    }

    /// Returns a hash of the parts of a name. Replayed journals need the same hash in every program.
    pub(crate) fn hash(name: &[&str]) -> u64 {
        Self::hash_on(0xcbf2_9ce4_8422_2325, name)
    }

    /// Continues a hash with further parts of a name.
    pub(crate) fn hash_on(hash: u64, name: &[&str]) -> u64 {
        name.iter().fold(hash, |hash, part| hash_part(hash, part.as_bytes()))
    }

    /// Returns true with a probability in percent.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// Decides as [`percent`](Self::percent) does, but a chance of zero throws no number, so that those after it stay
    /// the same.
    pub(crate) fn is_rare(&mut self, chance: u64) -> bool {
        chance > 0 && self.percent(chance)
    }

    /// Returns a random item by weight; `None` if the weights are zero.
    pub(crate) fn weighted<T: Copy>(&mut self, all: &[(T, u64)]) -> Option<T> {
        let mut left = self.below(all.iter().map(|(_, weight)| weight).sum());
        let chosen = all.iter().find(|(_, weight)| {
            let is_chosen = left < *weight;
            left = left.saturating_sub(*weight);
            is_chosen
        });
        chosen.map(|(one, _)| *one)
    }

    /// Returns sixteen hexadecimal digits.
    pub(crate) fn digits(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}

/// Hashes word by word, because a request has hundreds of bytes and each step waits for the one before.
fn hash_part(hash: u64, part: &[u8]) -> u64 {
    let step = |hash: u64, word: [u8; 8]| {
        let product = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        product ^ (product >> 32)
    };
    let (words, rest) = part.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // The length separates the parts.
    let hash = step(hash, (part.len() as u64).to_le_bytes());
    step(words.iter().fold(hash, |hash, word| step(hash, *word)), last)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Dice;

    #[test]
    fn similar_names_have_different_hashes() {
        let text = "0123456789abcdef".repeat(4);
        let prefixes = (0..text.len()).map(|end| vec![&text[..end]]);
        let splits = (0..text.len()).map(|at| vec![&text[..at], &text[at..]]);
        let numbers: Vec<_> = (0..10_000).map(|number| format!("POST /orders {{\"id\":\"{number}\"}}")).collect();
        let names: Vec<_> = prefixes.chain(splits).chain(numbers.iter().map(|name| vec![name.as_str()])).collect();
        let hashes: HashSet<_> = names.iter().map(|name| Dice::hash(name)).collect();
        assert_eq!(hashes.len(), names.len());
        // The bits of a hash depend on all of the name, the upper and the lower ones.
        let halves = |of: fn(u64) -> u64| hashes.iter().map(|hash| of(*hash)).collect::<HashSet<_>>().len();
        assert!(halves(|hash| hash >> 32) > names.len() - 10 && halves(|hash| hash & 0xffff_ffff) > names.len() - 10);
        assert_eq!(Dice::hash(&["a", "b"]), Dice::hash_on(Dice::hash(&["a"]), &["b"]));
    }
}
