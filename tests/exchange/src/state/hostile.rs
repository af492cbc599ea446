//! A hostile but honest exchange.
//!
//! A success was done, and a refusal with a code that proves so was not done; otherwise no client could be right.
//! Everything else is open: an order may or may not be placed whatever the answer, and it may be placed after a query
//! did not find it, within the signature window and the settling time. How far it goes is a setting; a run can go
//! further than any client can bear, to show that an assumption is needed.
//!
//! The faults of a request follow from the seed, from its content and from how often it was sent, not from the time of
//! arrival.
//!
//! It is a condition of the core, so that what a request did although its answer was lost, or does later, is the
//! exchange's own state. Codes come from the emitted tables; nodes that lag show versions of orders that are kept until
//! they are settled. It stays honest: a documented success was done, and a rejection by a code that several sources
//! agree on did nothing. Against an exchange that breaks this, no client can be right.

use std::collections::BTreeSet;

use bytes::Bytes;
use http::Response;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::state::dice::{Dice, Seed};
use crate::state::events::Event;

pub(crate) mod fault;
mod node;
mod quirk;

pub use self::fault::{Counts, EffectTime, FaultKinds, HostileEvent, HostileFault};
pub use self::node::Node;
pub(crate) use self::node::{View, Views};
pub use self::quirk::Quirk;

/// Declares an enum with a list of its values, so that a test can show that it covers each.
macro_rules! listed {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])+ $value:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[doc = $doc])+ $value,)* }

        impl $name {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$value,)*];

            /// Returns its documentation.
            pub fn in_words(self) -> &'static str {
                match self { $(Self::$value => concat!($($doc),+),)* }
            }
        }
    };
}
use listed;

/// The settings of a hostile exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hostility {
    /// The seed of all faults and quirks.
    pub seed: Seed,
    /// The percentage of changes that are faulted; queries are faulted half as often.
    pub faults: u64,
    /// The kinds of faults that occur.
    pub kinds: FaultKinds,
    /// True if what goes wrong follows from the number of a request among those of its operation. Otherwise it follows
    /// from the content and how often that was sent, which differs between runs of a program that invents ids.
    pub by_number: bool,
    /// The percentage of answers with a [`Quirk`].
    pub quirks: u64,
    /// The nodes behind the address; empty for one node without mistakes.
    pub nodes: Vec<Node>,
    /// The speed of the clock, by which real delays are scaled.
    pub speed: u32,
    /// The longest time until an accepted change is carried out and shown, in milliseconds.
    pub settling: u64,
    /// The longest time by which a node may show a change later, in milliseconds.
    pub lag: u64,
    /// The number of times in a row that a query may deny an order that exists.
    pub denials: u32,
    /// True if each node accepts a signature by its own clock alone. Otherwise it also has to be valid by the true one.
    pub own_clocks: bool,
    /// The percentage of refusals that were done all the same.
    pub false_refusals: u64,
    /// The percentage of hours in which a release is under way: half of the requests get a code after which the outcome
    /// is open.
    pub releases: u64,
    /// The percentage of refusals of too many requests after which everything from the address is refused, for as long as
    /// the schema states.
    pub blocks: u64,
    /// True if the client id of an order that has ended can be used again, where ids of open orders cannot.
    pub forgets_ended: bool,
    /// The only requests that may be faulted, as listed by
    /// [`Exchange::faulted_requests`](crate::Exchange::faulted_requests); `None` allows all.
    pub only: Option<BTreeSet<String>>,
}

/// An hour, in milliseconds.
const HOUR: u64 = 3_600_000;

impl Default for Hostility {
    fn default() -> Self {
        Self {
            seed: Seed::default(),
            faults: 40,
            kinds: FaultKinds::All,
            by_number: false,
            quirks: 8,
            nodes: Vec::new(),
            speed: 1,
            settling: 9_000,
            lag: 0,
            denials: 1,
            own_clocks: false,
            false_refusals: 0,
            releases: 0,
            blocks: 0,
            forgets_ended: false,
            only: None,
        }
    }
}

impl Hostility {
    /// Returns settings with these percentages of faults and quirks.
    pub fn new(seed: Seed, faults: u64, quirks: u64) -> Self {
        Self { seed, faults, quirks, ..Self::default() }
    }

    /// Returns settings without faults and quirks. Delayed requests still take effect.
    #[must_use]
    pub fn calm(self) -> Self {
        Self { faults: 0, quirks: 0, releases: 0, blocks: 0, nodes: Vec::new(), ..self }
    }

    /// Returns whether a release is under way in the hour of a time.
    pub(crate) fn is_release(&self, now: u64) -> bool {
        let hour = (now / HOUR).to_string();
        self.releases > 0 && Dice::named(self.seed, &["release", &hour]).percent(self.releases)
    }
}

/// The state of a hostile exchange.
#[derive(Debug)]
pub(crate) struct Hostile {
    pub(crate) settings: Hostility,
    pub(crate) counts: Counts,
    /// The requests that were faulted.
    pub(crate) faulted: BTreeSet<String>,
    /// The number of times that each request was sent.
    pub(crate) seen: FxHashMap<u64, u64>,
    /// The end of the time in which everything from the address is refused.
    pub(crate) blocked_until: u64,
    /// The data of the latest successful answers by operation, for answers to the wrong request.
    pub(crate) latest: FxHashMap<&'static str, String>,
    /// The latest successful answer to a change, which may be sent again without a request.
    pub(crate) last: Option<Response<Bytes>>,
    /// The node's view during the current request, and when all nodes show its effect.
    pub(crate) view: View,
    pub(crate) settled: u64,
    /// True if only the first part of a compound request is done.
    pub(crate) halves: bool,
}

impl Hostile {
    pub(crate) fn new(settings: Hostility) -> Self {
        Self {
            settings,
            counts: Counts::default(),
            faulted: BTreeSet::new(),
            seen: FxHashMap::default(),
            blocked_until: 0,
            latest: FxHashMap::default(),
            last: None,
            view: View { now: 0, lag: 0, fault: HostileFault::None, denials: 0 },
            settled: 0,
            halves: false,
        }
    }

    /// Counts the events that tests look for.
    pub(crate) fn count(&mut self, event: &Event) {
        if let Event::DoneHalf { .. } = event {
            self.counts.record(HostileEvent::DoneHalf);
        }
    }
}
