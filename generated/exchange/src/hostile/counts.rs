//! What a hostile exchange has done.

use std::collections::BTreeMap;

use super::{Landing, Quirk, Wrong};
use crate::hostile::listed;

listed! {
    /// Something that happens in a hostile exchange, apart from the answer to a request.
    Reached {
        /// An order was placed after a query had not found it.
        CameAfterAll,
        /// A query for an order that is not kept any more.
        Forgotten,
        /// A node showed an earlier state of an order.
        ShownLate,
        /// A node answered whose clock is wrong, or that lags.
        AnotherNode,
        /// A timestamp was refused by a clock that is wrong.
        JudgedByWrongClock,
        /// A request that does several things was refused after the first.
        DoneHalf,
    }
}

/// How often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// What went wrong.
    pub wrongs: BTreeMap<Wrong, u64>,
    /// When changes took effect, of requests with which something went wrong.
    pub landings: BTreeMap<Landing, u64>,
    /// What was odd about answers.
    pub quirks: BTreeMap<Quirk, u64>,
    /// What else happened.
    pub reached: BTreeMap<Reached, u64>,
}

impl Counts {
    /// With how many requests something went wrong.
    pub(crate) fn wrong(&self) -> u64 {
        self.wrongs.iter().filter(|(wrong, _)| **wrong != Wrong::None).map(|(_, count)| count).sum()
    }

    /// How many answers were odd.
    pub(crate) fn odd(&self) -> u64 {
        self.quirks.iter().filter(|(quirk, _)| **quirk != Quirk::None).map(|(_, count)| count).sum()
    }

    pub(crate) fn reach(&mut self, what: Reached) {
        *self.reached.entry(what).or_default() += 1;
    }
}
