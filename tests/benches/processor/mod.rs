//! Processor time of programs and their child processes.

use std::error::Error;
use std::process::{Command, Output};

/// The result of a bench.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs a program, and returns the processor seconds of it and its children.
pub(crate) fn seconds(arguments: &[&str], prepare: impl Fn(&mut Command) -> &mut Command) -> Result<f64> {
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\" && times", "sh"]).args(arguments);
    let output = run(prepare(&mut command))?;
    // The first line is for the shell itself, the second for what it has run.
    let text = String::from_utf8(output.stdout)?;
    let times = text.lines().rev().find(|line| !line.is_empty()).ok_or("the shell has printed no times")?;
    times.split_whitespace().map(parse).sum()
}

/// Runs a program that has to succeed.
pub(crate) fn run(command: &mut Command) -> Result<Output> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(output)
}

/// Reads a time such as `1m2.5s`.
fn parse(text: &str) -> Result<f64> {
    let (minutes, seconds) =
        text.trim_end_matches('s').split_once('m').ok_or("the shell prints times in an unknown form")?;
    Ok(minutes.parse::<f64>()? * 60.0 + seconds.parse::<f64>()?)
}
