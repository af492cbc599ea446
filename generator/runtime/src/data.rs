//! Values and tables, without I/O: exact numbers, times and texts, JSON, the facts about an API, requests as parameters,
//! their checks, and errors.

pub mod account;
pub mod account_file;
pub mod checks;
pub mod clock;
pub mod counterpart;
pub mod error;
pub mod json;
pub mod lifecycle;
pub mod operation;
pub mod parameters;
pub(crate) mod serde_support;
pub(crate) mod sorting;
pub mod tables;
pub mod value;
