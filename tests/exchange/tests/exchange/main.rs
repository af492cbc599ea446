//! The exchange from outside: through the emitted client, in process and over sockets, and by requests that are written
//! by hand from the documents.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a panic is how a test fails")]

mod account_properties;
mod amending;
mod browser;
mod budget;
mod control;
mod control_calls;
mod countdown;
mod counterparts;
mod decided;
mod determinism;
mod docs;
#[path = "../../../shared/empty_arguments.rs"]
mod empty_arguments;
mod faults;
mod fixture;
mod flatten;
mod hostile;
mod http;
mod journal;
mod judge;
mod members;
mod nonsense;
mod observed;
mod order_lifecycle;
mod orders;
mod page;
mod plans;
mod platform;
mod playback;
mod presets;
mod properties;
mod random;
mod raw;
mod reconcile;
mod results;
mod rules;
mod rules_classic;
mod rules_unified;
mod scripts;
mod set_market;
mod standing;
mod stock_tokens;
mod tolerance;
