//! Values by the family and an id of an order.
//!
//! Few kinds of maps and sorts are used, because each is compiled anew: a `BTreeMap` of other types is 6,000 lines of
//! LLVM IR, a sort 1,500.

use std::collections::BTreeMap;

/// A family, and an id of an order in it.
pub(super) type Key = (&'static str, String);

/// Values by family and id, in that order.
///
/// The map holds places in a vector, so that it is compiled once for all kinds of values.
pub(super) struct ByOrder<T> {
    places: BTreeMap<Key, usize>,
    values: Vec<T>,
}

impl<T> Default for ByOrder<T> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }
}

impl<T> ByOrder<T> {
    pub(super) fn contains(&self, key: &Key) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn get(&self, key: &Key) -> Option<&T> {
        self.values.get(*self.places.get(key)?)
    }

    pub(super) fn get_mut(&mut self, key: &Key) -> Option<&mut T> {
        self.values.get_mut(*self.places.get(key)?)
    }

    /// Sets the value of `key`, replacing an earlier one.
    pub(super) fn insert(&mut self, key: Key, value: T) {
        let place = *self.places.entry(key).or_insert(self.values.len());
        match self.values.get_mut(place) {
            Some(known) => *known = value,
            None => self.values.push(value),
        }
    }

    /// The value of `key`, which is added if there is none.
    pub(super) fn get_or_default(&mut self, key: Key) -> &mut T
    where
        T: Default,
    {
        let place = *self.places.entry(key).or_insert(self.values.len());
        if place == self.values.len() {
            self.values.push(T::default());
        }
        &mut self.values[place]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &T)> {
        self.places.iter().map(|(key, place)| (key, &self.values[*place]))
    }

    /// Calls a function with each key and its value.
    pub(super) fn for_each_mut(&mut self, change: &mut dyn FnMut(&Key, &mut T)) {
        for (key, place) in &self.places {
            change(key, &mut self.values[*place]);
        }
    }
}
