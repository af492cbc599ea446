//! The command line: its options, and a command for each operation.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command as Clap, ValueHint, value_parser};

use crate::command::Command;
use crate::everyday;
use crate::help;
use crate::table::{Family, Kind, Parameter, Program};

/// The options, by their names.
pub(crate) const FORMAT: &str = "format";
pub(crate) const COLUMNS: &str = "columns";
pub(crate) const LOCAL: &str = "local";
pub(crate) const PROFILE: &str = "profile";
pub(crate) const ACCOUNT: &str = "account";
pub(crate) const DEADLINE: &str = "deadline";
pub(crate) const LAG: &str = "lag";
#[cfg(feature = "journal")]
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const JSON: &str = "json";
pub(crate) const DRY_RUN: &str = "dry-run";
pub(crate) const FIRST: &str = "first";
#[cfg(feature = "mcp")]
pub(crate) const ALLOW_TRADING: &str = "allow-trading";

/// The values of [`FORMAT`].
pub(crate) const TABLE: &str = "table";

/// The command line of a program.
pub(crate) fn of(program: &'static Program) -> Clap {
    let options = options(program);
    let taken: Vec<String> =
        options.iter().chain(&own_options()).filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    let mut line = Clap::new(program.name)
        .version(program.version)
        .about(program.about)
        .after_help(help::exit_statuses())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(options);
    for word in everyday::commands(program) {
        line = line.subcommand(word);
    }
    program.families.iter().fold(line, |line, of| line.subcommand(family(of, &taken)))
}

/// The options of all commands.
fn options(program: &Program) -> Vec<Arg> {
    let prefix = program.prefix();
    let option = |name: &'static str, help: String| Arg::new(name).long(name).help(help).global(true);
    vec![
        option(FORMAT, "The form of results: tables for people, lines of JSON for programs. [default: table on a terminal]".to_owned())
            .value_parser([TABLE, "json"]),
        option(COLUMNS, "The columns of a table, separated by commas.".to_owned())
            .value_name("NAMES")
            .value_delimiter(','),
        option(LOCAL, "Talks to the local exchange that runs on this machine.".to_owned())
            .action(ArgAction::SetTrue),
        option(
            PROFILE,
            format!("The address and keys in the file NAME.env, or in a file at this path, which only its owner can read. Without it, they are those of {prefix}_URL, {prefix}_KEY, {prefix}_SECRET and {prefix}_PASSPHRASE."),
        )
        .value_name("NAME")
        .conflicts_with(LOCAL),
        option(ACCOUNT, "A JSON file with properties of the account and its instruments, which some rules depend on.".to_owned())
            .value_name("FILE")
            .value_hint(ValueHint::FilePath),
        option(DEADLINE, "How long an unknown outcome is queried. [default: 240]".to_owned())
            .value_name("SECONDS")
            .value_parser(value_parser!(u64)),
        option(LAG, "How far a machine of the exchange may be behind, so that an absence there proves nothing. [default: 60]".to_owned())
            .value_name("SECONDS")
            .value_parser(value_parser!(u64)),
        #[cfg(feature = "journal")]
        option(JOURNAL, "Stores each change in this folder before it is sent, and its outcome after.".to_owned())
            .value_name("FOLDER")
            .value_hint(ValueHint::DirPath),
    ]
}

/// The options of each operation, besides its parameters.
fn own_options() -> Vec<Arg> {
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    vec![
        option(JSON, "Parameters as JSON from a file, or from standard input with `-`. Flags win over them.")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath),
        option(DRY_RUN, "Shows the request and what its checks find, without keys, and sends nothing.")
            .action(ArgAction::SetTrue),
    ]
}

/// The option of a listing.
pub(crate) fn first() -> Arg {
    Arg::new(FIRST)
        .long(FIRST)
        .help("Ends after so many results.")
        .value_name("COUNT")
        .value_parser(value_parser!(usize))
}

fn family(family: &'static Family, taken: &[String]) -> Clap {
    let line = Clap::new(family.name).about(family.title).subcommand_required(true).arg_required_else_help(true);
    family.commands.iter().fold(line, |line, command| line.subcommand(operation(command, taken)))
}

fn operation(command: &'static Command, taken: &[String]) -> Clap {
    let line = Clap::new(command.name)
        .about(command.meta.doc)
        .after_long_help(help::below(command))
        .args(own_options())
        .next_help_heading("Parameters");
    let line = if command.has_pages { line.arg(first().help_heading("Options")) } else { line };
    line.args(command.parameters.iter().map(|parameter| flag(parameter, taken)))
}

/// The name by which the value of a flag is found; an option may have the same as a parameter.
pub(crate) fn id_of(parameter: &Parameter) -> String {
    format!("parameter {}", parameter.name)
}

fn flag(parameter: &'static Parameter, taken: &[String]) -> Arg {
    let name = if parameter.flag.is_empty() { "items" } else { parameter.flag };
    let is_taken = taken.iter().any(|other| other == name) || ["help", "version", FIRST].contains(&name);
    let long = if is_taken { format!("{name}-parameter") } else { name.to_owned() };
    let arg = Arg::new(id_of(parameter)).long(long).allow_hyphen_values(true);
    let nested = help::members(&parameter.kind);
    let text = help::parameter(parameter);
    let arg = match nested.is_empty() {
        true => arg.help(text),
        false => arg.help(text.clone()).long_help(format!("{text}\n{nested}")),
    };
    valued(arg, &parameter.kind)
}

fn valued(arg: Arg, kind: &'static Kind) -> Arg {
    match kind {
        Kind::Text(name) => arg.value_name(name.to_uppercase().replace([' ', '-'], "_")),
        Kind::Truth => arg.value_name("BOOLEAN").value_parser(["true", "false"]),
        Kind::Words(words) => {
            let words = words.iter().map(|(word, doc)| PossibleValue::new(*word).help(*doc));
            arg.value_name("WORD").value_parser(PossibleValuesParser::new(words))
        }
        Kind::List(of) => valued(arg, of).action(ArgAction::Append).value_delimiter(','),
        Kind::Json | Kind::Object(_) | Kind::Objects(_) => arg.value_name("JSON"),
    }
}
