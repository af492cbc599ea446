use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::book::{Book, Effect};
use crate::counts::Counts;
use crate::operation::OPERATIONS;
use tradeapi::runtime::tables::Outcome;

use crate::judge::Violation;
use crate::ledger::{Claim, Decided, Known, Ledger, Naming};

/// The result of a campaign.
#[derive(Debug, Default)]
pub struct Figures {
    /// How often each operation's effects happened, did not, or are unknown, and how that is known.
    pub claims: BTreeMap<(&'static str, Naming, Word, Known), u64>,
    /// What is true of what stays unknown, by operation.
    pub unknown: BTreeMap<(&'static str, Naming, Known), Truth>,
    /// Why orders with an id of their own are unknown, though they were queried in time.
    pub reasons: BTreeMap<(&'static str, &'static str), u64>,
    /// By what the clients decided outcomes.
    pub decided: Decided,
    /// What the exchanges counted.
    pub counts: Counts,
    /// Where the clients are wrong.
    pub violations: Vec<Violation>,
    /// How long it took.
    pub lasted: Duration,
}

/// What is true of things that a client does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// How many happened.
    pub happened: u64,
    /// How many did not.
    pub did_not: u64,
}

/// An outcome in a word, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// It happened.
    Happened,
    /// It did not.
    DidNot,
    /// It is unknown.
    Unknown,
}

impl From<Outcome> for Word {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::Happened,
            Outcome::NotDone => Self::DidNot,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

impl Figures {
    pub(crate) fn of(ledger: &Ledger, book: &Book, counts: &Counts, mut violations: Vec<Violation>) -> Self {
        let (mut claims, mut unknown, mut reasons) = (BTreeMap::new(), BTreeMap::<_, Truth>::new(), BTreeMap::new());
        let mut count = |effect: &Effect, all: &[Claim]| {
            let is = |outcome| all.iter().filter(move |claim| claim.outcome == outcome);
            let times = book.effects().get(effect).map_or(0, |times| u64::from(*times));
            // As many of those that are unknown happened as did not happen to others.
            let mut happened = times.saturating_sub(is(Outcome::Done).count() as u64);
            for claim in is(Outcome::Unknown) {
                let truth = unknown.entry((claim.deed, claim.naming, claim.known)).or_default();
                *(if happened > 0 { &mut truth.happened } else { &mut truth.did_not }) += 1;
                happened = happened.saturating_sub(1);
                if is_placement(claim.deed) && (claim.naming, claim.known) == (Naming::Own, Known::Unknown) {
                    *reasons.entry((claim.deed, claim.how)).or_default() += 1;
                }
            }
            for claim in all {
                *claims.entry((claim.deed, claim.naming, claim.outcome.into(), claim.known)).or_default() += 1;
            }
        };
        ledger.look(|claims| claims.iter().for_each(|(effect, all)| count(effect, all)));
        for ((family, name), rate) in counts.calls.iter().filter(|(_, rate)| rate.beyond > 0) {
            let (most, allowed) = (rate.most, rate.allowed);
            violations.push(Violation::TooFast(format!("{most} of {family:?} {name} in a second, {allowed} allowed")));
        }
        violations.extend(counts.refused.iter().cloned().map(Violation::Senseless));
        let decided = ledger.all_decided();
        Self { claims, unknown, reasons, decided, counts: counts.clone(), violations, lasted: Duration::ZERO }
    }

    /// The sum of both.
    pub fn add(&mut self, other: Self) {
        other.claims.into_iter().for_each(|(claim, count)| *self.claims.entry(claim).or_default() += count);
        for (of, truth) in other.unknown {
            let sum = self.unknown.entry(of).or_default();
            (sum.happened, sum.did_not) = (sum.happened + truth.happened, sum.did_not + truth.did_not);
        }
        other.reasons.into_iter().for_each(|(why, count)| *self.reasons.entry(why).or_default() += count);
        other.decided.into_iter().for_each(|(what, count)| *self.decided.entry(what).or_default() += count);
        self.counts.add(&other.counts);
        self.violations.extend(other.violations);
    }

    /// How many calls came.
    pub fn calls(&self) -> usize {
        self.counts.calls.values().map(|rate| rate.calls).sum()
    }

    /// How many of them were to change something.
    pub fn changes(&self) -> usize {
        let reads = |of: &(_, &str)| OPERATIONS.iter().any(|one| (one.family, one.name) == *of && one.reads());
        self.counts.calls.iter().filter(|(of, _)| !reads(of)).map(|(_, rate)| rate.calls).sum()
    }

    /// How many requested effects have this outcome.
    pub fn count(&self, word: Word) -> u64 {
        self.claims.iter().filter(|((_, _, of, _), _)| *of == word).map(|(_, count)| count).sum()
    }

    /// How many orders were to be placed, alone or among several.
    pub fn orders(&self) -> u64 {
        self.claims.iter().filter(|((deed, ..), _)| is_placement(deed)).map(|(_, count)| count).sum()
    }

