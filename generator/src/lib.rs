//! Reads hand-written YAML specs of an HTTP/JSON API and emits a Rust client for it.
//!
//! A run has five steps, and data flows one way:
//!
//! 1. **load**: files become raw documents. The only step that knows YAML; every value keeps its place.
//! 2. **model**: names are resolved, inclusions expanded, Rust names made. From here on nothing changes.
//! 3. **check**: rules of the schema language that need the whole picture; one function a rule.
//! 4. **emit**: the model becomes files in memory. The same model gives the same bytes.
//! 5. **write**: files whose bytes differ are replaced, files that are no longer emitted are removed.
//!
//! Beside the way stands the **rulebook**: every rule counted, an interpreter of the checked ones, and requests that try
//! each of them.
//!
//! Mistakes never stop a run early: each step reports all it finds, and nothing is written when there is one.
//! The model comes before the checks, other than in most compilers, because a check over resolved data is a few lines.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), tradeapi_gen::Diagnostics> {
//!     tradeapi_gen::Generator::new().schema_dir("schema").generate()?;
//!     Ok(())
//! }
//! ```

#[cfg(feature = "cli")]
mod audit;
mod check;
#[cfg(feature = "cli")]
mod compare;
mod diagnostics;
#[cfg(feature = "cli")]
pub mod diff;
#[cfg(feature = "cli")]
mod drift;
#[cfg(feature = "cli")]
mod editor;
mod emit;
#[cfg(feature = "cli")]
mod explain;
#[cfg(feature = "cli")]
mod export;
mod generator;
mod list;
mod load;
// Build scripts go without the audit, which alone reads some of the places that the model keeps.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "read by the audit only"))]
mod model;
#[cfg(feature = "cli")]
mod revision;
mod rulebook;
mod select;
#[cfg(feature = "cli")]
mod skeleton;
mod write;

#[cfg(feature = "cli")]
pub use audit::Audit;
#[cfg(feature = "cli")]
pub use compare::{Change, Difference};
pub use diagnostics::{Code, Diagnostic, Diagnostics, Fix, Format, Place};
#[cfg(feature = "cli")]
pub use drift::Drift;
#[cfg(feature = "cli")]
pub use editor::{compare_editor_schemas, editor_schemas, write_editor_schemas};
#[cfg(feature = "cli")]
pub use export::OpenApi;
pub use generator::{Generator, Layout, Only, Schema};
pub use model::Counts;
pub use rulebook::Case;
pub use write::Report;
