//! Redis is unreachable, slow or faulty: the caller gets an error, and nothing is sent.

use std::net::TcpListener;
use std::time::Duration;

use tradeapi::runtime::client::LimitMode;
use tradeapi::runtime::error::{LimiterErrorKind, LimiterFailure};
use tradeapi::runtime::limits::{Fallback, Limiter, QuotaShare, RedisLimits, RedisSettings};
use tradeapi::runtime::tables::Outcome;
use tradeapi::unified::{CancelOrder, OrderId, OrderRef};
use tradeapi::{Client, Credentials, Error};
use tradeapi_tests::loopback::ScriptedServer;

use super::callers::{CANCEL, MAX_CALLS, PLACE, SECOND, ask, call, failure_kind, make, most_in_any, ms, settings};
use super::server::Server;

/// Returns an address without a listener.
fn nowhere() -> String {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    format!("redis://127.0.0.1:{port}")
}

#[tokio::test]
async fn without_redis_nothing_is_sent() {
    let exchange = ScriptedServer::start().unwrap();
    for mode in [LimitMode::Wait, LimitMode::Refuse] {
        let limits = RedisLimits::new(&nowhere(), settings()).unwrap();
        let client = Client::builder(exchange.url())
            .credentials(Credentials::new("key", "secret", "passphrase"))
            .limiter(std::sync::Arc::new(limits))
            .limits(mode)
            .build()
            .unwrap();
        let cancel = CancelOrder::new(OrderRef::OrderId(OrderId::from("1")));
        let error = client.unified().cancel_order(&cancel).await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("unified.cancel-order was not sent: the limiter cannot be reached: "), "{text}");
        assert_eq!(error.outcome(), Outcome::NotDone);
        let Error::LimiterFailed(failure) = error else { panic!("{error}") };
        let LimiterFailure { kind, operation, .. } = *failure;
        assert_eq!((kind, operation), (LimiterErrorKind::Unreachable, "unified.cancel-order"));
    }
    assert!(exchange.requests().is_empty());
}

#[test]
fn the_error_without_tokio_names_the_cause() {
    let limits = RedisLimits::new(&nowhere(), settings()).unwrap();
    let waker = std::task::Waker::noop();
    let mut admission = std::pin::pin!(ask(&limits, call(PLACE), true));
    let std::task::Poll::Ready(admission) = admission.as_mut().poll(&mut std::task::Context::from_waker(waker)) else {
        panic!("it waits")
    };
    assert_eq!(failure_kind(admission), LimiterErrorKind::Unreachable);
}

#[tokio::test]
async fn a_refusing_member_recovers_and_never_exceeds() {
    let Some(mut server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings()).unwrap();
    let mut made = Vec::new();
    for round in 0..3 {
        for _ in 0..MAX_CALLS {
            made.push(make(&limits, call(PLACE), true).await.unwrap().1);
        }
        server.kill();
        assert_eq!(failure_kind(make(&limits, call(PLACE), round % 2 == 0).await), LimiterErrorKind::Unreachable);
        server.start_again();
        // Calls soon after a failure get the same error.
        while make(&limits, call(PLACE), false)
            .await
            .is_err_and(|denied| matches!(denied, tradeapi::runtime::limits::AdmissionError::Unavailable(_)))
        {
            tokio::time::sleep(ms(10)).await;
        }
    }
    assert!(most_in_any(&made, SECOND) <= MAX_CALLS, "{made:?}");
}

/// The data of a restored server may be outdated.
#[tokio::test]
async fn a_server_with_outdated_data_waits_for_a_window() {
    let Some(mut server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings()).unwrap();
    let mut sent = vec![make(&limits, call(PLACE), true).await.unwrap().1];
    redis::cmd("SAVE").exec(&mut server.connect()).unwrap();
    for _ in 1..MAX_CALLS {
        sent.push(make(&limits, call(PLACE), true).await.unwrap().1);
    }
    server.kill();
    server.start_again();
    for _ in 0..MAX_CALLS {
        sent.push(make(&limits, call(PLACE), true).await.unwrap().1);
    }
    assert!(most_in_any(&sent, SECOND) <= MAX_CALLS, "{sent:?}");
}

/// A closed connection is not a failure.
#[tokio::test]
async fn a_lost_connection_is_restored() {
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings()).unwrap();
    for _ in 0..5 {
        make(&limits, call(PLACE), true).await.unwrap();
        redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("normal").exec(&mut server.connect()).unwrap();
        redis::cmd("SCRIPT").arg("FLUSH").exec(&mut server.connect()).unwrap();
    }
}

#[tokio::test]
async fn script_errors_are_reported() {
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings()).unwrap();
    make(&limits, call(PLACE), true).await.unwrap();
    let mut connection = server.connect();
    let keys: Vec<String> = redis::cmd("KEYS").arg("*place-order*").query(&mut connection).unwrap();
    redis::cmd("SET").arg(&keys[0]).arg("something else").exec(&mut connection).unwrap();
    assert_eq!(failure_kind(make(&limits, call(PLACE), true).await), LimiterErrorKind::Failed);
    // A failure of one window does not affect the others.
    make(&limits, call(CANCEL), true).await.unwrap();
    // A server that is no longer the primary.
    redis::cmd("REPLICAOF").arg("127.0.0.1").arg(1).exec(&mut connection).unwrap();
    assert_eq!(failure_kind(make(&limits, call(CANCEL), true).await), LimiterErrorKind::Failed);
    redis::cmd("REPLICAOF").arg("NO").arg("ONE").exec(&mut connection).unwrap();
    while make(&limits, call(CANCEL), true).await.is_err() {
        tokio::time::sleep(ms(10)).await;
    }
}

#[tokio::test]
async fn a_silent_server_is_too_slow() {
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings().timeout(ms(200))).unwrap();
    make(&limits, call(PLACE), true).await.ok();
    server.stop();
    for wait in [true, false] {
        assert_eq!(failure_kind(make(&limits, call(PLACE), wait).await), LimiterErrorKind::TooSlow);
    }
}

/// Settings of any length are accepted.
#[tokio::test]
async fn time_settings_of_any_length_are_accepted() {
    let Some(server) = Server::start() else { return };
    for length in [Duration::ZERO, Duration::MAX] {
        let share = Fallback::in_process(QuotaShare::ALL, |_| {});
        let limits = [RedisSettings::new(), RedisSettings::new().fallback(share)].map(|settings| {
            let settings = settings.ahead(length).lease(length).longest_pause(length).timeout(length);
            RedisLimits::new(&server.url(), settings.margin(length).late_arrival(length)).unwrap()
        });
        for limits in &limits {
            for wait in [false, true] {
                // Any result, if there is one.
                let admission = tokio::time::timeout(ms(300), ask(limits, call(PLACE), wait)).await;
                if let Ok(Ok(reservation)) = admission {
                    limits.lost(reservation);
                }
            }
            limits.plan(&[call(PLACE); 20]);
        }
    }
}
