//! Rate limits of a fleet, over a real Redis server where there is one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod alone;
mod callers;
mod processes;
mod secrets;
mod server;
mod together;
mod trouble;
