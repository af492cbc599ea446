//! Rate limits, enforced exactly before a request is sent, for all clients of an account together.
//!
//! A client consults a [`Limiter`] before each call; [`InProcessLimits`] is the default one. The limits come from the
//! table of the operation ([`Meta::limits`](crate::data::tables::Meta::limits)); the caller's [`Classes`] select the rows
//! that apply.
//!
//! Each [`Call`] belongs to a bucket, which counts it in one or several windows. A call is admitted if every window of
//! its bucket has room. Otherwise it waits in the queue of the bucket, until a change or the alarm of the timer admits
//! it.
//!
//! A limit is an exact sliding window, because a token bucket allows nearly twice the rate in a second that spans two.
//! A call occupies its place until it is answered, because the exchange may count it at any time until then: a call
//! that waits for a connection would otherwise arrive in the next window. An answered call counts from the time in its
//! answer, less a bound on the next way to the exchange; one that was given up, until it can no longer arrive.
//!
//! An address that has made too many requests may be refused for a while, whichever windows have room. Where the schema
//! states it, the clients of a process and of a fleet wait that time out together.
//!
//! A 429 closes no window for longer than a minute, or the operation's shortest window if that is longer: it does not
//! state which window is full, and closing a window of a day would stop an account for a day. Clients with the same key
//! share their limits, found by a hash of it, because the exchange counts them together.

mod call;
mod file;
mod in_process;
mod learning;
mod limiter;
mod open_orders;
#[cfg(feature = "redis")]
mod redis;
mod refused_address;
mod settings;
mod shared_by_account;
mod shared_windows;
mod state;
mod window;

pub use self::call::Plan;
pub use self::limiter::Permit;
#[cfg(feature = "redis")]
pub use self::redis::{BadRedisUrl, Fallback, FleetChange, RedisLimits, RedisSettings};
pub use call::{Call, Classes, Reservation};
pub use file::FileLimits;
pub use in_process::InProcessLimits;
pub use limiter::{Admission, AdmissionError, AdmissionFuture, Full, Limiter, RateLimitFeedback, TooMany, Unavailable};
pub use open_orders::OpenOrders;
pub(crate) use refused_address::{AddressRate, AddressRefusals, Watch, call_of};
pub use settings::{CountFrom, LimitSettings, QuotaShare};
pub(crate) use shared_by_account::SharedByAccount;

#[cfg(test)]
mod tests;
