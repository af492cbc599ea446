//! Counts of calls, faults and covered situations.

use std::collections::BTreeMap;

use tradeapi_exchange::Counts as HostileCounts;

use crate::operation::Family;

/// Declares an enum with a list of its values, so that a test can show that a campaign covers each.
macro_rules! listed {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value,)*];
        }
    };
}

/// The counts of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The requests that arrived, by operation.
    pub calls: BTreeMap<(Family, &'static str), Rate>,
    /// Counts of the hostile exchanges.
    pub hostile: HostileCounts,
    /// The number of times that each situation occurred.
    pub situations: BTreeMap<Situation, u64>,
    /// The rules that clients broke although they could have known better, such as bad signatures.
    pub refused: Vec<String>,
    /// The number of requests that arrived after their signature had expired.
    pub stale: u64,
}

listed! {
    /// A situation that campaigns have to cover.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Situation {
        /// An order was placed with an id that another order has.
        DuplicateId,
        /// An order was refused because its id was used before.
        RefusedDuplicateId,
        /// A request named an order by the exchange's id.
        NamedByOrderId,
        /// An order was placed without an id.
        WithoutId,
        /// An amendment changed two fields.
        AmendedTwoFields,
        /// An amendment had the order's current values.
        AmendedWithoutChange,
        /// The exchange closed an idle connection.
        IdleClose,
        /// The client received unsolicited bytes.
        Unsolicited,
        /// A query was sent while the request could still arrive.
        QueriedEarly,
        /// A query was sent after the request could no longer arrive.
        QueriedLate,
        /// The first request of a connection was delayed.
        LateFirstRequest,
        /// A caller dropped a call in flight.
        Dropped,
        /// A caller gave up a cancellation that was repeated, or one of the last calls.
        GivenUp,
        /// An account was made flat.
        Flattened,
        /// An account could not be made flat.
        NotFlattened,
        /// All orders were cancelled by repeated attempts.
        CancelledAll,
        /// The client's only thread was blocked.
        Blocked,
        /// An order with an unknown outcome was cancelled.
        CancelledUnknown,
        /// The network lost a request.
        RequestLost,
        /// The network lost an answer.
        AnswerLost,
        /// The network delayed a request.
        RequestDelayed,
        /// The network delayed an answer.
        AnswerDelayed,
        /// A connection was not established.
        NotConnected,
        /// The exchange closed a connection with a request in flight.
        ClosedUnderWay,
        /// A request received the answer to another one.
        TakenForAnother,
        /// An outage of the exchange began with a request in flight.
        CutOff,
        /// A proxy sent a request twice, and passed on the second answer.
        Repeated,
        /// A proxy sent a cancellation or an amendment twice, and passed on the second answer.
        ChangeRepeated,
        /// The exchange verified signatures over the query as it was sent.
        SignedAsSent,
        /// Ids had characters other than letters, digits and `-`.
        OddIds,
        /// Ids had characters that a query has only as escapes.
        EscapedIds,
        /// The way of a request was as much longer as that of its answer was shorter.
        WaysOpposed,
        /// A process used the id of an order of an earlier one.
        IdOfEarlierRun,
        /// A request arrived more than a second after its caller had given it up.
        ArrivedLate,
        /// The network held all messages back for a while, and delivered them at once.
        Stalled,
        /// A request arrived after its caller had taken another answer for its own.
        ArrivedAfterAnswer,
        /// The wall clock of a machine was set.
        ClockSet,
        /// The clocks of a machine and of a node were set together, by the same time.
        BothClocksSet,
        /// The clocks and lags of the exchange's nodes changed.
        NodesSet,
        /// A process was killed, and another began with its journal.
        Killed,
        /// A change that a killed process left open was recovered.
        Recovered,
        /// The account was compared with the journal.
        Reconciled,
        /// A client of another account opened the journal.
        OpenedByOthers,
        /// Another program traded the account, with the same journal under another name.
        AnotherName,
        /// A process was given a record of an order that it had not queried.
        Evidence,
        /// Others filled an order.
        FilledByOthers,
        /// Two clients of one process shared an account.
        SecondClient,
        /// Two processes shared an account.
        SecondProcess,
    }
}

/// The calls of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The number of calls.
    pub calls: usize,
    /// The most calls within any second.
    pub most: usize,
    /// The number of calls allowed within any second.
    pub allowed: usize,
    /// The number of calls in excess of that.
    pub beyond: usize,
}

impl Counts {
    /// Adds `other`. Each rate is that of the fastest caller.
    pub fn add(&mut self, other: &Self) {
        for (operation, rate) in &other.calls {
            let sum = self.calls.entry(*operation).or_default();
            let (calls, beyond) = (sum.calls + rate.calls, sum.beyond + rate.beyond);
            *sum = Rate { calls, beyond, most: sum.most.max(rate.most), allowed: rate.allowed };
        }
        let HostileCounts { faults, effect_times, quirks, events, .. } = &other.hostile;
        add(&mut self.hostile.faults, faults);
        add(&mut self.hostile.effect_times, effect_times);
        add(&mut self.hostile.quirks, quirks);
        add(&mut self.hostile.events, events);
        other.situations.iter().for_each(|(what, count)| self.cover(*what, *count));
        self.refused.extend_from_slice(&other.refused);
        self.stale += other.stale;
    }

    /// Counts occurrences of a situation.
    pub fn cover(&mut self, what: Situation, times: u64) {
        *self.situations.entry(what).or_default() += times;
    }

    /// Returns how often a situation occurred.
    pub fn times(&self, what: Situation) -> u64 {
        self.situations.get(&what).copied().unwrap_or_default()
    }

    /// Returns the number of calls in excess of the documented limits.
    pub fn beyond(&self) -> usize {
        self.calls.values().map(|rate| rate.beyond).sum()
    }
}

fn add<K: Copy + Ord>(all: &mut BTreeMap<K, u64>, some: &BTreeMap<K, u64>) {
    some.iter().for_each(|(what, count)| *all.entry(*what).or_default() += count);
}
