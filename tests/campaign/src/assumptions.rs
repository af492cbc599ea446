//! Assumptions of a client about an exchange, the network and other programs, and the distance that a campaign goes:
//! within each assumption by default, and beyond one where that is asked for.
//!
//! Beyond an assumption no client can be right, so a campaign that finds nothing there does not vary it at all.
//!
//! A run goes as far as the guide's table allows; `--beyond NAME` goes further, and a test shows that a correct client
//! then fails, because a dial that never fails would vary nothing.

use std::collections::BTreeSet;
use std::fmt;

use tradeapi_exchange::{HostileEvent, HostileFault};

use crate::counts::{Counts, Situation};

/// Declares the assumptions with their names, statements, and what a campaign finds beyond each.
macro_rules! assumptions {
    ($($(#[$doc:meta])* $value:ident $name:literal, $found:literal;)*) => {
        /// Something that a client has to assume.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Assumption { $($(#[$doc])* $value,)* }

        impl Assumption {
            /// All assumptions.
            pub const ALL: &[Self] = &[$(Self::$value,)*];

            /// Returns the name by which `--beyond` takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }

            /// Returns the kind of violation that a correct client shows where the assumption does not hold.
            pub const fn violation(self) -> &'static str {
                match self { $(Self::$value => $found,)* }
            }
        }
    };
}

assumptions! {
    /// An accepted request is carried out within ten seconds.
    Settling "settling", "lost";
    /// A node shows what was carried out a minute ago.
    Lag "lag", "lost";
    /// The clocks of the machine and of a node that answers are not wrong together by more than a minute.
    ClockError "clock-error", "lost";
    /// No order that exists is denied by two answers in a row.
    Denials "denials", "lost";
    /// Nobody sends a copy of a request within a second.
    Repeats "repeats", "lost";
    /// The id of an order that has ended is refused as that of an open one is.
    Duplicates "duplicates", "doubled";
    /// A code proves what several sources have observed.
    Codes "codes", "lost";
    /// No other process uses the id of an order.
    Ids "ids", "claimed falsely";
    /// A refusal belongs to the request of its connection, because it has no id.
    Answers "answers", "lost";
    /// A request arrives at most a second after its caller gave it up or, if the network holds everything back, at most
    /// fifteen seconds after it was sent; and before its answer.
    Flight "flight", "too fast";
}

impl Assumption {
    /// Returns the assumption with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|one| one.name() == name).copied()
    }
}

