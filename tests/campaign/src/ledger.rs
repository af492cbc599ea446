use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tradeapi::runtime::tables::Outcome;
use tradeapi_hostile::{Effect, Reached, Tally};

use crate::judge::Violation;

/// The client's own account of what it asked for. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    /// An effect can be asked for more than once.
    claims: BTreeMap<Effect, Vec<Claim>>,
    violations: Vec<Violation>,
    tally: Tally,
}

/// What the client says of one effect it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it was asked with.
    pub deed: &'static str,
    /// How the order was named.
    pub naming: Naming,
    /// Whether it came about.
    pub outcome: Outcome,
    /// How that is known.
    pub known: Known,
    /// In which way it was asked for, and when.
    pub how: &'static str,
}

/// How a request names what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// By an id that nothing else has.
    #[default]
    Own,
    /// By an id that another order has, or will have.
    Shared,
    /// By none.
    Nothing,
}

impl Naming {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Own => "",
            Self::Shared => "(id used again)",
            Self::Nothing => "(no id)",
        }
    }
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
    /// It is not, and on purpose nobody asked in time.
    TooLate,
}

/// One claim in the ledger.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    pub(crate) effect: Effect,
    nth: usize,
}

impl Ledger {
    /// Notes what is to come about, before it is asked for.
    pub(crate) fn open(&self, effect: Effect, deed: &'static str, naming: Naming) -> Ticket {
        let mut pages = self.pages();
        let claims = pages.claims.entry(effect.clone()).or_default();
        claims.push(Claim { deed, naming, outcome: Outcome::Unknown, known: Known::Unknown, how: "not asked for" });
        Ticket { effect, nth: claims.len() - 1 }
    }

    /// Notes what became of it.
    pub(crate) fn note(&self, ticket: &Ticket, outcome: Outcome, known: Known, how: &'static str) {
        if let Some(claim) = self.pages().claims.get_mut(&ticket.effect).and_then(|claims| claims.get_mut(ticket.nth)) {
            let known = match (outcome, known) {
                (Outcome::Unknown, Known::TooLate) => Known::TooLate,
                (Outcome::Unknown, _) => Known::Unknown,
                (_, Known::TooLate) => Known::ByAsking,
                (_, known) => known,
            };
            (claim.outcome, claim.known, claim.how) = (outcome, known, how);
        }
    }

    /// Notes what is wrong whatever the books say.
    pub(crate) fn complain(&self, violation: Violation) {
        self.pages().violations.push(violation);
    }

    /// Notes that something was reached.
    pub(crate) fn reach(&self, what: Reached) {
        self.pages().tally.reach(what, 1);
    }

    /// Everything that was asked for, in a copy.
    pub fn claims(&self) -> BTreeMap<Effect, Vec<Claim>> {
        self.pages().claims.clone()
    }

    /// What is wrong whatever the books say, and what was reached.
    pub(crate) fn rest(&self) -> (Vec<Violation>, Tally) {
        let pages = self.pages();
        (pages.violations.clone(), pages.tally.clone())
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
