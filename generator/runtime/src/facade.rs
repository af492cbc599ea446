//! The faces of the modules below: blocking calls, and what only emitted code needs.

#[cfg(feature = "blocking")]
pub mod blocking;
#[doc(hidden)]
pub mod emitted;
