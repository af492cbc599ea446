//! Schema drift: differences between responses and the documents. They are collected while a client runs, so that the
//! maintainer of the schema notices changes of a document.
//!
//! Reading a response is not affected: a second pass compares it with the tables of its records.
//!
//! Only names are recorded, and a value only if it is spelled like an enum value or a code.

mod collector;
mod counts;
mod report;
mod walk;

pub use collector::Drift;
pub use report::{DriftEntry, DriftKind, DriftReport, OperationDrift};
