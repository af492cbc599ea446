//! Commands for every day, made of several operations: open orders, positions, and the end of both.

mod watch;

use std::io;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command as Clap, value_parser};
use tradeapi_runtime::ClientCore;
use tradeapi_runtime::confirm::ConfirmPolicy;
use tradeapi_runtime::json::JsonWriter;
use tradeapi_runtime::ledger::{Ledger, Position, PositionKey, PositionSide};
use tradeapi_runtime::reconcile::Listing;

use crate::arguments::{self, first};
use crate::catalogue;
use crate::command::Called;
use crate::ending::{Ended, Ending};
use crate::output::{Printer, Report};
use crate::settings;
use crate::table::Program;

const ORDERS: &str = "orders";
const POSITIONS: &str = "positions";
const FLATTEN: &str = "flatten";
const WATCH: &str = "watch";
#[cfg(feature = "journal")]
const RECOVER: &str = "recover";
#[cfg(feature = "mcp")]
const MCP: &str = "mcp";
const CATALOGUE: &str = "catalogue";
const COMPLETIONS: &str = "completions";
const MAN: &str = "man";

/// All words.
const WORDS: &[&str] = &[
    ORDERS,
    POSITIONS,
    FLATTEN,
    WATCH,
    #[cfg(feature = "journal")]
    RECOVER,
    #[cfg(feature = "mcp")]
    MCP,
    CATALOGUE,
    COMPLETIONS,
    MAN,
];

/// The days of fills that positions follow from.
const DAYS: &str = "days";
/// Their usual number.
pub(crate) const USUAL_DAYS: u32 = 30;
/// How often orders are read.
const EVERY: &str = "every";
/// The name of a shell.
const SHELL: &str = "shell";
/// A folder for files.
const OUT: &str = "out";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The commands that the tables of a program support.
pub(crate) fn commands(program: &'static Program) -> Vec<Clap> {
    let mut all = Vec::new();
    if open_orders(program).next().is_some() {
        let every = Arg::new(EVERY)
            .long(EVERY)
            .help("How often they are read.")
            .value_name("SECONDS")
            .default_value("2")
            .value_parser(value_parser!(u64).range(1..));
        all.push(Clap::new(ORDERS).about("Lists the open orders of all families.").arg(first()));
        all.push(
            Clap::new(WATCH)
                .about("Lists the open orders, and then each that is new, changed or gone.")
                .arg(every)
                .arg(first()),
        );
    }
    if program.listings.iter().any(Listing::shows_trades) {
        let days = Arg::new(DAYS)
            .long(DAYS)
            .help(format!(
                "The days of fills that positions follow from; older ones are not known. [default: {USUAL_DAYS}]"
            ))
            .value_name("COUNT")
            .value_parser(value_parser!(u32).range(1..=3650));
        all.push(Clap::new(POSITIONS).about("Lists the positions that follow from recent fills.").arg(days));
    }
    if !program.flats.is_empty() {
        all.push(Clap::new(FLATTEN).about(
            "Cancels all orders and closes all positions, until reading shows that none is left. Asks nothing.",
        ));
    }
    #[cfg(feature = "journal")]
    if !program.recoveries.is_empty() {
        all.push(Clap::new(RECOVER).about("Queries the outcomes of the changes that a journal has open."));
    }
    #[cfg(feature = "mcp")]
    all.push(
        Clap::new(MCP)
            .about("Serves the operations to assistants by the Model Context Protocol, over standard input and output. Changes are only checked and shown.")
            .arg(
                Arg::new(arguments::ALLOW_TRADING)
                    .long(arguments::ALLOW_TRADING)
                    .help("Sends changes, too.")
                    .action(clap::ArgAction::SetTrue),
            ),
    );
    all.push(Clap::new(CATALOGUE).about("Prints all operations as JSON lines: parameters, effect, limits, rules."));
    let shell = Arg::new(SHELL).required(true).value_parser(value_parser!(clap_complete::Shell));
    all.push(Clap::new(COMPLETIONS).about("Prints completions for a shell.").arg(shell));
    let out = Arg::new(OUT).long(OUT).help("Writes a page for each command into this folder.").value_name("FOLDER");
    all.push(Clap::new(MAN).about("Prints the manual page.").arg(out));
    all.into_iter()
        .map(|command| {
            let name = name(program, command.get_name());
            command.name(name)
        })
        .collect()
}

/// The name of a command: the word, or the word after the name of the program if a family has it.
fn name(program: &Program, word: &str) -> String {
    let is_taken = program.families.iter().any(|family| family.name == word);
    if is_taken { format!("{}-{word}", program.name) } else { word.to_owned() }
}

/// The word that a command stands for.
fn word_of(program: &Program, command: &str) -> Option<&'static str> {
    WORDS.iter().copied().find(|word| name(program, word) == command)
}

