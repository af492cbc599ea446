//! A process that loses its fleet keeps to its share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::JoinSet;
use tradeapi::runtime::error::LimiterErrorKind;
use tradeapi::runtime::limits::{Fallback, FleetChange, QuotaShare, RedisLimits};

use super::callers::{MAX_CALLS, PLACE, SECOND, call, failure_kind, make, most_in_any, ms, now, settings};
use super::server::Server;

type Changes = Arc<Mutex<Vec<FleetChange>>>;

fn one_of_two(server: &Server, share: QuotaShare) -> (RedisLimits, Changes) {
    let changes = Changes::default();
    let log = Arc::clone(&changes);
    let fallback = Fallback::in_process(share, move |change| log.lock().unwrap().push(change.clone()));
    (RedisLimits::new(&server.url(), settings().timeout(SECOND).fallback(fallback)).unwrap(), changes)
}

/// Two processes never exceed the limit of any second while Redis is lost and found.
#[tokio::test]
async fn shares_are_used_while_redis_is_lost() {
    let Some(mut server) = Server::start() else { return };
    let fleet = [(); 2].map(|()| one_of_two(&server, QuotaShare::new(1, 2)));
    let sent: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let mut tasks = JoinSet::new();
    for (limits, _) in fleet.iter().cycle().take(8) {
        let (limits, sent) = (limits.clone(), Arc::clone(&sent));
        tasks.spawn(async move {
            loop {
                let (_, at) = make(&limits, call(PLACE), true).await.unwrap();
                sent.lock().unwrap().push(at);
                tokio::task::yield_now().await;
            }
        });
    }
    let until = async |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            tokio::time::sleep(ms(10)).await;
        }
    };
    let count = || sent.lock().unwrap().len();
    for _ in 0..2 {
        let before = count();
        until(&|| count() > before + MAX_CALLS).await;
        server.kill();
        until(&|| fleet.iter().all(|(limits, _)| limits.is_alone())).await;
        let alone = count();
        until(&|| count() > alone + MAX_CALLS).await;
        server.start_again();
        until(&|| !fleet.iter().any(|(limits, _)| limits.is_alone())).await;
    }
    let before = count();
    until(&|| count() > before + MAX_CALLS).await;
    drop(tasks);
    let sent = sent.lock().unwrap();
    assert!(most_in_any(&sent, SECOND) <= MAX_CALLS, "{sent:?}");
    for (_, changes) in &fleet {
        let changes = changes.lock().unwrap();
        let [FleetChange::Lost(why), FleetChange::Found, FleetChange::Lost(_), FleetChange::Found, ..] = &changes[..]
        else {
            panic!("{changes:?}")
        };
        assert_eq!(why.kind, LimiterErrorKind::Unreachable);
    }
}

/// An unreachable server keeps its data, and receives the calls made without it.
#[tokio::test]
async fn calls_made_without_redis_are_reported() {
    let Some(server) = Server::start() else { return };
    let changes = Changes::default();
    let log = Arc::clone(&changes);
    let fallback = Fallback::in_process(QuotaShare::ALL, move |change| log.lock().unwrap().push(change.clone()));
    let limits = RedisLimits::new(&server.url(), settings().timeout(ms(200)).fallback(fallback)).unwrap();
    let mut sent = vec![make(&limits, call(PLACE), true).await.unwrap().1];
    server.stop();
    for _ in 0..MAX_CALLS {
        sent.push(make(&limits, call(PLACE), true).await.unwrap().1);
    }
    assert!(limits.is_alone());
    server.go_on();
    while limits.is_alone() {
        tokio::time::sleep(ms(1)).await;
    }
    for _ in 0..MAX_CALLS {
        sent.push(make(&limits, call(PLACE), true).await.unwrap().1);
    }
    assert!(most_in_any(&sent, SECOND) <= MAX_CALLS, "{sent:?}");
    let changes = changes.lock().unwrap();
    // A machine that stalls may lose the server again.
    let [FleetChange::Lost(why), FleetChange::Found, ..] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!(why.kind, LimiterErrorKind::TooSlow);
}

#[tokio::test]
async fn calls_of_others_are_assumed_after_a_loss() {
    let Some(mut server) = Server::start() else { return };
    let (limits, changes) = one_of_two(&server, QuotaShare::new(1, 2));
    make(&limits, call(PLACE), true).await.unwrap();
    server.kill();
    let lost = now();
    let (_, sent) = make(&limits, call(PLACE), true).await.unwrap();
    assert!(sent >= lost + SECOND, "{lost:?} {sent:?}");
    assert_eq!(changes.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_missing_share_is_reported() {
    let Some(mut server) = Server::start() else { return };
    let (limits, changes) = one_of_two(&server, QuotaShare::new(1, 20));
    make(&limits, call(PLACE), true).await.unwrap();
    server.kill();
    for wait in [true, false] {
        assert_eq!(failure_kind(make(&limits, call(PLACE), wait).await), LimiterErrorKind::NoShare);
    }
    assert!(matches!(changes.lock().unwrap()[..], [FleetChange::Lost(_)]));
}
