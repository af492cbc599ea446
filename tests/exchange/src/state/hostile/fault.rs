//! The faults of a hostile exchange, their probabilities and their counts.

use std::collections::BTreeMap;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tradeapi::runtime::tables::{Effect, Meta};

use super::Quirk;
use crate::state::dice::Dice;
use crate::state::hostile::listed;

listed! {
    /// A fault of a hostile exchange. A success was done, and a refusal with a code that proves so was not done;
    /// everything else is open.
    HostileFault {
        /// No fault.
        None,
        /// An honest refusal.
        Refused,
        /// A code that reads like a refusal, but proves nothing.
        DoubtfulCode,
        /// A code after which the outcome is open.
        OpenCode,
        /// A code that no table lists.
        UnlistedCode,
        /// A code for too many requests, with status 200.
        RateCode,
        /// A valid timestamp is refused.
        Timestamp,
        /// No answer, and the connection stays open.
        Hang,
        /// The connection is reset.
        Reset,
        /// The connection is closed without an answer.
        Close,
        /// Status 429 without an envelope.
        TooManyBare,
        /// Status 429 with an envelope, and a header that says how long to wait.
        TooManyCoded,
        /// A status from 500 on without an envelope.
        ServerErrorBare,
        /// A status from 500 on with an envelope.
        ServerErrorCoded,
        /// A redirect.
        Redirect,
        /// Half of the body, and the connection is closed.
        HalfBody,
        /// The announced length is too short, and the connection is kept.
        ShortLength,
        /// The announced length is too long, and the connection is kept.
        LongLength,
        /// Some bytes of the body are changed, so that it is no longer JSON.
        Garbage,
        /// Status 200 with an empty body.
        EmptyBody,
        /// An answer that is not HTTP.
        NotHttp,
        /// The answer to another request.
        MixedUp,
        /// A request that sets something is answered with the value of before.
        AnotherValue,
        /// A correct answer in small pieces.
        Slow,
        /// A correct answer, after which the connection is closed.
        LastAnswer,
        /// An outage: no answer, and no connections for a moment.
        Outage,
        /// A code after which the outcome is open, in an hour of a release, in which half of the requests get one.
        Release,
        /// Status 429, because the address sent too many requests in the last five minutes.
        Blocked,
        /// Some items of a batch are refused, and the answer says which.
        Partial,
        /// Some items of a batch are not in the answer.
        Missing,
        /// Some items of a batch are answered with a message, but with neither a code nor the exchange's id.
        Bare,
        /// A query does not find an order that was placed recently.
        Hidden,
        /// A query does not find an order, once, however old it is.
        FalseAbsence,
        /// A page repeats some items of the page before it.
        Overlap,
        /// The cursor of a page repeats that of the request.
        StuckCursor,
    }
}

/// When a faulted change takes effect, regardless of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EffectTime {
    /// Before the answer.
    Now,
    /// Within a second of the answer.
    Late,
    /// As late as a request can be accepted and become visible.
    VeryLate,
    /// Never.
    Never,
}

/// The weights of faults that any request can have.
const ANY: &[(HostileFault, u64)] = &[
    (HostileFault::Hang, 2),
    (HostileFault::Reset, 6),
    (HostileFault::Close, 6),
    (HostileFault::OpenCode, 25),
    (HostileFault::UnlistedCode, 4),
    (HostileFault::TooManyBare, 1),
    (HostileFault::TooManyCoded, 1),
    (HostileFault::RateCode, 1),
    (HostileFault::Timestamp, 2),
    (HostileFault::ServerErrorBare, 4),
    (HostileFault::ServerErrorCoded, 4),
    (HostileFault::Redirect, 2),
    (HostileFault::HalfBody, 4),
    (HostileFault::ShortLength, 3),
    (HostileFault::LongLength, 1),
    (HostileFault::Garbage, 4),
    (HostileFault::EmptyBody, 3),
    (HostileFault::NotHttp, 2),
    (HostileFault::Outage, 1),
    (HostileFault::Slow, 4),
    (HostileFault::LastAnswer, 6),
];

const CHANGES: &[(HostileFault, u64)] = &[(HostileFault::Refused, 16), (HostileFault::DoubtfulCode, 4)];

const BATCHES: &[(HostileFault, u64)] =
    &[(HostileFault::Partial, 20), (HostileFault::Missing, 20), (HostileFault::Bare, 10)];
const QUERIES: &[(HostileFault, u64)] = &[(HostileFault::Hidden, 20), (HostileFault::FalseAbsence, 4)];

