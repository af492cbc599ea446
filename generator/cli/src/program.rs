//! A run of a program.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::ArgMatches;
use tradeapi_runtime::Timestamp;
use tradeapi_runtime::tables::Effect;

use crate::arguments::{self, COLUMNS, DRY_RUN, FIRST, FORMAT, TABLE};
use crate::command::{Called, Command};
use crate::dry_run::DryRunOf;
use crate::ending::{Ended, Ending};
use crate::output::{Format, Printer, say};
use crate::request;
use crate::table::Program;
use crate::{everyday, settings};

/// Runs a program with the arguments of the process; its exit status is that of [`Ending`](crate::Ending).
pub fn main(program: &'static Program) -> ExitCode {
    let arguments = arguments::of(program).get_matches();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("error: {error}"));
            return Ending::Refused.into();
        }
    };
    runtime.block_on(run(program, &arguments)).into()
}

async fn run(program: &'static Program, arguments: &ArgMatches) -> Ending {
    let Some((name, within)) = arguments.subcommand() else { return Ending::Refused };
    let named = within.subcommand();
    let options = named.map_or(within, |(_, options)| options);
    let mut printer = printer(options);
    let ended = match everyday::run(program, name, options, &mut printer).await {
        Some(ended) => ended,
        None => match named.and_then(|(operation, _)| find(program, name, operation)) {
            Some(command) => operation(program, command, options, &mut printer).await,
            None => Ended::refused("there is no such command"),
        },
    };
    printer.end(&ended)
}

fn printer(options: &ArgMatches) -> Printer {
    let format = options.get_one::<String>(FORMAT).map(String::as_str);
    let is_table = format.map_or_else(|| io::stdout().is_terminal(), |format| format == TABLE);
    let first = options.try_get_one::<usize>(FIRST).ok().flatten().copied();
    let columns = options.get_many::<String>(COLUMNS).into_iter().flatten().cloned().collect();
    Printer::new(if is_table { Format::Table } else { Format::Json }, first, columns)
}

fn find(program: &'static Program, family: &str, operation: &str) -> Option<&'static Command> {
    let family = program.families.iter().find(|one| one.name == family)?;
    family.commands.iter().find(|command| command.name == operation)
}

/// Calls an operation, or shows what would be sent.
async fn operation(
    program: &'static Program,
    command: &'static Command,
    options: &ArgMatches,
    to: &mut Printer,
) -> Ended {
    let json = match request::assembled(command, options) {
        Ok(json) => json,
        Err(why) => return Ended::refused(why),
    };
    if options.get_flag(DRY_RUN) {
        return dry_run(program, command, options, &json, to);
    }
    let client = match settings::client(program, options, Some(command.meta)) {
        Ok(client) => client,
        Err(why) => return Ended::refused(why),
    };
    let policy = settings::policy(options);
    let called = Called { client: &client, json: &json, policy: &policy, to };
    tokio::select! {
        ended = (command.call)(called) => ended,
        _ = tokio::signal::ctrl_c() => match command.meta.effect {
            Effect::Read => Ended::failed(Ending::NotDone, "interrupted"),
            _ => Ended::failed(Ending::Unknown, format!("interrupted; the request was {json}")),
        },
    }
}

fn dry_run(program: &Program, command: &Command, options: &ArgMatches, json: &str, to: &mut Printer) -> Ended {
    let account = match settings::account(program, options) {
        Ok(account) => account,
        Err(why) => return Ended::refused(why),
    };
    let now = Timestamp::from(std::time::SystemTime::now());
    match (command.dry_run)(DryRunOf { api: program.api, json, account: &account, now }) {
        Ok(shown) => {
            match to.format() {
                Format::Json => to.print(&(shown.json() + "\n")),
                Format::Table => to.print(&shown.text()),
            }
            Ended::reported(shown.ending())
        }
        Err(violations) => violations.into(),
    }
}
