//! The clock of Redis is set while limits are kept.

use std::time::{Duration, Instant};

use tradeapi::runtime::limits::{Limiter, RateLimitFeedback, RedisLimits, RedisSettings, TooMany};

use super::callers::{CANCEL, MAX_CALLS, PLACE, SECOND, ask, call, free_in, ms};
use super::proxy::{Proxy, set_clock};
use super::server::Server;
use super::traffic::{PLAIN, Traffic, most_possible};

/// Longer than any pause of a limit.
const LONG: Duration = Duration::from_secs(120);

fn one(server: &Server) -> (RedisLimits, Proxy) {
    let proxy = Proxy::start(server, (ms(0), ms(2)));
    (RedisLimits::new(&proxy.url(), RedisSettings::new()).unwrap(), proxy)
}

#[tokio::test]
async fn no_limit_is_exceeded_and_no_member_freezes() {
    let Some(server) = Server::start() else { return };
    let fleet = [(); 2].map(|()| one(&server));
    let mut traffic = Traffic::default();
    for (limits, _) in fleet.iter().cycle().take(8) {
        traffic.caller(limits, call(PLACE), PLAIN);
    }
    traffic.more(MAX_CALLS).await;
    for seconds in [-3_600, -3_601, 0, 3_600, 3_602, 3_590, 0] {
        set_clock(&server, seconds);
        let set = Instant::now();
        traffic.more(2 * MAX_CALLS).await;
        assert!(set.elapsed() < LONG);
    }
    let most = most_possible(&traffic.made(), SECOND);
    assert!(most <= MAX_CALLS, "{most} in a second");
}

#[tokio::test]
async fn a_429_pauses_for_a_window_by_any_clock() {
    let Some(server) = Server::start() else { return };
    let (limits, _proxy) = one(&server);
    let reservation = ask(&limits, call(PLACE), true).await.unwrap();
    limits.answered(
        reservation,
        RateLimitFeedback::new(Some(TooMany { of_everything: true, retry_after: None, refused_for: None }), None),
    );
    tokio::time::sleep(ms(200)).await;
    set_clock(&server, -3_600);
    let set = Instant::now();
    let reservation = ask(&limits, call(PLACE), true).await.unwrap();
    assert!(set.elapsed() < LONG);
    limits.give_back(reservation);
}

/// An absurd time to wait is bounded, for all processes and new ones; cancellations continue after a window.
#[tokio::test]
async fn no_answer_blocks_calls_for_long() {
    let Some(server) = Server::start() else { return };
    let (limits, _proxy) = one(&server);
    let day = Duration::from_secs(24 * 3_600);
    for meta in [PLACE, CANCEL] {
        let reservation = ask(&limits, call(meta), true).await.unwrap();
        limits.answered(
            reservation,
            RateLimitFeedback::new(
                Some(TooMany { of_everything: true, retry_after: Some(day), refused_for: None }),
                None,
            ),
        );
    }
    let (anew, _proxy) = one(&server);
    let pause = loop {
        match ask(&anew, call(PLACE), false).await {
            Ok(reservation) => anew.give_back(reservation),
            denied => break free_in(denied),
        }
    };
    assert!(pause <= LONG, "{pause:?}");
    let reservation = ask(&anew, call(CANCEL), true).await.unwrap();
    anew.give_back(reservation);
    assert!(free_in(ask(&anew, call(PLACE), false).await) > SECOND * 3, "cancels have waited for long");
}
