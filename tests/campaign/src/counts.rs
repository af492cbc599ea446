//! What a campaign counts.

use std::collections::BTreeMap;

use tradeapi_exchange::Counts as Hostile;

use crate::operation::Family;

/// An enum that lists its values, so that a campaign can show that it reached each.
macro_rules! listed {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value,)*];
        }
    };
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many requests came, by operation.
    pub calls: BTreeMap<(Family, &'static str), Rate>,
    /// What the hostile exchanges did.
    pub hostile: Hostile,
    /// What else was reached.
    pub reached: BTreeMap<Reached, u64>,
    /// What no client should send: requests that are badly signed or make no sense.
    pub refused: Vec<String>,
    /// How many requests came too late for their signature.
    pub stale: u64,
}

listed! {
    /// Something that a campaign is to reach.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Reached {
        /// An order was made with an id that another has.
        Twin,
        /// An order was refused because its id was used before.
        RefusedTwin,
        /// An order was named by the exchange's id.
        NamedByOrderId,
        /// An order came without an id.
        WithoutId,
        /// An amendment requested two changes.
        AmendedTwoFields,
        /// An amendment requested what the order already was.
        AmendedWithoutChange,
        /// A connection that rested was closed.
        IdleClose,
        /// Bytes came without a request.
        Unsolicited,
        /// A query was sent while the request could still arrive.
        QueriedEarly,
        /// A query was sent after that.
        QueriedLate,
        /// A request came over a connection for which it had to wait.
        LateFirstRequest,
        /// A client gave up a call that was under way.
        Dropped,
        /// A client's only thread was busy with something else.
        Blocked,
        /// An order was cancelled of which it was not known whether it was there.
        CancelledUnknown,
        /// The network lost a request on its way.
        RequestLost,
        /// The network lost an answer on its way.
        AnswerLost,
        /// A request was overtaken by others.
        RequestDelayed,
        /// An answer was overtaken by others, or came too late.
        AnswerDelayed,
        /// A connection was not established.
        NotConnected,
        /// A connection was closed while a request was under way to it.
        ClosedUnderWay,
        /// The answer to another request came for this one.
        TakenForAnother,
        /// The exchange was down while a request was under way to it.
        CutOff,
        /// A request came a second time, from a node that repeats what it gets no answer to, and the second answer counted.
        Repeated,
    }
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

impl Counts {
    /// The sum of both; each rate is that of the fastest caller.
    pub fn add(&mut self, other: &Self) {
        for (operation, rate) in &other.calls {
            let sum = self.calls.entry(*operation).or_default();
            let (calls, beyond) = (sum.calls + rate.calls, sum.beyond + rate.beyond);
            *sum = Rate { calls, beyond, most: sum.most.max(rate.most), allowed: rate.allowed };
        }
        let Hostile { wrongs, landings, quirks, reached, .. } = &other.hostile;
        add(&mut self.hostile.wrongs, wrongs);
        add(&mut self.hostile.landings, landings);
        add(&mut self.hostile.quirks, quirks);
        add(&mut self.hostile.reached, reached);
        other.reached.iter().for_each(|(what, count)| self.reach(*what, *count));
        self.refused.extend_from_slice(&other.refused);
        self.stale += other.stale;
    }

    /// Something was reached, so many times.
    pub fn reach(&mut self, what: Reached, times: u64) {
        *self.reached.entry(what).or_default() += times;
    }

    /// How often something was reached.
    pub fn times(&self, what: Reached) -> u64 {
        self.reached.get(&what).copied().unwrap_or_default()
    }

    /// How many calls came beyond what the documents allow.
    pub fn beyond(&self) -> usize {
        self.calls.values().map(|rate| rate.beyond).sum()
    }
}

fn add<K: Copy + Ord>(all: &mut BTreeMap<K, u64>, some: &BTreeMap<K, u64>) {
    some.iter().for_each(|(what, count)| *all.entry(*what).or_default() += count);
}
