//! Texts that are kept inline if they are short, comparisons of short texts, and the change that an amendment makes to
//! a value.
//!
//! Ids of up to 40 bytes are inline and numbers of up to 24: UUIDs then need no allocation, of which a page of orders
//! had 25. A type of 48 bytes for numbers too would make records a quarter larger.

use std::cmp::Ordering;
use std::fmt::{Display, Write};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrayvec::ArrayString;

/// A text that needs no allocation while it is short, as nearly all numbers and ids are: up to `SHORT` bytes. The whole
/// type is then a word longer, which is four words for a number.
#[derive(Clone)]
pub(super) enum SmallText<const SHORT: usize = 24> {
    Short(ArrayString<SHORT>),
    Long(Arc<str>),
}

impl<const SHORT: usize> SmallText<SHORT> {
    pub(super) const EMPTY: Self = Self::Short(ArrayString::new_const());

    #[inline]
    pub(super) fn new(text: &str) -> Self {
        ArrayString::from(text).map_or_else(|_| Self::Long(text.into()), Self::Short)
    }

    /// Returns the text that `value` is displayed as.
    pub(super) fn of(value: &dyn Display) -> Self {
        let mut short = ArrayString::new();
        match write!(short, "{value}") {
            Ok(()) => Self::Short(short),
            Err(_) => Self::Long(value.to_string().into()),
        }
    }

    /// Returns the texts, one after the other.
    pub(super) fn joined(texts: &[&str]) -> Self {
        let mut short = ArrayString::new();
        match texts.iter().try_for_each(|text| short.try_push_str(text)) {
            Ok(()) => Self::Short(short),
            Err(_) => Self::Long(texts.concat().into()),
        }
    }

    /// Replaces the text by `text`, in place.
    #[inline]
    pub(super) fn set(&mut self, text: &str) {
        *self = Self::EMPTY;
        match self {
            Self::Short(short) if text.len() <= SHORT => short.push_str(text),
            _ => *self = Self::Long(text.into()),
        }
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Short(text) => text,
            Self::Long(text) => text,
        }
    }
}

impl<const SHORT: usize> PartialEq for SmallText<SHORT> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl<const SHORT: usize> Eq for SmallText<SHORT> {}

impl<const SHORT: usize> PartialOrd for SmallText<SHORT> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const SHORT: usize> Ord for SmallText<SHORT> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl<const SHORT: usize> Hash for SmallText<SHORT> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

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

/// Returns the first `N` bytes and the last `N`, which are all bytes if there are no more than twice as many.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> Option<([u8; N], [u8; N])> {
    Some((*text.first_chunk()?, *text.last_chunk()?))
}

/// The change that an amendment makes to a value that is already set.
///
/// On the wire a deletion is a text of its own, such as `0`. Setting a value with that text deletes it, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edit<T> {
    /// Keeps the value; nothing is sent.
    #[default]
    Keep,
    /// Replaces it.
    Set(T),
    /// Removes it.
    Delete,
}

impl<T> Edit<T> {
    /// Returns the new value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Delete => None,
        }
    }

    /// Converts the new value, if there is one.
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Edit<U> {
        match self {
            Self::Keep => Edit::Keep,
            Self::Set(value) => Edit::Set(of(value)),
            Self::Delete => Edit::Delete,
        }
    }
}

impl<T> From<T> for Edit<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

impl From<&str> for Edit<String> {
    fn from(value: &str) -> Self {
        Self::Set(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SmallText, is_same};

    #[test]
    fn keeps_texts_of_any_length() {
        for length in [0, 1, 23, 24, 25, 1000] {
            let text = "a".repeat(length);
            let mut small: SmallText = SmallText::new(&text);
            assert_eq!((small.as_str(), SmallText::<40>::of(&text).as_str()), (&*text, &*text));
            assert_eq!(SmallText::<24>::joined(&[&text[..length / 2], "", &text[length / 2..]]).as_str(), text);
            assert_eq!(matches!(small, SmallText::Short(_)), length <= 24);
            small.set("b");
            assert_eq!(small.as_str(), "b");
        }
    }

    #[test]
    fn is_compared_as_text() {
        assert!(SmallText::<24>::new("a") == SmallText::Long("a".into()));
        assert!(SmallText::<24>::new("b") > SmallText::Long("a".into()));
        assert_eq!(size_of::<Option<SmallText>>(), 4 * size_of::<u64>());
        assert_eq!(size_of::<Option<SmallText<40>>>(), 6 * size_of::<u64>());
    }

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
