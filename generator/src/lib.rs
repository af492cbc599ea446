//! Reads a hand-written YAML schema of an HTTP/JSON API and emits a Rust client for it.
//!
//! A run has six steps, and data flows one way. If the inputs are those of the last run, it ends after reading them.
//!
//! 1. **load**: files become raw documents. The only step that knows YAML; every value keeps its place.
//! 2. **model**: names are resolved, inclusions expanded and Rust names made. Nothing changes after this step.
//! 3. **check**: rules of the schema language that need the whole schema; one function for each rule.
//! 4. **select**: if only a part is wanted, the model is reduced to it.
//! 5. **emit**: the model becomes files in memory. The same model gives the same bytes.
//! 6. **write**: files whose bytes differ are replaced, files that are no longer emitted are removed.
//!
//! The tools of the command line read the model, too; they are compiled only with the feature `cli`. One of them is
//! **rules**: all rules, an interpreter of the checked ones, and requests that try each of them.
//!
//! The [guide] describes how a schema is begun and maintained, and what else is made of it.
//!
//! A mistake never stops a run early: each step reports every mistake that it finds, and nothing is written if there is
//! one. Unlike in most compilers, the model comes before the checks: a check over resolved data is a few lines.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), tradeapi_gen::Diagnostics> {
//!     tradeapi_gen::Generator::new().schema_dir("schema").generate()?;
//!     Ok(())
//! }
//! ```

mod check;
mod diagnostics;
mod earlier;
mod emit;
mod generator;
#[cfg(all(doc, not(doctest)))]
pub mod guide;
mod json;
mod load;
// Only the tools read some parts of the model, and build scripts are compiled without them.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "read by the tools only"))]
mod model;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "read by the tools only"))]
mod plain_text;
mod select;
mod values;
mod words;
mod write;

#[cfg(feature = "cli")]
mod audit;
#[cfg(feature = "cli")]
mod compare;
#[cfg(feature = "cli")]
pub mod diff;
#[cfg(feature = "cli")]
mod draft;
#[cfg(feature = "cli")]
mod drift;
#[cfg(feature = "cli")]
mod export;
#[cfg(feature = "cli")]
mod init;
#[cfg(feature = "cli")]
mod list;
#[cfg(feature = "cli")]
mod operation_page;
#[cfg(feature = "cli")]
mod revision;
#[cfg(feature = "cli")]
mod rules;
#[cfg(feature = "cli")]
mod skeleton;

#[cfg(feature = "cli")]
pub use audit::{Audit, Auditor, Documents};
#[cfg(feature = "cli")]
pub use compare::{Change, Difference};
pub use diagnostics::{Code, Diagnostic, Diagnostics, Fix, Format, Place};
#[cfg(feature = "cli")]
pub use drift::Drift;
pub use emit::Layout;
#[cfg(feature = "cli")]
pub use export::{OpenApi, RuleTests, Site};
#[cfg(feature = "cli")]
pub use generator::{
    DraftSource, Drafted, SiteOptions, compare_editor_schemas, editor_schemas, init_project, write_editor_schemas,
};
pub use generator::{Generator, Only, Schema};
pub use model::Counts;
#[cfg(feature = "cli")]
pub use rules::Case;
pub use write::Report;
