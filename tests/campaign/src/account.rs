//! One account: its exchange, its client, and the tasks that share it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::runtime::client::{LimitMode, SigningClock};
use tradeapi::runtime::error::BuildError;
use tradeapi::runtime::transport::TransportLimits;
use tradeapi::{Client, Credentials};
use tradeapi_hostile::{Dice, Exchange, FastClock, Settings as ExchangeSettings};

use crate::busy;
use crate::clock::{ClientClock, ClientTimer};
use crate::conduct::Conduct;
use crate::desk::Desk;
use crate::figures::Figures;
use crate::health;
use crate::judge::judge;
use crate::listing;
use crate::settings::{SKEW, Settings};
use crate::trader::Trader;
use crate::world::World;
use crate::wrong::WrongTransport;

pub(crate) const SECRET: &str = "a secret of the campaign";

/// How long a call may take.
const CALL: Duration = Duration::from_secs(2);

/// Starts an exchange that goes by `clock`.
pub(crate) fn exchange(settings: &Settings, account: u64, world: &World, clock: &FastClock) -> io::Result<Exchange> {
    let mut dice = Dice::new(settings.seed, &format!("account {account}"));
    let skew = SKEW.as_millis() as u64;
    let ahead = dice.below(2 * skew).cast_signed() - skew.cast_signed();
    Exchange::start(ExchangeSettings {
        seed: dice.throw(),
        faults: settings.faults,
        quirks: settings.quirks,
        clock: clock.ahead_by(ahead),
        nodes: world.nodes,
        line: world.line,
        duplicates: world.duplicates,
        secret: SECRET.to_owned(),
    })
}

/// A client as it is by default, but for its clocks and for how long it waits for an answer, unless it is to be wrong.
pub(crate) fn client(settings: &Settings, url: &str, clock: &FastClock) -> Result<Client, BuildError> {
    let builder = Client::builder(url)
        .credentials(Credentials::new("key", SECRET, "passphrase"))
        .clock(ClientClock(clock.clone()))
        .timer(ClientTimer::new(clock.clone()));
    let wrong = || {
        let limits = TransportLimits { call: CALL, ..TransportLimits::default() };
        WrongTransport::new(limits, settings.conduct, clock.clone())
    };
    match settings.conduct {
        Conduct::IgnoresLimits => builder.call_timeout(CALL).limits(LimitMode::Off).build(),
        Conduct::CountsWhenLetGo => builder.transport(wrong()?).limits(LimitMode::Off).build(),
        Conduct::BelievesEveryTime => builder.transport(wrong()?).signing_clock(SigningClock::Own).build(),
        Conduct::TakesAnyAnswer => builder.transport(wrong()?).build(),
        _ => builder.call_timeout(CALL).build(),
    }
}

/// Runs one account to its end, and compares what it says with what is true.
pub(crate) async fn run(settings: Arc<Settings>, account: u64) -> io::Result<Figures> {
    let world = World::of(&settings, account);
    if world.is_busy {
        busy::on_one_thread(move || run_in(settings, account, world)).await
    } else {
        run_in(settings, account, world).await
    }
}

async fn run_in(settings: Arc<Settings>, account: u64, world: World) -> io::Result<Figures> {
    // Its leaps concern nobody else.
    let clock = FastClock::new(settings.speed);
    let exchange = exchange(&settings, account, &world, &clock)?;
    let client = client(&settings, &exchange.url(), &clock).map_err(io::Error::other)?;
    let desk = Desk::new(Arc::clone(&settings), client.core().clone());
    let dice = Dice::new(settings.seed, &format!("thread of {account}"));
    let busy = world.is_busy.then(|| tokio::spawn(busy::hold_up(desk.ledger.clone(), dice)));
    let mut tasks = JoinSet::new();
    for task in 0..settings.tasks {
        // What cannot be divided evenly goes to the first ones.
        let all = settings.accounts * settings.tasks;
        let requests = (settings.placements + all - 1 - (account * settings.tasks + task)) / all;
        let trader = Trader { desk: desk.clone(), name: format!("{}-{task}", settings.name(account)) };
        tasks.spawn(trader.trade(requests));
    }
    tasks.join_all().await;
    let mut violations = Vec::new();
    if matches!(settings.conduct, Conduct::Careful | Conduct::ForgetsTheForgotten) {
        desk.settle_all(&clock).await;
    }
    if settings.conduct == Conduct::Careful {
        violations = listing::compare(&desk.client, &exchange).await;
    }
    if matches!(settings.conduct, Conduct::Careful | Conduct::BelievesEveryTime) {
        exchange.calm();
        health::check(&desk.client, &desk.ledger, &settings.name(account)).await;
    }
    if let Some(busy) = busy {
        busy.abort();
    }
    let ledger = desk.ledger.clone();
    drop((desk, client));
    let (book, mut tally) = exchange.close();
    let (complaints, reached) = ledger.rest();
    tally.add(&reached);
    violations.extend(complaints);
    violations.extend(judge(&ledger.claims(), book.effects()));
    Ok(Figures::of(&ledger, &book, &tally, violations))
}
