//! Sorting. The standard library's sort is 2,000 lines of LLVM IR for each type and each comparison; this one is compiled
//! once.

use std::cmp::Ordering;

/// Sorts items; equal ones keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    for (one, other) in swaps(items.len(), &|one, other| compare(&items[one], &items[other])) {
        items.swap(one, other);
    }
}

/// Returns the swaps of places, one after the other, that sort `count` items. `compare` compares the items at two
/// places.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    // At each place, that of the item which belongs there.
    let mut from: Vec<usize> = (0..count).collect();
    from.sort_unstable_by(|one, other| compare(*one, *other).then(one.cmp(other)));
    let mut swaps = Vec::new();
    for first in 0..count {
        let mut to = first;
        while from[to] != first {
            let next = from[to];
            swaps.push((to, next));
            from[to] = to;
            to = next;
        }
        from[to] = to;
    }
    swaps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in prop::collection::vec((0..9_u8, any::<u8>()), 0..99)) {
            let (mut own, mut other) = (items.clone(), items);
            sort_by(&mut own, &|one, other| one.0.cmp(&other.0));
            other.sort_by_key(|item| item.0);
            prop_assert_eq!(own, other);
        }
    }
}
