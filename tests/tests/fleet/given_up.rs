//! Calls that were given up keep their places in the fleet until they can no longer arrive.

use std::time::{Duration, Instant};

use tradeapi::Timestamp;
use tradeapi::runtime::limits::{Limiter, RateLimitFeedback, RedisLimits, RedisSettings};

use super::callers::{CANCEL, MAX_CALLS, PLACE, SECOND, ask, call, ms, settings};
use super::server::Server;

/// Returns two members of a fleet, one of which has given up as many calls as a second allows, and when.
async fn after_a_stall(server: &Server, settings: RedisSettings) -> ([RedisLimits; 2], Instant) {
    let members = [(); 2].map(|()| RedisLimits::new(&server.url(), settings.clone()).unwrap());
    let mut given_up = Vec::new();
    for _ in 0..MAX_CALLS {
        let mut reservation = ask(&members[0], call(PLACE), true).await.unwrap();
        members[0].sent(&mut reservation);
        given_up.push(reservation);
    }
    given_up.into_iter().for_each(|reservation| members[0].lost(reservation));
    (members, Instant::now())
}

/// Returns how long after `since` another call is admitted.
async fn next_admission(limits: &RedisLimits, since: Instant) -> Duration {
    limits.give_back(ask(limits, call(PLACE), true).await.unwrap());
    since.elapsed()
}

#[tokio::test]
async fn calls_that_were_given_up_keep_their_places() {
    let Some(server) = Server::start() else { return };
    let held_back = SECOND * 4;
    let ([_first, other], since) = after_a_stall(&server, settings().held_back(held_back)).await;
    let waited = next_admission(&other, since).await;
    // They were sent a little before.
    assert!(waited > held_back, "{waited:?}");
}

/// The place of a process that dies is kept for as long, even if its lease is shorter.
#[tokio::test]
async fn the_calls_of_a_process_that_died_keep_their_places() {
    let Some(server) = Server::start() else { return };
    let held_back = SECOND * 4;
    let settings = settings().held_back(held_back).lease(ms(100));
    let members = [(); 2].map(|()| RedisLimits::new(&server.url(), settings.clone()).unwrap());
    for _ in 0..MAX_CALLS {
        let _never_reported = ask(&members[0], call(PLACE), true).await.unwrap();
    }
    let waited = next_admission(&members[1], Instant::now()).await;
    assert!(waited > held_back, "{waited:?}");
}

/// A response of the exchange to a call that was sent after that shows that the network holds nothing back.
#[tokio::test]
async fn a_later_response_frees_the_places() {
    let Some(server) = Server::start() else { return };
    let ([first, other], since) = after_a_stall(&server, settings().held_back(SECOND * 30).late_arrival(ms(500))).await;
    let mut later = ask(&first, call(CANCEL), true).await.unwrap();
    first.sent(&mut later);
    // Of a gateway, which may answer by itself.
    first.answered(later, RateLimitFeedback::default());
    let mut later = ask(&first, call(CANCEL), true).await.unwrap();
    first.sent(&mut later);
    assert!(tokio::time::timeout(SECOND * 3, ask(&other, call(PLACE), true)).await.is_err());
    first.answered(later, RateLimitFeedback::default().at(Timestamp::now()));
    let waited = next_admission(&other, since).await;
    assert!(waited < SECOND * 15, "{waited:?}");
}
