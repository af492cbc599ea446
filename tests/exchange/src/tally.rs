use std::collections::BTreeMap;

use crate::fault::{Fault, Landing};
use crate::operation::Family;

/// What the exchange counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many requests came, by operation.
    pub calls: BTreeMap<(Family, &'static str), Rate>,
    /// What went wrong on purpose, and what became of the changes.
    pub faults: BTreeMap<Fault, u64>,
    /// What became of the changes with whose requests something went wrong.
    pub landings: BTreeMap<Landing, u64>,
    /// How many orders came to be after somebody was told that they were not there.
    pub came_after_all: u64,
    /// What no client should send: requests that are badly signed or make no sense.
    pub refused: Vec<String>,
    /// How many requests came too late for their signature.
    pub stale: u64,
}

/// How often an operation was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// In all.
    pub calls: usize,
    /// At most within any second.
    pub most: usize,
    /// How many are allowed within any second.
    pub allowed: usize,
    /// How many came beyond that.
    pub beyond: usize,
}

impl Tally {
    /// Both together, each rate for the one who called fastest.
    pub fn add(&mut self, other: &Self) {
        for (operation, rate) in &other.calls {
            let sum = self.calls.entry(*operation).or_default();
            let (calls, beyond) = (sum.calls + rate.calls, sum.beyond + rate.beyond);
            *sum = Rate { calls, beyond, most: sum.most.max(rate.most), allowed: rate.allowed };
        }
        other.faults.iter().for_each(|(fault, count)| *self.faults.entry(*fault).or_default() += count);
        other.landings.iter().for_each(|(landing, count)| *self.landings.entry(*landing).or_default() += count);
        self.came_after_all += other.came_after_all;
        self.refused.extend_from_slice(&other.refused);
        self.stale += other.stale;
    }

    /// How many calls came beyond what the documents allow.
    pub fn beyond(&self) -> usize {
        self.calls.values().map(|rate| rate.beyond).sum()
    }
}
