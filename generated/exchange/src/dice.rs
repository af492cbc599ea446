//! Pseudorandom numbers from a seed.

use serde::{Deserialize, Serialize};

/// The seed of all random behaviour, such as prices and orders of other participants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

/// SplitMix64: the next number is a hash of a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The generator for one purpose of a seed.
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

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// The generator for a name, given in parts.
    pub(crate) fn named(seed: Seed, name: &[&str]) -> Self {
        Self::new(seed, Self::hash(name))
    }

    /// FNV-1a of the parts of a name. Replayed journals need the same hash in every program.
    pub(crate) fn hash(name: &[&str]) -> u64 {
        Self::hash_on(0xcbf2_9ce4_8422_2325, name)
    }

    /// Continues a hash with further parts of a name.
    pub(crate) fn hash_on(hash: u64, name: &[&str]) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        name.iter().fold(hash, |hash, part| part.bytes().fold(hash, step))
    }

    /// True with a probability in percent.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// A random item by weight; `None` if the weights are zero.
    pub(crate) fn weighted<T: Copy>(&mut self, all: &[(T, u64)]) -> Option<T> {
        let mut left = self.below(all.iter().map(|(_, weight)| weight).sum());
        let chosen = all.iter().find(|(_, weight)| {
            let is_chosen = left < *weight;
            left = left.saturating_sub(*weight);
            is_chosen
        });
        chosen.map(|(one, _)| *one)
    }

    /// Sixteen hexadecimal digits.
    pub(crate) fn digits(&mut self) -> String {
        format!("{:016x}", self.next())
    }
}
