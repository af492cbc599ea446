//! The command line: its options, and a command for each operation.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, Command as Clap};

use crate::command::Command;
use crate::help;
use crate::options::{self, FIRST, first};
use crate::parameter::{Kind, Parameter};
use crate::table::{Family, Program};
use crate::words;

/// The command line of a program.
pub(crate) fn of(program: &'static Program) -> Clap {
    let options = options::of_all(program);
    let taken: Vec<String> =
        options.iter().chain(&options::of_operations()).filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    let mut line = Clap::new(program.name)
        .version(program.version)
        .about(program.about)
        .after_help(help::exit_statuses())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(options);
    for word in words::commands(program) {
        line = line.subcommand(word);
    }
    program.families.iter().fold(line, |line, of| line.subcommand(family(of, &taken)))
}

fn family(family: &'static Family, taken: &[String]) -> Clap {
    let line = Clap::new(family.name).about(family.title).subcommand_required(true).arg_required_else_help(true);
    family.commands.iter().fold(line, |line, command| line.subcommand(operation(command, taken)))
}

fn operation(command: &'static Command, taken: &[String]) -> Clap {
    let line = Clap::new(command.name)
        .about(command.meta.doc)
        .after_long_help(help::below(command))
        .args(options::of_operations())
        .next_help_heading("Parameters");
    let line = if command.is_listing { line.arg(first().help_heading("Options")) } else { line };
    line.args((command.parameters)().iter().map(|parameter| flag(parameter, taken)))
}

fn flag(parameter: &Parameter, taken: &[String]) -> Arg {
    let name = if parameter.flag.is_empty() { "items" } else { &parameter.flag };
    let is_taken = taken.iter().any(|other| other == name) || ["help", "version", FIRST].contains(&name);
    let long = if is_taken { format!("{name}-parameter") } else { name.to_owned() };
    let arg = Arg::new(parameter.id()).long(long).allow_hyphen_values(true);
    let nested = help::members(&parameter.kind);
    let text = help::parameter(parameter);
    let arg = match nested.is_empty() {
        true => arg.help(text),
        false => arg.help(text.clone()).long_help(format!("{text}\n{nested}")),
    };
    valued(arg, &parameter.kind)
}

fn valued(arg: Arg, kind: &Kind) -> Arg {
    match kind {
        Kind::Text(name) => arg.value_name(name.to_uppercase().replace([' ', '-'], "_")),
        Kind::Truth => arg.value_name("BOOLEAN").value_parser(["true", "false"]),
        Kind::Words(words) => {
            let words = words.iter().map(|(word, doc)| PossibleValue::new(*word).help(doc.clone()));
            arg.value_name("WORD").value_parser(PossibleValuesParser::new(words))
        }
        Kind::List(of) => valued(arg, of).action(ArgAction::Append).value_delimiter(','),
        Kind::Json | Kind::Object(_) | Kind::Objects(_) => arg.value_name("JSON"),
    }
}
