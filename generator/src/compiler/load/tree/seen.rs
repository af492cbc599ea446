//! The keys that a mapping had so far.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::compiler::diagnostics::Place;

/// The keys of a mapping so far, with their places.
#[derive(Default)]
pub(super) struct SeenKeys<'a> {
    few: Vec<(Cow<'a, str>, Place)>,
    /// The keys after the first [`FEW`](Self::FEW).
    many: HashMap<Cow<'a, str>, Place>,
}

impl<'a> SeenKeys<'a> {
    /// Up to this number, comparing keys is faster than hashing them.
    const FEW: usize = 16;

    /// Adds a key, or returns its earlier place.
    pub(super) fn insert(&mut self, key: Cow<'a, str>, place: Place) -> Option<Place> {
        let among_few = self.few.iter().find(|(known, _)| *known == key).map(|(_, place)| *place);
        let first = among_few.or_else(|| self.many.get(&key).copied());
        match first {
            Some(_) => {}
            None if self.few.len() < Self::FEW => self.few.push((key, place)),
            None => drop(self.many.insert(key, place)),
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_twice_is_found_among_any_number() {
        let place = |line| Place { line, ..Place::default() };
        for count in [1, 2, SeenKeys::FEW, SeenKeys::FEW + 1, 3 * SeenKeys::FEW] {
            let mut seen = SeenKeys::default();
            let keys: Vec<Cow<'_, str>> = (0..count).map(|key| key.to_string().into()).collect();
            let lines = || (0..).map(place);
            assert!(keys.iter().zip(lines()).all(|(key, at)| seen.insert(key.clone(), at).is_none()));
            assert!(keys.iter().zip(lines()).all(|(key, at)| seen.insert(key.clone(), place(1_000)) == Some(at)));
        }
    }
}
