//! Compares short texts.

/// Returns whether two texts are the same. Names and words are short, and a call of `memcmp` takes longer than
/// comparing two words that overlap.
#[inline]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len()
        && match one.len() {
            0..4 => one.iter().zip(other).all(|(one, other)| one == other),
            4..8 => ends::<4>(one) == ends(other),
            8..=16 => ends::<8>(one) == ends(other),
            17..=32 => ends::<16>(one) == ends(other),
            _ => one == other,
        }
}

/// The first `N` bytes and the last `N`, which are all bytes if there are no more than twice as many.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> Option<([u8; N], [u8; N])> {
    Some((*text.first_chunk()?, *text.last_chunk()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_same;

    proptest! {
        #[test]
        fn texts_are_the_same_byte_for_byte(text in prop::collection::vec(any::<u8>(), 0..70), at: prop::sample::Index) {
            prop_assert!(is_same(&text, &text.clone()));
            prop_assert!(!is_same(&text, &[&text[..], b"x"].concat()));
            if !text.is_empty() {
                let mut other = text.clone();
                other[at.index(text.len())] ^= 0x20;
                prop_assert!(!is_same(&text, &other));
            }
        }
    }
}
