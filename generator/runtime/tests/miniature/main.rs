//! A miniature of an emitted crate, written by hand: how emitted code uses the runtime, and that it works from outside.

mod amendments;
mod answers;
mod api;
mod books;
mod calls;
mod clocks;
mod codes;
mod confirmations;
mod contenders;
mod dropped;
mod echoes;
mod evidence;
mod limits;
#[cfg(feature = "hyper")]
mod loopback;
mod orders;
mod outside;
mod places;
mod requests;
mod rivals;
#[cfg(feature = "serde")]
mod serde_impls;
mod violations;
mod waits;

/// The result of a test that can fail on the way.
type Tested = Result<(), Box<dyn std::error::Error>>;
