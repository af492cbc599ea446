//! The result of a campaign, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use tradeapi::runtime::tables::Outcome;

use crate::claim::{Claim, Known, Naming};
use crate::counts::Counts;
use crate::ground_truth::{Effect, GroundTruth};
use crate::ledger::{Decided, Ledger};
use crate::operation::OPERATIONS;
use crate::violation::Violation;

/// The result of a campaign.
#[derive(Debug, Default)]
pub struct Figures {
    /// The claims by operation, outcome and how that is known.
    pub claims: BTreeMap<(&'static str, Naming, ClaimedOutcome, Known), u64>,
    /// The actual outcomes of requests that stay unknown, by operation.
    pub unknown: BTreeMap<(&'static str, Naming, Known), ActualOutcomes>,
    /// Why orders with a unique id stay unknown although they were queried in time.
    pub reasons: BTreeMap<(&'static str, &'static str), u64>,
    /// What outcomes were decided by.
    pub decided: Decided,
    /// The counts of the exchanges.
    pub counts: Counts,
    /// The mistakes of the clients.
    pub violations: Vec<Violation>,
    /// The duration in real time.
    pub lasted: Duration,
}

/// The actual outcomes of requests whose outcome the client does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActualOutcomes {
    /// The number of requests that were done.
    pub done: u64,
    /// The number of requests that were not done.
    pub not_done: u64,
}

/// An [`Outcome`] with the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimedOutcome {
    /// The request had its effect.
    Done,
    /// It had no effect.
    NotDone,
    /// Either is possible.
    Unknown,
}

impl From<Outcome> for ClaimedOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Done,
            Outcome::NotDone => Self::NotDone,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

impl Figures {
    pub(crate) fn of(ledger: &Ledger, truth: &GroundTruth, counts: &Counts, mut violations: Vec<Violation>) -> Self {
        let (mut claims, mut unknown, mut reasons) =
            (BTreeMap::new(), BTreeMap::<_, ActualOutcomes>::new(), BTreeMap::new());
        let mut count = |effect: &Effect, all: &[Claim]| {
            let is = |outcome| all.iter().filter(move |claim| claim.outcome == outcome);
            let times = truth.effects().get(effect).map_or(0, |times| u64::from(*times));
            // Occurrences without a claim of success belong to claims with an unknown outcome.
            let mut done = times.saturating_sub(is(Outcome::Done).count() as u64);
            for claim in is(Outcome::Unknown) {
                let actual = unknown.entry((claim.operation, claim.naming, claim.known)).or_default();
                *(if done > 0 { &mut actual.done } else { &mut actual.not_done }) += 1;
                done = done.saturating_sub(1);
                if is_placement(claim.operation) && (claim.naming, claim.known) == (Naming::UniqueId, Known::Unknown) {
                    *reasons.entry((claim.operation, claim.how)).or_default() += 1;
                }
            }
            for claim in all {
                *claims.entry((claim.operation, claim.naming, claim.outcome.into(), claim.known)).or_default() += 1;
            }
        };
        ledger.with_claims(|claims| claims.iter().for_each(|(effect, all)| count(effect, all)));
        for ((family, name), rate) in counts.calls.iter().filter(|(_, rate)| rate.beyond > 0) {
            let (most, allowed) = (rate.most, rate.allowed);
            violations.push(Violation::TooFast(format!("{most} of {family:?} {name} in a second, {allowed} allowed")));
        }
        violations.extend(counts.refused.iter().cloned().map(Violation::InvalidRequest));
        let decided = ledger.all_decided();
        Self { claims, unknown, reasons, decided, counts: counts.clone(), violations, lasted: Duration::ZERO }
    }

    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        other.claims.into_iter().for_each(|(claim, count)| *self.claims.entry(claim).or_default() += count);
        for (of, actual) in other.unknown {
            let sum = self.unknown.entry(of).or_default();
            (sum.done, sum.not_done) = (sum.done + actual.done, sum.not_done + actual.not_done);
        }
        other.reasons.into_iter().for_each(|(why, count)| *self.reasons.entry(why).or_default() += count);
        other.decided.into_iter().for_each(|(what, count)| *self.decided.entry(what).or_default() += count);
        self.counts.add(&other.counts);
        self.violations.extend(other.violations);
    }

    /// The number of calls.
    pub fn calls(&self) -> usize {
        self.counts.calls.values().map(|rate| rate.calls).sum()
    }

    /// The number of calls that change something.
    pub fn changes(&self) -> usize {
        let reads = |of: &(_, &str)| OPERATIONS.iter().any(|one| (one.family, one.name) == *of && one.reads());
        self.counts.calls.iter().filter(|(of, _)| !reads(of)).map(|(_, rate)| rate.calls).sum()
    }

    /// The number of claims with this outcome.
    pub fn count(&self, outcome: ClaimedOutcome) -> u64 {
        self.claims.iter().filter(|((_, _, of, _), _)| *of == outcome).map(|(_, count)| count).sum()
    }

    /// The number of requested orders, alone or in batches.
    pub fn orders(&self) -> u64 {
        self.claims.iter().filter(|((operation, ..), _)| is_placement(operation)).map(|(_, count)| count).sum()
    }

    /// The number of orders with a unique id that were queried in time, and how many of these stay unknown.
    pub fn placements(&self) -> (u64, u64) {
        self.unknown_of(|operation| is_placement(operation) && !is_reversal(operation))
    }

    /// The same for reversals. They close a position and open another, so the absence of an order proves nothing.
    pub fn reversals(&self) -> (u64, u64) {
        self.unknown_of(is_reversal)
    }

    fn unknown_of(&self, is_counted: impl Fn(&str) -> bool) -> (u64, u64) {
        let is_one =
            |operation, naming, known| is_counted(operation) && naming == Naming::UniqueId && known != Known::TooLate;
        let placed = self.claims.iter().filter(|((operation, naming, _, known), _)| is_one(operation, *naming, *known));
        placed.fold((0, 0), |(all, unknown), ((.., outcome, _), count)| {
            (all + count, unknown + if *outcome == ClaimedOutcome::Unknown { *count } else { 0 })
        })
    }

    /// The number of violations of each kind.
    pub fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        self.violations.iter().for_each(|violation| *kinds.entry(violation.kind()).or_default() += 1);
        kinds
    }
}

