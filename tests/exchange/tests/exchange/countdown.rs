//! The guard that keeps a countdown running: while the program lives nothing is cancelled, when it is dead everything is,
//! and it tells when that may have happened.

use std::time::Duration;

use tradeapi::observed::CountdownCancelAll;
use tradeapi::runtime::clock::pause;
use tradeapi::runtime::countdown::{Countdown, NotKept};
use tradeapi::unified::Side;
use tradeapi::{Client, Error};
use tradeapi_exchange::{Exchange, Family, Fault, FaultKind, FaultTarget, Seed};

use crate::fixture::limit;

const LENGTH: Duration = Duration::from_secs(30);

/// Returns an exchange with an open order, its client, and a countdown.
async fn with_an_order() -> (Exchange, Client, Countdown<CountdownCancelAll>) {
    let exchange = Exchange::new(Seed(7));
    let client = exchange.client();
    exchange.time().run(client.unified().place_order(&limit("a", Side::Buy, "0.01", "60000"))).await.unwrap();
    let countdown = Countdown::new(client.core(), LENGTH, CountdownCancelAll::new);
    (exchange, client, countdown)
}

fn open(exchange: &Exchange) -> usize {
    exchange.account(exchange.keys(), Family::Unified).open_orders.len()
}

fn seconds(exchange: &Exchange, seconds: u64) {
    exchange.time().advance(Duration::from_secs(seconds));
}

/// Lets the exchange fail the next requests of the countdown.
fn fail(exchange: &Exchange, kind: FaultKind, times: u32) {
    let countdown = FaultTarget::Operation("observed.countdown-cancel-all".into());
    exchange.add_fault(Fault::new(kind).target(countdown).times(times));
}

/// Keeps the countdown running for so many seconds, and then drops the future, as a crash does.
async fn keep(exchange: &Exchange, countdown: &mut Countdown<CountdownCancelAll>, alive: u64) -> Option<NotKept> {
    let client = exchange.client();
    let environment = client.core().environment();
    let run = async {
        tokio::select! {
            ended = countdown.keep() => Some(ended),
            () = pause(environment, Duration::from_secs(alive)) => None,
        }
    };
    exchange.time().run(run).await
}

#[tokio::test]
async fn orders_stay_while_the_program_lives_and_are_cancelled_when_it_is_dead() {
    let (exchange, _client, mut countdown) = with_an_order().await;
    assert!(keep(&exchange, &mut countdown, 600).await.is_none());
    assert_eq!((open(&exchange), countdown.may_have_fired()), (1, None));
    drop(countdown);
    seconds(&exchange, 19);
    assert_eq!(open(&exchange), 1);
    seconds(&exchange, 12);
    assert_eq!(open(&exchange), 0, "the process is dead");
}

/// Answers that never come delay no renewal.
#[tokio::test]
async fn two_silent_renewals_are_made_up_for() {
    let (exchange, _client, mut countdown) = with_an_order().await;
    exchange.time().run(countdown.renew()).await.unwrap();
    seconds(&exchange, 1);
    let countdowns = FaultTarget::Operation("observed.countdown-cancel-all".into());
    let silent = Fault::new(FaultKind::Drop).target(countdowns).delay(Duration::from_secs(120)).times(2);
    exchange.add_fault(silent);
    assert!(keep(&exchange, &mut countdown, 120).await.is_none());
    assert_eq!((open(&exchange), countdown.may_have_fired()), (1, None));
}

#[tokio::test]
async fn an_end_leaves_the_orders() {
    let (exchange, _client, mut countdown) = with_an_order().await;
    assert!(keep(&exchange, &mut countdown, 15).await.is_none());
    exchange.time().run(countdown.end()).await.unwrap();
    seconds(&exchange, 600);
    assert_eq!((open(&exchange), countdown.may_have_fired()), (1, None));
}

/// A failed end is sent again while the countdown may run. After that, the error says that everything may be cancelled.
#[tokio::test]
async fn a_failed_end_is_repeated_or_told() {
    let (exchange, _client, mut countdown) = with_an_order().await;
    exchange.time().run(countdown.renew()).await.unwrap();
    fail(&exchange, FaultKind::Drop, 2);
    exchange.time().run(countdown.end()).await.unwrap();
    seconds(&exchange, 600);
    assert_eq!((open(&exchange), countdown.may_have_fired()), (1, None));

    exchange.time().run(countdown.renew()).await.unwrap();
    let begun = exchange.time().now();
    fail(&exchange, FaultKind::Drop, 100);
    let not_ended = exchange.time().run(countdown.end()).await.unwrap_err();
    let since = not_ended.times.map(|times| times.since - begun);
    assert!(since.is_some_and(|since| since <= LENGTH), "{not_ended}");
    seconds(&exchange, 1);
    assert_eq!(open(&exchange), 0);

    // Nothing was started, so nothing can be cancelled.
    let (exchange, client, _) = with_an_order().await;
    fail(&exchange, FaultKind::Drop, 1);
    let mut idle = Countdown::new(client.core(), LENGTH, CountdownCancelAll::new);
    assert_eq!(exchange.time().run(idle.end()).await.unwrap_err().times, None);
}

