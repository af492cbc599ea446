//! One account: its exchange, its client, and the tasks that share it.

use std::collections::BTreeSet;
use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use crate::exchange::{Exchange, Terms};
use crate::fast::FastClock;
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use tradeapi::Client;
use tradeapi::runtime::client::{LimitMode, SigningClock};
use tradeapi::runtime::clock::Environment;
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::limits::InProcessLimits;
use tradeapi::runtime::transport::{HyperTransport, Transport, TransportLimits};
use tradeapi_exchange::{Hostility, Keys, Seed};
use tradeapi_tests::dice::Dice;

use crate::busy;
use crate::clock::FastEnvironment;
use crate::conduct::Conduct;
use crate::desk::Desk;
use crate::figures::Figures;
use crate::health;
use crate::judge::{Violation, judge};
use crate::listing;
use crate::settings::{SKEW, Settings};
use crate::trader::Trader;
use crate::world::World;
use crate::wrong::WrongTransport;

/// How long a call may take.
pub(crate) const CALL: Duration = Duration::from_secs(2);

/// How the exchange of an account behaves, by `clock`.
pub(crate) fn exchange(settings: &Settings, account: u64, world: &World, clock: &FastClock) -> Terms {
    let mut dice = Dice::new(settings.seed, &format!("account {account}"));
    let skew = SKEW.as_millis() as u64;
    let ahead = dice.below(2 * skew).cast_signed() - skew.cast_signed();
    let mut hostility = Hostility::new(Seed(dice.throw()), settings.faults, settings.quirks);
    (hostility.nodes, hostility.speed) = (world.nodes.to_vec(), clock.speed());
    Terms { hostility, clock: clock.ahead_by(ahead), line: world.line, duplicates: world.duplicates }
}

/// A client over sockets.
pub(crate) fn client_over_sockets(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
) -> Result<Client, BuildError> {
    let limits = TransportLimits { call: CALL, ..TransportLimits::default() };
    client(settings, url, keys, clock, HyperTransport::new(limits)?, || FastEnvironment::new(clock.clone()))
}

/// A client with the defaults, except for its environment and its transport, unless it is to be wrong.
pub(crate) fn client<T: Transport + 'static, E: Environment + 'static>(
    settings: &Arc<Settings>,
    url: &str,
    keys: &Keys,
    clock: &FastClock,
    transport: T,
    environment: impl Fn() -> E,
) -> Result<Client, BuildError> {
    let builder = Client::builder(url).credentials(keys.credentials()).environment(environment());
    // Limits are counted by the real clock.
    let builder = match clock.speed() {
        1 => builder,
        _ => builder.limiter(Arc::<InProcessLimits>::default()),
    };
    let wrong = |inner| WrongTransport::new(inner, environment(), Arc::clone(settings), clock.clone());
    match settings.conduct {
        Conduct::IgnoresLimits => builder.transport(transport).limits(LimitMode::Off).build(),
        Conduct::CountsWhenLetGo => builder.transport(wrong(transport)).limits(LimitMode::Off).build(),
        Conduct::BelievesEveryTime => builder.transport(wrong(transport)).signing_clock(SigningClock::Own).build(),
        Conduct::TakesAnyAnswer => builder.transport(wrong(transport)).build(),
        _ => builder.transport(transport).build(),
    }
}

/// Runs one account over sockets to its end, and compares what it says with what is true.
pub(crate) async fn run(settings: Arc<Settings>, account: u64) -> io::Result<Figures> {
    let world = World::of(&settings, account);
    if world.is_busy {
        busy::on_one_thread(move || run_in(settings, account, world)).await
    } else {
        run_in(settings, account, world).await
    }
}

async fn run_in(settings: Arc<Settings>, account: u64, world: World) -> io::Result<Figures> {
    // Its leaps concern no other account.
    let clock = FastClock::new(settings.speed);
    let exchange = Exchange::start(self::exchange(&settings, account, &world, &clock))?;
    let client = client_over_sockets(&settings, &exchange.url(), exchange.keys(), &clock).map_err(io::Error::other)?;
    let desk = Desk::new(Arc::clone(&settings), client.core().clone());
    let dice = Dice::new(settings.seed, &format!("thread of {account}"));
    let busy = world.is_busy.then(|| tokio::spawn(busy::hold_up(desk.ledger.clone(), dice)));
    let figures = trade(desk, &exchange, &clock, account, None, pending()).await;
    if let Some(busy) = busy {
        busy.abort();
    }
    Ok(figures)
}

/// Trades over `desk` until every outcome is known that a query can decide, while `beside` goes on, and compares what the client says with what
/// is true. Makes only some of the `requests`, each the number of its task and its own, if they are given.
pub(crate) async fn trade(
    desk: Desk,
    exchange: &Exchange,
    clock: &FastClock,
    account: u64,
    requests: Option<&BTreeSet<(u64, u64)>>,
    beside: impl Future<Output = ()>,
) -> Figures {
    let ledger = desk.ledger.clone();
    let mut violations = match select(pin!(to_the_end(desk, exchange, clock, account, requests)), pin!(beside)).await {
        Either::Left((violations, _)) => violations,
        Either::Right(((), rest)) => rest.await,
    };
    let (book, mut counts) = exchange.close();
    let (complaints, reached) = ledger.rest();
    counts.add(&reached);
    violations.extend(complaints);
    violations.extend(ledger.look(|claims| judge(claims, book.effects())));
    Figures::of(&ledger, &book, &counts, violations)
}

async fn to_the_end(
    desk: Desk,
    exchange: &Exchange,
    clock: &FastClock,
    account: u64,
    requests: Option<&BTreeSet<(u64, u64)>>,
) -> Vec<Violation> {
    let settings = Arc::clone(&desk.settings);
    let trader = |task| Trader { desk: desk.clone(), name: format!("{}-{task}", settings.name(account)) };
    let trade = |task| {
        let is_made = move |request| requests.is_none_or(|requests| requests.contains(&(task, request)));
        trader(task).trade(settings.requests_of(account, task), is_made)
    };
    (0..settings.tasks).map(trade).collect::<FuturesUnordered<_>>().collect::<()>().await;
    let mut violations = Vec::new();
    if matches!(settings.conduct, Conduct::Careful | Conduct::ForgetsTheForgotten) {
        desk.settle_all(clock).await;
    }
    if settings.conduct == Conduct::Careful {
        violations = listing::compare(&desk.client, exchange).await;
    }
    if matches!(settings.conduct, Conduct::Careful | Conduct::BelievesEveryTime) {
        exchange.calm();
        health::check(&desk.client, &desk.ledger, &settings, &settings.name(account)).await;
    }
    violations
}
