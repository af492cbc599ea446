//! The memory of changes: the journal, the orders that a client tracks, positions, and what a record proves.

pub mod budget;
pub(crate) mod evidence;
pub mod journal;
pub mod ledger;
pub mod orders;
