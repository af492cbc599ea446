use std::fmt;

use tradeapi::runtime::Outcome;
use tradeapi_exchange::{Book, Effect};

use crate::ledger::{Claim, Ledger};

/// Where the client's account and the exchange's book disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The client says that it did not happen, and it did.
    Lost(Effect, Claim),
    /// It happened more often than it was asked for.
    Doubled(Effect, u32),
    /// The client says that it happened, and it did not.
    ClaimedFalsely(Effect, Claim),
    /// It happened, and the client knows nothing of it.
    Unasked(Effect),
    /// A listing does not have each order once.
    Listed(String),
    /// More calls came within a second than the documents allow.
    TooFast(String),
    /// A request came that no client should send.
    Senseless(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(effect, claim) => write!(f, "lost: {effect:?}, by {} known {:?}", claim.deed, claim.known),
            Self::Doubled(effect, times) => write!(f, "doubled: {effect:?} happened {times} times"),
            Self::ClaimedFalsely(effect, claim) => {
                write!(f, "claimed falsely: {effect:?}, by {} known {:?}", claim.deed, claim.known)
            }
            Self::Unasked(effect) => write!(f, "not asked for: {effect:?}"),
            Self::Listed(what) => write!(f, "listed wrongly: {what}"),
            Self::TooFast(what) => write!(f, "too fast: {what}"),
            Self::Senseless(what) => write!(f, "senseless: {what}"),
        }
    }
}

/// Compares what the client says with what is true.
pub(crate) fn judge(ledger: &Ledger, book: &Book) -> Vec<Violation> {
    let (claims, effects) = (ledger.claims(), book.effects());
    let of_claim = |(effect, claim): (&Effect, &Claim)| {
        let times = effects.get(effect).copied().unwrap_or_default();
        match (claim.outcome, times) {
            (Outcome::NotDone, 1..) => Some(Violation::Lost(effect.clone(), *claim)),
            (Outcome::Done, 0) => Some(Violation::ClaimedFalsely(effect.clone(), *claim)),
            (_, 2..) => Some(Violation::Doubled(effect.clone(), times)),
            _ => None,
        }
    };
    let unasked = effects.keys().filter(|effect| !claims.contains_key(*effect));
    claims.iter().filter_map(of_claim).chain(unasked.cloned().map(Violation::Unasked)).collect()
}
