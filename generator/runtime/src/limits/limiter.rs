use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::call::Call;
use super::plan::{Binding, Plan};
use super::signs::Signs;

/// Keeps calls within their rate limits.
///
/// A client asks before each call, and says when the call goes out and how it ends: by [`answered`](Self::answered),
/// [`lost`](Self::lost) or [`give_back`](Self::give_back), one of which follows every slot. [`InProcessLimits`] does this
/// for one process, `RedisLimits` (with the feature `redis`) for a fleet of them.
///
/// [`InProcessLimits`]: super::InProcessLimits
pub trait Limiter: Send + Sync {
    /// Asks to make `call`. Who does not want to `wait` is told at once how long it would take.
    fn ask<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a>;

    /// The call goes out now.
    fn sent(&self, slot: &mut Slot);

    /// The call that went out was answered.
    fn answered(&self, slot: Slot, signs: Signs);

    /// The call that went out ends without an answer. It may have arrived, or still arrive. By default this is the same
    /// as an answer that tells nothing.
    fn lost(&self, slot: Slot) {
        self.answered(slot, Signs::default());
    }

    /// The call surely does not go out.
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
    Now(Result<Slot, Denied>),
    /// Known later. Who drops it waits no longer.
    Later(AdmissionFuture<'a>),
}

/// The end of waiting for a slot.
pub type AdmissionFuture<'a> = Pin<Box<dyn Future<Output = Result<Slot, Denied>> + Send + 'a>>;

/// The leave to make one call. It takes room until it is used or given back.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a slot takes room until it is used or given back"]
pub struct Slot {
    /// What it is of, for the limiter.
    pub key: u64,
    /// A moment that the limiter keeps with it: when the call went out, or from when on it counts.
    pub counted_at: Duration,
    /// How long the caller waited for it.
    pub waited: Duration,
    /// How many calls are left after it, for the limiter.
    pub left: u32,
}

impl Slot {
    /// A slot of which the limiter knows by `key` what it is of.
    pub fn new(key: u64, waited: Duration) -> Self {
        Self { key, counted_at: Duration::ZERO, waited, left: u32::MAX }
    }
}

/// Why a call may not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denied {
    /// There is no room for it.
    Full(Full),
    /// Whether there is room cannot be told.
    Unavailable(Unavailable),
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

/// A limiter that cannot tell whether there is room. Nothing is sent then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unavailable {
    /// What kind of trouble it has.
    pub trouble: Trouble,
    /// What happened.
    pub why: String,
    /// How long the caller had waited by then.
    pub waited: Duration,
}

/// The trouble of a limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trouble {
    /// What it shares with others cannot be reached.
    Unreachable,
    /// It is answered too late.
    TooSlow,
    /// It is answered with an error.
    Failed,
    /// Its share of the rate is less than one call in a window.
    NoShare,
    /// It was made by the process that this one was forked from.
    Forked,
}

impl Unavailable {
    /// There is `trouble`, because of `why`.
    pub fn new(trouble: Trouble, why: impl Into<String>) -> Self {
        Self { trouble, why: why.into(), waited: Duration::ZERO }
    }

    /// The same, after having `waited`.
    #[must_use]
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "the limiter cannot be reached",
            Self::TooSlow => "the limiter is too slow",
            Self::Failed => "the limiter failed",
            Self::NoShare => "the limiter has no share of the rate",
            Self::Forked => "the client was made before this process was forked",
        })
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.trouble, self.why)
    }
}

impl From<Full> for Denied {
    fn from(full: Full) -> Self {
        Self::Full(full)
    }
}

impl From<Unavailable> for Denied {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}
