//! Compares two versions of an element: which elements within it were added, removed or changed.

use super::findings::{Change, Findings, VersionedPlace};
use crate::compiler::diagnostics::Place;
use crate::compiler::model::elements::{Class, Element, KeyChange, Verdict, differences};

/// Compares two versions of an element and everything within.
pub(super) fn elements(to: &mut Findings, old: &Element, new: &Element) {
    for KeyChange { key, older, newer, places: [old_place, new_place], verdict } in differences(&old.keys, &new.keys) {
        let spot = new_place
            .map(VersionedPlace::New)
            .or(old_place.map(VersionedPlace::Old))
            .unwrap_or(VersionedPlace::New(new.written));
        let change = Change::Changed { what: key.name, old: older, new: newer, prose: key.is_prose };
        to.add(new.kind, &new.path, spot, change, verdict);
    }
    if old.form == new.form {
        for kind in kinds(old, new) {
            of_kind(to, kind, old, new);
        }
    }
}

/// The kinds of elements in either version.
fn kinds(old: &Element, new: &Element) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for element in new.elements.iter().chain(&old.elements) {
        if !kinds.contains(&element.kind) {
            kinds.push(element.kind);
        }
    }
    kinds
}

/// Compares the elements of one kind in two versions of their parent.
fn of_kind(to: &mut Findings, kind: &str, old: &Element, new: &Element) {
    let olds: Vec<&Element> = old.elements.iter().filter(|element| element.kind == kind).collect();
    let news: Vec<&Element> = new.elements.iter().filter(|element| element.kind == kind).collect();
    let pairs = PairedElements::of(olds.clone(), news.clone());
    for removed in pairs.removed {
        let verdict = match &new.removed_within {
            Some((of, verdict)) if *of == kind => verdict.clone(),
            _ => removed.removed.clone(),
        };
        to.add(removed.kind, &removed.path, VersionedPlace::Old(removed.place), Change::Removed, verdict);
    }
    for (old, new) in &pairs.both {
        elements(to, old, new);
    }
    for more in pairs.added {
        let verdict = lost_conversion(&olds, more).unwrap_or_else(|| more.added.clone());
        to.add(more.kind, &more.path, VersionedPlace::New(more.place), Change::Added, verdict);
    }
    order(to, new, &pairs.both, &news);
}

/// `From` can convert a type only as long as a single alternative has that type.
fn lost_conversion(olds: &[&Element], more: &Element) -> Option<Verdict> {
    let from = more.converts_from.as_ref()?;
    let same_type = olds.iter().filter(|old| old.converts_from.as_ref() == Some(from)).count();
    let means = format!("a new variant; the conversion from {from} is removed, because two variants would need it");
    (same_type == 1).then(|| Verdict { class: Class::Breaking, means: means.into() })
}

/// Reports a changed order of elements whose order matters. If two arguments have the same type, code with the old
/// order still compiles and means something else, which is worse than an error.
fn order(to: &mut Findings, of: &Element, both: &[(&Element, &Element)], news: &[&Element]) {
    let is_kept = |(old, new): &&(&Element, &Element)| old.order.is_some() && new.order.is_some();
    let older: Vec<&Element> = both.iter().filter(is_kept).map(|(_, new)| *new).collect();
    let is_one = |new: &&Element| older.iter().any(|kept| std::ptr::eq(*kept, *new));
    let newer: Vec<&Element> = news.iter().copied().filter(is_one).collect();
    let moved = older.iter().zip(&newer).find(|(old, new)| !std::ptr::eq(**old, **new)).map(|(_, new)| *new);
    if let Some((moved, order)) = moved.and_then(|moved| Some((moved, moved.order.as_ref()?))) {
        let names = |all: &[&Element]| all.iter().map(|one| one.names[0].as_str()).collect::<Vec<_>>().join(", ");
        let change = Change::Changed { what: "order", old: names(&older), new: names(&newer), prose: false };
        let place: Place = moved.place;
        to.add(order.kind, &of.path, VersionedPlace::New(place), change, order.verdict.clone());
    }
}

/// The elements of two versions, paired by their names.
struct PairedElements<'a> {
    /// The elements of both versions; those that kept their first name come first, in the order of the older version.
    both: Vec<(&'a Element, &'a Element)>,
    removed: Vec<&'a Element>,
    added: Vec<&'a Element>,
}

impl<'a> PairedElements<'a> {
    /// Pairs elements by their first name, and the rest by the second.
    fn of(removed: Vec<&'a Element>, added: Vec<&'a Element>) -> Self {
        let mut pairs = Self { both: Vec::new(), removed, added };
        for name in 0..2 {
            let mut left = Vec::new();
            for old in std::mem::take(&mut pairs.removed) {
                match pairs.added.iter().position(|new| old.names[name] == new.names[name]) {
                    Some(at) => pairs.both.push((old, pairs.added.remove(at))),
                    None => left.push(old),
                }
            }
            pairs.removed = left;
        }
        pairs
    }
}
