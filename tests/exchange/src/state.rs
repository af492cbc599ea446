//! The knowledge of the exchange: instruments, orders, accounts, books and prices, its settings, faults and journal, and the
//! whole of it, the core.

pub(crate) mod accounts;
pub(crate) mod book;
pub(crate) mod core;
pub(crate) mod dice;
pub(crate) mod events;
pub(crate) mod faults;
pub(crate) mod hostile;
pub(crate) mod instruments;
pub(crate) mod journal;
pub(crate) mod journal_entry;
pub(crate) mod limits;
pub(crate) mod log;
pub(crate) mod market;
pub(crate) mod market_recording;
pub(crate) mod orders;
pub(crate) mod playback;
pub(crate) mod refusal;
pub(crate) mod settings;
pub(crate) mod setup;
#[cfg_attr(not(feature = "judge"), allow(dead_code, reason = "only a judge reads a trace"))]
pub(crate) mod trace;
pub(crate) mod values;
pub(crate) mod words;
