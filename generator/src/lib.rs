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

// Build scripts are compiled without the tools, which alone read some parts of the model.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unreachable_pub, unused_imports, reason = "for the tools"))]

mod compiler;
#[cfg(feature = "cli")]
mod tools;

mod generator;
#[cfg(all(doc, not(doctest)))]
pub mod guide;

pub use compiler::diagnostics::{Code, Diagnostic, Diagnostics, Fix, Format, Place};
pub use compiler::emit::Layout;
pub use compiler::model::Counts;
pub use compiler::write::Report;
pub use generator::{Generator, Only, Schema};
#[cfg(feature = "cli")]
pub use {
    generator::{
        DraftSource, Drafted, SiteOptions, Unfinished, compare_editor_schemas, editor_schemas, init_project,
        write_editor_schemas,
    },
    tools::audit::{Announced, Audit, Auditor, Documents, Standing},
    tools::compare::{Change, Difference},
    tools::diff,
    tools::drift::Drift,
    tools::export::{OpenApi, Outcomes, RuleTests, Site},
    tools::rules::Case,
};
