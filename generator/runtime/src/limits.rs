//! Rate limits, enforced exactly before a request is sent, for all clients of an account together.
//!
//! A client consults a [`Limiter`] before each call; [`InProcessLimits`] is the default one. The limits come from the
//! table of the operation ([`Meta::limits`](crate::tables::Meta::limits)); the caller's [`Classes`] select the rows
//! that apply.
//!
//! Each [`Call`] belongs to a bucket, which counts it in one or several windows. A call is admitted if every window of
//! its bucket has room. Otherwise it waits in the queue of the bucket, until a change or the alarm of the timer admits
//! it.

mod bucket;
mod call;
mod in_process;
mod learning;
mod limiter;
mod open_orders;
mod permit;
mod plan;
#[cfg(feature = "redis")]
mod redis;
mod reservation;
mod settings;
mod state;
mod ways;
mod window;

#[cfg(feature = "redis")]
pub use self::redis::{BadRedisUrl, Fallback, FleetChange, RedisLimits, RedisSettings};
pub use call::{Call, Classes};
pub use in_process::InProcessLimits;
pub use limiter::{Admission, AdmissionError, AdmissionFuture, Full, Limiter, RateLimitFeedback, TooMany, Unavailable};
pub use open_orders::OpenOrders;
pub use permit::Permit;
pub use plan::Plan;
pub use reservation::Reservation;
pub use settings::{CountFrom, LimitSettings, QuotaShare};

#[cfg(test)]
mod tests;
