//! The client: it checks, signs and sends requests and reads their responses.

mod builder;
mod call;
mod core;
mod departures;
mod earlier;
mod exchange_clock;
#[cfg(feature = "blocking")]
mod forked;
mod journaled;
mod pacing;
mod prepared;
mod recent;
mod sending;
mod spending;
mod stated;
mod tracking;
mod weighing;

pub use self::builder::ClientBuilder;
pub(crate) use self::call::{Attempt, Within, object_of_texts};
pub use self::call::{CallMetrics, Callable, ReplyTo};
pub use self::core::ClientCore;
pub(crate) use self::departures::Departure;
pub use self::departures::{Departed, UnderWay};
pub use self::exchange_clock::SigningClock;
#[cfg(feature = "blocking")]
pub(crate) use self::forked::refusing_calls;
pub use self::pacing::LimitMode;
pub use self::prepared::Prepared;
pub(crate) use self::recent::Meant;
pub(crate) use self::sending::CallFuture;
pub use tradeapi_words::Assumptions;
