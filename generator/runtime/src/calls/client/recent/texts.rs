//! The texts of the remembered requests, in which ids are searched.
//!
//! They are copied into one buffer: if each request kept its memory for hours, every call would allocate cold memory.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::mem;
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::data::json::each_text;

/// Texts, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The length of each text, and the strings in it.
    texts: VecDeque<(usize, Strings)>,
    /// All texts, one after the other.
    bytes: VecDeque<u8>,
    /// The hashes of the strings in the first texts, one after the other. Most texts are never searched, so they are
    /// hashed when one is.
    hashes: VecDeque<u32>,
    /// The number of hashed texts, and their length.
    hashed: (usize, usize),
}

/// The strings in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strings {
    /// They are not hashed yet.
    Unknown,
    /// The number.
    Hashed(usize),
    /// The text is not UTF-8, so it may contain any id once.
    Any,
}

impl Texts {
    /// Returns the length of all texts together.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend(text);
        self.texts.push_back((text.len(), Strings::Unknown));
    }

    /// Removes the oldest text.
    pub(super) fn pop_front(&mut self) {
        let Some((length, strings)) = self.texts.pop_front() else { return };
        self.bytes.drain(..length);
        if let Strings::Hashed(count) = strings {
            self.hashes.drain(..count);
        }
        if strings != Strings::Unknown {
            self.hashed = (self.hashed.0 - 1, self.hashed.1 - length);
        }
    }

    /// Hashes the strings of the texts that came since this was done before.
    pub(super) fn hash(&mut self) {
        let (mut hashes, (mut hashed, mut begin)) = (mem::take(&mut self.hashes), self.hashed);
        while let Some((length, _)) = self.texts.get(hashed) {
            let (end, before) = (begin + length, hashes.len());
            self.texts[hashed].1 = match str::from_utf8(&self.at(&(begin..end))) {
                Ok(text) => {
                    each_text(text, &mut |content| hashes.push_back(hash_of(content)));
                    Strings::Hashed(hashes.len() - before)
                }
                Err(_) => Strings::Any,
            };
            (hashed, begin) = (hashed + 1, end);
        }
        (self.hashes, self.hashed) = (hashes, (hashed, begin));
    }

    /// Calls `see` with each of the hashed texts whose number is `meant` and that contains the string `id`: with its
    /// number, how many times it does, and its place.
    pub(super) fn find(
        &self,
        id: &str,
        meant: &dyn Fn(usize) -> bool,
        see: &mut dyn FnMut(usize, usize, Range<usize>),
    ) {
        let (wanted, mut first) = (hash_of(id), 0);
        for (number, ((_, strings), place)) in self.texts.iter().zip(self.places()).enumerate() {
            let hashes = first..first + if let Strings::Hashed(count) = strings { *count } else { 0 };
            first = hashes.end;
            if !meant(number) {
                continue;
            }
            let times = match strings {
                Strings::Hashed(_) => self.hashes.range(hashes).filter(|hash| **hash == wanted).count(),
                Strings::Unknown | Strings::Any => 1,
            };
            if times > 0 {
                see(number, times, place);
            }
        }
    }

    /// Returns the place of each text.
    pub(super) fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.texts.iter().scan(0, |begin, (length, _)| {
            let place = *begin..*begin + length;
            *begin = place.end;
            Some(place)
        })
    }

    /// Returns the text at a place. It is copied only if the buffer wraps around within it.
    pub(super) fn at(&self, place: &Range<usize>) -> Cow<'_, [u8]> {
        let (first, second) = self.bytes.as_slices();
        match place.start.checked_sub(first.len()) {
            Some(start) => Cow::Borrowed(&second[start..place.end - first.len()]),
            None if place.end <= first.len() => Cow::Borrowed(&first[place.clone()]),
            None => Cow::Owned([&first[place.start..], &second[..place.end - first.len()]].concat()),
        }
    }

    /// Returns whether the buffer wraps around.
    #[cfg(test)]
    pub(super) fn has_wrapped(&self) -> bool {
        !self.bytes.as_slices().1.is_empty()
    }
}

/// Returns the hash by which an id is searched. If two ids have the same, a request may seem to carry an id that it
/// does not carry, which only leaves more open.
fn hash_of(id: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(id.as_bytes());
    (hasher.finish() >> 32) as u32
}
