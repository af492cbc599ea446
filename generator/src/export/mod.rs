//! The model in other notations than Rust, for tools and people that read them. Only the command line needs it.

mod openapi;
mod site;

pub use openapi::OpenApi;
pub(crate) use openapi::openapi;
pub use site::Site;
pub(crate) use site::{Since, SourceFile, site};