    /// How many orders with an id of their own were requested and queried in time, and how many of these are unknown.
    pub fn placements(&self) -> (u64, u64) {
        self.unknown_of(|deed| is_placement(deed) && !is_reversal(deed))
    }

    /// The same of reversals. They close a position and open another, so the absence of an order proves nothing.
    pub fn reversals(&self) -> (u64, u64) {
        self.unknown_of(is_reversal)
    }

    fn unknown_of(&self, is_meant: impl Fn(&str) -> bool) -> (u64, u64) {
        let is_one = |deed, naming, known| is_meant(deed) && naming == Naming::Own && known != Known::TooLate;
        let placed = self.claims.iter().filter(|((deed, naming, _, known), _)| is_one(deed, *naming, *known));
        placed.fold((0, 0), |(all, unknown), ((.., word, _), count)| {
            (all + count, unknown + if *word == Word::Unknown { *count } else { 0 })
        })
    }

    /// How many violations there are of each kind.
    pub fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        self.violations.iter().for_each(|violation| *kinds.entry(violation.kind()).or_default() += 1);
        kinds
    }
}

fn is_placement(deed: &str) -> bool {
    ["place-order", "place-batch", "batch-place-order"].iter().any(|name| deed.ends_with(name)) || is_reversal(deed)
}

fn is_reversal(deed: &str) -> bool {
    deed.ends_with("click-backhand")
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:28} {:>7} {:>9} {:>7}", "calls", "number", "most in 1s", "allowed")?;
        for ((family, name), rate) in &self.counts.calls {
            let name = format!("{family:?} {name}");
            writeln!(f, "  {name:26} {:>7} {:>9} {:>7}", rate.calls, rate.most, rate.allowed)?;
        }
        writeln!(f, "{:28} {:>7}", "what went wrong on purpose", "calls")?;
        for (fault, count) in &self.counts.hostile.wrongs {
            writeln!(f, "  {:26} {count:>7}", format!("{fault:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "and the outcome", "changes")?;
        for (landing, count) in &self.counts.hostile.landings {
            writeln!(f, "  {:26} {count:>7}", format!("{landing:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "what was odd about answers", "answers")?;
        for (quirk, count) in &self.counts.hostile.quirks {
            writeln!(f, "  {:26} {count:>7}", format!("{quirk:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "reached", "times")?;
        for (what, count) in &self.counts.hostile.reached {
            writeln!(f, "  {:26} {count:>7}", format!("{what:?}"))?;
        }
        for (what, count) in &self.counts.reached {
            writeln!(f, "  {:26} {count:>7}", format!("{what:?}"))?;
        }
        writeln!(f, "  {:26} {:>7}", "stale signatures", self.counts.stale)?;
        writeln!(f, "{:86} {:>9}", "what the client decided outcomes by", "times")?;
        for ((by, what), count) in &self.decided {
            writeln!(f, "  {:84} {count:>9}", format!("{by}: {what}"))?;
        }
        writeln!(f, "{:46} {:>7} {:>8} {:>8} {:>8}", "what the client says", "answer", "query", "unknown", "too late")?;
        let mut rows: Vec<_> = self.claims.keys().map(|(deed, naming, word, _)| (*deed, *naming, *word)).collect();
        rows.dedup();
        for (deed, naming, word) in rows {
            let count = |known| self.claims.get(&(deed, naming, word, known)).copied().unwrap_or_default();
            let [answer, query, unknown, late] =
                [Known::ByAnswer, Known::ByQuery, Known::Unknown, Known::TooLate].map(count);
            let row = format!("{deed} {} {word:?}", naming.words());
            writeln!(f, "  {row:44} {answer:>7} {query:>8} {unknown:>8} {late:>8}")?;
        }
        writeln!(f, "{:46} {:>8} {:>8}", "what is true of what stays unknown", "happened", "did not")?;
        for ((deed, naming, known), truth) in &self.unknown {
            let late = if *known == Known::TooLate { "(queried too late)" } else { "" };
            writeln!(
                f,
                "  {:44} {:>8} {:>8}",
                format!("{deed} {} {late}", naming.words()),
                truth.happened,
                truth.did_not
            )?;
        }
        for ((deed, why), count) in &self.reasons {
            writeln!(f, "  {count} of {deed}: {why}")?;
        }
        for (what, (all, unknown)) in [("orders", self.placements()), ("reversals", self.reversals())] {
            let share = unknown as f64 * 100.0 / all.max(1) as f64;
            writeln!(f, "{unknown} of {all} {what} with an id of their own are unknown: {share:.3} %")?;
        }
        let (changes, questions) = (self.changes(), self.calls() - self.changes());
        writeln!(
            f,
            "{changes} calls to change something, {questions} questions, in {:.1} s",
            self.lasted.as_secs_f64()
        )?;
        let [happened, did_not, unknown] = [Word::Happened, Word::DidNot, Word::Unknown].map(|word| self.count(word));
        writeln!(f, "{happened} happened, {did_not} did not, {unknown} still unknown")?;
        writeln!(f, "{} violations {:?}", self.violations.len(), self.kinds())?;
        self.violations.iter().take(20).try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
