//! Listings page by page: against an exchange that pages in many ways, and against scripted answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod exactly_once;
mod exchange;
mod pauses;
mod positions;
mod repeats;
mod restarts;
mod scripted;
mod windows;
