//! The emitted client: its requests, checks, answers and outcomes, over loopback and in virtual time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

mod account;
mod batches;
mod blocking;
mod cancels;
mod checks;
mod clocks;
mod confirm;
mod counterparts;
mod drift;
mod everyday;
mod failures;
mod intents;
mod leniency;
mod lifecycle;
mod limits;
mod observe;
mod outcomes;
mod outcomes_file;
mod pages;
mod proofs;
mod repeats;
mod requests;
mod rules;
mod secrets;
mod sends;
mod signed_query;
mod wire;
