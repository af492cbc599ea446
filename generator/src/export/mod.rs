//! The model in other notations than Rust, for tools that read them. Only the command line needs it.

mod openapi;

pub use openapi::OpenApi;
pub(crate) use openapi::openapi;
