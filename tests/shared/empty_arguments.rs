//! Tries every option of a program without its value, and with an empty one, as a variable without a value leaves them.
//! The help of the program lists its commands and options. Several test targets include this file.

use std::process::{Command, Output};

/// The arguments that follow. The parser checks a value when the next option comes, which is one that every command
/// has; the second option does not exist, so that nothing runs if a value was taken for another one.
const AFTER: [&str; 2] = ["--help", "--no-such-option"];

/// Fails unless the program refuses each option by its name. Returns how many were tried.
pub(crate) fn tried(program: &str) -> usize {
    of_command(program, &[])
}

fn of_command(program: &str, names: &[&str]) -> usize {
    let help = run(program, &[names, &["--help"]].concat());
    assert!(help.status.success(), "{names:?}: {help:?}");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut tried = 0;
    for option in section(&help, "Options:").filter(|line| line.starts_with('-')).filter_map(option_with_value) {
        for empty in [&[option][..], &[option, ""], &[&format!("{option}=")]] {
            refused(program, &[names, empty].concat(), option);
        }
        tried += 1;
    }
    for (at, argument) in section(&help, "Arguments:").filter(|line| line.starts_with(['<', '['])).enumerate() {
        let name = argument.split([']', '>']).next().unwrap_or_default().trim_matches(['<', '[']);
        refused(program, &[names, &vec!["x"; at], &[""]].concat(), name);
        tried += 1;
    }
    let commands = section(&help, "Commands:").filter_map(|line| line.split_whitespace().next());
    for command in commands.filter(|command| *command != "help" && !command.starts_with(['[', '('])) {
        tried += of_command(program, &[names, &[command]].concat());
    }
    tried
}

/// Fails unless the arguments are refused because of what is named, and not because of what follows them.
fn refused(program: &str, arguments: &[&str], named: &str) {
    let output = run(program, &[arguments, &AFTER].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = error.lines().next().unwrap_or_default();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(first.contains(named), "{arguments:?}: {error}");
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// Returns the lines below a heading of the help that begin a command, an option or an argument.
fn section<'a>(help: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = help.lines().skip_while(move |line| *line != heading).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    lines.filter(|line| line.starts_with("  ") && !line.starts_with("          ")).map(str::trim)
}

/// Returns the name of an option that takes a value.
fn option_with_value(line: &str) -> Option<&str> {
    let (name, rest) = line.split_at(line.find("--")?).1.split_once(' ')?;
    rest.starts_with('<').then_some(name)
}
