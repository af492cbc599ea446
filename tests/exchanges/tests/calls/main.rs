//! Calls of clients of public exchanges over loopback; a module for each exchange.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod binance;
mod okx;
