//! Campaigns in virtual time: client, network and exchange run on one thread and follow from the seed.

mod comparison;
mod disk;
mod ending;
mod incorrect_recovery;
mod journal_claims;
mod network;
mod one_user;
mod positions;
mod processes;
mod shrink;
mod surroundings;
mod time;
mod world;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tradeapi::Timestamp;
use tradeapi::runtime::clock::ManualEnvironment;
use tradeapi_tests::dice::Dice;

use self::ending::AccountEnd;
use self::network::{Network, NetworkSettings};
use self::time::Time;
use self::world::World;
use crate::account;
use crate::clock::FastClock;
use crate::deployment::{Clients, Deployment};
use crate::exchange::Exchange;
use crate::figures::Figures;
use crate::ground_truth::Duplicates;
use crate::ledger::Ledger;
use crate::settings::Settings;
use crate::violation::Violation;

pub use shrink::shrink;

/// The beginning of virtual time: 2026-01-01, 00:00 UTC.
const BEGINNING: Timestamp = Timestamp::from_millis(1_767_225_600_000);

/// The number of placements per account, which is low so that a failing account is quickly reproduced.
const PLACEMENTS_PER_ACCOUNT: u64 = 48;

/// The longest time for which an account trades before it queries its unknown outcomes.
const TRADING_PERIOD: Duration = Duration::from_secs(20);

/// A simulation of one account. The same scenario always has the same trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// The settings of the campaign.
    pub settings: Settings,
    /// The number of the account.
    pub account: u64,
    /// The percentage of requests that the network faults.
    pub network_faults: u64,
    /// True if the environment has a single node with a right clock, no connection delays, and a client that is never
    /// blocked.
    pub is_plain: bool,
    /// The placements to send, as pairs of task and request number; `None` sends all.
    pub requests: Option<BTreeSet<(u64, u64)>>,
    /// The requests that may be faulted, by their content; `None` allows all.
    pub only: Option<BTreeSet<String>>,
}

/// The result of a scenario, with its trace.
#[derive(Debug)]
pub struct TracedRun {
    /// The figures.
    pub figures: Figures,
    /// The requests that were faulted.
    pub faulted: BTreeSet<String>,
    /// Requests and answers in order, one per line.
    pub trace: String,
}

impl Scenario {
    /// Returns the scenario of one account of a campaign.
    pub fn new(settings: &Settings, account: u64) -> Self {
        let network_faults = settings.faults / 8;
        let settings = Settings { placements: PLACEMENTS_PER_ACCOUNT, accounts: 1, speed: 1, ..settings.clone() };
        Self { settings, account, network_faults, is_plain: false, requests: None, only: None }
    }

    /// Runs the scenario.
    pub fn run(&self) -> Figures {
        self.execute(false).figures
    }

    /// Runs the scenario, and records a trace.
    pub fn trace(&self) -> TracedRun {
        self.execute(true)
    }

    fn execute(&self, is_traced: bool) -> TracedRun {
        let Self { account, network_faults, .. } = *self;
        let settings = Arc::new(self.settings.clone());
        let deployment = if self.is_plain { Deployment::plain() } else { Deployment::new(&settings, account) };
        let environment = ManualEnvironment::new(BEGINNING);
        let clock = FastClock::of(&environment);
        let only = self.only.clone().map(Arc::new);
        let mut exchange_settings = account::exchange(&settings, account, &deployment, &clock);
        let seed = exchange_settings.hostility.seed.0;
        exchange_settings.hostility.only.clone_from(&self.only);
        let exchange = Arc::new(Exchange::without_sockets(exchange_settings));
        let time = Time::new(&environment, Dice::new(seed, "environment"), is_traced);
        let ledger = Ledger::default();
        let refuses_duplicates = deployment.duplicates == Duplicates::Refused;
        let beyond = settings.beyond.clone();
        let network_settings = NetworkSettings {
            profile: deployment.profile,
            faults: network_faults,
            seed,
            refuses_duplicates,
            only,
            opposes_ways: deployment.opposes_ways,
            beyond,
        };
        let network = Network::new(&time, &exchange, network_settings, ledger.clone());
        let (exchange_of_world, clock_of_world) = (&*exchange, clock.clone());
        let world = World {
            scenario: self,
            settings,
            deployment,
            exchange: exchange_of_world,
            network: network.clone(),
            time: time.clone(),
            clock: clock_of_world,
            ledger,
            seed,
        };
        let figures = time.run(trade(&world));
        let figures = figures.unwrap_or_else(|| {
            let stuck = Violation::LockedOut(format!("no progress, or over the time limit, at {:?}", clock.steady()));
            Figures { violations: vec![stuck], ..Figures::default() }
        });
        let faulted = if is_traced {
            exchange.faulted_requests().union(&network.faulted_requests()).cloned().collect()
        } else {
            BTreeSet::new()
        };
        TracedRun { figures, faulted, trace: time.take_trace() }
    }
}

