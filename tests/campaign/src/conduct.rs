use tradeapi::Error;
use tradeapi::runtime::tables::Outcome;

/// How a client is used: correctly, or wrongly in a way that a campaign has to detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conduct {
    /// Unknown outcomes are queried.
    #[default]
    Careful,
    /// An unknown outcome is treated as a failure, as clients do that know success and failure only.
    TakesUnknownForFailure,
    /// An unknown outcome is treated as a success.
    TakesUnknownForSuccess,
    /// Any code is treated as a refusal.
    BelievesEveryCode,
    /// Any refusal is treated as proof that nothing was done, even if the request does two things.
    TakesHalfForNothing,
    /// A request with an unknown outcome is sent again.
    SendsAgain,
    /// An outcome that is unknown after some queries is treated as not done.
    GivesUp,
    /// An order that the first query does not find is treated as absent.
    TrustsTheFirstAbsence,
    /// An order that is not found is treated as absent once a single answer has a time that is late enough.
    BelievesOneNodesTime,
    /// An order that is not found is treated as absent, even if the exchange may have forgotten it.
    ForgetsTheForgotten,
    /// Any order with the id is treated as the queried one.
    BelievesAnyRecord,
    /// An amendment is treated as done if the order has its price.
    BelievesThePrice,
    /// The answer to another request is accepted.
    TakesAnyAnswer,
    /// An item that a batch's answer does not mention is treated as done.
    TakesMissingForDone,
    /// An item that a batch's answer does not mention is treated as not done.
    TakesMissingForNotDone,
    /// Rate limits are ignored.
    IgnoresLimits,
    /// Calls are counted when they leave, not when they arrive.
    CountsWhenLetGo,
    /// Signatures use the time of the latest answer.
    BelievesEveryTime,
}

impl Conduct {
    /// The outcome that such a client concludes from an error without a query; `None` if it queries.
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
