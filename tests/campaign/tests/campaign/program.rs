//! The options of the program, and its output.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use crate::empty_arguments;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tradeapi-campaign"))
}

fn ended(arguments: &[&str]) -> (bool, String, String) {
    let Output { status, stdout, stderr } = program().args(arguments).output().unwrap();
    (status.success(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for (arguments, word) in [
        (&["--faults", "150"][..], "150"),
        (&["--placements", "0"], "--placements"),
        (&["--speed", "7"], "--speed"),
        (&["--beyond", "nothing"], "settling"),
        (&["kills", "3", "--accounts", "2"], "--accounts"),
        (&["fleet", "6000", "--placements", "5"], "--placements"),
        (&["--seed", "7", "sockets"], "sockets"),
        (&["kills"], "<TIMES>"),
    ] {
        let (succeeded, _, error) = ended(arguments);
        assert!(!succeeded && error.contains(word), "{arguments:?}: {error}");
    }
    let (succeeded, help, _) = ended(&["--help"]);
    assert!(succeeded && help.contains("--beyond") && !help.contains("child"), "{help}");
}

/// The case flag-takes-the-next-option.
#[test]
fn no_option_takes_the_next_one_or_an_empty_variable_for_its_value() {
    assert!(empty_arguments::tried(env!("CARGO_BIN_EXE_tradeapi-campaign")) > 15);
}

#[test]
fn a_campaign_whose_output_nobody_reads_ends_as_any_other() {
    let mut command = program();
    command.args(["--placements", "60"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("Settings {"), "{first}");
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success() && errors.is_empty(), "{errors}");
}
