use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use tradeapi::runtime::Outcome;
use tradeapi_exchange::{OPERATIONS, Tally};

use crate::judge::Violation;
use crate::ledger::{Known, Ledger};

/// What a campaign came to.
#[derive(Debug, Default)]
pub struct Figures {
    /// How often each operation's effects came about, did not, or are unknown, and how that is known.
    pub claims: BTreeMap<(&'static str, Word, Known), u64>,
    /// What the exchanges counted.
    pub tally: Tally,
    /// Where the clients are wrong.
    pub violations: Vec<Violation>,
    /// How long it took.
    pub lasted: Duration,
}

/// An outcome in a word, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// It happened.
    Happened,
    /// It did not.
    DidNot,
    /// Nobody knows.
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
    pub(crate) fn of(ledger: &Ledger, tally: &Tally, mut violations: Vec<Violation>) -> Self {
        let mut claims = BTreeMap::new();
        for claim in ledger.claims().values() {
            *claims.entry((claim.deed, claim.outcome.into(), claim.known)).or_default() += 1;
        }
        for ((family, name), rate) in tally.calls.iter().filter(|(_, rate)| rate.beyond > 0) {
            let (most, allowed) = (rate.most, rate.allowed);
            violations.push(Violation::TooFast(format!("{most} of {family:?} {name} in a second, {allowed} allowed")));
        }
        violations.extend(tally.refused.iter().cloned().map(Violation::Senseless));
        Self { claims, tally: tally.clone(), violations, lasted: Duration::ZERO }
    }

    pub(crate) fn add(&mut self, other: Self) {
        other.claims.into_iter().for_each(|(claim, count)| *self.claims.entry(claim).or_default() += count);
        self.tally.add(&other.tally);
        self.violations.extend(other.violations);
    }

    /// How many calls came.
    pub fn calls(&self) -> usize {
        self.tally.calls.values().map(|rate| rate.calls).sum()
    }

    /// How many of them were to change something.
    pub fn changes(&self) -> usize {
        let reads = |of: &(_, &str)| OPERATIONS.iter().any(|one| (one.family, one.name) == *of && one.reads());
        self.tally.calls.iter().filter(|(of, _)| !reads(of)).map(|(_, rate)| rate.calls).sum()
    }

    /// How many effects were asked for that came out so.
    pub fn count(&self, word: Word) -> u64 {
        self.claims.iter().filter(|((_, of, _), _)| *of == word).map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:28} {:>7} {:>9} {:>7}", "calls", "number", "most in 1s", "allowed")?;
        for ((family, name), rate) in &self.tally.calls {
            let name = format!("{family:?} {name}");
            writeln!(f, "  {name:26} {:>7} {:>9} {:>7}", rate.calls, rate.most, rate.allowed)?;
        }
        writeln!(f, "{:28} {:>7}", "what went wrong on purpose", "calls")?;
        for (fault, count) in &self.tally.faults {
            writeln!(f, "  {:26} {count:>7}", format!("{fault:?}"))?;
        }
        writeln!(f, "{:28} {:>7}", "and what became of it", "changes")?;
        for (landing, count) in &self.tally.landings {
            writeln!(f, "  {:26} {count:>7}", format!("{landing:?}"))?;
        }
        writeln!(f, "  {:26} {:>7}", "came after \"not found\"", self.tally.came_after_all)?;
        writeln!(f, "{:28} {:>7} {:>8} {:>8}", "what the client says", "answer", "asking", "unknown")?;
        let mut rows: Vec<_> = self.claims.keys().map(|(deed, word, _)| (*deed, *word)).collect();
        rows.dedup();
        for (deed, word) in rows {
            let count = |known| self.claims.get(&(deed, word, known)).copied().unwrap_or_default();
            let [answer, asking, unknown] = [Known::ByAnswer, Known::ByAsking, Known::Unknown].map(count);
            let row = format!("{deed} {word:?}");
            writeln!(f, "  {row:38} {answer:>7} {asking:>8} {unknown:>8}")?;
        }
        let (changes, questions) = (self.changes(), self.calls() - self.changes());
        writeln!(
            f,
            "{changes} calls to change something, {questions} questions, in {:.1} s",
            self.lasted.as_secs_f64()
        )?;
        let [happened, did_not, unknown] = [Word::Happened, Word::DidNot, Word::Unknown].map(|word| self.count(word));
        writeln!(f, "{happened} happened, {did_not} did not, {unknown} still unknown")?;
        writeln!(f, "{} violations", self.violations.len())?;
        self.violations.iter().take(20).try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
