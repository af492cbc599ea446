//! The compiler: what a build script runs. It turns the files of a schema into a crate.
//!
//! Data flows one way: `load -> model -> check -> select -> emit -> write`, over `diagnostics`, the readers of text and
//! JSON, and the words, values and references of the language. `earlier` compares a run with the last one.

pub(crate) mod check;
pub(crate) mod diagnostics;
pub(crate) mod earlier;
pub(crate) mod emit;
pub(crate) mod json;
pub(crate) mod load;
pub(crate) mod model;
pub(crate) mod plain_text;
pub(crate) mod references;
pub(crate) mod select;
pub(crate) mod values;
pub(crate) mod words;
pub(crate) mod write;
