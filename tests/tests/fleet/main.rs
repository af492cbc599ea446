//! Rate limits of a fleet, over a real Redis server where there is one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod alone;
mod callers;
mod late;
mod lost;
mod processes;
mod proxy;
mod secrets;
mod server;
mod set_clock;
mod together;
mod traffic;
mod trouble;
