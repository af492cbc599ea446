//! Members of a fleet that lose and find Redis, together or one by one, never exceed a limit together.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tradeapi::runtime::limits::{Fallback, FleetChange, QuotaShare, RedisLimits, RedisSettings};

use super::callers::{MAX_CALLS, PLACE, SECOND, call, ms};
use super::proxy::Proxy;
use super::server::Server;
use super::traffic::{CallerBehavior, PLAIN, Traffic, most_possible};

struct Member {
    limits: RedisLimits,
    proxy: Proxy,
    changes: Arc<Mutex<Vec<FleetChange>>>,
}

impl Member {
    fn of(server: &Server, share: QuotaShare) -> Self {
        let proxy = Proxy::start(server, (ms(0), ms(3)));
        let changes: Arc<Mutex<Vec<FleetChange>>> = Arc::default();
        let log = Arc::clone(&changes);
        let fallback = Fallback::in_process(share, move |change| log.lock().unwrap().push(change.clone()));
        let limits = RedisLimits::new(&proxy.url(), RedisSettings::new().fallback(fallback)).unwrap();
        Self { limits, proxy, changes }
    }

    async fn until_alone(&self, alone: bool) {
        while self.limits.is_alone() != alone {
            tokio::time::sleep(ms(5)).await;
        }
    }

    fn changes(&self) -> usize {
        self.changes.lock().unwrap().len()
    }
}

/// Returns two members with half of the limit each, and the calls of their callers.
fn two(server: &Server) -> ([Member; 2], [Traffic; 2]) {
    let fleet = [(); 2].map(|()| Member::of(server, QuotaShare::new(1, 2)));
    let traffic = [0, 1].map(|index: usize| {
        let mut traffic = Traffic::default();
        for takes in [0, 2, 30, 0] {
            traffic.caller(&fleet[index].limits, call(PLACE), CallerBehavior { takes: ms(takes), ..PLAIN });
        }
        traffic
    });
    (fleet, traffic)
}

#[track_caller]
fn assert_never_too_many(traffic: &[Traffic]) {
    let made: Vec<_> = traffic.iter().flat_map(Traffic::made).collect();
    let most = most_possible(&made, SECOND);
    assert!(most <= MAX_CALLS, "{most} in a second");
}

async fn both_make(traffic: &[Traffic], count: usize) {
    for traffic in traffic {
        traffic.more(count).await;
    }
}

#[tokio::test]
async fn one_of_two_is_cut_off_and_returns() {
    let Some(server) = Server::start() else { return };
    let ([one, other], traffic) = two(&server);
    both_make(&traffic, MAX_CALLS).await;
    for _ in 0..2 {
        one.proxy.cut();
        one.until_alone(true).await;
        // Each member continues.
        both_make(&traffic, 2 * MAX_CALLS).await;
        one.proxy.restore();
        one.until_alone(false).await;
        both_make(&traffic, MAX_CALLS).await;
    }
    assert_never_too_many(&traffic);
    assert!(one.changes() >= 4 && other.changes() % 2 == 0);
}

#[tokio::test]
async fn the_first_to_return_leaves_the_others_their_shares() {
    let Some(server) = Server::start() else { return };
    let ([one, other], traffic) = two(&server);
    both_make(&traffic, MAX_CALLS).await;
    one.proxy.cut();
    other.proxy.cut();
    one.until_alone(true).await;
    other.until_alone(true).await;
    both_make(&traffic, MAX_CALLS).await;
    one.proxy.restore();
    one.until_alone(false).await;
    both_make(&traffic, 2 * MAX_CALLS).await;
    other.proxy.restore();
    other.until_alone(false).await;
    both_make(&traffic, 2 * MAX_CALLS).await;
    assert_never_too_many(&traffic);
}

#[tokio::test]
async fn a_server_that_restarts_while_all_trade() {
    let Some(mut server) = Server::start() else { return };
    let ([one, other], traffic) = two(&server);
    both_make(&traffic, MAX_CALLS).await;
    // For a short and for a long time.
    for pause in [0, 8] {
        server.kill();
        tokio::time::sleep(SECOND * pause).await;
        server.start_again();
        one.until_alone(false).await;
        other.until_alone(false).await;
        both_make(&traffic, MAX_CALLS).await;
    }
    redis::cmd("FLUSHALL").exec(&mut server.connect()).unwrap();
    both_make(&traffic, MAX_CALLS).await;
    assert_never_too_many(&traffic);
}

/// Held-back data is passed on later, so requests are read long after their callers have given up.
#[tokio::test]
async fn a_connection_that_stalls() {
    let Some(server) = Server::start() else { return };
    let ([one, other], traffic) = two(&server);
    both_make(&traffic, MAX_CALLS).await;
    for stall in [300, 900, 5_000] {
        one.proxy.stall();
        tokio::time::sleep(ms(stall)).await;
        one.proxy.restore();
        one.until_alone(false).await;
        both_make(&traffic, MAX_CALLS).await;
    }
    other.until_alone(false).await;
    assert_never_too_many(&traffic);
}

/// One late answer is not a loss.
#[tokio::test]
async fn a_moment_without_redis_does_not_count_as_a_loss() {
    let Some(server) = Server::start() else { return };
    let ([one, _other], traffic) = two(&server);
    both_make(&traffic, MAX_CALLS).await;
    for _ in 0..3 {
        one.proxy.stall();
        tokio::time::sleep(ms(100)).await;
        one.proxy.restore();
        one.proxy.cut();
        one.proxy.restore();
        both_make(&traffic, 3).await;
    }
    assert_eq!(one.changes(), 0);
    assert_never_too_many(&traffic);
}

/// The permits of a process that stalls before its calls stay in use.
#[tokio::test]
async fn a_process_that_pauses_keeps_its_places() {
    let Some(server) = Server::start() else { return };
    let limits = [(); 2].map(|()| RedisLimits::new(&server.url(), RedisSettings::new()).unwrap());
    let mut traffic = Traffic::default();
    let pauses = CallerBehavior { takes: Duration::from_secs(3), ..PLAIN };
    for _ in 0..MAX_CALLS / 2 {
        traffic.caller(&limits[0], call(PLACE), pauses);
    }
    for _ in 0..MAX_CALLS {
        traffic.caller(&limits[1], call(PLACE), PLAIN);
    }
    traffic.more(4 * MAX_CALLS).await;
    assert_never_too_many(&[traffic]);
}
