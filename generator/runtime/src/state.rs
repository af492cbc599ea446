//! The memory of changes: the journal, the orders that a client tracks, positions, and what an answer proves.

pub mod budget;
pub(crate) mod evidence;
pub mod journal;
pub mod ledger;
pub mod orders;
