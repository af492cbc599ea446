//! A run of a program.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::ArgMatches;
use clap::error::ErrorKind;
use tradeapi_runtime::Timestamp;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::Effect;

use crate::arguments::{self, command_line};
use crate::calls::Called;
use crate::command::Command;
use crate::dry_run::DryRunOf;
use crate::ending::{Ended, Ending};
use crate::options::{COLUMNS, DAYS, DRY_RUN, EVERY, FIRST, FORMAT, OUT, SHELL, TABLE};
use crate::output::{Format, Printer, Report as _, say};
use crate::parameter::Required;
use crate::profile::Profile;
use crate::rows::Layout;
use crate::settings::{self, Purpose};
use crate::signals::told_to_end;
use crate::table::{Family, Program};
use crate::words::Word;
use crate::{catalogue, everyday, prices, request, watch};

/// The width of a terminal that does not tell.
const WIDTH: usize = 120;

/// Runs a program with the arguments of the process; its exit status is that of [`Ending`](crate::Ending).
pub fn main(program: &'static Program) -> ExitCode {
    let given: Vec<OsString> = std::env::args_os().collect();
    let arguments = match arguments::read(program, &given) {
        Ok(arguments) => arguments,
        Err(error) => return misread(program, &given, &error).into(),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ending::Refused.into();
        }
    };
    let ending = runtime.block_on(run(program, &arguments));
    // A server that was told to end still has a read of its input under way.
    runtime.shutdown_background();
    ending.into()
}

/// Prints the help or the version, or what is wrong with the arguments, in the form of all results.
fn misread(program: &'static Program, given: &[OsString], error: &clap::Error) -> Ending {
    let word = arguments::command_name(program, given).and_then(|name| Word::of(program, name));
    let is_table = word.is_some_and(Word::owns_output) || arguments::asks_for_tables(given, io::stdout().is_terminal());
    if !error.use_stderr() || is_table {
        return match error.print() {
            Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!("error: the output cannot be written: {failed}"));
                Ending::NotDone
            }
            _ if error.use_stderr() => Ending::Refused,
            _ => Ending::Done,
        };
    }
    let text = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a command is missing; --help lists them".to_owned(),
        _ => error.render().to_string(),
    };
    let why = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    Printer::new(Format::Json, None, Layout::default(), false).end(&Ended::refused(why))
}

async fn run(program: &'static Program, arguments: &ArgMatches) -> Ending {
    let Some((name, within)) = arguments.subcommand() else { return Ending::Refused };
    let named = within.subcommand();
    let options = named.map_or(within, |(_, options)| options);
    let word = Word::of(program, name);
    let command = named.and_then(|(operation, _)| find(program, name, operation));
    let mut printer = printer(program, word, command, options);
    let ended = match (word, command) {
        _ if printer.ignores_columns() => {
            Err(format!("--{COLUMNS} chooses the columns of a table, and --{FORMAT} json has none"))
        }
        (Some(word), _) => run_word(program, word, options, &mut printer).await,
        (None, Some(command)) => operation(program, command, options, &mut printer).await,
        (None, None) => Err("there is no such command".to_owned()),
    };
    printer.end(&ended.unwrap_or_else(Ended::refused))
}

/// Runs a command that is not an operation.
///
/// # Errors
///
/// Fails before anything is sent, if there is no client for it.
async fn run_word(
    program: &'static Program,
    word: Word,
    options: &ArgMatches,
    to: &mut Printer,
) -> Result<Ended, String> {
    let client = |purpose| settings::client(program, options, purpose);
    let policy = settings::policy(options, ConfirmPolicy::DEADLINE);
    Ok(match word {
        Word::Catalogue => {
            catalogue::lines(program).iter().for_each(|line| to.print(&format!("{line}\n")));
            Ended::DONE
        }
        Word::Completions => {
            if let Some(shell) = options.get_one::<clap_complete::Shell>(SHELL) {
                // Written to a closed pipe by itself, it would panic.
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut command_line(program), program.name, &mut script);
                to.print(&String::from_utf8_lossy(&script));
            }
            Ended::DONE
        }
        Word::Man => {
            manual(program, options, to).unwrap_or_else(|error| Ended::failed(Ending::NotDone, error.to_string()))
        }
        #[cfg(feature = "mcp")]
        Word::Mcp => {
            // Standard output is for messages of the protocol alone.
            *to = Printer::new(Format::Table, None, Layout::default(), false);
            crate::mcp::serve(program, options).await
        }
        Word::Orders => everyday::orders(program, &client(Purpose::Reads)?, &policy, to).await,
        Word::Watch => {
            let every = Duration::from_secs(options.get_one::<u64>(EVERY).copied().unwrap_or(2));
            watch::watch(program, &client(Purpose::Reads)?, &policy, every, to).await
        }
        Word::Positions => {
            let days = options.get_one::<u32>(DAYS).copied();
            everyday::positions(program, &client(Purpose::Reads)?, &policy, days, to).await
        }
        #[cfg(feature = "journal")]
        Word::Recover => everyday::recover(program, &client(Purpose::Recovers)?, &policy, to).await,
        Word::Flatten => {
            let client = client(Purpose::Changes)?;
            tokio::select! {
                ended = everyday::flatten(program, &client, &policy, to) => ended,
                () = told_to_end() => Ended::failed(
                    Ending::Unknown,
                    "interrupted: orders and positions may be left, and an order that closes one may be under way; \
                     start it again to go on",
                ),
            }
        }
    })
}

