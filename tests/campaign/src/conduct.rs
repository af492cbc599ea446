use tradeapi::Error;
use tradeapi::runtime::Outcome;

/// How a client is used: as it is meant to be, or wrongly in a way that a campaign has to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conduct {
    /// What is unknown is asked for.
    #[default]
    Careful,
    /// What is unknown is taken for a failure, as clients do that know success and failure only.
    TakesUnknownForFailure,
    /// What is unknown is taken for a success.
    TakesUnknownForSuccess,
    /// What is unknown is sent again.
    SendsAgain,
    /// What is not found at once is taken not to be there.
    TrustsTheFirstAbsence,
    /// Rate limits are not kept.
    IgnoresLimits,
}

impl Conduct {
    /// What someone takes an error for who does not ask.
    pub(crate) fn takes(self, error: &Error) -> Option<Outcome> {
        match (self, error.outcome()) {
            (_, Outcome::NotDone) => Some(Outcome::NotDone),
            (Self::TakesUnknownForFailure, _) => Some(Outcome::NotDone),
            (Self::TakesUnknownForSuccess, _) => Some(Outcome::Done),
            _ => None,
        }
    }
}
