//! A run of a program.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::time::Duration;

use clap::ArgMatches;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::tables::Effect;
use tradeapi_runtime::{ClientCore, Timestamp};

use crate::arguments;
use crate::calls::Called;
use crate::command::Command;
use crate::dry_run::DryRunOf;
use crate::ending::{Ended, Ending};
use crate::options::{COLUMNS, DAYS, DRY_RUN, EVERY, FIRST, FORMAT, OUT, SHELL, TABLE, USUAL_DAYS};
use crate::output::{Format, Printer, say};
use crate::settings::{self, Purpose};
use crate::table::Program;
use crate::words::Word;
use crate::{catalogue, everyday, request, watch};

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
    let ended = match Word::of(program, name) {
        _ if printer.ignores_columns() => {
            Ended::refused(format!("--{COLUMNS} chooses the columns of a table, and --{FORMAT} json has none"))
        }
        Some(word) => run_word(program, word, options, &mut printer).await,
        None => match named.and_then(|(operation, _)| find(program, name, operation)) {
            Some(command) => operation(program, command, options, &mut printer).await,
            None => Ended::refused("there is no such command"),
        },
    };
    printer.end(&ended)
}

/// Runs a command that is not an operation.
async fn run_word(program: &'static Program, word: Word, options: &ArgMatches, to: &mut Printer) -> Ended {
    match word {
        Word::Catalogue => {
            catalogue::lines(program).iter().for_each(|line| to.print(&format!("{line}\n")));
            Ended::DONE
        }
        Word::Completions => {
            if let Some(shell) = options.get_one::<clap_complete::Shell>(SHELL) {
                // Written to a closed pipe by itself, it would panic.
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut arguments::of(program), program.name, &mut script);
                to.print(&String::from_utf8_lossy(&script));
            }
            Ended::DONE
        }
        Word::Man => {
            manual(program, options, to).unwrap_or_else(|error| Ended::failed(Ending::NotDone, error.to_string()))
        }
        #[cfg(feature = "mcp")]
        Word::Mcp => crate::mcp::serve(program, options).await,
        Word::Orders | Word::Watch | Word::Positions => {
            run_with_client(program, word, Purpose::Reads, options, to).await
        }
        _ => run_with_client(program, word, Purpose::Changes, options, to).await,
    }
}

/// Makes the client of a command that calls several operations, and runs it.
async fn run_with_client(
    program: &'static Program,
    word: Word,
    purpose: Purpose,
    options: &ArgMatches,
    to: &mut Printer,
) -> Ended {
    match settings::client(program, options, purpose) {
        Ok(client) => run_everyday(program, word, &client, options, to).await,
        Err(why) => Ended::refused(why),
    }
}

/// Runs a command that calls several operations.
async fn run_everyday(
    program: &'static Program,
    word: Word,
    client: &ClientCore,
    options: &ArgMatches,
    to: &mut Printer,
) -> Ended {
    let policy = settings::policy(options, ConfirmPolicy::DEADLINE);
    match word {
        Word::Orders => everyday::orders(program, client, &policy, to).await,
        Word::Watch => {
            let every = Duration::from_secs(options.get_one::<u64>(EVERY).copied().unwrap_or(2));
            watch::watch(program, client, &policy, every, to).await
        }
        Word::Positions => {
            let days = options.get_one::<u32>(DAYS).copied().unwrap_or(USUAL_DAYS);
            everyday::positions(program, client, days, to).await
        }
        Word::Flatten => tokio::select! {
            ended = everyday::flatten(program, client, &policy, to) => ended,
            () = told_to_end() => Ended::failed(
                Ending::Unknown,
                "interrupted: orders and positions may be left, and an order that closes one may be under way; \
                 start it again to go on",
            ),
        },
        #[cfg(feature = "journal")]
        Word::Recover => everyday::recover(program, client, &policy, to).await,
        #[cfg(feature = "mcp")]
        Word::Mcp => Ended::DONE,
        Word::Catalogue | Word::Completions | Word::Man => Ended::DONE,
    }
}

/// Waits until the process is told to end: by Ctrl-C, by another process, or because its terminal is closed.
async fn told_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let (Ok(mut ended), Ok(mut closed)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = interrupted => {}
                _ = ended.recv() => {}
                _ = closed.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

fn printer(options: &ArgMatches) -> Printer {
    let format = options.get_one::<String>(FORMAT).map(String::as_str);
    let first = options.try_get_one::<usize>(FIRST).ok().flatten().copied();
    let columns: Vec<_> = options.get_many::<String>(COLUMNS).into_iter().flatten().cloned().collect();
    let is_table = format.map_or_else(|| !columns.is_empty() || io::stdout().is_terminal(), |format| format == TABLE);
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
    let client = match settings::client(program, options, Purpose::of(command.meta)) {
        Ok(client) => client,
        Err(why) => return Ended::refused(why),
    };
    let policy = settings::policy(options, ConfirmPolicy::DEADLINE);
    let called = Called { client: &client, json: &json, policy: &policy, to };
    tokio::select! {
        ended = command.call(called) => ended,
        () = told_to_end() => match command.meta.effect {
            Effect::Read => Ended::failed(Ending::NotDone, "interrupted"),
            _ => Ended::failed(Ending::Unknown, "interrupted").with_request(&json),
        },
    }
}

fn dry_run(program: &'static Program, command: &Command, options: &ArgMatches, json: &str, to: &mut Printer) -> Ended {
    let account = match settings::account(program, options) {
        Ok(account) => account,
        Err(why) => return Ended::refused(why),
    };
    let now = Timestamp::from(std::time::SystemTime::now());
    let headers = match settings::headers(program, None, options) {
        Ok(headers) => headers,
        Err(why) => return Ended::refused(why),
    };
    match (command.dry_run)(DryRunOf { api: program.api, json, account: &account, headers: &headers, now }) {
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

fn manual(program: &'static Program, options: &ArgMatches, to: &mut Printer) -> io::Result<Ended> {
    let line = arguments::of(program);
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
