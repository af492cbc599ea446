//! Programs over emitted tables, started as processes, against the local exchange on loopback.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod arguments;
mod budget;
mod calls;
mod dry_run;
mod fixture;
mod flatten;
mod kinds;
mod mcp;
mod mcp_server;
mod other_apis;
mod output;
mod profiles;
mod sdk;
mod secrets;
mod statuses;
mod tools;