/// Trades an account, and compares what its clients claim with what the exchange did.
async fn trade(world: &World<'_>) -> Figures {
    match world.deployment.clients {
        Clients::Killed => processes::run(world).await,
        clients => {
            let contexts = world.contexts(clients);
            let is_selected = |task, request| world.is_selected(task, request);
            let trade = async {
                let mut found =
                    account::trade(&contexts, world.exchange, &world.clock, world.scenario.account, is_selected).await;
                if let Some(mut ending) = AccountEnd::of(world) {
                    // Clients of one process know what the others have under way.
                    let other = if clients == Clients::Two { 1 } else { 0 };
                    ending.interrupt(&contexts[other]).await;
                    found.extend(ending.finish(&contexts[0]).await);
                }
                account::check_health(&contexts[0], world.exchange, world.scenario.account).await;
                found
            };
            let violations = surroundings::surround(world, trade).await;
            account::conclude(world.exchange, &world.ledger, violations, |_| Vec::new())
        }
    }
}

/// A test that runs the scenario.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, account, network_faults, is_plain, requests, only } = self;
        let Settings { seed, tasks, faults, quirks, variant, beyond, .. } = settings;
        writeln!(f, "#[test]\nfn seed_{seed}_account_{account}() {{")?;
        writeln!(f, "    let (seed, tasks, faults, quirks) = ({seed}, {tasks}, {faults}, {quirks});")?;
        writeln!(f, "    let variant = ClientVariant::{variant:?};")?;
        let beyond = beyond.iter().map(|assumption| format!("Assumption::{assumption:?}")).collect::<Vec<_>>();
        writeln!(f, "    let beyond = [{}].into();", beyond.join(", "))?;
        writeln!(
            f,
            "    let settings = Settings {{ seed, tasks, faults, quirks, variant, beyond, ..Settings::default() }};"
        )?;
        writeln!(f, "    let requests = {};", list(requests))?;
        writeln!(f, "    let only = {};", list(only))?;
        let begins = format!(
            "let scenario = Scenario {{ network_faults: {network_faults}, is_plain: {is_plain}, requests, only,"
        );
        writeln!(f, "    {begins} ..Scenario::new(&settings, {account}) }};")?;
        writeln!(f, "    assert_eq!(scenario.run().violations, []);\n}}")
    }
}

fn list<T: fmt::Debug>(items: &Option<BTreeSet<T>>) -> String {
    match items {
        None => "None".to_owned(),
        Some(items) => format!("Some({:?}.map(Into::into).into())", items.iter().collect::<Vec<_>>()),
    }
}

/// The result of a campaign in virtual time.
#[derive(Debug, Default)]
pub struct SimulationReport {
    /// The figures of all accounts.
    pub figures: Figures,
    /// The accounts that failed, with the kind of their first violation.
    pub failed: Vec<(Scenario, &'static str)>,
    /// The number of accounts that traded.
    pub accounts: u64,
}

/// Runs a campaign in virtual time, one account after the other, until the number of placements is reached. Calls
/// `progress` after each account, and stops when it returns `false`.
pub fn simulate(settings: &Settings, mut progress: impl FnMut(&SimulationReport) -> bool) -> SimulationReport {
    let (mut all, begun) = (SimulationReport::default(), Instant::now());
    while all.figures.orders() < settings.placements {
        let scenario = Scenario::new(settings, all.accounts);
        let figures = scenario.run();
        all.accounts += 1;
        if let Some(violation) = figures.violations.first() {
            all.failed.push((scenario, violation.kind()));
        }
        all.figures.add(figures);
        all.figures.lasted = begun.elapsed();
        if !progress(&all) {
            break;
        }
    }
    all
}
