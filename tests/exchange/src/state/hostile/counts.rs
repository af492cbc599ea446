//! Counts of a hostile exchange.

use std::collections::BTreeMap;

use super::{EffectTime, HostileFault, Quirk};
use crate::state::hostile::listed;

listed! {
    /// An event of a hostile exchange, apart from faults and quirks.
    HostileEvent {
        /// An order was placed after a query had not found it.
        AppearedAfterAbsence,
        /// A query named an order whose record was deleted.
        QueriedAfterDeletion,
        /// A node showed an outdated state of an order.
        ShownOutdated,
        /// A node with a wrong clock or a lag answered.
        IncorrectNode,
        /// A node refused a timestamp by its wrong clock.
        RefusedByWrongClock,
        /// A compound request was refused after its first part.
        DoneHalf,
    }
}

/// The counts of a hostile exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The requests by fault.
    pub faults: BTreeMap<HostileFault, u64>,
    /// When faulted changes took effect.
    pub effect_times: BTreeMap<EffectTime, u64>,
    /// The answers by quirk.
    pub quirks: BTreeMap<Quirk, u64>,
    /// Other events.
    pub events: BTreeMap<HostileEvent, u64>,
}

impl Counts {
    /// The number of faulted requests.
    pub(crate) fn faulted(&self) -> u64 {
        self.faults.iter().filter(|(fault, _)| **fault != HostileFault::None).map(|(_, count)| count).sum()
    }

    /// The number of answers with a quirk.
    pub(crate) fn with_quirk(&self) -> u64 {
        self.quirks.iter().filter(|(quirk, _)| **quirk != Quirk::None).map(|(_, count)| count).sum()
    }

    pub(crate) fn record(&mut self, what: HostileEvent) {
        *self.events.entry(what).or_default() += 1;
    }
}
