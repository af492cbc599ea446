//! What error codes prove, and who says so.

use std::fmt;

use super::{Effect, Outcome};

/// What a code proves about the request that it answers. It says nothing about an earlier attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Proves {
    /// The request had no effect.
    NotDone,
    /// Nothing: the request may have had its effect.
    Unknown,
    /// There is no such order: the request had no effect, and a question has its answer.
    NoSuchOrder,
    /// The client's id of a new order was used before: ask for what has it.
    DuplicateId,
    /// The timestamp of the request was not accepted, so the request was not read further.
    Timestamp,
    /// The credentials were not accepted, so the request was not read further.
    Credentials,
    /// There were too many requests, and this one was turned away.
    Rate,
}

/// How far a request came before it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// It was refused at the entrance, unread.
    Gateway,
    /// The account may not do this.
    Permission,
    /// A parameter is missing or malformed.
    Parameters,
    /// It broke a rule of trading: a balance, a price, the state of an order.
    Trading,
}

/// The likely reason why credentials were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CredentialCause {
    /// The clock of this machine differs from the exchange's.
    Clock,
    /// The API key is wrong, empty or deleted.
    Key,
    /// The secret is wrong, so the signature does not match.
    Secret,
    /// The passphrase is wrong.
    Passphrase,
    /// The key does not allow this address.
    Ip,
    /// The key lacks the permission.
    Permission,
    /// A demo key is used on the live market, or a live key on the demo market.
    Environment,
    /// The account is of another kind than the operation serves.
    Account,
}

impl fmt::Display for CredentialCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clock => "the clock of this machine",
            Self::Key => "the API key",
            Self::Secret => "the secret, or the clock",
            Self::Passphrase => "the passphrase",
            Self::Ip => "the address is not on the list of the key",
            Self::Permission => "the key lacks the permission",
            Self::Environment => "a demo key on the live market, or a live key on the demo market",
            Self::Account => "the account is of another kind than the operation serves",
        })
    }
}

/// How certain it is what a code proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Certainty {
    /// A document says so.
    Documented,
    /// The caller says so.
    Named,
    /// No document says so, but several independent sources that have seen it do.
    Several,
    /// A single source says so, which proves nothing.
    Single,
    /// Sources contradict each other, so it proves nothing.
    Conflicting,
}

/// A code, and what it proves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KnownError {
    /// The code.
    pub code: &'static str,
    /// The families of operations that answer with it; empty stands for all.
    pub families: &'static [&'static str],
    /// Its text in the document, or its meaning where it is only observed.
    pub text: &'static str,
    /// What to do.
    pub doc: &'static str,
    /// What it proves about the request.
    pub proves: Proves,
    /// How far the request came.
    pub stage: Stage,
    /// Why credentials were refused, where it says so.
    pub cause: Option<CredentialCause>,
    /// How certain that is.
    pub certainty: Certainty,
    /// Whether it stands for success after all.
    pub success: bool,
}

impl KnownError {
    /// A code that a document lists.
    pub const fn documented(code: &'static str, text: &'static str, doc: &'static str, proves: Proves) -> Self {
        let (families, stage) = (&[] as &[&str], proves.stage());
        Self { code, families, text, doc, proves, stage, cause: None, certainty: Certainty::Documented, success: false }
    }

    /// A code that no document lists, seen by several.
    pub const fn observed(code: &'static str, text: &'static str, proves: Proves) -> Self {
        Self { certainty: Certainty::Several, ..Self::documented(code, text, "", proves) }
    }

    /// The same code, of these families only.
    #[must_use]
    pub const fn of(self, families: &'static [&'static str]) -> Self {
        Self { families, ..self }
    }

    /// The same code, of requests that were refused at `stage`.
    #[must_use]
    pub const fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }

    /// The same code, with the likely cause.
    #[must_use]
    pub const fn because_of(self, cause: CredentialCause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// The same code, this certain.
    #[must_use]
    pub const fn certain(self, certainty: Certainty) -> Self {
        Self { certainty, ..self }
    }

    /// The same code, as one that stands for success.
    #[must_use]
    pub const fn success(self) -> Self {
        Self { success: true, ..self }
    }

    /// Whether an operation of `family` can answer with it.
    pub(crate) fn is_of(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.contains(&family)
    }
}

impl Proves {
    /// How far a request comes that is refused so, where nothing else is said.
    const fn stage(self) -> Stage {
        match self {
            Self::Timestamp | Self::Credentials | Self::Rate => Stage::Gateway,
            Self::NotDone | Self::Unknown | Self::NoSuchOrder | Self::DuplicateId => Stage::Trading,
        }
    }

    /// The outcome of a request that is refused so at `stage`. A `compound` request does several things, of which some
    /// may be done when the rules of trading stop another.
    pub(crate) fn outcome(self, stage: Stage, effect: Effect, compound: bool) -> Outcome {
        let may_be_partly_done = compound && stage == Stage::Trading;
        match (self, effect) {
            (_, Effect::Read) | (Self::Timestamp | Self::Credentials | Self::Rate, _) => Outcome::NotDone,
            (Self::NotDone, _) | (Self::NoSuchOrder, Effect::Amend | Effect::Cancel | Effect::Close)
                if !may_be_partly_done =>
            {
                Outcome::NotDone
            }
            (Self::NotDone | Self::NoSuchOrder | Self::DuplicateId | Self::Unknown, _) => Outcome::Unknown,
        }
    }
}
