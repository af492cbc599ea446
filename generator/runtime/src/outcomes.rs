//! The outcomes of changes: queries of unknown outcomes, the comparison of an account with its journal, and the end of
//! everything that is open.

pub mod confirm;
pub mod flatten;
pub mod reconcile;
