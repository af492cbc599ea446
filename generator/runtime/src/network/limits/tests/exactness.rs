//! Never more than N in any window, and never fewer than there could be. State that no longer matters is dropped.

use std::time::Duration;

use proptest::prelude::*;

use super::{Driver, SECOND, limited_to, limits, make_all, most_in_any, ms, operation, per_ip, per_uid};
use crate::data::tables::{Effect, Scope};
use crate::network::limits::state::LimiterState;
use crate::network::limits::window::Answered;
use crate::network::limits::{
    Admission, AdmissionError, Call, LimitSettings, Limiter, RateLimitFeedback, Reservation, TooMany,
};

/// A caller: how long after the last one it comes, how long it takes from its admission to sending, and whether it
/// gives up instead of sending.
type Caller = (u64, u64, bool);

fn callers(slowness: u64) -> impl Strategy<Value = Vec<Caller>> {
    let pause = prop_oneof![3 => Just(0), 3 => 0..30_u64, 1 => 0..2_500_u64];
    prop::collection::vec((pause, 0..=slowness, prop::bool::weighted(0.1)), 1..120)
}

/// Returns when calls are sent.
fn run(settings: LimitSettings, most: u32, callers: &[Caller]) -> Vec<Duration> {
    let meta = limited_to(most);
    let limits = limits(settings);
    let mut driver = Driver::new(&limits);
    let mut arrival = Duration::ZERO;
    let mut arrivals = callers
        .iter()
        .map(|(pause, ..)| {
            arrival += ms(*pause);
            arrival
        })
        .peekable();
    let (mut made, mut holding): (_, Vec<(Duration, bool, Reservation)>) = (Vec::new(), Vec::new());
    let mut numbers = Vec::new();
    loop {
        let mut granted = driver.woken();
        if granted.is_empty() {
            let next = arrivals.peek().copied().into_iter().chain(holding.iter().map(|(at, ..)| *at)).min();
            if next.is_none() && driver.timer.next_wake().is_none() {
                assert_eq!(driver.waiting(), 0, "a waiting call was forgotten");
                return made;
            }
            driver.step(next.unwrap_or(Duration::MAX));
            granted = driver.woken();
        }
        while arrivals.next_if(|arrival| *arrival <= driver.now()).is_some() {
            let (number, reservation) = driver.admit(Call::new(meta));
            numbers.push(number);
            granted.extend(reservation.map(|reservation| (number, reservation)));
        }
        for (number, reservation) in granted {
            let (_, slowness, gives_up) = callers[number];
            holding.push((driver.now() + ms(slowness), gives_up, reservation));
        }
        let (due, later) = holding.into_iter().partition(|(at, ..)| *at <= driver.now());
        holding = later;
        for (_, gives_up, reservation) in due {
            if gives_up { driver.limits.give_back(reservation) } else { made.push(driver.make(reservation)) }
        }
    }
}

proptest! {
    #[test]
    fn no_window_ever_has_too_many(most in 1..=30_u32, margin in 0..20_u64, callers in callers(1_500)) {
        let margin = ms(margin);
        let made = run(LimitSettings::new().margin(margin), most, &callers);
        prop_assert_eq!(made.len(), callers.iter().filter(|(.., gives_up)| !gives_up).count());
        prop_assert!(most_in_any(&made, SECOND + margin) <= most as usize);
    }

    /// Callers that are not slow themselves send at the very moment at which the limit allows it, first come, first
    /// served.
    #[test]
    fn no_one_waits_without_need(most in 1..=30_u32, callers in callers(0)) {
        let callers: Vec<_> = callers.into_iter().map(|(pause, ..)| (pause, 0, false)).collect();
        let made = run(LimitSettings::new(), most, &callers);
        let (mut expected, mut arrival): (Vec<Duration>, _) = (Vec::new(), Duration::ZERO);
        for (pause, ..) in &callers {
            arrival += ms(*pause);
            let free = expected.len().checked_sub(most as usize).map(|index| expected[index] + SECOND + ms(5));
            let last = expected.last().copied().unwrap_or_default();
            expected.push(arrival.max(last).max(free.unwrap_or_default()));
        }
        prop_assert_eq!(made, expected);
    }

    /// A waiting call can be dropped at any time without an effect on others.
    #[test]
    fn leaving_the_queue_leaves_no_gap(most in 1..=5_u32, leavers in prop::collection::vec(any::<bool>(), 1..40)) {
        let meta = limited_to(most);
        let limits = limits(LimitSettings::new().margin(Duration::ZERO));
        let mut driver = Driver::new(&limits);
        let mut made = Vec::new();
        for leaves in &leavers {
            let (number, reservation) = driver.admit(Call::new(meta));
            match reservation {
                Some(reservation) => made.push(driver.make(reservation)),
                None if *leaves => driver.give_up(number),
                None => {}
            }
        }
        while driver.waiting() > 0 {
            driver.step(Duration::MAX);
            for (_, reservation) in driver.woken() {
                made.push(driver.make(reservation));
            }
        }
        let expected: Vec<_> = (0..made.len()).map(|index| SECOND * (index as u32 / most)).collect();
        prop_assert_eq!(made, expected);
    }
}

