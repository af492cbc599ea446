use std::collections::VecDeque;

use super::hash::ItemHash;
use crate::json::{Decode, Encode, JsonWriter, ReadError, Reader};

/// So many hashes are kept: as many as the items of a full page.
const KEPT: usize = 100;

/// The digits of a hash.
const DIGITS: usize = 16;

/// The hashes of the latest items, which a page behind a restart may repeat. As text at most 1,600 digits.
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
            let hashes = text.as_bytes().rchunks(DIGITS).take(KEPT).map(hash);
            hashes.collect::<Option<VecDeque<_>>>().map(|newest_first| Self(newest_first.into_iter().rev().collect()))
        })
    }
}

impl Encode for Recent {
    fn encode(&self, out: &mut JsonWriter) {
        let digits: String = self.0.iter().map(|hash| format!("{hash:0DIGITS$x}")).collect();
        out.string(&digits);
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{read_json, write_json};

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
