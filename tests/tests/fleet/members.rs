//! Two members of a fleet share limits, over Redis and over the files of a folder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tradeapi::runtime::limits::{AdmissionError, FileLimits, LimitSettings, Limiter, RateLimitFeedback, TooMany};

use super::callers::{CANCEL, MAX_CALLS, PLACE, SPAN, ask, call, free_in, make, most_in_any, ms};
use super::server::Server;
use super::together::{begin, two};

/// The pause is bounded, whatever an answer says.
const LONGEST: Duration = Duration::from_secs(60);

/// Returns limits in a folder, with windows as long as those of the settings for Redis.
pub(crate) fn files(folder: &Path) -> FileLimits {
    FileLimits::open(folder, LimitSettings::new().margin(ms(40))).unwrap()
}

/// Runs tests over each store that a fleet can have.
macro_rules! over_each_store {
    ($($test:ident),* $(,)?) => {
        $(mod $test {
            #[tokio::test]
            async fn over_redis() {
                let Some(server) = super::Server::start() else { return };
                let [one, other] = super::two(&server);
                super::begin(&one).await;
                super::$test(one, other).await;
            }

            #[tokio::test]
            async fn over_files() {
                let folder = tempfile::tempdir().unwrap();
                let [one, other] = [(); 2].map(|()| super::files(folder.path()));
                super::$test(one, other).await;
            }
        })*
    };
}

over_each_store! {
    a_refusal_names_the_binding_limit,
    permits_that_are_given_back_are_available_to_others,
    callers_that_leave_lose_no_permits,
    a_429_reaches_all_members,
    a_refused_address_waits_in_all_members,
}

async fn a_refusal_names_the_binding_limit(one: impl Limiter + 'static, other: impl Limiter + 'static) {
    // As many as are admitted; a slow machine may get more than a window's.
    let mut made = Vec::new();
    for number in 0..1_000 {
        let made_now = match number % 2 {
            0 => make(&one, call(PLACE), false).await,
            _ => make(&other, call(PLACE), false).await,
        };
        match made_now {
            Ok((let_go, _)) => made.push(let_go),
            Err(AdmissionError::Full(full)) => {
                assert!(full.free_in <= SPAN);
                assert_eq!(full.binding.unwrap().operation, Some("unified.place-order"));
                break;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(made.len() >= MAX_CALLS && most_in_any(&made, SPAN) <= MAX_CALLS, "{made:?}");
    // Another account and another operation are not affected.
    make(&one, call(PLACE).counted_for("other", ""), false).await.unwrap();
    make(&one, call(CANCEL), false).await.unwrap();
}

async fn permits_that_are_given_back_are_available_to_others(
    one: impl Limiter + 'static,
    other: impl Limiter + 'static,
) {
    let mut slots = Vec::new();
    for _ in 0..MAX_CALLS {
        slots.push(ask(&one, call(PLACE), true).await.unwrap());
    }
    slots.into_iter().for_each(|reservation| one.give_back(reservation));
    // One process reports its calls with its next request, and the others are admitted at once.
    let first = make(&one, call(PLACE), false).await.unwrap().1;
    let next = make(&other, call(PLACE), false).await.unwrap().1;
    assert!(next - first < SPAN);
}

/// Callers that leave the queue take no permit with them.
async fn callers_that_leave_lose_no_permits(one: impl Limiter + 'static, other: impl Limiter + 'static) {
    let (one, mut made) = (Arc::new(one), Vec::new());
    for round in 0..3 * MAX_CALLS {
        let leaver = Arc::clone(&one);
        let leaver = tokio::spawn(async move { ask(&*leaver, call(PLACE), true).await.map(drop) });
        if round % 3 == 0 {
            tokio::task::yield_now().await;
        }
        leaver.abort();
        made.push(make(&other, call(PLACE), true).await.unwrap().0);
    }
    assert!(most_in_any(&made, SPAN) <= MAX_CALLS);
}

async fn a_429_reaches_all_members(one: impl Limiter + 'static, other: impl Limiter + 'static) {
    let too_many = |of_everything| {
        let retry_after = Some(Duration::from_secs(3_000));
        RateLimitFeedback::new(Some(TooMany { of_everything, retry_after, refused_for: None }), None)
    };
    let reservation = ask(&one, call(PLACE), true).await.unwrap();
    one.answered(reservation, too_many(false));
    while ask(&other, call(PLACE), false).await.map(|reservation| other.give_back(reservation)).is_ok() {}
    assert!(free_in(ask(&other, call(PLACE), false).await) > LONGEST / 2);
    let reservation = ask(&one, call(CANCEL), true).await.unwrap();
    let elsewhere = call(CANCEL).counted_for("1234567890", "192.0.2.8");
    one.answered(reservation, too_many(true));
    let same_address = call(PLACE).counted_for("else", "192.0.2.7");
    while ask(&other, same_address, false).await.map(|reservation| other.give_back(reservation)).is_ok() {}
    assert!(free_in(ask(&other, same_address, false).await) > LONGEST / 2);
    // Cancellations wait for a window only.
    make(&other, call(CANCEL).counted_for("else", "192.0.2.7"), true).await.unwrap();
    make(&other, elsewhere.counted_for("else", "192.0.2.8"), true).await.unwrap();
}

/// The refusal lasts for longer than any pause that an answer can ask for, except for cancellations.
async fn a_refused_address_waits_in_all_members(one: impl Limiter + 'static, other: impl Limiter + 'static) {
    let refused_for = Some(LONGEST * 5);
    let reservation = ask(&one, call(PLACE), true).await.unwrap();
    let too_many = TooMany { of_everything: true, retry_after: None, refused_for };
    one.answered(reservation, RateLimitFeedback::new(Some(too_many), None));
    let left = async |meta| loop {
        match ask(&other, call(meta), false).await {
            Ok(reservation) => other.give_back(reservation),
            denied => break free_in(denied),
        }
    };
    let (of_placing, of_cancelling) = (left(PLACE).await, left(CANCEL).await);
    assert!(of_placing > LONGEST * 4 && of_placing <= LONGEST * 5, "{of_placing:?}");
    assert!(of_cancelling > LONGEST / 2 && of_cancelling <= LONGEST, "{of_cancelling:?}");
}
