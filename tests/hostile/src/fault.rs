//! What goes wrong on purpose, and how it is chosen.

use crate::dice::Dice;
use crate::operation::{Deed, Family, Operation};

listed! {
    /// What the exchange does with a request. Whatever it is, it keeps its word where the documents give one: what it calls
    /// a success happens, what it refuses by a code that says so does not.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Fault {
        /// Nothing goes wrong.
        None,
        /// An honest refusal.
        Refused,
        /// A code that sounds like a refusal, of which nothing is sure.
        DoubtfulCode,
        /// A code that says that nobody knows, from no document.
        OpenCode,
        /// A code that says that there are too many requests, with status 200.
        RateCode,
        /// The timestamp is not taken, though it is good.
        Timestamp,
        /// No answer, and the connection stays open.
        Hang,
        /// The connection is reset.
        Reset,
        /// The connection is closed without an answer.
        Close,
        /// Code 40010.
        TimedOut,
        /// Code 40725.
        Downstream,
        /// Code 45001.
        UnknownError,
        /// A code that no document lists.
        Unlisted,
        /// Status 429 without an envelope.
        TooManyBare,
        /// Status 429 with an envelope, and a header that says how long to wait.
        TooManyTold,
        /// A status from 500 on without an envelope.
        ServerErrorBare,
        /// A status from 500 on with an envelope.
        ServerErrorTold,
        /// A redirect.
        Redirect,
        /// Half of the answer's body, and the connection is closed.
        HalfBody,
        /// The length says less than there is, and the connection is kept: the rest comes before the next answer.
        ShortLength,
        /// The length says more than there is, and the connection is kept.
        LongLength,
        /// The answer with some bytes changed beyond recognition.
        Garbage,
        /// An answer that is no HTTP.
        NotHttp,
        /// The answer to another request.
        MixedUp,
        /// A right answer, in small pieces.
        Slow,
        /// A right answer, and the connection is closed behind it.
        LastAnswer,
        /// The exchange goes away for a moment: no answer, no connections.
        Outage,
        /// Of several things, some fail and the answer says which.
        Partial,
        /// Of several things, some stand neither among the successes nor among the failures.
        Missing,
        /// Of several things, some are answered with a message, and neither with a code nor with the exchange's id.
        Bare,
        /// A question is answered as though there were no such order, which can be seen only later.
        Hidden,
        /// A question is answered as though there were no such order, once, however long it has been there.
        FalseAbsence,
        /// A page has some of the items of the page before it.
        Overlap,
        /// A page's cursor is the one that was asked with.
        StuckCursor,
    }
}

/// What becomes of a change, whatever is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Landing {
    /// It is made before the answer.
    Now,
    /// It is made some time after the answer.
    Late,
    /// It is made long after the answer: as late as a request can still be taken, and then some seconds.
    VeryLate,
    /// It is never made.
    Never,
}

/// How often each goes wrong among all that do.
const OF_ANY: [(Fault, u64); 22] = [
    (Fault::Hang, 2),
    (Fault::Reset, 6),
    (Fault::Close, 6),
    (Fault::TimedOut, 6),
    (Fault::Downstream, 6),
    (Fault::UnknownError, 8),
    (Fault::Unlisted, 4),
    (Fault::TooManyBare, 1),
    (Fault::TooManyTold, 1),
    (Fault::RateCode, 1),
    (Fault::Timestamp, 2),
    (Fault::OpenCode, 5),
    (Fault::ServerErrorBare, 4),
    (Fault::ServerErrorTold, 4),
    (Fault::Redirect, 2),
    (Fault::HalfBody, 4),
    (Fault::ShortLength, 3),
    (Fault::LongLength, 1),
    (Fault::Garbage, 4),
    (Fault::NotHttp, 2),
    (Fault::MixedUp, 3),
    (Fault::Outage, 1),
];
const HARMLESS: [(Fault, u64); 2] = [(Fault::Slow, 4), (Fault::LastAnswer, 6)];
const OF_CHANGES: [(Fault, u64); 2] = [(Fault::Refused, 16), (Fault::DoubtfulCode, 4)];
const OF_SEVERAL: [(Fault, u64); 3] = [(Fault::Partial, 20), (Fault::Missing, 20), (Fault::Bare, 10)];
const OF_DETAILS: [(Fault, u64); 1] = [(Fault::Hidden, 20)];
// Public clients have seen this there, and only there.
const OF_CLASSIC_DETAILS: [(Fault, u64); 1] = [(Fault::FalseAbsence, 6)];
const OF_LISTS: [(Fault, u64); 2] = [(Fault::Overlap, 30), (Fault::StuckCursor, 4)];

impl Fault {
    /// What goes wrong with a request, when something does.
    pub(crate) fn throw(operation: &Operation, dice: &mut Dice) -> Self {
        let mut faults = [OF_ANY.as_slice(), &HARMLESS].concat();
        match operation.deed {
            Deed::Detail => {
                faults.extend(OF_DETAILS);
                if operation.family == Family::Classic {
                    faults.extend(OF_CLASSIC_DETAILS);
                }
            }
            Deed::List(_) => faults.extend(OF_LISTS),
            Deed::Place | Deed::Amend | Deed::Cancel => faults.extend(OF_CHANGES),
        }
        if operation.several {
            faults.extend(OF_SEVERAL);
        }
        // Which of its two ids the answer to this amendment carries is not shown, and a page does not say what it is a page
        // of: nobody could tell these from others.
        if (operation.deed, operation.family) == (Deed::Amend, Family::Classic)
            || matches!(operation.deed, Deed::List(_))
        {
            faults.retain(|(fault, _)| *fault != Fault::MixedUp);
        }
        dice.weighted(&faults)
    }

    /// What becomes of a change whose request this goes wrong with.
    pub(crate) fn landing(self, dice: &mut Dice) -> Landing {
        match self {
            Self::None | Self::Slow | Self::LastAnswer | Self::Partial => Landing::Now,
            Self::Refused | Self::RateCode | Self::Timestamp | Self::TooManyBare | Self::TooManyTold => Landing::Never,
            _ => {
                dice.weighted(&[(Landing::Now, 40), (Landing::Late, 15), (Landing::VeryLate, 5), (Landing::Never, 40)])
            }
        }
    }
}
