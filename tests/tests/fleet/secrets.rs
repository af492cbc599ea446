//! Secrets and accounts are not shown to others.

use tradeapi::runtime::limits::{AdmissionError, RedisLimits};

use super::callers::{CANCEL, PLACE, ask, call, make, settings};
use super::server::Server;

const PASSWORD: &str = "canarypasswordZ3";

#[tokio::test]
async fn no_password_is_printed() {
    let url = format!("redis://user:{PASSWORD}@127.0.0.1:1");
    let limits = RedisLimits::new(&url, settings()).unwrap();
    let denied = ask(&limits, call(PLACE), false).await.unwrap_err();
    let bad = RedisLimits::new(&format!("nonsense://user:{PASSWORD}@host"), settings()).unwrap_err();
    let worse = RedisLimits::new(&format!("redis://user:{PASSWORD}@host:port/what"), settings()).unwrap_err();
    let mut printed = format!("{limits:?} {limits:#?} {denied:?} {bad} {bad:?} {worse} {worse:?}");
    if let Some(server) = Server::start_with(Some("another")) {
        let url = server.url().replace("redis://", &format!("redis://:{PASSWORD}@"));
        let wrong = RedisLimits::new(&url, settings()).unwrap();
        let denied = ask(&wrong, call(PLACE), false).await.unwrap_err();
        assert!(matches!(denied, AdmissionError::Unavailable(_)), "{denied:?}");
        printed += &format!("{denied:?}");
        let right = server.url().replace("redis://", "redis://:another@");
        make(&RedisLimits::new(&right, settings()).unwrap(), call(PLACE), true).await.unwrap();
    }
    assert!(!printed.contains(PASSWORD), "{printed}");
}

#[tokio::test]
async fn keys_hide_the_account_and_expire() {
    let Some(server) = Server::start() else { return };
    let limits = RedisLimits::new(&server.url(), settings().prefix("desk")).unwrap();
    for meta in [PLACE, CANCEL] {
        make(&limits, call(meta), true).await.unwrap();
    }
    let mut connection = server.connect();
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
    assert_eq!(keys.len(), 3, "{keys:?}");
    for key in keys {
        let expires: i64 = redis::cmd("PTTL").arg(&key).query(&mut connection).unwrap();
        assert!(expires > 0, "{key}: {expires}");
        assert!(key.starts_with("{desk}:"), "{key}");
        assert!(!key.contains("1234567890") && !key.contains("192.0.2"), "{key}");
    }
}
