//! Rate limits of a fleet, over a real Redis server if it is installed, and over the files of a folder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod alone;
mod callers;
mod failures;
mod given_up;
mod late;
mod lost;
mod members;
mod processes;
mod proxy;
mod secrets;
mod server;
mod set_clock;
mod together;
mod traffic;