/// With the usual margin and a timer that is up to two milliseconds late.
#[test]
fn at_least_99_of_100_calls_are_used_when_there_is_work() {
    for most in [1, 5, 10, 20, 30] {
        let limits = limits(LimitSettings::new());
        let mut driver = Driver::new(&limits);
        let calls = vec![Call::new(limited_to(most)); most as usize * 110];
        let mut made = Vec::new();
        for call in &calls {
            made.extend(driver.admit(*call).1.map(|reservation| driver.make(reservation)));
        }
        for round in 0.. {
            let Some(next) = driver.timer.next_wake().filter(|next| *next < SECOND * 100) else { break };
            driver.timer.advance(next - driver.now() + Duration::from_micros(round % 5 * 500));
            for (_, reservation) in driver.woken() {
                made.push(driver.make(reservation));
            }
        }
        assert!(made.len() * 100 >= most as usize * 100 * 99, "{most}: {}", made.len());
        assert!(most_in_any(&made, SECOND) <= most as usize);
    }
}

#[test]
fn all_rows_that_hold_must_have_room() {
    let both = operation("both", Effect::Read, &[per_uid(10, "default"), per_ip(3)]);
    let settings = LimitSettings::new().margin(Duration::ZERO);
    let made = make_all(&mut Driver::new(&limits(settings)), &[Call::new(both); 7]);
    assert_eq!(made, [0, 0, 0, 1, 1, 1, 2].map(Duration::from_secs));
}

#[test]
fn accounts_and_addresses_are_counted_apart() {
    let by_uid = operation("by-uid", Effect::Read, &[per_uid(1, "default")]);
    let by_ip = operation("by-ip", Effect::Read, &[per_ip(1)]);
    let limits = limits(LimitSettings::new());
    let is_free = |meta, account, address| {
        matches!(limits.0.admit(Call::new(meta).counted_for(account, address), false), Admission::Now(Ok(_)))
    };
    assert!(is_free(by_uid, "a", "x"));
    assert!(!is_free(by_uid, "a", "y"));
    assert!(is_free(by_uid, "b", "x"));
    assert!(is_free(by_ip, "a", "x"));
    assert!(!is_free(by_ip, "b", "x"));
    assert!(is_free(by_ip, "a", "y"));
}

fn free_in(denied: AdmissionError) -> Duration {
    match denied {
        AdmissionError::Full(full) => full.free_in,
        AdmissionError::Unavailable(_) => Duration::MAX,
    }
}

#[test]
fn a_refusal_states_when_there_is_room() {
    let limits = limits(LimitSettings::new().margin(Duration::ZERO));
    let driver = Driver::new(&limits);
    let call = Call::new(limited_to(2));
    let admit = || match limits.0.admit(call, false) {
        Admission::Now(answer) => answer.map(|reservation| driver.make(reservation)).map_err(free_in),
        Admission::Later(_) => Err(Duration::MAX),
    };
    assert_eq!(admit(), Ok(Duration::ZERO));
    limits.1.advance(ms(300));
    assert_eq!(admit(), Ok(ms(300)));
    limits.1.advance(ms(300));
    assert_eq!(admit(), Err(ms(400)));
    limits.1.advance(ms(400) - Duration::from_nanos(1));
    assert_eq!(admit(), Err(Duration::from_nanos(1)));
    limits.1.advance(Duration::from_nanos(1));
    assert_eq!(admit(), Ok(SECOND));
    assert_eq!(admit(), Err(ms(300)));
    assert_eq!(limits.1.next_wake(), None, "no call waits, so there is nothing to wake");
}

#[test]
fn a_limit_of_zero_is_a_limit_of_one() {
    let settings = LimitSettings::new().margin(Duration::ZERO);
    let made = make_all(&mut Driver::new(&limits(settings)), &[Call::new(limited_to(0)); 2]);
    assert_eq!(made, [Duration::ZERO, SECOND]);
}

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
    let too_many = TooMany { of_everything: true, retry_after: Some(5 * SECOND), refused_for: None };
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