/// A renewal without an answer is followed by the next one, in time.
#[tokio::test]
async fn two_lost_renewals_are_made_up_for() {
    let (exchange, _client, mut countdown) = with_an_order().await;
    exchange.time().run(countdown.renew()).await.unwrap();
    for kind in [FaultKind::Drop, FaultKind::Lose] {
        seconds(&exchange, 9);
        fail(&exchange, kind, 1);
        let failed = exchange.time().run(countdown.renew()).await;
        assert!(matches!(failed, Err(Error::Unknown(_))));
    }
    seconds(&exchange, 9);
    exchange.time().run(countdown.renew()).await.unwrap();
    assert_eq!((open(&exchange), countdown.may_have_fired()), (1, None));
    // One of the lost renewals may still arrive, so that the end is sent again when none can.
    let begun = exchange.time().now();
    exchange.time().run(countdown.end()).await.unwrap();
    assert!(
        exchange.time().now() - begun >= Duration::from_secs(20),
        "it waits until the lost ones can have no effect"
    );
    seconds(&exchange, 600);
    assert_eq!(open(&exchange), 1);
}

/// Whatever fails, a countdown that has fired is told, and told again once it is known until when it may have been.
#[tokio::test]
async fn a_countdown_that_has_fired_is_told() {
    for kind in [FaultKind::Drop, FaultKind::Lose, FaultKind::Gateway] {
        let (exchange, _client, mut countdown) = with_an_order().await;
        exchange.time().run(countdown.renew()).await.unwrap();
        let begun = exchange.time().now();
        fail(&exchange, kind.clone(), 5);
        let ended = keep(&exchange, &mut countdown, 300).await;
        let Some(NotKept::MayHaveFired { times, error }) = ended else { panic!("{kind:?}: {ended:?}") };
        assert!(times.since >= begun && times.since - begun <= LENGTH + Duration::from_secs(1), "{times}");
        assert!(times.until.is_none() && error.is_some());
        let again = keep(&exchange, &mut countdown, 300).await;
        let Some(NotKept::MayHaveFired { times, .. }) = again else { panic!("{kind:?}: {again:?}") };
        assert!(times.until.is_some_and(|until| until >= times.since), "{times}");
        assert!(keep(&exchange, &mut countdown, 300).await.is_none(), "it goes on");
    }
    // A program that was stopped for a while learns it by its next renewal.
    let (exchange, _client, mut countdown) = with_an_order().await;
    exchange.time().run(countdown.renew()).await.unwrap();
    seconds(&exchange, 31);
    assert!(countdown.may_have_fired().is_some_and(|times| times.until.is_none()));
    exchange.time().run(countdown.renew()).await.unwrap();
    assert!(countdown.may_have_fired().is_some_and(|times| times.until.is_some()));
    assert_eq!(open(&exchange), 0);
}

#[tokio::test]
async fn a_countdown_that_is_refused_is_not_started() {
    let (exchange, client, _) = with_an_order().await;
    let mut short = Countdown::new(client.core(), Duration::from_secs(4), CountdownCancelAll::new);
    let ended = keep(&exchange, &mut short, 60).await;
    let Some(NotKept::NotStarted(error)) = ended else { panic!("{ended:?}") };
    assert!(matches!(*error, Error::Refused(_)), "{error}");
    exchange.refuse_next("40014");
    let mut countdown = Countdown::new(client.core(), LENGTH, CountdownCancelAll::new);
    assert!(matches!(keep(&exchange, &mut countdown, 60).await, Some(NotKept::NotStarted(_))));
    assert_eq!((open(&exchange), short.may_have_fired()), (1, None));
}

/// A renewal that arrives after the end would start a countdown that nothing keeps running, also one that is shorter than
/// a signature is valid.
#[tokio::test]
async fn a_renewal_that_is_late_starts_no_countdown_after_the_end() {
    for late in [1, 5, 12, 19, 25] {
        let (exchange, client, _) = with_an_order().await;
        let mut countdown = Countdown::new(client.core(), Duration::from_secs(10), CountdownCancelAll::new);
        exchange.time().run(countdown.renew()).await.unwrap();
        let arrives = exchange.time().now() + Duration::from_secs(late);
        fail(&exchange, FaultKind::Drop, 1);
        exchange.time().run(countdown.renew()).await.unwrap_err();
        let environment = client.core().environment();
        let arrival = async {
            pause(environment, arrives - exchange.time().now()).await;
            client.observed().countdown_cancel_all(&CountdownCancelAll::new(10)).await.unwrap();
        };
        let (ended, ()) = exchange.time().run(async { tokio::join!(countdown.end(), arrival) }).await;
        ended.unwrap();
        seconds(&exchange, 600);
        assert_eq!(open(&exchange), 1, "late by {late} s");
    }
}
