//! The shared knowledge of a fleet's members.

use std::time::Duration;

use tradeapi::runtime::limits::{Limiter, RateLimitFeedback, RedisLimits, TooMany};
use tradeapi::runtime::tables::{Meta, RateLimit, Scope};
use tradeapi::runtime::wire::PoolReport;

use super::callers::{CANCEL, PLACE, RESTART_PAUSE, SPAN, ask, call, free_in, make, ms, now, settings};
use super::server::Server;

pub(crate) fn two(server: &Server) -> [RedisLimits; 2] {
    [(); 2].map(|()| RedisLimits::new(&server.url(), settings()).unwrap())
}

/// Waits until a new server admits calls.
pub(crate) async fn begin(limits: &RedisLimits) {
    let reservation = ask(limits, call(PLACE), true).await.unwrap();
    limits.give_back(reservation);
}

#[tokio::test]
async fn a_server_without_data_waits_for_a_window() {
    let Some(server) = Server::start() else { return };
    let [one, other] = two(&server);
    // The very first call.
    let pause = free_in(ask(&one, call(PLACE), false).await);
    assert!(pause > Duration::ZERO && pause <= RESTART_PAUSE, "{pause:?}");
    let (first, _) = make(&one, call(PLACE), true).await.unwrap();
    let flushed = now();
    redis::cmd("FLUSHALL").exec(&mut server.connect()).unwrap();
    let (second, _) = make(&other, call(PLACE), true).await.unwrap();
    assert!(second >= flushed + SPAN && flushed >= first, "{first:?} {flushed:?} {second:?}");
}

/// The answer does not state which window is full.
#[tokio::test]
async fn a_429_closes_a_long_window_for_the_longest_pause() {
    const WINDOWS: &[RateLimit] = &[RateLimit::per_uid(10_000).every(2), RateLimit::per_uid(10_000).every(10)];
    const LONG: &Meta = &Meta { id: "unified.long", limits: WINDOWS, ..*PLACE };
    const PAUSE: Duration = ms(4_000);
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings().longest_pause(PAUSE)).unwrap();
    let too_many =
        RateLimitFeedback::new(Some(TooMany { of_everything: true, retry_after: None, refused_for: None }), None);
    limits.give_back(ask(&limits, call(LONG), true).await.unwrap());
    let pause = loop {
        match ask(&limits, call(LONG), false).await {
            Ok(reservation) => limits.answered(reservation, too_many),
            denied => break free_in(denied),
        }
    };
    assert!(pause <= PAUSE, "{pause:?}");
}

/// The header shows that a caller outside of the fleet uses the limit.
#[tokio::test]
async fn calls_from_outside_the_fleet_are_counted() {
    let Some(server) = Server::start() else { return };
    let [one, other] = two(&server);
    begin(&one).await;
    let reservation = ask(&one, call(PLACE), true).await.unwrap();
    one.answered(reservation, RateLimitFeedback::new(None, Some(0)));
    // The header has none left although the own count has nine, so no call is admitted for a window.
    while ask(&other, call(PLACE), false).await.map(|reservation| other.give_back(reservation)).is_ok() {}
}

#[tokio::test]
async fn cancellations_overtake_waiting_calls_of_other_members() {
    let Some(server) = Server::start() else { return };
    let limits = || RedisLimits::new(&server.url(), settings().ahead(ms(1)).overall(1, 1, Scope::Uid)).unwrap();
    let one = limits();
    begin(&one).await;
    make(&one, call(PLACE), true).await.unwrap();
    let spawn = |limits: &RedisLimits, meta| {
        let limits = limits.clone();
        tokio::spawn(async move { make(&limits, call(meta), true).await.unwrap().0 })
    };
    let places = [(); 3].map(|()| spawn(&limits(), PLACE));
    // After the requests of the others.
    tokio::time::sleep(ms(300)).await;
    let other = limits();
    let mut last = Duration::ZERO;
    for cancel in [(); 2].map(|()| spawn(&other, CANCEL)) {
        last = last.max(cancel.await.unwrap());
    }
    for place in places {
        assert!(place.await.unwrap() > last);
    }
}

/// A permit is reserved for a cancellation that has to retry.
#[tokio::test]
async fn a_permit_is_reserved_for_a_cancellation() {
    let Some(server) = Server::start() else { return };
    let limits = || RedisLimits::new(&server.url(), settings().ahead(ms(1)).overall(1, 1, Scope::Uid)).unwrap();
    let (one, other) = (limits(), limits());
    begin(&one).await;
    let (first, _) = make(&one, call(PLACE), true).await.unwrap();
    let cancel = tokio::spawn(async move { make(&other, call(CANCEL), true).await.map(drop) });
    tokio::time::sleep(ms(300)).await;
    cancel.abort();
    let (next, _) = make(&one, call(PLACE), true).await.unwrap();
    assert!(next > first + SPAN + ms(50), "{:?}", next - first);
}

const POOLED: &Meta =
    &Meta { id: "mini.pooled", limits: &[RateLimit::per_ip(10).every(10).pool("requests", 1)], ..Meta::DEFAULT };

/// A pool report to one member applies to the other, and never admits more.
#[tokio::test]
async fn pool_reports_are_shared_by_the_fleet() {
    let Some(server) = Server::start() else { return };
    let [one, other] = two(&server);
    let reported = |remaining, reset| {
        let report = PoolReport::new("requests", remaining).reset_in(reset);
        RateLimitFeedback::default().of_pools([Some(report), None, None, None])
    };
    let tell = async |limits: &RedisLimits, feedback| {
        let mut reservation = ask(limits, call(POOLED), true).await.unwrap();
        limits.sent(&mut reservation);
        limits.answered(reservation, feedback);
        tokio::time::sleep(ms(400)).await;
    };
    let room = async |limits: &RedisLimits| {
        let mut all = Vec::new();
        while let Ok(reservation) = ask(limits, call(POOLED), false).await {
            all.push(reservation);
        }
        let count = all.len();
        all.into_iter().for_each(|reservation| limits.give_back(reservation));
        tokio::time::sleep(ms(200)).await;
        count
    };
    tell(&one, reported(3, ms(1_500))).await;
    assert_eq!(room(&other).await, 3);
    // By then, the use of others has expired; the own call has not.
    tokio::time::sleep(ms(1_500)).await;
    assert_eq!(room(&other).await, 9);
    tell(&one, reported(1_000, Duration::ZERO)).await;
    assert_eq!(room(&other).await, 8);
}
