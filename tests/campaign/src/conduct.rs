use tradeapi::Error;
use tradeapi::runtime::tables::Outcome;

/// How a client is used, or made: as it is meant to be, or wrongly in a way that a campaign has to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conduct {
    /// Unknown outcomes are queried.
    #[default]
    Careful,
    /// What is unknown is taken for a failure, as clients do that know success and failure only.
    TakesUnknownForFailure,
    /// What is unknown is taken for a success.
    TakesUnknownForSuccess,
    /// Any code is taken for a refusal.
    BelievesEveryCode,
    /// Any refusal is taken to say that nothing was done, also of what does two things.
    TakesHalfForNothing,
    /// What is unknown is sent again.
    SendsAgain,
    /// What is unknown after some questions is taken not to have happened.
    GivesUp,
    /// What is not found at once is taken not to be there.
    TrustsTheFirstAbsence,
    /// What is not found is taken not to be there once one answer has a time that is late enough.
    BelievesOneNodesTime,
    /// What is not found is taken not to be there, however long ago it may have been forgotten.
    ForgetsTheForgotten,
    /// Any order that has the id is taken for the queried one.
    BelievesAnyRecord,
    /// An amendment is taken to have happened when the order has that price.
    BelievesThePrice,
    /// The answer to another request is taken for one's own.
    TakesAnyAnswer,
    /// What a batch's answer does not mention is taken to be done.
    TakesMissingForDone,
    /// What a batch's answer does not mention is taken not to be done.
    TakesMissingForNotDone,
    /// Rate limits are not kept.
    IgnoresLimits,
    /// Calls are counted when they are let go, and not when they arrive.
    CountsWhenLetGo,
    /// Signatures go by the time of whichever answer came last.
    BelievesEveryTime,
}

impl Conduct {
    /// What someone takes an error for who does not ask.
    pub(crate) fn takes(self, error: &Error) -> Option<Outcome> {
        let Error::Unknown(unknown) = error else { return Some(error.outcome()) };
        let has_code = matches!(&*unknown.why, Error::Exchange(_));
        let has_said_no = matches!(&*unknown.why, Error::Exchange(error) if is_refusal(error.code.as_str()));
        match self {
            Self::TakesUnknownForFailure => Some(Outcome::NotDone),
            Self::TakesUnknownForSuccess => Some(Outcome::Done),
            Self::BelievesEveryCode if has_code => Some(Outcome::NotDone),
            Self::TakesHalfForNothing if has_said_no => Some(Outcome::NotDone),
            _ => None,
        }
    }
}

fn is_refusal(code: &str) -> bool {
    use crate::codes::Proof::{NotBegun, NotDone};
    matches!(crate::codes::proof(code), Some(NotBegun | NotDone))
}
