use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::book::Effect;
use crate::counts::{Counts, Reached};
use tradeapi::Error;
use tradeapi::runtime::tables::{CodeProof, Outcome};

use crate::judge::Violation;

/// The client's own account of what it requested. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<Pages>>);

#[derive(Debug, Default)]
struct Pages {
    /// An effect can be requested more than once.
    claims: BTreeMap<Effect, Vec<Claim>>,
    violations: Vec<Violation>,
    counts: Counts,
    decided: Decided,
}

/// How often the client decided an outcome by each thing: the end of a call, what a code proves, an item of a batch, what
/// a query found, or why that leaves it open.
pub type Decided = BTreeMap<(&'static str, &'static str), u64>;

/// What the client states of one effect that it requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The id of its request.
    pub deed: &'static str,
    /// How the order was named.
    pub naming: Naming,
    /// Whether it happened.
    pub outcome: Outcome,
    /// How that is known.
    pub known: Known,
    /// How it was requested, and when.
    pub how: &'static str,
}

/// How a request names its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Naming {
    /// By an id that nothing else has.
    #[default]
    Own,
    /// By an id that another order has, or will have.
    Shared,
    /// Without an id.
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

/// How the outcome of a request is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// By the answer to the request itself, or because it was never sent.
    ByAnswer,
    /// By a query.
    ByQuery,
    /// It is unknown.
    Unknown,
    /// It is unknown, because it was not queried in time, on purpose.
    TooLate,
}

/// One claim in the ledger.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    pub(crate) effect: Effect,
    nth: usize,
}

impl Ledger {
    /// Notes an effect before it is requested.
    pub(crate) fn open(&self, effect: Effect, deed: &'static str, naming: Naming) -> Ticket {
        let mut pages = self.pages();
        let claims = pages.claims.entry(effect.clone()).or_default();
        claims.push(Claim { deed, naming, outcome: Outcome::Unknown, known: Known::Unknown, how: "not requested" });
        Ticket { effect, nth: claims.len() - 1 }
    }

    /// Notes its outcome.
    pub(crate) fn note(&self, ticket: &Ticket, outcome: Outcome, known: Known, how: &'static str) {
        if let Some(claim) = self.pages().claims.get_mut(&ticket.effect).and_then(|claims| claims.get_mut(ticket.nth)) {
            let known = match (outcome, known) {
                (Outcome::Unknown, Known::TooLate) => Known::TooLate,
                (Outcome::Unknown, _) => Known::Unknown,
                (_, Known::TooLate) => Known::ByQuery,
                (_, known) => known,
            };
            (claim.outcome, claim.known, claim.how) = (outcome, known, how);
        }
    }

    /// Notes a violation that does not depend on the books.
    pub(crate) fn complain(&self, violation: Violation) {
        self.pages().violations.push(violation);
    }

    /// Notes that something was reached.
    pub(crate) fn reach(&self, what: Reached) {
        self.pages().counts.reach(what, 1);
    }

    /// Notes by what the client decided an outcome.
    pub(crate) fn decided(&self, by: &'static str, what: &'static str) {
        *self.pages().decided.entry((by, what)).or_default() += 1;
    }

    /// Notes how a call failed, and what that proves.
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

    /// How often the client decided by each thing.
    pub(crate) fn all_decided(&self) -> Decided {
        self.pages().decided.clone()
    }

    /// Looks at everything that was requested.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&BTreeMap<Effect, Vec<Claim>>) -> T) -> T {
        look(&self.pages().claims)
    }

    /// The violations that do not depend on the books, and what was reached.
    pub(crate) fn rest(&self) -> (Vec<Violation>, Counts) {
        let pages = self.pages();
        (pages.violations.clone(), pages.counts.clone())
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a code proves, in a word or two.
fn proof(proves: CodeProof) -> &'static str {
    match proves {
        CodeProof::NotDone => "no effect",
        CodeProof::Unknown => "an unknown outcome",
        CodeProof::NoSuchOrder => "no such order",
        CodeProof::DuplicateId => "an id used before",
        CodeProof::Timestamp => "a timestamp refused",
        CodeProof::Credentials => "credentials refused",
        CodeProof::Rate => "too many requests",
        _ => "something new",
    }
}
