/// Things under keys. The key of a thing that was dropped is never another one's.
#[derive(Clone, Debug)]
pub(super) struct Slab<T> {
    places: Vec<Place<T>>,
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Place<T> {
    generation: u32,
    thing: Option<T>,
}

/// Where a thing is, and the how manyth of those that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    index: u32,
    generation: u32,
}

impl<T> Slab<T> {
    pub(super) fn new() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }

    pub(super) fn insert(&mut self, thing: T) -> Key {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { generation: 0, thing: None });
            (self.places.len() - 1) as u32
        });
        let place = &mut self.places[index as usize];
        place.thing = Some(thing);
        Key { index, generation: place.generation }
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<&T> {
        let place = self.places.get(key.index as usize)?;
        place.thing.as_ref().filter(|_| place.generation == key.generation)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        let place = self.places.get_mut(key.index as usize)?;
        place.thing.as_mut().filter(|_| place.generation == key.generation)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().filter_map(|place| place.thing.as_ref())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.places.iter_mut().filter_map(|place| place.thing.as_mut())
    }

    /// Drops what is not to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(Key, &T) -> bool) {
        for (index, place) in (0..).zip(&mut self.places) {
            let key = Key { index, generation: place.generation };
            if place.thing.as_ref().is_some_and(|thing| !keep(key, thing)) {
                *place = Place { generation: place.generation.wrapping_add(1), thing: None };
                self.free.push(index);
            }
        }
    }
}

impl From<Key> for u64 {
    #[inline]
    fn from(key: Key) -> Self {
        Self::from(key.generation) << 32 | Self::from(key.index)
    }
}

impl From<u64> for Key {
    #[inline]
    fn from(key: u64) -> Self {
        Self { index: key as u32, generation: (key >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_but_not_its_key() {
        let mut slab = Slab::new();
        let [one, two] = ["one", "two"].map(|thing| slab.insert(thing));
        slab.retain(|key, _| key == two);
        let three = slab.insert("three");
        assert_eq!([one, two, three].map(|key| slab.get(key).copied()), [None, Some("two"), Some("three")]);
        assert_eq!((slab.len(), slab.places.len()), (2, 2));
        assert_eq!(Key::from(u64::from(three)), three);
        assert_ne!(u64::from(one), u64::from(three));
    }
}