/// Something that a campaign varies.
struct Dial {
    what: &'static str,
    /// The range by default.
    within: &'static str,
    /// The range beyond an assumption.
    beyond: Option<(Assumption, &'static str)>,
    /// The number of occurrences.
    times: fn(&Counts) -> u64,
}

const fn dial(what: &'static str, within: &'static str, times: fn(&Counts) -> u64) -> Dial {
    Dial { what, within, beyond: None, times }
}

impl Dial {
    const fn beyond(self, assumption: Assumption, range: &'static str) -> Self {
        Self { beyond: Some((assumption, range)), ..self }
    }
}

fn event(counts: &Counts, what: HostileEvent) -> u64 {
    counts.hostile.events.get(&what).copied().unwrap_or_default()
}

fn fault(counts: &Counts, what: HostileFault) -> u64 {
    counts.hostile.faults.get(&what).copied().unwrap_or_default()
}

const DIALS: &[Dial] = &[
    dial("until an accepted change is carried out", "0 to 9.9 s", |counts| {
        event(counts, HostileEvent::AppearedAfterAbsence)
    })
    .beyond(Assumption::Settling, "0 to 300 s"),
    dial("how far nodes are behind", "0 to 59 s", |counts| event(counts, HostileEvent::ShownOutdated))
        .beyond(Assumption::Lag, "0 to 300 s"),
    dial("clocks of nodes, which accept signatures by them", "-20 to 20 s, an hour", |counts| {
        counts.times(Situation::NodesSet)
    }),
    dial("steps of a wall clock, apart from the steady one", "-90 to 90 s", |counts| counts.times(Situation::ClockSet)),
    dial("clocks of a machine and a node, wrong together", "5 to 55 s", |counts| {
        counts.times(Situation::BothClocksSet)
    })
    .beyond(Assumption::ClockError, "600 s"),
    dial("denials in a row of an order that exists", "1", |counts| fault(counts, HostileFault::FalseAbsence))
        .beyond(Assumption::Denials, "5"),
    dial("refusals of the copy of a request that was done", "after 1 s, or for its id", |counts| {
        counts.times(Situation::Repeated)
    })
    .beyond(Assumption::Repeats, "at once"),
    dial("refusals of the copy of a cancellation or amendment", "after 1 s", |counts| {
        counts.times(Situation::ChangeRepeated)
    })
    .beyond(Assumption::Repeats, "at once"),
    dial("copies of an order whose first copy was filled", "refused", |counts| counts.times(Situation::Repeated))
        .beyond(Assumption::Duplicates, "placed"),
    dial("hours of a release, of which half the answers tell nothing", "a twentieth", |counts| {
        fault(counts, HostileFault::Release)
    }),
    dial("five minutes in which an address is refused", "after 3 % of 429", |counts| {
        fault(counts, HostileFault::Blocked)
    }),
    dial("answers with status 200 and an empty body", "", |counts| fault(counts, HostileFault::EmptyBody)),
    dial("characters of ids, beside letters, digits and -", "none, or :/._", |counts| counts.times(Situation::OddIds)),
    dial("characters of ids that a query has as escapes only", "none, or +&=#%", |counts| {
        counts.times(Situation::EscapedIds)
    }),
    dial("the query that a signature is verified over", "decoded, or as sent", |counts| {
        counts.times(Situation::SignedAsSent)
    }),
    dial("the two ways of a round trip", "independent, or opposed", |counts| counts.times(Situation::WaysOpposed)),
    dial("codes of refusals", "true", |counts| fault(counts, HostileFault::Refused))
        .beyond(Assumption::Codes, "a twentieth is false"),
    dial("answers of others, taken for one's own", "successes", |counts| counts.times(Situation::TakenForAnother))
        .beyond(Assumption::Answers, "refusals"),
    dial("ids in them", "all, some, or none", |counts| counts.times(Situation::TakenForAnother)),
    dial("until a given-up request arrives", "0 to 24 s; rates 1 s", |counts| counts.times(Situation::ArrivedLate))
        .beyond(Assumption::Flight, "0 to 24 s"),
    dial("requests that arrive after their answer", "outcomes only", |counts| {
        counts.times(Situation::ArrivedAfterAnswer)
    })
    .beyond(Assumption::Flight, "rates, too"),
    dial("all messages held back, and delivered at once", "0.5 to 6 s", |counts| counts.times(Situation::Stalled))
        .beyond(Assumption::Flight, "0.5 to 24 s"),
    dial("an id of two orders", "of one process", |counts| counts.times(Situation::DuplicateId)),
    dial("an id of two orders, the first of an earlier run", "with its journal", |counts| {
        counts.times(Situation::IdOfEarlierRun)
    }),
    dial("accounts of two processes", "with ids of their own", |counts| counts.times(Situation::SecondProcess))
        .beyond(Assumption::Ids, "with the same ids"),
    dial("accounts of two clients of a process", "", |counts| counts.times(Situation::SecondClient)),
    dial("processes that are killed, and begin again", "1 to 3 times", |counts| counts.times(Situation::Killed)),
    dial("journals opened by a client of another account", "", |counts| counts.times(Situation::OpenedByOthers)),
    dial("programs that share a journal, under two names", "", |counts| counts.times(Situation::AnotherName)),
    dial("records of orders from elsewhere", "", |counts| counts.times(Situation::Evidence)),
    dial("comparisons of an account with its journal", "", |counts| counts.times(Situation::Reconciled)),
    dial("orders filled by others", "", |counts| counts.times(Situation::FilledByOthers)),
];

/// The dials of a campaign, as a table.
pub struct Varied<'a> {
    /// The assumptions that do not hold.
    pub beyond: &'a BTreeSet<Assumption>,
    /// The counts of the campaign.
    pub counts: &'a Counts,
}

impl fmt::Display for Varied<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:54} {:28} {:>9}", "varied", "range", "times")?;
        for Dial { what, within, beyond, times } in DIALS {
            let exceeded = beyond.filter(|(assumption, _)| self.beyond.contains(assumption));
            let range = exceeded.map_or(*within, |(_, range)| range);
            let mark = exceeded.map_or(String::new(), |(assumption, _)| format!("  beyond {}", assumption.name()));
            writeln!(f, "  {what:52} {range:28} {:>9}{mark}", times(self.counts))?;
        }
        Ok(())
    }
}
