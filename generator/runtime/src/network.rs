//! The modules that speak HTTP: signatures, transports, requests and responses on the wire, rate limits, and what is observed there.

pub mod drift;
pub mod limits;
pub(crate) mod observe;
pub mod signing;
pub mod transport;
pub mod wire;
