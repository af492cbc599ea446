//! The proof that error codes give, and the codes that a client trusts.

use std::borrow::Cow;
use std::time::Duration;

use tradeapi_words::REPEATS_AFTER;

use crate::data::operation::DynOperation;
use crate::data::parameters::{Named, Parameters};
use crate::data::tables::{Api, CallResult, Certainty, CodeProof, Effect, KnownError, Meta, Outcome, Stage};

/// The interpretation of error codes by a client.
///
/// Documented codes always count. By default, so do codes on which several independent sources agree. A code with a
/// single source, or with sources that contradict each other, proves nothing.
///
/// ```
/// use tradeapi_runtime::wire::CodePolicy;
/// use tradeapi_runtime::tables::CodeProof;
///
/// let policy = CodePolicy::documented_only().code("43012", CodeProof::NotDone);
/// # let _ = policy;
/// ```
///
/// A refusal speaks of the copy of a request that it answers. If something on the way sends a request twice, the first
/// copy may be done and the second refused; see [`repeats_after`](Self::repeats_after).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct CodePolicy {
    believes_observed: bool,
    named: Vec<(String, CodeProof)>,
    repeats_after: Duration,
    /// True if the answer that is read may belong to a repeat.
    may_answer_repeat: bool,
}

impl Default for CodePolicy {
    fn default() -> Self {
        let (named, repeats_after) = (Vec::new(), REPEATS_AFTER);
        Self { believes_observed: true, named, repeats_after, may_answer_repeat: false }
    }
}

impl CodePolicy {
    /// Trusts documented codes, and those that several independent sources have observed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts documented codes alone.
    pub fn documented_only() -> Self {
        Self { believes_observed: false, ..Self::default() }
    }

    /// Interprets `code` as `proves`, overriding the schema, also for requests that do several things.
    pub fn code(mut self, code: impl Into<String>, proves: CodeProof) -> Self {
        self.named.push((code.into(), proves));
        self
    }

    /// Sets how long something between this client and the exchange waits before it repeats a request that changes
    /// something, which a proxy may do when it gets no answer, although HTTP forbids it. In an answer that comes later,
    /// a code proves that nothing was done only if every copy of the request would be refused with it, as for a missing
    /// parameter. By default a second; `Duration::MAX` if nothing repeats requests, zero if it may happen at once.
    pub fn repeats_after(mut self, least: Duration) -> Self {
        self.repeats_after = least;
        self
    }

    /// Returns whether an answer that came this long after its request left may belong to a repeat.
    pub(crate) fn may_answer_repeat(&self, took: Duration) -> bool {
        took >= self.repeats_after
    }

    /// Returns the policy for an answer that may belong to a repeat, or that does not.
    pub(crate) fn for_answer(&self, may_answer_repeat: bool) -> Cow<'_, Self> {
        match may_answer_repeat {
            true => Cow::Owned(Self { may_answer_repeat, ..self.clone() }),
            false => Cow::Borrowed(self),
        }
    }

    /// Returns the meaning of `code` in a response to an operation.
    pub(crate) fn read(&self, api: &Api, meta: &Meta, code: &str) -> ReadCode {
        let known = meta.known(api, code);
        let named = self.named.iter().rev().find(|(named, _)| named == code);
        // A code that the caller names applies to every request.
        let named = named.map(|(_, proves)| (Certainty::Named, *proves, Stage::Gateway));
        let stated = named.or(known.map(|known| (known.certainty, known.proves, known.stage)));
        let believed = stated.filter(|(certainty, ..)| match certainty {
            Certainty::Documented | Certainty::Named => true,
            Certainty::Several => self.believes_observed,
            Certainty::Single | Certainty::Conflicting => false,
        });
        ReadCode { known, believed, may_answer_repeat: self.may_answer_repeat }
    }

    /// Returns what the refusal of one of several items proves. Its code decides, as for a whole response; without a code,
    /// the list that the item is in does.
    pub(crate) fn read_item(&self, api: &Api, meta: &Meta, code: Option<&str>, is_compound: bool) -> RefusedItem {
        let (read, call_result, by_code) = match code {
            Some(code) => {
                let read = self.read(api, meta, code);
                (read, read.call_result(), read.outcome(meta.effect, || is_compound))
            }
            None => {
                let read = ReadCode { may_answer_repeat: self.may_answer_repeat, ..ReadCode::default() };
                (read, CallResult::ItemFailed, Outcome::NotDone)
            }
        };
        let outcome = match code {
            None if is_compound => Outcome::Unknown,
            _ => read.outcome_in(api, meta.effect, call_result, by_code),
        };
        RefusedItem { read, call_result, outcome }
    }
}

