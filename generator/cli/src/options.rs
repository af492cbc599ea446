//! Options: those of all commands, and those of operations besides their parameters.

#[cfg(feature = "mcp")]
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Arg, ArgAction, ValueHint};
use tradeapi_runtime::confirm::ConfirmPolicy;

use crate::table::Program;

/// The options, by their names.
pub(crate) const FORMAT: &str = "format";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const LOCAL: &str = "local";
pub(crate) const PROFILE: &str = "profile";
pub(crate) const ACCOUNT: &str = "account";
pub(crate) const HEADER: &str = "header";
pub(crate) const BUDGET: &str = "budget";
pub(crate) const LIMITS: &str = "limits";
pub(crate) const DEADLINE: &str = "deadline";
pub(crate) const LAG: &str = "lag";
#[cfg(feature = "journal")]
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const JSON: &str = "json";
pub(crate) const DRY_RUN: &str = "dry-run";
pub(crate) const FIRST: &str = "first";
/// The days of fills that positions follow from.
pub(crate) const DAYS: &str = "days";
/// The pause between two looks at the orders.
pub(crate) const EVERY: &str = "every";
/// The name of a shell.
pub(crate) const SHELL: &str = "shell";
/// A folder for files.
pub(crate) const OUT: &str = "out";
#[cfg(feature = "mcp")]
pub(crate) const ALLOW_TRADING: &str = "allow-trading";
/// The families and the groups of the tools of a server.
#[cfg(feature = "mcp")]
pub(crate) const FAMILIES: &str = "families";
#[cfg(feature = "mcp")]
pub(crate) const GROUPS: &str = "groups";

/// The longest that a command waits for an outcome, in seconds: a day.
const LONGEST_WAIT: u64 = 24 * 60 * 60;

/// The usual [`DEADLINE`] of a server for assistants, whose calls end after a minute as a rule.
#[cfg(feature = "mcp")]
pub(crate) const MCP_DEADLINE: Duration = Duration::from_secs(45);

/// The usual number of [`DAYS`].
pub(crate) const USUAL_DAYS: u32 = 30;

/// The greatest number of [`DAYS`].
pub(crate) const MOST_DAYS: u32 = 3650;

/// The values of [`FORMAT`].
pub(crate) const TABLE: &str = "table";
pub(crate) const JSON_LINES: &str = "json";

/// Returns the options of all commands.
pub(crate) fn of_all(program: &Program) -> Vec<Arg> {
    let prefix = program.prefix();
    let option = |name: &'static str, help: String| Arg::new(name).long(name).help(help).global(true);
    vec![
        option(FORMAT, "The form of results: tables for people, lines of JSON for programs. [default: table on a terminal]".to_owned())
            .value_parser([TABLE, JSON_LINES]),
        option(COLUMNS, "The columns, separated by commas. The results are a table then.".to_owned())
            .value_name("NAMES")
            .value_parser(stated)
            .value_delimiter(','),
        option(LOCAL, "Talks to the local exchange that runs on this machine.".to_owned())
            .action(ArgAction::SetTrue),
        option(
            PROFILE,
            format!("The address and keys in the file NAME.env, or in a file at this path, which only its owner can read. Without it, they are those of {prefix}_URL, {prefix}_KEY, {prefix}_SECRET and {prefix}_PASSPHRASE."),
        )
        .value_name("NAME")
        .value_parser(stated)
        .conflicts_with(LOCAL),
        option(ACCOUNT, "A JSON file with properties of the account and its instruments, which some rules depend on.".to_owned())
            .value_name("FILE")
            .value_parser(stated)
            .value_hint(ValueHint::FilePath),
        option(BUDGET, "A JSON file with the most that orders may be worth; what was spent is kept beside it.".to_owned())
            .value_name("FILE")
            .value_parser(stated)
            .value_hint(ValueHint::FilePath),
        option(LIMITS, "Shares the rate limits with all processes that have this folder, also with those of before.".to_owned())
            .value_name("FOLDER")
            .value_parser(stated)
            .value_hint(ValueHint::DirPath),
        option(HEADER, headers(program))
            .value_name("NAME=VALUE")
            .value_parser(stated)
            .action(ArgAction::Append),
        option(DEADLINE, deadline())
            .value_name("SECONDS")
            .value_parser(seconds),
        option(
            LAG,
            format!(
                "How far a machine of the exchange may be behind, so that an absence there proves nothing. [default: {}]",
                ConfirmPolicy::LAG.as_secs()
            ),
        )
            .value_name("SECONDS")
            .value_parser(seconds),
        #[cfg(feature = "journal")]
        option(JOURNAL, "Stores each change in this folder before it is sent, and its outcome after.".to_owned())
            .value_name("FOLDER")
            .value_parser(stated)
            .value_hint(ValueHint::DirPath),
    ]
}

/// Returns the options of each operation, besides its parameters.
pub(crate) fn of_operations() -> Vec<Arg> {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    vec![
        option(JSON, "Parameters as JSON from a file, or from standard input with `-`. Flags win over them.")
            .value_name("FILE")
            .value_parser(stated)
            .value_hint(ValueHint::FilePath),
        option(DRY_RUN, "Shows the request and what its checks find, without keys, and sends nothing.")
            .action(ArgAction::SetTrue),
    ]
}

/// Returns what the headers of the API are.
fn headers(program: &Program) -> String {
    let all = program.api.headers.iter().map(|header| format!(" {}: {}", header.name, header.doc));
    let all: String = all.collect();
    format!("Sets a header of the API; so does {}_HEADERS, with several separated by commas.{all}", program.prefix())
}

fn deadline() -> String {
    let usual = ConfirmPolicy::DEADLINE.as_secs();
    #[cfg(feature = "mcp")]
    return format!(
        "How long an unknown outcome is queried. [default: {usual}, and {} in `mcp`]",
        MCP_DEADLINE.as_secs()
    );
    #[cfg(not(feature = "mcp"))]
    return format!("How long an unknown outcome is queried. [default: {usual}]");
}

/// Takes a text that states something: one of blanks may be a variable that has no value.
pub(crate) fn stated(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("it is empty, as a variable without a value is; state a value, or leave the option out"),
        _ => Ok(text.to_owned()),
    }
}

fn seconds(text: &str) -> Result<u64, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= LONGEST_WAIT);
    seconds.ok_or_else(|| format!("expected a whole number of seconds, at most {LONGEST_WAIT}, which is a day"))
}

/// Returns the option of a listing.
pub(crate) fn first() -> Arg {
    Arg::new(FIRST)
        .long(FIRST)
        .help("Ends after so many results.")
        .value_name("COUNT")
        .value_parser(RangedU64ValueParser::<usize>::new().range(1..))
}
