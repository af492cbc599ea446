//! The client: who calls, from when, over what.

mod builder;
mod clock;
mod core;
mod credentials;
mod exchange_clock;
#[cfg(feature = "hyper")]
mod hyper;
mod secret;
mod sending;
mod signer;
mod skew;
mod time;
mod transport;

pub use self::builder::{BuildError, ClientBuilder};
pub(crate) use self::clock::Moment;
pub use self::clock::{Clock, FixedClock, SigningClock, SystemClock};
pub use self::core::ClientCore;
pub use self::credentials::Credentials;
#[cfg(feature = "hyper")]
pub use self::hyper::{HyperTransport, TransportLimits};
pub(crate) use self::secret::Secret;
pub use self::signer::{HmacSha256, Signer};
pub use self::skew::Skew;
pub use self::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};
