//! Output streams and the format of mistakes; completions for shells and manual pages.

use std::cell::OnceCell;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use tradeapi_gen::{Diagnostics, Difference, Format};

/// The form in which mistakes are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Each mistake underlined in its file.
    #[default]
    Human,
    /// One line for each mistake.
    Short,
    /// One object per line, on standard output.
    Json,
}

/// Standard output and standard error.
pub(crate) struct Output {
    format: OutputFormat,
    /// The reason why nothing can be written any more.
    failed: OnceCell<io::Error>,
}

impl Output {
    pub(crate) fn new(format: OutputFormat) -> Self {
        Self { format, failed: OnceCell::new() }
    }

    /// Returns whether a program reads the output.
    pub(crate) fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Prints mistakes, and returns the exit code of a failure.
    pub(crate) fn mistakes(&self, all: &Diagnostics) -> ExitCode {
        match self.format {
            OutputFormat::Human => eprintln!("{}", all.render(Format::Human { colour: colours() })),
            OutputFormat::Short => eprintln!("{}", all.render(Format::Short)),
            OutputFormat::Json => self.print(all.render(Format::Json)),
        }
        ExitCode::FAILURE
    }

    /// Prints the requested output.
    pub(crate) fn print(&self, text: impl Display) {
        if self.failed.get().is_none()
            && let Err(error) = writeln!(io::stdout(), "{text}").and_then(|()| io::stdout().flush())
        {
            let _ = self.failed.set(error);
        }
    }

    /// Returns the exit code if the output is taken into account. A reader that closes the pipe early, such as `head`,
    /// is not a failure.
    pub(crate) fn end(&self, code: ExitCode) -> ExitCode {
        match self.failed.get() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let _ = writeln!(io::stderr(), "error: the output cannot be written: {error}");
                ExitCode::FAILURE
            }
            Some(_) | None => code,
        }
    }

    /// Reports success, unless a program reads the output.
    pub(crate) fn done(&self, text: impl Display) {
        if !self.is_json() {
            self.print(text);
        }
    }

    /// Prints facts, one per line: their columns separated by tabs, or as an object.
    pub(crate) fn facts(&self, facts: &[String]) {
        let as_object = |fact: &String| {
            let mut columns = fact.split('\t');
            let kind = columns.next().unwrap_or_default();
            serde_json::json!({ "kind": kind, "columns": columns.collect::<Vec<_>>() }).to_string()
        };
        let lines: Vec<String> = if self.is_json() { facts.iter().map(as_object).collect() } else { facts.to_vec() };
        self.print(lines.join("\n"));
    }

    /// Prints how the files differ from what `command` would write; fails if any does.
    pub(crate) fn differences(&self, differences: &[Difference], command: &str) -> ExitCode {
        if differences.is_empty() {
            self.done(format_args!("the files are up to date: `{command}` would not change them"));
            return ExitCode::SUCCESS;
        }
        let help = format!("run `cargo run -- {command}` and commit the result");
        if self.is_json() {
            differences.iter().for_each(|difference| self.print(as_json(difference, &help)));
            return ExitCode::FAILURE;
        }
        for difference in differences {
            eprintln!("{}: {}", difference.change, difference.path.display());
            if !difference.diff.is_empty() {
                eprintln!("{}", difference.diff);
            }
        }
        eprintln!("{} file(s) differ; {help}", differences.len());
        ExitCode::FAILURE
    }
}

/// Prints the help or the version, or what is wrong with the arguments: as a diagnostic, if they ask for such.
pub(crate) fn misread(error: &clap::Error) -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let is_json = arguments.iter().any(|argument| argument == "--format=json")
        || arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    if !error.use_stderr() || !is_json {
        let output = Output::new(OutputFormat::Human);
        if let Err(failed) = error.print() {
            let _ = output.failed.set(failed);
        }
        return output.end(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(MISREAD)));
    }
    let text = error.render().to_string();
    let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let output = Output::new(OutputFormat::Json);
    output.print(serde_json::json!({ "severity": "error", "message": message }));
    output.end(ExitCode::from(MISREAD))
}

/// The exit code of wrong arguments.
const MISREAD: u8 = 2;

/// Returns a difference as a diagnostic, for a program that reads JSON.
fn as_json(difference: &Difference, help: &str) -> serde_json::Value {
    serde_json::json!({
        "file": difference.path,
        "severity": "error",
        "change": difference.change.to_string(),
        "message": "the file differs from what the schema generates",
        "help": help,
    })
}

/// Returns whether standard error shows colours: only a terminal does, and the environment can turn them off.
fn colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_forced = is_set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let is_dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    !is_set("NO_COLOR") && (is_forced || (std::io::stderr().is_terminal() && !is_dumb))
}

/// Returns the completions for a shell.
pub(crate) fn completions(mut command: Command, shell: Shell) -> String {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page in roff of the command with these names, such as `export site`; without names, the page that
/// lists all commands. Ends the program with a message about wrong usage if there is no such command.
pub(crate) fn manual(mut command: Command, names: &[String]) -> String {
    command.build();
    let mut chosen = &command;
    for name in names {
        let Some(found) = chosen.find_subcommand(name) else { unknown_command(chosen.clone(), name) };
        chosen = found;
    }
    let mut page = Vec::new();
    // Writing to a `Vec` cannot fail.
    let _ = clap_mangen::Man::new(chosen.clone()).render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

fn unknown_command(mut within: Command, name: &str) -> ! {
    let known: Vec<_> = within.get_subcommands().map(|command| format!("`{}`", command.get_name())).collect();
    let expected = match known.len() {
        0 => "it has no commands".to_owned(),
        _ => format!("its commands are {}", known.join(", ")),
    };
    let message =
        format!("`{}` has no command `{name}`; {expected}", within.get_bin_name().unwrap_or(within.get_name()));
    within.error(ErrorKind::InvalidSubcommand, message).exit()
}
