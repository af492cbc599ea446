//! `cargo run --release -p tradeapi-campaign -- --seed 7 --placements 10000`

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use mimalloc::MiMalloc;
use tradeapi_campaign::fleet::{self, FAULTS_WHEN_REFUSING, FAULTS_WHEN_SHARING, Fleet, RedisFallback};
use tradeapi_campaign::{Assumption, CHILD, Child, Scenario, Settings, Varied, kill, run, shrink, simulate};
use tradeapi_exchange::Keys;

/// The system's allocator takes a fifth of a campaign's instructions.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(60);

/// The number of failed accounts after which a campaign ends.
const MAX_FAILED: usize = 10;

const USAGE: &str = "\
usage: tradeapi-campaign [--seed N] [--placements N] [--tasks N] [--faults PERCENT] [--quirks PERCENT]
                         [--beyond ASSUMPTION] [--account N]
       tradeapi-campaign --sockets [--seed N] [--placements N] [--accounts N] [--tasks N] [--faults PERCENT]
                         [--quirks PERCENT] [--speed N]
       tradeapi-campaign --fleet MILLISECONDS [--seed N]
       tradeapi-campaign --kills N [--seed N] [--placements N] [--faults PERCENT] [--speed N]";

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let Some(child) = child(&arguments) {
        return child.run().map(|()| ExitCode::SUCCESS);
    }
    let Arguments { settings, account, kills, fleet, sockets } = match parse(arguments.into_iter()) {
        Ok(parsed) => parsed,
        Err(why) => {
            eprintln!("{why}\n\n{USAGE}");
            return Ok(ExitCode::FAILURE);
        }
    };
    if let Some(fault_duration) = fleet {
        return run_fleets(settings.seed, fault_duration);
    }
    println!("{settings:?}");
    let figures = match kills {
        0 if !sockets => return Ok(run_in_virtual_time(&settings, account)),
        0 => run(settings)?,
        kills => {
            let folder = std::env::temp_dir().join(format!("tradeapi-campaign-{}", std::process::id()));
            std::fs::create_dir_all(&folder)?;
            let figures = kill(&std::env::current_exe()?, &settings, kills, &folder);
            std::fs::remove_dir_all(folder)?;
            figures?
        }
    };
    print!("{figures}");
    Ok(if figures.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Parses the arguments of a [`Child`] process.
fn child(arguments: &[String]) -> Option<Child> {
    match arguments {
        [first, url, key, secret, passphrase, journal, clock_right_at, speed, orders] if first == CHILD => {
            Some(Child {
                url: url.clone(),
                keys: Keys { key: key.clone(), secret: secret.clone(), passphrase: passphrase.clone() },
                journal: journal.into(),
                clock_right_at: clock_right_at.parse().ok()?,
                speed: speed.parse().ok()?,
                orders: orders.parse().ok()?,
            })
        }
        _ => None,
    }
}

/// Runs a campaign in virtual time, or one of its accounts, and prints the shortest failing scenario if an account fails.
fn run_in_virtual_time(settings: &Settings, account: Option<u64>) -> ExitCode {
    if let Some(account) = account {
        let scenario = Scenario::new(settings, account);
        let figures = scenario.run();
        print!("{figures}");
        return figures.violations.first().map_or(ExitCode::SUCCESS, |first| show_shortest(scenario, first.kind()));
    }
    let mut reported_at = Duration::ZERO;
    let simulated = simulate(settings, |so_far| {
        if so_far.figures.lasted >= reported_at + PROGRESS_INTERVAL {
            reported_at = so_far.figures.lasted;
            let (placements, failed) = (so_far.figures.orders(), so_far.failed.len());
            eprintln!("{placements} placements in {:.0} s, {failed} accounts failed", reported_at.as_secs_f64());
        }
        so_far.failed.len() < MAX_FAILED
    });
    print!("{}", simulated.figures);
    print!("{}", Varied { beyond: &settings.beyond, counts: &simulated.figures.counts });
    let orders = simulated.figures.orders();
    let rate = orders as f64 / simulated.figures.lasted.as_secs_f64();
    println!("{orders} placements of {} accounts, {rate:.0} a second", simulated.accounts);
    for (scenario, kind) in &simulated.failed {
        println!("account {} failed: {kind}", scenario.account);
    }
    let Some((scenario, kind)) = simulated.failed.into_iter().next() else { return ExitCode::SUCCESS };
    show_shortest(scenario, kind)
}

/// Prints the shortest scenario that fails in the same way, with its trace.
fn show_shortest(scenario: Scenario, kind: &'static str) -> ExitCode {
    let shortest = shrink(scenario, kind);
    println!("\n{kind}; the shortest scenario that reproduces it:\n\n{shortest}");
    for violation in shortest.run().violations {
        println!("{violation}");
    }
    println!("\n{}", shortest.trace().trace);
    ExitCode::FAILURE
}

/// Runs two fleets. Each fault lasts for `fault_duration`.
fn run_fleets(seed: u64, fault_duration: Duration) -> io::Result<ExitCode> {
    let mut is_good = true;
    for (fallback, faults) in
        [(RedisFallback::Refuses, FAULTS_WHEN_REFUSING.as_slice()), (RedisFallback::KeepsToShare, &FAULTS_WHEN_SHARING)]
    {
        let fleet = Fleet { seed, processes: 4, tasks: 3, fallback, faults, fault_duration };
        println!("{fleet:?}");
        if let Some(figures) = fleet::run(fleet)? {
            println!("{figures}");
            is_good &= figures.violations.is_empty();
        }
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Arguments {
    settings: Settings,
    /// The only account to run.
    account: Option<u64>,
    /// How many times a process is killed.
    kills: u64,
    /// Whether the campaign runs over sockets, in real time.
    sockets: bool,
    /// How long each fault of a fleet lasts.
    fleet: Option<Duration>,
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut parsed = Arguments::default();
    while let Some(name) = arguments.next() {
        if name == "--sockets" {
            parsed.sockets = true;
            continue;
        }
        let text = arguments.next().ok_or(format!("{name} needs a value"))?;
        if name == "--beyond" {
            let names = || Assumption::ALL.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
            let beyond = Assumption::named(&text);
            parsed
                .settings
                .beyond
                .insert(beyond.ok_or_else(|| format!("{text} is not an assumption; expected one of {}", names()))?);
            continue;
        }
        let number: u64 = text.parse().map_err(|_| format!("invalid value {text:?} for {name}: expected a number"))?;
        let settings = &mut parsed.settings;
        match name.as_str() {
            "--seed" => settings.seed = number,
            "--placements" => settings.placements = number,
            "--accounts" => settings.accounts = number.max(1),
            "--tasks" => settings.tasks = number.max(1),
            "--faults" => settings.faults = number.min(100),
            "--quirks" => settings.quirks = number.min(100),
            "--speed" => settings.speed = u32::try_from(number).unwrap_or(u32::MAX).max(1),
            "--account" => parsed.account = Some(number),
            "--kills" => parsed.kills = number,
            "--fleet" => parsed.fleet = Some(Duration::from_millis(number)),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(parsed)
}
