//! The commands that take more than one call of the library.

pub(crate) mod audit;
pub(crate) mod diff;
pub(crate) mod init;
pub(crate) mod new;
mod output;
pub(crate) mod shell;
pub(crate) mod watch;

pub(crate) use output::{Output, OutputFormat, misread};
