//! Listings in pages, with a simulated exchange and with scripted answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod exactly_once;
mod exchange;
mod pauses;
mod positions;
mod repeats;
mod restarts;
mod scripted;
mod windows;
