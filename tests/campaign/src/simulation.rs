//! Campaigns in virtual time: client, network and exchange on one thread, and everything follows from the seed.

mod network;
mod shrink;
mod time;

use std::collections::BTreeSet;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::book::Duplicates;
use crate::counts::Reached;
use crate::exchange::Exchange;
use crate::fast::FastClock;
use futures_util::future::Either;
use tradeapi::runtime::clock::pause;
use tradeapi_tests::dice::Dice;

use self::network::{Network, Way};
use self::time::Time;
use crate::account;
use crate::desk::Desk;
use crate::figures::Figures;
use crate::judge::Violation;
use crate::ledger::Ledger;
use crate::settings::Settings;
use crate::world::World;

pub use shrink::shrink;

/// How many requests that make orders an account sends: few, so that a seed that fails is soon tried again.
const OF_AN_ACCOUNT: u64 = 48;

/// How long an account trades at most; after that it queries the outcomes of its orders.
const TRADING: Duration = Duration::from_secs(20);

/// What one account does in a simulation. The same script always has the same trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// What the campaign is like that the account is one of.
    pub settings: Settings,
    /// Which account.
    pub account: u64,
    /// With how many of a hundred requests something goes wrong on the way.
    pub losses: u64,
    /// Whether there is one node with clocks that are right, over a line without delays, and nothing holds up the client.
    pub is_plain: bool,
    /// The requests that make orders, each by the number of its task and its own; all of them if there is none.
    pub requests: Option<BTreeSet<(u64, u64)>>,
    /// The requests with which something goes wrong, by what they say; any if there is none.
    pub only: Option<BTreeSet<String>>,
}

/// What came of a script.
#[derive(Debug)]
pub struct Played {
    /// The figures.
    pub figures: Figures,
    /// The requests with which something went wrong, if it is traced.
    pub hit: BTreeSet<String>,
    /// What happened, a line each, if it is traced.
    pub trace: String,
}

impl Script {
    /// The whole of what one account of a campaign does, of however many.
    pub fn of(settings: &Settings, account: u64) -> Self {
        let losses = settings.faults / 8;
        let settings = Settings { placements: OF_AN_ACCOUNT, accounts: 1, speed: 1, ..settings.clone() };
        Self { settings, account, losses, is_plain: false, requests: None, only: None }
    }

    /// Plays it.
    pub fn run(&self) -> Figures {
        self.play(false).figures
    }

    /// Plays it, and writes down what happens.
    pub fn trace(&self) -> Played {
        self.play(true)
    }

    fn play(&self, is_traced: bool) -> Played {
        let Self { account, losses, .. } = *self;
        let settings = Arc::new(self.settings.clone());
        let world = if self.is_plain { World::plain() } else { World::of(&settings, account) };
        let clock = FastClock::by_hand();
        let only = self.only.clone().map(Arc::new);
        let of_exchange = account::exchange(&settings, account, &world, &clock);
        let seed = of_exchange.hostility.seed.0;
        let mut of_exchange = of_exchange;
        of_exchange.hostility.only.clone_from(&self.only);
        let exchange = Arc::new(Exchange::without_sockets(of_exchange));
        let time = Time::new(clock.clone(), Dice::new(seed, "environment"), is_traced);
        let ledger = Ledger::default();
        let refuses_duplicates = world.duplicates == Duplicates::Refused;
        let way = Way { line: world.line, losses, seed, refuses_duplicates, only };
        let network = Network::new(&time, &exchange, way, ledger.clone());
        let client =
            account::client(&settings, &exchange.url(), exchange.keys(), &clock, network.clone(), || time.clone());
        let client = client.expect("the settings of a simulation are valid");
        let desk = Desk { ledger: ledger.clone(), ..Desk::new(Arc::clone(&settings), client.core().clone()) };
        let beside = match world.is_busy {
            true => Either::Left(hold_up(time.clone(), clock.clone(), ledger, Dice::new(seed, "thread"))),
            false => Either::Right(pending()),
        };
        let requests = self.requests.as_ref();
        let figures = time.run(account::trade(desk, &exchange, &clock, account, requests, beside));
        let figures = figures.unwrap_or_else(|| {
            let stuck = Violation::LockedOut(format!("it waits for nothing, or for ever, at {:?}", clock.steady()));
            Figures { violations: vec![stuck], ..Figures::default() }
        });
        let hit = if is_traced { exchange.hit().union(&network.hit()).cloned().collect() } else { BTreeSet::new() };
        Played { figures, hit, trace: time.take_trace() }
    }
}

/// Holds up the only thread now and then: time passes, and the client does not run.
async fn hold_up(time: Time, clock: FastClock, ledger: Ledger, mut dice: Dice) {
    loop {
        // While it trades; later it mostly waits.
        let most = if time.now() < TRADING { 120 } else { 6_000 };
        pause(&time, Duration::from_millis(5 + dice.below(most))).await;
        clock.leap(Duration::from_millis(1 + dice.below(60)));
        ledger.reach(Reached::Blocked);
    }
}

/// A test that plays the script.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, account, losses, is_plain, requests, only } = self;
        let Settings { seed, tasks, faults, quirks, conduct, .. } = settings;
        writeln!(f, "#[test]\nfn seed_{seed}_account_{account}() {{")?;
        writeln!(f, "    let (seed, tasks, faults, quirks) = ({seed}, {tasks}, {faults}, {quirks});")?;
        writeln!(f, "    let conduct = Conduct::{conduct:?};")?;
        writeln!(f, "    let settings = Settings {{ seed, tasks, faults, quirks, conduct, ..Settings::default() }};")?;
        writeln!(f, "    let requests = {};", list(requests))?;
        writeln!(f, "    let only = {};", list(only))?;
        let begins = format!("let script = Script {{ losses: {losses}, is_plain: {is_plain}, requests, only,");
        writeln!(f, "    {begins} ..Script::of(&settings, {account}) }};")?;
        writeln!(f, "    assert_eq!(script.run().violations, []);\n}}")
    }
}

fn list<T: fmt::Debug>(items: &Option<BTreeSet<T>>) -> String {
    match items {
        None => "None".to_owned(),
        Some(items) => format!("Some({:?}.map(Into::into).into())", items.iter().collect::<Vec<_>>()),
    }
}

/// What came of a campaign in virtual time.
#[derive(Debug, Default)]
pub struct Simulated {
    /// The figures of all accounts.
    pub figures: Figures,
    /// The accounts that failed, with what each of them was found out by.
    pub failed: Vec<(Script, &'static str)>,
    /// How many accounts traded.
    pub accounts: u64,
}

/// Runs a campaign in virtual time, one account after the other, until as many orders were to be placed as the settings
/// say. Calls `progress` for each account, which returns whether to go on.
pub fn simulate(settings: &Settings, mut progress: impl FnMut(&Simulated) -> bool) -> Simulated {
    let (mut all, begun) = (Simulated::default(), Instant::now());
    while all.figures.orders() < settings.placements {
        let script = Script::of(settings, all.accounts);
        let figures = script.run();
        all.accounts += 1;
        if let Some(violation) = figures.violations.first() {
            all.failed.push((script, violation.kind()));
        }
        all.figures.add(figures);
        all.figures.lasted = begun.elapsed();
        if !progress(&all) {
            break;
        }
    }
    all
}
