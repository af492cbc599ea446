//! State that no longer matters is dropped.

use std::time::Duration;

use proptest::prelude::*;

use super::driver::{Driver, SECOND, limits, most_in_any, ms, operation, per_ip, per_uid};
use crate::data::tables::{Effect, Scope};
use crate::network::limits::state::LimiterState;
use crate::network::limits::window::Answered;
use crate::network::limits::{Admission, Call, LimitSettings, Limiter, RateLimitFeedback, TooMany};

fn settings() -> LimitSettings {
    LimitSettings::new().margin(Duration::ZERO)
}

#[test]
fn idle_buckets_and_windows_are_dropped() {
    let meta = operation("place", Effect::Create, &[per_uid(10, "default"), per_ip(20)]);
    let mut state = LimiterState::new(settings().overall(100, 1, Scope::Uid));
    for number in 0..100_000_u32 {
        let (account, address) = (format!("account {number}"), format!("address {}", number / 7));
        let now = ms(10) * number;
        let bucket = state.bucket(&Call::new(meta).counted_for(&account, &address), now);
        state.hold(bucket);
        state.answered(bucket, Answered { sent: now, now, trip: None, request_time: None });
    }
    // A hundred are called in a second.
    assert!(state.buckets.len() < 500, "{}", state.buckets.len());
    assert!(state.windows.len() < 1_500, "{}", state.windows.len());
    assert_eq!(state.window_of.len(), state.windows.len());
    assert_eq!(state.buckets_of.values().map(Vec::len).sum::<usize>(), state.buckets.len());
}

/// A reservation that was granted long ago still counts when it is used.
#[test]
fn held_reservations_are_not_dropped() {
    let meta = operation("place", Effect::Create, &[per_uid(1, "default")]);
    let limits = limits(settings());
    let driver = Driver::new(&limits);
    let admit = |account| limits.0.admit(Call::new(meta).counted_for(account, ""), false);
    let Admission::Now(Ok(reservation)) = admit("slow") else { unreachable!("there is room") };
    for number in 0..1_000 {
        limits.1.advance(SECOND);
        let name = number.to_string();
        let call = Call::new(meta).counted_for(&name, "");
        assert!(matches!(limits.0.admit(call, false), Admission::Now(Ok(_))));
    }
    driver.make(reservation);
    assert!(matches!(admit("slow"), Admission::Now(Err(_))));
}

/// An answer that comes when its bucket is gone is not taken for another's.
#[test]
fn late_answers_reach_no_other_bucket() {
    let meta = operation("place", Effect::Create, &[per_uid(1, "default")]);
    let limits = limits(settings());
    let admit = |account| limits.0.admit(Call::new(meta).counted_for(account, ""), false);
    let Admission::Now(Ok(mut reservation)) = admit("late") else { unreachable!("there is room") };
    limits.0.sent(&mut reservation);
    limits.1.advance(SECOND);
    let names: Vec<_> = (0..500).map(|number| number.to_string()).collect();
    for name in &names {
        let Admission::Now(Ok(reservation)) = admit(name) else { unreachable!("there is room") };
        limits.0.give_back(reservation);
    }
    limits.0.answered(reservation, RateLimitFeedback::new(Some(TooMany::default()), None));
    assert!(names.iter().all(|name| matches!(admit(name), Admission::Now(Ok(_)))));
}

/// Buckets of the address that are made during the pause take it over, however many there were before.
#[test]
fn a_pause_of_an_address_outlasts_the_sweep_of_what_is_idle() {
    let meta = operation("place", Effect::Create, &[per_uid(10, "default")]);
    let limits = limits(settings());
    let Admission::Now(Ok(mut reservation)) = limits.0.admit(Call::new(meta), false) else { unreachable!() };
    limits.0.sent(&mut reservation);
    let too_many = TooMany { of_everything: true, retry_after: Some(5 * SECOND) };
    limits.0.answered(reservation, RateLimitFeedback::new(Some(too_many), None));
    let is_refused = |name: &str| {
        let call = Call::new(meta).counted_for(name, "");
        matches!(limits.0.admit(call, false), Admission::Now(Err(_)))
    };
    let names: Vec<_> = (0..300).map(|number| number.to_string()).collect();
    assert!(names.iter().all(|name| is_refused(name)));
    limits.1.advance(5 * SECOND - ms(1));
    assert!(names.iter().all(|name| is_refused(name)));
    limits.1.advance(ms(1));
    assert!(!names.iter().any(|name| is_refused(name)));
}

proptest! {
    /// However often buckets are dropped and made anew, no window has too many.
    #[test]
    fn nothing_is_gained_by_being_dropped(
        calls in prop::collection::vec((0..400_usize, 0..20_u64), 1..600),
    ) {
        let meta = operation("place", Effect::Create, &[per_uid(2, "default")]);
        let limits = limits(settings());
        let driver = Driver::new(&limits);
        let names: Vec<_> = (0..400).map(|number| number.to_string()).collect();
        let mut made = vec![Vec::new(); names.len()];
        for (number, pause) in calls {
            limits.1.advance(ms(pause));
            for number in [number, number % 3] {
                let call = Call::new(meta).counted_for(&names[number], "");
                if let Admission::Now(Ok(reservation)) = limits.0.admit(call, false) {
                    made[number].push(driver.make(reservation));
                }
            }
        }
        prop_assert!(made.iter().all(|made| most_in_any(made, SECOND) <= 2));
    }
}
