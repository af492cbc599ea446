//! What goes wrong with a request of a hostile exchange, and how it is chosen.

use tradeapi::runtime::tables::{Effect, Meta};

use crate::dice::Dice;
use crate::hostile::listed;

listed! {
    /// What a hostile exchange does with a request. What it calls a success happens, and what it refuses with a code that
    /// proves that nothing was done was not done; everything else is open.
    Wrong {
        /// Nothing goes wrong.
        None,
        /// An honest refusal.
        Refused,
        /// A code that sounds like a refusal, of which nothing is sure.
        DoubtfulCode,
        /// A code after which the outcome is open.
        OpenCode,
        /// A code that no table lists.
        UnlistedCode,
        /// A code for too many requests, with status 200.
        RateCode,
        /// The timestamp is refused although it is good.
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
        /// Some bytes of the body are changed, so that it is not JSON any more.
        Garbage,
        /// An answer that is not HTTP.
        NotHttp,
        /// The answer to another request.
        MixedUp,
        /// A correct answer in small pieces.
        Slow,
        /// A correct answer, after which the connection is closed.
        LastAnswer,
        /// The exchange is away for a moment: no answer, no connections.
        Outage,
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
        /// A page begins with some items of the page before it.
        Overlap,
        /// The cursor of a page is the one that was sent.
        StuckCursor,
    }
}

/// When a change takes effect, whatever is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Landing {
    /// Before the answer.
    Now,
    /// Within a second of the answer.
    Late,
    /// As late as a request can be accepted and become visible.
    VeryLate,
    /// Never.
    Never,
}

/// The weight of each among all that go wrong.
const OF_ANY: &[(Wrong, u64)] = &[
    (Wrong::Hang, 2),
    (Wrong::Reset, 6),
    (Wrong::Close, 6),
    (Wrong::OpenCode, 25),
    (Wrong::UnlistedCode, 4),
    (Wrong::TooManyBare, 1),
    (Wrong::TooManyCoded, 1),
    (Wrong::RateCode, 1),
    (Wrong::Timestamp, 2),
    (Wrong::ServerErrorBare, 4),
    (Wrong::ServerErrorCoded, 4),
    (Wrong::Redirect, 2),
    (Wrong::HalfBody, 4),
    (Wrong::ShortLength, 3),
    (Wrong::LongLength, 1),
    (Wrong::Garbage, 4),
    (Wrong::NotHttp, 2),
    (Wrong::Outage, 1),
    (Wrong::Slow, 4),
    (Wrong::LastAnswer, 6),
];
const OF_CHANGES: &[(Wrong, u64)] = &[(Wrong::Refused, 16), (Wrong::DoubtfulCode, 4)];
const OF_SEVERAL: &[(Wrong, u64)] = &[(Wrong::Partial, 20), (Wrong::Missing, 20), (Wrong::Bare, 10)];
const OF_QUERIES: &[(Wrong, u64)] = &[(Wrong::Hidden, 20), (Wrong::FalseAbsence, 4)];
const OF_LISTS: &[(Wrong, u64)] = &[(Wrong::Overlap, 30), (Wrong::StuckCursor, 4)];
/// Only where an answer shows which request it belongs to.
const OF_ECHOES: &[(Wrong, u64)] = &[(Wrong::MixedUp, 3)];

/// Whether an operation is a listing, page by page.
pub(crate) fn is_list(meta: &Meta) -> bool {
    meta.effect == Effect::Read && meta.defaults.iter().any(|(name, _)| *name == "limit")
}

impl Wrong {
    /// What goes wrong with a request, if something does.
    pub(crate) fn throw(meta: &Meta, is_batch: bool, dice: &mut Dice) -> Self {
        let echoes = meta.echoes.as_ref().is_some_and(|echoes| !echoes.one_is_enough);
        let parts: &[&[(Self, u64)]] = match (meta.effect, is_list(meta)) {
            (Effect::Read, true) => &[OF_ANY, OF_LISTS],
            (Effect::Read, false) => &[OF_ANY, OF_QUERIES],
            _ if is_batch => &[OF_ANY, OF_CHANGES, OF_SEVERAL, OF_ECHOES],
            _ if echoes => &[OF_ANY, OF_CHANGES, OF_ECHOES],
            _ => &[OF_ANY, OF_CHANGES],
        };
        dice.weighted(&parts.concat()).unwrap_or(Self::None)
    }

    /// When a change takes effect with whose request this goes wrong.
    pub(crate) fn landing(self, dice: &mut Dice) -> Landing {
        match self {
            Self::None | Self::Slow | Self::LastAnswer | Self::Partial => Landing::Now,
            Self::Refused | Self::RateCode | Self::Timestamp | Self::TooManyBare | Self::TooManyCoded => Landing::Never,
            _ => {
                let all = [(Landing::Now, 40), (Landing::Late, 15), (Landing::VeryLate, 5), (Landing::Never, 40)];
                dice.weighted(&all).unwrap_or(Landing::Now)
            }
        }
    }
}
