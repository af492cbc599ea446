//! Disagreements between claims and events.

use std::collections::BTreeMap;
use std::fmt;

use tradeapi::runtime::tables::Outcome;

use crate::claim::Claim;
use crate::ground_truth::Effect;

/// A disagreement between the client's claims and the exchange's events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The client claims that an effect did not occur, but it did.
    Lost(Effect, Claim),
    /// The client claims that nothing was done, but half of the request was.
    HalfDone(Effect, Claim),
    /// An effect occurred more often than it was requested.
    Doubled(Effect, u32),
    /// The client claims that an effect occurred, but it did not.
    ClaimedFalsely(Effect, Claim),
    /// An effect occurred that was not requested.
    Unrequested(Effect),
    /// The client returned a wrong number of outcomes.
    Unanswered(String),
    /// A listing misses or repeats an order.
    WrongListing(String),
    /// A comparison of the account with the journal says what is not so.
    WrongComparison(String),
    /// The client's ledger differs from the account.
    WrongLedger(String),
    /// More calls arrived within a second than the documents allow.
    TooFast(String),
    /// The client sent an invalid request.
    InvalidRequest(String),
    /// The client no longer trades although the exchange works.
    LockedOut(String),
}

impl Violation {
    /// The name of the kind of violation.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Lost(..) => "lost",
            Self::HalfDone(..) => "half done",
            Self::Doubled(..) => "doubled",
            Self::ClaimedFalsely(..) => "claimed falsely",
            Self::Unrequested(_) => "not requested",
            Self::Unanswered(_) => "unanswered",
            Self::WrongListing(_) => "listed wrongly",
            Self::WrongComparison(_) => "compared wrongly",
            Self::WrongLedger(_) => "wrong ledger",
            Self::TooFast(_) => "too fast",
            Self::InvalidRequest(_) => "invalid request",
            Self::LockedOut(_) => "locked out",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind())?;
        match self {
            Self::Lost(effect, claim) | Self::HalfDone(effect, claim) | Self::ClaimedFalsely(effect, claim) => {
                let Claim { operation, known, how, naming, .. } = claim;
                write!(f, "{effect:?}, by {operation} known {known:?} ({how}), named by {naming:?}")
            }
            Self::Doubled(effect, times) => write!(f, "{effect:?} occurred {times} times"),
            Self::Unrequested(effect) => write!(f, "{effect:?}"),
            Self::Unanswered(what)
            | Self::WrongListing(what)
            | Self::WrongComparison(what)
            | Self::WrongLedger(what)
            | Self::TooFast(what)
            | Self::InvalidRequest(what)
            | Self::LockedOut(what) => f.write_str(what),
        }
    }
}

/// Compares the client's claims with the actual effects.
pub(crate) fn find_violations(
    claims: &BTreeMap<Effect, Vec<Claim>>,
    effects: &BTreeMap<Effect, u32>,
) -> Vec<Violation> {
    let times = |effect: &Effect| effects.get(effect).copied().unwrap_or_default();
    let of_claims = |(effect, claims): (&Effect, &Vec<Claim>)| {
        let half = Effect::Half(Box::new(effect.clone()));
        disagreement(effect, claims, times(effect), times(&half))
    };
    let is_requested = |effect: &Effect| match effect {
        Effect::Half(whole) => claims.contains_key(&**whole),
        whole => claims.contains_key(whole),
    };
    let unrequested = effects.keys().filter(|effect| !is_requested(effect));
    claims.iter().filter_map(of_claims).chain(unrequested.cloned().map(Violation::Unrequested)).collect()
}

/// Checks the claims about an effect that occurred `times` times, and half of it `half` times.
fn disagreement(effect: &Effect, claims: &[Claim], times: u32, half: u32) -> Option<Violation> {
    let of = |outcome| claims.iter().filter(move |claim| claim.outcome == outcome);
    let count = |outcome| u32::try_from(of(outcome).count()).unwrap_or(u32::MAX);
    let (requested, done) = (u32::try_from(claims.len()).unwrap_or(u32::MAX), count(Outcome::Done));
    let not_done = of(Outcome::NotDone).next();
    if times > requested {
        return Some(Violation::Doubled(effect.clone(), times));
    }
    if times < done {
        // A conclusion from queries is more likely to be wrong than an answer.
        return of(Outcome::Done)
            .max_by_key(|claim| claim.known)
            .map(|claim| Violation::ClaimedFalsely(effect.clone(), *claim));
    }
    let could_have_happened = requested - count(Outcome::NotDone);
    match not_done {
        Some(claim) if times > could_have_happened => Some(Violation::Lost(effect.clone(), *claim)),
        Some(claim) if half > 0 && times + half > could_have_happened => {
            Some(Violation::HalfDone(effect.clone(), *claim))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Known, Naming};

    fn kinds(outcomes: &[Outcome], times: u32, half: u32) -> Option<&'static str> {
        let claim = |outcome: &Outcome| {
            let (operation, naming, known, how) = ("operation", Naming::UniqueId, Known::ByAnswer, "call");
            Claim { operation, naming, outcome: *outcome, known, how }
        };
        let claims: Vec<_> = outcomes.iter().map(claim).collect();
        disagreement(&Effect::Placed(String::new()), &claims, times, half).map(|violation| violation.kind())
    }

    #[test]
    fn a_claim_is_compared_with_the_effects() {
        use Outcome::{Done, NotDone, Unknown};
        assert_eq!([kinds(&[Done], 1, 0), kinds(&[NotDone], 0, 0), kinds(&[Unknown], 1, 0)], [None; 3]);
        assert_eq!(kinds(&[Done], 0, 0), Some("claimed falsely"));
        assert_eq!(kinds(&[NotDone], 1, 0), Some("lost"));
        assert_eq!(kinds(&[NotDone], 0, 1), Some("half done"));
        assert_eq!([kinds(&[Unknown], 0, 1), kinds(&[Done], 1, 1)], [None; 2]);
        assert_eq!([kinds(&[Done], 2, 0), kinds(&[Unknown], 2, 0)], [Some("doubled"); 2]);
    }

    #[test]
    fn indistinguishable_orders_are_counted() {
        use Outcome::{Done, NotDone, Unknown};
        assert_eq!([kinds(&[Done, NotDone], 1, 0), kinds(&[Done, Unknown], 2, 0)], [None; 2]);
        assert_eq!(kinds(&[Done, NotDone], 2, 0), Some("lost"));
        assert_eq!(kinds(&[Done, Done], 1, 0), Some("claimed falsely"));
        assert_eq!(kinds(&[Unknown, Unknown], 3, 0), Some("doubled"));
    }
}