fn is_placement(operation: &str) -> bool {
    ["place-order", "place-batch", "batch-place-order"].iter().any(|name| operation.ends_with(name))
        || is_reversal(operation)
}

fn is_reversal(operation: &str) -> bool {
    operation.ends_with("click-backhand")
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:28} {:>7} {:>9} {:>7}", "calls", "number", "most in 1s", "allowed")?;
        for ((family, name), rate) in &self.counts.calls {
            let name = format!("{family:?} {name}");
            writeln!(f, "  {name:26} {:>7} {:>9} {:>7}", rate.calls, rate.most, rate.allowed)?;
        }
        writeln!(f, "{:28} {:>7}", "faults", "calls")?;
        for (fault, count) in &self.counts.hostile.faults {
            writeln!(f, "  {:26} {count:>7}", format!("{fault:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "effect of faulted changes", "changes")?;
        for (time, count) in &self.counts.hostile.effect_times {
            writeln!(f, "  {:26} {count:>7}", format!("{time:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "quirks", "answers")?;
        for (quirk, count) in &self.counts.hostile.quirks {
            writeln!(f, "  {:26} {count:>7}", format!("{quirk:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "situations", "times")?;
        for (what, count) in &self.counts.hostile.events {
            writeln!(f, "  {:26} {count:>7}", format!("{what:?}"))?;
        }
        for (what, count) in &self.counts.situations {
            writeln!(f, "  {:26} {count:>7}", format!("{what:?}"))?;
        }
        writeln!(f, "  {:26} {:>7}", "expired signatures", self.counts.stale)?;
        writeln!(f, "{:86} {:>9}", "outcomes decided by", "times")?;
        for ((by, what), count) in &self.decided {
            writeln!(f, "  {:84} {count:>9}", format!("{by}: {what}"))?;
        }
        writeln!(f, "{:46} {:>7} {:>8} {:>8} {:>8}", "claims of the client", "answer", "query", "unknown", "too late")?;
        let mut rows: Vec<_> =
            self.claims.keys().map(|(operation, naming, outcome, _)| (*operation, *naming, *outcome)).collect();
        rows.dedup();
        for (operation, naming, outcome) in rows {
            let count = |known| self.claims.get(&(operation, naming, outcome, known)).copied().unwrap_or_default();
            let [answer, query, unknown, late] =
                [Known::ByAnswer, Known::ByQuery, Known::Unknown, Known::TooLate].map(count);
            let row = format!("{operation} {} {outcome:?}", naming.suffix());
            writeln!(f, "  {row:44} {answer:>7} {query:>8} {unknown:>8} {late:>8}")?;
        }
        writeln!(f, "{:46} {:>8} {:>8}", "actual outcomes of unknown requests", "done", "not done")?;
        for ((operation, naming, known), actual) in &self.unknown {
            let late = if *known == Known::TooLate { "(queried too late)" } else { "" };
            writeln!(
                f,
                "  {:44} {:>8} {:>8}",
                format!("{operation} {} {late}", naming.suffix()),
                actual.done,
                actual.not_done
            )?;
        }
        for ((operation, why), count) in &self.reasons {
            writeln!(f, "  {count} of {operation}: {why}")?;
        }
        for (what, (all, unknown)) in [("orders", self.placements()), ("reversals", self.reversals())] {
            let share = unknown as f64 * 100.0 / all.max(1) as f64;
            writeln!(f, "{unknown} of {all} {what} with a unique id are unknown: {share:.3} %")?;
        }
        let (changes, queries) = (self.changes(), self.calls() - self.changes());
        writeln!(f, "{changes} calls that change something, {queries} queries, in {:.1} s", self.lasted.as_secs_f64())?;
        let [done, not_done, unknown] =
            [ClaimedOutcome::Done, ClaimedOutcome::NotDone, ClaimedOutcome::Unknown].map(|outcome| self.count(outcome));
        writeln!(f, "{done} done, {not_done} not done, {unknown} still unknown")?;
        writeln!(f, "{} violations {:?}", self.violations.len(), self.kinds())?;
        self.violations.iter().take(20).try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
