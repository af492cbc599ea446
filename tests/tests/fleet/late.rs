//! A slow Redis server still works with the default settings.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tradeapi::runtime::limits::{Fallback, FleetChange, QuotaShare, RedisLimits, RedisSettings};

use super::callers::{CANCEL, MAX_CALLS, PLACE, SECOND, call, make, ms};
use super::proxy::Proxy;
use super::server::Server;
use super::traffic::{CallerBehavior, PLAIN, Traffic, most_possible};

const LATE: (Duration, Duration) = (ms(15), ms(60));

type Changes = Arc<Mutex<Vec<FleetChange>>>;

/// Returns two members, each with its own proxy to the server, and their notifications.
fn two(server: &Server, fallback: bool) -> (Vec<(RedisLimits, Proxy)>, Changes) {
    let changes = Changes::default();
    let member = || {
        let proxy = Proxy::start(server, LATE);
        let log = Arc::clone(&changes);
        let settings = match fallback {
            false => RedisSettings::new(),
            true => RedisSettings::new().fallback(Fallback::in_process(QuotaShare::new(1, 2), move |change| {
                log.lock().unwrap().push(change.clone());
            })),
        };
        (RedisLimits::new(&proxy.url(), settings).unwrap(), proxy)
    };
    ((0..2).map(|_| member()).collect(), changes)
}

/// Checks that at least a third of the allowed calls are made, and never more than the limit.
async fn assert_progress(traffic: &Traffic) {
    traffic.more(1).await;
    let start = Instant::now();
    while start.elapsed() < SECOND * 5 {
        tokio::time::sleep(ms(50)).await;
    }
    let (made, lasted) = (traffic.lately(start.elapsed()), start.elapsed());
    assert!(made >= 5 * MAX_CALLS / 3, "{made} in {lasted:?}");
    let most = most_possible(&traffic.made(), SECOND);
    assert!(most <= MAX_CALLS, "{most} in a second");
}

#[tokio::test]
async fn no_member_freezes() {
    let Some(server) = Server::start() else { return };
    for fallback in [false, true] {
        let (fleet, changes) = two(&server, fallback);
        let mut traffic = Traffic::default();
        for (limits, _) in fleet.iter().cycle().take(6) {
            traffic.caller(limits, call(PLACE), PLAIN);
        }
        assert_progress(&traffic).await;
        // Nor do cancellations stall.
        make(&fleet[0].0, call(CANCEL), true).await.unwrap();
        assert!(changes.lock().unwrap().is_empty(), "{changes:?}");
    }
}

/// The permits of callers that give up before an answer are passed on.
#[tokio::test]
async fn impatient_callers_are_served() {
    let Some(server) = Server::start() else { return };
    let (fleet, _) = two(&server, false);
    let mut traffic = Traffic::default();
    for (limits, _) in fleet.iter().cycle().take(8) {
        traffic.caller(limits, call(PLACE), CallerBehavior { patience: ms(12), ..PLAIN });
    }
    assert_progress(&traffic).await;
}

/// Only sent calls count, whether calls are dropped, given back or arrive late.
#[tokio::test]
async fn dropped_calls_neither_free_nor_occupy_a_permit() {
    let Some(server) = Server::start() else { return };
    let (fleet, _) = two(&server, false);
    let mut traffic = Traffic::default();
    for (limits, _) in &fleet {
        for (takes, patience, returns_one_of) in
            [(0, 30, 3), (3, 45, 2), (250, 3_600, 3), (1, 3_600, 2), (40, 20, 5), (0, 3_600, usize::MAX)]
        {
            traffic.caller(
                limits,
                call(PLACE),
                CallerBehavior { takes: ms(takes), patience: ms(patience), returns_one_of },
            );
        }
    }
    assert_progress(&traffic).await;
}

/// A new connection to the exchange takes a quarter of a second before the call is sent.
#[tokio::test]
async fn calls_that_arrive_late_count_when_they_arrive() {
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), RedisSettings::new()).unwrap();
    let mut traffic = Traffic::default();
    for round in 0..24 {
        let takes = if round % 2 == 0 { ms(250) } else { ms(1) };
        traffic.caller(&limits, call(PLACE), CallerBehavior { takes, ..PLAIN });
    }
    assert_progress(&traffic).await;
}
