//! The client: who calls, from when, over what.

#[cfg(any(feature = "hyper", feature = "reqwest"))]
mod bounds;
mod builder;
mod clock;
mod core;
mod credentials;
mod exchange_clock;
#[cfg(feature = "hyper")]
mod hyper;
mod recent;
#[cfg(feature = "reqwest")]
mod reqwest;
mod secret;
mod sending;
mod signer;
mod skew;
mod time;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
mod tls;
mod transport;

#[cfg(any(feature = "hyper", feature = "reqwest"))]
pub use self::bounds::TransportLimits;
pub use self::builder::{BuildError, ClientBuilder};
pub(crate) use self::clock::Moment;
pub use self::clock::{Clock, FixedClock, SigningClock, SystemClock};
pub use self::core::ClientCore;
pub use self::credentials::Credentials;
#[cfg(feature = "hyper")]
pub use self::hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use self::reqwest::ReqwestTransport;
pub use self::signer::{HmacSha256, Signer};
pub use self::skew::Skew;
#[cfg(any(feature = "hyper", feature = "reqwest"))]
pub use self::tls::TlsSettings;
pub use self::transport::{ResponseFuture, RoundTrip, Transport, TransportError, TransportErrorKind, WasSent};
