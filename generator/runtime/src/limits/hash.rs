use std::hash::{BuildHasherDefault, Hasher};

/// Hashes names in few steps. Names come from the program itself, so no one is kept from choosing them badly.
pub(super) type BuildFold = BuildHasherDefault<Fold>;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fold(u64);

/// A name that stands for another one without telling it in passing.
#[cfg(feature = "redis")]
pub(super) fn name_of(name: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(name).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl Fold {
    #[inline]
    fn add(&mut self, word: u64) {
        // An odd number without a pattern: the golden ratio's.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(SPREAD);
    }
}

impl Hasher for Fold {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.add(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u8(*byte));
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.add(byte.into());
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // Products spread upwards only; tables look at the low end.
        self.0 ^ (self.0 >> 32)
    }
}
