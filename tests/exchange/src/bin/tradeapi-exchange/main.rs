//! The command line of the local exchange: `serve` is what it does without a command.

mod judge;
mod local_profile;
mod serve;
mod watch;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, Subcommand};
use judge::JudgeArguments;
use serve::ServeArguments;
use tradeapi_exchange::{Exchange, ReplayError, torn_line};

/// A local exchange for tests and for trying out the client. It serves all documented operations over HTTP, in a market
/// with simulated participants. It stores nothing but the journal, if there is one.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows the state of a running exchange in this terminal, refreshed each second.
    Watch {
        /// The address that the exchange printed.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        url: String,
        /// Prints the state once.
        #[arg(long)]
        once: bool,
    },
    Judge(Box<JudgeArguments>),
    /// Replays a journal, and fails if an answer differs. Serves nothing.
    Replay {
        /// The journal.
        file: PathBuf,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Some(Command::Watch { url, once }) => watch::watch(url, *once).await.or_else(unless_unread),
        Some(Command::Replay { file }) => {
            restored(file, Exchange::replay).and_then(|_| print("all answers are the same\n"))
        }
        Some(Command::Judge(arguments)) => return arguments.judge().await,
        None => arguments.serve.serve().await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Restores an exchange from a journal.
fn restored(journal: &Path, restore: impl FnOnce(&str) -> Result<Exchange, ReplayError>) -> io::Result<Exchange> {
    let failed = |why: String| io::Error::other(format!("{}: {why}", journal.display()));
    let text = fs::read_to_string(journal).map_err(|error| failed(error.to_string()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if let Some(torn) = torn_line(text) {
        let bytes = torn.len();
        warn(&format!("warning: {}: the last line is torn, and its {bytes} bytes are left out", journal.display()));
    }
    restore(text).map_err(|error| failed(error.to_string()))
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).or_else(unless_unread)
}

/// Ignores the error that nobody reads the output any more.
fn unless_unread(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

/// Prints a line for a person. If it cannot be printed, there is nobody to tell.
fn warn(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