const LISTINGS: &[(HostileFault, u64)] = &[(HostileFault::Overlap, 30), (HostileFault::StuckCursor, 4)];

/// Only for operations whose answers repeat an id of the request.
const ECHOES: &[(HostileFault, u64)] = &[(HostileFault::MixedUp, 3)];

/// Only for operations whose answers repeat a value that they set.
const VALUES: &[(HostileFault, u64)] = &[(HostileFault::AnotherValue, 20)];

/// Returns whether the answers of an operation repeat a value that it sets.
pub(crate) fn shows_value(meta: &Meta) -> bool {
    let echoes = meta.echoes.as_ref().filter(|_| meta.effect == Effect::Amend);
    echoes.is_some_and(|echoes| !echoes.also.is_empty() || !echoes.by_one.is_empty())
}

/// Returns whether an operation is a listing in pages.
pub(crate) fn is_list(meta: &Meta) -> bool {
    meta.effect == Effect::Read && meta.defaults.iter().any(|(name, _)| *name == "limit")
}

/// The faults that leave a program without an answer.
const LOST: &[(HostileFault, u64)] =
    &[(HostileFault::Hang, 1), (HostileFault::Reset, 3), (HostileFault::Close, 4), (HostileFault::HalfBody, 2)];

/// The kinds of faults of a hostile exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKinds {
    /// All kinds.
    #[default]
    All,
    /// Answers, or the requests themselves, are lost or cut off.
    Lost,
    /// Answers are late by two to thirty seconds. Their requests take effect at once.
    Slow,
}

impl FaultKinds {
    /// Returns a random fault of a request.
    pub(crate) fn random(self, meta: &Meta, is_batch: bool, dice: &mut Dice) -> HostileFault {
        match self {
            Self::All => HostileFault::random(meta, is_batch, dice),
            Self::Lost => dice.weighted(LOST).unwrap_or(HostileFault::None),
            Self::Slow => HostileFault::Slow,
        }
    }

    /// Returns how late a slow answer is, if it is later than the usual pause between its pieces.
    pub(crate) fn lateness(self, dice: &mut Dice) -> Option<Duration> {
        (self == Self::Slow).then(|| Duration::from_millis(2_000 + dice.below(28_000)))
    }
}

impl HostileFault {
    /// Creates a random fault of a request.
    pub(crate) fn random(meta: &Meta, is_batch: bool, dice: &mut Dice) -> Self {
        let echoes = meta.echoes.as_ref().is_some_and(|echoes| !echoes.one_is_enough);
        let parts: &[&[(Self, u64)]] = match (meta.effect, is_list(meta)) {
            (Effect::Read, true) => &[ANY, LISTINGS],
            (Effect::Read, false) => &[ANY, QUERIES],
            _ if is_batch => &[ANY, CHANGES, BATCHES, ECHOES],
            _ if shows_value(meta) => &[ANY, CHANGES, VALUES],
            _ if echoes => &[ANY, CHANGES, ECHOES],
            _ => &[ANY, CHANGES],
        };
        dice.weighted(&parts.concat()).unwrap_or(Self::None)
    }

    /// Returns when a change with this fault takes effect.
    pub(crate) fn effect_time(self, dice: &mut Dice) -> EffectTime {
        match self {
            Self::None | Self::Slow | Self::LastAnswer | Self::Partial => EffectTime::Now,
            Self::Refused
            | Self::RateCode
            | Self::Timestamp
            | Self::TooManyBare
            | Self::TooManyCoded
            | Self::Blocked => EffectTime::Never,
            _ => {
                let all =
                    [(EffectTime::Now, 40), (EffectTime::Late, 15), (EffectTime::VeryLate, 5), (EffectTime::Never, 40)];
                dice.weighted(&all).unwrap_or(EffectTime::Now)
            }
        }
    }
}

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
    /// Returns the number of faulted requests.
    pub(crate) fn faulted(&self) -> u64 {
        self.faults.iter().filter(|(fault, _)| **fault != HostileFault::None).map(|(_, count)| count).sum()
    }

    /// Returns the number of answers with a quirk.
    pub(crate) fn with_quirk(&self) -> u64 {
        self.quirks.iter().filter(|(quirk, _)| **quirk != Quirk::None).map(|(_, count)| count).sum()
    }

    pub(crate) fn record(&mut self, what: HostileEvent) {
        *self.events.entry(what).or_default() += 1;
    }
}
