//! Disagreements between claims and events.

use std::collections::BTreeMap;
use std::fmt;

use tradeapi::runtime::tables::Outcome;

use crate::claim::{Claim, Naming};
use crate::ground_truth::{Effect, id_of};

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
    /// The client says that nothing is left, and something is.
    NotFlat(String),
    /// Something arrived after the client had said that nothing can.
    ArrivedLate(String),
    /// More calls arrived within a second than the documents allow.
    TooFast(String),
    /// The client sent an invalid request.
    InvalidRequest(String),
    /// The client no longer trades although the exchange works.
    LockedOut(String),
}

impl Violation {
    /// Returns the name of the kind of violation.
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
            Self::NotFlat(_) => "not flat",
            Self::ArrivedLate(_) => "arrived late",
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
            | Self::NotFlat(what)
            | Self::ArrivedLate(what)
            | Self::TooFast(what)
            | Self::InvalidRequest(what)
            | Self::LockedOut(what) => f.write_str(what),
        }
    }
}

/// Compares the client's claims with the actual effects.
///
/// A cancel or an amendment by a client id is a request to change the order that has the id when it arrives. If the id is
/// used again while the change is under way, that is the later order; the client assumes that an id is used once, and
/// says nothing false as long as it leaves the outcome of the change open.
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
        whole => claims.contains_key(whole) || times(whole) <= open_by_id(whole, claims, times),
    };
    let unrequested = effects.keys().filter(|effect| !is_requested(effect));
    claims.iter().filter_map(of_claims).chain(unrequested.cloned().map(Violation::Unrequested)).collect()
}

/// Returns how many of the changes that `effect` is one of are under way, by an id that is used again, as far as the
/// client says.
fn open_by_id(effect: &Effect, claims: &BTreeMap<Effect, Vec<Claim>>, times: impl Fn(&Effect) -> u32) -> u32 {
    let same = claims.iter().filter(|(claimed, _)| are_one_change(claimed, effect));
    let open = same.map(|(claimed, claims)| {
        let is_open = |claim: &&Claim| (claim.naming, claim.outcome) == (Naming::SharedId, Outcome::Unknown);
        u32::try_from(claims.iter().filter(is_open).count()).unwrap_or(u32::MAX).saturating_sub(times(claimed))
    });
    open.sum()
}

/// Returns whether one request can have either effect, since the orders of both have the same id.
pub(crate) fn are_one_change(one: &Effect, other: &Effect) -> bool {
    match (one, other) {
        (Effect::Cancelled(one), Effect::Cancelled(other)) => id_of(one) == id_of(other),
        (Effect::Amended(one, request), Effect::Amended(other, same)) => id_of(one) == id_of(other) && request == same,
        _ => false,
    }
}

/// Checks the claims about an effect that occurred `times` times, and half of it `half` times.
fn disagreement(effect: &Effect, claims: &[Claim], times: u32, half: u32) -> Option<Violation> {
    let of = |outcome| claims.iter().filter(move |claim| claim.outcome == outcome);
    let count = |outcome| u32::try_from(of(outcome).count()).unwrap_or(u32::MAX);
    let (requested, done) = (u32::try_from(claims.len()).unwrap_or(u32::MAX), count(Outcome::Done));
    // Each attempt to cancel an order is done once the order is cancelled, by whichever of them.
    let done = if matches!(effect, Effect::Cancelled(_)) { done.min(1) } else { done };
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
    use crate::claim::Known;

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
    fn an_order_is_cancelled_by_one_of_several_attempts() {
        let claim = |outcome| {
            let (operation, naming, known, how) = ("operation", Naming::UniqueId, Known::ByQuery, "journal");
            Claim { operation, naming, outcome, known, how }
        };
        let kind = |outcomes: &[Outcome], times| {
            let claims: Vec<_> = outcomes.iter().map(|outcome| claim(*outcome)).collect();
            disagreement(&Effect::Cancelled(String::new()), &claims, times, 0).map(|violation| violation.kind())
        };
        assert_eq!(kind(&[Outcome::Done; 3], 1), None);
        assert_eq!(kind(&[Outcome::Done; 3], 0), Some("claimed falsely"));
        assert_eq!(kind(&[Outcome::NotDone; 3], 1), Some("lost"));
        assert_eq!(kind(&[Outcome::NotDone, Outcome::Done], 1), None);
    }

    /// The order that was meant has another size than the one that has its id when the cancel arrives.
    #[test]
    fn a_late_change_by_an_id_that_is_used_again_was_requested() {
        let kinds = |(claimed, done): (&Effect, &Effect), naming, outcome, times| {
            let (operation, known, how) = ("operation", Known::ByAnswer, "call");
            let claims = vec![Claim { operation, naming, outcome, known, how }];
            let claims = BTreeMap::from([(claimed.clone(), claims)]);
            let effects = BTreeMap::from([(done.clone(), times)]);
            let violations = find_violations(&claims, &effects);
            violations.iter().map(Violation::kind).collect::<Vec<_>>()
        };
        let cancelled = |label: &str| Effect::Cancelled(label.to_owned());
        let amended = |label: &str, request: &str| Effect::Amended(label.to_owned(), request.to_owned());
        for effects in [(&cancelled("a 1@5"), &cancelled("a 2@5")), (&amended("a 1@5", "7"), &amended("a 2@5", "7"))] {
            assert_eq!(kinds(effects, Naming::SharedId, Outcome::Unknown, 1), [""; 0]);
            assert_eq!(kinds(effects, Naming::SharedId, Outcome::Unknown, 2), ["not requested"], "one changes once");
            assert_eq!(kinds(effects, Naming::SharedId, Outcome::NotDone, 1), ["not requested"]);
            assert_eq!(kinds(effects, Naming::SharedId, Outcome::Done, 1), ["claimed falsely", "not requested"]);
            for naming in [Naming::UniqueId, Naming::ExchangeId] {
                assert_eq!(kinds(effects, naming, Outcome::Unknown, 1), ["not requested"]);
            }
        }
        let others = (&amended("a 1@5", "7"), &amended("a 2@5", "8"));
        assert_eq!(kinds(others, Naming::SharedId, Outcome::Unknown, 1), ["not requested"], "of another request");
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
