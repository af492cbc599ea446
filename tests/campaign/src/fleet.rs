//! A fleet of clients that share their rate limits through a Redis server that is slow, unreachable or restarted.
//!
//! By the exchange's count, no window may have too many calls, whatever the fault. A process that may continue without
//! the server must do so.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::Client;
use tradeapi::runtime::limits::{Fallback, QuotaShare, RedisLimits, RedisSettings};
use tradeapi_exchange::{Hostility, Seed};
use tradeapi_tests::dice::Dice;

use crate::clock::FastClock;
use crate::connections::ConnectionProfile;
use crate::counts::Rate;
use crate::deployment::Deployment;
use crate::exchange::{Exchange, ExchangeSettings};
use crate::operation::Family;
use crate::orders::{self, Order};
use crate::violation::Violation;

mod proxy;
mod server;

use self::proxy::{LinkState, Proxy};
use self::server::Server;

/// The settings of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct Fleet {
    /// The seed of every random choice.
    pub seed: u64,
    /// The number of clients, each with its own limiter and its own connection to the server.
    pub processes: u32,
    /// The number of tasks that share a client.
    pub tasks: u32,
    /// The action of a process without the server.
    pub fallback: RedisFallback,
    /// The faults, in this order.
    pub faults: &'static [RedisFault],
    /// The duration of each fault. A process needs a few seconds to notice that the server is lost, and to wait for one
    /// window.
    pub fault_duration: Duration,
}

/// The action of a process that loses the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisFallback {
    /// The process sends nothing, as by default.
    Refuses,
    /// The process keeps to its share of the limits.
    KeepsToShare,
}

/// A fault of the server or of the connections to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisFault {
    /// No fault.
    None,
    /// The server answers late, by up to this many milliseconds.
    Late(u64),
    /// The server cannot be reached.
    CutOff,
    /// Some processes cannot reach the server.
    CutOffForSome,
    /// The server accepts connections and answers nothing.
    Unresponsive,
    /// The server is restarted without its data.
    Restart,
}

/// The faults for processes that send nothing without the server.
pub const FAULTS_WHEN_REFUSING: [RedisFault; 6] = [
    RedisFault::None,
    RedisFault::CutOffForSome,
    RedisFault::Late(20),
    RedisFault::Restart,
    RedisFault::Unresponsive,
    RedisFault::None,
];

/// The faults for processes that keep to a share. There is no [`CutOffForSome`](RedisFault::CutOffForSome), because
/// shares then come on top of the common limit, as documented.
pub const FAULTS_WHEN_SHARING: [RedisFault; 7] = [
    RedisFault::None,
    RedisFault::Late(60),
    RedisFault::CutOff,
    RedisFault::None,
    RedisFault::Restart,
    RedisFault::Unresponsive,
    RedisFault::None,
];

/// The result of a fleet.
#[derive(Debug, Default)]
pub struct FleetFigures {
    /// The number of calls during each fault.
    pub calls: Vec<(&'static str, usize)>,
    /// The calls by the exchange's count.
    pub rate: Rate,
    /// The number of calls that were dropped while they waited.
    pub dropped: usize,
    /// The number of calls that were refused because the server was lost.
    pub refused: usize,
    /// The violations.
    pub violations: Vec<Violation>,
}

/// The counts of all processes.
#[derive(Debug, Default)]
struct Counts {
    done: AtomicUsize,
    dropped: AtomicUsize,
    refused: AtomicUsize,
}

impl RedisFault {
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Late(_) => "late",
            Self::CutOff => "cut off",
            Self::CutOffForSome => "cut off for some",
            Self::Unresponsive => "unresponsive",
            Self::Restart => "restart",
        }
    }

    fn link_state(self, process: usize) -> LinkState {
        match self {
            Self::None | Self::Restart => LinkState::Open,
            Self::Late(millis) => LinkState::Delayed(Duration::from_millis(millis)),
            Self::CutOff => LinkState::Cut,
            Self::CutOffForSome if process == 0 => LinkState::Cut,
            Self::CutOffForSome => LinkState::Open,
            Self::Unresponsive => LinkState::Stalled,
        }
    }

    /// Returns whether calls must continue during the fault.
    fn calls_must_continue(self, fallback: RedisFallback) -> bool {
        fallback == RedisFallback::KeepsToShare || !matches!(self, Self::CutOff | Self::Unresponsive)
    }
}

/// Runs a fleet. Returns `None` if `redis-server` is not installed.
///
/// # Errors
///
/// The system has no free port, thread or connection.
pub fn run(fleet: Fleet) -> io::Result<Option<FleetFigures>> {
    let Some(server) = Server::start()? else { return Ok(None) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run_in(fleet, server)).map(Some)
}

