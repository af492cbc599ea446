//! What the tests of this workspace share: the schema's examples, and second opinions on what the runtime does.
//!
//! Nothing that judges uses the generator or the runtime's own code for reading, writing or signing: a test that compares
//! a thing with itself finds nothing.
#![allow(clippy::expect_used, clippy::panic, reason = "only tests use this, and a panic is how they fail")]

pub mod folders;
pub mod json;
pub mod peer;
pub mod reference;
pub mod schema;
pub mod transports;
pub mod watch;

pub use tradeapi_exchange::{query, signature};

/// The README's examples compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}
