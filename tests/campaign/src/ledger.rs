//! The claims of a client, to be compared with the events of the exchange.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi::Error;
use tradeapi::runtime::tables::{CodeProof, Outcome};

use crate::claim::{Claim, Known, Naming};
use crate::counts::{Counts, Situation};
use crate::ground_truth::{Effect, id_of};
use crate::violation::Violation;

/// The claims of the client about each effect that it requested. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// An effect can be requested more than once.
    claims: BTreeMap<Effect, Vec<Claim>>,
    violations: Vec<Violation>,
    counts: Counts,
    decided: Decided,
}

/// The number of times that each piece of evidence decided an outcome: a call result, a code, an item of a batch, a
/// record, or the reason why queries left it open.
pub type Decided = BTreeMap<(&'static str, &'static str), u64>;

/// A reference to a claim in the ledger.
#[derive(Clone, Debug)]
pub(crate) struct ClaimHandle {
    pub(crate) effect: Effect,
    nth: usize,
}

impl Ledger {
    /// Adds a claim about an effect that is about to be requested.
    pub(crate) fn open(&self, effect: Effect, operation: &'static str, naming: Naming) -> ClaimHandle {
        let mut state = self.state();
        let claims = state.claims.entry(effect.clone()).or_default();
        claims.push(Claim {
            operation,
            naming,
            outcome: Outcome::Unknown,
            known: Known::Unknown,
            how: "not requested",
        });
        ClaimHandle { effect, nth: claims.len() - 1 }
    }

    /// Notes that an id names several orders from now on.
    pub(crate) fn share(&self, client_oid: &str) {
        for (effect, claims) in &mut self.state().claims {
            let (Effect::Placed(label) | Effect::Amended(label, _) | Effect::Cancelled(label)) = effect else {
                continue;
            };
            if id_of(label) == client_oid {
                let by_id = claims.iter_mut().filter(|claim| claim.naming == Naming::UniqueId);
                by_id.for_each(|claim| claim.naming = Naming::SharedId);
            }
        }
    }

    /// Records the outcome of a claim.
    pub(crate) fn record(&self, handle: &ClaimHandle, outcome: Outcome, known: Known, how: &'static str) {
        if let Some(claim) = self.state().claims.get_mut(&handle.effect).and_then(|claims| claims.get_mut(handle.nth)) {
            let known = match (outcome, known) {
                (Outcome::Unknown, Known::TooLate) => Known::TooLate,
                (Outcome::Unknown, _) => Known::Unknown,
                (_, Known::TooLate) => Known::ByQuery,
                (_, known) => known,
            };
            (claim.outcome, claim.known, claim.how) = (outcome, known, how);
        }
    }

    /// Takes over what a journal knows of effects whose outcome no caller learnt, because its process was killed. What it
    /// does not have was not sent.
    pub(crate) fn learn(&self, journal: &BTreeMap<Effect, Vec<Claim>>) {
        let mut state = self.state();
        for (effect, claims) in &mut state.claims {
            let [claim] = claims.as_mut_slice() else { continue };
            if claim.outcome != Outcome::Unknown {
                continue;
            }
            let known = match (journal.get(effect).map(Vec::as_slice), effect) {
                (Some([known]), _) => (known.outcome, known.known, known.how),
                (None, Effect::Placed(_)) => (Outcome::NotDone, Known::ByQuery, "not in the journal"),
                _ => continue,
            };
            if known.0 != Outcome::Unknown {
                (claim.outcome, claim.known, claim.how) = known;
            }
        }
    }

    /// Records a violation that does not follow from the claims.
    pub(crate) fn report(&self, violation: Violation) {
        self.state().violations.push(violation);
    }

    /// Counts a situation.
    pub(crate) fn cover(&self, what: Situation) {
        self.state().counts.cover(what, 1);
    }

    /// Counts what an outcome was decided by.
    pub(crate) fn decided(&self, by: &'static str, what: &'static str) {
        *self.state().decided.entry((by, what)).or_default() += 1;
    }

    /// Counts how a call failed, and what that proves.
    pub(crate) fn failed(&self, error: &Error) {
        match error {
            Error::Unknown(unknown) => self.failed(&unknown.why),
            error => {
                self.decided("call", error.call_result().as_str());
                if let Some(code) = error.exchange() {
                    self.decided("code", code.proves.map_or("nothing known", proof));
                }
            }
        }
    }

    /// Returns what outcomes were decided by.
    pub(crate) fn all_decided(&self) -> Decided {
        self.state().decided.clone()
    }

    /// Passes all claims to `look`.
    pub(crate) fn with_claims<T>(&self, look: impl FnOnce(&BTreeMap<Effect, Vec<Claim>>) -> T) -> T {
        look(&self.state().claims)
    }

    /// Returns the recorded violations, and the counts of situations.
    pub(crate) fn violations_and_counts(&self) -> (Vec<Violation>, Counts) {
        let state = self.state();
        (state.violations.clone(), state.counts.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name of what a code proves.
fn proof(proves: CodeProof) -> &'static str {
    match proves {
        CodeProof::NotDone => "no effect",
        CodeProof::Unknown => "an unknown outcome",
        CodeProof::NoSuchOrder => "no such order",
        CodeProof::DuplicateId => "an id used before",
        CodeProof::Timestamp => "a timestamp refused",
        CodeProof::Credentials => "credentials refused",
        CodeProof::Rate => "too many requests",
    }
}