/// The refusal of one of several items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedItem {
    pub(crate) read: ReadCode,
    pub(crate) call_result: CallResult,
    pub(crate) outcome: Outcome,
}

/// The meaning of a code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadCode {
    /// The facts known about the code, trusted or not.
    pub(crate) known: Option<&'static KnownError>,
    believed: Option<(Certainty, CodeProof, Stage)>,
    /// True if the answer may belong to a repeat.
    may_answer_repeat: bool,
}

impl ReadCode {
    /// Returns whether the answer may belong to a repeat.
    pub(crate) fn may_answer_repeat(&self) -> bool {
        self.may_answer_repeat
    }

    /// Returns what it proves, if it is trusted.
    pub(crate) fn proves(&self) -> Option<CodeProof> {
        self.believed.map(|(_, proves, _)| proves)
    }

    /// Returns how a call with this code ended.
    pub(crate) fn call_result(&self) -> CallResult {
        match self.believed {
            None => CallResult::UnlistedCode,
            Some((_, CodeProof::Timestamp, _)) => CallResult::TimestampRefused,
            Some((_, CodeProof::Credentials, _)) => CallResult::CredentialsRefused,
            Some((Certainty::Documented, ..)) => CallResult::ListedCode,
            Some(_) => CallResult::ObservedCode,
        }
    }

    /// Returns the outcome of a request that was refused with it.
    pub(crate) fn outcome(&self, effect: Effect, is_compound: impl FnOnce() -> bool) -> Outcome {
        match self.believed {
            None => Outcome::Unknown,
            Some((_, proves, stage)) => {
                let is_open = proves.leaves_open(stage, effect, stage == Stage::Trading && is_compound());
                let outcome = if is_open { Outcome::Unknown } else { Outcome::NotDone };
                self.of_any_copy(effect, outcome)
            }
        }
    }

    /// Returns the outcome of a request whose call ended so, by the table of the API. `by_code` is what the code proves.
    pub(crate) fn outcome_in(&self, api: &Api, effect: Effect, call_result: CallResult, by_code: Outcome) -> Outcome {
        self.of_any_copy(effect, api.outcome_of(effect, call_result, by_code))
    }

    /// Returns the outcome of a request, given that of the copy that was answered: an earlier copy may have been done,
    /// unless it would have been refused alike.
    fn of_any_copy(&self, effect: Effect, outcome: Outcome) -> Outcome {
        let is_alike = || self.known.is_some_and(KnownError::is_for_every_copy);
        match outcome {
            Outcome::NotDone if self.may_answer_repeat && effect != Effect::Read && !is_alike() => Outcome::Unknown,
            outcome => outcome,
        }
    }
}

/// Returns whether a request, or an item of it, does several things, so that one may be done although another is
/// refused.
pub(crate) fn is_compound(operation: &dyn DynOperation) -> bool {
    let meta = operation.meta();
    meta.compound.is_some() && {
        let named = Named::of(operation);
        let list = meta.confirm.and_then(|confirm| confirm.list);
        is_compound_with(meta, &named)
            || list.is_some_and(|list| named.items(list).iter().any(|item| is_compound_with(meta, item)))
    }
}

/// Returns whether a request with these parameters does several things.
pub(crate) fn is_compound_with(meta: &Meta, named: &Named) -> bool {
    meta.compound.is_some_and(|compound| {
        compound.when.is_none_or(|(parameter, value)| named.text(parameter).as_deref() == Some(value))
    })
}

/// Returns whether an item of a batch does several things. Each item has its own result, so its own parameters decide.
pub(crate) fn is_compound_item(meta: &Meta, item: &dyn Parameters) -> bool {
    let depends = meta.compound.is_some_and(|compound| compound.when.is_some());
    depends && is_compound_with(meta, &Named::of(item))
}
