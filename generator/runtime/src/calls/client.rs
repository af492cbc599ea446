//! The client: it checks, signs and sends requests and reads their responses.

mod builder;
mod by_name;
mod call;
mod callable;
mod core;
mod departures;
mod earlier;
mod exchange_clock;
#[cfg(feature = "blocking")]
mod forked;
mod journaled;
mod listed;
mod metrics;
mod own_journal;
mod pacing;
mod prepared;
mod recent;
mod sending;
mod shown;
mod stated;
mod time;
mod tracking;
mod under_way;
mod weighing;

pub use self::builder::ClientBuilder;
pub(crate) use self::by_name::object_of_texts;
pub(crate) use self::call::Attempt;
pub use self::callable::{Callable, ReplyTo};
pub use self::core::ClientCore;
pub(crate) use self::departures::Departure;
pub use self::departures::{Departed, UnderWay};
#[cfg(feature = "blocking")]
pub(crate) use self::forked::refusing_calls;
pub use self::metrics::CallMetrics;
pub use self::pacing::LimitMode;
pub use self::prepared::Prepared;
pub(crate) use self::sending::CallFuture;
pub use self::time::SigningClock;
pub(crate) use self::weighing::{LAG, SETTLING};