async fn run_in(fleet: Fleet, mut server: Server) -> io::Result<FleetFigures> {
    let Deployment { duplicates, .. } = Deployment::plain();
    let profile = ConnectionProfile {
        first_delay: Duration::from_millis(60),
        jitter: Duration::from_millis(3),
        ..ConnectionProfile::default()
    };
    let hostility = Hostility::new(Seed(fleet.seed), 0, 0);
    let (clock, signs_as_sent) = (FastClock::new(1), false);
    let exchange = Exchange::start(ExchangeSettings { hostility, clock, profile, duplicates, signs_as_sent })?;
    let counts = Arc::new(Counts::default());
    let (mut proxies, mut tasks) = (Vec::new(), JoinSet::new());
    for process in 0..fleet.processes {
        let proxy = Proxy::start(server.address()).await?;
        let client = client(fleet, &exchange, &proxy.url()).map_err(io::Error::other)?;
        proxies.push(proxy);
        for task in 0..fleet.tasks {
            let dice = Dice::new(fleet.seed, &format!("task {task} of {process}"));
            tasks.spawn(trade(client.clone(), format!("f{process}-{task}"), dice, Arc::clone(&counts)));
        }
    }
    let mut figures = FleetFigures::default();
    for fault in fleet.faults {
        if *fault == RedisFault::Restart {
            server.restart()?;
        }
        proxies.iter().enumerate().for_each(|(process, proxy)| proxy.set(fault.link_state(process)));
        figures.count_during(*fault, fleet, &counts).await;
    }
    tasks.shutdown().await;
    figures.check_rates(exchange.counts().calls);
    (figures.dropped, figures.refused) =
        (counts.dropped.load(Ordering::Relaxed), counts.refused.load(Ordering::Relaxed));
    Ok(figures)
}

impl FleetFigures {
    /// Counts the calls while a fault lasts. There must be some, if the fleet can go on.
    async fn count_during(&mut self, fault: RedisFault, fleet: Fleet, counts: &Counts) {
        let before = counts.done.load(Ordering::Relaxed);
        tokio::time::sleep(fleet.fault_duration).await;
        let calls = counts.done.load(Ordering::Relaxed) - before;
        self.calls.push((fault.name(), calls));
        if calls == 0 && fault.calls_must_continue(fleet.fallback) {
            let why =
                format!("no call in {:?} during this fault of the server: {}", fleet.fault_duration, fault.name());
            self.violations.push(Violation::LockedOut(why));
        }
    }

    /// Checks the calls by the exchange's count.
    fn check_rates(&mut self, calls: BTreeMap<(Family, &'static str), Rate>) {
        for ((family, name), rate) in calls {
            if rate.beyond > 0 {
                let (most, allowed) = (rate.most, rate.allowed);
                let why = format!("{most} of {family:?} {name} in a second, {allowed} allowed");
                self.violations.push(Violation::TooFast(why));
            }
            self.rate = rate;
        }
    }
}

fn client(fleet: Fleet, exchange: &Exchange, redis: &str) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let settings = match fleet.fallback {
        RedisFallback::Refuses => RedisSettings::new(),
        RedisFallback::KeepsToShare => {
            let share = QuotaShare::new(1, fleet.processes);
            RedisSettings::new().fallback(Fallback::in_process(share, |_| {}))
        }
    };
    let limits = Arc::new(RedisLimits::new(redis, settings)?);
    let credentials = exchange.keys().credentials();
    Ok(Client::builder(exchange.url()).credentials(credentials).limiter(limits).build()?)
}

/// Places one order after the other, and drops some of the calls while they wait.
async fn trade(client: Client, name: String, mut dice: Dice, counts: Arc<Counts>) {
    for number in 0_u64.. {
        let order = Order::new(Family::Unified, &format!("{name}-{number}"));
        let request = orders::unified_order(&order);
        let patience = Duration::from_millis(if dice.percent(20) { dice.below(60) } else { 60_000 });
        tokio::select! {
            result = client.call(&request) => match result {
                Ok(_) => { counts.done.fetch_add(1, Ordering::Relaxed); }
                Err(_) => {
                    counts.refused.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
            () = tokio::time::sleep(patience) => { counts.dropped.fetch_add(1, Ordering::Relaxed); }
        }
    }
}

impl fmt::Display for FleetFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (fault, calls) in &self.calls {
            writeln!(f, "{fault:28} {calls:>5} calls")?;
        }
        let Rate { calls, most, allowed, beyond } = self.rate;
        writeln!(f, "{calls} calls, {most} in a second at most, {allowed} allowed, {beyond} beyond")?;
        writeln!(f, "{} dropped while they waited, {} refused", self.dropped, self.refused)?;
        writeln!(f, "{} violations", self.violations.len())?;
        self.violations.iter().try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
