//! Rate limits: kept before sending, exactly, for all clients of an account together.
//!
//! [`Limiter`] is what a client asks before each call, [`InProcessLimits`] the one that is there by default. What is
//! limited comes from the operation's table ([`Meta::limits`](crate::Meta::limits)); which rows of it hold for a call
//! is data the caller gives ([`Classes`]).
//!
//! A call goes through it so: its [`Call`] is found a [`lane`] in the [`book`]; where every [`window`] of the lane has
//! room it is let go, otherwise it lines up there, and whatever changes, or the alarm of the [`timer`], lets go who may.

mod book;
mod call;
mod class;
#[cfg(feature = "blocking")]
mod forked;
#[cfg(feature = "redis")]
mod handover;
mod hash;
mod idle;
mod in_process;
mod lane;
mod learning;
mod limiter;
mod line;
mod open_orders;
mod pacing;
mod permit;
mod plan;
#[cfg(feature = "redis")]
mod redis;
mod retry_after;
mod settings;
mod share;
mod signs;
mod slab;
mod timer;
mod trips;
mod waiting;
mod window;

#[cfg(feature = "redis")]
pub use self::redis::{BadRedisUrl, Fallback, FleetChange, RedisLimits, RedisSettings};
pub use call::Call;
pub use class::Classes;
#[cfg(feature = "blocking")]
pub(crate) use forked::refusing_calls;
pub use in_process::InProcessLimits;
pub use limiter::{Admission, AdmissionFuture, Denied, Full, Limiter, Slot, Trouble, Unavailable};
pub use open_orders::OpenOrders;
pub use pacing::LimitMode;
pub(crate) use pacing::Pacing;
pub use permit::Permit;
pub use plan::{Binding, Plan};
pub(crate) use retry_after::{date, retry_after};
pub use settings::{Counted, LimitSettings};
pub use share::Share;
pub use signs::{Signs, TooMany};
pub(crate) use timer::pause;
pub use timer::{ManualTimer, SystemTimer, Timer};

#[cfg(test)]
mod tests;
