//! Rate limits of a fleet, over a real Redis server if it is installed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod alone;
mod callers;
mod failures;
mod given_up;
mod late;
mod lost;
mod processes;
mod proxy;
mod secrets;
mod server;
mod set_clock;
mod together;
mod traffic;
