//! Clients under test: the correct one, and some with a mistake.

use tradeapi::Error;
use tradeapi::runtime::tables::Outcome;

/// A client under test: the correct one, or one with a mistake that a campaign has to detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientVariant {
    /// Queries unknown outcomes.
    #[default]
    Correct,
    /// Treats an unknown outcome as a failure, like clients that only distinguish success and failure.
    TreatsUnknownAsFailure,
    /// Treats an unknown outcome as a success.
    TreatsUnknownAsSuccess,
    /// Treats any code as a refusal.
    TrustsEveryCode,
    /// Treats any refusal as proof that nothing was done, even of a compound request.
    TreatsHalfDoneAsNotDone,
    /// Resends a request with an unknown outcome.
    Resends,
    /// Treats an outcome that is still unknown after some queries as not done.
    GivesUp,
    /// Treats an order that the first query does not find as absent.
    TrustsFirstAbsence,
    /// Treats an order that is not found as absent once a single answer has a late enough time.
    TrustsOneNodesTime,
    /// Treats an order that is not found as absent, even if the exchange may have deleted its record.
    IgnoresRetention,
    /// Treats any order with the id as the queried one.
    TrustsAnyRecord,
    /// Treats an amendment as done if the order has its price.
    ComparesPriceOnly,
    /// Accepts the answer to another request.
    AcceptsAnyAnswer,
    /// Treats an item that a batch's answer does not mention as done.
    TreatsMissingAsDone,
    /// Treats an item that a batch's answer does not mention as not done.
    TreatsMissingAsNotDone,
    /// Treats an item with a code as not done, whatever the code proves.
    TrustsEveryItemCode,
    /// Treats the items of a batch that was stopped under way as not sent.
    TreatsStoppedAsNotSent,
    /// Treats an account as flat once everything was cancelled and closed.
    FlattensOnce,
    /// Treats an account as flat once reading shows nothing, whatever is under way.
    FlattensByReading,
    /// Places again as soon as a repeated cancellation of all orders was answered.
    PlacesAtOnce,
    /// Ignores rate limits.
    IgnoresLimits,
    /// Counts calls when they are sent instead of when they arrive.
    CountsWhenSent,
    /// Signs with the time of the latest answer.
    TrustsEveryTime,
    /// After a crash, treats an open change as done whose id any order has.
    RecoversByIdOnly,
    /// After a crash, treats an open change as not done that one query does not find.
    RecoversByOneDenial,
    /// After a crash, treats open changes as never sent.
    RecoversAsUnsent,
    /// After a crash, sends the open orders again.
    RecoversByResending,
    /// Queries the changes of a journal with the key of another account.
    RecoversForAnotherAccount,
    /// Stores a change when it is answered, not before it is sent.
    StoresAnswered,
    /// Closes a batch as soon as one of its items has an outcome.
    ClosesBatchesEarly,
    /// Treats an order that a comparison does not find as gone, also if it may still appear.
    TakesDenialsForEnds,
    /// Reads fills only since the last ones that it has.
    MissesLateFills,
}

impl ClientVariant {
    /// The correct client, and all with a mistake that shows without a crash.
    pub const ALL: &[Self] = &[
        Self::Correct,
        Self::TreatsUnknownAsFailure,
        Self::TreatsUnknownAsSuccess,
        Self::TrustsEveryCode,
        Self::TreatsHalfDoneAsNotDone,
        Self::Resends,
        Self::GivesUp,
        Self::TrustsFirstAbsence,
        Self::TrustsOneNodesTime,
        Self::IgnoresRetention,
        Self::TrustsAnyRecord,
        Self::ComparesPriceOnly,
        Self::AcceptsAnyAnswer,
        Self::TreatsMissingAsDone,
        Self::TreatsMissingAsNotDone,
        Self::TrustsEveryItemCode,
        Self::TreatsStoppedAsNotSent,
        Self::IgnoresLimits,
        Self::CountsWhenSent,
        Self::TrustsEveryTime,
    ];

    /// Returns whether its mistake is in what it does with a journal after a crash.
    pub(crate) fn has_journal(self) -> bool {
        matches!(
            self,
            Self::RecoversByIdOnly
                | Self::RecoversByOneDenial
                | Self::RecoversAsUnsent
                | Self::RecoversByResending
                | Self::RecoversForAnotherAccount
                | Self::StoresAnswered
                | Self::ClosesBatchesEarly
                | Self::TakesDenialsForEnds
                | Self::MissesLateFills
        )
    }

    /// Returns whether its mistake is in how it ends an account.
    pub(crate) fn ends_wrongly(self) -> bool {
        matches!(self, Self::FlattensOnce | Self::FlattensByReading | Self::PlacesAtOnce)
    }

    /// Returns whether it stops some batches under way.
    pub(crate) fn stops_batches(self) -> bool {
        matches!(self, Self::Correct | Self::TreatsStoppedAsNotSent)
    }

    /// Returns whether it does not recover as the client does.
    pub(crate) fn recovers_by_itself(self) -> bool {
        matches!(
            self,
            Self::RecoversByIdOnly | Self::RecoversByOneDenial | Self::RecoversAsUnsent | Self::RecoversByResending
        )
    }

    /// Returns the outcome that this client concludes from an error without a query; `None` if it queries.
    pub(crate) fn conclusion(self, error: &Error) -> Option<Outcome> {
        let Error::Unknown(unknown) = error else { return Some(error.outcome()) };
        let has_code = matches!(&*unknown.why, Error::Exchange(_));
        let has_said_no = matches!(&*unknown.why, Error::Exchange(error) if is_refusal(error.code.as_str()));
        match self {
            Self::TreatsUnknownAsFailure => Some(Outcome::NotDone),
            Self::TreatsUnknownAsSuccess => Some(Outcome::Done),
            Self::TrustsEveryCode if has_code => Some(Outcome::NotDone),
            Self::TreatsHalfDoneAsNotDone if has_said_no => Some(Outcome::NotDone),
            _ => None,
        }
    }
}

fn is_refusal(code: &str) -> bool {
    use crate::codes::Proof::{NotBegun, NotDone};
    matches!(crate::codes::proof(code), Some(NotBegun | NotDone))
}
