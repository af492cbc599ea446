//! Drift: where answers are not what the documents say. Collected while a client runs, so that production tells the
//! maintainer of the schema that a document has changed.
//!
//! Reading an answer knows nothing of this: one that is looked at is gone through a second time, beside the tables of its
//! records.

mod collector;
mod entry;
mod fields;
mod report;
mod show;
mod spelling;
mod tally;
mod walk;
mod withheld;

pub use collector::Drift;
pub use entry::{DriftEntry, DriftKind};
pub use report::{DriftReport, OperationDrift};
