//! The tools of the command line, each over the model of the compiler: comparisons with documents, revisions and
//! production, drafts, exports, tables and pages. The compiler imports none of them.

pub(crate) mod audit;
pub(crate) mod compare;
pub mod diff;
pub(crate) mod draft;
pub(crate) mod drift;
pub(crate) mod export;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod operation_page;
pub(crate) mod revision;
pub(crate) mod rules;
pub(crate) mod skeleton;
