//! What a client cannot know and has to assume of an exchange, of the network and of other programs, and how far a
//! campaign goes: within each assumption by default, and beyond one where that is asked for.
//!
//! Beyond an assumption no client can be right, so a campaign that finds nothing there does not vary it at all.

use std::fmt;

use tradeapi_exchange::HostileEvent;

use crate::counts::{Counts, Situation};
use crate::settings::Settings;

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

            /// The name by which `--beyond` takes it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }

            /// The kind of violation that a correct client shows where the assumption does not hold.
            pub const fn violation(self) -> &'static str {
                match self { $(Self::$value => $found,)* }
            }
        }
    };
}

assumptions! {
    /// An accepted request is carried out and shown within ten seconds.
    Settling "settling", "lost";
    /// No node is behind the others for longer than that.
    Lag "lag", "lost";
    /// No order that exists is denied by two answers in a row.
    Denials "denials", "lost";
    /// A request arrives at most a second after its caller gave it up, and before its answer.
    Flight "flight", "too fast";
    /// Nobody sends a request a second time.
    Repeats "repeats", "lost";
    /// A refusal belongs to the request of its connection, because it has no id.
    Answers "answers", "lost";
    /// No other process uses the id of an order.
    Ids "ids", "claimed falsely";
    /// A signature that has expired by the exchange's clock is refused by every node.
    Clocks "clocks", "lost";
    /// A code proves what several sources have observed.
    Codes "codes", "lost";
    /// No other client of the process, and no earlier run, uses the id of an order.
    Clients "clients", "claimed falsely";
    /// No client of another account opens the journal.
    Owner "owner", "lost";
    /// An answer to another request has every id that such answers have.
    Echoes "echoes", "claimed falsely";
}

impl Assumption {
    /// The assumption with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|one| one.name() == name).copied()
    }
}

/// Something that a campaign varies.
struct Dial {
    what: &'static str,
    /// Its range by default.
    within: &'static str,
    /// Its range beyond an assumption.
    beyond: Option<(Assumption, &'static str)>,
    /// How often it occurred.
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

const DIALS: &[Dial] = &[
    dial("until an accepted change is carried out and shown", "0 to 9.9 s", |counts| {
        event(counts, HostileEvent::AppearedAfterAbsence)
    })
    .beyond(Assumption::Settling, "0 to 150 s"),
    dial("how far nodes are behind", "0 to 9.9 s", |counts| event(counts, HostileEvent::ShownOutdated))
        .beyond(Assumption::Lag, "0 to 120 s"),
    dial("denials in a row of an order that exists", "1", |counts| {
        counts.hostile.faults.get(&tradeapi_exchange::HostileFault::FalseAbsence).copied().unwrap_or_default()
    })
    .beyond(Assumption::Denials, "5"),
    dial("how late a request arrives after its caller gave it up", "0 to 22 s; rates: 0 to 1 s", |counts| {
        counts.times(Situation::ArrivedLate)
    })
    .beyond(Assumption::Flight, "rates: 0 to 22 s"),
    dial("requests held back together, and delivered at once", "0 to 6 s", |counts| counts.times(Situation::Stalled)),
    dial("requests that arrive after their answer", "outcomes only", |counts| {
        counts.times(Situation::ArrivedAfterAnswer)
    })
    .beyond(Assumption::Flight, "rates, too"),
    dial("answers to a change that a proxy sent twice", "the first, or a used id", |counts| {
        counts.times(Situation::Repeated)
    })
    .beyond(Assumption::Repeats, "any refusal"),
    dial("answers of others", "successes with their ids", |counts| counts.times(Situation::TakenForAnother))
        .beyond(Assumption::Answers, "refusals, too"),
    dial("ids of an answer of others", "all", |counts| counts.times(Situation::TakenForAnother))
        .beyond(Assumption::Echoes, "some or none"),
    dial("an id of two orders", "of one client", |counts| counts.times(Situation::DuplicateId))
        .beyond(Assumption::Clients, "of several, and of several runs"),
    dial("an id of two processes", "never", |counts| counts.times(Situation::SecondProcess))
        .beyond(Assumption::Ids, "at times"),
    dial("steps of the machine's wall clock, apart from the steady one", "-90 to 90 s", |counts| {
        counts.times(Situation::ClockSet)
    }),
    dial("clocks of nodes, which change", "-20 to 20 s, an hour", |counts| counts.times(Situation::NodesSet))
        .beyond(Assumption::Clocks, "signatures accepted by them alone"),
    dial("codes of refusals", "true", |counts| {
        counts.hostile.faults.get(&tradeapi_exchange::HostileFault::Refused).copied().unwrap_or_default()
    })
    .beyond(Assumption::Codes, "a twentieth was done"),
    dial("processes of an account, killed and begun again", "1 to 4", |counts| counts.times(Situation::Killed)),
    dial("journals opened by a client of another account", "never", |counts| counts.times(Situation::OpenedByOthers))
        .beyond(Assumption::Owner, "at times"),
    dial("records of orders from elsewhere", "", |counts| counts.times(Situation::Evidence)),
    dial("comparisons of an account with its journal", "", |counts| counts.times(Situation::Reconciled)),
];

/// The dials of a campaign, as a table.
pub struct Varied<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// What was counted.
    pub counts: &'a Counts,
}

impl fmt::Display for Varied<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:62} {:28} {:>9}", "varied", "range", "times")?;
        for Dial { what, within, beyond, times } in DIALS {
            let exceeded = beyond.filter(|(assumption, _)| self.settings.goes_beyond(*assumption));
            let range = exceeded.map_or(*within, |(_, range)| range);
            let mark = exceeded.map_or(String::new(), |(assumption, _)| format!("  beyond {}", assumption.name()));
            writeln!(f, "  {what:60} {range:28} {:>9}{mark}", times(self.counts))?;
        }
        Ok(())
    }
}