/// Runs an everyday command; `None` if it is none.
pub(crate) async fn run(
    program: &'static Program,
    command: &str,
    options: &ArgMatches,
    to: &mut Printer,
) -> Option<Ended> {
    let word = word_of(program, command)?;
    match word {
        CATALOGUE => {
            catalogue::lines(program).iter().for_each(|line| to.print(&format!("{line}\n")));
            return Some(Ended::DONE);
        }
        COMPLETIONS => {
            let shell = options.get_one::<clap_complete::Shell>(SHELL)?;
            clap_complete::generate(*shell, &mut arguments::of(program), program.name, &mut io::stdout());
            return Some(Ended::DONE);
        }
        #[cfg(feature = "mcp")]
        MCP => return Some(crate::mcp::serve(program, options).await),
        MAN => {
            return Some(
                manual(program, options).unwrap_or_else(|error| Ended::failed(Ending::NotDone, error.to_string())),
            );
        }
        _ => {}
    }
    let client = match settings::client(program, options, None) {
        Ok(client) => client,
        Err(why) => return Some(Ended::refused(why)),
    };
    let policy = settings::policy(options);
    Some(match word {
        ORDERS => orders(program, &client, &policy, to).await,
        WATCH => {
            let every = options.get_one::<u64>(EVERY).copied().unwrap_or(2);
            watch::watch(program, &client, &policy, Duration::from_secs(every), to).await
        }
        POSITIONS => positions(program, &client, options.get_one::<u32>(DAYS).copied().unwrap_or(USUAL_DAYS), to).await,
        FLATTEN => flatten(program, &client, &policy, to).await,
        #[cfg(feature = "journal")]
        RECOVER => recover(program, &client, &policy, to).await,
        _ => return None,
    })
}

fn open_orders(program: &'static Program) -> impl Iterator<Item = &'static Listing> {
    program.listings.iter().filter(|listing| listing.shows_open_orders())
}

/// Lists the open orders of all families.
pub(crate) async fn orders(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    for listing in open_orders(program) {
        let Some(command) = program.commands().find(|command| command.meta.id == listing.operation()) else { continue };
        for json in listing.requests() {
            let called = Called { client, json: &json, policy, to: &mut *to };
            let ended = (command.call)(called).await;
            if ended.ending != Ending::Done {
                return ended;
            }
        }
    }
    Ended::DONE
}

/// Lists the positions that follow from fills.
pub(crate) async fn positions(program: &'static Program, client: &ClientCore, days: u32, to: &mut dyn Report) -> Ended {
    let mut ledger = Ledger::new();
    let since = client.now() - DAY * days;
    let mut families: Vec<&str> = Vec::new();
    for listing in program.listings.iter().filter(|listing| listing.shows_trades()) {
        if !families.contains(&listing.family()) {
            families.push(listing.family());
        }
    }
    for family in families {
        if let Err(error) = client.update_ledger(program.listings, &mut ledger, family, since).await {
            return Ended::failed(Ending::NotDone, error.to_string());
        }
    }
    for (key, position) in ledger.positions() {
        if position.size().is_none_or(|size| !size.is_zero()) && !to.item(&position_json(key, position), None) {
            break;
        }
    }
    Ended::DONE
}

fn position_json(key: &PositionKey, position: &Position) -> String {
    let side = match key.side {
        PositionSide::Net => "net",
        PositionSide::Long => "long",
        PositionSide::Short => "short",
        PositionSide::Unknown => "unknown",
    };
    let mut out = JsonWriter::new();
    out.begin_object();
    for (name, text) in
        [("family", key.family.as_str()), ("line", &key.line), ("instrument", &key.instrument), ("side", side)]
    {
        out.member(name).string(text);
    }
    for (name, number) in
        [("size", position.size()), ("averagePrice", position.average_price()), ("realised", position.realised())]
    {
        if let Some(number) = number {
            out.member(name).string(&number.normalize().to_string());
        }
    }
    out.end_object();
    out.finish()
}

/// Cancels and closes everything.
pub(crate) async fn flatten(
    program: &'static Program,
    client: &ClientCore,
    policy: &ConfirmPolicy,
    to: &mut dyn Report,
) -> Ended {
    match client.flatten(program.flats, program.listings, policy).await {
        Ok(flat) => {
            let mut out = JsonWriter::new();
            out.begin_object();
            out.member("outcome").string(Ending::Done.as_str());
            out.member("rounds").string(&flat.rounds.to_string());
            out.end_object();
            to.item(&out.finish(), None);
            to.note(&flat.to_string());
            Ended::DONE
        }
        Err(not_flat) => {
            let left: String = not_flat.left.iter().map(|left| format!("\n- {left}")).collect();
            Ended::failed(Ending::NotDone, format!("not flat after {} rounds{left}", not_flat.rounds))
        }
    }
}

#[cfg(feature = "journal")]
async fn recover(program: &'static Program, client: &ClientCore, policy: &ConfirmPolicy, to: &mut dyn Report) -> Ended {
    if client.journal().is_none() {
        return Ended::refused(format!("--{} states which journal", arguments::JOURNAL));
    }
    let recovered = match client.recover(program.recoveries, policy).await {
        Ok(recovered) => recovered,
        Err(error) => return Ended::failed(Ending::NotDone, error.to_string()),
    };
    let mut endings = Vec::new();
    for change in &recovered.changes {
        let ending = Ending::from(change.outcome());
        let mut out = JsonWriter::new();
        out.begin_object();
        out.member("outcome").string(ending.as_str());
        out.member("change").string(&change.to_string());
        out.end_object();
        to.item(&out.finish(), None);
        // A change that is known not to be done is recovered, too.
        endings.push(if ending == Ending::Unknown { ending } else { Ending::Done });
    }
    if let Some(gap) = &recovered.gap {
        to.note(&gap.to_string());
    }
    Ended::reported(Ending::of_all(endings))
}

fn manual(program: &'static Program, options: &ArgMatches) -> io::Result<Ended> {
    let line = arguments::of(program);
    match options.get_one::<String>(OUT) {
        Some(folder) => {
            std::fs::create_dir_all(folder)?;
            clap_mangen::generate_to(line, folder)?;
        }
        None => clap_mangen::Man::new(line).render(&mut io::stdout())?,
    }
    Ok(Ended::DONE)
}
