use std::pin::Pin;
use std::time::Duration;

use super::call::Call;
use super::plan::{Binding, Plan};

/// Keeps calls within their rate limits.
///
/// A client asks before each call, says when the call goes out, and what came back. [`InProcessLimits`] does this for
/// one process; implement it to share limits more widely.
///
/// [`InProcessLimits`]: super::InProcessLimits
pub trait Limiter: Send + Sync {
    /// Asks to make `call`. Who does not want to `wait` is told at once how long it would take.
    fn ask<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a>;

    /// The call goes out now.
    fn sent(&self, slot: &mut Slot);

    /// The call that went out was answered, or will not be any more.
    fn answered(&self, slot: Slot, signs: Signs);

    /// The call does not go out.
    fn give_back(&self, slot: Slot);

    /// How long it will take until all of `calls` have gone out, when they are asked for now. By default this assumes
    /// that there were no calls before.
    fn plan(&self, calls: &[Call<'_>]) -> Plan {
        Plan::from_nothing(calls)
    }
}

/// The answer to whether a call may be made.
#[must_use = "a slot takes room until it is used or given back"]
pub enum Admission<'a> {
    /// Known at once.
    Now(Result<Slot, Full>),
    /// Known later. Who drops it waits no longer.
    Later(AdmissionFuture<'a>),
}

/// The end of waiting for a slot.
pub type AdmissionFuture<'a> = Pin<Box<dyn Future<Output = Result<Slot, Full>> + Send + 'a>>;

/// The leave to make one call. It takes room until it is used or given back.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a slot takes room until it is used or given back"]
pub struct Slot {
    /// What it is of, for the limiter.
    pub key: u64,
    /// When the call was counted, for the limiter.
    pub counted_at: Duration,
    /// How long the caller waited for it.
    pub waited: Duration,
}

impl Slot {
    /// A slot of which the limiter knows by `key` what it is of.
    pub fn new(key: u64, waited: Duration) -> Self {
        Self { key, counted_at: Duration::ZERO, waited }
    }
}

/// There is no room for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Full {
    /// How long it takes at least until there is.
    pub free_in: Duration,
    /// The limit that is used up.
    pub binding: Option<Binding>,
}

impl Full {
    /// There is no room for `free_in` at least, because of `binding`.
    pub fn new(free_in: Duration, binding: Option<Binding>) -> Self {
        Self { free_in, binding }
    }
}

/// What an answer tells about limits. The default is an answer that tells nothing, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signs {
    /// Whether the call was one too many: HTTP status 429.
    pub too_many: bool,
    /// How many calls are left in the window the exchange counts in.
    pub remaining: Option<u32>,
}

impl Signs {
    /// These signs.
    pub fn new(too_many: bool, remaining: Option<u32>) -> Self {
        Self { too_many, remaining }
    }
}
