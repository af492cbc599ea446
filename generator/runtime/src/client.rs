//! The client: who calls, from when, over what.

mod builder;
mod clock;
mod core;
mod credentials;
#[cfg(feature = "hyper")]
mod hyper;
mod signer;
mod transport;

pub use self::builder::{BuildError, ClientBuilder};
pub use self::clock::{Clock, FixedClock, SystemClock};
pub use self::core::ClientCore;
pub use self::credentials::Credentials;
#[cfg(feature = "hyper")]
pub use self::hyper::{HyperTransport, TransportLimits};
pub use self::signer::{HmacSha256, Signer};
pub use self::transport::{ResponseFuture, Transport, TransportError, TransportErrorKind, WasSent};
