//! The cost of the limiter per call: admitting, counting and releasing, with logs as full as under load.
//!
//! `cargo bench -p tradeapi-tests --bench limits`

mod measure;
#[path = "../tests/fleet/server.rs"]
#[allow(dead_code, clippy::unwrap_used, reason = "not every bench needs all of it, and a bench fails by panicking")]
mod server;

use std::sync::Mutex;

use measure::Race;
use measure::leaping::Leaping;
use tradeapi::runtime::clock::Timer;
use tradeapi::runtime::limits::{
    Admission, Call, Classes, InProcessLimits, LimitSettings, Limiter, RateLimitFeedback, RedisLimits, RedisSettings,
};
use tradeapi::runtime::{Account, Operation};
use tradeapi::unified::{CancelOrder, Category, Execution, OrderId, OrderRef, PlaceOrder, Side};

fn pass(limits: &InProcessLimits, call: Call<'_>, signs: RateLimitFeedback) -> bool {
    let Admission::Now(Ok(mut reservation)) = limits.admit(call, false) else { return false };
    limits.sent(&mut reservation);
    limits.answered(reservation, signs);
    true
}

fn check(limits: &InProcessLimits, call: Call<'_>) -> bool {
    let Admission::Now(Ok(reservation)) = limits.admit(call, false) else { return false };
    limits.give_back(reservation);
    true
}

fn main() {
    let cancel = CancelOrder::new(OrderRef::OrderId(OrderId::from("1")));
    let order = PlaceOrder::new(Category::Spot, "BTCUSDT", 1_u32, Side::Buy, Execution::Market);
    let account = Account::default();
    let usual = Classes::new();
    let by_symbol = Classes::new().when("reality", "symbol", |symbol| symbol.starts_with('r'));
    let limits = InProcessLimits::with_timer(LimitSettings::new(), Leaping::default());
    // Several operations, so that a lookup has something to search.
    for meta in [CancelOrder::META, PlaceOrder::META] {
        for account in ["", "1", "2", "3"] {
            (0..100).for_each(|_| {
                assert!(pass(&limits, Call::new(meta).counted_for(account, ""), RateLimitFeedback::default()))
            });
        }
    }
    let clock = Leaping::default();
    let mutex = Mutex::new(0_u64);
    Race::new("the limiter, uncontended")
        .way("admit, sent, answered", || {
            pass(&limits, Call::of(&cancel, &usual, &account), RateLimitFeedback::default())
        })
        .way("the same, with a header to learn from", || {
            pass(&limits, Call::of(&cancel, &usual, &account), RateLimitFeedback::new(None, Some(9)))
        })
        .way("the same, with a class by symbol", || {
            pass(&limits, Call::of(&order, &by_symbol, &account), RateLimitFeedback::default())
        })
        .way("admit, give back", || check(&limits, Call::of(&cancel, &usual, &account)))
        .way("choosing the rows alone", || Call::of(&cancel, &usual, &account))
        .way("floor: two looks at the clock", || (clock.now(), clock.now()))
        .way("floor: two locks", || {
            for _ in 0..2 {
                *mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
            }
        })
        .run();
    fleet(Call::new(CancelOrder::META));
}

/// Times the same over a Redis server on loopback, if it is installed.
fn fleet(call: Call<'_>) {
    let Some(server) = server::Server::start() else { return };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    let Ok(redis) = RedisLimits::new(&server.url(), RedisSettings::new()) else { return };
    let admit = |wait| match redis.admit(call, wait) {
        Admission::Later(later) => runtime.block_on(later).map(|reservation| redis.give_back(reservation)).is_ok(),
        Admission::Now(_) => false,
    };
    // The first call waits for a window.
    assert!(admit(true));
    let in_process = InProcessLimits::new(LimitSettings::new());
    Race::new("the limiter of a fleet, over loopback")
        .way("admit, give back, with the next question", || admit(false))
        .way("the same in the process", || check(&in_process, call))
        .run();
}
