//! Differences that are one change.

use std::collections::BTreeSet;

use super::{Comparison, Difference, Kind};
use crate::audit::findings::Key;

/// Kinds of which several can hold at once, so that one gone and one new may be one changed.
const SETS: [&str; 9] =
    ["paramenum", "recordenum", "state", "transition", "oneof", "form", "error", "credential", "envelope"];

impl Comparison<'_> {
    /// One value new and one gone from the same list is one that changed. A transition may change in where it leads, or
    /// else in what causes it.
    pub(super) fn merge_sets(&mut self) {
        self.merge(&SETS, 1);
        self.merge(&["transition"], 2);
    }

    /// Merges what is new with what is gone where their keys differ in the last parts only, and each is the only one.
    pub(super) fn merge(&mut self, kinds: &[&str], own: usize) {
        let prefix = |key: &Key| {
            let is_set = key.first().is_some_and(|kind| kinds.contains(&kind.as_str()));
            is_set.then(|| key[..key.len().saturating_sub(own)].to_vec())
        };
        let mut merged = Vec::new();
        for (index, (key, new)) in self.differences.iter().enumerate() {
            let Some(start) = prefix(key).filter(|_| new.kind == Kind::DocumentOnly) else { continue };
            let same = |kind: Kind| {
                let start = start.clone();
                let fits = move |key: &Key, difference: &Difference| {
                    difference.kind == kind && prefix(key) == Some(start.clone())
                };
                self.differences.iter().enumerate().filter(move |(_, (key, difference))| fits(key, difference))
            };
            let gone: Vec<usize> = same(Kind::SchemaOnly).map(|(index, _)| index).collect();
            if let ([gone], 1) = (gone.as_slice(), same(Kind::DocumentOnly).count()) {
                merged.push((index, *gone));
            }
        }
        for (new, gone) in &merged {
            let (_, gone) = self.differences[*gone].clone();
            let (_, new) = &mut self.differences[*new];
            new.kind = Kind::Changed;
            new.place = gone.place;
            new.has = gone.has;
        }
        let gone: BTreeSet<usize> = merged.iter().map(|(_, gone)| *gone).collect();
        let mut index = 0;
        self.differences.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
    }

    /// One line for what is one change: the same lines on both sides.
    pub(super) fn collapsed(self) -> Vec<Difference> {
        let mut found: Vec<Difference> = Vec::new();
        for (_, difference) in self.differences {
            let line = self.document.line(difference.at);
            let same = found.iter_mut().find(|other| {
                other.kind == difference.kind && self.document.line(other.at) == line && other.place == difference.place
            });
            match same {
                Some(other) if other.says == difference.says && other.has == difference.has => {}
                Some(other) => {
                    for (all, one) in [(&mut other.says, &difference.says), (&mut other.has, &difference.has)] {
                        if !all.split(" / ").any(|part| part == one) {
                            all.push_str(" / ");
                            all.push_str(one);
                        }
                    }
                }
                None => found.push(difference),
            }
        }
        found
    }
}
