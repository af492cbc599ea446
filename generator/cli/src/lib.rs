//! A program over the tables that a generator emits for a trading API: each operation is a command.
//!
//! The emitted table [`Program`] lists the operations, and how each is called; their parameters follow from the requests,
//! by [`Described`](tradeapi_runtime::parameters::described::Described). A program consists of it and of this crate:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     tradeapi_cli::main(&tradeapi::cli::PROGRAM)
//! }
//! ```
//!
//! A request is read from flags and JSON by the emitted reader of its parameters, so that what the documents forbid is
//! refused with all reasons before it is sent. A change whose outcome is unknown is confirmed by queries, as the library
//! does it. The exit status states the outcome: see [`Ending`].
//!
//! # Features
//!
//! - `journal`: the option `--journal` and the command `recover`.
//! - `mcp`: the command `mcp`, which serves the operations to assistants by the Model Context Protocol.

// Each item that needs a feature says so on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod arguments;
mod calls;
mod catalogue;
mod command;
mod dry_run;
mod ending;
mod everyday;
mod help;
mod limits;
#[cfg(feature = "mcp")]
mod mcp;
mod options;
mod output;
mod parameter;
mod prices;
mod profile;
mod program;
mod request;
mod rows;
mod settings;
mod signals;
mod table;
mod times;
mod watch;
mod words;

pub use arguments::command_line;
pub use command::Command;
pub use ending::Ending;
pub use program::main;
pub use table::{Family, PositionListing, Program};
