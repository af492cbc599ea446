//! Which thing of the older schema is which of the newer one.

/// The things of two lists.
pub(super) struct Pairs<'a, T> {
    pub(super) both: Vec<(&'a T, &'a T)>,
    pub(super) removed: Vec<&'a T>,
    pub(super) added: Vec<&'a T>,
}

/// Pairs by the first name, which is that of the schema; those that are left by the second, which is that in Rust: a
/// thing whose schema name changes is the same to a crate that knows it by its Rust name.
pub(super) fn pairs<'a, T>(
    old: impl IntoIterator<Item = &'a T>,
    new: impl IntoIterator<Item = &'a T>,
    names: impl Fn(&'a T) -> [&'a str; 2],
) -> Pairs<'a, T> {
    let mut pairs = Pairs { both: Vec::new(), removed: old.into_iter().collect(), added: new.into_iter().collect() };
    for name in 0..2 {
        let mut left = Vec::new();
        for old in std::mem::take(&mut pairs.removed) {
            match pairs.added.iter().position(|new| names(old)[name] == names(new)[name]) {
                Some(at) => pairs.both.push((old, pairs.added.remove(at))),
                None => left.push(old),
            }
        }
        pairs.removed = left;
    }
    pairs
}
