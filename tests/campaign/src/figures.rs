//! The result of a campaign, and how it is printed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use tradeapi::runtime::tables::Outcome;

use crate::claim::{Claim, Known, Naming};
use crate::counts::{Counts, Rate, Situation};
use crate::ground_truth::{Effect, GroundTruth};
use crate::ledger::{Decided, Ledger};
use crate::operation::OPERATIONS;
use crate::violation::Violation;

/// The kinds of requests whose unknown outcomes are counted by cause.
pub const KINDS: [&str; 7] =
    ["orders", "of killed processes", "id shared or none", "reversals", "amendments", "cancellations", "settings"];

/// The result of a campaign.
#[derive(Debug, Default)]
pub struct Figures {
    /// The claims by operation, outcome and how that is known.
    pub claims: BTreeMap<(&'static str, Naming, ClaimedOutcome, Known), u64>,
    /// The actual outcomes of requests that stay unknown, by operation.
    pub unknown: BTreeMap<(&'static str, Naming, Known), ActualOutcomes>,
    /// The causes for which outcomes stay unknown, and for how many requests of each of [`KINDS`].
    pub causes: BTreeMap<&'static str, [u64; KINDS.len()]>,
    /// The placements of accounts whose processes were killed, as [`Figures::placements`] counts them.
    pub of_killed: (u64, u64),
    /// The evidence that decided outcomes.
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
    /// The request had no effect.
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
        let (mut claims, mut unknown) = (BTreeMap::new(), BTreeMap::<_, ActualOutcomes>::new());
        let is_killed = counts.times(Situation::Killed) > 0;
        let mut causes = BTreeMap::<_, [u64; KINDS.len()]>::new();
        let mut count = |effect: &Effect, all: &[Claim]| {
            let is = |outcome| all.iter().filter(move |claim| claim.outcome == outcome);
            let times = truth.effects().get(effect).map_or(0, |times| u64::from(*times));
            // Occurrences without a claim of success belong to claims with an unknown outcome.
            let mut done = times.saturating_sub(is(Outcome::Done).count() as u64);
            for claim in is(Outcome::Unknown) {
                let actual = unknown.entry((claim.operation, claim.naming, claim.known)).or_default();
                *(if done > 0 { &mut actual.done } else { &mut actual.not_done }) += 1;
                done = done.saturating_sub(1);
                let cause = if claim.known == Known::TooLate { "queried too late, or not at all" } else { claim.how };
                causes.entry(cause).or_default()[kind(effect, claim, is_killed)] += 1;
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
        let counts = counts.clone();
        let mut figures = Self { claims, unknown, causes, decided, counts, violations, ..Self::default() };
        if is_killed {
            figures.of_killed = figures.placements();
        }
        figures
    }

    /// Adds `other`.
    pub fn add(&mut self, other: Self) {
        other.claims.into_iter().for_each(|(claim, count)| *self.claims.entry(claim).or_default() += count);
        for (of, actual) in other.unknown {
            let sum = self.unknown.entry(of).or_default();
            (sum.done, sum.not_done) = (sum.done + actual.done, sum.not_done + actual.not_done);
        }
        for (why, counts) in other.causes {
            self.causes.entry(why).or_default().iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        self.of_killed = (self.of_killed.0 + other.of_killed.0, self.of_killed.1 + other.of_killed.1);
        other.decided.into_iter().for_each(|(what, count)| *self.decided.entry(what).or_default() += count);
        self.counts.add(&other.counts);
        self.violations.extend(other.violations);
    }

    /// Returns the number of calls.
    pub fn calls(&self) -> usize {
        self.counts.calls.values().map(|rate| rate.calls).sum()
    }

    /// Returns the number of calls that change something.
    pub fn changes(&self) -> usize {
        let reads = |of: &(_, &str)| OPERATIONS.iter().any(|one| (one.family, one.name) == *of && one.reads());
        self.counts.calls.iter().filter(|(of, _)| !reads(of)).map(|(_, rate)| rate.calls).sum()
    }

    /// Returns the number of claims with this outcome.
    pub fn count(&self, outcome: ClaimedOutcome) -> u64 {
        self.claims.iter().filter(|((_, _, of, _), _)| *of == outcome).map(|(_, count)| count).sum()
    }

    /// Returns the number of requested orders, alone or in batches.
    pub fn orders(&self) -> u64 {
        self.claims.iter().filter(|((operation, ..), _)| is_placement(operation)).map(|(_, count)| count).sum()
    }

    /// Returns the number of orders with a unique id that were queried in time, and how many of these stay unknown.
    pub fn placements(&self) -> (u64, u64) {
        self.unknown_of(|operation| is_placement(operation) && !is_reversal(operation))
    }

    /// Returns the same for reversals. They close a position and open another, so the absence of an order proves
    /// nothing.
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

    /// Returns the number of violations of each kind.
    pub fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        self.violations.iter().for_each(|violation| *kinds.entry(violation.kind()).or_default() += 1);
        kinds
    }
}

/// Returns the place in [`KINDS`] of a request.
fn kind(effect: &Effect, claim: &Claim, is_killed: bool) -> usize {
    match effect {
        Effect::Half(whole) => kind(whole, claim, is_killed),
        Effect::Amended(..) => 4,
        Effect::Placed(_) if claim.operation.ends_with("modify-order") => 4,
        Effect::Cancelled(_) => 5,
        Effect::Set(_) => 6,
        Effect::Placed(_) if is_reversal(claim.operation) => 3,
        Effect::Placed(_) if claim.naming != Naming::UniqueId => 2,
        Effect::Placed(_) => usize::from(is_killed),
    }
}

fn is_placement(operation: &str) -> bool {
    ["place-order", "place-batch", "batch-place-order"].iter().any(|name| operation.ends_with(name))
        || is_reversal(operation)
}

fn is_reversal(operation: &str) -> bool {
    operation.ends_with("click-backhand")
}

/// A table of the report.
struct Table {
    /// The subject of the rows.
    title: &'static str,
    /// The subjects of the numbers of a row.
    columns: &'static [&'static str],
    rows: Vec<(String, Vec<u64>)>,
}

impl Table {
    /// Counts of one kind.
    fn of_counts<T: fmt::Debug>(
        title: &'static str,
        column: &'static [&'static str],
        counts: &BTreeMap<T, u64>,
    ) -> Self {
        let rows = counts.iter().map(|(what, count)| (format!("{what:?}"), vec![*count])).collect();
        Self { title, columns: column, rows }
    }
}

/// The rows are indented below the title, and the numbers aligned to the right.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const INDENT: &str = "  ";
        let names = self.rows.iter().map(|(name, _)| INDENT.len() + name.len());
        let first = names.chain([self.title.len()]).max().unwrap_or_default();
        write!(f, "{:first$}", self.title)?;
        self.columns.iter().try_for_each(|column| write!(f, " {column:>8}"))?;
        writeln!(f)?;
        for (name, numbers) in &self.rows {
            write!(f, "{:first$}", format!("{INDENT}{name}"))?;
            for (column, number) in self.columns.iter().zip(numbers) {
                write!(f, " {number:>width$}", width = column.len().max(8))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Figures {
    fn tables(&self) -> [Table; 9] {
        let Counts { hostile, .. } = &self.counts;
        [
            self.calls_by_operation(),
            Table::of_counts("faults", &["calls"], &hostile.faults),
            Table::of_counts("effect of faulted changes", &["changes"], &hostile.effect_times),
            Table::of_counts("quirks", &["answers"], &hostile.quirks),
            self.situations(),
            self.decisions(),
            self.claims_by_operation(),
            self.unknown_by_operation(),
            self.unknown_by_cause(),
        ]
    }

    fn calls_by_operation(&self) -> Table {
        let number = |calls: usize| u64::try_from(calls).unwrap_or(u64::MAX);
        let row = |((family, name), rate): (&(_, &str), &Rate)| {
            (format!("{family:?} {name}"), vec![number(rate.calls), number(rate.most), number(rate.allowed)])
        };
        let rows = self.counts.calls.iter().map(row).collect();
        Table { title: "calls", columns: &["number", "most in 1s", "allowed"], rows }
    }

    fn situations(&self) -> Table {
        let mut table = Table::of_counts("situations", &["times"], &self.counts.hostile.events);
        table.rows.extend(Table::of_counts("", &[], &self.counts.situations).rows);
        table.rows.push(("expired signatures".to_owned(), vec![self.counts.stale]));
        table
    }

    fn decisions(&self) -> Table {
        let rows = self.decided.iter().map(|((by, what), count)| (format!("{by}: {what}"), vec![*count])).collect();
        Table { title: "outcomes decided by", columns: &["times"], rows }
    }

    fn claims_by_operation(&self) -> Table {
        const KNOWN: [Known; 4] = [Known::ByAnswer, Known::ByQuery, Known::Unknown, Known::TooLate];
        let mut claims: Vec<_> =
            self.claims.keys().map(|(operation, naming, outcome, _)| (*operation, *naming, *outcome)).collect();
        claims.dedup();
        let row = |(operation, naming, outcome): (&'static str, Naming, ClaimedOutcome)| {
            let count = |known| self.claims.get(&(operation, naming, outcome, known)).copied().unwrap_or_default();
            (format!("{operation} {} {outcome:?}", naming.suffix()), KNOWN.map(count).to_vec())
        };
        let columns = &["answer", "query", "unknown", "too late"];
        Table { title: "claims of the client", columns, rows: claims.into_iter().map(row).collect() }
    }

    fn unknown_by_cause(&self) -> Table {
        let rows = self.causes.iter().map(|(cause, counts)| ((*cause).to_owned(), counts.to_vec())).collect();
        Table { title: "unknown by cause", columns: &KINDS, rows }
    }

    fn unknown_by_operation(&self) -> Table {
        let row = |((operation, naming, known), actual): (&(&str, Naming, Known), &ActualOutcomes)| {
            let late = if *known == Known::TooLate { "(queried too late)" } else { "" };
            (format!("{operation} {} {late}", naming.suffix()), vec![actual.done, actual.not_done])
        };
        let rows = self.unknown.iter().map(row).collect();
        Table { title: "actual outcomes of unknown requests", columns: &["done", "not done"], rows }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tables().iter().try_for_each(|table| write!(f, "{table}"))?;
        let shares = [
            ("orders", self.placements()),
            ("of these of killed processes", self.of_killed),
            ("reversals", self.reversals()),
        ];
        for (what, (all, unknown)) in shares {
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
