//! The model in other formats than Rust, for tools and people. Only the command line uses it.

mod object;
mod openapi;
mod outcomes;
mod site;

pub use openapi::OpenApi;
pub(crate) use openapi::{exact_openapi, openapi};
pub use outcomes::Outcomes;
pub(crate) use outcomes::outcomes;
pub(crate) use site::{Baseline, DocumentFile, SiteInputs, SourceFile, site};
pub use site::{RuleTests, Site};
