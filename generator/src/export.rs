//! The model in other notations than Rust, for tools and people that read them. Only the command line needs it.

mod openapi;
mod site;

pub use openapi::OpenApi;
pub(crate) use openapi::openapi;
pub(crate) use site::{Beside, DocumentFile, Since, SourceFile, site};
pub use site::{RuleTests, Site};
