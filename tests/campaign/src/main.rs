//! `cargo run --release -p tradeapi-campaign -- --seed 7 --placements 10000`

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use mimalloc::MiMalloc;
use tradeapi_campaign::fleet::{self, FAULTS_WHEN_REFUSING, FAULTS_WHEN_SHARING, Fleet, RedisFallback};
use tradeapi_campaign::{
    Assumption, Child, ClientVariant, Figures, Judged, Scenario, Settings, Varied, kill, run, shrink, simulate,
};
use tradeapi_exchange::Keys;

/// The system's allocator takes a fifth of a campaign's instructions.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(60);

/// The number of failed accounts after which a campaign ends.
const MAX_FAILED: usize = 10;

/// Runs thousands of orders against a hostile exchange, and compares what the client claims with what was done: in
/// virtual time, or by a command over sockets.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    virtual_time: VirtualTime,
}

#[derive(Debug, Args)]
struct VirtualTime {
    #[command(flatten)]
    orders: Orders,
    /// The number of tasks that share an account's client.
    #[arg(long, default_value_t = Settings::default().tasks, value_parser = clap::value_parser!(u64).range(1..))]
    tasks: u64,
    /// Goes beyond an assumption, so that a correct client fails.
    #[arg(long, value_name = "ASSUMPTION", value_parser = assumption)]
    beyond: Vec<Assumption>,
    /// Runs this account only.
    #[arg(long)]
    account: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs many accounts at once over sockets, in real time.
    Sockets {
        #[command(flatten)]
        orders: Orders,
        /// The number of tasks that share an account's client.
        #[arg(long, default_value_t = Settings::default().tasks, value_parser = clap::value_parser!(u64).range(1..))]
        tasks: u64,
        /// The number of accounts.
        #[arg(long, default_value_t = Settings::default().accounts, value_parser = clap::value_parser!(u64).range(1..))]
        accounts: u64,
        #[command(flatten)]
        clock: Clock,
    },
    /// Kills the client's process repeatedly; the last process finishes what the others left.
    Kills {
        /// The number of times.
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        times: u64,
        #[command(flatten)]
        orders: Orders,
        #[command(flatten)]
        clock: Clock,
    },
    /// Runs two fleets that share their limits through a Redis server with faults.
    Fleet {
        /// The duration of each fault, in milliseconds.
        #[arg(value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
        fault_duration: u64,
        /// The seed of every random choice.
        #[arg(long, default_value_t = Settings::default().seed)]
        seed: u64,
    },
    /// A client under test, for `tradeapi-exchange judge`. It reads the address and the keys from the environment.
    #[command(hide = true)]
    Judged {
        /// When the exchange's clock was right, in Unix milliseconds.
        started: u64,
        /// The client: `Correct`, or the name of an incorrect variant.
        #[arg(value_parser = variant)]
        variant: ClientVariant,
        /// The number of tasks that share the client.
        tasks: u64,
        #[command(flatten)]
        orders: Orders,
        #[command(flatten)]
        clock: Clock,
    },
    /// The process that `kills` starts.
    #[command(hide = true)]
    Child {
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        url: String,
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        key: String,
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        secret: String,
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        passphrase: String,
        journal: PathBuf,
        clock_right_at: u64,
        speed: u32,
        orders: usize,
    },
}

#[derive(Debug, Args)]
struct Orders {
    /// The seed of every random choice.
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// The number of requests that place orders.
    #[arg(long, default_value_t = Settings::default().placements, value_parser = clap::value_parser!(u64).range(1..))]
    placements: u64,
    /// The percentage of changes that the exchange faults.
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().faults, value_parser = percent())]
    faults: u64,
    /// The percentage of answers that are odd.
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().quirks, value_parser = percent())]
    quirks: u64,
}

#[derive(Debug, Args)]
struct Clock {
    /// The speed of the clock of signatures and pauses, as a multiple of the system's.
    #[arg(long, default_value_t = Settings::default().speed, value_parser = clap::value_parser!(u32).range(1..))]
    speed: u32,
}

impl Orders {
    fn settings(&self) -> Settings {
        let Self { seed, placements, faults, quirks } = *self;
        Settings { seed, placements, faults, quirks, ..Settings::default() }
    }
}

