//! The command line: its options, a command for each operation, and how it is read.
//!
//! A variable without a value must not turn a request into another one. So an option never takes the next option for its
//! value, and no value is empty, except that of an amendment that an empty text keeps as it is.

use std::ffi::{OsStr, OsString};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command as Clap, Error};
use tradeapi_runtime::tables::Window;

use crate::command::Command;
use crate::help;
use crate::options::{self, COLUMNS, FIRST, FORMAT, first, stated};
use crate::parameter::{Kind, Parameter};
use crate::table::{Family, Program};
use crate::words;

/// Returns the command line of a program, for completions and pages that are made when it is packaged.
pub fn command_line(program: &'static Program) -> Clap {
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
    line.args((command.parameters)().iter().map(|parameter| flag(parameter, command.meta.window, taken)))
}

fn flag(parameter: &Parameter, window: Option<Window>, taken: &[String]) -> Arg {
    let name = if parameter.flag.is_empty() { "items" } else { &parameter.flag };
    let is_taken = taken.iter().any(|other| other == name) || ["help", "version", FIRST].contains(&name);
    let long = if is_taken { format!("{name}-parameter") } else { name.to_owned() };
    let arg = Arg::new(parameter.id()).long(long);
    let arg = if parameter.takes_blank { arg } else { arg.value_parser(stated) };
    let nested = help::members(&parameter.kind);
    let text = help::parameter(parameter, window);
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

/// Reads arguments, the name of the program first.
///
/// # Errors
///
/// Fails if the arguments are wrong, or ask for the help or the version.
pub(crate) fn read(program: &'static Program, given: &[OsString]) -> Result<ArgMatches, Error> {
    let mut line = command_line(program);
    let read = match given.iter().position(|argument| argument.to_str().is_some_and(|text| text.trim().is_empty())) {
        Some(at) => Err(line.error(ErrorKind::InvalidValue, empty(given, at))),
        None => line.try_get_matches_from(with_numbers_joined(given)),
    };
    read.map_err(|mut error| {
        // A word that is spelt like another one may mean another market.
        error.remove(ContextKind::SuggestedValue);
        if let Some(name) = misplaced(&error) {
            let advice = format!("--{name} is an option of each operation: put it after the name of one");
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        }
        error
    })
}

/// Returns the option of operations that an error does not know, because it stands before the name of one.
fn misplaced(error: &Error) -> Option<String> {
    let given = error.get(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument)?.to_string();
    let all = options::of_operations();
    let name = all.iter().filter_map(Arg::get_long).find(|name| given.strip_prefix("--") == Some(name))?;
    Some(name.to_owned())
}

/// Returns the name of the command in arguments that may be wrong: the first that is neither an option nor the value of
/// one.
pub(crate) fn command_name<'a>(program: &'static Program, given: &'a [OsString]) -> Option<&'a str> {
    let options = options::of_all(program);
    let takes_value = |text: &str| {
        let name = text.strip_prefix("--");
        name.is_some() && options.iter().any(|one| one.get_long() == name && one.get_action().takes_values())
    };
    let mut texts = given.iter().skip(1).filter_map(|argument| argument.to_str());
    while let Some(text) = texts.next() {
        if takes_value(text) {
            texts.next();
        } else if !text.starts_with('-') {
            return Some(text);
        }
    }
    None
}

/// Returns what is wrong with the empty argument at this place.
fn empty(given: &[OsString], at: usize) -> String {
    let of = match at.checked_sub(1).and_then(|before| given.get(before)?.to_str()) {
        Some(option) if option.starts_with("--") => format!("the value of {option}"),
        _ => format!("the argument {at}"),
    };
    format!("{of} is empty, as a variable without a value is; state a value, or leave the option out")
}

/// Returns the arguments with each negative number joined to the option before it. The parser takes other texts that
/// begin with a hyphen for options, and of the numbers `-.5` and `-1e-7`, too.
fn with_numbers_joined(given: &[OsString]) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(given.len());
    let mut are_options = true;
    for argument in given {
        are_options &= argument != "--";
        match joined.last_mut().filter(|before| are_options && is_option(before) && is_negative_number(argument)) {
            Some(option) => {
                option.push("=");
                option.push(argument);
            }
            None => joined.push(argument.clone()),
        }
    }
    joined
}

fn is_option(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|text| text.len() > 2 && text.starts_with("--") && !text.contains('='))
}

fn is_negative_number(argument: &OsStr) -> bool {
    let digits = argument.to_str().and_then(|text| text.strip_prefix('-'));
    digits.is_some_and(|text| {
        text.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit())
            && text.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-'))
    })
}

/// Returns whether results are tables: as the arguments say, which may be wrong otherwise, or on a terminal.
pub(crate) fn asks_for_tables(given: &[OsString], is_terminal: bool) -> bool {
    let texts: Vec<&str> = given.iter().filter_map(|argument| argument.to_str()).collect();
    let value = |(at, text): (usize, &&'_ str), name: &str| {
        let rest = text.strip_prefix("--")?.strip_prefix(name)?;
        rest.strip_prefix('=').or_else(|| texts.get(at + 1).copied().filter(|_| rest.is_empty())).map(str::to_owned)
    };
    match texts.iter().enumerate().filter_map(|one| value(one, FORMAT)).next_back().as_deref() {
        Some(options::TABLE) => true,
        Some(options::JSON_LINES) => false,
        _ => is_terminal || texts.iter().enumerate().any(|one| value(one, COLUMNS).is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(texts: &[&str]) -> Vec<OsString> {
        texts.iter().map(OsString::from).collect()
    }

    #[test]
    fn negative_numbers_are_values_and_nothing_else_with_a_hyphen_is() {
        for (arguments, joined) in [
            (&["p", "--qty", "-0.01"][..], &["p", "--qty=-0.01"][..]),
            (&["p", "--qty", "-.5", "-1e-7"], &["p", "--qty=-.5", "-1e-7"]),
            (&["p", "--qty", "-1E+7"], &["p", "--qty=-1E+7"]),
            (&["p", "--qty", "-x", "--qty=1", "-1"], &["p", "--qty", "-x", "--qty=1", "-1"]),
            (&["p", "--", "--qty", "-1"], &["p", "--", "--qty", "-1"]),
            (&["p", "--json", "-", "--", "-1"], &["p", "--json", "-", "--", "-1"]),
        ] {
            assert_eq!(with_numbers_joined(&given(arguments)), given(joined));
        }
    }

    #[test]
    fn the_form_of_results_is_known_of_wrong_arguments() {
        for (arguments, on_terminal, in_pipe) in [
            (&["p", "orders"][..], true, false),
            (&["p", "--format", "json", "x"], false, false),
            (&["p", "--format=json", "--no-such"], false, false),
            (&["p", "x", "--format", "table"], true, true),
            (&["p", "--columns", "a,b", "x"], true, true),
            (&["p", "--format", "yaml"], true, false),
            (&["p", "--format"], true, false),
        ] {
            let asks = |is_terminal| asks_for_tables(&given(arguments), is_terminal);
            assert_eq!((asks(true), asks(false)), (on_terminal, in_pipe), "{arguments:?}");
        }
    }
}
