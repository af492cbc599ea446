use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi::runtime::Outcome;
use tradeapi_exchange::Effect;

/// The client's own account of what it asked for. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<BTreeMap<Effect, Claim>>>);

/// What the client says of one effect it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it was asked with.
    pub deed: &'static str,
    /// Whether it came about.
    pub outcome: Outcome,
    /// How that is known.
    pub known: Known,
}

/// How it is known what became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// By the answer to the request itself, or because it was never sent.
    ByAnswer,
    /// By asking.
    ByAsking,
    /// It is not.
    Unknown,
}

impl Ledger {
    /// Notes what is to come about, before it is asked for.
    pub(crate) fn open(&self, effect: &Effect, deed: &'static str) {
        let claim = Claim { deed, outcome: Outcome::Unknown, known: Known::Unknown };
        let before = self.claims().insert(effect.clone(), claim);
        debug_assert!(before.is_none(), "{effect:?} was asked for before");
    }

    /// Notes what became of it.
    pub(crate) fn note(&self, effect: &Effect, outcome: Outcome, known: Known) {
        if let Some(claim) = self.claims().get_mut(effect) {
            let known = if outcome == Outcome::Unknown { Known::Unknown } else { known };
            (claim.outcome, claim.known) = (outcome, known);
        }
    }

    /// Everything that was asked for.
    pub fn claims(&self) -> MutexGuard<'_, BTreeMap<Effect, Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
