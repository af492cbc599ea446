//! Accounts as JSON, so that a program can read its position mode and its instruments from a file.
//!
//! JSON is read by the crate anyway, with the place of each mistake; TOML would bring a parser for one file.
//!
//! ```json
//! {
//!   "name": "desk-1",
//!   "properties": { "positionMode": "hedge_mode", "since": "2026-01-31T00:00:00.000Z", "pairs": ["BTCUSDT"] },
//!   "instruments": {
//!     "USDT-FUTURES": { "BTCUSDT": { "priceMultiplier": "0.1", "sizeMultiplier": "0.0001" } }
//!   }
//! }
//! ```
//!
//! The names of properties are those of the schema. Every member may be left out. Times are ISO 8601 or milliseconds
//! since 1970, numbers are strings or JSON numbers, whose digits are kept.

mod mistakes;
mod reading;
mod writing;

pub use mistakes::{AccountFileError, AccountMistake};

/// The members of the file.
const NAME: &str = "name";
const PROPERTIES: &str = "properties";
const INSTRUMENTS: &str = "instruments";