fn printer(
    program: &'static Program,
    word: Option<Word>,
    command: Option<&'static Command>,
    options: &ArgMatches,
) -> Printer {
    let format = options.get_one::<String>(FORMAT).map(String::as_str);
    let first = options.try_get_one::<usize>(FIRST).ok().flatten().copied();
    let columns: Vec<_> = options.get_many::<String>(COLUMNS).into_iter().flatten().cloned().collect();
    let is_terminal = io::stdout().is_terminal();
    let is_table = format.map_or_else(|| !columns.is_empty() || is_terminal, |format| format == TABLE);
    let is_sent = !options.try_get_one::<bool>(DRY_RUN).ok().flatten().copied().unwrap_or_default();
    let is_change = match command {
        Some(command) => is_sent && command.meta.effect != Effect::Read,
        None => word.is_some_and(Word::changes),
    };
    let always: &[&str] = match word {
        Some(Word::Watch) => &["change"],
        _ if is_change => &["outcome", "error"],
        _ => &[],
    };
    let layout = Layout {
        is_list: command.is_none_or(|command| command.is_listing || command.has_items),
        columns,
        always,
        // The fields of positions are in an order of their own.
        leading: if word == Some(Word::Positions) { Vec::new() } else { leading(program, command) },
        width: is_terminal.then(|| std::env::var("COLUMNS").ok()?.parse().ok()).map(|width| width.unwrap_or(WIDTH)),
    };
    Printer::new(if is_table { Format::Table } else { Format::Json }, first, layout, is_change)
}

/// Returns the columns that a person looks for first: what an order cannot be placed without, in the order of its
/// parameters, for each way to place one.
fn leading(program: &'static Program, command: Option<&'static Command>) -> Vec<Vec<String>> {
    let is_of_family =
        |family: &&Family| command.is_none_or(|one| family.commands.iter().any(|other| std::ptr::eq(one, other)));
    let commands = program.families.iter().filter(is_of_family).flat_map(|family| family.commands);
    let created = commands.filter(|command| command.meta.effect == Effect::Create);
    let names = |command: &Command| {
        let needed = (command.parameters)().into_iter().filter(|parameter| parameter.required != Required::No);
        needed.map(|parameter| parameter.name.to_owned()).collect()
    };
    created.map(names).collect()
}

fn find(program: &'static Program, family: &str, operation: &str) -> Option<&'static Command> {
    let family = program.families.iter().find(|one| one.name == family)?;
    family.commands.iter().find(|command| command.name == operation)
}

/// Calls an operation, or shows what would be sent.
///
/// # Errors
///
/// Fails before anything is sent, if there is no request or no client for it.
async fn operation(
    program: &'static Program,
    command: &'static Command,
    options: &ArgMatches,
    to: &mut Printer,
) -> Result<Ended, String> {
    let json = request::assembled(command, options)?;
    request::oddities(command, &json).iter().for_each(|oddity| to.note(oddity));
    if options.get_flag(DRY_RUN) {
        return dry_run(program, command, options, &json, to);
    }
    let client = settings::client(program, options, Purpose::of(command.meta))?;
    let policy = settings::policy(options, ConfirmPolicy::DEADLINE);
    prices::read(program, &client, (command.meta, &json), &policy).await;
    let called = Called {
        client: &client,
        json: &json,
        policy: &policy,
        to,
        stop: Arc::new(|| Box::pin(told_to_end())),
        goes_on: false,
    };
    Ok(command.call(called).await)
}

/// Shows a request. There is no client, so nothing can be sent.
fn dry_run(
    program: &'static Program,
    command: &Command,
    options: &ArgMatches,
    json: &str,
    to: &mut Printer,
) -> Result<Ended, String> {
    let profile = Profile::of(program, options)?;
    let (account, headers) = (settings::account(program, options)?, settings::headers(program, &profile, options)?);
    let address = settings::address(program, &profile, options)?;
    let now = Timestamp::from(std::time::SystemTime::now());
    let given =
        DryRunOf { api: program.api, json, account: &account, address: address.as_ref(), headers: &headers, now };
    Ok(match (command.dry_run)(given) {
        Ok(shown) => {
            match to.format() {
                Format::Json => to.print(&(shown.json() + "\n")),
                Format::Table => to.print(&shown.text()),
            }
            Ended::reported(shown.ending())
        }
        Err(violations) => violations.into(),
    })
}

fn manual(program: &'static Program, options: &ArgMatches, to: &mut Printer) -> io::Result<Ended> {
    let line = command_line(program);
    match options.get_one::<String>(OUT) {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(line, folder)?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(line).render(&mut page)?;
            to.print(&String::from_utf8_lossy(&page));
        }
    }
    Ok(Ended::DONE)
}