/// Returns a variable that the exchange prints.
fn variable(name: &str) -> io::Result<String> {
    let name = format!("TRADEAPI_{name}");
    std::env::var(&name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

fn variant(text: &str) -> Result<ClientVariant, String> {
    let found = ClientVariant::ALL.iter().find(|variant| format!("{variant:?}") == text);
    found.copied().ok_or_else(|| format!("expected one of {:?}", ClientVariant::ALL))
}

fn percent() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(0..=100)
}

fn assumption(text: &str) -> Result<Assumption, String> {
    let names = || Assumption::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
    Assumption::named(text).ok_or_else(|| format!("expected one of {}", names()))
}

fn main() -> io::Result<ExitCode> {
    let Arguments { command, virtual_time } = Arguments::parse();
    match command {
        None => run_in_virtual_time(virtual_time),
        Some(Command::Sockets { orders, tasks, accounts, clock }) => {
            let settings = Settings { tasks, accounts, speed: clock.speed, ..orders.settings() };
            print(format!("{settings:?}\n"))?;
            conclude(&run(settings)?)
        }
        Some(Command::Kills { times, orders, clock }) => {
            run_kills(&Settings { speed: clock.speed, ..orders.settings() }, times)
        }
        Some(Command::Fleet { fault_duration, seed }) => run_fleets(seed, Duration::from_millis(fault_duration)),
        Some(Command::Judged { started, variant, tasks, orders, clock }) => {
            let [url, key, secret, passphrase] = ["URL", "KEY", "SECRET", "PASSPHRASE"].map(variable);
            let keys = Keys { key: key?, secret: secret?, passphrase: passphrase? };
            let settings = Settings { variant, tasks, speed: clock.speed, ..orders.settings() };
            Judged { url: url?, keys, clock_right_at: started, settings }.run().map(|()| ExitCode::SUCCESS)
        }
        Some(Command::Child { url, key, secret, passphrase, journal, clock_right_at, speed, orders }) => {
            let keys = Keys { key, secret, passphrase };
            Child { url, keys, journal, clock_right_at, speed, orders }.run().map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Prints the figures of a campaign. It has failed if there are violations.
fn conclude(figures: &Figures) -> io::Result<ExitCode> {
    print(figures)?;
    Ok(if figures.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a campaign in virtual time, or one of its accounts, and prints the shortest failing scenario if an account fails.
fn run_in_virtual_time(VirtualTime { orders, tasks, beyond, account }: VirtualTime) -> io::Result<ExitCode> {
    let settings = Settings { tasks, beyond: beyond.into_iter().collect(), ..orders.settings() };
    print(format!("{settings:?}\n"))?;
    if let Some(account) = account {
        let scenario = Scenario::new(&settings, account);
        let figures = scenario.run();
        print(&figures)?;
        return figures.violations.first().map_or(Ok(ExitCode::SUCCESS), |first| show_shortest(scenario, first.kind()));
    }
    let mut reported_at = Duration::ZERO;
    let simulated = simulate(&settings, |so_far| {
        if so_far.figures.lasted >= reported_at + PROGRESS_INTERVAL {
            reported_at = so_far.figures.lasted;
            let (placements, failed) = (so_far.figures.orders(), so_far.failed.len());
            let seconds = reported_at.as_secs_f64();
            // If it cannot be printed, nobody waits for it.
            let _ = writeln!(io::stderr(), "{placements} placements in {seconds:.0} s, {failed} accounts failed");
        }
        so_far.failed.len() < MAX_FAILED
    });
    print(&simulated.figures)?;
    print(Varied { beyond: &settings.beyond, counts: &simulated.figures.counts })?;
    let orders = simulated.figures.orders();
    let rate = orders as f64 / simulated.figures.lasted.as_secs_f64();
    print(format!("{orders} placements of {} accounts, {rate:.0} a second\n", simulated.accounts))?;
    for (scenario, kind) in &simulated.failed {
        print(format!("account {} failed: {kind}\n", scenario.account))?;
    }
    let first = simulated.failed.into_iter().next();
    first.map_or(Ok(ExitCode::SUCCESS), |(scenario, kind)| show_shortest(scenario, kind))
}

/// Prints the shortest scenario that fails in the same way, with its trace.
fn show_shortest(scenario: Scenario, kind: &'static str) -> io::Result<ExitCode> {
    let shortest = shrink(scenario, kind);
    print(format!("\n{kind}; the shortest scenario that reproduces it:\n\n{shortest}\n"))?;
    for violation in shortest.run().violations {
        print(format!("{violation}\n"))?;
    }
    print(format!("\n{}\n", shortest.trace().trace))?;
    Ok(ExitCode::FAILURE)
}

fn run_kills(settings: &Settings, times: u64) -> io::Result<ExitCode> {
    print(format!("{settings:?}\n"))?;
    let folder = tempfile::tempdir()?;
    conclude(&kill(&std::env::current_exe()?, settings, times, folder.path())?)
}

/// Runs two fleets. Each fault lasts for `fault_duration`.
fn run_fleets(seed: u64, fault_duration: Duration) -> io::Result<ExitCode> {
    let mut is_good = true;
    for (fallback, faults) in
        [(RedisFallback::Refuses, FAULTS_WHEN_REFUSING.as_slice()), (RedisFallback::KeepsToShare, &FAULTS_WHEN_SHARING)]
    {
        let fleet = Fleet { seed, processes: 4, tasks: 3, fallback, faults, fault_duration };
        print(format!("{fleet:?}\n"))?;
        if let Some(figures) = fleet::run(fleet)? {
            print(format!("{figures}\n"))?;
            is_good &= figures.violations.is_empty();
        }
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints to the standard output. That nobody reads it any more is no failure.
fn print(text: impl std::fmt::Display) -> io::Result<()> {
    let mut out = io::stdout();
    match out.write_all(text.to_string().as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
