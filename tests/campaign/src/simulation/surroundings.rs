//! Events around a client: its thread is blocked, its clock is set, nodes change, and others trade.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join4, select};
use tradeapi::runtime::clock::pause;
use tradeapi_exchange::Node;
use tradeapi_tests::dice::Dice;

use super::TRADING_PERIOD;
use super::world::World;
use crate::counts::Situation;
use crate::deployment::{Clients, LAGGING, WRONG_CLOCK};

/// The distance by which a wall clock is set, in milliseconds.
const SET: u64 = 90_000;

/// Runs something while what surrounds it happens.
pub(super) async fn surround<T>(world: &World<'_>, what: impl Future<Output = T>) -> T {
    match select(pin!(what), pin!(happen(world))).await {
        Either::Left((result, _)) => result,
        Either::Right(((), what)) => what.await,
    }
}

/// Lets everything happen that the deployment has, and never ends.
async fn happen(world: &World<'_>) {
    let deployment = world.deployment;
    let (blocks, fills) = (deployment.is_busy, deployment.clients == Clients::Killed);
    let dice = |purpose| Dice::new(world.seed, purpose);
    let all = (
        now_and_then(blocks, block_thread(world, dice("thread"))),
        now_and_then(deployment.sets_clock, set_clock(world, dice("clock"))),
        now_and_then(deployment.sets_nodes, set_nodes(world, dice("nodes"))),
        now_and_then(fills, fill(world, dice("fills"))),
    );
    join4(all.0, all.1, all.2, all.3).await;
}

async fn now_and_then(happens: bool, what: impl Future<Output = ()>) {
    if happens {
        what.await;
    }
    std::future::pending().await
}

/// Blocks the only thread: time passes without the client running.
async fn block_thread(world: &World<'_>, mut dice: Dice) {
    loop {
        // Longer pauses after trading, when the client mostly waits.
        let most = if world.time.now() < TRADING_PERIOD { 120 } else { 6_000 };
        pause(&world.time, Duration::from_millis(5 + dice.below(most))).await;
        world.clock.leap(Duration::from_millis(1 + dice.below(60)));
        world.ledger.cover(Situation::Blocked);
    }
}

/// Sets the wall clock of the client's machine.
async fn set_clock(world: &World<'_>, mut dice: Dice) {
    loop {
        pause(&world.time, Duration::from_millis(500 + dice.below(30_000))).await;
        let ahead = if dice.percent(30) { 0 } else { dice.below(2 * SET).cast_signed() - SET.cast_signed() };
        world.time.set_wall(ahead);
        world.ledger.cover(Situation::ClockSet);
    }
}

/// Changes the clocks and lags of the exchange's nodes.
async fn set_nodes(world: &World<'_>, mut dice: Dice) {
    const ALL: [&[Node]; 3] = [&[], LAGGING, WRONG_CLOCK];
    loop {
        pause(&world.time, Duration::from_millis(500 + dice.below(40_000))).await;
        world.exchange.set_nodes(ALL[usize::try_from(dice.below(3)).unwrap_or_default()]);
        world.ledger.cover(Situation::NodesSet);
    }
}

/// Others fill orders of the account.
async fn fill(world: &World<'_>, mut dice: Dice) {
    while world.time.now() < 4 * TRADING_PERIOD {
        pause(&world.time, Duration::from_millis(200 + dice.below(4_000))).await;
        if world.exchange.fill_one(&mut dice) {
            world.ledger.cover(Situation::FilledByOthers);
        }
    }
}
