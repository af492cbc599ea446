//! Merges differences that stem from one change.

use std::collections::BTreeSet;

use super::{Comparison, Discrepancy, DiscrepancyKind};
use crate::tools::audit::findings::{FactKey, FactKind};
use crate::tools::audit::wording::plain;

impl Comparison<'_> {
    /// Merges an added and a removed value of the same list into a changed one. A transition may have changed either
    /// its target or its trigger.
    pub(super) fn merge_sets(&mut self) {
        self.merge(FactKind::is_one_of_a_set, 1);
        self.merge(|kind| kind == FactKind::Transition, 2);
    }

    /// Merges an added with a removed key if only their last names differ, and if each is the only one.
    fn merge(&mut self, is_meant: fn(FactKind) -> bool, own: usize) {
        let prefix = |key: &FactKey| {
            is_meant(key.kind).then(|| (key.kind, key.names[..key.names.len().saturating_sub(own)].to_vec()))
        };
        let mut merged = Vec::new();
        for (index, (key, new)) in self.differences.iter().enumerate() {
            let Some(start) = prefix(key).filter(|_| new.kind == DiscrepancyKind::DocumentOnly) else { continue };
            let same = |kind: DiscrepancyKind| {
                let start = start.clone();
                let fits = move |key: &FactKey, difference: &Discrepancy| {
                    difference.kind == kind && prefix(key) == Some(start.clone())
                };
                self.differences.iter().enumerate().filter(move |(_, (key, difference))| fits(key, difference))
            };
            let missing: Vec<usize> = same(DiscrepancyKind::SchemaOnly).map(|(index, _)| index).collect();
            // A name that differs only in case, spaces or underscores is the same name, even among several.
            let alike = missing.iter().find(|missing| is_spelled_alike(key, &self.differences[**missing].0));
            if let Some(missing) = alike.filter(|_| own == 1) {
                merged.push((index, *missing));
            } else if let ([missing], 1) = (missing.as_slice(), same(DiscrepancyKind::DocumentOnly).count()) {
                merged.push((index, *missing));
            }
        }
        for (new, missing) in &merged {
            let (_, missing) = self.differences[*missing].clone();
            let (_, new) = &mut self.differences[*new];
            new.kind = DiscrepancyKind::Changed;
            new.place = missing.place;
            new.has = missing.has;
        }
        let missing: BTreeSet<usize> = merged.iter().map(|(_, missing)| *missing).collect();
        let mut index = 0;
        self.differences.retain(|_| {
            index += 1;
            !missing.contains(&(index - 1))
        });
    }

    /// Merges differences of one change, which have the same lines on both sides.
    pub(super) fn collapsed(self) -> Vec<Discrepancy> {
        let mut found: Vec<Discrepancy> = Vec::new();
        for (_, difference) in self.differences {
            let line = self.document.line(difference.at);
            let same = found.iter_mut().find(|other| {
                other.kind == difference.kind && self.document.line(other.at) == line && other.place == difference.place
            });
            match same {
                Some(other) if other.says == difference.says && other.has == difference.has => {}
                Some(other) => {
                    join(&mut other.says, difference.says);
                    join(&mut other.has, difference.has);
                }
                None => found.push(difference),
            }
        }
        found
    }
}

/// Adds a statement to those of the same place, once.
fn join(all: &mut Option<String>, one: Option<String>) {
    match (all.as_mut(), one) {
        (Some(all), Some(one)) if !all.split(" / ").any(|part| part == one) => {
            all.push_str(" / ");
            all.push_str(&one);
        }
        (None, one) => *all = one,
        _ => {}
    }
}

fn is_spelled_alike(one: &FactKey, other: &FactKey) -> bool {
    let spelled = |key: &FactKey| key.last().map(|name| plain(&name.replace('_', " ")));
    spelled(one) == spelled(other)
}
