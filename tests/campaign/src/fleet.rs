//! A fleet of clients that share their rate limits over a Redis server which is late, cut off, restarted, and returns.
//!
//! Whatever happens to the server, no window may have too many calls by the exchange's count; and where a process is told to
//! go on without the server, it has to.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::counts::Rate;
use crate::exchange::{Exchange, Terms};
use crate::fast::FastClock;
use crate::line::Line;
use tokio::task::JoinSet;
use tradeapi::Client;
use tradeapi::runtime::limits::{Fallback, QuotaShare, RedisLimits, RedisSettings};
use tradeapi_exchange::{Hostility, Seed};
use tradeapi_tests::dice::Dice;

use crate::judge::Violation;
use crate::orders::{self, Order};
use crate::world::World;

mod proxy;
mod server;

use self::proxy::{Proxy, Way};
use self::server::Server;

/// What a fleet is like.
#[derive(Clone, Copy, Debug)]
pub struct Fleet {
    /// What everything follows from that follows from anything.
    pub seed: u64,
    /// How many clients there are, each with a limiter and a way to the server of its own.
    pub processes: u32,
    /// How many tasks share a client.
    pub tasks: u32,
    /// What a process does that loses the server.
    pub lost: Lost,
    /// What happens, one after the other.
    pub troubles: &'static [Trouble],
    /// How long each lasts. Whoever loses the server needs a few seconds to notice, and to wait for one window.
    pub lasts: Duration,
}

/// What a process does that loses the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// It sends nothing, which is the default.
    Refuses,
    /// It keeps to its share of the limits.
    KeepsToItsShare,
}

/// Something that happens to the server or the ways to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    None,
    /// It answers late, up to so many milliseconds.
    Late(u64),
    /// It cannot be reached.
    CutOff,
    /// Some processes cannot reach it.
    CutOffForSome,
    /// It takes connections and answers nothing.
    Mute,
    /// It ends and begins again with nothing in it.
    Restart,
}

/// What happens to a process that sends nothing without the server.
pub const REFUSING: [Trouble; 6] =
    [Trouble::None, Trouble::CutOffForSome, Trouble::Late(20), Trouble::Restart, Trouble::Mute, Trouble::None];

/// What happens to a process that keeps to a share. The documentation says that shares come on top where only some lose
/// the server.
pub const SHARING: [Trouble; 7] =
    [Trouble::None, Trouble::Late(60), Trouble::CutOff, Trouble::None, Trouble::Restart, Trouble::Mute, Trouble::None];

/// The outcome of a fleet.
#[derive(Debug, Default)]
pub struct FleetFigures {
    /// What happened, and how many calls were made meanwhile.
    pub calls: Vec<(&'static str, usize)>,
    /// How the exchange counted the calls.
    pub rate: Rate,
    /// How many calls were given up while they waited.
    pub dropped: usize,
    /// How many calls were refused for want of the server.
    pub refused: usize,
    /// What is wrong.
    pub violations: Vec<Violation>,
}

/// What the processes of a fleet count together.
#[derive(Debug, Default)]
struct Counts {
    done: AtomicUsize,
    dropped: AtomicUsize,
    refused: AtomicUsize,
}

impl Trouble {
    fn name(self) -> &'static str {
        match self {
            Self::None => "nothing",
            Self::Late(_) => "late",
            Self::CutOff => "cut off",
            Self::CutOffForSome => "cut off for some",
            Self::Mute => "mute",
            Self::Restart => "restart",
        }
    }

    fn way(self, process: usize) -> Way {
        match self {
            Self::None | Self::Restart => Way::Open,
            Self::Late(millis) => Way::Late(Duration::from_millis(millis)),
            Self::CutOff => Way::Cut,
            Self::CutOffForSome if process == 0 => Way::Cut,
            Self::CutOffForSome => Way::Open,
            Self::Mute => Way::Mute,
        }
    }

    /// Whether calls have to go on meanwhile.
    fn lets_calls_go_on(self, lost: Lost) -> bool {
        lost == Lost::KeepsToItsShare || !matches!(self, Self::CutOff | Self::Mute)
    }
}

/// Runs a fleet to its end. `None` where there is no `redis-server`.
///
/// # Errors
///
/// When this machine has no port, thread or connection to give.
pub fn run(fleet: Fleet) -> io::Result<Option<FleetFigures>> {
    let Some(server) = Server::start()? else { return Ok(None) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run_in(fleet, server)).map(Some)
}

async fn run_in(fleet: Fleet, mut server: Server) -> io::Result<FleetFigures> {
    let World { duplicates, .. } = World::plain();
    let line = Line { first: Duration::from_millis(60), jitter: Duration::from_millis(3), ..Line::default() };
    let hostility = Hostility::new(Seed(fleet.seed), 0, 0);
    let exchange = Exchange::start(Terms { hostility, clock: FastClock::new(1), line, duplicates })?;
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
    for trouble in fleet.troubles {
        if *trouble == Trouble::Restart {
            server.restart()?;
        }
        let before = counts.done.load(Ordering::Relaxed);
        proxies.iter().enumerate().for_each(|(process, proxy)| proxy.set(trouble.way(process)));
        tokio::time::sleep(fleet.lasts).await;
        let calls = counts.done.load(Ordering::Relaxed) - before;
        figures.calls.push((trouble.name(), calls));
        if calls == 0 && trouble.lets_calls_go_on(fleet.lost) {
            let why = format!("no call in {:?} while the server was this: {}", fleet.lasts, trouble.name());
            figures.violations.push(Violation::LockedOut(why));
        }
    }
    tasks.shutdown().await;
    let counted = exchange.counts();
    for ((family, name), rate) in counted.calls {
        if rate.beyond > 0 {
            let (most, allowed) = (rate.most, rate.allowed);
            figures
                .violations
                .push(Violation::TooFast(format!("{most} of {family:?} {name} in a second, {allowed} allowed")));
        }
        figures.rate = rate;
    }
    (figures.dropped, figures.refused) =
        (counts.dropped.load(Ordering::Relaxed), counts.refused.load(Ordering::Relaxed));
    Ok(figures)
}

fn client(fleet: Fleet, exchange: &Exchange, redis: &str) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let settings = match fleet.lost {
        Lost::Refuses => RedisSettings::new(),
        Lost::KeepsToItsShare => {
            let share = QuotaShare::new(1, fleet.processes);
            RedisSettings::new().fallback(Fallback::in_process(share, |_| {}))
        }
    };
    let limits = Arc::new(RedisLimits::new(redis, settings)?);
    let credentials = exchange.keys().credentials();
    Ok(Client::builder(exchange.url()).credentials(credentials).limiter(limits).build()?)
}

/// Places one order after the other; now and then the caller gives up while the call waits.
async fn trade(client: Client, name: String, mut dice: Dice, counts: Arc<Counts>) {
    for number in 0_u64.. {
        let order = Order::new(crate::operation::Family::Unified, &format!("{name}-{number}"));
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
        for (trouble, calls) in &self.calls {
            writeln!(f, "{trouble:28} {calls:>5} calls")?;
        }
        let Rate { calls, most, allowed, beyond } = self.rate;
        writeln!(f, "{calls} calls, {most} in a second at most, {allowed} allowed, {beyond} beyond")?;
        writeln!(f, "{} given up while they waited, {} refused", self.dropped, self.refused)?;
        writeln!(f, "{} violations", self.violations.len())?;
        self.violations.iter().try_for_each(|violation| writeln!(f, "  {violation}"))
    }
}
