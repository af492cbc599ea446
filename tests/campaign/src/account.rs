//! One account: its exchange, its client, and the tasks that share it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::runtime::{BuildError, Clock, Counted, InProcessLimits, LimitMode, LimitSettings};
use tradeapi::{Client, Credentials, Timestamp};
use tradeapi_exchange::{Dice, Exchange, FastClock, Settings as ExchangeSettings};

use crate::conduct::Conduct;
use crate::desk::Desk;
use crate::figures::Figures;
use crate::judge::judge;
use crate::listing;
use crate::settings::{SKEW, Settings};
use crate::trader::Trader;

pub(crate) const SECRET: &str = "a secret of the campaign";

/// How long a call may take.
const CALL: Duration = Duration::from_secs(2);

struct ClientClock(FastClock);

impl Clock for ClientClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.now())
    }
}

/// Starts an exchange that goes by `clock`.
pub(crate) fn exchange(settings: &Settings, account: u64, clock: FastClock) -> io::Result<Exchange> {
    let mut dice = Dice::new(settings.seed, &format!("account {account}"));
    let skew = SKEW.as_millis() as u64;
    let ahead = dice.below(2 * skew).cast_signed() - skew.cast_signed();
    let clock = clock.ahead_by(ahead);
    Exchange::start(ExchangeSettings { seed: dice.throw(), faults: settings.faults, clock, secret: SECRET.to_owned() })
}

pub(crate) fn client(settings: &Settings, url: &str, clock: FastClock) -> Result<Client, BuildError> {
    // Counted so, no trip of a request can bring the calls of two windows into one.
    let limits = LimitSettings::new().counted(Counted::WhenAnswered);
    let mode = if settings.conduct == Conduct::IgnoresLimits { LimitMode::Off } else { LimitMode::Wait };
    Client::builder(url)
        .credentials(Credentials::new("key", SECRET, "passphrase"))
        .clock(ClientClock(clock))
        .limiter(Arc::new(InProcessLimits::new(limits)))
        .limits(mode)
        .call_timeout(CALL)
        .build()
}

/// Runs one account to its end, and compares what it says with what is true.
pub(crate) async fn run(settings: Arc<Settings>, account: u64, clock: FastClock) -> io::Result<Figures> {
    let exchange = exchange(&settings, account, clock)?;
    let client = client(&settings, &exchange.url(), clock).map_err(io::Error::other)?;
    let desk = Desk::new(Arc::clone(&settings), client.core().clone());
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
    if settings.conduct == Conduct::Careful {
        settle(&desk).await;
        violations = listing::compare(&desk.client, &exchange).await;
    }
    let ledger = desk.ledger.clone();
    drop((desk, client));
    let (book, tally) = exchange.close();
    violations.extend(judge(&ledger, &book));
    Ok(Figures::of(&ledger, &tally, violations))
}

/// Asks once more for all that is unknown, now that an absence proves something.
async fn settle(desk: &Desk) {
    // What was to come late comes until then, too.
    tokio::time::sleep(desk.settings.until_absence_proves()).await;
    let mut tasks = JoinSet::new();
    // All at once, they would only wait for each other while their time runs out.
    for _ in 0..desk.settings.tasks {
        let desk = desk.clone();
        tasks.spawn(async move {
            while let Some(what) = desk.take_later() {
                what(desk.clone()).await;
            }
        });
    }
    tasks.join_all().await;
}
